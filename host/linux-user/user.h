/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * user.h - what the files of the process host offer each other.
 *
 * Owns: their internal prototypes.  Prefix kp_user_; the duties that the core
 * calls are kp_host_… in port/host.h.
 */
#ifndef KP_USER_H
#define KP_USER_H

#include "env.h"
#include "atomic.h"
#include "context.h"
#include "host.h"
#include "enter.h"
#include "upcall.h"
#include "watch.h"
#include "sys.h"
#include "thread.h"
#include "machine.h"

/* ids.c: who executes.  Any context. */
void kp_user_ids_init(void);
void kp_user_ids_fork(void);
bool kp_user_ids_forked(void);		/* in a child that was not told of; any context */
void kp_user_ids_on_fork(void (*fn)(void));	/* by fork_check, in the child */
void kp_user_fork_check(void);		/* a fork that nobody told us of?  Any slow path, no lock held */
void kp_user_ids_filter(void);		/* a filter is in force from now on */
bool kp_user_filtered(void);
int kp_user_memory_pid(void);
bool kp_user_in_vfork_child(void);
bool kp_user_thread_over(int tid);
int kp_user_gettid(void);		/* none after fork, filtered */
int kp_user_pointer_owner(void);	/* whose thread pointer it is, or who executes, if that one is gone */
/* From the thread pointer to errno; written once at start. */
extern long kp_user_errno_offset __attribute__((visibility("hidden")));
#ifdef KP_IMAGE
/* Nobody's: no thread need have one, nor a thread pointer.  The value means nothing. */
extern int kp_user_errno_none __attribute__((visibility("hidden")));
#endif
static inline int *kp_user_errno(void)
{
#ifdef KP_IMAGE
	return &kp_user_errno_none;
#else
	return (int *)(void *)((char *)__builtin_thread_pointer() +
			       kp_user_errno_offset);
#endif
}

/* clock.c */
void kp_user_clock_init(void);
void kp_user_clock_find(void);		/* a faster one; registry lock */
void kp_user_clock_alone(void);		/* a system call may kill from now on; any context */
int64_t kp_user_clock(void);		/* CLOCK_MONOTONIC; any context */

/* environment.c: a variable's value; NULL: none, or not to be trusted. */
const char *kp_user_wish(const char *name);
void kp_user_wishes_end(void);		/* those for this program alone */

/* log.c */
void kp_user_log_init(void);

/* log_ring.c: a line for the log, heard by the client that is served; any context. */
void kp_user_say(const char *line, size_t len);
uint64_t kp_user_log_head(void);
long kp_user_log_take(uint64_t ticket, char *text);
void kp_user_hear_begin(void);
const char *kp_user_hear_end(size_t *len);
void kp_user_log_listen(void (*told)(void));	/* told, on the trap path: there are lines */

/* sink.c: where else it goes. */
int kp_user_sink_init(void);
void kp_user_sink_end(void);
void kp_user_sink_fork(void);

/* heap.c */
typedef void (*kp_user_range_fn)(void *arg, uintptr_t base, size_t len);
void kp_user_heap_fork(void);
void kp_user_heap_keep(void);		/* from now on what is freed; any context */
/* Private memory, but not what is near text, where jumps reach little.  NULL: none. */
void *kp_user_map_away(size_t len, int prot, int flags);
void kp_user_heap_trim(void);			/* by whoever may call madvise */
void kp_user_heap_each(kp_user_range_fn each, void *arg);	/* nobody else is in it */
void kp_user_heap_look(kp_user_range_fn each, void *arg);	/* whoever is */

/* release.c: memory that nobody needs when the process has been left. */
size_t kp_user_inside(char *text, size_t room);	/* 0: it is too little */
void kp_user_keep_none(void);
int kp_user_keep(const char *words);		/* where somebody is */
int kp_user_release(void);
void kp_user_memory_inert(void);	/* unlocked, and no more than is in use */
void kp_user_nobody_inside(bool shown);		/* quiesce.c: believe it */

