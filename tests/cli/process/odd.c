/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * odd.c - processes in odd states, for odd.py.
 *
 * Owns: what the first argument names; all but "plug" end when standard input
 * does, with status 0 if nothing was wrong:
 *   vfork N   a child shares the memory for N ms
 *   fifo F    one thread reads the named pipe F, the others wait for it
 *   futex     all threads wait with syscall(2) for a futex without a time
 *   leader    the main thread has ended
 *   exec      begins itself anew again and again, with three threads
 *   traced    begins itself anew when the first of its many threads is traced
 *   descriptors, processes   has no more of them
 *   churn     makes threads with small stacks all the time
 *   bare      blocks all signals by syscall(2), and naps
 *   wakes     threads that wake, block all signals, make a thread, and nap
 *   plug      loads the second argument, whose constructor asks the main thread
 *   single N S   its only thread waits once, S seconds, in way N of ways[]
 *   ways S    waits in all ways at once, S seconds
 * As a library (-DPLUG) it is that constructor.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef PLUG
extern int ask[2], answer[2];

__attribute__((constructor)) static void plugged(void)
{
	char c;

	for (int i = 0; i < 60; i++) {
		if (write(ask[1], "?", 1) != 1 || read(answer[0], &c, 1) != 1)
			break;
		usleep(20000);
	}
}
#else

int ask[2], answer[2];
static atomic_int stop, wrong;

static void say(const char *text)
{
	puts(text);
	fflush(stdout);
}

static void *ends(void *arg)
{
	(void)arg;
	closedir(opendir("/"));
	return NULL;
}

static void *makes(void *arg)
{
	pthread_attr_t attr;
	pthread_t t;

	(void)arg;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	while (!stop)
		if (!pthread_create(&t, &attr, ends, NULL))
			pthread_join(t, NULL);
	return NULL;
}

static void *naps(void *arg)
{
	(void)arg;
	while (!stop) {
		closedir(opendir("/"));
		usleep(1000);
	}
	return NULL;
}

static bool trap_blocked(void)
{
	sigset_t now;

	pthread_sigmask(SIG_BLOCK, NULL, &now);
	return sigismember(&now, SIGTRAP);
}

static void *wakes(void *arg)
{
	sigset_t all, before;
	pthread_t t;

	(void)arg;
	sigfillset(&all);
	while (!stop) {
		usleep((useconds_t)(200 + rand() % 400));
		pthread_sigmask(SIG_SETMASK, &all, &before);
		if (!trap_blocked())
			wrong = 1;
		if (!pthread_create(&t, NULL, ends, NULL))
			pthread_join(t, NULL);
		if (!trap_blocked())
			wrong = 2;
		pthread_sigmask(SIG_SETMASK, &before, NULL);
		if (trap_blocked())
			wrong = 3;
	}
	return NULL;
}

static void *bare(void *arg)
{
	unsigned long all = ~0ul;

	(void)arg;
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, NULL, 8);
	return naps(NULL);
}

static int word;

static void *waits_for_word(void *arg)
{
	(void)arg;
	while (!stop)
		syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL);
	return NULL;
}

static void *reads_end(void *arg)
{
	char c;

	(void)arg;
	while (read(0, &c, 1) > 0)
		;
	_exit(wrong);
}

static int fifo_fd;

static void *reads_fifo(void *arg)
{
	char c;

	(void)arg;
	while (read(fifo_fd, &c, 1) > 0 && c != 'e')
		;
	return NULL;
}

static int run_vfork(int ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000l };
	pid_t pid;
	int status;

	say("ready");
	pid = vfork();
	if (!pid) {
		syscall(SYS_nanosleep, &ts, NULL);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	reads_end(NULL);
	return 1;
}

static void *loads(void *file)
{
	if (!dlopen(file, RTLD_NOW))
		say(dlerror());
	stop = 1;
	return NULL;
}

