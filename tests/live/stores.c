/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * stores.c - memory that is watched by its pages, all at once: threads that write with
 * every kind of instruction and by system calls, signals, forks, mappings that change,
 * and probes that come and go on all of it.
 *
 * What is written must be there: each worker has bytes of its own in every page and
 * knows what they are.  What is told must be exact, where a probe stays: all workers
 * stop now and then, and are compared with it.  At the end protections and text are
 * what they were.
 *
 * argv: seconds, and a seed.
 */
#include "live.h"

#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>

#include <kprobes/control.h>
#include <kprobes/watch.h>

#include "forms.h"
#include "processor.h"
#include "text.h"

#define PAGE 4096ul
#define WORKERS 4
#define ARENA 8				/* pages, of workers and, the last one, of handlers */
#define PROBES 12
#define OWN 512				/* bytes of a worker, at each multiple of 2048 */
#define STEADY 192			/* bytes, on two pages */

static char *arena, *steady, *moving;
static char in_bss[3 * PAGE] __attribute__((aligned(4096)));
static char *in_heap;

static struct worker {
	pthread_t thread;
	int nr, pipe[2];
	unsigned int seed;
	long steady;			/* so many writes to that */
	long rounds;
	bool rests;
	char other[OWN] __attribute__((aligned(64)));	/* that nobody watches */
} workers[WORKERS];
static long rest, stop, signals_done;

/* ---- what workers do ------------------------------------------------------------------- */

/* One of its places: in the arena, also across pages, in .bss, and in the heap. */
static char *place(struct worker *w)
{
	unsigned int i = (unsigned int)rand_r(&w->seed) % (2 * ARENA - 2 + 2);

	if (i == 2 * ARENA - 2)
		return in_bss + PAGE - 1024 + OWN * w->nr;
	if (i == 2 * ARENA - 1)
		return in_heap + OWN * w->nr;
	return arena + 2048 * i + 1024 + OWN * w->nr;
}

static void by_an_instruction(struct worker *w)
{
	long nr = __stop_forms - __start_forms;
	const struct form *form = &__start_forms[rand_r(&w->seed) % nr];
	char *here = place(w) + 128 + rand_r(&w->seed) % 64;
	char *there = w->other + 128 + (unsigned long)here % 64;
	struct state shared, start, one, two;
	unsigned char *bytes = (unsigned char *)&start;
	unsigned int i;

	if (form_is_strict(form))
		here -= (unsigned long)here % 16, there -= (unsigned long)there % 16;
	if (!form_is_known(form))
		return;
	for (i = 0; i < sizeof(start); i++)
		bytes[i] = (unsigned char)rand_r(&w->seed);
	start.flags = (unsigned long)rand_r(&w->seed) & FORM_FLAGS;
	for (i = 0; i < 200; i++)
		there[(long)i - 40] = (char)rand_r(&w->seed);
	memcpy(here - 40, there - 40, 200);
	one = two = start;
	form_run(form, &shared, there, &one);
	form_run(form, &shared, here, &two);
	if (memcmp(&one, &two, sizeof(one)) || memcmp(there - 40, here - 40, 200)) {
		printf("# %s at %p: flags %lx %lx, ax %lx %lx, memory %d, at %ld\n",
		       form->text, (void *)here, one.flags, two.flags, one.ax, two.ax,
		       memcmp(there - 40, here - 40, 200), (long)(two.di - one.di));
		NEED(0);
	}
}

/* An instruction with a probe on it, at times. */
void stores_count(long *at);
__asm__(".pushsection .text\n"
	".globl stores_count\n"
	".type stores_count, @function\n"
	"stores_count:\n"
	"	" STORES_ARGUMENT "\n"
	".globl stores_count_insn\n"
	"stores_count_insn:\n"
	"	" STORES_COUNT "\n"
	"	ret\n"
	".size stores_count, . - stores_count\n"
	".popsection\n");

