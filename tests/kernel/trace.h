/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * trace.h - programs for kprobes_trace.ko, assembled by hand, and their tracers.
 *
 * Owns: the prototypes of trace_assemble.c.
 */
#ifndef T_TRACE_H
#define T_TRACE_H

#include "vm.h"
#include "kernel_api.h"

/* What assembling writes; zero-initialise but for what begin() sets. */
struct assembly {
	struct kt_program head;
	struct kt_probe *probes;
	struct kt_insn *insns;
	struct kt_map maps[KT_MAPS_MAX];
	char *names;
};

/* An open file, and what it was given. */
struct tracer {
	int file;
	void *program;			/* the reader's copy */
	u32 size;
	struct kt_vm vm;
	struct kt_arena *arena;
};

void begin(struct assembly *as);
/* What follows belongs to it, up to the next. */
void probe(struct assembly *as, u32 kind, const char *symbol);
/* The same instructions as the last one's. */
void probe_too(struct assembly *as, u32 kind, const char *symbol);
void insn(struct assembly *as, u8 op, u8 a, u8 b, u8 c, s32 imm);
/* Nothing behind it is executed for other processes. */
void only_this_process(struct assembly *as);
u32 map(struct assembly *as, u32 kind, u32 key_len, u32 keys);
/* The program, to be freed; as is empty again. */
void *assemble(struct assembly *as, u32 *size);
void seal(void *program, u32 size);	/* it was changed: its sum */

/* Each ends the test program where it fails. */
void tracer_open(struct tracer *t);
void tracer_load(struct tracer *t, struct assembly *as);
void tracer_map(struct tracer *t);
int tracer_start(struct tracer *t);	/* probes that were refused */
void tracer_stop(struct tracer *t);
void tracer_close(struct tracer *t);
/* All of it, but the stop. */
void tracer_run(struct tracer *t, struct assembly *as);

struct kt_probe_state *state_of(const struct tracer *t, u32 number);
/* The next event; 0: none. */
u32 next_event(struct tracer *t, struct kt_record *record);

void check(const char *name, bool good, const char *form, ...)
	__attribute__((format(printf, 3, 4)));
void die(const char *what);

#endif
