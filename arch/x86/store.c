/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * store.c - stores that the engine makes for the program.
 *
 * Owns: kp_arch_store.  The processor itself computes the new bytes, on a register that holds the
 * old ones, with the program's flags.  So the resulting flags are the real ones.
 *
 * Invariant: regs change only after the host has written.  Instructions that are not listed here,
 * and those that use a segment of their own or the stack, are declined.
 */
#include "probe.h"
#include "insn.h"
#include "atomic.h"
#include "watch.h"
#include "written.h"

#include <cpuid.h>

#define ARITHMETIC (KP_X86_FLAG_CF | KP_X86_FLAG_PF | KP_X86_FLAG_AF | \
		    KP_X86_FLAG_ZF | KP_X86_FLAG_SF | KP_X86_FLAG_OF)
#define KP_X86_FLAG_AF (1ul << 4)

enum op {
	ADD, OR, ADC, SBB, AND, SUB, XOR, SET,	/* as in the opcode; 7 is cmp */
	ROL, ROR, RCL, RCR, SHL, SHR, SHL_TOO, SAR,
	NOT, NEG, INC, DEC, BTS, BTR, BTC, COMPARE,
	SWAP,					/* SET, and the register gets the old */
	ADD_SWAP,				/* ADD, ditto */
	BYTES,					/* of .bytes */
	COMPARE_PAIR,				/* cmpxchg8b, cmpxchg16b */
};

struct store {
	const struct kp_insn *insn;
	struct pt_regs *regs;
	enum op op;
	unsigned int len;
	uintptr_t addr;
	uint64_t source;		/* the other operand */
	uint8_t bytes[KP_WATCH_STORE_MAX];
	/* What comes of it. */
	uint64_t old, low, high;
	unsigned long flags;
};

/* ---- what is made of the old bytes ----------------------------------------------- */

/*
 *	lea	-128(%rsp), %rsp	; the red zone
 *	push	flags; popf
 *	INSN	source, value
 *	pushf; pop	flags
 *	lea	128(%rsp), %rsp
 */
#define RUN(text, type) do {							\
	type v = (type)value;							\
	__asm__ volatile("lea %c[down](%%" KP_X86_STACK "), %%" KP_X86_STACK "\n\t"	\
			 "push %[f]\n\tpopf\n\t"				\
			 text "\n\tpushf\n\tpop %[f]\n\t"			\
			 "lea %c[up](%%" KP_X86_STACK "), %%" KP_X86_STACK		\
			 : [v] "+q"(v), [f] "+r"(flags)				\
			 : [s] "c"((unsigned long)s->source), "a"((type)accumulator), \
			   [down] "i"(-KP_X86_RED_ZONE), [up] "i"(KP_X86_RED_ZONE) \
			 : "cc", "memory");					\
	value = v;								\
} while (0)
/* What a register holds at most. */
#if __x86_64__
#define WIDEST(text_l, text_q) ({ RUN(text_q, uint64_t); })
#else
#define WIDEST(text_l, text_q) ({ RUN(text_l, uint32_t); })
#endif
#define SIZES(name, source_b, source_w, source_l, source_q)			\
	(s->len == 1 ? ({ RUN(name "b " source_b "%[v]", uint8_t); }) :		\
	 s->len == 2 ? ({ RUN(name "w " source_w "%[v]", uint16_t); }) :	\
	 s->len == 4 ? ({ RUN(name "l " source_l "%[v]", uint32_t); }) :	\
		       WIDEST(name "l " source_l "%[v]", name "q " source_q "%[v]"))
#define TWO(name) SIZES(name, "%%cl, ", "%%cx, ", "%%ecx, ", "%%rcx, ")
#define COUNT(name) SIZES(name, "%%cl, ", "%%cl, ", "%%cl, ", "%%cl, ")
#define ONE(name) SIZES(name, "", "", "", "")

/* There is none for bytes. */
#define BIT(name)								\
	(s->len == 2 ? ({ RUN(name "w %%cx, %[v]", uint16_t); }) :		\
	 s->len == 4 ? ({ RUN(name "l %%ecx, %[v]", uint32_t); }) :		\
		       WIDEST(name "l %%ecx, %[v]", name "q %%rcx, %[v]"))

