/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * site.h - one probed address.
 *
 * Owns: struct kp_site, struct kp_detour, struct kp_child and host_mem.
 *
 * A site is one address that is or was probed.  It stays in the table, with
 * its slot, until its text goes away, so a thread that still executes the slot
 * or looks the address up never meets freed memory; only children come and go.
 *
 *   IDLE  --kp_breakpoints_arm-->     ARMED  breakpoint in the text
 *   ARMED --kp_breakpoints_disarm-->  IDLE   original bytes in the text
 *   any   --kp_core_on_text_gone-->   GONE   out of the table, text untouched
 *
 * ARMED is stored before the breakpoint is written and IDLE after the original
 * byte is back and all cores are synchronised, so a trap that finds IDLE can
 * re-read the text to learn whether the breakpoint is somebody else's.
 *
 * Locks: the registry lock guards every field unless it says otherwise.
 */
#ifndef KP_CORE_SITE_H
#define KP_CORE_SITE_H

#include "env.h"
#include "arch.h"
#include "atomic.h"
#include "code.h"
#include "host.h"
#include "jprobe.h"
#include "jump.h"
#include "lean.h"
#include "return.h"
#include "upcall.h"
#include "vectors.h"
#include <linux/kprobes.h>

enum kp_site_state { KP_SITE_IDLE, KP_SITE_ARMED, KP_SITE_GONE };

/*
 * tracer.c's: does the host's tracer call us for the site, which then has no breakpoint
 * and no slot?  Whether is written once before publication, in which way while IDLE.
 */
enum kp_tracer_use {
	KP_TRACER_NOT, KP_TRACER_PLAIN, KP_TRACER_REDIRECTS
} __attribute__((packed));

/*
 * Whom a head suits best; each does for all.  CALLS: it leads to kp_arch_call_entry;
 * STEP: and on to the slot's stepped form, for a post_handler.
 */
enum kp_head_kind { KP_HEAD_PLAIN, KP_HEAD_CALLS, KP_HEAD_STEP };

/*
 * A site's jump, once it has been planned: it stays as long as the site, so
 * that whoever is in its head or chain never meets freed memory.
 */
struct kp_detour {
	/*
	 * detour_entry.S reads the first where it stands: the copies when inner_nr
	 * or along, or 0.  And where the head leads, which is the chain or a form in
	 * the slot.  Who has no post_handler may come to the stepped one, too.
	 */
	uintptr_t chain;		/* written once, like all of it */
	uintptr_t body;
	struct kp_arch_jump jump;
	uintptr_t head;
	struct kp_detour *twin;		/* a ring; lock-free readers */
	uintptr_t next;			/* there, what follows the probed one; or 0 */
	uint8_t bytes[KP_ARCH_JUMP_MAX];
	uint8_t original[KP_ARCH_JUMP_MAX];
	/*
	 * With a chain: the probed instruction and those whose bytes the jump
	 * changes.
	 */
	uint8_t insns_nr;
	uint8_t chain_len;
	enum kp_head_kind kind;		/* the twins have all else in common */
	bool no_twin;			/* there was no place for one */
	struct kp_arch_probe insns[];
};

/*
 * Is a jump in the text?  Only while the site is ARMED.
 *
 *   NONE   --kp_jump_write-->  IN      breakpoint, tail, first byte
 *   IN     --kp_jump_remove--> NONE    breakpoint, tail
 *
 * IN is stored before the first byte of the tail changes and NONE after the
 * tail is back and all cores are synchronised: landings resolve meanwhile.
 */
enum kp_jump_state { KP_JUMP_NONE, KP_JUMP_IN };

