/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * page_store.c - a write to a protected page.
 *
 * Owns: handling its SIGSEGV.  The instruction is emulated (kp_arch_store) on the alias: within
 * a cache line by one atomic exchange, so that before and after are exact; a longer one line by
 * line.
 *
 * An instruction that kp_arch_store does not know is executed itself (lone.h), with the page
 * unprotected for that instruction and all of the program's signals blocked.  What other threads
 * write meanwhile is not seen, and counts as missed.
 *
 * All of it is trap path.
 */
#include "watch/page_store.h"
#include "atomic.h"
#include "context.h"
#include "lone.h"
#include "machine.h"
#include "signal_sets.h"
#include "thread.h"
#include "freestanding/copy.h"
#include "freestanding/heap.h"
#include "threads/contexts.h"
#include "objects/engine.h"
#include "signals/mask_wanted.h"
#include "watch/lines.h"
#include "watch/page_alias.h"
#include "watch/page_table.h"

#ifndef KP_SWAPS_PAIRS
#define KP_SWAPS_PAIRS 1		/* 16 bytes, too, at a boundary of theirs */
#endif
#define PAGE KP_ARCH_PAGE
#define LINE 64u

static struct {
	uintptr_t start, len;		/* the engine's code */
} own;

KP_TRAP_PATH static bool is_engines(uintptr_t ip)
{
	return ip - own.start < own.len;
}

/* ---- done for the program --------------------------------------------------------------- */

#define EXCHANGE(type) do {							\
	type was = kp_load_relaxed((type *)at), next;				\
	do {									\
		memcpy(before, &was, sizeof(was));				\
		change(op, before, after);					\
		memcpy(&next, after, sizeof(next));				\
	} while (!kp_swap_if((type *)at, &was, next));				\
} while (0)

/* Within a line; on their boundary, where the processor wants that, and 16 bytes do. */
KP_TRAP_PATH static bool exchange(void *at, unsigned int len, uint8_t *before,
				  uint8_t *after,
				  void (*change)(void *op, const uint8_t *old,
						 uint8_t *new), void *op)
{
#if KP_SWAPS_PAIRS
	uint64_t old[2], new[2];
#endif

	if (!KP_SWAPS_ANYWHERE && (uintptr_t)at % len)
		return false;
	switch (len) {
	case 1:
		EXCHANGE(uint8_t);
		return true;
	case 2:
		EXCHANGE(uint16_t);
		return true;
	case 4:
		EXCHANGE(uint32_t);
		return true;
	case 8:
		EXCHANGE(uint64_t);
		return true;
#if KP_SWAPS_PAIRS
	case 16:
		if ((uintptr_t)at % 16)
			return false;
		memcpy(old, at, 16);
		do {
			memcpy(before, old, 16);
			change(op, before, after);
			memcpy(new, after, 16);
		} while (!kp_swap_pair_if(at, old, new));
		return true;
#endif
	}
	return false;
}

struct bytes {
	const uint8_t *bytes;
	unsigned int len;
};

KP_TRAP_PATH static void set_bytes(void *op, const uint8_t *old, uint8_t *new)
{
	const struct bytes *b = op;

	(void)old;
	memcpy(new, b->bytes, b->len);
}

KP_TRAP_PATH static char *alias_of(const struct kp_page_hit *hit, uintptr_t addr)
{
	const struct kp_page *page = hit->pages[addr - hit->pages[0]->addr >= PAGE];

	return page->alias + (addr - page->addr);
}

/* As the processor does what crosses a line: not as one. */
KP_TRAP_PATH static void in_pieces(struct kp_page_hit *hit,
				   void (*change)(void *op, const uint8_t *old,
						  uint8_t *new), void *op)
{
	unsigned int at, len;

	for (at = 0; at < hit->len; at++)
		hit->before[at] = *(uint8_t *)alias_of(hit, hit->addr + at);
	change(op, hit->before, hit->after);
	for (at = 0; at < hit->len; at += len) {
		struct bytes b = { hit->after + at, 0 };
		uint8_t same[16];

		len = KP_SWAPS_PAIRS ? 16 : 8;
		while (len > hit->len - at || (hit->addr + at) % len)
			len /= 2;
		b.len = len;
		exchange(alias_of(hit, hit->addr + at), len, hit->before + at,
			 same, set_bytes, &b);
	}
}

