/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * trace_shown.h - what an address is called where a script's answers are printed.
 *
 * Owns: struct shown.
 */
#ifndef KP_CLI_TRACE_SHOWN_H
#define KP_CLI_TRACE_SHOWN_H

#include "perfmap.h"
#include "reader.h"
#include "tracing.h"

struct shown {
	struct tracing_names *names;
	const uint32_t *subjects;		/* of each arena: which process */
	struct perfmap made[TRACING_PROCESSES];	/* code that they make */
	struct shown_lines *kept;		/* what was asked for lately */
};

void shown_begin(struct shown *shown, struct tracing_names *names,
		 const uint32_t *subjects);
/* One has come later. */
void shown_add(struct shown *shown, unsigned int process);
/* Now and then: the processes may be gone when a name is asked for. */
void shown_look(struct shown *shown, bool at_once);
void shown_end(struct shown *shown);
/* Before the jail closes: a fault while a name is looked for ends no more than that. */
void shown_guard(void);
/* trace_symbols.symbol(), with a struct shown. */
bool shown_symbol(void *shown, bool kernel, uint32_t pid, uint64_t addr,
		  unsigned int how, char *text, size_t room);
/* The functions that know names, with their argument. */
void shown_symbols(struct shown *shown, struct trace_symbols *symbols);

#endif
