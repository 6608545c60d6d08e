/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * victim.c - a program that is attached to, and notices if it is disturbed.
 *
 * Owns: threads of all kinds, named by the arguments:
 *   busy    works, allocates and frees; makes system calls now and then
 *   spin    only computes
 *   masks   blocks and unblocks all signals all the time
 *   blocked keeps all signals blocked, SIGTRAP too
 *   sleeps  one thread for each way to wait; none may end early or with EINTR
 *   naps    the same without those that Linux ends with EINTR after any stop
 *           (signal(7)), so where the command is killed before it mends that
 *   churn   makes threads that end at once
 *   mixes   computes in a function of many instructions
 *   calls   waits in a system call of its own, at victim_call
 *   within  waits in a function, victim_wait
 *   vforks  calls victim_target when that is probed, first in a vfork child
 *   users   sets its user again and again, which the C library has all threads do
 *   filter  has a seccomp filter that refuses a few calls
 *   dispatches  has a thread to which the kernel dispatches system calls, if it can
 *   sandboxed  has a thread with one that kills for what is not in a program's text
 *   deadly  has one that kills for a call that attaching makes
 *   only=N,N,...  has one that knows these calls only, and says what else was made
 *   units   calls with alignment checks on, exceptions unmasked and all vector
 *           registers full, instead of waiting for standard input
 *   handler has handlers for SIGTRAP, SIGSEGV and SIGUSR1 with full masks
 * With VICTIM_RESTS set busy, masks, churn and mixes sleep most of the time.
 * For each "m" on standard input its main thread makes a system call on its
 * mask, for another byte it looks at its handlers; before, for "c" it takes all
 * descriptors from 3 on for a file of its own, for "x" it closes them, and for
 * "r" it has the kernel refuse changes of text; for "b" it blocks SIGTRAP, for
 * "o" it opens it; for "s" it starts the library's service thread, as the
 * command does, for whom says the token 1, 2; it says "done" after these.
 * It says "ready" when all its threads have begun.
 * It runs until standard input ends, then says "fine", or what was wrong.
 */
#define _GNU_SOURCE
#include <cpuid.h>
#include <dlfcn.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "attach.h"

static atomic_int stop, wrong;
atomic_long rounds;			/* idle.py reads it */

static atomic_int beginning;		/* threads that are not in their loops yet */

static bool goes_on(void)
{
	static _Thread_local bool begun;

	if (!begun)
		beginning--;
	begun = true;
	return !stop;
}

static bool rests;

/* What computes all the time takes the processors from the command, and from other tests. */
static void rest(unsigned int each)
{
	static _Thread_local unsigned int n;

	if (rests && ++n % each == 0)
		usleep(1000);
}

static struct sigaction handlers[3];
static const int handled[3] = { SIGTRAP, SIGSEGV, SIGUSR1 };

static void complain(const char *what, long a, long b)
{
	/* The reader looks at the end: no more than the pipe takes. */
	if (wrong++ < 100)
		printf("wrong: %s %ld %ld (%s)\n", what, a, b,
		       strerror((int)b));
	fflush(stdout);
}

__attribute__((noinline)) long victim_target(long n)
{
	__asm__ volatile("" : "+r"(n));
	return 3 * n + 1;
}

static void call_target(void)
{
	static _Thread_local long n;

	n++;
	if (victim_target(n) != 3 * n + 1)
		complain("victim_target", n, 0);
	rounds++;
}

static void *busy(void *arg)
{
	(void)arg;
	while (goes_on()) {
		size_t len = 16 + (size_t)(rounds % 5000);
		char *p = malloc(len);

		memset(p, 0x5a, len);
		call_target();
		if (p[len - 1] != 0x5a)
			complain("memory", p[len - 1], 0);
		free(p);
		if (rounds % 64 == 0)
			getppid();
		rest(400);
	}
	return NULL;
}

static void *spin(void *arg)
{
	(void)arg;
	while (goes_on())
		call_target();
	return NULL;
}

