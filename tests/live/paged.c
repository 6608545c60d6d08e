/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * paged.c - memory that is watched by its pages' protection: exact counts, each kind of
 * instruction beside itself on other memory, system calls, signals, threads, and many
 * objects at once.
 */
#include "paged.h"
#include "forms.h"
#include "processor.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <time.h>

/* ---- what is told -------------------------------------------------------------------- */

static void plain(void)
{
	struct wprobe wp = watched(KP_WATCH_WRITE);

	must(&wp);
	set(object + 8, 7);
	NEED(told() == 1 && last.addr == (unsigned long)object + 8 &&
	     last.size == WORD && last.before == 0 && last.after == 7);
	set(object + 8, 7);
	NEED(told() == 1 && last.before == 7);
	set(object - 8, 1);
	set(object + LEN, 1);
	set(memory, 1);
	NEED(!told() && *(long *)(object + LEN) == 1);
	set(object - WORD / 2, -1);
	NEED(told() == 1 && last.addr == (unsigned long)object && last.size == WORD / 2);
	NEED(*(volatile unsigned long *)object == ~0ul >> 4 * WORD);
	memset(object, 3, LEN);
	__asm__ volatile("" ::: "memory");
	NEED(told() >= 1 && object[0] == 3 && object[LEN - 1] == 3);
	NEED(!wp.kp.nmissed);
	unregister_wprobe(&wp);
	set(object, 1);
	NEED(!told());
	wp = of(object, LEN, KP_WATCH_CHANGED);
	must(&wp);
	set(object, 1);
	NEED(!told());
	object[5] = 9;
	__asm__ volatile("" ::: "memory");
	NEED(told() == 1 && last.addr == (unsigned long)object + 5 &&
	     last.size == 1 && last.after == 9);
	unregister_wprobe(&wp);
}

static void refused(void *addr, unsigned long len, enum kp_watch_type type)
{
	struct wprobe wp = of(addr, len, type);

	NEED(register_wprobe(&wp) == -ENOSPC && wp.kp.reason);
	printf("# %s\n", wp.kp.reason);
}

/* What the engine has taken for itself: how else would one come by its address? */
static void *of_the_engine;

static int on_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	(void)regs;
	of_the_engine = ri;
	return 1;
}

static void engines(void)
{
	struct kretprobe rp = { .kp.symbol_name = "live_target",
				.entry_handler = on_entry };

	NEED(!register_kretprobe(&rp));
	live_target(1);
	NEED(of_the_engine);
	refused(of_the_engine, LEN, KP_WATCH_WRITE);
	unregister_kretprobe(&rp);
}

static void refusals(void)
{
	char local[LEN];
	void *shared;

	take_memory();
	refused(object, LEN, KP_WATCH_RW);
	refused(local, LEN, KP_WATCH_WRITE);
	refused(&errno, LEN, KP_WATCH_WRITE);
	refused((void *)(unsigned long)&refused, LEN, KP_WATCH_WRITE);
	mprotect(memory, PAGE, PROT_READ);
	refused(memory, LEN, KP_WATCH_WRITE);
	shared = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	refused(shared, LEN, KP_WATCH_WRITE);
	engines();
	set(object, 1);
}

/* One page, both means. */
static void neighbours(void)
{
	struct wprobe small, wp = watched(KP_WATCH_WRITE), rw;

	small = of(object + 512, 8, KP_WATCH_WRITE);
	must(&small);
	set(object + 512, 1);
	must(&wp);
	told();
	set(object + 512, 2);
	set(object, 2);
	NEED(told() == 2);
	unregister_wprobe(&wp);
	set(object + 512, 3);
	NEED(told() == 1);
	rw = of(object + 600, 8, KP_WATCH_RW);
	NEED(register_wprobe(&rw) == -ENOSPC);
	unregister_wprobe(&small);
	rw = of(object + 600, 8, KP_WATCH_RW);
	NEED(!register_wprobe(&rw));
	refused(object, LEN, KP_WATCH_WRITE);
	unregister_wprobe(&rw);
}