static void to_steady(struct worker *w)
{
	int i, nr = rand_r(&w->seed) % 20;

	for (i = 0; i < nr; i++)
		switch (rand_r(&w->seed) % 4) {
		case 0:
			stores_count((long *)(void *)steady);
			break;
		case 1:
			__atomic_fetch_add((long *)(void *)(steady + STEADY - 8), 1,
					   __ATOMIC_SEQ_CST);
			break;
		case 2:
			((volatile char *)steady)[8 + w->nr]++;
			break;
		default:
			__asm__ volatile("movups %%xmm0, (%0)"
					 :: "r"(steady + STEADY - 80 + 16 * w->nr) : "memory");
		}
	w->steady += nr;
}

static void by_a_call(struct worker *w)
{
	char *here = place(w) + 8;
	struct iovec vectors[2] = { { here, 5 }, { here + 100, 20 } };
	unsigned int len = 1 + (unsigned int)rand_r(&w->seed) % 400;
	char pattern[400];
	struct timespec *time_ = (struct timespec *)(void *)here;
	sigset_t usr1;

	/* One that holds up a call may cost it EFAULT (docs/watching.md). */
	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &usr1, NULL);
	memset(pattern, rand_r(&w->seed), sizeof(pattern));
	switch (rand_r(&w->seed) % 4) {
	case 0:
		NEED(write(w->pipe[1], pattern, len) == (long)len);
		NEED(read(w->pipe[0], here, len) == (long)len);
		NEED(!memcmp(here, pattern, len));
		break;
	case 1:
		NEED(write(w->pipe[1], pattern, 25) == 25);
		NEED(readv(w->pipe[0], vectors, 2) == 25);
		NEED(!memcmp(here, pattern, 5) && !memcmp(here + 100, pattern, 20));
		break;
	case 2:
		time_->tv_nsec = -1;
		NEED(!syscall(SYS_clock_gettime, CLOCK_MONOTONIC, time_));
		NEED(time_->tv_nsec >= 0 && time_->tv_nsec < 1000000000);
		break;
	default:
		NEED(!pipe((int *)(void *)here));
		NEED(!close(((int *)(void *)here)[0]) && !close(((int *)(void *)here)[1]));
	}
	pthread_sigmask(SIG_UNBLOCK, &usr1, NULL);
}

static void *work(void *arg)
{
	struct worker *w = arg;

	while (!__atomic_load_n(&stop, __ATOMIC_SEQ_CST)) {
		if (__atomic_load_n(&rest, __ATOMIC_SEQ_CST)) {
			__atomic_store_n(&w->rests, true, __ATOMIC_SEQ_CST);
			usleep(100);
			continue;
		}
		__atomic_store_n(&w->rests, false, __ATOMIC_SEQ_CST);
		/* It was told to rest in between. */
		if (__atomic_load_n(&rest, __ATOMIC_SEQ_CST))
			continue;
		switch (rand_r(&w->seed) % 8) {
		case 0:
			by_a_call(w);
			break;
		case 1: case 2: case 3:
			to_steady(w);
			break;
		default:
			by_an_instruction(w);
			live_target(1);
		}
		/* Who tosses wants to get on, too. */
		if (++w->rounds % 32 == 0)
			usleep(100);
	}
	return NULL;
}

/* A signal's handler, in the middle of that. */
static void on_signal(int sig)
{
	char *own = arena + PAGE * (ARENA - 1) + 2048;

	(void)sig;
	__atomic_fetch_add((long *)(void *)own, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, own + 64);
	__atomic_fetch_add(&signals_done, 1, __ATOMIC_SEQ_CST);
}

/* ---- a mapping that changes ------------------------------------------------------------- */

#define MOVING 6			/* pages, and as many more to move them to */
#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif
#define AWAY (MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP)

/* Memory that is there for a while; the lock: it is the mapper's. */
static char *passing;
static pthread_mutex_t passes = PTHREAD_MUTEX_INITIALIZER;

static void pass(char *memory)
{
	pthread_mutex_lock(&passes);
	passing = memory;
	pthread_mutex_unlock(&passes);
}

