/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * arch.h - the architecture contract: what every port has.
 *
 * Owns: what the core asks of a processor for breakpoints, slots and emulation.  A port with
 * only this is complete.  Optional parts have headers of their own: return.h, jprobe.h,
 * jump.h, vectors.h, lean.h, code.h and watch.h.  For each of them, arch/none/ has a file for
 * a port that lacks it.  Architecture code turns bytes or registers into bytes or registers.
 * It never writes live text, takes a lock, allocates or calls the host, so its tests run on
 * any machine.
 *
 * arch_probe.h (found in the architecture's folder) supplies
 *   struct kp_arch_probe          how one instruction is executed out of line
 *   KP_ARCH_BP_LEN, kp_arch_bp[]  length and bytes of the longest breakpoint; an instruction
 *                                 is aligned to the length of its breakpoint
 *   kp_arch_bp_of, _len_of, _begins, kp_arch_code_at, kp_arch_pointer_to
 *                                 the breakpoint of a probe, if there are several; if there
 *                                 is only one, one_breakpoint.h supplies them
 *   KP_ARCH_FILL                  a byte; any number of such bytes traps when executed
 *   KP_ARCH_INSN_MAX              length of the longest instruction
 *   KP_ARCH_SLOT_LEN              bytes of one slot, a power of two
 *   KP_ARCH_REACH                 how far a branch of ours reaches in either direction, from
 *                                 anywhere in a piece of executable memory
 *   KP_ARCH_PAGE                  bytes of memory that are protected together
 *   KP_ARCH_JUMPS, KP_ARCH_RETURNS, KP_ARCH_JPROBES
 *                                 1; 0 if arch/none/ replaces jump.h, return.h or jprobe.h
 *   KP_ARCH_EACH_HIT              how it defines what every hit calls: inline
 */
#ifndef KP_ARCH_H
#define KP_ARCH_H

#include "env.h"

/*
 * Fault-safe access to the probed code's data, passed in so that emulation
 * stays pure.  Both return 0 or -EFAULT and have no other effect on failure.
 */
struct kp_arch_mem {
	int (*read)(uintptr_t addr, void *dst, size_t len);
	int (*write)(uintptr_t addr, const void *src, size_t len);
};

#include "arch_probe.h"

/* Then free memory near the text is scarce, and reserved for what nothing else serves. */
#define KP_ARCH_REACHES_LITTLE (KP_ARCH_REACH < 16u << 20)

/* The reach of jumps that are not on a whole instruction; 0: the same as of others. */
#ifndef KP_ARCH_INNER_REACH
#define KP_ARCH_INNER_REACH 0
#endif

/* Nonzero: a jump stays within an aligned block of memory of this size. */
#ifndef KP_ARCH_STAYS
#define KP_ARCH_STAYS 0
#endif

/*
 * The breakpoint that replaces a probe's instruction, as kp_arch_prepare has decided, and its
 * length; and whether any breakpoint begins with this byte.
 */
KP_ARCH_EACH_HIT const uint8_t *kp_arch_bp_of(const struct kp_arch_probe *ap);
KP_ARCH_EACH_HIT unsigned int kp_arch_bp_len_of(const struct kp_arch_probe *ap);
KP_ARCH_EACH_HIT bool kp_arch_bp_begins(uint8_t byte);

/* The address in a pointer to code, or in a symbol's value. */
KP_ARCH_EACH_HIT uintptr_t kp_arch_code_at(uintptr_t pointer);
/* The pointer by which to call code at addr of the probe's instruction set. */
KP_ARCH_EACH_HIT uintptr_t kp_arch_pointer_to(const struct kp_arch_probe *ap, uintptr_t addr);

/* How a probed instruction is executed. */
enum kp_arch_class {
	KP_ARCH_EMULATE,	/* computed on the saved registers */
	KP_ARCH_COPY,		/* copied to a slot: boosted or stepped */
};

/* Facts about the probed text that the host found out. */
enum kp_arch_text_flags {
	KP_ARCH_HAS_FIXUP = 1,	/* an exception-table entry covers it, or may */
	KP_ARCH_USER = 2,	/* user mode: a red zone lies below the stack */
	/* There may be no room on its stack: only traps are allowed. */
	KP_ARCH_TRAP_ONLY = 4,
	/* An indirect branch may lead to any instruction there, not only to landing pads. */
	KP_ARCH_UNGUARDED = 8,
	/* The reserved instructions in the port's list trap there. */
	KP_ARCH_RESERVED_TRAPS = 16,
	/* On a processor with two instruction sets: it is code of the second. */
	KP_ARCH_SECOND_SET = 32,
	/* T32: it is known not to be in an IT block, which makes instructions conditional. */
	KP_ARCH_NO_BLOCK = 64,
};

/* One decoded instruction, as much as the core needs. */
struct kp_arch_decoded {
	uint8_t len;
	bool breakpoint;	/* it is a breakpoint instruction */
	uint8_t delayed;	/* bytes behind it that are executed as part of it (a delay
				 * slot); not written on processors without one */
};

/*
 * Decode the instruction in bytes[0..avail).  Only KP_ARCH_SECOND_SET of text_flags matters.
 * 0, -EILSEQ if it is not a valid instruction, -ENODATA if it is cut off.
 */
int kp_arch_decode(struct kp_arch_decoded *out, const uint8_t *bytes,
		   size_t avail, unsigned int text_flags);

/*
 * The probe address for (function start, offset).  entry holds the function's
 * first bytes.  Steps over a landing pad at offset 0 when the build uses them
 * (K-REG-12), and says whether the result counts as the function's entry.
 */
uintptr_t kp_arch_adjust_addr(const uint8_t *entry, size_t avail,
			      uintptr_t start, uintptr_t offset,
			      bool *on_entry);

/*
 * Decide how the instruction insn[0..avail) at addr will be executed.
 * Fills *ap.  0, or -EINVAL, -EOPNOTSUPP, -ENOSPC with *reason set to constant
 * text.  The bytes after the instruction may be consulted (sti;hlt).
 */
int kp_arch_prepare(struct kp_arch_probe *ap, uintptr_t addr,
		    const uint8_t *insn, size_t avail, unsigned int text_flags,
		    const char **reason);

/*
 * What kp_arch_prepare cannot see: would a trap at addr disturb what the function
 * [start, start+len) does around it?  read returns original bytes, with 0 or -errno.
 * 0, or -errno with *reason set to constant text.
 */
int kp_arch_refuse_around(uintptr_t start, size_t len, uintptr_t addr,
			  unsigned int text_flags,
			  int (*read)(uint8_t *dst, uintptr_t addr, size_t len),
			  const char **reason);

/* Valid after kp_arch_prepare; ap->class and ap->len are part of the contract. */

/*
 * Write the image for a slot at address slot: KP_ARCH_SLOT_LEN bytes with the boosted form
 * (copy, jump back) and the stepped form (copy, breakpoint).  For EMULATE, the form is used
 * only to let a faulting stack access fault for real.  0, or -EINVAL/-ENOSPC with *reason
 * set.
 */
int kp_arch_emit_slot(const struct kp_arch_probe *ap, uintptr_t slot,
		      uint8_t *image, const char **reason);
/*
 * From now on the probe's slot has half the length or, as after kp_arch_prepare, the full
 * length.  Called before the slot is written, which may then fail with -ENOSPC.
 */
void kp_arch_slot_shorten(struct kp_arch_probe *ap, bool on);

/*
 * The offsets of the copied instruction in the slot, in the boosted and the stepped form,
 * for the host's exception-table clones.
 */
void kp_arch_slot_copies(const struct kp_arch_probe *ap, unsigned int off[2]);

/*
 * Store new if *word is old.  This is one step to code that interrupts it; no other core
 * writes the word meanwhile.
 */
KP_ARCH_EACH_HIT bool kp_arch_swap_alone(unsigned int *word, unsigned int old,
					 unsigned int new);

/*
 * Is there still a breakpoint where regs report one, ours or another, in any form that the
 * processor has?  starts: an instruction is known to begin at kp_arch_trap_addr.  read is
 * kp_host_text_read; true if it fails.
 */
bool kp_arch_breakpoint_stands(const struct pt_regs *regs, bool starts,
			       int (*read)(void *dst, uintptr_t addr, size_t len));

/* The address of the breakpoint that regs reports (x86: ip - 1). */
KP_ARCH_EACH_HIT uintptr_t kp_arch_trap_addr(const struct pt_regs *regs);

/*
 * Move the IP behind a breakpoint that somebody has handled without moving it.  read as
 * above: breakpoints may have several lengths.
 */
KP_ARCH_EACH_HIT void kp_arch_pass(struct pt_regs *regs,
				   int (*read)(void *dst, uintptr_t addr, size_t len));

/* Move the IP back to the breakpoint, to execute what is there now. */
void kp_arch_retry(struct pt_regs *regs);

/*
 * What a pre_handler sees in regs->ip for a probe at addr (x86: addr + 1).
 */
KP_ARCH_EACH_HIT void kp_arch_set_pre_ip(struct pt_regs *regs, uintptr_t addr);

/*
 * Emulate.  Uses the probe's address, not regs->ip (K-HIT-11).
 * 0, or -EFAULT with regs unchanged.
 */
int kp_arch_emulate(const struct kp_arch_probe *ap, struct pt_regs *regs,
		    const struct kp_arch_mem *mem);

/* Continue in the slot: boosted (post false) or stepped (post true). */
KP_ARCH_EACH_HIT void kp_arch_step_begin(const struct kp_arch_probe *ap,
					 struct pt_regs *regs, uintptr_t slot,
					 bool post);

/*
 * regs->ip trapped at the end of the stepped form.  If it is that breakpoint, set the IP to
 * the instruction after the original, and return true.
 */
bool kp_arch_step_finish(const struct kp_arch_probe *ap, struct pt_regs *regs,
			 uintptr_t slot);

/*
 * The IP is in the slot, and the instruction there faulted or is to be interrupted.  Make it
 * look as if that happened at the original: rewind to the probe address if the copied
 * instruction has not completed, otherwise advance to the next instruction.
 */
void kp_arch_step_abort(const struct kp_arch_probe *ap, struct pt_regs *regs,
			uintptr_t slot, const struct kp_arch_mem *mem);

/*
 * Guarded calls (entry.S): call fn(a, b, c); a fault inside is turned into a
 * return by kp_arch_guard_abort on the faulting registers.
 */
struct kp_arch_guard;
long kp_arch_guard_call(struct kp_arch_guard *guard, void *fn, void *a,
			void *b, unsigned long c);
/* Call kp_core_on_pre(ctx, child, regs) in the same way; from C code. */
struct kp_context;
struct kp_child;
long kp_arch_guard_pre(struct kp_context *ctx, struct kp_child *child,
		       struct pt_regs *regs, struct kp_arch_guard *guard);
void kp_arch_guard_abort(const struct kp_arch_guard *guard,
			 struct pt_regs *regs);
/* kp_arch_guard_call, _pre returned because of kp_arch_guard_abort. */
KP_ARCH_EACH_HIT bool
kp_arch_guard_aborted(const struct kp_arch_guard *guard);

#endif
