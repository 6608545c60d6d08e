/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * site.h - one probed address, and what each core file offers the others.
 *
 * Owns: struct kp_site, struct kp_child, host_mem and the core's internal
 * prototypes.
 *
 * A site is one address that is or was probed.  It stays in the table, with
 * its slot, until its text goes away, so a thread that still executes the slot
 * or looks the address up never meets freed memory; only children come and go.
 *
 *   IDLE  --kp_patch_arm-->     ARMED     breakpoint in the text
 *   ARMED --kp_patch_disarm-->  IDLE      original bytes in the text
 *   any   --kp_core_on_text_gone--> GONE  out of the table, text untouched
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
	/* enum kp_head_kind; the twins have all else in common */
	uint8_t kind;
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
	char letter;			/* k, r, j or w in the list file; or h */
	struct kp_child *next;		/* same site; lock-free readers */
	kprobe_pre_handler_t spares;	/* it leaves its registers alone; ditto */
	/*
	 * It is lean, and nobody is asked when it faults: then there is nothing
	 * to undo.  quiet: and it is all that the child has; or what hooks a return
	 * probe's call.  Ditto.
	 */
	kprobe_pre_handler_t bare, quiet;
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
	int jump;			/* enum kp_jump_state; lock-free readers */
	/* keep.c: what a hit through a jump can be served by at once, if so */
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
	int state;			/* enum kp_site_state; lock-free readers */
	bool on_entry;			/* at a function's entry */
	bool queued;			/* on a batch's list */
	/* hook.c's; written once before publication: no breakpoint, no slot. */
	bool hooked;
	bool hook_redirects;		/* the kind that serves; written while IDLE */
	bool hook_claimed;		/* the other kind is held, too */
	bool step_known;		/* whether there is a stepped form */
	bool jump_whole;		/* IN, and its first byte was written;
					 * lock-free readers */
	bool patch_failed;		/* in the batch of jumps under way */
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
 * An element of a user's array of pointers to probes.  Every probe type has
 * its struct kprobe first, so an array of any of them is read as these.
 */
typedef struct kprobe *kp_probe_ref __attribute__((may_alias));

