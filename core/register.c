/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * register.c - register, unregister, enable, disable.
 *
 * Owns: the public kprobe calls and the order of their checks (K-REG).  Registration has two
 * halves, so that a batch costs one core synchronisation: every struct is checked and attached
 * to its site, then all sites that need it are armed together.
 *
 * Locks: takes the registry lock; waits for handlers without it.
 */
#include "register.h"
#include "batch.h"
#include "boundary.h"
#include "breakpoint.h"
#include "busy.h"
#include "children.h"
#include "examine.h"
#include "gone.h"
#include "tracer.h"
#include "kinds.h"
#include "optimize.h"
#include "queue.h"
#include "refusal.h"
#include "serve.h"
#include "slot.h"
#include "table.h"
#include "unpatched.h"

/* ---- checks -------------------------------------------------------------- */

/* May the struct be read and written?  Garbage must not take us down. */
static bool usable(struct kprobe *p)
{
	struct kprobe copy;
	const char *none = NULL;

	return p && !kp_host_data_read((uintptr_t)p, &copy, sizeof(copy)) &&
	       !kp_host_data_write((uintptr_t)&p->reason, &none, sizeof(none));
}

static bool handler_ok(uintptr_t handler)
{
	return !handler || kp_host_is_code(handler);
}

static int check_handlers(struct kprobe *p)
{
	if (!handler_ok((uintptr_t)p->pre_handler))
		return kp_refuse(p, -EINVAL, "pre_handler does not point at code");
	if (!handler_ok((uintptr_t)p->post_handler))
		return kp_refuse(p, -EINVAL, "post_handler does not point at code");
	if (!handler_ok((uintptr_t)p->fault_handler))
		return kp_refuse(p, -EINVAL, "fault_handler does not point at code");
	if (!handler_ok((uintptr_t)p->break_handler))
		return kp_refuse(p, -EINVAL, "break_handler does not point at code");
	return 0;
}

/* ---- sites --------------------------------------------------------------- */

/* How its instruction will be executed. */
static int site_prepare(struct kp_site *site, const struct kp_text_info *info,
			const uint8_t *bytes, size_t avail,
			const char **reason)
{
	int err;

	if (info->kind == KP_TEXT_TRACER)
		err = kp_tracer_prepare(site, bytes, avail, info->arch_flags, reason);
	else
		err = kp_arch_prepare(&site->arch, site->addr, bytes, avail,
				      info->arch_flags, reason);
	if (err)
		return err;
	memcpy(site->original, bytes, site->arch.len);
	return site->tracer ? 0 :
	       kp_slot_take(site, info->arch_flags & KP_ARCH_HAS_FIXUP, reason);
}

static int site_create(struct kprobe *p, uintptr_t addr, bool on_entry,
		       const struct kp_text_info *info, const uint8_t *bytes,
		       size_t avail, struct kp_site **out)
{
	struct kp_site *site = kp_host_alloc(sizeof(*site));
	const char *reason = "the instruction cannot be executed out of line";
	int err;

	if (!site)
		return kp_refuse(p, -ENOMEM, "out of memory");
	site->addr = addr;
	site->on_entry = on_entry;
	err = site_prepare(site, info, bytes, avail, &reason);
	if (err)
		goto free_site;
	reason = "out of memory";
	err = kp_table_insert(site);
	if (err)
		goto free_site;
	*out = site;
	return 0;

free_site:
	kp_host_free(site);
	return kp_refuse(p, err, reason);
}

/*
 * The site for addr.  One that is idle is used again only if its text still
 * is what was prepared; else it is retired like unloaded text.
 */
static int site_get(struct kprobe *p, uintptr_t addr, bool on_entry,
		    struct kp_site **out)
{
	struct kp_site *site = kp_table_find(addr);
	struct kp_text_info info;
	uint8_t bytes[KP_EXAMINE_WINDOW];
	size_t avail;

