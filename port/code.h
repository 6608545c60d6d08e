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
 * Which registers does the function at addr, with all that it calls, leave
 * alone?  KP_ARCH_PURE_GPR: it uses general registers only; KP_ARCH_PURE_LOW:
 * besides these, at most the low halves of the vector registers by legacy SSE
 * instructions; KP_ARCH_PURE_FEW: and only of the first KP_ARCH_FEW.  read:
 * fault-safe, original bytes; known: a function that is known not to use any (may
 * be NULL); constant: may memory at addr be relied on to stay as it is, and what
 * is it (may be NULL)?  Gives up, conservatively, at whatever it cannot follow.
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

/* Has the code from begin to end no instruction that uses other registers? */
bool kp_arch_general_only(uintptr_t begin, uintptr_t end,
			  int (*read)(uint8_t *dst, uintptr_t addr, size_t len));

/*
 * Does the function at addr, with all that it calls, surely leave alone what its
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
 * Does the function that is addr[0..len) look at its return address?
 *
 *   reads    it reads or replaces it, other than by returning
 *   follows  it jumps to somebody who does: the function at to, which word, if
 *            not 0, says
 *
 * read: fault-safe, original bytes, data too.  True is certain; false is what was
 * seen, with no look into callees or behind jumps through registers.
 */
struct kp_arch_caller {
	int (*read)(uint8_t *dst, uintptr_t addr, size_t len);
	bool reads;
	bool (*follows)(uintptr_t to, uintptr_t word);	/* may be NULL */
};
bool kp_arch_sees_caller(uintptr_t addr, size_t len,
			 const struct kp_arch_caller *how);

#endif
