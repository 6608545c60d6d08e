/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * script.h - a script, compiled: what the front gives to the command.
 *
 * Owns: the program in vm/program.h's format, and what its numbers mean to a
 * reader: events with their formats and fields, maps with their names and types,
 * blocks that run in the reader (BEGIN, END, interval).
 */
#ifndef KT_SCRIPT_H
#define KT_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- types of values ----------------------------------------------------------- */

enum trace_kind {
	TRACE_NONE,
	TRACE_INT,		/* size bytes (1, 2, 4, 8), sign */
	TRACE_POINTER,		/* 8 bytes; shown as 0x... */
	TRACE_BOOL,		/* 8 bytes */
	TRACE_STRING,		/* size bytes, ends with a 0 */
	TRACE_BUFFER,		/* u64 length, then size - 8 bytes */
	TRACE_KSYM,		/* 8 bytes: an address in the kernel */
	TRACE_USYM,		/* u64 address, u64 pid */
	TRACE_KSTACK,		/* 8 bytes: the stack's number; frames */
	TRACE_USTACK,		/* u32 stack's number, u32 pid */
	TRACE_INET,		/* u64 family (AF_INET, AF_INET6), 16 bytes */
	TRACE_USERNAME,		/* 8 bytes: a uid */
	TRACE_PROBE,		/* 8 bytes: a probe's number; its name is shown */
	TRACE_FUNC,		/* 8 bytes: an address; the function's name is shown */
	TRACE_TIME,		/* 8 bytes: nsecs; format as of strftime */
	TRACE_ENUM,		/* 8 bytes; a C enum's, shown by name */
	TRACE_MAC,		/* 8 bytes, 6 used */
	TRACE_ERRNO,		/* 8 bytes: a number of errno.h, also negative; in words */
	TRACE_SYSCALL,		/* 8 bytes: a system call's number; its name is shown */
	TRACE_SIGNAL_NAME,	/* 8 bytes: a signal's number; its name is shown */
	TRACE_RECORD,		/* a C structure or array, as it was in memory; c */
	TRACE_TUPLE,		/* fields, each at its offset */
};

struct ctype;

struct trace_type {
	enum trace_kind kind;
	uint32_t size;			/* bytes, as kept in keys and events */
	bool sign;
	bool own;			/* INT: the number of the process that says it */
	uint32_t frames;		/* stacks: at most so many */
	const char *format;		/* TIME; stacks: "" "perf" "raw" */
	const struct ctype *c;		/* ENUM, POINTER, RECORD: what the source says */
	struct trace_field *fields;	/* TUPLE */
	uint32_t fields_nr;
};

struct trace_field {
	struct trace_type type;
	uint32_t offset;		/* in the key, value or payload */
};

/* What is wrong with a script. */
struct trace_error {
	uint32_t line, column, width;	/* from 1 on; 0: nowhere */
	char text[512];			/* what, and what to use instead */
	bool warning;			/* it does without */
};

/* ---- what a script consists of ---------------------------------------------------- */

enum trace_event_kind {
	TRACE_PRINTF,			/* format, fields */
	TRACE_PRINT,			/* one value: fields[0] */
	TRACE_PRINT_MAP,		/* map; top, div: fields[0], [1], 0: none */
	TRACE_PRINT_KEY,		/* map; fields are its key's; then top, div */
	TRACE_CLEAR, TRACE_ZERO,	/* map */
	TRACE_EXIT,
	TRACE_TIME_OF_DAY,		/* time(format) */
	TRACE_JOIN,			/* fields: strings, with format between */
	TRACE_CAT, TRACE_SYSTEM,	/* format, fields */
	TRACE_ERRORF,
	TRACE_MARK,			/* a hit: the thread's name; sp, of a return its value */
};

struct trace_event {
	enum trace_event_kind kind;
	char *format;			/* of printf: as written; escapes are done */
	uint32_t map;
	struct trace_field *fields;	/* in the record's bytes */
	uint32_t fields_nr;
	uint32_t line;			/* in the script */
};

struct trace_map {
	char *name;			/* "@", "@start" */
	bool hidden;			/* not the script's: it is not shown */
	struct trace_field *keys;	/* none: a single value */
	uint32_t keys_nr;
	struct trace_type value;	/* of KT_MAP_VALUE; of others what is counted */
	uint32_t kind;			/* enum kt_map_kind */
	bool added;			/* VALUE: only ++, += and the like change it */
	int64_t min, max, step;		/* of LHIST */
};

/* SIGNAL: the reader's process was sent SIGUSR1. */
enum trace_block_kind { TRACE_BEGIN, TRACE_END, TRACE_INTERVAL, TRACE_SIGNAL };

