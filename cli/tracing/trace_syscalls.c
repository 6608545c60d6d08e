// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * trace_syscalls.c - system calls as probes of a script.
 *
 * Owns: which system calls an attach point names, and where each is: in the kernel the function
 * that implements it, in a process the instructions that make it.  The tracepoints of all system
 * calls mean all of these.
 */
#include "trace_calls.h"
#include "trace_syscalls.h"

#include "names/names.h"
#include "calls.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>

/* What an attach point asks for. */
struct wanted {
	const struct trace_attach *attach;
	bool raw;			/* any of them: raw_syscalls */
	bool returns;
	const char *pattern;
	uint32_t process;
	emit_fn emit;
	void *to;
	unsigned int nr;		/* places, so far */
};

static const char *after(const char *text, const char *start)
{
	size_t len = strlen(start);

	return strncmp(text, start, len) ? NULL : text + len;
}

static bool is_tracepoint(const struct trace_attach *attach)
{
	return !strcmp(attach->provider, "tracepoint");
}

bool syscalls_are_meant(const struct trace_attach *attach)
{
	return is_tracepoint(attach) || !strcmp(attach->provider, "syscall") ||
	       !strcmp(attach->provider, "sysret");
}

/* "syscalls:sys_enter_openat", "raw_syscalls:sys_exit" */
static bool read_tracepoint(struct wanted *wanted)
{
	const struct trace_attach *attach = wanted->attach;
	const char *rest = after(attach->third, "sys_enter");

	wanted->returns = !rest;
	if (!rest)
		rest = after(attach->third, "sys_exit");
	wanted->raw = !strcmp(attach->function, "raw_syscalls");
	wanted->pattern = wanted->raw ? "*" : rest ? after(rest, "_") : NULL;
	return rest && wanted->pattern &&
	       (wanted->raw ? !*rest : !strcmp(attach->function, "syscalls"));
}

static bool is_syscall(struct wanted *wanted)
{
	if (is_tracepoint(wanted->attach))
		return read_tracepoint(wanted);
	wanted->pattern = wanted->attach->function;
	wanted->returns = !strcmp(wanted->attach->provider, "sysret");
	return true;
}

/* The kernel's tracepoints have its own names: newstat.  The user's will do, too. */
static const char *called(const struct names_syscall *call, const char *pattern,
			  bool kernel)
{
	const char *first = kernel ? call->entry : call->name;
	const char *second = kernel ? call->name : call->entry;

	if (!fnmatch(pattern, first, 0))
		return first;
	return fnmatch(pattern, second, 0) ? NULL : second;
}

/* name "": any call. */
static void emit_place(struct wanted *wanted, struct trace_place *place,
		       const char *name)
{
	const struct trace_attach *attach = wanted->attach;
	const char *shown = *name ? name : "*";
	char text[192];

	place->function = name;
	if (!is_tracepoint(attach))
		snprintf(text, sizeof(text), "%s:%s", attach->provider, shown);
	else
		snprintf(text, sizeof(text), "%s:%s:sys_%s%s%s", attach->provider,
			 attach->function, wanted->returns ? "exit" : "enter",
			 wanted->raw ? "" : "_", wanted->raw ? "" : shown);
	place->name = text;
	wanted->emit(wanted->to, place);
	wanted->nr++;
}

/* ---- in the kernel ------------------------------------------------------------- */

static bool find_function(struct symbols *s, const char *prefix, const struct names_syscall *call,
			  struct trace_place *place)
{
	const struct symbol *sym;
	char function[128];

	snprintf(function, sizeof(function), "%s%s", prefix, call->entry);
	return *prefix && !symbols_find(s, function, &place->addr, &sym);
}

/* Where functions take the registers of who calls they have names of their own; else parameters. */
static void emit_function(struct symbols *s, struct wanted *wanted,
			  const struct names_syscall *call, const char *name)
{
	struct trace_place place = { .kernel = true };

	if (!find_function(s, CALLS_KERNEL_PREFIX, call, &place)) {
		place.plain = true;
		if (!find_function(s, "sys_", call, &place))
			return;
	}
	emit_place(wanted, &place, name);
}

static void find_functions(struct symbols *s, struct wanted *wanted)
{
	const struct names_syscall *call;
	const char *name;
	uint32_t nr, i;

	call = names_syscalls(&nr);
	for (i = 0; i < nr; i++) {
		name = called(&call[i], wanted->pattern, true);
		if (name)
			emit_function(s, wanted, &call[i], name);
	}
}

