/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * arch.h - the architecture contract.
 *
 * Owns: what the core asks of a CPU architecture.  Architecture code turns
 * bytes or registers into bytes or registers.  It never writes live text,
 * locks, allocates or calls the host, so its tests run on any machine.
 *
 * arch_probe.h (found in the architecture's folder) supplies
 *   struct kp_arch_probe          how one instruction is executed out of line
 *   KP_ARCH_BP_LEN, kp_arch_bp[]  the breakpoint's length and bytes
 *   KP_ARCH_INSN_MAX              longest instruction
 *   KP_ARCH_SLOT_LEN              bytes of one slot, a power of two
 *   KP_ARCH_STUB_LEN              bytes of one return stub
 *   KP_ARCH_STUB_RETURN           where in it a call returns to
 *   struct kp_arch_jprobe         copies of a function's arguments
 *   struct kp_arch_write          where an instruction writes; watch.h
 *   struct kp_arch_vectors        where a hit's vector registers are saved
 *   KP_ARCH_JUMP_MIN, _MAX        shortest and longest jump, prefixes included
 *   KP_ARCH_HEAD_LEN              bytes of a detour's head
 *   KP_ARCH_HUB_LEN               bytes of a hub
 *   KP_ARCH_WATCH_WORDS           words of memory that can be watched; watch.h
 *   KP_ARCH_PAGE                  bytes of memory that are protected together
 *   KP_ARCH_EACH_HIT              how it defines what every hit calls: inline
 *   KP_ARCH_LANDING_TRAP          fault number of trapping bytes at an inner
 *                                 boundary that are no breakpoint
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

/* How a probed instruction is executed. */
enum kp_arch_class {
	KP_ARCH_EMULATE,	/* computed on the saved registers */
	KP_ARCH_COPY,		/* copied to a slot: boosted or stepped */
};

/* Facts about the probed text that the host found out. */
enum kp_arch_text_flags {
	KP_ARCH_HAS_FIXUP = 1,	/* an exception-table entry covers it, or may */
	KP_ARCH_USER = 2,	/* user mode: a red zone lies below the stack */
	/* There may be no room on its stack: nothing of ours runs but traps. */
	KP_ARCH_TRAP_ONLY = 4,
};

/* One decoded instruction, as much as the core needs. */
struct kp_arch_decoded {
	uint8_t len;
	bool breakpoint;	/* a breakpoint instruction stands here */
};

/*
 * Decode the instruction in bytes[0..avail).
 * 0, -EILSEQ when it is not a valid instruction, -ENODATA when it is cut off.
 */
int kp_arch_decode(struct kp_arch_decoded *out, const uint8_t *bytes,
		   size_t avail);

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

/* Valid after kp_arch_prepare; ap->class and ap->len are part of the contract. */

/*
 * Write the slot image for a slot at address slot: KP_ARCH_SLOT_LEN bytes that
 * hold both the boosted form (copy, jump back) and the stepped form (copy,
 * breakpoint); for EMULATE a form that is used only to let a faulting stack
 * access fault for real.  0, or -EINVAL/-ENOSPC with *reason set.
 */
int kp_arch_emit_slot(const struct kp_arch_probe *ap, uintptr_t slot,
		      uint8_t *image, const char **reason);
/*
 * From now on the probe's slot is half as long, or (as after kp_arch_prepare) not:
 * before it is written, which may then be refused with -ENOSPC.
 */
void kp_arch_slot_shorten(struct kp_arch_probe *ap, bool on);

/*
 * Where in the slot the copied instruction stands, boosted and stepped form:
 * offsets for the host's exception-table clones.
 */
void kp_arch_slot_copies(const struct kp_arch_probe *ap, unsigned int off[2]);

/*
 * Store new when *word is old: one step for whoever interrupts; no other core
 * writes it meanwhile.
 */
KP_ARCH_EACH_HIT bool kp_arch_swap_alone(unsigned int *word, unsigned int old,
					 unsigned int new);

/* The address of the breakpoint that regs reports (x86: ip - 1). */
KP_ARCH_EACH_HIT uintptr_t kp_arch_trap_addr(const struct pt_regs *regs);

/* Back the IP up to the breakpoint: execute what stands there now. */
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
 * regs->ip trapped at the end of the stepped form: is it that breakpoint?
 * When it is, translate the IP to the instruction after the original.
 */
bool kp_arch_step_finish(const struct kp_arch_probe *ap, struct pt_regs *regs,
			 uintptr_t slot);

/*
 * The IP stands somewhere in the slot and the instruction there faulted or is
 * to be interrupted.  Make it look as if that happened at the original:
 * rewind to the probe address when the copied instruction has not completed,
 * or forward to the next instruction when it has.
 */
void kp_arch_step_abort(const struct kp_arch_probe *ap, struct pt_regs *regs,
			uintptr_t slot, const struct kp_arch_mem *mem);

/*
 * Return hooks.  At a function's entry: the return address, and the frame,
 * an address that tells this call from others on the same stack (x86: where
 * the return address stands).  0 or -EFAULT.
 */
KP_ARCH_EACH_HIT int kp_arch_return_get(const struct pt_regs *regs,
					const struct kp_arch_mem *mem,
					uintptr_t *to, uintptr_t *frame);
/* Make the function return to another address.  0 or -EFAULT. */
KP_ARCH_EACH_HIT int kp_arch_return_set(struct pt_regs *regs,
					const struct kp_arch_mem *mem,
					uintptr_t to);
/* The function has returned: continue at to, which is what handlers see. */
KP_ARCH_EACH_HIT void kp_arch_return_to(struct pt_regs *regs, uintptr_t to);
/* Has a stack whose pointer is sp at a function's entry left that frame? */
bool kp_arch_stack_left(uintptr_t frame, uintptr_t sp);
/*
 * Write a return stub for the address stub: KP_ARCH_STUB_LEN bytes that go to
 * entry, which must be near, and leave it their own address.
 */
void kp_arch_emit_stub(uintptr_t stub, uintptr_t entry, uint8_t *image);
/*
 * Where stubs go (return.S): saves all registers, calls kp_core_on_return with
 * the stub's address as instruction pointer, continues where the core says.
 */
extern const char kp_arch_return_entry[]
	__attribute__((visibility("hidden")));

/*
 * Detours: a jump in the place of a breakpoint.
 *
 *   probed text      head                    body
 *   jmp head  --->   save; call the core
 *                    restore          --->   the copied instruction(s)
 *   next      <---------------------------   jmp next
 *
 * A jump spans len bytes, of which the first `patched` change; the bytes after
 * these stay and are part of the jump's displacement.  Where a jump changes
 * bytes of the instructions that follow the probed one, the displacement is
 * chosen so that every instruction boundary inside the span traps, and whoever
 * lands there continues in the body.  So nobody has to be kept out of the span,
 * and nothing has to be known about who jumps where.
 *
 * Of a jump whose bytes behind `patched` are the next instruction's, that one
 * stays what it is, for whoever jumps there.  But `along`, if it can be copied, the
 * body executes it, too: to resume inside the bytes of a jump that was just taken
 * costs some processors a wrong prediction each time.
 */
#define KP_ARCH_INNER_MAX 4
struct kp_arch_jump {
	uintptr_t base;		/* the target minus base is a signed 32-bit */
	uint32_t value, mask;	/* number d with (d & mask) == value */
	uint8_t len;		/* of the span */
	uint8_t patched;	/* leading bytes that change */
	bool along;		/* execute the next instruction in the body */
	uint8_t inner_nr;	/* boundaries inside the patched bytes, */
	uint8_t inner[KP_ARCH_INNER_MAX];	/* as offsets, ascending */
	uint8_t inner_trap[KP_ARCH_INNER_MAX];	/* the byte that traps there */
};

/*
 * The nth way to put a jump on the instruction of ap; 0 is the best.  text:
 * the avail bytes at its address, as they stand without our patches; extent:
 * how many of them, from the first, may be patched (they belong to known code);
 * no jump spans more.
 * 0; -ENOENT when there is no nth way, with *reason for the last of them.
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
/* The jump's len bytes for a target that meets its demands. */
void kp_arch_emit_jump(const struct kp_arch_jump *jump, uintptr_t target,
		       uint8_t *bytes);

/*
 * The body of a jump with inner boundaries: copies of nr instructions that
 * follow one another, then a jump behind the last; insns[0] is the probed one.
 * At most max bytes; *len of them.  0, or -EOPNOTSUPP/-ENOSPC with *reason.
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
 * (kp_arch_detour_entry, kp_arch_call_entry or a hub that leads there), which must
 * be near, and when that returns goes on to body, which must be near.  tag is what the
 * entry hands to the core.  0, or -ERANGE.
 */
int kp_arch_emit_head(const struct kp_arch_probe *ap, uintptr_t head,
		      uintptr_t entry, uintptr_t body, const void *tag,
		      uint8_t *image);
/* The IP is inside the head: make it look as if at the probe or in the body. */
void kp_arch_head_abort(const struct kp_arch_probe *ap, struct pt_regs *regs,
			uintptr_t head, uintptr_t body);
/*
 * A slot's stepped form may end in a call of the post entry instead of a
 * breakpoint.  post: kp_arch_post_entry or a near hub that leads there; 0: the
 * breakpoint.  Otherwise as kp_arch_emit_slot.
 */
int kp_arch_emit_slot_post(const struct kp_arch_probe *ap, uintptr_t slot,
			   uintptr_t post, uint8_t *image, const char **reason);

/*
 * Where heads and slots go (detour_entry.S).  Both save all registers in a struct
 * pt_regs, ip being the probe's address + 1 or the address in the slot, and
 * call the core; then they go on where they came from, or at regs.
 */
extern const char kp_arch_detour_entry[]
	__attribute__((visibility("hidden")));
extern const char kp_arch_post_entry[] __attribute__((visibility("hidden")));
/*
 * As kp_arch_detour_entry, for a site with a return probe alone (call_entry.S): it
 * hooks the call by itself.  Only with KP_CALLING_STUBS.
 */
extern const char kp_arch_call_entry[] __attribute__((visibility("hidden")));
/* Is that inside these? */
bool kp_arch_in_detour_entry(uintptr_t ip);
/*
 * What of the vector registers a hit that is no trap has to keep, because a
 * handler may change it: nothing, a few registers of what legacy SSE instructions
 * can change, all of that, or all, with the state of both floating-point units; or
 * all, where a jprobe finds it.
 */
enum kp_arch_keep {
	KP_ARCH_KEEP_NONE,
	KP_ARCH_KEEP_FEW,
	KP_ARCH_KEEP_XMM,
	KP_ARCH_KEEP_ALL,
	KP_ARCH_KEEP_IMAGE,
};
/* Call fn(arg), and keep what keep says across the call. */
void kp_arch_keeping(unsigned int keep, void (*fn)(void *arg), void *arg);
/* Once, before the first hit that keeps something. */
void kp_arch_vectors_start(void);

/*
 * A handler is called from inside kp_core_on_detour, or kp_core_on_return,
 * without a guarded call of its own: a fault in it leads kp_arch_guard_abort to
 * kp_core_on_detour_abort, or kp_core_on_return_abort, with the same regs.
 */
void kp_arch_guard_detour(struct kp_arch_guard *guard, struct pt_regs *regs);
void kp_arch_guard_return(struct kp_arch_guard *guard, struct pt_regs *regs);
/*
 * Is the handler at addr lean?  Such a one calls nothing, ends for sure in the way
 * that a function does unless it faults, and writes nothing but what the call may
 * lose anyway, its own static data and, in a process, other memory that is nobody's
 * thread-local storage.  Of its second argument it reads only what the entry has
 * there for it.  The entry may call it by itself, with less saved.
 * read: as for kp_arch_purity.  patched: may somebody else make another instruction
 * of the one there, as kernels do?  NULL: nobody does.  Sleeps.
 */
bool kp_arch_lean(uintptr_t addr,
		  int (*read)(uint8_t *dst, uintptr_t addr, size_t len),
		  bool (*patched)(uintptr_t addr, size_t len));
/*
 * Does the fault at regs happen in a lean handler whose hit has that frame?  Then
 * the child that the entry has found in the site, plus KP_ARCH_LEAN_POST if it is a
 * post_handler; else 0.
 */
#define KP_ARCH_LEAN_POST 1ul
uintptr_t kp_arch_lean_tag(const struct pt_regs *frame,
			   const struct pt_regs *regs);
/* As kp_arch_guard_return, for a lean handler with that frame that faults at regs. */
void kp_arch_guard_return_lean(struct kp_arch_guard *guard,
			       const struct pt_regs *frame,
			       const struct pt_regs *regs);
/* As kp_arch_guard_detour, ditto. */
void kp_arch_guard_lean(struct kp_arch_guard *guard,
			const struct pt_regs *frame,
			const struct pt_regs *regs);
/*
 * regs, of a hit at addr through a jump, may have been left behind: is
 * something else in the place where they were?
 */
bool kp_arch_detour_overwritten(const struct pt_regs *regs, uintptr_t addr,
				const struct kp_arch_mem *mem);

/*
 * Which registers does the function at addr, with all that it calls, leave
 * alone?  KP_ARCH_PURE_GPR: it uses general registers only; KP_ARCH_PURE_XMM:
 * besides these, at most the low halves of the vector registers by legacy SSE
 * instructions; KP_ARCH_PURE_FEW: and only of the first KP_ARCH_FEW.  read:
 * fault-safe, original bytes; known: a function that is known not to use any (may
 * be NULL); constant: may memory at addr be relied on to stay as it is, and what
 * is it (may be NULL)?  Gives up, conservatively, at whatever it cannot follow.
 */
enum kp_arch_purity {
	KP_ARCH_PURE_NOT, KP_ARCH_PURE_XMM, KP_ARCH_PURE_FEW, KP_ARCH_PURE_GPR
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

/*
 * Jprobes: a handler is called with copies of what the probed function finds
 * at its entry.  kp_arch_jprobe_take copies the registers and the stack above
 * the return address, as much as can be read; what cannot is zero.  vectors
 * may be NULL: then the handler's vector registers are undefined.
 */
void kp_arch_jprobe_take(struct kp_arch_jprobe *jprobe,
			 const struct pt_regs *regs,
			 const struct kp_arch_vectors *vectors,
			 const struct kp_arch_mem *mem);
/* Call fn with them; returns when fn returns, or at kp_arch_jprobe_leave. */
void kp_arch_jprobe_call(struct kp_arch_jprobe *jprobe, void *fn);
/*
 * Inside that call, on its stack: end it.  Does not return, but is not declared
 * so: a kernel's objtool knows only its own functions that do not.
 */
void kp_arch_jprobe_leave(struct kp_arch_jprobe *jprobe);
/* The call ended by kp_arch_jprobe_leave. */
bool kp_arch_jprobe_left(const struct kp_arch_jprobe *jprobe);

#endif
