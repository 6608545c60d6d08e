/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * sequences.c - instructions as they follow one another in real code, natively
 * and in a chain.
 *
 * Owns: the comparison step by step.  Both runs are traced.  After each step in
 * the chain, taking it for the original code has to give the state that the
 * native run had at this point or has at the next.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "variants.h"
#include "jump.h"

#define STEPS_MAX 48
#define INSNS_MAX (1 + KP_ARCH_INNER_MAX)
#define TEXT_LEN 32
#define SPAN 5			/* a jump's: instructions that start in it */

static struct trial t;
static uint8_t text[TEXT_LEN];
static size_t text_len;
static struct kp_arch_probe insns[INSNS_MAX];
static unsigned int nr;
static uintptr_t chain;
static const struct areas *a;

/* The native run: the state before each step. */
static struct registers {
	uint64_t gpr[16], ip, flags;
} steps[STEPS_MAX];
static unsigned int steps_nr, at_step, chain_steps;
static bool differs;
static struct outcome want, got;
static uint8_t want_data[DATA_LEN], want_stack[STACK_LEN];

static uint64_t some_data(void)
{
	return a->data + 0x400 + (seed_next() >> 40 & 0x7f8);
}

/* Let it touch our memory; and jump to another instruction, now and then. */
static void aim(uint8_t *bytes, const struct kp_insn *insn, uintptr_t addr,
		const uint8_t *starts, unsigned int starts_nr)
{
	uint32_t rel = (uint32_t)(some_data() - addr - insn->length);

	if (insn->flags & KP_INSN_RIP_REL)
		memcpy(bytes + insn->disp.offset, &rel, 4);
	if (kp_insn_is_rel_branch(insn) && insn->imm.size == 1 &&
	    seed_one_in(2))
		bytes[insn->imm.offset] =
			(uint8_t)(starts[seed_next() % starts_nr] -
				  (addr - (a->code + INSN_OFF)) - insn->length);
}

static bool take_text(const uint8_t *bytes, size_t avail)
{
	uint8_t starts[SPAN];
	struct kp_insn insn;
	const char *reason;
	size_t off;
	unsigned int i;

	memset(text, 0xcc, sizeof(text));
	for (off = 0, nr = 0; off < SPAN; off += insn.length) {
		if (kp_insn_decode(&insn, bytes + off, avail - off,
				   KP_INSN_64) ||
		    diff_unrepeatable(&insn) || insn.segment == 0x64)
			return false;
		memcpy(text + off, bytes + off, insn.length);
		starts[nr++] = (uint8_t)off;
	}
	text_len = off;
	for (i = 0; i < nr; i++) {
		uintptr_t addr = a->code + INSN_OFF + starts[i];

		kp_insn_decode(&insn, text + starts[i], 16, KP_INSN_64);
		aim(text + starts[i], &insn, addr, starts, nr);
		if (kp_arch_prepare(&insns[i], addr, text + starts[i], 16,
				    KP_ARCH_USER, &reason))
			return false;
	}
	return true;
}

static void record(const struct state *s, struct registers *r)
{
	memcpy(r->gpr, s->gpr, sizeof(r->gpr));
	r->ip = s->ip;
	r->flags = s->flags & ~0x10100ul;	/* TF, RF */
}

static bool native_step(struct state *now)
{
	if (steps_nr == STEPS_MAX)
		return false;
	record(now, &steps[steps_nr++]);
	return true;
}

/* What the engine makes of a state inside the chain. */
static void leave(struct state *s)
{
	struct pt_regs regs;

	if (s->ip - chain >= KP_ARCH_SLOT_LEN)
		return;
	to_regs(s, &regs);
	kp_arch_chain_abort(insns, nr, &regs, chain, &mem);
	from_regs(s, &regs);
}

static bool chain_step(struct state *now)
{
	static struct state s;
	struct registers r;

	s = *now;
	leave(&s);
	record(&s, &r);
	counts.steps++;
	/* A form takes more steps than the original, but not that many. */
	if (!memcmp(&r, &steps[at_step], sizeof(r)))
		return chain_steps++ < 16 * STEPS_MAX;
	if (at_step + 1 == steps_nr)	/* the native run was cut off here */
		return false;
	differs = memcmp(&r, &steps[++at_step], sizeof(r));
	return !differs;
}