static void *vforks(void *arg)
{
	const volatile unsigned char *text = (void *)victim_target;
	unsigned char first = *text;
	int status = 1;
	pid_t pid;

	(void)arg;
	while (goes_on() && *text == first)
		usleep(1000);
	pid = vfork();
	if (!pid) {
		victim_target(1);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	if (status)
		complain("vfork", status, 0);
	while (goes_on())
		call_target();
	return NULL;
}

static void *masks(void *arg)
{
	sigset_t all, old, now;

	(void)arg;
	sigfillset(&all);
	while (goes_on()) {
		pthread_sigmask(SIG_SETMASK, &all, &old);
		call_target();
		pthread_sigmask(SIG_SETMASK, &old, &now);
		if (!sigismember(&now, SIGTRAP) || sigismember(&old, SIGTRAP))
			complain("mask", sigismember(&now, SIGTRAP), 0);
		rest(400);
	}
	return NULL;
}

static void *blocked(void *arg)
{
	sigset_t all, now;

	(void)arg;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	while (goes_on()) {
		call_target();
		usleep(1000);
		pthread_sigmask(SIG_BLOCK, NULL, &now);
		if (!sigismember(&now, SIGTRAP) || !sigismember(&now, SIGINT))
			complain("blocked", sigismember(&now, SIGTRAP), 0);
	}
	return NULL;
}

static void *nothing(void *arg)
{
	return arg;
}

static void *churn(void *arg)
{
	pthread_t thread;
	int err;

	(void)arg;
	while (goes_on()) {
		err = pthread_create(&thread, NULL, nothing, NULL);
		if (err)
			complain("pthread_create", 0, err);
		else
			pthread_join(thread, NULL);
		call_target();
		rest(20);
	}
	return NULL;
}

__attribute__((noinline)) unsigned int victim_mix(unsigned int n)
{
	unsigned int i, sum = n;

	for (i = 0; i < 8; i++) {
		sum = sum * 2654435761u + (sum >> 13);
		if (sum & 64)
			sum ^= i << 5;
		sum += sum % 7;
	}
	return sum;
}

static void *mixes(void *arg)
{
	unsigned int first[64], i;

	/* Sooner than anybody attaches. */
	for (i = 0; i < 64; i++)
		first[i] = victim_mix(i);
	while (goes_on()) {
		i = (i + 1) % 64;
		if (victim_mix(i) != first[i])
			complain("victim_mix", (long)i, 0);
		rounds++;
		rest(400);
	}
	return arg;
}

static void *users(void *arg)
{
	uid_t uid = getuid();

	while (goes_on()) {
		if (setresuid(uid, uid, uid))
			complain("setresuid", (long)uid, errno);
		call_target();
		usleep(500);
	}
	return arg;
}

/* ---- ways to wait ---------------------------------------------------------------- */

#define SHORT_MS 300

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* result is wanted, after SHORT_MS at least. */
static void check(const char *what, double since, long result, long wanted,
		  int err)
{
	double ms = (now() - since) * 1000;

	if (result != wanted)
		complain(what, result, err);
	else if (ms < SHORT_MS - 2)
		complain(what, (long)ms, 0);
}

static int pair[2];

static void *by_poll(void *arg)
{
	(void)arg;
	while (goes_on()) {
		double since = now();
		long result = poll(NULL, 0, SHORT_MS);

		check("poll", since, result, 0, errno);
	}
	return NULL;
}

/* poll(NULL, 0, SHORT_MS); victim_call is its syscall instruction. */
static long call_poll(void)
{
	long result;

	__asm__ volatile(".globl victim_call\n"
			 ".type victim_call, @function\n"
			 "victim_call: syscall\n"
			 ".size victim_call, .-victim_call"
			 : "=a"(result)
			 : "a"(7l), "D"(0l), "S"(0l), "d"((long)SHORT_MS)
			 : "rcx", "r11", "memory");
	return result;
}

static void *calls(void *arg)
{
	while (goes_on()) {
		double since = now();
		long result = call_poll();

		/* Where there is a handler, it is interrupted by it. */
		if (result != -EINTR || !handlers[2].sa_handler)
			check("victim_call", since, result, 0, (int)-result);
		rounds++;
	}
	return arg;
}

__attribute__((noinline)) long victim_wait(long ms)
{
	return poll(NULL, 0, (int)ms) + ms;
}

static void *within(void *arg)
{
	while (goes_on()) {
		double since = now();

		check("victim_wait", since, victim_wait(SHORT_MS), SHORT_MS,
		      errno);
		rounds++;
	}
	return arg;
}

static void *by_nanosleep(void *arg)
{
	struct timespec ts = { 0, SHORT_MS * 1000000l };

	(void)arg;
	while (goes_on()) {
		double since = now();
		long result = nanosleep(&ts, NULL);

		check("nanosleep", since, result, 0, errno);
	}
	return NULL;
}

static void *by_select(void *arg)
{
	(void)arg;
	while (goes_on()) {
		struct timeval tv = { 0, SHORT_MS * 1000 };
		double since = now();
		long result = select(0, NULL, NULL, NULL, &tv);

		check("select", since, result, 0, errno);
	}
	return NULL;
}

static void *by_epoll(void *arg)
{
	struct epoll_event event;
	int fd = epoll_create1(0);

	(void)arg;
	while (goes_on()) {
		double since = now();
		long result = epoll_wait(fd, &event, 1, SHORT_MS);

		check("epoll_wait", since, result, 0, errno);
	}
	return NULL;
}

static void *by_sigwait(void *arg)
{
	struct timespec ts = { 0, SHORT_MS * 1000000l };
	sigset_t set;

	(void)arg;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	while (goes_on()) {
		double since = now();
		long result = sigtimedwait(&set, NULL, &ts);

		if (result == -1 && errno == EAGAIN)
			result = 0;
		check("sigtimedwait", since, result, 0, errno);
	}
	return NULL;
}

static void *by_receive(void *arg)
{
	struct timeval tv = { 0, SHORT_MS * 1000 };
	char byte;

	(void)arg;
	setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	while (goes_on()) {
		double since = now();
		long result = recv(pair[0], &byte, 1, 0);

		if (result == -1 && errno == EAGAIN)
			result = 0;
		check("recv", since, result, 0, errno);
	}
	return NULL;
}

static void *by_semaphore(void *arg)
{
	sem_t sem;

	(void)arg;
	sem_init(&sem, 0, 0);
	while (goes_on()) {
		struct timespec ts;
		double since = now();
		long result;

		clock_gettime(CLOCK_REALTIME, &ts);
		ts.tv_nsec += SHORT_MS * 1000000l;
		if (ts.tv_nsec >= 1000000000l) {
			ts.tv_sec++;
			ts.tv_nsec -= 1000000000l;
		}
		result = sem_timedwait(&sem, &ts);
		if (result == -1 && errno == ETIMEDOUT)
			result = 0;
		check("sem_timedwait", since, result, 0, errno);
	}
	return NULL;
}

/* ---- all ------------------------------------------------------------------------- */

static void on_signal(int sig)
{
	if (sig == SIGUSR1)
		usleep(SHORT_MS * 1000);
}


static void install(void)
{
	int i;

	for (i = 0; i < 3; i++) {
		struct sigaction act = { .sa_handler = on_signal };

		sigfillset(&act.sa_mask);
		sigaction(handled[i], &act, NULL);
	}
}

static void check_handlers(void)
{
	struct sigaction act;
	int i;

	for (i = 0; i < 3; i++) {
		sigaction(handled[i], NULL, &act);
		if (act.sa_handler != handlers[i].sa_handler ||
		    act.sa_flags != handlers[i].sa_flags ||
		    memcmp(&act.sa_mask, &handlers[i].sa_mask, 8))
			complain("sigaction", handled[i], 0);
	}
}

/*
 * One verdict for the calls, another for all others.  Apart, as what else is
 * large: main's frame must be small where it only computes, so that nothing is
 * left in it that points into the C library.
 */
static __attribute__((noinline)) void
filter_calls(const unsigned int *calls, unsigned char nr,
	     unsigned int verdict, unsigned int others, unsigned int flags)
{
	struct sock_filter code[256] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
	}, *end = code + 1;
	struct sock_fprog program = { 0, code };
	unsigned char i;

	for (i = 0; i < nr; i++)
		*end++ = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, calls[i],
			(unsigned char)(nr - i), 0);
	*end++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, others);
	*end++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, verdict);
	program.len = (unsigned short)(end - code);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program))
		complain("seccomp", 0, errno);
}

