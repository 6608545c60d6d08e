// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A process that whoever looks at it must be safe from.
 *
 * usage: hostile endpoint KIND LIBRARY     poses as a probed one, and answers so
 *        hostile service PATH LIBRARY      its knock socket is another's service
 *        hostile surface KIND LIBRARY FILE the library's functions are elsewhere
 *        hostile memfd KIND FILE           what its memfd_create() returns
 *        hostile arena KIND                memory of its own at a mailbox's place
 *        hostile file PATH                 has PATH mapped as code
 *        hostile name TEXT                 its name
 *
 * It prints "ready"; arena ends with 0 after a line on its input, when its memory
 * is as it was.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "attach.h"

static void ready(void)
{
	puts("ready");
	fflush(stdout);
}

static void stay(void)
{
	for (;;)
		poll(NULL, 0, 20);
}

/* ---- a false library ----------------------------------------------------------- */

static struct kp_attach_surface *pose(const char *library, int end, int other)
{
	void *handle = dlopen(library, RTLD_NOW);
	struct kp_attach_surface *s = handle ? dlsym(handle, "kp_attach") : NULL;
	struct stat st;

	if (!s) {
		puts(dlerror());
		exit(1);
	}
	s->magic = KP_ATTACH_MAGIC;
	s->version = KP_ATTACH_VERSION;
	s->state = KP_ATTACH_RUNNING;
	s->pid = getpid();
	s->service_tid = gettid();
	s->attached = 1;
	s->knock_fd = end;
	if (end >= 0 && !fstat(end, &st))
		s->knock_ino[0] = st.st_ino;
	if (other >= 0 && !fstat(other, &st))
		s->knock_ino[1] = st.st_ino;
	return s;
}

static int take_client(int knock)
{
	char text[64];
	union {
		char bytes[256];
		struct cmsghdr align;
	} control;
	struct iovec part = { text, sizeof(text) };
	struct msghdr msg = {
		.msg_iov = &part, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *c;
	int fd = -1;

	if (recvmsg(knock, &msg, 0) <= 0)
		return -1;
	c = CMSG_FIRSTHDR(&msg);
	if (c && c->cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	return fd;
}

static void say(int fd, const char *text)
{
	send(fd, text, strlen(text), MSG_NOSIGNAL);
}

static void answer(int fd, const char *kind)
{
	static char big[8192];

	if (!strcmp(kind, "silent"))
		stay();
	while (!strcmp(kind, "drip") && send(fd, "dx", 2, MSG_NOSIGNAL) > 0)
		poll(NULL, 0, 50);
	memset(big, 'A', sizeof(big));
	big[0] = kind[0] == 'f' ? 'd' : 's';
	while ((!strcmp(kind, "flood") || !strcmp(kind, "said")) &&
	       send(fd, big, sizeof(big), MSG_NOSIGNAL) > 0)
		;
	if (!strcmp(kind, "escapes")) {
		say(fd, "d0000000000000001  k  \033]0;OWNED\a\033[2Jevil+0x0  \302\233[31m\xff [OPTIMIZED]\n");
		say(fd, "s\033]52;c;cm0gLXJmIC8K\a kernel: fake\r\n");
		say(fd, "e0 ");
	}
	if (!strcmp(kind, "json")) {
		say(fd, "dAA\",\"pwn\":\"1  k  m\\\"al\tloc+0x0 \n");
		say(fd, "d\",\"p\":\"  \"}  \xff\xfe+0x0 \n");
		say(fd, "d\n\n0\n  +  +  \n");
		say(fd, "e0 ");
	}
	if (!strcmp(kind, "error"))
		say(fd, "e4095 \033[31mpassword:\nkprobes: all is well\033[0m");
	if (!strcmp(kind, "number"))
		say(fd, "e99999999999999999999999999 no");
	if (!strcmp(kind, "nothing"))
		say(fd, "e");
}

static void endpoint(const char *kind, const char *library)
{
	char request[9000];
	int pair[2], fd;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair))
		exit(1);
	pose(library, pair[0], pair[1]);
	ready();
	for (;;) {
		fd = take_client(pair[1]);
		while (fd >= 0 && recv(fd, request, sizeof(request), 0) > 0)
			answer(fd, kind);
		if (fd >= 0)
			close(fd);
	}
}

static void service(const char *path, const char *library)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);

	snprintf(name.sun_path, sizeof(name.sun_path), "%s", path);
	if (connect(fd, (struct sockaddr *)&name, sizeof(name)))
		exit(1);
	pose(library, fd, fd);
	ready();
	stay();
}

/* ---- functions that are not the library's ----------------------------------------- */

static const char *marker;

static void called(struct kp_mailbox *mailbox)
{
	(void)mailbox;
	close(open(marker, O_CREAT | O_WRONLY, 0600));
}

static void surface(const char *kind, const char *library, const char *file)
{
	struct kp_attach_surface *s = pose(library, -1, -1);
	void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*fn)(struct kp_mailbox *) = called;

	marker = file;
	s->service_tid = 0;
	if (!strcmp(kind, "none"))
		s->state = KP_ATTACH_NONE;
	if (!strcmp(kind, "memory"))
		fn = memory;
	if (!strcmp(kind, "own"))
		fn = (void (*)(struct kp_mailbox *))dlsym(
			dlopen(library, RTLD_NOW), "kp_called");
	s->prepare = s->adopt = s->arm = s->serve = fn;
	ready();
	stay();
}

