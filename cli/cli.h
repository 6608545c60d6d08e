/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * cli.h - what the files of the kprobes command offer each other.
 *
 * Owns: the table of subcommands, the target interface (a process or the
 * kernel), exit statuses and output.  Prefix cli_.
 *
 * Convention: what can fail prints what is wrong and what to do about it, by
 * cli_error(), and returns an exit status; 0 is success.
 */
#ifndef KP_CLI_H
#define KP_CLI_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Exit statuses, documented in kprobes(1). */
enum cli_status {
	CLI_OK,
	CLI_FAILED,		/* anything that has no status of its own */
	CLI_USAGE,		/* the command line is wrong */
	CLI_ABSENT,		/* no such process, probe, module or symbol */
	CLI_DENIED,		/* not permitted; root may be */
	CLI_REFUSED,		/* this target or place cannot be probed */
};

/* ---- subcommands: one file each -------------------------------------------- */

/* Which common options a subcommand takes. */
#define CLI_TAKES_PID		1u	/* -p PID */
#define CLI_TAKES_JSON		2u	/* --json */
#define CLI_TAKES_COMMAND	4u	/* -- COMMAND [ARGUMENT…] */
#define CLI_TAKES_BINARY	8u	/* -b FILE */
#define CLI_TAKES_ALL		16u	/* -a */
#define CLI_TAKES_INLINED	32u	/* --inlined */
#define CLI_TAKES_PLAN		64u	/* --plan */
#define CLI_TAKES_LONG		128u	/* -l */
#define CLI_TAKES_FOLLOW	256u	/* -f */
#define CLI_TAKES_SCRIPT	512u	/* -e TEXT */
#define CLI_TAKES_FORMAT	1024u	/* -f FORMAT */
#define CLI_TAKES_SEARCH	2048u	/* -l */
#define CLI_TAKES_FLAME		4096u	/* --folded, --flame FILE, --pprof FILE, --perfetto FILE */
#define CLI_TAKES_VERBOSE	8192u	/* -v */
#define CLI_TAKES_TOP		16384u	/* -d, -n, --by, --latency */
#define CLI_TAKES_PIDS		32768u	/* -p PID,NAME...; --cgroup, --container */
#define CLI_TAKES_WATCH		65536u	/* -k, --thread, --code, --on-return, --until, --where */
#define CLI_TAKES_BPFTRACE 131072u	/* what bpftrace's command line has besides */

#define CLI_PROCESSES_MAX 64

struct cli_args {
	pid_t pid;			/* of -p, the first; 0: none */
	pid_t pids[CLI_PROCESSES_MAX + 1];	/* where several may be given */
	int pids_nr;
	bool json, all, inlined, plan, more, follow, search, folded, verbose;
	bool latency, kernel, calls;
	bool quiet, no_warnings, dry_run, unused;	/* of trace */
	const char *output, *started, *buffering;	/* of trace: -o, -c, -B; NULL: none */
	const char *binary;		/* of -b; NULL: none */
	const char *script;		/* of -e; NULL: none */
	const char *format;		/* of -f; NULL: none */
	const char *flame, *perfetto, *pprof;	/* files of these options; NULL: none */
	const char *delay, *rounds, *by;	/* of -d, -n, --by; NULL: none */
	const char *thread, *code, *on_return, *until, *where;	/* NULL: none */
	char **options;			/* of trace: --NAME=VALUE after --, without the dashes */
	int options_nr;
	char **command;			/* after --; NULL: none */
	int nr;				/* the other words */
	char **words;			/* NULL-terminated */
};

struct cli_command {
	const char *name;
	const char *synopsis;		/* what follows the name */
	const char *summary;		/* one line */
	unsigned int takes;
	int least, most;		/* words; most < 0: any number */
	int (*run)(const struct cli_args *args);
	const char *help;		/* more, in lines; NULL: nothing */
};

