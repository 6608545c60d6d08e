// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * rules_covered.c - what a jump must not cover on riscv64: K-OPT-08, 14.
 *
 * Owns: functions with an instruction of 2 bytes, of which a jump would cover the next one,
 * too; that is the kernel's to patch, or known to the kernel by its address.  Whatever the
 * engine does with the probe, those bytes stay, the function works, each call is one hit,
 * and the probe says why there is no jump.
 */
#include <linux/jump_label.h>
#include <linux/module.h>
#include <asm/asm-extable.h>
#include <kprobes/control.h>
#include "rules.h"

DEFINE_STATIC_KEY_FALSE(covered_key);

asm(".pushsection .text\n"
    "	nop\n"				/* an assembler's mark stands here */
    /* a + 2, or a + 1 when the key is on */
    ".balign 4\n"
    ".globl covered_label\n.type covered_label, %function\n"
    "covered_label:\n"
    "	c.nop\n"
    "	c.addi a0, 1\n"
    ".option push\n.option norvc\n"
    "1:	nop\n"
    ".option pop\n"
    "	c.addi a0, 1\n"
    "2:	c.jr ra\n"
    ".size covered_label, . - covered_label\n"
    ".pushsection __jump_table, \"aw\"\n"
    "	.balign 8\n"
    "	.long 1b - ., 2b - .\n"
    "	.dword covered_key - .\n"
    ".popsection\n"
    /* *(long *)(a + 0x80), or 0 where there is none */
    ".balign 4\n"
    ".globl covered_fixup\n.type covered_fixup, %function\n"
    "covered_fixup:\n"
    "	c.mv a1, a0\n"
    "	c.li a0, 0\n"
    ".option push\n.option norvc\n"
    "3:	ld a0, 0x80(a1)\n"
    ".option pop\n"
    "4:	c.jr ra\n"
    ".size covered_fixup, . - covered_fixup\n"
    _ASM_EXTABLE(3b, 4b)
    ".popsection\n");
long covered_label(long a);
long covered_fixup(long a);
/* No labels: each would be a symbol, where a function ends. */
#define PROBED 2
#define COVERED 4

static int pre_nr;

static int pre(struct kprobe *p, struct pt_regs *regs)
{
	pre_nr++;
	return 0;
}

static struct kprobe probe;
static u32 behind;

/* A probe as fast as it gets; there is no jump, and why. */
static void begin(const char *rule, const void *fn, const char *why)
{
	u16 now = 0;

	probe = (struct kprobe){ .addr = (void *)(fn + PROBED), .pre_handler = pre };
	pre_nr = 0;
	memcpy(&behind, fn + COVERED, sizeof(behind));
	expect_eq(rule, "a probe before it", register_kprobe(&probe), 0);
	kprobes_flush();
	copy_from_kernel_nofault(&now, probe.addr, sizeof(now));
	expect_eq(rule, "there is no jump", now, 0x9002);
	expect(rule, why, probe.reason && strstr(probe.reason, why));
}

static void end(const char *rule, const void *fn, int calls)
{
	expect_eq(rule, "each call is a hit", pre_nr, calls);
	expect(rule, "what is not ours is as it was",
	       !memcmp(&behind, fn + COVERED, sizeof(behind)));
	unregister_kprobe(&probe);
	kprobes_flush();
}

void covered_rules(void)
{
	long data[17] = { [16] = 77 };
	int i, wrong = 0;

	begin("K-OPT-14", covered_label, "must not be changed");
	for (i = 0; i < 10; i++) {
		static_branch_enable(&covered_key);
		wrong += covered_label(i) != i + 1;
		static_branch_disable(&covered_key);
		wrong += covered_label(i) != i + 2;
	}
	expect_eq("K-OPT-14", "a label is switched beside a probe", wrong, 0);
	end("K-OPT-14", covered_label, 20);
	begin("K-OPT-08", covered_fixup, "must stay where it is");
	expect_eq("K-OPT-08", "it reads", covered_fixup((long)data), 77);
	expect_eq("K-OPT-08", "its fixup works", covered_fixup(-0x1000), 0);
	end("K-OPT-08", covered_fixup, 2);
}