/* Writes that lie on two pages: both watched, or only one. */
static void across(void)
{
	const long word = (long)0x0102030405060708, high = word >> 4 * WORD;
	struct wprobe wp;
	char *edge;

	take_memory();
	edge = memory + PAGE;
	wp = of(edge - 32, LEN, KP_WATCH_WRITE);
	must(&wp);
	set(edge - 3, word);
	NEED(told() == 1 && last.addr == (unsigned long)edge - 3 && last.size == WORD &&
	     last.after == (unsigned long)word);
	if (ATOMICS_ANYWHERE) {
		__atomic_fetch_add((long *)(void *)(edge - WORD / 2 - 1), 1, __ATOMIC_SEQ_CST);
		NEED(told() == 1 && last.after == last.before + 1);
	}
	store_ones(edge - ONES / 2 - 1);
	NEED(told() == 1 && last.size == ONES);
	fill_by_string(edge - 20, 40, 7);
	/* A string in pieces. */
	NEED(told() == FILL_STORES && last.size == FILL_LAST && edge[-20] == 7 && edge[19] == 7);
	NEED(!wp.kp.nmissed);
	unregister_wprobe(&wp);
	/* Only the second is protected: what changes there is told. */
	set(edge, 0);
	wp = of(edge, LEN, KP_WATCH_WRITE);
	must(&wp);
	set(edge - WORD / 2, word);
	NEED(told() == 1 && last.addr == (unsigned long)edge && last.size == WORD / 2 &&
	     last.after == (unsigned long)high);
	NEED(*(volatile long *)(void *)(edge - WORD / 2) == word);
	unregister_wprobe(&wp);
	/* Only the first. */
	wp = of(edge - LEN, LEN, KP_WATCH_WRITE);
	must(&wp);
	store_ones(edge - ONES / 2);
	NEED(told() == 1 && last.addr == (unsigned long)edge - ONES / 2 && last.size == ONES / 2);
	NEED(*(volatile int *)(void *)edge == -1 && *(volatile int *)(void *)(edge - ONES / 2) == -1);
	fill_by_string(edge - 20, 40, 9);
	NEED(told() >= 1 && edge[-20] == 9 && edge[19] == 9);
	unregister_wprobe(&wp);
}

/* ---- each kind of instruction ------------------------------------------------------------- */

/* 40 bytes before and 160 behind. */
static void compare(const struct form *form, struct wprobe *wp, unsigned long off,
		    unsigned int *seed)
{
	static char other[512] __attribute__((aligned(64)));
	char *here = memory + PAGE + PAGE - 256 + off, *there = other + 128 + off % 64;
	struct state shared, start, one, two;
	unsigned char *bytes = (unsigned char *)&start;
	unsigned int i;

	for (i = 0; i < sizeof(start); i++)
		bytes[i] = (unsigned char)rand_r(seed);
	start.flags = (unsigned long)rand_r(seed) & FORM_FLAGS;
	for (i = 0; i < 200; i++)
		there[(long)i - 40] = (char)rand_r(seed);
	/* Not a byte at a time: each store is a fault. */
	memcpy(here - 40, there - 40, 200);
	wp->kp.nmissed = 0;
	told();
	one = two = start;
	form_run(form, &shared, there, &one);
	form_run(form, &shared, here, &two);
	if (memcmp(&one, &two, sizeof(one)) || memcmp(there - 40, here - 40, 200) ||
	    (!calls && !form_is_empty(form)) ||
	    (!form_is_seen(form) && wp->kp.nmissed)) {
		printf("# %s at %lu: told %ld, missed %lu, flags %lx %lx, memory %d, at %ld\n", form->text,
		       off, calls, wp->kp.nmissed, one.flags, two.flags,
		       memcmp(there - 40, here - 40, 200), (long)(two.di - one.di));
		for (i = 0; i < sizeof(one); i++)
			if (((unsigned char *)&one)[i] != ((unsigned char *)&two)[i])
				printf("# byte %u of the registers: %02x, not %02x; it was %02x\n", i,
				       ((unsigned char *)&two)[i], ((unsigned char *)&one)[i], bytes[i]);
		NEED(0);
	}
}