static void load_memory(void)
{
	memcpy((void *)a->data, t.data, DATA_LEN);
	memcpy((void *)a->stack, t.stack, STACK_LEN);
}

static void forgive_bytes(uintptr_t at, size_t len)
{
	for (; len; len--, at++)
		if (at - a->stack < STACK_LEN)
			((uint8_t *)a->stack)[at - a->stack] =
				want_stack[at - a->stack];
}

/*
 * What forms write below the stack: beyond the red zone, or as a callee may.  And the
 * return address of a call to where none may lead: some processors have written it by
 * then, some have not.
 */
static void forgive(void)
{
	unsigned int i;

	if (want.sig && want.trapno == 13)
		forgive_bytes(want.at.gpr[4] - 8, 8);
	for (i = 0; i < steps_nr; i++) {
		uintptr_t sp = steps[i].gpr[4];

		forgive_bytes(sp - 136, 8);
		forgive_bytes(sp - 24, 16);
	}
}

static void run_native(void)
{
	load_memory();
	steps_nr = 0;
	record(&t.before, &steps[steps_nr++]);
	sandbox_run(&t.before, &want, native_step);
	settle(&want, t.before.ip);
	memcpy(want_data, (void *)a->data, DATA_LEN);
	memcpy(want_stack, (void *)a->stack, STACK_LEN);
}

static const char *run_chain(void)
{
	struct state before = t.before;
	const char *what;

	load_memory();
	at_step = chain_steps = 0;
	differs = false;
	before.ip = chain;
	sandbox_run(&before, &got, chain_step);
	counts.runs++;
	if (differs)
		return "a step";
	if (steps_nr == STEPS_MAX)
		return NULL;
	if (got.sig == SIGTRAP && got.at.ip - chain < KP_ARCH_SLOT_LEN)
		return "the end of the chain";
	leave(&got.at);
	settle(&got, t.before.ip);
	what = compare_outcomes(&t, &want, &got);
	if (what)
		return what;
	forgive();
	if (memcmp((void *)a->data, want_data, DATA_LEN))
		return "data";
	return memcmp((void *)a->stack, want_stack, STACK_LEN) ? "stack" : NULL;
}

/* Registers that point to data, so that more than the first one gets done. */
static bool seed(const uint8_t *bytes)
{
	unsigned int i;

	if (!seed_trial(&t, "sequence", bytes, insns[0].len))
		return false;
	for (i = 0; i < 16; i++)
		if (i != 4 && !seed_one_in(3))
			t.before.gpr[i] = some_data();
	t.before.gpr[4] = a->stack + 0x800 + (seed_next() >> 40 & 0x3f8);
	return true;
}

static const char *try_place(uintptr_t at)
{
	uint8_t image[KP_ARCH_SLOT_LEN];
	const char *what, *reason;
	size_t len;

	chain = at;
	memset(image, 0xcc, sizeof(image));
	if (kp_arch_emit_chain(insns, nr, chain, image, sizeof(image) - 8, &len,
			       &reason)) {
		counts.far_refused++;
		return NULL;
	}
	memcpy((void *)chain, image, sizeof(image));
	what = run_chain();
	memset((void *)chain, 0xcc, sizeof(image));
	return what;
}

void sequences_try(const uint8_t *bytes, size_t avail)
{
	const char *what;

	a = &areas[HIGH];
	counts.forms++;
	if (!take_text(bytes, avail) || !seed(text) || t.set != HIGH) {
		counts.refused++;
		return;
	}
	counts.trials++;
	memcpy((void *)t.before.ip, text, sizeof(text));
	run_native();
	counts.faults += want.sig != 0;
	what = try_place(a->slot + 256);
	if (!what)
		what = try_place(far_slot + 256);
	memset((void *)t.before.ip, 0xcc, sizeof(text));
	if (!what || counts.failures++ >= 4)
		return;
	memcpy(t.bytes, text, sizeof(t.bytes));
	t.insn.length = (uint8_t)(text_len < 15 ? text_len : 15);
	compare_print(&t, "in a chain", what, &want, &got);
}