/* A batch of sites whose text is to change together. */
struct kp_batch {
	struct kp_site *first, *last;
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

/* table.c: address -> site. */
struct kp_site *kp_table_find(uintptr_t addr);		/* any context */
int kp_table_insert(struct kp_site *site);
void kp_table_remove(struct kp_site *site);
struct kp_site *kp_table_next(const struct kp_site *after);
void kp_table_stop(void);

/* aggregate.c: the children of a site, and struct kprobe -> child. */
struct kp_child *kp_child_find(const struct kprobe *kp);
int kp_child_add(struct kp_site *site, struct kprobe *kp, char letter);
void kp_child_unlink(struct kp_child *child);
/* Any context; acquire pairs with kp_child_add. */
static inline struct kp_child *kp_child_first(const struct kp_site *site)
{
	return kp_load_acquire(&site->children);
}
static inline struct kp_child *kp_child_next(const struct kp_child *child)
{
	return kp_load_acquire(&child->next);
}
static inline bool kp_child_enabled(const struct kp_child *child)
{
	return kp_load_relaxed(&child->enabled);
}
void kp_child_set_enabled(struct kp_child *child, bool on);	/* any */
bool kp_site_wanted(const struct kp_site *site);	/* an enabled child? */
/* The host's own (watch.c), which users do not see, are the last of a site. */
static inline bool kp_child_shown(const struct kp_child *child)
{
	return child && child->letter != 'h';
}

/*
 * patch.c: breakpoints, and batches; jump.c: jumps.  Arming, disarming and
 * kp_jump_write empty the batch; kp_jump_remove leaves it as it is.
 */
void kp_batch_add(struct kp_batch *batch, struct kp_site *site);
struct kp_site *kp_batch_pop(struct kp_batch *batch);
void kp_batch_clear(struct kp_batch *batch);
void kp_batch_sort(struct kp_batch *batch);	/* by address */
int kp_patch_arm(struct kp_batch *batch);
int kp_patch_disarm(struct kp_batch *batch);
void kp_patch_changing(void);
unsigned long kp_patch_changes(void);		/* any context */
int kp_jump_write(struct kp_batch *batch);
int kp_jump_remove(struct kp_batch *batch);
void kp_jump_forget(struct kp_site *site);
size_t kp_jump_nr(void);			/* in the text; any context */
bool kp_jump_starts(uint8_t byte);		/* may one in the text? */
unsigned long kp_jump_removals(void);		/* a generation; any context */

/* hook.c: sites from which the host calls us. */
int kp_hook_prepare(struct kp_site *site, const uint8_t *bytes, size_t avail,
		    const char **reason);
int kp_hook_arm(struct kp_batch *batch);
int kp_hook_disarm(struct kp_batch *batch);
void kp_hook_text_gone(uintptr_t start, size_t len);

/*
 * optimize.c: jumps.  kp_optimize_follow: the site's children or neighbours
 * changed; queue it for whatever is now right.  kp_optimize_kick: at the end of
 * whatever may have queued sites.  kp_optimize_clear: before the batch's sites
 * are armed, every other site's jump that spans a byte of one goes, at once.
 * kp_optimize_settled: the site is no longer armed.
 */
void kp_optimize_follow(struct kp_site *site);
void kp_optimize_kick(void);
int kp_optimize_clear(struct kp_batch *batch);
void kp_optimize_settled(struct kp_site *site);
/* The site's why_not, which was before, goes to its users. */
void kp_optimize_explain(struct kp_site *site, const char *before);
void kp_optimize_plan(void);	/* whatever is queued, so that it can be shown */
bool kp_optimize_shown(const struct kp_site *site);	/* [OPTIMIZED] */
void kp_optimize_stop(void);

/* plan.c: a detour for the site, made once; false: why_not says why. */
bool kp_plan(struct kp_site *site);
void kp_plan_reset(void);

/* landing.c: where a jump changed bytes of other instructions. */
bool kp_landing_find(uintptr_t addr, uintptr_t *body);		/* any */
bool kp_landing_stale(struct kp_context *ctx, uintptr_t addr);	/* any */
/* Where the instruction behind the probed one is to be executed. */
uintptr_t kp_landing_next(struct kp_site *site);		/* any */
/* The IP is in a head, slot or chain: as if at the original.  NULL: it is not. */
struct kp_site *kp_landing_leave(struct pt_regs *regs, bool *probed); /* any */
uintptr_t kp_landing_original(uintptr_t ip);			/* any */
bool kp_landing_stepped(struct pt_regs *regs);			/* any */

/* place.c: executable memory in pieces as long as a head. */
struct kp_place {
	uintptr_t base;			/* as in struct kp_arch_jump */
	uint32_t value, mask;
	uintptr_t low, high;		/* the piece starts there */
	uintptr_t near;			/* and here, if possible */
	unsigned int tries;		/* how often to ask for memory; counts */
};
int kp_place_take(struct kp_place *want, struct kp_site *owner, uintptr_t *out);
void kp_place_put(uintptr_t at);
struct kp_site *kp_place_owner(uintptr_t ip, uintptr_t *start);	/* any */
bool kp_place_has(uintptr_t ip);				/* any */
int kp_place_wait(void);
void kp_place_drop(void);			/* what has no piece */
bool kp_place_empty(uintptr_t ip);
void kp_place_each(void (*each)(void *arg, uintptr_t base, size_t len),
		   void *arg);
void kp_place_stop(void);

/* head.c: heads and hubs in executable memory. */
int kp_head_take(struct kp_site *site, struct kp_detour *detour,
		 unsigned int *tries, const char **reason);
struct kp_site *kp_head_site(uintptr_t ip);		/* any context */
const struct kp_detour *kp_head_detour(const struct kp_site *site,
				       uintptr_t head);		/* any context */
void kp_head_free(struct kp_site *site);
void kp_head_put(struct kp_site *site);			/* nobody will be there */
void kp_head_suit(struct kp_site *site);
uintptr_t kp_head_hub(uintptr_t near, const char *to);	/* 0: none near */
void kp_head_stop(void);

/*
 * trap.c: the handlers of a hit, for every way to one; any context.  ctx->site
 * is set meanwhile.  The pre handlers are in call.h.
 */
void kp_trap_missed(struct kp_site *site);
/* By the hit with these registers, which also is no other watch probe's that way. */
void kp_trap_missed_hit(struct kp_site *site, struct pt_regs *regs);
bool kp_trap_wants_post(struct kp_site *site);
void kp_trap_post(struct kp_context *ctx, struct kp_site *site,
		  struct pt_regs *regs);
bool kp_trap_execute(struct kp_site *site, struct pt_regs *regs, bool post);
void kp_trap_abandon(struct kp_context *ctx, struct kp_child *child);
long kp_trap_pre_aborted(struct kp_context *ctx, struct pt_regs *regs);
long kp_trap_pre_go_on(struct kp_context *ctx, struct pt_regs *regs);
void kp_trap_aborted(struct kp_context *ctx, struct kp_child *child,
		     struct pt_regs *regs, const struct pt_regs *saved);

/*
 * detour.c.  kp_detour_lean_fault: a fault in ctx, at regs; if that is in a lean
 * handler, its child becomes ctx->current, and the guard is made, until
 * kp_detour_lean_go_on or until it is abandoned.  kp_detour_busy: do handlers of a hit run in this context, while
 * something with this stack pointer happens?  Once they were left behind: no.
 */
void kp_detour_lean_fault(struct kp_context *ctx,
			  struct pt_regs *regs);		/* any */
void kp_detour_lean_go_on(struct kp_context *ctx);		/* any */
bool kp_detour_busy(struct kp_context *ctx, uintptr_t sp);	/* any */
/* For who entered a context that has a site: may its handlers run after all? */
bool kp_detour_enter_again(struct kp_context *ctx, struct kp_host_saved *saved,
			   uintptr_t sp);			/* any */

/* slot.c: slots carved from executable memory. */
int kp_slot_take(struct kp_site *site, bool fixup, const char **reason);
int kp_slot_take_chain(struct kp_site *site, struct kp_detour *detour,
		       const char **reason);
struct kp_site *kp_slot_site(uintptr_t ip);		/* any context */
bool kp_slot_empty(uintptr_t ip);
int kp_slot_wait(void);
void kp_slot_drop(void);			/* of sites that are not pinned */
void kp_slot_stop(void);

/* original.c: text with our own patches undone. */
int kp_original_read(uint8_t *dst, uintptr_t addr, size_t len);
/* As many of the bytes as can be read. */
size_t kp_original_window(uint8_t *dst, uintptr_t addr, size_t len);

/* boundary.c: does an instruction start here? */
void kp_boundary_reset(void);
int kp_boundary_check(uintptr_t start, uintptr_t addr);

/* blacklist.c */
bool kp_blacklisted(uintptr_t addr);
void kp_blacklist_visit(void (*fn)(void *arg, uintptr_t start, uintptr_t end,
				   const char *name), void *arg);
void kp_blacklist_stop(void);

/* owner.c: sites whose text is gone. */
struct kp_site *kp_gone_first(void);
void kp_gone_prune(void);
void kp_site_retire(struct kp_site *site);
void kp_gone_stop(void);
void kp_gone_pin(void);
void kp_site_free(struct kp_site *site);

/* probe.c: registration with a type letter, for the other probe types. */
int kp_probe_register(kp_probe_ref *kps, int num, char letter);
bool kp_probe_unregister(kp_probe_ref *kps, int num);
/* With the registry lock held; the node is freed later. */
int kp_probe_register_locked(kp_probe_ref *kps, int num, char letter);
void kp_probe_unregister_locked(kp_probe_ref *kps, int num);
/* Those, for who waits for readers before he frees them; registry lock. */
struct kp_child *kp_probe_take_lingering(void);
/* Those that were unlinked; no lock held.  True when readers were waited for. */
bool kp_probe_bury(struct kp_child *dead);
bool kp_probe_array_ok(const void *array, int num);
int kp_probe_place(struct kprobe *p, uintptr_t *addr);
int kp_probe_refuse(struct kprobe *p, int err, const char *reason);
bool kp_probe_in_handler(void);
int kp_probe_examine(struct kprobe *p, uintptr_t *addr,
		     struct kp_text_info *info);
int kp_probe_switch(struct kp_child *child, bool on);	/* enable, disable */

/* jprobe.c: what registering and unregistering one means for the struct. */
int kp_jprobe_prepare(struct kprobe *p, bool on_entry);
void kp_jprobe_release(struct kprobe *p);

/*
 * keep.c: what a call of the handler has to keep; child->keep, site->keep.
 * kp_keep_follow: the site's enabled children have changed; kp_keep_disabled: one
 * of them is no more, any context.
 */
enum kp_arch_keep kp_keep_for(const void *handler);
bool kp_keep_lean(const void *handler);
void kp_keep_follow(struct kp_site *site);
void kp_keep_disabled(struct kp_child *child);
void kp_keep_add(struct kp_child *child);
void kp_keep_removed(struct kp_site *site, const struct kp_child *gone);
void kp_keep_reset(void);

/*
 * written.c: the probes of watched code there, if any, have missed that.  Their post
 * handler; it is called in vain where nothing is noted.
 */
void kp_written_missed(struct kp_site *site, struct pt_regs *regs);	/* any */
void kp_written_after(struct kprobe *kp, struct pt_regs *regs,
		      unsigned long flags);				/* any */
extern unsigned long kp_written_noted;	/* how many are; atomic */
void kp_written_stop(void);		/* nobody can be hit any more */

/* engine.c: is some text still ours?  And the end of all sites. */
bool kp_engine_left(void);
void kp_engine_free(void);

/* knobs.c */
bool kp_knob_enabled_locked(void);

#endif
