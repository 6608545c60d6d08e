// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * subject.c - a program whose names names.py asks for.  Run, it prints where the
 * fields of its structures are.
 */
#include "subject.h"

#include <stdio.h>

struct bits bits;
struct tight tight;
volatile long sink;

__attribute__((noinline)) long many(struct node *node, unsigned char small,
				    enum colour colour, const char *text,
				    long five, long six, int seven, long eight)
{
	sink += small + colour + *text + five + six + seven + eight;
	return node->pair.left + seven;
}

__attribute__((noinline)) double mixed(double ratio, int count, pair_t pair,
				       struct inner inner, float less, int last)
{
	sink += count + pair.left + inner.tag + last;
	return ratio + less;
}

static inline __attribute__((always_inline)) long scaled(long base, int factor)
{
	long product = base * factor;

	sink += product;
	return product + 1;
}

__attribute__((noinline)) long locals(struct node *list, int limit)
{
	static int calls;
	long total = limit, i;

	calls++;
	for (i = 0; i < limit; i++) {
		int doubled = (int)i * 2;

		total += scaled(doubled, (int)list->pair.left);
		if (total > 100000)
			return -1;
	}
	{
		long total = i - calls;

		sink += total;
	}
	return total;
}

int main(int argc, char **argv)
{
	struct node node = { .pair = { argc, 2 }, .name = "subject" };

#define SHOW(type, field) \
	printf(#type " " #field " %zu %zu\n", offsetof(type, field), \
	       sizeof(((type *)0)->field));
	FIELDS(SHOW)
	many(&node, 1, GREEN, argv[0], 5, 6, 7, 8);
	locals(&node, argc + 3);
	mixed(0.5, argc, node.pair, node.near, 0.25f, 3);
	return bits.low + tight.odd;
}