KP_TRAP_PATH static void leave_all(const struct kp_page_hit *hit)
{
	unsigned int i;

	for (i = 0; i < 2 && hit->pages[i]; i++)
		kp_user_page_leave(hit->pages[i]);
}

KP_TRAP_PATH static void leave_and_tell(const struct kp_page_hit *hit)
{
	/* What it was cannot go before it has been told. */
	struct kp_context *ctx = kp_host_enter();

	leave_all(hit);
	if (hit->len && !hit->engines)
		kp_user_page_tell(hit->pages[0], hit->pages[1], hit->regs,
				  &(struct kp_watch_store){ hit->addr, hit->len,
							    hit->before, hit->after });
	kp_host_leave(ctx);
}

KP_TRAP_PATH static bool enter_open(struct kp_page *page)
{
	if (!kp_user_page_enter(page))
		return false;
	/* It may have been opened since. */
	if (kp_load_relaxed(&page->live) && !kp_load_relaxed(&page->bare))
		return true;
	kp_user_page_leave(page);
	return false;
}

/* An instruction writes more: what it has written is told.  False: it cannot go on. */
KP_TRAP_PATH static bool goes_on(struct kp_page_hit *hit)
{
	struct kp_page *page = hit->pages[0];

	leave_and_tell(hit);
	hit->len = 0;
	hit->pages[0] = enter_open(page) ? page : NULL;
	return hit->pages[0];
}

KP_TRAP_PATH static int update(void *arg, uintptr_t addr, unsigned int len,
			       void (*change)(void *op, const uint8_t *old,
					      uint8_t *new), void *op)
{
	struct kp_page_hit *hit = arg;
	uintptr_t last = (addr + len - 1) & ~(uintptr_t)(PAGE - 1);
	struct kp_page *first = hit->pages[0];

	if (hit->len && !goes_on(hit))
		return -EBUSY;
	/* The one that faulted is the first or the second. */
	if ((addr & ~(uintptr_t)(PAGE - 1)) != last) {
		struct kp_page *other =
			kp_user_page_at(first->addr == last ? addr : last);

		if (!other || kp_load_relaxed(&other->bare) ||
		    !kp_user_page_enter(other))
			return -EOPNOTSUPP;
		hit->pages[0] = first->addr == last ? other : first;
		hit->pages[1] = first->addr == last ? first : other;
	}
	hit->addr = addr;
	hit->len = len;
	if (addr / LINE != (addr + len - 1) / LINE ||
	    !exchange(alias_of(hit, addr), len, hit->before, hit->after, change,
		      op))
		in_pieces(hit, change, op);
	return 0;
}

KP_TRAP_PATH static int read_data(void *dst, uintptr_t addr, size_t len)
{
	return kp_host_data_read(addr, dst, len);
}

/* ---- done for a store-exclusive ------------------------------------------------------------ */

struct swap {
	const uint64_t *old, *new;
	unsigned int len;
	bool done;
};

KP_TRAP_PATH static void swap_if_same(void *op, const uint8_t *old, uint8_t *new)
{
	struct swap *swap = op;

	swap->done = !memcmp(old, swap->old, swap->len);
	memcpy(new, swap->done ? (const void *)swap->new : old, swap->len);
}

KP_TRAP_PATH bool kp_user_page_swap_if(uintptr_t addr, unsigned int len,
				       const uint64_t *old, const uint64_t *new)
{
	struct kp_page *page = kp_user_page_at(addr);
	struct swap swap = { old, new, len, false };
	struct kp_page_hit *hit;

	if (!page || !enter_open(page))
		return false;
	hit = &kp_user_thread()->swapped;
	*hit = (struct kp_page_hit){ .pages = { page } };
	update(hit, addr, len, swap_if_same, &swap);
	if (!swap.done)
		kp_user_page_leave(page);
	return swap.done;
}

KP_TRAP_PATH void kp_user_page_swapped(struct pt_regs *regs)
{
	/* Whom it is told may swap, too. */
	struct kp_page_hit hit = kp_user_thread()->swapped;

	hit.regs = regs;
	leave_and_tell(&hit);
}

