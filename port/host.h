/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * host.h - the host contract.
 *
 * Owns: what the core asks of the place that it runs in.  Every duty binds at link time: a
 * host that lacks one does not link.  "Registry context" means: may sleep, the registry lock
 * is held.  "Any context" includes the trap path, where a duty takes no lock and allocates
 * nothing.
 */
#ifndef KP_HOST_H
#define KP_HOST_H

#include "env.h"
#include "arch.h"

/* ---- memory, locks, messages ------------------------------------------- */

void *kp_host_alloc(size_t len);	/* zeroed, may sleep; NULL when none */
void kp_host_free(void *mem);

/* The registry lock and, taken inside it, the text lock.  May sleep. */
enum kp_host_lock { KP_LOCK_REGISTRY, KP_LOCK_TEXT };
void kp_host_lock(enum kp_host_lock lock);
void kp_host_unlock(enum kp_host_lock lock);
/* Aborts in tests when the lock is not held. */
void kp_host_assert_locked(enum kp_host_lock lock);

enum kp_host_level { KP_LOG_ERROR, KP_LOG_WARN, KP_LOG_INFO };
/* One line, no newline needed.  Any context. */
void kp_host_log(enum kp_host_level level, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* An invariant is broken: abort in tests; in production log once and continue. */
void kp_host_broken(const char *what);

/* ---- text --------------------------------------------------------------- */

/* Copy len bytes of text or data that may not be mapped.  0 or -EFAULT. */
int kp_host_text_read(void *dst, uintptr_t addr, size_t len);

struct kp_text_patch {
	uintptr_t addr;
	uint8_t len;		/* 1 to 8; KP_ARCH_BP_LEN are written by one store */
	uint8_t bytes[8];
	int err;		/* result: 0 or -errno */
};

/*
 * Write nr patches to live text without ever removing execute permission.  Whoever
 * executes or reads the written bytes also sees what was stored before the call.
 * Registry context, text lock held.  core/patches.c calls it, and so does the kernel host
 * for text of its own.  Does not synchronise cores.  Returns 0, or the first errno; each
 * err holds its own.
 */
int kp_host_text_write(struct kp_text_patch *patches, size_t nr);

/*
 * Call fn(arg) where frequent writes to text and executable memory cost least, and return
 * its result.  The registry lock is held.  fn must not wait for any thread.
 */
int kp_host_patching(int (*fn)(void *arg), void *arg);

/* On return every core has executed a serialising instruction since the call. */
void kp_host_sync_cores(void);

/* What is at an address; registry context. */
enum kp_text_kind {
	KP_TEXT_NONE,		/* not executable text of anything we know */
	KP_TEXT_OK,
	KP_TEXT_ENGINE,		/* the engine itself, its slots, trap entry */
	KP_TEXT_RESERVED,	/* other code patches these bytes */
	KP_TEXT_LEAVING,	/* its owner is being unloaded, or init is over */
	KP_TEXT_TRACER,		/* the host calls from here: kp_host_tracer_on */
	KP_TEXT_INNER,		/* inside such an instruction */
	KP_TEXT_TRACED,		/* reserved: only the host's tracer calls from here */
	KP_TEXT_DATA,		/* certainly data among code: no instruction begins there */
};
struct kp_text_info {
	enum kp_text_kind kind;
	unsigned int arch_flags;	/* enum kp_arch_text_flags */
	const char *why;		/* constant text when kind is not OK */
};
/* addr: one instruction of len bytes (1 when not yet known). */
void kp_host_text_query(uintptr_t addr, size_t len, struct kp_text_info *out);
/*
 * Does another engine, such as the kernel's own Kprobes, have a probe in these bytes, or
 * one before them that may reach into them?  Such a probe may be registered without a
 * trace in the text, and keeps a copy of it.  So this is called again whenever text is
 * written.  The text lock is held.
 */
bool kp_host_others(uintptr_t addr, size_t len);
/*
 * Somebody's breakpoint stands on a jump of ours: does he keep a copy of the jump, to put
 * back?  false: of the instruction that the jump replaces.  With the text lock held.
 */
bool kp_host_jump_is_copied(void);

/* Is addr executable code, so that it may be a handler?  Registry. */
bool kp_host_is_code(uintptr_t addr);

/* ---- the tracer's sites ---------------------------------------------------- */

/*
 * Instructions without effect that the host can make call a function: text of the kind
 * KP_TEXT_TRACER.  A host without them never returns that kind.
 */
struct kp_tracer_site {
	uintptr_t addr;
	int err;		/* result: 0 or -errno */
};
/*
 * After kp_host_tracer_on returns, a thread that reaches one of these instructions calls
 * kp_core_on_tracer.  After kp_host_tracer_off returns it does not, but a call may be on
 * its way.  redirects: our handlers may change where execution continues; -EBUSY if the
 * host gave that right to somebody else.  An instruction may serve both ways.
 * Registry context.  0, or the first errno; each err holds its own.
 */
int kp_host_tracer_on(struct kp_tracer_site *sites, size_t nr, bool redirects);
int kp_host_tracer_off(struct kp_tracer_site *sites, size_t nr, bool redirects);
/* No site is in use.  On return no call is on its way.  Sleeps; no lock held. */
void kp_host_tracer_stop(void);
/*
 * bytes[0..len) were read from text at addr.  Replace what the tracer has written there by
 * what an unused site holds.  Registry context.
 */
void kp_host_tracer_undo(uint8_t *bytes, uintptr_t addr, size_t len);

/* ---- executable memory for slots ---------------------------------------- */

struct kp_exec {
	uintptr_t base;
	size_t len;
};
/*
 * Executable memory, never writable and executable at once, within reach of near where
 * possible.  own: among the host's own code, where instructions with an exception-table
 * entry may run, and where unwinders accept addresses as code.
 * Registry context.  0, or -ENOMEM.
 */
int kp_host_exec_alloc(struct kp_exec *out, uintptr_t near, size_t len,
		       bool own);
/*
 * The same, but entirely within [low, high]; rounded up to the host's unit.  For code that
 * a jump with few free bits must reach.
 */
int kp_host_exec_alloc_in(struct kp_exec *out, uintptr_t low, uintptr_t high,
			  size_t len);
void kp_host_exec_free(const struct kp_exec *exec);
/*
 * Nobody executes these pages of 4096 bytes before they are filled again.  The host may
 * free their memory but keeps their addresses.  0: they read as zeros; otherwise they are
 * unchanged.  Registry context.
 */
int kp_host_exec_drop(uintptr_t addr, size_t len);
/* Fill a slot nobody executes yet (or that keeps its meaning).  Registry. */
int kp_host_exec_write(uintptr_t addr, const void *src, size_t len);
/*
 * The same, but deferred: the bytes need not be there before kp_host_exec_commit returns
 * 0, which is called before anything leads there.  The next commit tries again what could
 * not be written.
 */
int kp_host_exec_write_later(uintptr_t addr, const void *src, size_t len);
int kp_host_exec_commit(void);
/*
 * The slot at addr now holds copies of the instruction at insn, at the offsets copies[0]
 * and [1].  Clone its exception-table entry and unwind entry for them.  0 or -errno.
 * kp_host_slot_unbind undoes it.  Registry context.
 */
int kp_host_slot_bind(uintptr_t slot, uintptr_t insn,
		      const unsigned int copies[2]);
void kp_host_slot_unbind(uintptr_t slot);

/* ---- readers and reentrancy --------------------------------------------- */

/* One nestable execution context, stored by the host: context.h. */
struct kp_context;
struct kp_node;
/*
 * What the host keeps from kp_host_enter_detour to kp_host_leave_detour; see enter.h.
 */
struct kp_host_saved {
	KP_SAVED_WORD word[KP_SAVED_WORDS];
};

/*
 * Pin and mark a reader.  NULL if no context is available: the reader is still marked, and
 * the core counts the hit as missed.  Any context.
 */
struct kp_context *kp_host_enter(void);
void kp_host_leave(struct kp_context *ctx);
/* The context of the caller, without entering; NULL when there is none. */
struct kp_context *kp_host_context(void);
/*
 * The vector registers as they were at the hit whose registers are regs.
 * False: not saved, or unknown.  Any context.
 */
bool kp_host_vectors(const struct pt_regs *regs, struct kp_arch_vectors *out);
/*
 * May the probed code be using vector registers that a handler could change if it is not
 * called from a trap?
 */
bool kp_host_vectors_live(void);
/*
 * A handler was abandoned, or a jprobe's handler was left by jprobe_return.  Undo what it
 * may have left in the host's state.
 */
void kp_host_abandon(struct kp_context *ctx);

/*
 * kp_host_enter and kp_host_leave for a hit through a jump and for a return, which are no
 * traps.  They also save and restore the host's state that a handler may change (in a
 * process: errno) in the caller's saved.
 * In the host's enter.h, so that they can be inline:
 *
 *   struct kp_context *kp_host_enter_detour(struct kp_host_saved *saved);
 *   void kp_host_leave_detour(struct kp_context *ctx,
 *			       const struct kp_host_saved *saved);
 *
 * Also there: handlers of a hit are about to run, and ctx->site is set.  Record what
 * kp_host_abandon has to restore.
 *
 *   void kp_host_note(struct kp_context *ctx);
 *
 * Or none of those handlers can leave anything behind: there is nothing to restore.
 *
 *   void kp_host_note_nothing(struct kp_context *ctx);
 *
 * And: a handler has faulted that kp_core_on_framed_trap or, if traced,
 * kp_core_on_framed_tracer had called with these registers.  Fill the guard so that the
 * abort leads to the …_abort of that upcall, as if it had been called instead.
 *
 *   void kp_host_guard(struct kp_arch_guard *guard, struct pt_regs *regs,
 *			bool traced);
 *
 * And what kp_host_enter_detour would have saved, to leave a reader that the
 * architecture's entry has marked by itself.
 *
 *   void kp_host_direct_saved(struct kp_host_saved *saved);
 */

/*
 * ctx->frame is set, and an event occurs with this stack pointer.  Has the thread left the
 * handler of that hit for good, because a signal handler did not return and unwound the
 * stack past the frame?  Any context.
 */
bool kp_host_unwound(const struct kp_context *ctx, uintptr_t sp);
/* It has: forget the context's readers.  To continue, enter again. */
void kp_host_forget(struct kp_context *ctx);

/*
 * Is the calling thread at work for the engine itself, as a thread of its own is?  Then
 * kp_host_enter has no context for it, and its hits are nobody's: they are not counted as
 * missed.  Asked only of a hit that is missed.  Any context.
 */
bool kp_host_is_own_work(void);

/* Wait until every reader that entered before the call has left.  Sleeps. */
void kp_host_wait_handlers(void);
/*
 * Wait until no task or thread can still be executing in [base, base+len) or return into
 * it.  0, or -EBUSY if that cannot be proved: then the memory must not be reused.  Sleeps;
 * the caller holds no lock.
 */
int kp_host_wait_tasks(uintptr_t base, size_t len);

/* ---- return probes --------------------------------------------------------- */

/* The identity of a thread or task.  Equal exactly for the same one. */
struct kp_task {
	void *task;			/* what kretprobe_instance.task shows */
	unsigned long id;
	/*
	 * From kp_host_task_stamp.  While the caller's context has the same stamp,
	 * kp_host_task_again would fill in the same values.
	 */
	unsigned long stamp;
	bool bound;
};
#define KP_TASK_UNSTAMPED (~0ul)
/*
 * Store the caller's identity in a kp_task; _again for one that is bound or was filled by
 * this before.  bound: the stack that sp is on ends with the task; otherwise it may be a
 * coroutine's, which another task can continue.  Any context.  In the host's task.h, so
 * that they can be inline:
 *
 *   void kp_host_task(struct kp_task *out, uintptr_t sp);
 *   void kp_host_task_again(struct kp_task *out, uintptr_t sp);
 *
 * For a caller that runs as a handler, with its context: is the second one enough?  And,
 * with KP_CALLING_STUBS, the stamp, to be called after one of these.
 *
 *   bool kp_host_task_known(const struct kp_context *ctx);
 *   void kp_host_task_stamp(struct kp_task *out, const struct kp_context *ctx,
 *			     uintptr_t sp);
 *
 * Also there, for the same caller: its context.
 *
 *   struct kp_context *kp_host_context_here(void);
 *   struct kp_context *kp_host_context_lean(void);	as a lean handler
 *
 * And kp_host_enter_detour for the return of a call whose handler is lean, with this stack
 * pointer.  NULL if that takes more than marking a reader in a context without a site; then
 * nothing has happened.
 *
 *   struct kp_context *kp_host_enter_lean(uintptr_t sp);
 *   void kp_host_leave_lean(struct kp_context *ctx);
 */
/*
 * For the end of the engine: call fn(arg) while nobody else executes anything, and nobody was
 * interrupted in the engine's code or in a stub.  0; -EBUSY: somebody is there; -EOPNOTSUPP: this
 * host cannot.  Sleeps.
 */
int kp_host_alone(void (*fn)(void *arg), void *arg);
/*
 * In fn: the task's call with that frame returns to real, and to stub no more.  False: where its
 * return address is cannot be shown, and nothing has changed.
 */
bool kp_host_put_back(const struct kp_task *task, uintptr_t frame, uintptr_t stub,
		      uintptr_t real);
/*
 * In fn, when all that can be is put back: is the task's call with that frame over, though it has
 * not returned?  False: that cannot be shown.
 */
bool kp_host_call_over(const struct kp_task *task, uintptr_t frame);
/* Has it ended?  Any context. */
bool kp_host_task_gone(const struct kp_task *task);
/* May part of a stack be copied away, and its place be reused?  Any context. */
bool kp_host_stacks_copied(void);
/* Are two addresses in the same stack of the caller?  Any context. */
enum kp_stack { KP_STACK_UNKNOWN, KP_STACK_SAME, KP_STACK_OTHER };
enum kp_stack kp_host_stack(uintptr_t a, uintptr_t b);
/*
 * May the function at addr have a return probe, or a jprobe?  0: yes; -EINVAL: no such
 * function may; -EOPNOTSUPP: not in this kind of code; *why: constant text.  Registry
 * context.
 */
int kp_host_return_refused(uintptr_t addr, const char **why);
/*
 * Which functions in the code that contains addr depend on their caller?  READ: those that
 * read their return address.  FOLLOW: those that end in a jump to a function for which
 * kp_host_minds_caller is true: the function at to or, if word is not 0, the function whose
 * address the linker stores there.  Registry context.
 */
enum kp_callers {
	KP_CALLERS_READ = 1, KP_CALLERS_FOLLOW = 2,
	KP_CALLERS_SELF = 4,		/* the function at addr itself does */
};
unsigned int kp_host_callers(uintptr_t addr);
bool kp_host_minds_caller(uintptr_t to, uintptr_t word);
int kp_host_jprobe_refused(uintptr_t addr, const char **why);

/* Return stubs, and for each the node that the core binds to it. */
struct kp_stubs {
	uintptr_t base;
	uint32_t nr;
	struct kp_node **nodes;
	uintptr_t *bodies;		/* what each stub calls; NULL: they call nothing */
};
/*
 * The host's own prepared stubs, covered by its unwind tables, with all nodes NULL.  False:
 * there are none, and the core makes them in executable memory.
 */
bool kp_host_return_stubs(struct kp_stubs *out);
/*
 * on: calls may be hooked from now on; called with each batch of new return probes.
 * Otherwise: no call is hooked any more.  For a host that shows return addresses to others:
 * it can use kp_core_original_ip, or register own probes (kp_core_own_register).  Registry
 * context.
 */
void kp_host_returns_hooked(bool on);

/* Zeroed memory, any context.  NULL if the host cannot: see kp_host_kick. */
void *kp_host_alloc_now(size_t len);
void kp_host_free_now(void *mem, size_t len);
/*
 * Any context: have kp_core_on_kick called soon, where it may sleep.  A host whose
 * kp_host_alloc_now works need not do so.
 */
void kp_host_kick(void);
unsigned int kp_host_cpus(void);	/* the maximum number of CPUs */

/* ---- deferred work ---------------------------------------------------------- */

/*
 * Call kp_core_on_deferred about ms milliseconds from now, once, from where it may sleep.
 * A request that is already pending does not change.  Registry context.  Returns 0, or
 * -errno if the host cannot: the core then does the work at once.
 */
int kp_host_defer(unsigned int ms);
/* No call is pending or running on return.  Sleeps; no lock held. */
void kp_host_defer_stop(void);

/* ---- data of the probed code -------------------------------------------- */

/* Fault-safe; any context, the trap path above all.  0 or -EFAULT. */
int kp_host_data_read(uintptr_t addr, void *dst, size_t len);
int kp_host_data_write(uintptr_t addr, const void *src, size_t len);
/* May [addr, addr+len) be relied on to stay as it is?  Registry context. */
bool kp_host_constant(uintptr_t addr, size_t len);
/* Copy a string of the registering caller, NUL included.  -EFAULT, -E2BIG. */
int kp_host_str_read(char *dst, const char *src, size_t len);
/*
 * A fault at regs in handler code.  Apply its exception-table fixup and return true; false
 * if there is none (hosts without such tables: always).  Any context.
 */
bool kp_host_fixup(struct pt_regs *regs, int trapnr);

/* ---- symbols ------------------------------------------------------------- */

#define KP_SYMBOL_MAX 512
/*
 * The address in a pointer to code, if a processor with two instruction sets stores the set
 * in the pointer.  A value that cannot point to code is returned unchanged.  Registry
 * context.
 */
uintptr_t kp_host_code_at(uintptr_t pointer);
/* "symbol" or "module:symbol"; -ENOENT when unknown.  Registry context. */
int kp_host_resolve(const char *name, uintptr_t *addr);
/* The symbol or function that contains addr: bounds.  -ENOENT.  Registry. */
int kp_host_bounds(uintptr_t addr, uintptr_t *start, size_t *len);
/* Its name and its owner's (module, shared object; "" for the main one). */
int kp_host_describe(uintptr_t addr, char *name, size_t name_len, char *owner,
		     size_t owner_len);

/*
 * Is this another name of the function that starts there, besides the one that
 * kp_host_describe returns?  Registry context.
 */
bool kp_host_names(uintptr_t start, const char *name);

#endif