/* Each defined in the file of its name; the table is in main.c. */
extern const struct cli_command cli_load, cli_unload, cli_list, cli_enabled,
	cli_blacklist, cli_optimization, cli_enable, cli_disable, cli_funcs,
	cli_dis, cli_log, cli_trace, cli_top, cli_watch;

/* ---- targets ---------------------------------------------------------------- */

/* A line as in the control file, with its newline. */
typedef void (*cli_line_fn)(void *arg, const char *line, size_t len);

struct cli_target {
	const struct cli_target_ops *ops;
	pid_t pid;			/* 0: the kernel */
	char name[64];			/* "the kernel", "process 12 (redis)" */
	int fd;				/* the implementation's own, or -1 */
	void *own;
};

enum cli_knob { CLI_KNOB_ENABLED, CLI_KNOB_OPTIMIZATION };

/* All return an exit status. */
struct cli_target_ops {
	/* The contents of the four control files. */
	int (*list)(struct cli_target *target, cli_line_fn emit, void *arg);
	/* Behind each line "\tMISSED\tOWNER\tWHY"; NULL: not to be had. */
	int (*details)(struct cli_target *target, cli_line_fn emit, void *arg);
	int (*blacklist)(struct cli_target *target, cli_line_fn emit, void *arg);
	int (*knob)(struct cli_target *target, enum cli_knob knob, bool *on);
	/* value: as it would be written into the file. */
	int (*set_knob)(struct cli_target *target, enum cli_knob knob,
			const char *value);
	/*
	 * All probes at a place: "symbol", "symbol+0x12", "module:symbol" or
	 * "0xaddress", as the list shows it.
	 */
	int (*switch_probe)(struct cli_target *target, const char *where,
			    bool on);
	/* Probe modules.  params: "name=value", NULL-terminated. */
	int (*load)(struct cli_target *target, const char *file,
		    char *const *params);
	int (*unload)(struct cli_target *target, const char *file);
	/* Unload all that was loaded, and leave the target as it was. */
	int (*unload_all)(struct cli_target *target);
	/* A name of a loaded probe module a line. */
	int (*modules)(struct cli_target *target, cli_line_fn emit, void *arg);
	bool (*alive)(struct cli_target *target);
	void (*close)(struct cli_target *target);
};

/* process.c, kernel.c, command.c: make *target ready.  cli_close() ends both. */
enum cli_need {
	CLI_LOOK,			/* it must be probed already */
	CLI_ATTACH,			/* begin if it is not */
};
int cli_process_open(struct cli_target *target, pid_t pid, enum cli_need need);
/* Run command with the module loaded from its start; returns only on failure. */
int cli_process_run(const char *file, char *const *params, char **command);
/* held.c: the same of a program that loads nothing itself. */
int cli_process_run_held(const char *file, char *const *params, char **command);
/* Where the shell would find a command; a status, printed. */
int cli_find_program(const char *name, char *path, size_t len);
/* Can it be started with probes, and does the command bring the engine into it?  The same. */
int cli_check_program(const char *path, bool *by_image);
int cli_kernel_open(struct cli_target *target, enum cli_need need);
/* Where the control files of kprobes.ko are; NULL: it is not loaded. */
const char *cli_kernel_directory(void);
bool cli_kernel_answers(void);		/* has it the engine, and are we to ask it? */
/* -p PID: that process; otherwise the kernel. */
int cli_open(struct cli_target *target, const struct cli_args *args,
	     enum cli_need need);
void cli_close(struct cli_target *target);

/* turn.c: what enabled and optimization do, and what enable and disable do. */
int cli_turn_knob(const struct cli_args *args, enum cli_knob knob);
int cli_turn_probes(const struct cli_args *args, bool on);

/* Lines in one text, ended by a 0; the last ones are lost without memory. */
struct cli_lines {
	char *text;			/* to be freed; NULL: none */
	size_t len;
};
void cli_lines_add(void *lines, const char *text, size_t len);

/* Those that have that name, or run a file of that name, not we: how many. */
int cli_processes_called(const char *name, void (*each)(void *arg, pid_t pid),
			 void *arg);

