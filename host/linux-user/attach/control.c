/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * control.c - the endpoint that the kprobes command talks to.
 *
 * Owns: the service thread and its knock socket.  There is such a thread only
 * while a client is connected: a program that gives up rights, or counts its
 * threads, is not held back by it.  It has a file table of its own, with its
 * sockets and the way to this memory, which nobody inherits; a client takes one
 * end of the knock socket out of it, which the kernel allows to whom it allows
 * ptrace, and hands in its own socket.  It proves by a token, written into this
 * memory, that it was allowed to; and every request has to come from who gave
 * the token.
 *
 * Every signal is blocked that is neither the thread's own doing nor the C
 * library's.  It serves one client, never longer than IDLE_MS without a request
 * or STUCK_MS for an answer, and not when the program has other rights by now
 * than when it began: the thread would have the old ones.  A reply is collected
 * before it is sent, so that no lock of the engine waits for a client.
 */
#include "attach/control.h"
#include "atomic.h"
#include "attach.h"
#include "face.h"
#include "host.h"
#include "machine.h"
#include "signal_sets.h"
#include "thread.h"
#include "upcall.h"
#include "freestanding/format.h"
#include "freestanding/parse.h"
#include "process/fd.h"
#include "process/ids.h"
#include "process/thread_file.h"
#include "process/writer.h"
#include "log/log_ring.h"
#include "threads/contexts.h"
#include "threads/defer.h"
#include "threads/held.h"
#include "threads/own_work.h"
#include "text/intercept.h"
#include "watch/page_store.h"
#include "modules/load.h"
#include "start/init.h"
#include "attach/release.h"

#include <kprobes/control.h>
#include <kprobes/load.h>
#include <linux/futex.h>
#include <linux/prctl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>

#define IDLE_MS 5000
#define STUCK_MS 2000
#define LOOK_MS 100
#define OUT_MAX (64u << 20)
#define KNOCK_MS 3000
#define STACK_LEN (1u << 20)

static int knock = -1;			/* the service thread's end */
static int thread_began;		/* 1, or -errno; a futex */
static int borrowed;			/* the thread that was, for making it */
static bool shared;			/* the client's end is the program's */
static char password[KP_KNOCK_LEN + 1];	/* what a client has to say */

/* ---- answers ---------------------------------------------------------------- */

struct out {
	char *text;
	size_t len, room;
	bool lost;
};

/* From our heap: what is long goes back to the kernel, not to an arena. */
static bool grow(struct out *out, size_t room)
{
	char *more = room > OUT_MAX ? NULL : kp_host_alloc(room);

	if (!more)
		return false;
	if (out->len)
		memcpy(more, out->text, out->len);
	kp_host_free(out->text);
	out->text = more;
	out->room = room;
	return true;
}

static void put(void *arg, const char *text, size_t len)
{
	struct out *out = arg;

	if (out->lost)
		return;
	if (out->len + len > out->room && !grow(out, (out->len + len) * 2)) {
		out->lost = true;
		return;
	}
	memcpy(out->text + out->len, text, len);
	out->len += len;
}

static void put_path(void *arg, const char *path)
{
	put(arg, path, strlen(path));
	put(arg, "\n", 1);
}

static bool ready(int fd, short events, int ms)
{
	struct pollfd pfd = { .fd = fd, .events = events };
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000l };
	long nr;

	/* The kernel counts ts down. */
	do
		nr = sys6(SYS_ppoll, (long)&pfd, 1, (long)&ts, 0, 0, 0);
	while (nr == -EINTR);
	return nr == 1;
}

static bool send_packet(int fd, char kind, const char *text, size_t len)
{
	struct iovec parts[2] = {
		{ .iov_base = &kind, .iov_len = 1 },
		{ .iov_base = (void *)(uintptr_t)text, .iov_len = len },
	};
	struct msghdr msg = { .msg_iov = parts, .msg_iovlen = 2 };
	long sent;

	do {
		if (!ready(fd, POLLOUT, STUCK_MS))
			return false;
		sent = sys3(SYS_sendmsg, fd, &msg, MSG_DONTWAIT | MSG_NOSIGNAL);
	} while (sent == -EAGAIN || sent == -EINTR);
	return sent == (long)len + 1;
}

