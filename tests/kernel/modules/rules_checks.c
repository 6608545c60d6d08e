// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * rules_checks.c - checks of indirect calls (kCFI): K-REG-27, K-REG-29, K-OPT-14.
 *
 * Owns: a function with a check, as clang writes one, that finds what it expects.  The
 * kernel reads it when it fails, so neither a breakpoint nor a jump may be in it.
 */
#include <linux/module.h>
#include <asm/nospec-branch.h>
#include <kprobes/control.h>
#include "rules.h"

#ifdef CONFIG_ARCH_USES_CFI_TRAPS

#define CHECK_LEN 14

/* The table of traps says where the check ends. */
asm(".pushsection .rodata\n"
    ".balign 4\n"
    "checked_hash: .long -0x12345678\n"
    ".popsection\n"
    ".pushsection .text\n"
    ".globl checked\n.type checked, @function\n"
    "checked:\n"
    "	lea checked_hash+4(%rip), %r11\n"
    ".globl checked_before\n"
    "checked_before:\n"
    "	mov %rdi, %rax\n"
    ".globl checked_mov\n"
    "checked_mov:\n"
    "	mov $0x12345678, %r10d\n"
    "	add -4(%r11), %r10d\n"
    "	je 1f\n"
    "2:	ud2\n"
    ".pushsection .kcfi_traps, \"ao\", @progbits, .text\n"
    "	.long 2b - .\n"
    ".popsection\n"
    "1:	add $1, %rax\n"
    "	" ASM_RET
    ".size checked, . - checked\n"
    ".popsection\n");
long checked(long a);
extern u8 checked_before[], checked_mov[];

/* mov, add, je, ud2 */
static const int insns[] = { 0, 6, 10, 12 };

static int pre_nr;

static int pre(struct kprobe *p, struct pt_regs *regs)
{
	pre_nr++;
	return 0;
}

/* Refused; for_it: because of the check. */
static bool is_refused(unsigned long addr, bool *for_it)
{
	struct kprobe p = { .addr = (void *)addr };
	int err = register_kprobe(&p);

	if (!err)
		unregister_kprobe(&p);
	*for_it = p.reason && strstr(p.reason, "check of an indirect call");
	return err == -EINVAL;
}

static void refused(void)
{
	int i, bad = 0;
	bool for_it;

	for (i = 0; i < ARRAY_SIZE(insns); i++)
		if (!is_refused((unsigned long)checked_mov + insns[i], &for_it) ||
		    !for_it)
			bad++;
	expect_eq("K-REG-27", "a check of an indirect call is refused", bad, 0);
	expect_eq("K-REG-27", "what stands before it is not",
		  try_at((unsigned long)checked_before), 0);
	expect_eq("K-REG-27", "nor what follows it",
		  try_at((unsigned long)checked_mov + CHECK_LEN), 0);
}

/* Those of the kernel itself, some of which lie where all is refused. */
static void refused_in_core(void)
{
	const s32 *trap = (const s32 *)where_is("__start___kcfi_traps");
	unsigned long end = where_is("_etext");
	int nr, i, bad = 0, said = 0;
	bool for_it;

	for (nr = 0; trap && nr < 400; nr++, trap++) {
		unsigned long at = (unsigned long)trap + *trap - 12;

		if (at >= end)
			break;
		for (i = 0; i < ARRAY_SIZE(insns); i++) {
			if (!is_refused(at + insns[i], &for_it)) {
				pr_info("# %pS\n", (void *)at + insns[i]);
				bad++;
			}
			said += for_it;
		}
	}
	expect_eq("K-REG-27", "the kernel's own checks are refused", bad, 0);
	expect("K-REG-27", "most with that reason",
	       nr > 0 && said > nr * (int)ARRAY_SIZE(insns) / 2);
	pr_info("KP-TEST # %d checks, %d refusals for them\n", nr, said);
}

static void beside(void)
{
	struct kprobe p = { .addr = (void *)checked_before, .pre_handler = pre };
	u8 was[CHECK_LEN], now[CHECK_LEN];

	copy_from_kernel_nofault(was, checked_mov, CHECK_LEN);
	pre_nr = 0;
	expect_eq("K-OPT-14", "a probe before a check of an indirect call",
		  register_kprobe(&p), 0);
	kprobes_flush();
	copy_from_kernel_nofault(now, checked_mov, CHECK_LEN);
	expect("K-OPT-14", "no jump reaches into the check",
	       !memcmp(was, now, CHECK_LEN));
	expect_eq("K-OPT-14", "the checked function", checked(4), 5);
	expect_eq("K-OPT-14", "its hits", pre_nr, 1);
	unregister_kprobe(&p);
	kprobes_flush();
}

/* What stands before a function, with its hash: nothing of it is code of another's. */
static void preambles(void)
{
	unsigned long fn = where_is("vfs_read");
	int i, bad = 0;

	fn -= landing_pad((void *)fn - 4);	/* a probe lies behind it */
	for (i = 1; i <= CONFIG_FUNCTION_PADDING_BYTES + 5; i++) {
		if (try_at(fn - i))
			continue;
		pr_info("# %pS\n", (void *)fn - i);
		bad++;
	}
	expect_eq("K-REG-29", "what stands before a function is refused", bad, 0);
}

void check_rules(void)
{
	expect_eq("K-REG-27", "the checked function", checked(1), 2);
	refused();
	refused_in_core();
	beside();
	preambles();
	expect_eq("K-REG-27", "the checked function afterwards", checked(2), 3);
}

#else

void check_rules(void)
{
	skip("K-REG-27", "checks of indirect calls");
}

#endif
