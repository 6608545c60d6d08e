/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * numbers.c - the system calls of riscv64 code, and which number they have.
 *
 * Owns: what section.c asks about instructions, and which call handlers of the program return
 * by.  Code is read from a function's start on, or a section's: where an instruction begins,
 * nothing else says.
 *
 * Locks: the registry lock.
 */
#include "machine.h"
#include "stretch.h"
#include "insn/insn.h"

#define NUMBER_REG 17u			/* a7 */
#define RETURNING 0x08b00893u		/* li a7, 139 */

static uint32_t half_at(uintptr_t addr)
{
	return *(const uint16_t *)addr;
}

/* The word there, what is no part of its instruction being 0. */
static uint32_t word_at(uintptr_t addr)
{
	uint32_t half = half_at(addr);

	return kp_rv_length((uint16_t)half) == 2 ? half : half | half_at(addr + 2) << 16;
}

/* li a7, nr: of 4 bytes (addi a7, zero) or 2? */
static bool sets_number(uint32_t word, unsigned long *nr)
{
	if ((word & 0xfffff) == 0x893) {
		*nr = word >> 20;
		return *nr < 0x800;
	}
	if (word > 0xffff || (word & 0xff83) != 0x4881)
		return false;
	*nr = word >> 2 & 0x1f;
	return true;
}

/* May it change a7, other than by what sets_number knows, or go elsewhere? */
static bool spoils(const struct kp_rv_insn *insn)
{
	/* All that name a7 as what they write, do it there. */
	return insn->class != KP_RV_PLAIN || (insn->word >> 7 & 31) == NUMBER_REG;
}

bool kp_number_wanted(uintptr_t addr)
{
	return half_at(addr) == (KP_CALL_WORD & 0xffff) && !half_at(addr + 2);
}

/* ---- a stretch of code, read from its start on ------------------------------------------ */

/* Through a register, but for a return. */
static bool goes_astray(const struct kp_rv_insn *insn)
{
	return insn->class == KP_RV_JALR && insn->rd == KP_RV_ZERO && insn->rs1 != KP_RV_RA;
}

/* How long, and if that is not known, on with what is next. */
static unsigned int step_of(const struct kp_rv_insn *insn)
{
	return insn->len ? insn->len : 2;
}

unsigned int kp_stretch_step(uintptr_t at, uintptr_t *to)
{
	struct kp_rv_insn insn;

	kp_rv_decode(&insn, word_at(at));
	*to = insn.class == KP_RV_JAL || insn.class == KP_RV_BRANCH ? kp_rv_operand(&insn, at) : 0;
	return step_of(&insn);
}

/* Does anything lead to behind from, and no farther than to? */
static bool branched_into(const struct kp_stretch *code, uintptr_t from, uintptr_t to)
{
	for (from += 2; from <= to; from += 2)
		if (kp_stretch_is_target(code, from))
			return true;
	return false;
}

/*
 * Not within another instruction: the second half of a call, 0, begins none, and ends none of
 * 4 bytes whose first half is that of a call.
 */
enum kp_number kp_stretch_number(struct kp_stretch *code, uintptr_t call, uintptr_t near,
				 unsigned long *nr)
{
	struct kp_rv_insn insn;

	if (code->at > call) {
		code->at = code->start;
		code->set = code->astray = 0;
	}
	for (; code->at < call; code->at += step_of(&insn)) {
		kp_rv_decode(&insn, word_at(code->at));
		if (goes_astray(&insn))
			code->astray = code->at;
		if (sets_number(insn.word, &code->nr))
			code->set = code->at;
		else if (spoils(&insn))
			code->set = 0;
	}
	if (code->at != call || !code->set || !code->targets ||
	    (code->astray && call - code->astray < near) || branched_into(code, code->set, call))
		return KP_NUMBER_ANY;
	*nr = code->nr;
	return KP_NUMBER_KNOWN;
}

/* ---- the way back from the program's handlers --------------------------------------- */

/* Elsewhere than in these words nothing is known of it. */
uintptr_t kp_number_more(unsigned int nth)
{
	uintptr_t at = kp_user_kernel_return;

	return !nth && at && word_at(at) == RETURNING && word_at(at + 4) == KP_CALL_WORD ? at + 4 : 0;
}
