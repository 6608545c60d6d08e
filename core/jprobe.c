/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * jprobe.c - probes whose handler has the probed function's prototype.
 *
 * Owns: the public jprobe calls.  A jprobe is an ordinary child of its site
 * (letter j) whose pre_handler is ours:
 *
 *   1. copy what the function finds at its entry: registers, stack arguments
 *   2. call the user's entry with the copies, on the trap handler's stack
 *   3. jprobe_return() leaves that call, from however deep
 *   4. return 0: the hit goes on as if the handler had been a kprobe's
 *
 * The function's own registers and stack are never touched, so there is
 * nothing to put back (K-JP-05), and nothing stands in the way of several
 * jprobes on one function (L3).
 *
 * ctx->jprobe is the call that jprobe_return() leaves; it lies on the stack of
 * the pre_handler and is set exactly while the user's entry runs.  A fault in
 * the entry is a fault in the pre_handler: trap.c unwinds both.
 *
 * Locks: the registry lock for prepare and release; the trap path takes none.
 */
#include "children.h"
#include "context.h"
#include "handler.h"
#include "register.h"
#include "unpatched.h"

_Static_assert(offsetof(struct jprobe, kp) == 0,
	       "an array of jprobes is read as one of kprobes");

/* A handler that misuses jprobe_return may do so on every hit. */
#define COMPLAINTS_MAX 10

static const char no_return[] =
	"its entry returned without calling jprobe_return()";

/* ---- the hit --------------------------------------------------------------- */

/* Once for each jprobe: the reason is remembered in it (K-JP-19). */
KP_TRAP_PATH static void complain(struct jprobe *jp)
{
	if (jp->kp.reason == no_return)
		return;
	jp->kp.reason = no_return;
	kp_host_log(KP_LOG_ERROR,
		    "kprobes: the jprobe handler at 0x%lx for the function at 0x%lx returned without calling jprobe_return(); the function runs all the same",
		    (unsigned long)jp->entry, (unsigned long)jp->kp.addr);
}

KP_TRAP_PATH static int on_hit(struct kprobe *p, struct pt_regs *regs)
{
	struct jprobe *jp = (struct jprobe *)(void *)p;
	struct kp_context *ctx = kp_host_context();
	const struct kp_arch_vectors *saved = NULL;
	struct kp_arch_vectors vectors;
	struct kp_arch_jprobe call;
	struct kp_child *child;

	if (!ctx)
		return 0;
	child = ctx->current;
	/* What else is kept, is kept in another way. */
	if (child->keep != KP_ARCH_KEEP_IMAGE)
		saved = NULL;
	else if (ctx->frame == (uintptr_t)regs)
		saved = ctx->vectors;
	else if (kp_host_vectors(regs, &vectors))
		saved = &vectors;
	/* The stack may end within the copy: such a fault is not the handler's. */
	ctx->current = NULL;
	kp_arch_jprobe_take(&call, regs, saved, &host_mem);
	ctx->current = child;
	ctx->jprobe = &call;
	kp_arch_jprobe_call(&call, jp->entry);
	ctx->jprobe = NULL;
	if (kp_arch_jprobe_left(&call))
		kp_host_abandon(ctx);
	else
		complain(jp);
	return 0;
}

KP_TRAP_PATH void jprobe_return(void)
{
	static unsigned int complaints;
	struct kp_context *ctx = kp_host_context();

	/* A fault handler of the jprobe runs above the call, not in it. */
	if (ctx && ctx->jprobe && !ctx->faulting) {
		kp_arch_jprobe_leave(ctx->jprobe);
		return;
	}
	if (kp_add_relaxed(&complaints, 1) < COMPLAINTS_MAX)
		kp_host_log(KP_LOG_ERROR, "kprobes: jprobe_return() called outside a jprobe's handler; ignored");
}

/* ---- register, unregister --------------------------------------------------- */

/* The first instruction of a known function, or the one after its landing pad. */
static bool starts_function(uintptr_t addr)
{
	uint8_t first[4];
	uintptr_t start;
	size_t len;
	bool on_entry = false;

	if (!kp_host_is_code(addr) || kp_host_bounds(addr, &start, &len))
		return false;
	if (addr == start)
		return true;
	return !kp_unpatched_read(first, start, sizeof(first)) &&
	       kp_arch_adjust_addr(first, sizeof(first), start, addr - start,
				   &on_entry) == addr && on_entry;
}

/* Its address is known (K-JP-08, 10). */
static int prepare(struct kprobe *p, bool on_entry)
{
	struct jprobe *jp = (struct jprobe *)(void *)p;
	uintptr_t entry;
	int err;

	kp_host_assert_locked(KP_LOCK_REGISTRY);
	if (kp_host_data_read((uintptr_t)&jp->entry, &entry, sizeof(entry)))
		p->reason = "the struct jprobe cannot be read";
	else if (!entry)
		p->reason = "entry is NULL: a jprobe needs a handler";
	else if (!on_entry)
		p->reason = "a jprobe needs the function's entry";
	else if (!starts_function(kp_host_code_at(entry)))
		p->reason = "entry is not the start of a known function";
	else
		goto accept;
	return -EINVAL;

accept:
	if (!KP_ARCH_JPROBES) {
		p->reason = "there are no jprobes on this processor yet";
		return -EOPNOTSUPP;
	}
	err = kp_host_jprobe_refused((uintptr_t)p->addr, &p->reason);
	if (err)
		return err;
	p->pre_handler = on_hit;
	p->break_handler = NULL;
	return 0;
}

/* The struct may be used as a plain kprobe next (K-API-19). */
static void release(struct kprobe *p)
{
	if (p->pre_handler == on_hit)
		p->pre_handler = NULL;
}

/* Ours changes nothing, and has the user's called with copies. */
static void know(struct kp_child *child)
{
	const struct jprobe *jp = (const void *)child->kp;

	child->spares = child->kp->pre_handler;
	child->keep = (uint8_t)kp_handler_keep_entry((uintptr_t)jp->entry);
}

static unsigned int functions(const struct kprobe *seen, uintptr_t *fns)
{
	fns[0] = (uintptr_t)((const struct jprobe *)(const void *)seen)->entry;
	return 1;
}

static const struct kp_kind kind = {
	.letter = KP_LETTER_JPROBE,
	.rank = 1,
	.len = sizeof(struct jprobe),
	.know = know,
	.prepare = prepare,
	.release = release,
	.functions = functions,
};

/* ---- the public calls ---------------------------------------------------------- */

int register_jprobes(struct jprobe **jps, int num)
{
	return kp_probe_register((kp_probe_ref *)jps, num, &kind);
}

void unregister_jprobes(struct jprobe **jps, int num)
{
	kp_probe_unregister((kp_probe_ref *)jps, num);
}

int register_jprobe(struct jprobe *jp)
{
	return register_jprobes(&jp, 1);
}

void unregister_jprobe(struct jprobe *jp)
{
	unregister_jprobes(&jp, 1);
}
