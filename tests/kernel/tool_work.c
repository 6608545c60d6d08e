// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * tool_work.c - work for bpftrace's tools to see: "tool_work TOOL".
 *
 * Owns: for each tool the same calls, with the same results, whatever the kernel.
 * System calls are made by number where libc would make another one.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOBODY 999999	/* no process has this number */

static void pause_ms(long ms)
{
	struct timespec time = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&time, NULL);
}

/* ---- files ------------------------------------------------------------------ */

/* So often that nothing else is among the ten most frequent. */
static void syscount(void)
{
	int i;

	for (i = 0; i < 60000; i++) {
		syscall(SYS_getppid);
		if (i % 2)
			syscall(SYS_getuid);
		if (i % 3 == 0)
			syscall(SYS_getpriority, 0, NOBODY);
	}
}

static void opensnoop(void)
{
	syscall(SYS_open, "/tmp/tool-none", O_RDONLY);
	syscall(SYS_openat, AT_FDCWD, "/tmp/tool-no/file", O_RDONLY);
	close((int)syscall(SYS_openat, AT_FDCWD, "/tmp/tool-file",
			   O_CREAT | O_RDWR, 0600));
	close((int)syscall(SYS_open, "/tmp/tool-file", O_RDWR));
	syscall(SYS_open, "/tmp/tool-file/below", O_RDWR);
}

static void statsnoop(void)
{
	char room[4096];

	syscall(SYS_stat, "/tmp/tool-none", room);
	syscall(SYS_stat, "/tmp/.", room);
	syscall(SYS_lstat, "/tmp/..", room);
	syscall(SYS_lstat, "/tmp/tool-none/x", room);
	syscall(SYS_statfs, "/tmp", room);
	syscall(SYS_statfs, "/tool-none", room);
	syscall(SYS_statx, AT_FDCWD, "/tmp", 0, 0x7ff, room);
	syscall(SYS_statx, AT_FDCWD, "/tool-none", 0, 0x7ff, room);
}

static void syncsnoop(void)
{
	int fd = open("/tmp/tool-sync", O_CREAT | O_RDWR, 0600);
	void *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	sync();
	syncfs(fd);
	fsync(fd);
	fdatasync(fd);
	sync_file_range(fd, 0, 1, 0);
	msync(page, 4096, MS_ASYNC);
	close(fd);
}

static void dcsnoop(void)
{
	int i;

	for (i = 0; i < 3; i++)
		access("/tmp/tool-nowhere", F_OK);
}

static void vfscount(void)
{
	int i;

	for (i = 0; i < 37; i++) {
		mkdir("/tmp/tool-directory", 0700);
		rmdir("/tmp/tool-directory");
	}
	for (i = 0; i < 11; i++) {
		symlink("nowhere", "/tmp/tool-link");
		unlink("/tmp/tool-link");
	}
}

static void vfsstat(void)
{
	int fd = open("/tmp/tool-sync", O_CREAT | O_RDWR, 0600), i;

	for (i = 0; i < 13; i++) {
		mknod("/tmp/tool-node", S_IFREG | 0600, 0);
		unlink("/tmp/tool-node");
		fsync(fd);
	}
	close(fd);
	pause_ms(1300);
}

static void wait_long(void)
{
	pause_ms(1300);
}

/* ---- processes -------------------------------------------------------------- */

/* At work, with children, for more than a second. */
static void busy(void)
{
	time_t end = time(NULL) + 2;
	volatile int turns;

	while (time(NULL) < end) {
		if (!fork())
			_exit(0);
		wait(NULL);
		for (turns = 0; turns < 20000000; turns++)
			;
	}
}

static void capable(void)
{
	mknod("/tmp/tool-device", S_IFCHR | 0600, 0x103);
	unlink("/tmp/tool-device");
	if (chroot("/") || sethostname("tool", 4))
		exit(1);
}

/* Words that a child has in its own memory: tools do not wait for a page. */
static void run(char **argv)
{
	int i;

	for (i = 0; argv[i]; i++)
		argv[i] = strdup(argv[i]);
	if (!fork()) {
		execv(argv[0], argv);
		_exit(1);
	}
	wait(NULL);
}

static void execsnoop(void)
{
	run((char *[]){ "/bin/true", "tool-one", "tool two", "", "3", NULL });
	run((char *[]){ "/nowhere/tool-none", "-x", NULL });
}

static void killsnoop(void)
{
	signal(SIGUSR1, SIG_IGN);
	kill(getpid(), SIGUSR1);
	kill(getpid(), 0);
	kill(NOBODY, SIGKILL);
	kill(getpid(), 1000);
}

static void naptime(void)
{
	static const long times[][2] = { { 0, 5000000 }, { 1, 20000000 } };
	size_t i;

	for (i = 0; i < 2; i++)
		syscall(SYS_nanosleep, times[i], NULL);
}

static void setuids(void)
{
	syscall(SYS_setresuid, 0, -1, 0);
	syscall(SYS_setfsuid, 77);
	syscall(SYS_setfsuid, 0);
	syscall(SYS_setuid, 12);
	syscall(SYS_setuid, 0);
	syscall(SYS_setresuid, 12, 13, 12);
}

static void write_to(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY);

	if (write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		exit(1);
	close(fd);
}

/* One that is killed before all others waits for it; the kernel logs its stack. */
static void oomkill(void)
{
	pid_t child = fork();

	if (!child) {
		write_to("/proc/self/oom_score_adj", "1000");
		write_to("/dev/kmsg", "KP-TRACE begin");
		write_to("/proc/sysrq-trigger", "f");
		pause_ms(10000);
		exit(1);
	}
	waitpid(child, NULL, 0);
	write_to("/dev/kmsg", "KP-TRACE end");
}

