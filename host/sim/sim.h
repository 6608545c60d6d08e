/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * sim.h - a host made of memory, for unit tests, on a processor that does not exist.
 *
 * Owns: the knobs by which a test lays out text and symbols, scripts failures
 * and looks at what the core did.  No real code runs here: the text is bytes,
 * a hit is a call of kp_core_on_trap with registers that the test made.
 */
#ifndef KP_SIM_H
#define KP_SIM_H

#include "env.h"
#include "context.h"
#include "host.h"
#include "enter.h"
#include "upcall.h"
#include "watch.h"

#define SIM_TEXT_LEN 8192

#define SIM_FAR (1u << 24)		/* what no branch reaches */

/* In this order wherever it lies: what text reaches is the same in every build. */
extern struct sim_memory {
	uint8_t text[SIM_TEXT_LEN];	/* "executable" */
	uint8_t exec[SIM_FAR + (1 << 20)];
} sim_memory;
#define sim_text sim_memory.text
extern uint8_t sim_data[4096];		/* symbols may lie here, not text */

/* Fresh text (single-byte nops), no symbols, no scripts, no failures. */
void sim_reset(void);

/* Put bytes at sim_text + offset and a symbol over them. */
uintptr_t sim_function(const char *name, size_t offset, const uint8_t *bytes,
		       size_t len);
void sim_symbol(const char *name, uintptr_t start, size_t len);
/* text_query answers kind for [start, start+len). */
void sim_region(uintptr_t start, size_t len, enum kp_text_kind kind,
		const char *why);

/* A fault at an instruction of [start, start+len) has a fixup. */
void sim_fixup(uintptr_t start, size_t len);
/* What was said last. */
extern char sim_last_log[256];

/*
 * Scripted failures, a letter a call: 'a' allow, 'f' fail; after the last
 * letter everything is allowed.
 */
enum sim_duty { SIM_ALLOC, SIM_TEXT_WRITE, SIM_EXEC_ALLOC, SIM_EXEC_WRITE,
		SIM_BIND, SIM_ENTER, SIM_ALLOC_NOW, SIM_TRACER,
		SIM_EXEC_ALLOC_IN, SIM_EXEC_COMMIT, SIM_EXEC_DROP, SIM_DEFER, SIM_WATCH,
		SIM_DUTIES };
void sim_script(enum sim_duty duty, const char *letters);
bool sim_fails(enum sim_duty duty);	/* the next letter */

/* What happened since sim_reset. */
struct sim_counts {
	size_t allocs;			/* live allocations */
	size_t syncs, writes, waits, logs, broken, kicks;
	size_t tracer_requests, returns_hooked;
	size_t defers;			/* pending: see sim_run_deferred */
	size_t windows;			/* calls of exec_alloc_in */
	size_t readers;			/* inside enter/leave */
};
extern struct sim_counts sim_counts;
/* What was logged since sim_reset, a line each, as far as it fits. */
extern char sim_logs[4096];

/*
 * A site of the tracer: a region of kind KP_TEXT_TRACER for the first byte of
 * sim_tracer_nop, KP_TEXT_INNER for the others.  While it is called from it is a call.
 */
#define SIM_TRACER_LEN 4
extern const uint8_t sim_tracer_nop[SIM_TRACER_LEN];
void sim_tracer_region(uintptr_t addr);
void sim_tracer_reset(void);		/* sim_reset's */
/* In how many ways it is called from; and execute it: calls the core as often. */
unsigned int sim_traced(uintptr_t addr);
void sim_tracer_call(uintptr_t addr, struct pt_regs *regs);

/*
 * Debug registers: how many are in use, and an instruction's access, which has
 * been done; true: it was reported.
 */
unsigned int sim_watched(void);
bool sim_access(uintptr_t addr, size_t len, bool write, struct pt_regs *regs);
void sim_watch_reset(void);		/* sim_reset's */
/* The number of the task that accesses, at first the process's own. */
#define SIM_PROCESS 100
extern int sim_task;

/* Who executes, and which threads have ended (bit n: thread n). */
extern uintptr_t sim_thread;
extern unsigned long sim_threads_gone;
extern bool sim_coroutines;	/* no stack ends with its thread */
extern bool sim_stacks_copied;
/* Another engine has a probe at this address; 0: none. */
extern uintptr_t sim_other;
extern bool sim_copies_original;	/* who puts breakpoints on our jumps */
/* What these answer for every function: why not. */
extern const char *sim_return_refused, *sim_jprobe_refused;
/* And who acts on its caller: this function; all that read the address. */
extern uintptr_t sim_minds_caller;
extern bool sim_minds_callers;
/* What kp_arch_keeping was last asked to keep. */
extern unsigned int sim_kept;
/* What the core last said by kp_host_returns_hooked. */
extern bool sim_returns_hooked;

/* The time has come for what was put off; nothing when nothing was. */
void sim_run_deferred(void);

/* Called after each single text write, to check the invariant: of this patch. */
extern void (*sim_after_write)(void);
extern struct kp_text_patch sim_written;
/* Called when cores are synchronised. */
extern void (*sim_on_sync)(void);

/* Meanwhile, on another CPU: fn runs with a context of its own. */
void sim_elsewhere(void (*fn)(void));
/* Called, once, before text is read. */
extern void (*sim_before_read)(void);
/* From now on there is executable memory far away alone. */
extern bool sim_exec_far;
/* Everybody else can be stopped, and their return addresses be put back. */
extern bool sim_alone;
extern uintptr_t sim_over;	/* the frame of a call that is over, if its thread is asked */
/* kp_host_unwound answers this. */
extern bool sim_unwound;

/* The address of nothing: reads and writes there give -EFAULT. */
#define SIM_UNMAPPED ((uintptr_t)0x1000)

#endif
