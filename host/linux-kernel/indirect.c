// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * indirect.c - how assembly calls functions that are given as pointers.
 *
 * Owns: what FineIBT wants of such calls.  A kernel that has it made of the hash before
 * each function, when it started or loaded the module,
 *
 *	f3 0f 1e fa		endbr64
 *	41 81 ea xx xx xx xx	sub $hash, %r10d
 *	..			on to the function when that is 0, else a trap
 *	function:		its own landing pad is gone
 *
 * and of each call in C one that goes there, with the hash.  env_asm.h does the same in
 * our assembly, kp_call_before bytes before the function; it takes the hash that it
 * finds there, so it checks nothing.  Without FineIBT that is 0, and the hash is none.
 *
 * A module is treated as all are: a function of its own, one whose address is taken, tells
 * which it is.  With something
 * else in their place, a handler's call would be a fault, so nothing is loaded.
 *
 * No locks: written before the engine starts.
 */
#include "compat/landing_pads.h"
#include "local.h"

#ifdef CONFIG_FINEIBT

#define BEFORE 16

extern unsigned long kp_call_before;
unsigned long kp_call_before;

int kp_calls_start(void)
{
	static const uint8_t pad[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	static const uint8_t sub[] = { 0x41, 0x81, 0xea };
	uint8_t text[BEFORE + sizeof(pad)];
	_Static_assert(sizeof(pad) + sizeof(sub) == KP_CALL_HASH, "the hash");

	if (kp_host_text_read(text, (uintptr_t)kp_calls_start - BEFORE,
			      sizeof(text)))
		return -EFAULT;
	if (!memcmp(text, pad, sizeof(pad)) &&
	    !memcmp(text + sizeof(pad), sub, sizeof(sub))) {
		kp_call_before = BEFORE;
		return 0;
	}
	/* With its own pad, or on a processor that wants none: called as ever. */
	if (!memcmp(text + BEFORE, pad, sizeof(pad)) ||
	    !boot_cpu_has(X86_FEATURE_IBT))
		return 0;
	pr_err("kprobes: this kernel checks calls in a way that is not known here; cfi=kcfi is\n");
	return -EOPNOTSUPP;
}

#else

int kp_calls_start(void)
{
	return 0;
}

#endif
