/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * paged_life.c - memory that is watched by its pages, and what happens to the program:
 * forks, exec, threads that end, stacks, what changes the mapping, its own faults, and
 * handlers and probed code there.
 *
 * argv[1]: executed by the test, with watched memory behind it.
 */
#include "paged.h"
#include "processor.h"

#include <dlfcn.h>
#include <sched.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* ---- processes ---------------------------------------------------------------------------- */

static void child(pid_t pid)
{
	int status;

	NEED(pid > 0 && waitpid(pid, &status, 0) == pid && !status);
}

static void forks(void)
{
	struct wprobe wp = watched(KP_WATCH_WRITE);
	pthread_t thread;
	char *args[] = { "/bin/true", NULL };
	pid_t pid;
	int i;

	must(&wp);
	set(object, 5);
	told();
	for (i = 0; i < 3; i++) {
		pid = i ? (pid_t)syscall(i == 1 ? SYS_clone : FORK_CALL, SIGCHLD, 0, 0, 0, 0)
			: fork();
		if (!pid) {
			NEED(*(volatile long *)object == 5);
			set(object, 6);
			NEED(told() == 1 && *(volatile long *)object == 6);
			unregister_wprobe(&wp);
			set(object, 7);
			NEED(!told());
			_exit(0);
		}
		child(pid);
		NEED(!told() && *(volatile long *)object == 5);
	}
	NEED(!posix_spawn(&pid, args[0], NULL, NULL, args, args + 1));
	child(pid);
	pid = vfork();
	if (!pid) {
		set(object, 8);
		_exit(0);
	}
	child(pid);
	NEED(*(volatile long *)object == 8);
	told();
	/* While another thread writes. */
	set(object, 0);
	told();
	NEED(!pthread_create(&thread, NULL, add, object));
	for (i = 0; i < 20; i++) {
		pid = fork();
		if (!pid) {
			long before = *(volatile long *)object;

			set(object + 16, 1);
			usleep(1000);
			NEED(*(volatile long *)object == before);
			_exit(0);
		}
		child(pid);
	}
	pthread_join(thread, NULL);
	NEED(*(long *)(void *)object == ADDS && told() == 2 * ADDS);
	unregister_wprobe(&wp);
}

static char clone_stack[65536];

static int on_clone(void *arg)
{
	char here;

	set(arg, 6);
	/* On the stack that it was given. */
	_exit(told() == 1 && *(volatile long *)arg == 6 && &here > clone_stack &&
	      &here < clone_stack + sizeof(clone_stack) ? 0 : 1);
}

static void a_stack_of_its_own(void)
{
	struct wprobe wp = watched(KP_WATCH_WRITE);

	must(&wp);
	child(clone(on_clone, clone_stack + sizeof(clone_stack), SIGCHLD, object));
	NEED(*(volatile long *)object == 0);
	unregister_wprobe(&wp);
}

static void execute(void)
{
	char self[] = "/proc/self/exe", arg[] = "again";

	execv(self, (char *[]){ self, arg, NULL });
	_exit(2);
}

static void *execute_there(void *unused)
{
	(void)unused;
	execute();
	return NULL;
}

/* With what it is told on watched memory, too. */
static void an_exec(void)
{
	struct wprobe wp = watched(KP_WATCH_WRITE);
	char *self = memcpy(object, "/proc/self/exe", 15);
	char **args = (char **)(void *)(object + 16);

	args[0] = self;
	args[1] = self;
	args[2] = NULL;
	must(&wp);
	execv(self, args);
	_exit(2);
}

static void an_exec_by_a_thread(void)
{
	struct wprobe wp = watched(KP_WATCH_WRITE);
	pthread_t threads[2];

	must(&wp);
	NEED(!pthread_create(&threads[0], NULL, add, object));
	NEED(!pthread_create(&threads[1], NULL, execute_there, NULL));
	for (;;)
		set(object, 1);
}

/* ---- threads that end ---------------------------------------------------------------------- */

