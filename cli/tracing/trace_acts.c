// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * trace_acts.c - cat() and system(): a process that does what the script says.
 *
 * Owns: that process, its memory, and what it agrees to.  The reader asks, and waits; it is
 * in the jail, and what it says is hostile.  So this process knows the script's own texts,
 * and does one of them and nothing else.  What stands there for a "%" may come from what is
 * traced: in a command it goes to a shell.  It may have letters, digits and a few characters
 * that mean nothing to one, and is no option; in the name of a file it leads nowhere up.
 *
 * It is a child of the controller, and ends with it.
 *
 *   IDLE --reader--> ASKED --this process--> DONE or REFUSED --reader--> IDLE
 */
#include "newer_calls.h"
#include "ptracer.h"
#include "tracing.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ANSWER_MAX (1u << 20)
#define TEXT_MAX 4096
#define ACTS_MAX 256
#define SECONDS_MAX 30			/* that a command may take */
#define LOOK_MS 10
#define STEPS_MAX 100000		/* of comparing; more is no answer in time */

enum { IDLE, ASKED, DONE, REFUSED };

struct tracing_acts {
	uint32_t state;			/* IDLE, ... */
	uint32_t over;			/* controller: nobody answers any more */
	uint32_t cat;			/* reader */
	char format[TEXT_MAX], what[TEXT_MAX];	/* reader */
	uint32_t len;			/* of the answer */
	char answer[ANSWER_MAX];
};

struct act {
	bool cat;
	char *format;
};

static struct act acts[ACTS_MAX];
static unsigned int acts_nr;

/* ---- what is agreed to -------------------------------------------------------------- */

static void take(void *arg, bool cat, const char *format)
{
	(void)arg;
	if (acts_nr < ACTS_MAX)
		acts[acts_nr] = (struct act){ cat, strdup(format) };
	acts_nr += acts_nr < ACTS_MAX && acts[acts_nr].format;
}

/* "%-08llx": where it ends. */
static const char *behind_conversion(const char *at)
{
	at += strspn(at, "-+ #0*");
	at += strspn(at, "0123456789.hlzjt");
	return *at ? at + 1 : at;
}

/* How many bytes of what may stand for a value. */
static size_t harmless(const char *what, bool cat)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@+,=-";
	size_t len = strspn(what, plain), i;

	/* "-5" is a number. */
	if (!cat && *what == '-' && (what[1] < '0' || what[1] > '9'))
		return 0;
	for (i = 0; cat && i + 1 < len; i++)
		if (what[i] == '.' && what[i + 1] == '.')
			return i;
	return len;
}

/* Is it the format, with a value for each conversion? */
static bool is_of(const char *format, const char *what, bool cat, unsigned int *steps)
{
	size_t len;

	for (; *format; format++, what++) {
		if (!(*steps)--)
			return false;
		if (format[0] == '%' && format[1] == '%')
			format++;
		else if (format[0] == '%')
			break;
		if (*format != *what)
			return false;
	}
	if (!*format)
		return !*what;
	format = behind_conversion(format + 1);
	for (len = harmless(what, cat) + 1; len-- > 0 && *steps;)
		if (is_of(format, what + len, cat, steps))
			return true;
	return false;
}

static bool is_agreed(bool cat, const char *format, const char *what)
{
	unsigned int i, steps = STEPS_MAX;

	for (i = 0; i < acts_nr; i++)
		if (acts[i].cat == cat && !strcmp(acts[i].format, format))
			return is_of(format, what, cat, &steps);
	return false;
}

/* ---- doing it ------------------------------------------------------------------------- */

/* All that comes, as far as there is room; false: it took too long. */
static bool read_answer(struct tracing_acts *shared, int fd, bool bounded)
{
	long end = thread_now_ms() + 1000l * SECONDS_MAX, left;
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	char rest[4096];
	ssize_t got = 1;

	for (shared->len = 0; got > 0;) {
		size_t room = ANSWER_MAX - shared->len;

		left = end - thread_now_ms();
		if (bounded && (left <= 0 || poll(&poll_fd, 1, (int)left) <= 0))
			return false;
		got = read(fd, room ? shared->answer + shared->len : rest,
			   room ? room : sizeof(rest));
		if (got > 0 && room)
			shared->len += (uint32_t)got;
		if (!bounded && !room)
			break;
	}
	return got >= 0;
}

static bool do_cat(struct tracing_acts *shared, const char *name)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	bool done = fd >= 0 && read_answer(shared, fd, false);

	if (fd >= 0)
		close(fd);
	return done;
}

