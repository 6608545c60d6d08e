/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What an oracle says of a word: its line of assembly, as a class, flags and a
 * pc-relative operand.  Both oracles write the same language.
 */
#ifndef KP_TEST_A64_MNEMONIC_H
#define KP_TEST_A64_MNEMONIC_H

#include <stdbool.h>
#include <stdint.h>

struct heard {
	uint8_t class;		/* enum kp_a64_class */
	bool pad;		/* a hint that may be landed on */
	bool relative;		/* has a pc-relative operand */
	uint64_t operand;	/* relative: the number that is printed */
};

/* @text: mnemonic, white space, operands; NULL or ".inst ...": unallocated. */
void hear(struct heard *heard, const char *text);

#endif