/* cmp value, accumulator: and the source is stored, if they are the same. */
#define COMPARED(suffix, acc, type)						\
	({ RUN("cmp" suffix " %[v], " acc, type); })

KP_TRAP_PATH static uint64_t compute(struct store *s, uint64_t value)
{
	unsigned long flags = (s->regs->flags & ARITHMETIC) | KP_X86_FLAG_FIXED |
			      KP_X86_FLAG_IF;
	unsigned long accumulator = s->regs->ax;

	s->old = value;
	switch (s->op) {
	case ADD: case ADD_SWAP: TWO("add"); break;
	case OR: TWO("or"); break;
	case ADC: TWO("adc"); break;
	case SBB: TWO("sbb"); break;
	case AND: TWO("and"); break;
	case SUB: TWO("sub"); break;
	case XOR: TWO("xor"); break;
	case ROL: COUNT("rol"); break;
	case ROR: COUNT("ror"); break;
	case RCL: COUNT("rcl"); break;
	case RCR: COUNT("rcr"); break;
	case SHL: case SHL_TOO: COUNT("shl"); break;
	case SHR: COUNT("shr"); break;
	case SAR: COUNT("sar"); break;
	case NOT: ONE("not"); break;
	case NEG: ONE("neg"); break;
	case INC: ONE("inc"); break;
	case DEC: ONE("dec"); break;
	case BTS: BIT("bts"); break;
	case BTR: BIT("btr"); break;
	case BTC: BIT("btc"); break;
	case COMPARE:
		switch (s->len) {
		case 1: COMPARED("b", "%%al", uint8_t); break;
		case 2: COMPARED("w", "%%ax", uint16_t); break;
		case 4: COMPARED("l", "%%eax", uint32_t); break;
		default:
			WIDEST("cmpl %[v], %%eax", "cmpq %[v], %%rax");
			break;
		}
		value = flags & KP_X86_FLAG_ZF ? s->source : s->old;
		break;
	default:
		value = s->source;
	}
	s->flags = flags & ARITHMETIC;
	return value;
}

KP_TRAP_PATH static void compare_pair(struct store *s, const uint8_t *old,
				      uint8_t *new)
{
	unsigned int half = s->len / 2;
	bool same;

	s->low = s->high = 0;
	memcpy(&s->low, old, half);
	memcpy(&s->high, old + half, half);
	same = half == 8 ? s->low == s->regs->ax && s->high == s->regs->dx
			 : s->low == (uint32_t)s->regs->ax &&
			   s->high == (uint32_t)s->regs->dx;
	s->flags = (s->regs->flags & ARITHMETIC & ~KP_X86_FLAG_ZF) |
		   (same ? KP_X86_FLAG_ZF : 0);
	memcpy(new, same ? (const void *)&s->regs->bx : old, half);
	memcpy(new + half, same ? (const void *)&s->regs->cx : old + half, half);
}

KP_TRAP_PATH static void change(void *op, const uint8_t *old, uint8_t *new)
{
	struct store *s = op;
	uint64_t value = 0;

	if (s->op == BYTES) {
		memcpy(new, s->bytes, s->len);
	} else if (s->op == COMPARE_PAIR) {
		compare_pair(s, old, new);
	} else {
		memcpy(&value, old, s->len);
		value = compute(s, value);
		memcpy(new, &value, s->len);
	}
}

/* ---- what the instruction names ---------------------------------------------------- */

/* The second byte of one of the first four registers, where no REX is. */
KP_TRAP_PATH static bool is_high_byte(const struct kp_insn *insn, unsigned int reg,
				      unsigned int len)
{
	return len == 1 && !insn->rex && reg >= 4 && reg < 8;
}

KP_TRAP_PATH static unsigned int reg_of(const struct store *s)
{
	return (s->insn->modrm >> 3 & 7) + 8u * s->insn->r;
}

KP_TRAP_PATH static uint64_t reg_get(const struct store *s, unsigned int reg)
{
	uint64_t value;

	if (is_high_byte(s->insn, reg, s->len))
		return *kp_x86_reg(s->regs, reg - 4) >> 8 & 0xff;
	value = *kp_x86_reg(s->regs, reg);
	return s->len == 8 ? value : value & ((1ull << 8 * s->len) - 1);
}

