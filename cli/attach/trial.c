/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * trial.c - trying a probe module before it enters a process.
 *
 * Owns: the order:
 *   1. the file's own structure is checked (sound.c)
 *   2. in a child that can change nothing (confine.c) the library is started and
 *      the module loaded and unloaded: constructors, init, exit, destructors
 *   3. if the child dies, ends by itself or does not come to an end, the module
 *      is refused, and the target has not been touched
 * Any other result is accepted: in the child a module lacks the functions that it wants to probe,
 * and perhaps symbols of the program.
 */
#include "trial.h"
#include "attach_cli.h"
#include "cli.h"
#include "native_elf.h"
#include "sound.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define TICK_MS 20
#define ASLEEP_MS 5000
#define MOST_MS 120000
#define SPEC_MAX 16384
#define FILE_MAX (1l << 30)
#define SURVIVED 77			/* the child's status */

/* ---- in the child --------------------------------------------------------------- */

static void make_spec(char spec[SPEC_MAX], const char *path,
		      char *const *params)
{
	size_t len = (size_t)snprintf(spec, SPEC_MAX, "\"%s\"", path);

	for (; *params && len < SPEC_MAX; params++)
		len += (size_t)snprintf(spec + len, SPEC_MAX - len, " \"%s\"",
					*params);
}

static void quiet(int out)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	dup2(null, 0);
	dup2(out, 1);
	dup2(out, 2);
	close_range(3, ~0u, 0);
	setsid();
	/* Nothing of the caller's is opened or loaded. */
	unsetenv("KPROBES_LOAD");
	setenv("KPROBES_LOG", "0", 1);
}

/* Without a return: the caller's state is not this process's. */
static _Noreturn void try_it(const char *path, char *const *params, int out)
{
	int (*load)(const char *, char *, size_t);
	int (*unload)(const char *);
	char spec[SPEC_MAX];
	void *library;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	quiet(out);
	make_spec(spec, path, params);
	library = dlopen(cli_library(), RTLD_NOW | RTLD_GLOBAL);
	load = library ? (__typeof__(load))dlsym(library, "kp_load") : NULL;
	unload = library ? (__typeof__(unload))dlsym(library, "kp_unload")
			 : NULL;
	/* Not here: then the target is told why. */
	if (!load || !unload || !cli_confine())
		_exit(SURVIVED);
	if (!load(spec, NULL, 0))
		unload(path);
	_exit(SURVIVED);
}

/* ---- the verdict ---------------------------------------------------------------- */

/* What it says goes to text, the end of it.  Is it closed? */
static bool hear(int from, char *text, size_t room)
{
	struct pollfd wait = { .fd = from, .events = POLLIN };
	size_t len = strlen(text);
	char part[512];
	ssize_t got;

	if (poll(&wait, 1, TICK_MS) <= 0)
		return false;
	got = read(from, part, sizeof(part));
	if (got <= 0)
		return true;
	if (len + (size_t)got >= room)
		len = 0;
	memcpy(text + len, part, (size_t)got);
	text[len + (size_t)got] = 0;
	return false;
}

/* All its threads: one may wait for another that waits for its turn. */
static bool sleeps(pid_t child)
{
	pid_t *tids = NULL;
	int i, nr = remote_threads(child, &tids);
	bool all = true;

	for (i = 0; i < nr && all; i++)
		all = remote_state(child, tids[i]) == 'S';
	free(tids);
	return all;
}

/*
 * Until the child has ended: true.  On a busy machine it may have to wait long
 * for its turn; so what counts is how long it sleeps at a stretch, and, by its
 * limit, how long it computes.
 */
static bool wait_end(pid_t child, int from, char *text, size_t room,
		     int *status)
{
	int asleep = 0, ticks = 0;
	bool closed = false;

	while (asleep < ASLEEP_MS / TICK_MS && ticks++ < MOST_MS / TICK_MS) {
		if (closed)
			usleep(ticks < 100 ? 500 : TICK_MS * 1000);
		else
			closed = hear(from, text, room);
		if (waitpid(child, status, WNOHANG) == child)
			return true;
		asleep = sleeps(child) ? asleep + 1 : 0;
	}
	kill(child, SIGKILL);
	waitpid(child, status, 0);
	return false;
}

/* The linker's own last words, where it has ended the process. */
static const char *last_words(char *text)
{
	char *at = strstr(text, "ld.so: "), *end;

	if (!at)
		return "";
	end = at + strcspn(at, "\n");
	*end = 0;
	for (at += 5, *at = ':'; end-- > at;)
		if (*end < ' ' || *end > '~')
			*end = '?';
	return at;
}

static int refuse(const char *file, const char *why)
{
	cli_error("%s would harm the process, so it was not loaded: when it was tried in a process of its own %s",
		  file, why);
	return CLI_REFUSED;
}

static int judge(const char *file, int status, bool ended, char *text)
{
	char why[600];

	if (!ended || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU))
		return refuse(file, "it did not come to an end");
	if (WIFSIGNALED(status))
		snprintf(why, sizeof(why), "that died of signal %d (%s)",
			 WTERMSIG(status), strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status) == SURVIVED)
		return CLI_OK;
	else
		snprintf(why, sizeof(why), "that ended with status %d%s",
			 WEXITSTATUS(status), last_words(text));
	return refuse(file, why);
}

static int run(const char *file, const char *path, char *const *params)
{
	char text[4096] = "";
	int ends[2], status = 0;
	pid_t child;
	bool ended;

	if (pipe2(ends, O_CLOEXEC))
		return CLI_OK;
	/* A pipe that is full does not stop it. */
	fcntl(ends[1], F_SETFL, O_NONBLOCK);
	fflush(NULL);
	child = fork();
	if (!child)
		try_it(path, params, ends[1]);
	close(ends[1]);
	if (child < 0) {
		close(ends[0]);
		return CLI_OK;
	}
	ended = wait_end(child, ends[0], text, sizeof(text), &status);
	close(ends[0]);
	return judge(file, status, ended, text);
}

/* The structure, where it is a shared object at all. */
static const char *unsound(int fd)
{
	const char *wrong = NULL;
	size_t len = 0, size;
	struct stat st;
	ssize_t got = 1;
	char *bytes;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) ||
	    st.st_size < (off_t)sizeof(ElfW(Ehdr)) || st.st_size > FILE_MAX)
		return NULL;
	/* Not mapped: it may become shorter meanwhile. */
	size = (size_t)st.st_size;
	bytes = malloc(size);
	while (bytes && len < size && got > 0) {
		got = read(fd, bytes + len, size - len);
		len += got > 0 ? (size_t)got : 0;
	}
	if (len >= sizeof(ElfW(Ehdr)) && !memcmp(bytes, ELFMAG, SELFMAG))
		wrong = cli_sound(bytes, len);
	free(bytes);
	return wrong;
}

int cli_trial(const char *file, char *const *params)
{
	char path[PATH_MAX];
	const char *wrong;
	int fd;

	if (!realpath(file, path) || !cli_library())
		return CLI_OK;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return CLI_OK;
	wrong = unsound(fd);
	close(fd);
	if (!wrong)
		return run(file, path, params);
	cli_error("%s is damaged, or not what it seems: %s; build it again",
		  file, wrong);
	return CLI_REFUSED;
}
