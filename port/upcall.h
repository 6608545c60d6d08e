/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * upcall.h - what a host calls in the core.
 *
 * Owns: the upcalls, kp_core_on_…, and the end of the engine.
 */
#ifndef KP_UPCALL_H
#define KP_UPCALL_H

#include "env.h"

struct kprobe;
struct kretprobe_instance;
struct kp_context;

/*
 * Unregister everything and restore all text.  Sites and slots stay, for
 * threads that are still in them and for probes that come later.  0, or the
 * errno of a write: some breakpoints are still there.
 */
int kp_core_clear(void);
/*
 * After it, no reader being left: free the sites and slots, and all else that a
 * thread might rest in or come back to (kp_core_rests), but those that kept[0..nr)
 * lie in, where somebody may.  0; or -EBUSY: calls will return by way of us, some text
 * could not be restored, or of one of these it is not known whose it is; then nearly
 * all stays.  Probes may come afterwards; optimization is off.
 */
int kp_core_release(const uintptr_t *kept, size_t nr);
/*
 * kp_core_clear for good, and free all memory that can be shown to be unused.  0, or
 * -EBUSY when some slots are still in use, or some text could not be restored: the
 * engine and its executable memory must then stay.  It may be called again.
 */
int kp_core_stop(void);
int kp_core_stop(void);

/*
 * A breakpoint trap at regs.  true: ours, continue at regs.  false: foreign,
 * regs untouched; pass it on.  Any context; the host has disabled preemption
 * (or the like) so far as kp_host_enter needs.
 */
bool kp_core_on_trap(struct pt_regs *regs);
/*
 * The same for a host that has a shorter way to the core and a longer one:
 * false also for what kp_core_on_trap would still claim after a look at the
 * text, or offer to a break_handler.  The host has entered ctx, which is not
 * NULL, and needs nothing but regs to go on when handlers are abandoned: see
 * kp_host_guard.
 */
bool kp_core_on_framed_trap(struct pt_regs *regs, struct kp_context *ctx);
bool kp_core_on_framed_trap_abort(struct pt_regs *regs);

struct kp_child;
/* kp_arch_guard_pre's. */
long kp_core_on_pre(struct kp_context *ctx, struct kp_child *child,
		    struct pt_regs *regs);

/*
 * Can only a breakpoint of ours have brought the IP here?  It then stands
 * behind the first byte of a longer instruction, or of a slot's breakpoint.
 * For hosts whose trap report can be merged into another one.  Any context.
 */
bool kp_core_must_have_trapped(const struct pt_regs *regs);

/*
 * A single-step trap of somebody else at regs.  false: he is not to see it,
 * the probed instruction is still being executed; continue at regs.  true:
 * pass it on; if it ended a step of ours, regs are now at the original's end.
 */
bool kp_core_on_single_step(struct pt_regs *regs);

/*
 * A fault at regs; trapnr: its number, as the processor gives it.  true: resolved, continue at
 * regs.  false: not ours, or ours and now attributed to the original address:
 * go on with the host's normal fault path using regs.
 */
bool kp_core_on_fault(struct pt_regs *regs, int trapnr);

/*
 * The tracer calls from addr: regs as at its instruction, ip being where it
 * goes on.  On return continue at regs.  redirects: in which way it
 * was asked; an instruction that serves both makes two calls.  Any context.
 */
void kp_core_on_tracer(struct pt_regs *regs, uintptr_t addr, bool redirects);
/*
 * The same where the host has entered ctx, which is not NULL, and needs nothing
 * but regs to go on when handlers are abandoned: see kp_host_guard.
 */
void kp_core_on_framed_tracer(uintptr_t addr, struct kp_context *ctx,
			    bool redirects, struct pt_regs *regs);
void kp_core_on_framed_tracer_abort(struct pt_regs *regs);
/*
 * The same, where it is asked for in the way that does not redirect, for an entry that
 * calls the handler by itself; ctx has no site.  The child whose pre_handler, child->quiet,
 * is all that there is to a hit; or NULL: kp_core_on_framed_tracer is for it.  When the
 * handler says 0, ctx->current is cleared, the registers go on at ctx->resume, and framed
 * and then site are cleared; otherwise kp_core_tracer_taken does that.
 */
struct kp_child *kp_core_tracer_begin(uintptr_t addr, struct kp_context *ctx,
				      struct pt_regs *regs);
void kp_core_tracer_taken(struct kp_context *ctx, struct pt_regs *regs);

/*
 * A hooked function has returned; called by return.S with all registers, the
 * instruction pointer being the stub's.  Continue at regs; true, here and below:
 * the stub had called it, so that the way leads through the stub.  Any context.
 */
bool kp_core_on_return(struct pt_regs *regs);
/*
 * Before that, with the address of the stub, and of regs only what a lean handler
 * finds (kp_arch_lean).  handler not NULL: it is lean, and there is nothing else
 * to the return: call it with ctx->returning's instance, then
 * kp_core_on_return_end; the instruction pointer says where to continue.  NULL:
 * kp_core_on_return is to be called with all registers.
 */
struct kp_return {
	int (*handler)(struct kretprobe_instance *ri, struct pt_regs *regs);
	struct kp_context *ctx;
};
struct kp_return kp_core_on_return_begin(uintptr_t stub, struct pt_regs *regs);
bool kp_core_on_return_end(struct kp_context *ctx);
/* kp_arch_guard_return's: a handler faulted.  Continue at regs. */
bool kp_core_on_return_abort(struct pt_regs *regs);