KP_TRAP_PATH static void reg_set(const struct store *s, unsigned int reg,
				 uint64_t value)
{
	unsigned int shift = 0;
	unsigned long *at;
	uint64_t mask;

	if (is_high_byte(s->insn, reg, s->len)) {
		reg -= 4;
		shift = 8;
	}
	at = kp_x86_reg(s->regs, reg);
	if (s->len >= 4) {
		*at = s->len == 4 ? (uint32_t)value : (unsigned long)value;
		return;
	}
	mask = ((1ul << 8 * s->len) - 1) << shift;
	*at = (*at & ~mask) | (value << shift & mask);
}

/* ---- one byte opcodes ----------------------------------------------------------------- */

KP_TRAP_PATH static unsigned int ext(const struct kp_insn *insn)
{
	return insn->modrm >> 3 & 7;
}

KP_TRAP_PATH static bool from_reg(struct store *s, enum op op)
{
	s->op = op;
	s->source = reg_get(s, reg_of(s));
	return true;
}

KP_TRAP_PATH static bool from_imm(struct store *s, enum op op)
{
	s->op = op;
	s->source = (uint64_t)s->insn->imm.value;
	return true;
}

KP_TRAP_PATH static bool one_byte(struct store *s)
{
	const struct kp_insn *insn = s->insn;

	s->len = insn->operand_size;
	if (insn->opcode < 0x38 && (insn->opcode & 7) < 2)
		return from_reg(s, (enum op)(insn->opcode >> 3));
	switch (insn->opcode) {
	case 0x80: case 0x81: case 0x83:
		return ext(insn) != 7 && from_imm(s, (enum op)ext(insn));
	case 0x86: case 0x87:
		return from_reg(s, SWAP);
	case 0x88: case 0x89:
		return from_reg(s, SET);
	case 0xa2: case 0xa3:
		s->op = SET;
		s->source = s->regs->ax;
		return true;
	case 0xc0: case 0xc1:
		return from_imm(s, (enum op)(ROL + ext(insn)));
	case 0xd0: case 0xd1:
		s->op = (enum op)(ROL + ext(insn));
		s->source = 1;
		return true;
	case 0xd2: case 0xd3:
		s->op = (enum op)(ROL + ext(insn));
		s->source = s->regs->cx;
		return true;
	case 0xc6: case 0xc7:
		return !ext(insn) && from_imm(s, SET);
	case 0xf6: case 0xf7:
		s->op = ext(insn) == 2 ? NOT : NEG;
		return ext(insn) == 2 || ext(insn) == 3;
	case 0xfe: case 0xff:
		s->op = ext(insn) ? DEC : INC;
		return ext(insn) < 2;
	}
	return false;
}

/* ---- 0f ---------------------------------------------------------------------------------- */

/* As jcc: by the upper three bits of the condition; the lowest one inverts. */
KP_TRAP_PATH static bool holds(unsigned int cond, unsigned long flags)
{
	bool less = !(flags & KP_X86_FLAG_SF) != !(flags & KP_X86_FLAG_OF);
	bool zero = flags & KP_X86_FLAG_ZF, carry = flags & KP_X86_FLAG_CF;
	const bool is[8] = {
		flags & KP_X86_FLAG_OF, carry, zero, carry || zero,
		flags & KP_X86_FLAG_SF, flags & KP_X86_FLAG_PF, less,
		less || zero,
	};

	return is[cond >> 1 & 7] != (cond & 1);
}

KP_TRAP_PATH static bool bit(struct store *s, enum op op)
{
	s->op = op;
	s->source = reg_get(s, reg_of(s)) & (8 * s->len - 1);
	return true;
}

KP_TRAP_PATH static bool legacy_0f(struct store *s)
{
	const struct kp_insn *insn = s->insn;

	s->len = insn->operand_size;
	if ((insn->opcode & 0xf0) == 0x90) {
		s->op = SET;
		s->len = 1;
		s->source = holds(insn->opcode & 15, s->regs->flags);
		return true;
	}
	switch (insn->opcode) {
	case 0xab:
		return bit(s, BTS);
	case 0xb3:
		return bit(s, BTR);
	case 0xbb:
		return bit(s, BTC);
	case 0xba:
		from_imm(s, (enum op)(BTS + ext(insn) - 5));
		s->source &= 8 * s->len - 1;
		return ext(insn) > 4;
	case 0xb0: case 0xb1:
		return from_reg(s, COMPARE);
	case 0xc0: case 0xc1:
		return from_reg(s, ADD_SWAP);
	case 0xc3:
		return from_reg(s, SET);
	case 0xc7:
		s->op = COMPARE_PAIR;
		s->len = insn->w ? 16 : 8;
		return ext(insn) == 1;
	}
	return false;
}

