/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * reader.h - what a running script has to say: its events in order, its maps.
 *
 * Owns: the reader of arenas (vm/program.h).  It runs where nothing else can be
 * done (cli/inspect/jail.h): it computes and prints.  What an arena holds is hostile: every
 * number and every text in it is checked, or shown as what it is.
 */
#ifndef KT_READER_H
#define KT_READER_H

#include "front/script.h"
#include "vm/vm.h"

#include <stdio.h>

/* How much is said of an address, besides the function's name. */
#define TRACE_WITH_OFFSET	1u	/* "name+0": how far behind it begins */
#define TRACE_WITH_INLINED	2u	/* first what is inlined there, a line each */
#define TRACE_WITH_LINES	4u	/* where in the source it is */
#define TRACE_OF_CALLER		8u	/* a call returns there: it is before that */

/* In place of a process's number: the one whose arena is the nth of vms. */
#define TRACE_ARENA (1u << 31)

/* What numbers mean outside of the script. */
struct trace_symbols {
	void *arg;
	/* The name of an address; false: unknown, the address is shown. */
	bool (*symbol)(void *arg, bool kernel, uint32_t pid, uint64_t addr,
		       unsigned int how, char *text, size_t room);
	/* The file that it is in, or the kernel's module; false: none, or unknown. */
	bool (*object)(void *arg, bool kernel, uint32_t pid, uint64_t addr,
		       char *text, size_t room);
	/* The name of a system call; NULL: there is none. */
	const char *(*syscall)(int32_t number);
	/* The name of a user. */
	bool (*user)(void *arg, uint64_t uid, char *text, size_t room);
	/*
	 * What a file holds (cat), or what a command prints (system); what is made of
	 * the script's format.  To be freed; NULL: not to be had.
	 */
	char *(*act)(void *arg, bool cat, const char *format, const char *what, size_t *len);
	void *acts;			/* act's arg */
};

enum trace_format { TRACE_TEXT, TRACE_JSON };

struct trace_reader;

/*
 * vms: an arena each (the kernel's, a process's), of the same script; they must be
 * there until the reader is freed, and so must pids: each one's process, whatever it
 * says itself; 0: the kernel, which is believed.  Both have room for more, if some are
 * added.  out: where it prints.  NULL: no memory.
 */
struct trace_reader *trace_reader_new(const struct trace_script *script,
				      const struct kt_vm *vms,
				      const uint32_t *pids, unsigned int nr,
				      const struct trace_symbols *symbols,
				      enum trace_format format, FILE *out);
void trace_reader_free(struct trace_reader *reader);
/*
 * The next one of vms is there, of a script of its own: the same text, compiled for
 * other places.  False, and it is not: its maps are others, or no memory.
 */
bool trace_reader_add(struct trace_reader *reader,
		      const struct trace_script *script);

/*
 * Print the events that are there, in order of time.  The newest are kept for the
 * next call, since others may be older, but not when it is the last.  True: the
 * script wants to exit; what was recorded after that is not
 * shown.
 */
bool trace_reader_drain(struct trace_reader *reader, bool last);
/* After exit(): hits do nothing from here on. */
void trace_reader_stop(struct trace_reader *reader);

/*
 * Run the blocks of a kind that are due (INTERVAL), or all (BEGIN, END).  What waits
 * after an exit is dropped before END.
 */
void trace_reader_blocks(struct trace_reader *reader,
			 enum trace_block_kind kind);
/* ns until an interval is due; UINT64_MAX: there is none. */
uint64_t trace_reader_next(const struct trace_reader *reader);

/* The number that the script ended with: exit(number). */
int trace_reader_status(const struct trace_reader *reader);

/*
 * From here on what is printed is kept back; and from here on it is not, nor is what was.
 * So BEGIN may run before the probes are set, and is seen behind the line that says so.
 */
void trace_reader_hold(struct trace_reader *reader);
void trace_reader_let_go(struct trace_reader *reader);
/* Drops the output that was kept back. */
void trace_reader_forget(struct trace_reader *reader);

/* All maps, as at the end of a script. */
void trace_reader_maps(struct trace_reader *reader);
/* The same at the end, unless the script has print_maps_on_exit = false. */
void trace_reader_last_maps(struct trace_reader *reader);
/* Has a map stacks as keys? */
bool trace_reader_can_fold(const struct trace_script *script);
/* Maps whose keys are stacks: a line for each, "a;b;c 12", the outermost first. */
void trace_reader_folded(struct trace_reader *reader, FILE *out);
/* The same as a tree: who called whom how often. */
void trace_reader_tree(struct trace_reader *reader, FILE *out);
/* The same as a picture, SVG. */
void trace_reader_flame(struct trace_reader *reader, const char *title, FILE *out);
/* The same stacks as a profile (pprof.c), which pprof reads. */
void trace_reader_pprof(struct trace_reader *reader, FILE *out);

/* What changes in maps, as a table now and then. */
struct trace_top {
	uint64_t nsecs;			/* between tables */
	uint32_t rounds;		/* so many tables; 0: until the end */
	uint32_t rows, columns;		/* of the screen; 0: there is none */
	const char *title;		/* of "@"'s keys; NULL: all maps are shown */
	bool mean;			/* "@ns" has the same keys as "@", and times */
	const char *home, *line_end, *end;	/* for the screen, or "" */
};

/*
 * Called often; prints a table when one is due, or with last.  The first call says
 * from when on changes count.  True: all rounds are done.
 */
bool trace_reader_top(struct trace_reader *reader, const struct trace_top *how,
		      bool last);

/*
 * A timeline for Perfetto, from now on, to out: marks, what probes print, maps'
 * numbers, losses.  What is printed by a probe is no longer printed elsewhere.  False:
 * no memory.
 */
bool trace_reader_timeline(struct trace_reader *reader, FILE *out);

/*
 * What was lost or missed since the last call, by probe, on err: a line each, and one
 * for all others when there are many.
 */
void trace_reader_losses(struct trace_reader *reader, FILE *err);

/* "Attached 3 probes", as bpftrace says it since 0.24; blocks are counted here. */
void trace_reader_attached(struct trace_reader *reader, unsigned int probes);

#endif
