/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * uprobes.c - the kernel has uprobes in the same process.
 *
 * They come and go, on functions beside ours, on ours, before ours and after; in threads
 * that have trapped and in threads that have not.  The program computes what it does
 * alone, and hits beside a uprobe count.
 */
#include "jumps.h"
#include "uprobe.h"

#include <stdatomic.h>

/* A uprobe's first instruction: emulated by the kernel, and executed out of line. */
int ours(int a), theirs(int a), pushes(int a);
#ifdef __x86_64__
#define FUNCTION(name)							\
	__asm__(".text\n.p2align 4\n"					\
		".globl " name "\n.type " name ", @function\n"		\
		name ":	mov %edi, %eax\n"				\
		"	lea 1(%rax), %eax\n"				\
		"	nop\n	nop\n	nop\n	nop\n"			\
		"	ret\n"						\
		".size " name ", . - " name "\n")
FUNCTION("ours");
FUNCTION("theirs");
#define PUSHES(name)							\
	__asm__(".text\n.p2align 4\n"					\
		".globl " name "\n.type " name ", @function\n"		\
		name ":	push %rbx\n"					\
		"	mov %edi, %ebx\n"				\
		"	lea 1(%rbx), %eax\n"				\
		"	pop %rbx\n"					\
		"	ret\n"						\
		".size " name ", . - " name "\n")
PUSHES("pushes");
#else
__attribute__((noinline, noclone)) int ours(int a) { __asm__(""); return a + 1; }
__attribute__((noinline, noclone)) int theirs(int a) { __asm__(""); return 1 + a; }
__attribute__((noinline, noclone)) int pushes(int a) { __asm__(""); return -(-1 - a); }
#endif

/* By first instructions of other lengths, with and without a prefix: other jumps. */
int long_prefixed(int a), four_first(int a), three_first(int a), one_first(int a);
#ifdef __x86_64__
#define SHAPE(name, code)						\
	__asm__(".text\n.p2align 4\n"					\
		".globl " name "\n.type " name ", @function\n"		\
		name ":	" code "\n	ret\n	.skip 8, 0x90\n"	\
		".size " name ", . - " name "\n")
SHAPE("long_prefixed", "sub $0x1000, %rsp\n lea 1(%rdi), %eax\n add $0x1000, %rsp");
SHAPE("four_first", "mov -8(%rsp), %eax\n lea 1(%rdi), %eax");
SHAPE("three_first", "mov %rdi, %rax\n inc %eax\n nop\n nop");
SHAPE("one_first", "push %rdi\n pop %rax\n inc %eax\n nop\n nop");
#elif defined(__i386__)
#define SHAPE(name, code)						\
	__asm__(".text\n.p2align 4\n"					\
		".globl " name "\n.type " name ", @function\n"		\
		name ":	" code "\n	ret\n	.skip 8, 0x90\n"	\
		".size " name ", . - " name "\n")
SHAPE("four_first", "mov 4(%esp), %eax\n inc %eax");
SHAPE("three_first", "lea 4(%esp), %eax\n mov (%eax), %eax\n inc %eax");
SHAPE("one_first", "push %ebx\n pop %ebx\n mov 4(%esp), %eax\n inc %eax");
#endif

static struct kprobe probe, second;
static struct kretprobe returns;
static volatile long returned;

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	(void)ri;
	returned += regs_return_value(regs) != 0;
	return 0;
}

static void put(struct kprobe *p, int (*fn)(int))
{
	*p = (struct kprobe){ .addr = (kprobe_opcode_t *)(unsigned long)fn,
			      .pre_handler = live_pre };
	NEED(!register_kprobe(p));
	if (live_jumps)
		kprobes_flush();
}

static void begin(void)
{
	NEED(!kprobes_set_optimization(live_jumps));
	alarm(LIVE_PATIENCE);
}

/* The kernel still takes hits of a uprobe that was closed a moment ago. */
static void settle(void)
{
	usleep(100000);
}

