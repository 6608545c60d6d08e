/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * noprobe_lists.h - what runs between a breakpoint and our handler or back, on arm64.
 *
 * Owns: the lists of noprobe.c.
 */
#ifndef KP_KERNEL_NOPROBE_LISTS_H
#define KP_KERNEL_NOPROBE_LISTS_H

static const char *const areas[][2] = {
	{ "__noinstr_text_start", "__noinstr_text_end" },
	{ "__entry_text_start", "__entry_text_end" },
	{ "__kprobes_text_start", "__kprobes_text_end" },
	/* what runs with other translations, at another level, or on the way there */
	{ "__idmap_text_start", "__idmap_text_end" },
	{ "__hyp_text_start", "__hyp_text_end" },
	{ "__hyp_idmap_text_start", "__hyp_idmap_text_end" },
	{ "__hibernate_exit_text_start", "__hibernate_exit_text_end" },
	{ "__relocate_new_kernel_start", "__relocate_new_kernel_end" },
};

static const char *const functions[] = {
	/* from the exception's entry to the break hooks, and back */
	"vectors", "el1h_64_sync", "ret_to_kernel", "el1h_64_sync_handler", "el1_dbg",
	"el1_abort", "el1_pc", "el1_undef", "do_debug_exception", "brk_handler",
	"call_break_hook", "enter_from_kernel_mode", "exit_to_kernel_mode",
	"arm64_enter_el1_dbg", "arm64_exit_el1_dbg", "arm64_enter_nmi",
	"arm64_exit_nmi", "is_spurious_el1_translation_fault",
	"ct_nmi_enter", "ct_nmi_exit", "rcu_nmi_enter", "rcu_nmi_exit",
	"ct_irq_enter", "ct_irq_exit", "rcu_irq_enter", "rcu_irq_exit",
	"__rcu_irq_enter_check_tick", "__rcu_read_lock", "__rcu_read_unlock",
	"rcu_is_watching", "rcu_read_unlock_special", "ct_state_inc",
	"ct_kernel_exit_state", "ct_kernel_enter_state",
	"preempt_count_add", "preempt_count_sub",
	"trace_hardirqs_on_prepare", "trace_hardirqs_off_finish",
	"trace_hardirqs_on", "trace_hardirqs_off",
	"lockdep_hardirqs_on", "lockdep_hardirqs_off",
	"lockdep_hardirqs_on_prepare", "lock_acquire", "lock_release",
	"lock_is_held_type", "debug_lockdep_rcu_enabled",
	"kprobe_breakpoint_handler", "kprobe_breakpoint_ss_handler", "get_kprobe",
	"kprobe_running", "bug_handler",
	/* watchpoints and steps */
	"watchpoint_handler", "watchpoint_report", "single_step_handler",
	"call_step_hook", "reinstall_suspended_bps", "toggle_bp_registers",
	/* the fault path */
	"do_mem_abort", "do_page_fault", "do_translation_fault", "do_bad_area",
	"__do_kernel_fault", "do_alignment_fault", "fixup_exception",
	"search_exception_tables", "search_kernel_exception_table",
	"search_module_extables", "search_extable", "cmp_ex_search", "bsearch",
	"__module_address", "die_kernel_fault", "die", "__die", "show_pte",
	"oops_enter", "notify_die", "atomic_notifier_call_chain",
	"notifier_call_chain", "arm64_notify_die", "do_sea", "do_undefinstr",
	"do_el1_undef", "el1h_64_error_handler", "do_serror",
	/* what the trap path calls */
	"copy_from_kernel_nofault", "copy_from_kernel_nofault_allowed",
	"copy_to_kernel_nofault", "memcpy", "__memcpy", "__pi_memcpy", "memset",
	"__memset", "__pi_memset", "memcmp", "__pi_memcmp", "__stack_chk_fail",
	"irq_work_queue", "__irq_work_queue_local", "arch_irq_work_raise",
	"llist_add_batch", "smp_cross_call", "kasan_unpoison_task_stack_below",
	"kasan_unpoison",
	/* what backtrace.c intercepts */
	"unwind", "unwind_next", "stack_trace_consume_entry",
	"stack_trace_consume_entry_nosched", "dump_backtrace_entry",
	"callchain_trace",
	/* where a task changes its stack */
	"cpu_switch_to", "ret_from_fork", "call_on_irq_stack",
};

#endif
