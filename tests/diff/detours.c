/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * detours.c - one trial in a chain, behind a jump, and with a call at the end
 * of its stepped form.
 *
 * Owns: the engine's part of an optimized hit, in miniature.  The probed
 * instruction stands among nops, which change nothing but the address where
 * the run ends.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "variants.h"
#include "jump.h"

#define INSNS_MAX (1 + KP_ARCH_INNER_MAX)
#define CHAIN_MAX (KP_ARCH_SLOT_LEN - 8)

/* Instructions that follow one another, and the chain made of them. */
static struct kp_arch_probe insns[INSNS_MAX];
static unsigned int insns_nr;
static uintptr_t chain;
static struct outcome got;

static uintptr_t nops_end;		/* no run gets further through nops */

/* The run went on through nops: take it back to where the native one ends. */
static void take_back(struct state *s)
{
	uintptr_t next = kp_x86_next(&probe);

	if (native.at.ip == next && s->ip > next && s->ip <= nops_end)
		s->ip = next;
}

/* Calls and far forms need a little stack of their own. */
static bool lacks_stack(const struct areas *a)
{
	return trial->before.gpr[4] - a->stack - 256 > STACK_LEN - 256;
}

static void add_insn(uintptr_t addr, const uint8_t *bytes, size_t len)
{
	const char *reason;

	if (addr == probe.addr)
		insns[insns_nr++] = probe;
	else if (!kp_arch_prepare(&insns[insns_nr], addr, bytes, len,
				  KP_ARCH_USER, &reason))
		insns_nr++;
}

/* ---- chains ---------------------------------------------------------------- */

static bool misstep;
static struct state aborted_to;

/* Stopped anywhere in a chain, aborting gives the state before or after. */
static bool check_step(struct state *now)
{
	struct pt_regs regs;

	if (now->ip - chain >= KP_ARCH_SLOT_LEN)
		return true;
	counts.steps++;
	to_regs(now, &regs);
	kp_arch_chain_abort(insns, insns_nr, &regs, chain, &mem);
	aborted_to = *now;
	from_regs(&aborted_to, &regs);
	take_back(&aborted_to);
	if (same_registers(&aborted_to, &native.at))
		return true;
	if (aborted_to.ip == insns[0].addr)	/* a nop before the probe */
		aborted_to.ip = probe.addr;
	misstep = !same_registers(&aborted_to, &trial->before);
	return !misstep;
}

static const char *leave_chain(struct outcome *o)
{
	struct pt_regs regs;
	bool lockless = insns_nr > 1 && insns[1].addr < kp_x86_next(&probe);

	if (o->at.ip - chain >= KP_ARCH_SLOT_LEN) {
		settle(o, probe.addr);
		take_back(&o->at);
		return NULL;
	}
	if (o->sig == SIGTRAP && o->trapno == 3)
		return "the end of the chain";
	to_regs(&o->at, &regs);
	kp_arch_chain_abort(insns, insns_nr, &regs, chain, &mem);
	from_regs(&o->at, &regs);
	take_back(&o->at);
	if (lockless && o->at.ip == insns[1].addr)
		o->at.ip = probe.addr;
	return NULL;
}

static const char *compare(const struct areas *a)
{
	const char *what = compare_outcomes(trial, &native, &got);

	return what ? what : compare_memory(a, true);
}

/* Run from the copy of insns[from]. */
static const char *run_chain(const struct areas *a, unsigned int from,
			     bool trace)
{
	struct state before = trial->before;
	const char *what;

	before.ip = kp_arch_chain_entry(insns, insns_nr, chain, from);
	reset_memory(a);
	sandbox_run(&before, &got, NULL);
	counts.runs++;
	what = leave_chain(&got);
	if (!what)
		what = compare(a);
	if (what || !trace || !can_trace())
		return what;
	reset_memory(a);
	misstep = false;
	sandbox_run(&before, &got, check_step);
	if (!misstep)
		return NULL;
	got.at = aborted_to;
	return "an abort in the chain";
}

