/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * code_watch.c - code that is watched for what it writes.
 *
 * Owns: struct kp_code, which several watch probes may name as code, and the probes on each of
 * its instructions that may write.  To others these are the host's own (kp_kind_own).  An
 * instruction has one such probe, whoever watches it.  It is in the text while a watch probe of
 * its code is enabled.
 *
 * Invariant: each instruction of the code that may write has a probe while the code is armed, or
 * is counted in code->unseen.
 *
 * Locks: the registry lock.
 */
#include "code_watch.h"
#include "hit.h"
#include "kinds.h"
#include "refusal.h"
#include "register.h"
#include "unpatched.h"
#include "writes.h"

#define WRITERS 1024u
#define PIECES_MAX 65536u
#define UNTRIED (~0ul)

static char name[KP_SYMBOL_MAX];

/* By address; those that some code has. */
static struct kp_writer *writers[WRITERS];
static struct kp_code *codes;

/* Some code, as long as it is walked. */
struct walk {
	struct kp_writer *first;	/* by walk_next */
	size_t nr, unseen;
};

static struct kp_writer **bucket(uintptr_t addr)
{
	return &writers[kp_hash(addr) % WRITERS];
}

/* ---- which instructions --------------------------------------------------------------- */

static struct kp_writer *find_writer(uintptr_t addr)
{
	struct kp_writer *writer = *bucket(addr);

	while (writer && writer->at != addr)
		writer = writer->next;
	return writer;
}

static struct kp_writer *make_writer(uintptr_t addr,
				     const struct kp_arch_write *write)
{
	struct kp_writer *writer = kp_host_alloc(sizeof(*writer));

	if (!writer)
		return NULL;
	writer->at = addr;
	writer->write = *write;
	writer->noting.kp.pre_handler = kp_writes_before;
	writer->noting.kp.post_handler = kp_hit_after;
	writer->noting.after = kp_writes_after;
	writer->noting.missed = kp_writes_missed;
	writer->next = *bucket(addr);
	*bucket(addr) = writer;
	return writer;
}

static int add_writer(struct walk *walk, uintptr_t addr,
		      const struct kp_arch_write *write)
{
	struct kp_writer *writer = find_writer(addr);

	if (!writer)
		writer = make_writer(addr, write);
	if (!writer)
		return -ENOMEM;
	writer->codes++;
	writer->walk_next = walk->first;
	walk->first = writer;
	walk->nr++;
	return 0;
}

/* An instruction of it. */
static int look_at(struct walk *walk, uintptr_t addr, const uint8_t *bytes, size_t avail,
		   unsigned int text_flags)
{
	struct kp_arch_write write;

	switch (kp_arch_write_of(&write, addr, bytes, avail, text_flags)) {
	case KP_ARCH_WRITES_AT:
		return add_writer(walk, addr, &write);
	case KP_ARCH_WRITES_SOMEWHERE:
		walk->unseen++;
		return 0;
	default:
		return 0;
	}
}

static bool is_data(uintptr_t addr)
{
	struct kp_text_info info;

	kp_host_text_query(addr, 1, &info);
	return info.kind == KP_TEXT_DATA;
}

/* The function's instructions that lie in the span; where data among them ends the next begins. */
static int walk_span(struct walk *walk, uintptr_t start,
		     const struct kp_span *span)
{
	uint8_t bytes[KP_ARCH_INSN_MAX];
	struct kp_arch_decoded insn = { 0 };
	struct kp_text_info info;
	uintptr_t addr;
	size_t avail;
	int err = 0;

	kp_host_text_query(start, 1, &info);
	for (addr = start; addr < span->addr + span->len && !err;
	     addr += insn.len + insn.delayed) {
		if (is_data(addr)) {
			insn = (struct kp_arch_decoded){ .len = 1 };
			continue;
		}
		avail = kp_unpatched_window(bytes, addr, sizeof(bytes));
		if (kp_arch_decode(&insn, bytes, avail, info.arch_flags))
			return -EILSEQ;
		if (addr >= span->addr)
			err = look_at(walk, addr, bytes, avail, info.arch_flags);
	}
	return err;
}

/* ---- some code ---------------------------------------------------------------------------- */

static void put_writer(struct kp_writer *writer, struct kp_writer **dead)
{
	struct kp_writer **at = bucket(writer->at);

	if (--writer->codes)
		return;
	while (*at != writer)
		at = &(*at)->next;
	*at = writer->next;
	writer->next = *dead;
	*dead = writer;
}

