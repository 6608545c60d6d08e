/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * passage.c - system calls that write to protected pages.
 *
 * Owns: what happens at the breakpoint of a system call while pages are protected.
 * The kernel would refuse to write there (-EFAULT), so the call is led to where it may:
 *
 *   all of a buffer is on protected pages   to their alias; nobody else notices
 *   some of it, or an address in a struct   the pages are open during the call: what
 *                                           others write there is not seen, and
 *                                           counts as missed
 *   who knows what it writes                so are all
 *   it changes the mapping                  the pages are given back before, and the
 *                                           probes on them are gone
 *   it forks                                it is done here (pages.c)
 *
 * A call that is led aside is executed in access.S, with a breakpoint behind it, where
 * its arguments become what they were, and what it wrote is told.  What a thread has
 * on its way is in its context, the innermost one last: a signal's handler may make
 * calls, and leave without coming back.
 *
 * All of it is trap path.
 */
#include "watch/passage.h"
#include "atomic.h"
#include "host.h"
#include "machine.h"
#include "watch.h"
#include "freestanding/copy.h"
#include "threads/contexts.h"
#include "text/intercept.h"
#include "signals/mask.h"
#include "signals/mask_wanted.h"
#include "signals/outs_table.h"
#include "watch/lines.h"
#include "watch/outs.h"
#include "watch/page_alias.h"
#include "watch/page_table.h"
#include "watch/robust.h"

#include <sched.h>

#define PAGE KP_ARCH_PAGE
#define PASSAGES_MAX 16u
#define STACK_MAX (1ul << 20)		/* what is on one, is not farther apart */
#define SEEN_MAX (1ul << 20)		/* of what is remembered of a buffer */

extern const char kp_user_passage_call[], kp_user_passage_end[];

struct kp_passage {
	uintptr_t sp, next;
	unsigned long args[6];
	struct kp_out outs[KP_OUTS_MAX];
	int outs_nr;
	bool opened[KP_OUTS_MAX];	/* its pages are; else they are pinned */
	bool all;			/* all pages are open */
	uint8_t *before[KP_OUTS_MAX];	/* what there was; or NULL */
};

KP_TRAP_PATH static void get_args(const ucontext_t *uc, unsigned long args[6])
{
	unsigned int i;

	for (i = 0; i < 6; i++)
		args[i] = (unsigned long)kp_uc_arg(uc, i);
}

KP_TRAP_PATH static struct kp_page *first_page(const struct kp_out *out)
{
	return kp_user_page_next(NULL, out->addr, out->len);
}

/* ---- the pages of one buffer ------------------------------------------------------------ */

KP_TRAP_PATH static bool all_protected(const struct kp_out *out)
{
	uintptr_t at = out->addr & ~(uintptr_t)(PAGE - 1);
	struct kp_page *first = kp_user_page_at(at), *page;

	if (out->arg < 0 || out->len > SEEN_MAX)
		return false;
	for (; at < out->addr + out->len; at += PAGE) {
		page = kp_user_page_at(at);
		if (!page || page->alias - first->alias !=
				     (long)(page->addr - first->addr))
			return false;
	}
	return true;
}

/* Is one of them about to become protected?  By the lock. */
KP_TRAP_PATH static bool changes(const struct kp_out *out)
{
	struct kp_page *page = NULL;

	while ((page = kp_user_page_next(page, out->addr, out->len)))
		if (kp_load_acquire(&page->gate) & KP_PAGE_CLOSED)
			return true;
	return false;
}

/* By the lock. */
KP_TRAP_PATH static void open_pages(const struct kp_out *out, bool on)
{
	struct kp_page *page = NULL;

	while ((page = kp_user_page_next(page, out->addr, out->len)))
		kp_user_page_bare(page, on);
}

KP_TRAP_PATH static void close_pages(const struct kp_out *out)
{
	kp_user_pages_lock();
	open_pages(out, false);
	kp_user_pages_unlock();
}

KP_TRAP_PATH static void unseen(const struct kp_out *out)
{
	struct kp_page *page = NULL;

	while ((page = kp_user_page_next(page, out->addr, out->len)))
		kp_user_page_unseen(page);
}