/* fd.c: a descriptor that stays open, and which file it is of; fd -1: none. */
struct kp_fd {
	long fd;
	unsigned long dev, ino;
};
void kp_user_fd_keep(struct kp_fd *kept, long fd);	/* ours from now on */
long kp_user_fd(const struct kp_fd *kept);	/* -1: it is not ours any more */
void kp_user_fd_close(struct kp_fd *kept);
long kp_user_fd_lift(long fd);	/* another number of it; or fd, as it is */

/* writer.c: threads that have the way to write text, alone. */
int kp_user_write_call(int (*fn)(void *), void *arg);	/* run by one of them */
void kp_user_write_after(void (*fn)(void));	/* by the asker, after each; on the trap path */
/* By a new one, whose table has number keep, too (-1: none). */
int kp_user_write_apart(int keep, int (*fn)(void *), void *arg);
void kp_user_drop_capabilities(void);	/* the calling thread's */
bool kp_user_has_own_files(void);	/* has the calling thread? */
long kp_user_mem(void);			/* the calling thread's; or negative */
void kp_user_mem_set(long fd);
bool kp_user_is_writer(void);
struct kp_user_thread *kp_user_writer_client(uintptr_t sp);	/* who asked it, or NULL; any context */
/*
 * fn run by one that stays, with what it has opened, when fn returns 0: in *held,
 * until it is let go.
 */
int kp_user_hold(int (*fn)(void *), void *arg, void **held);
void kp_user_let_go(void *held);
bool kp_user_is_holder(int tid);		/* any context */
void kp_user_writer_apart(bool on);
void kp_user_writer_end(void);
void kp_user_writer_fork(void);
void kp_user_writer_each(kp_user_range_fn each, void *arg);	/* their stacks */
int kp_user_leave_files(int keep);	/* a file table with that alone; -1 */

/* text.c */
int kp_user_text_poke(uintptr_t addr, const void *src, size_t len);
int kp_user_text_fill(uintptr_t addr, const void *src, size_t len,
		      bool later);		/* ours */
void kp_user_text_forget(uintptr_t start, size_t len);	/* it is unmapped */
void kp_user_text_locked(void);		/* the registry lock was just taken */
void kp_user_text_fork(void);

/* unprotect.c: where that cannot be had. */
bool kp_user_unprotect_spares(long fd);	/* what is written through fd is executed */
int kp_user_unprotect_open(uintptr_t first, uintptr_t last);
int kp_user_unprotect_poke(uintptr_t addr, const void *src, size_t len);
void kp_user_unprotect_close(void);
void kp_user_unprotect_forget(void);

/* exec.c */
bool kp_user_exec_owns(uintptr_t addr);
void kp_user_exec_locked(void);		/* the registry lock was just taken */

/* maps.c: lines of /proc/self/maps.  fn returns true to stop. */
struct kp_map {
	uintptr_t start, end;
	bool read, write, exec, shared;
	const char *name;		/* "" when anonymous; valid in fn only */
};
typedef bool (*kp_map_fn)(const struct kp_map *map, void *arg);
int kp_user_maps(kp_map_fn fn, void *arg);

/* access.S, copy.c: a copy that survives bad addresses. */
int kp_user_copy(void *dst, const void *src, size_t len);
bool kp_user_copy_fixup(uintptr_t *ip);
/* The engine's own look at code, for kp_arch_purity and the like. */
int kp_user_code_read(uint8_t *dst, uintptr_t addr, size_t len);

/* trap.c: what a signal saved along with the registers regs. */
struct kp_user_vectors {
	const struct pt_regs *regs;
	const void *image;		/* by fxsave or xsave, or NULL */
};

