/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * numbers.c - the system calls of arm code, and which number they have.
 *
 * Owns: numbers.h's answers.  Text tells neither
 * of which set it is nor where an instruction begins.  So what looks like a call counts as
 * one where what stands before it gives r7 a value, and leads to it, instruction by
 * instruction; else as data where code of its function loads it.  The C library's calls in
 * Thumb go through one instruction whose number anything may be: that one is watched.
 *
 * Locks: the registry lock.
 */
#include "literal.h"
#include "machine.h"
#include "numbers.h"
#include "freestanding/copy.h"
#include "text/stubs.h"
#include "objects/elf.h"
#include "objects/objects.h"
#include "insn/insn.h"

#include <elf.h>

#define NUMBER_REG 7u
#define BEFORE 32u			/* bytes before the call that are looked at */
#define AROUND 1024u			/* ... for branches that lead there */
#define STUB_LEN 12

bool kp_number_wanted(uintptr_t addr)
{
	return *(const uint16_t *)addr == KP_SVC_T32 ||
	       (!(addr % 4) && *(const uint32_t *)addr == KP_SVC_A32);
}

static uint32_t word_at(uintptr_t addr, bool thumb)
{
	uint32_t low = *(const uint16_t *)addr;

	return thumb && !kp_arm_is_wide((uint16_t)low) ? low :
	       low | (uint32_t)*(const uint16_t *)(addr + 2) << 16;
}

enum sets { SETS_NOT, SETS_ANY, SETS_NUMBER };

static uint32_t field(uint32_t word, unsigned int low, unsigned int nr)
{
	return kp_arm_bits(word, low, nr);
}

/* mov r7, rm; mov r7, #n; movw r7, #n; ldr r7, [pc, ..] */
static enum sets sets_number(const struct kp_arm_insn *insn, unsigned long *nr)
{
	uint32_t word = insn->word;

	if (!insn->thumb) {
		*nr = word & 0xff;
		if ((word & 0xffffff00) == 0xe3a07000)
			return SETS_NUMBER;
		*nr = field(word, 16, 4) << 12 | (word & 0xfff);
		if ((word & 0xfff0f000) == 0xe3007000)
			return SETS_NUMBER;
		return (word & 0xfffff000) == 0xe3a07000 || (word & 0xfffffff0) == 0xe1a07000 ||
		       (word & 0xff7ff000) == 0xe51f7000 ? SETS_ANY : SETS_NOT;
	}
	if (insn->len == 2) {
		*nr = word & 0xff;
		return word >> 8 == 0x27 ? SETS_NUMBER :
		       (word & 0xff87) == 0x4607 || word >> 8 == 0x4f ? SETS_ANY : SETS_NOT;
	}
	*nr = word & 0xff;
	if ((word & 0xffffff00) == 0xf04f0700)
		return SETS_NUMBER;
	*nr = field(word, 16, 4) << 12 | field(word, 26, 1) << 11 | field(word, 12, 3) << 8 | (word & 0xff);
	if ((word & 0xfbf08f00) == 0xf2400700)
		return SETS_NUMBER;
	/* A byte, whose highest bit is set, moved to the left; of which some are known. */
	*nr = (0x80ul | (word & 0x7f)) << (32 - (field(word, 26, 1) << 4 | field(word, 12, 3) << 1 | field(word, 7, 1)));
	if ((word & 0xfffff000) == 0xf44f7000 && field(word, 8, 4) == NUMBER_REG)
		return SETS_NUMBER;
	return (word & 0xfbff8f00) == 0xf04f0700 ? SETS_ANY : SETS_NOT;
}

/* movt r7: then it is none of those that are of interest. */
static bool sets_top(const struct kp_arm_insn *insn)
{
	return insn->thumb ? insn->len == 4 && (insn->word & 0xfbf08f00) == 0xf2c00700 :
			     (insn->word & 0xfff0f000) == 0xe3407000;
}

/* May it change r7, or go elsewhere?  Wherever a register that is written may be named. */
static bool spoils(const struct kp_arm_insn *insn)
{
	uint32_t word = insn->word;
	unsigned int at;

	if (insn->class != KP_ARM_PLAIN && insn->class != KP_ARM_DATA && insn->class != KP_ARM_LOAD &&
	    insn->class != KP_ARM_STORE && insn->class != KP_ARM_LITERAL && insn->class != KP_ARM_HIGH)
		return true;
	if (insn->pc & KP_ARM_D)
		return true;
	if (insn->len == 2)
		return field(word, 0, 3) == 7 || field(word, 3, 3) == 7 || field(word, 8, 3) == 7;
	for (at = 0; at < 20; at += 4)
		if (field(word, at, 4) == NUMBER_REG)
			return true;
	return false;
}

