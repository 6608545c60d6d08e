/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * tracing.h - a script at work: what the files of "kprobes trace" have in common.
 *
 * Owns: struct tracing, and the talk between its processes.  The controller
 * may touch the targets: it attaches, loads and leaves.  The reader, in the jail for
 * processes, knows what the script means: it compiles, prints, and says when it
 * wants to end.  Both have the arenas mapped; each target has its own, too.
 */
#ifndef KP_CLI_TRACING_H
#define KP_CLI_TRACING_H

#include "cli.h"
#include "reader.h"
#include "script.h"
#include "share.h"
#include "symbols.h"
#include "view.h"

#include <stdio.h>

/* How far it is; each state is set by one side, which is named. */
enum tracing_state {
	TRACING_NEW,
	TRACING_COMPILED,	/* reader: the programs are in the mail */
	TRACING_READY,		/* controller: the arenas are there */
	TRACING_BEGUN,		/* reader: events may come */
	TRACING_LOADED,		/* controller: probes are set, as far as they can be */
	TRACING_OVER,		/* controller: none is left, no event will come */
};

/* Addresses are not to run out: of a 32-bit command, all of it takes less than 1 GB. */
#define TRACING_PROGRAM_MAX (sizeof(void *) == 8 ? (size_t)128 << 20 : (size_t)4 << 20)
#define TRACING_MEMORY_MAX (sizeof(void *) == 8 ? (size_t)(16ull << 30) : (size_t)64 << 20)
#define TRACING_PAGE 4096ull
#define TRACING_SEMAPHORES 512
#define TRACING_EVENTS 256
#define TRACING_PROCESSES CLI_PROCESSES_MAX
#define TRACING_KIN 1024
#define TRACING_PROGRAMS 16
#define TRACING_LATER 64
#define TRACING_NOWHERE (~0u - 1)	/* a place in no process that there is yet */

/* What lies in the mail, each from a page's begin on. */
enum tracing_piece {
	TRACING_KERNEL,		/* struct kt_program for the kernel */
	TRACING_STREAM,		/* trace_stream.c: a ring, not a piece of so many bytes */
	TRACING_PROCESS,	/* struct kt_program for the first process; others follow */
	TRACING_UNWIND = TRACING_PROCESS + TRACING_PROCESSES,	/* struct kt_unwind */
	TRACING_PIECES = TRACING_UNWIND + TRACING_PROCESSES,
};

/* Words of a process that count who looks. */
struct tracing_semaphores {
	uint32_t nr;
	uint64_t at[TRACING_SEMAPHORES];
};

/*
 * Memory that the target does not see.  What the reader writes there is hostile,
 * too, once its jail is broken: the controller copies it, and looks at the copy.
 */
struct tracing_mail {
	uint32_t state;			/* enum tracing_state */
	uint32_t wants_end;		/* reader: exit(), or it failed */
	uint32_t rows, columns;		/* controller: of the screen; 0: none */
	uint32_t shows;			/* controller: so often the maps were asked for */
	uint32_t failed;		/* controller: no probe could be set; it has said why */
	char refusals[16384];		/* controller: the kernel's, a line each */
	uint64_t arena_len;		/* reader: of the kernel */
	uint64_t len[TRACING_PIECES];	/* 0: there is none */
	uint64_t put, taken;		/* reader, controller: bytes of the stream */
	struct {
		struct tracing_semaphores semaphores;	/* reader */
		struct kt_later later;	/* reader: objects that are opened later */
		uint64_t arena_len;	/* reader */
		uint64_t arena;		/* controller: where it is in the memory */
		uint32_t step;		/* enum tracing_step */
		pid_t pid;		/* controller, and ... */
		char program[4096];	/* of one that comes later */
	} of[TRACING_PROCESSES];
	uint8_t bytes[] __attribute__((aligned(TRACING_PAGE)));
};

/* Is a process traced? */
enum tracing_there {
	TRACING_AWAY,		/* not yet; or it has none of the script's places */
	TRACING_THERE,
	TRACING_GONE,		/* no longer, or it could not be */
};

