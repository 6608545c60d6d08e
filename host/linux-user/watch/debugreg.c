/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * debugreg.c - debug registers in a process.
 *
 * Owns: the kernel's events that hold a debug register for each thread, and telling their
 * SIGTRAPs from others.
 *
 * An event belongs to one thread, and threads that it makes inherit it.  So an event is opened
 * for each existing thread, until no new thread is found.  A thread that was made meanwhile by a
 * thread that had its event has two.  Nobody can see that, and both together send one signal,
 * since SIGTRAP is not queued twice.
 *
 * The descriptors are in the table of a thread of ours (writer.c: a holder), one for each set of
 * words. When it ends, the events are gone.  A child of fork() has neither: there all sets are
 * watched anew.
 *
 * Accesses by the engine itself are left out by the address of its code, at once and before
 * anything is touched: the engine may be reading watched memory in order to report it, or
 * writing errno at the end of that.
 *
 * Locks: the registry lock; the trap path reads what is written before there is an event.
 */
#include "watch/debugreg.h"
#include "host.h"
#include "machine.h"
#include "thread.h"
#include "vectors.h"
#include "process/ids.h"
#include "process/threads.h"
#include "process/writer.h"
#include "threads/identity.h"
#include "objects/engine.h"
#include "objects/objects.h"

#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>

#define THREADS_MAX 4096
#define LATE 1u				/* TRAP_PERF_FLAG_ASYNC */

/* What the kernel says with such a signal. */
struct perf_siginfo {
	int signo, error, code;
	uintptr_t addr;
	unsigned long data;
	uint32_t type, flags;
};
_Static_assert(sizeof(struct perf_siginfo) <= sizeof(siginfo_t), "fits");

/* All that is read before it is known whose access it is: not to be watched. */
static struct {
	uintptr_t start, len;		/* the engine's code */
} own;

static struct kp_watch_set *sets[KP_ARCH_WATCH_WORDS];
static int tids[THREADS_MAX];
static int tids_nr;

/* ---- events ------------------------------------------------------------------------- */

struct job {
	const struct kp_watch_set *set;
	const char *reason;
	bool late;			/* it may have inherited what is watched */
	int err;
};

static long open_event(const struct kp_watch_word *word, int tid, bool kernel)
{
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.type = PERF_TYPE_BREAKPOINT;
	attr.size = sizeof(attr);
	attr.bp_type = word->reads ? HW_BREAKPOINT_RW : HW_BREAKPOINT_W;
	attr.bp_addr = word->addr;
	attr.bp_len = word->len;
	attr.sample_period = 1;
	attr.sigtrap = 1;
	attr.sig_data = (uintptr_t)&own;
	attr.remove_on_exec = 1;
	attr.inherit = 1;
	attr.inherit_thread = 1;
	attr.exclude_kernel = !kernel;
	attr.exclude_hv = 1;
	return sys6(SYS_perf_event_open, (long)&attr, tid, -1, -1,
		    PERF_FLAG_FD_CLOEXEC, 0);
}

static int failed(struct job *job, long err)
{
	switch (-err) {
	case ENOSPC:
		job->reason = "all debug registers of a thread are in use";
		return -ENOSPC;
	case EMFILE:
	case ENFILE:
		job->reason = "there are more threads than files may be open (RLIMIT_NOFILE)";
		return -ENOSPC;
	case ENOMEM:
		job->reason = "out of memory";
		return -ENOMEM;
	case EPERM:
	case EACCES:
		job->reason = "the system does not allow this program hardware breakpoints: kernel.perf_event_paranoid above 2, or a filter of system calls";
		return -EPERM;
	}
	job->reason = "this system has no hardware breakpoints that send a signal (Linux 5.13)";
	return -EOPNOTSUPP;
}

/* Late, no register may be left. */
static int watch_thread(struct job *job, int tid)
{
	unsigned int i;
	long fd;

	for (i = 0; i < job->set->nr; i++) {
		const struct kp_watch_word *word = &job->set->words[i];

		/* What the kernel does for the program, too, where that may be seen. */
		fd = open_event(word, tid, true);
		if (fd == -EACCES || fd == -EPERM)
			fd = open_event(word, tid, false);
		if (fd == -ESRCH || (job->late && fd == -ENOSPC))
			return 0;
		if (fd < 0)
			return failed(job, fd);
	}
	return 0;
}

