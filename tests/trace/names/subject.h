/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * subject.h - types of every shape, and where their fields are, as the compiler says.
 *
 * Owns: the list of fields that names.py compares.
 */
#ifndef SUBJECT_H
#define SUBJECT_H

#include <stddef.h>
#include <stdint.h>

enum colour { RED, GREEN = 7, BLUE };
enum level { LOW = -3, MIDDLE = 0, HIGH = 100000 };

struct inner {
	char tag;
	short values[3][4];
};

typedef struct {
	long left, right;
} pair_t;

struct bits {
	unsigned int low : 3;
	int middle : 11;
	unsigned int high : 18;
	unsigned long long wide : 40;
	enum colour paint : 4;
	unsigned char last : 1;
};

struct __attribute__((packed)) tight {
	char first;
	unsigned int odd : 13;
	unsigned int over : 30;
	long behind;
};

struct node {
	struct node *next;
	const volatile struct inner *far;
	struct inner near;
	union {
		int number;
		struct {
			short half, other_half;
		};
	};
	pair_t pair;
	enum colour colour;
	enum level level;
	void (*call)(int);
	struct nowhere *opaque;
	pair_t *pairs[2];
	_Bool flag;
	char name[13];
	double ratio;
};

/* What names.py looks for: structure, field. */
#define FIELDS(X) \
	X(struct inner, tag) X(struct inner, values) \
	X(struct node, next) X(struct node, far) X(struct node, near) \
	X(struct node, number) X(struct node, half) X(struct node, other_half) \
	X(struct node, pair) X(struct node, colour) X(struct node, level) \
	X(struct node, call) X(struct node, opaque) X(struct node, pairs) \
	X(struct node, flag) X(struct node, name) X(struct node, ratio) \
	X(pair_t, left) X(pair_t, right) \
	X(struct tight, first) X(struct tight, behind)

#endif