static int run_plug(char *file)
{
	time_t end = time(NULL) + 60;
	pthread_t t;
	char c;

	if (pipe(ask) || pipe(answer))
		return 1;
	say("ready");
	pthread_create(&t, NULL, loads, file);
	while (!stop && time(NULL) < end) {
		struct pollfd wait = { ask[0], POLLIN, 0 };

		if (poll(&wait, 1, 100) == 1 && read(ask[0], &c, 1) == 1 &&
		    write(answer[1], "!", 1) != 1)
			return 1;
	}
	if (stop)
		reads_end(NULL);
	return 1;
}

/* ---- ways to wait ------------------------------------------------------------- */

static int wait_s = 3;

static struct timespec whole = { 3, 0 };
static char big[1 << 20];

static void *later(void *arg)
{
	static char byte[1 << 16];
	int *pair = arg;
	ssize_t got;

	usleep(wait_s * 1000000);
	if (write(pair[0], "later678", 8) != 8)
		wrong = 1;
	/* As much as comes. */
	while (pair[1] && (got = read(pair[0], byte, sizeof(byte))) > 0)
		;
	return NULL;
}

static void pair_with(int pair[3], int time_option)
{
	struct timeval tv = { wait_s, 0 };

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		exit(9);
	if (time_option)
		setsockopt(pair[0], SOL_SOCKET, time_option, &tv, sizeof(tv));
}

/* Its other end is written to, and perhaps emptied, after the whole time. */
static int served(bool emptied)
{
	int *pair = calloc(4, sizeof(int)), one;
	pthread_t t;

	pair_with(pair, 0);
	one = pair[0];
	pair[0] = pair[1];
	pair[1] = emptied;
	pthread_create(&t, NULL, later, pair);
	return one;
}

static long way_epoll(void)
{
	struct epoll_event event;

	return epoll_wait(epoll_create1(0), &event, 1, wait_s * 1000);
}

static long way_epoll_pwait2(void)
{
	struct epoll_event event;

	return syscall(441, epoll_create1(0), &event, 1, &whole, NULL, 8);
}

static long way_sigtimedwait(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	return sigtimedwait(&set, NULL, &whole) < 0 && errno == EAGAIN ? 0 : -1;
}

static long way_semtimedop(void)
{
	struct sembuf down = { 0, -1, 0 };
	int err, id = semget(IPC_PRIVATE, 1, 0600);

	err = semtimedop(id, &down, 1, &whole) ? errno : 0;
	semctl(id, 0, IPC_RMID);
	errno = err;
	return err == EAGAIN ? 0 : -1;
}

static long way_read_timed(void)
{
	int pair[3];

	pair_with(pair, SO_RCVTIMEO);
	return read(pair[0], big, 1) < 0 && errno == EAGAIN ? 0 : -1;
}

static long way_recv_timed(void)
{
	int pair[3];

	pair_with(pair, SO_RCVTIMEO);
	return recv(pair[0], big, 1, 0) < 0 && errno == EAGAIN ? 0 : -1;
}

static long way_write_timed(void)
{
	int pair[3];

	pair_with(pair, SO_SNDTIMEO);
	fcntl(pair[0], F_SETFL, O_NONBLOCK);
	while (write(pair[0], big, 65536) > 0)
		;
	fcntl(pair[0], F_SETFL, 0);
	return write(pair[0], big, 1) < 0 && errno == EAGAIN ? 0 : -1;
}

/* Nobody accepts: it waits for room in the queue. */
static long way_connect(void)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	int listener = socket(AF_UNIX, SOCK_STREAM, 0), one, err;
	struct timeval tv = { wait_s, 0 };
	socklen_t len;

	len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
			  (size_t)sprintf(name.sun_path + 1, "odd%d",
					  (int)getpid()));
	if (bind(listener, (struct sockaddr *)&name, len) || listen(listener, 0))
		return -1;
	do
		one = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
	while (!connect(one, (struct sockaddr *)&name, len));
	one = socket(AF_UNIX, SOCK_STREAM, 0);
	setsockopt(one, SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof(tv));
	err = connect(one, (struct sockaddr *)&name, len) ? errno : 0;
	errno = err;
	return err == EAGAIN ? 0 : -1;
}

