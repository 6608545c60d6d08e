/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * text.c - writing live text.
 *
 * Owns: how.  A thread that has it in its own file table (writer.c) writes
 * through /proc/self/mem; the kernel writes to a private copy of the page,
 * whatever the page's protection, which is never without execute permission.
 * Where the kernel refuses that, or does not write a breakpoint by one store, or there
 * is no such thread to be had, pages are made writable in addition for the moment
 * (unprotect.c).
 *
 * Locks: the text lock for kp_host_text_write.
 */
#include "text/text.h"
#include "atomic.h"
#include "host.h"
#include "machine.h"
#include "freestanding/copy.h"
#include "process/writer.h"
#include "threads/lock.h"
#include "text/exec.h"
#include "text/unprotect.h"

#define PAGE 4096ul
#define SPAN_MAX (64 * PAGE)		/* what is opened at once */

/*
 * Why it could not be, matters not: the other way has its own errors.  It is
 * not asked for again as long as the registry lock is held.
 */
static bool refused;

void kp_user_text_locked(void)
{
	refused = false;
}

static bool write_direct(uintptr_t addr, const void *src, size_t len)
{
	long fd;

	/* What nobody executes yet may come in parts. */
	if (KP_WRITES_TEAR && !kp_user_exec_owns(addr))
		return false;
	fd = refused ? -1 : kp_user_mem();

	if (fd >= 0 && !kp_user_unprotect_spares(fd))
		return false;

	if (fd >= 0 && sys4(SYS_pwrite64, fd, src, len, addr) == (long)len)
		return true;
	refused = fd < 0 && kp_user_lock_is_mine(KP_LOCK_REGISTRY);
	return false;
}

static int poke_within_page(uintptr_t addr, const void *src, size_t len)
{
	static bool said;
	int err;

	if (write_direct(addr, src, len))
		return 0;
	err = kp_user_unprotect_poke(addr, src, len);
	if (!err && !said && !KP_WRITES_TEAR) {
		said = true;
		kp_host_log(KP_LOG_INFO, "kprobes: /proc/self/mem does not take writes here; changing page protections instead");
	}
	return err;
}

static int write_all_out(void);

static int poke(uintptr_t addr, const void *src, size_t len)
{
	const char *bytes = src;

	/* What was stored before, is so before the bytes: pairs with whoever executes them. */
	kp_fence_release();
	while (len) {
		size_t part = PAGE - (addr & (PAGE - 1));
		int err;

		if (part > len)
			part = len;
		err = poke_within_page(addr, bytes, part);
		if (err)
			return err;
		addr += part;
		bytes += part;
		len -= part;
	}
	return 0;
}

struct poke {
	uintptr_t addr;
	const void *src;
	size_t len;
	bool later;
};

static int do_poke(void *arg)
{
	const struct poke *p = arg;
	int err = kp_user_lock_is_mine(KP_LOCK_REGISTRY) ? write_all_out() : 0;

	if (!err)
		err = poke(p->addr, p->src, p->len);
	kp_user_unprotect_close();
	return err;
}

/* Registry or text lock held, or before there are other threads. */
int kp_user_text_poke(uintptr_t addr, const void *src, size_t len)
{
	struct poke p = { addr, src, len, false };

	return kp_user_write_call(do_poke, &p);
}

/* ---- memory of our own ------------------------------------------------------ */

/*
 * What is written there while a batch is prepared may wait until it is committed,
 * or the batch ends: so a page costs one write, not one for each of its pieces.
 * What cannot be written stays here, and as long as it does, no text is written.
 */
#define PENDING_NR 12			/* slots, chains, a few windows of heads */
#define FEW 8				/* pieces, for which it would not pay */

static struct pending {
	uintptr_t page;			/* 0: nothing */
	unsigned int from, to;		/* what is new in it */
	unsigned long used;		/* when */
	uint8_t bytes[PAGE];
} *pending;				/* registry lock; PENDING_NR, or NULL */
static unsigned long uses;
static unsigned int gathering;		/* batches being prepared; by the lock */
static unsigned int pieces;		/* of the batch, so far */

static int write_out(struct pending *p)
{
	int err = p->page ? poke(p->page + p->from, p->bytes + p->from,
				 p->to - p->from) : 0;

	if (!err)
		p->page = 0;
	return err;
}

static int write_all_out(void)
{
	unsigned int i;
	int err = 0, last;

	for (i = 0; pending && i < PENDING_NR; i++) {
		last = write_out(&pending[i]);
		err = err ? err : last;
	}
	return err;
}

/* The page's, or the one that was not used for longest, for it. */
static int find_pending(uintptr_t page, struct pending **out)
{
	struct pending *p, *oldest = pending;
	int err;

	for (p = pending; p < pending + PENDING_NR; p++) {
		if (p->page == page) {
			*out = p;
			return 0;
		}
		if (p->used < oldest->used)
			oldest = p;
	}
	err = write_out(oldest);
	if (!err)
		err = kp_user_copy(oldest->bytes, (const void *)page, PAGE);
	if (err)
		return err;
	oldest->page = page;
	oldest->from = PAGE;
	oldest->to = 0;
	*out = oldest;
	return 0;
}

static int gather(uintptr_t addr, const void *src, size_t len)
{
	unsigned int from = (unsigned int)(addr % PAGE);
	unsigned int to = from + (unsigned int)len;
	struct pending *p;
	int err = find_pending(addr & ~(PAGE - 1), &p);

	if (err)
		return err;
	memcpy(p->bytes + from, src, len);
	p->from = from < p->from ? from : p->from;
	p->to = to > p->to ? to : p->to;
	p->used = ++uses;
	return 0;
}

