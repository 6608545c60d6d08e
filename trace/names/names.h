/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * names.h - what the names in a script mean.
 *
 * Owns: struct names, the types, constants and arguments of one subject: a kernel,
 * a file or a process.  What it gives is its own and stays until names_free().  A
 * structure behind a pointer may be incomplete; names_type() of its name completes
 * that same object.
 *
 * Files of others are hostile input: they are opened and read in the jail only
 * (cli/inspect/jail.h), which bounds time and memory; depth is bounded here.
 */
#ifndef KT_NAMES_H
#define KT_NAMES_H

#include <elfutils/libdwfl.h>

#include "../front/script.h"

struct names;

/* ---- a subject ------------------------------------------------------------------- */

/*
 * The kernel's, from file (BTF, or an ELF file with BTF or DWARF), from what
 * KPROBES_VMLINUX names, from the running kernel's own BTF, or from its vmlinux.  NULL
 * and *why: there is none.  modules: what the running kernel's modules have, too, if
 * the file is its own.  All is read at once: a jail may be closed behind it.
 */
struct names *names_of_kernel(const char *file, bool modules, const char **why);
/* No debugging information is there: C's own types alone.  NULL: no memory. */
struct names *names_of_nothing(void);
/* BTF in memory that stays; NULL: it is none. */
struct names *names_of_btf(const void *bytes, size_t len);
/*
 * A program's or a process's, by the DWARF of its objects.  In the jail, unless the
 * files are one's own.  dwfl stays the caller's, and has to stay.  NULL: no memory.
 */
struct names *names_of_dwfl(Dwfl *dwfl);
/* Nobody means names of this module, one of dwfl's: before any is asked for. */
void names_leave_out(struct names *names, Dwfl_Module *module);
void names_free(struct names *names);

/* ---- types and constants ------------------------------------------------------------ */

/* "struct sock", "size_t", "unsigned long", "char *"; NULL: it is not known. */
const struct ctype *names_type(struct names *names, const char *name);
/* An enumerator.  *type: the enumeration that it belongs to. */
bool names_constant(struct names *names, const char *name, int64_t *value,
		    const struct ctype **type);

/* ---- arguments ------------------------------------------------------------------------ */

/* A place in the code whose names are asked for. */
struct names_place {
	const char *function;		/* as the symbol table has it */
	uint64_t offset;		/* from where it begins */
	uint64_t addr;			/* of a program: where it is; or 0 */
	bool returns;			/* what it returns, as "retval" */
};

/*
 * The arguments at a place; at an instruction behind the first what has a name
 * there.  NULL and *why: they are not known.  One that cannot be had is there, as
 * TRACE_ARG_NOWHERE.
 */
const struct trace_arg *names_args(struct names *names,
				   const struct names_place *place,
				   uint32_t *nr, const char **why);

/* ---- lines ------------------------------------------------------------------------------ */

struct names_line {
	uint64_t addr;
	int line;			/* which it is: the next one that has code */
	const char *function;		/* as the symbol table has it; "": unknown */
	bool inlined;			/* in a copy of it within another one */
};

/*
 * Call take for each place of a line, one in each function and inlined copy.  How many
 * there are; 0 and *why: none.
 */
int names_lines(struct names *names, const char *file, int line,
		void (*take)(void *arg, const struct names_line *line),
		void *arg, const char **why);

/*
 * Call take for each piece of code of the functions that can get at an object of the
 * type, named without "struct", as far as their parameters and variables and those of
 * their unit say: not through casts.  How many there are; 0 and *why: none.
 */
int names_users(struct names *names, const char *type,
		void (*take)(void *arg, const struct names_line *line),
		void *arg, const char **why);

/* A function that an instruction belongs to. */
struct names_frame {
	const char *function;		/* as the symbol table has it, or would */
	const char *file;		/* NULL: it is not known */
	int line;
	bool inlined;			/* into the next one */
};

/*
 * Call take for each, from the innermost on.  How many there are; 0: none is known.
 * Of what a return address leads back to, ask for the address before it.
 */
int names_frames(struct names *names, uint64_t addr,
		 void (*take)(void *arg, const struct names_frame *frame),
		 void *arg);

/* ---- probes of the program's own ---------------------------------------------------------- */

struct names_usdt {
	const char *object;		/* the file's name */
	const char *provider, *name;
	uint64_t addr;
	uint64_t semaphore;		/* two bytes that count who looks; 0: none */
	const struct trace_arg *args;	/* arg0, arg1 ... */
	uint32_t args_nr;
};

/* Call take for each of all objects.  How many there are. */
int names_usdts(struct names *names,
		void (*take)(void *arg, const struct names_usdt *usdt),
		void *arg);

/* ---- system calls ---------------------------------------------------------------------- */

/* Arguments are pointers to user memory wherever they are pointers. */
struct names_syscall {
	const char *name;		/* the user's: "stat" */
	const char *entry;		/* the kernel's: "newstat" */
	int32_t number;			/* the processor's; -1: not known */
	uint32_t args_nr;
	struct {
		const char *type, *name;	/* "const char *", "filename" */
	} args[6];
};

/* By either of its names, or by its number; NULL: there is none. */
const struct names_syscall *names_syscall(const char *name);
const struct names_syscall *names_syscall_number(int32_t number);
/* All of them, in the order of x86-64's numbers. */
const struct names_syscall *names_syscalls(uint32_t *nr);
/*
 * How a probe finds them.  KERNEL: on __x64_sys_ENTRY, whose first argument is where
 * the user's registers are.  FUNCTION: on sys_ENTRY, which has them as parameters.
 * PROCESS: at the instruction that calls the kernel, or, with parts, where these say: the
 * number, then the six.
 */
enum names_syscall_where { NAMES_SYSCALL_KERNEL, NAMES_SYSCALL_FUNCTION, NAMES_SYSCALL_PROCESS };
/* At its end it can be asked for the result, and, as noted says, for the number. */
struct names_syscall_place {
	enum names_syscall_where where;
	bool returns;
	bool raw;			/* named as those of all calls: id, args[0] ... */
	bool noted;			/* the number is TRACE_ARG_NOTED */
	const struct trace_arg *parts;	/* or NULL */
};
/* call NULL: any; raw, or named arg0 ...  NULL: no memory. */
const struct trace_arg *names_syscall_args(struct names *names,
					   const struct names_syscall *call,
					   const struct names_syscall_place *at,
					   uint32_t *nr);

/* ---- the kernel's tracepoints ------------------------------------------------------------ */

/*
 * Of lines as the kernel has them in a tracepoint's format, behind "field:", each with
 * a 0 at its end.  NULL: no memory.
 */
const struct trace_arg *names_event_args(struct names *names, const char *fields,
					 size_t len, uint32_t *nr);

#endif