static void threads_end(void)
{
	struct wprobe wp = watched(KP_WATCH_WRITE);
	pthread_attr_t detached;
	pthread_t thread;
	int i;

	must(&wp);
	for (i = 0; i < 10; i++) {
		NEED(!pthread_create(&thread, NULL, add, object));
		NEED(!pthread_join(thread, NULL));
	}
	NEED(told() == 10 * 2l * ADDS && !wp.kp.nmissed);
	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	for (i = 0; i < 3; i++)
		NEED(!pthread_create(&thread, &detached, add, object));
	while (__atomic_load_n(&calls, __ATOMIC_SEQ_CST) < 3 * 2l * ADDS)
		usleep(1000);
	NEED(told() == 3 * 2l * ADDS && !wp.kp.nmissed);
	unregister_wprobe(&wp);
}

static pthread_t first;

static void *outlive(void *arg)
{
	NEED(!pthread_join(first, NULL));
	add(arg);
	NEED(told() == 2 * ADDS);
	return NULL;
}

/* The first one ends, then the last. */
static void a_last_thread(void)
{
	static struct wprobe wp;
	pthread_t thread;

	wp = watched(KP_WATCH_WRITE);
	first = pthread_self();
	must(&wp);
	NEED(!pthread_create(&thread, NULL, outlive, object));
	pthread_exit(NULL);
}

/* ---- stacks, and code ----------------------------------------------------------------------- */

static int turn_over;

/* In a call that writes nothing: a C library's may be told what is left, on this stack. */
static void *sleep_on_it(void *arg)
{
	static const struct timespec moment = { 0, 1000000 };
	char here[LEN];

	__atomic_store_n((char **)arg, here, __ATOMIC_SEQ_CST);
	while (!__atomic_load_n(&turn_over, __ATOMIC_SEQ_CST))
		syscall(SYS_nanosleep, &moment, NULL);
	return NULL;
}

static void *work_on_it(void *arg)
{
	char here[LEN];

	__atomic_store_n((char **)arg, here, __ATOMIC_SEQ_CST);
	while (!__atomic_load_n(&turn_over, __ATOMIC_SEQ_CST))
		;
	return NULL;
}

#ifndef STACK_REFUSED
#define STACK_REFUSED "stack"		/* it may also be code */
#endif

static void is_refused(void *addr, const char *why)
{
	struct wprobe wp = of(addr, LEN, KP_WATCH_WRITE);

	NEED(register_wprobe(&wp) == -ENOSPC);
	printf("# %s\n", wp.kp.reason);
	NEED(strstr(wp.kp.reason, why));
}

static void anothers_stack(void)
{
	void *(*const fns[])(void *) = { sleep_on_it, work_on_it };
	pthread_t thread;
	char *there;
	int i;

	for (i = 0; i < 2; i++) {
		there = NULL;
		turn_over = 0;
		NEED(!pthread_create(&thread, NULL, fns[i], &there));
		while (!__atomic_load_n(&there, __ATOMIC_SEQ_CST))
			usleep(100);
		is_refused(there, STACK_REFUSED);
		__atomic_store_n(&turn_over, 1, __ATOMIC_SEQ_CST);
		pthread_join(thread, NULL);
	}
}

static volatile int on_alternate;

static void note_stack(int sig)
{
	char here;

	(void)sig;
	on_alternate += &here > memory && &here < memory + 3 * PAGE;
}

/* What becomes a stack is watched no more; what is one, is refused. */
static void alternate_stack(void)
{
	struct wprobe wp = watched(KP_WATCH_WRITE);
	stack_t stack = { .ss_sp = memory, .ss_size = 3 * PAGE };
	struct sigaction act = { .sa_handler = note_stack, .sa_flags = SA_ONSTACK };

	must(&wp);
	sigaction(SIGUSR1, &act, NULL);
	NEED(!sigaltstack(&stack, NULL) && is_gone(&wp));
	raise(SIGUSR1);
	NEED(on_alternate == 1);
	unregister_wprobe(&wp);
	is_refused(object, "alternate stack");
}

