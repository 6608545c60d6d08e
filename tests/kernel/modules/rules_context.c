// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * rules_context.c - in which context handlers run, and what they leave as it
 * was: K-HIT-28, 33, 35, K-XI-30 to 32.
 *
 * Owns: functions that switch interrupts off and on.
 */
#include <linux/delay.h>
#include <linux/irqflags.h>
#include <linux/preempt.h>
#include <asm/nospec-branch.h>
#include <asm/asm.h>
#include <kprobes/control.h>
#include "rules.h"

static int pre_nr, post_nr, irqs_on, preemptible_nr;
static unsigned long seen_flags;

static int pre(struct kprobe *p, struct pt_regs *regs)
{
	pre_nr++;
	irqs_on += !irqs_disabled();
	preemptible_nr += !preempt_count();
	seen_flags = regs->flags;
	return 0;
}

static void post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	post_nr++;
	/* Called from the slot, no trap: only preemption is off (K-HIT-30). */
	preemptible_nr += !preempt_count();
}

/* long irq_dance(void): flags after cli and after sti, as bit 0 and bit 1. */
asm(".pushsection .text\n.globl irq_dance\n.type irq_dance, @function\n"
    "irq_dance:\n"
    "dance_cli: cli\n"
    "dance_pushf: pushf\n"
    "	pop %" _ASM_AX "\n"
    "dance_sti: sti\n"
    "	pushf\n"
    "dance_pop: pop %" _ASM_CX "\n"
    "dance_push: push %" _ASM_AX "\n"
    "dance_popf: popf\n"
    "	pushf\n"
    "	pop %" _ASM_DX "\n"
    "	sti\n"
    "	shr $9, %eax\n	and $1, %eax\n"
    "	shr $8, %ecx\n	and $2, %ecx\n"
    "	shr $7, %edx\n	and $4, %edx\n"
    "	or %ecx, %eax\n	or %edx, %eax\n"
    "	" ASM_RET
    ".size irq_dance, . - irq_dance\n"
    ".globl flag_dance\n.type flag_dance, @function\n"
    /* long flag_dance(long): flags with CF, ZF and SF set by hand */
    "flag_dance:\n"
    "	xor %eax, %eax\n"
    "	stc\n"
    "flag_nop: nop\n"
    "	pushf\n"
    "	pop %" _ASM_AX "\n"
    "	" ASM_RET
    ".size flag_dance, . - flag_dance\n"
    /* As irq_dance, with room for jumps. */
    ".globl long_dance\n.type long_dance, @function\n"
    "long_dance:\n"
    "long_cli: cli\n"
    "	{disp32} lea 0(%" _ASM_DX "), %" _ASM_DX "\n"
    "	pushf\n"
    "	pop %" _ASM_CX "\n"
    "long_sti: sti\n"
    "	{disp32} lea 0(%" _ASM_DX "), %" _ASM_DX "\n"
    "	pushf\n"
    "	pop %" _ASM_AX "\n"
    "	sti\n"
    "	shr $9, %ecx\n	and $1, %ecx\n"
    "	shr $8, %eax\n	and $2, %eax\n"
    "	or %ecx, %eax\n"
    "	" ASM_RET
    ".size long_dance, . - long_dance\n.popsection\n");
long irq_dance(void);
long long_dance(void);
long flag_dance(long a);
extern kprobe_opcode_t dance_cli[], dance_pushf[], dance_sti[], dance_pop[],
	dance_push[], dance_popf[], flag_nop[], long_cli[], long_sti[];

/* One instruction of irq_dance probed, with and without a post handler. */
static void dance(const char *what, kprobe_opcode_t *addr)
{
	struct kprobe p = { .addr = addr, .pre_handler = pre };
	int with_post;

	for (with_post = 0; with_post < 2; with_post++) {
		p.post_handler = with_post ? post : NULL;
		p.flags = 0;
		pre_nr = post_nr = 0;
		expect_eq("K-XI-30", what, register_kprobe(&p), 0);
		expect_eq("K-XI-30", "interrupts as without a probe",
			  irq_dance(), 2);
		expect("K-HIT-33", "interrupts are on afterwards",
		       !irqs_disabled());
		expect_eq("K-HIT-01", "one hit", pre_nr, 1);
		expect_eq("K-HIT-01", "its post handler", post_nr, with_post);
		unregister_kprobe(&p);
	}
}

