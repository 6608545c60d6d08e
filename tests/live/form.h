/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * form.h - a form: an instruction that writes memory, in a function of its own.
 *
 * Owns: how a processor's forms.h lists its forms, each with a name that no other has
 * (FORM_NAMED is the processor's).
 */
#ifndef KP_LIVE_FORM_H
#define KP_LIVE_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct state;

/* In section forms: a function, which has a symbol, and its text. */
struct form {
	void (*run)(struct state *s, void *at);
	const char *text;
};
extern const struct form __start_forms[], __stop_forms[];

#ifndef FORM_NR
#define FORM(text) FORM_NR(text, __COUNTER__)
#define FORM_NR(text, nr) FORM_NAMED(text, FORM_TEXT(nr))
#endif
#define FORM_TEXT(nr) "form_" #nr

#endif
