/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * each_hit.h - per-probe data of x86, and what every hit needs, in both modes.
 *
 * Owns: struct kp_arch_probe, written once by kp_arch_prepare before publication and
 * read without locks on the trap path; and the few facts that every hit asks for.  The
 * processor's own arch_probe.h includes it, behind the regs.h of its folder.
 */
#ifndef KP_X86_EACH_HIT_H
#define KP_X86_EACH_HIT_H

#include "env.h"

#define KP_ARCH_BP_LEN		1
#define KP_ARCH_INSN_MAX	15
/*
 * Two forms of at most 52 bytes (outofline.c), at 0 and at half; the last 8
 * bytes belong to the core.
 */
#define KP_ARCH_SLOT_LEN	128

/* A return stub: return.S has its code, too. */
#define KP_ARCH_STUB_LEN	16
#define KP_ARCH_STUB_RETURN	9

#define KP_ARCH_WATCH_WORDS	4	/* DR0 to DR3 */
#define KP_ARCH_PAGE		4096u	/* the unit of protection */

#define KP_ARCH_FILL		0xcc

/* Jumps, the same in both modes; arch_probe.h has the rest. */
#define KP_ARCH_JUMPS		1
#define KP_ARCH_JUMP_MAX	8	/* jmp rel32 with up to three prefixes */
#define KP_ARCH_JUMP_MIN	5
#define KP_ARCH_HEAD_LEN	32	/* detour.c */
#define KP_ARCH_INNER_BP	0xcc
#define KP_ARCH_INNER_LEN	1

static const uint8_t kp_arch_bp[KP_ARCH_BP_LEN] = { 0xcc };	/* int3 */

struct kp_arch_probe {
	uintptr_t addr;		/* of the probed instruction */
	uint8_t class;		/* enum kp_arch_class */
	uint8_t len;		/* of the probed instruction */
	uint8_t op;		/* enum kp_x86_op */
	uint8_t flags;		/* KP_X86_… of probe.h */
	uint8_t size;		/* bytes that a pushf or popf moves */
	uint8_t address_size;	/* 2, 4 or 8: operand address, loop counter */
	uint8_t cond;		/* jcc: condition; loop: low bits of the opcode */
	uint8_t reg;		/* jmp *reg, call *reg */
	uint8_t base, index;	/* memory operand: register number or a name */
	uint8_t scale;		/* left shift of the index */
	uint8_t scratch;	/* far copy: the register that holds the address */
	uint8_t modrm_off;	/* valid with a memory operand */
	uint8_t b_off;		/* the byte with the bit that extends modrm.rm, */
	uint8_t b_clear, b_set;	/* and how to say "not extended" there */
	uint8_t insn[KP_ARCH_INSN_MAX];
	uint8_t stepped;	/* where in its slot the stepped form is */
	/*
	 * Relative branch, or operand relative to rip: the address it names.
	 * Other memory operand: the displacement.  ret: bytes to release.
	 */
	uint64_t value;
};
_Static_assert(sizeof(struct kp_arch_probe) <= 64, "one cache line");

/* Where an instruction writes: written.c. */
struct kp_arch_write {
	uint64_t disp;		/* with its own address in it, where relative to that */
	uint16_t len;		/* of strings: of one element */
	uint8_t base, index;	/* numbers of registers; or 0xff: none */
	uint8_t scale;		/* left shift of the index */
	uint8_t bit;		/* the register that counts bits from there */
	uint8_t kind;
	uint8_t address_size;
};

/*
 * What every hit asks, without a call: port/arch.h says what they promise.  An
 * int3 reports the address behind its byte.
 */
#define KP_ARCH_EACH_HIT static inline __attribute__((__always_inline__))
#include "one_breakpoint.h"

/* In a slot: the stepped form; kp_arch_probe.stepped, in a short one half of it. */
#define KP_X86_STEPPED (KP_ARCH_SLOT_LEN / 2)

KP_ARCH_EACH_HIT uintptr_t kp_arch_trap_addr(const struct pt_regs *regs)
{
	return regs->ip - KP_ARCH_BP_LEN;
}

/* It is there. */
KP_ARCH_EACH_HIT void kp_arch_pass(struct pt_regs *regs,
				   int (*read)(void *dst, uintptr_t addr, size_t len))
{
	(void)read;
	(void)regs;
}

KP_ARCH_EACH_HIT void kp_arch_set_pre_ip(struct pt_regs *regs, uintptr_t addr)
{
	regs->ip = addr + KP_ARCH_BP_LEN;
}

KP_ARCH_EACH_HIT void kp_arch_step_begin(const struct kp_arch_probe *ap,
					 struct pt_regs *regs, uintptr_t slot,
					 bool post)
{
	regs->ip = post ? slot + ap->stepped : slot;
}

/*
 * Store new when *word is old: in one step for whoever interrupts, but not for
 * other cores, of which none may write it.
 */
KP_ARCH_EACH_HIT bool kp_arch_swap_alone(unsigned int *word, unsigned int old,
					 unsigned int new)
{
#if defined(__x86_64__) || defined(__i386__)
	bool done;

	__asm__ volatile("cmpxchgl %3, %1"
			 : "=@ccz"(done), "+m"(*word), "+a"(old)
			 : "r"(new) : "memory");
	return done;
#else
	return __atomic_compare_exchange_n(word, &old, new, false,
					   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
#endif
}

/*
 * Where regs were saved below the stack that they tell of, the word at its end is
 * there: a call has just pushed it, or else whoever jumped is about to fault.
 */
#define KP_X86_BELOW 512
KP_ARCH_EACH_HIT uintptr_t *kp_arch_return_word(const struct pt_regs *regs)
{
	return regs->sp - (uintptr_t)regs < KP_X86_BELOW
		       ? (uintptr_t *)regs->sp : NULL;
}

KP_ARCH_EACH_HIT uintptr_t kp_arch_return_frame(const struct pt_regs *regs,
						const uintptr_t *word)
{
	(void)regs;
	return (uintptr_t)word;
}

KP_ARCH_EACH_HIT int kp_arch_return_standing(uintptr_t frame,
					     const struct kp_arch_mem *mem,
					     uintptr_t *word)
{
	return mem->read(frame, word, sizeof(*word));
}

KP_ARCH_EACH_HIT int kp_arch_return_get(const struct pt_regs *regs,
					const struct kp_arch_mem *mem,
					uintptr_t *to, uintptr_t *frame)
{
	const uintptr_t *word = kp_arch_return_word(regs);

	*frame = regs->sp;
	if (__builtin_expect(!word, 0))
		return mem->read(regs->sp, to, sizeof(*to));
	*to = __atomic_load_n(word, __ATOMIC_RELAXED);
	return 0;
}

KP_ARCH_EACH_HIT int kp_arch_return_set(struct pt_regs *regs,
					const struct kp_arch_mem *mem,
					uintptr_t to)
{
	uintptr_t *word = kp_arch_return_word(regs);

	if (__builtin_expect(!word, 0))
		return mem->write(regs->sp, &to, sizeof(to));
	__atomic_store_n(word, to, __ATOMIC_RELAXED);
	return 0;
}

KP_ARCH_EACH_HIT void kp_arch_return_to(struct pt_regs *regs, uintptr_t to)
{
	regs->ip = to;
}

#endif