static void free_writers(struct kp_writer *dead)
{
	struct kp_writer *next;

	for (; dead; dead = next) {
		next = dead->next;
		kp_host_free(dead);
	}
}

static void drop_walk(struct walk *walk)
{
	struct kp_writer *dead = NULL;

	for (; walk->first; walk->first = walk->first->walk_next)
		put_writer(walk->first, &dead);
	/* No probe of theirs has been registered. */
	free_writers(dead);
}

static int walk_all(struct walk *walk, const struct kp_span *spans, size_t nr,
		    const char **reason)
{
	uintptr_t start;
	size_t i, len;
	int err = 0;

	for (i = 0; i < nr && !err; i++) {
		*reason = "the code belongs to no known function";
		if (kp_host_bounds(spans[i].addr, &start, &len))
			return -ENOENT;
		err = walk_span(walk, start, &spans[i]);
		*reason = err == -EILSEQ ? "the code cannot be decoded" :
			  "out of memory";
	}
	*reason = err ? *reason : "this code writes no memory but its stack's";
	return err ? err : walk->nr || walk->unseen ? 0 : -EINVAL;
}

static struct kp_code *make_code(const struct kp_span *spans, size_t nr,
				 const struct walk *walk)
{
	size_t len = sizeof(struct kp_code) + nr * sizeof(*spans);
	struct kp_writer *writer = walk->first;
	struct kp_code *code = kp_host_alloc(len);
	size_t i;

	if (!code)
		return NULL;
	code->writers = kp_host_alloc((walk->nr + 1) * sizeof(*code->writers));
	code->probes = kp_host_alloc((walk->nr + 1) * sizeof(*code->probes));
	if (!code->writers || !code->probes) {
		kp_host_free(code->writers);
		kp_host_free(code->probes);
		kp_host_free(code);
		return NULL;
	}
	/* The walk has the last one first. */
	for (i = walk->nr; i-- > 0; writer = writer->walk_next)
		code->writers[i] = writer;
	code->writers_nr = walk->nr;
	code->vague = code->unseen = walk->unseen;
	code->spans_nr = nr;
	memcpy(code->spans, spans, nr * sizeof(*spans));
	return code;
}

static struct kp_code *find_code(const struct kp_span *spans, size_t nr)
{
	struct kp_code *code = codes;

	while (code && (code->spans_nr != nr ||
			memcmp(code->spans, spans, nr * sizeof(*spans)) != 0))
		code = code->next;
	return code;
}

static int get(const struct kp_span *spans, size_t nr, struct kp_code **out,
	       const char **reason)
{
	struct walk walk = { NULL, 0, 0 };
	int err;

	*out = find_code(spans, nr);
	if (*out) {
		(*out)->users++;
		return 0;
	}
	err = walk_all(&walk, spans, nr, reason);
	if (!err) {
		*out = make_code(spans, nr, &walk);
		*reason = "out of memory";
		err = *out ? 0 : -ENOMEM;
	}
	if (err) {
		drop_walk(&walk);
		return err;
	}
	(*out)->users = 1;
	(*out)->next = codes;
	codes = *out;
	return 0;
}

/* One piece of what the user names. */
static int resolve(const struct wprobe_code *piece, struct kp_span *span,
		   const char **reason)
{
	uintptr_t addr = kp_host_code_at((uintptr_t)piece->addr), start;
	struct kp_text_info info;
	size_t len;

	*reason = "code needs a symbol_name or an addr, and not both";
	if (!piece->symbol_name == !piece->addr)
		return -EINVAL;
	*reason = "code's symbol_name cannot be read";
	if (piece->symbol_name &&
	    kp_host_str_read(name, piece->symbol_name, sizeof(name)))
		return -EINVAL;
	*reason = "there is no function of this name for code";
	if (piece->symbol_name && kp_host_resolve(name, &addr))
		return -ENOENT;
	*reason = "what code names is none";
	kp_host_text_query(addr, 1, &info);
	if (info.kind == KP_TEXT_NONE || info.kind == KP_TEXT_DATA)
		return -EINVAL;
	*reason = "code belongs to no known function";
	if (kp_host_bounds(addr, &start, &len))
		return -ENOENT;
	span->addr = addr;
	span->len = piece->len ? piece->len : start + len - addr;
	*reason = "code goes beyond the end of its function";
	return span->len > start + len - addr ? -EINVAL : 0;
}

