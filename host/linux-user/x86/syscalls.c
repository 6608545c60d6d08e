/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * syscalls.c - which system call instructions are watched.
 *
 * Owns: finding them in an object's text, and the code beside it that a watched
 * one goes on in.  A breakpoint of ours stands on each that may ask for a call
 * of interest:
 *
 *   its number is known     constants on all ways there (numbers.c), none of
 *                           them of interest: it is left alone
 *   its number is unknown   watched, as long as the description of its function
 *                           for unwinders shows that it is an instruction at all
 *   nothing is known        watched if a constant of interest is right before it
 *
 * The way back from a signal's handler, and an unknown one behind an instruction
 * that a jump fits in, as in syscall(2), are led aside by a jump, which costs no
 * trap:
 *
 *   mov $15, %rax           jmp to kp_user_sigreturn (signal.S)
 *   syscall
 *
 *   mov 8(%rsp), %r9        jmp to:    mov 8(%rsp), %r9
 *   syscall                            (is it of interest?)  no: jmp to syscall
 *                                      yes: a breakpoint, served as the others
 *
 * A jump takes the place of one instruction, so nobody can rest inside.
 *
 * Locks: the registry lock.
 */
#include "host.h"
#include "machine.h"
#include "numbers.h"
#include "syscalls.h"
#include "upcall.h"
#include "text/intercept.h"
#include "text/stubs.h"
#include "objects/eh_frame.h"
#include "objects/engine.h"
#include "objects/objects.h"
#include "signals/calls.h"
#include "signals/outs_table.h"

#define STUB_LEN 8
#define FILTER_LEN 64
#define JUMP_LEN 5
#define STRAIGHT 40			/* how far before the call it is looked for */

/* By the low bits of a number, for the filters; filled once. */
static uint8_t of_interest[65536];

static bool interesting(unsigned long nr)
{
	return nr < sizeof(of_interest) && of_interest[nr];
}

static bool harmless(unsigned long nr)
{
	return !interesting(nr);
}

static void know_numbers(void)
{
	size_t i;

	for (i = 0; kp_user_calls_all_wanted() && i < sizeof(of_interest); i++)
		of_interest[i] = !kp_user_outs_none(i);
	for (i = 0; i < KP_CALLS_HELD; i++)
		of_interest[kp_user_calls_held[i]] = 1;
}

/* ---- stubs ---------------------------------------------------------------- */

/* at bytes[len] of what will be at stub: e9, to there. */
static size_t put_jump(uint8_t *bytes, size_t len, uintptr_t stub, uintptr_t to)
{
	int32_t rel = (int32_t)(to - (stub + len + JUMP_LEN));

	bytes[len] = 0xe9;
	memcpy(bytes + len + 1, &rel, sizeof(rel));
	return len + JUMP_LEN;
}

/* syscall; jmp back */
static int make_stub(uintptr_t call, uintptr_t *stub)
{
	uint8_t bytes[STUB_LEN] = { 0x0f, 0x05 };
	int err = kp_user_stub_take(call, STUB_LEN, stub);

	if (err)
		return err;
	put_jump(bytes, KP_SYSCALL_LEN, *stub, call + KP_SYSCALL_LEN);
	kp_user_stub_fill(*stub, bytes, sizeof(bytes));
	return 0;
}

/* ---- without a description --------------------------------------------------- */

/* Straight from `mov $nr, %eax` at from to the call at to? */
static bool leads_to(uintptr_t from, uintptr_t to)
{
	struct kp_insn insn;

	for (; from < to; from += insn.length)
		if (kp_insn_decode(&insn, (const uint8_t *)from,
				   to + KP_SYSCALL_LEN - from, KP_INSN_64) ||
		    insn.flow != KP_INSN_FLOW_NONE)
			return false;
	return from == to;
}

/* A number of interest, or a harmless one, by what the bytes before look like. */
static bool seems(uintptr_t begin, uintptr_t call, bool (*is)(unsigned long nr))
{
	uintptr_t mov = call - 5;

	for (; mov >= begin && mov > call - STRAIGHT; mov--) {
		uint32_t nr;

		if (*(const uint8_t *)mov != 0xb8)
			continue;
		memcpy(&nr, (const void *)(mov + 1), sizeof(nr));
		if (is(nr) && leads_to(mov, call))
			return true;
	}
	return false;
}

/*
 * Does it stand where an instruction begins?  Who begins to decode anywhere is soon
 * where the others are: most ways there must agree.
 */
