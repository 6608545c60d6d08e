/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * descriptors.c - the program does with descriptors what it likes.
 */
#include "live.h"

#include <fcntl.h>
#include <linux/kernel.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#define NUMBERS 300			/* more than the engine's are high */

/* All but the first three are one file of the program's. */
static int take_all(void)
{
	int i, fd;

	for (i = 3; i < NUMBERS; i++)
		close(i);
	fd = memfd_create("the program's", 0);
	NEED(fd == 3 && write(fd, "hello", 5) == 5);
	for (i = 4; i < NUMBERS; i++)
		NEED(dup2(fd, i) == i);
	return fd;
}

static void has_all(void)
{
	struct stat first, st;
	int i;

	NEED(!fstat(3, &first) && first.st_size == 5);
	for (i = 4; i < NUMBERS; i++)
		NEED(!fstat(i, &st) && st.st_ino == first.st_ino);
}

static void probed(void)
{
	unsigned char *byte = (unsigned char *)(unsigned long)live_target;
	unsigned char original = *byte;

	live_arm();
	NEED(live_hit());
	unregister_kprobe(&live_probe);
	NEED(*byte == original && !live_hit());
}

static void taken(void)
{
	take_all();
	probed();
	has_all();
}

static void child_has_all(void)
{
	has_all();
	probed();
	has_all();
}

static void taken_and_forked(void)
{
	take_all();
	NEED(!in_child(child_has_all));
	has_all();
}

/* What the engine opens in a forked child is out of the low numbers. */
static void low_one_is_free(void)
{
	NEED(open("/dev/null", O_RDONLY) == 0);
}

static void closed_one_is_free(void)
{
	close(0);
	NEED(!in_child(low_one_is_free));
}

static void at_the_limit(void)
{
	struct rlimit limit = { NUMBERS, NUMBERS };

	take_all();
	NEED(!setrlimit(RLIMIT_NOFILE, &limit));
	NEED(open("/dev/null", O_RDONLY) == -1 && errno == EMFILE);
	probed();
	has_all();
}

static void *later(void *first)
{
	pthread_join(*(pthread_t *)first, NULL);
	closefrom(3);
	probed();
	_exit(0);
}

static void first_thread_ended(void)
{
	static pthread_t first, thread;

	first = pthread_self();
	pthread_create(&thread, NULL, later, &first);
	pthread_exit(NULL);
}

static void messages(void)
{
	take_all();
	printk("not for a file of the program's\n");
	has_all();
}

/* The log is opened when the engine starts. */
static void messages_to_a_file(void)
{
	setenv("KPROBES_LOG", "/dev/null", 1);
	execl("/proc/self/exe", "descriptors", "messages", NULL);
	NEED(false);
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "messages")) {
		messages();
		return 0;
	}
	child_case("the program's own files have all numbers", taken);
	child_case("so they have in a forked child", taken_and_forked);
	child_case("a forked child's standard input is free",
		   closed_one_is_free);
	child_case("no more descriptors", at_the_limit);
	child_case("the first thread has ended", first_thread_ended);
	child_case("messages do not go into its files", messages_to_a_file);
	return live_failed;
}
