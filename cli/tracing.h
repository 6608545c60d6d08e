/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * tracing.h - a script at work: what the files of "kprobes trace" have in common.
 *
 * Owns: struct tracing, and the talk between its processes.  The controller
 * may touch the target: it attaches, loads and leaves.  The reader, in the jail for
 * a process, knows what the script means: it compiles, prints, and says when it
 * wants to end.  Both have the arena mapped; the target has, too.
 */
#ifndef KP_CLI_TRACING_H
#define KP_CLI_TRACING_H

#include "cli.h"
#include "script.h"
#include "share.h"
#include "symbols.h"
#include "view.h"

#include <stdio.h>

/* How far it is; each state is set by one side, which is named. */
enum tracing_state {
	TRACING_NEW,
	TRACING_COMPILED,	/* reader: the program is in the mail */
	TRACING_READY,		/* controller: the memory is as large as it said */
	TRACING_BEGUN,		/* reader: events may come */
	TRACING_LOADED,		/* controller: probes are set, as far as they can be */
	TRACING_OVER,		/* controller: none is left, no event will come */
};

#define TRACING_PROGRAM_MAX (256ull << 20)
#define TRACING_MEMORY_MAX (16ull << 30)

/* Memory that only we see. */
struct tracing_mail {
	uint32_t state;			/* enum tracing_state */
	uint32_t wants_end;		/* reader: exit(), or it failed */
	uint32_t loaded;		/* controller: the module is in that process */
	pid_t pid;
	char module[4096];		/* as its loader knows it */
	uint64_t program_len, unwind_len, arena_len;
	/* struct kt_program; from the next page on struct kt_unwind */
	uint8_t bytes[] __attribute__((aligned(4096)));
};

struct tracing {
	const struct cli_args *args;
	const char *name;		/* of the script, for messages */
	char *text;			/* the script */
	size_t len;
	char **params;			/* $1 ... */
	int params_nr;
	bool json;
	pid_t pid;			/* 0: the kernel alone */
	bool started;			/* it is a process of ours */
	struct tracing_mail *mail;
	int memory;			/* the memfd */
	struct kt_share *share;		/* its mapping, TRACING_MEMORY_MAX long */
};

uint32_t tracing_state(const struct tracing *t);
void tracing_say(struct tracing *t, enum tracing_state state);

/* trace_process.c: the controller, for a process.  An exit status. */
int tracing_process(struct tracing *t);
/* trace_reader.c: the reader; a status.  view: as for cli_source_read(). */
int tracing_read(struct tracing *t, const struct view *view);

/* trace_tables.c: how stacks are walked, behind the program in the mail. */
void tracing_tables(struct tracing *t, struct symbols *s);

/* trace_places.c: what the front asks about names. */
void tracing_env(struct trace_env *env, struct tracing *t, struct symbols *s);

#endif
