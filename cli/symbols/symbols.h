/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * symbols.h - the functions of a file, of a process or of the kernel.
 *
 * Owns: struct symbols, which is opened once, holds every function in address
 * order, and reads code: as it was linked, and as it stands in memory now.
 * Names are those that the engine uses in the same place, so what is found
 * here can be probed under the name that is printed.
 */
#ifndef KP_CLI_SYMBOLS_H
#define KP_CLI_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <elfutils/libdwfl.h>

struct view;

enum symbols_kind { SYMBOLS_FILE, SYMBOLS_PROCESS, SYMBOLS_KERNEL };

struct symbol_module {
	Dwfl_Module *dwfl;	/* NULL: the kernel, known by kallsyms only */
	char *owner;		/* as the list shows it; "" for the program */
	char *label;		/* its file's name, also of a file that was replaced */
	char *also;		/* another name: SONAME, or what was executed; or NULL */
	uint64_t bias;		/* address here minus address in the file */
	bool vdso;
	bool later;		/* not loaded: it may be opened later (trace_later.c) */
	bool small_stacks;	/* nothing but traps may run there */
	uint64_t engine, engine_end;	/* the engine's own code, if any is in it */
};

struct symbol {
	char *name;
	uint64_t addr, size;
	unsigned int module;	/* index into symbols.modules */
	uint8_t rank;		/* of several names for an address, lowest first */
	bool indirect;		/* calling it gives the real function's address */
	bool old;		/* of a version that the linker does not choose by itself */
	bool second;		/* of the second instruction set */
	bool unnamed;		/* known by its unwind entry only */
	bool unknown;		/* to the library: no symbol, nor an unwind entry */
};

/* From addr on: 'a', 't' or 'd', as assemblers leave it where there are two sets. */
struct symbol_mark {
	uint64_t addr;
	char kind;
};

struct symbols {
	enum symbols_kind kind;
	pid_t pid;
	const struct view *view;	/* NULL: the kernel */
	Dwfl *dwfl;
	int memory;		/* /proc/PID/mem, /proc/kcore, or -1 */
	Elf *core;		/* /proc/kcore's headers */
	int check, original, now;	/* the kernel module's files, or -1 */
	bool kernel_code;	/* no red zone; the kernel's rules */
	bool placed;		/* a program's code, at its final addresses */
	struct symbol *all;	/* by address */
	size_t nr, room;
	size_t first;		/* those of the module that is read now */
	struct symbol_mark *marks;	/* by address */
	size_t marks_nr, marks_room;
	struct symbol_module *modules;
	unsigned int modules_nr;
	char error[256];	/* what is wrong and what to do about it */
};

/*
 * Open what view shows: in the jail (jail.h).  0, or -errno and s->error; close
 * in any case, before the view.
 */
int symbols_open_file(struct symbols *s, const struct view *view);
int symbols_open_process(struct symbols *s, const struct view *view);
int symbols_open_kernel(struct symbols *s);
void symbols_close(struct symbols *s);

/* The function that contains addr, by its best name; NULL when none does. */
const struct symbol *symbols_at(const struct symbols *s, uint64_t addr);
/* Is addr inside a function that one of the first nr names? */
bool symbols_knows(const struct symbols *s, size_t nr, uint64_t addr);
/*
 * meant.c: the first function that a place means, its address, and the function it lies in
 * (NULL when in none).  0, -ENOENT or -EINVAL, with s->error.
 */
int symbols_find(struct symbols *s, const char *where, uint64_t *addr,
		 const struct symbol **fn);
struct symbols_choice {
	unsigned int nr;		/* how many are meant */
	char places[512];		/* of two or more: each one's place, between commas */
};
/* As symbols_find; and what else the name means, for who can take one only. */
int symbols_choose(struct symbols *s, const char *where, uint64_t *addr,
		   const struct symbol **fn, struct symbols_choice *choice);
/*
 * The same of all functions that are meant: each that the best one's object has by that
 * name.  *elsewhere: another object that has one, too, and is not meant; or NULL.
 */
typedef void (*symbols_found_fn)(void *arg, const struct symbol *fn, uint64_t addr);
int symbols_find_all(struct symbols *s, const char *where, symbols_found_fn take,
		     void *arg, const char **elsewhere);
/* origin.c: is the function at addr from that file of the source? */
bool symbols_from(const struct symbol_module *m, const char *name, uint64_t addr,
		  const char *file);
/* The engine's own code: no function of the program. */
bool symbols_is_engine(const struct symbols *s, const struct symbol *sym);
/* versions.c: which names of the module are of old versions. */
void symbols_mark_old(struct symbols *s, unsigned int module);
/* The address of name in that version, "V1", if the module has it; 0: it has not. */
uint64_t symbols_version(const struct symbols *s, unsigned int module,
			 const char *name, size_t len, const char *version);