static const struct kp_out everything = { 0, ~0ul, -1, false };

/* As it can be read, which is always allowed. */
KP_TRAP_PATH static uint8_t *remember(const struct kp_out *out)
{
	uint8_t *copy;

	if (out->len > SEEN_MAX)
		return NULL;
	copy = sys_mmap(NULL, out->len, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1);
	if (copy && kp_user_copy(copy, (const void *)out->addr, out->len)) {
		sys3(SYS_munmap, copy, out->len, 0);
		copy = NULL;
	}
	return copy;
}

/* ---- telling --------------------------------------------------------------------------------- */

/* Line by line, where somebody watches. */
KP_TRAP_PATH static void tell(const struct kp_out *out, const uint8_t *before,
			      size_t len, struct pt_regs *regs)
{
	uint8_t after[KP_WATCH_STORE_MAX];
	size_t at, piece;

	for (at = 0; at < len; at += piece) {
		uintptr_t addr = out->addr + at;
		struct kp_page *page = kp_user_page_at(addr);

		piece = 64 - addr % 64;
		if (piece > len - at)
			piece = len - at;
		if (!page || !page->lines[addr % PAGE / 64] ||
		    kp_user_copy(after, (const void *)addr, piece))
			continue;
		/* How much of it was written is not known: what has changed. */
		if (!out->counts && !memcmp(before + at, after, piece))
			continue;
		kp_user_page_tell(page, NULL, regs, &(struct kp_watch_store){
			addr, (unsigned int)piece, before + at, after });
	}
}

/* ---- the way back --------------------------------------------------------------------------- */

/*
 * It was given back meanwhile: what the call wrote to the alias belongs there.  By the
 * lock, so that it is either copied with the page, or now.
 */
KP_TRAP_PATH static void bring_home(const struct kp_out *out, size_t len)
{
	size_t at, piece;

	kp_user_pages_lock();
	for (at = 0; at < len; at += piece) {
		uintptr_t addr = out->addr + at;
		struct kp_page *page = kp_user_page_known(addr);

		piece = PAGE - addr % PAGE;
		if (piece > len - at)
			piece = len - at;
		/* It may be live again, and about to be protected. */
		if (!page->joined)
			kp_user_copy((void *)addr, page->alias + addr % PAGE,
				     piece);
	}
	kp_user_pages_unlock();
}

/* regs: as it comes back, with what the call has answered; NULL: it does not. */
KP_TRAP_PATH static void end(struct kp_passage *p, struct pt_regs *regs, long result)
{
	int i;

	for (i = 0; i < p->outs_nr; i++) {
		const struct kp_out *out = &p->outs[i];
		size_t len = out->len;

		if (out->counts && (size_t)result < len)
			len = (size_t)result;
		if (sys_failed(result))
			len = out->counts ? 0 : out->len;
		if (p->opened[i])
			close_pages(out);
		else
			bring_home(out, len);
		if (p->before[i] && regs)
			tell(out, p->before[i], len, regs);
		if (p->opened[i])
			unseen(out);
		if (p->before[i])
			sys3(SYS_munmap, p->before[i], out->len, 0);
	}
	if (!p->all)
		return;
	close_pages(&everything);
	unseen(&everything);
}

/* By the lock: take() looks. */
KP_TRAP_PATH static void take_out(struct kp_user_context *ctx, unsigned int i)
{
	kp_user_pages_lock();
	ctx->passages_nr--;
	for (; i < ctx->passages_nr; i++)
		ctx->passages[i] = ctx->passages[i + 1];
	kp_user_pages_unlock();
}

KP_TRAP_PATH bool kp_user_passage_on(const struct kp_page *page)
{
	struct kp_user_context *ctx = NULL;
	unsigned int i;
	int j;

	while ((ctx = kp_user_context_next(ctx)))
		for (i = 0; i < ctx->passages_nr; i++) {
			const struct kp_passage *p = &ctx->passages[i];

			if (p->all)
				return true;
			for (j = 0; j < p->outs_nr; j++)
				if (p->outs[j].addr < page->addr + PAGE &&
				    page->addr < p->outs[j].addr + p->outs[j].len)
					return true;
		}
	return false;
}

