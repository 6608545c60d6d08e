/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * context.c - one context per thread.
 *
 * Owns: the contexts and the thread-local pointer to one.  They live in chunks
 * that are never unmapped, so that the quiescence code may look at all of them
 * at any time.  A context belongs to the thread whose tid is in owner; it is
 * claimed without a lock on the thread's first hit and reclaimed when that
 * thread is dead: in slow paths, and before there is one chunk more.
 *
 * A thread of ours that has another one's thread pointer (writer.c, the one that
 * serves a client) has its context, too: it claims it for that one.
 *
 * A vfork child runs on its parent's context while the parent waits: correct,
 * since it enters and leaves in pairs.  It claims none, which would be its
 * parent's with the wrong owner: before the parent's first hit its hits are
 * missed.  A thread made by a raw clone() that
 * shares its parent's thread-local storage would share the context and run at
 * the same time: such a thread cannot call the C library either, and is not
 * supported.
 *
 * Readers: inside is written by its owner only, in one store: how often it has
 * entered and, for the outermost, where on its stack.  The enter here and the
 * membarrier in quiesce.c order it against the core's unlinking.
 *
 * A signal's handler may leave a reader for good (siglongjmp, an exception).
 * While handlers ran, ctx->site says so, and the core finds out; before and
 * after them it is found here, by the next hit whose stack shows it.
 */
#include "threads/contexts.h"
#include "atomic.h"
#include "context.h"
#include "enter.h"
#include "machine.h"
#include "signal_sets.h"
#include "thread.h"
#include "upcall.h"
#include "freestanding/heap.h"
#include "freestanding/parse.h"
#include "process/ids.h"
#include "process/thread_file.h"
#include "threads/newborn.h"
#include "threads/own_work.h"


#define CHUNK_NR 64
#define BEING_RESET (-1)	/* as an owner */

struct chunk {
	struct chunk *next;
	struct kp_user_context contexts[CHUNK_NR];
};

static struct chunk first_chunk;
static struct chunk *chunks = &first_chunk;	/* lock-free; only grows */

/* Readers whose thread could get no context. */
static long anonymous;

KP_TRAP_PATH static struct kp_user_context *claim_in(struct chunk *chunk,
						     int tid)
{
	size_t i;

	for (i = 0; i < CHUNK_NR; i++) {
		int none = 0;

		if (kp_load_relaxed(&chunk->contexts[i].owner))
			continue;
		/* Acquire: pairs with the release in reset(). */
		if (__atomic_compare_exchange_n(&chunk->contexts[i].owner,
						&none, tid, false,
						__ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED))
			return &chunk->contexts[i];
	}
	return NULL;
}

KP_TRAP_PATH static struct kp_user_context *claim_new(int tid)
{
	struct chunk *chunk = kp_user_map_away(sizeof(*chunk), PROT_READ | PROT_WRITE, 0);

	if (!chunk)
		return NULL;
	chunk->contexts[0].owner = tid;
	chunk->next = kp_load_relaxed(&chunks);
	/* Release: the chunk's contents before the pointer to it. */
	while (!__atomic_compare_exchange_n(&chunks, &chunk->next, chunk, true,
					    __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED))
		;
	return &chunk->contexts[0];
}

/* All contexts in some order; NULL starts and ends. */
KP_TRAP_PATH struct kp_user_context *
kp_user_context_next(struct kp_user_context *after)
{
	struct chunk *chunk = kp_load_acquire(&chunks);	/* pairs with claim_new */

	if (!after)
		return &chunk->contexts[0];
	for (; chunk; chunk = chunk->next) {
		if (after < chunk->contexts ||
		    after >= chunk->contexts + CHUNK_NR)
			continue;
		if (after + 1 < chunk->contexts + CHUNK_NR)
			return after + 1;
		return chunk->next ? &chunk->next->contexts[0] : NULL;
	}
	return NULL;
}

uintptr_t kp_user_own_stack(const struct kp_user_context *ctx, size_t *len)
{
	*len = KP_USER_OWN_STACK_LEN;
	return ctx->stack;
}

