/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * spawns.c - a program that executes others: its arguments, by fork, vfork and posix_spawn in turn,
 * and the last one in its own place.
 */
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void execute(char *path)
{
	char *words[] = { path, "x", NULL };

	execve(path, words, environ);
	_exit(127);
}

int main(int argc, char **argv)
{
	pid_t pid = 0;
	int i;

	for (i = 1; i < argc - 1; i++) {
		char *words[] = { argv[i], "x", NULL };

		if (i % 3 == 0)
			posix_spawn(&pid, argv[i], NULL, NULL, words, environ);
		else
			pid = i % 3 == 1 ? fork() : vfork();
		if (!pid)
			execute(argv[i]);
		waitpid(pid, NULL, 0);
	}
	execute(argv[argc - 1]);
	return 0;
}