static int do_fill(void *arg)
{
	const struct poke *p = arg;
	bool locked = kp_user_lock_is_mine(KP_LOCK_REGISTRY);
	int err;

	if (locked && gathering && p->later && !pending && pieces++ >= FEW)
		pending = kp_host_alloc(PENDING_NR * sizeof(*pending));
	if (locked && gathering && p->later && pending &&
	    p->addr % PAGE + p->len <= PAGE)
		return gather(p->addr, p->src, p->len);
	err = locked ? write_all_out() : 0;
	if (!err)
		err = poke(p->addr, p->src, p->len);
	/* Who holds the lock closes it (lock.c). */
	if (!locked)
		kp_user_unprotect_close();
	return err;
}

int kp_user_text_fill(uintptr_t addr, const void *src, size_t len, bool later)
{
	struct poke p = { addr, src, len, later };

	return kp_user_write_call(do_fill, &p);
}

void kp_user_text_forget(uintptr_t start, size_t len)
{
	unsigned int i;

	for (i = 0; pending && i < PENDING_NR; i++)
		if (pending[i].page - start < len)
			pending[i].page = 0;
}

static int commit(void *unused)
{
	(void)unused;
	return write_all_out();
}

int kp_host_exec_commit(void)
{
	kp_host_assert_locked(KP_LOCK_REGISTRY);
	return pending ? kp_user_write_call(commit, NULL) : 0;
}

struct patching {
	int (*fn)(void *arg);
	void *arg;
};

static int patch(void *arg)
{
	const struct patching *p = arg;
	unsigned int before = gathering;
	int err;

	gathering = before + 1;
	pieces = before ? pieces : 0;
	err = p->fn(p->arg);
	gathering = before;
	if (!gathering && !write_all_out()) {
		kp_host_free(pending);
		pending = NULL;
	}
	return err;
}

/* In the child: the batch of another thread of the parent goes no further. */
void kp_user_text_fork(void)
{
	gathering = 0;
}

/* The registry lock is held.  By one writer, and what is filled at once. */
int kp_host_patching(int (*fn)(void *), void *arg)
{
	struct patching p = { fn, arg };

	return kp_user_write_call(patch, &p);
}

/* ---- the text ------------------------------------------------------------------ */

/*
 * How many patches from the first on ascend within one page, with nothing between them:
 * there a uprobe of the kernel's may come or go at any time.
 */
static size_t run_of(const struct kp_text_patch *p, size_t nr)
{
	uintptr_t page = p->addr & ~(PAGE - 1);
	size_t n = 1;

	/* What is longer than a byte is to be one store, not a part of another. */
	if (KP_ARCH_BP_LEN > 1 || p->addr + p->len > page + PAGE)
		return 1;
	while (n < nr && p[n].addr == p[n - 1].addr + p[n - 1].len &&
	       p[n].addr + p[n].len <= page + PAGE)
		n++;
	return n;
}

/* Several patches in one page, one behind the other. */
static int write_run(struct kp_text_patch *p, size_t nr)
{
	uint8_t bytes[PAGE];
	uintptr_t start = p[0].addr;
	size_t len = p[nr - 1].addr + p[nr - 1].len - start, i;

	for (i = 0; i < nr; i++)
		memcpy(bytes + (p[i].addr - start), p[i].bytes, p[i].len);
	return poke(start, bytes, len);
}

/* Many patches that ascend within a few pages: those are opened once. */
static void open_span(const struct kp_text_patch *patches, size_t nr)
{
	uintptr_t first = patches[0].addr;
	size_t i;

	for (i = 1; i < nr; i++)
		if (patches[i].addr < patches[i - 1].addr ||
		    patches[i].addr - first > SPAN_MAX)
			return;
	/* Else each page is, which has its own errors. */
	kp_user_unprotect_open(first, patches[nr - 1].addr +
				      patches[nr - 1].len - 1);
}

struct batch {
	struct kp_text_patch *patches;
	size_t nr;
};

static int write_batch(void *arg)
{
	const struct batch *batch = arg;
	struct kp_text_patch *patches = batch->patches;
	size_t nr = batch->nr, i, j, n;
	int first = 0;

	first = write_all_out();
	for (i = 0; first && i < nr; i++)
		patches[i].err = first;
	if (first)
		return first;
	if (refused && nr)
		open_span(patches, nr);
	for (i = 0; i < nr; i += n) {
		int err;

		n = run_of(patches + i, nr - i);
		if (n > 1)
			err = write_run(patches + i, n);
		else
			err = poke(patches[i].addr, patches[i].bytes,
				   patches[i].len);
		for (j = i; j < i + n; j++)
			patches[j].err = err;
		first = first ? first : err;
	}
	kp_user_unprotect_close();
	return first;
}

/* One request, whatever its size. */
int kp_host_text_write(struct kp_text_patch *patches, size_t nr)
{
	struct batch batch = { patches, nr };

	kp_host_assert_locked(KP_LOCK_TEXT);
	return kp_user_write_call(write_batch, &batch);
}

/* ---- tracer: a process has no instructions that are made to call somebody --- */

int kp_host_tracer_on(struct kp_tracer_site *sites, size_t nr, bool redirects)
{
	(void)sites;
	(void)nr;
	(void)redirects;
	return -EOPNOTSUPP;
}

int kp_host_tracer_off(struct kp_tracer_site *sites, size_t nr, bool redirects)
{
	return kp_host_tracer_on(sites, nr, redirects);
}

void kp_host_tracer_stop(void)
{
}

void kp_host_tracer_undo(uint8_t *bytes, uintptr_t addr, size_t len)
{
	(void)bytes;
	(void)addr;
	(void)len;
}
