/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * hear.c - a line of Arm assembly, understood.
 *
 * Owns: the mnemonics of each class, with a condition behind them or without; operands that
 * are the PC; where a literal or a target is.  Data processing, loads, stores and hints are
 * plain to both sides: what counts is whether an operand is the PC.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hear.h"
#include "insn.h"

const struct isa_class arm_classes[] = {
	{ KP_ARM_B, " b " },
	{ KP_ARM_BL, " bl " },
	{ KP_ARM_BLX, " blx " },
	{ KP_ARM_BX, " bx " },
	{ KP_ARM_BXJ, " bxj " },
	{ KP_ARM_CBZ, " cbz cbnz " },
	{ KP_ARM_TABLE, " tbb tbh " },
	{ KP_ARM_LOAD_EXCLUSIVE, " ldrex* ldaex* " },
	{ KP_ARM_STORE_EXCLUSIVE, " strex* stlex* " },
	{ KP_ARM_CLREX, " clrex " },
	{ KP_ARM_EXCEPTION, " svc hvc smc bkpt udf trap __brkdiv0 hlt dcps1 dcps2 dcps3 " },
	{ KP_ARM_RETURN, " eret rfe* " },
	{ KP_ARM_STATE, " cps* setend setpan mrs msr srs* " },
	{ KP_ARM_WAIT, " wfe wfi " },
	{ KP_ARM_IT, " it itt ite ittt itte itet itee itttt ittte ittet ittee itett itete iteet iteee " },
	{ 0, NULL },
};

static const char conditions[] = " eq ne cs cc hs lo mi pl vs vc hi ls ge lt gt le al ";

static bool class_of(const char *name, size_t len, uint8_t *class)
{
	const struct isa_class *row;

	for (row = arm_classes; row->mnemonics; row++) {
		if (!lists(row->mnemonics, name, len))
			continue;
		*class = row->class;
		return true;
	}
	return false;
}

/* Without a width; if it is in no list, without a condition. */
static uint8_t class_of_conditional(const char *name, size_t len)
{
	uint8_t class = KP_ARM_PLAIN;

	if (len > 2 && name[len - 2] == '.' && (name[len - 1] == 'w' || name[len - 1] == 'n'))
		len -= 2;
	if (!class_of(name, len, &class) && len > 2 && lists(conditions, name + len - 2, 2))
		class_of(name, len - 2, &class);
	return class;
}

/* The operands without what is said of them; the word "pc" in them. */
static void cut_comment(char *to, size_t size, const char *operands)
{
	snprintf(to, size, "%.*s", (int)strcspn(operands, ";@\n"), operands);
}

static const char *find_pc(const char *operands)
{
	const char *at;

	for (at = operands; (at = strstr(at, "pc")); at += 2)
		if ((at == operands || !isalnum((unsigned char)at[-1])) &&
		    !isalnum((unsigned char)at[2]) && at[2] != '_')
			return at;
	return NULL;
}

/* [pc], [pc, #4], add r0, pc, #4, adr r0, #4: what is added to the PC. */
static void hear_literal(struct heard *heard, const char *name, const char *operands)
{
	const char *pc = find_pc(operands), *at = strchr(operands, '#');
	bool is_adr = !strncmp(name, "adr", 3);

	if (is_adr || (arm_thumb && pc && pc != operands && pc[-1] == ' ' &&
		       (!strncmp(name, "add", 3) || !strncmp(name, "sub", 3)))) {
		heard->relative = arm_thumb && at;
		heard->operand = at ? (uint64_t)strtoll(at + 1, NULL, 0) : 0;
		if (!strncmp(name, "sub", 3))
			heard->operand = -heard->operand;
	} else if (pc && pc != operands && pc[-1] == '[' && (pc[2] == ']' || !strncmp(pc + 2, ", #", 3))) {
		heard->relative = true;
		heard->operand = pc[2] == ']' ? 0 : (uint64_t)strtoll(pc + 5, NULL, 0);
	}
	heard->from_here = heard->relative;
	heard->mark = is_adr || pc;
}

void isa_hear(struct heard *heard, const char *mnemonic, size_t len, const char *operands)
{
	char text[256];

	if (*mnemonic == '<' || memchr(mnemonic, '?', len) || strstr(operands, "UNDEFINED") || strstr(operands, "npredictable") ||
	    strstr(operands, "UNPREDICTABLE") || strstr(operands, "illegal")) {
		heard->class = KP_ARM_UNALLOCATED;
		return;
	}
	cut_comment(text, sizeof(text), operands);
	heard->class = class_of_conditional(mnemonic, len);
	if (heard->class == KP_ARM_BLX && isalpha((unsigned char)*text))
		heard->class = KP_ARM_BLX_REG;
	/* A program's registers; or those of what an exception has interrupted. */
	if (strchr(text, '^'))
		heard->class = find_pc(text) && !strncmp(mnemonic, "ld", 2) ? KP_ARM_RETURN : KP_ARM_STATE;
	if (arm_thumb && !strncmp(mnemonic, "subs", 4) && !strncmp(text, "pc, lr", 6))
		heard->class = KP_ARM_RETURN;
	if (heard->class == KP_ARM_B || heard->class == KP_ARM_BL || heard->class == KP_ARM_BLX ||
	    heard->class == KP_ARM_CBZ)
		heard->relative = true;
	else if (heard->class != KP_ARM_RETURN)
		hear_literal(heard, mnemonic, text);
}

bool arm_is_lax(uint8_t class)
{
	return class == KP_ARM_PLAIN || (class >= KP_ARM_LOAD_EXCLUSIVE && class <= KP_ARM_WAIT);
}

static uint8_t shown_class(const struct kp_arm_insn *insn)
{
	return insn->class >= KP_ARM_DATA && insn->class <= KP_ARM_ADR ? KP_ARM_PLAIN : insn->class;
}

void isa_decode(struct decoded *decoded, uint32_t word, uint64_t addr)
{
	struct kp_arm_insn insn;

	kp_arm_decode(&insn, word, arm_thumb);
	*decoded = (struct decoded) {
		.len = insn.len, .class = shown_class(&insn), .unpredictable = insn.unpredictable,
		.mark = insn.class != KP_ARM_RETURN && insn.class != KP_ARM_UNALLOCATED &&
			(insn.pc || (insn.class >= KP_ARM_LITERAL && insn.class <= KP_ARM_ADR)),
		.offset = insn.offset, .operand = kp_arm_operand(&insn, (uint32_t)addr),
	};
}