KP_TRAP_PATH bool kp_user_on_own_stack(const struct kp_user_context *ctx,
				       uintptr_t sp)
{
	return ctx->stack && sp - ctx->stack < KP_USER_OWN_STACK_LEN;
}

KP_TRAP_PATH bool kp_user_on_other_stack(const struct kp_user_context *ctx,
					 uintptr_t sp)
{
	return kp_user_on_own_stack(ctx, sp) ||
	       (ctx->alt_known && sp - ctx->alt_sp < ctx->alt_len) ||
	       (ctx->made_known && sp - ctx->made_at < ctx->made_len);
}

KP_TRAP_PATH void kp_user_task_forget(void)
{
	struct kp_user_context *ctx = kp_user_thread()->room.context;

	if (ctx)
		kp_store_relaxed(&ctx->stamp, 0);
}

/* What is not the library's own data, and their stacks of ours. */
void kp_user_context_each(kp_user_range_fn each, void *arg)
{
	struct kp_user_context *ctx = NULL;
	struct chunk *chunk;
	size_t len;

	for (chunk = kp_load_acquire(&chunks); chunk != &first_chunk;
	     chunk = chunk->next)
		each(arg, (uintptr_t)chunk, sizeof(*chunk));
	while ((ctx = kp_user_context_next(ctx)))
		if (kp_user_own_stack(ctx, &len))
			each(arg, kp_user_own_stack(ctx, &len), len);
}

KP_TRAP_PATH static void reset(struct kp_user_context *ctx)
{
	uintptr_t stack = ctx->stack;	/* the next owner's, too */
	unsigned int parked = ctx->core.parked;		/* ditto */

	memset(ctx, 0, offsetof(struct kp_user_context, owner));
	memset(&ctx->owner + 1, 0,
	       sizeof(*ctx) - offsetof(struct kp_user_context, owner) -
	       sizeof(ctx->owner));
	ctx->stack = stack;
	ctx->core.parked = parked;
	/* Pairs with the acquire in claim_in. */
	kp_store_release(&ctx->owner, 0);
}

/* Contexts of threads that are no more become free. */
KP_TRAP_PATH void kp_user_context_reap(void)
{
	struct kp_user_context *ctx = NULL;

	while ((ctx = kp_user_context_next(ctx))) {
		int owner = kp_load_relaxed(&ctx->owner);

		/* By one of those who come here at a time. */
		if (owner > 0 && kp_user_thread_over(owner) &&
		    kp_swap_if(&ctx->owner, &owner, BEING_RESET))
			reset(ctx);
	}
}

KP_TRAP_PATH static struct kp_user_context *claim_free(int tid)
{
	struct kp_user_context *ctx = NULL;
	struct chunk *chunk;

	for (chunk = kp_load_acquire(&chunks); chunk && !ctx;
	     chunk = chunk->next)
		ctx = claim_in(chunk, tid);
	return ctx;
}

/* By attach.c, with the thread's own tid; 0 once its thread knows. */
#define ADOPTED_MAX 4096
static int adopted[ADOPTED_MAX];
static int adopted_nr;

/*
 * Whose SIGTRAP is open although it wants it blocked, and its whole mask: while
 * masks are not watched, when it was about to be opened and when it stays open
 * from now on.  A mask of 0 is not known.
 */
static struct { int tid; sys_sigset mask; } opened[ADOPTED_MAX];
static int opened_nr;

/*
 * An earlier command was killed after it had opened this thread's SIGTRAP and
 * before we watched its mask, or after that: that it is as it was left says so.
 */
static bool left_open(int tid, sys_sigset mask)
{
	int i;

	for (i = 0; i < opened_nr; i++)
		if (opened[i].tid == tid)
			return sys_any(opened[i].mask) &&
			       !sys_any(mask ^ (opened[i].mask & ~SYS_SIG(SIGTRAP)));
	return false;
}

static void note_opened(int tid, sys_sigset mask)
{
	int i;

	for (i = 0; i < opened_nr && opened[i].tid != tid; i++)
		;
	if (i == ADOPTED_MAX)
		return;
	opened[i].tid = tid;
	opened[i].mask = mask;
	if (i == opened_nr)
		opened_nr++;
}