/* As many as one packet takes; of a longer one, a part. */
static size_t whole_lines(const char *text, size_t len)
{
	size_t whole = KP_PACKET_MAX - 1;

	if (len <= whole)
		return len;
	while (whole && text[whole - 1] != '\n')
		whole--;
	return whole ? whole : KP_PACKET_MAX - 1;
}

static bool answer(int fd, const struct out *out, int err, const char *text)
{
	size_t at, len;
	char last[600];
	size_t n;

	for (at = 0; at < out->len; at += len) {
		len = whole_lines(out->text + at, out->len - at);
		if (!send_packet(fd, 'd', out->text + at, len))
			return false;
	}
	n = kp_user_print(last, sizeof(last), "%d %s", err < 0 ? -err : err, text);
	return send_packet(fd, 'e', last, n < sizeof(last) ? n : sizeof(last) - 1);
}

/* ---- requests ------------------------------------------------------------- */

struct request {
	char *words;			/* after the verb */
	int fd, second;			/* that came along, or -1 */
	struct out out;
	bool fixed;			/* out.text is not of the heap */
	bool stays;			/* a last one follows */
	char error[512];
};

static int do_list(struct request *r)
{
	kprobes_list(put, &r->out);
	return 0;
}

static int do_details(struct request *r)
{
	kp_core_report_details(put, &r->out);
	return 0;
}

static int do_blacklist(struct request *r)
{
	kprobes_blacklist(put, &r->out);
	return 0;
}

static int show(struct request *r, bool on)
{
	put(&r->out, on ? "1\n" : "0\n", 2);
	return 0;
}

static int do_enabled(struct request *r)
{
	if (!r->words[0])
		return show(r, kprobes_is_enabled());
	return kp_core_write_enabled(r->words, strlen(r->words));
}

static int do_optimization(struct request *r)
{
	if (!r->words[0])
		return show(r, kp_core_optimization());
	return kp_core_write_optimization(r->words, strlen(r->words));
}

static int do_enable(struct request *r)
{
	return kprobes_switch(r->words, true);
}

static int do_disable(struct request *r)
{
	return kprobes_switch(r->words, false);
}

/* The second file becomes memory that the module shares with the client. */
static int do_load(struct request *r)
{
	int fd = r->fd, second = r->second;

	r->fd = r->second = -1;
	/* Without the engine's handlers a hit would kill. */
	if (kp_attach.state != KP_ATTACH_RUNNING) {
		kp_user_print(r->error, sizeof(r->error), "the process is being left by another command; try again");
		if (fd >= 0)
			sys_close(fd);
		if (second >= 0)
			sys_close(second);
		return -EAGAIN;
	}
	return kp_shim_load(r->words, fd, second, r->error, sizeof(r->error));
}

/* Room for a module that the client links for this process, and all of it. */
static int do_room(struct request *r)
{
	uintptr_t base = 0;
	char line[32];
	int err = kp_face_room(r->words, &base);

	if (!err)
		put(&r->out, line, kp_user_print(line, sizeof(line), "%lx\n", (unsigned long)base));
	return err;
}

static int do_place(struct request *r)
{
	return kp_face_place(r->words, r->fd);
}

/* The way to this memory, from a client that may open it. */
static int do_memory(struct request *r)
{
	if (r->fd < 0)
		return -EBADF;
	kp_user_mem_set(r->fd);
	r->fd = -1;
	return 0;
}

static int do_unload(struct request *r)
{
	return kp_unload(r->words);
}

static int do_modules(struct request *r)
{
	kp_shim_modules(put_path, &r->out);
	return 0;
}

static int do_unload_all(struct request *r)
{
	(void)r;
	kp_shim_unload(true);
	return 0;
}

/* Detaching, first part: while the program runs. */
static int do_clear(struct request *r)
{
	(void)r;
	if (!kp_attach.attached)
		return -EBUSY;
	return kp_user_clear();
}

static void put_range(void *arg, uintptr_t base, size_t len)
{
	char line[64];

	put(arg, line, kp_user_print(line, sizeof(line), "%lx-%lx\n",
					(unsigned long)base,
					(unsigned long)(base + len)));
}

/* Still while it runs: where a thread must not rest when we are gone. */
static int do_slots(struct request *r)
{
	kp_core_slots(put_range, &r->out);
	kp_user_page_steps(put_range, &r->out);
	return 0;
}

/* The answer to a request that is made while all other threads are stopped. */
static void put_fixed(struct request *r, char *text, size_t len)
{
	r->out.text = text;
	r->out.len = len;
	r->fixed = true;
}

