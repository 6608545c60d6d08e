// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * jail.c - reading possibly hostile files in a process that can do nothing else.
 *
 * Owns: three processes.  A target controls its own ELF files and DWARF, the library that reads
 * them is large, and the user of the command may be root.  So a bug in that library must have no
 * effect.
 *
 *   the command   waits, and passes on what the jail prints, through the filter
 *                 of printable.c; ends it when it takes too long
 *   the opener    opens regular files for the jail, as view.c does; it reads
 *                 nothing of them, and is a process only so that a file
 *                 system that does not answer blocks nobody else
 *   the jail      has no capability, and by seccomp only the system calls that
 *                 reading its input takes; memory and processor time are
 *                 bounded, and it is the first to be killed when memory is short
 */
#include "jail.h"
#include "newer_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CPU_SECONDS 600
#define MEMORY_LEAST (4ull << 30)	/* otherwise what the machine has */
#define WAIT_MS 1200000l		/* for it, not counting who reads us */
#define TAKE_MAX (16u << 20)
#define FILES_MAX 4096			/* that it may be given */
#define OUR_FD 3			/* the socket's, in the jail */

struct request {
	enum { MAPPING, BUILD_ID, DEBUGLINK, SPLIT, PERF_MAP, MAPS, MEMORY } kind;
	unsigned int who;		/* which view */
	unsigned int place, len;
	uint64_t start;
	uint8_t text[1024];		/* with len, and a 0 behind it */
};

static const char cannot_write[] = "its output cannot be written";

static bool inside;
static int kept = -1;

bool jail_inside(void)
{
	return inside;
}

int jail_kept(void)
{
	return kept;
}

/* ---- the opener ------------------------------------------------------------- */

/* What the jail may ask for. */
struct views {
	const struct view *all;
	unsigned int nr;
	const struct jail_guests *guests;	/* NULL: none */
};

static const struct view *view_of(const struct views *views, unsigned int who)
{
	static struct view guests[JAIL_GUESTS];
	const char *debug_dir = getenv("KPROBES_DEBUG_DIR");
	pid_t pid;

	if (who < views->nr)
		return &views->all[who];
	pid = views->guests && who < JAIL_GUESTS ? views->guests->pids[who] : 0;
	if (!pid)
		return NULL;
	/* Another one may have come in its place. */
	if (guests[who].pid && guests[who].pid != pid)
		view_close(&guests[who]);
	if (guests[who].pid != pid && view_open(&guests[who], pid, NULL, debug_dir))
		guests[who].pid = 0;
	/* Who has the number now may be somebody else, whose files are none of the target's. */
	if (guests[who].pid && remote_began(pid) != views->guests->began[who]) {
		view_close(&guests[who]);
		guests[who].pid = 0;
	}
	return guests[who].pid ? &guests[who] : NULL;
}

static int open_maps(const struct view *view)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)view->pid);
	fd = view->pid ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	return fd < 0 ? -ESRCH : fd;
}

static int open_for(const struct views *views, struct request *r)
{
	const struct view *view = view_of(views, r->who);

	if (!view || r->len >= sizeof(r->text))
		return -EINVAL;
	r->text[r->len] = 0;
	switch (r->kind) {
	case MAPPING:
		return view_mapping(view, r->start);
	case BUILD_ID:
		return view_build_id(view, r->text, r->len);
	case DEBUGLINK:
		return view_debuglink(view, r->start, (char *)r->text,
				      r->place);
	case SPLIT:
		return view_split(view, (char *)r->text);
	case PERF_MAP:
		return view_perf_map(view);
	case MAPS:
		return open_maps(view);
	case MEMORY:
		return view->pid && view->fd >= 0 ? dup(view->fd) : -ESRCH;
	}
	return -EINVAL;
}

static bool send_file(int sock, int fd)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { { 0 } };
	int result = fd < 0 ? fd : 0;
	struct iovec part = { &result, sizeof(result) };
	struct msghdr msg = { .msg_iov = &part, .msg_iovlen = 1 };
	struct cmsghdr *c = &control.align;

	if (fd >= 0) {
		msg.msg_control = &control;
		msg.msg_controllen = sizeof(control);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	}
	return sendmsg(sock, &msg, MSG_NOSIGNAL) == sizeof(result);
}