static bool counts(int (*fn)(int), long each)
{
	long before = live_hits;
	int i;

	for (i = 0; i < 100; i++)
		if (fn(i) != i + 1)
			return false;
	return live_hits == before + 100 * each;
}

static void *in_new_thread(void *arg)
{
	NEED(counts(arg, 1));
	return NULL;
}

static void new_thread_counts(int (*fn)(int))
{
	pthread_t thread;

	NEED(!pthread_create(&thread, NULL, in_new_thread, (void *)(unsigned long)fn));
	NEED(!pthread_join(thread, NULL));
}

static void beside(void)
{
	int fd = uprobe_open(theirs, false);

	begin();
	NEED(counts(theirs, 0) && uprobe_hits(fd) == 100);
	put(&probe, ours);
	NEED(counts(ours, 1));
	new_thread_counts(ours);
	NEED(counts(theirs, 0) && uprobe_hits(fd) == 200);
	close(fd);
	NEED(counts(ours, 1));
	new_thread_counts(ours);
	unregister_kprobe(&probe);
	NEED(counts(ours, 0));
}

/* The thread's last trap was a fault of another kind. */
static void after_a_fault(void)
{
	int fd = uprobe_open(theirs, false);
	char *page;

	begin();
	close(fd);
	put(&probe, ours);
	page = malloc(1 << 20);
	for (int i = 0; i < 1 << 20; i += 4096)
		page[i] = 1;
	NEED(counts(ours, 1));
	free(page);
	unregister_kprobe(&probe);
}

/* It was there first: ours is refused. */
static void at_a_uprobe(void)
{
	int fd = uprobe_open(ours, false);

	begin();
	NEED(counts(ours, 0) && uprobe_hits(fd) == 100);
	probe = (struct kprobe){ .addr = (kprobe_opcode_t *)(unsigned long)ours,
				 .pre_handler = live_pre };
	NEED(register_kprobe(&probe) && probe.reason);
	NEED(counts(ours, 0) && uprobe_hits(fd) == 200);
	close(fd);
	NEED(counts(ours, 0));
	settle();
	put(&probe, ours);
	NEED(counts(ours, 1));
	unregister_kprobe(&probe);
	NEED(counts(ours, 0));
}

/* Where ours is: whoever has the hits, the program goes on as alone. */
static inline void a_uprobe_at(int (*fn)(int))
{
	long before;
	int fd;

	put(&probe, fn);
	NEED(counts(fn, 1));
	fd = uprobe_open(fn, false);
	before = live_hits;
	for (int i = 0; i < 100; i++)
		NEED(fn(i) == i + 1);
	NEED(uprobe_hits(fd) == 100 && live_hits == before);
	close(fd);
	for (int i = 0; i < 100; i++)
		NEED(fn(i) == i + 1);
	unregister_kprobe(&probe);
	NEED(counts(fn, 0));
	settle();
	put(&probe, fn);
	NEED(counts(fn, 1));
	unregister_kprobe(&probe);
	NEED(counts(fn, 0));
}

static inline void a_uprobe_at_ours(void)
{
	begin();
	a_uprobe_at(ours);
	a_uprobe_at(pushes);
#ifdef SHAPE
#ifdef __x86_64__
	a_uprobe_at(long_prefixed);
#endif
	a_uprobe_at(four_first);
	a_uprobe_at(three_first);
	a_uprobe_at(one_first);
#endif
}

#ifdef SHAPE
/* It comes to the instruction behind the probed one, which a jump covers, and goes. */
static void behind(int (*fn)(int), unsigned int len)
{
	int fd, i;

	put(&probe, fn);
	NEED(counts(fn, 1));
	fd = uprobe_open((int (*)(int))((unsigned long)fn + len), false);
	for (i = 0; i < 100; i++)
		NEED(fn(i) == i + 1);
	NEED(counts(fn, 1));
	close(fd);
	for (i = 0; i < 100; i++)
		NEED(fn(i) == i + 1);
	NEED(counts(fn, 1));
	unregister_kprobe(&probe);
	NEED(counts(fn, 0));
	settle();
}

static void a_uprobe_under_ours(void)
{
	begin();
	behind(four_first, 4);
}

