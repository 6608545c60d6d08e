/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * stack.c - room for handlers.
 *
 * Owns: the question whether the stack that a hit finds has room for a handler
 * and for a signal that comes on top of it, and each thread's stack of ours for
 * where it has not.  Nothing of a stack is written before it is known.
 *
 *   the thread's own stack, small         handlers run on ours
 *   the program's alternate stack, small,
 *     on which nothing of the program's
 *     is: the trap's frame alone          the same; what is on it is put aside
 *                                         meanwhile, since the kernel will put a
 *                                         further signal's frame over it
 *     in a handler of the program         none run: the next frame would overwrite
 *                                         that handler's; the hit is missed
 *
 * Only a thread's own stack (thread_stack.c) is trusted to have what lies below the stack
 * pointer.  Any other may be a coroutine's, with objects of the heap right below it: handlers
 * run on ours.
 *
 * What is known of a thread's stack is kept (struct kp_user_room): a stretch of it that could be
 * read without a gap, so no guard page is in it.  Where alternate stacks are is known from
 * the frames of signals, and from the calls that set them (mask.c).
 *
 * Trap path: no lock, no heap, no C library.
 */
#include "threads/stack.h"
#include "face.h"
#include "machine.h"
#include "thread.h"
#include "upcall.h"
#include "freestanding/copy.h"
#include "freestanding/heap.h"
#include "threads/contexts.h"
#include "threads/thread_stack.h"

#include <sys/auxv.h>

#define PAGE 4096ul
#define HANDLER_ROOM 8192ul		/* of a handler, and of ours below it */
#define CRAMPED_ROOM 1536ul		/* of a hit without handlers */
#define FRAME_MAX 16384ul		/* of one signal, whatever it holds */
#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

static unsigned long need = HANDLER_ROOM + FRAME_MAX;	/* written once at start */

static void know_first_stack(void)
{
	uintptr_t sp = (uintptr_t)__builtin_frame_address(0), top;
	struct kp_user_room *room;
	size_t limit = kp_user_first_stack(&top);

	/* Elsewhere, as when the command attaches. */
	if (!top || sp >= top || top - sp > limit)
		return;
	if (limit < 2 * need || top - sp > limit - need)
		return;
	/* Whoever finds room finds a context. */
	if (!kp_user_context())
		return;
	room = &kp_user_thread()->room;
	room->from = top - limit + need + 16 * PAGE;
	room->len = top - room->from;
}

void kp_user_stack_init(void)
{
	unsigned long frame = kp_face_auxv(AT_MINSIGSTKSZ);

	/* An old kernel does not say. */
	if (!frame)
		frame = kp_signal_frame();
	if (frame && frame < FRAME_MAX)
		need = HANDLER_ROOM + frame;
	kp_user_thread_stack_init();
	know_first_stack();
}

/* ---- the program's alternate stack ------------------------------------------- */

KP_TRAP_PATH void kp_user_alt_stack(struct kp_user_context *ctx, uintptr_t sp,
				    size_t len)
{
	ctx->alt_sp = sp;
	ctx->alt_len = len;
	ctx->alt_known = true;
}

static bool watched;			/* from each thread's beginning on */

void kp_user_alt_stacks_watched(bool all)
{
	struct kp_user_context *ctx = kp_user_context();
	stack_t alt;

	watched = false;
	if (ctx && all && !ctx->alt_known &&
	    !sys3(SYS_sigaltstack, NULL, &alt, 0))
		kp_user_alt_stack(ctx, (uintptr_t)alt.ss_sp,
				  alt.ss_flags & SS_DISABLE ? 0 : alt.ss_size);
	watched = all;
}

/* Asks the kernel where a thread may have set one when nobody watched. */
KP_TRAP_PATH static void learn_alt(struct kp_user_context *ctx)
{
	stack_t alt = { .ss_flags = SS_DISABLE };

	if (ctx->alt_known ||
	    (!watched && sys3(SYS_sigaltstack, NULL, &alt, 0)))
		return;
	kp_user_alt_stack(ctx, (uintptr_t)alt.ss_sp,
			  alt.ss_flags & SS_DISABLE ? 0 : alt.ss_size);
}

KP_TRAP_PATH static bool on_alt(const struct kp_user_context *ctx, uintptr_t sp)
{
	return sp - ctx->alt_sp < ctx->alt_len;
}

KP_TRAP_PATH void kp_user_know_stack(void)
{
	struct kp_user_context *ctx = kp_user_context();

	if (ctx)
		learn_alt(ctx);
}

/* ---- the thread's stack -------------------------------------------------------- */

