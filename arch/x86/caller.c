/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * caller.c - whether a function uses its return address.
 *
 * Owns: the walk over the function's own code that knows, for each instruction, how far above
 * the stack and frame pointers the return address is:
 *
 *   at    the return address is at at(%rsp); bp: at bp(%rbp)
 *
 * Invariant: only a known use counts.  So "yes" is certain, as long as compilers keep nothing
 * else in that word.  "No" is not: code behind indirect jumps, callees and uses through other
 * registers are not examined.
 */
#include "probe.h"
#include "insn/insn.h"
#include "code.h"

#define BLOCKS_MAX 96
#define INSNS_MAX 8192
#define NOWHERE INT32_MIN
#define WINDOW 128

struct state {
	uintptr_t addr;
	int32_t at, bp;
};

struct walk {
	const struct kp_arch_caller *how;
	uintptr_t start, end;
	struct state block[BLOCKS_MAX];
	unsigned int blocks_nr;
	uint8_t window[WINDOW];		/* of the text, at window_addr */
	uintptr_t window_addr;
	size_t window_len;
};

static bool is_one_byte(const struct kp_insn *insn)
{
	return kp_insn_is_legacy(insn) && insn->map == KP_INSN_MAP_1BYTE;
}

static bool look_at(struct walk *w, uintptr_t addr)
{
	size_t len = w->end - addr;

	w->window_len = len < WINDOW ? len : WINDOW;
	w->window_addr = addr;
	if (!w->how->read(w->window, addr, w->window_len))
		return true;
	w->window_len = 0;
	return false;
}

static bool decode(struct walk *w, uintptr_t addr, struct kp_insn *insn)
{
	size_t off = addr - w->window_addr;

	if (off >= w->window_len ||
	    (w->window_len - off < KP_INSN_MAX &&
	     w->window_addr + w->window_len < w->end)) {
		if (!look_at(w, addr))
			return false;
		off = 0;
	}
	return !kp_insn_decode(insn, w->window + off, w->window_len - off,
			       KP_X86_MODE);
}

static bool is_block(const struct walk *w, uintptr_t addr)
{
	unsigned int i;

	for (i = 0; i < w->blocks_nr; i++)
		if (w->block[i].addr == addr)
			return true;
	return false;
}

static void add_block(struct walk *w, uintptr_t addr, const struct state *s)
{
	if (addr < w->start || addr >= w->end || is_block(w, addr) ||
	    w->blocks_nr == BLOCKS_MAX)
		return;
	w->block[w->blocks_nr] = *s;
	w->block[w->blocks_nr++].addr = addr;
}

/* An access of the word itself; lea and nop access nothing. */
static bool touches(const struct kp_insn *insn, const struct state *s)
{
	int64_t at;

	if (!(insn->flags & KP_INSN_HAS_MEM) || insn->segment ||
	    insn->index_gpr != KP_INSN_NO_GPR)
		return false;
	if (is_one_byte(insn) && insn->opcode == 0x8d)
		return false;
	if (kp_insn_is_legacy(insn) && insn->map == KP_INSN_MAP_0F &&
	    insn->opcode >= 0x18 && insn->opcode <= 0x1f)
		return false;
	if (insn->base_gpr == KP_X86_SP)
		at = s->at;
	else if (insn->base_gpr == KP_X86_BP)
		at = s->bp;
	else
		return false;
	return at != NOWHERE && insn->disp.value == at;
}

/* pop %reg; jmp *%reg is a return, and looks at nothing. */
static bool returns_by(struct walk *w, uintptr_t next, uint8_t reg)
{
	struct kp_insn insn;

	return next < w->end && decode(w, next, &insn) &&
	       insn.flow == KP_INSN_FLOW_JMP_IND && insn.rm_gpr == reg;
}

static bool is_pop(const struct kp_insn *insn)
{
	return is_one_byte(insn) && (insn->opcode & 0xf8) == 0x58;
}