#ifdef __x86_64__
/* It comes and goes, and nobody is hit meanwhile. */
static void unseen(int (*fn)(int))
{
	int fd, i;

	put(&probe, fn);
	NEED(counts(fn, 1));
	fd = uprobe_open(fn, false);
	close(fd);
	settle();
	for (i = 0; i < 100; i++)
		NEED(fn(i) == i + 1);
	if (live_jumps)		/* a breakpoint that is gone is found by the next look */
		NEED(counts(fn, 1));
	unregister_kprobe(&probe);
	NEED(counts(fn, 0));
}

static void a_uprobe_unseen(void)
{
	begin();
	unseen(long_prefixed);
	unseen(three_first);
}
#endif
#endif

/* It stays longer than ours. */
static inline void a_uprobe_outlives_ours(void)
{
	int fd;

	begin();
	put(&probe, ours);
	NEED(counts(ours, 1));
	fd = uprobe_open(ours, false);
	for (int i = 0; i < 100; i++)
		NEED(ours(i) == i + 1);
	unregister_kprobe(&probe);
	NEED(counts(ours, 0));
	close(fd);
	NEED(counts(ours, 0));
}

static void uretprobes(void)
{
	int fd = uprobe_open(ours, true);

	begin();
	close(fd);
	returns = (struct kretprobe){ .kp.addr = (kprobe_opcode_t *)(unsigned long)ours,
				      .handler = on_return };
	NEED(!register_kretprobe(&returns));
	if (live_jumps)
		kprobes_flush();
	fd = uprobe_open(theirs, true);
	NEED(counts(theirs, 0) && uprobe_hits(fd) == 100);
	returned = 0;
	NEED(counts(ours, 0) && returned == 100);
	NEED(counts(theirs, 0) && uprobe_hits(fd) == 200);
	close(fd);
	unregister_kretprobe(&returns);
}

static atomic_bool over;

static void *work(void *arg)
{
	long n = 0;

	(void)arg;
	while (!over) {
		int i = (int)(n++ & 1023);

		NEED(ours(i) == i + 1 && theirs(i) == i + 1 && pushes(i) == i + 1);
	}
	return NULL;
}

/* Uprobes beside ours and ours beside uprobes come and go under load. */
static void come_and_go(void)
{
	pthread_t threads[2];
	int i, fd;

	begin();
	for (i = 0; i < 2; i++)
		NEED(!pthread_create(&threads[i], NULL, work, NULL));
	for (i = 0; i < live_rounds(30); i++) {
		fd = uprobe_open(i & 1 ? theirs : pushes, i & 2);
		put(&probe, ours);
		usleep(1000);
		close(fd);
		fd = uprobe_open(theirs, false);
		put(&second, pushes);
		usleep(1000);
		unregister_kprobe(&probe);
		close(fd);
		unregister_kprobe(&second);
	}
	over = true;
	for (i = 0; i < 2; i++)
		NEED(!pthread_join(threads[i], NULL));
	put(&probe, ours);
	NEED(counts(ours, 1));
	unregister_kprobe(&probe);
}

int main(void)
{
	static const struct live_case cases[] = {
		{ "uprobe_beside_ours", beside },
		{ "uprobe_gone_and_another_fault", after_a_fault },
		{ "ours_at_a_uprobe", at_a_uprobe },
		{ "uprobe_at_ours", a_uprobe_at_ours },
		{ "uprobe_outlives_ours", a_uprobe_outlives_ours },
#ifdef SHAPE
		{ "uprobe_under_ours", a_uprobe_under_ours },
#ifdef __x86_64__
		{ "uprobe_unseen", a_uprobe_unseen },
#endif
#endif
		{ "uretprobe_beside_ours", uretprobes },
		{ "uprobes_come_and_go", come_and_go },
	};
	const char *why = uprobe_refused();

	if (why) {
		printf("skip uprobes_beside_ours %s\nok uprobes_looked_for\n", why);
		return 0;
	}
	live_both(cases, sizeof(cases) / sizeof(cases[0]));
	return live_failed;
}
