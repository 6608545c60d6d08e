/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * access.c - an access to watched memory.
 *
 * Owns: the way from the host's report to the handlers.  All of it is trap path.
 *
 * A debug register reports which word was accessed, after the access, but not what the word
 * held before.  So that value is kept from one look to the next.  A look counts only if no
 * other look came in between.  So one look sees each change, however many tasks write.  If
 * several tasks have written since the last look, nobody can say whose change it is.
 *
 * A report does not cover everything that one instruction did, since hosts merge the reports
 * of several words.  So all words of the probe are examined.  The reported word goes to probes
 * that want each access.  The other words, if they changed, go to probes that want changes.
 *
 * If pages are protected, the host makes the write.  It knows the bytes before and after.
 *
 * An access while handlers run in this context is theirs, and counts as missed.  The core's
 * own reads when it looks count as nothing.
 */
#include "access.h"
#include "busy.h"
#include "children.h"
#include "head.h"
#include "hit.h"
#include "landing.h"
#include "watched.h"

struct kp_watched *kp_watched_list;

/* Pairs with wprobe.c's link(). */
KP_TRAP_PATH static struct kp_watched *first(void)
{
	return kp_load_acquire(&kp_watched_list);
}

/* In the processor's order; of more bytes than a value has, the first ones'. */
KP_TRAP_PATH static unsigned long value_at(const uint8_t *bytes,
					   unsigned int len)
{
	unsigned long value = 0;
	size_t n = len < sizeof(value) ? len : sizeof(value);
	bool first_is_high = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

	memcpy((uint8_t *)&value + (first_is_high ? sizeof(value) - n : 0), bytes, n);
	return value;
}

/*
 * As one access, so that no half-written value is seen: of the eight bytes that
 * hold the word, since the copy of eight is one.  What is not there any more has
 * not changed.
 */
KP_TRAP_PATH unsigned long kp_watched_look(const struct kp_watched *watched,
					   unsigned int i)
{
	const struct kp_watch_word *word = &watched->set.words[i];
	uintptr_t base = word->addr & ~(uintptr_t)7;
	uint8_t bytes[8] __attribute__((__aligned__(8)));

	if (kp_host_data_read(base, bytes, sizeof(bytes)))
		return kp_load_relaxed(&watched->last[i]);
	return value_at(bytes + (word->addr - base), word->len);
}

/* The word of the probe, or -1. */
KP_TRAP_PATH static int word_at(const struct kp_watched *watched,
				uintptr_t addr)
{
	unsigned int i;

	for (i = 0; i < watched->set.nr; i++)
		if (watched->set.words[i].addr == addr)
			return (int)i;
	return -1;
}

KP_TRAP_PATH static struct kp_watched *find(uintptr_t addr, int *word)
{
	struct kp_watched *watched = first();

	/* Each is complete: pairs with link(). */
	for (; watched; watched = kp_load_acquire(&watched->next)) {
		*word = word_at(watched, addr);
		/* Pairs with arm() and arm_pages(): that says what is reported. */
		if (*word >= 0 &&
		    kp_load_acquire(&watched->site.state) == KP_SITE_ARMED &&
		    !kp_load_acquire(&watched->paged))
			return watched;
	}
	return NULL;
}

/* Is it the site of watch probes? */
KP_TRAP_PATH static bool is_watched(const struct kp_site *site)
{
	struct kp_watched *watched = first();

	/* As in find(). */
	for (; watched; watched = kp_load_acquire(&watched->next))
		if (&watched->site == site)
			return true;
	return false;
}

/* Is it to be called for what this task does? */
KP_TRAP_PATH static bool is_called(const struct kp_child *child,
				   const struct wprobe *wp)
{
	return kp_child_enabled(child) &&
	       (!wp->task || kp_host_is_task(wp->task));
}

KP_TRAP_PATH static void tell(struct kp_context *ctx,
			      struct kp_watched *watched,
			      struct kp_access *access, bool reported,
			      struct pt_regs *regs)
{
	struct kp_child *child = kp_child_first(&watched->site);
	int ignored;

	for (; child; child = kp_child_next(child)) {
		struct wprobe *wp = kp_wprobe_of(child);
		struct pt_regs copy = *regs;

		if (!is_called(child, wp))
			continue;
		if (wp->type == KP_WATCH_CHANGED
			    ? access->before == access->after : !reported)
			continue;
		kp_hit_call(ctx, child, (void *)wp->handler, wp, &copy,
			     (unsigned long)access, &ignored);
	}
}

