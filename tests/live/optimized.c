/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * optimized.c - jumps in a process that forks, unloads, throws, is interrupted,
 * and looks at its own threads.
 */
#include "text.h"

#include <dirent.h>
#include <dlfcn.h>
#include <setjmp.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/user.h>
#include <time.h>

#include "code.h"
#include "processor.h"

int throw_deep(int depth);
int throw_caught(int depth);

/* Five bytes, then others: a jump fits anywhere. */
__asm__(".text\n.p2align 4\n"
	".globl plain\n.type plain, @function\n"
	"plain:	mov $7, %eax\n"
	"	" LIVE_ADD_ARG "\n"
	"	ret\n"
	".size plain, . - plain\n");
int plain(int a);

static struct kprobe probe;

static void put(int (*fn)(int))
{
	probe = (struct kprobe){ .addr = (kprobe_opcode_t *)(unsigned long)fn,
				 .pre_handler = live_pre };
	NEED(!register_kprobe(&probe));
}

static void put_jump(void)
{
	put(plain);
	kprobes_flush();
	NEED(text_has_jump((void *)plain));
}

static bool hit_once(void)
{
	long before = live_hits;

	return plain(1) == 8 && live_hits == before + 1;
}

/* ---- fork ------------------------------------------------------------------------ */

static void child_takes_it(void)
{
	NEED(text_has_jump((void *)plain) && hit_once());
	unregister_kprobe(&probe);
	NEED(!text_changed() && plain(1) == 8);
	put_jump();
	NEED(hit_once());
	NEED(!kprobes_set_optimization(false));
	NEED(!text_has_jump((void *)plain) && hit_once());
}

static void fork_with_jump(void)
{
	put_jump();
	NEED(!in_child(child_takes_it));
	NEED(text_has_jump((void *)plain) && hit_once());
}

static void child_has_it_soon(void)
{
	NEED(hit_once());
	kprobes_flush();
	NEED(text_has_jump((void *)plain) && hit_once());
}

/* The worker of the parent has work, and is not in the child. */
static void fork_before_jump(void)
{
	int i;

	for (i = 0; i < 20; i++) {
		put(plain);
		NEED(!in_child(child_has_it_soon));
		NEED(hit_once());
		unregister_kprobe(&probe);
		NEED(!in_child(kprobes_flush));
	}
	NEED(!text_changed());
}

/* ---- unloading ------------------------------------------------------------------- */

static void unload_with_jump(void)
{
	int i;

	for (i = 0; i < 50; i++) {
		void *lib = dlopen("marked.so", RTLD_NOW | RTLD_LOCAL);
		int (*fn)(int) = lib ? (int (*)(int))dlsym(lib, "so_plain")
				     : NULL;
		long before = live_hits;

		NEED(fn);
		put(fn);
		/* Sometimes the worker is still to come. */
		if (i & 1)
			kprobes_flush();
		NEED(fn(1) == 3 && live_hits == before + 1);
		dlclose(lib);
		if (i & 2)
			kprobes_flush();
		unregister_kprobe(&probe);
	}
}

/* ---- exceptions ------------------------------------------------------------------- */

static size_t function_len(void *fn)
{
	ElfW(Sym) *sym = NULL;
	Dl_info info;

	return dladdr1(fn, &info, (void **)&sym, RTLD_DL_SYMENT) && sym
		? sym->st_size : 0;
}

static int probe_each(const uint8_t *code, struct kprobe *all, int *jumps)
{
	size_t at = 0, len = function_len((void *)(unsigned long)code), step;
	int nr = 0;

	for (; (step = code_len(code + at, len - at)); at += step) {
		put((int (*)(int))(unsigned long)(code + at));
		all[nr] = (struct kprobe){ .addr = probe.addr,
					   .pre_handler = live_pre };
		nr++;
		kprobes_flush();
		*jumps += text_has_jump(code + at);
		NEED(throw_caught(5) == 6);
		unregister_kprobe(&probe);
		kprobes_flush();
	}
	return nr;
}