static bool takes(struct walk *w, const struct kp_insn *insn,
		  const struct state *s)
{
	if (!w->how->reads)
		return false;
	if (is_pop(insn) && !s->at)
		return !returns_by(w, s->addr + insn->length,
				   insn->opcode_gpr);
	return touches(insn, s);
}

/* add, sub, lea and mov between the two pointers; false: something else. */
static bool moves_pointer(const struct kp_insn *insn, struct state *s)
{
	unsigned int digit = insn->modrm >> 3 & 7;
	bool group = insn->opcode == 0x83 || insn->opcode == 0x81;
	int32_t imm = (int32_t)insn->imm.value;

	if (!is_one_byte(insn) || insn->operand_size != KP_X86_WORD)
		return false;
	if (group && insn->rm_gpr == KP_X86_SP && (digit == 0 || digit == 5)) {
		s->at += digit ? imm : -imm;
		return true;
	}
	if (insn->opcode == 0x8d && insn->base_gpr == KP_X86_SP &&
	    insn->index_gpr == KP_INSN_NO_GPR &&
	    (insn->reg_gpr == KP_X86_SP || insn->reg_gpr == KP_X86_BP)) {
		int32_t to = s->at - (int32_t)insn->disp.value;

		*(insn->reg_gpr == KP_X86_SP ? &s->at : &s->bp) = to;
		return true;
	}
	if ((insn->opcode == 0x89 && insn->reg_gpr == KP_X86_SP &&
	     insn->rm_gpr == KP_X86_BP) ||
	    (insn->opcode == 0x8b && insn->reg_gpr == KP_X86_BP &&
	     insn->rm_gpr == KP_X86_SP)) {
		s->bp = s->at;
		return true;
	}
	return false;
}

/* Does it name the register where it may write it? */
static bool may_write(const struct kp_insn *insn, unsigned int reg)
{
	if (is_one_byte(insn) &&
	    (insn->opcode == 0x39 || insn->opcode == 0x3b ||
	     insn->opcode == 0x85))
		return false;			/* cmp, test */
	if (is_one_byte(insn) && insn->opcode == 0x89)
		return insn->rm_gpr == reg;	/* mov from reg_gpr */
	return insn->reg_gpr == reg || insn->rm_gpr == reg ||
	       insn->vvvv_gpr == reg || insn->opcode_gpr == reg;
}

/* The pointers behind the instruction. */
static void step(const struct kp_insn *insn, struct state *s)
{
	bool push = is_one_byte(insn) && ((insn->opcode & 0xf8) == 0x50 ||
					  insn->opcode == 0x68 ||
					  insn->opcode == 0x6a ||
					  (insn->opcode == 0xff &&
					   (insn->modrm >> 3 & 7) == 6));

	if (s->at != NOWHERE && moves_pointer(insn, s))
		return;
	/* clone: behind it may be a child, on another stack. */
	if (insn->flow == KP_INSN_FLOW_SYSCALL || insn->flow == KP_INSN_FLOW_TRAP) {
		s->at = s->bp = NOWHERE;
		return;
	}
	if (is_one_byte(insn) && insn->opcode == 0xc9) {	/* leave */
		s->at = s->bp == NOWHERE ? NOWHERE : s->bp - KP_X86_WORD;
		s->bp = NOWHERE;
	} else if (push || is_pop(insn)) {
		if (insn->operand_size != KP_X86_WORD ||
		    (is_pop(insn) && insn->opcode_gpr == KP_X86_SP))
			s->at = NOWHERE;
		else if (s->at != NOWHERE)
			s->at += push ? KP_X86_WORD : -KP_X86_WORD;
		if (is_pop(insn) && insn->opcode_gpr == KP_X86_BP)
			s->bp = NOWHERE;
	} else if (insn->flow != KP_INSN_FLOW_CALL_REL &&
		   insn->flow != KP_INSN_FLOW_CALL_IND) {
		if (insn->flags & KP_INSN_WRITES_SP ||
		    may_write(insn, KP_X86_SP))
			s->at = NOWHERE;
		if (may_write(insn, KP_X86_BP))
			s->bp = NOWHERE;
	}
}

