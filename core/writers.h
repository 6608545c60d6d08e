/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * writers.h - memory that is watched by probes on code.
 *
 * Owns: struct kp_code, struct kp_writer, and the prototypes of writers.c, which knows
 * the code, and of written.c, which is hit there.
 */
#ifndef KP_CORE_WRITERS_H
#define KP_CORE_WRITERS_H

#include "wprobe.h"

struct kp_span {
	uintptr_t addr;
	size_t len;
};

/* An instruction that may write. */
struct kp_writer {
	struct kprobe kp;		/* first */
	struct kp_arch_write write;
	uintptr_t at;
	bool refused;			/* no probe can be there */
	unsigned int codes;		/* that it belongs to */
	unsigned int armed;		/* how often they are armed */
	struct kp_writer *next, *walk_next;
};

struct kp_code {
	struct kp_code *next;
	unsigned int users;		/* watch probes */
	unsigned long vague;		/* instructions that write who knows where */
	unsigned long unseen;			/* with those that were refused */
	size_t writers_nr;
	struct kp_writer **writers;
	kp_probe_ref *probes;		/* a place for as many */
	struct kp_writer *dead;		/* when nobody uses it any more */
	size_t spans_nr;
	struct kp_span spans[];		/* by address */
};

/*
 * writers.c.  kp_code_get: what wp names; refuses wp.  kp_code_put: true when that was
 * the last user; then it is freed when no handler runs any more.
 */
int kp_code_get(struct wprobe *wp, struct kp_code **out);
bool kp_code_put(struct kp_code *code);
void kp_code_free(struct kp_code *code);
bool kp_code_has(const struct kp_code *code, uintptr_t addr);	/* any context */
int kp_code_arm(struct kp_code *code);
void kp_code_disarm(struct kp_code *code);

/*
 * written.c.  The memory of a watch probe with code: in the index, which the hits of
 * all writers look at, or not.  kp_written_prepare: once, or -errno; kp_written_drop:
 * when no handler runs any more.
 */
int kp_written_prepare(struct kp_watched *watched, const char **reason);
void kp_written_add(struct kp_watched *watched);
void kp_written_remove(struct kp_watched *watched);
void kp_written_drop(struct kp_watched *watched);
int kp_written_before(struct kprobe *kp, struct pt_regs *regs);

#endif