static void filter(unsigned int call, unsigned int verdict)
{
	filter_calls(&call, 1, verdict, SECCOMP_RET_ALLOW, SECCOMP_FILTER_FLAG_TSYNC);
}

/* A worker of a server that sandboxes its threads one by one. */
static void *sandboxed(void *arg)
{
	const unsigned int call = SYS_gettid;

	filter_calls(&call, 1, SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_ALLOW, 0);
	return spin(arg);
}

/* All are allowed as yet. */
static void *dispatches(void *arg)
{
	static char selector;

	if (prctl(59 /* PR_SET_SYSCALL_USER_DISPATCH */, 1, 0, 0, &selector))
		complain("dispatch", 0, errno);
	return spin(arg);
}

#define NUMBERS 200

static void take_descriptors(void)
{
	int i, fd = memfd_create("victim", 0);

	for (i = 3; i < NUMBERS; i++)
		if (i != fd && dup2(fd, i) != i)
			complain("dup2", i, errno);
}

static void check_descriptors(void)
{
	struct stat st;
	int i;

	for (i = 3; i < NUMBERS; i++)
		if (fstat(i, &st) || st.st_size)
			complain("descriptor", i, errno);
}

static void trap_mask(int how)
{
	sigset_t trap;

	sigemptyset(&trap);
	sigaddset(&trap, SIGTRAP);
	pthread_sigmask(how, &trap, NULL);
}

