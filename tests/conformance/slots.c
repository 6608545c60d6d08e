/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * slots.c - K-XI-40 to 66: the copy that is executed out of line, where it
 * lies and what can be seen of it.
 */
#include "harness.h"

#ifndef T_ALL_WRITABLE
#define T_ALL_WRITABLE 0		/* text, too */
#endif

static const unsigned int add_offsets[] = { T_ADD_PUSH, T_ADD_MOV, T_ADD_LEA,
					    T_ADD_POP, T_ADD_RET };

static long distance(const void *a, const void *b)
{
	long d = (long)a - (long)b;

	return d < 0 ? -d : d;
}

static void the_copy(void)
{
	struct kprobe p = { .symbol_name = "t_add", .offset = T_ADD_LEA };
	struct kprobe q = p;
	int i, differs = 0;

	t_breakpoints_only(1);
	t_register(&p);
	t_register(&q);
	EXPECT("K-XI-40", "a copied instruction has a slot", p.ainsn.insn);
	if (!p.ainsn.insn)
		return;
	differs += t_text(p.ainsn.insn) != T_ADD_THIRD;
	for (i = T_OPCODE_LEN; i < 4; i++)
		differs += t_text(p.ainsn.insn + i) != t_text(p.addr + i);
	t_breakpoints_only(0);
	EXPECT_EQ("K-XI-40", "which begins with the original's bytes", differs,
		  0);
	EXPECT("K-XI-42", "within 2 GiB of the probed code",
	       distance(p.ainsn.insn, p.addr) < 0x7fff0000l);
	EXPECT("K-REG-55", "a second probe there uses the same copy",
	       q.ainsn.insn == p.ainsn.insn);
	unregister_kprobe(&q);
	EXPECT_EQ("K-REG-55", "and may leave it", t_add(1, 2), 3);
	unregister_kprobe(&p);
}

/* K-XI-44: ip is the original's, whatever was executed where. */
static int ip_wrong, ip_seen;

static void post_checks(struct kprobe *p, struct pt_regs *regs,
			unsigned long flags)
{
	unsigned long off = instruction_pointer(regs) - T_CODE(t_add);

	(void)p;
	(void)flags;
	ip_seen++;
	ip_wrong += off != T_ADD_MOV && off != T_ADD_LEA && off != T_ADD_POP &&
		    off != T_ADD_RET;
}

static void ip_is_translated(void)
{
	static struct kprobe kps[4];
	int i;

	ip_wrong = ip_seen = 0;
	for (i = 0; i < 4; i++) {
		kps[i] = (struct kprobe){ .symbol_name = "t_add",
					  .offset = add_offsets[i],
					  .post_handler = post_checks };
		t_register(&kps[i]);
	}
	EXPECT_EQ("K-XI-44", "every instruction stepped", t_add(5, 6), 11);
	EXPECT_EQ("K-XI-44", "four steps", ip_seen, 4);
	EXPECT_EQ("K-XI-44", "each with the original's ip", ip_wrong, 0);
	for (i = 0; i < 4; i++)
		unregister_kprobe(&kps[i]);
}

/* K-XI-49: a slot that a CPU may still be in is given to nobody else. */
static void slots_are_not_recycled(void)
{
	static struct kprobe others[5];
	struct kprobe p = { .symbol_name = "t_after" };
	kprobe_opcode_t *slot;
	int i, round, taken = 0;

	t_register(&p);
	slot = p.ainsn.insn;
	unregister_kprobe(&p);
	for (round = 0; round < 20; round++) {
		for (i = 0; i < 5; i++) {
			others[i] = (struct kprobe){
				.addr = T_AT(t_add, add_offsets[i]),
			};
			t_register(&others[i]);
			taken += others[i].ainsn.insn == slot;
		}
		for (i = 0; i < 5; i++)
			unregister_kprobe(&others[i]);
	}
	EXPECT("K-XI-49", "100 registrations later nobody else has the slot",
	       slot && !taken);
	EXPECT("K-XI-49", "whose bytes are as they were",
	       t_text(slot) == t_text(t_after));
}

/* K-XI-50: a handler tries to write to an executable slot. */
static kprobe_opcode_t *target;
static int written;

static int pre_writes(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	t_poke((long *)(void *)target);
	written++;
	return 0;
}

static int fault_leaves(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	(void)p;
	(void)trapnr;
	t_counts.fault++;
	written--;
	instruction_pointer_set(regs, (unsigned long)T_AT(t_poke, T_POKE_RET));
	return 1;
}