/* ---- sockets ---------------------------------------------------------------- */

static int listen_at(uint16_t port, int backlog)
{
	struct sockaddr_in at = {
		.sin_family = AF_INET, .sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, (struct sockaddr *)&at, sizeof(at)) || listen(fd, backlog))
		exit(1);
	return fd;
}

static int connect_to(uint16_t port, uint16_t from, int flags)
{
	struct sockaddr_in at = {
		.sin_family = AF_INET, .sin_port = htons(from),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd = socket(AF_INET, SOCK_STREAM | flags, 0), one = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, (struct sockaddr *)&at, sizeof(at)))
		exit(1);
	at.sin_port = htons(port);
	if (connect(fd, (struct sockaddr *)&at, sizeof(at)) &&
	    errno != EINPROGRESS)
		exit(1);
	return fd;
}

/* 10 KiB to the one who connects, 3 from it. */
static void tcp(void)
{
	static char bytes[10240];
	int listener = listen_at(4242, 7), client = connect_to(4242, 4343, 0);
	int server = accept(listener, NULL, NULL), left;

	if (write(server, bytes, 10240) != 10240 || write(client, bytes, 3072) != 3072)
		exit(1);
	for (left = 10240; left > 0;)
		left -= (int)read(client, bytes, (size_t)left);
	for (left = 3072; left > 0;)
		left -= (int)read(server, bytes, (size_t)left);
	pause_ms(100);
	close(client);
	pause_ms(100);
	close(server);
	close(listener);
	pause_ms(100);
}

/* Who comes when the queue is full is not answered, and asks again. */
static void tcpretrans(void)
{
	struct tcp_info info = { 0 };
	socklen_t len = sizeof(info);
	int fd, i;

	listen_at(4244, 0);
	connect_to(4244, 4345, 0);
	fd = connect_to(4244, 4346, SOCK_NONBLOCK);
	for (i = 0; i < 60000 && !info.tcpi_total_retrans; i++) {
		pause_ms(1);
		if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len))
			exit(1);
	}
}

static void undump(void)
{
	char bytes[64];
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) ||
	    write(ends[0], "tool\0\001\xff said\n", 12) != 12 ||
	    read(ends[1], bytes, sizeof(bytes)) != 12)
		exit(1);
}

/* ---- libraries -------------------------------------------------------------- */

static void gethostlatency(void)
{
	struct addrinfo *found;

	if (!getaddrinfo("127.0.0.7", NULL, NULL, &found))
		freeaddrinfo(found);
	gethostbyname("127.0.0.8");
	gethostbyname2("127.0.0.9", AF_INET);
}

static void *a_thread(void *arg)
{
	return arg;
}

/* Names are looked up in a process that is still there. */
static void threadsnoop(void)
{
	pthread_t thread;
	int i;

	for (i = 0; i < 3; i++) {
		pthread_create(&thread, NULL, a_thread, NULL);
		pthread_join(thread, NULL);
	}
	pause_ms(500);
}

static SSL *one_end(SSL_CTX *ctx, BIO *bio)
{
	SSL *ssl = SSL_new(ctx);

	SSL_set_bio(ssl, bio, bio);
	return ssl;
}

/* Both ends are here, and nobody says who he is. */
static void ssl(void)
{
	SSL_CTX *ctx = SSL_CTX_new(TLS_method());
	SSL *client, *server;
	bool done = false;
	char bytes[16];
	BIO *ends[2];

	SSL_CTX_set_max_proto_version(ctx, TLS1_2_VERSION);
	if (!SSL_CTX_set_cipher_list(ctx, "AECDH-AES256-SHA:@SECLEVEL=0") ||
	    !BIO_new_bio_pair(&ends[0], 0, &ends[1], 0))
		exit(1);
	client = one_end(ctx, ends[0]);
	server = one_end(ctx, ends[1]);
	SSL_set_connect_state(client);
	SSL_set_accept_state(server);
	while (!done) {
		done = SSL_do_handshake(client) == 1;
		done &= SSL_do_handshake(server) == 1;
	}
	if (SSL_write(client, "tool", 4) != 4 || SSL_read(server, bytes, 16) != 4)
		exit(1);
	SSL_read(server, bytes, 16);
}

/* ----------------------------------------------------------------------------- */

static const struct {
	const char *tool;
	void (*work)(void);
} works[] = {
	{ "capable", capable }, { "cpuwalk", busy }, { "dcsnoop", dcsnoop },
	{ "execsnoop", execsnoop }, { "gethostlatency", gethostlatency },
	{ "killsnoop", killsnoop }, { "loads", wait_long },
	{ "naptime", naptime }, { "oomkill", oomkill },
	{ "opensnoop", opensnoop }, { "pidpersec", busy },
	{ "runqlen", busy }, { "setuids", setuids },
	{ "ssllatency", ssl }, { "sslsnoop", ssl },
	{ "statsnoop", statsnoop }, { "syncsnoop", syncsnoop },
	{ "syscount", syscount },
	{ "tcpaccept", tcp }, { "tcpconnect", tcp }, { "tcplife", tcp },
	{ "tcpretrans", tcpretrans }, { "tcpsynbl", tcp },
	{ "threadsnoop", threadsnoop }, { "undump", undump },
	{ "vfscount", vfscount }, { "vfsstat", vfsstat },
};

/* What has no work here is only set up and ended. */
int main(int argc, char **argv)
{
	size_t i;

	for (i = 0; i < sizeof(works) / sizeof(works[0]) && argc > 1; i++)
		if (!strcmp(works[i].tool, argv[1]))
			works[i].work();
	return 0;
}