struct kp_page;
struct kp_passage;
/* context.c: a thread's state. */
struct kp_user_context {
	struct kp_context core;		/* first: the core sees only this */
	/*
	 * Where on its stack a reader is, the outermost one, and in the highest byte
	 * how many more there are.  0: no reader.  Owner writes.
	 */
	unsigned long inside;
	unsigned long left;		/* outermost leaves; owner writes */
	/* Of this thread and what is known of its stack (task.h); 0: none. */
	unsigned long stamp;
	int owner;			/* tid; 0 when free; atomic */
	uintptr_t self;			/* its thread pointer */
	struct kp_user_vectors trap;	/* the innermost one; owner writes */
	/* mask.c: what the program believes. */
	bool trap_blocked;		/* it blocked SIGTRAP; owner writes */
	bool trap_held;			/* a foreign one came meanwhile */
	union {
		struct {
			bool faults_blocked;	/* it may have blocked one of these */
			uint8_t cramped;	/* how many say that no handler may run: stack.c, own.c */
		};
		uint16_t odd;
	};
	uint8_t own_work;		/* how many of them are own.c's; owner writes */
	bool trap_waiter;		/* it has waited for SIGTRAP */
	bool fault_hidden;		/* it blocked SIGSEGV (pages.c); owner writes */
	uint8_t passages_nr;		/* passage.c: calls under way; owner writes */
	struct kp_passage *passages;	/* ditto; of its own memory, or NULL */
	void *stepping;			/* page_store.c: a page is open for one instruction */
	bool calls;			/* passage.c: where a call is to write is decided; owner writes */
	/* stack.c; owner writes. */
	uintptr_t stack;		/* one of ours, for ever; or 0 */
	uintptr_t alt_sp, alt_len;	/* the program's alternate one */
	bool alt_known;
	bool made_known;		/* the next two are */
	uintptr_t made_at;		/* the stack that the thread was made with, */
	size_t made_len;		/* or 0 */
	bool harmed;			/* filter.c: at exit, by a filter */
	uintptr_t wait_stub;		/* of its rt_sigtimedwait for SIGTRAP */
	uintptr_t again_at;		/* trap.c: where a breakpoint was gone, */
	unsigned int again;		/* and how often on end; owner writes */
	uintptr_t follow, follow_len;	/* follow.c: a copy of an environment */
	unsigned int next_mask;
	sys_sigset masks[16][3];	/* edited copies that system calls read */
	siginfo_t held;			/* the foreign SIGTRAP */
};
struct kp_user_context *kp_user_context(void);	/* claims; may be NULL */
struct kp_user_context *kp_user_context_next(struct kp_user_context *after);
long kp_user_anonymous_readers(void);
void kp_user_context_fork(void);
void kp_user_context_reap(void);
void kp_user_context_each(kp_user_range_fn each, void *arg);	/* their memory */
/* ctx has a reader, and something happens at sp: forget one that was left. */
void kp_user_look_behind(struct kp_user_context *ctx, uintptr_t sp);
/* The same, and of a hit whose handlers ran. */
void kp_user_left_for(struct kp_user_context *ctx, uintptr_t sp);
uintptr_t kp_user_reader_at(unsigned long inside);	/* no higher on its stack than that */
/* Its stack of ours (stack.c), or 0. */
#define KP_USER_OWN_STACK_LEN (96ul * 1024)
uintptr_t kp_user_own_stack(const struct kp_user_context *ctx, size_t *len);
bool kp_user_on_own_stack(const struct kp_user_context *ctx, uintptr_t sp);
/* Who the thread is, or what is known of its stack, changes. */
void kp_user_task_forget(void);

/* thread_stack.c */
void kp_user_thread_stack_init(void);
bool kp_user_readable(uintptr_t addr);	/* any context, no signal */
/*
 * The stack that the C library made the thread with whose thread pointer that is; false: none
 * that could be told.
 */
bool kp_user_thread_stack(uintptr_t self, uintptr_t *start, size_t *len);
size_t kp_user_first_stack(uintptr_t *top);	/* the first thread's; *top 0: not known */
bool kp_user_is_threads(uintptr_t low, uintptr_t sp);	/* the calling one's own, all of it; any context */
bool kp_user_is_threads_stack(uintptr_t sp);
/* Another thread's own stack, which sp is on; false: sp is not, or it is not known. */
bool kp_user_stack_of(uintptr_t self, uintptr_t sp, uintptr_t *start, size_t *len);