static bool is_known(int tid)
{
	int i;

	for (i = 0; i < tids_nr; i++)
		if (tids[i] == tid)
			return true;
	return false;
}

static bool watch_new(int tid, void *arg)
{
	struct job *job = arg;

	if (is_known(tid))
		return false;
	if (tids_nr == THREADS_MAX) {
		job->reason = "there are too many threads";
		job->err = -ENOSPC;
	} else {
		tids[tids_nr++] = tid;
		job->err = watch_thread(job, tid);
	}
	return job->err;
}

/* A positive number of new threads, 0, or -errno. */
static int watch_all_new(struct job *job)
{
	int before = tids_nr;

	if (kp_user_each_thread(watch_new, job) < 0) {
		job->reason = "there is no /proc to find threads in";
		return -EOPNOTSUPP;
	}
	return job->err ? job->err : tids_nr - before;
}

/* By the holder, whose own accesses are of no interest. */
static int watch_all(void *arg)
{
	struct job *job = arg;
	int found;

	tids_nr = 0;
	found = watch_all_new(job);
	job->late = true;
	while (found > 0)
		found = watch_all_new(job);
	return found;
}

static int watch(struct kp_watch_set *set, const char **reason)
{
	struct job job = { .set = set, .reason = "no thread can be had to hold them" };
	int err = kp_user_hold(watch_all, &job, &set->host[0]);

	*reason = job.reason;
	return err;
}

int kp_host_watch(struct kp_watch_set *set, const char **reason)
{
	int i, err;

	*reason = KP_WATCH_REFUSED;
	if (*reason)
		return -EOPNOTSUPP;
	if (kp_user_filtered()) {
		*reason = "the program filters its system calls";
		return -EPERM;
	}
	for (i = 0; i < KP_ARCH_WATCH_WORDS && sets[i]; i++)
		;
	if (i == KP_ARCH_WATCH_WORDS) {
		*reason = "all debug registers are in use";
		return -ENOSPC;
	}
	kp_user_engine_bounds(&own.start, &own.len);
	err = watch(set, reason);
	sets[i] = err ? NULL : set;
	return err;
}

void kp_host_unwatch(struct kp_watch_set *set)
{
	int i;

	for (i = 0; i < KP_ARCH_WATCH_WORDS; i++)
		if (sets[i] == set)
			sets[i] = NULL;
	if (set->host[0])
		kp_user_let_go(set->host[0]);
	set->host[0] = NULL;
}

/* In the child: its only thread. */
void kp_user_watch_fork(void)
{
	const char *reason;
	int i;

	for (i = 0; i < KP_ARCH_WATCH_WORDS; i++)
		if (sets[i] && watch(sets[i], &reason))
			kp_host_log(KP_LOG_WARN, "kprobes: memory at 0x%lx is not watched in a forked child: %s",
				    (unsigned long)sets[i]->words[0].addr, reason);
}

const char *kp_host_watch_refused(uintptr_t addr, size_t len)
{
	struct kp_object *object = kp_user_object_at(addr);
	uintptr_t at = (uintptr_t)&own;

	if (kp_user_not_started())
		return kp_user_not_started();
	if (kp_user_in_engine(object, addr) ||
	    (addr < at + sizeof(own) && at < addr + len))
		return "part of the engine";
	return NULL;
}

KP_TRAP_PATH bool kp_host_is_task(int task)
{
	const struct kp_shim_identity *self = kp_shim_identity();

	return task > 0 ? self->pid == task : self->tgid == -(long)task;
}

/* ---- their signals ------------------------------------------------------------------- */

KP_TRAP_PATH static const struct perf_siginfo *perf(const siginfo_t *info)
{
	return (const struct perf_siginfo *)(const void *)info;
}

KP_TRAP_PATH bool kp_user_watch_own(const siginfo_t *info)
{
	return info->si_code == KP_SI_PERF && perf(info)->data == (uintptr_t)&own;
}

KP_TRAP_PATH bool kp_user_watch_ignored(const siginfo_t *info,
					const ucontext_t *uc)
{
	return kp_user_watch_own(info) &&
	       kp_uc_ip(uc) - own.start < own.len;
}

KP_TRAP_PATH uintptr_t kp_user_watch_addr(const siginfo_t *info, bool *late)
{
	*late = perf(info)->flags & LATE;
	return perf(info)->addr;
}