static void open_files(const struct views *views, int sock)
{
	struct request r;
	bool goes_on = true;
	int fd, nr = 0;

	while (goes_on && recv(sock, &r, sizeof(r), 0) == sizeof(r)) {
		fd = nr < FILES_MAX ? open_for(views, &r) : -EMFILE;
		nr += fd >= 0;
		goes_on = send_file(sock, fd);
		if (fd >= 0)
			close(fd);
	}
}

/* ---- the jail: asking -------------------------------------------------------- */

static int take_file(void)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control;
	int result = -EIO, fd = -1;
	struct iovec part = { &result, sizeof(result) };
	struct msghdr msg = {
		.msg_iov = &part, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *c;

	if (recvmsg(OUR_FD, &msg, MSG_CMSG_CLOEXEC) != sizeof(result))
		return -EIO;
	c = CMSG_FIRSTHDR(&msg);
	if (!result && c && c->cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	return result ? result : fd < 0 ? -EIO : fd;
}

static int ask(struct request *r, const void *text, size_t len)
{
	if (len >= sizeof(r->text))
		return -EINVAL;
	memcpy(r->text, text, len);
	r->len = (unsigned int)len;
	if (send(OUR_FD, r, sizeof(*r), MSG_NOSIGNAL) != sizeof(*r))
		return -EIO;
	return take_file();
}

int jail_mapping(const struct view *view, uint64_t start)
{
	struct request r = { .kind = MAPPING, .who = view->who, .start = start };

	return ask(&r, "", 0);
}

int jail_build_id(const struct view *view, const uint8_t *id, size_t len)
{
	struct request r = { .kind = BUILD_ID, .who = view->who };

	return ask(&r, id, len);
}

int jail_debuglink(const struct view *view, uint64_t start, const char *name,
		   unsigned int place)
{
	struct request r = { .kind = DEBUGLINK, .who = view->who, .start = start,
			     .place = place };

	return ask(&r, name, strlen(name));
}

int jail_split(const struct view *view, const char *name)
{
	struct request r = { .kind = SPLIT, .who = view->who };

	return ask(&r, name, strlen(name));
}

int jail_perf_map(const struct view *view)
{
	struct request r = { .kind = PERF_MAP, .who = view->who };

	return ask(&r, "", 0);
}

int jail_view(struct view *view, pid_t pid, unsigned int who, const char *program)
{
	struct request maps = { .kind = MAPS, .who = who };
	struct request memory = { .kind = MEMORY, .who = who };
	int fd = ask(&maps, "", 0);

	*view = (struct view){ .pid = pid, .who = who, .fd = -1, .remote = {
		.pid = pid, .mem = -1,
	} };
	if (fd < 0 || remote_refresh_from(&view->remote, fd))
		return fd < 0 ? fd : -EIO;
	snprintf(view->program, sizeof(view->program), "%s", program);
	view->fd = ask(&memory, "", 0);
	return 0;
}

/* ---- the jail: closing it ------------------------------------------------------ */

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, \
			     offsetof(struct seccomp_data, field))
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define REFUSE BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
#define KILL BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)
#define IF_IS(value, yes, no) \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), (yes), (no))
#define MAY(name) IF_IS(SYS_##name, 0, 1), ALLOW