/* stack.c: room for handlers. */
struct kp_arrival {
	siginfo_t *info;
	ucontext_t *uc;
	bool executed, shown;		/* what is to be told to the program */
};
/* At once, for most: no alternate stack, and where this thread was before. */
static inline bool kp_user_room_known(const ucontext_t *uc)
{
	const struct kp_user_room *room = &kp_user_thread()->room;

	return (uc->uc_stack.ss_flags & SS_DISABLE) &&
	       (uintptr_t)uc - room->from <= room->len;
}
void kp_user_stack_init(void);
void kp_user_with_room(struct kp_arrival *arrival,
		       void (*fn)(struct kp_arrival *arrival));
uintptr_t kp_user_room_for_jump(uintptr_t sp);	/* where; 0: nowhere */
unsigned long kp_user_cramped_detour(struct pt_regs *regs, void *tag);
void kp_user_cramped_post(struct pt_regs *regs, void *tag);
bool kp_user_cramped_return(struct pt_regs *regs);
void kp_user_alt_stack(struct kp_user_context *ctx, uintptr_t sp, size_t len);
void kp_user_alt_stacks_watched(bool all);	/* of new threads: from their start */
void kp_user_call_on(uintptr_t sp, void (*fn)(void *arg), void *arg);

/* Threads whose SIGTRAP somebody else unblocked before there was a context. */
void kp_user_adopt(const int *tids, const uint64_t *masks, int nr,
		   uint64_t own);
void kp_user_adopted_end(void);
void kp_user_trap_unwatched(void);		/* all others stopped */
int kp_user_trap_opened(int *tids, sys_sigset *masks, int room);

/* defer.c */
/* The registry lock was just dropped.  must_not: may the caller not make a thread? */
void kp_user_defer_unlocked(bool (*must_not)(void));
bool kp_user_defer_fork(void);
void kp_user_defer_rest(void);		/* no thread of it is there, or soon not */
int kp_user_defer_tid(void);		/* of the thread that it has, or 0 */
void kp_user_defer_now(void);		/* no thread of ours waits for work */

/* barrier.c */
void kp_user_barrier_init(void);
void kp_user_barrier(void);		/* of memory, in all threads */

/* quiesce.c */
bool kp_user_others_held(void);		/* by a tracer */
void kp_user_tracer_seen(bool seen);	/* can it be; and it begins to hold them */
bool kp_user_traced(void);		/* by a debugger, say */
void kp_user_quiesce_end(void);		/* the process ends: nothing is waited for long */

/* lock.c: what files above do with the registry lock; given at the start. */
struct kp_user_lock_steps {
	void (*taken)(void);		/* just now */
	bool (*owner_waits)(void);	/* for the calling thread, which waits for the lock? */
	void (*dropping)(void);
	void (*dropped)(void);		/* just now */
};
void kp_user_lock_init(const struct kp_user_lock_steps *steps);
bool kp_user_trylock(enum kp_host_lock which);	/* any context */
void kp_user_unlock(enum kp_host_lock which);
bool kp_user_lock_is_mine(enum kp_host_lock which);
void kp_user_lock_fork_prepare(void);
void kp_user_lock_fork_parent(void);
void kp_user_lock_fork_child(bool told);

/* fork.c */
void kp_user_fork_init(void);

/* trap.c */
int kp_user_trap_start(void);
void kp_user_trap_renew(void);
void kp_user_trap_end(void);	/* no thread can be on its way to a handler */
/* As machine.h's KP_SIGNAL_ENTRY has the kernel call them; gather.c's, too. */
void kp_user_on_trap(int sig, siginfo_t *info, void *context);
void kp_user_on_fault(int sig, siginfo_t *info, void *context);
void kp_user_on_gather(int sig, siginfo_t *info, void *context);
#define KP_SIG_FAULTS	(SYS_SIG(SIGSEGV) | SYS_SIG(SIGBUS) | \
			 SYS_SIG(SIGFPE) | SYS_SIG(SIGILL))
#define KP_SIG_HELD	(SYS_SIG(SIGTRAP) | KP_SIG_FAULTS)
/* What a thread does to itself: blocked, it kills.  SIGSYS is a filter's. */
#define KP_SIG_OWN	(KP_SIG_HELD | SYS_SIG(SIGSYS))

