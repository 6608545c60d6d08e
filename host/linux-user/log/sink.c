/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * sink.c - other destinations of the log.
 *
 * Owns: KPROBES_LOG, a comma-separated list:
 *   0 1 2 3    of the engine's own lines none, errors, also warnings, all
 *   stderr     the log also goes to standard error
 *   FILE       or to the end of that file
 * A program that "kprobes load" has started uses stderr if nothing else is set.
 *
 * A thread with a file table of its own writes (writer.c): to the file, opened anew; or to its
 * copy of our copy of standard error, if that is still what it was at the start (programs close
 * theirs before they end; a forked child has only its own, so nobody waits for its end), through
 * an open file of its own, which does not block. For a slow reader SLOW_MS are spent; then the
 * lines are only in the ring.  Once the program has a seccomp filter, which might kill, they
 * stay there until the end.
 */
#include "log/sink.h"
#include "atomic.h"
#include "attach.h"
#include "machine.h"
#include "process/environment.h"
#include "process/fd.h"
#include "process/ids.h"
#include "process/writer.h"
#include "log/log_ring.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>

#define SLOW_MS 200
#define COPY_MIN 100

static enum { NOWHERE, STDERR, PATH } where;	/* written once */
static char path[4096];
static struct kp_fd copy = { .fd = -1 };	/* of standard error */
static uint64_t next;			/* ticket; by busy */
static int busy;			/* a lock that is not waited for */
static bool ending;			/* lines go out, filters or not */

struct piece {
	char text[4096];
	size_t len;
};

static char copy_name[64];		/* in a table that has it */

static void name_copy(void)
{
	static const char dir[] = "/proc/thread-self/fd/";
	char digits[12];
	size_t at = sizeof(digits), len = sizeof(dir) - 1;
	long n = copy.fd;

	memcpy(copy_name, dir, len);
	do
		digits[--at] = (char)('0' + n % 10);
	while (n /= 10);
	memcpy(copy_name + len, digits + at, sizeof(digits) - at);
	copy_name[len + sizeof(digits) - at] = 0;
}

/* ---- writing, by a thread of its own files ------------------------------------------- */

KP_TRAP_PATH static long put(long fd, bool is_socket, const char *text, size_t len)
{
	if (is_socket)
		return sys6(SYS_sendto, fd, (long)text, (long)len,
			    MSG_DONTWAIT | MSG_NOSIGNAL, 0, 0);
	return sys3(SYS_write, fd, text, len);
}

KP_TRAP_PATH static void put_all(long fd, bool is_socket, const struct piece *piece)
{
	struct timespec left = { 0, SLOW_MS * 1000000l };
	struct pollfd pfd = { .fd = (int)fd, .events = POLLOUT };
	size_t at = 0;
	long done;

	while (at < piece->len) {
		done = put(fd, is_socket, piece->text + at, piece->len - at);
		if (done > 0) {
			at += (size_t)done;
			continue;
		}
		/* The kernel counts the time down. */
		if (done != -EAGAIN ||
		    sys6(SYS_ppoll, (long)&pfd, 1, (long)&left, 0, 0, 0) != 1)
			return;
	}
}

KP_TRAP_PATH static int write_path(void *arg)
{
	long fd = sys4(SYS_openat, AT_FDCWD, path,
		       O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK |
		       O_NOCTTY, 0666);

	if (fd < 0)
		return (int)fd;
	put_all(fd, false, arg);
	sys_close(fd);
	return 0;
}

KP_TRAP_PATH static bool is_stderr(struct stat *st)
{
	return !sys_fstat(copy.fd, st) && st->st_dev == copy.dev &&
	       st->st_ino == copy.ino;
}