static const char *in_chain(const struct areas *a, bool first, bool far,
			    bool trace)
{
	static const uint8_t nops[] = { 0x66, 0x90 };
	static uint8_t image[KP_ARCH_SLOT_LEN];
	const char *what = NULL, *reason = NULL;
	unsigned int i;
	size_t len;

	insns_nr = 0;
	if (!first)
		add_insn(probe.addr - 2, nops, 2);
	add_insn(probe.addr, NULL, 0);
	add_insn(kp_x86_next(&probe), nops + 1, 1);
	nops_end = kp_x86_next(&probe) + 1;
	chain = far ? far_slot + 256 : a->slot + 256;
	if (far && lacks_stack(a))
		return NULL;
	memset(image, 0xcc, sizeof(image));
	if (kp_arch_emit_chain(insns, insns_nr, chain, image, CHAIN_MAX, &len,
			       &reason)) {
		if (!far || !reason)
			return "the chain";
		counts.far_refused++;
		return NULL;
	}
	memcpy((void *)chain, image, KP_ARCH_SLOT_LEN);
	for (i = 0; !what && i < (first ? 1u : 2u); i++)
		what = run_chain(a, i, trace && !i);
	memset((void *)chain, 0xcc, KP_ARCH_SLOT_LEN);
	return what;
}

static const char *first_in_chain(const struct areas *a, bool trace)
{
	return in_chain(a, true, false, trace);
}

static const char *second_in_chain(const struct areas *a, bool trace)
{
	return in_chain(a, false, false, trace);
}

static const char *second_in_far_chain(const struct areas *a, bool trace)
{
	return in_chain(a, false, true, trace);
}

/* ---- the stepped form's call ------------------------------------------------ */

/* What the post entry makes of the registers that it is called with. */
static const char *leave_post(uintptr_t slot, uintptr_t post)
{
	struct pt_regs regs;

	if (got.at.ip - slot < KP_ARCH_SLOT_LEN) {
		to_regs(&got.at, &regs);
		kp_arch_step_abort(&probe, &regs, slot, &mem);
		from_regs(&got.at, &regs);
		return NULL;
	}
	if (got.at.ip != post + 1) {
		settle(&got, probe.addr);
		return NULL;
	}
	to_regs(&got.at, &regs);
	if (mem.read(regs.sp, &regs.ip, 8))
		return "the post entry's stack";
	regs.sp += 8 + KP_X86_RED_ZONE;
	if (!kp_arch_step_finish(&probe, &regs, slot))
		return "the call's return address";
	from_regs(&got.at, &regs);
	got.sig = 0;
	return NULL;
}

static const char *post(const struct areas *a, bool far)
{
	uintptr_t slot = far ? far_slot + 256 : a->slot + 256;
	uintptr_t entry = slot + 512;		/* int3 stands there */
	static uint8_t image[KP_ARCH_SLOT_LEN];
	struct state before = trial->before;
	const char *what, *reason;
	struct pt_regs regs;

	/* Where the original leaves no stack the call would fault. */
	if (native.at.gpr[4] < a->stack + 256 ||
	    native.at.gpr[4] > a->stack + STACK_LEN || lacks_stack(a))
		return NULL;
	if (kp_arch_emit_slot_post(&probe, slot, entry, image, &reason))
		return far ? NULL : "emit";
	memcpy((void *)slot, image, KP_ARCH_SLOT_LEN);
	reset_memory(a);
	to_regs(&before, &regs);
	kp_arch_step_begin(&probe, &regs, slot, true);
	from_regs(&before, &regs);
	sandbox_run(&before, &got, NULL);
	counts.runs++;
	what = leave_post(slot, entry);
	memset((void *)slot, 0xcc, KP_ARCH_SLOT_LEN);
	return what ? what : compare(a);
}

static const char *near_post(const struct areas *a, bool trace)
{
	(void)trace;
	return post(a, false);
}

static const char *far_post(const struct areas *a, bool trace)
{
	(void)trace;
	return post(a, true);
}

/* ---- jumps ------------------------------------------------------------------ */