KP_TRAP_PATH static unsigned long cut(unsigned long value, unsigned int len)
{
	return len < sizeof(value) ? value & ((1ul << 8 * len) - 1) : value;
}

/*
 * Are the two as far apart as the change made them, or farther, in its direction?  If not,
 * another look has seen it.
 */
KP_TRAP_PATH static bool reaches(unsigned long last, unsigned long now, unsigned long by,
				 unsigned int len)
{
	unsigned int unused = 8 * ((unsigned int)sizeof(long) - len);
	long far = (long)((now - last) << unused), step = (long)(by << unused);

	return step > 0 ? far >= step : far <= step;
}

/*
 * One step on from what was seen last.  Where others have written, too, theirs are still to
 * be told, and begin there.
 */
KP_TRAP_PATH static void step(struct kp_watched *watched, unsigned int i, unsigned long by,
			      struct kp_access *access)
{
	unsigned long now;

	access->before = kp_load_relaxed(&watched->last[i]);
	do {
		now = kp_watched_look(watched, i);
		access->after = reaches(access->before, now, by, access->size) ?
				cut(access->before + by, access->size) : now;
	} while (!kp_swap_if(&watched->last[i], &access->before, access->after));
	access->before = cut(access->after - by, access->size);
}

/* Its own values, whatever is there by now. */
KP_TRAP_PATH static void apply(struct kp_watched *watched, unsigned int i,
			       const struct kp_arch_change *change, struct kp_access *access)
{
	unsigned long last = kp_load_relaxed(&watched->last[i]);

	switch (change->kind) {
	case KP_ARCH_CHANGED_ADDED:
		step(watched, i, change->by, access);
		return;
	case KP_ARCH_CHANGED_NOT:
		access->before = access->after = last;
		return;
	case KP_ARCH_CHANGED_FROM_TO:
		access->before = change->before;
		access->after = change->after;
		break;
	case KP_ARCH_CHANGED_FROM:
		access->before = change->before;
		access->after = kp_watched_look(watched, i);
		if (access->after == access->before)
			access->after = cut(access->before + change->by, access->size);
		break;
	default:				/* FLIPPED */
		access->after = kp_watched_look(watched, i);
		access->before = access->after ^ change->by;
	}
	/* Another look may be ahead: then that one's stays. */
	kp_swap_if(&watched->last[i], &last, kp_watched_look(watched, i));
}

KP_TRAP_PATH static void look(struct kp_context *ctx,
			      struct kp_watched *watched, unsigned int i,
			      const struct kp_arch_change *change, bool reported,
			      struct pt_regs *regs)
{
	const struct kp_watch_word *word = &watched->set.words[i];
	struct kp_access access = { .addr = word->addr, .size = word->len };

	if (reported && change->kind != KP_ARCH_CHANGED_UNKNOWN) {
		apply(watched, i, change, &access);
	} else {
		access.before = kp_load_relaxed(&watched->last[i]);
		/* Pairs with itself elsewhere: of several that look, one tells of a change. */
		do
			access.after = kp_watched_look(watched, i);
		while (!kp_swap_if(&watched->last[i], &access.before, access.after));
	}
	access.written = !word->reads || access.before != access.after;
	if (reported || access.before != access.after)
		tell(ctx, watched, &access, reported, regs);
}

/* What the instruction did that has been executed last. */
KP_TRAP_PATH static void change_of(struct kp_arch_change *change,
				   const struct kp_watch_word *word, struct pt_regs *regs)
{
	uint8_t code[KP_ARCH_INSN_BEFORE];

	change->kind = KP_ARCH_CHANGED_UNKNOWN;
	if (!kp_host_text_read(code, instruction_pointer(regs) - sizeof(code), sizeof(code)))
		kp_arch_change_of(change, code, regs, word);
}

KP_TRAP_PATH static void accessed(struct kp_context *ctx,
				  struct kp_watched *watched, int word,
				  struct pt_regs *regs)
{
	uintptr_t frame = kp_hit_begin(ctx, &watched->site);
	struct kp_arch_change change;
	struct pt_regs seen = *regs;
	unsigned int i;
	bool probed;