/* For the end of the engine: does one come back yet? */
bool kp_user_passages_left(void)
{
	struct kp_user_context *ctx = NULL;

	while ((ctx = kp_user_context_next(ctx)))
		if (kp_load_relaxed(&ctx->passages_nr))
			return true;
	return false;
}

KP_TRAP_PATH static bool on_alt(const struct kp_user_context *ctx, uintptr_t sp)
{
	return sp - ctx->alt_sp < ctx->alt_len;
}

/*
 * Those that were left for good, by a jump out of a handler: they are deeper on the
 * stack where the thread is now.
 */
KP_TRAP_PATH static void drop_left(struct kp_user_context *ctx, uintptr_t sp)
{
	unsigned int i;

	for (i = ctx->passages_nr; i-- > 0;) {
		struct kp_passage p = ctx->passages[i];

		if (sp - p.sp >= STACK_MAX || on_alt(ctx, sp) != on_alt(ctx, p.sp))
			continue;
		end(&p, NULL, -EINTR);
		take_out(ctx, i);
	}
}

/* Is it the breakpoint where a call comes back? */
KP_TRAP_PATH bool kp_user_passage_ends(uintptr_t addr)
{
	return addr == (uintptr_t)kp_user_passage_end;
}

KP_TRAP_PATH bool kp_user_passed(ucontext_t *uc, struct pt_regs *regs)
{
	struct kp_user_context *ctx;
	struct kp_passage p;
	unsigned int i, index;

	if (!kp_user_passage_ends(kp_uc_trap_addr(uc)))
		return false;
	ctx = kp_user_context();
	i = ctx ? ctx->passages_nr : 0;
	while (i && ctx->passages[i - 1].sp != kp_uc_sp(uc))
		i--;
	if (!i)
		kp_host_broken("a system call has come back that nobody led aside");
	index = i - 1;
	p = ctx->passages[index];
	kp_uc_call_back(uc, p.args, p.next);
	kp_uc_load(regs, uc);
	end(&p, regs, kp_uc_result(uc));
	take_out(ctx, index);
	return true;
}

/* ---- the way there --------------------------------------------------------------------------- */

KP_TRAP_PATH static struct kp_passage *new_passage(struct kp_user_context *ctx,
						   uintptr_t sp)
{
	if (!ctx)
		return NULL;
	if (!ctx->passages)
		ctx->passages = sys_mmap(NULL, PASSAGES_MAX * sizeof(*ctx->passages),
					 PROT_READ | PROT_WRITE,
					 MAP_PRIVATE | MAP_ANONYMOUS, -1);
	drop_left(ctx, sp);
	if (!ctx->passages || ctx->passages_nr == PASSAGES_MAX)
		return NULL;
	return &ctx->passages[ctx->passages_nr];
}

/* The program's own memory again, for good. */
KP_TRAP_PATH static void give_back(const struct kp_out *out, long nr)
{
	kp_user_pages_change(out->addr, out->len, nr == SYS_mremap);
}

/* By the lock. */
KP_TRAP_PATH static void lead_aside(struct kp_passage *p, ucontext_t *uc)
{
	int i;

	for (i = 0; i < p->outs_nr; i++) {
		struct kp_out *out = &p->outs[i];
		struct kp_page *page = kp_user_page_at(out->addr);

		p->opened[i] = !all_protected(out);
		if (p->opened[i]) {
			open_pages(out, true);
			continue;
		}
		kp_uc_set_arg(uc, (unsigned int)out->arg,
			      (long)(page->alias + (out->addr - page->addr)));
	}
	if (p->all)
		open_pages(&everything, true);
	kp_uc_lead(uc, (uintptr_t)kp_user_passage_call);
}

/* False: not now. */
KP_TRAP_PATH static bool begin(struct kp_user_context *ctx, struct kp_passage *p,
			       ucontext_t *uc)
{
	bool now = true;
	int i;

	for (i = 0; i < p->outs_nr; i++)
		p->before[i] = remember(&p->outs[i]);
	kp_user_pages_lock();
	for (i = 0; i < p->outs_nr; i++)
		now = now && !changes(&p->outs[i]);
	if (p->all)
		now = now && !changes(&everything);
	if (now)
		lead_aside(p, uc);
	ctx->passages_nr += now;
	kp_user_pages_unlock();
	for (i = 0; !now && i < p->outs_nr; i++)
		if (p->before[i])
			sys3(SYS_munmap, p->before[i], p->outs[i].len, 0);
	return now;
}

