/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* harness_user.c - the conformance suite's host in a process. */
#define _GNU_SOURCE
#include "harness.h"
#include <kprobes/control.h>

#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <unistd.h>

const char t_module[] = "conformance";
const char t_foreign_symbol[] = "strtol";
/* Not loaded when the program is static: then the name is unknown as well. */
const char t_foreign_module[] = "libc";

/* Named by tests: to be linked into a static program too. */
__attribute__((used)) static int (*const t_linked)(jmp_buf) = _setjmp;

void *t_alloc(unsigned long len)
{
	return calloc(1, len);
}

void t_free(void *mem)
{
	free(mem);
}

void t_sleep_ms(int ms)
{
	usleep((useconds_t)ms * 1000);
}

struct job {
	void (*fn)(void *arg);
	void *arg;
};

static void *run_job(void *job)
{
	((struct job *)job)->fn(((struct job *)job)->arg);
	return NULL;
}

void t_threads(int nr, void (*fn)(void *arg), void *arg)
{
	struct job job = { fn, arg };
	pthread_t threads[16];
	int i;

	for (i = 0; i < nr; i++)
		if (pthread_create(&threads[i], NULL, run_job, &job))
			abort();
	for (i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
}

struct wanted {
	unsigned long addr;
	int is_jump;
};

static void find_jump(void *arg, const char *line, size_t len)
{
	struct wanted *wanted = arg;

	(void)len;
	if (strtoul(line, NULL, 16) == wanted->addr &&
	    strstr(line, "[OPTIMIZED]"))
		wanted->is_jump = 1;
}

/* A jump of the engine's counts as the breakpoint that it stands for. */
t_word t_text(const void *addr)
{
	struct wanted wanted = { T_CODE(addr), 0 };

	kprobes_flush();
	kprobes_list(find_jump, &wanted);
	return wanted.is_jump ? T_BP : t_raw(addr);
}

t_word t_raw(const void *addr)
{
	return *(const volatile t_word *)T_CODE(addr);
}

bool t_preemption_off(void)
{
	return true;
}

void t_settle(void)
{
	kprobes_flush();
}

void t_breakpoints_only(int on)
{
	kprobes_set_optimization(!on && !getenv("T_BREAKPOINTS"));
}

/*
 * The C library's return from a signal handler, as the list has it: within some
 * hundred kilobytes of abort().
 */
static void find_restorer(void *arg, const char *text, size_t len)
{
	char line[256];
	void *start;

	if (len >= sizeof(line))
		return;
	memcpy(line, text, len);
	line[len] = 0;
	if (strstr(line, "__restore_rt") && sscanf(line, "%p-", &start) == 1 &&
	    (unsigned long)start - (unsigned long)abort < 0x80000)
		*(void **)arg = start;
}

void *t_blacklisted(void)
{
	void *found = NULL;

	kprobes_blacklist(find_restorer, &found);
	return found;
}

void *t_engine(void)
{
	return (void *)(unsigned long)kp_process_nokprobe;
}

int t_has_avx(void)
{
	return T_HAS_AVX();
}

/* argv[1]: "watching": that topic alone. */
int main(int argc, char **argv)
{
	t_breakpoints_only(0);
	if (argc > 1 && !strcmp(argv[1], "watching"))
		t_watching();
	else
		t_run_all();
	return t_failed ? 1 : 0;
}