/* Where there is none, or it may not be used, another sleep. */
static long way_uring(void)
{
	struct io_uring_params params = { 0 };
	struct __kernel_timespec time = { wait_s, 0 };
	struct io_uring_getevents_arg arg = { .ts = (uintptr_t)&time };
	int fd = (int)syscall(425, 4, &params);

	if (fd < 0)
		return nanosleep(&whole, NULL);
	return syscall(426, fd, 0, 1, IORING_ENTER_GETEVENTS |
		       IORING_ENTER_EXT_ARG, &arg, sizeof(arg)) < 0 &&
	       errno == ETIME ? 0 : -1;
}

static long way_waitall(void)
{
	int one = served(false);

	send(one, big, 0, 0);
	return recv(one, big, 8, MSG_WAITALL) == 8 ? 0 : -1;
}

static long way_send(void)
{
	return send(served(true), big, sizeof(big), 0) == sizeof(big) ? 0 : -1;
}

static long way_write(void)
{
	return write(served(true), big, sizeof(big)) == sizeof(big) ? 0 : -1;
}

static long way_read(void)
{
	return read(served(false), big, 8) == 8 ? 0 : -1;
}

static long way_poll(void)
{
	return poll(NULL, 0, wait_s * 1000);
}

static long way_select(void)
{
	struct timeval tv = { wait_s, 0 };

	return select(0, NULL, NULL, NULL, &tv);
}

static long way_nanosleep(void)
{
	return nanosleep(&whole, NULL);
}

/* odd_call is its syscall instruction, which may get a probe meanwhile. */
static __attribute__((noinline)) long way_own(void)
{
	long result;

	__asm__ volatile(".globl odd_call\n"
			 ".type odd_call, @function\n"
			 "odd_call: syscall\n"
			 ".size odd_call, .-odd_call"
			 : "=a"(result)
			 : "a"((long)SYS_poll), "D"(0l), "S"(0l),
			   "d"(wait_s * 1000l)
			 : "rcx", "r11", "memory");
	errno = (int)-result;
	return result;
}

static long way_futex(void)
{
	int zero = 0;

	return syscall(SYS_futex, &zero, FUTEX_WAIT, 0, &whole, NULL, 0) < 0 &&
	       errno == ETIMEDOUT ? 0 : -1;
}

static long way_child(void)
{
	pid_t pid = fork();

	if (!pid) {
		nanosleep(&whole, NULL);
		_exit(0);
	}
	return waitpid(pid, NULL, 0) == pid ? 0 : -1;
}

static const struct way {
	const char *name;
	long (*run)(void);
} ways[] = {
	{ "poll", way_poll }, { "select", way_select },
	{ "nanosleep", way_nanosleep }, { "futex", way_futex },
	{ "waitpid", way_child }, { "read", way_read },
	{ "a call of its own", way_own },
	{ "epoll_wait", way_epoll }, { "epoll_pwait2", way_epoll_pwait2 },
	{ "sigtimedwait", way_sigtimedwait }, { "semtimedop", way_semtimedop },
	{ "read, SO_RCVTIMEO", way_read_timed },
	{ "recv, SO_RCVTIMEO", way_recv_timed },
	{ "write, SO_SNDTIMEO", way_write_timed },
	{ "connect, SO_SNDTIMEO", way_connect },
	{ "io_uring_enter", way_uring },
	{ "MSG_WAITALL", way_waitall }, { "a large send", way_send },
	{ "a large write", way_write },
};
#define WAYS_NR (sizeof(ways) / sizeof(ways[0]))

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* The machine may be busy: how late is one whom nobody disturbs? */
static atomic_int late_ms;

static void *wait_in(void *arg)
{
	const struct way *way = arg;
	double begin = now(), took;
	long result = way->run();
	int err = errno;

	took = now() - begin;
	printf("%s: %s %.2f s (%s)\n", way->name,
	       result < 0 ? "wrong" : took < wait_s - 0.2 ? "early" :
	       took > wait_s + 0.8 + late_ms / 1000.0 ? "late" : "well", took,
	       result < 0 ? strerror(err) : "");
	fflush(stdout);
	return NULL;
}