KP_TRAP_PATH static int write_stderr(void *arg)
{
	struct stat st;
	long fd;

	if (!is_stderr(&st))
		return -EBADF;
	/* A file makes nobody wait, and its offset is the program's, too. */
	if (S_ISSOCK(st.st_mode) || S_ISREG(st.st_mode)) {
		put_all(copy.fd, S_ISSOCK(st.st_mode), arg);
		return 0;
	}
	fd = sys_open(copy_name,
		      O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return (int)fd;
	put_all(fd, false, arg);
	sys_close(fd);
	return 0;
}

/* ---- from the ring ----------------------------------------------------------------- */

KP_TRAP_PATH static void add_lost(struct piece *piece, uint64_t nr)
{
	static const char words[] = "kprobes: lines of the log are lost here\n";

	if (nr && piece->len + sizeof(words) <= sizeof(piece->text)) {
		memcpy(piece->text + piece->len, words, sizeof(words) - 1);
		piece->len += sizeof(words) - 1;
	}
}

/* What is there and fits. */
KP_TRAP_PATH static void collect(struct piece *piece)
{
	uint64_t head = kp_user_log_head();
	long len;

	piece->len = 0;
	if (head - next > KP_LOG_SLOTS) {
		add_lost(piece, head - next - KP_LOG_SLOTS);
		next = head - KP_LOG_SLOTS;
	}
	while (next != head &&
	       piece->len + KP_LOG_TEXT <= sizeof(piece->text)) {
		len = kp_user_log_take(next, piece->text + piece->len);
		/* A writer is at it, and comes here itself. */
		if (len == -EAGAIN)
			break;
		if (len > 0)
			piece->len += (size_t)len;
		next++;
	}
}

/*
 * Any context.  A thread that has no copy of number 2 leaves it to the one that
 * it works for (writer.c), or to the next line.
 */
KP_TRAP_PATH static void sink(void)
{
	static struct piece piece;	/* by busy */

	if (where == NOWHERE || (where == STDERR && kp_user_has_own_files()) ||
	    (kp_user_filtered() && !ending))
		return;
	while (kp_load_relaxed(&next) != kp_user_log_head()) {
		if (__atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE))
			return;
		collect(&piece);
		if (piece.len && where == PATH)
			kp_user_write_apart(-1, write_path, &piece);
		else if (piece.len)
			kp_user_write_apart((int)copy.fd, write_stderr, &piece);
		kp_store_release(&busy, 0);
		if (!piece.len)
			return;
	}
}

/* The program ends, and no filter kills for what that takes. */
void kp_user_sink_end(void)
{
	ending = true;
	sink();
}

void kp_user_sink_fork(void)
{
	busy = 0;
	if (where != STDERR)
		return;
	if (copy.fd != 2)
		kp_user_fd_close(&copy);
	copy.fd = 2;
	name_copy();
}

/* ---- KPROBES_LOG ----------------------------------------------------------------------- */

static void to_stderr(void)
{
	long fd = sys3(SYS_fcntl, 2, F_DUPFD_CLOEXEC, COPY_MIN);

	if (copy.fd >= 0 || fd < 0)
		return;
	kp_user_fd_keep(&copy, fd);
	name_copy();
	where = STDERR;
}

/* The engine's level, or -1. */
int kp_user_sink_init(void)
{
	const char *word = kp_user_wish("KPROBES_LOG");
	int level = -1;
	size_t len;

	if (kp_user_wish("KPROBES_ONCE") || kp_user_wish("KPROBES_AGAIN"))
		to_stderr();
	for (; word && *word; word += len + (word[len] == ',')) {
		for (len = 0; word[len] && word[len] != ',';)
			len++;
		if (len == 1 && word[0] >= '0' && word[0] <= '3') {
			level = word[0] - '0';
		} else if (len == 6 && !memcmp(word, "stderr", 6)) {
			to_stderr();
		} else if (len && len < sizeof(path)) {
			memcpy(path, word, len);
			path[len] = 0;
			where = PATH;
		}
	}
	if (where != NOWHERE) {
		kp_user_log_listen(sink);
		/* What the thread that wrote has said. */
		kp_user_write_after(sink);
	}
	return level;
}
