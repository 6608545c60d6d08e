/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * walk.c - the length and the flow of common instructions, quickly.
 *
 * Owns: a table of what follows the opcode for the instructions that make up
 * most of compiled code.  Invariant: what it answers, the decoder would; whatever
 * is not plain (a prefix that may matter, a group with gaps, vectors, the end of
 * the buffer) is left to the decoder.  tests/unit/test_walk.c compares them.
 *
 * In the mode of the processor that is built for.  Pure.
 */
#include "walk.h"
#include "regs.h"

/* 40 to 4f are prefixes, or instructions: inc, dec. */
#define HAS_REX (KP_X86_MODE == KP_INSN_64)

enum form {
	ASK,			/* the decoder */
	PLAIN,			/* nothing follows */
	I1, I4,			/* an immediate of that length */
	M,			/* modrm and what it says */
	M1, M4,			/* and an immediate */
	LEA,			/* M, memory only */
	REL1, REL4, CALL4,	/* a relative branch */
	JCC1, JCC4,
	RETURN, SYSTEM_CALL,
	NOP,			/* M; where padding is, with prefixes */
	SHIFT, SHIFT1,		/* M, M1, but modrm.reg 6 */
	TEST1, TEST4,		/* M; an immediate with modrm.reg 0; not 1 */
	MOV1, MOV4,		/* M1, M4, modrm.reg 0 only */
	GROUP4,			/* inc, dec */
	GROUP5,			/* inc, dec, call, jmp, push */
};

#define EIGHT(form) form, form, form, form, form, form, form, form
#define ARITHMETIC M, M, M, M, I1, I4, ASK, ASK

static const uint8_t forms[256] = {
	/* 00 */ ARITHMETIC, ARITHMETIC, ARITHMETIC, ARITHMETIC,
	/* 20 */ ARITHMETIC, ARITHMETIC, ARITHMETIC, ARITHMETIC,
	/* 40 */ EIGHT(ASK), EIGHT(ASK),
	/* 50 */ EIGHT(PLAIN), EIGHT(PLAIN),
	/* 60 */ ASK, ASK, ASK, M, ASK, ASK, ASK, ASK,
	/* 68 */ I4, M4, I1, M1, ASK, ASK, ASK, ASK,
	/* 70 */ EIGHT(JCC1), EIGHT(JCC1),
	/* 80 */ M1, M4, ASK, M1, M, M, M, M,
	/* 88 */ M, M, M, M, ASK, LEA, ASK, ASK,
	/* 90 */ PLAIN, ASK, ASK, ASK, ASK, ASK, ASK, ASK,
	/* 98 */ PLAIN, PLAIN, ASK, ASK, ASK, ASK, ASK, ASK,
	/* a0 */ EIGHT(ASK),
	/* a8 */ I1, I4, ASK, ASK, ASK, ASK, ASK, ASK,
	/* b0 */ EIGHT(I1), EIGHT(I4),
	/* c0 */ SHIFT1, SHIFT1, ASK, RETURN, ASK, ASK, MOV1, MOV4,
	/* c8 */ ASK, PLAIN, ASK, ASK, ASK, ASK, ASK, ASK,
	/* d0 */ SHIFT, SHIFT, SHIFT, SHIFT, ASK, ASK, ASK, ASK,
	/* d8 */ EIGHT(ASK),
	/* e0 */ EIGHT(ASK),
	/* e8 */ CALL4, REL4, ASK, REL1, ASK, ASK, ASK, ASK,
	/* f0 */ ASK, ASK, ASK, ASK, ASK, ASK, TEST1, TEST4,
	/* f8 */ ASK, ASK, ASK, ASK, ASK, ASK, GROUP4, GROUP5,
};

/* Behind 0f. */
static uint8_t form_of_0f(uint8_t opcode)
{
	switch (opcode & 0xf0) {
	case 0x40:			/* cmov */
	case 0x90:			/* set */
		return M;
	case 0x80:
		return JCC4;
	}
	switch (opcode) {
	case 0x05:
		return HAS_REX ? SYSTEM_CALL : ASK;
	case 0x1f:
		return NOP;
	case 0x10: case 0x11:		/* movups */
	case 0x28: case 0x29:		/* movaps */
	case 0xaf:			/* imul */
	case 0xb6: case 0xb7:		/* movzx */
	case 0xbe: case 0xbf:		/* movsx */
		return M;
	}
	return ASK;
}

static bool has_modrm(uint8_t form)
{
	switch (form) {
	case M: case M1: case M4: case LEA: case NOP: case SHIFT: case SHIFT1:
	case TEST1: case TEST4: case MOV1: case MOV4: case GROUP4: case GROUP5:
		return true;
	}
	return false;
}

