/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * iterates.c - probes that are registered in a callback of dl_iterate_phdr.
 *
 * The dynamic linker's lock is held there.  Others register probes by name at the
 * same time, which looks for new objects, and load and unload an object.  Nobody
 * may wait for ever, and each callback's probe is hit.
 */
#include "live.h"

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>

#define SECONDS 3

static atomic_bool over;
static atomic_long registered, looked_up, loaded;

/* What comes.so calls when it comes. */
void comes_coming(void);
void comes_coming(void)
{
}

int by_name(int a);
__attribute__((noinline, noclone)) int by_name(int a)
{
	__asm__ volatile("");
	return a - 1;
}

static int register_here(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)info;
	(void)size;
	(void)arg;
	live_arm();
	NEED(live_hit());
	unregister_kprobe(&live_probe);
	atomic_fetch_add(&registered, 1);
	return 1;
}

static void *iterate(void *arg)
{
	while (!atomic_load(&over))
		dl_iterate_phdr(register_here, arg);
	return NULL;
}

static void *look_up(void *arg)
{
	while (!atomic_load(&over)) {
		struct kprobe p = { .symbol_name = "by_name",
				    .pre_handler = live_pre };

		NEED(!register_kprobe(&p));
		unregister_kprobe(&p);
		atomic_fetch_add(&looked_up, 1);
	}
	return arg;
}

static void *load(void *arg)
{
	const char *path = live_beside("comes.so");

	while (!atomic_load(&over)) {
		void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);

		if (!lib)
			printf("# %s\n", dlerror());
		NEED(lib);
		NEED(!dlclose(lib));
		atomic_fetch_add(&loaded, 1);
	}
	return arg;
}

static void run(void *(*first)(void *), void *(*second)(void *))
{
	pthread_t threads[3];
	int i;

	alarm(LIVE_PATIENCE);			/* one waits for ever */
	NEED(!pthread_create(&threads[0], NULL, iterate, NULL));
	NEED(!pthread_create(&threads[1], NULL, first, NULL));
	NEED(!pthread_create(&threads[2], NULL, second, NULL));
	sleep(SECONDS);
	atomic_store(&over, true);
	for (i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	printf("# %ld in callbacks, %ld by name, %ld loads\n",
	       atomic_load(&registered), atomic_load(&looked_up),
	       atomic_load(&loaded));
	fflush(stdout);
	NEED(atomic_load(&registered) > 1);
}

static void with_names(void)
{
	run(look_up, look_up);
}

static void with_loads(void)
{
	run(load, look_up);
}

int main(void)
{
	child_case("a callback registers while others look names up",
		   with_names);
	child_case("a callback registers while others load and unload",
		   with_loads);
	return live_failed;
}