	if (site && site->state == KP_SITE_ARMED) {
		*out = site;
		return 0;
	}
	avail = kp_unpatched_window(bytes, addr, sizeof(bytes));
	if (site && avail >= site->arch.len &&
	    !memcmp(bytes, site->original, site->arch.len)) {
		*out = site;
		return 0;
	}
	if (site && site->children)
		return kp_refuse(p, -EBUSY, "the text changed under a disabled probe; unregister that one first");
	if (site)
		kp_gone_add(site);
	kp_host_text_query(addr, 1, &info);
	return site_create(p, addr, on_entry, &info, bytes, avail, out);
}

/* ---- register ------------------------------------------------------------ */

static void accept_flags(struct kprobe *p)
{
	p->flags &= KPROBE_FLAG_DISABLED;
	p->nmissed = 0;
	p->list.next = &p->list;
	p->list.prev = &p->list;
}

/* p at addr, in the function [start, start+len). */
static int register_at(struct kprobe *p, const struct kp_kind *kind, uintptr_t addr,
		       uintptr_t start, size_t len, bool on_entry,
		       struct kp_batch *batch)
{
	struct kp_text_info info;
	struct kp_site *site;
	int err = check_handlers(p);

	if (err)
		return err;
	err = kp_examine_text(p, addr, &info);
	if (err)
		return err;
	err = kp_examine_place(p, addr, info.arch_flags, start, len);
	if (err)
		return err;
	err = site_get(p, addr, on_entry, &site);
	if (err)
		return err;
	p->opcode = 0;
	if (!site->tracer)
		memcpy(&p->opcode, site->original, sizeof(p->opcode));
	p->ainsn.insn = (kprobe_opcode_t *)site->slot;
	if (site->tracer)
		p->flags |= KPROBE_FLAG_FTRACE;
	if (site->on_entry)
		p->flags |= KPROBE_FLAG_ON_FUNC_ENTRY;
	err = kp_child_add(site, p, kind);
	if (err)
		return kp_refuse(p, err, "out of memory");
	if (site->opt_failed)
		p->reason = site->why_not;
	/* Another head may be right now. */
	if (site->jump == KP_JUMP_IN)
		kp_queue_follow(site);
	if (!(p->flags & KPROBE_FLAG_DISABLED) && kp_core_enabled())
		kp_batch_add(batch, site);
	return 0;
}

static int register_one(struct kprobe *p, const struct kp_kind *kind,
			struct kp_batch *batch)
{
	uintptr_t addr, start;
	bool on_entry = false;
	size_t len;
	int err;

	if (!usable(p))
		return -EINVAL;
	if (kp_child_find(p)) {
		kp_host_log(KP_LOG_WARN, "kprobes: this struct kprobe is registered already");
		return -EINVAL;
	}
	err = kp_examine_locate(p, &addr, &start, &len, &on_entry);
	if (err)
		return err;
	p->addr = (kprobe_opcode_t *)addr;
	accept_flags(p);
	if (kind->prepare)
		err = kind->prepare(p, on_entry);
	if (err)
		return err;
	err = register_at(p, kind, addr, start, len, on_entry, batch);
	if (err && kind->release)
		kind->release(p);
	return err;
}

/*
 * If the last enabled child went a breakpoint goes, too; a jump stays for a while
 * (K-OPT-51, 52), or leads to another head for those that are left.
 */
void kp_probe_release_text(struct kp_site *site, struct kp_batch *batch)
{
	if (site->jump == KP_JUMP_IN)
		kp_queue_follow(site);
	else if (site->state == KP_SITE_ARMED && !kp_site_wanted(site))
		kp_batch_add(batch, site);
}

/* Unlink p; its node goes to *dead, its site to the batch when idle now. */
static void unregister_one(struct kprobe *p, struct kp_batch *batch,
			   struct kp_child **dead)
{
	struct kp_child *child = kp_child_find(p);
	kprobe_opcode_t *none = NULL;
	struct kp_site *site;