/* What a thread that rests in a slot would have as its IP without us. */
static int do_original(struct request *r)
{
	static char text[32];
	const char *words = r->words;
	uint64_t ip = 0;

	kp_user_parse(&words, 16, &ip);
	put_fixed(r, text, kp_user_print(text, sizeof(text), "%lx\n",
			(unsigned long)kp_core_original_ip((uintptr_t)ip)));
	return 0;
}

/* kept_open: until now, by the breakpoints.  No lock and no heap. */
static void put_wanting(struct request *r, bool kept_open)
{
	static int tids[KP_MAILBOX_THREADS];
	static sys_sigset masks[KP_MAILBOX_THREADS];
	static char text[32 * KP_MAILBOX_THREADS];
	size_t len = 0;
	int i, nr;

	if (kept_open)
		kp_user_trap_unwatched();
	nr = kp_user_trap_opened(tids, masks, KP_MAILBOX_THREADS);
	for (i = 0; i < nr; i++)
		len += kp_user_print(text + len, sizeof(text) - len,
					"%d %lx\n", tids[i],
					kept_open ? 0 : (unsigned long)sys_first(masks[i]));
	put_fixed(r, text, len);
}

/*
 * Before the second: whom the tracer must stop, if it has left them asleep.  The
 * answer is the second's.  "traced": the tracer can be seen from here.
 */
static int do_wanting(struct request *r)
{
	kp_user_tracer_seen(!strcmp(r->words, "traced"));
	if (!kp_attach.attached || !kp_user_others_held())
		return -EBUSY;
	put_wanting(r, kp_user_intercept_started());
	return 0;
}

/*
 * The second: all other threads are held, so no lock is waited for and the
 * heap not used.  The answer: threads that want SIGTRAP blocked.  Where a command
 * was killed before the masks were watched, or after, each with the mask that it
 * wants if nothing else has changed in it; else with 0.
 */
static int do_disarm(struct request *r)
{
	bool kept_open = kp_user_intercept_started();
	int err;

	if (!kp_attach.attached || !kp_user_others_held())
		return -EBUSY;
	err = kp_user_disarm();
	if (err)
		return err;
	kp_attach.state = KP_ATTACH_CLEARED;
	put_wanting(r, kept_open);
	return 0;
}

/* Before the third, while a bad address does no harm: what "release" depends on. */
static int do_inside(struct request *r)
{
	static char text[128 * 1024];
	size_t len;

	if (kp_attach.state != KP_ATTACH_CLEARED || !kp_user_others_held())
		return -EBUSY;
	len = kp_user_inside(text, sizeof(text));
	if (!len)
		return -E2BIG;
	put_fixed(r, text, len);
	return 0;
}

/* The third: the same.  "stay": a fourth will follow. */
static int do_finish(struct request *r)
{
	if (kp_attach.state != KP_ATTACH_CLEARED || !kp_user_others_held())
		return -EBUSY;
	kp_user_finish();
	kp_user_memory_inert();
	kp_attach.attached = 0;
	kp_attach.state = KP_ATTACH_INERT;
	kp_user_keep_none();
	r->stays = !strcmp(r->words, "stay");
	return 0;
}

/*
 * After a third that stays: "still" as long as there are more addresses than go into
 * one request, then one of the other two; and the thread ends.  It ends, too, where
 * one is refused.
 */
static int do_still(struct request *r)
{
	int err;

	if (kp_attach.state != KP_ATTACH_INERT || !kp_user_others_held())
		return -EBUSY;
	err = kp_user_keep(r->words);
	r->stays = !err;
	return err;
}

static int do_keep(struct request *r)
{
	(void)r;
	return 0;
}

static int do_release(struct request *r)
{
	int err;

	if (kp_attach.state != KP_ATTACH_INERT || !kp_user_others_held())
		return -EBUSY;
	err = kp_user_keep(r->words);
	return err ? err : kp_user_release();
}

static const struct {
	const char *verb;
	int (*run)(struct request *r);
} verbs[] = {
	{ "list", do_list },
	{ "details", do_details },
	{ "blacklist", do_blacklist },
	{ "enabled", do_enabled },
	{ "optimization", do_optimization },
	{ "enable", do_enable },
	{ "disable", do_disable },
	{ "load", do_load },
	{ "room", do_room },
	{ "place", do_place },
	{ "memory", do_memory },
	{ "unload", do_unload },
	{ "unload-all", do_unload_all },
	{ "modules", do_modules },
	{ "clear", do_clear },
	{ "slots", do_slots },
	{ "original", do_original },
	{ "wanting", do_wanting },
	{ "disarm", do_disarm },
	{ "finish", do_finish },
	{ "inside", do_inside },
	{ "still", do_still },
	{ "keep", do_keep },
	{ "release", do_release },
};

