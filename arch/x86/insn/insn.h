/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The x86 instruction decoder: bytes in, one struct kp_insn out.
 *
 * It owns the knowledge of instruction encodings and nothing else: it reads at
 * most KP_INSN_MAX bytes of the caller's buffer, keeps no state, allocates
 * nothing, and is safe in any context.  Invariant: when kp_insn_decode()
 * returns 0, every field describes exactly the bytes [0, length); an encoding
 * that the manuals do not define is refused, never guessed.
 */
#ifndef KP_ARCH_X86_INSN_H
#define KP_ARCH_X86_INSN_H

#include "env.h"

#define KP_INSN_MAX 15

enum kp_insn_mode { KP_INSN_32, KP_INSN_64 };

enum kp_insn_encoding {
	KP_INSN_LEGACY,
	KP_INSN_3DNOW,	/* 0F 0F modrm ... opcode */
	KP_INSN_VEX2,	/* C5 */
	KP_INSN_VEX3,	/* C4 */
	KP_INSN_EVEX,	/* 62 */
	KP_INSN_XOP,	/* 8F */
};

/* kp_insn.map: legacy, VEX and EVEX number the maps as VEX.mmmmm does. */
enum kp_insn_map {
	KP_INSN_MAP_1BYTE = 0,
	KP_INSN_MAP_0F    = 1,	/* 3DNow too; its opcode is the suffix byte */
	KP_INSN_MAP_0F38  = 2,
	KP_INSN_MAP_0F3A  = 3,
	KP_INSN_MAP_5     = 5,	/* EVEX only */
	KP_INSN_MAP_6     = 6,	/* EVEX only */
	KP_INSN_MAP_XOP8  = 8,
	KP_INSN_MAP_XOP9  = 9,
	KP_INSN_MAP_XOPA  = 10,
};

/* kp_insn.prefixes: legacy prefixes present, whether or not they act. */
#define KP_INSN_PFX_66   0x01
#define KP_INSN_PFX_67   0x02
#define KP_INSN_PFX_F2   0x04
#define KP_INSN_PFX_F3   0x08
#define KP_INSN_PFX_LOCK 0x10
#define KP_INSN_PFX_SEG  0x20

/* kp_insn.pp: the prefix that selects the instruction, as VEX.pp numbers it. */
enum kp_insn_pp { KP_INSN_PP_NONE, KP_INSN_PP_66, KP_INSN_PP_F3, KP_INSN_PP_F2 };

enum kp_insn_flow {
	KP_INSN_FLOW_NONE,	/* falls through to the next instruction */
	KP_INSN_FLOW_JMP_REL,	/* EB E9 */
	KP_INSN_FLOW_JCC_REL,	/* 70-7F 0F80-8F */
	KP_INSN_FLOW_LOOP,	/* E0-E3: loopne loope loop jcxz; rel8 */
	KP_INSN_FLOW_CALL_REL,	/* E8 */
	KP_INSN_FLOW_JMP_IND,	/* FF/4 */
	KP_INSN_FLOW_CALL_IND,	/* FF/2 */
	KP_INSN_FLOW_RET,	/* C3 C2 */
	KP_INSN_FLOW_FAR_JMP,	/* EA FF/5 */
	KP_INSN_FLOW_FAR_CALL,	/* 9A FF/3 */
	KP_INSN_FLOW_FAR_RET,	/* CB CA */
	KP_INSN_FLOW_IRET,	/* iret uiret */
	KP_INSN_FLOW_INT,	/* CD: a software interrupt with a number */
	KP_INSN_FLOW_SYSCALL,	/* SYSCALL SYSENTER */
	KP_INSN_FLOW_SYSRET,	/* SYSRET SYSEXIT */
	KP_INSN_FLOW_TRAP,	/* int3 int1 into ud0 ud1 ud2 */
	KP_INSN_FLOW_XBEGIN,	/* C7 F8: rel is the abort target */
	KP_INSN_FLOW_HLT,	/* waits: hlt mwait mwaitx umwait tpause */
	KP_INSN_FLOW_VIRT,	/* to another context: vmcall vmlaunch vmrun enclu seamcall ... */
	KP_INSN_FLOW_RSM,
};

/* kp_insn.flags */
#define KP_INSN_HAS_MODRM   0x0001
#define KP_INSN_HAS_SIB     0x0002
#define KP_INSN_HAS_MEM     0x0004	/* an explicit memory operand (modrm or moffs; lea, nop count too) */
#define KP_INSN_RIP_REL     0x0008	/* its address is rip + disp32 at disp.offset */
#define KP_INSN_MAY_FAULT   0x0010	/* conservative: may raise any exception but #DB */
#define KP_INSN_VECTOR      0x0020	/* reads or writes x87, MMX, SSE, AVX, mask, tile or bound state */
#define KP_INSN_WRITES_SP   0x0040	/* push pop call ret enter leave ...: stack pointer changes implicitly */
#define KP_INSN_REP         0x0080	/* F2/F3 repeats a string instruction */
#define KP_INSN_STRING      0x0100	/* implicit memory operand at rSI, rDI (maskmov) or rBX (xlat) */
#define KP_INSN_PRIVILEGED  0x0200	/* needs CPL 0 or IOPL, or serializes / changes system state */
#define KP_INSN_WRITES_SS   0x0400	/* mov ss / pop ss: traps are inhibited for one instruction */
#define KP_INSN_IMPLICIT_MEM 0x0800	/* touches memory other than through modrm/moffs (stack, string, xlat) */