/* One that comes later: as tracing_state, for it alone. */
enum tracing_step {
	TRACING_NOBODY,
	TRACING_HERE,		/* controller: it waits, before its main */
	TRACING_STEP_COMPILED,	/* reader */
	TRACING_STEP_READY,	/* controller */
	TRACING_STEP_BEGUN,	/* reader */
	TRACING_STEP_SET,	/* controller: it sets its probes */
	TRACING_DONE,		/* controller: it does, or did not */
};

/* A child of a traced process, by fork: it has its parent's memory, and the arena. */
struct tracing_kin {
	pid_t pid;
	uint32_t process;		/* whose arena */
	unsigned long image;
	uint64_t since;			/* it has begun another program; 0: it has not */
};

/* What is to be put back in a process; face and controller alone have it. */
struct tracing_ledger {
	uint32_t loaded;		/* the module is in that process */
	pid_t pid;
	unsigned long image;		/* of its program: remote_image() */
	char module[4096];		/* as its loader knows it */
	struct tracing_semaphores semaphores;	/* that count us */
};

struct tracing_process {
	pid_t pid;
	int handle;			/* pidfd: its number may be another's later */
	enum tracing_there there;	/* controller's */
	bool seen;			/* that it is gone: trace_follow.c */
	pid_t debugged;			/* who debugs it, as was said; controller's */
	struct tracing_places *places;	/* trace_places.c; controller's */
	enum tracing_step step;		/* what the mail's is to be: controller's */
	int memory;			/* the memfd */
	struct kt_share *share;		/* its mapping, TRACING_MEMORY_MAX long */
	void *head;			/* the first of it, only to be read */
	struct parked *held;		/* it has not begun yet; NULL: it has */
};

struct tracing {
	const struct cli_args *args;
	const char *name;		/* of the script, for messages */
	char *text;			/* the script */
	size_t len;
	char **params;			/* $1 ... */
	int params_nr;
	bool json;
	bool lists;			/* it only shows what it would probe */
	bool live;			/* maps are shown as top says */
	struct trace_top top;
	char pid_text[16], *own_params[2];	/* params of trace_compose.c */
	bool kernel, process;		/* where it has probes */
	struct {
		char group[64], name[128];
	} events[TRACING_EVENTS];	/* the kernel's tracepoints in the script */
	unsigned int events_nr;
	char *programs[TRACING_PROGRAMS];	/* files of programs that the script names */
	unsigned int programs_nr;
	char *later[TRACING_LATER];	/* names of objects that the script has */
	unsigned int later_nr;
	bool own_calls;			/* tracepoints of system calls are the process's */
	struct tracing_process processes[TRACING_PROCESSES];
	unsigned int processes_nr;
	bool started;			/* the first is one of ours */
	bool follows;			/* programs that the first executes, or with -f all */
	struct tracing_mail *mail;
	struct tracing_ledger *ledger;	/* of each process; NULL in the reader */
	struct tracing_kin *kin;	/* the same: pid 0: none */
	struct jail_guests *guests;	/* the same: those that come later */
	uint64_t len_of[TRACING_PIECES];	/* copies, controller */
	int kernel_file;		/* KT_KERNEL_FILE; -1: no kernel */
	int file;			/* of --flame, --pprof, --perfetto; -1: none */
	char listed[PATH_MAX];		/* -l of a file that no process need have; or "" */
	bool lists_all;			/* of every kind: what there is none of is not said */
	bool file_is_new;		/* it was not there before */
	int out;			/* of -o; -1: standard output */
	uint64_t kept;			/* controller: bytes that are in it */
	int file_status;		/* why it is not whole */
	FILE *stream;			/* reader: what goes there */
	struct tracing_acts *acts;	/* what cat() and system() are done in; NULL: none */
	pid_t actor;			/* controller: who does them */
};

/* What a script is asked of. */
struct tracing_names {
	struct tracing *t;
	struct symbols processes[TRACING_PROCESSES], kernel;
	struct names *programs[TRACING_PROCESSES], *kernel_types;
	struct event *events;		/* of the kernel, those that the script has */
	bool has_events;		/* it shows them */
	struct call_site *calls[TRACING_PROCESSES];	/* NULL: not looked for yet */
	size_t calls_nr[TRACING_PROCESSES];
};