/* False: it has none yet, and will ask. */
static bool tell_context(int tid, bool blocked)
{
	struct kp_user_context *ctx = NULL;

	while ((ctx = kp_user_context_next(ctx)))
		if (ctx->owner == tid) {
			ctx->trap_blocked = blocked;
			return true;
		}
	return false;
}

static void adopt(int tid, sys_sigset mask)
{
	bool blocked = sys_any(mask & SYS_SIG(SIGTRAP)) || left_open(tid, mask);

	if (blocked)
		note_opened(tid, mask | SYS_SIG(SIGTRAP));
	if (tell_context(tid, blocked) || !blocked || adopted_nr == ADOPTED_MAX)
		return;
	kp_store_relaxed(&adopted[adopted_nr], tid);
	/* Release: pairs with the acquire in is_adopted. */
	kp_store_release(&adopted_nr, adopted_nr + 1);
}

/*
 * All other threads are stopped, and no mask is watched yet: what was believed
 * of them after an earlier call was cut short holds no more.  own: the mask
 * that the calling thread will have.
 */
void kp_user_adopt(const int *tids, const uint64_t *masks, int nr,
		   uint64_t own)
{
	int i;

	/* These besides: they were not held when the others were. */
	for (i = 0; i < -nr; i++)
		adopt(tids[i], sys_set_of(masks[i]));
	if (nr < 0)
		return;
	kp_store_release(&adopted_nr, 0);
	for (i = 0; i < nr; i++)
		adopt(tids[i], sys_set_of(masks[i]));
	adopt(sys_gettid(), sys_set_of(own));
}

/* What they wanted, they have. */
void kp_user_adopted_end(void)
{
	struct kp_user_context *ctx = NULL;

	kp_store_release(&adopted_nr, 0);
	opened_nr = 0;
	while ((ctx = kp_user_context_next(ctx))) {
		ctx->trap_blocked = false;
		ctx->fault_hidden = false;
		ctx->alt_known = false;
	}
}

/* Those whose SIGTRAP is open, and the masks that they want: how many. */
int kp_user_trap_opened(int *tids, sys_sigset *masks, int room)
{
	int i;

	for (i = 0; i < opened_nr && i < room; i++) {
		tids[i] = opened[i].tid;
		masks[i] = opened[i].mask;
	}
	return i;
}

KP_TRAP_PATH static bool is_adopted(int tid)
{
	int i, nr = kp_load_acquire(&adopted_nr);

	for (i = 0; i < nr; i++)
		if (kp_load_relaxed(&adopted[i]) == tid) {
			kp_store_relaxed(&adopted[i], 0);
			return true;
		}
	return false;
}

/* What the kernel has for it, and SIGTRAP; 0: not known, without /proc. */
static sys_sigset mask_with_trap(int tid)
{
	char text[4096];
	const char *at = NULL, *end;
	uint64_t first;

	if (kp_user_thread_file(tid, "status", text, sizeof(text)))
		at = strstr(text, "\nSigBlk:\t");
	if (!at)
		return sys_set_of(0);
	at += 9;
	end = strchr(at, '\n');
	/* The last digits are the first 64 signals'. */
	if (end && end - at > 16)
		at = end - 16;
	return (kp_user_parse(&at, 16, &first) ? sys_set_of(first) : sys_set_of(0)) |
	       SYS_SIG(SIGTRAP);
}

/* All threads are stopped, and their masks will not be watched. */
void kp_user_trap_unwatched(void)
{
	struct kp_user_context *ctx = NULL;
	int i;

	opened_nr = 0;
	for (i = 0; i < adopted_nr; i++)
		if (adopted[i])
			note_opened(adopted[i], mask_with_trap(adopted[i]));
	while ((ctx = kp_user_context_next(ctx)))
		if (ctx->owner > 0 && ctx->trap_blocked &&
		    !kp_user_thread_over(ctx->owner))
			note_opened(ctx->owner, mask_with_trap(ctx->owner));
}

