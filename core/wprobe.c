/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * wprobe.c - watch probes: register, unregister, enable, disable.
 *
 * Owns: the calls of <kprobes/watch.h>, what is watched, and the method while a probe on it is
 * enabled: a few words, each in a debug register of its own; or, if these do not suffice, its
 * pages; or, if the user names code, probes on that code.  Probes on the same range share it,
 * except those with code.  Ranges without code do not overlap: two registers would report one
 * access, and hosts merge reports.
 *
 * A page has one method: no debug register sees what a host does for a write to a protected
 * page.  So if a neighbour of a range is watched by pages, the range is too, and takes its
 * neighbours along.
 *
 * Locks: takes the registry lock; waits for handlers without it.  access.c reads the list
 * without a lock: what leaves it is freed when no handler runs any more.
 */
#include "wprobe.h"
#include "access.h"
#include "busy.h"
#include "children.h"
#include "examine.h"
#include "kinds.h"
#include "refusal.h"
#include "register.h"
#include "watched.h"
#include "code_watch.h"
#include "writes.h"

/* Guarded by the registry lock: out of the list, to be freed. */
static struct kp_watched *buried;

#define refuse(wp, err, reason) kp_refuse(&(wp)->kp, err, reason)

static struct kp_watched *watched_of(const struct kp_child *child)
{
	return (struct kp_watched *)child->site;
}

/* ---- checks ---------------------------------------------------------------------- */

/* May the struct be read and written?  Garbage must not take us down. */
static bool usable(struct wprobe *wp)
{
	struct wprobe copy;
	const char *none = NULL;

	return wp && !kp_host_data_read((uintptr_t)wp, &copy, sizeof(copy)) &&
	       !kp_host_data_write((uintptr_t)&wp->kp.reason, &none,
				   sizeof(none));
}

static int check_wishes(struct wprobe *wp)
{
	if (!wp->handler || !kp_host_is_code((uintptr_t)wp->handler))
		return refuse(wp, -EINVAL, "handler does not point at code");
	if (wp->type != KP_WATCH_WRITE && wp->type != KP_WATCH_RW &&
	    wp->type != KP_WATCH_CHANGED)
		return refuse(wp, -EINVAL, "no such type");
	if (wp->before && !kp_host_is_code((uintptr_t)wp->before))
		return refuse(wp, -EINVAL, "before does not point at code");
	if (wp->before && !wp->code)
		return refuse(wp, -EOPNOTSUPP, "only probes on code are hit before the access");
	if (wp->code && wp->type == KP_WATCH_RW)
		return refuse(wp, -EINVAL, "reads are not seen by probes on code");
	return 0;
}

/* How many bytes, where the user leaves that to the symbol. */
static int find_len(struct wprobe *wp, uintptr_t addr, size_t *len)
{
	uintptr_t start;
	size_t of_symbol;

	*len = wp->len;
	if (*len)
		return 0;
	if (kp_host_bounds(addr, &start, &of_symbol))
		return refuse(wp, -EINVAL, "len is 0, and no symbol says how long it is");
	*len = start + of_symbol - addr;
	return 0;
}

static int check_memory(struct wprobe *wp, uintptr_t addr, size_t len)
{
	const char *why;
	uint8_t byte;

	if (addr + len < addr || kp_host_data_read(addr, &byte, 1) ||
	    kp_host_data_read(addr + len - 1, &byte, 1))
		return refuse(wp, -EFAULT, "there is no memory that can be read");
	why = kp_host_watch_refused(addr, len);
	return why ? refuse(wp, -EINVAL, why) : 0;
}

/* ---- what is watched --------------------------------------------------------------- */

static bool reads(const struct wprobe *wp)
{
	return wp->type == KP_WATCH_RW;
}

/* Into no word at all where it takes more than there are. */
static void cut(struct kp_watch_set *set, uintptr_t addr, size_t len)
{
	while (len) {
		struct kp_watch_word *word = &set->words[set->nr];

		if (set->nr == KP_ARCH_WATCH_WORDS) {
			set->nr = 0;
			return;
		}
		word->addr = addr;
		word->len = (uint8_t)kp_arch_watch_len(addr, len);
		addr += word->len;
		len -= word->len;
		set->nr++;
	}
}