static void measure(void)
{
	struct timespec ts = { 0, 20000000 };
	double begin;
	int late;

	while (!stop) {
		begin = now();
		nanosleep(&ts, NULL);
		late = (int)((now() - begin - 0.02) * 1000);
		if (late > late_ms)
			late_ms = late;
	}
}

static void *run_ways(void *arg)
{
	pthread_t t[WAYS_NR];
	size_t i;

	(void)arg;
	for (i = 0; i < WAYS_NR; i++)
		pthread_create(&t[i], NULL, wait_in, (void *)&ways[i]);
	usleep(200000);
	say("ready");
	for (i = 0; i < WAYS_NR; i++)
		pthread_join(t[i], NULL);
	stop = 1;
	return NULL;
}

static void start(void *(*fn)(void *), int nr)
{
	pthread_t t;

	while (nr--)
		pthread_create(&t, NULL, fn, NULL);
}

static atomic_int first_nap;

static void *naps_long(void *arg)
{
	int none = 0;

	atomic_compare_exchange_strong(&first_nap, &none, (int)gettid());
	for (;;)
		usleep(100000000);
	return arg;
}

static bool is_traced(int tid)
{
	char path[64], line[256];
	int tracer = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/status", tid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "TracerPid: %d", &tracer) == 1)
			break;
	if (file)
		fclose(file);
	return tracer;
}

/* Listed last, it is not stopped yet when the others are watched already. */
static void *begins_anew(void *arg)
{
	while (!is_traced(first_nap))
		;
	execl("/proc/self/exe", "odd", "reads", NULL);
	return arg;
}

static void limit(__rlimit_resource_t what, rlim_t most)
{
	setrlimit(what, &(struct rlimit){ most, most });
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";
	pthread_t t;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	if (!strcmp(kind, "vfork"))
		return run_vfork(atoi(argv[2]));
	if (!strcmp(kind, "plug"))
		return run_plug(argv[2]);
	if (!strcmp(kind, "ways")) {
		whole.tv_sec = wait_s = atoi(argv[2]);
		pthread_create(&t, NULL, run_ways, NULL);
		measure();
		pthread_join(t, NULL);
		return 0;
	}
	if (!strcmp(kind, "single")) {
		whole.tv_sec = wait_s = atoi(argv[3]);
		say("ready");
		wait_in((void *)&ways[atoi(argv[2])]);
		return 0;
	}
	if (!strcmp(kind, "exec")) {
		start(naps, 3);
		usleep((useconds_t)(rand() % 8000 + 2000));
		if (time(NULL) > atol(argv[2]))
			_exit(0);
		execl("/proc/self/exe", argv[0], kind, argv[2], NULL);
		return 1;
	}
	if (!strcmp(kind, "traced")) {
		start(naps_long, 600);
		while (!first_nap)
			usleep(1000);
		start(begins_anew, 1);
		say("ready");
		for (;;)
			pause();
	}
	if (!strcmp(kind, "reads")) {
		reads_end(NULL);
		return 0;
	}
	if (!strcmp(kind, "fifo")) {
		fifo_fd = open(argv[2], O_RDWR);
		pthread_create(&t, NULL, reads_fifo, NULL);
		say("ready");
		pthread_join(t, NULL);
		return 0;
	}
	if (!strcmp(kind, "leader")) {
		start(reads_end, 1);
		start(naps, 1);
		say("ready");
		pthread_exit(NULL);
	}
	if (!strcmp(kind, "churn"))
		start(makes, 20);
	if (!strcmp(kind, "bare"))
		start(bare, 2);
	if (!strcmp(kind, "wakes"))
		start(wakes, 6);
	if (!strcmp(kind, "futex")) {
		start(waits_for_word, 2);
		signal(SIGALRM, SIG_IGN);
		say("ready");
		while (!stop)
			syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL);
	}
	if (!strcmp(kind, "descriptors"))
		limit(RLIMIT_NOFILE, 3);
	if (!strcmp(kind, "processes") && (setuid(65534) || prlimit(0,
			RLIMIT_NPROC, &(struct rlimit){ 1, 1 }, NULL)))
		return 1;
	say("ready");
	reads_end(NULL);
	return 1;
}
#endif