/* Code that runs in the reader's own process, in the same arena. */
struct trace_block {
	enum trace_block_kind kind;
	uint64_t nsecs;			/* of INTERVAL */
	uint32_t first;			/* instruction */
};

/* The probe numbers of the program, in order. */
struct trace_probe {
	char *name;			/* "kprobe:vfs_read", for the builtin probe */
	char *function;			/* for func; "" */
	bool kernel;			/* in the kernel; else in a process */
	uint32_t process;		/* in which, if there are several */
	bool returns;			/* a function has returned */
	bool needed;			/* named by itself: must not fail */
};

struct trace_script {
	/*
	 * struct kt_program.  Each host gets a copy in which the probes of others are
	 * KT_PROBE_ELSEWHERE, and addresses are its own.
	 */
	void *program;
	struct trace_probe *probes;
	uint32_t probes_nr;
	struct trace_event *events;
	uint32_t events_nr;
	struct trace_map *maps;
	uint32_t maps_nr;
	struct trace_block *blocks;
	uint32_t blocks_nr;
	bool hides_maps;		/* they are not printed at the end */
	struct trace_error *warnings;	/* what was left out, and why */
	uint32_t warnings_nr;
	struct trace_arena *own;	/* the front's memory */
};

/* ---- what the front asks ------------------------------------------------------------- */

/* A C type, as debugging information or the script itself defines it. */
enum ctype_kind {
	CTYPE_VOID, CTYPE_INT, CTYPE_POINTER, CTYPE_ARRAY, CTYPE_STRUCT,
	CTYPE_ENUM, CTYPE_FUNCTION,
};

struct cfield {
	const char *name;		/* "" for an anonymous structure */
	const struct ctype *type;
	uint32_t offset;		/* bytes */
	uint32_t bit, bits;		/* of a bit-field; bits 0: none */
};

struct ctype {
	enum ctype_kind kind;
	const char *name;		/* "struct sock", "int"; may be "" */
	uint64_t size;			/* bytes */
	bool sign;
	const struct ctype *to;		/* of POINTER, ARRAY */
	uint64_t nr;			/* of ARRAY */
	const struct cfield *fields;	/* of STRUCT (and union); values of ENUM */
	uint32_t fields_nr;
	const int64_t *values;		/* of ENUM, for each of its fields */
	uint32_t align;			/* of STRUCT, where a script says so; 0: its fields' */
	/* A structure that is only named here; trace_env.type() knows it. */
	bool incomplete;
	bool vector;			/* ARRAY: as compilers keep in a vector register */
	bool complex;			/* of two fractions of half its size */
	bool aligned;			/* the source gives it, or a part, an alignment of its own */
};

enum trace_place_kind {
	TRACE_PLACE_CODE,
	TRACE_PLACE_EVENT,		/* the kernel's tracepoint of the number addr */
	TRACE_PLACE_SAMPLE,		/* each processor, every addr nanoseconds */
};

/* One place of an attach point. */
struct trace_place {
	uint64_t addr;			/* 0: by symbol */
	enum trace_place_kind kind;
	const char *symbol;		/* as struct kprobe.symbol_name; or NULL */
	uint32_t offset;
	const char *name;		/* "kprobe:vfs_read": an attach point, too */
	const char *function;		/* "vfs_read" */
	bool kernel;
	uint32_t process;		/* as in struct trace_probe */
	bool one_of_many;		/* it may fail: others do the same */
	/* Of a system call in the kernel: its function has the parameters, not the user's registers. */
	bool plain;
	/* Of a return: the instruction behind what has returned, no return probe. */
	bool behind;
	/*
	 * Of a system call at an instruction that makes several: its number, and the
	 * only one that is meant, or -1.  It stays as long as the environment.
	 */
	const struct trace_arg *number;
	int64_t only;
	/* Of a return: only in a thread that was at this address before; or 0. */
	uint64_t after;
};

/* "kprobe:vfs_*+4", split. */
struct trace_attach {
	const char *provider;		/* "kprobe", "uprobe" ... in full */
	const char *target;		/* of uprobe and usdt; else "" */
	const char *function;		/* a pattern, a number as text; second word */
	const char *third;		/* usdt:FILE:PROVIDER:NAME; tracepoints; uprobe:FILE:SOURCE:FUNCTION; "" */
	uint64_t offset;
	uint64_t nsecs;			/* of interval, profile */
	bool is_address;		/* function is one */
	uint32_t watch;			/* of watchpoint: KT_WATCH(); else 0 */
	uint32_t line, column;		/* in the script */
	const struct trace_place *place;	/* of args(): which of its places */
};

