/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * control.c - the contents of the control files as functions.
 *
 * Owns: the functions of <kprobes/control.h>, and the meaning of what is written to the files.
 * A caller is allowed to see addresses.  A place is looked up among the registered probes by
 * the names that the list shows.  So a symbol that exists twice names every probe that is
 * listed under it.
 *
 * Locks: takes the registry lock; the buffers are guarded by it.
 */
#include "busy.h"
#include "children.h"
#include "gone.h"
#include "register.h"
#include "table.h"
#include "wprobe.h"
#include <kprobes/control.h>

int kprobes_set_enabled(bool on)
{
	return kp_core_set_enabled(on);
}

bool kprobes_is_enabled(void)
{
	return kp_core_enabled();
}

int kprobes_set_optimization(bool on)
{
	return kp_core_set_optimization(on);
}

bool kprobes_optimization(void)
{
	return kp_core_optimization();
}

void kprobes_flush(void)
{
	kp_core_flush();
}

void kprobes_list(kprobes_line_t emit, void *arg)
{
	kp_core_report_list(emit, arg, true);
}

void kprobes_blacklist(kprobes_line_t emit, void *arg)
{
	kp_core_report_blacklist(emit, arg, true);
}

/* ---- a place ------------------------------------------------------------- */

/* Guarded by the registry lock. */
static char symbol[KP_SYMBOL_MAX], owner[KP_SYMBOL_MAX], alias[KP_SYMBOL_MAX];

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

/* All of text is a number, hexadecimal with 0x in front, or decimal. */
static bool number(const char *text, uintptr_t *value)
{
	int base = 10;

	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		base = 16;
		text += 2;
	}
	*value = 0;
	if (!*text)
		return false;
	for (; *text; text++) {
		int d = digit(*text);

		if (d >= base || *value > ((uintptr_t)-1 - d) / base)
			return false;
		*value = *value * base + d;
	}
	return true;
}

/* "libc:" and "libc.so.6:" are in front of what is in libc.so.6. */
static const char *skip_owner(const char *where)
{
	const char *colon = strchr(where, ':');
	size_t len = colon ? (size_t)(colon - where) : 0;

	if (!colon || strncmp(owner, where, len) ||
	    (owner[len] && owner[len] != '.' && owner[len] != '-'))
		return where;
	return colon + 1;
}

static const char *last_plus(const char *text)
{
	const char *found = NULL;

	for (; *text; text++)
		if (*text == '+')
			found = text;
	return found;
}

/* where without its owner; the function that the site is in starts there. */
static bool is_function(const struct kp_site *site, const char *where,
			uintptr_t start)
{
	const char *plus = last_plus(where);
	size_t len = plus ? (size_t)(plus - where) : strlen(where);
	uintptr_t offset;

	/* What has no symbol is shown as object+0xoffset+0xoffset. */
	if (!strcmp(where, symbol))
		return site->on_entry || site->addr == start;
	memcpy(alias, where, len);
	alias[len] = 0;
	if (strcmp(alias, symbol) && !kp_host_names(start, alias))
		return false;
	if (!plus)
		return site->on_entry || site->addr == start;
	return number(plus + 1, &offset) && start + offset == site->addr;
}

/* Is the site what where names?  An entry's symbol alone names its entry. */
static bool is_at(const struct kp_site *site, const char *where)
{
	uintptr_t start, offset;
	size_t len;

	if (where[0] == '0')		/* no symbol starts so */
		return number(where, &offset) && offset == site->addr;
	if (site->state == KP_SITE_GONE ||
	    kp_host_bounds(site->addr, &start, &len) ||
	    kp_host_describe(site->addr, symbol, sizeof(symbol), owner,
			     sizeof(owner)))
		return false;
	return is_function(site, skip_owner(where), start);
}

static int switch_site(struct kp_site *site, bool on)
{
	struct kp_child *child;
	int err = 0, last;

	for (child = site->children; kp_child_shown(child); child = child->next) {
		last = kp_probe_switch(child, on);
		err = last ? last : err;
	}
	return err;
}

