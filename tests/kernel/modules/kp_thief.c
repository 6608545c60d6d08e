// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * kp_thief.c - makes a way of the engine fail, as a strange kernel or machine would.
 *
 * Owns: what is done to kprobes.ko before its init function runs, so that its
 * self-test finds something.
 *
 *   swallow=1       its breakpoints never reach it: somebody else takes them; x86 alone,
 *                   since on arm64 each has a number, and who has it takes it, and on
 *                   riscv64, MIPS and arm nobody is asked before us
 *   spoil=FUNCTION  the self-test's function returns 2 more instead of 1
 */
#include <linux/kdebug.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/ptrace.h>
#include <linux/vmalloc.h>
#include <asm/cacheflush.h>

static bool swallow;
module_param(swallow, bool, 0400);
static char *spoil;
module_param(spoil, charp, 0400);

/* kprobes.ko, from its coming on. */
static struct module *prey;

#ifdef CONFIG_X86
#ifdef CONFIG_X86_32
/* lea 1(%eax),%ecx; lea 2(%eax),%ecx */
static const u8 adds_one[] = { 0x8d, 0x48, 0x01 };
static const u8 adds_two[] = { 0x8d, 0x48, 0x02 };
#else
/* lea 1(%rdi),%rax; lea 2(%rdi),%rax */
static const u8 adds_one[] = { 0x48, 0x8d, 0x47, 0x01 };
static const u8 adds_two[] = { 0x48, 0x8d, 0x47, 0x02 };
#endif
/* Of the probed instruction, behind the breakpoint: it is left out. */
#define INSN_REST (sizeof(adds_one) - 1)

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
#elif defined(CONFIG_MIPS)
/* addiu v1, a0, 1; addiu v1, a0, 2: as words */
static const u32 adds_one[] = { 0x24830001 };
static const u32 adds_two[] = { 0x24830002 };
#elif defined(CONFIG_RISCV)
/* addi a1, a0, 1; addi a1, a0, 2 */
static const u8 adds_one[] = { 0x93, 0x05, 0x15, 0x00 };
static const u8 adds_two[] = { 0x93, 0x05, 0x25, 0x00 };
#elif defined(CONFIG_ARM)
/* add r1, r0, #1; add r1, r0, #2 */
static const u8 adds_one[] = { 0x01, 0x10, 0x80, 0xe2 };
static const u8 adds_two[] = { 0x02, 0x10, 0x80, 0xe2 };
#else
/* add x1, x0, #1; add x1, x0, #2 */
static const u8 adds_one[] = { 0x01, 0x04, 0x00, 0x91 };
static const u8 adds_two[] = { 0x01, 0x08, 0x00, 0x91 };
#endif

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

/* Nobody has executed it. */
static void written(unsigned long at)
{
#ifdef CONFIG_ARM64
	asm volatile("dc cvau, %0; dsb ish; ic ivau, %0; dsb ish; isb" :: "r" (at) : "memory");
#elif defined(CONFIG_ARM)
	flush_icache_range(at, at + sizeof(adds_two));
#elif defined(CONFIG_RISCV)
	flush_icache_all();
#elif defined(CONFIG_MIPS)
	flush_icache_range(at, at + sizeof(adds_two));
#endif
}

#ifdef CONFIG_MIPS
static void write_text(unsigned long at, const void *bytes, size_t len)
{
	memcpy((void *)at, bytes, len);
	written(at);
}
#else
/* Text is read-only: through a second mapping. */
static void write_text(unsigned long at, const void *bytes, size_t len)
{
	struct page *page = vmalloc_to_page((void *)at);
	u8 *alias = vmap(&page, 1, VM_MAP, PAGE_KERNEL);

	if (!alias)
		return;
	memcpy(alias + offset_in_page(at), bytes, len);
	written(at);
	vunmap(alias);
}
#endif

static void spoil_function(struct module *mod)
{
	unsigned long at = symbol_of(mod, spoil), end = at + 16;

	for (; at && at < end; at++)
		if (!memcmp((void *)at, adds_one, sizeof(adds_one))) {
			write_text(at, adds_two, sizeof(adds_two));
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
	int err = register_module_notifier(&notifier);

#ifdef CONFIG_X86
	if (!err)
		err = register_die_notifier(&traps);
	if (err)
		unregister_module_notifier(&notifier);
#endif
	return err;
}

static void __exit thief_exit(void)
{
#ifdef CONFIG_X86
	unregister_die_notifier(&traps);
#endif
	unregister_module_notifier(&notifier);
}

module_init(thief_init);
module_exit(thief_exit);
MODULE_DESCRIPTION("Kprobes tests: a way that does not work");
MODULE_LICENSE("Dual BSD/GPL");