static struct kp_watched *make_watched(uintptr_t addr, size_t len,
				       bool of_reads, struct kp_code *code)
{
	struct kp_watched *watched = kp_host_alloc(sizeof(*watched));
	unsigned int i;

	if (!watched)
		return NULL;
	watched->site.addr = watched->range.addr = addr;
	watched->len = watched->range.len = len;
	watched->reads = of_reads;
	watched->code = code;
	if (code)
		return watched;
	cut(&watched->set, addr, len);
	for (i = 0; i < watched->set.nr; i++)
		watched->set.words[i].reads = of_reads;
	return watched;
}

/* New ones in front. */
static void link(struct kp_watched *watched)
{
	watched->next = kp_watched_list;
	/* Pairs with access.c's first(): it is complete. */
	kp_store_release(&kp_watched_list, watched);
}

static void unlink(struct kp_watched *watched)
{
	struct kp_watched **at = &kp_watched_list;

	while (*at != watched)
		at = &(*at)->next;
	/* A reader on this one still finds its way on. */
	kp_store_release(at, watched->next);
	watched->dead = buried;
	buried = watched;
	watched->code_left = watched->code && kp_code_put(watched->code);
}

/* What wp can share, or NULL; 0, or -errno. */
static int find_shared(struct wprobe *wp, uintptr_t addr, size_t len,
		       struct kp_watched **out)
{
	struct kp_watched *at;

	*out = NULL;
	for (at = kp_watched_list; at; at = at->next) {
		if (at->code || at->site.state == KP_SITE_GONE ||
		    at->site.addr >= addr + len ||
		    addr >= at->site.addr + at->len)
			continue;
		if (at->site.addr != addr || at->len != len)
			return refuse(wp, -EBUSY, "another watch probe is on some of these bytes, but not on the same");
		if (at->reads != reads(wp))
			return refuse(wp, -EBUSY, "another watch probe is on these bytes, and of the two only one tells of reads");
		*out = at;
	}
	return 0;
}

static int with_code(struct wprobe *wp, uintptr_t addr, size_t len,
		     struct kp_watched **out)
{
	const char *reason = "out of memory";
	struct kp_watched *watched;
	struct kp_code *code;
	int err = kp_code_get(wp, &code);

	if (err)
		return err;
	watched = make_watched(addr, len, false, code);
	err = watched ? kp_writes_prepare(watched, &reason) : -ENOMEM;
	if (!err) {
		link(watched);
		*out = watched;
		return 0;
	}
	if (watched)
		kp_writes_drop(watched);
	kp_host_free(watched);
	/* No probe of its has been registered, if nobody else uses it. */
	if (kp_code_put(code))
		kp_code_free(code);
	return refuse(wp, err, reason);
}

static int find_watched(struct wprobe *wp, uintptr_t addr, size_t len,
			struct kp_watched **out)
{
	struct kp_watched *watched;
	int err;

	if (wp->code)
		return with_code(wp, addr, len, out);
	err = find_shared(wp, addr, len, out);
	if (err || *out)
		return err;
	watched = make_watched(addr, len, reads(wp), NULL);
	if (!watched)
		return refuse(wp, -ENOMEM, "out of memory");
	link(watched);
	*out = watched;
	return 0;
}

/* ---- by which means ------------------------------------------------------------------ */

static bool share_a_page(const struct kp_watched *a, const struct kp_watched *b)
{
	uintptr_t mask = ~((uintptr_t)KP_ARCH_PAGE - 1);

	return (a->site.addr & mask) <= b->site.addr + b->len - 1 &&
	       (b->site.addr & mask) <= a->site.addr + a->len - 1;
}

/* Those that have debug registers; registry lock. */
static struct kp_watched *in_registers[KP_ARCH_WATCH_WORDS];

static void note_registers(const struct kp_watched *old, struct kp_watched *new)
{
	unsigned int i = 0;

	while (i < KP_ARCH_WATCH_WORDS - 1 && in_registers[i] != old)
		i++;
	in_registers[i] = new;
}

/* One of those, on a page of this one's; or NULL. */
static struct kp_watched *neighbour(const struct kp_watched *watched)
{
	unsigned int i;

