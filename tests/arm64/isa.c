/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * isa.c - A64 for the comparison with oracles.
 *
 * Owns: the mnemonics of each class; what the oracles are asked to disassemble.
 */
#include <elf.h>
#include <string.h>

#include "excuses.h"
#include "insn.h"

void LLVMInitializeAArch64TargetInfo(void);
void LLVMInitializeAArch64TargetMC(void);
void LLVMInitializeAArch64Disassembler(void);

static const struct isa_class classes[] = {
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
	{ 0, NULL },
};

const struct isa isa = {
	.name = "a64", .machine = EM_AARCH64,
	.triple = "aarch64-linux-gnu", .features = "+all",
	.llvm = { LLVMInitializeAArch64TargetInfo, LLVMInitializeAArch64TargetMC,
		  LLVMInitializeAArch64Disassembler },
	.objdump = "aarch64-linux-gnu-objdump -m aarch64",
	.unallocated = KP_A64_UNALLOCATED, .plain = KP_A64_PLAIN,
	.classes = classes, .excuses = a64_excuses,
};

unsigned int isa_len(uint32_t word)
{
	(void)word;
	return KP_A64_LEN;
}

uint32_t isa_cut(uint32_t word)
{
	return word;
}

void isa_decode(struct decoded *decoded, uint32_t word, uint64_t addr)
{
	struct kp_a64_insn insn;

	kp_a64_decode(&insn, word);
	*decoded = (struct decoded) {
		.len = KP_A64_LEN, .class = insn.class, .mark = insn.flags & KP_A64_PAD,
		.offset = insn.offset, .operand = kp_a64_operand(&insn, addr),
	};
}

void isa_hear(struct heard *heard, const char *mnemonic, size_t len, const char *operands)
{
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
	/* Those that may be landed on. */
	heard->mark = lists(" bti paciasp pacibsp ", mnemonic, len);
	heard->relative = kp_a64_is_relative(&(struct kp_a64_insn) { .class = heard->class });
}