	/* One of another call's is not registered here. */
	if (!child || child->kind->enable) {
		kp_host_data_write((uintptr_t)&p->addr, &none, sizeof(none));
		return;
	}
	site = child->site;
	/* An address that the user changed is "incorrect" (K-UNR-09). */
	if (p->addr != (kprobe_opcode_t *)site->addr)
		p->addr = NULL;
	kp_child_unlink(child);
	if (child->kind->release)
		child->kind->release(p);
	p->flags |= KPROBE_FLAG_DISABLED;
	child->hash_next = *dead;
	*dead = child;
	kp_probe_release_text(site, batch);
}

/* Without the registry lock.  True when readers were waited for. */
bool kp_probe_bury(struct kp_child *dead)
{
	if (!dead)
		return false;
	kp_host_wait_handlers();
	while (dead) {
		struct kp_child *next = dead->hash_next;

		kp_host_free(dead);
		dead = next;
	}
	return true;
}

/* May the caller's array be read?  Garbage must not take us down. */
bool kp_probe_array_ok(const void *array, int num)
{
	void *chunk[32];
	int at, nr;

	for (at = 0; at < num; at += nr) {
		nr = num - at < 32 ? num - at : 32;
		if (kp_host_data_read((uintptr_t)array +
					      (size_t)at * sizeof(*chunk),
				      chunk, (size_t)nr * sizeof(*chunk)))
			return false;
	}
	return true;
}

/* What a registration or its opposite is at work on. */
struct many {
	kp_probe_ref *kps;
	int num;
	const struct kp_kind *kind;
	struct kp_child *dead;		/* to be buried without the lock */
};

static int register_locked(void *arg)
{
	struct many *many = arg;
	kp_probe_ref *kps = many->kps;
	struct kp_batch arm = { NULL, NULL }, disarm = { NULL, NULL };
	int i, err = 0, num = many->num;

	kp_boundary_reset();
	for (i = 0; i < num && !err; i++)
		err = register_one(kps[i], many->kind, &arm);
	if (err)
		i--;
	/* Armed also after a failure: kp_breakpoints_arm empties the queue. */
	if (!err) {
		err = kp_breakpoints_arm(&arm);
		if (err == -EBUSY)
			kp_refuse(kps[0], err, "the text changed while it was being probed, or somebody else has a probe there by now or may redirect its hook");
	}
	if (err) {
		kp_batch_clear(&arm);
		while (i-- > 0)
			unregister_one(kps[i], &disarm, &many->dead);
		kp_breakpoints_disarm(&disarm);
	}
	kp_gone_prune();
	kp_optimize_kick();
	return err;
}

/* Unlinked where readers could not be waited for; registry lock. */
static struct kp_child *lingering;

struct kp_child *kp_probe_take_lingering(void)
{
	struct kp_child *dead = lingering;

	lingering = NULL;
	return dead;
}

int kp_probe_register_locked(kp_probe_ref *kps, int num,
			     const struct kp_kind *kind)
{
	struct many many = { kps, num, kind, lingering };
	int err;

	kp_host_assert_locked(KP_LOCK_REGISTRY);
	err = kp_host_patching(register_locked, &many);
	lingering = many.dead;
	return err;
}

int kp_probe_register(kp_probe_ref *kps, int num,
			     const struct kp_kind *kind)
{
	struct many many = { kps, num, kind, NULL };
	int err;

	if (num <= 0 || !kp_probe_array_ok(kps, num))
		return -EINVAL;
	if (kp_in_handler())
		return -EDEADLK;
	kp_host_lock(KP_LOCK_REGISTRY);
	many.dead = kp_probe_take_lingering();
	err = kp_host_patching(register_locked, &many);
	kp_host_unlock(KP_LOCK_REGISTRY);
	kp_probe_bury(many.dead);
	return err;
}

/* The host's own still says where it was (kp_core_own_past). */
static void forget_copies(struct kp_child *from, const struct kp_child *to)
{
	for (; from != to; from = from->hash_next)
		if (from->kind != &kp_kind_own)
			from->kp->ainsn.insn = NULL;
}