/* KPROBES_LIBRARY names the library that is loaded. */
static void serve(void)
{
	static struct kp_mailbox mailbox = { .token = { 1, 2 } };
	void *library = dlopen(getenv("KPROBES_LIBRARY"), RTLD_NOW | RTLD_NOLOAD);
	struct kp_attach_surface *surface = library ?
		dlsym(library, "kp_attach") : NULL;

	if (surface)
		surface->serve(&mailbox);
	else
		complain("dlsym", 0, 0);
}

static void obey(char byte)
{
	static int taken;

	if (byte == 'c') {
		take_descriptors();
		taken = 1;
	} else if (byte == 'x') {
		closefrom(3);
	} else if (byte == 'r') {
		filter(SYS_pwrite64, SECCOMP_RET_ERRNO | EPERM);
		filter(SYS_mprotect, SECCOMP_RET_ERRNO | EPERM);
	} else if (byte == 'b' || byte == 'o') {
		trap_mask(byte == 'b' ? SIG_BLOCK : SIG_UNBLOCK);
	} else if (byte == 's') {
		serve();
	}
	if (taken)
		check_descriptors();
	check_handlers();
	if (byte && strchr("cxrbos", byte)) {
		puts("done");
		fflush(stdout);
	}
}

static void on_other_call(int sig, siginfo_t *info, void *context)
{
	static const char text[] = "wrong: another system call: ";
	char number[4] = "000\n";
	int i, call = info->si_syscall;

	(void)sig;
	((ucontext_t *)context)->uc_mcontext.gregs[REG_RAX] = -ENOSYS;
	for (i = 2; i >= 0; i--, call /= 10)
		number[i] = (char)('0' + call % 10);
	wrong++;
	if (write(1, text, sizeof(text) - 1) < 0 || write(1, number, 4) < 0)
		_exit(1);
}

