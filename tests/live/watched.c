/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * watched.c - watch probes in a process: threads, fork, exec, system calls, memory
 * that goes away, and what must not be disturbed.
 *
 * argv[1]: "again": executed by the test, with watched memory behind it; a number: so
 * many seconds of all of it at once.
 */
#include "live.h"

#include <dlfcn.h>
#include <dirent.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>

#include <kprobes/control.h>
#include <kprobes/watch.h>

#include "filter.h"

long watched_words[8] __attribute__((aligned(64)));
static long calls;
static struct kp_access last;
static unsigned long last_ip;

static void on_access(struct wprobe *wp, struct pt_regs *regs,
		      const struct kp_access *access)
{
	(void)wp;
	__atomic_fetch_add(&calls, 1, __ATOMIC_SEQ_CST);
	last = *access;
	last_ip = regs->ip;
}

static struct wprobe of(void *addr, unsigned long len, enum kp_watch_type type)
{
	struct wprobe wp = { .kp.addr = addr, .handler = on_access,
			     .type = type, .len = len };

	return wp;
}

__attribute__((noinline)) static void set(volatile long *at, long value)
{
	*at = value;
	__asm__ volatile("" ::: "memory");
}

/* Since the last time. */
static long told(void)
{
	return __atomic_exchange_n(&calls, 0, __ATOMIC_SEQ_CST);
}

/* ---- processes ---------------------------------------------------------------------- */

static void a_fork(void)
{
	struct wprobe wp = of(watched_words, 8, KP_WATCH_WRITE);
	int status;
	pid_t pid;

	NEED(!register_wprobe(&wp));
	pid = fork();
	if (!pid) {
		set(watched_words, 1);
		NEED(told() == 1);
		unregister_wprobe(&wp);
		set(watched_words, 2);
		NEED(!told());
		_exit(0);
	}
	NEED(waitpid(pid, &status, 0) == pid && !status);
	NEED(!told());
	set(watched_words, 3);
	NEED(told() == 1 && last.before == 0);
	unregister_wprobe(&wp);
}

static void an_exec(void)
{
	struct wprobe wp = of(watched_words, 32, KP_WATCH_RW);
	char self[] = "/proc/self/exe", arg[] = "again";

	NEED(!register_wprobe(&wp));
	execv(self, (char *[]){ self, arg, NULL });
	_exit(2);
}

static void an_end(void)
{
	struct wprobe *wp = calloc(1, sizeof(*wp));

	*wp = of(watched_words, 8, KP_WATCH_WRITE);
	NEED(!register_wprobe(wp));
	/* As main() does. */
	exit(0);
}

static void *sleep_a_little(void *arg)
{
	usleep(1000);
	return arg;
}

/* The thread that has the descriptors keeps no process. */
static void a_last_thread(void)
{
	struct wprobe *wp = calloc(1, sizeof(*wp));
	pthread_t thread;

	*wp = of(watched_words, 8, KP_WATCH_WRITE);
	NEED(!register_wprobe(wp));
	NEED(!pthread_create(&thread, NULL, sleep_a_little, NULL));
	pthread_exit(NULL);
}

static void nothing_to_see(void)
{
	struct wprobe wp = of(watched_words, 32, KP_WATCH_WRITE);
	int before = live_entries("fd"), i;

	for (i = 0; i < 3; i++) {
		NEED(!register_wprobe(&wp));
		NEED(live_entries("fd") == before);
		unregister_wprobe(&wp);
	}
}

/* Of all threads but the first: do any have root's rights, or capabilities? */
static bool any_rights(void)
{
	char path[300], line[256];
	struct dirent *entry;
	bool found = false;
	DIR *dir = opendir("/proc/self/task");
	int uid, threads = 0;
	FILE *file;

	while ((entry = readdir(dir))) {
		if (atoi(entry->d_name) <= 0 || atoi(entry->d_name) == getpid())
			continue;
		threads++;
		snprintf(path, sizeof(path), "/proc/self/task/%s/status",
			 entry->d_name);
		file = fopen(path, "r");
		while (file && fgets(line, sizeof(line), file)) {
			found |= sscanf(line, "Uid: %d", &uid) == 1 && !uid;
			found |= !strncmp(line, "CapPrm:", 7) &&
				 strspn(line + 7, "\t0\n") != strlen(line + 7);
		}
		if (file)
			fclose(file);
	}
	closedir(dir);
	NEED(threads == 1);
	return found;
}