/* What cannot lead out; memory is never made executable. */
static int close_calls(void)
{
	struct sock_filter code[] = {
		LOAD(arch),
		IF_IS(CALLS_AUDIT_ARCH, 1, 0),
		KILL,
		LOAD(nr),
		MAY(read), MAY(pread64), MAY(readv), MAY(preadv), MAY(write),
		MAY(writev), MAY(lseek), MAY(close), MAY(fstat),
		MAY(newfstatat), MAY(brk), MAY(munmap), MAY(mremap),
		MAY(madvise), MAY(futex), MAY(getrandom), MAY(clock_gettime),
		MAY(sendto), MAY(sendmsg), MAY(recvmsg), MAY(rt_sigprocmask),
		MAY(rt_sigreturn), MAY(sigaltstack), MAY(sched_yield),
		MAY(clock_nanosleep), MAY(memfd_create), MAY(exit), MAY(exit_group),
		CALLS_JAIL
		IF_IS(SYS_mmap, 1, 0),
		IF_IS(SYS_mprotect, 0, 3),
		LOAD(args[2]),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 1, 0),
		ALLOW,
		REFUSE,
	};
	struct sock_fprog program = {
		.len = sizeof(code) / sizeof(code[0]), .filter = code,
	};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) ? errno : 0;
}

static void limit(int what, rlim_t value)
{
	struct rlimit now;

	if (getrlimit(what, &now))
		return;
	if (now.rlim_max < value)
		value = now.rlim_max;
	now.rlim_cur = now.rlim_max = value;
	setrlimit(what, &now);
}

static void limit_memory(void)
{
#ifndef __SANITIZE_ADDRESS__		/* its shadow counts */
	rlim_t memory = (rlim_t)sysconf(_SC_PHYS_PAGES) *
			(rlim_t)sysconf(_SC_PAGESIZE);

	limit(RLIMIT_DATA, memory > MEMORY_LEAST ? memory : MEMORY_LEAST);
#endif
}

static void limit_all(bool lasts)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd >= 0) {
		if (write(fd, "1000", 4) != 4)
			errno = 0;	/* then it is as any other */
		close(fd);
	}
	limit_memory();
	if (!lasts)
		limit(RLIMIT_CPU, CPU_SECONDS);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_NOFILE, 2 * FILES_MAX);
}

static void drop_capabilities(void)
{
	struct __user_cap_header_struct head = {
		_LINUX_CAPABILITY_VERSION_3, 0,
	};
	struct __user_cap_data_struct none[2] = { { 0 } };

	syscall(SYS_capset, &head, none);
}

int jail_close(bool lasts)
{
	int err;

	limit_all(lasts);
	drop_capabilities();
	err = close_calls();
	if (!err)
		return CLI_OK;
	cli_error("files of others are not read: seccomp, which keeps that harmless, is not available (%s)",
		  strerror(err));
	return CLI_FAILED;
}

/* Out of the way of those that get a number, which are so many. */
static int lift(int fd, unsigned int nr)
{
	return fd < 0 ? fd : fcntl(fd, F_DUPFD_CLOEXEC, OUR_FD + 1 + (int)nr);
}

/* Three descriptors, the socket, the processes' memory, and keep; nothing else. */
static void keep_few(struct view *views, unsigned int nr, int sock, int keep)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int fd, last = OUR_FD;
	unsigned int i;

	sock = lift(sock, nr + 1);
	keep = lift(keep, nr + 1);
	for (i = 0; i < nr; i++)
		views[i].fd = lift(views[i].fd, nr + 1);
	dup2(null, STDIN_FILENO);
	dup2(sock, OUR_FD);
	for (i = 0; i < nr; i++)
		if (views[i].fd >= 0)
			views[i].fd = dup2(views[i].fd, ++last);
	if (keep >= 0)
		kept = dup2(keep, ++last);
	if (syscall(NR_close_range, last + 1, ~0u, 0))
		for (fd = last + 1; fd < FILES_MAX; fd++)
			close(fd);
}

static void move_in(struct view *views, unsigned int nr, int sock, int out,
		    int err, int keep)
{
	inside = true;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_DUMPABLE, 0);
	signal(SIGPIPE, SIG_DFL);
	if (dup2(out, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0)
		_exit(CLI_FAILED);
	keep_few(views, nr, sock, keep);
	stdout = fdopen(STDOUT_FILENO, "w");
	stderr = fdopen(STDERR_FILENO, "w");
	if (!stdout || !stderr)
		_exit(CLI_FAILED);
	setvbuf(stderr, NULL, _IONBF, 0);
}

/* ---- the command -------------------------------------------------------------- */

