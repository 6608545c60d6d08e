/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * watch.c - what a watch probe costs.
 *
 * Owns: these figures: a hit, beside a bare handler of SIGTRAP on the same event of the
 * kernel's; work that touches nothing, with four words watched and with none; a write to
 * a protected page, to what is watched and beside it, beside a bare handler of SIGSEGV;
 * and what four threads need that write to 10,000 objects, watched and not; the same by
 * probes on the code that writes, and what they add to one that writes elsewhere.
 * Each is measured in turns, in children, of which some have the library.
 *
 * Usage: watch LIBRARY
 */
#include "bench.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <kprobes/watch.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define ROUNDS 15
#define HITS 2000
#define WORK (1 << 24)

static long words[8] __attribute__((aligned(64)));
static volatile long hits;
static unsigned char room[4096];
static const char *library;

static void on_trap(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	(void)context;
	hits++;
}

static void on_access(struct wprobe *wp, struct pt_regs *regs,
		      const struct kp_access *access)
{
	(void)wp;
	(void)regs;
	(void)access;
	hits++;
}

/* As the engine does it. */
static bool bare(void)
{
	struct sigaction act = { .sa_sigaction = on_trap,
				 .sa_flags = SA_SIGINFO | SA_NODEFER };
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT, .size = sizeof(attr),
		.bp_type = HW_BREAKPOINT_W, .bp_len = 8,
		.bp_addr = (unsigned long)words, .sample_period = 1,
		.sigtrap = 1, .remove_on_exec = 1, .exclude_kernel = 1,
	};

	return !sigaction(SIGTRAP, &act, NULL) &&
	       syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0) >= 0;
}

static bool add_all(struct wprobe **wps, int nr)
{
	void *object = dlopen(library, RTLD_NOW);
	int (*add)(struct wprobe **wps, int nr) =
		object ? (int (*)(struct wprobe **, int))dlsym(object, "kp_register_wprobes")
		       : NULL;

	return add && !add(wps, nr);
}

static bool watch(unsigned long len)
{
	static struct wprobe wp;

	wp = (struct wprobe){ .kp.addr = (void *)words, .len = len,
			      .type = KP_WATCH_WRITE, .handler = on_access };
	return add_all(&(struct wprobe *){ &wp }, 1);
}

static double hit(void)
{
	double begin;
	int i;

	hits = 0;
	begin = bench_now();
	for (i = 0; i < HITS; i++)
		*(volatile long *)words = i;
	begin = (bench_now() - begin) / HITS;
	return hits == HITS ? begin : -1;
}

static double work(void)
{
	double begin = bench_now();
	int i;

	for (i = 0; i < WORK; i++)
		((volatile unsigned char *)room)[i & 4095] += (unsigned char)i;
	return (bench_now() - begin) / WORK;
}

static double bare_hit(void) { return bare() ? hit() : -1; }
static double watched_hit(void) { return watch(8) ? hit() : -1; }
static double alone(void) { return work(); }
static double beside(void) { return watch(32) ? work() : -1; }

/* ---- by pages -------------------------------------------------------------------- */

static char page[8192] __attribute__((aligned(4096)));

static void on_fault(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)sig;
	(void)info;
	hits++;
	uc->uc_mcontext.gregs[REG_RIP] += 3;	/* mov %rcx, (%rdx) */
}

static double fault(char *at)
{
	double begin;
	long i;

	begin = bench_now();
	for (i = 0; i < HITS; i++)
		__asm__ volatile("mov %0, (%1)" :: "c"(i), "d"(at) : "memory");
	return (bench_now() - begin) / HITS;
}

static double bare_fault(void)
{
	struct sigaction act = { .sa_sigaction = on_fault,
				 .sa_flags = SA_SIGINFO | SA_NODEFER };

	if (sigaction(SIGSEGV, &act, NULL) || mprotect(page, 4096, PROT_READ))
		return -1;
	return fault(page);
}

static bool protect_page(void)
{
	static struct wprobe wp = { .kp.addr = (void *)page, .len = 64,
				    .type = KP_WATCH_WRITE, .handler = on_access };

	return add_all(&(struct wprobe *){ &wp }, 1);
}

static double paged_hit(void) { return protect_page() ? fault(page) : -1; }
static double paged_beside(void) { return protect_page() ? fault(page + 512) : -1; }

