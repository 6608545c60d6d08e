// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * tree.c - who called whom how often: folded stacks as a tree.
 *
 * Owns: the tree.  A node is a function as it was called by those above it; its count is that of
 * all stacks that it is in there.  Of the functions that one calls the most frequent comes first.
 * A function that alone is called by another one stands below it, not farther to the right.
 */
#include "read.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct node {
	const char *name;
	size_t len;
	u64 count;
	u32 child, next;		/* numbers of nodes; 0: none */
};

struct tree {
	FILE *out;
	struct node *all;		/* the first is above all stacks */
	u32 nr, room;
};

static u32 add(struct tree *t, const char *name, size_t len)
{
	struct node *all;

	if (t->nr == t->room) {
		all = realloc(t->all, (t->room ? 2 * t->room : 256) * sizeof(*all));
		if (!all)
			return 0;
		t->all = all;
		t->room = t->room ? 2 * t->room : 256;
	}
	t->all[t->nr] = (struct node){ .name = name, .len = len };
	return t->nr++;
}

/* Lines are sorted, so the child that was added last is the only one that may be it. */
static u32 child_of(struct tree *t, u32 parent, const char *name, size_t len)
{
	u32 at = t->all[parent].child;

	if (at && t->all[at].len == len && !memcmp(t->all[at].name, name, len))
		return at;
	at = add(t, name, len);
	if (at) {
		t->all[at].next = t->all[parent].child;
		t->all[parent].child = at;
	}
	return at;
}

static void take(struct tree *t, const char *text, size_t len, u64 count)
{
	const char *end = text + len, *next;
	u32 at = 0;

	t->all[0].count = read_saturated(t->all[0].count, count);
	for (; text < end; text = next) {
		next = memchr(text, READ_BETWEEN, (size_t)(end - text));
		next = next ? next + 1 : end;
		len = (size_t)(next - text) - (next[-1] == READ_BETWEEN);
		if (!len)
			continue;
		at = child_of(t, at, text, len);
		if (!at)
			return;
		t->all[at].count = read_saturated(t->all[at].count, count);
	}
}

/* Sorts a node's children: the most frequent comes first. */
static void sort_children(struct tree *t, u32 parent)
{
	u32 at = t->all[parent].child, next, sorted = 0, *place;

	for (; at; at = next) {
		next = t->all[at].next;
		for (place = &sorted; *place && t->all[*place].count > t->all[at].count;)
			place = &t->all[*place].next;
		t->all[at].next = *place;
		*place = at;
	}
	t->all[parent].child = sorted;
}

static void show(const struct tree *t, u32 parent, u32 depth)
{
	const struct node *root = &t->all[0], *node;
	bool alone = t->all[parent].child && !t->all[t->all[parent].child].next;
	u32 at;
	size_t i;

	for (at = t->all[parent].child; at; at = node->next) {
		node = &t->all[at];
		fprintf(t->out, "%10" PRIu64 " %5.1f%%  %*s", node->count,
			root->count ? 100.0 * (double)node->count / (double)root->count : 0.0,
			2 * (int)depth, "");
		for (i = 0; i < node->len; i++)
			if (node->name[i] != READ_KERNEL)
				putc(node->name[i], t->out);
		putc('\n', t->out);
		show(t, at, depth + !(alone && node->child && !t->all[node->child].next));
	}
}

void trace_reader_tree(struct trace_reader *reader, FILE *out)
{
	struct tree t = { .out = out };
	struct read_folded folded;
	u32 i;

	read_fold(reader, &folded);
	add(&t, "", 0);
	for (i = 0; t.all && i < folded.nr; i++)
		take(&t, folded.text.bytes + folded.lines[i].at, folded.lines[i].len,
		     folded.lines[i].count);
	for (i = 0; i < t.nr; i++)
		sort_children(&t, i);
	if (t.nr > 1) {
		fprintf(out, "%10s %6s  %s\n", "CALLS", "", "FUNCTION");
		show(&t, 0, 0);
	}
	free(t.all);
	read_folded_free(&folded);
	fflush(out);
}