static __attribute__((noinline)) void filter_others(const char *list)
{
	struct sigaction act = { .sa_sigaction = on_other_call,
				 .sa_flags = SA_SIGINFO };
	unsigned int calls[250];
	unsigned char nr = 0;
	char *end;

	for (; nr < 250 && *list; list = end + (*end == ','))
		calls[nr++] = (unsigned int)strtoul(list, &end, 10);
	sigaction(SIGSYS, &act, NULL);
	filter_calls(calls, nr, SECCOMP_RET_ALLOW, SECCOMP_RET_TRAP,
		     SECCOMP_FILTER_FLAG_TSYNC);
}

/* ---- all of the processor's state -------------------------------------------------- */

#define STATE_LEN 4096
static unsigned char pattern[STATE_LEN] __attribute__((aligned(64)));
static unsigned char state[STATE_LEN] __attribute__((aligned(64)));
static unsigned int state_mask, state_len = 512;
static bool units;

static void fill_state(unsigned int at, unsigned int len)
{
	state_len = at + len > state_len ? at + len : state_len;
	while (len--)
		pattern[at + len] = (unsigned char)((at + len) * 7 + len / 64);
}

/* x87, SSE, AVX, masks, ZMM, as far as there are any. */
static void find_units(void)
{
	unsigned int a, b, c, d, i;

	__asm__("fninit; fld1; fldpi; fldl2e; fxsave64 %0; fninit"
		: "=m"(pattern));
	memset(pattern + 416, 0, sizeof(pattern) - 416);
	fill_state(160, 256);
	if (__get_cpuid(1, &a, &b, &c, &d) && c & 1u << 27) {
		__asm__ volatile("xgetbv" : "=a"(state_mask), "=d"(d) : "c"(0));
		state_mask &= 0xe7;
	}
	for (i = 2; i < 8; i++)
		if (state_mask & 1u << i) {
			__cpuid_count(13, i, a, b, c, d);
			fill_state(b, a);
		}
	memcpy(pattern + 512, &state_mask, sizeof(state_mask));
	/* All exceptions, upwards, single precision. */
	memcpy(pattern, "\x40\x08", 2);
	memcpy(pattern + 24, "\0\x40\0\0", 4);
}

static long call_full(long *flags)
{
	static const unsigned int usual = 0x1f80;
	long result = SYS_getppid;

	if (state_mask)
		__asm__ volatile("xrstor64 %0" :: "m"(pattern), "a"(state_mask),
				 "d"(0));
	else
		__asm__ volatile("fxrstor64 %0" :: "m"(pattern));
	/* AC, ID and DF. */
	__asm__ volatile("sub $128, %%rsp; pushq $0x240602; popfq; syscall;"
			 "pushfq; pop %1; pushq $0x202; popfq; add $128, %%rsp"
			 : "+a"(result), "=&r"(*flags)
			 :: "rcx", "r11", "memory", "cc");
	if (state_mask)
		__asm__ volatile("xsave64 %0" : "+m"(state)
				 : "a"(state_mask), "d"(0));
	else
		__asm__ volatile("fxsave64 %0" : "+m"(state));
	__asm__ volatile("fninit; ldmxcsr %0" :: "m"(usual));
	return result;
}

/* Is that byte the program's, rather than reserved or of the last instruction? */
static bool counts(unsigned int i)
{
	return i < 6 || (i >= 24 && i < 28) || (i >= 32 && i < 416) ||
	       i >= 576;
}

static void call_units(void)
{
	long parent = getppid(), flags, result;
	unsigned int i;
	int n;

	for (n = 0; n < 200; n++) {
		result = call_full(&flags);
		if (result != parent)
			complain("getppid", result, 0);
		if ((flags & 0x240400) != 0x240400)
			complain("flags", flags, 0);
		for (i = 0; i < state_len; i++)
			if (counts(i) && state[i] != pattern[i]) {
				complain("state", (long)i, 0);
				break;
			}
	}
	rounds++;
}