/* ---- executed by itself ---------------------------------------------------------------------- */

/* Of a thread whose page is open for one instruction. */
struct step {
	struct kp_page *pages[3];
	sys_sigset mask;
	struct kp_lone lone;
	uint8_t before[];		/* of each page */
};
#define STEP_LEN (sizeof(struct step) + 3ul * PAGE)

KP_TRAP_PATH static void open_page(struct step *step, unsigned int i,
				   struct kp_page *page)
{
	step->pages[i] = page;
	kp_user_pages_lock();
	kp_user_page_bare(page, true);
	memcpy(step->before + i * PAGE, (const void *)page->addr, PAGE);
	kp_user_pages_unlock();
}

KP_TRAP_PATH static bool open_more(struct step *step, struct kp_page *page)
{
	unsigned int i = 0;

	while (i < 3 && step->pages[i])
		i++;
	if (i < 3)
		open_page(step, i, page);
	return i < 3;
}

/* False: there is no room for that. */
KP_TRAP_PATH static bool begin_step(struct kp_page *page, ucontext_t *uc,
				    const uint8_t *insn)
{
	struct kp_user_context *ctx = kp_user_context();
	struct step *step = ctx ? ctx->stepping : NULL;
	enum kp_step begun = KP_STEP_NONE;

	if (step)
		return open_more(step, page);
	if (ctx)
		step = sys_mmap(NULL, STEP_LEN, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1);
	if (!step)
		return false;
	begun = kp_lone_begin(&step->lone, uc, insn);
	if (begun != KP_STEP_SHOWN) {
		sys3(SYS_munmap, step, STEP_LEN, 0);
		return begun == KP_STEP_DONE;
	}
	step->mask = *kp_user_mask_of(uc);
	*kp_user_mask_of(uc) = ~KP_SIG_OWN;
	if (!kp_lone_is_walk(insn, kp_uc_second(uc)))
		open_page(step, 0, page);
	ctx->stepping = step;
	return true;
}

/* Stretches that have changed, each within a line. */
KP_TRAP_PATH static void tell_changes(struct kp_page *page, struct pt_regs *regs,
				      const uint8_t *before)
{
	uint8_t after[LINE];
	unsigned int at, from, to;

	for (at = 0; at < PAGE; at += LINE) {
		if (!page->lines[at / LINE] ||
		    kp_user_copy(after, (const void *)(page->addr + at), LINE))
			continue;
		for (from = 0; from < LINE; from = to + 1) {
			while (from < LINE && before[at + from] == after[from])
				from++;
			for (to = from; to < LINE &&
					before[at + to] != after[to]; to++)
				;
			if (from < to)
				kp_user_page_tell(page, NULL, regs,
					&(struct kp_watch_store){
						page->addr + at + from, to - from,
						before + at + from, after + from });
		}
	}
}

KP_TRAP_PATH static void end_step(struct kp_user_context *ctx, ucontext_t *uc,
				  struct pt_regs *regs)
{
	struct step *step = ctx->stepping;
	unsigned int i;

	ctx->stepping = NULL;
	*kp_user_mask_of(uc) = step->mask;
	kp_lone_end(&step->lone, uc, regs);
	for (i = 0; i < 3 && step->pages[i]; i++) {
		kp_user_pages_lock();
		kp_user_page_bare(step->pages[i], false);
		kp_user_pages_unlock();
		if (regs)
			tell_changes(step->pages[i], regs, step->before + i * PAGE);
		kp_user_page_unseen(step->pages[i]);
	}
	sys3(SYS_munmap, step, STEP_LEN, 0);
}

/* Its trap may be lost, where another SIGTRAP was pending. */
KP_TRAP_PATH bool kp_user_page_step_over(uintptr_t ip)
{
	const struct kp_user_context *ctx =
		kp_user_pages_on ? kp_user_context() : NULL;

	return ctx && ctx->stepping &&
	       kp_lone_passed(&((const struct step *)ctx->stepping)->lone, ip);
}

KP_TRAP_PATH enum kp_step kp_user_page_stepped(ucontext_t *uc,
					       struct pt_regs *regs)
{
	struct kp_user_context *ctx;
	bool traced;

