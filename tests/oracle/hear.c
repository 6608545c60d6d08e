/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * hear.c - a line of assembly, understood.
 *
 * Owns: class and operand by the processor's lists.  What is in no list is plain; so a word
 * that the decoder has in another class than an oracle's mnemonic says is a difference.
 */
#include <stdlib.h>
#include <string.h>

#include "isa.h"

bool lists(const char *list, const char *name, size_t len)
{
	const char *word, *end;

	for (word = list + 1; *word; word = end + 1) {
		end = strchr(word, ' ');
		if (end[-1] == '*' ? !strncmp(word, name, (size_t)(end - word - 1)) :
		    (size_t)(end - word) == len && !strncmp(word, name, len))
			return true;
	}
	return false;
}

static uint8_t class_of(const char *name, size_t len)
{
	const struct isa_class *class;

	for (class = isa.classes; class->mnemonics; class++)
		if (lists(class->mnemonics, name, len))
			return class->class;
	return isa.plain;
}

/* The last operand, with or without "#"; what follows it are comments, which begin with / or #. */
static uint64_t last_number(const char *operands)
{
	const char *at, *next;

	for (at = operands; (next = strpbrk(at, ",/")) && *next == ','; at = next + 1)
		;
	while (*at == ' ' || *at == '\t' || *at == '#')
		at++;
	return *at == '-' ? (uint64_t)strtoll(at, NULL, 0) : strtoull(at, NULL, 0);
}

void hear(struct heard *heard, const char *text)
{
	const char *operands;
	size_t len;

	*heard = (struct heard) { .class = isa.unallocated };
	if (!text)
		return;
	text += strspn(text, " \t");
	if (!*text || *text == '.' || strstr(text, "undefined"))
		return;
	len = strcspn(text, " \t\n");
	operands = text + len + strspn(text + len, " \t");
	heard->class = class_of(text, len);
	heard->operand = last_number(operands);
	isa_hear(heard, text, len, operands);
}