/* The next byte of standard input; false: it has ended. */
static bool next_byte(char *byte)
{
	struct pollfd input = { .fd = 0, .events = POLLIN };

	while (units && !poll(&input, 1, 0))
		call_units();
	return read(0, byte, 1) == 1;
}

static void begin(void *(*fn)(void *))
{
	pthread_t thread;
	int err;

	beginning++;
	err = pthread_create(&thread, NULL, fn, NULL);
	if (!err)
		return;
	complain("pthread_create", 0, err);
	beginning--;
}

/* All that it does before it waits or works is done. */
static __attribute__((noinline)) void say_ready(void)
{
	int i;

	while (beginning)
		usleep(1000);
	for (i = 0; i < 3; i++)
		sigaction(handled[i], NULL, &handlers[i]);
	printf("ready\n");
	fflush(stdout);
}

static void begin_named(const char *name)
{
	static void *(*const waits[])(void *) = {
		by_poll, by_nanosleep, by_select, by_semaphore,
		by_epoll, by_sigwait, by_receive,
	};
	size_t i, nr = sizeof(waits) / sizeof(waits[0]);

	if (!strcmp(name, "busy"))
		begin(busy);
	else if (!strcmp(name, "spin"))
		begin(spin);
	else if (!strcmp(name, "vforks"))
		begin(vforks);
	else if (!strcmp(name, "masks"))
		begin(masks);
	else if (!strcmp(name, "blocked"))
		begin(blocked);
	else if (!strcmp(name, "churn"))
		begin(churn);
	else if (!strcmp(name, "mixes"))
		begin(mixes);
	else if (!strcmp(name, "calls"))
		begin(calls);
	else if (!strcmp(name, "within"))
		begin(within);
	else if (!strcmp(name, "users"))
		begin(users);
	else if (!strcmp(name, "filter"))
		filter(SYS_personality, SECCOMP_RET_ERRNO | 1);
	else if (!strcmp(name, "dispatches"))
		begin(dispatches);
	else if (!strcmp(name, "sandboxed"))
		begin(sandboxed);
	else if (!strcmp(name, "deadly"))
		filter(SYS_socketpair, SECCOMP_RET_KILL_PROCESS);
	else if (!strncmp(name, "only=", 5))
		filter_others(name + 5);
	else if (!strcmp(name, "units"))
		units = true;
	else if (!strcmp(name, "handler"))
		install();
	else if (!strcmp(name, "sleeps") || !strcmp(name, "naps"))
		for (i = 0; i < (name[0] == 'n' ? 4 : nr); i++)
			begin(waits[i]);
	else if (!strcmp(name, "alone"))	/* no thread: main computes */
		for (say_ready();;)
			call_target();
}

static __attribute__((noinline)) int run(int argc, char **argv)
{
	sigset_t mask;
	char byte;
	int i;

	socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
	rests = getenv("VICTIM_RESTS");
	for (i = 1; i < argc; i++)
		begin_named(argv[i]);
	if (units)
		find_units();
	say_ready();
	while (next_byte(&byte))
		if (byte == 'm')
			pthread_sigmask(SIG_BLOCK, NULL, &mask);
		else
			obey(byte);
	stop = 1;
	obey(0);
	usleep(100000);
	printf("%s rounds %ld\n", wrong ? "bad" : "fine", (long)rounds);
	return wrong != 0;
}

/*
 * Of what the linker left where frames will be: in one that only computes it would be taken
 * for where it was called from, and nobody would be borrowed.
 */
static __attribute__((noinline)) void clear_stack(void)
{
	volatile char room[1 << 16];

	memset((void *)room, 0, sizeof(room));
	__asm__ volatile("" : : "r"(room) : "memory");
}

int main(int argc, char **argv)
{
	clear_stack();
	return run(argc, argv);
}
