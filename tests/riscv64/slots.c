/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * slots.c - instructions at their place, emulated, in slots and in chains: the same?
 *
 * Owns: each form that reads or writes the PC, and instructions at random, executed in all
 * ways that there are, with the slot or chain left at each of its places, near and far from
 * the instruction: registers and floating point must agree with the real execution.
 *
 * A riscv64 program (run by qemu); sandbox.h says how.  What it cannot show: qemu has no
 * stale instruction caches and sees code as it is written.
 *
 * usage: slots COUNT SEED
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "forms.h"
#include "jump.h"
#include "probe.h"

#define NEAR (PLACE + 0x2000)
#define FAR (PLACE + 0x180000)		/* a jal does not reach from there */

static struct kp_arch_probe probe;
static uint8_t image[KP_ARCH_SLOT_LEN];

static struct pt_regs *regs_of(struct state *state)
{
	static struct pt_regs regs;

	memcpy(&regs, &state->regs, sizeof(state->regs));
	return &regs;
}

static void take_back(struct state *state, const struct pt_regs *regs)
{
	memcpy(&state->regs, regs, sizeof(state->regs));
}

/* Run on from the registers got: the instruction itself. */
static void run_on(void)
{
	struct state begin = given;

	given = got;
	execute(place);
	given = begin;
}

/*
 * From @begin in the slot to its end; or, where @left is, only up to there, so that the rest
 * happens where the instruction is.
 */
static bool check_way(size_t slot, size_t begin, size_t left)
{
	struct pt_regs *regs;

	memcpy(area + slot, image, 2u * probe.stepped);
	if (left)
		take_insn(slot + left);
	given.regs.pc = address(slot + begin);
	__builtin___clear_cache((char *)area + slot, (char *)area + slot + sizeof(image));
	run();
	if (got.regs.pc - address(slot) < sizeof(image)) {
		regs = regs_of(&got);
		if (!kp_arch_step_finish(&probe, regs, address(slot)))
			kp_arch_step_abort(&probe, regs, address(slot), NULL);
		take_back(&got, regs);
		if (got.regs.pc == address(place))
			run_on();
	}
	return stopped_by == SIGTRAP && same(&got, &real);
}

/* Left at once: only where a form begins is a breakpoint without the copy. */
static bool check_left(size_t slot, size_t begin)
{
	struct pt_regs *regs;

	got = given;
	got.regs.pc = address(slot + begin);
	regs = regs_of(&got);
	kp_arch_step_abort(&probe, regs, address(slot), NULL);
	take_back(&got, regs);
	if (got.regs.pc != address(place))
		return false;
	run_on();
	return stopped_by == SIGTRAP && same(&got, &real);
}

/* Does the boosted form end without a trap, exactly if a jump reaches? */
static bool ends_as_it_may(size_t slot)
{
	struct kp_rv_insn end;
	uint32_t word;

	memcpy(&word, image + probe.len, sizeof(word));
	kp_rv_decode(&end, word);
	return slot == FAR ? end.word == 0x9002 :
	       end.class == KP_RV_JAL && end.rd == KP_RV_ZERO &&
	       kp_rv_operand(&end, address(slot) + probe.len) == address(place) + probe.len;
}

static bool check_slot(size_t slot, bool is_short)
{
	const char *reason = NULL;

	kp_arch_slot_shorten(&probe, is_short);
	if (kp_arch_emit_slot(&probe, address(slot), image, &reason))
		return false;
	/* Behind the copy in the boosted form, where the jump is. */
	return ends_as_it_may(slot) && check_way(slot, 0, 0) && check_way(slot, 0, probe.len) &&
	       check_way(slot, probe.stepped + KP_RV_STEP_OFF, 0) && check_left(slot, 0) &&
	       check_left(slot, probe.stepped + KP_RV_STEP_OFF);
}

/* What is emulated, in its body; left before each of its instructions, too. */
static bool check_body(size_t slot)
{
	const char *reason = NULL;
	size_t left;

	kp_arch_slot_shorten(&probe, true);
	if (!kp_rv_body_reaches(&probe, address(slot)))
		return true;
	if (kp_arch_emit_slot(&probe, address(slot), image, &reason) ||
	    !check_way(slot, 0, 0) || !check_left(slot, 0))
		return false;
	for (left = 4; left < 12; left += 4)
		if (!check_way(slot, 0, left))
			return false;
	return true;
}