/* ---- vectors --------------------------------------------------------------------------------- */

/* Components of the saved image, and where they are without being compacted. */
enum { SSE = 1, AVX = 2, UPPER = 6, MORE = 7 };
#define XMM_AT 160u

KP_TRAP_PATH static uint32_t component_at(unsigned int component)
{
	static uint32_t known[8];
	uint32_t at = kp_load_relaxed(&known[component]), a, c, d;

	if (!at) {
		__cpuid_count(13, component, a, at, c, d);
		kp_store_relaxed(&known[component], at);
	}
	return at;
}

KP_TRAP_PATH static void part(uint8_t *dst, const struct kp_arch_vectors *vectors,
			      unsigned int component, uint32_t at,
			      unsigned int len)
{
	/* What was not saved is in its first state. */
	if (vectors->components >> component & 1)
		memcpy(dst, (const uint8_t *)vectors->image + at, len);
	else
		memset(dst, 0, len);
}

KP_TRAP_PATH static void vector_get(uint8_t dst[64], unsigned int reg,
				    const struct kp_arch_vectors *vectors)
{
	memset(dst, 0, 64);
	if (!vectors->components) {
		memcpy(dst, (const uint8_t *)vectors->image + XMM_AT + 16 * reg,
		       16);
	} else if (reg >= 16) {
		part(dst, vectors, MORE, component_at(MORE) + 64 * (reg - 16),
		     64);
	} else {
		part(dst, vectors, SSE, XMM_AT + 16 * reg, 16);
		part(dst + 16, vectors, AVX, component_at(AVX) + 16 * reg, 16);
		part(dst + 32, vectors, UPPER, component_at(UPPER) + 32 * reg,
		     32);
	}
}

KP_TRAP_PATH static bool vector(struct store *s,
				const struct kp_arch_vectors *vectors)
{
	const struct kp_insn *insn = s->insn;
	unsigned int reg = (insn->modrm >> 3 & 7) + 8u * insn->r +
			   16u * insn->r2, from = 0;
	uint8_t all[64];

	if (!vectors || insn->evex_aaa || insn->evex_b ||
	    insn->encoding == KP_INSN_XOP || insn->encoding == KP_INSN_3DNOW)
		return false;
	s->op = BYTES;
	if (insn->map == KP_INSN_MAP_0F)
		s->len = kp_x86_moved_0f(insn, &from);
	else if (insn->map == KP_INSN_MAP_0F3A)
		s->len = kp_x86_moved_0f3a(insn, &from);
	if (!s->len)
		return false;
	vector_get(all, reg, vectors);
	memcpy(s->bytes, all + from, s->len);
	return true;
}

/* ---- all of them ------------------------------------------------------------------------- */

KP_TRAP_PATH static bool understand(struct store *s,
				    const struct kp_arch_vectors *vectors)
{
	const struct kp_insn *insn = s->insn;
	struct kp_arch_write place;
	bool known = false;

	if (!(insn->flags & KP_INSN_HAS_MEM) || insn->segment == 0x64 ||
	    insn->segment == 0x65)
		return false;
	if (kp_insn_is_legacy(insn) && insn->map == KP_INSN_MAP_1BYTE)
		known = one_byte(s);
	else if (kp_insn_is_legacy(insn) && insn->map == KP_INSN_MAP_0F)
		known = legacy_0f(s);
	if (!known) {
		s->len = 0;
		known = vector(s, vectors);
	}
	if (!known)
		return false;
	kp_x86_write_place(&place, insn, s->regs->ip, s->len);
	kp_arch_write_at(&place, s->regs, &s->addr);
	return true;
}