static void check_moving(int value)
{
	int i;

	for (i = 0; i < MOVING; i++) {
		volatile char *page = moving + PAGE * (unsigned int)i;

		page[1024] = (char)value;
		page[4095]++;
		NEED(page[1024] == (char)value);
	}
}

static void change_mapping(unsigned int *seed)
{
	unsigned long at = PAGE * (unsigned int)(rand_r(seed) % MOVING);
	unsigned long len = PAGE * (1 + (unsigned int)rand_r(seed) % (MOVING - at / PAGE));
	char *there;

	switch (rand_r(seed) % 4) {
	case 0:
		NEED(mmap(moving + at, len, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == moving + at);
		NEED(!moving[at] && !moving[at + 1024]);
		break;
	case 1:
		NEED(!mprotect(moving + at, len, PROT_READ));
		NEED(!mprotect(moving + at, len, PROT_READ | PROT_WRITE));
		break;
	case 2:
		NEED(!madvise(moving + at, len, MADV_DONTNEED));
		NEED(!moving[at] && !moving[at + 1024]);
		break;
	default:
		/* Nobody else may get what would be free between. */
		moving[at] = 77;
		there = mremap(moving + at, len, len, AWAY, moving + MOVING * PAGE);
		NEED(there == moving + MOVING * PAGE && *there == 77 && !moving[at]);
		*(volatile char *)there = 78;
		NEED(mremap(there, len, len, AWAY, moving + at) == moving + at);
		NEED(moving[at] == 78 && !*there);
	}
}

static void come_and_go(void)
{
	char *all = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	NEED(all != MAP_FAILED);
	pass(all);
	all[100] = 1;
	usleep(100);
	all[100]++;
	pass(NULL);
	all = mremap(all, 4 * PAGE, 6 * PAGE, MREMAP_MAYMOVE);
	NEED(all != MAP_FAILED);
	NEED(all[100] == 2);
	pass(all);
	all[3 * PAGE] = 3;
	usleep(100);
	NEED(++all[3 * PAGE] == 4 && all[100] == 2);
	pass(NULL);
	NEED(!munmap(all, 6 * PAGE));
}

static void *mapper(void *arg)
{
	unsigned int seed = (unsigned int)(unsigned long)arg;

	while (!__atomic_load_n(&stop, __ATOMIC_SEQ_CST)) {
		change_mapping(&seed);
		check_moving(rand_r(&seed));
		come_and_go();
	}
	return NULL;
}

/* ---- children --------------------------------------------------------------------------------- */

static struct wprobe wps[PROBES], writes, changes;
static struct kprobe on_counting;
static long told, chain, any;

static void ended(pid_t pid)
{
	int status;

	NEED(pid > 0 && waitpid(pid, &status, 0) == pid);
	if (status)
		printf("# a child: %s\n", status_text(status));
	NEED(!status);
}

static void forked(unsigned int kind)
{
	char *args[] = { "/bin/true", NULL };
	pid_t pid;

	switch (kind) {
	case 0:
		NEED(!posix_spawn(&pid, args[0], NULL, NULL, args, args + 1));
		ended(pid);
		return;
	case 1:
		pid = vfork();
		if (!pid) {
			*(volatile char *)arena = 1;
			execv(args[0], args);
			_exit(1);
		}
		ended(pid);
		return;
	}
	pid = kind == 2 ? (pid_t)syscall(SYS_fork) : fork();
	if (!pid) {
		long was = __atomic_load_n((long *)(void *)steady, __ATOMIC_SEQ_CST);

		alarm(LIVE_PATIENCE);
		stores_count((long *)(void *)steady);
		NEED(*(volatile long *)(void *)steady == was + 1);
		memset(arena, 5, ARENA * PAGE);
		NEED(arena[5] == 5 && arena[PAGE * ARENA - 1] == 5);
		if (kind == 3)
			execv(args[0], args);
		unregister_wprobe(&writes);
		stores_count((long *)(void *)steady);
		NEED(*(volatile long *)(void *)steady == was + 2);
		_exit(0);
	}
	ended(pid);
}

/* ---- probes -------------------------------------------------------------------------------- */

static void on_any(struct wprobe *wp, struct pt_regs *regs,
		   const struct kp_access *access)
{
	(void)regs;
	/* It was looked for among all, also with what lay there before. */
	if (access->addr < (unsigned long)wp->kp.addr ||
	    access->addr + access->size > (unsigned long)wp->kp.addr + wp->len)
		abort();
	__atomic_fetch_add(&any, 1, __ATOMIC_SEQ_CST);
}

static void on_steady(struct wprobe *wp, struct pt_regs *regs,
		      const struct kp_access *access)
{
	(void)wp;
	(void)regs;
	(void)access;
	__atomic_fetch_add(&told, 1, __ATOMIC_SEQ_CST);
}

static void on_change(struct wprobe *wp, struct pt_regs *regs,
		      const struct kp_access *access)
{
	(void)wp;
	(void)regs;
	/* The first word is only counted up. */
	if (access->addr < (unsigned long)steady + 8)
		__atomic_fetch_add(&chain, 1, __ATOMIC_SEQ_CST);
}

static struct wprobe on_steady_memory(enum kp_watch_type type)
{
	return (struct wprobe){ .kp.addr = (kprobe_opcode_t *)steady, .len = STEADY,
				.type = type, .handler = type == KP_WATCH_WRITE
							 ? on_steady : on_change };
}

static struct wprobe somewhere(unsigned int *seed)
{
	char *at;
	unsigned long len = 16, room;

	switch (rand_r(seed) % 6) {
	case 0:
		at = moving, room = 2 * MOVING * PAGE;
		break;
	case 5:
		at = passing ? passing : arena, room = 3 * PAGE;
		break;
	case 1:
		at = in_bss, room = sizeof(in_bss);
		break;
	case 2:
		at = in_heap, room = 4 * OWN;
		break;
	case 3:
		/* Beside the steady ones. */
		at = steady + STEADY, room = 1024;
		break;
	default:
		at = arena, room = ARENA * PAGE;
	}
	at += (unsigned long)rand_r(seed) % (room - 16);
	len += (unsigned long)rand_r(seed) % (rand_r(seed) % 4 ? 200 : 3 * PAGE);
	return (struct wprobe){ .kp.addr = (kprobe_opcode_t *)at, .len = len, .handler = on_any,
		.type = rand_r(seed) % 2 ? KP_WATCH_WRITE : KP_WATCH_CHANGED,
		.kp.flags = rand_r(seed) % 4 ? 0 : KPROBE_FLAG_DISABLED };
}

/* Registered disabled, or disabled, it may be anybody's memory by then. */
static bool stays(const struct wprobe *wp)
{
	char *at = (char *)wp->kp.addr;

	return (at >= arena && at < arena + ARENA * PAGE) ||
	       (at >= moving && at < moving + 2 * MOVING * PAGE) ||
	       (at >= in_bss && at < in_bss + sizeof(in_bss));
}

static void watch_somewhere(struct wprobe *wp, unsigned int *seed)
{
	pthread_mutex_lock(&passes);
	*wp = somewhere(seed);
	register_wprobe(wp);
	pthread_mutex_unlock(&passes);
}

static void nothing(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	(void)p;
	(void)regs;
	(void)flags;
}

/* On the code that writes, by jump or by breakpoint. */
static void on_code(struct kprobe *p, unsigned int *seed)
{
	unregister_kprobe(p);
	*p = (struct kprobe){ .symbol_name = rand_r(seed) % 2 ? "stores_count"
							    : "stores_count_insn",
			      .pre_handler = live_pre,
			      .post_handler = rand_r(seed) % 2 ? nothing : NULL };
	NEED(!register_kprobe(p));
}

static void batch(unsigned int *seed)
{
	struct wprobe *some[PROBES];
	int i, nr = 0;

	for (i = 0; i < PROBES; i++)
		if (rand_r(seed) % 3 == 0)
			some[nr++] = &wps[i];
	unregister_wprobes(some, nr);
	if (rand_r(seed) % 2)
		return;
	pthread_mutex_lock(&passes);
	for (i = 0; i < nr; i++)
		*some[i] = somewhere(seed);
	register_wprobes(some, nr);
	pthread_mutex_unlock(&passes);
}

static void toss(unsigned int *seed)
{
	struct wprobe *wp = &wps[rand_r(seed) % PROBES];
	struct worker *w = &workers[rand_r(seed) % WORKERS];

	switch (rand_r(seed) % 16) {
	case 0: case 1: case 2: case 3: case 4:
		unregister_wprobe(wp);
		watch_somewhere(wp, seed);
		break;
	case 5: case 6:
		disable_wprobe(wp);
		break;
	case 7: case 8:
		if (stays(wp))
			enable_wprobe(wp);
		break;
	case 9: case 10:
		batch(seed);
		break;
	case 11:
		on_code(&on_counting, seed);
		break;
	case 12:
		forked((unsigned int)rand_r(seed) % 5);
		break;
	default:
		pthread_kill(w->thread, SIGUSR1);
	}
}

/* ---- is it exact? ----------------------------------------------------------------------------- */

static void pause_all(void)
{
	int i;

	__atomic_store_n(&rest, 1, __ATOMIC_SEQ_CST);
	for (i = 0; i < WORKERS; i++)
		while (!__atomic_load_n(&workers[i].rests, __ATOMIC_SEQ_CST))
			usleep(100);
}

static void go_on(void)
{
	__atomic_store_n(&rest, 0, __ATOMIC_SEQ_CST);
}

static void compare_steady(void)
{
	long done = 0;
	int i;

	pause_all();
	for (i = 0; i < WORKERS; i++)
		done += workers[i].steady;
	if (told != done || chain != *(long *)(void *)steady ||
	    writes.kp.nmissed || changes.kp.nmissed)
		printf("# %ld writes, %ld told, %lu missed; %ld changes, %ld told, %lu missed\n",
		       done, told, writes.kp.nmissed, *(long *)(void *)steady, chain,
		       changes.kp.nmissed);
	NEED(told == done && chain == *(long *)(void *)steady);
	NEED(!writes.kp.nmissed && !changes.kp.nmissed);
	go_on();
}

/* ---- protections --------------------------------------------------------------------------------- */

struct right {
	unsigned long start, end;
	char perms[5];
	bool stays;			/* it must be there at the end, too */
};

static struct right rights[4096];
static int rights_nr;

static bool is_ours(unsigned long start, unsigned long end)
{
	char *all[] = { arena, steady, moving, in_bss, in_heap };
	unsigned int i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if ((unsigned long)all[i] >= start && (unsigned long)all[i] < end)
			return true;
	return false;
}

static int each_right(void (*fn)(const struct right *right, int *wrong))
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512], name[300];
	int wrong = 0;

	while (fgets(line, sizeof(line), maps)) {
		struct right right = { 0 };

		name[0] = 0;
		if (sscanf(line, "%lx-%lx %4s %*s %*s %*s %299s", &right.start, &right.end,
			   right.perms, name) < 3)
			continue;
		right.stays = name[0] == '/' || !strcmp(name, "[heap]") ||
			      is_ours(right.start, right.end);
		fn(&right, &wrong);
	}
	fclose(maps);
	return wrong;
}

