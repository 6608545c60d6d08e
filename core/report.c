/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * report.c - the documented text formats.
 *
 * Owns: the lines of the list and blacklist files (K-KNB-01 to 12, 40, 41), and the extended
 * lines for tools: behind the line of the list file, each after a tab, how often the probe was
 * missed, whose handler it calls, and why it is still a breakpoint.
 *
 * Locks: takes the registry lock; its buffers are guarded by it.  A probe's handler, which must
 * not wait, gets no lines.
 */
#include "blacklist.h"
#include "busy.h"
#include "children.h"
#include "gone.h"
#include "optimize.h"
#include "table.h"
#include "watched.h"
#include "wprobe.h"

/* Guarded by the registry lock. */
static char line[3 * KP_SYMBOL_MAX + 512];
static char symbol[KP_SYMBOL_MAX], owner[KP_SYMBOL_MAX], asked[KP_SYMBOL_MAX];

struct out {
	kp_core_line_fn emit;
	void *arg;
	bool show;
	bool more;			/* what tools want to know */
	size_t len;
};

static void put(struct out *out, const char *text)
{
	while (*text && out->len < sizeof(line) - 1)
		line[out->len++] = *text++;
}

/* Lower-case hex, at least width digits. */
static void put_hex(struct out *out, uintptr_t value, unsigned int width)
{
	char digits[2 * sizeof(value) + 1];
	size_t at = sizeof(digits) - 1;

	digits[at] = 0;
	do {
		digits[--at] = "0123456789abcdef"[value & 15];
		value >>= 4;
	} while (value || sizeof(digits) - 1 - at < width);
	put(out, digits + at);
}