	/* As if the original had done it. */
	kp_landing_leave(&seen, &probed);
	change_of(&change, &watched->set.words[word], &seen);
	/* An atomic instruction has written no other word. */
	for (i = 0; i < watched->set.nr; i++)
		if ((int)i == word || change.kind == KP_ARCH_CHANGED_UNKNOWN)
			look(ctx, watched, i, &change, (int)i == word, &seen);
	kp_hit_end(ctx, frame);
}

/* May handlers run in this context now? */
KP_TRAP_PATH static bool is_free(struct kp_context **ctx, struct pt_regs *regs)
{
	if (*ctx && (*ctx)->site &&
	    !kp_context_busy(*ctx, kernel_stack_pointer(regs)))
		*ctx = kp_host_enter();
	return *ctx && !(*ctx)->site;
}

KP_TRAP_PATH static void missed(const struct kp_context *ctx,
				struct kp_watched *watched)
{
	if (!ctx || ctx->current || !is_watched(ctx->site))
		kp_hit_missed(&watched->site);
}

/* Of a head only the stack accesses are seen, and they are ours. */
KP_TRAP_PATH void kp_core_on_access(struct pt_regs *regs, uintptr_t addr)
{
	struct kp_context *ctx;
	struct kp_watched *watched;
	bool free;
	int word = -1;

	if (kp_head_site(instruction_pointer(regs)))
		return;
	ctx = kp_host_enter();
	watched = find(addr, &word);
	free = is_free(&ctx, regs);
	if (watched && free)
		accessed(ctx, watched, word, regs);
	else if (watched)
		missed(ctx, watched);
	kp_host_leave(ctx);
}

/* ---- by pages, and by probes on code ------------------------------------------------- */

/* What was written; for who wants changes, from the first one to the last. */
KP_TRAP_PATH static struct kp_access access_of(const struct kp_watch_store *store,
					       bool changes)
{
	unsigned int from = 0, to = store->len;

	while (changes && from < to && store->before[from] == store->after[from])
		from++;
	while (changes && from < to &&
	       store->before[to - 1] == store->after[to - 1])
		to--;
	return (struct kp_access){
		.addr = store->addr + from, .size = to - from, .written = true,
		.before = value_at(store->before + from, to - from),
		.after = value_at(store->after + from, to - from),
	};
}

KP_TRAP_PATH void kp_watched_tell(struct kp_context *ctx,
				  struct kp_watched *watched,
				  const struct kp_watch_store *store,
				  struct pt_regs *regs, bool before)
{
	struct kp_child *child = kp_child_first(&watched->site);
	int ignored;

	for (; child; child = kp_child_next(child)) {
		struct wprobe *wp = kp_wprobe_of(child);
		wprobe_handler_t handler = before ? wp->before : wp->handler;
		struct pt_regs copy = *regs;
		struct kp_access access = access_of(store, !before &&
						    wp->type == KP_WATCH_CHANGED);

		if (handler && access.size && is_called(child, wp))
			kp_hit_call(ctx, child, (void *)handler, wp, &copy,
				     (unsigned long)&access, &ignored);
	}
}

KP_TRAP_PATH static struct kp_watched *
watched_of(const struct kp_watch_range *range)
{
	return (struct kp_watched *)(void *)((char *)(uintptr_t)range -
					     offsetof(struct kp_watched, range));
}

KP_TRAP_PATH void kp_core_on_store(struct pt_regs *regs,
				   const struct kp_watch_range *range,
				   const struct kp_watch_store *store)
{
	struct kp_context *ctx = kp_host_enter();
	struct kp_watched *watched = watched_of(range);
	struct pt_regs seen = *regs;
	uintptr_t frame;
	bool probed;

	if (is_free(&ctx, regs)) {
		frame = kp_hit_begin(ctx, &watched->site);
		/* As if the original had done it. */
		kp_landing_leave(&seen, &probed);
		kp_watched_tell(ctx, watched, store, &seen, false);
		kp_hit_end(ctx, frame);
	} else {
		missed(ctx, watched);
	}
	kp_host_leave(ctx);
}

KP_TRAP_PATH void kp_core_on_unseen_store(const struct kp_watch_range *range)
{
	struct kp_context *ctx = kp_host_enter();

	kp_hit_missed(&watched_of(range)->site);
	kp_host_leave(ctx);
}

KP_TRAP_PATH void kp_core_on_late_access(uintptr_t addr)
{
	struct kp_context *ctx = kp_host_enter();
	struct kp_watched *watched;
	int word;

	watched = find(addr, &word);
	if (watched)
		kp_hit_missed(&watched->site);
	kp_host_leave(ctx);
}
