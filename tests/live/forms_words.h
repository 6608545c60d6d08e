/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * forms_words.h - what is asked of a form, the same for arm64, riscv64, MIPS and arm.
 *
 * Owns: how it is run on registers, and what the marks in its text say, which are an
 * assembler's comments and begin with FORM_MARK.  Each forms.h includes it at its end.
 */
#ifndef KP_LIVE_FORMS_WORDS_H
#define KP_LIVE_FORMS_WORDS_H

/* Of the registers in out, what they are then; addresses as the distance from at. */
static inline void form_run(const struct form *form, struct state *s, char *at, struct state *out)
{
	*s = *out;
	form->run(s, at);
	s->di -= (unsigned long)at;
	s->flags &= FORM_FLAGS;
	*out = *s;
}

/* It wants memory at a multiple of 16. */
static inline bool form_is_strict(const struct form *form)
{
	return strstr(form->text, FORM_MARK " strict");
}

/* Does it write nothing? */
static inline bool form_is_empty(const struct form *form)
{
	return strstr(form->text, FORM_MARK " empty");
}

/* Has this processor got the instruction?  It has all, if forms.h does not say. */
#ifndef FORM_IS_KNOWN
static inline bool form_is_known(const struct form *form)
{
	(void)form;
	return true;
}
#endif

/* Do protected pages have to be opened for it? */
#ifndef FORM_IS_SEEN
#define FORM_IS_SEEN(form) ((void)(form), false)
#endif
static inline bool form_is_seen(const struct form *form)
{
	return FORM_IS_SEEN(form);
}

#endif
