/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * written.c - where does an instruction write?
 *
 * Owns: kp_arch_write_of and kp_arch_write_at: which instructions have memory as a
 * destination, how many bytes that is, and at which address, as far as it follows
 * from general registers alone.  Invariant: what is said to write nothing does not;
 * in doubt it writes somewhere.
 *
 * A branch writes what the word in its delay slot writes, which carries no probe itself.
 * swl and its like write as much of an aligned word as lies on their side of the address.  No
 * store moves the stack pointer, so that none is a push.
 */
#include "emulate.h"
#include "store.h"

#define PREPARE_FOR_STORE 30u		/* of pref: may leave zeros */

enum {
	REGIMM = 0x01, COP0 = 0x10, COP1X = 0x13, MSA = 0x1e, SPECIAL3 = 0x1f,
	SB = 0x28, SH = 0x29, SWL = 0x2a, SW = 0x2b, SDL = 0x2c, SDR = 0x2d, SWR = 0x2e,
	PREF = 0x33, SWC1 = 0x39, SWC2 = 0x3a, SDC1 = 0x3d, SDC2 = 0x3e, SD = 0x3f,
};

KP_TRAP_PATH static unsigned int field(uint32_t word, unsigned int low)
{
	return word >> low & 31;
}

KP_TRAP_PATH static void store(struct kp_mips_store *out, uint32_t word,
			       enum kp_mips_source source, unsigned int len,
			       enum kp_mips_part part)
{
	out->source = (uint8_t)source;
	out->reg = (uint8_t)field(word, 16);
	out->to = (struct kp_arch_write){
		.disp = (int16_t)word, .len = (uint8_t)len, .part = (uint8_t)part,
		.base = (uint8_t)field(word, 21),
	};
}

/* swxc1 sdxc1; suxc1 ignores bits of its address. */
KP_TRAP_PATH static void look_at_indexed(struct kp_mips_store *out, uint32_t word)
{
	unsigned int function = word & 0x3f;

	if (function == 0x08 || function == 0x09) {
		store(out, word, KP_MIPS_FLOAT, function == 0x08 ? 4 : 8, KP_MIPS_WHOLE);
		out->reg = (uint8_t)field(word, 11);
		out->to.disp = 0;
		out->to.index = (uint8_t)field(word, 16);
	} else if (function == 0x0d || (function == 0x0f && field(word, 11) == PREPARE_FOR_STORE)) {
		out->source = KP_MIPS_UNCERTAIN;
	}
}

/* Those of EVA, whose memory is another mode's; pref of release 6. */
KP_TRAP_PATH static bool is_uncertain(uint32_t word)
{
	unsigned int function = word & 0x3f;

	return function == 0x1c || function == 0x1d || function == 0x1f || function == 0x21 ||
	       function == 0x22 || (function == 0x35 && field(word, 16) == PREPARE_FOR_STORE);
}

KP_TRAP_PATH static void look_at_plain(struct kp_mips_store *out, uint32_t word)
{
	bool uncertain = false;

	switch (word >> 26) {
	case SB:
		store(out, word, KP_MIPS_GENERAL, 1, KP_MIPS_WHOLE);
		break;
	case SH:
		store(out, word, KP_MIPS_GENERAL, 2, KP_MIPS_WHOLE);
		break;
	case SW:
		store(out, word, KP_MIPS_GENERAL, 4, KP_MIPS_WHOLE);
		break;
	case SD:
		store(out, word, KP_MIPS_GENERAL, 8, KP_MIPS_WHOLE);
		break;
	case SWL:
		store(out, word, KP_MIPS_GENERAL, 4, KP_MIPS_LEFT);
		break;
	case SWR:
		store(out, word, KP_MIPS_GENERAL, 4, KP_MIPS_RIGHT);
		break;
	case SDL:
		store(out, word, KP_MIPS_GENERAL, 8, KP_MIPS_LEFT);
		break;
	case SDR:
		store(out, word, KP_MIPS_GENERAL, 8, KP_MIPS_RIGHT);
		break;
	case SWC1:
		store(out, word, KP_MIPS_FLOAT, 4, KP_MIPS_WHOLE);
		break;
	case SDC1:
		store(out, word, KP_MIPS_FLOAT, 8, KP_MIPS_WHOLE);
		break;
	case COP1X:
		look_at_indexed(out, word);
		break;
	case SWC2:
	case SDC2:
		uncertain = true;
		break;
	case MSA:
		uncertain = (word & 0x3c) == 0x24;		/* st.b ... st.d */
		break;
	case REGIMM:
		uncertain = field(word, 16) == 7;		/* aset aclr */
		break;
	case PREF:
		uncertain = field(word, 16) == PREPARE_FOR_STORE;
		break;
	case SPECIAL3:
		uncertain = is_uncertain(word);
		break;
	}
	if (uncertain)
		out->source = KP_MIPS_UNCERTAIN;
}