/* A thread begins with the mask of its maker. */
KP_TRAP_PATH static bool any_fault_blocked(void)
{
	sys_sigset mask = sys_set_of(0);

	sys_sigprocmask(SIG_BLOCK, NULL, &mask);
	return sys_any(mask & KP_SIG_FAULTS);
}

/* A thread's first hit.  Apart, so that later ones find theirs at once. */
KP_TRAP_PATH static __attribute__((noinline)) struct kp_user_context *
claim(void)
{
	struct kp_user_context *ctx;
	int tid;

	if (kp_user_in_vfork_child())
		return NULL;
	tid = kp_user_pointer_owner();
	ctx = claim_free(tid);
	/* Asking for others is a system call, too. */
	if (!ctx && !kp_user_filtered()) {
		kp_user_context_reap();
		ctx = claim_free(tid);
	}
	if (!ctx)
		ctx = claim_new(tid);
	if (ctx && adopted_nr && is_adopted(tid))
		ctx->trap_blocked = true;
	if (ctx)
		ctx->faults_blocked = any_fault_blocked();
	if (ctx)
		ctx->self = kp_user_pointer();
	if (ctx && kp_user_newborn())
		kp_user_own_enter(ctx);
	kp_user_thread()->room.context = ctx;
	return ctx;
}

KP_TRAP_PATH struct kp_user_context *kp_user_context(void)
{
	struct kp_user_context *ctx = kp_user_thread()->room.context;

	return __builtin_expect(ctx != NULL, 1) ? ctx : claim();
}

/*
 * ctx->inside: what else there is, above the outermost one's stack address.  Of a longer word
 * the address has 56 bits, which are all; of a shorter one all but the lowest 4.
 */
#define IS_LONG (sizeof(long) == 8)
#define MORE_SHIFT (IS_LONG ? 56 : 28)
#define ONE_MORE (1ul << MORE_SHIFT)
#define MORE_MAX (~0ul >> MORE_SHIFT)
#define STACK (ONE_MORE - 1)
#define STACK_SHIFT (IS_LONG ? 0 : 4)
#define NEVER_LEFT STACK		/* no stack is above it */

KP_TRAP_PATH static inline unsigned long inside_at(const void *stack)
{
	return (uintptr_t)stack >> STACK_SHIFT & STACK;
}

/* No lower than it was. */
KP_TRAP_PATH static inline uintptr_t stack_of(unsigned long inside)
{
	return (inside & STACK) << STACK_SHIFT | ((1ul << STACK_SHIFT) - 1);
}

KP_TRAP_PATH static bool in_stack(const stack_t *stack, uintptr_t addr)
{
	return !(stack->ss_flags & SS_DISABLE) &&
	       addr - (uintptr_t)stack->ss_sp < stack->ss_size;
}

/*
 * Something happens at sp: is what was at frame left for good?  While a
 * signal's handler is on a stack of its own nothing is known of the other one;
 * when it is no more on that stack, it is gone from there.
 */
KP_TRAP_PATH static bool unwound(const struct kp_user_context *ctx,
				 uintptr_t frame, uintptr_t sp)
{
	stack_t alt = { .ss_sp = (void *)ctx->alt_sp, .ss_size = ctx->alt_len };
	bool gone;

	if (!ctx->alt_known && sys3(SYS_sigaltstack, NULL, &alt, 0))
		return false;
	/* From there the program's stack is reached by leaving it only. */
	if (kp_user_on_own_stack(ctx, frame))
		gone = kp_user_on_own_stack(ctx, sp) ? sp > frame
						     : !in_stack(&alt, sp);
	else if (kp_user_on_own_stack(ctx, sp))
		gone = false;
	else if (in_stack(&alt, sp) != in_stack(&alt, frame))
		gone = in_stack(&alt, frame);
	else
		gone = sp > frame;
	/* A vfork child may have another stack than its parent, who waits. */
	return gone && !kp_user_in_vfork_child();
}