#define ROOM 4096
#define PAGE (~(uintptr_t)4095)
#define TEXT_LEN 32

/* The instruction, nops, int3. */
static void make_text(uint8_t *text)
{
	static const uint8_t nops[][3] = {
		{ 0x90 }, { 0x66, 0x90 }, { 0x0f, 0x1f, 0x00 },
	};
	unsigned int off = probe.len;

	memset(text, 0xcc, TEXT_LEN);
	memcpy(text, probe.insn, probe.len);
	while (off < probe.len + 8u) {
		unsigned int len = 1 + (unsigned int)(seed_next() >> 40) % 3;

		memcpy(text + off, nops[len - 1], len);
		off += len;
	}
}

/*
 * Memory for a head that the jump can lead to; its page has room for the rest.
 * Free bytes of the displacement are chosen at random, below 2 GB away.
 */
static uintptr_t map_target(const struct kp_arch_jump *jump)
{
	uint32_t d = ((uint32_t)seed_next() & ~jump->mask) | jump->value;
	uintptr_t target = jump->base + (uintptr_t)(int32_t)d;
	void *page = (void *)(target & PAGE);

	if (target > (uintptr_t)0x7fff00000000 || target < 0x20000 ||
	    mmap(page, 2 * ROOM, PROT_READ | PROT_WRITE | PROT_EXEC,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
		 0) != page)
		return 0;
	return target;
}

static uintptr_t find_target(struct kp_arch_jump *jump, const uint8_t *text)
{
	unsigned int n = (unsigned int)(seed_next() >> 40) % 24;
	const char *reason;
	uintptr_t target;
	unsigned int i;

	for (n = probe.len < 5 ? n : 0; n < 400; n++) {
		if (kp_arch_jump_way(jump, &probe, text, TEXT_LEN, TEXT_LEN, n,
				     &reason))
			return 0;
		for (i = 0; i < 4; i++) {
			target = map_target(jump);
			if (target)
				return target;
		}
	}
	return 0;
}

/* The body: a chain, or the slot.  NULL or what went wrong. */
static const char *put_body(const struct kp_arch_jump *jump,
			    const uint8_t *text)
{
	uint8_t image[KP_ARCH_SLOT_LEN];
	const char *reason;
	unsigned int i;
	size_t len;
	int err;

	insns_nr = 0;
	add_insn(probe.addr, NULL, 0);
	for (i = 0; i < jump->inner_nr; i++)
		add_insn(probe.addr + jump->inner[i], text + jump->inner[i],
			 TEXT_LEN - jump->inner[i]);
	if (insns_nr != 1u + jump->inner_nr)
		return "a displaced instruction";
	memset(image, 0xcc, sizeof(image));
	err = jump->inner_nr ?
		      kp_arch_emit_chain(insns, insns_nr, chain, image,
					 CHAIN_MAX, &len, &reason) :
		      kp_arch_emit_slot(&probe, chain, image, &reason);
	if (err)
		return "";
	memcpy((void *)chain, image, sizeof(image));
	return NULL;
}

static const char *leave_jump(const struct kp_arch_jump *jump, uintptr_t head)
{
	struct pt_regs regs;

	if (jump->inner_nr)
		return leave_chain(&got);
	if (got.at.ip - chain < KP_ARCH_SLOT_LEN) {
		to_regs(&got.at, &regs);
		kp_arch_step_abort(&probe, &regs, chain, &mem);
		from_regs(&got.at, &regs);
		return NULL;
	}
	if (got.at.ip - head < KP_ARCH_HEAD_LEN)
		return "something in the head";
	settle(&got, probe.addr);
	return NULL;
}

/* Whoever comes to an inner boundary must trap there. */
static const char *check_landings(const struct kp_arch_jump *jump)
{
	struct state before = trial->before;
	unsigned int i;

	for (i = 0; i < jump->inner_nr; i++) {
		bool int3 = jump->inner_trap[i] == 0xcc;

		before.ip = probe.addr + jump->inner[i];
		sandbox_run(&before, &got, NULL);
		counts.runs++;
		if (got.sig != (int3 ? SIGTRAP : SIGILL) ||
		    got.at.ip != before.ip + int3)
			return "the trap at an inner boundary";
	}
	return NULL;
}

