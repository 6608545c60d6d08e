/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * auth.c - authenticating addresses.
 *
 * Owns: kp_a64_authenticate.  Only the processor knows its keys; they are those of the
 * probed code, which is what this is called for.  To authenticate is a fault on some
 * processors when the address is not genuine; so the address is stripped, signed once
 * more and compared.  Native hosts only.
 *
 * The instructions are hints, which do nothing where there are no keys: then every
 * address is its own.
 */
#include "auth.h"

KP_TRAP_PATH static uint64_t strip(uint64_t value)
{
	register uint64_t lr __asm__("x30") = value;

	__asm__("hint	#7" : "+r"(lr));			/* xpaclri */
	return lr;
}

KP_TRAP_PATH static uint64_t sign(uint64_t target, uint64_t modifier, bool key_b)
{
	register uint64_t address __asm__("x17") = target;
	register uint64_t with __asm__("x16") = modifier;

	if (key_b)
		__asm__("hint	#10" : "+r"(address) : "r"(with)); /* pacib1716 */
	else
		__asm__("hint	#8" : "+r"(address) : "r"(with)); /* pacia1716 */
	return address;
}

KP_TRAP_PATH bool kp_a64_authenticate(uint64_t value, uint64_t modifier,
				      bool key_b, uint64_t *target)
{
	*target = strip(value);
	return sign(*target, modifier, key_b) == value;
}