#define OBJECTS 10000
#define THREADS 4
#define WRITES 5000
static struct wprobe many[OBJECTS], *all[OBJECTS];

static void *write_to(void *arg)
{
	unsigned int seed = (unsigned int)(unsigned long)arg;
	long i;

	for (i = 0; i < WRITES; i++)
		*(volatile long *)(void *)many[(unsigned int)rand_r(&seed) % OBJECTS].kp.addr = i;
	return NULL;
}

static double four_threads(void)
{
	pthread_t threads[THREADS];
	double begin = bench_now();
	long i;

	for (i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, write_to, (void *)(i + 1)))
			return -1;
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return (bench_now() - begin) / (THREADS * WRITES);
}

static void make_objects(void)
{
	long i;

	for (i = 0; i < OBJECTS; i++) {
		many[i] = (struct wprobe){ .kp.addr = malloc(64), .type = KP_WATCH_WRITE,
					   .len = 16 + 16 * (unsigned long)(i % 4),
					   .handler = on_access };
		all[i] = &many[i];
	}
}

static double objects(void)
{
	make_objects();
	return four_threads();
}

static double watched_objects(void)
{
	make_objects();
	return add_all(all, OBJECTS) ? four_threads() : -1;
}

/* ---- by code ----------------------------------------------------------------------- */

static struct wprobe_code writer = { .addr = (const void *)write_to };

static double coded_objects(void)
{
	long i;

	make_objects();
	for (i = 0; i < OBJECTS; i++) {
		many[i].code = &writer;
		many[i].code_nr = 1;
	}
	if (!add_all(all, OBJECTS))
		return -1;
	usleep(300000);		/* by jumps */
	return four_threads();
}

__attribute__((noinline)) static void stores(long *at, long nr)
{
	for (; nr; nr--)
		*(volatile long *)at = nr;
}

static double elsewhere(void)
{
	double begin;

	stores(words + 1, HITS);
	begin = bench_now();
	stores(words + 1, WORK / 16);
	return (bench_now() - begin) / (WORK / 16);
}

static double coded_elsewhere(void)
{
	static struct wprobe_code code = { .addr = (const void *)stores };
	static struct wprobe wp = { .kp.addr = (void *)words, .len = 8,
				    .type = KP_WATCH_WRITE, .handler = on_access,
				    .code = &code, .code_nr = 1 };

	if (!add_all(&(struct wprobe *){ &wp }, 1))
		return -1;
	usleep(300000);		/* by jumps */
	return elsewhere();
}

static double coded_hit(void)
{
	static struct wprobe_code code = { .addr = (const void *)stores };
	static struct wprobe wp = { .kp.addr = (void *)(words + 1), .len = 8,
				    .type = KP_WATCH_WRITE, .handler = on_access,
				    .code = &code, .code_nr = 1 };

	if (!add_all(&(struct wprobe *){ &wp }, 1))
		return -1;
	usleep(300000);
	return elsewhere();
}

/* In a child, which leaves nothing behind. */
static double in_child(double (*fn)(void))
{
	double *result = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0), value;
	pid_t pid = fork();

	if (!pid) {
		*result = fn();
		_exit(0);
	}
	if (waitpid(pid, NULL, 0) != pid)
		*result = -1;
	value = *result;
	munmap(result, 4096);
	return value;
}

static void compare(const char *name, double (*one)(void), double (*other)(void))
{
	double first = 1e18, second = 1e18, value;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		value = in_child(one);
		first = value < first ? value : first;
		value = in_child(other);
		second = value < second ? value : second;
	}
	if (first <= 0 || second <= 0)
		printf("skip\t%s\tnothing is to be had\n", name);
	else
		printf("%s: %.2f ns, without the engine %.2f ns: %.3f\n", name,
		       second, first, second / first);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	library = argv[1];
	compare("a hit", bare_hit, watched_hit);
	compare("work beside four watched words", alone, beside);
	compare("a hit by pages", bare_fault, paged_hit);
	compare("a write beside it on its page", bare_fault, paged_beside);
	compare("a write by four threads to 10,000 watched objects", objects,
		watched_objects);
	compare("the same by the code that writes", objects, coded_objects);
	compare("a write elsewhere of such code", elsewhere, coded_elsewhere);
	compare("a hit by code", elsewhere, coded_hit);
	return 0;
}
