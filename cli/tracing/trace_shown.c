// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * trace_shown.c - what an address is called where a script's answers are printed.
 *
 * Owns: the order of who is asked: symbols, then the process's own file for code that
 * it makes; and what debugging information adds: lines, and functions that were
 * inlined.  That takes long, so it is kept.
 */
#include "trace_shown.h"

#include "names/names.h"

#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define KEPT_NR (1u << 15)		/* a power of two */

struct shown_lines {
	uint64_t addr;
	uint32_t process;
	unsigned int how;
	char *text;			/* NULL: the place is free */
};

#define NONE UINT32_MAX

/* One that the kernel tells of may be another: then there is no name. */
static uint32_t process_of(const struct shown *shown, uint32_t pid)
{
	const struct tracing *t = shown->names->t;
	uint32_t i;

	/* Without a probe in it nobody has read its objects. */
	if (pid & TRACE_ARENA) {
		i = shown->subjects[pid & ~TRACE_ARENA];
		return i < TRACING_PROCESSES && shown->names->programs[i] ? i : NONE;
	}
	for (i = 0; i < t->processes_nr; i++)
		if ((uint32_t)t->processes[i].pid == pid &&
		    shown->names->programs[i])
			return i;
	return NONE;
}

/* ---- one name -------------------------------------------------------------------- */

static const char *as_in_source(const char *name)
{
	const char *full = demangle(name);

	return full ? full : name;
}

static void put_name(const char *name, uint64_t offset, unsigned int how,
		     char *text, size_t room)
{
	if (how & TRACE_WITH_OFFSET)
		snprintf(text, room, "%s+%llu", name, (unsigned long long)offset);
	else
		snprintf(text, room, "%s", name);
}

/* Code that the process has made: its word, as it may be shown. */
static bool name_made(struct shown *shown, uint32_t process, uint64_t addr,
		      uint64_t at, unsigned int how, char *text, size_t room)
{
	uint64_t start;
	const char *name = perfmap_at(&shown->made[process], at, &start);
	char *safe = name ? cli_escaped(name) : NULL;

	if (!safe)
		return false;
	put_name(safe, addr - start, how, text, room);
	free(safe);
	return true;
}

/* ---- lines ----------------------------------------------------------------------- */

struct lines {
	FILE *to;
	const char *last;		/* the function around them, with its offset */
	unsigned int how;
};

static void put_place(FILE *to, const struct names_frame *frame)
{
	const char *slash = frame->file ? strrchr(frame->file, '/') : NULL;
	char *safe = frame->file ? cli_escaped(slash ? slash + 1 : frame->file)
				 : NULL;

	if (safe)
		fprintf(to, " at %s:%d", safe, frame->line);
	free(safe);
}

/* A new line divides them, so there is none within a name. */
static void take_frame(void *arg, const struct names_frame *frame)
{
	struct lines *lines = arg;
	bool named = lines->how & TRACE_WITH_LINES;
	char *safe = NULL;

	if (frame->inlined) {
		safe = cli_escaped(as_in_source(frame->function));
		fprintf(lines->to, "%s%s", safe ? safe : "?",
			named ? " (inlined)" : "");
		free(safe);
	} else {
		fputs(lines->last, lines->to);
	}
	if (named)
		put_place(lines->to, frame);
	if (frame->inlined)
		putc('\n', lines->to);
}

static struct shown_lines *kept_at(struct shown *shown, uint64_t addr,
				   uint32_t process, unsigned int how)
{
	uint64_t hash = (addr * 31 + process) * 31 + how;
	struct shown_lines *kept;

	if (!shown->kept)
		shown->kept = calloc(KEPT_NR, sizeof(*shown->kept));
	if (!shown->kept)
		return NULL;
	hash *= 0x9e3779b97f4a7c15ull;
	kept = &shown->kept[hash >> 49];
	if (kept->text && (kept->addr != addr || kept->process != process ||
			   kept->how != how)) {
		free(kept->text);
		kept->text = NULL;
	}
	kept->addr = addr;
	kept->process = process;
	kept->how = how;
	return kept;
}

/* text: the function's name, which is added to. */
static void add_lines(struct shown *shown, uint32_t process, uint64_t at,
		      unsigned int how, char *text, size_t room)
{
	struct shown_lines *kept = kept_at(shown, at, process, how);
	struct lines lines = { .last = text, .how = how };
	size_t len;

	if (kept && !kept->text) {
		lines.to = open_memstream(&kept->text, &len);
		if (!lines.to)
			return;
		if (!names_frames(shown->names->programs[process], at, take_frame,
				  &lines))
			fputs(text, lines.to);
		fclose(lines.to);
	}
	if (kept && kept->text)
		snprintf(text, room, "%s", kept->text);
}

