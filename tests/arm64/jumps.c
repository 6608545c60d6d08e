/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * jumps.c - hits through jumps, steps' ends and returns, beside real execution.
 *
 * Owns: instructions at random with a jump in their place, whose handler changes nothing,
 * or puts right what was wrong, or goes on elsewhere, or faults; with the head left at
 * each of its words; and stubs that a function returns to.  All registers, flags,
 * vectors and the stack must be what they are without.
 *
 * An arm64 program (run by qemu); sandbox.h says how.  What it cannot show: qemu has no
 * stale instruction caches and sees code as it is written.
 *
 * usage: jumps COUNT SEED
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "forms.h"
#include "random.h"
#include "resume.h"
#include "return.h"
#include "upcall.h"
#include "vectors.h"

#define HEAD (PLACE + 0x4000)
#define HUB (PLACE + 0x4100)
#define STUB (PLACE + 0x4200)
#define FLAGS (0xFul << 28)

/* As the core's, as far as the entry reads it. */
static struct {
	uintptr_t addr;
	uint8_t keep;
	uint8_t others[31];
	uintptr_t step;
} site;
_Static_assert(offsetof(typeof(site), keep) == 8 && offsetof(typeof(site), step) == 40,
	       "detour_entry.S");

/* What the handler does. */
static enum what {
	NOTHING,		/* go on in the head */
	PUTS_RIGHT,		/* some registers were wrong */
	MOVES_STACK,		/* so was the stack pointer */
	EXECUTES,		/* emulate, or to the step's end */
	FAULTS,
	WHATS
} what;
static const char *const names[] = { "nothing", "puts right", "moves stack", "executes", "faults" };
static bool posts;			/* steps end in the post entry */

static const char *wrong;		/* what the upcall found */
static struct pt_regs right, seen;	/* the registers that were given at first, now */
static unsigned int hits, post_hits, aborts;
static struct kp_arch_guard guard;
static bool faulting;

/* In the upcalls nothing may use vector registers but this. */
#define GENERAL __attribute__((target("general-regs-only")))

GENERAL static void spoil_vectors(void)
{
	asm volatile(".arch_extension simd\n\t"
		     ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n\t"
		     "movi v\\n\\().16b, #0xee\n\t"
		     ".endr");
}

GENERAL static bool same_regs(const struct pt_regs *a, const struct pt_regs *b)
{
	unsigned int i;

	for (i = 0; i < 31; i++)
		if (a->regs[i] != b->regs[i])
			return false;
	return a->sp == b->sp && (a->pstate & FLAGS) == (b->pstate & FLAGS);
}

GENERAL static void copy_regs(struct pt_regs *to, const struct pt_regs *from)
{
	unsigned int i;

	for (i = 0; i < 31; i++)
		to->regs[i] = from->regs[i];
	to->sp = from->sp;
	to->pstate = from->pstate;
}

GENERAL static unsigned long go_on(struct pt_regs *regs)
{
	if (what == PUTS_RIGHT || what == MOVES_STACK)
		copy_regs(regs, &right);
	if (what != EXECUTES)
		return 0;
	if (probe.class != KP_ARCH_EMULATE || kp_arch_emulate(&probe, regs, &mem))
		kp_arch_step_begin(&probe, regs, address(SLOT), true);
	return 1;
}

GENERAL unsigned long kp_core_on_detour(struct pt_regs *regs, void *tag,
					const struct kp_arch_vectors *vectors)
{
	hits++;
	copy_regs(&seen, regs);
	if (tag != &site || regs->pc != site.addr)
		wrong = "the site";
	if (!vectors != !site.keep || (vectors && vectors->keep != site.keep))
		wrong = "the vectors";
	if (kp_arch_detour_overwritten(regs, site.addr, &mem))
		wrong = "the frame's mark";
	if (site.keep)
		spoil_vectors();
	if (what == FAULTS) {
		faulting = true;
		kp_arch_guard_detour(&guard, regs);
		asm volatile("mov x19, xzr\n\tmov x20, xzr\n\tmov x29, xzr\n\tbrk #3"
			     ::: "x19", "x20");
	}
	return go_on(regs);
}

GENERAL unsigned long kp_core_on_detour_abort(struct pt_regs *regs)
{
	aborts++;
	if (!same_regs(regs, &seen))
		wrong = "the frame of a handler that faulted";
	return go_on(regs);
}

GENERAL void kp_core_on_post(struct pt_regs *regs, void *tag,
			     const struct kp_arch_vectors *vectors)
{
	post_hits++;
	if (tag != &site || regs->pc != site.addr + 4 || !vectors != !site.keep)
		wrong = "the step's site";
	if (!same_regs(regs, (struct pt_regs *)&real.regs))
		wrong = "the step's registers";
	if (site.keep)
		spoil_vectors();
	if (post_hits % 2)
		regs->pc = address(PLACE + 4);
}