/* text: one request, terminated.  The errno, positive or negative. */
static int run(struct request *r, char *text)
{
	size_t i, len = strcspn(text, " ");

	r->words = text + len + (text[len] == ' ');
	text[len] = 0;
	for (i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (!strcmp(text, verbs[i].verb))
			return verbs[i].run(r);
	return -ENOSYS;
}

/* ---- packets ----------------------------------------------------------------- */

/* What came with a packet; every descriptor but the first two is closed. */
struct packet {
	char text[KP_PACKET_MAX];
	long len;
	int fd, second;
	struct ucred sender;
	bool known;			/* he is */
};

/* The macro for it may be a call into the C library. */
static struct cmsghdr *next_extra(const struct msghdr *msg, struct cmsghdr *c)
{
	const char *end = (const char *)msg->msg_control + msg->msg_controllen;
	char *next = (char *)c + CMSG_ALIGN(c->cmsg_len);

	if (c->cmsg_len < sizeof(*c) || next > end || (size_t)(end - next) < sizeof(*c))
		return NULL;
	return (struct cmsghdr *)(void *)next;
}

static void take_extras(struct packet *p, struct msghdr *msg)
{
	struct cmsghdr *c;
	size_t i, nr;
	int fd;

	for (c = CMSG_FIRSTHDR(msg); c; c = next_extra(msg, c)) {
		if (c->cmsg_level != SOL_SOCKET)
			continue;
		if (c->cmsg_type == SCM_CREDENTIALS) {
			memcpy(&p->sender, CMSG_DATA(c), sizeof(p->sender));
			p->known = true;
		}
		if (c->cmsg_type != SCM_RIGHTS)
			continue;
		nr = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (i = 0; i < nr; i++) {
			memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(fd));
			if (p->fd < 0)
				p->fd = fd;
			else if (p->second < 0)
				p->second = fd;
			else
				sys_close(fd);
		}
	}
}

/* Truncated packets have len -EMSGSIZE.  Text is terminated. */
static void receive(int fd, struct packet *p, int flags)
{
	union {
		char bytes[256];
		struct cmsghdr align;
	} control;
	struct iovec part = { p->text, sizeof(p->text) - 1 };
	struct msghdr msg = {
		.msg_iov = &part, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};

	p->fd = p->second = -1;
	p->known = false;
	p->len = sys3(SYS_recvmsg, fd, &msg, flags | MSG_CMSG_CLOEXEC);
	if (p->len < 0)
		return;
	take_extras(p, &msg);
	p->text[p->len] = 0;
	if (msg.msg_flags & MSG_TRUNC)
		p->len = -EMSGSIZE;
}

static void end_packet(struct packet *p)
{
	if (p->fd >= 0)
		sys_close(p->fd);
	if (p->second >= 0)
		sys_close(p->second);
	p->fd = p->second = -1;
}

/* What was said while it ran goes first.  A client that is gone is seen later. */
static int run_heard(int fd, struct request *r, char *text)
{
	const char *heard;
	size_t len;
	int err;

	kp_user_hear_begin();
	err = run(r, text);
	heard = kp_user_hear_end(&len);
	if (len)
		send_packet(fd, 's', heard, len);
	return err;
}

/* False: no more of this client. */
static bool serve_packet(int fd, struct packet *p)
{
	struct request r = { .fd = p->fd, .second = p->second };
	bool goes_on;
	int err;

	p->fd = p->second = -1;
	if (p->len == -EMSGSIZE)
		err = -EMSGSIZE;
	else if (memchr(p->text, 0, (size_t)p->len))
		err = -EINVAL;
	else
		err = run_heard(fd, &r, p->text);
	if (r.out.lost)
		err = -ENOMEM;
	goes_on = answer(fd, &r.out, err, r.error) &&
		  (kp_attach.state != KP_ATTACH_INERT || r.stays);
	if (r.fd >= 0)
		sys_close(r.fd);
	if (r.second >= 0)
		sys_close(r.second);
	if (r.out.text && !r.fixed)
		kp_host_free(r.out.text);
	return goes_on;
}