	if (!kp_user_pages_on)
		return KP_STEP_NONE;
	ctx = kp_user_context();
	if (!ctx || !ctx->stepping)
		return KP_STEP_NONE;
	traced = ((struct step *)ctx->stepping)->lone.traced;
	end_step(ctx, uc, regs);
	return traced ? KP_STEP_SHOWN : KP_STEP_DONE;
}

/* By a breakpoint behind it. */
KP_TRAP_PATH bool kp_user_page_trapped(ucontext_t *uc, struct pt_regs *regs)
{
	struct kp_user_context *ctx = kp_user_context();
	struct step *step = ctx ? ctx->stepping : NULL;
	bool stored;

	if (!step || !kp_lone_ends_at(&step->lone, kp_uc_trap_addr(uc)))
		return false;
	if (!kp_lone_goes_on(&step->lone, regs)) {
		stored = step->lone.stored;
		end_step(ctx, uc, regs);
		if (stored)
			kp_user_page_swapped(regs);
	}
	kp_uc_store(uc, regs);
	return true;
}

/* ---- the fault ------------------------------------------------------------------------------ */

KP_TRAP_PATH static bool has_opened(const struct kp_user_context *ctx,
				    const struct kp_page *page)
{
	const struct step *step = ctx ? ctx->stepping : NULL;
	unsigned int i;

	for (i = 0; step && i < 3; i++)
		if (step->pages[i] == page)
			return true;
	return false;
}

/* How likely is it that the page has refused a write, which others may have?  0: it has not. */
KP_TRAP_PATH static unsigned int may_refuse(const struct kp_user_context *ctx,
					    const struct kp_page *page)
{
	if (!page)
		return 0;
	if (kp_load_acquire(&page->live) && !kp_load_relaxed(&page->bare))
		return 3;
	if (has_opened(ctx, page))
		return 0;
	return kp_load_acquire(&page->live) ? 2 : 1;
}

struct refused {
	uintptr_t addr;
	struct kp_page *page;		/* there; or NULL */
	struct kp_page *beside;		/* or it was that one; or NULL */
};

/* By one of two pages, where the kernel does not say where: the one that is closed. */
KP_TRAP_PATH static struct refused refused_by(const struct kp_user_context *ctx,
					      uintptr_t addr, uintptr_t last)
{
	struct kp_page *first = kp_user_page_known(addr), *second = kp_user_page_known(last);
	unsigned int one = may_refuse(ctx, first), two = may_refuse(ctx, second);

	if (first == second)
		second = NULL;
	if (!one && !two)
		return (struct refused){ addr, NULL, NULL };
	return one >= two ? (struct refused){ addr, first, second } :
			    (struct refused){ last, second, first };
}

/*
 * A page that was given back: the fault may be from before that, so the instruction
 * tries again.  Once: with the page, and the one beside it, as they are now the fault is the
 * program's own.
 */
KP_TRAP_PATH static enum kp_step try_again(const struct kp_page *page,
					   const struct kp_page *beside,
					   const ucontext_t *uc)
{
	struct kp_user_thread *thread = kp_user_thread();
	uintptr_t ip = kp_uc_ip(uc);
	/* Acquires: pair with the releases in pages.c. */
	bool changes = kp_load_acquire(&page->gate) & KP_PAGE_CLOSED;
	unsigned int given = kp_load_acquire(&page->given);

	if (beside) {
		changes = changes || kp_load_acquire(&beside->gate) & KP_PAGE_CLOSED;
		given += kp_load_acquire(&beside->given);
	}
	if (changes) {
		sys3(SYS_sched_yield, 0, 0, 0);
		return KP_STEP_SHOWN;
	}
	if (thread->tried.page == page && thread->tried.ip == ip &&
	    thread->tried.given == given)
		return KP_STEP_NONE;
	thread->tried.page = page;
	thread->tried.ip = ip;
	thread->tried.given = given;
	return KP_STEP_SHOWN;
}

/*
 * Is a probe's breakpoint or jump there by now, or just gone?  It writes to no memory,
 * and is what is to be executed.
 */
