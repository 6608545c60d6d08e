/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * intact.c - what a hit leaves as it was, whatever its handlers do: K-HIT-33,
 * K-HIT-34.
 *
 * Owns: all general registers, all flags with DF among them, the stack above
 * and, in a process, the red zone and errno; on breakpoints and through jumps
 * over instructions of 7, 3, 1 and 2 bytes, with and without a post handler.
 * Vector registers, which kernel code does not use: tests/live/wide.c.
 */
#include "harness.h"
#include <kprobes/control.h>

/* intact.S knows the offsets. */
struct t_state {
	unsigned long gpr[T_INTACT_GPRS], flags;
	unsigned long red[T_INTACT_RED], above[4];
};

void t_intact(const struct t_state *in, struct t_state *out);
extern char t_intact_7[], t_intact_3[], t_intact_1[], t_intact_jmp[];
unsigned long t_intact_sp, t_intact_rdi;
struct t_state *t_intact_out;

#define SP 4
#define ROUNDS 256

static struct t_state in, out;
static uint64_t source = 88172645463325252ull;

static unsigned long any(void)
{
	source ^= source << 13;
	source ^= source >> 7;
	source ^= source << 17;
	return (unsigned long)source;
}

static void fill(void)
{
	static const unsigned long bits[] = { 0x1, 0x4, 0x10, 0x40, 0x80, 0x400,
					      0x800 };
	unsigned long *word = (unsigned long *)&in, i;

	for (i = 0; i < sizeof(in) / sizeof(*word); i++)
		word[i] = any();
	in.flags = 0x202;
	for (i = 0; i < 7; i++)
		if (any() >> 20 & 1)
			in.flags |= bits[i];
}

/* What a handler may use, it uses. */
static void scribble(void)
{
	volatile unsigned char stack[600];
	unsigned int i;

	for (i = 0; i < sizeof(stack); i++)
		stack[i] = 0xa5;
	t_scribble();
#ifndef __KERNEL__
	errno = 99;
#endif
}

static int pre_scribbles(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	scribble();
	t_counts.pre++;
	return 0;
}

static void post_scribbles(struct kprobe *p, struct pt_regs *regs,
			   unsigned long flags)
{
	(void)p;
	(void)regs;
	(void)flags;
	scribble();
	t_counts.post++;
}

/* Runs in which something came out differently. */
static int differing(void)
{
	int round, bad = 0;

	for (round = 0; round < ROUNDS; round++) {
		fill();
		memset(&out, 0, sizeof(out));
		if (T_IN_KERNEL)
			memset(in.red, 0, sizeof(in.red));
#ifndef __KERNEL__
		errno = round;
#endif
		t_intact(&in, &out);
#ifndef __KERNEL__
		bad += errno != round;
#endif
		in.gpr[SP] = t_intact_sp;
		bad += memcmp(&in, &out, sizeof(in)) != 0;
	}
	return bad;
}

static void at(void *addr, const char *what, bool post, bool jump)
{
	struct kprobe p = { .addr = addr, .pre_handler = pre_scribbles,
			    .post_handler = post ? post_scribbles : NULL };
	char text[100];

	snprintf(text, sizeof(text), "%s, %s%s", what,
		 jump ? "through a jump" : "on the breakpoint",
		 post ? ", with a post handler" : "");
	kprobes_set_optimization(jump);
	t_reset();
	EXPECT_EQ("K-HIT-34", text, t_register(&p), 0);
	EXPECT("K-HIT-34", "it is one or the other",
	       (t_raw(addr) != T_BP) == jump);
	EXPECT_EQ("K-HIT-33 K-HIT-34", "registers, flags, stacks are intact",
		  differing(), 0);
	EXPECT("K-HIT-34", "each time its handlers ran",
	       t_counts.pre == ROUNDS && t_counts.post == post * ROUNDS);
	unregister_kprobe(&p);
	t_breakpoints_only(0);
}

void t_intactness(void)
{
	static const struct { void *addr; const char *what; } places[] = {
		{ t_intact_7, "an instruction of 7 bytes" },
		{ t_intact_3, "of 3 bytes" },
		{ t_intact_1, "of one byte" },
		{ t_intact_jmp, "a jump of 2 bytes" },
	};
	unsigned int i, way;

	EXPECT_EQ("K-HIT-34", "without a probe", differing(), 0);
	for (i = 0; i < 4; i++)
		for (way = 0; way < 4; way++)
			at(places[i].addr, places[i].what, way & 1, way & 2);
}
