// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * kp_thief.c - makes a way of the engine fail, as a strange kernel or machine would.
 *
 * Owns: what is done to kprobes.ko before its init function runs, so that its
 * self-test finds something.
 *
 *   swallow=1       its breakpoints never reach it: somebody else takes them
 *   spoil=FUNCTION  the self-test's function returns 2 more instead of 1
 */
#include <linux/kdebug.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/ptrace.h>
#include <linux/vmalloc.h>

static bool swallow;
module_param(swallow, bool, 0400);
static char *spoil;
module_param(spoil, charp, 0400);

/* Of the probed instruction, behind the breakpoint: it is left out. */
#define INSN_REST 3

/* kprobes.ko, from its coming on. */
static struct module *prey;

static int on_die(struct notifier_block *nb, unsigned long event, void *data)
{
	struct die_args *args = data;

	if (!swallow || event != DIE_INT3 || user_mode(args->regs) || !prey ||
	    !within_module(args->regs->ip, prey))
		return NOTIFY_DONE;
	args->regs->ip += INSN_REST;
	return NOTIFY_STOP;
}

/* As early as the engine is, and registered before it. */
static struct notifier_block traps = {
	.notifier_call = on_die,
	.priority = INT_MAX,
};

static unsigned long symbol_of(struct module *mod, const char *name)
{
	struct mod_kallsyms *syms;
	unsigned int i;

	rcu_read_lock_sched();
	syms = rcu_dereference_sched(mod->kallsyms);
	rcu_read_unlock_sched();
	/* Its loader waits for us. */
	for (i = 1; i < syms->num_symtab; i++)
		if (!strcmp(syms->strtab + syms->symtab[i].st_name, name))
			return syms->symtab[i].st_value;
	return 0;
}

/* Text is read-only: through a second mapping. */
static void write_byte(unsigned long at, u8 byte)
{
	struct page *page = vmalloc_to_page((void *)at);
	u8 *alias = vmap(&page, 1, VM_MAP, PAGE_KERNEL);

	if (!alias)
		return;
	alias[offset_in_page(at)] = byte;
	vunmap(alias);
}

/* lea 1(%rdi),%rax */
static const u8 adds_one[] = { 0x48, 0x8d, 0x47, 0x01 };

static void spoil_function(struct module *mod)
{
	unsigned long at = symbol_of(mod, spoil), end = at + 16;

	for (; at && at < end; at++)
		if (!memcmp((void *)at, adds_one, sizeof(adds_one))) {
			write_byte(at + 3, 2);
			pr_info("kp_thief: %s is spoilt\n", spoil);
			return;
		}
}

static int on_module(struct notifier_block *nb, unsigned long state, void *data)
{
	struct module *mod = data;

	if (strcmp(mod->name, "kprobes"))
		return NOTIFY_DONE;
	prey = state == MODULE_STATE_GOING ? NULL : mod;
	if (state == MODULE_STATE_COMING && spoil)
		spoil_function(mod);
	return NOTIFY_DONE;
}

static struct notifier_block notifier = { .notifier_call = on_module };

static int __init thief_init(void)
{
	int err = register_die_notifier(&traps);

	if (err)
		return err;
	err = register_module_notifier(&notifier);
	if (err)
		unregister_die_notifier(&traps);
	return err;
}

static void __exit thief_exit(void)
{
	unregister_module_notifier(&notifier);
	unregister_die_notifier(&traps);
}

module_init(thief_init);
module_exit(thief_exit);
MODULE_DESCRIPTION("Kprobes tests: a way that does not work");
MODULE_LICENSE("Dual BSD/GPL");