/* What the kernel says of a thread's rights; 0: nothing. */
static uint64_t rights_of(int tid)
{
	static const char *const fields[] = {
		"Uid:", "Gid:", "Cap", "NoNewPrivs:", "Seccomp",
	};
	char text[4096], *line, *next;
	uint64_t hash = 0;
	size_t i;

	if (!kp_user_thread_file(tid, "status", text, sizeof(text)))
		return 0;
	for (line = text; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
			if (!strncmp(line, fields[i], strlen(fields[i])))
				for (; *line; line++)
					hash = hash * 31 + (unsigned char)*line;
	}
	return hash;
}

/* Of the program's first thread. */
static uint64_t rights(void)
{
	return rights_of(sys_getpid());
}

static bool same_sender(const struct packet *p, const struct ucred *client)
{
	return p->known && p->sender.pid == client->pid &&
	       p->sender.uid == client->uid && p->sender.gid == client->gid;
}

/* False: none came in time. */
static bool wait_for_request(int fd)
{
	int ms;

	for (ms = 0; ms < IDLE_MS; ms += LOOK_MS) {
		if (ready(fd, POLLIN, LOOK_MS))
			return true;
		/* The kernel's uprobes come and go without a word. */
		if (kp_attach.state == KP_ATTACH_RUNNING)
			kp_core_look();
	}
	return false;
}

static void serve_client(int fd, struct packet *p)
{
	const struct ucred client = p->sender;
	uint64_t before = rights();

	while (wait_for_request(fd)) {
		receive(fd, p, MSG_DONTWAIT);
		if (p->len == 0 || (p->len < 0 && p->len != -EMSGSIZE) ||
		    !same_sender(p, &client) || rights() != before ||
		    !serve_packet(fd, p))
			break;
	}
	end_packet(p);
}

static bool is_seqpacket(int fd)
{
	int domain = 0, type = 0;
	socklen_t len = sizeof(int);

	return !sys6(SYS_getsockopt, fd, SOL_SOCKET, SO_DOMAIN, (long)&domain, (long)&len, 0) &&
	       !sys6(SYS_getsockopt, fd, SOL_SOCKET, SO_TYPE, (long)&type, (long)&len, 0) &&
	       domain == AF_UNIX && type == SOCK_SEQPACKET;
}

/* ---- the thread -------------------------------------------------------------- */

static bool is_password(const struct packet *p)
{
	int differs = 0, i;

	/* Not faster for who knows a part of it. */
	for (i = 0; i < KP_KNOCK_LEN; i++)
		differs |= p->text[i] ^ password[i];
	return p->known && p->len == KP_KNOCK_LEN && !differs;
}

static bool tell_senders(int fd)
{
	int yes = 1;

	return !sys6(SYS_setsockopt, fd, SOL_SOCKET, SO_PASSCRED, (long)&yes,
		     sizeof(yes), 0);
}

/* False: it was not the client that is waited for. */
static bool take_knock(struct packet *p)
{
	int fd = p->fd;

	if (p->len < 0 || fd < 0 || !is_password(p) || !is_seqpacket(fd) ||
	    !tell_senders(fd))
		return false;
	p->fd = -1;
	/* Its copies are the client's now. */
	if (!shared)
		sys_close(kp_attach.knock_fd);
	serve_client(fd, p);
	sys_close(fd);
	return true;
}

/* Maybe in the borrowed thread: start_service says what that may not call. */
static int make_knock(void)
{
	int pair[2];
	struct stat st[2];
	long err;

	err = sys4(SYS_socketpair, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0,
		   pair);
	if (err)
		return (int)err;
	pair[0] = (int)kp_user_fd_lift(pair[0]);
	pair[1] = (int)kp_user_fd_lift(pair[1]);
	if (sys_fstat(pair[0], &st[0]) ||
	    sys_fstat(pair[1], &st[1]) || !tell_senders(pair[1])) {
		sys_close(pair[0]);
		sys_close(pair[1]);
		return -EIO;
	}
	kp_attach.knock_ino[0] = st[0].st_ino;
	kp_attach.knock_ino[1] = st[1].st_ino;
	knock = pair[1];
	/* The command reads it: what it proves the descriptor by is there. */
	kp_store_release(&kp_attach.knock_fd, pair[0]);
	return 0;
}

