/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ptracer.h - stopping threads of another process and running calls in one.
 *
 * Owns: the prototypes of rest.c, stop.c, filtered.c, ptracer.c, choose.c and inject.c.
 *
 * A thread is taken at a system call, when it has not begun yet, and one that
 * neither an allocator nor the dynamic linker makes: so it holds none of their
 * locks.  Before its registers change, what it needs to go on by itself lies
 * on its stack as a signal frame, and every injected call returns into the
 * program's own sigreturn: if this command is killed at any moment, the thread
 * finishes the call and goes on where it was.
 */
#ifndef KP_CLI_PTRACER_H
#define KP_CLI_PTRACER_H

#include "remote.h"
#include "tracee.h"

/* A thread that is asleep in a system call. */
struct rest {
	long call;
	unsigned long args[6], sp, pc;
	struct remote_look look;	/* a moment later */
};

struct thread {
	pid_t tid;
	bool stopped;			/* and traced */
	bool watched;			/* traced, and asleep when it was looked at */
	struct rest rest;		/* where, if it is watched */
	bool filtered;			/* and has a seccomp filter */
	bool child_open;		/* whoever it has made has SIGTRAP open */
	bool told;			/* the library knows its mask */
	bool resuming;			/* let go in the middle of a call */
	bool at_call;			/* before a system call */
	bool in_call;			/* in it: interrupted, not begun anew */
	bool at_entry;			/* stopped there, its registers as they were */
	int signal;			/* to be delivered when it goes on */
	long call;			/* its number, restarts looked through */
	long anew;			/* the call that is to be made for restart_syscall; or 0 */
	struct tracee_regs regs;	/* with which it goes on, once put */
	uint64_t mask;			/* of signals */
	uint64_t mask_rest;		/* from the 65th on, where there are some */
	void *vectors;			/* as the kernel gives them */
	size_t vectors_len;
	int vectors_set;		/* which it gives: NT_… */
};

/* ---- rest.c ------------------------------------------------------------------- */

/* Is it asleep in a call?  It is not touched. */
bool thread_rest(pid_t pid, pid_t tid, struct rest *rest);
/* The same of one that is watched, at less cost; its look is not told. */
bool thread_rests_still(pid_t pid, const struct thread *thread, struct rest *now);
bool rest_is_same(const struct rest *a, const struct rest *b);
bool rest_is_vfork(const struct rest *rest);
/* Will its mask be another than /proc says once the call is over? */
bool rest_hides_mask(const struct remote *remote, const struct rest *rest);
bool rest_on_socket(pid_t pid, unsigned long fd);	/* a thread's, too */
/* Does a stop leave no trace in what the call does? */
bool rest_restarts(const struct remote *remote, const struct rest *rest);
/* One that neither an allocator nor the linker makes? */
bool rest_call_changes_thread(long call);
bool rest_call_is_safe(pid_t pid, long call, unsigned long first,
		       unsigned long second);

/* ---- stop.c ------------------------------------------------------------------- */

/* Begin to trace one thread; it is not disturbed.  0 or an errno. */
int thread_watch(struct thread *thread, pid_t tid);
/*
 * It is stopped where it has made a child that is no thread of its process, as that was
 * traced: the child, which waits; or 0.
 */
pid_t thread_made(const struct thread *thread);
/* Stop one that is traced; begin to trace and stop one: 0 or an errno. */
int thread_interrupt(struct thread *thread);
int thread_stop(struct thread *thread, pid_t tid);
/* It is stopped; has it just met a breakpoint, it is at that signal now. */
int thread_arrive(struct thread *thread);
/*
 * Undo a hit that its handler has not seen, of a breakpoint that still stands, or
 * not any more.  False: it waits with no such signal.
 */
bool thread_take_back(const struct remote *remote, struct thread *thread,
		      bool stands);
bool thread_at_entry(pid_t tid);	/* of a system call; it is stopped */
bool thread_is_event(int status);	/* no signal is to be delivered */
long thread_now_ms(void);
int thread_waits(const struct thread *thread);	/* with a signal: which, or 0 */
int thread_wait(pid_t tid, int *status, int ms);	/* 0, ETIMEDOUT, … */
int thread_read(struct thread *thread);	/* registers and mask: 0 or an errno */
int thread_set_mask(const struct thread *thread, uint64_t mask, uint64_t rest);	/* the same */
/* Its call, at whose entry it is.  Only in ptracer_run. */
void thread_go_on(struct thread *thread);
/* Let it go on untraced; the latter waits until a call is taken up again. */
void thread_let_go(struct thread *thread);
void thread_release(struct thread *thread);

