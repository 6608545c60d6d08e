/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * forgotten.c - who has registered probes goes and leaves them: a module that is unloaded while
 * its probes are hit, an object that the program closes.
 */
#include "live.h"

#include <dlfcn.h>
#include <kprobes/control.h>
#include <kprobes/load.h>

static volatile bool over;
static int lines;

static void count(void *arg, const char *line, size_t len)
{
	(void)arg;
	(void)line;
	(void)len;
	lines++;
}

static int listed(void)
{
	lines = 0;
	kprobes_list(count, NULL);
	return lines;
}

static void *calls(void *arg)
{
	(void)arg;
	while (!over)
		NEED(live_target(1) == 2);
	return NULL;
}

/* A module's, under hits. */
static void unloaded(void)
{
	char *path = live_beside("forgets.so");
	pthread_t threads[2];
	int i, rounds = live_rounds(20);

	kprobes_set_optimization(live_jumps);
	NEED(!listed());
	for (i = 0; i < 2; i++)
		NEED(!pthread_create(&threads[i], NULL, calls, NULL));
	for (i = 0; i < rounds; i++) {
		NEED(!kp_load(path, NULL, 0));
		NEED(listed() >= 3);
		if (live_jumps)
			kprobes_flush();
		usleep(1000);
		NEED(!kp_unload(path));
		NEED(!listed());
	}
	over = true;
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

static void closed(void)
{
	int i, (*start)(void);
	void *lib;

	kprobes_set_optimization(live_jumps);
	for (i = 0; i < 3; i++) {
		lib = dlopen(live_beside("forgets.so"), RTLD_NOW | RTLD_LOCAL);
		NEED(lib);
		start = (int (*)(void))(unsigned long)dlsym(lib, "forgets_start");
		NEED(start && !start());
		NEED(listed() >= 3);
		if (live_jumps)
			kprobes_flush();
		NEED(live_target(1) == 2);
		NEED(!dlclose(lib));
		NEED(live_target(1) == 2);
		NEED(!listed());
	}
}

int main(void)
{
	static const struct live_case cases[] = {
		{ "K-UNR-02 a module is unloaded and leaves its probes", unloaded },
		{ "K-UNR-02 an object is closed and leaves its probes", closed },
	};

	live_both(cases, sizeof(cases) / sizeof(cases[0]));
	return live_failed;
}