KP_TRAP_PATH void kp_mips_store_of(struct kp_mips_store *out, uint32_t word)
{
	struct kp_mips_insn insn;

	kp_mips_decode(&insn, word, KP_MIPS_HERE);
	*out = (struct kp_mips_store){ .source = KP_MIPS_NONE };
	switch (insn.class) {
	case KP_MIPS_PLAIN:
		look_at_plain(out, word);
		break;
	case KP_MIPS_UNALLOCATED:
	case KP_MIPS_STORE_CONDITIONAL:		/* it may do nothing */
		out->source = KP_MIPS_UNCERTAIN;
		break;
	case KP_MIPS_SYSTEM:			/* the caches' among them */
		if (word >> 26 != COP0)
			out->source = KP_MIPS_UNCERTAIN;
		break;
	}
}

/* What its link changes is not where the word behind it stores. */
KP_TRAP_PATH static bool is_certain(const struct kp_mips_insn *branch,
				    const struct kp_mips_store *delayed)
{
	if (branch->flags & KP_MIPS_LIKELY && branch->class != KP_MIPS_BRANCH)
		return false;
	return !(branch->flags & KP_MIPS_LINK) ||
	       (delayed->to.base != branch->rd && delayed->to.index != branch->rd);
}

KP_TRAP_PATH enum kp_arch_writes kp_arch_write_of(struct kp_arch_write *out, uintptr_t addr,
						  const uint8_t *bytes, size_t avail,
						  unsigned int text_flags)
{
	struct kp_mips_store store;
	struct kp_mips_insn insn;
	uint32_t words[2] = { 0 };
	bool delayed;

	(void)addr;
	(void)text_flags;
	memcpy(words, bytes, avail < sizeof(words) ? avail : sizeof(words));
	kp_mips_decode(&insn, words[0], KP_MIPS_HERE);
	delayed = kp_mips_has_slot(&insn);
	if (avail < (delayed ? 8 : 4))
		return KP_ARCH_WRITES_SOMEWHERE;
	kp_mips_store_of(&store, words[delayed]);
	if (store.source == KP_MIPS_NONE)
		return KP_ARCH_WRITES_NOT;
	if (store.source == KP_MIPS_UNCERTAIN || (delayed && !is_certain(&insn, &store)))
		return KP_ARCH_WRITES_SOMEWHERE;
	*out = store.to;
	if (insn.flags & KP_MIPS_LIKELY)
		out->likely = words[0];
	return KP_ARCH_WRITES_AT;
}

KP_TRAP_PATH static uintptr_t reg_of(const struct pt_regs *regs, unsigned int nr)
{
	return nr == KP_MIPS_ZERO ? 0 : regs->regs[nr];
}

KP_TRAP_PATH size_t kp_arch_write_at(const struct kp_arch_write *write, struct pt_regs *regs,
				     uintptr_t *addr)
{
	uintptr_t at = reg_of(regs, write->base) + reg_of(regs, write->index) +
		       (uintptr_t)(long)write->disp;
	unsigned int below = at & (write->len - 1u);
	/* Towards the aligned word's beginning, or its end. */
	bool first = (write->part == KP_MIPS_LEFT) == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
	struct kp_mips_insn branch;

	*addr = at;
	if (write->likely) {
		kp_mips_decode(&branch, write->likely, KP_MIPS_HERE);
		if (!kp_mips_is_taken(&branch, regs))
			return 0;
	}
	if (write->part == KP_MIPS_WHOLE)
		return write->len;
	if (!first)
		return write->len - below;
	*addr = at - below;
	return below + 1;
}