static long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* False: what we print is not wanted any more, or it is too much. */
static bool pump(struct jail_pump *p)
{
	char bytes[16384];
	ssize_t got = read(p->fd, bytes, sizeof(bytes));

	if (got < 0 && errno == EINTR)
		return true;
	if (got <= 0) {
		close(p->fd);
		p->fd = -1;
		return true;
	}
	if (!p->to) {
		cli_lines_add(p->lines, bytes, (size_t)got);
		return p->lines->text && p->lines->len < TAKE_MAX;
	}
	return fwrite(bytes, 1, (size_t)got, p->to) == (size_t)got &&
	       !fflush(p->to);
}

bool jail_pass(struct jail *jail, int ms)
{
	struct jail_pump *pumps = jail->pumps;
	struct pollfd fds[2] = {
		{ .fd = pumps[0].fd, .events = POLLIN },
		{ .fd = pumps[1].fd, .events = POLLIN },
	};
	int i;

	if (pumps[0].fd < 0 && pumps[1].fd < 0)
		return false;
	if (poll(fds, 2, ms) <= 0)
		return true;
	for (i = 0; i < 2; i++)
		if (fds[i].revents && !pump(&pumps[i]))
			jail->wrong = cannot_write;
	return !jail->wrong;
}

static void pass_all(struct jail *jail)
{
	long begin, left = WAIT_MS;
	bool goes_on = true;

	while (goes_on && left > 0) {
		begin = now_ms();
		goes_on = jail_pass(jail, (int)left);
		left -= now_ms() - begin;
	}
	if (goes_on)
		jail->wrong = "it takes too long";
}

static int status_of(int status)
{
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	if (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL)
		cli_error("reading its files exceeds the limits of time or memory");
	else
		cli_error("its files cannot be read: they are damaged or malicious (%s)",
			  strsignal(WTERMSIG(status)));
	return CLI_FAILED;
}

int jail_end(struct jail *jail)
{
	int status = 0;

	if (jail->wrong) {
		kill(jail->pid, SIGKILL);
		/* Nobody reads it: that is no news to him, as with head(1). */
		if (jail->wrong != cannot_write)
			cli_error("reading files: %s", jail->wrong);
	}
	while (waitpid(jail->pid, &status, 0) < 0 && errno == EINTR)
		;
	kill(jail->opener, SIGKILL);
	while (waitpid(jail->opener, NULL, 0) < 0 && errno == EINTR)
		;
	return jail->wrong ? CLI_FAILED : status_of(status);
}

bool jail_start(struct jail *jail, struct view *views, unsigned int nr,
		struct jail_guests *guests, int keep, struct cli_lines *take,
		int *status)
{
	const struct views all = { views, nr, guests };
	int socks[2], out[2], err[2];
	unsigned int i;

	fflush(stdout);
	*status = CLI_FAILED;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, socks) ||
	    pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC)) {
		cli_error("no descriptors: %s", strerror(errno));
		return false;
	}
	*jail = (struct jail){ .pumps = {
		{ out[0], take ? NULL : stdout, take },
		{ err[0], stderr, NULL },
	} };
	jail->opener = fork();
	if (!jail->opener) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(socks[1]);
		close(out[1]);
		close(err[1]);
		open_files(&all, socks[0]);
		_exit(0);
	}
	close(socks[0]);
	for (i = 0; i < nr; i++)
		views[i].who = i;
	jail->pid = jail->opener > 0 ? fork() : -1;
	if (!jail->pid) {
		if (guests)
			munmap(guests, sizeof(*guests));
		move_in(views, nr, socks[1], out[1], err[1], keep);
		return true;
	}
	close(socks[1]);
	close(out[1]);
	close(err[1]);
	if (jail->pid > 0)
		*status = CLI_OK;
	else
		cli_error("no process: %s", strerror(errno));
	return false;
}

bool jail_begin(struct view *view, struct cli_lines *take, int *status)
{
	struct jail jail;

	if (jail_start(&jail, view, 1, NULL, -1, take, status))
		return true;
	if (*status)
		return false;
	pass_all(&jail);
	*status = jail_end(&jail);
	return false;
}