/* The mask that the thread had, and will have again. */
static inline sys_sigset *kp_user_mask_of(ucontext_t *uc)
{
	return (sys_sigset *)(void *)&uc->uc_sigmask;
}

/* debugreg.c: a SIGTRAP that a debug register has made. */
#define KP_SI_PERF 6			/* TRAP_PERF */
bool kp_user_watch_own(const siginfo_t *info);		/* any context */
bool kp_user_watch_ignored(const siginfo_t *info, const ucontext_t *uc);
uintptr_t kp_user_watch_addr(const siginfo_t *info, bool *late);
void kp_user_watch_fork(void);

struct kp_intercept;
/* pages.c, page_store.c, passage.c: memory that is watched by its pages. */
enum kp_step {
	KP_STEP_NONE,			/* not ours */
	KP_STEP_DONE,			/* regs are as after the instruction */
	KP_STEP_SHOWN,			/* regs are as before; or the program wants a step */
};
enum kp_step kp_user_page_fault(const siginfo_t *info, ucontext_t *uc,
				struct pt_regs *regs,
				const struct kp_arch_vectors *vectors);
bool kp_user_page_step_over(uintptr_t ip);	/* and its trap not told of? */
enum kp_step kp_user_page_stepped(ucontext_t *uc, struct pt_regs *regs);
bool kp_user_page_trapped(ucontext_t *uc, struct pt_regs *regs);	/* a step's end? */
void kp_user_page_step_faulted(ucontext_t *uc);
/* Where threads execute one instruction of theirs, until its trap. */
void kp_user_page_steps(kp_user_range_fn each, void *arg);
void kp_user_passage(const struct kp_intercept *intercept, ucontext_t *uc);
bool kp_user_passages_left(void);
bool kp_user_passed(ucontext_t *uc, struct pt_regs *regs);
bool kp_user_passage_ends(uintptr_t addr);	/* is a call back at that breakpoint? */
void kp_user_pages_know_thread(void);	/* the calling one */
void kp_user_pages_end(void);		/* masks are not watched any more */
bool kp_user_pages_arrived(const siginfo_t *info, const ucontext_t *uc);

/* action.c: what the program installed for the signals that we hold. */
void kp_user_action_init(int sig, const struct sys_sigaction *act);
void kp_user_action_swap(int sig, const struct sys_sigaction *act,
			 struct sys_sigaction *old);
void kp_user_chain(int sig, siginfo_t *info, ucontext_t *uc);
void kp_user_send_self(int sig, siginfo_t *info);
bool kp_user_take_held(siginfo_t *out);	/* a SIGTRAP for any thread */

/* The kernel's record of sig is ours no more, if handler is. */
void kp_user_action_restore(int sig, const void *handler);

/*
 * threads.c: every thread but the caller's, and every name in a directory.  fn returns
 * true to stop.  1: it has; 0; or -errno.  Any context.
 */
int kp_user_each_thread(bool (*fn)(int tid, void *arg), void *arg);
int kp_user_each_entry(const char *dir, bool (*fn)(const char *name, void *arg),
		       void *arg);
/* thread_file.c: what the kernel says of a thread, no heap; false: nothing, or no /proc. */
bool kp_user_thread_file(int tid, const char *name, char *text, size_t room);

/*
 * own_work.c: the calling thread is at work for the engine.  begin returns what end takes.
 * A module's function interrupts that: pause returns what resume takes.
 */
struct kp_user_context *kp_user_own_begin(void);
void kp_user_own_end(struct kp_user_context *ctx);
void kp_user_own_has_begun(void);		/* a thread of ours, to its end */
unsigned int kp_user_own_pause(void);
void kp_user_own_resume(unsigned int nr);
/* A thread that is; who is made is kept in it.  0 or -errno. */
int kp_user_own_thread(size_t stack_len, void (*fn)(void));
static inline void kp_user_own_enter(struct kp_user_context *ctx)	/* any context */
{
	ctx->cramped++;
	ctx->own_work++;
}