/* Landing pads included, and what stands in front of them. */
static void throws(void)
{
	static struct kprobe all[300];
	int nr, jumps = 0, i;

	nr = probe_each((uint8_t *)(unsigned long)throw_deep, all, &jumps);
	nr += probe_each((uint8_t *)(unsigned long)throw_caught, all + nr,
			 &jumps);
	printf("# %d instructions of functions that throw, %d jumps\n", nr,
	       jumps);
	fflush(stdout);
	NEED(nr > 30 && jumps > nr * 9 / 10);
	for (i = 0; i < nr; i++)
		NEED(!register_kprobe(&all[i]));
	kprobes_flush();
	for (i = 0; i < 20; i++)
		NEED(throw_caught(5) == 6);
	for (i = 0; i < nr; i++)
		unregister_kprobe(&all[i]);
	NEED(!text_changed());
}

/* ---- signals ---------------------------------------------------------------------- */

static sigjmp_buf again;
static volatile int jumped;

#define LEAVES 300

static void leaves(int sig)
{
	(void)sig;
	if (++jumped > LEAVES)
		return;
	siglongjmp(again, 1);
}

static int slow_pre(struct kprobe *p, struct pt_regs *regs)
{
	volatile int i;

	(void)p;
	(void)regs;
	for (i = 0; i < 200; i++)
		;
	__atomic_fetch_add(&live_hits, 1, __ATOMIC_RELAXED);
	return 0;
}

/* Out of the middle of hits, whose handlers never end; the next ones count. */
static void left_by_longjmp(void)
{
	struct itimerval timer = { { 0, 500 }, { 0, 500 } }, none = { 0 };

	probe = (struct kprobe){ .addr = (kprobe_opcode_t *)(unsigned long)plain,
				 .pre_handler = slow_pre };
	NEED(!register_kprobe(&probe));
	kprobes_flush();
	NEED(text_has_jump((void *)plain));
	signal(SIGALRM, leaves);
	setitimer(ITIMER_REAL, &timer, NULL);
	sigsetjmp(again, 1);
	while (jumped < LEAVES)
		plain(2);
	setitimer(ITIMER_REAL, &none, NULL);
	printf("# %d times, %ld hits, %lu missed\n", jumped, live_hits,
	       probe.nmissed);
	fflush(stdout);
	NEED(live_hits > LEAVES && hit_once() && hit_once());
	unregister_kprobe(&probe);
	NEED(!text_changed());
}

/* ---- signals at every instruction of a hit ----------------------------------------- */

#define OVER 77			/* exit status: the hit had ended */

static volatile int unregistered;

static void *unregisters(void *arg)
{
	unregister_kprobe(&probe);
	unregistered = 1;
	return arg;
}

static void leaves_once(int sig)
{
	(void)sig;
	siglongjmp(again, 1);
}

/* The thread goes on and is hit again; who waits for it is not misled. */
static void is_left(void)
{
	pthread_t thread;

	alarm(LIVE_PATIENCE);
	if (!sigsetjmp(again, 1)) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		plain_call(SYS_kill, getpid(), SIGSTOP);
		plain(2);
		plain_call(SYS_exit_group, OVER, 0);
	}
	NEED(hit_once() && !probe.nmissed);
	NEED(!pthread_create(&thread, NULL, unregisters, NULL));
	while (!unregistered)
		plain(2);
	_exit(0);
}

/* What a step left in flags that were pushed is not the program's. */
static int pass_on(pid_t child, int sig)
{
	struct user_regs_struct regs;
	siginfo_t info;

	if (sig != SIGTRAP || ptrace(PTRACE_GETSIGINFO, child, NULL, &info) ||
	    info.si_code == SI_KERNEL)
		return sig;
	ptrace(PTRACE_GETREGS, child, NULL, &regs);
	regs.eflags &= ~0x100ul;
	ptrace(PTRACE_SETREGS, child, NULL, &regs);
	return 0;
}

/* A signal after so many instructions; the wait status in the end. */
static int left_after(int steps)
{
	int status, sig = SIGUSR1;
	pid_t child = fork();

	if (!child)
		is_left();
	NEED(waitpid(child, &status, 0) == child && WIFSTOPPED(status));
	while (steps--) {
		ptrace(PTRACE_SINGLESTEP, child, NULL, NULL);
		NEED(waitpid(child, &status, 0) == child);
		if (!WIFSTOPPED(status))
			return status;
	}
	do {
		ptrace(PTRACE_CONT, child, NULL, (long)sig);
		NEED(waitpid(child, &status, 0) == child);
		sig = WIFSTOPPED(status) ? pass_on(child, WSTOPSIG(status)) : 0;
	} while (WIFSTOPPED(status));
	return status;
}