static int unregister_locked(void *arg)
{
	struct kp_batch disarm = { NULL, NULL };
	struct many *many = arg;
	const struct kp_child *before = many->dead;
	int i;

	for (i = 0; i < many->num; i++)
		if (many->kps[i])
			unregister_one(many->kps[i], &disarm, &many->dead);
	kp_breakpoints_disarm(&disarm);
	forget_copies(many->dead, before);
	kp_gone_prune();
	kp_optimize_kick();
	return 0;
}

void kp_probe_unregister_locked(kp_probe_ref *kps, int num)
{
	struct many many = { .kps = kps, .num = num, .dead = lingering };

	kp_host_assert_locked(KP_LOCK_REGISTRY);
	kp_host_patching(unregister_locked, &many);
	lingering = many.dead;
}

/* True when readers that were there before have been waited for. */
bool kp_probe_unregister(kp_probe_ref *kps, int num)
{
	struct many many = { .kps = kps, .num = num };

	if (num <= 0 || !kp_probe_array_ok(kps, num))
		return false;
	if (kp_in_handler()) {
		kp_host_log(KP_LOG_ERROR, "kprobes: unregister called from a probe handler; ignored");
		return false;
	}
	kp_host_lock(KP_LOCK_REGISTRY);
	many.dead = kp_probe_take_lingering();
	kp_host_patching(unregister_locked, &many);
	kp_host_unlock(KP_LOCK_REGISTRY);
	return kp_probe_bury(many.dead);
}

/* ---- the public calls ---------------------------------------------------- */

int register_kprobe(struct kprobe *p)
{
	return kp_probe_register(&p, 1, &kp_kind_kprobe);
}

void unregister_kprobe(struct kprobe *p)
{
	kp_probe_unregister(&p, 1);
}

int register_kprobes(struct kprobe **kps, int num)
{
	return kp_probe_register(kps, num, &kp_kind_kprobe);
}

void unregister_kprobes(struct kprobe **kps, int num)
{
	kp_probe_unregister(kps, num);
}

/* Let the text follow the children's wishes and the global knob. */
static int reconcile(struct kp_site *site)
{
	struct kp_batch batch = { NULL, NULL };
	int err = 0;

	kp_serve_follow(site);
	if (!kp_site_wanted(site) || !kp_core_enabled()) {
		kp_probe_release_text(site, &batch);
		err = batch.first ? kp_breakpoints_disarm(&batch) : 0;
	} else if (site->state == KP_SITE_IDLE || site->tracer) {
		kp_batch_add(&batch, site);
		err = kp_breakpoints_arm(&batch);
	} else {
		kp_queue_follow(site);
	}
	kp_optimize_kick();
	return err;
}

int kp_probe_switch(struct kp_child *child, bool on)
{
	int err;

	kp_host_assert_locked(KP_LOCK_REGISTRY);
	if (child->site->state == KP_SITE_GONE)
		return on ? -EINVAL : 0;
	if (child->kind->enable)
		return child->kind->enable(child, on);
	if (kp_child_enabled(child) != on)
		kp_child_set_enabled(child, on);
	/* Also without a change: a probe whose handler faulted was disabled on
	 * the trap path, where the text could not follow.
	 */
	err = reconcile(child->site);
	if (err && on)
		kp_child_set_enabled(child, false);
	return err;
}

static int set_enabled(struct kprobe *p, bool on)
{
	struct kp_child *child;
	int err = -EINVAL;

	if (kp_in_handler())
		return -EDEADLK;
	kp_host_lock(KP_LOCK_REGISTRY);
	child = kp_child_find(p);
	if (child)
		err = kp_probe_switch(child, on);
	kp_host_unlock(KP_LOCK_REGISTRY);
	return err;
}

int enable_kprobe(struct kprobe *p)
{
	return set_enabled(p, true);
}

int disable_kprobe(struct kprobe *p)
{
	return set_enabled(p, false);
}