/* newborn.c: is the calling thread, which has no context yet, one of ours?  Any context. */
bool kp_user_newborn(void);
int kp_user_newborn_make(size_t stack_len, void (*fn)(void));
void kp_user_newborn_begun(void);
void kp_user_newborn_fork(void);

/* gather.c: bring all other threads to a known place meanwhile. */
int kp_user_gather(int (*fn)(void));
bool kp_user_alone(void);			/* no other thread; not in a handler */

/* init.c.  In parts, for attach.c: all but the host's breakpoints; and back. */
int kp_user_prepare(sys_sigset mask);
int kp_user_clear(void);
int kp_user_disarm(void);
void kp_user_finish(void);
void kp_user_end(void);

/* surface.c: what the command finds here. */
struct kp_mailbox;
struct kp_mailbox *kp_user_mailbox(void);	/* the command is attaching */
void kp_user_surface_running(void);		/* started without the command */
void kp_user_surface_fork(void);

/* attach.c: from now on it may call us. */
void kp_user_attach_loaded(void);

/* control.c: the endpoint and its thread. */
int kp_user_control_start(struct kp_mailbox *mailbox);

/* intercept.c: the few breakpoints of the host itself. */
enum kp_intercept_kind {
	KP_INTERCEPT_SYSCALL, KP_INTERCEPT_LINKER, KP_INTERCEPT_JUMP,
	KP_INTERCEPT_BACK,		/* of ours, in the place of a jump that does not reach */
};
struct kp_intercept {
	uintptr_t addr;			/* stored last */
	uint8_t original[KP_ARCH_BP_LEN];
	uint8_t kind;
	bool second;			/* of the processor's second instruction set */
	uint8_t len;			/* of a jump: how much is reserved */
	uint8_t bytes[KP_INTERCEPT_JUMP_LEN];	/* of a jump: what was there */
	uintptr_t stub;			/* runs the call, or is where to go on; or 0 */
};
const struct kp_intercept *kp_user_intercept_find(uintptr_t addr);	/* any context */
void kp_user_intercept_undo(uint8_t *bytes, uintptr_t addr, size_t len);
int kp_user_intercept_add(const struct kp_intercept *intercept);
int kp_user_intercept_arm(void);
int kp_user_intercept_start(void);			/* arm from now on */
void kp_user_intercept_forget(uintptr_t start, size_t len);
int kp_user_intercept_stop(void);
bool kp_user_intercept_started(void);
bool kp_user_intercept_overlaps(uintptr_t addr, size_t len);

/* syscalls.c, mask.c: system calls that could block SIGTRAP, or that matter otherwise. */
#define KP_CALLS_HELD 22
extern const uint16_t kp_user_calls_held[KP_CALLS_HELD];
struct kp_object;
void kp_user_calls_scan(struct kp_object *object, uintptr_t start,
			size_t len);
/* calls.c */
bool kp_user_calls_all_wanted(void);
enum kp_calls_miss { KP_CALLS_NO_STUB, KP_CALLS_NO_ROOM, KP_CALLS_NO_CODE };
void kp_user_calls_miss(enum kp_calls_miss why);	/* one that should be watched */
/* All are wanted, and none is missed yet: what was missed before.  The end of that. */
const char *kp_user_calls_begin_all(void);
void kp_user_calls_end_all(const char *before, bool all);
int kp_user_calls_all(const char **reason);	/* calls_all.c: from now on each that may write */
void kp_user_calls_settle(void);	/* no lock held */
const char *kp_user_calls_missed(void);	/* why not all are watched; or NULL */
/* A handler that the program installs returns by way of us; and as it set that. */
void kp_user_lead_return(struct sys_sigaction *act);
void kp_user_hide_return(struct sys_sigaction *act);
void kp_user_mask_trap(const struct kp_intercept *intercept, ucontext_t *uc);
/* mask_wanted.c.  The program changes its mask, which uc returns to: 0 or -errno. */
long kp_user_mask_change(struct kp_user_context *ctx, ucontext_t *uc, long how,
			 sys_sigset set);
