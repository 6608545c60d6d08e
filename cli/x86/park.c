// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * park.c - the code in which a new process waits, behind the vdso's.
 *
 * Owns: that code, in front of the places of restorer.c and way.c:
 *
 *  0:	mov  $35, %eax		nanosleep(time, NULL)
 *	lea  time(%rip), %rdi
 *	xor  %esi, %esi
 *	syscall
 *	mov  $62, %eax		kill(holder, 0): is it there?
 *	mov  $.., %edi
 *	xor  %esi, %esi
 *	syscall
 *	test %eax, %eax
 *	je   0b
 *	mov  $231, %eax		exit_group(status); or a jump to 1f
 *	mov  $.., %edi
 *	syscall
 * 1:	xor  %edi, %edi		... rcx, rax, r11: what the kernel gives a new program
 *	jmp  *begin(%rip)
 * time: .quad 0, 100000000
 * begin: .quad
 */
#include "park.h"
#include "vdso_end.h"

#include <string.h>

#define PLACE_END 288u			/* before the pages' end */
#define PARK_LEN 96u
#define HOLDER_AT 22u
#define EXIT_AT 34u
#define STATUS_AT 40u
#define GO_AT 46u
#define TIME_AT 64u
#define BEGIN_AT 80u

static const uint8_t code[PARK_LEN] = {
	0xb8, 0x23, 0x00, 0x00, 0x00,			/* mov $35, %eax */
	0x48, 0x8d, 0x3d, TIME_AT - 12, 0x00, 0x00, 0x00,	/* lea time(%rip), %rdi */
	0x31, 0xf6,					/* xor %esi, %esi */
	0x0f, 0x05,					/* syscall */
	0xb8, 0x3e, 0x00, 0x00, 0x00,			/* mov $62, %eax */
	0xbf, 0x00, 0x00, 0x00, 0x00,			/* mov $holder, %edi */
	0x31, 0xf6,					/* xor %esi, %esi */
	0x0f, 0x05,					/* syscall */
	0x85, 0xc0,					/* test %eax, %eax */
	0x74, 256 - EXIT_AT,				/* je 0b */
	0xb8, 0xe7, 0x00, 0x00, 0x00,			/* mov $231, %eax */
	0xbf, 0x01, 0x00, 0x00, 0x00,			/* mov $status, %edi */
	0x0f, 0x05,					/* syscall */
	0x31, 0xff,					/* xor %edi, %edi */
	0x31, 0xc9,					/* xor %ecx, %ecx */
	0x31, 0xc0,					/* xor %eax, %eax */
	0x45, 0x31, 0xdb,				/* xor %r11d, %r11d */
	0xff, 0x25, BEGIN_AT - 61, 0x00, 0x00, 0x00,	/* jmp *begin(%rip) */
	0x90, 0x90, 0x90,
	0, 0, 0, 0, 0, 0, 0, 0,
	0x00, 0xe1, 0xf5, 0x05, 0, 0, 0, 0,		/* 100 ms */
};

bool park_is_known(void)
{
	return true;
}

uint64_t park_make(const struct remote *remote, pid_t holder, uint64_t begin)
{
	static const uint8_t jump[] = { 0xeb, GO_AT - EXIT_AT - 2 };
	uint8_t there[PARK_LEN], empty[PARK_LEN] = { 0 }, ours[PARK_LEN];
	int32_t number = holder;
	uint64_t at = vdso_end(remote, PLACE_END);

	if (!at)
		return 0;
	at -= PLACE_END;
	memcpy(ours, code, PARK_LEN);
	memcpy(ours + HOLDER_AT, &number, sizeof(number));
	memcpy(ours + BEGIN_AT, &begin, sizeof(begin));
	if (begin)
		memcpy(ours + EXIT_AT, jump, sizeof(jump));
	if (remote_read(remote, at, there, sizeof(there)) ||
	    memcmp(there, empty, sizeof(there)) || remote_write(remote, at, ours, sizeof(ours)))
		return 0;
	return at;
}

void park_unmake(const struct remote *remote, uint64_t park)
{
	static const uint8_t empty[PARK_LEN];

	remote_write(remote, park, empty, sizeof(empty));
}

uint64_t park_wait_at(uint64_t park)
{
	return park;
}

uint64_t park_end_at(const struct remote *remote, uint64_t park, int status)
{
	int32_t word = status;

	remote_write(remote, park + STATUS_AT, &word, sizeof(word));
	return park + EXIT_AT;
}
