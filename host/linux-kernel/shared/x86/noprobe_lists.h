/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * noprobe_lists.h - what runs between a breakpoint and our handler or back, on x86.
 *
 * Owns: the lists of noprobe.c, for both modes; what a kernel does not have is not found.
 */
#ifndef KP_KERNEL_NOPROBE_LISTS_H
#define KP_KERNEL_NOPROBE_LISTS_H

static const char *const areas[][2] = {
	{ "__noinstr_text_start", "__noinstr_text_end" },
	{ "__entry_text_start", "__entry_text_end" },
	{ "__kprobes_text_start", "__kprobes_text_end" },
	{ "__indirect_thunk_start", "__indirect_thunk_end" },
	/* which have no such names since 6.12; r15's, the last, is below */
	{ "__x86_indirect_thunk_array", "__x86_indirect_thunk_r15" },
	{ "__x86_indirect_call_thunk_array", "__x86_indirect_call_thunk_r15" },
	{ "__x86_indirect_jump_thunk_array", "__x86_indirect_jump_thunk_r15" },
	{ "__x86_indirect_its_thunk_array", "__x86_indirect_its_thunk_r15" },
	{ "__x86_indirect_paranoid_thunk_rax", "__x86_indirect_paranoid_thunk_r15" },
	/* in 32-bit mode */
	{ "__x86_indirect_thunk_array", "__x86_indirect_thunk_edi" },
	{ "__x86_indirect_call_thunk_array", "__x86_indirect_call_thunk_edi" },
	{ "__x86_indirect_jump_thunk_array", "__x86_indirect_jump_thunk_edi" },
	{ "__bhi_args", "__bhi_args_end" },
};

static const char *const functions[] = {
	/* from the int3 entry to the notifiers, and back */
	"exc_int3", "do_int3", "do_int3_user", "notify_die",
	"atomic_notifier_call_chain", "notifier_call_chain",
	"hw_breakpoint_exceptions_notify", "kgdb_ll_trap", "__kgdb_notify",
	"irqentry_nmi_enter", "irqentry_nmi_exit", "ct_nmi_enter",
	"ct_nmi_exit", "rcu_nmi_enter", "rcu_nmi_exit",
	"__rcu_irq_enter_check_tick", "__rcu_read_lock", "__rcu_read_unlock",
	"rcu_is_watching", "rcu_read_unlock_special",
	"preempt_count_add", "preempt_count_sub",
	"trace_hardirqs_on_prepare", "trace_hardirqs_off_finish",
	"trace_hardirqs_on", "trace_hardirqs_off",
	"lockdep_hardirqs_on", "lockdep_hardirqs_off",
	"lockdep_hardirqs_on_prepare", "lock_acquire", "lock_release",
	"lock_is_held_type", "rcu_lock_acquire", "rcu_lock_release",
	"rcu_lockdep_current_cpu_online", "rcu_read_lock_held_common",
	"debug_lockdep_rcu_enabled",
	"kprobe_int3_handler", "get_kprobe", "kprobe_running",
	/* the fault path */
	"exc_page_fault", "handle_page_fault", "do_user_addr_fault",
	"do_kern_addr_fault", "vmalloc_fault", "spurious_kernel_fault",
	"spurious_kernel_fault_check", "bad_area_nosemaphore",
	"__bad_area_nosemaphore", "kernelmode_fixup_or_oops",
	"page_fault_oops", "fixup_exception", "search_exception_tables",
	"search_kernel_exception_table", "search_module_extables",
	"search_extable", "cmp_ex_search", "bsearch", "__module_address",
	"do_trap", "do_trap_no_signal", "do_error_trap",
	"exc_general_protection", "gp_try_fixup_and_notify",
	"oops_begin", "oops_end", "die", "die_addr", "__die", "__die_header",
	"__die_body", "nmi_handle", "default_do_nmi", "exc_nmi",
	"perf_event_nmi_handler", "exc_debug",
	/* what the trap path calls */
	"copy_from_kernel_nofault", "copy_from_kernel_nofault_allowed",
	"copy_to_kernel_nofault", "memcpy", "__memcpy", "memset", "__memset",
	"memcmp", "__stack_chk_fail", "irq_work_queue",
	"__irq_work_queue_local", "arch_irq_work_raise", "llist_add_batch",
	"kasan_unpoison_task_stack_below", "kasan_unpoison",
	/* what backtrace.c intercepts */
	"unwind_next_frame", "unwind_get_return_address", "sprint_backtrace",
	"sprint_backtrace_build_id",
	/* what functions call, jump and return through */
	"__x86_indirect_thunk_edi", "__x86_indirect_call_thunk_edi",
	"__x86_indirect_jump_thunk_edi",
	"__x86_indirect_thunk_r15", "__x86_indirect_call_thunk_r15",
	"__x86_indirect_jump_thunk_r15", "__x86_indirect_its_thunk_r15",
	"__x86_indirect_paranoid_thunk_r15",
	"call_depth_return_thunk", "__x86_return_skl",
	"__x86_return_thunk", "retbleed_return_thunk", "retbleed_untrain_ret",
	"srso_return_thunk", "srso_safe_ret", "srso_untrain_ret",
	"srso_alias_return_thunk", "srso_alias_safe_ret",
	"srso_alias_untrain_ret", "its_return_thunk", "entry_untrain_ret",
	"entry_ibpb", "write_ibpb", "clear_bhb_loop",
	/* where a task changes its stack */
	"__switch_to", "__switch_to_asm", "ret_from_fork",
};

#endif
