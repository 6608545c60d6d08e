/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * mnemonic.c - a line of assembly, understood.
 *
 * Owns: the mnemonics of each class.  What is in no list is plain; so a word that
 * the decoder has in another class than an oracle's mnemonic says is a difference.
 */
#include <stdlib.h>
#include <string.h>

#include "mnemonic.h"
#include "insn.h"

static const struct {
	uint8_t class;
	const char *mnemonics;	/* between spaces; one that ends in * is a prefix */
} known[] = {
	{ KP_A64_B, " b " },
	{ KP_A64_BL, " bl " },
	{ KP_A64_BCOND, " b.* bc.* " },
	{ KP_A64_CBZ, " cbz cbnz " },
	{ KP_A64_TBZ, " tbz tbnz " },
	{ KP_A64_BR, " br braa brab braaz brabz " },
	{ KP_A64_BLR, " blr blraa blrab blraaz blrabz " },
	{ KP_A64_RET, " ret retaa retab " },
	{ KP_A64_ADR, " adr " },
	{ KP_A64_ADRP, " adrp " },
	{ KP_A64_LITERAL, " ldr ldrsw prfm " },	/* without brackets */
	{ KP_A64_LOAD_EXCLUSIVE, " ldxr ldxrb ldxrh ldxp ldaxr ldaxrb ldaxrh ldaxp " },
	{ KP_A64_STORE_EXCLUSIVE, " stxr stxrb stxrh stxp stlxr stlxrb stlxrh stlxp " },
	{ KP_A64_CLREX, " clrex " },
	{ KP_A64_EXCEPTION, " svc hvc smc brk hlt dcps1 dcps2 dcps3 udf " },
	{ KP_A64_ERET, " eret eretaa eretab drps " },
	{ KP_A64_HINT, " hint nop yield sev sevl dgh esb psb tsb csdb bti xpaclri clearbhb "
		       "pacia1716 pacib1716 autia1716 autib1716 paciaz paciasp pacibz pacibsp "
		       "autiaz autiasp autibz autibsp " },
	{ KP_A64_WAIT, " wfe wfi wfet wfit " },
	{ KP_A64_BARRIER, " dsb dmb isb sb ssbb pssbb dfb " },
	{ KP_A64_READ_SYSREG, " mrs " },
	{ KP_A64_WRITE_SYSREG, " msr " },	/* of a register */
	{ KP_A64_PSTATE, " cfinv xaflag axflag smstart smstop " },
	{ KP_A64_SYS, " sys sysl ic dc at tlbi cfp dvp cpp brb " },
	{ KP_A64_MOPS, " cpyf* cpyp* cpym* cpye* setp* setm* sete* setgp* setgm* setge* " },
	{ KP_A64_TRANSACTION, " tstart ttest tcommit tcancel " },
};

/* Is @name, of @len, in @list? */
static bool lists(const char *list, const char *name, size_t len)
{
	const char *word, *end;

	for (word = list + 1; *word; word = end + 1) {
		end = strchr(word, ' ');
		if (end[-1] == '*' ? !strncmp(word, name, (size_t)(end - word - 1)) :
		    (size_t)(end - word) == len && !strncmp(word, name, len))
			return true;
	}
	return false;
}

static uint8_t class_of(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (lists(known[i].mnemonics, name, len))
			return known[i].class;
	return KP_A64_PLAIN;
}

/* The last operand, with or without "#"; objdump's comments begin with two slashes. */
static uint64_t last_number(const char *operands)
{
	const char *at, *next;

	for (at = operands; (next = strpbrk(at, ",/")) && *next == ','; at = next + 1)
		;
	while (*at == ' ' || *at == '\t' || *at == '#')
		at++;
	return *at == '-' ? (uint64_t)strtoll(at, NULL, 0) : strtoull(at, NULL, 0);
}

void hear(struct heard *heard, const char *text)
{
	const char *operands;
	size_t len;

	*heard = (struct heard) { .class = KP_A64_UNALLOCATED };
	if (!text)
		return;
	text += strspn(text, " \t");
	if (!*text || *text == '.' || strstr(text, "undefined"))
		return;
	len = strcspn(text, " \t\n");
	operands = text + len + strspn(text + len, " \t");
	heard->class = class_of(text, len);
	switch (heard->class) {
	case KP_A64_LITERAL:
	case KP_A64_ADR:
		if (strchr(operands, '['))
			heard->class = KP_A64_PLAIN;
		break;
	case KP_A64_WRITE_SYSREG: {
		const char *value = strrchr(operands, ',');

		if (value && strchr(value, '#'))
			heard->class = KP_A64_PSTATE;
		break;
	}
	default:
		break;
	}
	heard->pad = lists(" bti paciasp pacibsp ", text, len);
	heard->relative = kp_a64_is_relative(&(struct kp_a64_insn) { .class = heard->class });
	if (heard->relative)
		heard->operand = last_number(operands);
}
