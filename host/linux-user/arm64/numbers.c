/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * numbers.c - the system calls of arm64 code, and which number they have.
 *
 * Owns: numbers.h's answers.
 *
 * Locks: the registry lock.
 */
#include "machine.h"
#include "numbers.h"
#include "thread.h"
#include "text/stubs.h"
#include "objects/objects.h"
#include "insn/insn.h"

#define STUB_LEN 8
#define SVC 0xd4000001u
#define NUMBER_REG 8
#define STRAIGHT 40u			/* words before the call that are looked at */

_Static_assert(offsetof(ucontext_t, uc_mcontext.regs) == 184, "UC_REGS");

static uint32_t word_at(uintptr_t addr)
{
	return *(const uint32_t *)addr;
}

/* mov x8, #nr or mov w8, #nr? */
static bool sets_number(uint32_t word, unsigned long *nr)
{
	if ((word & 0x7fe0001f) != (0x52800000 | NUMBER_REG))
		return false;
	*nr = word >> 5 & 0xffff;
	return true;
}

/* May it change x8, other than by what sets_number knows, or go elsewhere? */
static bool spoils(uint32_t word)
{
	struct kp_a64_insn insn;

	kp_a64_decode(&insn, word);
	/* Wherever a register that is written may be encoded: Rd, Rt2 or Ra, Rn, Rm. */
	return insn.class != KP_A64_PLAIN || (word & 31) == NUMBER_REG ||
	       (word >> 10 & 31) == NUMBER_REG || (word >> 5 & 31) == NUMBER_REG ||
	       (word >> 16 & 31) == NUMBER_REG;
}

/* Does a branch in [start, end) lead to behind from, and no farther than to? */
static bool branched_into(uintptr_t start, uintptr_t end, uintptr_t from,
			  uintptr_t to)
{
	uintptr_t at;

	for (at = start; at < end; at += KP_A64_LEN) {
		struct kp_a64_insn insn;
		uintptr_t target;

		kp_a64_decode(&insn, word_at(at));
		if (insn.class == KP_A64_BR)
			return true;		/* anywhere */
		if (insn.class < KP_A64_B || insn.class > KP_A64_TBZ)
			continue;
		target = kp_a64_operand(&insn, at);
		if (target > from && target <= to)
			return true;
	}
	return false;
}

bool kp_number_wanted(uintptr_t addr)
{
	return word_at(addr) == SVC;
}

/* All words of code are instructions. */
enum kp_number kp_number_of(uintptr_t start, uintptr_t end, uintptr_t call,
			    unsigned long *nr)
{
	uintptr_t at = call;
	unsigned int i;

	for (i = 0; i < STRAIGHT && at > start; i++) {
		at -= KP_A64_LEN;
		if (sets_number(word_at(at), nr))
			return branched_into(start, end, at, call) ? KP_NUMBER_ANY
								   : KP_NUMBER_KNOWN;
		if (spoils(word_at(at)))
			break;
	}
	return KP_NUMBER_ANY;
}

/* Not even that it is code: only what looks like it. */
enum kp_number kp_number_outside(struct kp_object *object, uintptr_t begin,
				 uintptr_t call, unsigned long *nr)
{
	(void)object;
	return call > begin && sets_number(word_at(call - KP_A64_LEN), nr)
		? KP_NUMBER_KNOWN : KP_NUMBER_NO_CALL;
}

/* Nobody's way back any more, and unwinders know it by its words. */
bool kp_number_spared(const struct kp_object *object, unsigned long nr)
{
	return object && object->vdso && nr == SYS_rt_sigreturn;
}

void kp_number_end(void)
{
}

/* svc #0; b back */
int kp_number_stub(uintptr_t call, uintptr_t *stub)
{
	uint8_t bytes[STUB_LEN];
	uint32_t svc = SVC;
	int err = kp_user_stub_take(call, STUB_LEN, stub);

	if (err)
		return err;
	memcpy(bytes, &svc, sizeof(svc));
	kp_intercept_jump(bytes + KP_SYSCALL_LEN, *stub + KP_SYSCALL_LEN,
		     call + KP_SYSCALL_LEN);
	kp_user_stub_fill(*stub, bytes, sizeof(bytes));
	return 0;
}

uintptr_t kp_number_more(unsigned int nth)
{
	(void)nth;
	return 0;
}