/*
 * A jump was hit; called by detour_entry.S with all registers, ip being the probe's
 * address + 1.  tag: what the head holds.  vectors: NULL, or an image of the
 * vector registers.  0: go on in the head.  Otherwise: continue at regs, ip,
 * sp and flags included.
 */
unsigned long kp_core_on_detour(struct pt_regs *regs, void *tag,
				const struct kp_arch_vectors *vectors);
/*
 * The entry has called handlers of the site tag by itself, and this is a reader at
 * that site.  The last one returned result, which is not 0, or the site's jump has
 * gone.  Result as above.
 */
unsigned long kp_core_on_direct_end(struct pt_regs *regs, void *tag,
				    unsigned long result);
/* kp_arch_guard_detour's: a handler faulted.  Result as above. */
unsigned long kp_core_on_detour_abort(struct pt_regs *regs);
/*
 * The stepped form in the slot of the site tag is done; called by
 * detour_entry.S, ip being the next instruction's.  Continue at regs.
 */
void kp_core_on_post(struct pt_regs *regs, void *tag,
		     const struct kp_arch_vectors *vectors);

/* What kp_host_defer asked for.  Sleeps. */
void kp_core_on_deferred(void);

/* The optimization knob: K-KNB-50 to 58.  0 or the last errno.  Sleeps. */
int kp_core_set_optimization(bool on);
bool kp_core_optimization(void);
/* Do now whatever was put off: afterwards no text waits to change.  Sleeps. */
void kp_core_flush(void);

/*
 * The reader in ctx, which had no site, was left for good: what it had in hand goes
 * back.  Before it counts as gone.
 */
void kp_core_on_left(struct kp_context *ctx);

/* What kp_host_kick asked for.  Sleeps. */
void kp_core_on_kick(void);

/* Text in [start, start+len) is about to vanish or has.  Sleeps. */
void kp_core_on_text_gone(uintptr_t start, size_t len);

/*
 * Memory of owner's, [start, start+len), is about to vanish or has: probes whose struct
 * or handlers lie there can no longer be served.  They are dropped, and told by name.  On
 * return none of these handlers runs or will run.  Sleeps.
 */
void kp_core_on_owner_gone(const char *owner, uintptr_t start, size_t len);

/* The ip as seen by the probed code: slot addresses are translated back. */
uintptr_t kp_core_original_ip(uintptr_t ip);

/* Where slots are; their list grows until they are released.  No lock. */
void kp_core_slots(void (*each)(void *arg, uintptr_t base, size_t len),
		   void *arg);
/* These, and all else that a thread might rest in.  Nobody registers anything. */
void kp_core_rests(void (*each)(void *arg, uintptr_t base, size_t len),
		   void *arg);

/*
 * A probe of the host's own on the function at addr, with a pre_handler alone, that
 * is in no list and no user's way: it is asked behind all others.  0, also when it
 * is there already; or -errno with p->reason.  Registry context, as all of these.
 */
int kp_core_own_register(struct kprobe *p, uintptr_t addr);
/* Hits may be under way; p stays as long as the text does. */
void kp_core_own_unregister(struct kprobe *p);
/*
 * Where to call the function past the probe p that was hit; any context.  With
 * what users' post_handlers there want.
 */
uintptr_t kp_core_own_past(const struct kprobe *p);

/* Blacklist [start, start+len) under a name (copied).  0 or -ENOMEM. */
int kp_core_blacklist_add(uintptr_t start, size_t len, const char *name);
/* Forget the entries that start in [start, start+len). */
void kp_core_blacklist_remove(uintptr_t start, size_t len);

/* Why the last refused registration was refused, once; then NULL. */
const char *kp_core_take_refusal(void);

/* The global knob: K-KNB-20 to 28.  0 or the last errno. */
int kp_core_set_enabled(bool on);
bool kp_core_enabled(void);

/*
 * What would register_kprobe say of addr?  Nothing is registered.  0 or its
 * errno; *reason: constant text that says why not or, with 0, in which way
 * other than by a breakpoint; or NULL.  Sleeps.
 */
int kp_core_check(uintptr_t addr, const char **reason);
/* Text as it is without our probes, for whoever looks at it.  0 or -EFAULT. */
int kp_core_original(void *dst, uintptr_t addr, size_t len);
/*
 * Does a probe's breakpoint stand at addr, or may?  Then insn is what it has replaced, as
 * long as a breakpoint is.  Any context that kp_host_wait_handlers waits for.
 */
bool kp_core_under(uintptr_t addr, uint8_t *insn);
int kp_core_original_locked(void *dst, uintptr_t addr, size_t len);	/* registry lock */

/*
 * A line for the control file: "enable WHERE" or "disable WHERE", where WHERE
 * is what the list shows: symbol, symbol+0xoffset, either with "owner:" in
 * front, or 0xaddress.  A newline at the end is allowed.  Any bytes may come.
 * 0; -EINVAL: not such a line; otherwise as above.
 */
int kp_core_control(const char *line, size_t len);

/*
 * What is written to the files of the two switches, all in one write; any bytes
 * may come.  0; -EINVAL: nothing changes; otherwise as the calls that switch.
 */
int kp_core_write_enabled(const char *text, size_t len);
int kp_core_write_optimization(const char *text, size_t len);

/* The list, blacklist in the documented format, a line at a time. */
typedef void (*kp_core_line_fn)(void *arg, const char *line, size_t len);
void kp_core_report_list(kp_core_line_fn emit, void *arg, bool show_addresses);
/* Behind each of its lines: "\tMISSED\tOWNER\tWHY", why it is a breakpoint. */
void kp_core_report_details(kp_core_line_fn emit, void *arg);
void kp_core_report_blacklist(kp_core_line_fn emit, void *arg,
			      bool show_addresses);

#endif