static void a_threads_stack(void)
{
	unsigned long len = 64 * PAGE;
	char *stack = mmap(NULL, len, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct wprobe wp = of(stack + len / 2, LEN, KP_WATCH_WRITE);
	pthread_attr_t attr;
	pthread_t thread;
	char *there = NULL;

	NEED(stack != MAP_FAILED);
	must(&wp);
	pthread_attr_init(&attr);
	NEED(!pthread_attr_setstack(&attr, stack, len));
	turn_over = 1;
	NEED(!pthread_create(&thread, &attr, work_on_it, &there));
	NEED(!pthread_join(thread, NULL) && is_gone(&wp));
	NEED(there > stack && there < stack + len);
	unregister_wprobe(&wp);
}

/* Code is in registers' reach only. */
static void code(void)
{
	static const unsigned char ret[] = RETURN_CODE;

	take_memory();
	memcpy(object, ret, sizeof(ret));
	NEED(!mprotect(memory, 3 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC));
	is_refused(object, "executable");
	__builtin___clear_cache(object, object + sizeof(ret));
	((void (*)(void))(unsigned long)object)();
}

/* ---- the mapping ------------------------------------------------------------------------------------ */

static void unmapped(void)
{
	struct wprobe wp = watched(KP_WATCH_WRITE);

	must(&wp);
	NEED(!munmap(memory + PAGE, PAGE) && is_gone(&wp));
	unregister_wprobe(&wp);
	wp = watched(KP_WATCH_WRITE);
	must(&wp);
	set(object, 9);
	memory = mremap(memory, 3 * PAGE, 64 * PAGE, MREMAP_MAYMOVE);
	NEED(memory != MAP_FAILED && memory[PAGE + 256] == 9 && is_gone(&wp));
	unregister_wprobe(&wp);
	wp = watched(KP_WATCH_WRITE);
	must(&wp);
	NEED(!mprotect(memory, 3 * PAGE, PROT_READ) && is_gone(&wp));
	unregister_wprobe(&wp);
	wp = watched(KP_WATCH_WRITE);
	must(&wp);
	set(object, 9);
	NEED(!madvise(memory, 3 * PAGE, MADV_DONTNEED) && !*object && is_gone(&wp));
	set(object, 1);
	NEED(*object == 1);
	unregister_wprobe(&wp);
	wp = watched(KP_WATCH_WRITE);
	must(&wp);
	NEED(mmap(memory + PAGE, PAGE, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == memory + PAGE);
	set(object, 1);
	NEED(is_gone(&wp));
	unregister_wprobe(&wp);
}

/* What is mapped comes beside no thread's own data, where watching is refused. */
static void keep_away(void)
{
	char *here = (char *)((unsigned long)&errno & ~(PAGE - 1)), *at;

	for (at = here - 6 * PAGE; at <= here + 6 * PAGE; at += PAGE)
		(void)mmap(at, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
}

/* An object's data, which goes with it. */
static void unloaded(void)
{
	struct wprobe wp = of(NULL, 0, KP_WATCH_WRITE);
	struct wprobe more;
	void *marked;
	long *number;

	keep_away();
	marked = dlopen(live_beside("marked.so"), RTLD_NOW);
	NEED(marked);
	number = dlsym(marked, "so_number");
	wp.kp.symbol_name = "marked:so_number";
	must(&wp);
	/* By pages, as its neighbour needs them. */
	more = of((char *)number + 8, LEN, KP_WATCH_WRITE);
	must(&more);
	set(number, 4);
	NEED(told() == 1 && last.after == 4);
	unregister_wprobe(&more);
	dlclose(marked);
	NEED(is_gone(&wp));
	unregister_wprobe(&wp);
}

static void on_fault(int sig)
{
	mprotect(memory, 3 * PAGE, PROT_READ | PROT_WRITE);
	calls += 100 * (sig == SIGSEGV);
}

/* The program's own faults are its own. */
static void own_faults(void)
{
	struct wprobe wp = watched(KP_WATCH_WRITE);

	signal(SIGSEGV, on_fault);
	must(&wp);
	mprotect(memory, PAGE, PROT_READ);
	set(memory, 4);
	NEED(*memory == 4 && told() == 100);
	unregister_wprobe(&wp);
	mprotect(memory, 3 * PAGE, PROT_READ);
	set(object, 4);
	NEED(*object == 4 && told() == 100);
}

/* Of a write that lies on two pages, too: one is watched, the other one the program closed. */
static void own_faults_across(void)
{
	char *edge;
	struct wprobe wp;

	take_memory();
	edge = memory + PAGE;
	signal(SIGSEGV, on_fault);
	wp = of(edge, LEN, KP_WATCH_WRITE);
	must(&wp);
	mprotect(memory, PAGE, PROT_READ);
	set(edge - WORD / 2, 4);
	NEED(edge[-(long)WORD / 2] == 4 && told() >= 100);
	unregister_wprobe(&wp);
	/* The other one was watched before. */
	wp = of(edge - LEN, LEN, KP_WATCH_WRITE);
	must(&wp);
	mprotect(edge, PAGE, PROT_READ);
	set(edge - WORD / 2, 5);
	NEED(edge[-(long)WORD / 2] == 5 && told() >= 100);
}

static void touches(struct wprobe *wp, struct pt_regs *regs,
		    const struct kp_access *access)
{
	on_access(wp, regs, access);
	set(object + 24, 1);
}

static void handlers(void)
{
	struct wprobe *wp;
	struct kprobe p = { .symbol_name = "live_target", .pre_handler = live_pre };

	take_memory();
	/* The struct itself is on the page. */
	wp = (struct wprobe *)(void *)(memory + PAGE + 1024);
	*wp = of(object, LEN, KP_WATCH_WRITE);
	wp->handler = touches;
	must(wp);
	set(object, 1);
	NEED(told() == 1 && *(volatile long *)(object + 24) == 1);
	NEED(!register_kprobe(&p));
	live_target(1);
	unregister_kprobe(&p);
	unregister_wprobe(wp);
}

static void a_call_is_probed(void)
{
	struct wprobe wp = watched(KP_WATCH_WRITE);
	struct kprobe p = { .symbol_name = "libc.so.6:read", .pre_handler = live_pre };
	int pipes[2];

	must(&wp);
	NEED(!register_kprobe(&p));
	NEED(!pipe(pipes) && write(pipes[1], "abcdefgh", 8) == 8);
	NEED(read(pipes[0], object, 8) == 8 && told() == 1);
	unregister_kprobe(&p);
	unregister_wprobe(&wp);
}

int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1) {
		take_memory();
		memset(memory, 1, 3 * PAGE);
		return 0;
	}
	child_case("K-WAT-22 K-WAT-33 forks", forks);
	child_case("K-WAT-33 a child with a stack of its own", a_stack_of_its_own);
	child_case("K-WAT-22 K-WAT-33 exec", an_exec);
	child_case("K-WAT-33 exec by a thread", an_exec_by_a_thread);
	child_case("K-WAT-32 threads end", threads_end);
	child_case("K-WAT-32 the first thread ends before the last", a_last_thread);
	child_case("K-WAT-28 another thread's stack", anothers_stack);
	child_case("K-WAT-34 an alternate stack", alternate_stack);
	child_case("K-WAT-34 a thread's stack", a_threads_stack);
	child_case("K-WAT-28 code", code);
	child_case("K-WAT-34 the mapping", unmapped);
	child_case("K-WAT-24 K-WAT-34 an object is unloaded", unloaded);
	child_case("K-WAT-34 the program's faults", own_faults);
	child_case("K-WAT-34 the program's faults on two pages", own_faults_across);
	child_case("K-WAT-34 handlers", handlers);
	child_case("K-WAT-34 the call is probed", a_call_is_probed);
	return live_failed;
}
