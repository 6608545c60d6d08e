/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * lean.c - whether a handler can be called with hardly anything saved.
 *
 * Owns: the walk that proves it, and the list of instructions whose writes are known.
 * Invariant: an instruction that is not on the list, or code that cannot be followed, makes the
 * handler an ordinary one.
 *
 * Proved for every instruction that can be reached:
 *   - it calls nothing, and moves the stack pointer only to return
 *   - it writes only call-clobbered registers, and no vector register
 *   - it does not change the direction flag and the like
 *   - memory that it writes is below its stack pointer, or addressed relative to ip, or
 *     in a process anywhere but relative to fs and gs, where errno is
 *   - rsi, the pointer to the registers, is used only as the base of reads of those
 *     registers that detour_entry.S supplies to a lean handler.  If rsi may have
 *     another value meanwhile, the same must hold for what it points to then
 */
#include "emit.h"
#include "blocks.h"
#include "lean.h"

#define INSNS_MAX 256

/* What a call may lose: ax, cx, dx, si, di, r8 to r11. */
#define LOST 0x0fc7u

/* Which of its operands an instruction writes. */
enum writes {
	W_NOTHING,		/* but flags */
	W_RM,			/* modrm.rm, register or memory */
	W_REG,			/* modrm.reg */
	W_BOTH,			/* both */
	W_OPCODE,		/* the register in the opcode's low bits */
	W_AX,			/* of the accumulator */
	W_AX_DX,
};

struct entry {
	uint8_t map, first, last;
	uint8_t writes;
};

static const struct entry list[] = {
	/* add or adc sbb and sub xor: rm,reg; reg,rm; accumulator,imm */
#define ALU(op) { KP_INSN_MAP_1BYTE, op, op + 1, W_RM },		\
		{ KP_INSN_MAP_1BYTE, op + 2, op + 3, W_REG },		\
		{ KP_INSN_MAP_1BYTE, op + 4, op + 5, W_AX }
	ALU(0x00), ALU(0x08), ALU(0x10), ALU(0x18), ALU(0x20), ALU(0x28),
	ALU(0x30),
#undef ALU
	{ KP_INSN_MAP_1BYTE, 0x38, 0x3d, W_NOTHING },	/* cmp */
	{ KP_INSN_MAP_1BYTE, 0x63, 0x63, W_REG },	/* movsxd */
	{ KP_INSN_MAP_1BYTE, 0x69, 0x69, W_REG },	/* imul */
	{ KP_INSN_MAP_1BYTE, 0x6b, 0x6b, W_REG },
	{ KP_INSN_MAP_1BYTE, 0x70, 0x7f, W_NOTHING },	/* jcc */
	{ KP_INSN_MAP_1BYTE, 0x80, 0x81, W_RM },	/* add … cmp with imm */
	{ KP_INSN_MAP_1BYTE, 0x83, 0x83, W_RM },
	{ KP_INSN_MAP_1BYTE, 0x84, 0x85, W_NOTHING },	/* test */
	{ KP_INSN_MAP_1BYTE, 0x86, 0x87, W_BOTH },	/* xchg */
	{ KP_INSN_MAP_1BYTE, 0x88, 0x89, W_RM },	/* mov */
	{ KP_INSN_MAP_1BYTE, 0x8a, 0x8b, W_REG },
	{ KP_INSN_MAP_1BYTE, 0x8d, 0x8d, W_REG },	/* lea */
	{ KP_INSN_MAP_1BYTE, 0x90, 0x90, W_OPCODE },	/* nop, pause */
	{ KP_INSN_MAP_1BYTE, 0x98, 0x98, W_AX },	/* cdqe */
	{ KP_INSN_MAP_1BYTE, 0x99, 0x99, W_AX_DX },	/* cqo */
	{ KP_INSN_MAP_1BYTE, 0xa8, 0xa9, W_NOTHING },	/* test */
	{ KP_INSN_MAP_1BYTE, 0xb0, 0xbf, W_OPCODE },	/* mov imm */
	{ KP_INSN_MAP_1BYTE, 0xc0, 0xc1, W_RM },	/* shifts */
	{ KP_INSN_MAP_1BYTE, 0xc3, 0xc3, W_NOTHING },	/* ret */
	{ KP_INSN_MAP_1BYTE, 0xc6, 0xc7, W_RM },	/* mov imm */
	{ KP_INSN_MAP_1BYTE, 0xd0, 0xd3, W_RM },	/* shifts */
	{ KP_INSN_MAP_1BYTE, 0xe9, 0xe9, W_NOTHING },	/* jmp */
	{ KP_INSN_MAP_1BYTE, 0xeb, 0xeb, W_NOTHING },
	{ KP_INSN_MAP_1BYTE, 0xf6, 0xf7, W_RM },	/* group 3: see odd_group */
	{ KP_INSN_MAP_1BYTE, 0xfe, 0xff, W_RM },	/* inc, dec: ditto */
	{ KP_INSN_MAP_0F, 0x1f, 0x1f, W_NOTHING },	/* nop */
	{ KP_INSN_MAP_0F, 0x31, 0x31, W_AX_DX },	/* rdtsc */
	{ KP_INSN_MAP_0F, 0x40, 0x4f, W_REG },		/* cmovcc */
	{ KP_INSN_MAP_0F, 0x80, 0x8f, W_NOTHING },	/* jcc */
	{ KP_INSN_MAP_0F, 0x90, 0x9f, W_RM },		/* setcc */
	{ KP_INSN_MAP_0F, 0xa3, 0xa3, W_NOTHING },	/* bt: see odd_group */
	{ KP_INSN_MAP_0F, 0xaf, 0xaf, W_REG },		/* imul */
	{ KP_INSN_MAP_0F, 0xb6, 0xb7, W_REG },		/* movzx */
	{ KP_INSN_MAP_0F, 0xbc, 0xbd, W_REG },		/* bsf, bsr, tzcnt, lzcnt */
	{ KP_INSN_MAP_0F, 0xbe, 0xbf, W_REG },		/* movsx */
	{ KP_INSN_MAP_0F, 0xc0, 0xc1, W_BOTH },		/* xadd */
	{ KP_INSN_MAP_0F, 0xc8, 0xcf, W_OPCODE },	/* bswap */
};

