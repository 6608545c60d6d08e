/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * noprobe_lists.h - what runs between a breakpoint and our handler or back, on riscv64.
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
	{ "__hibernate_cpu_resume", "hibernate_core_restore_code" },
};

static const char *const functions[] = {
	/* from the exception's entry to what serves breakpoints, and back */
	"handle_exception", "_restore_kernel_tpsp", "_save_context",
	"ret_from_exception", "resume_userspace", "restore_all",
	"__dummy_handle_exception", "handle_kernel_stack_overflow",
	"asm_handle_kernel_stack_overflow", "handle_bad_stack", "get_overflow_stack",
	"do_trap_break", "handle_break", "probe_single_step_handler",
	"probe_breakpoint_handler", "is_valid_bugaddr", "report_bug",
	"irqentry_enter", "irqentry_exit", "irqentry_nmi_enter", "irqentry_nmi_exit",
	"ct_nmi_enter", "ct_nmi_exit", "ct_irq_enter", "ct_irq_exit",
	"__rcu_irq_enter_check_tick", "__rcu_read_lock", "__rcu_read_unlock",
	"rcu_is_watching", "rcu_read_unlock_special", "ct_state_inc",
	"ct_kernel_exit_state", "ct_kernel_enter_state",
	"preempt_count_add", "preempt_count_sub",
	"trace_hardirqs_on", "trace_hardirqs_off", "__trace_hardirqs_on",
	"__trace_hardirqs_off", "trace_hardirqs_on_prepare", "trace_hardirqs_off_finish",
	"lockdep_hardirqs_on", "lockdep_hardirqs_off",
	"lockdep_hardirqs_on_prepare", "lock_acquire", "lock_release",
	"lock_is_held_type", "debug_lockdep_rcu_enabled",
	"kprobe_breakpoint_handler", "kprobe_single_step_handler", "get_kprobe",
	"kprobe_running", "do_irq", "do_riscv_irq",
	"riscv_v_context_nesting_start", "riscv_v_context_nesting_end",
	/* the fault path */
	"do_page_fault", "handle_page_fault", "no_context", "bad_area", "bad_area_nosemaphore",
	"vmalloc_fault", "fault_in_kernel_space", "mm_fault_error", "die_kernel_fault",
	"fixup_exception", "ex_handler_fixup", "ex_handler_uaccess_err_zero",
	"ex_handler_load_unaligned_zeropad", "search_exception_tables",
	"search_kernel_exception_table", "search_module_extables", "search_extable",
	"cmp_ex_search", "bsearch", "__module_address", "die", "__show_regs", "show_regs",
	"oops_enter", "notify_die", "atomic_notifier_call_chain", "notifier_call_chain",
	"do_trap_error", "do_trap_unknown", "do_trap_insn_misaligned", "do_trap_insn_fault",
	"do_trap_insn_illegal", "do_trap_load_fault", "do_trap_load_misaligned",
	"do_trap_store_misaligned", "do_trap_store_fault", "do_trap_ecall_u",
	"do_trap_ecall_s", "do_trap_ecall_m", "do_trap_software_check",
	/* what the trap path calls */
	"copy_from_kernel_nofault", "copy_from_kernel_nofault_allowed",
	"copy_to_kernel_nofault", "memcpy", "__memcpy", "memset", "__memset", "memcmp",
	"__stack_chk_fail", "irq_work_queue", "__irq_work_queue_local", "arch_irq_work_raise",
	"llist_add_batch", "send_ipi_single", "kasan_unpoison_task_stack_below",
	"kasan_unpoison",
	/* what backtrace.c intercepts */
	"walk_stackframe", "stack_trace_consume_entry",
	"stack_trace_consume_entry_nosched", "print_trace_address", "fill_callchain",
	/* where a task changes its stack */
	"__switch_to", "ret_from_fork", "ret_from_fork_kernel_asm", "ret_from_fork_user_asm",
	"ret_from_kernel_thread", "call_on_irq_stack",
};

#endif