/* pick.c: what stands behind -p: one, or more of them.  A status, printed. */
int cli_pick_one(struct cli_args *args, const char *text);
int cli_pick(struct cli_args *args, const char *text);
void cli_pick_add(void *args, pid_t pid);
/* Those from first on are called word. */
int cli_pick_end(struct cli_args *args, int first, const char *word);
/* cgroup.c: all of a control group, or of a container.  A status, printed. */
int cli_pick_cgroup(struct cli_args *args, const char *name);
int cli_pick_container(struct cli_args *args, const char *name);

/* The processes that have the library loaded, in order; a status. */
int cli_processes(void (*each)(void *arg, pid_t pid), void *arg);

/*
 * find.c: "hotspots", one that came with the command, is a file's name; the name
 * itself, if it is a file already, or none is known.
 */
const char *cli_find_module(const char *name);
/* The module that came with the command, by its short name or its file's.  NULL: there is none. */
const char *cli_own_module(const char *name);

/*
 * Files that came with the command, beside it (beside.c) or inside it (onefile/inside.c): the
 * engine's, and a probe module's, whose file's name is name and end.  NULL: there is none.
 */
const char *cli_part(const char *name, char path[PATH_MAX]);
const char *cli_module_part(const char *name, const char *end, char path[PATH_MAX]);
/* near.c: place + name + end, from the program's own folder on; NULL ends the places. */
const char *cli_near(const char *const *place, const char *name, const char *end,
		     char path[PATH_MAX]);
/* companion.c: execute the command that is for these processes; it returns if this one is. */
void cli_companion(const struct cli_args *args, char **argv);
/* A file's whole name; of what is inside of the command, its own. */
bool cli_real_path(const char *file, char path[PATH_MAX]);

/* similar.c: which of the candidates was meant by word?  NULL: none is near. */
struct cli_similar {
	const char *word;
	unsigned int distance;
};
void cli_similar(struct cli_similar *similar, const char *word,
		 const char *candidate);

/* ---- output ----------------------------------------------------------------- */

/* "kprobes: ..." on standard error, a newline added. */
void cli_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The status for an errno. */
int cli_status_of(int err);

/* Before anything else is printed. */
void cli_output_begin(void);

/* Escape sequences, or "" where the stream is no terminal. */
enum cli_colour { CLI_PLAIN, CLI_BOLD, CLI_DIM, CLI_RED, CLI_GREEN, CLI_YELLOW,
		  CLI_CYAN, CLI_WIPE /* the line */,
		  CLI_HOME /* to the screen's begin */, CLI_REST /* wipe: of the line */,
		  CLI_BELOW /* wipe: from here on */ };
const char *cli_colour(enum cli_colour colour);	/* for standard output */
const char *cli_screen(enum cli_colour what);	/* the same, also without colours */

/*
 * Something that may last.  After a second a terminal (standard error) shows
 * what, and once a second how far: done of total (total 0: unknown).
 */
void cli_progress_begin(const char *what);
void cli_progress(size_t done, size_t total);
void cli_progress_end(void);

/* A string as JSON, quotes included. */
void cli_json_string(const char *text, size_t len);
/* On standard output; within a line: a new line in it is escaped, too. */
void cli_print_line(const char *line, size_t len);

/*
 * printable.c: the filter that standard output and error go through from then
 * on.  A mark is a text of which it makes an escape sequence.
 */
bool cli_filter_output(void);
const char *cli_mark(enum cli_colour colour);
/* Text that is one harmless line, to be freed; NULL: no memory. */
char *cli_escaped(const char *text);
/* Bytes of the character that text begins with; 0: not to be shown; -1: cut. */
int cli_character(const char *text, size_t len);
/* How many bytes of text are such characters, from the first on. */
size_t cli_shown(const char *text, size_t len);

/* sanitizer.c: the runtime that must be loaded before us; false: none. */
bool cli_sanitizer(const char *path, char *name, size_t room);

#endif