/* A shift by nothing leaves all flags; what is undefined is as here. */
KP_TRAP_PATH static void finish(struct store *s)
{
	struct pt_regs *regs = s->regs;

	regs->flags = (regs->flags & ~ARITHMETIC) | s->flags;
	switch (s->op) {
	case SWAP:
	case ADD_SWAP:
		reg_set(s, reg_of(s), s->old);
		break;
	case COMPARE:
		if (!(s->flags & KP_X86_FLAG_ZF))
			reg_set(s, 0, s->old);
		break;
	case COMPARE_PAIR:
		if (s->flags & KP_X86_FLAG_ZF)
			break;
		regs->ax = (unsigned long)s->low;
		regs->dx = (unsigned long)s->high;
		break;
	default:
		break;
	}
	regs->ip += s->insn->length;
}

/* ---- strings ---------------------------------------------------------------------------------- */

/*
 * movs, stos: as many elements as lie in one stretch, which the processor does one
 * after the other, and may be interrupted between any two.
 */
KP_TRAP_PATH static int string(struct store *s, uintptr_t fault,
			       const struct kp_arch_memory *memory)
{
	const struct kp_insn *insn = s->insn;
	struct pt_regs *regs = s->regs;
	unsigned int size = insn->operand_size, nr = 1, i;
	bool moves = (insn->opcode & 0xfe) == 0xa4;
	bool counts = insn->flags & KP_INSN_REP, repeats = counts;
	int err;

	if (insn->address_size != KP_X86_WORD || insn->segment ||
	    (regs->flags & KP_X86_FLAG_DF) || regs->di != fault)
		return -EOPNOTSUPP;
	/* What it reads it may have just written. */
	if (moves && regs->di - regs->si < sizeof(s->bytes))
		repeats = false;
	while (repeats && nr < regs->cx && (nr + 1) * size <= sizeof(s->bytes) &&
	       !((regs->di + nr * size) % KP_ARCH_PAGE < size))
		nr++;
	s->op = BYTES;
	s->len = nr * size;
	if (moves && memory->read(s->bytes, regs->si, s->len))
		return -EOPNOTSUPP;
	for (i = 0; !moves && i < nr; i++)
		memcpy(s->bytes + i * size, &regs->ax, size);
	err = memory->update(memory->arg, regs->di, s->len, change, s);
	if (err)
		return err;
	regs->di += s->len;
	regs->si += moves ? s->len : 0;
	regs->cx -= counts ? nr : 0;
	if (!counts || !regs->cx)
		regs->ip += insn->length;
	return 0;
}

/* Does the processor refuse what lies off its boundary? */
KP_TRAP_PATH static bool is_refused(const struct store *s)
{
	const struct kp_insn *insn = s->insn;
	bool strict = s->op == COMPARE_PAIR && s->len == 16;

	if (s->op == BYTES && insn->map == KP_INSN_MAP_0F)
		strict = insn->opcode == 0x29 || insn->opcode == 0x2b ||
			 insn->opcode == 0xe7 ||
			 (insn->opcode == 0x7f && insn->pp == KP_INSN_PP_66);
	return (strict || s->regs->flags & KP_X86_FLAG_AC) &&
	       s->addr & (s->len - 1);
}

KP_TRAP_PATH static bool is_string(const struct kp_insn *insn)
{
	return kp_insn_is_legacy(insn) && insn->map == KP_INSN_MAP_1BYTE &&
	       ((insn->opcode & 0xfe) == 0xa4 || (insn->opcode & 0xfe) == 0xaa);
}

KP_TRAP_PATH int kp_arch_store(struct pt_regs *regs,
			       const struct kp_arch_vectors *vectors,
			       const uint8_t *bytes, size_t avail, uintptr_t fault,
			       const struct kp_arch_memory *memory)
{
	struct kp_insn insn;
	struct store s = { .insn = &insn, .regs = regs, .flags = regs->flags & ARITHMETIC };
	int err;

	if (kp_insn_decode(&insn, bytes, avail, KP_X86_MODE))
		return -EOPNOTSUPP;
	if (is_string(&insn))
		return string(&s, fault, memory);
	if (!understand(&s, vectors) || fault - s.addr >= s.len ||
	    is_refused(&s))
		return -EOPNOTSUPP;
	err = memory->update(memory->arg, s.addr, s.len, change, &s);
	if (!err)
		finish(&s);
	return err;
}