/* ---- what its memfd_create() returns ------------------------------------------------ */

static int made(const char *kind, const char *file)
{
	int fd, pair[2];

	if (!strcmp(kind, "path"))
		return open(file, O_PATH);
	if (!strcmp(kind, "read"))
		return open("/etc/passwd", O_RDONLY);
	if (!strcmp(kind, "tmpfs"))
		return open("/dev/shm", O_TMPFILE | O_RDWR, 0600);
	if (!strcmp(kind, "disk"))
		return open("/tmp", O_TMPFILE | O_RDWR, 0600);
	if (!strcmp(kind, "pipe"))
		return pipe(pair) ? -1 : pair[1];
	if (!strcmp(kind, "null"))
		return open("/dev/null", O_RDWR);
	if (!strcmp(kind, "closed"))
		return 999;
	fd = memfd_create("x", strcmp(kind, "unsealable") ? MFD_ALLOW_SEALING : 0);
	if (!strcmp(kind, "sealed"))
		fcntl(fd, F_ADD_SEALS, F_SEAL_GROW);
	if (!strcmp(kind, "filled") && write(fd, "x", 1) != 1)
		return -1;
	return fd;
}

/* Its own C library answers as it likes. */
static void memfd(const char *kind, const char *file)
{
	unsigned char code[] = { 0xf3, 0x0f, 0x1e, 0xfa, 0xb8, 0, 0, 0, 0, 0xc3 };
	unsigned char *fn = dlsym(RTLD_DEFAULT, "memfd_create");
	int fd = made(kind, file);

	memcpy(code + 5, &fd, sizeof(fd));
	if (mprotect((void *)((uintptr_t)fn & ~4095ul), 8192,
		     PROT_READ | PROT_WRITE | PROT_EXEC))
		exit(1);
	memcpy(fn, code, sizeof(code));
	ready();
	stay();
}

/* ---- an arena where a mailbox would be ------------------------------------------------ */

static char *map_at(uint64_t place, size_t len, int prot, int fd)
{
	char *p = mmap((void *)place, len, prot,
		       (fd < 0 ? MAP_ANONYMOUS : 0) | MAP_PRIVATE |
		       MAP_FIXED_NOREPLACE, fd, 0);

	if (p == MAP_FAILED)
		exit(2);
	return p;
}

static int arena(const char *kind)
{
	size_t len = !strcmp(kind, "large") ? 64u << 20 :
		     !strcmp(kind, "small") ? 8192 : KP_MAILBOX_LEN, i;
	char *p = map_at(KP_MAILBOX_PLACE(0), len, PROT_READ | PROT_WRITE, -1);
	struct kp_mailbox *head = (void *)(p + KP_MAILBOX_CODE_LEN);

	memset(p, 7, len);
	/* Everything that a mailbox has, but our code. */
	if (!strcmp(kind, "marked") || !strcmp(kind, "split")) {
		memset(p, 0, len);
		head->magic = KP_ATTACH_MAGIC;
		head->version = KP_ATTACH_VERSION;
		p[0] = 0x90;
	}
	if (!strcmp(kind, "split"))
		mprotect(p, KP_MAILBOX_CODE_LEN, PROT_READ | PROT_EXEC);
	/* The other places, too. */
	if (!strcmp(kind, "all"))
		for (i = 1; i < KP_MAILBOX_PLACES; i++)
			memset(map_at(KP_MAILBOX_PLACE(i), len,
				      PROT_READ | PROT_WRITE, -1), 7, len);
	if (!strcmp(kind, "hidden"))
		mprotect(p, len, PROT_NONE);
	ready();
	while (poll(&(struct pollfd){ 0, POLLIN, 0 }, 1, 20) == 0)
		;
	if (!strcmp(kind, "hidden"))
		mprotect(p, len, PROT_READ);
	if (!strcmp(kind, "marked") || !strcmp(kind, "split"))
		return head->magic != KP_ATTACH_MAGIC || p[0] != (char)0x90;
	for (i = 0; i < len; i++)
		if (p[i] != 7)
			return 4;
	return 0;
}

static void file(const char *path)
{
	int fd = open(path, O_RDONLY);

	if (fd < 0 || mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd,
			   0) == MAP_FAILED)
		exit(1);
	close(fd);
	ready();
	stay();
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";

	if (!strcmp(what, "endpoint") && argc == 4)
		endpoint(argv[2], argv[3]);
	if (!strcmp(what, "service") && argc == 4)
		service(argv[2], argv[3]);
	if (!strcmp(what, "surface") && argc == 5)
		surface(argv[2], argv[3], argv[4]);
	if (!strcmp(what, "memfd") && argc == 4)
		memfd(argv[2], argv[3]);
	if (!strcmp(what, "arena"))
		return arena(argv[2]);
	if (!strcmp(what, "file"))
		file(argv[2]);
	if (!strcmp(what, "name")) {
		prctl(PR_SET_NAME, argv[2]);
		ready();
		stay();
	}
	return 1;
}