static void instructions(void)
{
	static const unsigned int offs[] = { 0, 1, 3, 60, 63, 240, 249, 255 };
	const struct form *form;
	struct wprobe wp;
	unsigned int seed = 1, i, nr = 0;

	take_memory();
	wp = of(memory + PAGE, 2 * PAGE, KP_WATCH_WRITE);
	must(&wp);
	for (form = __start_forms; form < __stop_forms; form++) {
		if (!form_is_known(form))
			continue;
		for (i = 0; i < sizeof(offs) / sizeof(offs[0]); i++)
			if (!form_is_strict(form) || offs[i] % 16 == 0) {
				compare(form, &wp, offs[i], &seed);
				compare(form, &wp, offs[i], &seed);
				nr++;
			}
	}
	printf("# %u\n", nr);
	unregister_wprobe(&wp);
}


/* ---- system calls -------------------------------------------------------------------------- */

static int pipes[2];

static void a_read(void)
{
	struct wprobe wp = watched(KP_WATCH_WRITE);
	char *edge = memory + PAGE - 4;
	struct iovec vectors[2] = { { object, 8 }, { memory, 8 } };

	NEED(!pipe(pipes));
	must(&wp);
	NEED(write(pipes[1], "abcdefghijklmnopqrstuvwxyz", 26) == 26);
	NEED(read(pipes[0], object, 8) == 8 && !memcmp(object, "abcdefgh", 8));
	NEED(told() == 1 && last.addr == (unsigned long)object && last.size == 8);
	/* Beside it: told to nobody. */
	NEED(read(pipes[0], object - 8, 4) == 4 && !memcmp(object - 8, "ijkl", 4));
	NEED(!told() && !wp.kp.nmissed);
	/* Half of it on another page, or named in a struct: it is done, and counts. */
	NEED(read(pipes[0], edge, 8) == 8 && !memcmp(edge, "mnopqrst", 8));
	NEED(wp.kp.nmissed == 1);
	NEED(readv(pipes[0], vectors, 2) == 6 && !memcmp(object, "uvwxyz", 6));
	NEED(told() == 1 && wp.kp.nmissed == 2);
	set(object, 1);
	NEED(told() == 1);
	NEED(syscall(SYS_read, pipes[0], (void *)8, 0) == 0);
	NEED(read(-1, object, 8) == -1 && errno == EBADF);
	NEED(!told());
	unregister_wprobe(&wp);
}

/* This clock the kernel alone reads: its code in the vdso asks it. */
static void by_vdso(void)
{
	void *vdso = dlopen(VDSO_OBJECT, RTLD_NOW | RTLD_NOLOAD);
	int (*get)(int clock, void *at) = vdso ? (int (*)(int, void *))(unsigned long)
						 dlsym(vdso, VDSO_NAME) : NULL;

	if (!get)
		return;
	NEED(!get(CLOCK_PROCESS_CPUTIME_ID, object));
	NEED(told() == 1 && last.addr == (unsigned long)object);
}

