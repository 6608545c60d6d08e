/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * sets.c - which instruction set stands at an address of the program's text.
 *
 * Owns: the answer, by what is there:
 *
 *   $a, $t, $d	of the object's file, as assemblers and linkers leave them: they say all
 *   a function's symbol	its bit 0 says Thumb.  What stands among its code that is none is
 *		not marked then, and the lengths of Thumb mean nothing there; so it is read from
 *		the function's start, and behind the first place that it has a literal, a table or
 *		an address at nothing is known
 *   else	it is not known
 *
 * Locks: the registry lock.
 */
#include "machine.h"
#include "reserved.h"
#include "upcall.h"
#include "objects/elf.h"
#include "objects/objects.h"
#include "insn/insn.h"

#include <elf.h>

char kp_user_mark_at(struct kp_object *object, uintptr_t from, uintptr_t addr)
{
	const char *mark = kp_user_elf_mark(object, from, addr);

	return mark ? mark[1] : 0;
}

/* Where what an instruction at addr has data at begins; or ~0. */
static uintptr_t data_of(const struct kp_arm_insn *insn, uintptr_t addr)
{
	switch (insn->class) {
	case KP_ARM_TABLE:
		return addr + insn->len;
	case KP_ARM_DATA:
	case KP_ARM_LOAD:
	case KP_ARM_STORE:
	case KP_ARM_COPRO:
	case KP_ARM_PRELOAD:
	case KP_ARM_LITERAL:
	case KP_ARM_SHORT_ADR:
	case KP_ARM_ADR:
		if (insn->relative)
			return kp_arm_operand(insn, (uint32_t)addr);
		/* Of an index into what follows. */
		return insn->class == KP_ARM_LOAD && insn->pc & KP_ARM_N ? addr + insn->len : ~(uintptr_t)0;
	}
	return ~(uintptr_t)0;
}

/* Is all from start to behind addr code, as far as it tells? */
static bool is_all_code(uintptr_t start, uintptr_t addr, bool thumb)
{
	uintptr_t at, data = ~(uintptr_t)0, found;
	struct kp_arm_insn insn;
	uint32_t word;

	for (at = start; at <= addr && at < data; at += insn.len) {
		word = 0;
		if (kp_core_original_locked(&word, at, 4) && kp_core_original_locked(&word, at, 2))
			return false;
		kp_arm_decode(&insn, word, thumb);
		found = data_of(&insn, at);
		if (found > at && found < data)
			data = found;
	}
	return addr < data;
}

/* What stands before addr, as far as it is of the same function. */
static bool is_in_no_block(uintptr_t start, uintptr_t addr)
{
	uint8_t before[KP_REGION_BEFORE] = { 0 };
	size_t len = addr - start < sizeof(before) ? addr - start : sizeof(before);

	return !kp_core_original_locked(before + sizeof(before) - len, addr - len, len) &&
	       !kp_arm_may_be_in_block(before);
}

static const char *answer(bool second, uintptr_t start, uintptr_t addr, unsigned int *flags)
{
	if (second)
		*flags |= KP_ARCH_SECOND_SET | (is_in_no_block(start, addr) ? KP_ARCH_NO_BLOCK : 0);
	return NULL;
}

static bool is_function(const struct kp_symbol *sym)
{
	return sym && sym->type != STT_NOTYPE;
}

/* Of the function that it is in, or of all of the object. */
static char mark_of(struct kp_object *object, const struct kp_symbol *sym, uintptr_t addr)
{
	return kp_user_mark_at(object, is_function(sym) ? sym->addr : object->start, addr);
}

bool kp_user_is_data_at(struct kp_object *object, uintptr_t addr)
{
	return mark_of(object, kp_user_elf_at(object, addr), addr) == 'd';
}

const char *kp_user_set_at(struct kp_object *object, uintptr_t addr, unsigned int *flags)
{
	const struct kp_symbol *sym = kp_user_elf_at(object, addr);
	const bool function = is_function(sym);
	char mark = mark_of(object, sym, addr);

	if (mark == 'd')
		return "data, not text";
	if (mark)
		return answer(mark == 't', function ? sym->addr : object->start, addr, flags);
	if (!function)
		return "nothing says whether ARM or Thumb instructions stand there";
	if (!is_all_code(sym->addr, addr, sym->second))
		return "it may be among data: no symbols of the object's tell where that is";
	return answer(sym->second, sym->addr, addr, flags);
}