KP_TRAP_PATH bool kp_host_unwound(const struct kp_context *core, uintptr_t sp)
{
	return unwound((const struct kp_user_context *)core, core->frame, sp);
}

KP_TRAP_PATH void kp_host_forget(struct kp_context *core)
{
	struct kp_user_context *ctx = (struct kp_user_context *)core;

	/* What was read, before either says so: pairs with still_inside() in quiesce.c. */
	kp_store_release(&ctx->left, ctx->left + 1);
	kp_store_release(&ctx->inside, 0);
}

/*
 * There is a reader, and no handler of a hit runs: forget it if it was left.
 * sp: above whatever the one who asks has on its stack.
 */
KP_TRAP_PATH void kp_user_look_behind(struct kp_user_context *ctx,
				      uintptr_t sp)
{
	if (ctx->core.site || !unwound(ctx, stack_of(ctx->inside), sp))
		return;
	kp_core_on_left(&ctx->core);
	kp_host_forget(&ctx->core);
}

KP_TRAP_PATH void kp_user_left_for(struct kp_user_context *ctx, uintptr_t sp)
{
	if (ctx->core.site)
		kp_core_left_for(&ctx->core, sp);
	else
		kp_user_look_behind(ctx, sp);
}

uintptr_t kp_user_reader_at(unsigned long inside)
{
	return stack_of(inside);
}

/* There is a reader: what ctx->inside is with one more; 0: it cannot count more. */
KP_TRAP_PATH static __attribute__((noinline)) unsigned long
one_more(struct kp_user_context *ctx)
{
	kp_user_look_behind(ctx, (uintptr_t)__builtin_frame_address(0));
	if (ctx->inside >> MORE_SHIFT == MORE_MAX)
		return 0;
	return ctx->inside ? ctx->inside + ONE_MORE : NEVER_LEFT;
}

/* Of a trap: what interrupts it returns to it. */
KP_TRAP_PATH struct kp_context *kp_host_enter(void)
{
	struct kp_user_context *ctx = kp_user_context();
	unsigned long inside = 0;

	if (ctx && __builtin_expect(!ctx->cramped, 1))
		inside = __builtin_expect(ctx->inside != 0, 0) ? one_more(ctx)
							       : NEVER_LEFT;
	if (__builtin_expect(!inside, 0)) {
		__atomic_fetch_add(&anonymous, 1, __ATOMIC_SEQ_CST);
		return NULL;
	}
	kp_store_relaxed(&ctx->inside, inside);
	/* The membarrier in kp_host_wait_handlers is the other half. */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return &ctx->core;
}

KP_TRAP_PATH void kp_host_leave(struct kp_context *core)
{
	struct kp_user_context *ctx = (struct kp_user_context *)core;
	unsigned long inside;

	if (!ctx) {
		__atomic_fetch_sub(&anonymous, 1, __ATOMIC_SEQ_CST);
		return;
	}
	/* None: it was forgotten meanwhile. */
	inside = ctx->inside > STACK ? ctx->inside - ONE_MORE : 0;
	if (!inside)
		kp_store_release(&ctx->left, ctx->left + 1);
	/* Release: what was read, before the mark goes. */
	kp_store_release(&ctx->inside, inside);
}

/* Which of them were blocked. */
KP_TRAP_PATH static __attribute__((noinline)) uint64_t open_faults(void)
{
	const sys_sigset faults = KP_SIG_FAULTS;
	sys_sigset mask = sys_set_of(0);

	sys_sigprocmask(SIG_UNBLOCK, &faults, &mask);
	return sys_first(mask & faults);
}

/* In saved->word[0]: there was a reader, with as many more as stand above errno. */
#define WITHIN (1ull << 63)

/*
 * What was before is put back as it was: a signal's handler may interrupt this
 * anywhere, hit probes itself, and leave them without a word.
 */
KP_TRAP_PATH static inline struct kp_context *
begin_detour(struct kp_user_context *ctx, struct kp_host_saved *saved,
	     unsigned long before)
{
	saved->word[0] = (before ? WITHIN | (uint64_t)(before >> MORE_SHIFT) << 32 : 0) |
			 (unsigned int)*kp_user_errno();
	saved->word[1] = 0;
	if (!before)
		kp_store_relaxed(&ctx->inside, inside_at(saved));
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return &ctx->core;
}