static void structs(void)
{
	struct wprobe wp = watched(KP_WATCH_WRITE);
	struct stat here;
	struct winsize size;
	int fd;

	NEED(!stat("/proc/self/exe", &here));
	must(&wp);
	NEED(!stat("/proc/self/exe", (struct stat *)(void *)object));
	NEED(!memcmp(&here.st_ino, object + offsetof(struct stat, st_ino), sizeof(here.st_ino)));
	NEED(told() >= 1);
	NEED(!syscall(SYS_clock_gettime, CLOCK_MONOTONIC, object) && told() == 1);
	NEED(!clock_gettime(CLOCK_MONOTONIC, (struct timespec *)(void *)object));
	NEED(told() >= 1);
	by_vdso();
	NEED(!syscall(SYS_gettimeofday, object, NULL) && told() == 1);
	NEED(!uname((struct utsname *)(void *)object) && told() >= 1);
	NEED(getcwd(object, LEN) && object[0] == '/' && told() == 1);
	NEED(syscall(SYS_getrandom, object, LEN, 0) == LEN && told() == 1);
	NEED(!pipe((int *)(void *)object) && told() == 1);
	NEED(!socketpair(AF_UNIX, SOCK_STREAM, 0, (int *)(void *)object));
	NEED(told() == 1);
	fd = open("/dev/null", O_RDWR);
	NEED(ioctl(fd, TIOCGWINSZ, &size) == -1 && errno == ENOTTY);
	NEED(wp.kp.nmissed == SOCKETS_BY_POINTER);
	/* Nobody knows what this one writes. */
	NEED(ioctl(fd, 0x1234, object) == -1 && errno == ENOTTY);
	NEED(wp.kp.nmissed == SOCKETS_BY_POINTER + 1);
	NEED(fcntl(fd, F_GETFD) >= 0 && wp.kp.nmissed == SOCKETS_BY_POINTER + 1);
	unregister_wprobe(&wp);
}

static void a_message(void)
{
	struct wprobe wp = watched(KP_WATCH_WRITE);
	struct iovec vector = { object, LEN };
	struct msghdr message = { .msg_iov = &vector, .msg_iovlen = 1 };
	socklen_t *len = (socklen_t *)(void *)(object + 16);
	struct pollfd *poll_ = (struct pollfd *)(void *)(object + 32);
	int sockets[2];

	NEED(!socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets));
	must(&wp);
	NEED(send(sockets[0], "message", 8, 0) == 8);
	NEED(recvmsg(sockets[1], &message, 0) == 8 && !strcmp(object, "message"));
	NEED(told() >= 1);
	*len = 16;
	NEED(!getsockname(sockets[0], (struct sockaddr *)(void *)object, len));
	NEED(*(short *)(void *)object == AF_UNIX && *len == 2);
	*poll_ = (struct pollfd){ sockets[0], POLLOUT, 0 };
	NEED(poll(poll_, 1, 1000) == 1 && poll_->revents == POLLOUT);
	unregister_wprobe(&wp);
}

static int waiting;

static void *wait_for_it(void *arg)
{
	__atomic_store_n(&waiting, 1, __ATOMIC_SEQ_CST);
	NEED(read(pipes[0], arg, 8) == 8);
	return NULL;
}

/* Until the thread sleeps. */
static void asleep(void)
{
	char path[64], line[64] = "", in_read[16];
	FILE *file;

	snprintf(in_read, sizeof(in_read), "%d ", SYS_read);
	while (!__atomic_load_n(&waiting, __ATOMIC_SEQ_CST))
		usleep(100);
	while (strncmp(line, in_read, strlen(in_read))) {
		DIR *dir = opendir("/proc/self/task");
		struct dirent *entry;

		usleep(100);
		while ((entry = readdir(dir))) {
			if (atoi(entry->d_name) <= 0 || atoi(entry->d_name) == getpid())
				continue;
			snprintf(path, sizeof(path), "/proc/self/task/%d/syscall",
				 atoi(entry->d_name));
			file = fopen(path, "r");
			if (file && fgets(line, sizeof(line), file) &&
			    !strncmp(line, in_read, strlen(in_read))) {
				fclose(file);
				break;
			}
			if (file)
				fclose(file);
		}
		closedir(dir);
	}
}

