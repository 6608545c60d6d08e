// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * trace_syscalls.c - system calls as places of a script.
 *
 * Owns: which system calls an attach point names, and where each is: in the kernel
 * the function that does it.  The kernel's tracepoints of all system calls are all
 * these functions.
 */
#include "trace_syscalls.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>

/* What an attach point asks for. */
struct wanted {
	bool raw;			/* any of them: raw_syscalls */
	bool returns;
	const char *pattern;
};

static const char *after(const char *text, const char *start)
{
	size_t len = strlen(start);

	return strncmp(text, start, len) ? NULL : text + len;
}

/* "syscalls:sys_enter_openat", "raw_syscalls:sys_exit" */
static bool is_syscall(const struct trace_attach *attach, struct wanted *wanted)
{
	const char *rest = after(attach->third, "sys_enter");

	wanted->returns = !rest;
	if (!rest)
		rest = after(attach->third, "sys_exit");
	wanted->raw = !strcmp(attach->function, "raw_syscalls");
	wanted->pattern = wanted->raw ? "*" : rest ? after(rest, "_") : NULL;
	return rest && wanted->pattern &&
	       (wanted->raw ? !*rest : !strcmp(attach->function, "syscalls"));
}

/* The kernel's tracepoints have its own names: newstat.  The user's will do, too. */
static const char *called(const struct names_syscall *call, const char *pattern)
{
	if (!fnmatch(pattern, call->entry, 0))
		return call->entry;
	return fnmatch(pattern, call->name, 0) ? NULL : call->name;
}

static int emit_call(struct symbols *s, const struct trace_attach *attach,
		     const struct wanted *wanted,
		     const struct names_syscall *call, const char *name,
		     emit_fn emit, void *to)
{
	struct trace_place place = { .function = name, .kernel = true };
	char function[128], text[192];
	const struct symbol *sym;
	int err;

	snprintf(function, sizeof(function), "__x64_sys_%s", call->entry);
	err = symbols_find(s, function, &place.addr, &sym);
	if (err)
		return err;
	snprintf(text, sizeof(text), "%s:%s:sys_%s%s%s", attach->provider,
		 attach->function, wanted->returns ? "exit" : "enter",
		 wanted->raw ? "" : "_", wanted->raw ? "" : name);
	place.name = text;
	emit(to, &place);
	return 0;
}

int syscalls_places(struct tracing_names *n, const struct trace_attach *attach,
		    emit_fn emit, void *to, const char **why)
{
	const struct names_syscall *call;
	uint32_t nr, i, hits = 0;
	struct wanted wanted;
	const char *name;

	if (!is_syscall(attach, &wanted)) {
		*why = "of the kernel's tracepoints only those of system calls are known, syscalls:sys_enter_NAME, syscalls:sys_exit_NAME, raw_syscalls:sys_enter and raw_syscalls:sys_exit; kprobe: on the function where it stands";
		return -ENOENT;
	}
	call = names_syscalls(&nr);
	for (i = 0; i < nr; i++) {
		name = called(&call[i], wanted.pattern);
		if (name && !emit_call(&n->kernel, attach, &wanted, &call[i],
				       name, emit, to))
			hits++;
	}
	*why = "this kernel has no such system call";
	return hits ? 0 : -ENOENT;
}

const struct trace_arg *syscalls_args(struct names *names,
				      const struct trace_attach *attach,
				      uint32_t *nr)
{
	const struct names_syscall *call;
	struct wanted wanted;

	if (!is_syscall(attach, &wanted))
		return NULL;
	call = names_syscall(wanted.raw && attach->place
			     ? attach->place->function : wanted.pattern);
	if (wanted.raw && (call || !wanted.returns))
		return names_syscall_raw_args(names, call, NAMES_SYSCALL_KERNEL,
					      wanted.returns, nr);
	return !call ? NULL :
	       names_syscall_args(names, call, NAMES_SYSCALL_KERNEL,
				  wanted.returns, nr);
}