	for (i = 0; i < KP_ARCH_WATCH_WORDS; i++)
		if (in_registers[i] && share_a_page(in_registers[i], watched))
			return in_registers[i];
	return NULL;
}

static int arm_registers(struct kp_watched *watched, const char **reason)
{
	unsigned int i;
	int err;

	*reason = "so many bytes do not fit the processor's debug registers";
	if (!watched->set.nr)
		return -ENOSPC;
	if (kp_host_watch_pages_near(&watched->range)) {
		*reason = "a page that it is on is protected for another watch probe, so that no debug register sees what is written there";
		return -ENOSPC;
	}
	for (i = 0; i < watched->set.nr; i++)
		kp_store_relaxed(&watched->last[i], kp_watched_look(watched, i));
	err = kp_host_watch(&watched->set, reason);
	if (!err)
		note_registers(NULL, watched);
	return err;
}

/* Its neighbours in registers come along, or none. */
static int arm_pages(struct kp_watched *watched, const char **reason)
{
	struct kp_watched *at;
	unsigned int i;
	int err = 0;

	for (i = 0; i < KP_ARCH_WATCH_WORDS; i++)
		if (in_registers[i] && in_registers[i]->reads &&
		    share_a_page(in_registers[i], watched)) {
			*reason = "another watch probe, which tells of reads, is on the same page";
			return -EBUSY;
		}
	while (!err && (at = neighbour(watched))) {
		err = kp_host_watch_pages(&at->range, reason);
		if (err)
			break;
		kp_host_unwatch(&at->set);
		note_registers(at, NULL);
		/* From here on access.c finds no word of it. */
		kp_store_release(&at->paged, true);
	}
	return err ? err : kp_host_watch_pages(&watched->range, reason);
}

/* Its one probe is told how much of the code is not seen. */
static int arm_code(struct kp_watched *watched, const char **reason)
{
	int err;

	kp_writes_add(watched);
	*reason = "probes on the code could not be set";
	err = kp_code_arm(watched->code);
	if (err) {
		kp_writes_remove(watched);
		return err;
	}
	kp_host_data_write((uintptr_t)&kp_wprobe_of(watched->site.children)->unseen,
			   &watched->code->unseen, sizeof(watched->code->unseen));
	return 0;
}

/* By registers, else by pages. */
static int arm_memory(struct kp_watched *watched, const char **reason)
{
	int err = arm_registers(watched, reason);
	const char *why = NULL;

	if (err != -ENOSPC && err != -EPERM && err != -EOPNOTSUPP)
		return err;
	kp_store_relaxed(&watched->paged, true);
	if (watched->reads)
		return err;
	if (!arm_pages(watched, &why))
		return 0;
	*reason = why ? why : *reason;
	return err;
}

static int arm(struct kp_watched *watched, const char **reason)
{
	int err;

	if (watched->site.state == KP_SITE_ARMED)
		return 0;
	kp_store_relaxed(&watched->paged, false);
	/* Before the first access is reported; pairs with access.c's find(). */
	kp_store_release(&watched->site.state, KP_SITE_ARMED);
	err = watched->code ? arm_code(watched, reason)
			    : arm_memory(watched, reason);
	/* Nothing is reported of it any more: find() passes over it. */
	if (err)
		kp_store_release(&watched->site.state, KP_SITE_IDLE);
	return err;
}

static void disarm(struct kp_watched *watched)
{
	if (watched->site.state != KP_SITE_ARMED)
		return;
	if (watched->code) {
		kp_code_disarm(watched->code);
		kp_writes_remove(watched);
	} else if (watched->paged) {
		kp_host_unwatch_pages(&watched->range);
	} else {
		kp_host_unwatch(&watched->set);
		note_registers(watched, NULL);
	}
	/* Pairs with find() and note_down(): reports on their way are ignored. */
	kp_store_release(&watched->site.state, KP_SITE_IDLE);
}

/* Armed while somebody wants it and the global switch allows it. */
static int follow(struct kp_watched *watched, bool allowed,
		  const char **reason)
{
	if (watched->site.state == KP_SITE_GONE)
		return 0;
	if (allowed && kp_site_wanted(&watched->site))
		return arm(watched, reason);
	disarm(watched);
	return 0;
}

