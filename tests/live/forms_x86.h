/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * forms_x86.h - what is asked of a form, the same in both modes of x86.
 *
 * Owns: how it is run on registers, and what its text says.  Each forms.h includes it at its
 * end.
 */
#ifndef KP_LIVE_FORMS_X86_H
#define KP_LIVE_FORMS_X86_H

/* Of probes on code: instructions around each form whose writes are not seen; among all forms
 * such ones, and forms that are missed: each has a pop; maskmovdqu and another pop; a string of
 * more than 64 bytes. */
#define FORM_UNSEEN 1
#define FORMS_LEAST 200
#define FORMS_UNSEEN 2
#define FORMS_MISSED 1

#define FORM_FLAGS 0x8d5ul	/* that are compared */

/* Of the registers in out, what they are then; addresses as the distance from at. */
static inline void form_run(const struct form *form, struct state *s, char *at, struct state *out)
{
	*s = *out;
	form->run(s, at);
	s->di -= (unsigned long)at;
	/* A number that was there may be one by chance, of which there are few in 32 bits. */
	if (s->si != out->si && s->si + 4096 - (unsigned long)at < 8192)
		s->si -= (unsigned long)at;
	s->flags &= FORM_FLAGS;
	*out = *s;
}

/* Has this processor got the instruction? */
static inline bool form_is_known(const struct form *form)
{
	return strstr(form->text, "vext") ? __builtin_cpu_supports("avx2")
	       : form->text[0] != 'v' || __builtin_cpu_supports("avx");
}

/* It wants memory at a multiple of 16. */
static inline bool form_is_strict(const struct form *form)
{
	return strstr(form->text, "movap") || strstr(form->text, "movdqa") ||
	       strstr(form->text, "movnt");
}

/* Does it write nothing? */
static inline bool form_is_empty(const struct form *form)
{
	return strstr(form->text, "xor %ecx");
}

/* Do protected pages have to be opened for it? */
static inline bool form_is_seen(const struct form *form)
{
	return strstr(form->text, "# seen");
}

#endif