static void slots_are_not_writable(void)
{
	struct kprobe victim = { .symbol_name = "t_after" };
	struct kprobe p = { .symbol_name = "t_add", .pre_handler = pre_writes,
			    .fault_handler = fault_leaves };

	if (T_READ_ONLY_HANGS) {
		SKIP("K-XI-50", "who writes there faults for ever: this kernel takes it for a page table that came late");
		return;
	}
	if (T_ALL_WRITABLE) {
		SKIP("K-XI-50", "this kernel's memory may all be written");
		return;
	}
	t_register(&victim);
	target = victim.ainsn.insn;
	written = 0;
	t_reset();
	t_register(&p);
	EXPECT_EQ("K-XI-50", "a write to a slot", t_add(1, 2), 3);
	EXPECT("K-XI-50", "faults", t_counts.fault == 1 && !written);
	EXPECT_EQ("K-XI-50", "the slot still works", t_after(), 2);
	unregister_kprobe(&p);
	unregister_kprobe(&victim);
}

/* ---- boosting --------------------------------------------------------------------- */

static unsigned long cheapest(int rounds, long (*call)(long, long))
{
	unsigned long best = ~0ul;
	int i, calls;

	for (i = 0; i < rounds; i++) {
		unsigned long start = t_clock(), took;

		for (calls = 0; calls < 20; calls++)
			call(calls, 1);
		took = t_clock() - start;
		if (took < best)
			best = took;
	}
	return best;
}

static void quick_post(struct kprobe *p, struct pt_regs *regs,
		       unsigned long flags)
{
	(void)p;
	(void)regs;
	(void)flags;
}

static long jump(long a, long b)
{
	(void)b;
	return t_jump(a);
}

/*
 * What a hit costs whose instruction is emulated: one trap.  A second one
 * costs about as much again.
 */
static unsigned long one_trap(void)
{
	struct kprobe p = { .symbol_name = "t_jump", .offset = T_JUMP_JZ,
			    .pre_handler = t_pre };
	unsigned long cost;

	t_register(&p);
	cost = cheapest(200, jump);
	unregister_kprobe(&p);
	return cost;
}

static int one_of(unsigned long cost, unsigned long trap)
{
	return cost * 4 < trap * 7;
}

static long add(long a, long b)
{
	return t_add(a, b);
}

static void without_a_second_trap(void)
{
	struct kprobe p = { .symbol_name = "t_add", .offset = T_ADD_LEA };
	struct kprobe q = { .symbol_name = "t_add", .offset = T_ADD_LEA,
			    .post_handler = quick_post };
	unsigned long trap, one, two, again;
	int tries = 10;

	t_breakpoints_only(1);
	/* A busy machine may spoil a comparison, not ten. */
	do {
		trap = one_trap();
		t_register(&p);
		one = cheapest(200, add);
		q.flags = 0;
		q.addr = NULL;
		t_register(&q);
		two = cheapest(200, add);
		unregister_kprobe(&q);
		again = cheapest(200, add);
		unregister_kprobe(&p);
		p.flags = 0;
		p.addr = NULL;
	} while (--tries && !(one_of(one, trap) && one_of(again, trap) &&
			      (T_POST_TRAPS || one_of(two, trap))));
	t_breakpoints_only(0);
	EXPECT("K-XI-60", "a hit without post handlers has no second trap",
	       one_of(one, trap));
	if (!T_POST_TRAPS)
		EXPECT("K-XI-60", "nor has one with them", one_of(two, trap));
	EXPECT("K-XI-60", "nor after one with post handlers left",
	       one_of(again, trap));
	t_print("# 20 hits took %lu, with post %lu, emulated %lu", one, two,
		trap);
}

/* K-XI-34: what is emulated is complete in the first trap. */
static void emulated_in_one_trap(void)
{
	struct kprobe p = { .symbol_name = "t_jump", .offset = T_JUMP_JZ,
			    .pre_handler = t_pre, .post_handler = quick_post };
	unsigned long emulated, trap;
	int tries = 10;

	t_breakpoints_only(1);
	do {
		trap = one_trap();
		t_register(&p);
		emulated = cheapest(200, jump);
		unregister_kprobe(&p);
		p.flags = 0;
		p.addr = NULL;
	} while (--tries && !one_of(emulated, trap));
	EXPECT("K-XI-34", "post handlers of an emulated jump need no second trap",
	       one_of(emulated, trap));
	t_breakpoints_only(0);
}

static void longest_instruction(void)
{
	struct kprobe p = { .symbol_name = "t_long", .pre_handler = t_pre };
	struct kprobe q = { .symbol_name = "t_long", .post_handler = t_post };

	EXPECT_EQ("K-REG-40", "lifted: 15 bytes have room in a slot",
		  t_register(&p), 0);
	t_reset();
	EXPECT_EQ("K-REG-40", "and are executed", t_long(), 15);
	t_register(&q);
	EXPECT_EQ("K-REG-40", "and stepped", t_long(), 15);
	EXPECT("K-REG-40", "and hit", t_counts.pre == 2 && t_counts.post == 1 &&
	       T_IP(t_counts.post_regs) == (unsigned long)T_AT(t_long, T_LONG_LEN));
	unregister_kprobe(&q);
	unregister_kprobe(&p);
}

void t_slots(void)
{
	the_copy();
	ip_is_translated();
	slots_are_not_recycled();
	slots_are_not_writable();
	without_a_second_trap();
	emulated_in_one_trap();
	longest_instruction();
}