/* ---- chains ------------------------------------------------------------------------------ */

static struct kp_arch_probe pair[2];

/* c.nop */
static void prepare_nop(struct kp_arch_probe *ap, uint64_t at)
{
	static const uint8_t nop[] = { 0x01, 0x00 };
	const char *reason;

	kp_arch_prepare(ap, at, nop, sizeof(nop), KP_ARCH_USER, &reason);
}

/* In the place of the c.nop: where that leads. */
static void over_nop(const struct kp_arch_probe *nop)
{
	if (got.regs.pc == nop->addr)
		got.regs.pc += 2;
}

/* A c.nop behind: who falls through comes there, and goes on. */
static bool same_with(const struct kp_arch_probe *nop)
{
	struct state wanted = real;

	if (wanted.regs.pc == nop->addr)
		wanted.regs.pc += 2;
	return stopped_by == SIGTRAP && same(&got, &wanted);
}

static bool run_chain(size_t chain, size_t len, size_t left, const struct kp_arch_probe *nop)
{
	struct pt_regs *regs;

	memcpy(area + chain, image, len);
	if (left)
		take_insn(chain + left);
	given.regs.pc = address(chain);
	__builtin___clear_cache((char *)area + chain, (char *)area + chain + len);
	run();
	if (got.regs.pc - address(chain) < len) {
		regs = regs_of(&got);
		kp_arch_chain_abort(pair, 2, regs, address(chain), NULL);
		take_back(&got, regs);
		over_nop(nop);
		if (got.regs.pc == address(place)) {
			run_on();
			over_nop(nop);
		}
	}
	over_nop(nop);
	return same_with(nop);
}

static size_t insn_len(const uint8_t *code)
{
	uint16_t half;

	memcpy(&half, code, sizeof(half));
	return kp_rv_length(half);
}

/* With the c.nop before it, or behind it. */
static bool check_chain(size_t chain, bool before)
{
	const struct kp_arch_probe *nop = &pair[before ? 0 : 1];
	const char *reason = NULL;
	size_t len, left;

	pair[before ? 1 : 0] = probe;
	prepare_nop(&pair[before ? 0 : 1], before ? probe.addr - 2 : probe.addr + probe.len);
	memset(image, KP_ARCH_FILL, sizeof(image));
	if (kp_arch_emit_chain(pair, 2, address(chain), image, sizeof(image), &len, &reason))
		return !kp_rv_body_reaches(&probe, address(chain)) || chain == FAR;
	if (chain == FAR || kp_arch_chain_entry(pair, 2, address(chain), 0) != address(chain))
		return false;
	for (left = 0; left < len; left += insn_len(image + left))
		if (!run_chain(chain, len, left, nop))
			return false;
	return true;
}

static bool check_emulated(void)
{
	struct pt_regs *regs = regs_of(&given);

	if (kp_arch_emulate(&probe, regs, NULL))
		return false;
	got = given;
	take_back(&got, regs);
	return same(&got, &real);
}

static bool check(void)
{
	const char *reason = NULL;

	if (kp_arch_prepare(&probe, address(place), (const uint8_t *)&insn.word, insn.len,
			    KP_ARCH_USER, &reason)) {
		printf("# refused: %s\n", reason);
		return false;
	}
	if (probe.len != insn.len || (probe.class == KP_ARCH_EMULATE) != goes())
		return false;
	if (!check_chain(NEAR, true) || !check_chain(NEAR, false) || !check_chain(FAR, false))
		return false;
	if (goes())
		return check_emulated() && check_body(NEAR);
	return check_slot(NEAR, false) && check_slot(NEAR, true) && check_slot(FAR, false) &&
	       check_slot(FAR, true);
}

int main(int argc, char **argv)
{
	uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 0) : 100;

	random_state = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	return !sandbox_start() || check_forms("slots", count, check);
}