/* ---- filtered.c ---------------------------------------------------------------- */

/* Of seccomp: 0 none, 1 strict, 2 filters; -1: there is no such thread, or no seccomp. */
long filtered_mode(pid_t pid, pid_t tid);
/* Does the kernel let this command read filters, whose thread is stopped? */
bool filtered_readable(void);
/*
 * The thread is stopped: has one of its filters a verdict on that call that is wrong?
 * In doubt, yes.
 */
bool filtered_any(pid_t tid, long call, bool (*wrong)(uint32_t verdict));
/* Each that has been stopped; one that is traced and waits with a signal. */
void filtered_stopped(struct thread *thread);
void filtered_woken(pid_t tid);

/* ---- ptracer.c ------------------------------------------------------------------ */

/* Runs fn in a thread of ours whose end lets go of what is only watched. */
int ptracer_run(int (*fn)(void *arg), void *arg);
int ptracer_seize(pid_t tid, long options);	/* 0 or an errno */
pid_t ptracer_self(void);		/* as TracerPid says it */
/*
 * From begin to end, in ptracer_run, signals that end this command wait: threads
 * have SIGTRAP open that want it blocked, and no breakpoint of the library's stands
 * for that.  SIGKILL does not wait.
 */
void ptracer_critical(bool begins);

/* ---- choose.c ------------------------------------------------------------------ */

/*
 * Stop one thread of the process where calls can be injected.  0 or an errno;
 * *why says what is in the way.
 */
int thread_take(struct thread *thread, const struct remote *remote,
		pid_t except, const char **why);

/* ---- inject.c ------------------------------------------------------------------ */

/* Below the thread pointer and above it: what the C library has there. */
#define INJECT_TLS 8192

struct injection {
	struct remote *remote;
	struct thread thread;
	uint64_t frame;			/* on the thread's own stack */
	uint64_t mask;			/* with which it goes on, by itself too */
	uint64_t restorer;
	uint64_t made;			/* the same, where it is ours; or 0 */
	bool calls_only;		/* no function is called in it */
	uint64_t way;			/* by which it goes back, then; 0: by the frame */
	uint64_t after;			/* where it goes on behind the next call; 0: there */
	uint64_t mailbox;		/* its first page; 0: none yet */
	bool began;			/* the thread's registers are changed */
	bool signalled;			/* a handler ran in it */
	bool calling;			/* in a call that may take a lock */
	bool open;			/* for the next signal of setuid() */
	long limit;			/* when a call is late, in ms; 0: never */
	bool lost;			/* in a call that cannot be taken back */
	pid_t holder;			/* who held what a call waited for */
	uint8_t tls[INJECT_TLS];	/* before the call: the thread's own data */
	uint64_t tls_from;
	size_t tls_len;
	pid_t engine;			/* a thread at the image's entry (engine.c); 0: none */
	uint32_t asked;			/* of it, so often */
};

/* Map the mailbox into the process.  A status, printed. */
int inject_begin(struct injection *in);
/*
 * fn(a, b) on the mailbox's stack.  A status, printed; but CLI_FAILED without
 * words, and holder, when it waited for the dynamic linker's lock until limit
 * and was taken back.
 */
int inject_call(struct injection *in, uint64_t fn, uint64_t a, uint64_t b,
		uint64_t *result);
/* Where the thread goes on by itself. */
uint64_t inject_way_back(const struct injection *in);
/*
 * One system call, of which nothing is restarted: 0 and its result, or an errno.
 */
int inject_system_call(struct injection *in, long number, const uint64_t args[6], long *result);
/*
 * From now on the thread goes on with this mask, also where this command is
 * killed.  0 or an errno.
 */
int inject_mask(struct injection *in, uint64_t mask);
/* Take the mailbox away; the thread goes on where it was.  Only in ptracer_run. */
void inject_end(struct injection *in);

#endif
