/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * watch.c - what a watch probe costs.
 *
 * Owns: three figures: a hit, beside a bare handler of SIGTRAP on the same event of the
 * kernel's; and work that touches nothing, with four words watched and with none.
 * Each is measured in turns, in children, of which some have the library.
 *
 * Usage: watch LIBRARY
 */
#include "bench.h"

#include <dlfcn.h>
#include <kprobes/watch.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
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

static bool watch(unsigned long len)
{
	static struct wprobe wp;
	void *object = dlopen(library, RTLD_NOW);
	int (*add)(struct wprobe *wp) =
		object ? (int (*)(struct wprobe *))dlsym(object, "kp_register_wprobe")
		       : NULL;

	wp = (struct wprobe){ .kp.addr = (void *)words, .len = len,
			      .type = KP_WATCH_WRITE, .handler = on_access };
	return add && !add(&wp);
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
		printf("skip\t%s\tno debug registers are to be had\n", name);
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
	return 0;
}