/* trace.c: an empty one; the text of a script.  A status, printed. */
void tracing_begin(struct tracing *t, const struct cli_args *args);
int tracing_take_script(struct tracing *t);
/* With the script, or with why there is none: all the rest; it is freed. */
int tracing_go(struct tracing *t, int status);
/* The word is a script or a file's name, not that of a probe. */
bool tracing_is_script(const char *word);

/* trace_acts.c: the controller begins before there is a reader.  A status, printed. */
int tracing_acts_begin(struct tracing *t);
void tracing_acts_stop(struct tracing *t);
void tracing_acts_end(struct tracing *t);
/* As trace_symbols.act(). */
char *tracing_act(void *arg, bool cat, const char *format, const char *what, size_t *len);

/* trace_compose.c: a script of args->words, which are names of probes. */
struct tracing_clauses {
	const char *entry;		/* what each does */
	const char *entry_of_kernel;	/* ... of a kernel; NULL: the same */
	const char *back, *back_if;	/* where its function returns; or NULL */
	bool by_function;		/* both are of the same func */
};
int tracing_compose(struct tracing *t, const struct tracing_clauses *clauses);

/*
 * trace_later.c: objects that are opened later.  A place names one; before the jail closes:
 * the files are looked for; reader: what the places are in, into the mail; what came of it.
 */
void tracing_later_note(struct tracing *t, const struct trace_attach *attach);
void tracing_later_find(const struct tracing *t, const struct view *views);
void tracing_later_table(struct tracing *t, const struct symbols *s,
			 const struct trace_script *script, uint32_t process);
void tracing_later_say(const struct tracing *t, const struct symbols *s, uint32_t process);

/* trace_session.c.  An exit status. */
int tracing_run(struct tracing *t);

/* trace_mail.c: before there are other processes; a status, printed. */
int tracing_mail(struct tracing *t);
uint32_t tracing_state(const struct tracing *t);
void tracing_say(struct tracing *t, enum tracing_state state);
uint8_t *tracing_piece(const struct tracing *t, unsigned int piece);
uint32_t tracing_step(const struct tracing *t, unsigned int process);
void tracing_take_step(struct tracing *t, unsigned int process,
		       enum tracing_step step);

/* trace_signals.c: from now on they are for the trace; and pid gets them, too; 0: nobody. */
void tracing_hear_signals(void);
void tracing_pass_signals_to(pid_t pid);
bool tracing_is_asked_to_end(void);
bool tracing_is_asked_again(void);
uint32_t tracing_shows(void);			/* so often were the maps asked for */
/* In a new process: signals are as the user has left them. */
void tracing_own_signals(void);

/*
 * trace_stream.c: what the reader writes into a file.  The name that is given to
 * tracing_stream_open() is for messages; a status, printed.
 */
int tracing_stream_open(struct tracing *t, const char *name);
void tracing_stream_give_up(struct tracing *t);
FILE *tracing_stream(struct tracing *t);	/* reader; NULL: no memory */
/* Controller, now and then: what is there; at the end: was all well?  A status. */
void tracing_stream_pass(struct tracing *t);
int tracing_stream_end(struct tracing *t);

/* trace_start.c: args->command.  Statuses, printed. */
int tracing_start(struct tracing *t);		/* it waits before its main, or sooner */
int tracing_let_go(struct tracing *t);		/* with its probes, if it has any */
void tracing_give_up(struct tracing *t);	/* it, at the end of everything */

/* trace_share.c: the memory that is shared with processes.  Statuses, printed. */
int tracing_memory(struct tracing *t);		/* before everything */
bool tracing_give_head_up(const struct tracing *t);	/* in the reader: it only reads it */
int tracing_grow(struct tracing *t);		/* the programs are there */
int tracing_grow_one(struct tracing *t, unsigned int process);
/* Has it any of the script's places? */
bool tracing_is_wanted(const struct tracing *t, unsigned int process);
void tracing_hold(struct tracing_process *p);	/* we are there */
void tracing_say_go(struct tracing_process *p, enum kt_share_state state);

