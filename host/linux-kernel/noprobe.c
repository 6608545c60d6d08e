// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * noprobe.c - what must not be probed in a kernel.
 *
 * Owns: the initial blacklist and each module's part of it.  On the list is
 * what runs between a breakpoint and our handler or back: a trap there would
 * come before the engine could notice the recursion.
 *
 * - Whole areas: code that must not be instrumented, entry code, what the
 *   kernel marked for Kprobes, and the return and indirect-branch thunks that
 *   every compiled function runs through, ours included.
 * - Functions by name, those that exist: the way from the int3 entry to the
 *   die notifiers (a kernel without Kprobes has lost its own marks), the fault
 *   path that fault.c hooks, the helpers that the trap path calls, and
 *   __switch_to, where a task changes its stack.
 * - Modules: NOKPROBE_SYMBOL and __kprobes of consumers, found by symbol name
 *   (include/kprobes/host.h); what the kernel's own Kprobes honours; code that
 *   must not be instrumented.
 *
 * Locks: the core's.
 */
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/sched.h>
#include "local.h"

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
	"do_kern_addr_fault", "spurious_kernel_fault",
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
	/* what traces.c hooks */
	"unwind_next_frame", "unwind_get_return_address", "sprint_backtrace",
	"sprint_backtrace_build_id",
	/* what functions call, jump and return through */
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

/* Start and module notifier: one at a time. */
static char name[KP_SYMBOL_MAX], owner[KP_SYMBOL_MAX];
static DEFINE_MUTEX(name_lock);
static bool stopped;			/* name_lock */

/* One symbol; returns the address after it. */
static uintptr_t add_symbol(uintptr_t addr)
{
	unsigned long size, offset;

	if (!kp_kernel_lookup_size_offset(addr, &size, &offset))
		return addr + 1;
	size = size ? size : 1;
	if (kp_host_describe(addr, name, sizeof(name), owner, sizeof(owner)))
		name[0] = 0;
	kp_core_blacklist_add(addr - offset, size, name);
	return addr - offset + size;
}

static void add_area(uintptr_t start, uintptr_t end)
{
	while (start < end)
		start = add_symbol(start);
}

int kp_noprobe_start(void)
{
	size_t i;

	mutex_lock(&name_lock);
	for (i = 0; i < ARRAY_SIZE(areas); i++)
		add_area(kp_symbols_find(areas[i][0]),
			 kp_symbols_find(areas[i][1]));
	for (i = 0; i < ARRAY_SIZE(functions); i++) {
		uintptr_t addr = kp_symbols_find(functions[i]);

		if (addr && kp_text_is_core(addr))
			add_symbol(addr);
	}
	mutex_unlock(&name_lock);
	return 0;
}

/* ---- modules ------------------------------------------------------------- */

#define MARK "kp_nokprobe_"

/* Marks are in every object of the module: starts and ends alternate. */
static void add_marked(struct module *mod)
{
#ifdef CONFIG_KALLSYMS
	struct mod_kallsyms *syms;
	uintptr_t start = 0;
	unsigned int i;

	rcu_read_lock_sched();
	syms = rcu_dereference_sched(mod->kallsyms);
	rcu_read_unlock_sched();
	/* Stable while the module is being loaded; its loader waits for us. */
	for (i = 1; syms && i < syms->num_symtab; i++) {
		const char *symbol = syms->strtab + syms->symtab[i].st_name;
		uintptr_t value = syms->symtab[i].st_value;

		if (!strcmp(symbol, "kp_nokprobes_start")) {
			start = value;
		} else if (!strcmp(symbol, "kp_nokprobes_end")) {
			if (start)
				add_area(start, value);
			start = 0;
		} else if (!strncmp(symbol, MARK, strlen(MARK)) &&
			   kp_host_is_code(*(uintptr_t *)value)) {
			add_symbol(*(uintptr_t *)value);
		}
	}
#endif
}

static void add_module(struct module *mod)
{
	add_marked(mod);
	add_area((uintptr_t)mod->noinstr_text_start,
		 (uintptr_t)mod->noinstr_text_start + mod->noinstr_text_size);
#ifdef CONFIG_KPROBES
	{
		unsigned int i;

		for (i = 0; i < mod->num_kprobe_blacklist; i++)
			add_symbol(mod->kprobe_blacklist[i]);
		add_area((uintptr_t)mod->kprobes_text_start,
			 (uintptr_t)mod->kprobes_text_start +
			 mod->kprobes_text_size);
	}
#endif
}

void kp_noprobe_module(struct module *mod)
{
	mutex_lock(&name_lock);
	if (!stopped)
		add_module(mod);
	mutex_unlock(&name_lock);
}

void kp_noprobe_stop(void)
{
	mutex_lock(&name_lock);
	stopped = true;
	mutex_unlock(&name_lock);
}