static bool seems_an_instruction(uintptr_t begin, uintptr_t call)
{
	uintptr_t from = call - begin > 4 * STRAIGHT ? call - 4 * STRAIGHT : begin;
	unsigned int reached = 0, ways = 0;
	struct kp_insn insn;
	uintptr_t at;

	for (; from + STRAIGHT < call && ways < 64; from++, ways++) {
		for (at = from; at < call; at += insn.length)
			if (kp_insn_decode(&insn, (const uint8_t *)at,
					   call + KP_SYSCALL_LEN - at, KP_INSN_64))
				break;
		reached += at == call;
	}
	return !ways || reached > ways / 2;
}

/* ---- watching ------------------------------------------------------------------- */

static void watch(struct kp_intercept *intercept)
{
	int err = kp_user_intercept_add(intercept);

	if (err && err != -EEXIST)
		kp_user_calls_miss(KP_CALLS_NO_ROOM);
}

static void watch_by_trap(uintptr_t call)
{
	struct kp_intercept intercept = {
		.addr = call, .original = { 0x0f }, .kind = KP_INTERCEPT_SYSCALL,
	};

	if (make_stub(call, &intercept.stub))
		kp_user_calls_miss(KP_CALLS_NO_STUB);
	else
		watch(&intercept);
}

/*
 * In place of the instruction before the call, and reserving both.  False: the
 * stub cannot be reached.
 */
static bool watch_by_jump(uintptr_t at, uintptr_t call, uintptr_t stub)
{
	struct kp_intercept intercept = {
		.addr = at, .kind = KP_INTERCEPT_JUMP, .stub = stub,
		.len = (uint8_t)(call + KP_SYSCALL_LEN - at),
	};

	if (!kp_user_stub_reaches(at + JUMP_LEN, stub))
		return false;
	memcpy(intercept.bytes, (const void *)at, JUMP_LEN);
	intercept.original[0] = intercept.bytes[0];
	watch(&intercept);
	return true;
}

/* What signal handlers return through, until the core knows that, too. */
struct restorer {
	struct restorer *next;
	uintptr_t at;
	size_t len;
};
static struct restorer *restorers;

static void note_restorer(uintptr_t at, size_t len)
{
	struct restorer *new = kp_host_alloc(sizeof(*new));

	/* Else it is reserved all the same, as it is watched. */
	if (!new)
		return;
	*new = (struct restorer){ restorers, at, len };
	restorers = new;
}

/* No lock held. */
void kp_user_calls_settle(void)
{
	struct restorer *one;

	for (;;) {
		kp_host_lock(KP_LOCK_REGISTRY);
		one = restorers;
		if (one)
			restorers = one->next;
		kp_host_unlock(KP_LOCK_REGISTRY);
		if (!one)
			return;
		kp_core_blacklist_add(one->at, one->len, "__restore_rt");
		kp_host_free(one);
	}
}

/* mov $15, %rax (or %eax), directly before the call. */
static bool is_restorer(uintptr_t begin, uintptr_t call, uintptr_t *at)
{
	static const uint8_t wide[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0 };
	static const uint8_t narrow[] = { 0xb8, 0x0f, 0, 0, 0 };

	*at = call - sizeof(wide);
	if (*at >= begin && !memcmp((const void *)*at, wide, sizeof(wide)))
		return true;
	*at = call - sizeof(narrow);
	return *at >= begin && !memcmp((const void *)*at, narrow, sizeof(narrow));
}

static void watch_restorer(uintptr_t at, uintptr_t call)
{
	/* jmp *0(%rip) */
	uint8_t bytes[16] = { 0xff, 0x25 };
	uintptr_t to = (uintptr_t)kp_user_sigreturn, stub;

	if (watch_by_jump(at, call, to))
		return;
	memcpy(bytes + 6, &to, sizeof(to));
	if (kp_user_stub_take(at, sizeof(bytes), &stub)) {
		watch_by_trap(call);
		return;
	}
	kp_user_stub_fill(stub, bytes, sizeof(bytes));
	if (!watch_by_jump(at, call, stub))
		watch_by_trap(call);
}

/*
 *	the instruction
 *	movabs	$of_interest, %r11	; the call overwrites both registers, and
 *	movzwl	%ax, %ecx		; nothing here changes flags
 *	movzbl	(%r11,%rcx), %ecx
 *	jrcxz	2f
 * 1:	syscall				; its first byte becomes a breakpoint
 *	jmp	call + 2
 * 2:	jmp	call
 */
