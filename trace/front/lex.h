/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * lex.h - a script's words.
 *
 * Owns: struct lex, which is copied to look ahead and to come back.
 */
#ifndef KT_LEX_H
#define KT_LEX_H

#include "front.h"

enum token_kind {
	T_END, T_INT, T_STRING, T_NAME, T_VAR, T_MAP, T_PARAM, T_PUNCT,
};

struct token {
	enum token_kind kind;
	struct pos pos;
	const char *text;	/* NAME, VAR ("$a"), MAP ("@a"), STRING; a copy */
	size_t len;		/* STRING: without the 0 at the end */
	int64_t value;		/* INT; PARAM: which one, 0 is $# */
	bool is_unsigned;	/* INT: above the signed ones, or U behind it */
	int punct;		/* one character, or P_... */
	bool first;		/* of its line */
};

/* Of two and three characters. */
enum {
	P_EQ = 256, P_NE, P_LE, P_GE, P_AND, P_OR, P_SHL, P_SHR, P_INC, P_DEC,
	P_ARROW, P_RANGE,
	P_ASSIGN,		/* and an operator: P_ASSIGN + '+', P_ASSIGN + P_SHL */
};

/* What is read: the script, and above it the macros that are being replaced. */
struct source {
	const char *text;
	size_t len, at;
	const struct macro *macro;	/* NULL: none */
	bool apart;			/* it is not the script's text */
	struct pos pos;			/* where what is apart stands in the script */
};

#define LEX_DEPTH 16
#define LEX_BRANCHES 32

struct lex {
	struct front *f;
	struct source sources[LEX_DEPTH];
	int depth;
	bool skipping;			/* the text of an #if that does not hold */
	/* #if ... #endif that are open: has a branch been taken, does this one. */
	struct { bool taken, live; } branches[LEX_BRANCHES];
	int branches_nr;
	struct token token;		/* the one to be looked at */
};

/* lex.c */
void lex_begin(struct lex *lex, struct front *f);
void lex_next(struct lex *lex);
/* Spaces, comments and directives are behind it then. */
void lex_skip(struct lex *lex);
/* What a unit of time stands for, in nanoseconds: "ms".  0: it is none. */
uint64_t lex_duration(const char *text, size_t len);
/* The token to be looked at is not taken: its text is what comes next.  False: a macro's. */
bool lex_back(struct lex *lex);
static inline bool lex_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_';
}

/* preprocess.c: the source is behind a '#' that begins a line. */
void preprocess(struct lex *lex, struct pos at);
/* Is it a macro: then its text is what is read next. */
bool preprocess_replace(struct lex *lex, const char *name, struct pos pos);

#endif
