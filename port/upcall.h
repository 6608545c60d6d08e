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
 * After kp_core_clear, when no reader is left: free the sites, the slots and everything
 * else that a thread might rest in or return to (kp_core_rests).  Those that contain one of
 * kept[0..nr) stay, since a thread may return there.  0; or -EBUSY: calls will still return
 * through us, some text could not be restored, or one of the addresses belongs to nothing
 * known; then nearly everything stays.  Probes may be registered afterwards; optimization
 * is off.
 */
int kp_core_release(const uintptr_t *kept, size_t nr);
/*
 * kp_core_clear for good, and free all memory that is proved to be unused.  0, or -EBUSY if
 * some slots are still in use, or some text could not be restored: the engine and its
 * executable memory must then stay.  It may be called again.
 */
int kp_core_stop(void);

/*
 * A breakpoint trap at regs.  true: ours, continue at regs.  false: foreign, regs untouched;
 * pass it on.  Any context; the host has disabled preemption (or the like) as far as
 * kp_host_enter needs it.
 */
bool kp_core_on_trap(struct pt_regs *regs);
/*
 * The same for a host with a short and a long path to the core.  It also returns false for
 * a trap that kp_core_on_trap would claim after a look at the text, or offer to a
 * break_handler.  The host has entered ctx, which is not NULL, and needs only regs to
 * continue when handlers are abandoned: see kp_host_guard.
 */
bool kp_core_on_framed_trap(struct pt_regs *regs, struct kp_context *ctx);
bool kp_core_on_framed_trap_abort(struct pt_regs *regs);

struct kp_child;
/* Called by kp_arch_guard_pre. */
long kp_core_on_pre(struct kp_context *ctx, struct kp_child *child,
		    struct pt_regs *regs);

/*
 * Can only a breakpoint of ours have led the IP here?  It is then behind the first byte of
 * a longer instruction, or of a slot's breakpoint.  For hosts whose trap report can be
 * merged into another one.  Any context.
 */
bool kp_core_must_have_trapped(const struct pt_regs *regs);

/* Is the address probed, or was it since its text was loaded?  Any context. */
bool kp_core_is_site(uintptr_t addr);

/*
 * A single-step trap of somebody else at regs.  false: do not pass it on, since the probed
 * instruction is still being executed; continue at regs.  true: pass it on; if it ended a
 * step of ours, regs are now at the end of the original instruction.
 */
bool kp_core_on_single_step(struct pt_regs *regs);

/*
 * A fault at regs; trapnr is the processor's number for it.  true: resolved, continue at
 * regs.  false: not ours, or ours and now attributed to the original address: continue with
 * the host's normal fault path, using regs.
 */
bool kp_core_on_fault(struct pt_regs *regs, int trapnr);

/*
 * The tracer calls from addr.  regs are as at its instruction; ip is where execution
 * continues.  On return continue at regs.  redirects: the way in which the site was armed;
 * an instruction that serves both makes two calls.  Any context.
 */
void kp_core_on_tracer(struct pt_regs *regs, uintptr_t addr, bool redirects);
/*
 * The same if the host has entered ctx, which is not NULL, and needs only regs to continue
 * when handlers are abandoned: see kp_host_guard.
 */
void kp_core_on_framed_tracer(uintptr_t addr, struct kp_context *ctx,
			    bool redirects, struct pt_regs *regs);
void kp_core_on_framed_tracer_abort(struct pt_regs *regs);
/*
 * The same for an entry that calls the handler by itself, at a site that was armed without
 * redirects; ctx has no site.  Returns the child if its pre_handler, child->quiet, is all
 * that there is to a hit.  NULL: call kp_core_on_framed_tracer.  If the handler returns 0,
 * the entry clears ctx->current, continues at ctx->resume, and clears framed and then site.
 * Otherwise kp_core_tracer_taken does that.
 */
struct kp_child *kp_core_tracer_begin(uintptr_t addr, struct kp_context *ctx,
				      struct pt_regs *regs);
void kp_core_tracer_taken(struct kp_context *ctx, struct pt_regs *regs);

/*
 * A hooked function has returned.  return.S calls this with all registers; the instruction
 * pointer is the stub's.  Continue at regs.  true, here and below: the stub had called the
 * function, so execution continues through the stub.  Any context.
 */
bool kp_core_on_return(struct pt_regs *regs);
/*
 * Called before that, with the address of the stub and only those regs that a lean handler
 * finds (kp_arch_lean).  handler not NULL: it is lean, and there is nothing else to do at
 * the return: call it with ctx->returning's instance, then kp_core_on_return_end; the
 * instruction pointer says where to continue.  NULL: call kp_core_on_return with all
 * registers.
 */
struct kp_return {
	int (*handler)(struct kretprobe_instance *ri, struct pt_regs *regs);
	struct kp_context *ctx;
};
struct kp_return kp_core_on_return_begin(uintptr_t stub, struct pt_regs *regs);
bool kp_core_on_return_end(struct kp_context *ctx);
/* Called by kp_arch_guard_return: a handler faulted.  Continue at regs. */
bool kp_core_on_return_abort(struct pt_regs *regs);

/*
 * A jump was hit.  detour_entry.S calls this with all registers; ip is the probe's address
 * + 1.  tag: what the head holds.  vectors: NULL, or an image of the vector registers.
 * 0: continue in the head.  Otherwise: continue at regs, including ip, sp and flags.
 */
unsigned long kp_core_on_detour(struct pt_regs *regs, void *tag,
				const struct kp_arch_vectors *vectors);
/*
 * The entry has called handlers of the site tag by itself, and the caller is a reader at
 * that site.  The last handler returned result, which is not 0, or the site's jump has been
 * removed.  Result as above.
 */