/* Through a jump, where the core does the instruction because of the post handler. */
static void dance_by_jump(const char *what, kprobe_opcode_t *addr)
{
	struct kprobe p = { .addr = addr, .pre_handler = pre, .post_handler = post };
	u8 now = 0;

	pre_nr = post_nr = 0;
	expect_eq("K-XI-30", what, register_kprobe(&p), 0);
	kprobes_flush();
	copy_from_kernel_nofault(&now, addr, sizeof(now));
	expect("K-XI-30", "a jump", now != 0xcc);
	expect_eq("K-XI-30", "interrupts as without a probe", long_dance(), 2);
	expect_eq("K-HIT-01", "one hit", pre_nr, 1);
	expect_eq("K-HIT-01", "its post handler", post_nr, 1);
	unregister_kprobe(&p);
}

static void handler_context(void)
{
	struct kprobe p = { .addr = flag_nop, .pre_handler = pre,
			    .post_handler = post };
	unsigned long flags, bare = flag_dance(0), off;

	irqs_on = preemptible_nr = pre_nr = post_nr = 0;
	expect_eq("K-HIT-28", "register", register_kprobe(&p), 0);
	expect_eq("K-HIT-33", "flags as without a probe", flag_dance(0), bare);
	expect("K-HIT-07", "the handler sees interrupts on",
	       seen_flags & X86_EFLAGS_IF);
	local_irq_save(flags);
	off = flag_dance(0);
	expect("K-HIT-33", "interrupts stay off", irqs_disabled());
	local_irq_restore(flags);
	expect("K-HIT-33", "flags with interrupts off",
	       off == (bare & ~X86_EFLAGS_IF));
	expect("K-HIT-07", "the handler sees interrupts off",
	       !(seen_flags & X86_EFLAGS_IF));
	expect_eq("K-HIT-28", "interrupts off in handlers of a trap", irqs_on, 0);
	expect_eq("K-HIT-28", "preemption off in handlers", preemptible_nr, 0);
	expect_eq("K-HIT-28", "all hits", pre_nr + post_nr, 4);
	unregister_kprobe(&p);
}

/* Any instruction of the timer interrupt's path. */
static void interrupts(void)
{
	static const char *const names[] = { "scheduler_tick",
					     "update_process_times" };
	/* Behind the ftrace site, which may be behind a landing pad. */
	static const int behind[] = { 5, 9 };
	struct kprobe p = { .pre_handler = pre };
	int i, err = -ENOENT;

	for (i = 0; i < 2 * ARRAY_SIZE(names) && err; i++) {
		p.symbol_name = names[i / 2];
		p.addr = NULL;
		p.offset = IS_ENABLED(CONFIG_DYNAMIC_FTRACE) ? behind[i % 2] : 0;
		err = register_kprobe(&p);
	}
	expect_eq("K-HIT-35", "an interrupt handler is probed", err, 0);
	if (err)
		return;
	pre_nr = 0;
	/* A busy CPU has ticks, whatever its timers are; late, if it is virtual. */
	for (i = 0; i < 200 && !pre_nr; i++) {
		mdelay(30);
		msleep(20);
	}
	expect("K-HIT-35", "and hit", pre_nr > 0);
	unregister_kprobe(&p);
}

void context_rules(void)
{
	expect_eq("K-XI-30", "the bare dance", irq_dance(), 2);
	dance("cli", dance_cli);
	dance("pushf", dance_pushf);
	dance("sti", dance_sti);
	dance("pop", dance_pop);
	dance("push", dance_push);
	dance("popf", dance_popf);
	expect_eq("K-XI-30", "the bare long one", long_dance(), 2);
	dance_by_jump("cli by a jump", long_cli);
	dance_by_jump("sti by a jump", long_sti);
	handler_context();
	interrupts();
}