/* The program cannot have a thread give up rights of which it does not know. */
static void no_rights(void)
{
	struct wprobe wp = of(watched_words, 8, KP_WATCH_WRITE);

	NEED(!register_wprobe(&wp));
	NEED(!any_rights());
	NEED(prctl(PR_GET_DUMPABLE) == 1);
	if (!geteuid())
		NEED(!setresuid(65534, 65534, 65534));
	set(watched_words, 1);
	NEED(told() == 1);
	unregister_wprobe(&wp);
}

/* ---- threads ----------------------------------------------------------------------- */

static int stop;

static void *add(void *arg)
{
	int i;

	for (i = 0; i < 100; i++)
		__atomic_fetch_add((long *)arg, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

static void *churn(void *arg)
{
	pthread_t thread;

	while (!__atomic_load_n(&stop, __ATOMIC_SEQ_CST))
		if (!pthread_create(&thread, NULL, add, arg))
			pthread_join(thread, NULL);
	return NULL;
}

static void come_and_go(void)
{
	struct wprobe wp = of(watched_words, 8, KP_WATCH_WRITE);
	pthread_t threads[4], churners[2];
	int i, j;

	for (i = 0; i < 2; i++)
		NEED(!pthread_create(&churners[i], NULL, churn,
				     &watched_words[6 + i]));
	for (j = 0; j < 40; j++) {
		wp.kp.flags = 0;
		NEED(!register_wprobe(&wp));
		for (i = 0; i < 4; i++)
			NEED(!pthread_create(&threads[i], NULL, add,
					     watched_words));
		for (i = 0; i < 4; i++)
			pthread_join(threads[i], NULL);
		NEED(told() == 400 && !wp.kp.nmissed);
		unregister_wprobe(&wp);
		add(watched_words);
		NEED(!told());
	}
	__atomic_store_n(&stop, 1, __ATOMIC_SEQ_CST);
	for (i = 0; i < 2; i++)
		pthread_join(churners[i], NULL);
}

/* Each change is told once; the values make a chain. */
static long chain_broken, chain_nr;

static void link_on(struct wprobe *wp, struct pt_regs *regs,
		    const struct kp_access *access)
{
	(void)wp;
	(void)regs;
	__atomic_fetch_add(&chain_nr, (long)(access->after - access->before),
			   __ATOMIC_SEQ_CST);
	if (access->after <= access->before)
		__atomic_fetch_add(&chain_broken, 1, __ATOMIC_SEQ_CST);
}

static void changes(void)
{
	struct wprobe wp = of(watched_words, 8, KP_WATCH_CHANGED);
	pthread_t threads[4];
	int i;

	wp.handler = link_on;
	NEED(!register_wprobe(&wp));
	for (i = 0; i < 4; i++)
		NEED(!pthread_create(&threads[i], NULL, add, watched_words));
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	NEED(chain_nr == 400 && !chain_broken);
	unregister_wprobe(&wp);
}

/*
 * Atomics of several threads on one word, each of which changes it.  What they did is known of
 * the instruction: so each is told, with a change that it can have made.
 */
#define AT_ONCE 3
#define EACH 150

enum atomic { COUNTS, TAKES, SWAPS, FLIPS, UP_AND_DOWN, ATOMICS };

static enum atomic atomic_op;
static int atomic_go, atomic_width;
static long atomic_told, atomic_wrong, atomic_sum;

static void each_atomic(struct wprobe *wp, struct pt_regs *regs,
			const struct kp_access *access)
{
	long by = (long)(access->after - access->before);

	(void)wp;
	(void)regs;
	if (atomic_width == 4)
		by = (int)by;
	__atomic_fetch_add(&atomic_told, 1, __ATOMIC_SEQ_CST);
	__atomic_fetch_add(&atomic_sum, by, __ATOMIC_SEQ_CST);
	if (!by || (atomic_op == COUNTS && by != 1) || (atomic_op == TAKES && by != 1) ||
	    (atomic_op == UP_AND_DOWN && by != 1 && by != -1))
		__atomic_fetch_add(&atomic_wrong, 1, __ATOMIC_SEQ_CST);
}

#define ON_WORD(type)							\
static void atomic_##type(type *at, int me, int i)			\
{									\
	type old = *at;							\
									\
	switch (atomic_op) {						\
	case COUNTS:							\
		__atomic_fetch_add(at, 1, __ATOMIC_SEQ_CST);		\
		break;							\
	case TAKES:							\
		while (!__atomic_compare_exchange_n(at, &old, old + 1, false,	\
						    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))	\
			;						\
		break;							\
	case SWAPS:							\
		__atomic_exchange_n(at, (type)(me * EACH + i + 1), __ATOMIC_SEQ_CST);	\
		break;							\
	case FLIPS:							\
		__atomic_fetch_xor(at, (type)1 << me, __ATOMIC_SEQ_CST);	\
		break;							\
	default:							\
		__atomic_fetch_add(at, me & 1 ? 1 : -1, __ATOMIC_SEQ_CST);	\
	}								\
}
ON_WORD(long)
ON_WORD(int)

static void *work_atomic(void *arg)
{
	int me = (int)(long)arg, i;

	while (!__atomic_load_n(&atomic_go, __ATOMIC_ACQUIRE))
		sched_yield();
	for (i = 0; i < EACH; i++) {
		if (atomic_width == 8)
			atomic_long(watched_words, me, i);
		else
			atomic_int((int *)watched_words, me, i);
	}
	return NULL;
}

static void all_at_once(void)
{
	struct wprobe wp = of(watched_words, (unsigned long)atomic_width, KP_WATCH_CHANGED);
	pthread_t threads[AT_ONCE];
	long i;

	memset(watched_words, 0, sizeof(watched_words));
	atomic_told = atomic_wrong = atomic_sum = atomic_go = 0;
	wp.handler = each_atomic;
	NEED(!register_wprobe(&wp));
	for (i = 0; i < AT_ONCE; i++)
		NEED(!pthread_create(&threads[i], NULL, work_atomic, (void *)i));
	__atomic_store_n(&atomic_go, 1, __ATOMIC_RELEASE);
	for (i = 0; i < AT_ONCE; i++)
		pthread_join(threads[i], NULL);
	unregister_wprobe(&wp);
	NEED(atomic_told + (long)wp.kp.nmissed == AT_ONCE * EACH);
	NEED(!atomic_wrong);
	if (atomic_op == COUNTS || atomic_op == TAKES)
		NEED(atomic_sum == AT_ONCE * EACH - (long)wp.kp.nmissed);
}

static void atomics(void)
{
#if defined(__x86_64__) || defined(__i386__)
	const int widest = sizeof(long);
#else
	const int widest = 0;		/* words are looked at */
#endif

	for (atomic_width = 4; atomic_width <= widest; atomic_width += 4)
		for (atomic_op = COUNTS; atomic_op < ATOMICS; atomic_op++)
			all_at_once();
}

/* ---- system calls ---------------------------------------------------------------------- */

/* Does the system show this program what the kernel does for it? */
static bool shown(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT, .size = sizeof(attr),
		.bp_type = HW_BREAKPOINT_W, .bp_len = 8,
		.bp_addr = (unsigned long)watched_words,
	};
	long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);

	if (fd >= 0)
		close((int)fd);
	return fd >= 0;
}