static void note_right(const struct right *right, int *wrong)
{
	*wrong += rights_nr == sizeof(rights) / sizeof(rights[0]);
	if (!*wrong && right->stays)
		rights[rights_nr++] = *right;
}

/* What of each is there, and with the same rights. */
static void take_off(const struct right *right, int *wrong)
{
	int i;

	for (i = 0; i < rights_nr; i++) {
		struct right *was = &rights[i];

		if (right->start >= was->end || was->start >= right->end)
			continue;
		if (strcmp(right->perms, was->perms)) {
			printf("# %lx-%lx was %s and is %s\n", right->start, right->end,
			       was->perms, right->perms);
			*wrong += 1;
		}
		if (right->start <= was->start)
			was->start = right->end < was->end ? right->end : was->end;
	}
}

static void same_rights(void)
{
	int i;

	NEED(!each_right(take_off));
	for (i = 0; i < rights_nr; i++)
		if (rights[i].start < rights[i].end)
			printf("# %lx-%lx is not there\n", rights[i].start, rights[i].end);
	for (i = 0; i < rights_nr; i++)
		NEED(rights[i].start == rights[i].end);
}

/* ---- all of it ------------------------------------------------------------------------------------- */

static char *memory_of(unsigned long pages)
{
	char *all = mmap(NULL, (pages + 4) * PAGE, PROT_NONE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	NEED(all != MAP_FAILED);
	NEED(!mprotect(all + 2 * PAGE, pages * PAGE, PROT_READ | PROT_WRITE));
	return all + 2 * PAGE;
}

static void begin(unsigned int seed)
{
	int i;

	arena = memory_of(ARENA);
	moving = memory_of(2 * MOVING);
	steady = memory_of(2) + PAGE - STEADY + 64;
	in_heap = malloc(8 * OWN);
	/* System calls are looked at from here on, for good. */
	writes = on_steady_memory(KP_WATCH_WRITE);
	NEED(!register_wprobe(&writes));
	unregister_wprobe(&writes);
	text_snapshot();
	NEED(!each_right(note_right));
	writes = on_steady_memory(KP_WATCH_WRITE);
	changes = on_steady_memory(KP_WATCH_CHANGED);
	NEED(!register_wprobe(&writes) && !register_wprobe(&changes));
	signal(SIGUSR1, on_signal);
	for (i = 0; i < WORKERS; i++) {
		workers[i].nr = i;
		workers[i].seed = seed * WORKERS + (unsigned int)i;
		NEED(!pipe(workers[i].pipe));
		NEED(!pthread_create(&workers[i].thread, NULL, work, &workers[i]));
	}
}

static void finish(pthread_t maps)
{
	long rounds = 0, before;
	int i;

	__atomic_store_n(&stop, 1, __ATOMIC_SEQ_CST);
	for (i = 0; i < WORKERS; i++) {
		pthread_join(workers[i].thread, NULL);
		rounds += workers[i].rounds;
	}
	pthread_join(maps, NULL);
	before = any;
	memset(arena, 1, ARENA * PAGE);
	memset(in_bss, 1, sizeof(in_bss));
	NEED(any == before);
	NEED(!text_changed());
	same_rights();
	printf("# %ld rounds, %ld writes told exactly, %ld others, %ld signals\n", rounds,
	       told, any, signals_done);
}

static void leave_list(void *arg, const char *line, size_t len)
{
	(void)len;
	printf("# left: %s", line);
	*(int *)arg += 1;
}

static void torture(int seconds, int rounds, unsigned int seed)
{
	time_t end = time(NULL) + seconds;
	pthread_t maps;
	int i, left = 0;

	begin(seed);
	NEED(!pthread_create(&maps, NULL, mapper, (void *)(unsigned long)seed));
	for (i = 1; i <= rounds || time(NULL) < end; i++) {
		toss(&seed);
		if (i % 100 == 0)
			compare_steady();
	}
	compare_steady();
	for (i = 0; i < PROBES; i++)
		unregister_wprobe(&wps[i]);
	unregister_wprobe(&writes);
	unregister_wprobe(&changes);
	unregister_kprobe(&on_counting);
	kprobes_list(leave_list, &left);
	NEED(!left);
	finish(maps);
}

static void tortured(void)
{
	torture(0, 300, 1);
}

int main(int argc, char **argv)
{
	__builtin_cpu_init();
	if (argc > 1) {
		torture(atoi(argv[1]), 0, argc > 2 ? (unsigned int)atoi(argv[2]) : 1);
		printf("ok K-WAT-32 all at once\n");
		return 0;
	}
	child_case("K-WAT-32 all at once", tortured);
	return live_failed;
}
