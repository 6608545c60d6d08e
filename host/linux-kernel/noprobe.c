// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * noprobe.c - the blacklist of a kernel.
 *
 * Owns: the initial blacklist and each module's part of it.  It contains everything that runs
 * between a breakpoint and our handler or back: a trap there would come before the engine could
 * notice the recursion.
 *
 * - Whole areas: code that must not be instrumented, entry code, what the
 *   kernel marked for Kprobes, and the return and indirect-branch thunks that
 *   every compiled function runs through, ours included.
 * - Functions by name, if they exist: the way from the breakpoint's entry to
 *   us (a kernel without Kprobes has lost its own marks), the fault path that
 *   fault.c intercepts, the helpers that the trap path calls, and where a task changes
 *   its stack.  Both lists are the machine's: ARCH/noprobe_lists.h.
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
#include "noprobe_lists.h"

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