/* What the field says that selects among instructions: another form, or ASK. */
static uint8_t narrow(uint8_t form, uint8_t modrm, uint8_t *flow)
{
	unsigned int reg = modrm >> 3 & 7;

	switch (form) {
	case LEA:
		return modrm < 0xc0 ? M : ASK;
	case NOP:
		return reg ? ASK : M;
	case SHIFT:
		return reg != 6 ? M : ASK;
	case SHIFT1:
		return reg != 6 ? M1 : ASK;
	case TEST1:
		return reg == 1 ? ASK : reg ? M : M1;
	case TEST4:
		return reg == 1 ? ASK : reg ? M : M4;
	case MOV1:
		return reg ? ASK : M1;
	case MOV4:
		return reg ? ASK : M4;
	case GROUP4:
		return reg < 2 ? M : ASK;
	case GROUP5:
		if (reg == 2)
			*flow = KP_INSN_FLOW_CALL_IND;
		else if (reg == 4)
			*flow = KP_INSN_FLOW_JMP_IND;
		return reg < 2 || reg == 2 || reg == 4 || reg == 6 ? M : ASK;
	}
	return form;
}

/* Bytes of modrm, of a SIB (which is there to be read) and a displacement. */
static size_t modrm_len(uint8_t modrm, uint8_t sib)
{
	unsigned int mod = modrm >> 6, rm = modrm & 7;
	size_t len = 1;

	if (mod == 3)
		return len;
	if (rm == 4)
		len++;
	if (mod == 1)
		return len + 1;
	if (mod == 2 || rm == 5 || (rm == 4 && (sib & 7) == 5))
		return len + 4;
	return len;
}

static size_t rest_len(uint8_t form)
{
	switch (form) {
	case I1: case M1: case REL1: case JCC1:
		return 1;
	case I4: case M4: case REL4: case JCC4: case CALL4:
		return 4;
	}
	return 0;
}

static uint8_t flow_of(uint8_t form)
{
	switch (form) {
	case REL1: case REL4:
		return KP_INSN_FLOW_JMP_REL;
	case JCC1: case JCC4:
		return KP_INSN_FLOW_JCC_REL;
	case CALL4:
		return KP_INSN_FLOW_CALL_REL;
	case RETURN:
		return KP_INSN_FLOW_RET;
	case SYSTEM_CALL:
		return KP_INSN_FLOW_SYSCALL;
	}
	return KP_INSN_FLOW_NONE;
}

static int ask(struct kp_insn_step *step, const uint8_t *bytes, size_t avail)
{
	struct kp_insn insn;
	int err = kp_insn_decode(&insn, bytes, avail, KP_X86_MODE);

	if (err)
		return err;
	step->length = insn.length;
	step->flow = insn.flow;
	step->breakpoint = insn.encoding == KP_INSN_LEGACY &&
			   insn.map == KP_INSN_MAP_1BYTE && insn.opcode == 0xcc;
	step->relative = kp_insn_is_rel_branch(&insn);
	step->target = kp_insn_rel_target(&insn);
	return 0;
}

/* Those that compilers use: for thread-local data, 2 bytes, and padding. */
static bool is_prefix(uint8_t byte)
{
	return byte == 0x64 || byte == 0x66 || byte == 0x2e;
}

/* Not where it means nothing, nor changes the length of an immediate. */
static bool takes_prefix(uint8_t form)
{
	switch (form) {
	case M: case M1: case LEA: case NOP: case TEST1: case MOV1: case SHIFT:
	case SHIFT1: case GROUP4:
		return true;
	}
	return false;
}

static bool takes_rex(uint8_t form, uint8_t opcode, uint8_t rex)
{
	return !flow_of(form) &&
	       !(form == I4 && (opcode & 0xf8) == 0xb8 && rex & 8);
}

int kp_insn_walk(struct kp_insn_step *step, const uint8_t *bytes, size_t avail)
{
	size_t at = 0, prefixes, rest;
	uint8_t form, rex = 0;
	int32_t rel4;

	/* Then two prefixes, REX, opcode, modrm and SIB are there to be read. */
	if (avail < 7)
		return ask(step, bytes, avail);
	while (at < 2 && is_prefix(bytes[at]))
		at++;
	prefixes = at;
	if (HAS_REX && (bytes[at] & 0xf0) == 0x40)
		rex = bytes[at++];
	form = forms[bytes[at]];
	if (!form && bytes[at] == 0x0f)
		form = form_of_0f(bytes[++at]);
	if (!form || (prefixes && !takes_prefix(form)) ||
	    (rex && !takes_rex(form, bytes[at], rex)))
		return ask(step, bytes, avail);
	at++;
	step->flow = flow_of(form);
	if (has_modrm(form)) {
		form = narrow(form, bytes[at], &step->flow);
		if (!form)
			return ask(step, bytes, avail);
		at += modrm_len(bytes[at], bytes[at + 1]);
	}
	rest = rest_len(form);
	if (at + rest > avail)
		return ask(step, bytes, avail);
	step->length = (uint8_t)(at + rest);
	step->breakpoint = false;
	step->relative = step->flow == KP_INSN_FLOW_JMP_REL ||
			 step->flow == KP_INSN_FLOW_JCC_REL ||
			 step->flow == KP_INSN_FLOW_CALL_REL;
	if (!step->relative)
		return 0;
	if (rest == 1) {
		step->target = (int8_t)bytes[at];
	} else {
		memcpy(&rel4, bytes + at, sizeof(rel4));
		step->target = rel4;
	}
	step->target += step->length;
	return 0;
}