static void left_anywhere(void)
{
	int steps = 0, status;

	put_jump();
	/* What is called is found now. */
	NEED(hit_once() && !plain_call(SYS_kill, getpid(), 0));
	signal(SIGUSR1, leaves_once);
	do {
		status = left_after(steps++);
		if (status && WEXITSTATUS(status) != OVER)
			printf("# after %d instructions: %s\n", steps - 1,
			       status_text(status));
		NEED(!status || WEXITSTATUS(status) == OVER);
	} while (!status);
	printf("# %d instructions\n", steps);
	fflush(stdout);
	NEED(steps > 50);
}

/* ---- the worker -------------------------------------------------------------------- */

/* A thread that is not the first one. */
static int other_thread(void)
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *entry;
	int tid, other = 0;

	while ((entry = readdir(dir))) {
		tid = atoi(entry->d_name);
		if (tid && tid != getpid())
			other = tid;
	}
	closedir(dir);
	return other;
}

static unsigned long long blocked_by(int tid)
{
	char path[64], line[128];
	unsigned long long mask = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/status", tid);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file))
		sscanf(line, "SigBlk: %llx", &mask);
	if (file)
		fclose(file);
	return mask;
}

/* In a forked child: until its first thread is the only one. */
static bool alone_soon(void)
{
	int i;

	for (i = 0; i < 1000 * LIVE_PATIENCE && live_entries("task") > 1; i++)
		nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
	return live_entries("task") == 1;
}

/* Seen while it waits; not when this thread had to wait as long. */
static int worker_seen(unsigned long long *mask)
{
	int i, worker;

	for (i = 0; i < 50; i++) {
		put(plain);
		worker = other_thread();
		if (worker) {
			*mask = blocked_by(worker);
			if (*mask)
				return 1;
		}
		unregister_kprobe(&probe);
		NEED(alone_soon());
	}
	return 0;
}

static void worker_ends(void)
{
	unsigned long long mask;

	NEED(alone_soon());
	NEED(worker_seen(&mask));
	NEED(mask & 1ul << (SIGTERM - 1) && mask & 1ul << (SIGCHLD - 1) &&
	     mask & 1ul << (SIGALRM - 1) && !(mask & 1ul << (SIGTRAP - 1)));
	NEED(alone_soon());
	NEED(text_has_jump((void *)plain) && hit_once());
	/* The same for what is taken away. */
	unregister_kprobe(&probe);
	NEED(alone_soon());
	NEED(!memcmp((void *)plain, "\xb8\x07\0\0\0", 5));
}

static void identity_changes(void)
{
	int i;

	for (i = 0; i < 300; i++) {
		put(plain);
		NEED(!setuid(getuid()) && !setgid(getgid()));
		NEED(hit_once());
		unregister_kprobe(&probe);
		if (i % 16 == 0)
			nanosleep(&(struct timespec){ 0, 21000000 }, NULL);
	}
}

static void namespace_alone(void)
{
	/* -EINVAL for a process with a second thread. */
	put_jump();
	NEED(alone_soon());
	NEED(!syscall(SYS_unshare, 0x10000000) || errno != EINVAL);
	NEED(hit_once());
}

static void execs(void)
{
	put(plain);
	execl("/bin/true", "true", (char *)NULL);
}

static void exits(void)
{
	put(plain);
	exit(0);
}

int main(void)
{
	text_snapshot();
	child_case("fork: jumps in parent and child", fork_with_jump);
	child_case("fork: before the jump", fork_before_jump);
	child_case("K-MOD-01 an object with jumps is unloaded", unload_with_jump);
	child_case("exceptions through jumps", throws);
	child_case("signal handlers leave hits", left_by_longjmp);
	child_case("signal handlers leave a hit at any instruction",
		   left_anywhere);
	child_case("K-OPT-42 the worker comes and goes", worker_ends);
	child_case("setuid beside the worker", identity_changes);
	child_case("unshare without a worker", namespace_alone);
	child_case("exec before the jump", execs);
	child_case("exit before the jump", exits);
	return live_failed;
}