static int switch_at(uintptr_t addr, bool on)
{
	struct kp_site *site = kp_table_find(addr);

	return site && kp_child_shown(site->children) ? switch_site(site, on)
						      : -ENOENT;
}

/* *err: -ENOENT until a probe was found, then 0 or the last errno. */
static void switch_if(struct kp_site *site, const char *where, bool on,
		      int *err)
{
	int last;

	if (!kp_child_shown(site->children) || !is_at(site, where))
		return;
	last = switch_site(site, on);
	*err = last || *err == -ENOENT ? last : *err;
}

int kprobes_switch(const char *where, bool on)
{
	struct kp_site *site;
	uintptr_t addr;
	int err = -ENOENT;

	if (!where || !where[0] || strlen(where) >= KP_SYMBOL_MAX)
		return -EINVAL;
	if (kp_in_handler())
		return -EDEADLK;
	kp_host_lock(KP_LOCK_REGISTRY);
	for (site = kp_table_next(NULL); site; site = kp_table_next(site))
		switch_if(site, where, on, &err);
	for (site = kp_gone_first(); site; site = site->batch_next)
		switch_if(site, where, on, &err);
	for (site = kp_wprobe_site(NULL); site; site = kp_wprobe_site(site))
		switch_if(site, where, on, &err);
	/* As a registration would find it. */
	if (err == -ENOENT && !kp_host_resolve(where, &addr))
		err = switch_at(addr, on);
	kp_host_unlock(KP_LOCK_REGISTRY);
	return err;
}

/* ---- the control file ---------------------------------------------------- */

/* The rest of line after word and one blank, or NULL. */
static const char *after(const char *line, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(line, word, len) || line[len] != ' ')
		return NULL;
	return line + len + 1;
}

/* Printable, and no blank: what a place is written in. */
static bool is_word(const char *text)
{
	for (; *text; text++)
		if ((uint8_t)*text <= 0x20 || *text == 0x7f)
			return false;
	return true;
}

int kp_core_control(const char *line, size_t len)
{
	char copy[KP_SYMBOL_MAX + 16];
	const char *where;
	bool on = false;
	size_t i;

	if (len && line[len - 1] == '\n')
		len--;
	if (!len || len >= sizeof(copy))
		return -EINVAL;
	for (i = 0; i < len; i++) {
		if (!line[i])
			return -EINVAL;
		copy[i] = line[i];
	}
	copy[len] = 0;
	where = after(copy, "disable");
	if (!where) {
		where = after(copy, "enable");
		on = true;
	}
	if (!where || !is_word(where))
		return -EINVAL;
	return kprobes_switch(where, on);
}

/* ---- the switches' files ---------------------------------------------------- */

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* K-KNB-21, 22: by the leading characters. */
static int leading(const char *text, size_t len, bool *on)
{
	char first = len > 0 ? lower(text[0]) : 0;
	char second = len > 1 ? lower(text[1]) : 0;

	if (first == '1' || first == 'y' || first == 't' ||
	    (first == 'o' && second == 'n'))
		*on = true;
	else if (first == '0' || first == 'n' || first == 'f' ||
		 (first == 'o' && second == 'f'))
		*on = false;
	else
		return -EINVAL;
	return 0;
}

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* K-KNB-52, 53: 0, 1, n or y, between blanks. */
static int digit_or_letter(const char *text, size_t len, bool *on)
{
	while (len && is_blank(text[len - 1]))
		len--;
	for (; len && is_blank(*text); text++)
		len--;
	if (len != 1 || !strchr("01nNyY", *text) || !*text)
		return -EINVAL;
	*on = *text == '1' || lower(*text) == 'y';
	return 0;
}

int kp_core_write_enabled(const char *text, size_t len)
{
	bool on = false;
	int err = leading(text, len, &on);

	return err ? err : kp_core_set_enabled(on);
}

int kp_core_write_optimization(const char *text, size_t len)
{
	bool on = false;
	int err = digit_or_letter(text, len, &on);

	return err ? err : kp_core_set_optimization(on);
}

KP_TRAP_PATH unsigned long kprobes_original_address(unsigned long addr)
{
	return kp_core_original_ip(addr);
}
