// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * way.c - a thread's way back to where it was taken, behind the vdso's code.
 *
 * Owns: that code, which sets all that a system call of ours in its place has changed:
 *
 *	mov  $14, %eax		rt_sigprocmask(SIG_SETMASK, mask, NULL, 8)
 *	mov  $2, %edi
 *	lea  mask(%rip), %rsi
 *	mov  $0, %edx
 *	mov  $8, %r10d
 *	syscall
 *	mov  $.., %rdi		... rsi, rdx, r10, r8, r9, rcx, r11, and rax
 *	std			or nop: our calls are made without that flag
 *	jmp  *ip(%rip)		to the call's own instruction, or where it computed
 *  ip:	.quad
 *  mask: .quad
 *
 * The other flags stay as they are.
 * Nothing is written on the thread's stack, of which a program without a C library says
 * nothing, and there may be no room.
 */
#include "frame.h"
#include "vdso_end.h"

#include <string.h>

#define PLACE_END 64u			/* before the pages' end: restorer.c's is there */
#define WAY_LEN 144u
#define HEAD_LEN 30u
#define MOVES 9u
#define MOVE_LEN 10u
#define FLAG_AT (HEAD_LEN + MOVES * MOVE_LEN)
#define JUMP_AT (FLAG_AT + 1u)
#define DIRECTION 0x400u
#define IP_AT (JUMP_AT + 6u)
#define MASK_AT (IP_AT + 8u)

static const uint8_t head[HEAD_LEN] = {
	0xb8, 0x0e, 0x00, 0x00, 0x00,			/* mov $14, %eax */
	0xbf, 0x02, 0x00, 0x00, 0x00,			/* mov $2, %edi */
	0x48, 0x8d, 0x35, MASK_AT - 17, 0x00, 0x00, 0x00,	/* lea mask(%rip), %rsi */
	0xba, 0x00, 0x00, 0x00, 0x00,			/* mov $0, %edx */
	0x41, 0xba, 0x08, 0x00, 0x00, 0x00,		/* mov $8, %r10d */
	0x0f, 0x05,					/* syscall */
};
_Static_assert(MASK_AT + 8 <= WAY_LEN, "the way has room");

/* The place; 0: there is no vdso. */
static uint64_t place(const struct remote *remote)
{
	uint64_t at = vdso_end(remote, PLACE_END + WAY_LEN);

	return at ? at - PLACE_END - WAY_LEN : 0;
}

static void put(uint8_t *code, size_t at, uint64_t value)
{
	memcpy(code + at, &value, sizeof(value));
}

static void compose(uint8_t code[WAY_LEN], const struct user_regs_struct *regs, uint64_t mask)
{
	/* mov $.., %reg: its first bytes, and what it is. */
	const struct { uint8_t prefix, opcode; uint64_t value; } moves[MOVES] = {
		{ 0x48, 0xbf, regs->rdi }, { 0x48, 0xbe, regs->rsi }, { 0x48, 0xba, regs->rdx },
		{ 0x49, 0xba, regs->r10 }, { 0x49, 0xb8, regs->r8 }, { 0x49, 0xb9, regs->r9 },
		{ 0x48, 0xb9, regs->rcx }, { 0x49, 0xbb, regs->r11 }, { 0x48, 0xb8, regs->rax },
	};
	size_t i, at = HEAD_LEN;

	memset(code, 0, WAY_LEN);
	memcpy(code, head, HEAD_LEN);
	for (i = 0; i < MOVES; i++, at += MOVE_LEN) {
		code[at] = moves[i].prefix;
		code[at + 1] = moves[i].opcode;
		put(code, at + 2, moves[i].value);
	}
	code[FLAG_AT] = regs->eflags & DIRECTION ? 0xfd : 0x90;	/* std, nop */
	code[JUMP_AT] = 0xff;		/* jmp *0(%rip) */
	code[JUMP_AT + 1] = 0x25;
	put(code, IP_AT, regs->rip);
	put(code, MASK_AT, mask);
}

/* What stands there: nothing, one of ours, or else. */
static bool is_free(const struct remote *remote, uint64_t at, bool *ours)
{
	uint8_t there[WAY_LEN], empty[WAY_LEN] = { 0 };

	*ours = false;
	if (!at || remote_read(remote, at, there, sizeof(there)))
		return false;
	*ours = !memcmp(there, head, HEAD_LEN);
	return *ours || !memcmp(there, empty, sizeof(there));
}

bool way_possible(const struct remote *remote)
{
	bool ours;

	return is_free(remote, place(remote), &ours);
}

uint64_t way_make(const struct remote *remote, const struct tracee_regs *regs, uint64_t mask)
{
	uint64_t at = place(remote);
	uint8_t code[WAY_LEN];
	bool ours;

	compose(code, &regs->user, mask);
	return is_free(remote, at, &ours) && !remote_write(remote, at, code, sizeof(code)) ? at : 0;
}

int way_set_mask(const struct remote *remote, uint64_t way, uint64_t mask)
{
	return remote_write(remote, way + MASK_AT, &mask, sizeof(mask));
}

void way_unmake(const struct remote *remote, uint64_t way)
{
	static const uint8_t empty[WAY_LEN];

	remote_write(remote, way, empty, sizeof(empty));
}

uint64_t way_stale(const struct remote *remote)
{
	uint64_t at = place(remote);
	bool ours;

	return is_free(remote, at, &ours) && ours ? at : 0;
}

bool way_holds(uint64_t way, uint64_t ip)
{
	return way && ip - way < WAY_LEN;
}