static size_t make_filter(uint8_t *bytes, uintptr_t before, uintptr_t call,
			  size_t len, uintptr_t stub, size_t *trap)
{
	static const uint8_t test[] = {
		0x0f, 0xb7, 0xc8, 0x41, 0x0f, 0xb6, 0x0c, 0x0b, 0xe3, 0x07,
	};
	uint64_t table = (uintptr_t)of_interest;

	memcpy(bytes, (const void *)before, len);
	bytes[len++] = 0x49;
	bytes[len++] = 0xbb;
	memcpy(bytes + len, &table, sizeof(table));
	len += sizeof(table);
	memcpy(bytes + len, test, sizeof(test));
	len += sizeof(test);
	*trap = len;
	bytes[len++] = 0x0f;
	bytes[len++] = 0x05;
	len = put_jump(bytes, len, stub, call + KP_SYSCALL_LEN);
	return put_jump(bytes, len, stub, call);
}

/* A jump fits in what is before the call, and only that leads to it. */
static bool room_for_jump(const struct kp_before *before, uintptr_t call)
{
	struct kp_insn insn;

	return before->alone && call - before->at >= JUMP_LEN &&
	       !kp_insn_decode(&insn, (const uint8_t *)before->at,
			       call - before->at, KP_INSN_64) &&
	       insn.flow == KP_INSN_FLOW_NONE &&
	       !(insn.flags & (KP_INSN_RIP_REL | KP_INSN_PRIVILEGED)) &&
	       !kp_user_intercept_overlaps(before->at, call - before->at);
}

static bool watch_by_filter(const struct kp_before *before, uintptr_t call)
{
	uint8_t bytes[FILTER_LEN];
	uintptr_t stub;
	size_t len, trap;
	struct kp_intercept intercept = { .original = { 0x0f }, .kind = KP_INTERCEPT_SYSCALL };

	if (!room_for_jump(before, call) ||
	    kp_user_stub_take(call, sizeof(bytes), &stub))
		return false;
	len = make_filter(bytes, before->at, call, call - before->at, stub,
			  &trap);
	kp_user_stub_fill(stub, bytes, len);
	intercept.addr = stub + trap;
	if (make_stub(intercept.addr, &intercept.stub))
		return false;
	watch(&intercept);
	return watch_by_jump(before->at, call, stub);
}

static void consider(const struct kp_object *object, uintptr_t begin,
		     uintptr_t call)
{
	struct kp_before before;
	uintptr_t at;
	size_t len;

	if (is_restorer(begin, call, &at)) {
		note_restorer(at, call + KP_SYSCALL_LEN - at);
		watch_restorer(at, call);
		return;
	}
	switch (kp_user_number(object, call, harmless, &before)) {
	case KP_NUMBER_NO_CALL:
		if (seems(begin, call, interesting))
			watch_by_trap(call);
		else if (kp_user_calls_all_wanted() && !seems(begin, call, harmless) &&
			 seems_an_instruction(begin, call) &&
			 !kp_user_unwind_bounds(object, call, &at, &len))
			kp_user_calls_miss(KP_CALLS_NO_CODE);
		break;
	case KP_NUMBER_UNKNOWN:
		/* A constant that is of interest will be asked for. */
		if (seems(begin, call, interesting) ||
		    !watch_by_filter(&before, call))
			watch_by_trap(call);
		break;
	case KP_NUMBER_HARMLESS:
		break;
	}
}

/* Jumps lead there from what the C library has named. */
KP_TRAP_PATH void kp_user_lead_return(struct sys_sigaction *act)
{
	(void)act;
}

KP_TRAP_PATH void kp_user_hide_return(struct sys_sigaction *act)
{
	(void)act;
}

/* Find the calls in [start, start+len), readable text.  Not armed yet. */
void kp_user_calls_scan(struct kp_object *object, uintptr_t start,
			size_t len)
{
	const uint8_t *begin = (const uint8_t *)start, *p = begin + 5;
	const uint8_t *end = begin + len;

	if (len < 7)
		return;
	know_numbers();
	for (; (p = kp_user_find_pair(p, end, 0x0f, 0x05)) != end; p++)
		if (!kp_user_in_engine(NULL, (uintptr_t)p) &&
		    !kp_user_intercept_overlaps((uintptr_t)p, KP_SYSCALL_LEN))
			consider(object, start, (uintptr_t)p);
	kp_user_numbers_end();
	if (kp_user_stubs_write()) {
		kp_user_calls_miss(KP_CALLS_NO_STUB);
		kp_user_intercept_forget(start, len);
	}
}