static void fill(long expected)
{
	struct wprobe wp = of(watched_words, 8, KP_WATCH_WRITE);
	int pipes[2];

	memset(watched_words, 0, sizeof(watched_words));
	NEED(!pipe(pipes));
	NEED(!register_wprobe(&wp));
	NEED(write(pipes[1], "abcdefgh", 8) == 8);
	NEED(!told());
	NEED(read(pipes[0], watched_words, 8) == 8);
	NEED(!memcmp(watched_words, "abcdefgh", 8));
	NEED(told() == expected);
	/* What was not told is known by the next time. */
	set(watched_words, 1);
	NEED(told() == 1 && last.after == 1);
	unregister_wprobe(&wp);
}

static void a_read(void)
{
	fill(shown());
}

static void a_users_read(void)
{
	if (!geteuid() && setresuid(65534, 65534, 65534))
		_exit(3);
	prctl(PR_SET_DUMPABLE, 1);
	fill(shown());
}

static void filtered(void)
{
	struct wprobe wp = of(watched_words, 8, KP_WATCH_WRITE);

	live_filter(SYS_perf_event_open, SECCOMP_RET_KILL_PROCESS);
	NEED(register_wprobe(&wp) == -EPERM && wp.kp.reason);
}

/* ---- memory ----------------------------------------------------------------------------- */