/* How many of the sorted symbols begin at addr or before it. */
static inline size_t symbols_up_to(const struct symbols *s, size_t nr, uint64_t addr)
{
	size_t low = 0, high = nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (s->all[mid].addr <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}
/*
 * data.c: call take, if any, for each variable of that name that the first object has
 * that has one; exact: it is the linker's name.  How many.  *thread_local, if asked for:
 * there are only such as each thread has for itself.
 */
struct symbols_variable {
	const char *name;
	const char *owner, *source;	/* an object, a file of the source; NULL: any */
};
typedef void (*symbols_data_fn)(void *arg, uint64_t addr, bool exact);
unsigned int symbols_data(const struct symbols *s, const struct symbols_variable *wanted,
			  symbols_data_fn take, void *arg, bool *thread_local);
/* Has the engine in the process a variable of that name, which nobody means? */
bool symbols_engine_data(const struct symbols *s, const char *name);
/* The name that is nearest to what was typed; NULL: none is near. */
const char *symbols_similar(const struct symbols *s, const char *name);
/* Each function that is called so, in any object; an address means the one it is in.  How many. */
unsigned int symbols_list(struct symbols *s, const char *where, symbols_found_fn take, void *arg);
/* "libc", "libc.so", "/lib/libc.so.6" and "libc*" name libc.so.6; so does its SONAME. */
bool symbols_module_owned(const struct symbol_module *m, const char *owner);
/* The same of a file's name. */
bool symbols_file_is(const char *file, const char *owner);
/* "file.c" */
bool symbols_is_source(const char *name, size_t len);
/*
 * By the linker's name or by the source's.  A name of Go's may have a star or brackets in
 * it: as it is shown it is found, too.
 */
bool symbols_matches(const struct symbol *sym, const char *pattern);

/*
 * How the engine is told of addr.  In a process OBJECT+0xOFFSET, which it knows
 * without the debug files that a name may be from; in the kernel the function
 * and an offset.
 */
void symbols_place(const struct symbols *s, uint64_t addr, char *dst,
		   size_t len);

/* Code as it was linked, and as it is now; how much of len could be read. */
size_t symbols_read(const struct symbols *s, const struct symbol *near,
		    uint64_t addr, void *dst, size_t len);
size_t symbols_read_now(const struct symbols *s, uint64_t addr, void *dst,
			size_t len);

/* marks.c: what stands at addr, a part of fn; *until: as far as that is so. */
char symbols_mark_at(const struct symbols *s, const struct symbol *fn, uint64_t addr,
		     uint64_t *until);
/* A symbol's name may be one; in order once all are there. */
bool symbols_add_mark(struct symbols *s, const char *name, uint64_t addr);
void symbols_sort_marks(struct symbols *s);

/* symbol_table.c: for the files that fill it. */
int symbols_add(struct symbols *s, const char *name, uint64_t addr,
		uint64_t size, unsigned int module, uint8_t rank);
int symbols_add_module(struct symbols *s, Dwfl_Module *dwfl, const char *owner,
		       const char *label);
int symbols_fail(struct symbols *s, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void symbols_finish(struct symbols *s);
/* kallsyms.c: text without probes (original), or as it is. */
size_t symbols_kernel_read(const struct symbols *s, uint64_t addr, void *dst,
			   size_t len, bool original);
/*
 * What the engine in the kernel says of a probe at addr; NULL: it would be
 * registered, or there is no engine to ask; then *way says how, if not by a
 * breakpoint.  The texts stay.
 */
const char *symbols_kernel_refuses(const struct symbols *s, uint64_t addr,
				   const char **way);
/* plt.c: add the stubs' names, FUNCTION@plt. */
void symbols_add_plt(struct symbols *s, unsigned int module);
/* go.c: add what only Go's own table knows. */
void symbols_add_go(struct symbols *s, unsigned int module);
/* frames.c: add what only unwind entries know; each entry's place. */
void symbols_add_frames(struct symbols *s, unsigned int module);
typedef void (*symbols_frame_fn)(void *arg, uint64_t start, uint64_t len);
void symbols_frames(struct symbols *s, unsigned int module, symbols_frame_fn fn,
		    void *arg);
/* Before anything else is asked of it: by which rules its entries are read. */
void symbols_begin_frames(Dwfl_Module *module);

/*
 * demangle.c: a name as in the source, valid until the next one; NULL: it is the
 * same.  demangle_begin: before the jail closes.
 */
void demangle_begin(void);
const char *demangle(const char *name);
/* Is pattern what name is in the source, with or without its parameters? */
bool demangle_matches(const char *name, const char *pattern);
/* The same of text to the letter: "fun(char const*)" has no wildcard then. */
bool demangle_is(const char *name, const char *text);
/* The colon behind the owner in "owner:name", none of "::"; or NULL. */
const char *demangle_owner_end(const char *text);

/* One inlined copy of a function: inlined.c. */
struct symbol_inlined {
	const char *name;	/* of the function that was inlined */
	uint64_t entry;		/* where the copy begins to execute */
	const char *file;	/* the call's place in the source, or NULL */
	int line;
	struct { uint64_t start, end; } ranges[8];
	unsigned int ranges_nr;	/* all of them; the first 8 are kept */
};
/*
 * Call fn for every inlined copy of the functions called name.  How many there
 * are, or -errno with s->error: -ENODATA without debugging information.
 */
int symbols_inlined(struct symbols *s, const char *name,
		    void (*fn)(void *arg, const struct symbol_inlined *copy),
		    void *arg);

#endif
