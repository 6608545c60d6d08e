/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * isa.c - RV64GC for the comparison with oracles.
 *
 * Owns: the mnemonics of each class; what the oracles are asked to disassemble; where
 * they are wrong, each with the reason.
 */
#include <elf.h>
#include <string.h>

#include "isa.h"
#include "insn.h"

void LLVMInitializeRISCVTargetInfo(void);
void LLVMInitializeRISCVTargetMC(void);
void LLVMInitializeRISCVDisassembler(void);

static const struct isa_class classes[] = {
	{ KP_RV_JAL, " jal c.j " },
	{ KP_RV_JALR, " jalr c.jr c.jalr " },
	{ KP_RV_BRANCH, " beq bne blt bge bltu bgeu c.beqz c.bnez " },
	{ KP_RV_AUIPC, " auipc " },
	{ KP_RV_LOAD_RESERVED, " lr.* " },
	{ KP_RV_STORE_CONDITIONAL, " sc.* " },
	{ KP_RV_EXCEPTION, " ecall ebreak c.ebreak c.unimp " },
	{ KP_RV_RETURN, " mret sret dret " },
	{ KP_RV_WAIT, " wfi " },
	{ KP_RV_FENCE_I, " fence.i " },
	{ KP_RV_ADDRESS, " sfence.* sinval.* hfence.* hinval.* " },
	{ KP_RV_CSR, " csrrw csrrs csrrc csrrwi csrrsi csrrci unimp " },
	{ 0, NULL },
};

static const struct isa_excuse excuses[] = {
	{ ORACLE_LLVM, 0x0000707F, 0x0000000F, KP_RV_UNALLOCATED, NULL,
	  "fence: processors ignore the fields that are reserved" },
	{ ORACLE_OBJDUMP, 0x0000707F, 0x0000000F, KP_RV_UNALLOCATED, NULL, "the same" },
	{ ORACLE_LLVM, 0x0000707F, 0x0000100F, KP_RV_UNALLOCATED, NULL, "fence.i: the same" },
	{ ORACLE_OBJDUMP, 0x0000707F, 0x0000100F, KP_RV_UNALLOCATED, NULL, "fence.i: the same" },
	{ ORACLE_LLVM, 0xFFF0007F, 0x42000053, KP_RV_UNALLOCATED, NULL,
	  "fcvt.d.s is exact, and has a rounding all the same" },
	{ ORACLE_OBJDUMP, 0xFFF0007F, 0x42000053, KP_RV_UNALLOCATED, NULL, "the same" },
	{ ORACLE_LLVM, 0xFFE0007F, 0xD2000053, KP_RV_UNALLOCATED, NULL,
	  "fcvt.d.w, fcvt.d.wu: the same" },
	{ ORACLE_OBJDUMP, 0xFFE0007F, 0xD2000053, KP_RV_UNALLOCATED, NULL,
	  "fcvt.d.w, fcvt.d.wu: the same" },
	{ ORACLE_LLVM, 0xFFFFF07F, 0x00006001, KP_RV_PLAIN, NULL, "c.lui of zero is reserved" },
	{ ORACLE_OBJDUMP, 0xFFFFFFFF, 0x00006101, KP_RV_PLAIN, NULL,
	  "c.addi16sp of zero is reserved" },
	{ ORACLE_LLVM, 0xFFFFFFFF, 0x00200073, KP_RV_PLAIN, NULL,
	  "uret is of an extension that was given up" },
	{ ORACLE_OBJDUMP, 0xFFFFFFFF, 0x00200073, KP_RV_PLAIN, NULL, "the same" },
	{ ORACLE_OBJDUMP, 0xFFFFFFFF, 0x20200073, KP_RV_PLAIN, NULL, "hret was a draft's" },
	{ ORACLE_OBJDUMP, 0xFFF07FFF, 0x10400073, KP_RV_ADDRESS, NULL, "sfence.vm: the same" },

	/* RV64GC is what it takes code for that does not say more. */
	{ ORACLE_OBJDUMP, 0xF000707F, 0x60004073, KP_RV_UNALLOCATED, NULL, "hlv, hlvx, hsv" },
	{ ORACLE_OBJDUMP, 0xBA007FFF, 0x22000073, KP_RV_UNALLOCATED, NULL, "hfence, hinval" },
	{ ORACLE_OBJDUMP, 0xFE007FFF, 0x16000073, KP_RV_UNALLOCATED, NULL, "sinval.vma" },
	{ ORACLE_OBJDUMP, 0xFFEFFFFF, 0x18000073, KP_RV_UNALLOCATED, NULL,
	  "sfence.w.inval, sfence.inval.ir" },
	{ .reason = NULL },
};

const struct isa isa = {
	.name = "rv64", .machine = EM_RISCV,
	.triple = "riscv64-linux-gnu", .features = "+m,+a,+f,+d,+c",
	.llvm = { LLVMInitializeRISCVTargetInfo, LLVMInitializeRISCVTargetMC,
		  LLVMInitializeRISCVDisassembler },
	.no_aliases = "-riscv-no-aliases",
	.objdump = "riscv64-linux-gnu-objdump -m riscv:rv64 -M no-aliases",
	.ones = 3,			/* of four bytes */
	.unallocated = KP_RV_UNALLOCATED, .plain = KP_RV_PLAIN,
	.classes = classes, .excuses = excuses,
};

unsigned int isa_len(uint32_t word)
{
	return kp_rv_length((uint16_t)word);
}

uint32_t isa_cut(uint32_t word)
{
	return isa_len(word) == 2 ? word & 0xFFFF : word;
}

void isa_decode(struct decoded *decoded, uint32_t word, uint64_t addr)
{
	struct kp_rv_insn insn;

	kp_rv_decode(&insn, word);
	*decoded = (struct decoded) {
		.len = insn.len, .class = insn.class,
		.offset = insn.offset, .operand = kp_rv_operand(&insn, addr),
	};
}

void isa_hear(struct heard *heard, const char *mnemonic, size_t len, const char *operands)
{
	(void)mnemonic;
	(void)len;
	/* Of a rounding that is reserved. */
	if (strstr(operands, "unknown"))
		heard->class = KP_RV_UNALLOCATED;
	heard->relative = kp_rv_is_relative(&(struct kp_rv_insn) { .class = heard->class });
	/* Both print the field, which is the upper part of the offset. */
	if (heard->class == KP_RV_AUIPC) {
		heard->from_here = true;
		heard->operand = (uint64_t)((int64_t)(heard->operand << 44) >> 32);
	}
}