static void find_gone(void *arg, const char *line, size_t len)
{
	(void)len;
	*(int *)arg += strstr(line, "  w  ") && strstr(line, "[GONE]");
}

static void an_object(void)
{
	void *object = dlopen(live_beside("marked.so"), RTLD_NOW);
	struct wprobe wp = of(NULL, 0, KP_WATCH_WRITE);
	long *number;
	int gone = 0;

	NEED(object);
	number = dlsym(object, "so_number");
	wp.kp.symbol_name = "marked:so_number";
	NEED(!register_wprobe(&wp));
	set(number, 4);
	NEED(told() == 1 && last.after == 4);
	dlclose(object);
	NEED(wp.kp.flags & KPROBE_FLAG_GONE);
	kprobes_list(find_gone, &gone);
	NEED(gone == 1);
	NEED(disable_wprobe(&wp) == 0 && enable_wprobe(&wp) == -EINVAL);
	unregister_wprobe(&wp);
}

static void a_mapping(void)
{
	long *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *there;
	struct wprobe wp = of(page, 8, KP_WATCH_WRITE);

	NEED(!register_wprobe(&wp));
	set(page, 1);
	NEED(told() == 1);
	NEED(!munmap(page, 4096));
	/* The address is watched, whatever comes to be there. */
	NEED(mmap(page, 4096, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == page);
	set(page, 2);
	NEED(told() == 1);
	there = mremap(page, 4096, 8192, MREMAP_MAYMOVE);
	NEED(there != MAP_FAILED);
	set(there, 3);
	NEED(told() == (there == page));
	munmap(there, 8192);
	unregister_wprobe(&wp);
}

static void shared_memory(void)
{
	long *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct wprobe wp = of(page, 8, KP_WATCH_CHANGED);
	pid_t pid;

	pid = fork();
	if (!pid) {
		while (!__atomic_load_n(page + 1, __ATOMIC_SEQ_CST))
			usleep(100);
		set(page, 7);
		_exit(0);
	}
	NEED(!register_wprobe(&wp));
	set(page + 1, 1);
	NEED(waitpid(pid, NULL, 0) == pid);
	NEED(!told());
	/* Another process's change shows when this one writes. */
	set(page, 8);
	NEED(told() == 1 && last.before == 0 && last.after == 8);
	unregister_wprobe(&wp);
}

static void a_stack(void)
{
	volatile long local = 0;
	struct wprobe wp = of((void *)&local, 8, KP_WATCH_WRITE);

	NEED(!register_wprobe(&wp));
	set(&local, 5);
	NEED(told() == 1 && last.after == 5);
	unregister_wprobe(&wp);
}

static void odd_accesses(void)
{
	struct wprobe wp = of(&watched_words[2], 16, KP_WATCH_CHANGED);
	long pair[2] = { 0x1111, 0x2222 };

	NEED(!register_wprobe(&wp));
	__asm__ volatile("movups %1, %%xmm0; movups %%xmm0, %0"
			 : "=m"(*(long (*)[2])&watched_words[2]) : "m"(pair)
			 : "xmm0", "memory");
	NEED(told() == 2);
	__asm__ volatile("lock xaddq %0, %1" : "+r"(pair[0]),
			 "+m"(watched_words[2]) :: "memory");
	NEED(told() == 1 && last.after == 0x2222);
	/* Its last bytes only. */
	*(volatile long *)((char *)&watched_words[1] + 4) = 0x3333333344444444;
	__asm__ volatile("" ::: "memory");
	NEED(told() == 1 && last.addr == (unsigned long)&watched_words[2] &&
	     last.after == 0x33333333);
	memset(watched_words, 0x55, sizeof(watched_words));
	__asm__ volatile("" ::: "memory");
	NEED(told() >= 2 && watched_words[3] == 0x5555555555555555);
	unregister_wprobe(&wp);
}

/* The last bytes of a page, and the first ones of the next. */
static void across_pages(void)
{
	char *edge = (char *)mmap(NULL, 8192, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) + 4096;
	struct wprobe wp = of(edge - 8, 16, KP_WATCH_CHANGED);

	NEED(!register_wprobe(&wp));
	__asm__ volatile("pcmpeqd %%xmm0, %%xmm0; movups %%xmm0, (%0)"
			 :: "r"(edge - 8) : "xmm0", "memory");
	NEED(told() == 2);
	*(volatile long *)(void *)(edge - 3) = 0x0102030405060708;
	NEED(told() == 2);
	__atomic_fetch_add((long *)(void *)(edge - 4), 1l << 32 | 1, __ATOMIC_SEQ_CST);
	NEED(told() == 2);
	memset(edge - 64, 3, 128);
	__asm__ volatile("rep stosb" :: "D"(edge - 20), "c"(40l), "a"(7) : "memory");
	NEED(told() >= 2 && edge[-1] == 7 && edge[0] == 7);
	unregister_wprobe(&wp);
	munmap(edge - 4096, 8192);
}

/* Who executes does not read, and the engine's own writes are not told. */
static void probed_code(void)
{
	unsigned char *code = (unsigned char *)(unsigned long)live_target;
	struct wprobe wp = of((void *)((unsigned long)code & ~7ul), 8, KP_WATCH_RW);
	struct kprobe p = { .symbol_name = "live_target", .pre_handler = live_pre };
	long before = live_hits;
	int i;

	NEED(!register_wprobe(&wp));
	for (i = 0; i < 3; i++) {
		p = (struct kprobe){ .symbol_name = "live_target",
				     .pre_handler = live_pre };
		NEED(!register_kprobe(&p));
		live_target(1);
		kprobes_flush();
		live_target(1);
		unregister_kprobe(&p);
	}
	/* What it was, to the byte: the value has not changed. */
	kprobes_flush();
	NEED(live_hits == before + 6 && !told());
	__asm__ volatile("" :: "r"(*(volatile unsigned char *)code));
	NEED(told() == 1 && !last.written);
	unregister_wprobe(&wp);
}

/* What the engine itself writes whenever it is called. */
static void of_the_engines(void)
{
	struct wprobe wp = of(&errno, 4, KP_WATCH_RW);
	int i;

	NEED(!register_wprobe(&wp));
	for (i = 0; i < 10; i++)
		NEED(close(-1) == -1 && errno == EBADF);
	NEED(told() >= 20);
	unregister_wprobe(&wp);
}

/* ---- signals ------------------------------------------------------------------------------ */

static volatile int traps, alarms;

static void count(int sig)
{
	if (sig == SIGTRAP)
		traps++;
	else
		alarms++;
}

static void programs_traps(void)
{
	struct wprobe wp = of(watched_words, 8, KP_WATCH_WRITE);
	sigset_t set_;

	signal(SIGTRAP, count);
	NEED(!register_wprobe(&wp));
	raise(SIGTRAP);
	NEED(traps == 1);
	set(watched_words, 1);
	NEED(told() == 1 && traps == 1);
	sigfillset(&set_);
	sigprocmask(SIG_BLOCK, &set_, NULL);
	set(watched_words, 2);
	NEED(told() == 1 && !wp.kp.nmissed);
	raise(SIGTRAP);
	NEED(traps == 1);
	sigprocmask(SIG_UNBLOCK, &set_, NULL);
	NEED(traps == 2);
	unregister_wprobe(&wp);
}

static void interrupted(void)
{
	struct wprobe wp = of(watched_words, 8, KP_WATCH_WRITE);
	struct itimerval often = { { 0, 500 }, { 0, 500 } };
	int i;

	signal(SIGALRM, count);
	NEED(!register_wprobe(&wp));
	setitimer(ITIMER_REAL, &often, NULL);
	for (i = 0; i < 100000 && (alarms < 50 || i < 2000); i++)
		set(watched_words, i);
	memset(&often, 0, sizeof(often));
	setitimer(ITIMER_REAL, &often, NULL);
	NEED(told() == i && !wp.kp.nmissed && alarms);
	unregister_wprobe(&wp);
}

/* ---- all at once --------------------------------------------------------------------------- */

#define PROBES 6
#define EXACT 7				/* the word that one thread alone writes */
#define TURN 200			/* and how often, while it is watched */

static long turns_wanted, turns_done, exact_told, touched;
static int pipes[2];

static void on_exact(struct wprobe *wp, struct pt_regs *regs,
		     const struct kp_access *access)
{
	(void)wp;
	(void)regs;
	if (access->after == access->before + 1)
		__atomic_fetch_add(&exact_told, 1, __ATOMIC_SEQ_CST);
}

/* It touches what others watch. */
static void on_any(struct wprobe *wp, struct pt_regs *regs,
		   const struct kp_access *access)
{
	(void)wp;
	(void)regs;
	__atomic_fetch_add(&touched, access->size, __ATOMIC_SEQ_CST);
	watched_words[access->size & 3]++;
}

static void *exact(void *arg)
{
	int i;

	while (!__atomic_load_n(&stop, __ATOMIC_SEQ_CST)) {
		if (__atomic_load_n(&turns_wanted, __ATOMIC_SEQ_CST) == turns_done) {
			usleep(50);
			continue;
		}
		for (i = 0; i < TURN; i++)
			__atomic_fetch_add(&watched_words[EXACT], 1,
					   __ATOMIC_SEQ_CST);
		__atomic_fetch_add(&turns_done, 1, __ATOMIC_SEQ_CST);
	}
	return arg;
}

static void *scribble(void *arg)
{
	unsigned int seed = (unsigned int)(unsigned long)arg;

	while (!__atomic_load_n(&stop, __ATOMIC_SEQ_CST)) {
		long *at = &watched_words[rand_r(&seed) % 6];

		switch (rand_r(&seed) % 5) {
		case 0:
			set(at, rand_r(&seed));
			break;
		case 1:
			__atomic_fetch_add(at, 1, __ATOMIC_SEQ_CST);
			break;
		case 2:
			__asm__ volatile("movups %%xmm0, %0" : "=m"(*(long (*)[2])at)
					 :: "memory");
			break;
		case 3:
			if (write(pipes[1], "abcdefgh", 8) == 8 &&
			    read(pipes[0], at, 8) != 8)
				abort();
			break;
		default:
			__asm__ volatile("" :: "r"(*(volatile long *)at));
			live_target(1);
		}
	}
	return NULL;
}

static void turn(void)
{
	struct wprobe wp = of(&watched_words[EXACT], 8, KP_WATCH_WRITE);
	long wanted = turns_done + 1;

	wp.handler = on_exact;
	/* The others may have all registers. */
	if (register_wprobe(&wp))
		return;
	__atomic_store_n(&exact_told, 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&turns_wanted, wanted, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&turns_done, __ATOMIC_SEQ_CST) != wanted)
		usleep(50);
	NEED(exact_told == TURN && !wp.kp.nmissed);
	unregister_wprobe(&wp);
}