static void one_that_waits(void)
{
	struct wprobe wp = watched(KP_WATCH_WRITE);
	pthread_t thread;

	NEED(!pipe(pipes));
	/* It began before. */
	waiting = 0;
	NEED(!pthread_create(&thread, NULL, wait_for_it, object));
	asleep();
	NEED(register_wprobe(&wp) == -ENOSPC && strstr(wp.kp.reason, "waits"));
	NEED(write(pipes[1], "abcdefgh", 8) == 8 && !pthread_join(thread, NULL));
	NEED(!memcmp(object, "abcdefgh", 8));
	/* It begins while it is watched. */
	must(&wp);
	waiting = 0;
	NEED(!pthread_create(&thread, NULL, wait_for_it, object));
	asleep();
	set(object, 5);
	NEED(told() == 1);
	NEED(write(pipes[1], "ABCDEFGH", 8) == 8 && !pthread_join(thread, NULL));
	NEED(!memcmp(object, "ABCDEFGH", 8) && told() == 1);
	/* And it is watched no more when something comes. */
	waiting = 0;
	NEED(!pthread_create(&thread, NULL, wait_for_it, object));
	asleep();
	unregister_wprobe(&wp);
	NEED(write(pipes[1], "ijklmnop", 8) == 8 && !pthread_join(thread, NULL));
	NEED(!memcmp(object, "ijklmnop", 8));
	/* A fork meanwhile. */
	wp = of(object, LEN, KP_WATCH_WRITE);
	must(&wp);
	waiting = 0;
	NEED(!pthread_create(&thread, NULL, wait_for_it, object));
	asleep();
	if (!fork())
		_exit(0);
	NEED(write(pipes[1], "qrstuvwx", 8) == 8 && !pthread_join(thread, NULL));
	NEED(!memcmp(object, "qrstuvwx", 8) && wait(NULL) > 0);
	unregister_wprobe(&wp);
}

static sigjmp_buf back;

static void jump(int sig)
{
	siglongjmp(back, sig);
}

static void inside(int sig)
{
	(void)sig;
	NEED(write(pipes[1], "abcdefgh", 8) == 8);
	NEED(!syscall(SYS_clock_gettime, CLOCK_MONOTONIC, object + 16));
}

static void signals_in_calls(void)
{
	struct wprobe wp = watched(KP_WATCH_WRITE);
	struct itimerval once = { { 0, 0 }, { 0, 20000 } };
	struct sigaction act = { .sa_handler = inside, .sa_flags = SA_RESTART };
	volatile int left = 0;

	NEED(!pipe(pipes));
	must(&wp);
	sigaction(SIGALRM, &act, NULL);
	setitimer(ITIMER_REAL, &once, NULL);
	NEED(read(pipes[0], object, 8) == 8 && !memcmp(object, "abcdefgh", 8));
	NEED(told() == 2);
	signal(SIGALRM, jump);
	while (left < 20) {
		if (sigsetjmp(back, 1)) {
			left++;
			continue;
		}
		once.it_value.tv_usec = 1000;
		setitimer(ITIMER_REAL, &once, NULL);
		if (read(pipes[0], object, 8) > 0)
			abort();
	}
	set(object, 1);
	NEED(told() == 1 && object[0] == 1);
	NEED(!syscall(SYS_clock_gettime, CLOCK_MONOTONIC, object) && told() == 1);
	unregister_wprobe(&wp);
	NEED(!register_wprobe(&wp));
}

/* ---- threads and processes ---------------------------------------------------------------------- */

#define THREADS 4
static void *add_blocked(void *arg)
{
	sigset_t all, now;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	add(arg);
	pthread_sigmask(SIG_SETMASK, NULL, &now);
	NEED(sigismember(&now, SIGSEGV) && sigismember(&now, SIGTRAP));
	return NULL;
}

static void threads(void)
{
	struct wprobe wp = watched(KP_WATCH_WRITE);
	pthread_t all[THREADS];
	int i;

	must(&wp);
	for (i = 0; i < THREADS; i++)
		NEED(!pthread_create(&all[i], NULL, i & 1 ? add : add_blocked, object));
	for (i = 0; i < THREADS; i++)
		pthread_join(all[i], NULL);
	NEED(*(long *)(void *)object == THREADS * ADDS);
	NEED(told() == 2l * THREADS * ADDS && !wp.kp.nmissed);
	unregister_wprobe(&wp);
}

