/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * seccomp.c - seccomp filters that the program installs.
 *
 * Owns: what the engine does without once a filter is in force: system calls that a hit would
 * make and for which the filter may kill.  The installation of a filter is seen (mask.c); from
 * then on
 *
 *   a thread's id         is read where the C library has it
 *   the process's id      is the one that the memory is of
 *   a thread's context    is claimed by the thread that installs one, before
 *   the time              comes from the processor's counter, if need be
 *   at exit               the text stays as it is, if restoring it would kill
 *
 * A hit still needs rt_sigreturn for a breakpoint, rt_sigprocmask, and memory if it is the first
 * on a small stack.
 */
#include "signals/seccomp.h"
#include "atomic.h"
#include "host.h"
#include "machine.h"
#include "freestanding/heap.h"
#include "process/ids.h"
#include "threads/contexts.h"
#include "threads/defer.h"
#include "threads/identity.h"
#include "threads/stack.h"
#include "objects/clock.h"
#include "signals/seccomp_filter.h"

#include <sys/prctl.h>

#define TSYNC 1			/* SECCOMP_FILTER_FLAG_TSYNC */
#define SET_FILTER 1		/* SECCOMP_SET_MODE_FILTER */
#define CODE_MAX 4096		/* of a filter; the kernel takes no more */

static int all_harmed;		/* atomic; one that kills at exit is everywhere */

/* What restoring the text at exit would ask for. */
static const int exit_calls[] = {
	SYS_pwrite64, SYS_membarrier, SYS_fstat, SYS_futex, SYS_openat,
	SYS_close, SYS_munmap, SYS_mmap, SYS_mprotect, SYS_getpid, SYS_gettid,
	SYS_tgkill, SYS_read, SYS_write, SYS_nanosleep, SYS_sched_yield,
	SYS_brk, SYS_rt_sigprocmask,
	/* A thread that writes (writer.c). */
	SYS_clone, SYS_NEWER(436) /* close_range */, SYS_prctl, KP_SET_THREAD_CALL, SYS_exit,
	SYS_clock_gettime, SYS_geteuid, SYS_capset,
#ifdef KP_TEXT_CALL
	KP_TEXT_CALL,
#endif
};

KP_TRAP_PATH static bool kills(const struct sock_filter *code, size_t nr,
			       int call)
{
	struct seccomp_data data;

	memset(&data, 0, sizeof(data));
	data.nr = call;
	data.arch = KP_AUDIT_ARCH;
	return kp_filter_harms(kp_filter_evaluate(code, nr, &data));
}

KP_TRAP_PATH static bool kills_at_exit(const struct sock_filter *code, size_t nr)
{
	size_t i;

	for (i = 0; i < sizeof(exit_calls) / sizeof(exit_calls[0]); i++)
		if (kills(code, nr, exit_calls[i]))
			return true;
	return false;
}

/* The program at fprog may be anything: what cannot be read kills. */
KP_TRAP_PATH static bool program_kills(uintptr_t fprog)
{
	static struct sock_filter code[CODE_MAX];
	static int busy;
	struct sock_fprog prog;
	bool harms;

	/* A few at a time, each for a millisecond at most; no signal comes here. */
	while (__atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE))
		kp_cpu_relax();
	if (kp_host_data_read(fprog, &prog, sizeof(prog)))
		prog.len = 0;
	harms = !prog.len || prog.len > CODE_MAX ||
		kp_host_data_read((uintptr_t)prog.filter, code,
				  prog.len * sizeof(code[0])) ||
		kills_at_exit(code, prog.len);
	if (harms || kills(code, prog.len, SYS_clock_gettime))
		kp_user_clock_alone();
	kp_store_release(&busy, 0);
	return harms;
}

/* seccomp or prctl, about to be made. */
KP_TRAP_PATH void kp_user_filter_note(const ucontext_t *uc)
{
	unsigned long args[] = {
		(unsigned long)kp_uc_arg(uc, 0), (unsigned long)kp_uc_arg(uc, 1),
		(unsigned long)kp_uc_arg(uc, 2),
	};
	bool by_prctl = kp_uc_call(uc) == SYS_prctl, strict, harms;
	struct kp_user_context *ctx;

	if (by_prctl && args[0] != PR_SET_SECCOMP)
		return;
	if (!by_prctl && (unsigned int)args[0] > SET_FILTER)
		return;
	strict = by_prctl ? args[1] == SECCOMP_MODE_STRICT : !args[0];
	if (!by_prctl && !strict && (args[1] & TSYNC))
		kp_user_defer_rest();
	ctx = kp_user_context();
	kp_user_know_stack();
	kp_shim_know_name();
	harms = strict || program_kills(args[2]);
	if (strict)
		kp_user_clock_alone();
	if (ctx && harms)
		ctx->harmed = true;
	if (harms && !by_prctl && !strict && (args[1] & TSYNC))
		kp_store_relaxed(&all_harmed, 1);
	kp_user_ids_filter();
	kp_user_heap_keep();
}

bool kp_user_filter_harms_exit(void)
{
	struct kp_user_context *ctx;

	if (!kp_user_filtered())
		return false;
	ctx = kp_user_context();
	return kp_load_relaxed(&all_harmed) || !ctx || ctx->harmed;
}