static bool is(const struct kp_insn *insn, unsigned int map, unsigned int opcode)
{
	return insn->map == map && insn->opcode == opcode;
}

static bool is_landing_pad(const struct kp_insn *insn)
{
	return is(insn, KP_INSN_MAP_0F, 0x1e) && insn->pp == KP_INSN_PP_F3 &&
	       insn->flags & KP_INSN_HAS_MODRM && (insn->modrm & 0xfe) == 0xfa;
}

static const struct entry *find(const struct kp_insn *insn)
{
	unsigned int unlisted = KP_INSN_VECTOR | KP_INSN_REP | KP_INSN_STRING;
	size_t i;

	if (!kp_insn_is_legacy(insn) || insn->flags & unlisted)
		return NULL;
	for (i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		if (insn->map == list[i].map && insn->opcode >= list[i].first &&
		    insn->opcode <= list[i].last)
			return &list[i];
	return NULL;
}

/* Groups whose members write something else than the list says. */
static bool odd_group(const struct kp_insn *insn, enum writes *writes)
{
	unsigned int member = insn->modrm >> 3 & 7;

	if (insn->map != KP_INSN_MAP_1BYTE)
		/* bt of memory reaches beyond its operand: only reads. */
		return false;
	switch (insn->opcode) {
	case 0x80: case 0x81: case 0x83:
		if (member == 7)			/* cmp */
			*writes = W_NOTHING;
		return false;
	case 0xc6: case 0xc7:
		return member != 0;			/* xabort, xbegin */
	case 0xf6: case 0xf7:
		if (member < 2)				/* test */
			*writes = W_NOTHING;
		else if (member > 3)			/* mul, imul, div, idiv */
			*writes = W_AX_DX;
		return false;
	case 0xfe: case 0xff:
		return member > 1;			/* call, jmp, push */
	}
	return false;
}

static bool may_lose(unsigned int gpr)
{
	return gpr < 16 && LOST >> gpr & 1;
}

/* user: of a process. */
static bool may_write_mem(const struct kp_insn *insn, bool user)
{
	if (insn->segment == 0x64 || insn->segment == 0x65)
		return false;
	if (insn->base_gpr == KP_X86_SI || insn->index_gpr == KP_X86_SI ||
	    insn->base_gpr == KP_X86_BP)
		return false;
	if (insn->base_gpr == KP_X86_SP)
		return user && insn->index_gpr == KP_INSN_NO_GPR &&
		       insn->disp.value < 0 &&
		       insn->disp.value >= -KP_X86_RED_ZONE;
	if (insn->index_gpr == KP_X86_SP)
		return false;
	return user || insn->flags & KP_INSN_RIP_REL;
}

/* The lean entry's frame: r11 to di; cs, flags, sp and ss. */
static bool is_there(const struct kp_insn *insn)
{
	int64_t from = insn->disp.value;
	int64_t to = from + insn->operand_size;

	/* movzx and the like read less than they write. */
	return insn->index_gpr == KP_INSN_NO_GPR && !insn->segment &&
	       ((from >= (int64_t)offsetof(struct pt_regs, r11) &&
		 to <= (int64_t)offsetof(struct pt_regs, orig_ax)) ||
		(from >= (int64_t)offsetof(struct pt_regs, cs) &&
		 to <= (int64_t)sizeof(struct pt_regs)));
}

/* Is rsi, if it is named, only the base of a read of what is there? */
static bool regs_stay(const struct kp_insn *insn, enum writes writes)
{
	bool reads_reg = insn->reg_gpr == KP_X86_SI &&
			 insn->flags & KP_INSN_HAS_MODRM;
	bool is_lea = is(insn, KP_INSN_MAP_1BYTE, 0x8d);
	bool self = is(insn, KP_INSN_MAP_1BYTE, 0x31) ||
		    is(insn, KP_INSN_MAP_1BYTE, 0x33);

	if (is_landing_pad(insn) || is(insn, KP_INSN_MAP_0F, 0x1f))
		return true;
	/* xor %esi,%esi; test %rsi,%rsi */
	if (insn->reg_gpr == KP_X86_SI && insn->rm_gpr == KP_X86_SI)
		return self || is(insn, KP_INSN_MAP_1BYTE, 0x85);
	if (insn->index_gpr == KP_X86_SI || insn->rm_gpr == KP_X86_SI)
		/* mov $imm,%esi and mov %reg,%esi lose it */
		return insn->rm_gpr == KP_X86_SI && writes == W_RM &&
		       (is(insn, KP_INSN_MAP_1BYTE, 0x89) ||
			is(insn, KP_INSN_MAP_1BYTE, 0xc7));
	if (insn->base_gpr == KP_X86_SI)
		return !is_lea && writes != W_RM && writes != W_BOTH &&
		       is_there(insn) && !(reads_reg && writes != W_REG);
	if (insn->opcode_gpr == KP_X86_SI)
		/* mov $imm,%rsi; no xchg */
		return insn->map == KP_INSN_MAP_1BYTE && insn->opcode >= 0xb0 &&
		       insn->opcode <= 0xbf;
	/* Loaded with something else: the same is asked of that. */
	return !reads_reg ||
	       (writes == W_REG && (is(insn, KP_INSN_MAP_1BYTE, 0x8b) ||
				    is(insn, KP_INSN_MAP_1BYTE, 0x63) || is_lea ||
				    is(insn, KP_INSN_MAP_0F, 0xb6) ||
				    is(insn, KP_INSN_MAP_0F, 0xb7) ||
				    is(insn, KP_INSN_MAP_0F, 0xbe) ||
				    is(insn, KP_INSN_MAP_0F, 0xbf)));
}

static bool writes_little(const struct kp_insn *insn, enum writes writes,
			  bool user)
{
	bool rm = writes == W_RM || writes == W_BOTH;

	if (rm && insn->flags & KP_INSN_HAS_MEM && !may_write_mem(insn, user))
		return false;
	if (rm && !(insn->flags & KP_INSN_HAS_MEM) &&
	    !may_lose(insn->rm_gpr))
		return false;
	if ((writes == W_REG || writes == W_BOTH) &&
	    !may_lose(insn->reg_gpr))
		return false;
	/* nop: an exchange of ax with itself. */
	return writes != W_OPCODE || is(insn, KP_INSN_MAP_1BYTE, 0x90) ||
	       may_lose(insn->opcode_gpr);
}

static bool is_lean(const struct kp_insn *insn, bool user)
{
	const struct entry *entry = find(insn);
	enum writes writes;

	if (is_landing_pad(insn))
		return true;
	if (!entry || (insn->flow == KP_INSN_FLOW_RET && insn->imm.size))
		return false;
	writes = (enum writes)entry->writes;
	return !odd_group(insn, &writes) && writes_little(insn, writes, user) &&
	       regs_stay(insn, writes);
}

static bool walk_block(struct kp_x86_blocks *blocks, uintptr_t addr, bool user)
{
	struct kp_insn insn;

	for (;; addr += insn.length) {
		uintptr_t target;

		if (blocks->insns_nr++ == INSNS_MAX ||
		    !kp_x86_blocks_decode(blocks, addr, &insn) ||
		    !is_lean(&insn, user))
			return false;
		target = addr + (uintptr_t)kp_insn_rel_target(&insn);
		if (insn.flow == KP_INSN_FLOW_RET)
			return true;
		if (insn.flow == KP_INSN_FLOW_JMP_REL)
			return kp_x86_blocks_add(blocks, target);
		if (insn.flow == KP_INSN_FLOW_JCC_REL &&
		    !kp_x86_blocks_add(blocks, target))
			return false;
	}
}

bool kp_arch_lean(uintptr_t addr,
		  int (*read)(uint8_t *dst, uintptr_t addr, size_t len),
		  bool (*patched)(uintptr_t addr, size_t len))
{
	struct kp_x86_blocks blocks = { .read = read, .patched = patched };

	kp_x86_blocks_add(&blocks, addr);
	while (blocks.done < blocks.nr)
		if (!walk_block(&blocks, blocks.block[blocks.done++], KP_VECTORS))
			return false;
	return true;
}