/* By address; pieces that overlap are one. */
static size_t sort(struct kp_span *spans, size_t nr)
{
	size_t gap, i, at, left = 0;

	for (gap = nr / 2; gap; gap /= 2)
		for (i = gap; i < nr; i++) {
			struct kp_span moved = spans[i];

			for (at = i; at >= gap && spans[at - gap].addr > moved.addr;
			     at -= gap)
				spans[at] = spans[at - gap];
			spans[at] = moved;
		}
	for (i = 1; i < nr; i++) {
		size_t off = spans[i].addr - spans[left].addr;

		if (off >= spans[left].len)
			spans[++left] = spans[i];
		else if (off + spans[i].len > spans[left].len)
			spans[left].len = off + spans[i].len;
	}
	return left + 1;
}

static int read_spans(const struct wprobe *wp, struct kp_span *spans,
		      const char **reason)
{
	struct wprobe_code piece;
	unsigned int i;
	int err = 0;

	for (i = 0; i < wp->code_nr && !err; i++) {
		*reason = "code cannot be read";
		err = kp_host_data_read((uintptr_t)&wp->code[i], &piece,
					sizeof(piece)) ? -EINVAL :
		      resolve(&piece, &spans[i], reason);
	}
	return err;
}

int kp_code_get(struct wprobe *wp, struct kp_code **out)
{
	const char *reason = "out of memory";
	struct kp_span *spans;
	int err;

	kp_host_assert_locked(KP_LOCK_REGISTRY);
	if (!wp->code_nr || wp->code_nr > PIECES_MAX)
		return kp_refuse(&wp->kp, -EINVAL, "code_nr is 0, or more than 65536");
	spans = kp_host_alloc(wp->code_nr * sizeof(*spans));
	if (!spans)
		return kp_refuse(&wp->kp, -ENOMEM, reason);
	err = read_spans(wp, spans, &reason);
	if (!err)
		err = get(spans, sort(spans, wp->code_nr), out, &reason);
	kp_host_free(spans);
	return err ? kp_refuse(&wp->kp, err, reason) : 0;
}

bool kp_code_put(struct kp_code *code)
{
	struct kp_code **at = &codes;
	size_t i;

	kp_host_assert_locked(KP_LOCK_REGISTRY);
	if (--code->users)
		return false;
	while (*at != code)
		at = &(*at)->next;
	*at = code->next;
	for (i = 0; i < code->writers_nr; i++)
		put_writer(code->writers[i], &code->dead);
	return true;
}

void kp_code_free(struct kp_code *code)
{
	free_writers(code->dead);
	kp_host_free(code->writers);
	kp_host_free(code->probes);
	kp_host_free(code);
}

/* ---- their probes ---------------------------------------------------------------------------- */

/* Those that have none yet and were not refused; their number. */
static int collect(struct kp_code *code)
{
	int nr = 0;
	size_t i;

	for (i = 0; i < code->writers_nr; i++) {
		struct kp_writer *writer = code->writers[i];

		if (writer->armed || writer->refused)
			continue;
		writer->noting.kp.addr = (kprobe_opcode_t *)writer->at;
		writer->noting.kp.flags = 0;
		writer->noting.kp.nmissed = UNTRIED;
		code->probes[nr++] = &writer->noting.kp;
	}
	return nr;
}

/* The last one that was tried, which begins with nmissed 0. */
static struct kp_writer *refused(struct kp_code *code, int nr)
{
	while (nr-- > 0)
		if (code->probes[nr]->nmissed != UNTRIED)
			return (struct kp_writer *)(void *)code->probes[nr];
	return NULL;
}

/* All or, but for those that are refused, none. */
static int register_all(struct kp_code *code)
{
	struct kp_writer *writer;
	int err = 0, nr;

	while ((nr = collect(code))) {
		err = kp_probe_register_locked(code->probes, nr, &kp_kind_own);
		kp_core_take_refusal();
		if (!err || err == -ENOMEM || err == -EBUSY)
			break;
		writer = refused(code, nr);
		if (!writer)
			break;
		writer->refused = true;
		err = 0;
	}
	return err;
}

int kp_code_arm(struct kp_code *code)
{
	int err = register_all(code);
	size_t i;

	if (err)
		return err;
	code->unseen = code->vague;
	for (i = 0; i < code->writers_nr; i++) {
		if (code->writers[i]->refused)
			code->unseen++;
		else
			code->writers[i]->armed++;
	}
	return 0;
}

void kp_code_disarm(struct kp_code *code)
{
	int nr = 0;
	size_t i;

	for (i = 0; i < code->writers_nr; i++) {
		struct kp_writer *writer = code->writers[i];

		if (!writer->refused && !--writer->armed)
			code->probes[nr++] = &writer->noting.kp;
	}
	if (nr)
		kp_probe_unregister_locked(code->probes, nr);
}