KP_TRAP_PATH static bool all_readable(uintptr_t from, uintptr_t to)
{
	for (; from < to; from = (from & ~(PAGE - 1)) + PAGE)
		if (!kp_user_readable(from))
			return false;
	return true;
}

/* Is there room below sp, of no alternate stack?  Then that is kept. */
KP_TRAP_PATH static bool has_room(uintptr_t sp)
{
	struct kp_user_room *room = &kp_user_thread()->room;
	uintptr_t low = sp - need, known_low = room->from - need;
	uintptr_t known_high = room->from + room->len;

	if (room->from && sp - room->from <= room->len)
		return true;
	if (!kp_user_is_threads(low, sp))
		return false;
	/* Before it changes. */
	kp_user_task_forget();
	if (room->from && low <= known_high && sp > known_high &&
	    all_readable(known_high, sp)) {
		room->len = sp - room->from;
		return true;
	}
	if (room->from && sp >= known_low && low < known_low &&
	    all_readable(low, known_low)) {
		room->len += room->from - sp;
		room->from = sp;
		return true;
	}
	if (!all_readable(low, sp))
		return false;
	room->len = 0;
	room->from = sp;
	return true;
}

/* ---- ours ------------------------------------------------------------------------ */

KP_TRAP_PATH static bool have_own(struct kp_user_context *ctx)
{
	char *mem;

	if (ctx->stack)
		return true;
	/* With a page that stays without any right, below. */
	mem = kp_user_map_away(KP_USER_OWN_STACK_LEN + PAGE, PROT_NONE, MAP_NORESERVE);
	if (!mem)
		return false;
	if (sys3(SYS_mprotect, mem + PAGE, KP_USER_OWN_STACK_LEN, PROT_READ | PROT_WRITE))
		return false;
	ctx->stack = (uintptr_t)mem + PAGE;
	return true;
}

/* Where on ours to begin: below what is there when it is in use at sp. */
KP_TRAP_PATH static uintptr_t own_top(const struct kp_user_context *ctx,
				      uintptr_t sp)
{
	if (kp_user_on_own_stack(ctx, sp))
		return (sp - 256) & ~63ul;
	return ctx->stack + KP_USER_OWN_STACK_LEN;
}

/*
 * A hit through a jump that has come to where sp is not known to have room:
 * where its handlers run, or 0: nowhere.
 */
KP_TRAP_PATH uintptr_t kp_user_room_for_jump(uintptr_t sp)
{
	struct kp_user_context *ctx = kp_user_context();

	if (!ctx)
		return sp;		/* counted as missed */
	learn_alt(ctx);
	if (on_alt(ctx, sp))
		return sp - ctx->alt_sp >= need ? sp : 0;
	if (kp_user_on_own_stack(ctx, sp))
		return sp - ctx->stack >= need ? sp : 0;
	if (has_room(sp))
		return sp;
	return have_own(ctx) ? own_top(ctx, sp) : 0;
}

/* The upcalls where room is nowhere: the hit is missed (env_asm.h). */
KP_TRAP_PATH unsigned long kp_user_cramped_detour(struct pt_regs *regs,
						  void *tag)
{
	struct kp_user_context *ctx = kp_user_context();
	unsigned long result;

	ctx->cramped++;
	result = kp_core_on_detour(regs, tag, NULL);
	ctx->cramped--;
	return result;
}

KP_TRAP_PATH void kp_user_cramped_post(struct pt_regs *regs, void *tag)
{
	struct kp_user_context *ctx = kp_user_context();

	ctx->cramped++;
	kp_core_on_post(regs, tag, NULL);
	ctx->cramped--;
}

KP_TRAP_PATH bool kp_user_cramped_return(struct pt_regs *regs)
{
	struct kp_user_context *ctx = kp_user_context();
	bool called;

	ctx->cramped++;
	called = kp_core_on_return(regs);
	ctx->cramped--;
	return called;
}

/* ---- a signal -------------------------------------------------------------------- */

struct aside {
	struct kp_arrival arrival;	/* as fn sees it */
	struct kp_arrival *real;
	void (*fn)(struct kp_arrival *arrival);
	uintptr_t from, len;		/* of what is put aside, or 0 */
	char copy[];
};

KP_TRAP_PATH static void *moved(struct aside *a, const void *at)
{
	return a->copy + ((uintptr_t)at - a->from);
}

