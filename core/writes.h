/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * writes.h - an instruction of watched code is about to write, and has written.
 *
 * Owns: struct kp_code and struct kp_writer.
 */
#ifndef KP_CORE_WRITES_H
#define KP_CORE_WRITES_H

#include "hit.h"
#include "watched.h"

struct kp_span {
	uintptr_t addr;
	size_t len;
};

/* An instruction that may write. */
struct kp_writer {
	struct kp_noting noting;	/* first */
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
 * The memory of a watch probe with code: in the index, which the hits of
 * all writers look at, or not.  kp_writes_prepare: once, or -errno; kp_writes_drop:
 * when no handler runs any more.
 */
int kp_writes_prepare(struct kp_watched *watched, const char **reason);
void kp_writes_add(struct kp_watched *watched);
void kp_writes_remove(struct kp_watched *watched);
void kp_writes_drop(struct kp_watched *watched);
int kp_writes_before(struct kprobe *kp, struct pt_regs *regs);
void kp_writes_after(struct kp_noting *noting, struct pt_regs *regs);
void kp_writes_missed(struct kp_noting *noting, struct pt_regs *regs);
void kp_writes_stop(void);		/* nobody can be hit any more */

#endif