/* jmp *word(%rip), jmp *word: 32-bit code that is moved about has no such. */
static bool is_at_address(const struct kp_insn *insn)
{
	return insn->flags & KP_INSN_RIP_REL ||
	       (KP_X86_WORD == 4 && insn->flags & KP_INSN_HAS_MEM && !insn->segment &&
		insn->base_gpr == KP_INSN_NO_GPR && insn->index_gpr == KP_INSN_NO_GPR);
}

/* Where a jump leads, and the word that says so, if there is one. */
static bool target_of(const struct walk *w, const struct kp_insn *insn,
		      uintptr_t addr, uintptr_t *to, uintptr_t *word)
{
	*word = 0;
	*to = addr + (uintptr_t)kp_insn_rel_target(insn);
	if (insn->flow == KP_INSN_FLOW_JMP_REL)
		return true;
	*word = insn->flags & KP_INSN_RIP_REL ? addr + (uintptr_t)kp_insn_rip_target(insn) :
						(uintptr_t)insn->disp.value;
	return insn->flow == KP_INSN_FLOW_JMP_IND && is_at_address(insn) &&
	       !w->how->read((uint8_t *)to, *word, sizeof(*to));
}

/*
 * Does the jump lead out of the function, while its caller is on the stack, to
 * somebody who minds?  An entry of the procedure linkage table is looked
 * through: endbr64, jmp *word(%rip).
 */
static bool leaves_for(const struct walk *w, const struct kp_insn *insn,
		       const struct state *s)
{
	static const uint8_t pad[] = KP_X86_LANDING_PAD;
	uint8_t bytes[sizeof(pad) + KP_INSN_MAX];
	struct kp_insn entry;
	uintptr_t to, word, next, at = 0;

	if (!w->how->follows || s->at ||
	    !target_of(w, insn, s->addr, &to, &word) ||
	    (to >= w->start && to < w->end))
		return false;
	if (w->how->follows(to, word))
		return true;
	if (w->how->read(bytes, to, sizeof(bytes)))
		return false;
	if (!memcmp(bytes, pad, sizeof(pad)))
		at = sizeof(pad);
	return !kp_insn_decode(&entry, bytes + at, KP_INSN_MAX, KP_X86_MODE) &&
	       entry.flow == KP_INSN_FLOW_JMP_IND &&
	       target_of(w, &entry, to + at, &next, &word) &&
	       w->how->follows(next, word);
}

static bool walk_block(struct walk *w, struct state s, unsigned int *insns)
{
	struct kp_insn insn;

	for (; s.addr < w->end && (*insns)++ < INSNS_MAX; s.addr += insn.length) {
		if (!decode(w, s.addr, &insn))
			return false;
		if (takes(w, &insn, &s) || leaves_for(w, &insn, &s))
			return true;
		step(&insn, &s);
		if (insn.flow != KP_INSN_FLOW_CALL_REL &&
		    kp_insn_is_rel_branch(&insn))
			add_block(w, s.addr +
				     (uintptr_t)kp_insn_rel_target(&insn), &s);
		if (!kp_insn_falls_through(insn.flow) &&
		    insn.flow != KP_INSN_FLOW_XBEGIN)
			return false;
		if (is_block(w, s.addr + insn.length))
			return false;
	}
	return false;
}

bool kp_arch_sees_caller(uintptr_t addr, size_t len,
			 const struct kp_arch_caller *how)
{
	struct walk w = { .how = how, .start = addr, .end = addr + len };
	unsigned int done, insns = 0;

	add_block(&w, addr, &(struct state){ .bp = NOWHERE });
	for (done = 0; done < w.blocks_nr; done++)
		if (walk_block(&w, w.block[done], &insns))
			return true;
	return false;
}
