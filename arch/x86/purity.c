/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * purity.c - what a function does not change.
 *
 * Owns: the walk over all code that a function can reach by direct branches and calls.  It
 * examines registers, the target of the second argument, and what a function leaves behind.
 * Invariant: whatever cannot be followed, decoded or counted ends the walk with "not pure".  So a
 * better answer is a proof, as long as the code does not change and its returns return.
 */
#include "blocks.h"
#include "code.h"
#include "second.h"

#define INSNS_MAX 4096

struct walk {
	struct kp_x86_blocks blocks;
	bool (*known)(uintptr_t addr);
	bool (*constant)(uintptr_t addr, uintptr_t *word);
	enum kp_arch_purity worst;
	bool return_replaced;	/* the instruction before stored at rsp */
	/*
	 * rsi, or edx, is to be used for nothing but loads until it holds something else;
	 * who branches is not asked which of both it is.
	 */
	bool second;
	bool bare;		/* and nothing is to be left behind */
};

/*
 * Legacy SSE instructions whose vector operands are all xmm registers: opcodes
 * by map and prefix.  They leave the upper halves alone; MXCSR they may change.
 * What is not listed works on MMX or x87 registers or on the whole state.
 */
static const struct sse_range {
	uint8_t map, pp, first, last;
} sse_ranges[] = {
	{ KP_INSN_MAP_0F, KP_INSN_PP_NONE, 0x10, 0x17 },	/* movups … */
	{ KP_INSN_MAP_0F, KP_INSN_PP_NONE, 0x28, 0x29 },	/* movaps */
	{ KP_INSN_MAP_0F, KP_INSN_PP_NONE, 0x2b, 0x2b },	/* movntps */
	{ KP_INSN_MAP_0F, KP_INSN_PP_NONE, 0x2e, 0x2f },	/* ucomiss */
	{ KP_INSN_MAP_0F, KP_INSN_PP_NONE, 0x50, 0x5f },	/* addps … */
	{ KP_INSN_MAP_0F, KP_INSN_PP_NONE, 0xc2, 0xc2 },	/* cmpps */
	{ KP_INSN_MAP_0F, KP_INSN_PP_NONE, 0xc6, 0xc6 },	/* shufps */
	{ KP_INSN_MAP_0F, KP_INSN_PP_66, 0x10, 0x17 },
	{ KP_INSN_MAP_0F, KP_INSN_PP_66, 0x28, 0x29 },
	{ KP_INSN_MAP_0F, KP_INSN_PP_66, 0x2b, 0x2b },
	{ KP_INSN_MAP_0F, KP_INSN_PP_66, 0x2e, 0x2f },
	{ KP_INSN_MAP_0F, KP_INSN_PP_66, 0x50, 0x76 },		/* also integers */
	{ KP_INSN_MAP_0F, KP_INSN_PP_66, 0x78, 0x7f },
	{ KP_INSN_MAP_0F, KP_INSN_PP_66, 0xc2, 0xc6 },
	{ KP_INSN_MAP_0F, KP_INSN_PP_66, 0xd0, 0xfe },
	{ KP_INSN_MAP_0F, KP_INSN_PP_F3, 0x10, 0x16 },		/* movss … */
	{ KP_INSN_MAP_0F, KP_INSN_PP_F3, 0x2a, 0x2d },		/* cvtsi2ss … */
	{ KP_INSN_MAP_0F, KP_INSN_PP_F3, 0x51, 0x5f },		/* addss … */
	{ KP_INSN_MAP_0F, KP_INSN_PP_F3, 0x6f, 0x70 },		/* movdqu … */
	{ KP_INSN_MAP_0F, KP_INSN_PP_F3, 0x7e, 0x7f },		/* movq movdqu */
	{ KP_INSN_MAP_0F, KP_INSN_PP_F3, 0xc2, 0xc2 },
	{ KP_INSN_MAP_0F, KP_INSN_PP_F3, 0xe6, 0xe6 },		/* cvtdq2pd */
	{ KP_INSN_MAP_0F, KP_INSN_PP_F2, 0x10, 0x16 },		/* movsd … */
	{ KP_INSN_MAP_0F, KP_INSN_PP_F2, 0x2a, 0x2d },
	{ KP_INSN_MAP_0F, KP_INSN_PP_F2, 0x51, 0x5f },
	{ KP_INSN_MAP_0F, KP_INSN_PP_F2, 0x70, 0x70 },		/* pshuflw */
	{ KP_INSN_MAP_0F, KP_INSN_PP_F2, 0x78, 0x7d },		/* haddps … */
	{ KP_INSN_MAP_0F, KP_INSN_PP_F2, 0xc2, 0xc2 },
	{ KP_INSN_MAP_0F, KP_INSN_PP_F2, 0xd0, 0xd0 },		/* addsubps */
	{ KP_INSN_MAP_0F, KP_INSN_PP_F2, 0xe6, 0xe6 },
	{ KP_INSN_MAP_0F, KP_INSN_PP_F2, 0xf0, 0xf0 },		/* lddqu */
	{ KP_INSN_MAP_0F38, KP_INSN_PP_66, 0x00, 0xff },
	{ KP_INSN_MAP_0F3A, KP_INSN_PP_66, 0x00, 0xff },
};

