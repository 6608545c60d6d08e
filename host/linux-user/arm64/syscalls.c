/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * syscalls.c - which system call instructions are watched.
 *
 * Owns: finding them in an object's text, and the code beside it that a watched one
 * goes on in.  A breakpoint of ours stands on each that may ask for a call of interest:
 *
 *   its number is known     mov x8, #number stands before it in straight code that no
 *                           branch of the function leads into, and it is not of
 *                           interest: it is left alone
 *   nothing is known        watched, as long as the description of its function for
 *                           unwinders shows that it is an instruction at all
 *
 * The way back from a signal's handler is in the vdso.  Handlers of the program get
 * another one, access.S's, as its own restorer where it names none.
 *
 * Locks: the registry lock.
 */
#include "insn/insn.h"
#include "stubs.h"

#include <elf.h>

#define STUB_LEN 8
#define SVC 0xd4000001u
#define NUMBER_REG 8
#define STRAIGHT 40u			/* words before the call that are looked at */
#define FUNCTION_MAX (1ul << 20)

/* access.S knows them; the kernel's frame begins with the siginfo_t. */
_Static_assert(sizeof(siginfo_t) == 128, "UC_AT");
_Static_assert(offsetof(ucontext_t, uc_mcontext.regs) == 184, "UC_REGS");

static const char *cannot;		/* watch one that should be; or NULL */
#define NO_STUB "the engine did not start: a system call that might block SIGTRAP cannot be watched, for there is no memory near it"

const char *kp_user_calls_missed(void)
{
	return cannot;
}

bool kp_user_calls_all_wanted(void)
{
	return false;
}

/* There are no jumps in the place of what signal handlers return through. */
void kp_user_calls_settle(void)
{
}

static uint32_t word_at(uintptr_t addr)
{
	return *(const uint32_t *)addr;
}

static bool interesting(unsigned long nr)
{
	size_t i;

	for (i = 0; i < KP_CALLS_HELD; i++)
		if (kp_user_calls_held[i] == nr)
			return true;
	return false;
}

/* ---- the number --------------------------------------------------------------- */

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

/* The one number that the call at addr can have, in the function [start, end). */
static bool number_of(uintptr_t start, uintptr_t end, uintptr_t addr,
		      unsigned long *nr)
{
	uintptr_t at = addr;
	unsigned int i;

	for (i = 0; i < STRAIGHT && at > start; i++) {
		at -= KP_A64_LEN;
		if (sets_number(word_at(at), nr))
			return !branched_into(start, end, at, addr);
		if (spoils(word_at(at)))
			return false;
	}
	return false;
}

/* ---- watching ------------------------------------------------------------------- */

/* svc #0; b back */
static int make_stub(uintptr_t call, uintptr_t *stub)
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

static void watch(uintptr_t call)
{
	struct kp_intercept intercept = { .addr = call, .kind = KP_INTERCEPT_SYSCALL };
	int err;

	memcpy(intercept.original, (const void *)call, sizeof(intercept.original));
	if (make_stub(call, &intercept.stub)) {
		cannot = NO_STUB;
		return;
	}
	err = kp_user_intercept_add(&intercept);
	if (err && err != -EEXIST)
		cannot = "the engine did not start: more system calls might block SIGTRAP than can be watched";
}

static void consider(const struct kp_object *object, uintptr_t begin,
		     uintptr_t call)
{
	uintptr_t start;
	unsigned long nr;
	size_t len;

	if (!kp_user_unwind_bounds(object, call, &start, &len)) {
		/* Not even that it is code: only what looks like it. */
		if (call > begin && sets_number(word_at(call - KP_A64_LEN), &nr) &&
		    interesting(nr))
			watch(call);
		return;
	}
	if (len < FUNCTION_MAX && number_of(start, start + len, call, &nr) &&
	    !interesting(nr))
		return;
	watch(call);
}

/* Find the calls in [start, start+len), readable text.  Not armed yet. */
void kp_user_calls_scan(const struct kp_object *object, uintptr_t start,
			size_t len)
{
	uintptr_t begin = (start + KP_A64_LEN - 1) & ~(uintptr_t)(KP_A64_LEN - 1);
	uintptr_t at;

	for (at = begin; at + KP_A64_LEN <= start + len; at += KP_A64_LEN)
		if (word_at(at) == SVC && !kp_user_in_engine(NULL, at) &&
		    !kp_user_intercept_overlaps(at, KP_SYSCALL_LEN))
			consider(object, begin, at);
	if (kp_user_stubs_write()) {
		cannot = NO_STUB;
		kp_user_intercept_forget(start, len);
	}
}

/* ---- the way back from the program's handlers --------------------------------------- */

KP_TRAP_PATH void kp_user_lead_return(struct sys_sigaction *act)
{
	/* SIG_DFL and SIG_IGN return nowhere. */
	if ((act->flags & SYS_SA_RESTORER) || (uintptr_t)act->handler <= 1)
		return;
	act->flags |= SYS_SA_RESTORER;
	act->restorer = (void *)kp_user_sigreturn;
}

KP_TRAP_PATH void kp_user_hide_return(struct sys_sigaction *act)
{
	if (act->restorer != (void *)kp_user_sigreturn)
		return;
	act->flags &= ~SYS_SA_RESTORER;
	act->restorer = NULL;
}