/* The child has been unlinked. */
static void release(struct kp_watched *watched)
{
	const char *reason;

	follow(watched, kp_core_enabled(), &reason);
	if (!watched->site.children)
		unlink(watched);
}

/* ---- one probe ---------------------------------------------------------------------- */

static int enable(struct kp_child *child, bool on)
{
	const char *reason = NULL;
	int err;

	if (kp_child_enabled(child) != on)
		kp_child_set_enabled(child, on);
	err = follow(watched_of(child), kp_core_enabled(), &reason);
	if (err && on) {
		kp_child_set_enabled(child, false);
		kp_refuse(child->kp, err, reason);
	}
	return err;
}

static unsigned int functions(const struct kprobe *seen, uintptr_t *fns)
{
	const struct wprobe *wp = (const void *)seen;

	fns[0] = (uintptr_t)wp->handler;
	fns[1] = (uintptr_t)wp->before;
	return 2;
}

static void orphaned(struct kp_child *child, bool there)
{
	(void)there;
	release(watched_of(child));
}

static const struct kp_kind kind = {
	.letter = KP_LETTER_WATCH,
	.len = sizeof(struct wprobe),
	.oldest_first = true,
	.know = kp_kind_know,
	.enable = enable,
	.functions = functions,
	.orphaned = orphaned,
};

static int attach(struct wprobe *wp, struct kp_watched *watched,
		  struct kp_child **dead)
{
	const char *reason = "the host does not say why";
	struct kp_child *child;
	int err = kp_child_add(&watched->site, &wp->kp, &kind);

	if (err) {
		release(watched);
		return refuse(wp, err, "out of memory");
	}
	err = follow(watched, kp_core_enabled(), &reason);
	if (!err)
		return 0;
	child = kp_child_find(&wp->kp);
	kp_child_unlink(child);
	child->hash_next = *dead;
	*dead = child;
	release(watched);
	return refuse(wp, err, reason);
}

static int register_one(struct wprobe *wp, struct kp_child **dead)
{
	struct kp_watched *watched;
	uintptr_t addr;
	size_t len;
	int err;

	if (!usable(wp))
		return -EINVAL;
	if (kp_child_find(&wp->kp)) {
		kp_host_log(KP_LOG_WARN, "kprobes: this struct wprobe is registered already");
		return -EINVAL;
	}
	err = kp_examine_name(&wp->kp, &addr);
	if (err)
		return err;
	wp->kp.addr = (kprobe_opcode_t *)addr;
	wp->kp.flags &= KPROBE_FLAG_DISABLED;
	wp->kp.nmissed = 0;
	wp->kp.pre_handler = NULL;
	wp->kp.post_handler = NULL;
	err = check_wishes(wp);
	if (!err)
		err = find_len(wp, addr, &len);
	if (!err)
		err = check_memory(wp, addr, len);
	if (!err)
		err = find_watched(wp, addr, len, &watched);
	return err ? err : attach(wp, watched, dead);
}

/* Unlink wp; its node goes to *dead. */
static void unregister_one(struct wprobe *wp, struct kp_child **dead)
{
	struct kp_child *child = kp_child_find(&wp->kp);
	kprobe_opcode_t *none = NULL;

	if (!child || child->kind != &kind) {
		kp_host_data_write((uintptr_t)&wp->kp.addr, &none, sizeof(none));
		return;
	}
	kp_child_unlink(child);
	wp->kp.flags |= KPROBE_FLAG_DISABLED;
	child->hash_next = *dead;
	*dead = child;
	release(watched_of(child));
}

const char *kp_wprobe_means(const struct kp_site *site)
{
	const struct kp_watched *watched = (const struct kp_watched *)site;

	return watched->code ? "[CODE]" : watched->paged ? "[PAGES]" :
			       "[REGISTERS]";
}

/* ---- all of them ---------------------------------------------------------------------- */

struct kp_site *kp_wprobe_site(const struct kp_site *after)
{
	struct kp_watched *next = after ? ((const struct kp_watched *)after)->next
					: kp_watched_list;

	return next ? &next->site : NULL;
}