/* As the core's: the stub's address says which one it is. */
GENERAL bool kp_core_on_return(struct pt_regs *regs)
{
	hits++;
	copy_regs(&seen, regs);
	if (regs->pc - address(STUB) >= KP_ARCH_STUB_LEN || regs->regs[KP_A64_LR] != regs->pc)
		wrong = "the stub";
	if (what == FAULTS) {
		faulting = true;
		kp_arch_guard_return(&guard, regs);
		regs->regs[0]++;
		regs->regs[19]++;
		regs->sp++;
		regs->pstate ^= FLAGS;
		asm volatile("mov x19, xzr\n\tmov x29, xzr\n\tbrk #3" ::: "x19");
	}
	if (what == PUTS_RIGHT)
		copy_regs(regs, &right);
	kp_arch_return_to(regs, address(POST));
	if (what == EXECUTES)
		regs->regs[KP_A64_LR] = 5;
	return false;
}

GENERAL bool kp_core_on_return_abort(struct pt_regs *regs)
{
	aborts++;
	if (!same_regs(regs, &seen))
		wrong = "the frame of a handler that faulted";
	kp_arch_return_to(regs, address(POST));
	return false;
}

long kp_core_on_pre(struct kp_context *ctx, struct kp_child *child, struct pt_regs *regs)
{
	(void)ctx, (void)child, (void)regs;
	return 0;
}

static bool trapped(struct kp_a64_regs *a64)
{
	struct pt_regs *regs = (struct pt_regs *)a64;

	if (faulting) {
		faulting = false;
		kp_arch_guard_abort(&guard, regs);
		return true;
	}
	/* The step's end, where it is a trap. */
	if (regs->pc - address(SLOT) < KP_ARCH_SLOT_LEN && posts == false &&
	    kp_arch_step_finish(&probe, regs, address(SLOT)))
		return true;
	return kp_arch_resume(regs);
}

static void put(size_t at, const void *bytes, size_t len)
{
	size_t i;
	uint32_t word;

	for (i = 0; i < len; i += 4) {
		memcpy(&word, (const char *)bytes + i, 4);
		set_word(at + i, word);
	}
}

/* The jump, head, slot and hubs. */
static bool install(void)
{
	uintptr_t entry = (uintptr_t)kp_arch_detour_entry, post = (uintptr_t)kp_arch_post_entry;
	bool through_hubs = next_random(&random_state) & 1;
	uint8_t image[KP_ARCH_SLOT_LEN];
	uintptr_t owner = (uintptr_t)&site;
	struct kp_arch_jump jump;
	const char *reason;

	if (through_hubs) {
		kp_arch_emit_hub(address(HUB), entry, image);
		put(HUB, image, KP_ARCH_HUB_LEN);
		kp_arch_emit_hub(address(HUB + 32), post, image);
		put(HUB + 32, image, KP_ARCH_HUB_LEN);
		entry = address(HUB);
		post = address(HUB + 32);
	}
	posts = next_random(&random_state) & 1;
	kp_arch_slot_shorten(&probe, probe.form != KP_A64_LOAD_SAVED &&
				     next_random(&random_state) & 1);
	if (kp_arch_jump_way(&jump, &probe, (const uint8_t *)&probe.insn.word, 4, 4, 0, &reason) ||
	    kp_arch_emit_slot_post(&probe, address(SLOT), posts ? post : 0, image, &reason))
		return false;
	put(SLOT, image, 2u * probe.stepped);
	put(SLOT + 2u * probe.stepped - 8, &owner, 8);
	site.addr = probe.addr;
	site.keep = next_random(&random_state) & 1 ? KP_ARCH_KEEP_ALL : KP_ARCH_KEEP_NONE;
	site.step = address(SLOT) + probe.stepped + KP_A64_STEP_OFF;
	if (kp_arch_emit_head(&probe, address(HEAD), entry, address(SLOT), &site, image))
		return false;
	put(HEAD, image, KP_ARCH_HEAD_LEN);
	if (address(HEAD) - jump.base > jump.reach_up)
		return false;
	kp_arch_emit_jump(&jump, address(HEAD), image);
	put(PLACE, image, jump.len);
	return true;
}

static void spoil_regs(struct state *state)
{
	static const uint8_t some[] = { 0, 9, 16, 17, 18, 19, 28, 29, 30 };
	size_t i;

	memcpy(&right, &state->regs, sizeof(right));
	if (what != PUTS_RIGHT && what != MOVES_STACK)
		return;
	for (i = 0; i < sizeof(some); i++)
		state->regs.regs[some[i]] ^= 0x55;
	state->regs.pstate ^= FLAGS;
	if (what == MOVES_STACK)
		state->regs.sp -= 0x500;
}