static void forked(void)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		set(watched_words, 1);
		_exit(0);
	}
	NEED(waitpid(pid, &status, 0) == pid && !status);
}

static void toss(struct wprobe *wps, struct kprobe *p, unsigned int *seed)
{
	static const enum kp_watch_type types[] = {
		KP_WATCH_WRITE, KP_WATCH_RW, KP_WATCH_CHANGED,
	};
	struct wprobe *wp = &wps[rand_r(seed) % PROBES];

	switch (rand_r(seed) % 8) {
	case 0: case 1: case 2:
		unregister_wprobe(wp);
		*wp = of((char *)watched_words + rand_r(seed) % 40,
			 1 + (unsigned int)rand_r(seed) % 24,
			 types[rand_r(seed) % 3]);
		wp->handler = on_any;
		register_wprobe(wp);
		break;
	case 3:
		disable_wprobe(wp);
		break;
	case 4:
		enable_wprobe(wp);
		break;
	case 5:
		unregister_kprobe(p);
		*p = (struct kprobe){ .symbol_name = "live_target",
				      .pre_handler = live_pre };
		NEED(!register_kprobe(p));
		break;
	case 6:
		if (!(rand_r(seed) % 8))
			forked();
		break;
	default:
		turn();
	}
}

static void nothing(void *arg, const char *line, size_t len)
{
	(void)len;
	printf("# left: %s", line);
	*(int *)arg += 1;
}

