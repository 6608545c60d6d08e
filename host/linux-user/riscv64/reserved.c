// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * reserved.c - do instructions trap that are none?
 *
 * Owns: trying those of which jumps can make use (arch/riscv64/detour.c).  The manual leaves
 * it to the processor what it does with encodings that are reserved: most take them for
 * illegal instructions, and it is found out by executing each once, as an access that may
 * fault (access.S).  Where one does anything else, none is used.
 *
 * Written once, before the first probe.
 */
#include "machine.h"

#include <errno.h>

#define TRY_LEN 6			/* the instruction; c.li a0, 0; ret */
#define TRIES_MAX 16

bool kp_user_reserved_traps;

extern const uint8_t kp_user_reserved[];
int kp_user_try(const void *code, void *scratch);

static bool traps(uint16_t half, const uint8_t *code)
{
	/* In case that it is a load or a store. */
	_Alignas(16) uint8_t scratch[256];

	return !memcmp(code, &half, sizeof(half)) && kp_user_try(code, scratch + 128) == -EFAULT;
}

void kp_user_reserved_start(void)
{
	const sys_sigset illegal = 1ul << (SIGILL - 1);
	uint16_t halves[TRIES_MAX];
	size_t nr = kp_rv_reserved(halves, TRIES_MAX), i = 0;
	sys_sigset mask;

	if (kp_user_reserved_traps)
		return;
	sys_sigprocmask(SIG_BLOCK, NULL, &mask);
	sys_sigprocmask(SIG_UNBLOCK, &illegal, NULL);
	while (i < nr && traps(halves[i], kp_user_reserved + i * TRY_LEN))
		i++;
	sys_sigprocmask(SIG_SETMASK, &mask, NULL);
	kp_user_reserved_traps = i == nr;
}
