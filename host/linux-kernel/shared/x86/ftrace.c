// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * ftrace.c - the sites that ftrace owns, at traced functions' entries.
 *
 * Owns: two ftrace_ops and their filters; hits are ftrace_entry.c's and ftrace_hit.c's.  The first
 * serves most probes; the second has FTRACE_OPS_FL_IPMODIFY, which ftrace gives to one
 * user a function, and serves probes that say that they may redirect it.  ftrace writes the text, with
 * whatever tracers and other users want at the same place.
 *
 * An ops without a filter would trace everything, so each has one function of
 * our own in its filter for good (anchor.c), and stays registered for a while
 * after its last site is gone: registering and unregistering are slow.
 * FTRACE_OPS_FL_PERMANENT: ftrace is not switched off under our probes, and
 * they are refused (-EBUSY) while it is off.
 *
 * RCU must watch while handlers run: kp_host_wait_handlers relies on it.  In
 * the idle loop it does not; there it is entered like an NMI.  Without
 * the functions for that, ftrace sites are refused.
 *
 * Locks: ops_lock, inside the registry lock.
 */
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/workqueue.h>
#include "ftrace.h"
#include "local.h"

#ifdef KP_FTRACE_CALLS

/* Linger before an ops without sites is unregistered. */
#define LINGER HZ

struct kind {
	struct ftrace_ops *ops;
	size_t nr;
	bool registered;
};

static struct kind kinds[2] = {
	{ .ops = &kp_ftrace_ops[0] }, { .ops = &kp_ftrace_ops[1] }
};
static DEFINE_MUTEX(ops_lock);

/* ---- filters ------------------------------------------------------------- */

static int open_kind(struct kind *kind)
{
	int err;

	if (kind->registered)
		return 0;
	err = ftrace_set_filter_ip(kind->ops, kp_ftrace_anchor_site(), 0, 1);
	if (!err)
		err = register_ftrace_function(kind->ops);
	kind->registered = !err;
	return err;
}

/* On return no call is on its way: ftrace waits for all of them. */
static void close_kind(struct kind *kind)
{
	if (!kind->registered || kind->nr)
		return;
	kind->registered = unregister_ftrace_function(kind->ops) != 0;
}

static void close_idle(struct work_struct *work)
{
	mutex_lock(&ops_lock);
	close_kind(&kinds[0]);
	close_kind(&kinds[1]);
	mutex_unlock(&ops_lock);
}
static DECLARE_DELAYED_WORK(idle_work, close_idle);

/* All at once; if ftrace refuses, halves, until it is known which it means. */
static int set_filter(struct kind *kind, unsigned long *addrs,
		      struct kp_tracer_site *sites, size_t nr, bool remove)
{
	int err = ftrace_set_filter_ips(kind->ops, addrs, nr, remove, 0);
	int low, high;

	if (!err || nr == 1) {
		while (nr)
			sites[--nr].err = err;
		return err;
	}
	low = set_filter(kind, addrs, sites, nr / 2, remove);
	high = set_filter(kind, addrs + nr / 2, sites + nr / 2, nr - nr / 2,
			  remove);
	return low ? low : high;
}

static int set_all(struct kind *kind, struct kp_tracer_site *sites, size_t nr,
		   bool remove)
{
	unsigned long *addrs = kp_host_alloc(nr * sizeof(*addrs));
	int err = 0, one;
	size_t i;

	for (i = 0; i < nr; i++) {
		if (addrs) {
			addrs[i] = sites[i].addr;
			continue;
		}
		one = set_filter(kind, &(unsigned long){ sites[i].addr },
				 &sites[i], 1, remove);
		err = err ? err : one;
	}
	if (addrs)
		err = set_filter(kind, addrs, sites, nr, remove);
	kp_host_free(addrs);
	return err;
}

int kp_host_tracer_on(struct kp_tracer_site *sites, size_t nr, bool redirects)
{
	struct kind *kind = &kinds[redirects];
	size_t i;
	int err;

	mutex_lock(&ops_lock);
	err = open_kind(kind);
	for (i = 0; i < nr && err; i++)
		sites[i].err = err;
	if (!err) {
		err = set_all(kind, sites, nr, false);
		for (i = 0; i < nr; i++)
			kind->nr += !sites[i].err;
	}
	mutex_unlock(&ops_lock);
	return err;
}

/*
 * A site that ftrace knows no more has gone with its text; what is left of it
 * in the filter goes with the ops.
 */
int kp_host_tracer_off(struct kp_tracer_site *sites, size_t nr, bool redirects)
{
	struct kind *kind = &kinds[redirects];
	size_t i;
	int err;

	mutex_lock(&ops_lock);
	err = set_all(kind, sites, nr, true);
	for (i = 0; i < nr; i++)
		kind->nr -= !sites[i].err;
	if (!kind->nr)
		schedule_delayed_work(&idle_work, LINGER);
	mutex_unlock(&ops_lock);
	return err;
}

void kp_host_tracer_stop(void)
{
	cancel_delayed_work_sync(&idle_work);
	close_idle(NULL);
}

/* ---- start --------------------------------------------------------------- */

bool kp_ftrace_usable(void)
{
	return kp_ftrace_ops[0].func;
}

void kp_ftrace_start(void)
{
	if (!kp_hidden.rcu_enter || !kp_hidden.rcu_exit ||
	    !kp_ftrace_anchor_site())
		return;
	kp_ftrace_ops[0].func = kp_ftrace_entry;
	kp_ftrace_ops[0].flags = FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_PERMANENT |
			     KP_FTRACE_OPS_PLAIN;
	kp_ftrace_ops[1].func = kp_ftrace_entry;
	kp_ftrace_ops[1].flags = kp_ftrace_ops[0].flags | FTRACE_OPS_FL_IPMODIFY;
	kp_ftrace_ops[0].trampoline = kp_ftrace_own_trampoline(false);
	kp_ftrace_ops[1].trampoline = kp_ftrace_own_trampoline(true);
}

/* No site is called from, and none is to be. */
void kp_ftrace_forgo(void)
{
	kp_host_tracer_stop();
	kp_ftrace_ops[0].func = NULL;
}

/*
 * No site is of any use: the engine has stopped.  What is left in a filter, as
 * ftrace did not take it out, goes with the ops.
 */
static void close_for_good(struct kind *kind)
{
	kind->nr = 0;
	close_kind(kind);
	while (kind->registered) {
		pr_warn("kprobes: unloading waits: ftrace does not let go\n");
		schedule_timeout_uninterruptible(HZ);
		close_kind(kind);
	}
}

/* The engine has stopped.  An ops whose filter was freed is of no use. */
void kp_ftrace_stop(void)
{
	cancel_delayed_work_sync(&idle_work);
	close_for_good(&kinds[0]);
	close_for_good(&kinds[1]);
	if (kp_hidden.free_filter) {
		kp_kernel_free_filter(&kp_ftrace_ops[0]);
		kp_kernel_free_filter(&kp_ftrace_ops[1]);
	}
}

#endif
