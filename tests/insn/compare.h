/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One question, asked by the sweep and the fuzzer: do the decoder and Zydis
 * agree about the instruction at these bytes?  compare_at() returns NULL or
 * the name of the first field that differs.
 */
#ifndef KP_TESTS_INSN_COMPARE_H
#define KP_TESTS_INSN_COMPARE_H

#include <Zydis/Zydis.h>

#include "insn.h"

struct oracle {
	ZydisDecoder decoder;
	enum kp_insn_mode mode;
	/* Where the decoder is right to differ; compare.c says why. */
	uint64_t knc, phantom;
};

void oracle_open(struct oracle *oracle, enum kp_insn_mode mode);

/* *len: bytes that Zydis consumed, 0 where it refuses. */
const char *compare_at(struct oracle *oracle, const uint8_t *bytes, size_t avail, size_t *len);

/* The instruction, and what either side says of @field. */
void compare_explain(const struct oracle *oracle, const uint8_t *bytes, size_t avail,
		     const char *field);

#endif