/* It comes and goes while they write, and nothing is lost. */
static void comes_and_goes(void)
{
	struct wprobe wp = watched(KP_WATCH_WRITE);
	pthread_t all[THREADS];
	int i;

	for (i = 0; i < THREADS; i++)
		NEED(!pthread_create(&all[i], NULL, add, object));
	for (i = 0; i < 50; i++) {
		wp = of(object, LEN, KP_WATCH_WRITE);
		must(&wp);
		unregister_wprobe(&wp);
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(all[i], NULL);
	NEED(*(long *)(void *)object == THREADS * ADDS);
	set(object, 0);
	told();
	set(object, 1);
	NEED(!told());
}

/* ---- many ------------------------------------------------------------------------------------------- */

#define MANY 10000

static struct many {
	struct wprobe wp;
	char *at;
	long told, done;
} many[MANY];
static long beside;

static void on_one_of_many(struct wprobe *wp, struct pt_regs *regs,
			   const struct kp_access *access)
{
	struct many *one = (struct many *)(void *)wp;

	(void)regs;
	if (access->addr < (unsigned long)one->at ||
	    access->addr + access->size > (unsigned long)one->at + wp->len)
		__atomic_fetch_add(&beside, 1, __ATOMIC_SEQ_CST);
	__atomic_fetch_add(&one->told, 1, __ATOMIC_SEQ_CST);
}

/* Each access is counted by who makes it. */
static void *work(void *arg)
{
	unsigned int seed = (unsigned int)(unsigned long)arg, i, rounds = (unsigned int)live_rounds(4000);

	for (i = 0; i < rounds; i++) {
		struct many *one = &many[(unsigned int)rand_r(&seed) % MANY];

		switch (rand_r(&seed) % 4) {
		case 0:
			*(volatile char *)(one->at + 3) = (char)i;
			break;
		case 1:
			__atomic_fetch_add((long *)(void *)one->at, 1, __ATOMIC_SEQ_CST);
			break;
		case 2:
			*(volatile int *)(void *)(one->at + 8) += 3;
			break;
		default:
			store_ones(one->at);
		}
		__atomic_fetch_add(&one->done, 1, __ATOMIC_SEQ_CST);
	}
	return NULL;
}

static void objects(void)
{
	static struct wprobe *all[MANY];
	pthread_t threads_[THREADS];
	long i, missed = 0;

	for (i = 0; i < MANY; i++) {
		many[i].at = malloc(64);
		many[i].wp = of(many[i].at, 16 + 16 * (unsigned long)(i % 4),
				KP_WATCH_WRITE);
		many[i].wp.handler = on_one_of_many;
		all[i] = &many[i].wp;
	}
	NEED(!register_wprobes(all, MANY));
	for (i = 0; i < THREADS; i++)
		NEED(!pthread_create(&threads_[i], NULL, work, (void *)(i + 1)));
	for (i = 0; i < THREADS; i++)
		pthread_join(threads_[i], NULL);
	for (i = 0; i < MANY; i++) {
		NEED(many[i].told == many[i].done);
		missed += (long)many[i].wp.kp.nmissed;
	}
	if (beside || missed)
		printf("# %ld beside, %ld missed\n", beside, missed);
	NEED(!beside && !missed);
	unregister_wprobes(all, MANY);
}

int main(void)
{
	child_case("K-WAT-27 what is told", plain);
	child_case("K-WAT-28 what is refused", refusals);
	if (WATCH_REGISTERS)
		child_case("K-WAT-29 one page, both means", neighbours);
	child_case("K-WAT-27 what lies on two pages", across);
	child_case("K-WAT-30 each instruction", instructions);
	child_case("K-WAT-23 K-WAT-31 read", a_read);
	child_case("K-WAT-31 calls that fill structs", structs);
	child_case("K-WAT-31 messages", a_message);
	child_case("K-WAT-31 a call that waits", one_that_waits);
	child_case("K-WAT-31 signals in calls", signals_in_calls);
	child_case("K-WAT-32 threads", threads);
	child_case("K-WAT-32 it comes and goes", comes_and_goes);
	child_case("K-WAT-32 10,000 objects", objects);
	return live_failed;
}