/* Only what is on a protected page matters. */
KP_TRAP_PATH static int keep_protected(struct kp_out *outs, int nr)
{
	int i, kept = 0;

	for (i = 0; i < nr; i++)
		if (first_page(&outs[i]))
			outs[kept++] = outs[i];
	return kept;
}

/*
 * In the handler: a child that has a stack of its own gets it with the return from
 * here.  What the kernel would write for the call at another address, it does.
 */
KP_TRAP_PATH static void do_fork(ucontext_t *uc)
{
	uint64_t clone[16] = { 0 };
	unsigned long args[6], stack = 0;
	long nr = kp_uc_call(uc), result;

	get_args(uc, args);
	if (nr == SYS_clone) {
		stack = args[1];
		args[1] = 0;
	} else if (nr == SYS_NEWER(435) && args[1] <= sizeof(clone) &&
		   !kp_host_data_read(args[0], clone, args[1])) {
		stack = clone[5] ? clone[5] + clone[6] : 0;
		clone[5] = clone[6] = 0;
		args[0] = (unsigned long)clone;
	}
	kp_user_pages_lock();
	result = kp_user_pages_before_fork();
	if (!result)
		result = sys6(nr, (long)args[0], (long)args[1], (long)args[2],
			      (long)args[3], (long)args[4], (long)args[5]);
	kp_user_pages_after_fork(!result);
	kp_user_pages_unlock();
	if (!result && stack)
		kp_uc_set_sp(uc, stack);
	kp_uc_call_done(uc, result);
}

/* From the breakpoint on, what it does is up to mask.c, too. */
KP_TRAP_PATH void kp_user_passage(const struct kp_intercept *intercept, ucontext_t *uc)
{
	struct kp_user_context *ctx = kp_user_context();
	struct kp_passage new = { .sp = kp_uc_sp(uc) }, *p;
	long nr = kp_uc_call(uc);
	enum kp_outs kind;
	unsigned int arg;
	int i;

	if (!kp_user_pages_on || kp_user_outs_none((unsigned long)nr)) {
		kp_user_mask_trap(intercept, uc);
		return;
	}
	/* Before any page is looked at; disturbed.c reads it. */
	if (ctx)
		kp_store_release(&ctx->calls, true);
	if (nr == SYS_exit)
		kp_user_robust_end();
	new.next = kp_uc_next(uc);
	get_args(uc, new.args);
	kind = kp_user_outs(nr, new.args, new.outs, &new.outs_nr);
	if (kind == KP_OUTS_FORK && kp_user_page_next(NULL, 0, ~0ul)) {
		do_fork(uc);
		return;
	}
	if (kind == KP_OUTS_RING)
		give_back(&everything, -1);
	for (i = 0; kind == KP_OUTS_MEMORY && i < new.outs_nr; i++)
		give_back(&new.outs[i], nr);
	new.all = kind == KP_OUTS_ANY && kp_user_page_next(NULL, 0, ~0ul);
	new.outs_nr = kind == KP_OUTS_KNOWN
			      ? keep_protected(new.outs, new.outs_nr) : 0;
	kp_user_mask_trap(intercept, uc);
	if ((!new.all && !new.outs_nr) || kp_uc_ip(uc) != intercept->stub)
		return;
	p = new_passage(ctx, new.sp);
	if (!p) {
		/* Too many on their way: the probes there are gone. */
		for (i = 0; i < new.outs_nr; i++)
			give_back(&new.outs[i], nr);
		if (new.all)
			give_back(&everything, -1);
		return;
	}
	*p = new;
	if (begin(ctx, p, uc))
		return;
	/* From the breakpoint on again, soon. */
	for (arg = 0; arg < 6; arg++)
		kp_uc_set_arg(uc, arg, (long)new.args[arg]);
	kp_uc_set_ip(uc, intercept->addr);
	kp_store_release(&ctx->calls, false);
	sys3(SYS_sched_yield, 0, 0, 0);
}
