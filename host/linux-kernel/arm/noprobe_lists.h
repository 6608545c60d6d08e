/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * noprobe_lists.h - what runs between a breakpoint and our handler or back, on arm.
 *
 * Owns: the lists of noprobe.c.
 */
#ifndef KP_KERNEL_NOPROBE_LISTS_H
#define KP_KERNEL_NOPROBE_LISTS_H

static const char *const areas[][2] = {
	{ "__noinstr_text_start", "__noinstr_text_end" },
	{ "__entry_text_start", "__entry_text_end" },
	{ "__kprobes_text_start", "__kprobes_text_end" },
	/* what runs with other translations */
	{ "__idmap_text_start", "__idmap_text_end" },
	{ "__hyp_idmap_text_start", "__hyp_idmap_text_end" },
};

static const char *const functions[] = {
	/* from the exception's entry to us, and back */
	"__und_svc", "__und_fault", "__und_svc_finish", "__und_usr", "do_undefinstr",
	"__bad_stack", "handle_bad_stack", "call_undef_hook", "register_undef_hook",
	"unregister_undef_hook",
	"ct_nmi_enter", "ct_nmi_exit", "rcu_nmi_enter", "rcu_nmi_exit",
	"__rcu_irq_enter_check_tick", "__rcu_read_lock", "__rcu_read_unlock",
	"rcu_is_watching", "rcu_read_unlock_special", "ct_state_inc",
	"ct_kernel_exit_state", "ct_kernel_enter_state",
	"preempt_count_add", "preempt_count_sub", "trace_hardirqs_on", "trace_hardirqs_off",
	"lock_acquire", "lock_release", "lock_is_held_type", "debug_lockdep_rcu_enabled",
	"kprobe_trap_handler", "kprobe_handler", "get_kprobe", "kprobe_running",
	/* the fault path */
	"__dabt_svc", "__pabt_svc", "v7_early_abort", "v7_pabort", "do_DataAbort",
	"do_PrefetchAbort", "do_page_fault", "do_translation_fault", "do_sect_fault",
	"do_bad_area", "do_bad", "__do_kernel_fault", "die_kernel_fault", "do_alignment",
	"fixup_exception", "search_exception_tables", "search_kernel_exception_table",
	"search_module_extables", "search_extable", "cmp_ex_search", "bsearch",
	"__module_address", "die", "__die", "show_pte", "oops_enter", "notify_die",
	"atomic_notifier_call_chain", "notifier_call_chain", "arm_notify_die",
	/* what the trap path calls */
	"copy_from_kernel_nofault", "copy_from_kernel_nofault_allowed",
	"copy_to_kernel_nofault", "memcpy", "__memcpy", "mmiocpy", "memset", "__memset",
	"mmioset", "__memset32", "__memset64", "memcmp", "__stack_chk_fail",
	"irq_work_queue", "__irq_work_queue_local", "arch_irq_work_raise", "llist_add_batch",
	"smp_cross_call", "kasan_unpoison_task_stack_below", "kasan_unpoison",
	/* where a task changes its stack */
	"__switch_to", "ret_from_fork", "call_with_stack",
	/* what backtrace.c intercepts */
	"unwind_frame",
};

#endif