/* On our stack.  What fn leaves in the copies is what the signal returns with. */
KP_TRAP_PATH static void run_aside(void *arg)
{
	struct aside *a = arg;
	ucontext_t *uc = a->real->uc;
	const void *image = kp_uc_image(uc);

	a->arrival = *a->real;
	if (a->len) {
		memcpy(a->copy, (const void *)a->from, a->len);
		a->arrival.uc = moved(a, uc);
		a->arrival.info = moved(a, a->real->info);
		if ((uintptr_t)image - a->from < a->len)
			kp_uc_set_image(a->arrival.uc, moved(a, image));
	}
	a->fn(&a->arrival);
	if (a->len) {
		kp_uc_set_image(a->arrival.uc, image);
		memcpy((void *)a->from, a->copy, a->len);
	}
	a->real->shown = a->arrival.shown;
	a->real->executed = a->arrival.executed;
}

KP_TRAP_PATH static __attribute__((noinline)) void
run_own(struct kp_user_context *ctx, uintptr_t top, struct kp_arrival *arrival,
	void (*fn)(struct kp_arrival *arrival), uintptr_t aside_len)
{
	uintptr_t from = (uintptr_t)__builtin_frame_address(0) - 512;
	struct aside *a;

	/* From below this function's frame to the alternate stack's end. */
	if (aside_len) {
		from &= ~15ul;
		if (from < ctx->alt_sp)
			from = ctx->alt_sp;
		aside_len = ctx->alt_sp + ctx->alt_len - from;
	}
	a = (struct aside *)((top - sizeof(*a) - aside_len) & ~63ul);
	a->real = arrival;
	a->fn = fn;
	a->from = from;
	a->len = aside_len;
	kp_user_call_on((uintptr_t)a, run_aside, a);
}

KP_TRAP_PATH static void run_cramped(struct kp_user_context *ctx,
				     struct kp_arrival *arrival,
				     void (*fn)(struct kp_arrival *arrival),
				     uintptr_t room)
{
	ctx->cramped++;
	if (room < CRAMPED_ROOM && have_own(ctx) &&
	    !kp_user_on_own_stack(ctx, (uintptr_t)arrival))
		run_own(ctx, ctx->stack + KP_USER_OWN_STACK_LEN, arrival, fn, 0);
	else
		fn(arrival);
	ctx->cramped--;
}

/*
 * fn where there is room whatever lies below: a child of vfork may be on a few pages within its
 * parent's frame, which look like the rest of a thread's stack.
 */
KP_TRAP_PATH void kp_user_on_stack_of_ours(void (*fn)(void *arg), void *arg)
{
	struct kp_user_context *ctx = kp_user_context();
	uintptr_t sp = (uintptr_t)__builtin_frame_address(0);

	if (ctx && have_own(ctx) && !kp_user_on_own_stack(ctx, sp))
		kp_user_call_on(ctx->stack + KP_USER_OWN_STACK_LEN, fn, arg);
	else
		fn(arg);
}

/* Call fn for a signal that has just arrived, where there is room for it. */
KP_TRAP_PATH void kp_user_with_room(struct kp_arrival *arrival,
				    void (*fn)(struct kp_arrival *arrival))
{
	struct kp_user_context *ctx = kp_user_context();
	uintptr_t sp = (uintptr_t)__builtin_frame_address(0), room, top;
	const ucontext_t *uc = arrival->uc;
	uintptr_t was = kp_uc_sp(uc);

	if (!ctx) {
		fn(arrival);
		return;
	}
	if (!(uc->uc_stack.ss_flags & SS_DISABLE))
		kp_user_alt_stack(ctx, (uintptr_t)uc->uc_stack.ss_sp,
				  uc->uc_stack.ss_size);
	learn_alt(ctx);
	if (!on_alt(ctx, sp)) {
		if (kp_user_on_own_stack(ctx, sp)) {
			room = sp - ctx->stack;
			if (room >= need)
				fn(arrival);
			else
				run_cramped(ctx, arrival, fn, room);
		} else if (has_room(sp) || !have_own(ctx)) {
			fn(arrival);
		} else {
			run_own(ctx, ctx->stack + KP_USER_OWN_STACK_LEN, arrival, fn, 0);
		}
		return;
	}
	room = sp - ctx->alt_sp;
	if (room >= need) {
		fn(arrival);
		return;
	}
	/* The edge belongs to it: a stack that is empty. */
	if (on_alt(ctx, was) || !have_own(ctx)) {
		run_cramped(ctx, arrival, fn, room);
		return;
	}
	top = own_top(ctx, was);
	if (top - ctx->stack < need + (ctx->alt_len - room) + PAGE)
		run_cramped(ctx, arrival, fn, room);
	else
		run_own(ctx, top, arrival, fn, 1);
}