static bool is_xmm_only(const struct kp_insn *insn)
{
	size_t i;

	if (!kp_insn_is_legacy(insn))
		return false;
	for (i = 0; i < sizeof(sse_ranges) / sizeof(sse_ranges[0]); i++) {
		const struct sse_range *r = &sse_ranges[i];

		/* 66 0f 2a, 2c, 2d are in no range: they use mm registers. */
		if (insn->map == r->map && insn->pp == r->pp &&
		    insn->opcode >= r->first && insn->opcode <= r->last)
			return true;
	}
	return false;
}

/*
 * Of such an instruction: no xmm register but the first four.  What it names may be
 * a general register; then this is no for nothing.  Those that no field names are
 * xmm0.
 */
static bool is_few(const struct kp_insn *insn)
{
	unsigned int reg = (insn->modrm >> 3 & 7) | (insn->rex & 4) << 1;
	unsigned int rm = (insn->modrm & 7) | (insn->rex & 1) << 3;

	return reg < KP_ARCH_FEW && (insn->flags & KP_INSN_HAS_MEM ||
				     rm < KP_ARCH_FEW);
}

static enum kp_arch_purity purity_of(const struct kp_insn *insn)
{
	if (!(insn->flags & KP_INSN_VECTOR))
		return KP_ARCH_PURE_GPR;
	if (!is_xmm_only(insn))
		return KP_ARCH_PURE_NOT;
	return is_few(insn) ? KP_ARCH_PURE_FEW : KP_ARCH_PURE_LOW;
}

/*
 * push, or mov to (%rsp): a ret behind it is an indirect jump, as in
 * retpolines.  Conservative: reading (%rsp) counts as well, but for a mov, as in what
 * 32-bit code calls to know where it is.
 */
static bool replaces_return(const struct kp_insn *insn)
{
	bool one_byte = kp_insn_is_legacy(insn) &&
			insn->map == KP_INSN_MAP_1BYTE;

	if (insn->flow != KP_INSN_FLOW_NONE)
		return false;
	if (insn->flags & KP_INSN_WRITES_SP)	/* but pop and leave */
		return !one_byte || ((insn->opcode & 0xf8) != 0x58 &&
				     insn->opcode != 0xc9);
	return insn->flags & KP_INSN_HAS_MEM && insn->base_gpr == KP_X86_SP &&
	       !(one_byte && insn->opcode == 0x8b) &&
	       insn->index_gpr == KP_INSN_NO_GPR && !insn->disp.value;
}

/* Through a word that never changes, to a function that is known. */
static bool leads_to_known(const struct walk *w, const struct kp_insn *insn,
			   uintptr_t addr)
{
	uintptr_t target;

	return insn->flags & KP_INSN_RIP_REL && w->known && w->constant &&
	       w->constant(addr + (uintptr_t)kp_insn_rip_target(insn),
			   &target) &&
	       w->known(target);
}

/*
 * Take note of where the instruction leads to.  false: nobody knows.
 * *falls_through: does the walk go on behind it?
 */
