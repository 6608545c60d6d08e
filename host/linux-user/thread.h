/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * thread.h - what each thread has of its own.
 *
 * Owns: struct kp_user_thread and the way to the calling thread's.  There is no other
 * per-thread memory in this host.  Each member belongs to the file that is named with it.
 *
 * All of it is zero before the thread's first use, and the thread alone writes it.  The
 * linked library has it in a thread-local variable, the image in a table (thread_table.h).
 */
#ifndef KP_USER_THREAD_H
#define KP_USER_THREAD_H

#include "env.h"
#include "sys.h"
#include "watch.h"

struct kp_page;
struct kp_user_context;
struct pt_regs;

/* stack.c: stack pointers from .from to .from + .len have room for a handler. */
struct kp_user_room {
	uintptr_t from, len;		/* none before there is a context */
	struct kp_user_context *context;	/* context.c */
};

/* page_store.c: a store to protected pages. */
struct kp_page_hit {
	struct kp_page *pages[2];	/* entered */
	struct pt_regs *regs;		/* who is told of it sees */
	bool engines;			/* it is told to nobody */
	uintptr_t addr;
	unsigned int len;
	uint8_t before[KP_WATCH_STORE_MAX], after[KP_WATCH_STORE_MAX];
};

/*
 * The calling thread: the struct task_struct of <linux/sched.h>, which cannot
 * be included here because the system has a header of that name, and more.
 */
struct kp_shim_identity {
	int pid, tgid;
	char comm[16];
	void *mm;
	unsigned long serial;		/* identity.c; not 0 when tid is not */
	int tid;			/* pid, or 0: a vfork child's was last */
	uintptr_t stack;		/* identity.c; the thread's own, */
	size_t stack_len;		/* 0: not known */
	uint64_t named;			/* the processor's counter, when comm was read */
};

struct kp_user_thread {
	struct kp_user_room room;	/* first: env_asm.h */
	struct kp_shim_identity own;	/* identity.c */
	long mem;			/* writer.c: a descriptor plus 1; 0: none */
	uintptr_t follow, follow_len;	/* follow.c: a copy of an environment */
	sys_sigset before_lock;		/* pages.c: the mask before the lock */
	struct kp_page_hit swapped;	/* page_store.c: by the last store-exclusive */
	struct {
		const struct kp_page *page;
		uintptr_t ip;
		unsigned int given;
	} tried;			/* page_store.c: a fault that was tried again */
};

#ifdef KP_THREAD_TABLE
#include "thread_table.h"
#else
extern __thread struct kp_user_thread kp_user_thread_own
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

/* The calling thread's.  Any context. */
static inline __attribute__((__always_inline__)) struct kp_user_thread *
kp_user_thread(void)
{
	return &kp_user_thread_own;
}

/* The thread pointer; and what no other thread has at the same time. */
static inline uintptr_t kp_user_pointer(void)
{
	return (uintptr_t)__builtin_thread_pointer();
}

static inline uintptr_t kp_user_self(void)
{
	return kp_user_pointer();
}

/* In a forked child, whose only thread is the caller: it has its parent's memory. */
static inline void kp_user_thread_fork(void)
{
}

/* A fault of the accessor's own, which goes on without: no thread is known before. */
static inline bool kp_user_thread_fixup(uintptr_t *ip)
{
	(void)ip;
	return false;
}
#endif

/* What files above know of a thread's stacks; given at the start.  Any context. */
struct kp_user_thread_steps {
	/* Is sp on a stack of the context's that is not its room? */
	bool (*on_other_stack)(const struct kp_user_context *ctx, uintptr_t sp);
	/* Whom the thread on that stack works for; NULL: itself. */
	struct kp_user_thread *(*client)(uintptr_t sp);
};
void kp_user_thread_init(const struct kp_user_thread_steps *steps);
int kp_user_gettid(void);		/* none after fork, filtered */
int kp_user_pointer_owner(void);	/* whose thread pointer it is, or who executes, if that one is gone */

#endif