/* No register there, or one that is not general purpose. */
#define KP_INSN_NO_GPR 0xFF

struct kp_insn_field {
	int64_t value;		/* sign- or zero-extended, as the instruction uses it */
	uint8_t offset;		/* from the first byte */
	uint8_t size;		/* in bytes; 0: absent */
};

struct kp_insn {
	uint8_t length;
	uint8_t mode;		/* enum kp_insn_mode */
	uint8_t encoding;	/* enum kp_insn_encoding */
	uint8_t map;		/* enum kp_insn_map */
	uint8_t opcode;
	uint8_t opcode_offset;
	uint8_t pp;		/* enum kp_insn_pp; for legacy: only where it selects */
	uint8_t prefixes;	/* KP_INSN_PFX_* */
	uint8_t prefix_len;	/* legacy prefixes and REX, before opcode/VEX/EVEX/XOP */
	uint8_t segment;	/* last effective override byte (2E 36 3E 26 64 65), or 0 */
	uint8_t rex;		/* 40-4F as written, or 0 */

	/* REX/VEX/EVEX/XOP bits, not inverted: 1 means "extends". */
	uint8_t w, r, x, b;
	uint8_t r2, v2;		/* EVEX R', V' */
	uint8_t vvvv;		/* 0-15 (not inverted), without V' */
	uint8_t vex_l;		/* 0, 1, 2 for 128, 256, 512; rounding where evex_b says so */
	uint8_t evex_z, evex_b, evex_aaa;

	uint8_t modrm, modrm_offset;	/* valid with KP_INSN_HAS_MODRM */
	uint8_t sib, sib_offset;	/* valid with KP_INSN_HAS_SIB */
	struct kp_insn_field disp;	/* modrm displacement; EVEX disp8 is unscaled */
	struct kp_insn_field imm;	/* immediate, relative target, moffs, far offset */
	struct kp_insn_field imm2;	/* enter's level, far selector, extrq/insertq index */

	uint8_t operand_size;	/* 1, 2, 4, 8: integer operands; vector and system ones: no meaning */
	uint8_t address_size;	/* 2, 4, 8 */

	/* General purpose registers named by each field, 0-15, or KP_INSN_NO_GPR. */
	uint8_t reg_gpr;	/* modrm.reg */
	uint8_t rm_gpr;		/* modrm.rm when mod = 3 */
	uint8_t base_gpr;	/* of the memory operand */
	uint8_t index_gpr;	/* of the memory operand; vector indices do not count */
	uint8_t vvvv_gpr;
	uint8_t opcode_gpr;	/* low three bits of the opcode: push, mov imm, bswap ... */

	uint16_t implicit_gprs;	/* bit n: register n is used without being named; conservative */
	uint16_t gprs;		/* all of the above together: registers to avoid as scratch */

	uint8_t flow;		/* enum kp_insn_flow */
	uint16_t flags;		/* KP_INSN_HAS_MODRM ... */
};

/*
 * Decode the instruction at @bytes, of which @avail may be read.
 * 0; -EILSEQ: not a valid instruction; -ENODATA: valid so far, but it goes on
 * past @avail.  On error *@insn is unspecified.
 */
int kp_insn_decode(struct kp_insn *insn, const uint8_t *bytes, size_t avail,
		   enum kp_insn_mode mode);

/* Is the control transfer relative: does imm hold a displacement from the end? */
static inline bool kp_insn_is_rel_branch(const struct kp_insn *insn)
{
	switch (insn->flow) {
	case KP_INSN_FLOW_JMP_REL:
	case KP_INSN_FLOW_JCC_REL:
	case KP_INSN_FLOW_LOOP:
	case KP_INSN_FLOW_CALL_REL:
	case KP_INSN_FLOW_XBEGIN:
		return true;
	default:
		return false;
	}
}

/* May the next instruction be what is executed behind it, sooner or later? */
static inline bool kp_insn_falls_through(uint8_t flow)
{
	switch (flow) {
	case KP_INSN_FLOW_NONE:
	case KP_INSN_FLOW_JCC_REL:
	case KP_INSN_FLOW_LOOP:
	case KP_INSN_FLOW_CALL_REL:
	case KP_INSN_FLOW_CALL_IND:
	case KP_INSN_FLOW_SYSCALL:
		return true;
	default:
		return false;
	}
}

/* The target of a relative branch, relative to the instruction's first byte. */
static inline int64_t kp_insn_rel_target(const struct kp_insn *insn)
{
	/* An immediate that is no displacement may have any value. */
	return (int64_t)((uint64_t)insn->imm.value + insn->length);
}

/* The value of the pc-relative operand, relative to the first byte. */
static inline int64_t kp_insn_rip_target(const struct kp_insn *insn)
{
	return insn->disp.value + insn->length;
}

static inline bool kp_insn_is_legacy(const struct kp_insn *insn)
{
	return insn->encoding == KP_INSN_LEGACY;
}

#endif
