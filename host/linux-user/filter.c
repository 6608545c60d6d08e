/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * filter.c - seccomp filters that the program installs.
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
#include "user.h"
#include "filter.h"
#include "code.h"

#include <sys/prctl.h>

#define TSYNC 1			/* SECCOMP_FILTER_FLAG_TSYNC */
#define SET_FILTER 1		/* SECCOMP_SET_MODE_FILTER */
#define CODE_MAX 4096		/* of a filter; the kernel takes no more */

static int filtered;		/* atomic; some thread has one, from now on */
static int all_harmed;		/* atomic; one that kills at exit is everywhere */
#define TID_UNKNOWN (-1l)		/* no int stands there */
static long tid_offset = TID_UNKNOWN;	/* from the thread pointer; written once */

KP_TRAP_PATH static int tid_at(long offset)
{
	int tid;

	return kp_user_copy(&tid, (char *)__builtin_thread_pointer() + offset,
			    sizeof(tid)) ? 0 : tid;
}

/* As the C library keeps it; 0: nothing is there. */
KP_TRAP_PATH int kp_user_pointer_tid(void)
{
	return tid_at(tid_offset == TID_UNKNOWN ? KP_TCB_TID : tid_offset);
}

KP_TRAP_PATH bool kp_user_filtered(void)
{
	return kp_load_relaxed(&filtered);
}

KP_TRAP_PATH int kp_user_gettid(void)
{
	if (kp_user_filtered() && tid_offset != TID_UNKNOWN)
		return *(int *)((char *)__builtin_thread_pointer() + tid_offset);
	return sys_gettid();
}

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

/* ---- a clock without system calls -------------------------------------------- */

static int clock_harmed;	/* atomic; set once the three below are there */
static uint64_t clock_tsc, clock_ns, clock_scale;	/* ns, 32 bits of fraction */

/* The kernel's own code for it, that makes no call as a rule; NULL: not known. */
static int (*vdso_clock)(clockid_t clock, struct timespec *ts);

/* It is called by handlers, so it must leave vector registers alone. */
void kp_user_clock_find(void)
{
	struct kp_object *object = kp_user_object_first();
	uintptr_t at;

	while (object && !object->vdso)
		object = object->next;
	at = object ? kp_user_elf_exported(object, "__vdso_clock_gettime") : 0;
	if (at && kp_arch_purity(at, kp_user_code_read, NULL, NULL) == KP_ARCH_PURE_GPR)
		vdso_clock = (void *)at;
}

KP_TRAP_PATH static uint64_t ask_clock(void)
{
	struct timespec ts = { 0 };

	if (!vdso_clock || vdso_clock(CLOCK_MONOTONIC, &ts))
		sys3(SYS_clock_gettime, CLOCK_MONOTONIC, &ts, 0);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

struct instant {
	uint64_t tsc, ns;
};

/* Both at the same time: of a few tries the one that took least. */
KP_TRAP_PATH static struct instant look_at_clocks(void)
{
	uint64_t least = ~0ull, before, ns, after;
	struct instant best = { 0, 0 };
	int tries;

	for (tries = 0; tries < 8; tries++) {
		before = kp_ticks();
		ns = ask_clock();
		after = kp_ticks();
		if (after - before >= least)
			continue;
		least = after - before;
		best = (struct instant){ before + least / 2, ns };
	}
	return best;
}

static struct instant beginning;	/* of the engine */

/* What the processor's counter means, as of now: ten milliseconds tell. */
KP_TRAP_PATH static void know_clock(void)
{
	struct instant now;
	uint64_t ns, tsc;

	do
		now = look_at_clocks();
	while (now.ns - beginning.ns < 10000000);
	clock_tsc = now.tsc;
	clock_ns = now.ns;
	/* Shorter, so that there is room for the fraction. */
	for (ns = now.ns - beginning.ns, tsc = now.tsc - beginning.tsc;
	     ns >> 32; ns >>= 1)
		tsc >>= 1;
	clock_scale = (ns << 32) / tsc;
	kp_store_release(&clock_harmed, 1);
}

/* Times clock_scale, whose point is behind 32 bits, half by half. */
KP_TRAP_PATH static uint64_t scaled(uint64_t since)
{
	uint64_t whole = clock_scale >> 32, part = clock_scale & UINT32_MAX;
	uint64_t low = since & UINT32_MAX;

	return (since >> 32) * clock_scale + low * whole + (low * part >> 32);
}

KP_TRAP_PATH int64_t kp_user_clock(void)
{
	uint64_t since;

	if (!kp_load_acquire(&clock_harmed))
		return (int64_t)ask_clock();
	since = kp_ticks() - clock_tsc;
	return (int64_t)(clock_ns + scaled(since));
}

/* Where the C library keeps it: looked for once, while the kernel may be asked. */
void kp_user_filter_init(void)
{
	int tid = sys_gettid();
	long at;

	if (tid_offset != TID_UNKNOWN)
		return;
	beginning = look_at_clocks();
	tid_offset = KP_TCB_TID;
	for (at = KP_TCB_FIRST; tid_at(tid_offset) != tid &&
				at < KP_TCB_FIRST + KP_TCB_LEN; at += 4)
		tid_offset = at;
	if (tid_at(tid_offset) != tid)
		tid_offset = TID_UNKNOWN;
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
	if (!clock_harmed && (harms || kills(code, prog.len, SYS_clock_gettime)))
		know_clock();
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
	if (strict && !clock_harmed)
		know_clock();
	if (ctx && harms)
		ctx->harmed = true;
	if (harms && !by_prctl && !strict && (args[1] & TSYNC))
		kp_store_relaxed(&all_harmed, 1);
	kp_store_relaxed(&filtered, 1);
}

bool kp_user_filter_harms_exit(void)
{
	struct kp_user_context *ctx;

	if (!kp_user_filtered())
		return false;
	ctx = kp_user_context();
	return kp_load_relaxed(&all_harmed) || !ctx || ctx->harmed;
}