static void torture(int seconds, int rounds)
{
	static struct wprobe wps[PROBES];
	static struct kprobe p;
	unsigned char before[16];
	pthread_t threads[5];
	time_t end = time(NULL) + seconds;
	unsigned int seed = 1;
	int i, left = 0;

	memcpy(before, (void *)(unsigned long)live_target, sizeof(before));
	NEED(!pipe(pipes));
	for (i = 0; i < 3; i++)
		NEED(!pthread_create(&threads[i], NULL, scribble,
				     (void *)(unsigned long)(i + 1)));
	NEED(!pthread_create(&threads[3], NULL, exact, NULL));
	NEED(!pthread_create(&threads[4], NULL, churn, &watched_words[6]));
	for (i = 0; i < rounds || time(NULL) < end; i++)
		toss(wps, &p, &seed);
	for (i = 0; i < PROBES; i++)
		unregister_wprobe(&wps[i]);
	unregister_kprobe(&p);
	kprobes_flush();
	touched = 0;
	usleep(1000);
	NEED(!touched);
	__atomic_store_n(&stop, 1, __ATOMIC_SEQ_CST);
	for (i = 0; i < 5; i++)
		pthread_join(threads[i], NULL);
	kprobes_list(nothing, &left);
	NEED(!left);
	NEED(!memcmp(before, (void *)(unsigned long)live_target, sizeof(before)));
	printf("# %ld turns of %d accesses\n", turns_done, TURN);
	NEED(turns_done > 0);
}

