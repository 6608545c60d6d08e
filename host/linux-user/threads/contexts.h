/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * contexts.h - one context per thread.
 *
 * Owns: struct kp_user_context; each member belongs to the file that is named with it.
 */
#ifndef KP_USER_CONTEXTS_H
#define KP_USER_CONTEXTS_H

#include "context.h"
#include "sys.h"
#include "freestanding/heap.h"

struct kp_passage;

/* What a signal saved along with the registers regs. */
struct kp_user_vectors {
	const struct pt_regs *regs;
	const void *image;		/* by fxsave or xsave, or NULL */
};
struct kp_user_context {
	struct kp_context core;		/* first: the core sees only this */
	/*
	 * Where on its stack a reader is, the outermost one, and in the highest byte
	 * how many more there are.  0: no reader.  Owner writes.
	 */
	unsigned long inside;
	unsigned long left;		/* outermost leaves; owner writes */
	/* Changes with the thread, and with what is known of its stack (task.h); 0: none. */
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
			uint8_t cramped;	/* how many say that no handler may run: stack.c, own_work.c */
		};
		uint16_t odd;
	};
	uint8_t own_work;		/* how many of them are own_work.c's; owner writes */
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
	bool harmed;			/* seccomp.c: at exit, by a filter */
	uintptr_t wait_stub;		/* of its rt_sigtimedwait for SIGTRAP */
	uintptr_t again_at;		/* trap.c: where a breakpoint was gone, */
	unsigned int again;		/* and how often on end; owner writes */
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
/* One of ours, the alternate one, or the one that the thread was made with. */
bool kp_user_on_other_stack(const struct kp_user_context *ctx, uintptr_t sp);
/* Who the thread is, or what is known of its stack, changes. */
void kp_user_task_forget(void);

/* Threads whose SIGTRAP somebody else unblocked before there was a context. */
void kp_user_adopt(const int *tids, const uint64_t *masks, int nr,
		   uint64_t own);
void kp_user_adopted_end(void);
void kp_user_trap_unwatched(void);		/* all others stopped */
int kp_user_trap_opened(int *tids, sys_sigset *masks, int room);

#endif