static void put_number(struct out *out, unsigned long value)
{
	char digits[3 * sizeof(value) + 1];
	size_t at = sizeof(digits) - 1;

	digits[at] = 0;
	do {
		digits[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	put(out, digits + at);
}

static void flush(struct out *out)
{
	put(out, "\n");
	line[out->len] = 0;
	out->emit(out->arg, line, out->len);
	out->len = 0;
}

/* A copy of the user's struct, which may be gone: then nothing is known of it. */
static union {
	struct kprobe kp;
	struct jprobe jp;
	struct kretprobe rp;
	struct wprobe wp;
} seen;

static void see(const struct kp_child *child)
{
	if (kp_host_data_read((uintptr_t)child->kp, &seen, child->kind->len))
		memset(&seen, 0, sizeof(seen));
}

/* What the user called the function that starts there, if it is called so. */
static const char *name_of(uintptr_t start)
{
	const char *plain;

	if (!seen.kp.symbol_name ||
	    kp_host_str_read(asked, seen.kp.symbol_name, sizeof(asked)))
		return symbol;
	plain = strchr(asked, ':');
	plain = plain ? plain + 1 : asked;
	return kp_host_names(start, plain) ? plain : symbol;
}

static void put_where(struct out *out, uintptr_t addr)
{
	uintptr_t start;
	size_t len;

	if (kp_host_bounds(addr, &start, &len) ||
	    kp_host_describe(addr, symbol, sizeof(symbol), owner,
			     sizeof(owner))) {
		put(out, "0x");
		put_hex(out, out->show ? addr : 0, 1);
		put(out, " ");
		return;
	}
	put(out, name_of(start));
	put(out, "+0x");
	put_hex(out, addr - start, 1);
	put(out, "  ");
	put(out, owner[0] ? owner : " ");
	put(out, " ");
}

/*
 * K-KNB-07, 08: what is the child's own first, then what is the address's; so a
 * child whose text is gone shows how a newer one is served there (K-MOD-05).
 */
static void put_tags(struct out *out, const struct kp_site *site,
		     const struct kp_child *child)
{
	const struct kp_site *now = kp_table_find(site->addr);

	now = now ? now : site;
	if (site->state == KP_SITE_GONE)
		put(out, "[GONE]");
	else if (!child->enabled)
		put(out, "[DISABLED]");
	if (kp_optimize_shown(now))
		put(out, "[OPTIMIZED]");
	if (now->tracer)
		put(out, "[FTRACE]");
}

/* What it is told of, and by which means. */
static void put_watch_tags(struct out *out, const struct kp_site *site,
			   const struct kp_child *child)
{
	if (site->state == KP_SITE_GONE)
		put(out, "[GONE]");
	else if (!child->enabled)
		put(out, "[DISABLED]");
	put(out, seen.wp.type == KP_WATCH_WRITE ? "[WRITE]" :
		 seen.wp.type == KP_WATCH_RW ? "[RW]" : "[CHANGED]");
	if (site->state == KP_SITE_ARMED)
		put(out, kp_wprobe_means(site));
	if (site->state == KP_SITE_ARMED && seen.wp.unseen) {
		put(out, "[UNSEEN ");
		put_number(out, seen.wp.unseen);
		put(out, "]");
	}
}

/* It says whose the probe is. */
static uintptr_t handler(enum kp_letter letter)
{
	if (letter == KP_LETTER_WATCH)
		return (uintptr_t)seen.wp.handler;
	if (letter == KP_LETTER_JPROBE)
		return (uintptr_t)seen.jp.entry;
	if (letter == KP_LETTER_RETURN)
		return seen.rp.handler ? (uintptr_t)seen.rp.handler
				       : (uintptr_t)seen.rp.entry_handler;
	return seen.kp.pre_handler ? (uintptr_t)seen.kp.pre_handler
				   : (uintptr_t)seen.kp.post_handler;
}

static const char *why_breakpoint(const struct kp_site *site,
				  const struct kp_child *child)
{
	if (site->state != KP_SITE_ARMED || site->tracer ||
	    child->kind->letter == KP_LETTER_WATCH || kp_optimize_shown(site))
		return "";
	if (!child->enabled)
		return "";
	if (site->why_not)
		return site->why_not;
	return kp_core_optimization() ? "" : "optimization is off";
}

static void put_more(struct out *out, const struct kp_site *site,
		     const struct kp_child *child)
{
	unsigned long missed = seen.kp.nmissed;

	if (child->kind->letter == KP_LETTER_RETURN)
		missed += (unsigned long)seen.rp.nmissed;
	put(out, "\t");
	put_number(out, missed);
	put(out, "\t");
	if (!kp_host_describe(handler(child->kind->letter), symbol, sizeof(symbol), owner,
			      sizeof(owner)))
		put(out, owner);
	put(out, "\t");
	put(out, why_breakpoint(site, child));
}

static void list_child(struct out *out, const struct kp_site *site,
		       const struct kp_child *child)
{
	char letter[2] = { (char)child->kind->letter, 0 };

	see(child);
	put_hex(out, out->show ? site->addr : 0, 2 * sizeof(uintptr_t));
	put(out, "  ");
	put(out, letter);
	put(out, "  ");
	if (site->state == KP_SITE_GONE) {
		put(out, "0x");
		put_hex(out, out->show ? site->addr : 0, 1);
		put(out, " ");
	} else {
		put_where(out, site->addr);
	}
	if (child->kind->letter == KP_LETTER_WATCH)
		put_watch_tags(out, site, child);
	else
		put_tags(out, site, child);
	if (out->more)
		put_more(out, site, child);
	flush(out);
}

static void list_site(struct out *out, const struct kp_site *site)
{
	const struct kp_child *child;

	for (child = site->children; kp_child_shown(child); child = child->next)
		list_child(out, site, child);
}

/* All children of one address stand together (K-KNB-10). */
static void list_gone(struct out *out, const struct kp_site *live)
{
	const struct kp_site *site;

	for (site = kp_gone_first(); kp_child_shown(live->children) && site;
	     site = site->batch_next)
		if (site->addr == live->addr)
			list_site(out, site);
}

static bool shown_before(const struct kp_site *gone)
{
	const struct kp_site *live = kp_table_find(gone->addr);

	return live && kp_child_shown(live->children);
}

static void list_all(struct out *out)
{
	const struct kp_site *site;

	if (kp_in_handler())
		return;
	kp_host_lock(KP_LOCK_REGISTRY);
	kp_optimize_plan();
	kp_wprobe_settle();
	for (site = kp_table_next(NULL); site; site = kp_table_next(site)) {
		list_site(out, site);
		list_gone(out, site);
	}
	for (site = kp_gone_first(); site; site = site->batch_next)
		if (!shown_before(site))
			list_site(out, site);
	for (site = kp_wprobe_site(NULL); site; site = kp_wprobe_site(site))
		list_site(out, site);
	kp_host_unlock(KP_LOCK_REGISTRY);
}

void kp_core_report_list(kp_core_line_fn emit, void *arg, bool show_addresses)
{
	struct out out = { emit, arg, show_addresses, false, 0 };

	list_all(&out);
}

void kp_core_report_details(kp_core_line_fn emit, void *arg)
{
	struct out out = { emit, arg, true, true, 0 };

	list_all(&out);
}

static void blacklist_entry(void *arg, uintptr_t start, uintptr_t end,
			    const char *name)
{
	struct out *out = arg;
	unsigned int width = 2 * sizeof(uintptr_t);

	put(out, "0x");
	put_hex(out, out->show ? start : 0, width);
	put(out, "-0x");
	put_hex(out, out->show ? end : 0, width);
	put(out, "\t");
	put(out, name);
	flush(out);
}

void kp_core_report_blacklist(kp_core_line_fn emit, void *arg,
			      bool show_addresses)
{
	struct out out = { emit, arg, show_addresses, false, 0 };

	if (kp_in_handler())
		return;
	kp_host_lock(KP_LOCK_REGISTRY);
	kp_blacklist_visit(blacklist_entry, &out);
	kp_host_unlock(KP_LOCK_REGISTRY);
}