/* left_at: a word of the head before which it is left; -1: none. */
static bool check_way(int left_at)
{
	struct state before = given;
	char name[64];

	snprintf(name, sizeof(name), "%s, left at %d", names[what], left_at);
	put_stack();
	hits = post_hits = aborts = 0;
	wrong = NULL;
	spoil_regs(&given);
	given.regs.pc = address(PLACE);
	if (left_at >= 0)
		set_word(HEAD + left_at, breakpoint(HEAD));
	run();
	given = before;
	if (left_at >= 0) {
		if (got.regs.pc != address(HEAD + left_at))
			return false;
		kp_arch_head_abort(&probe, regs_of(&got), address(HEAD), address(SLOT));
		if (got.regs.pc == address(PLACE))
			set_word(PLACE, probe.insn.word);
		run_on();
	}
	/* A fault in the slot is the instruction's. */
	if (got.regs.pc - address(SLOT) < KP_ARCH_SLOT_LEN)
		kp_arch_step_abort(&probe, regs_of(&got), address(SLOT), &mem);
	set_word(PLACE, breakpoint(PLACE));
	if (hits != (left_at < 0 || left_at > 4) || aborts != (what == FAULTS && left_at < 0))
		wrong = "the number of hits";
	if (what == EXECUTES && post_hits != (posts && probe.class == KP_ARCH_COPY &&
					      real_signal == SIGTRAP))
		wrong = "the number of steps";
	if (wrong) {
		printf("# %s: %s\n", name, wrong);
		return false;
	}
	return agrees(name);
}

static bool check(void)
{
	static const int words[] = { -1, 0, 4, 8, 12 };
	struct kp_arch_jump jump;
	const char *reason = NULL;
	size_t i;

	if (kp_arch_jump_way(&jump, &probe, NULL, 0, 4, 0, &reason))
		return reason && probe.form == KP_A64_NO_BODY;
	/* A fault of a signed address is the processor's, where it is. */
	if (real_signal != SIGTRAP && probe.insn.flags & KP_A64_PAC)
		return true;
	for (what = 0; what < WHATS; what++) {
		/* The step's end comes to a stack of the instruction's own. */
		if (what == EXECUTES && real.regs.sp != given.regs.sp)
			continue;
		for (i = 0; i < (what == NOTHING ? sizeof(words) / sizeof(words[0]) : 1); i++)
			if (!install() || !check_way(words[i]))
				return false;
	}
	return true;
}

/* A function that is nothing but its return. */
static bool check_return(void)
{
	uint8_t image[KP_ARCH_STUB_LEN];
	struct state expected;

	memset(&given, 0, sizeof(given));
	randomize(&given, &random_state);
	given.regs.sp = address(STACK) + STACK_LEN - ABOVE;
	given.regs.regs[KP_A64_LR] = address(STUB) + KP_ARCH_STUB_RETURN;
	given.regs.pc = address(PLACE);
	expected = given;
	expected.regs.pc = address(POST);
	expected.regs.regs[KP_A64_LR] = address(POST);
	if (what == EXECUTES) {		/* it says otherwise, and one register is lost */
		expected.regs.regs[16] = address(POST);
		expected.regs.regs[KP_A64_LR] = 5;
	}
	hits = aborts = 0;
	wrong = NULL;
	spoil_regs(&given);
	given.regs.regs[KP_A64_LR] = address(STUB) + KP_ARCH_STUB_RETURN;
	kp_arch_emit_stub(address(STUB), (uintptr_t)kp_arch_return_entry, image);
	put(STUB, image, sizeof(image));
	set_word(PLACE, 0xd65f03c0);
	run();
	if (hits != 1 || aborts != (what == FAULTS))
		wrong = "the number of hits";
	if (!wrong && same(&got, &expected) && stopped_by == SIGTRAP)
		return true;
	printf("# return, %s: %s\n", names[what], wrong ? wrong : "registers");
	return false;
}

static bool check_returns(uint64_t count)
{
	static const enum what whats[] = { NOTHING, PUTS_RIGHT, EXECUTES, FAULTS };
	uint64_t i;
	bool ok = true;

	for (i = 0; i < 4 * count && ok; i++) {
		what = whats[i % 4];
		ok = check_return();
	}
	printf("%sok arm64-jumps-returns %llu runs\n", ok ? "" : "not ", (unsigned long long)i);
	return ok;
}

int main(int argc, char **argv)
{
	uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 0) : 100;

	random_state = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	if (!sandbox_start())
		return 1;
	on_trap = trapped;
	return (check_forms("jumps", count, check) != 0) | !check_returns(count);
}