/* ---- in a process -------------------------------------------------------------- */

/* only: of a site that asks for several calls, this one is meant; -1: all. */
static void emit_site(struct wanted *wanted, const struct call_site *site,
		      int64_t only, const char *name)
{
	struct trace_place place = {
		.addr = wanted->returns ? site->behind : site->place,
		.process = wanted->process, .behind = wanted->returns,
		.one_of_many = true, .only = only,
	};

	if (!place.addr)
		return;
	if (site->number < 0)
		place.number = &site->parts[CALL_NUMBER];
	if (wanted->returns && (site->joined || site->number < 0))
		place.after = site->place;
	emit_place(wanted, &place, name);
}

static void find_any(struct wanted *wanted, const struct call_site *sites,
		     size_t nr)
{
	const struct names_syscall *call;
	size_t i;

	for (i = 0; i < nr; i++) {
		call = sites[i].number < 0 ? NULL :
		       names_syscall_number((int32_t)sites[i].number);
		emit_site(wanted, &sites[i], -1, call ? call->name : "");
	}
}

static void find_named(struct wanted *wanted, const struct call_site *sites,
		       size_t sites_nr)
{
	const struct names_syscall *call;
	const char *name;
	uint32_t nr, i;
	size_t k;

	call = names_syscalls(&nr);
	for (i = 0; i < nr; i++) {
		name = called(&call[i], wanted->pattern, false);
		for (k = 0; name && k < sites_nr; k++)
			if (sites[k].number < 0 ||
			    sites[k].number == call[i].number)
				emit_site(wanted, &sites[k], call[i].number, name);
	}
}

static int find_sites(struct tracing_names *n, struct wanted *wanted)
{
	struct call_site **sites = &n->calls[wanted->process];
	size_t *nr = &n->calls_nr[wanted->process];
	int err = 0;

	if (!*sites)
		err = tracing_call_sites(&n->processes[wanted->process], sites, nr);
	if (err)
		return err;
	if (!strcmp(wanted->pattern, "*"))
		find_any(wanted, *sites, *nr);
	else
		find_named(wanted, *sites, *nr);
	return 0;
}

static const struct call_site *site_at(const struct tracing_names *n,
				       const struct trace_place *place)
{
	const struct call_site *sites = place && place->process != TRACING_NOWHERE ?
					n->calls[place->process] : NULL;
	size_t i;

	for (i = 0; sites && i < n->calls_nr[place->process]; i++)
		if (place->addr == (place->behind ? sites[i].behind
						  : sites[i].place))
			return &sites[i];
	return NULL;
}

/* ---- both ------------------------------------------------------------------------ */

int syscalls_places(struct tracing_names *n, uint32_t process, bool kernel,
		    const struct trace_attach *attach, emit_fn emit, void *to,
		    const char **why)
{
	struct wanted wanted = {
		.attach = attach, .process = process, .emit = emit, .to = to,
	};
	int err = 0;

	if (!is_syscall(&wanted)) {
		*why = "of system calls there are syscalls:sys_enter_NAME, syscalls:sys_exit_NAME, raw_syscalls:sys_enter and raw_syscalls:sys_exit";
		return -ENOENT;
	}
	if (kernel)
		find_functions(&n->kernel, &wanted);
	else
		err = find_sites(n, &wanted);
	*why = kernel ? "this kernel has no such system call"
		      : "nothing in this process is seen to make such a system call";
	return err || wanted.nr ? err : -ENOENT;
}

const struct trace_arg *syscalls_args(struct tracing_names *n, uint32_t process,
				      bool kernel,
				      const struct trace_attach *attach,
				      uint32_t *nr)
{
	const struct trace_place *place = attach->place;
	struct wanted wanted = { .attach = attach };
	struct names_syscall_place at = {
		.where = !kernel ? NAMES_SYSCALL_PROCESS :
			 place && place->plain ? NAMES_SYSCALL_FUNCTION : NAMES_SYSCALL_KERNEL,
	};
	const struct names_syscall *call;
	const struct call_site *site;

	if (!is_syscall(&wanted))
		return NULL;
	site = kernel ? NULL : site_at(n, place);
	call = names_syscall(place && place->function ? place->function
						      : wanted.pattern);
	at.raw = wanted.raw;
	at.returns = wanted.returns;
	at.noted = place && place->number && place->after;
	at.parts = site ? site->parts : NULL;
	return names_syscall_args(kernel ? n->kernel_types : n->programs[process],
				  call, &at, nr);
}
