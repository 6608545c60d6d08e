/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * noprobe_lists.h - what runs between a breakpoint and our handler or back, on MIPS.
 *
 * Owns: the lists of noprobe.c.  All that takes exceptions is among them: there the stack may
 * be a program's, and a second exception would not know where to come back.  What the kernel
 * makes when it starts (the refill of the TLB) is no function's.  And what may not be late.
 */
#ifndef KP_KERNEL_NOPROBE_LISTS_H
#define KP_KERNEL_NOPROBE_LISTS_H

static const char *const areas[][2] = {
	{ "__noinstr_text_start", "__noinstr_text_end" },
	{ "__kprobes_text_start", "__kprobes_text_end" },
};

static const char *const functions[] = {
	/* exceptions, in the order of their numbers, and the way back */
	"except_vec2_generic", "except_vec3_generic", "except_vec3_r4000", "except_vec4",
	"except_vec_vi", "except_vec_vi_lui", "except_vec_vi_ori", "except_vec_vi_handler",
	"except_vec_ejtag_debug", "except_vec_nmi", "ejtag_debug_handler", "nmi_handler",
	"__r4k_wait", "r4k_wait", "rollback_handle_int", "rollback_except_vec_vi",
	"handle_int", "handle_tlbm", "handle_tlbl", "handle_tlbs", "tlb_do_page_fault_0",
	"tlb_do_page_fault_1", "tlbmiss_handler_setup_pgd",
	"handle_adel", "handle_adel_int", "handle_ades", "handle_ades_int", "handle_ibe",
	"handle_ibe_int", "handle_dbe", "handle_dbe_int", "handle_sys", "handle_sys64",
	"handle_sysn32", "handle_bp", "handle_bp_int", "handle_ri", "handle_ri_int",
	"handle_ri_rdhwr_tlbp", "handle_ri_rdhwr", "handle_cpu", "handle_cpu_int", "handle_ov",
	"handle_ov_int", "handle_tr", "handle_tr_int", "handle_msa_fpe", "handle_msa_fpe_int",
	"handle_fpe", "handle_fpe_int", "handle_ftlb", "handle_ftlb_int", "handle_gsexc",
	"handle_gsexc_int", "handle_msa", "handle_msa_int", "handle_mdmx", "handle_mdmx_int",
	"handle_watch", "handle_watch_int", "handle_mcheck", "handle_mcheck_int", "handle_mt",
	"handle_mt_int", "handle_dsp", "handle_dsp_int", "handle_reserved",
	"handle_reserved_int", "handle_daddi_ov", "handle_cache_err", "cache_parity_error",
	"ret_from_exception", "ret_from_irq", "__ret_from_irq", "resume_userspace_check",
	"resume_userspace", "resume_kernel", "restore_all", "restore_partial", "work_pending",
	"work_resched", "work_notifysig", "syscall_exit", "syscall_exit_partial",
	"syscall_exit_work", "ret_from_kernel_thread", "ret_from_fork",
	/* what serves breakpoints otherwise */
	"do_bp", "do_trap_or_bp", "__isa_exception_epc", "exception_ip", "notify_die",
	"atomic_notifier_call_chain", "notifier_call_chain", "kprobe_exceptions_notify",
	"kgdb_ll_trap", "get_kprobe",
	"ct_nmi_enter", "ct_nmi_exit", "ct_irq_enter", "ct_irq_exit", "__ct_user_enter",
	"__ct_user_exit", "__rcu_read_lock", "__rcu_read_unlock", "rcu_is_watching",
	"rcu_read_unlock_special", "preempt_count_add", "preempt_count_sub",
	"trace_hardirqs_on", "trace_hardirqs_off", "lockdep_hardirqs_on",
	"lockdep_hardirqs_off", "lock_acquire", "lock_release", "lock_is_held_type",
	"debug_lockdep_rcu_enabled",
	/* the fault path */
	"do_page_fault", "do_ade", "do_be", "do_ri", "do_cpu", "do_tr", "do_ov",
	"fixup_exception", "search_exception_tables", "search_kernel_exception_table",
	"search_module_extables", "search_extable", "cmp_ex_search", "bsearch",
	"__module_address", "die", "show_regs", "__show_regs", "show_registers", "oops_enter",
	/* what the trap path calls */
	"copy_from_kernel_nofault", "copy_from_kernel_nofault_allowed",
	"copy_to_kernel_nofault", "memcpy", "memmove", "__rmemcpy", "memset", "__bzero",
	"__bzero_kernel", "memcmp", "__raw_copy_from_user", "__raw_copy_to_user",
	"__copy_user_common", "__stack_chk_fail", "irq_work_queue", "__irq_work_queue_local",
	"arch_irq_work_raise", "llist_add_batch", "arch_local_irq_disable",
	"arch_local_irq_restore", "arch_local_irq_save",
	/* what backtrace.c intercepts */
	"unwind_stack", "unwind_stack_by_address", "get_frame_info",
	/* data among the text: a word of it that changes is called */
	"sys_call_table", "sysn32_call_table", "sys32_call_table",
	/* Between a reading of the timer's count and another: who comes late ten times gives
	 * up, and no timer runs until the count comes round, 20 seconds or more. */
	"mips_next_event", "gic_next_event", "gic_read_count", "gic_read_count_2x32",
	"gic_read_count_64",
	/* where a task changes its stack */
	"resume", "smp_bootstrap", "kernel_entry",
};

#endif