void kp_user_mask_returned(ucontext_t *uc);	/* from a handler of the program */
/* Pages are protected (pages.c), or were since the engine began: SIGSEGV stays open, too. */
extern bool kp_user_pages_on;

void kp_user_mask_start(sys_sigset mask);	/* the calling thread's */
void kp_user_mask_end(void);

/* filter.c: seccomp filters that the program installs. */
void kp_user_filter_note(const ucontext_t *uc);
bool kp_user_filter_harms_exit(void);
void kp_user_know_stack(void);		/* stack.c: while the kernel may be asked */

/* follow.c: the environment that a program which is executed gets. */
char **kp_user_follow(struct kp_user_context *ctx, const char *path, char **env);
void kp_user_follow_not(const char *path);	/* by a call that cannot be followed */
void kp_user_follow_again(const char *spec);	/* load -- COMMAND: with the same module */
void kp_user_follow_failed(void);		/* the program is still this one */

/* inherit.c: execve, and what a child of vfork sets for one. */
long kp_user_exec(ucontext_t *uc);
void kp_user_child_action(int sig, const struct sys_sigaction *act);

/* objects.c: the loaded objects. */
#define KP_SEGMENTS_MAX 16
struct kp_symbol {
	uintptr_t addr;
	size_t len;			/* never 0 once indexed */
	const char *name;
	uint8_t type;			/* ELF STT_* */
	bool second;			/* code of the processor's second instruction set */
	uint8_t rank;			/* the smaller, the better the name */
};
struct kp_object {
	struct kp_object *next;		/* load order */
	const char *path, *module;	/* module: "" for the main program */
	char *file;			/* the file's name, if it is another; ours */
	bool file_known;
	uintptr_t bias, start, end;	/* what its segments span */
	struct kp_segment {
		uintptr_t start, end;
		bool exec, write;
	} segments[KP_SEGMENTS_MAX];
	int segments_nr;
	uintptr_t phdr;			/* with bias: who it is */
	unsigned int phdr_nr;
	uintptr_t dynamic;		/* or 0 */
	uintptr_t eh_hdr;		/* .eh_frame_hdr, or 0 */
	uint8_t runtime;		/* runtime.c's; 0: not known yet */
#define KP_RUNTIME_GO 1
	uint8_t callers;		/* callers.c's; 0: not known yet */
#define KP_ASKED_MAX 16
	unsigned int asked_nr;		/* ditto; it may be more */
	uintptr_t asked[KP_ASKED_MAX];
	bool main, vdso, seen;
	bool settled;			/* noprobe.c has read it */
	bool fresh;			/* not scanned yet */
	bool other;			/* of a namespace that dlmopen() has made */
	bool told;			/* the listener knows it, or came later */
	bool frames_known;		/* backtrace.c has looked at it */
	uintptr_t handlers, handlers_end;	/* declared: kp_process_handlers */
	/* elf.c, built when first needed. */
	bool indexed;
	struct kp_symbol *symbols;	/* by address */
	size_t symbols_nr;
	uint32_t *names;		/* elf.c's; when one was asked for */
	char *strings;			/* of .symtab; ours */
};
struct kp_object *kp_user_object_first(void);
struct kp_object *kp_user_object_at(uintptr_t addr);
const struct kp_segment *kp_user_segment_at(const struct kp_object *object,
					    uintptr_t addr);
void kp_user_object_add(struct kp_object *object);	/* the last one */
/* One that was not seen, from the list; NULL: there is none, and now all are unseen. */
struct kp_object *kp_user_object_take_unseen(void);
const char *kp_user_exe(void);		/* the program's file */