/* ---- what the reader of arenas asks ------------------------------------------------- */

static bool name_of(void *arg, bool kernel, uint32_t pid, uint64_t addr,
		    unsigned int how, char *text, size_t room)
{
	struct shown *shown = arg;
	uint64_t at = how & TRACE_OF_CALLER ? addr - 1 : addr;
	uint32_t process = kernel ? NONE : process_of(shown, pid);
	const struct symbols *s = kernel ? &shown->names->kernel :
			process != NONE ? &shown->names->processes[process] : NULL;
	const struct symbol *sym = s ? symbols_at(s, at) : NULL;

	if (!sym && process != NONE)
		return name_made(shown, process, addr, at, how, text, room);
	if (!sym)
		return false;
	put_name(as_in_source(sym->name), addr - sym->addr, how, text, room);
	if (!kernel && how & (TRACE_WITH_INLINED | TRACE_WITH_LINES))
		add_lines(shown, process, at, how, text, room);
	return true;
}

/*
 * Debugging information is the target's, and the library that reads it is large: a fault
 * there must not take along what has been counted.
 */
static sigjmp_buf way_out;
static volatile sig_atomic_t naming, broken;

static void on_fault(int number)
{
	if (naming)
		siglongjmp(way_out, 1);
	signal(number, SIG_DFL);
}

/* The mask stays: in the jail nobody may change it. */
void shown_guard(void)
{
	static const int numbers[] = { SIGSEGV, SIGILL, SIGBUS, SIGFPE, SIGABRT };
	static char room[65536];		/* a stack that has run over holds no handler */
	struct sigaction action = { .sa_handler = on_fault, .sa_flags = SA_NODEFER | SA_ONSTACK };
	stack_t stack = { .ss_sp = room, .ss_size = sizeof(room) };
	size_t i;

	sigaltstack(&stack, NULL);
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigaction(numbers[i], &action, NULL);
}

bool shown_symbol(void *arg, bool kernel, uint32_t pid, uint64_t addr,
		  unsigned int how, char *text, size_t room)
{
	bool found;

	if (broken)
		return false;
	if (sigsetjmp(way_out, 0)) {
		naming = 0;
		broken = 1;
		cli_error("addresses have no names from here on: the files that tell them are damaged, or made to harm");
		return false;
	}
	naming = 1;
	found = name_of(arg, kernel, pid, addr, how, text, room);
	naming = 0;
	return found;
}

static bool object(void *arg, bool kernel, uint32_t pid, uint64_t addr,
		   char *text, size_t room)
{
	struct shown *shown = arg;
	const struct tracing_names *names = shown->names;
	uint32_t process = kernel ? NONE : process_of(shown, pid);
	const struct remote_map *map = NULL;
	const struct symbol *sym;
	char *safe;

	if (kernel) {
		sym = symbols_at(&names->kernel, addr);
		snprintf(text, room, "%s",
			 sym ? names->kernel.modules[sym->module].owner : "");
		return text[0];
	}
	if (process != NONE)
		map = remote_map_at(&names->processes[process].view->remote, addr);
	if (!map || !map->path[0]) {
		snprintf(text, room, "[JIT]");
		return process != NONE &&
		       perfmap_at(&shown->made[process], addr, &(uint64_t){ 0 });
	}
	safe = cli_escaped(map->path);
	snprintf(text, room, "%s", safe ? safe : "");
	free(safe);
	return text[0];
}

/* ---- its begin and end --------------------------------------------------------------- */

void shown_look(struct shown *shown, bool at_once)
{
	const struct tracing_names *names = shown->names;
	unsigned int i;

	for (i = 0; i < names->t->processes_nr; i++)
		if (names->programs[i])
			perfmap_look(&shown->made[i], at_once);
}

void shown_add(struct shown *shown, unsigned int process)
{
	perfmap_begin(&shown->made[process],
		      shown->names->processes[process].view);
	perfmap_look(&shown->made[process], true);
}

void shown_begin(struct shown *shown, struct tracing_names *names,
		 const uint32_t *subjects)
{
	unsigned int i;

	*shown = (struct shown){ .names = names, .subjects = subjects };
	for (i = 0; i < TRACING_PROCESSES; i++)
		perfmap_begin(&shown->made[i], names->processes[i].view);
	shown_look(shown, true);
}

void shown_end(struct shown *shown)
{
	unsigned int i;

	for (i = 0; i < TRACING_PROCESSES; i++)
		perfmap_end(&shown->made[i]);
	for (i = 0; shown->kept && i < KEPT_NR; i++)
		free(shown->kept[i].text);
	free(shown->kept);
}

void shown_symbols(struct shown *shown, struct trace_symbols *symbols)
{
	symbols->arg = shown;
	symbols->symbol = shown_symbol;
	symbols->object = object;
}