/* A user's struct kprobe while it is registered. */
struct kp_child {
	/*
	 * detour_entry.S reads these where they stand.  The handlers are as at
	 * registration; lean: if they are, and with the other is, else NULL.
	 */
	struct kprobe *kp;
	kprobe_pre_handler_t lean;
	kprobe_post_handler_t lean_post;
	kprobe_pre_handler_t pre;
	struct kp_site *site;
	struct kp_child *run;		/* the next one, of site->first's */
	bool calls;			/* lean may say KP_LEAN_CALLS */
	uint8_t keep;			/* enum kp_arch_keep; ditto kp */
	bool filters;			/* lean is its filter */
	/* no more of them */
	bool enabled;			/* the user's wish; lock-free readers */
	struct kp_child *next;		/* same site; lock-free readers */
	kprobe_pre_handler_t spares;	/* it leaves its registers alone; ditto */
	/*
	 * It leaves nothing behind, and nobody is asked when it faults: then there is
	 * nothing to undo.  quiet: and it is all that the child has; or what hooks a return
	 * probe's call.  Ditto.
	 */
	kprobe_pre_handler_t bare, quiet;
	kprobe_post_handler_t bare_post;	/* as bare */
	const struct kp_kind *kind;	/* written once */
	struct kp_pool *pool;		/* calls: lean hooks these instances' calls */
	struct kp_child *hash_next;	/* by kp; later: the list to free */
};

/*
 * What a lean handler of ours may say: go on in the stub whose address stands
 * where the return address was; it calls the function.
 */
#define KP_LEAN_CALLS 2

struct kp_site {
	uintptr_t addr;			/* written once before publication */
	/* enum kp_arch_keep; detour_entry.S reads these where they stand */
	uint8_t keep;
	enum kp_jump_state jump;	/* lock-free readers */
	/* serve.c: what a hit through a jump can be served by at once, if so */
	struct kp_child *lean;		/* a lean pre_handler is all; or a filter */
	struct kp_child *lean_post;	/* lean handlers of one child, a post, too */
	/* pre_handlers that keep nothing, and are all; each leads to the next */
	struct kp_child *first;
	uintptr_t step;			/* the stepped form; 0: not known to be */
	struct kp_detour *detour;	/* stored once; lock-free readers */
	/* lean is a return probe's that only hooks the call: its instances */
	struct kp_pool *calls;
	struct kp_child *kept;		/* as first, but that some keep vectors */
	/* no more of them */
	struct kp_site *next[2];	/* table chains; lock-free readers */
	struct kp_child *children;	/* in order; lock-free readers */
	enum kp_site_state state;	/* lock-free readers */
	bool on_entry;			/* at a function's entry */
	bool queued;			/* on a batch's list */
	enum kp_tracer_use tracer;
	bool tracer_claimed;		/* it is asked for the other way, too */
	bool step_known;		/* whether there is a stepped form */
	bool jump_whole;		/* IN, and its first byte was written;
					 * lock-free readers */
	bool patch_failed;		/* in the batch of jumps under way */
	bool taken;			/* ARMED, the breakpoint there is somebody else's */
	bool opt_queued;		/* on optimize.c's list */
	bool opt_fresh;			/* changed since the worker last looked */
	bool opt_blocked;		/* an armed site lies in the span */
	bool opt_failed;		/* no jump was found; why_not says why */
	struct kp_site *batch_next;	/* that list; or the list of gone sites */
	uintptr_t slot;			/* written once before publication */
	struct kp_arch_probe arch;	/* written once before publication */
	struct kp_site *opt_next;	/* optimize.c's list */
	const char *why_not;		/* why there is no jump; constant text */
	uint8_t original[KP_ARCH_INSN_MAX];	/* written once, ditto */
	bool pinned;			/* release.c: somebody may come back to it */
};

/*
 * The probed code's data, for the arch.  Each file has its own constant, so that
 * calls through it can become direct ones.
 */
static const struct kp_arch_mem host_mem = {
	.read = kp_host_data_read,
	.write = kp_host_data_write,
};

/* Fibonacci hashing: neighbours spread well. */
static inline __attribute__((__always_inline__)) uint32_t kp_hash(uint64_t key)
{
	return (uint32_t)(key * 0x9e3779b97f4a7c15u >> 32);
}

#endif
