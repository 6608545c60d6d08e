/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * report.c - the documented text formats.
 *
 * Owns: the lines of the list and blacklist files (K-KNB-01 to 12, 40, 41).
 *
 * Locks: takes the registry lock; its buffers are guarded by it.  A probe's
 * handler, which must not wait, gets no lines.
 */
#include "site.h"

/* Guarded by the registry lock. */
static char line[2 * KP_SYMBOL_MAX + 128];
static char symbol[KP_SYMBOL_MAX], owner[KP_SYMBOL_MAX];

struct out {
	kp_core_line_fn emit;
	void *arg;
	bool show;
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

static void flush(struct out *out)
{
	put(out, "\n");
	line[out->len] = 0;
	out->emit(out->arg, line, out->len);
	out->len = 0;
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
	put(out, symbol);
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
	if (now->hooked)
		put(out, "[FTRACE]");
}

static void list_child(struct out *out, const struct kp_site *site,
		       const struct kp_child *child)
{
	char letter[2] = { child->letter, 0 };

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
	put_tags(out, site, child);
	flush(out);
}

static void list_site(struct out *out, const struct kp_site *site)
{
	const struct kp_child *child;

	for (child = site->children; child; child = child->next)
		list_child(out, site, child);
}

/* All children of one address stand together (K-KNB-10). */
static void list_gone(struct out *out, const struct kp_site *live)
{
	const struct kp_site *site;

	for (site = kp_gone_first(); live->children && site;
	     site = site->batch_next)
		if (site->addr == live->addr)
			list_site(out, site);
}

static bool shown_before(const struct kp_site *gone)
{
	const struct kp_site *live = kp_table_find(gone->addr);

	return live && live->children;
}

void kp_core_report_list(kp_core_line_fn emit, void *arg, bool show_addresses)
{
	struct out out = { emit, arg, show_addresses, 0 };
	const struct kp_site *site;

	if (kp_probe_in_handler())
		return;
	kp_host_lock(KP_LOCK_REGISTRY);
	kp_optimize_plan();
	for (site = kp_table_next(NULL); site; site = kp_table_next(site)) {
		list_site(&out, site);
		list_gone(&out, site);
	}
	for (site = kp_gone_first(); site; site = site->batch_next)
		if (!shown_before(site))
			list_site(&out, site);
	kp_host_unlock(KP_LOCK_REGISTRY);
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
	struct out out = { emit, arg, show_addresses, 0 };

	if (kp_probe_in_handler())
		return;
	kp_host_lock(KP_LOCK_REGISTRY);
	kp_blacklist_visit(blacklist_entry, &out);
	kp_host_unlock(KP_LOCK_REGISTRY);
}
