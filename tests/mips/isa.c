/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * isa.c - MIPS for the comparison with oracles: release 5 or 6, of 32 or 64 bits.
 *
 * Owns: the mnemonics of each class; what the oracles are asked to disassemble; where
 * they are wrong, each with the reason.  MODES says which processor (enum kp_mips_modes).
 */
#include <elf.h>
#include <string.h>

#include "isa.h"
#include "insn.h"

#define NEW (MODES & KP_MIPS_RELEASE6)
#define WIDE (MODES & KP_MIPS_64)

void LLVMInitializeMipsTargetInfo(void);
void LLVMInitializeMipsTargetMC(void);
void LLVMInitializeMipsDisassembler(void);

static const struct isa_class classes[] = {
	{ KP_MIPS_JUMP, " j jal jalx " },
	{ KP_MIPS_JUMP_REG, " jr jr.hb jalr jalr.hb " },
	{ KP_MIPS_BRANCH, " b beq beqz beql beqzl bne bnez bnel bnezl blez blezl bgtz bgtzl bltz bltzl bgez bgezl "
			  "bal bltzal bltzall bgezal bgezall nal " },
	{ KP_MIPS_BRANCH_COP, " bc1* bc2* bz.* bnz.* bposge* " },
	{ KP_MIPS_COMPACT, " bc balc blezalc bgezalc bgtzalc bltzalc bgeuc bltuc beqzalc bnezalc bovc beqc "
			   "bnvc bnec blezc bgezc bgec bgtzc bltzc bltc beqzc bnezc " },
	{ KP_MIPS_COMPACT_REG, " jic jialc jrc jalrc " },
	{ KP_MIPS_ADDRESS, " addiupc auipc aluipc lapc " },
	{ KP_MIPS_LOAD_RELATIVE, " lwpc lwupc ldpc " },
	{ KP_MIPS_LOAD_LINKED, " ll lld lle llwp lldp llwpe llx lldx llxe " },
	{ KP_MIPS_STORE_CONDITIONAL, " sc scd sce scwp scdp scwpe scx scdx scxe " },
	{ KP_MIPS_EXCEPTION, " syscall break sdbbp sigrie hypcall " },
	{ KP_MIPS_RETURN, " eret eretnc deret " },
	{ KP_MIPS_WAIT, " wait " },
	{ KP_MIPS_SYSTEM, " cache cachee mfc0 mtc0 dmfc0 dmtc0 mfhc0 mthc0 mfgc0 mtgc0 dmfgc0 dmtgc0 mfhgc0 "
			  "mthgc0 rdpgpr wrpgpr di ei dvp evp dvpe evpe dmt emt mftr mttr mft* mtt* cft* ctt* tlb* ginv* c0 "
			  "bc0* " },
	{ 0, NULL },
};

static const struct isa_excuse excuses[] = {
#if MODES & 1		/* KP_MIPS_RELEASE6 */
	{ ORACLE_LLVM, 0xFFFF0000, 0x04100000, KP_MIPS_UNALLOCATED, NULL,
	  "nal: a branch that is never taken" },
	{ ORACLE_OBJDUMP, 0xFFFF0000, 0x04100000, KP_MIPS_UNALLOCATED, NULL, "nal with an offset" },
	{ ORACLE_OBJDUMP, 0xFFFF0000, 0x04180000, KP_MIPS_BRANCH_COP, NULL,
	  "bposge32c is of an extension that no processor of release 6 has" },
#if !(MODES & 2)	/* KP_MIPS_64 */
	{ ORACLE_LLVM, 0xFC00003F, 0x7C000027, KP_MIPS_STORE_CONDITIONAL, NULL,
	  "scd is of 64 bits" },
	{ ORACLE_OBJDUMP, 0xFC000000, 0x74000000, KP_MIPS_PLAIN, NULL, "daui is of 64 bits" },
#else
	{ ORACLE_OBJDUMP, 0xFC1F0000, 0xBC050000, KP_MIPS_PLAIN, NULL, "dctr is one vendor's" },
	{ ORACLE_OBJDUMP, 0xFC1F0000, 0xBC090000, KP_MIPS_PLAIN, NULL, "dctw: the same" },
#endif
#else
#if !(MODES & 2)
	{ ORACLE_OBJDUMP, 0xFC0007FF, 0x70000088, KP_MIPS_PLAIN, NULL, "lwxs is SmartMIPS'" },
#endif
	{ ORACLE_OBJDUMP, 0xFC000000, 0x74000000, KP_MIPS_JUMP, NULL,
	  "jalx: the target's lowest bit says which instruction set it is of" },
#endif
	{ ORACLE_OBJDUMP, 0xFC0007FF, 0x7C000008, KP_MIPS_PLAIN, NULL,
	  "fork is of MT, which Linux gives to no program" },
	{ .reason = NULL },
};