static void become(const char *command, int out)
{
	int null = open("/dev/null", O_RDWR);

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGUSR1, SIG_DFL);
	if (null < 0 || dup2(null, 0) < 0 || dup2(out, 1) < 0)
		_exit(126);
	syscall(NR_close_range, 3, ~0u, 0);
	execl("/bin/sh", "sh", "-c", command, NULL);
	_exit(127);
}

static bool do_system(struct tracing_acts *shared, const char *command)
{
	int ends[2], status;
	bool done;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return false;
	pid = fork();
	if (!pid)
		become(command, ends[1]);
	close(ends[1]);
	done = pid > 0 && read_answer(shared, ends[0], true);
	close(ends[0]);
	if (pid > 0 && !done)
		kill(-pid, SIGKILL);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return done;
}

static void answer(struct tracing_acts *shared)
{
	static char format[TEXT_MAX], what[TEXT_MAX];
	static bool said;
	bool cat = shared->cat, done = false;

	/* Copies: the reader may write there. */
	memcpy(format, shared->format, TEXT_MAX - 1);
	memcpy(what, shared->what, TEXT_MAX - 1);
	if (is_agreed(cat, format, what)) {
		done = cat ? do_cat(shared, what) : do_system(shared, what);
	} else if (!said) {
		said = true;
		cli_error("%s is not done where a value has other characters than letters, digits and _./:@+,=-",
			  cat ? "cat()" : "system()");
	}
	/* Release: the answer is there before it is said to be. */
	__atomic_store_n(&shared->state, done ? DONE : REFUSED, __ATOMIC_RELEASE);
}

static void serve(struct tracing_acts *shared, pid_t parent)
{
	static const struct timespec nap = { 0, LOOK_MS * 1000000l };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGUSR1, SIG_IGN);
	while (getppid() == parent) {
		/* Acquire: pairs with the reader, who has written what it wants. */
		if (__atomic_load_n(&shared->state, __ATOMIC_ACQUIRE) == ASKED)
			answer(shared);
		else
			nanosleep(&nap, NULL);
	}
	_exit(0);
}

/* ---- the controller ---------------------------------------------------------------------- */

int tracing_acts_begin(struct tracing *t)
{
	pid_t parent = getpid();

	if (!trace_acts(t->text, t->len, take, NULL))
		return CLI_OK;
	t->acts = mmap(NULL, sizeof(*t->acts), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (t->acts == MAP_FAILED) {
		t->acts = NULL;
		cli_error("no memory: %s", strerror(errno));
		return CLI_FAILED;
	}
	t->actor = fork();
	if (!t->actor)
		serve(t->acts, parent);
	if (t->actor > 0)
		return CLI_OK;
	cli_error("no process: %s", strerror(errno));
	return CLI_FAILED;
}

void tracing_acts_end(struct tracing *t)
{
	if (t->actor <= 0)
		return;
	kill(t->actor, SIGKILL);
	while (waitpid(t->actor, NULL, 0) < 0 && errno == EINTR)
		;
	t->actor = 0;
}

/* Whoever waits for it waits no more. */
void tracing_acts_stop(struct tracing *t)
{
	if (t->acts)
		__atomic_store_n(&t->acts->over, 1, __ATOMIC_RELAXED);
}

/* ---- the reader -------------------------------------------------------------------------- */

static bool copy(char *to, const char *from)
{
	size_t len = strlen(from);

	if (len >= TEXT_MAX)
		return false;
	memcpy(to, from, len + 1);
	return true;
}

char *tracing_act(void *arg, bool cat, const char *format, const char *what, size_t *len)
{
	struct tracing_acts *shared = arg;
	uint32_t state, nr;
	char *text = NULL;

	if (__atomic_load_n(&shared->over, __ATOMIC_RELAXED) ||
	    __atomic_load_n(&shared->state, __ATOMIC_RELAXED) != IDLE ||
	    !copy(shared->format, format) || !copy(shared->what, what))
		return NULL;
	shared->cat = cat;
	/* Release: pairs with serve(). */
	__atomic_store_n(&shared->state, ASKED, __ATOMIC_RELEASE);
	/* Acquire: pairs with answer(). */
	while ((state = __atomic_load_n(&shared->state, __ATOMIC_ACQUIRE)) == ASKED) {
		if (__atomic_load_n(&shared->over, __ATOMIC_RELAXED))
			return NULL;
		usleep(1000);
	}
	nr = shared->len < ANSWER_MAX ? shared->len : ANSWER_MAX;
	if (state == DONE)
		text = malloc(nr + 1u);
	if (text)
		memcpy(text, shared->answer, nr);
	*len = nr;
	__atomic_store_n(&shared->state, IDLE, __ATOMIC_RELAXED);
	return text;
}
