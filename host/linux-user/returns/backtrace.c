/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * backtrace.c - what unwinders report of hooked calls.
 *
 * Owns: the probes of the host's own on _Unwind_Backtrace, wherever an object has
 * one, as long as calls may be hooked.  Unwinding finds the real callers by the
 * stubs' unwind table, and a frame more for each stub.  The probe leads the call to
 * walk(), which calls the same function past the probe with a callback that passes
 * over those frames, and over walk()'s own, which is the first:
 *
 *   caller -> _Unwind_Backtrace(fn, arg)           probed
 *          -> walk(fn, arg, watch)
 *          -> _Unwind_Backtrace(report, &walk)     its copy in the slot
 *          -> report() for each frame -> fn()      but for ours
 *
 * glibc's backtrace() loads what it calls when it is first called; so objects are
 * looked at as they come, before the linker gives control to anybody.
 *
 * A watch stays when its object goes, to be used again for another: nobody is in
 * walk() for the first any more, as he would return into it.
 *
 * Locks: the registry lock; walk() and report() run as the program's code, with none.
 */
#include "returns/backtrace.h"
#include "atomic.h"
#include "face.h"
#include "host.h"
#include "machine.h"
#include "upcall.h"
#include "text/intercept.h"
#include "objects/dso.h"
#include "objects/elf.h"
#include "objects/engine.h"
#include "objects/objects.h"

#include <elf.h>
#include <linux/kprobes.h>

#define UNWIND "_Unwind_Backtrace"

struct _Unwind_Context;
typedef int (*frame_fn)(struct _Unwind_Context *at, void *arg);

struct watch {
	struct kprobe probe;		/* first */
	struct watch *next;
	uintptr_t addr;			/* of the function; 0: it is gone */
	kp_unwind_get get;		/* the same object's */
};

static struct watch *watches;
static bool hooked;			/* calls may be; any context reads */

/* ---- a call ---------------------------------------------------------------- */

struct walk {
	frame_fn fn;			/* the caller's */
	void *arg;
	kp_unwind_get get;
	bool begun;
};

static int report(struct _Unwind_Context *at, void *arg)
{
	struct walk *walk = arg;

	if (!walk->begun) {
		walk->begun = true;
		return 0;
	}
	if (is_kretprobe_trampoline(kp_unwind_ip(walk->get, at)))
		return 0;
	return walk->fn(at, walk->arg);
}

/* In the function's place, on its caller's stack. */
static int walk(frame_fn fn, void *arg, const struct watch *watch)
{
	struct walk walk = { fn, arg, watch->get, false };

	return kp_user_call_past(report, (void *)&walk, kp_core_own_past(&watch->probe),
				 watch->addr);
}

/* The third argument is one that the function does not have. */
KP_TRAP_PATH static int lead(struct kprobe *p, struct pt_regs *regs)
{
	kp_set_argument(regs, 2, (unsigned long)p);
	kp_regs_enter_host(regs, (uintptr_t)walk);
	return 1;
}

/* ---- watching ----------------------------------------------------------------- */

/* Once: a trace shows the stubs then, as said in docs/runtimes.md. */
static void tell(const char *why)
{
	static bool told;

	if (!told)
		kp_host_log(KP_LOG_WARN, "kprobes: " UNWIND " cannot be watched, so backtraces will show the stubs of return probes: %s",
			    why ? why : "no reason is known");
	told = true;
}

static void add(uintptr_t addr, uintptr_t get)
{
	struct watch *watch = watches;

	while (watch && watch->addr)
		watch = watch->next;
	if (!watch) {
		watch = kp_host_alloc(sizeof(*watch));
		if (!watch) {
			tell("out of memory");
			return;
		}
		watch->probe.pre_handler = lead;
		watch->next = watches;
		watches = watch;
	}
	watch->addr = addr;
	watch->get = (kp_unwind_get)get;
}

/* What to call the function there by. */
static uintptr_t pointer_to(struct kp_object *object, uintptr_t addr)
{
	unsigned int flags = 0;

	kp_user_set_at(object, addr, &flags);
	return addr | !!(flags & KP_ARCH_SECOND_SET);
}

static void look_at(struct kp_object *object)
{
	uintptr_t addr = kp_user_elf_function(object, UNWIND), get;

	object->frames_known = true;
	get = addr ? kp_user_elf_function(object, KP_UNWIND_GET) : 0;
	if (get)
		add(addr, pointer_to(object, get));
	else if (addr)
		tell("its object has no " KP_UNWIND_GET);
}

static void watch_all(void)
{
	struct kp_object *object;
	struct watch *watch;

	for (object = kp_user_object_first(); object; object = object->next)
		if (!object->frames_known)
			look_at(object);
	for (watch = watches; watch; watch = watch->next)
		if (watch->addr && kp_core_own_register(&watch->probe, watch->addr))
			tell(watch->probe.reason);
	kp_face_unwinders(true);
}

void kp_host_returns_hooked(bool on)
{
	struct watch *watch;

	/* Then no probe can be registered. */
	if (kp_user_not_started())
		return;
	kp_store_relaxed(&hooked, on);
	if (on) {
		kp_user_dso_look();
		watch_all();
		return;
	}
	for (watch = watches; watch; watch = watch->next)
		kp_core_own_unregister(&watch->probe);
	kp_face_unwinders(false);
}

/* On the thread that loads.  No lock is held. */
void kp_user_frames_loaded(void)
{
	/* While a command attaches again, no probe is armed yet. */
	if (!kp_load_relaxed(&hooked) || !kp_user_intercept_started())
		return;
	kp_host_lock(KP_LOCK_REGISTRY);
	if (hooked)
		watch_all();
	kp_host_unlock(KP_LOCK_REGISTRY);
}

/* The object in [start, start+len), as the core knows.  No lock is held. */
void kp_user_frames_gone(uintptr_t start, size_t len)
{
	struct watch *watch;

	kp_host_lock(KP_LOCK_REGISTRY);
	for (watch = watches; watch; watch = watch->next) {
		if (watch->addr - start >= len)
			continue;
		kp_core_own_unregister(&watch->probe);
		watch->addr = 0;
	}
	kp_face_unwinder_gone(start, len);
	kp_host_unlock(KP_LOCK_REGISTRY);
}