/* From at on, which sets it, does straight code come to the call? */
static bool leads_to(uintptr_t at, uintptr_t call, bool thumb, bool *spoilt, unsigned long *nr)
{
	struct kp_arm_insn insn;

	*spoilt = false;
	kp_arm_decode(&insn, word_at(at, thumb), thumb);
	for (at += insn.len; at < call; at += insn.len) {
		kp_arm_decode(&insn, word_at(at, thumb), thumb);
		if (insn.class == KP_ARM_UNALLOCATED)
			return false;
		if (sets_top(&insn))
			*nr |= 0xf0000;
		else
			*spoilt |= spoils(&insn);
	}
	return at == call;
}

/* Does what may be a branch near it lead to behind set and up to the call? */
static bool branched_into(struct kp_object *object, uintptr_t set, uintptr_t call, bool thumb)
{
	const struct kp_segment *segment = kp_user_segment_at(object, call);
	uintptr_t at = call - segment->start > AROUND ? call - AROUND : segment->start;
	uintptr_t end = segment->end - call > AROUND ? call + AROUND : segment->end - 4;
	struct kp_arm_insn insn;
	uintptr_t to;

	for (; at < end; at += thumb ? 2 : 4) {
		kp_arm_decode(&insn, word_at(at, thumb), thumb);
		if (insn.class != KP_ARM_B && insn.class != KP_ARM_CBZ)
			continue;
		to = kp_arm_operand(&insn, (uint32_t)at);
		if (to > set && to <= call)
			return true;
	}
	return false;
}

/* Does other code of its function load it? */
static bool is_loaded(struct kp_object *object, uintptr_t call, bool thumb)
{
	const struct kp_symbol *sym = kp_user_elf_at(object, call);

	return sym && sym->type != STT_NOTYPE && sym->second == thumb && call - sym->addr < sym->len &&
	       kp_arm_is_literal(sym->addr, sym->len, call, thumb, kp_user_code_read);
}

enum kp_number kp_number_outside(struct kp_object *object, uintptr_t begin,
				 uintptr_t call, unsigned long *nr)
{
	const bool thumb = kp_call_second(call);
	const char mark = kp_user_mark_at(object, object->start, call);
	const uintptr_t unit = thumb ? 2 : 4;
	struct kp_arm_insn insn;
	enum sets sets;
	bool spoilt;
	uintptr_t at;

	if (mark && mark != (thumb ? 't' : 'a'))
		return KP_NUMBER_DATA;
	for (at = call - unit; at >= begin && call - at <= BEFORE; at -= unit) {
		kp_arm_decode(&insn, word_at(at, thumb), thumb);
		sets = sets_number(&insn, nr);
		if (sets == SETS_NOT || !leads_to(at, call, thumb, &spoilt, nr))
			continue;
		*nr = (unsigned long)kp_call_alike((long)*nr);
		return sets == SETS_ANY || spoilt || branched_into(object, at, call, thumb) ?
			       KP_NUMBER_ANY : KP_NUMBER_KNOWN;
	}
	return is_loaded(object, call, thumb) ? KP_NUMBER_DATA : KP_NUMBER_NO_CALL;
}

/* No description for unwinders is looked at: it tells no instruction from data. */
enum kp_number kp_number_of(uintptr_t start, uintptr_t end, uintptr_t call,
			    unsigned long *nr)
{
	(void)end;
	return kp_number_outside(kp_user_object_at(call), start, call, nr);
}

bool kp_number_spared(const struct kp_object *object, unsigned long nr)
{
	(void)object;
	(void)nr;
	return false;
}

void kp_number_end(void)
{
}

/* svc #0; ldr pc, [pc, #..]; in Thumb a nop between them. */
int kp_number_stub(uintptr_t call, uintptr_t *stub)
{
	const bool thumb = kp_call_second(call);
	const uint32_t words[] = {
		thumb ? 0xbf00u << 16 | KP_SVC_T32 : KP_SVC_A32,
		thumb ? 0xf000f8dfu : 0xe51ff004u,
		thumb ? (uint32_t)call + 2 + 1 : (uint32_t)call + 4,
	};
	int err = kp_user_stub_take_any(call, STUB_LEN, stub);

	if (!err)
		kp_user_stub_fill(*stub, (const uint8_t *)words, sizeof(words));
	return err;
}

uintptr_t kp_number_more(unsigned int nth)
{
	(void)nth;
	return 0;
}