int kp_wprobe_switch_all(bool on)
{
	struct kp_watched *at;
	const char *reason;
	int err = 0, last;

	for (at = kp_watched_list; at; at = at->next) {
		last = follow(at, on, &reason);
		err = last ? last : err;
	}
	return err;
}

void kp_wprobe_detach_all(struct kp_child **dead)
{
	struct kp_child *child;

	while (kp_watched_list) {
		struct kp_watched *watched = kp_watched_list;

		while ((child = watched->site.children)) {
			kp_child_unlink(child);
			child->hash_next = *dead;
			*dead = child;
		}
		release(watched);
	}
}

static void gone(struct kp_watched *watched)
{
	struct kp_child *child;

	disarm(watched);
	/* As in disarm(). */
	kp_store_release(&watched->site.state, KP_SITE_GONE);
	for (child = watched->site.children; child; child = child->next)
		/* A handler that faults sets another one meanwhile. */
		if (kp_child_struct_there(child))
			kp_or_relaxed(&child->kp->flags, (u32)KPROBE_FLAG_GONE);
}

void kp_wprobe_settle(void)
{
	struct kp_watched *at;

	for (at = kp_watched_list; at; at = at->next)
		if (at->site.state == KP_SITE_ARMED && at->paged &&
		    kp_host_watch_pages_gone(&at->range))
			gone(at);
}

/* A part of what is watched is enough. */
void kp_wprobe_memory_gone(uintptr_t start, size_t len)
{
	struct kp_watched *at;

	for (at = kp_watched_list; at; at = at->next)
		if (at->site.addr - start < len ||
		    start - at->site.addr < at->len)
			gone(at);
}

void kp_wprobe_bury(void)
{
	struct kp_watched *dead, *next;

	kp_host_lock(KP_LOCK_REGISTRY);
	dead = buried;
	buried = NULL;
	kp_host_unlock(KP_LOCK_REGISTRY);
	if (!dead)
		return;
	kp_host_wait_handlers();
	for (; dead; dead = next) {
		next = dead->dead;
		if (dead->code)
			kp_writes_drop(dead);
		else
			kp_host_drop_pages(&dead->range);
		if (dead->code_left)
			kp_code_free(dead->code);
		kp_host_free(dead);
	}
}

/* ---- the public calls ---------------------------------------------------------------------- */

int register_wprobes(struct wprobe **wps, int num)
{
	const struct kp_watched *before;
	struct kp_child *dead = NULL;
	int i, err = 0;
	bool left;

	if (num <= 0 || !kp_probe_array_ok(wps, num))
		return -EINVAL;
	if (kp_in_handler())
		return -EDEADLK;
	kp_host_lock(KP_LOCK_REGISTRY);
	kp_wprobe_settle();
	before = buried;
	for (i = 0; i < num && !err; i++)
		err = register_one(wps[i], &dead);
	for (i--; err && i-- > 0; )
		unregister_one(wps[i], &dead);
	left = buried != before;
	kp_host_unlock(KP_LOCK_REGISTRY);
	kp_probe_bury(dead);
	/* Who leaves nothing does not wait for handlers. */
	if (left)
		kp_wprobe_bury();
	return err;
}

void unregister_wprobes(struct wprobe **wps, int num)
{
	struct kp_child *dead = NULL;
	int i;

	if (num <= 0 || !kp_probe_array_ok(wps, num))
		return;
	if (kp_in_handler()) {
		kp_host_log(KP_LOG_ERROR, "kprobes: unregister called from a probe handler; ignored");
		return;
	}
	kp_host_lock(KP_LOCK_REGISTRY);
	for (i = 0; i < num; i++)
		if (wps[i])
			unregister_one(wps[i], &dead);
	kp_host_unlock(KP_LOCK_REGISTRY);
	kp_probe_bury(dead);
	kp_wprobe_bury();
}

int register_wprobe(struct wprobe *wp)
{
	return register_wprobes(&wp, 1);
}

void unregister_wprobe(struct wprobe *wp)
{
	unregister_wprobes(&wp, 1);
}

int disable_wprobe(struct wprobe *wp)
{
	return disable_kprobe(&wp->kp);
}

int enable_wprobe(struct wprobe *wp)
{
	return enable_kprobe(&wp->kp);
}