/*
 * An entry that only gives the stack back: where to go on is moved to the top of
 * what the head has pushed, behind which is the red zone.
 */
static const uint8_t nothing[] = {
	0x50,						/* push %rax */
	0x48, 0x8b, 0x44, 0x24, 0x08,			/* mov 8(%rsp),%rax */
	0x48, 0x89, 0x44, 0x24, 0x30,			/* mov %rax,48(%rsp) */
	0x58,						/* pop %rax */
	0x48, 0x8d, 0x64, 0x24, 0x28,			/* lea 40(%rsp),%rsp */
	0xc2, 0x80, 0x00,				/* ret $128 */
};

static const char *run_jump(const struct areas *a,
			    const struct kp_arch_jump *jump, uintptr_t head,
			    const uint8_t *text)
{
	uintptr_t entry = (head & PAGE) + ROOM + 256;
	uint8_t image[KP_ARCH_HEAD_LEN];
	const char *what;

	chain = (head & PAGE) + ROOM + 512;
	nops_end = probe.addr + TEXT_LEN;
	what = put_body(jump, text);
	if (what)
		return *what ? what : NULL;
	memcpy((void *)entry, nothing, sizeof(nothing));
	if (kp_arch_emit_head(&probe, head, entry, chain, &probe, image))
		return "the head";
	memcpy((void *)head, image, sizeof(image));
	memcpy((void *)probe.addr, text, TEXT_LEN);
	kp_arch_emit_jump(jump, head, (uint8_t *)probe.addr);
	if (memcmp((uint8_t *)probe.addr + jump->patched, text + jump->patched,
		   TEXT_LEN - jump->patched))
		return "what lies behind the jump";
	reset_memory(a);
	sandbox_run(&trial->before, &got, NULL);
	counts.runs++;
	forget_pushes(a, 6 * 8);
	what = leave_jump(jump, head);
	if (!what && !got.sig)
		take_back(&got.at);
	if (!what)
		what = compare(a);
	/* Without its lock prefix it does the same for a single thread. */
	if (!what && jump->inner_nr && jump->inner[0] < probe.len)
		what = run_chain(a, 1, false);
	return what ? what : check_landings(jump);
}

static const char *behind_a_jump(const struct areas *a, bool trace)
{
	uintptr_t off = native.at.ip - probe.addr;
	struct kp_arch_jump jump;
	uint8_t text[TEXT_LEN];
	const char *what;
	uintptr_t head;

	(void)trace;
	/* Room for the call; and no branch to where the nops now are. */
	if (lacks_stack(a) || (off && off != probe.len && off < TEXT_LEN))
		return NULL;
	make_text(text);
	head = find_target(&jump, text);
	if (!head)
		return NULL;
	counts.jumps++;
	what = run_jump(a, &jump, head, text);
	memset((void *)probe.addr, 0xcc, TEXT_LEN);
	munmap((void *)(head & PAGE), 2 * ROOM);
	return what;
}

/* ---- all of them ------------------------------------------------------------ */

static const struct {
	const char *name;
	const char *(*run)(const struct areas *a, bool trace);
} ways[] = {
	{ "first in a chain", first_in_chain },
	{ "second in a chain", second_in_chain },
	{ "second in a far chain", second_in_far_chain },
	{ "stepped to a call", near_post },
	{ "far stepped to a call", far_post },
	{ "behind a jump", behind_a_jump },
};
#define WAYS_NR (sizeof(ways) / sizeof(ways[0]))

/* Two of them a trial, in turn: each costs as much as the native run. */
bool detours_agree(const struct areas *a, bool trace)
{
	static unsigned int turn;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		unsigned int way = turn++ % WAYS_NR;
		const char *what = ways[way].run(a, trace);

		if (!what)
			continue;
		if (counts.failures++ < 4)
			compare_print(trial, ways[way].name, what, &native,
				      &got);
		return false;
	}
	return true;
}
