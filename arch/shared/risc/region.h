/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where nothing may trap: from a load that reserves to its store, on processors whose
 * instructions begin at every 2 or 4 bytes.
 */
#ifndef KP_ARCH_WORDS_REGION_H
#define KP_ARCH_WORDS_REGION_H

#include "env.h"

/* What an instruction is to the ways through a function. */
enum kp_region_step {
	KP_REGION_ON,		/* goes on behind it */
	KP_REGION_LOAD,		/* reserves: what comes later has its own */
	KP_REGION_STORE,	/* wants the reservation */
	KP_REGION_END,		/* where it leads, no reservation is wanted */
	KP_REGION_AWAY,		/* goes on at its target */
	KP_REGION_EITHER,	/* at its target, or behind it */
	KP_REGION_UNKNOWN,	/* nobody can tell */
};

struct kp_region_insn {
	enum kp_region_step step;
	unsigned int len;	/* 0: unknown */
	int64_t offset;		/* to its target */
};

#define KP_REGION_BEFORE 16

/* A function, or another piece of code that stands for itself. */
struct kp_region_text {
	uintptr_t start;
	size_t len;
	int (*read)(uint8_t *dst, uintptr_t addr, size_t len);	/* 0 or -errno */
	/* The processor's: */
	unsigned int unit;	/* 2 or 4: what instructions are multiples of */
	uint32_t store_mask, store_value;	/* all stores are among these words */
	void (*decode)(struct kp_region_insn *insn, uint32_t word, uintptr_t addr);
	/* Or, where what stands before an instruction may be its condition: 0 before the start. */
	void (*decode_behind)(struct kp_region_insn *insn, uint32_t word,
			      const uint8_t before[KP_REGION_BEFORE]);
};

/* Units before and behind an instruction that are looked at. */
#define KP_REGION_AROUND 2048

/*
 * Would a trap at the instruction at @off take the reservation away from a store?  Such a
 * loop would never end.  Also true where that cannot be told: text that cannot be read;
 * ways that lead too far, in a text that has a store.
 */
bool kp_region_is_reserved(const struct kp_region_text *text, size_t off);

#endif