/* Where a named argument of a probe is. */
enum trace_arg_kind {
	TRACE_ARG_NUMBER,		/* ARG value */
	TRACE_ARG_REGISTER,		/* register value + offset; deref: memory there */
	TRACE_ARG_CONTEXT,		/* tracepoint: memory at ARG value, + offset */
	TRACE_ARG_LOCATED,		/* the same; two bytes there say how far it is */
	TRACE_ARG_CONSTANT,
	TRACE_ARG_MEMORY,		/* memory at the address value */
	TRACE_ARG_RETURN,
	TRACE_ARG_NOTED,		/* of a place with after: the number that was there */
	TRACE_ARG_ELEMENTS,		/* an array: its parts are arguments from value on */
	TRACE_ARG_NOWHERE,		/* it cannot be had here: why */
};

struct trace_arg {
	const char *name;
	const struct ctype *type;
	enum trace_arg_kind kind;
	int64_t value;
	int64_t offset;			/* fits into 32 bits, signed */
	bool deref;
	bool user;			/* what it points to is user memory */
	const char *why;
};

/* The most that BPFTRACE_MAX_STRLEN and the like can ask for, with the 0 at the end. */
#define TRACE_STRLEN_MAX 512u

/* What becomes of places that are not there. */
enum trace_missing {
	TRACE_MISSING_OTHERS,		/* an error, unless others of the clause are there */
	TRACE_MISSING_ERROR, TRACE_MISSING_WARN, TRACE_MISSING_IGNORE,
};

/* What the user's environment sets, against what the script says of itself. */
#define TRACE_GIVEN_STRLEN	1u
#define TRACE_GIVEN_KEYS	2u
#define TRACE_GIVEN_STACK	4u
#define TRACE_GIVEN_MISSING	8u

/* What a word means: of stack_mode, the format of a stack; of missing_probes.  NULL, false: nothing. */
const char *trace_stack_mode(const char *word);
bool trace_missing_mode(const char *word, enum trace_missing *missing);

struct trace_env {
	void *arg;			/* of all functions */
	char *const *params;		/* $1, $2 ... */
	int params_nr;
	char *const *options;		/* "name=value", "name": for getopt() */
	int options_nr;
	uint32_t strlen_max;		/* BPFTRACE_MAX_STRLEN; 64 */
	uint32_t keys_max;		/* BPFTRACE_MAX_MAP_KEYS; 4096 */
	const char *stack_mode;		/* BPFTRACE_STACK_MODE; NULL or "", "perf", "raw" */
	enum trace_missing missing;	/* BPFTRACE_MISSING_PROBES */
	uint32_t child;			/* the process of -- COMMAND; 0: none */
	const char *name;		/* of the script, for what errorf() says; NULL: script */
	uint32_t given;			/* TRACE_GIVEN_...: by the environment */
	uint32_t shards;		/* processors, rounded up to a power of two */
	bool user;			/* "kprobe" is not to be had: a process alone */
	bool marks;			/* each hit is told: TRACE_MARK */
	/*
	 * All places that match.  0, or -errno and *why, a text with what to do.
	 * Calls emit for each; what it is given is copied.
	 */
	int (*places)(void *arg, const struct trace_attach *attach,
		      void (*emit)(void *to, const struct trace_place *place),
		      void *to, const char **why);
	/* "struct sock", "size_t"; NULL: it is not known. */
	const struct ctype *(*type)(void *arg, const char *name);
	/* The arguments by name; *nr of them; NULL: not known, and *why. */
	const struct trace_arg *(*args)(void *arg,
					const struct trace_attach *attach,
					bool returns, uint32_t *nr,
					const char **why);
	/* An enumerator, and of which type; or a macro that is known: AF_INET. */
	bool (*constant)(void *arg, const char *name, int64_t *value,
			 const struct ctype **type);
	/* kaddr("name"), uaddr("name"). */
	bool (*address)(void *arg, const char *name, bool user,
			uint64_t *addr);
};

/*
 * Compile.  NULL and *error when it cannot be.  To be ended with
 * trace_script_free().
 */
struct trace_script *trace_compile(const char *text, size_t len,
				   const struct trace_env *env,
				   struct trace_error *error);
void trace_script_free(struct trace_script *script);
/*
 * Call take for each text of a cat() or system() of the script, without compiling it.
 * False: there is none.
 */
bool trace_acts(const char *text, size_t len,
		void (*take)(void *arg, bool cat, const char *format), void *arg);
/* The lines that show where, with a caret, as bpftrace does; to be freed. */
char *trace_error_show(const struct trace_error *error, const char *name,
		       const char *text, size_t len);

#endif