/*
 * A thread's first hit, or there is a reader, or its mask keeps a handler's
 * fault from us.
 */
KP_TRAP_PATH static __attribute__((noinline)) struct kp_context *
enter_oddly(struct kp_host_saved *saved)
{
	int error = *kp_user_errno();
	struct kp_user_context *ctx = kp_user_context();

	if (!ctx || ctx->cramped) {
		saved->word[0] = (unsigned int)error;
		saved->word[1] = 0;
		return kp_host_enter();
	}
	if (ctx->inside)
		kp_user_look_behind(ctx, (uintptr_t)(saved + 1));
	begin_detour(ctx, saved, ctx->inside);
	if (ctx->faults_blocked)
		saved->word[1] = open_faults();
	return &ctx->core;
}

KP_TRAP_PATH struct kp_context *
kp_host_enter_detour(struct kp_host_saved *saved)
{
	struct kp_user_context *ctx = kp_user_thread()->room.context;

	if (__builtin_expect(!ctx || ctx->odd || ctx->inside, 0))
		return enter_oddly(saved);
	return begin_detour(ctx, saved, 0);
}

KP_TRAP_PATH static inline void end_detour(struct kp_user_context *ctx,
					   const struct kp_host_saved *saved)
{
	unsigned long inside = 0;

	*kp_user_errno() = (int)saved->word[0];
	if (__builtin_expect(saved->word[0] & WITHIN, 0))
		inside = (ctx->inside & STACK) |
			 ((unsigned long)(saved->word[0] >> 32) & MORE_MAX) << MORE_SHIFT;
	else
		kp_store_release(&ctx->left, ctx->left + 1);
	/* Release: what was read, before the mark goes. */
	kp_store_release(&ctx->inside, inside);
}

/* Of what has no context, or another mask. */
KP_TRAP_PATH static __attribute__((noinline)) void
leave_oddly(struct kp_user_context *ctx, const struct kp_host_saved *saved)
{
	const sys_sigset faults = sys_set_of(saved->word[1]);

	if (!ctx) {
		*kp_user_errno() = (int)saved->word[0];
		kp_host_leave(NULL);
		return;
	}
	sys_sigprocmask(SIG_BLOCK, &faults, NULL);
	end_detour(ctx, saved);
}

KP_TRAP_PATH void kp_host_leave_detour(struct kp_context *core,
				       const struct kp_host_saved *saved)
{
	struct kp_user_context *ctx = (struct kp_user_context *)core;

	if (__builtin_expect(!ctx || saved->word[1], 0))
		leave_oddly(ctx, saved);
	else
		end_detour(ctx, saved);
}

/* env_asm.h's way in: there was no reader, and no mask to change. */
KP_TRAP_PATH void kp_host_direct_saved(struct kp_host_saved *saved)
{
	saved->word[0] = (unsigned int)*kp_user_errno();
	saved->word[1] = 0;
}

KP_TRAP_PATH struct kp_context *kp_host_context(void)
{
	struct kp_user_context *ctx = kp_user_thread()->room.context;

	return ctx ? &ctx->core : NULL;
}

KP_TRAP_PATH void kp_host_abandon(struct kp_context *ctx)
{
	(void)ctx;		/* nothing of the host's is on a handler's stack */
}

long kp_user_anonymous_readers(void)
{
	return __atomic_load_n(&anonymous, __ATOMIC_SEQ_CST);
}

/* In the child, whose only thread is the caller. */
void kp_user_context_fork(void)
{
	struct kp_user_context *ctx = NULL;

	while ((ctx = kp_user_context_next(ctx)))
		if (ctx != kp_user_thread()->room.context && ctx->owner)
			reset(ctx);
	kp_user_task_forget();
	if (kp_user_thread()->room.context)
		kp_user_thread()->room.context->owner = sys_gettid();
	anonymous = 0;
}