/* Is a number of the program's table still what it was when it was made? */
static void close_knock(int fd, int end)
{
	struct stat st;

	if (fd >= 0 && !sys_fstat(fd, &st) && S_ISSOCK(st.st_mode) &&
	    st.st_ino == kp_attach.knock_ino[end])
		sys_close(fd);
}

/*
 * setuid() has all threads that the C library knows change their rights; it did
 * not know who made this one (start_service), which may have come from before.
 */
static int settle_in(void)
{
	int err = kp_user_leave_files(shared ? knock : -1);
	long mem;

	if (!err && rights_of(sys_gettid()) != rights_of(borrowed))
		err = -EBUSY;
	if (!err && !shared)
		err = make_knock();
	if (err)
		return err;
	mem = sys_open("/proc/thread-self/mem", O_RDWR);
	kp_user_mem_set(mem);
	kp_attach.wants_memory = mem < 0;
	return 0;
}

static void began(int result)
{
	/* Pairs with who started it. */
	kp_store_release(&thread_began, result);
	sys4(SYS_futex, &thread_began, FUTEX_WAKE_PRIVATE, 1, 0);
}

static void service(void)
{
	static struct packet packet;
	/* Open too: what setuid() sends to all threads, and waits for. */
	sys_sigset mask = ~(KP_SIG_OWN | SYS_SIG(32) | SYS_SIG(33));
	bool served = false;
	int err;

	kp_user_own_has_begun();			/* to its end */
	sys_sigprocmask(SIG_SETMASK, &mask, NULL);
	sys3(SYS_prctl, PR_SET_NAME, "kprobes", 0);
	err = settle_in();
	if (err) {
		began(err);
		return;
	}
	kp_store_release(&kp_attach.service_tid, sys_gettid());
	began(1);
	while (!served && ready(knock, POLLIN, KNOCK_MS)) {
		receive(knock, &packet, MSG_DONTWAIT);
		served = take_knock(&packet);
		end_packet(&packet);
	}
	memset(password, 0, sizeof(password));
	if (kp_attach.state != KP_ATTACH_INERT)
		kp_user_defer_now();
	kp_attach.knock_fd = -1;
	kp_store_release(&kp_attach.service_tid, 0);
}

/* Signals are blocked. */
static int make_and_wait(void *arg)
{
	struct kp_user_context *own = kp_user_own_begin();
	const struct kp_mailbox *mailbox = arg;
	int err;

	kp_user_print(password, sizeof(password), KP_KNOCK,
		 (unsigned long long)mailbox->token[0],
		 (unsigned long long)mailbox->token[1]);
	thread_began = 0;
	err = kp_user_own_thread(STACK_LEN, service);
	kp_user_own_end(own);
	/* A hit of this thread may have put its number into the borrowed one's: asked anew. */
	kp_user_thread()->own.tid = 0;
	if (err)
		return err;
	while (!kp_load_acquire(&thread_began))
		sys4(SYS_futex, &thread_began, FUTEX_WAIT_PRIVATE, 0, 0);
	return thread_began < 0 ? thread_began : 0;
}

/*
 * In the borrowed thread, which has been interrupted in a system call: the kernel
 * knows how much of its time is left, and forgets it with any return from a
 * signal's handler, or with another call that sleeps for a time.  In the C library
 * it would meet breakpoints, ours and the program's probes.  So all that it does
 * is to wait for another thread, that calls the C library in its place.
 */
static int start_service(struct kp_mailbox *mailbox)
{
	borrowed = sys_gettid();
	return kp_user_write_apart(shared ? knock : -1, make_and_wait, mailbox);
}

/* -EBUSY: there is a client already; or it is to be tried again. */
int kp_user_control_start(struct kp_mailbox *mailbox)
{
	int tid = kp_load_acquire(&kp_attach.service_tid), err = 0;

	if (mailbox->shared == KP_KNOCK_TAKEN) {
		if (shared)
			close_knock(kp_attach.knock_fd, 0);
		return 0;
	}
	if (tid && !kp_user_thread_over(tid))
		return -EBUSY;
	shared = mailbox->shared == KP_KNOCK_SHARED;
	if (shared)
		err = make_knock();
	if (!err)
		err = start_service(mailbox);
	if (shared) {
		close_knock(knock, 1);
		if (err)
			close_knock(kp_attach.knock_fd, 0);
	}
	return err;
}