static bool follow(struct walk *w, const struct kp_insn *insn, uintptr_t addr,
		   bool *falls_through)
{
	uintptr_t target = addr + (uintptr_t)kp_insn_rel_target(insn);

	*falls_through = true;
	switch (insn->flow) {
	case KP_INSN_FLOW_NONE:
		return true;
	case KP_INSN_FLOW_JMP_REL:
		*falls_through = false;
		if (w->return_replaced)
			return false;
		return (w->known && w->known(target)) ||
		       kp_x86_blocks_add(&w->blocks, target);
	case KP_INSN_FLOW_JCC_REL:
	case KP_INSN_FLOW_LOOP:
	case KP_INSN_FLOW_CALL_REL:
		return (w->known && w->known(target)) ||
		       kp_x86_blocks_add(&w->blocks, target);
	case KP_INSN_FLOW_JMP_IND:
		*falls_through = false;
		return !w->return_replaced && leads_to_known(w, insn, addr);
	case KP_INSN_FLOW_CALL_IND:
		return leads_to_known(w, insn, addr);
	case KP_INSN_FLOW_RET:
		*falls_through = false;
		return !w->return_replaced;
	case KP_INSN_FLOW_SYSCALL:
		/* A kernel gives vector registers back as they were. */
		return true;
	case KP_INSN_FLOW_TRAP:
		/* ud2: a kernel's warning goes on behind it. */
		return kp_insn_is_legacy(insn) &&
		       insn->map == KP_INSN_MAP_0F && insn->opcode == 0x0b;
	}
	return false;
}

static bool walk_block(struct walk *w, uintptr_t addr)
{
	bool falls_through = true, second = w->second;
	struct kp_insn insn;

	w->return_replaced = false;
	for (; falls_through; addr += insn.length) {
		enum kp_arch_purity purity;

		if (w->blocks.insns_nr++ == INSNS_MAX ||
		    !kp_x86_blocks_decode(&w->blocks, addr, &insn))
			return false;
		purity = purity_of(&insn);
		if (purity < w->worst)
			w->worst = purity;
		if (purity == KP_ARCH_PURE_NOT ||
		    (second && !keeps_second(&insn)) ||
		    (w->bare && !leaves_nothing(&insn)) ||
		    !follow(w, &insn, addr, &falls_through))
			return false;
		second = second && !loses_second(&insn);
		w->return_replaced = replaces_return(&insn);
		/* Walked already, or will be. */
		if (kp_x86_blocks_has(&w->blocks, addr + insn.length) &&
		    !w->return_replaced)
			break;
	}
	return true;
}

static bool walk(struct walk *w, uintptr_t addr)
{
	struct kp_x86_blocks *blocks = &w->blocks;

	kp_x86_blocks_add(blocks, addr);
	while (blocks->done < blocks->nr)
		if (!walk_block(w, blocks->block[blocks->done++]))
			return false;
	return true;
}

enum kp_arch_purity
kp_arch_purity(uintptr_t addr,
	       int (*read)(uint8_t *dst, uintptr_t addr, size_t len),
	       bool (*known)(uintptr_t addr),
	       bool (*constant)(uintptr_t addr, uintptr_t *word))
{
	struct walk w = { .blocks.read = read, .known = known, .constant = constant,
			  .worst = KP_ARCH_PURE_GPR };

	return walk(&w, addr) ? w.worst : KP_ARCH_PURE_NOT;
}

bool kp_arch_general_only(uintptr_t begin, uintptr_t end,
			  int (*read)(uint8_t *dst, uintptr_t addr, size_t len))
{
	uint8_t bytes[KP_INSN_MAX];
	struct kp_insn insn;
	size_t len;

	for (; begin < end; begin += insn.length) {
		len = end - begin < sizeof(bytes) ? end - begin : sizeof(bytes);
		if (read(bytes, begin, len) ||
		    kp_insn_decode(&insn, bytes, len, KP_X86_MODE) ||
		    purity_of(&insn) != KP_ARCH_PURE_GPR)
			return false;
	}
	return true;
}

/* In a process of 32 bits arguments are on the stack, and so it may be in any register. */
#define HAS_SECOND (KP_X86_WORD == 8 || !KP_VECTORS)

bool kp_arch_spares_second(uintptr_t addr,
			   int (*read)(uint8_t *dst, uintptr_t addr,
				       size_t len),
			   bool (*patched)(uintptr_t addr, size_t len))
{
	struct walk w = { .blocks.read = read, .blocks.patched = patched,
			  .worst = KP_ARCH_PURE_GPR,
			  .second = true };

	return HAS_SECOND && walk(&w, addr);
}

bool kp_arch_leaves_nothing(uintptr_t addr,
			    int (*read)(uint8_t *dst, uintptr_t addr,
					size_t len),
			    bool (*patched)(uintptr_t addr, size_t len))
{
	struct walk w = { .blocks.read = read, .blocks.patched = patched,
			  .worst = KP_ARCH_PURE_GPR,
			  .second = true, .bare = true };

	return HAS_SECOND && walk(&w, addr);
}