/* trace_process.c: one process.  Statuses, printed. */
int tracing_load(struct tracing_process *p, struct tracing_ledger *ledger);
int tracing_leave_one(struct tracing *t, struct tracing_ledger *ledger);
bool tracing_has_ended(const struct tracing_process *p);
/* Has it begun another program, which is not the one that was asked for? */
bool tracing_has_changed(const struct tracing *t, const struct tracing_ledger *ledger);
/* Its counters for usdt: count us, or not any more. */
void tracing_count(struct tracing *t, unsigned int process);
void tracing_uncount(struct tracing *t, unsigned int process);
const char *tracing_module(void);		/* trace.so; NULL: said */

/* trace_alive.c: is one at least? */
bool tracing_alive(struct tracing *t);
/* trace_places.c: has somebody changed what stands there?  Then the engine sees to it. */
void tracing_look_at_places(struct tracing_process *p);
void tracing_forget_places(struct tracing_process *p);

/* trace_attach.c: set the probes, in one process at least; leave each that lives on. */
int tracing_attach(struct tracing *t);
int tracing_leave(struct tracing *t);

/* trace_follow.c: children, and programs that begin later. */
int tracing_follow_begin(struct tracing *t);
void tracing_follow(struct tracing *t);		/* once in a while */
bool tracing_follows_any(const struct tracing *t);	/* that is alive */
/* At the end: whoever has come since the last look; they are left like the others. */
void tracing_follow_last(struct tracing *t);
void tracing_follow_leave(struct tracing *t);

/* It has come, and waits before its main, or sooner. */
void tracing_arrived(struct tracing *t, unsigned int process, pid_t pid);
/* Is it who it says?  Nobody else has that memory mapped. */
bool tracing_has_memory(pid_t pid, const struct tracing_process *p);

/* trace_asked.c: whoever is about to execute what loads nothing itself; once in a while. */
void tracing_answer(struct tracing *t);

/* trace_held.c: such programs, until they begin. */
/* With its probes, if that can be, or without; a status, printed. */
int tracing_held_probe(struct tracing_process *p, struct tracing_ledger *ledger);
void tracing_held_let_go(struct tracing_process *p);
void tracing_held_leave(struct tracing *t);	/* at the end: whoever still waits begins */

/* trace_kernel.c: the kernel. */
bool tracing_kernel_is_there(void);		/* it can be asked, by this user */
int tracing_kernel_open(struct tracing *t);	/* before the reader is there */
int tracing_kernel_load(struct tracing *t);	/* the program */
int tracing_kernel_start(struct tracing *t);	/* set the probes */
void tracing_kernel_stop(struct tracing *t);

/* trace_reader.c: the reader; a status.  views: a process each. */
int tracing_read(struct tracing *t, struct view *views);

/* trace_tables.c: how stacks are walked, into a piece of the mail. */
void tracing_tables(struct tracing *t, struct symbols *s, unsigned int piece);

/* trace_outside.c: what the reader asks of the machine; before the jail closes. */
struct trace_symbols;
void tracing_outside_begin(const struct tracing *t);
void tracing_outside(struct trace_symbols *symbols, const struct tracing *t);
bool tracing_kernel_data(const char *name, uint64_t *addr);

/* trace_names.c: what the front asks. */
typedef void (*emit_fn)(void *to, const struct trace_place *place);
int tracing_names_begin(struct tracing_names *n, struct tracing *t);
int tracing_names_process(struct tracing_names *n, unsigned int process,
			  const struct view *view);
void tracing_names_end(struct tracing_names *n);
/* trace_settings.c: what the environment sets. */
void tracing_settings(struct trace_env *env);
/* Of a system call; NULL: it has none. */
const char *tracing_call_name(int32_t number);
void tracing_env(struct trace_env *env, struct tracing *t,
		 struct tracing_names *n);
/* Where does a script have probes?  By its text alone. */
void tracing_subjects(struct tracing *t);

#endif
