// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * start.c - what comes before the first hit, each time in a new process.
 *
 * Owns: facts about loading the library, the first probe of a program with
 * 10,000 functions, registering 10,000 probes where nothing is warm, and how
 * much memory is resident for each.
 *
 * The program runs itself again for each figure (start WHAT) and takes the least
 * of RUNS.  It is not linked with the library but loads it, so that loading can
 * be timed alone; the functions are in symbols.S.
 */
#include "bench.h"

#include <dlfcn.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <kprobes/control.h>
#include <linux/kprobes.h>

#define RUNS 15
#define NR 10000

extern char **environ;

/* symbols.S: where each function starts, and one of them by name. */
extern const uintptr_t bench_functions[NR];
#define BY_NAME "bench_function_5000"

static int (*add)(struct kprobe **kps, int num);
static void (*remove_all)(struct kprobe **kps, int num);
static void (*flush)(void);

static struct kprobe probes[NR], *all[NR];

static int on_pre(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	return 0;
}

static void *symbol(void *library, const char *name)
{
	void *at = dlsym(library, name);

	if (!at)
		exit(3);
	return at;
}

/* Links from the header to the library's names. */
#define STRING(x) #x
#define NAME(x) STRING(x)

static double load(void)
{
	char path[4096];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 64);
	double start = bench_now(), took;
	void *library;

	if (len < 0)
		exit(3);
	path[len] = 0;
	strcpy(strrchr(path, '/'), "/../libkprobes.so");
	start = bench_now();
	library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
	took = bench_now() - start;
	if (!library)
		exit(3);
	add = symbol(library, NAME(register_kprobes));
	remove_all = symbol(library, NAME(unregister_kprobes));
	flush = symbol(library, NAME(kprobes_flush));
	return took;
}

/* In bytes. */
static double resident(void)
{
	FILE *file = fopen("/proc/self/smaps_rollup", "r");
	unsigned long kib = 0;
	char line[128];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "Rss: %lu", &kib) == 1)
			break;
	if (file)
		fclose(file);
	return (double)kib * 1024;
}

static double register_all(int nr, bool field)
{
	extern const char bench_field_code[] __asm__("bench_field");
	double start;
	int i;

	for (i = 0; i < nr; i++) {
		all[i] = &probes[i];
		probes[i].addr = (kprobe_opcode_t *)(field ?
			(uintptr_t)bench_field_code + 2 + 7 * (uintptr_t)i :
			bench_functions[i]);
		probes[i].pre_handler = on_pre;
	}
	start = bench_now();
	if (add(all, nr))
		exit(4);
	flush();
	return bench_now() - start;
}

static double one_by_name(void)
{
	double start = bench_now();

	all[0] = &probes[0];
	probes[0].symbol_name = BY_NAME;
	probes[0].pre_handler = on_pre;
	if (add(all, 1))
		exit(4);
	return bench_now() - start;
}

/* ---- in the child ------------------------------------------------------------ */

static double measure(const char *what)
{
	double before, ns;

	if (!strcmp(what, "nothing"))
		return 0;
	ns = load();
	if (!strcmp(what, "load"))
		return ns;
	if (!strcmp(what, "address"))
		return register_all(1, false);
	if (!strcmp(what, "name"))
		return one_by_name();
	if (!strcmp(what, "functions"))
		return register_all(NR, false) / NR;
	if (!strcmp(what, "field"))
		return register_all(NR, true) / NR;
	if (!strcmp(what, "again")) {
		register_all(NR, false);
		remove_all(all, NR);
		flush();
		return register_all(NR, false) / NR;
	}
	/* What is written here, is resident already. */
	memset(probes, 1, sizeof(probes));
	memset(probes, 0, sizeof(probes));
	memset(all, 1, sizeof(all));
	register_all(1, false);
	remove_all(all, 1);
	flush();
	before = resident();
	register_all(NR, !strcmp(what, "memory.field"));
	return (resident() - before) / NR;
}

/* ---- in the parent ----------------------------------------------------------- */

static double run(const char *what, double *took)
{
	char *argv[] = { "/proc/self/exe", (char *)(uintptr_t)what, NULL };
	double value = -1, start = bench_now();
	int fds[2], status = -1;
	pid_t pid;
	posix_spawn_file_actions_t actions;

	if (pipe(fds))
		exit(1);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fds[1], 3);
	if (posix_spawn(&pid, argv[0], &actions, NULL, argv, environ))
		exit(1);
	close(fds[1]);
	if (read(fds[0], &value, sizeof(value)) != sizeof(value))
		value = -1;
	close(fds[0]);
	waitpid(pid, &status, 0);
	*took = bench_now() - start;
	posix_spawn_file_actions_destroy(&actions);
	return status ? -1 : value;
}

static double least(const char *what, double *process)
{
	double value = -1, took;
	int i;

	*process = 1e18;
	for (i = 0; i < RUNS; i++) {
		double one = run(what, &took);

		if (one < 0)
			continue;
		value = value < 0 || one < value ? one : value;
		*process = took < *process ? took : *process;
	}
	return value;
}

static void fact(const char *name, const char *what, double unit,
		 const char *text)
{
	double took, value = least(what, &took);

	if (value < 0)
		bench_skip(name, "a process that measured it failed");
	else
		bench_fact(name, value / unit, text);
}

int main(int argc, char **argv)
{
	double without, with;

	if (argc > 1) {
		double value = measure(argv[1]);

		return write(3, &value, sizeof(value)) != sizeof(value);
	}
	fact("start, the library is loaded", "load", 1e6, "ms");
	least("nothing", &without);
	least("load", &with);
	bench_fact("start, a process that only loads it, to its end",
		   (with - without) / 1e6, "ms more");
	fact("start, first probe, by address", "address", 1e6, "ms");
	fact("start, first probe, by name", "name", 1e6, "ms");
	fact("start, 10,000 functions, cold", "functions", 1, "ns a probe");
	fact("start, 10,000 functions, again", "again", 1, "ns a probe");
	fact("start, 10,000 instructions of one function, cold", "field", 1,
	     "ns a probe");
	fact("start, resident memory, functions", "memory", 1, "bytes a probe");
	fact("start, resident memory, one function", "memory.field", 1,
	     "bytes a probe");
	return 0;
}
