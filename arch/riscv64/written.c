/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * written.c - where does an instruction write?
 *
 * Owns: kp_arch_write_of and kp_arch_write_at: which instructions have memory as a
 * destination, how many bytes that is, and at which address, as far as it follows
 * from general registers alone.  Invariant: what is said to write nothing does not;
 * in doubt it writes somewhere.
 *
 * Stores are those of RV64GC: what is not known by the decoder may be one, too.  No store
 * moves the stack pointer, so that none is a push.
 */
#include "probe.h"
#include "watch.h"

#define STORE 0x23u
#define STORE_FP 0x27u
#define AMO 0x2fu
#define SHORT_BASE(word) (8 + ((word) >> 7 & 7))	/* of x8 to x15 */

KP_TRAP_PATH static uint32_t part(uint32_t word, unsigned int low, unsigned int nr, unsigned int to)
{
	return (word >> low & ((1u << nr) - 1)) << to;
}

/* One of 4 bytes; 0: none. */
KP_TRAP_PATH static void look_at_long(struct kp_arch_write *out, uint32_t word)
{
	uint32_t opcode = word & 0x7f;

	if (opcode != STORE && opcode != STORE_FP && opcode != AMO)
		return;
	out->len = (uint16_t)(1u << (word >> 12 & 3));
	out->base = word >> 15 & 31;
	if (opcode != AMO)
		out->disp = (int16_t)((int32_t)word >> 25) * 32 + (int16_t)(word >> 7 & 31);
}

/* The same of 2: by their quadrant, and the three highest bits. */
KP_TRAP_PATH static void look_at_short(struct kp_arch_write *out, uint32_t word)
{
	uint32_t kind = word >> 13;
	bool by_sp = (word & 3) == 2;

	if ((word & 3) == 1 || kind < 5)
		return;
	out->base = by_sp ? KP_RV_SP : (uint8_t)SHORT_BASE(word);
	out->len = kind == 6 ? 4 : 8;
	if (by_sp)
		out->disp = (int16_t)(kind == 6 ? part(word, 9, 4, 2) | part(word, 7, 2, 6)
						: part(word, 10, 3, 3) | part(word, 7, 3, 6));
	else
		out->disp = (int16_t)(part(word, 10, 3, 3) |
				      (kind == 6 ? part(word, 6, 1, 2) | part(word, 5, 1, 6)
						 : part(word, 5, 2, 6)));
}

KP_TRAP_PATH enum kp_arch_writes kp_arch_write_of(struct kp_arch_write *out, uintptr_t addr,
				     const uint8_t *bytes, size_t avail,
				     unsigned int text_flags)
{
	struct kp_rv_insn insn;
	uint32_t word = 0;

	(void)addr;
	(void)text_flags;
	memcpy(&word, bytes, avail < sizeof(word) ? avail : sizeof(word));
	kp_rv_decode(&insn, word);
	/* A store-conditional may do nothing. */
	if (avail < insn.len || insn.class == KP_RV_UNALLOCATED ||
	    insn.class == KP_RV_STORE_CONDITIONAL)
		return KP_ARCH_WRITES_SOMEWHERE;
	if (insn.class != KP_RV_PLAIN)
		return KP_ARCH_WRITES_NOT;
	*out = (struct kp_arch_write){ .len = 0 };
	if (insn.len == 2)
		look_at_short(out, insn.word);
	else
		look_at_long(out, insn.word);
	return out->len ? KP_ARCH_WRITES_AT : KP_ARCH_WRITES_NOT;
}

KP_TRAP_PATH size_t kp_arch_write_at(const struct kp_arch_write *write,
				     struct pt_regs *regs, uintptr_t *addr)
{
	uintptr_t base = write->base ? kp_rv_regs(regs)->x1[write->base - 1] : 0;

	*addr = base + (uintptr_t)(long)write->disp;
	return write->len;
}
