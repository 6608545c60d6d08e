/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * jump.h - the architecture contract: a jump in the place of a breakpoint.
 *
 * Owns: what jump optimization asks of a port.  arch_probe.h supplies
 *   KP_ARCH_JUMP_MIN, _MAX   shortest and longest jump, prefixes included
 *   KP_ARCH_HEAD_LEN         bytes of a detour's head
 *   KP_ARCH_HUB_LEN          bytes of a hub
 *   KP_ARCH_INNER_BP         a byte of which KP_ARCH_INNER_LEN trap, for inner boundaries
 *                            while a jump is being written
 *   KP_ARCH_LANDING_TRAP     fault number of trapping bytes at an inner boundary
 *                            that are no breakpoint
 */
#ifndef KP_JUMP_H
#define KP_JUMP_H

#include "arch.h"

/*
 * Detours: a jump in the place of a breakpoint.
 *
 *   probed text      head                    body
 *   jmp head  --->   save; call the core
 *                    restore          --->   the copied instruction(s)
 *   next      <---------------------------   jmp next
 *
 * Its first KP_ARCH_BP_LEN bytes change by one store, from the breakpoint and to it.
 *
 * A jump spans len bytes, of which the first `patched` change; the bytes after
 * these stay and are part of the jump's displacement.  Where a jump changes
 * bytes of the instructions that follow the probed one, the displacement is chosen so
 * that every instruction boundary inside the span traps, and a thread that lands there
 * continues in the body.  So no thread has to be kept out of the span, and nothing has to
 * be known about branches into it.
 *
 * If the bytes behind `patched` are the next instruction, that instruction does not change
 * for code that jumps there.  With `along`, if it can be copied, the body executes it too:
 * resuming inside the bytes of a jump that was just taken costs some processors a
 * misprediction each time.
 */
#define KP_ARCH_INNER_MAX 4
struct kp_arch_jump {
	uintptr_t base;		/* d, the target minus base, is a number from */
	/* -reach_down to reach_up, both at most 2^31, or all addresses if these wrap, */
	uintptr_t reach_down, reach_up;
	uint32_t value, mask;	/* with (d & mask) == value */
	/*
	 * And, if a place is found, (d & wish_mask) == wish: then the original first byte traps
	 * before the rest of the jump, as LANDING_TRAP.  Who puts that byte back, and knows
	 * nothing of the rest, is noticed before anything is executed.
	 */
	uint32_t wish, wish_mask;
	uint8_t len;		/* of the span */
	uint8_t patched;	/* leading bytes that change */
	bool along;		/* execute the next instruction in the body */
	uint8_t inner_nr;	/* boundaries inside the patched bytes, */
	uint8_t inner[KP_ARCH_INNER_MAX];	/* as offsets, ascending */
	uint8_t inner_trap[KP_ARCH_INNER_MAX];	/* the first byte of the trapping bytes there */
};

/*
 * The nth way to put a jump on the instruction of ap; 0 is the best.  text: the avail bytes
 * at its address, without our patches.  extent: how many of them, from the first, may be
 * patched (they belong to known code); no jump spans more.
 * 0; -ENOENT if there is no nth way, with *reason for the last of them.
 * Pure; every call with the same arguments gives the same answer.
 */
int kp_arch_jump_way(struct kp_arch_jump *out, const struct kp_arch_probe *ap,
		     const uint8_t *text, size_t avail, size_t extent,
		     unsigned int n, const char **reason);
/*
 * How many of the avail bytes, from the first, are padding between functions:
 * whole instructions without effect, or breakpoints.
 */
size_t kp_arch_padding(const uint8_t *bytes, size_t avail);
/* The jump's len bytes for a target that satisfies its constraints. */
void kp_arch_emit_jump(const struct kp_arch_jump *jump, uintptr_t target,
		       uint8_t *bytes);

/*
 * The body of a jump with inner boundaries: copies of nr consecutive instructions, then a
 * jump to behind the last; insns[0] is the probed one.  At most max bytes; *len is the
 * number used.  0, or -EOPNOTSUPP/-ENOSPC with *reason.
 */
int kp_arch_emit_chain(const struct kp_arch_probe *insns, unsigned int nr,
		       uintptr_t at, uint8_t *image, size_t max, size_t *len,
		       const char **reason);
/* The address of the copy of insns[i]; i == 0 gives at. */
uintptr_t kp_arch_chain_entry(const struct kp_arch_probe *insns,
			      unsigned int nr, uintptr_t at, unsigned int i);
/* As kp_arch_step_abort, for an IP inside a chain. */
void kp_arch_chain_abort(const struct kp_arch_probe *insns, unsigned int nr,
			 struct pt_regs *regs, uintptr_t at,
			 const struct kp_arch_mem *mem);

/*
 * A hub: code at the address hub that continues at the absolute address to
 * with all registers unchanged.  KP_ARCH_HUB_LEN bytes.
 */
void kp_arch_emit_hub(uintptr_t hub, uintptr_t to, uint8_t *image);
/*
 * A head for the jump to land on: KP_ARCH_HEAD_LEN bytes.  It calls entry
 * (kp_arch_detour_entry, kp_arch_call_entry or a hub that leads there), and continues in
 * body when that returns.  Both must be near.  The entry passes tag to the core.
 * 0, or -ERANGE.
 */
int kp_arch_emit_head(const struct kp_arch_probe *ap, uintptr_t head,
		      uintptr_t entry, uintptr_t body, const void *tag,
		      uint8_t *image);
/* The IP is inside the head: move it to the probe or into the body. */
void kp_arch_head_abort(const struct kp_arch_probe *ap, struct pt_regs *regs,
			uintptr_t head, uintptr_t body);
/*
 * As kp_arch_emit_slot, but the stepped form may end in a call of the post entry instead of
 * a breakpoint.  post: kp_arch_post_entry or a near hub that leads there; 0: the breakpoint.
 */
int kp_arch_emit_slot_post(const struct kp_arch_probe *ap, uintptr_t slot,
			   uintptr_t post, uint8_t *image, const char **reason);

/*
 * The entries that heads and slots call (detour_entry.S).  Both save all registers in a
 * struct pt_regs and call the core; ip is the probe's address + 1 or the address in the
 * slot.  Then they return, or continue at regs.
 */
extern const char kp_arch_detour_entry[]
	__attribute__((visibility("hidden")));
extern const char kp_arch_post_entry[] __attribute__((visibility("hidden")));
/*
 * As kp_arch_detour_entry, for a site that has only a return probe (call_entry.S).  It hooks
 * the call by itself.  Only with KP_CALLING_STUBS.
 */
extern const char kp_arch_call_entry[] __attribute__((visibility("hidden")));
/* Is ip inside one of these? */
bool kp_arch_in_detour_entry(uintptr_t ip);
/*
 * kp_core_on_detour calls a handler without a guarded call of its own.  If it faults,
 * kp_arch_guard_abort leads to kp_core_on_detour_abort, with the same regs.
 */
void kp_arch_guard_detour(struct kp_arch_guard *guard, struct pt_regs *regs);
/*
 * regs belong to a hit at addr through a jump that may have been left for good.  Has
 * something else overwritten their place?
 */
bool kp_arch_detour_overwritten(const struct pt_regs *regs, uintptr_t addr,
				const struct kp_arch_mem *mem);

#endif
