/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * sampled.c - a profiler's signal at any instruction of a hit: its handler unwinds
 * the stack (K-RET-44).
 *
 * No trace may kill the program, whatever was interrupted; and each reaches the
 * caller, but those that begin in the library's executable memory, of heads and
 * copies, which has no unwind entries; or in the last two instructions of an entry
 * that leads there, where all registers are the probed code's again.
 */
#include "jumps.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <sys/time.h>
#include <ucontext.h>

#define FRAMES 64
#define SECONDS 0.4			/* at least, and until ... */
#define TRACES 100			/* ... so many reach the caller, or never will */

long sampled_target(long a);
__asm__(".text\n.p2align 6\n.globl sampled_target\n"
	".type sampled_target, @function\n"
	"sampled_target:\n"
	"	.cfi_startproc\n"
	"	lea 0x1234567(%rdi), %rax\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size sampled_target, . - sampled_target\n");

static volatile sig_atomic_t inside;
static void *caller;
static volatile long reached, ended_early, in_memory, hits;
static volatile double sum;

/* At pc, or behind its frame there is only one, in no object. */
static bool begins_in_memory(uintptr_t pc, void **frames, int nr)
{
	Dl_info found;

	if (!dladdr((void *)pc, &found))
		return true;
	return nr >= 2 && (uintptr_t)frames[nr - 2] == pc &&
	       !dladdr(frames[nr - 1], &found);
}

static void on_alarm(int sig, siginfo_t *info, void *context)
{
	const ucontext_t *uc = context;
	uintptr_t pc = (uintptr_t)uc->uc_mcontext.gregs[REG_RIP];
	void *frames[FRAMES];
	int nr, i;

	(void)sig;
	(void)info;
	if (!inside)
		return;
	nr = backtrace(frames, FRAMES);
	for (i = 0; i < nr && frames[i] != caller; i++)
		;
	if (i < nr)
		reached++;
	else if (begins_in_memory(pc, frames, nr))
		in_memory++;
	else
		ended_early++;
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static __attribute__((noinline, noclone)) long work(void)
{
	double begin = now(), took;
	long result = 0;
	int i;

	caller = __builtin_return_address(0);
	do {
		inside = 1;
		for (i = 0; i < 20000; i++)
			result += sampled_target(i);
		inside = 0;
		took = now() - begin;
	} while (took < SECONDS || (reached <= TRACES && took < LIVE_PATIENCE));
	return result;
}

/* ---- handlers ---------------------------------------------------------------- */

static int lean_pre(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	hits++;
	return 0;
}

static void lean_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	(void)flags;
	lean_pre(p, regs);
}

static int loud_pre(struct kprobe *p, struct pt_regs *regs)
{
	return lean_pre(p, regs) + (getppid() == -1);
}

static void loud_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	(void)flags;
	loud_pre(p, regs);
}

static int vector_pre(struct kprobe *p, struct pt_regs *regs)
{
	sum += (double)(long)regs->di * 0.1;
	return lean_pre(p, regs);
}

static int lean_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	(void)ri;
	(void)regs;
	hits++;
	return 0;
}

static int loud_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return lean_return(ri, regs) + (getppid() == -1);
}

static long on_jump(long a)
{
	(void)a;
	hits++;
	jprobe_return();
	return 0;
}

/* ---- cases -------------------------------------------------------------------- */

static void sample(const char *what)
{
	struct itimerval often = { { 0, 120 }, { 0, 120 } }, never = { 0 };
	struct sigaction sa = { .sa_sigaction = on_alarm,
				.sa_flags = SA_SIGINFO | SA_RESTART };

	NEED(jumps_settle((void *)sampled_target));
	reached = ended_early = in_memory = hits = 0;
	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	work();
	setitimer(ITIMER_REAL, &never, NULL);
	printf("# %s: %ld traces reach the caller, %ld begin in heads and copies\n",
	       what, reached, in_memory);
	fflush(stdout);
	NEED(hits > 0 && reached > TRACES);
	NEED(!ended_early);
}

static void kprobe_case(const char *what, kprobe_pre_handler_t pre,
			kprobe_post_handler_t post)
{
	struct kprobe p = { .addr = (kprobe_opcode_t *)(unsigned long)sampled_target,
			    .pre_handler = pre, .post_handler = post };

	NEED(!register_kprobe(&p));
	sample(what);
	unregister_kprobe(&p);
}

static void kprobes(void)
{
	kprobe_case("lean", lean_pre, NULL);
	kprobe_case("lean, with a post_handler", lean_pre, lean_post);
	kprobe_case("ordinary", loud_pre, NULL);
	kprobe_case("ordinary, with a post_handler", loud_pre, loud_post);
	kprobe_case("with vectors", vector_pre, NULL);
}

static void returns(void)
{
	kretprobe_handler_t handlers[] = { lean_return, loud_return };
	kretprobe_handler_t entries[] = { NULL, loud_return };
	unsigned int i;

	for (i = 0; i < 4; i++) {
		struct kretprobe rp = {
			.kp.addr = (kprobe_opcode_t *)(unsigned long)sampled_target,
			.handler = handlers[i & 1],
			.entry_handler = entries[i >> 1],
		};

		NEED(!register_kretprobe(&rp));
		sample(i & 1 ? "return, ordinary" : "return, lean");
		unregister_kretprobe(&rp);
	}
}

static void jprobes(void)
{
	struct jprobe jp = {
		.kp.addr = (kprobe_opcode_t *)(unsigned long)sampled_target,
		.entry = (void *)(unsigned long)on_jump,
	};

	NEED(!register_jprobe(&jp));
	sample("jprobe");
	unregister_jprobe(&jp);
}

static void several(void)
{
	struct kprobe p = { .addr = (kprobe_opcode_t *)(unsigned long)sampled_target,
			    .pre_handler = lean_pre };
	struct kretprobe rp = {
		.kp.addr = (kprobe_opcode_t *)(unsigned long)sampled_target,
		.handler = lean_return,
	};

	NEED(!register_kprobe(&p));
	NEED(!register_kretprobe(&rp));
	sample("a kprobe and a return probe");
	unregister_kretprobe(&rp);
	unregister_kprobe(&p);
}

int main(void)
{
	void *first[2];

	jumps_begin();
	/* What it loads, it loads here. */
	backtrace(first, 2);
	child_case("K-RET-44 a profiler's signal in hits of kprobes", kprobes);
	child_case("K-RET-44 in calls and returns with a return probe", returns);
	child_case("K-RET-44 in jprobes", jprobes);
	child_case("K-RET-44 in hits of several", several);
	return live_failed;
}