static void tortured(void)
{
	torture(0, 300);
}

int main(int argc, char **argv)
{
	struct wprobe wp = of(watched_words, 8, KP_WATCH_WRITE);
	int err;

	if (argc > 1 && !strcmp(argv[1], "again")) {
		memset(watched_words, 1, sizeof(watched_words));
		return 0;
	}
	if (argc > 1) {
		torture(atoi(argv[1]), 0);
		printf("ok K-WAT-21 all at once\n");
		return 0;
	}
	err = register_wprobe(&wp);
	if (err == -EPERM || err == -EOPNOTSUPP) {
		printf("ok no debug registers are to be had # skip\n");
		return 0;
	}
	unregister_wprobe(&wp);
	child_case("K-WAT-22 a forked child is watched, too", a_fork);
	child_case("K-WAT-22 nothing is left after exec", an_exec);
	child_case("a watching process ends", an_end);
	child_case("a watching process ends with its last thread", a_last_thread);
	child_case("the program sees no descriptor", nothing_to_see);
	child_case("the thread that holds them has no rights", no_rights);
	child_case("K-WAT-21 threads come and go", come_and_go);
	child_case("K-WAT-21 each change is told once", changes);
	child_case("K-WAT-21 each change by atomics is told", atomics);
	child_case("K-WAT-23 what a system call writes", a_read);
	child_case("K-WAT-23 the same for an ordinary user", a_users_read);
	child_case("a filter of system calls", filtered);
	child_case("K-WAT-24 an object is unloaded", an_object);
	child_case("memory is unmapped and moved", a_mapping);
	child_case("shared memory", shared_memory);
	child_case("a stack", a_stack);
	child_case("vectors, atomic and unaligned accesses", odd_accesses);
	child_case("accesses across pages", across_pages);
	child_case("bytes that are probed code", probed_code);
	child_case("what the engine writes, too", of_the_engines);
	child_case("the program's own SIGTRAP", programs_traps);
	child_case("signals between", interrupted);
	child_case("K-WAT-21 all at once", tortured);
	return live_failed;
}