KP_TRAP_PATH static bool is_patched(const uint8_t *insn, size_t avail, const ucontext_t *uc)
{
	uint8_t first[KP_ARCH_BP_LEN];

	return avail >= sizeof(first) &&
	       (kp_is_patch(insn, avail, kp_uc_second(uc)) ||
		kp_host_text_read(first, kp_uc_ip(uc), sizeof(first)) ||
		memcmp(first, insn, sizeof(first)));
}

KP_TRAP_PATH static enum kp_step do_it(struct kp_page *page, uintptr_t addr,
				       ucontext_t *uc, struct pt_regs *regs,
			       const struct kp_arch_vectors *vectors)
{
	struct kp_page_hit hit = { .pages = { page }, .regs = regs,
			   .engines = is_engines(kp_uc_ip(uc)) };
	const struct kp_arch_memory memory = { update, read_data, &hit };
	uint8_t insn[KP_ARCH_INSN_MAX];
	size_t avail = sizeof(insn);

	while (avail && kp_host_text_read(insn, kp_uc_ip(uc), avail))
		avail--;
	if (is_patched(insn, avail, uc)) {
		leave_all(&hit);
		return KP_STEP_SHOWN;
	}
	if (!avail || kp_arch_store(regs, vectors, insn, avail, addr, &memory)) {
		leave_all(&hit);
		/* Without room for that: nobody's watched page any more. */
		if (avail < KP_ARCH_BP_LEN || !begin_step(page, uc, insn)) {
			kp_user_pages_lock();
			kp_user_page_give_back(page);
			kp_store_release(&page->gone, true);
			kp_user_pages_unlock();
		}
		return KP_STEP_SHOWN;
	}
	leave_and_tell(&hit);
	return KP_STEP_DONE;
}

KP_TRAP_PATH enum kp_step kp_user_page_fault(const siginfo_t *info, ucontext_t *uc,
					     struct pt_regs *regs,
					     const struct kp_arch_vectors *vectors)
{
	uintptr_t last = 0, off = kp_uc_off_boundary(info, uc, regs, &last);
	struct kp_user_context *ctx;
	struct refused by;
	struct kp_page *page;

	if (!kp_user_pages_on || info->si_signo != SIGSEGV ||
	    (!off && (info->si_code != SEGV_ACCERR || !kp_uc_writes(info, uc))))
		return KP_STEP_NONE;
	ctx = kp_user_context();
	if (off)
		by = refused_by(ctx, off, last);
	else
		by = (struct refused){ (uintptr_t)info->si_addr,
				       kp_user_page_known((uintptr_t)info->si_addr), NULL };
	page = by.page;
	if (!page)
		return KP_STEP_NONE;
	/* The program's own code is back from a call. */
	if (ctx && !is_engines(kp_uc_ip(uc)))
		kp_store_relaxed(&ctx->calls, false);
	if (!kp_load_acquire(&page->live))
		return try_again(page, by.beside, uc);
	if (!enter_open(page)) {
		sys3(SYS_sched_yield, 0, 0, 0);
		return KP_STEP_SHOWN;
	}
	return do_it(page, by.addr, uc, regs, vectors);
}

/* A fault of the instruction's own; what the engine reads meanwhile faults elsewhere. */
KP_TRAP_PATH void kp_user_page_step_faulted(ucontext_t *uc)
{
	struct kp_user_context *ctx = kp_user_context();
	const struct step *step = ctx ? ctx->stepping : NULL;

	if (step && kp_uc_ip(uc) - kp_lone_place(&step->lone) < KP_LONE_LEN)
		end_step(ctx, uc, NULL);
}

void kp_user_page_steps(kp_user_range_fn each, void *arg)
{
	struct kp_user_context *ctx = NULL;
	struct kp_lone place;
	struct step *step;

	while ((ctx = kp_user_context_next(ctx))) {
		step = ctx->stepping;
		/* Its end gives it back meanwhile. */
		if (step && !kp_user_copy(&place, &step->lone, sizeof(place)))
			each(arg, kp_lone_place(&place), KP_LONE_LEN);
	}
}

void kp_user_page_fault_init(void)
{
	kp_user_engine_bounds(&own.start, &own.len);
}
