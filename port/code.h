/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * code.h - the architecture contract: what a function does.
 *
 * Owns: questions about code whose answers make a hit cheaper or a probe safe.  For code that
 * cannot be followed, the answer is the pessimistic one, which costs only time.
 */
#ifndef KP_CODE_H
#define KP_CODE_H

#include "arch.h"

/*
 * Which registers does the function at addr, with all that it calls, use?
 *
 *   KP_ARCH_PURE_GPR   only general registers
 *   KP_ARCH_PURE_LOW   also the low halves of vector registers, by legacy SSE instructions
 *   KP_ARCH_PURE_FEW   as LOW, but only of the first KP_ARCH_FEW vector registers
 *   KP_ARCH_PURE_NOT   any, or unknown: the answer for code that cannot be followed
 *
 * read: fault-safe, original bytes.  known: is this function known to use none (may be
 * NULL)?  constant: does memory at addr never change, and what does it hold (may be NULL)?
 */
enum kp_arch_purity {
	KP_ARCH_PURE_NOT, KP_ARCH_PURE_LOW, KP_ARCH_PURE_FEW, KP_ARCH_PURE_GPR
};
#define KP_ARCH_FEW 4
enum kp_arch_purity
kp_arch_purity(uintptr_t addr,
	       int (*read)(uint8_t *dst, uintptr_t addr, size_t len),
	       bool (*known)(uintptr_t addr),
	       bool (*constant)(uintptr_t addr, uintptr_t *word));

/* Does all code from begin to end use only general registers? */
bool kp_arch_general_only(uintptr_t begin, uintptr_t end,
			  int (*read)(uint8_t *dst, uintptr_t addr, size_t len));

/*
 * Is it certain that the function at addr, with all that it calls, does not change what its
 * second argument points to?  read: as above.
 */
bool kp_arch_spares_second(uintptr_t addr,
			   int (*read)(uint8_t *dst, uintptr_t addr,
				       size_t len),
			   bool (*patched)(uintptr_t addr, size_t len));

/*
 * Does it, besides, surely leave nothing behind wherever it cannot go on: calls nothing,
 * changes no state of the processor's but its registers, and writes nothing but its
 * own frame and static data?
 */
bool kp_arch_leaves_nothing(uintptr_t addr,
			    int (*read)(uint8_t *dst, uintptr_t addr,
					size_t len),
			    bool (*patched)(uintptr_t addr, size_t len));

/*
 * Does the function in addr[0..len) use its return address?
 *
 *   reads    it reads or replaces it, other than by returning
 *   follows  it jumps to a function that does: the one at to or, if word is not 0, the one
 *            whose address is in word
 *
 * read: fault-safe, original bytes, data too.  True is certain.  False means that nothing
 * was found; callees and targets of jumps through registers are not examined.
 */
struct kp_arch_caller {
	int (*read)(uint8_t *dst, uintptr_t addr, size_t len);
	bool reads;
	bool (*follows)(uintptr_t to, uintptr_t word);	/* may be NULL */
};
bool kp_arch_sees_caller(uintptr_t addr, size_t len,
			 const struct kp_arch_caller *how);

#endif