/*
 * What a processor does not have, and is copied as it is, or refused, is the same trap in
 * its place and elsewhere: an oracle need not know it.
 */
static bool is_harmless(uint8_t class)
{
	switch (class) {
	case KP_MIPS_PLAIN:
	case KP_MIPS_BRANCH_COP:
	case KP_MIPS_LOAD_LINKED:
	case KP_MIPS_STORE_CONDITIONAL:
	case KP_MIPS_EXCEPTION:
	case KP_MIPS_RETURN:
	case KP_MIPS_WAIT:
	case KP_MIPS_SYSTEM:
		return true;
	default:
		return false;
	}
}

#define OBJDUMP "mipsel-linux-gnu-objdump -EL -M no-aliases -m mips:isa"

const struct isa isa = {
	.name = NEW ? WIDE ? "mips64r6" : "mips32r6" : WIDE ? "mips64r5" : "mips32r5",
	.machine = EM_MIPS,
	.triple = WIDE ? "mips64el-linux-gnuabi64" : "mipsel-linux-gnu",
	.features = NEW ? WIDE ? "+mips64r6" : "+mips32r6" : WIDE ? "+mips64r5,+fp64" : "+mips32r5,+fp64",
	.llvm = { LLVMInitializeMipsTargetInfo, LLVMInitializeMipsTargetMC,
		  LLVMInitializeMipsDisassembler },
	.no_aliases = NULL,
	.objdump = NEW ? WIDE ? OBJDUMP "64r6" : OBJDUMP "32r6" : WIDE ? OBJDUMP "64r5" : OBJDUMP "32r5",
	.ones = 0,
	.base = WIDE ? 0 : 0x40000000,
	.unallocated = KP_MIPS_UNALLOCATED, .plain = KP_MIPS_PLAIN, .lax = is_harmless,
	.classes = classes, .excuses = excuses,
};

unsigned int isa_len(uint32_t word)
{
	(void)word;
	return 4;
}

uint32_t isa_cut(uint32_t word)
{
	return word;
}

void isa_decode(struct decoded *decoded, uint32_t word, uint64_t addr)
{
	struct kp_mips_insn insn;

	kp_mips_decode(&insn, word, MODES);
	*decoded = (struct decoded) {
		.len = 4, .class = insn.class,
		.offset = (int64_t)kp_mips_operand(&insn, 0), .operand = kp_mips_operand(&insn, addr),
	};
}

void isa_hear(struct heard *heard, const char *mnemonic, size_t len, const char *operands)
{
	(void)operands;
	/* Words without a name: what a coprocessor may do, or a vendor. */
	if (lists(" c0 c1 c2 udi* ", mnemonic, len))
		heard->class = KP_MIPS_UNALLOCATED;
	heard->relative = kp_mips_is_relative(&(struct kp_mips_insn) { .class = heard->class });
	/* The field is printed, which is the upper part of the offset; by LLVM with its sign. */
	if (lists(" auipc aluipc ", mnemonic, len)) {
		heard->from_here = true;
		heard->operand = (uint64_t)((int64_t)(heard->operand << 48) >> 32);
	}
}