unsigned long kp_core_on_direct_end(struct pt_regs *regs, void *tag,
				    unsigned long result);
/* Called by kp_arch_guard_detour: a handler faulted.  Result as above. */
unsigned long kp_core_on_detour_abort(struct pt_regs *regs);
/*
 * The stepped form in the slot of the site tag is done.  detour_entry.S calls this; ip is
 * the next instruction.  Continue at regs.
 */
void kp_core_on_post(struct pt_regs *regs, void *tag,
		     const struct kp_arch_vectors *vectors);

/*
 * Look whether somebody else has overwritten breakpoints or jumps of ours, and do what is
 * right then.  For a host where that happens; any task, now and then.  Sleeps.
 */
void kp_core_look(void);
void kp_core_look_locked(void);		/* the registry lock is held */
/* Has a trap shown that it is time to?  Any context. */
bool kp_core_disturbed(void);

/* Requested by kp_host_defer.  Sleeps. */
void kp_core_on_deferred(void);

/* The optimization knob: K-KNB-50 to 58.  0 or the last errno.  Sleeps. */
int kp_core_set_optimization(bool on);
bool kp_core_optimization(void);
/* Do all deferred work now: afterwards no change of text is pending.  Sleeps. */
void kp_core_flush(void);

/*
 * The reader in ctx, which had no site, was left for good.  Puts back what it was working
 * on; called before the reader counts as gone.
 */
void kp_core_on_left(struct kp_context *ctx);
/* Something happens at sp: if a hit of ctx was left for that, its reader is gone. */
void kp_core_left_for(struct kp_context *ctx, uintptr_t sp);

/* Requested by kp_host_kick.  Sleeps. */
void kp_core_on_kick(void);

/* Text in [start, start+len) is about to be unloaded, or has been.  Sleeps. */
void kp_core_on_text_gone(uintptr_t start, size_t len);

/*
 * Memory of owner's, [start, start+len), is about to vanish or has: probes whose struct
 * or handlers lie there can no longer be served.  They are dropped, and told by name.  On
 * return none of these handlers runs or will run.  Sleeps.
 */
void kp_core_on_owner_gone(const char *owner, uintptr_t start, size_t len);

/* The ip as seen by the probed code: slot addresses are translated back. */
uintptr_t kp_core_original_ip(uintptr_t ip);

/*
 * For unwinders: the registers of the hit whose handlers run in this context, and the address
 * where the probed code stands meanwhile.  NULL: there is none, or they are not known.
 */
const struct pt_regs *kp_core_hit_regs(uintptr_t *at);

/* Does a hooked call return there?  Any context. */
bool kp_core_is_stub(uintptr_t ip);

/* Calls each for every region of slots; their list grows until they are released.  No lock. */
void kp_core_slots(void (*each)(void *arg, uintptr_t base, size_t len),
		   void *arg);
/* The same, and everything else that a thread might rest in.  Nobody may register probes. */
void kp_core_rests(void (*each)(void *arg, uintptr_t base, size_t len),
		   void *arg);

/*
 * Register an own probe of the host on the function at addr.  It has only a pre_handler, no
 * list shows it, and it runs behind all others, so it does not affect users.  0, also if it
 * is registered already; or -errno with p->reason.  Registry context, as for all of these.
 */
int kp_core_own_register(struct kprobe *p, uintptr_t addr);
/* Hits may still be under way; p must stay as long as the text does. */
void kp_core_own_unregister(struct kprobe *p);
/*
 * The address to call the function at, past the probe p that was hit.  Users'
 * post_handlers there still run.  Any context.
 */
uintptr_t kp_core_own_past(const struct kprobe *p);

/* Blacklist [start, start+len) under a name (copied).  0 or -ENOMEM. */
int kp_core_blacklist_add(uintptr_t start, size_t len, const char *name);
/* Forget the entries that start in [start, start+len). */
void kp_core_blacklist_remove(uintptr_t start, size_t len);

/* Why the last refused registration was refused; then NULL until the next one. */
const char *kp_core_take_refusal(void);

/* The global knob: K-KNB-20 to 28.  0 or the last errno. */
int kp_core_set_enabled(bool on);
bool kp_core_enabled(void);

/*
 * What would register_kprobe return for addr?  Nothing is registered.  0 or its errno.
 * *reason: constant text that says why not or, with 0, how other than by a breakpoint; or
 * NULL.  Sleeps.
 */
int kp_core_check(uintptr_t addr, const char **reason);
/* Text as it is without our probes.  0 or -EFAULT. */
int kp_core_original(void *dst, uintptr_t addr, size_t len);
/*
 * Is there, or may there be, a probe's breakpoint at addr?  Then insn receives the bytes
 * that it has replaced, as many as a breakpoint has.  Any context that
 * kp_host_wait_handlers waits for.
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
 * A write to the files of the two switches; any bytes may come.  0; -EINVAL: nothing
 * changes; otherwise as the functions that switch.
 */
int kp_core_write_enabled(const char *text, size_t len);
int kp_core_write_optimization(const char *text, size_t len);

/* The list, blacklist in the documented format, a line at a time. */
typedef void (*kp_core_line_fn)(void *arg, const char *line, size_t len);
void kp_core_report_list(kp_core_line_fn emit, void *arg, bool show_addresses);
/* The same, with "\tMISSED\tOWNER\tWHY" behind each line; WHY: why it is a breakpoint. */
void kp_core_report_details(kp_core_line_fn emit, void *arg);
void kp_core_report_blacklist(kp_core_line_fn emit, void *arg,
			      bool show_addresses);

#endif