/* dso.c: what is on that list. */
struct kp_user_dso_steps {		/* what files above do with it */
	/* Code of an object that is new, or wanted again.  Registry lock. */
	void (*code)(struct kp_object *object, uintptr_t start, size_t len);
	/* No lock is held.  An object is new; one was there, and the core has forgotten it. */
	void (*came)(struct kp_object *object);
	void (*gone)(uintptr_t start, size_t len);
	void (*settled)(void);		/* after some of these, or none */
};
void kp_user_dso_init(const struct kp_user_dso_steps *steps);
void kp_user_dso_watched(void);
void kp_user_dso_changed(uintptr_t gone, size_t len);	/* len: of what is to be unmapped */
void kp_user_dso_scan_again(void);
bool kp_user_dso_any(bool (*is)(uintptr_t start, size_t len));	/* text of the program's */
void kp_user_dso_look(void);		/* registry lock */
void kp_user_dso_locked(void);
bool kp_user_dso_waits_for_us(void);
void kp_user_dso_fork(bool told);
bool kp_user_dso_calls_back(void);	/* the program's callback */
void kp_user_dso_drop_symbols(void);
void kp_user_dso_trap(ucontext_t *uc);
bool kp_user_object_files(void);	/* true: it knows more files than before */

/* engine.c: the engine's own code, object may be NULL; and is it all of the object? */
bool kp_user_in_engine(const struct kp_object *object, uintptr_t addr);
void kp_user_engine_bounds(uintptr_t *start, uintptr_t *len);
bool kp_user_is_engine(const struct kp_object *object);
/* Why it did not start; NULL when it did. */
const char *kp_user_not_started(void);
void kp_user_start_failed(const char *why);

/* runtime_marks.c: an object, and a section of its file, are there. */
void kp_user_runtime_loaded(const struct kp_object *object);
void kp_user_runtime_section(struct kp_object *object, const char *name);

/* runtime.c: what must not be done to an object's code; NULL, false: nothing. */
bool kp_user_runtime_small_stacks(struct kp_object *object);
const char *kp_user_runtime_returns(struct kp_object *object);
const char *kp_user_runtime_jprobes(struct kp_object *object);

/* backtrace.c: objects have come, or one has gone. */
void kp_user_frames_loaded(void);
void kp_user_frames_gone(uintptr_t start, size_t len);

/* An address that a dynamic section holds: some loaders relocate it, some do not. */
static inline const void *kp_user_elf_dynamic(const struct kp_object *object,
					      uintptr_t value)
{
	return (const void *)(value < object->start ? value + object->bias
						    : value);
}

/* elf.c */
void kp_user_elf_index(struct kp_object *object);
bool kp_user_elf_same_file(const struct kp_object *object, long fd);
void kp_user_elf_drop(struct kp_object *object);
struct kp_symbol *kp_user_elf_named(struct kp_object *object, const char *name);
/* Where an object's function of that name is; 0: it has none.  Not of the vdso. */
uintptr_t kp_user_elf_function(struct kp_object *object, const char *name);
/* How many of its functions have that name, with equal right; it was found by name. */
unsigned int kp_user_elf_alike(struct kp_object *object, const struct kp_symbol *of);
bool kp_user_elf_called(struct kp_object *object, uintptr_t addr,
			const char *name);
struct kp_symbol *kp_user_elf_indirect(struct kp_object *object, uintptr_t addr);
uintptr_t kp_user_elf_exported(const struct kp_object *object,
			       const char *name);
struct kp_symbol *kp_user_elf_at(struct kp_object *object, uintptr_t addr);
/* The last mark of what stands there in [from, addr], as $a; or NULL. */
const char *kp_user_elf_mark(struct kp_object *object, uintptr_t from, uintptr_t addr);

/* noprobe.c: each section that is loaded, as the object's file has it. */
struct kp_section {
	const char *name;
	uintptr_t start, len;
	bool exec;
};
typedef void (*kp_section_fn)(struct kp_object *object, const struct kp_section *section);
void kp_user_sections_each(struct kp_object *object, kp_section_fn each);
/* Blacklist what an object marks; no lock held. */
void kp_user_sections_read(struct kp_object *object);
/* A module's handlers are there.  Registry lock; 0 or -EINVAL. */
int kp_user_handlers_declare(uintptr_t begin, uintptr_t end);

/* eh_frame.c: function bounds from .eh_frame, for stripped code. */
bool kp_user_unwind_bounds(const struct kp_object *object, uintptr_t addr,
			   uintptr_t *start, size_t *len);
bool kp_user_unwind_is_called(const struct kp_object *object, uintptr_t addr);

#endif
