/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * calls.c - return probes whose calls and returns the entries serve by themselves
 * (call_entry.S, return.S), and what they must not lose by that (K-HIT-34, K-RET-01,
 * K-RET-20, K-FLT-06).
 *
 * The handler is written in assembly and clobbers all that a call may lose; around
 * the call, and inside the function, every register and flag is compared.
 */
#include "jumps.h"

#include <setjmp.h>
#include <sys/time.h>

/* All but rsp; flags last. */
#define REGS 16
unsigned long calls_in[REGS], calls_seen[REGS], calls_out[REGS];
long calls_call(void);			/* sets, calls, stores: 0 */
long calls_target(void);		/* stores, too; rax + TARGET_ADDS */
#define TARGET_ADDS 0x1234567
long calls_recurse(long n);
int calls_handler(struct kretprobe_instance *ri, struct pt_regs *regs);
unsigned long calls_returns, calls_results;
volatile long *calls_where;		/* NULL faults */
static long somewhere;

#define ALL(what, to)							\
	what(rax, to, 0) what(rbx, to, 8) what(rcx, to, 16)		\
	what(rdx, to, 24) what(rsi, to, 32) what(rdi, to, 40)		\
	what(rbp, to, 48) what(r8, to, 56) what(r9, to, 64)		\
	what(r10, to, 72) what(r11, to, 80) what(r12, to, 88)		\
	what(r13, to, 96) what(r14, to, 104) what(r15, to, 112)
#define STORE(reg, to, off) "	mov %" #reg ", " to "+" #off "(%rip)\n"
#define LOAD(reg, from, off) "	mov " from "+" #off "(%rip), %" #reg "\n"

__asm__(".text\n"
	".globl calls_call\n.type calls_call, @function\n"
	"calls_call:\n"
	"	push %rbx\n	push %rbp\n	push %r12\n	push %r13\n"
	"	push %r14\n	push %r15\n	sub $8, %rsp\n"
	"	mov %rsp, calls_sp(%rip)\n"
	"	push calls_in+120(%rip)\n	popfq\n"
	ALL(LOAD, "calls_in")
	"	call calls_target\n"
	ALL(STORE, "calls_out")
	"	pushfq\n	pop calls_out+120(%rip)\n"
	"	push $2\n	popfq\n"
	"	xor %eax, %eax\n"
	"	cmp %rsp, calls_sp(%rip)\n"
	"	setne %al\n"
	"	add $8, %rsp\n	pop %r15\n	pop %r14\n	pop %r13\n"
	"	pop %r12\n	pop %rbp\n	pop %rbx\n"
	"	ret\n"
	".size calls_call, . - calls_call\n"

	".globl calls_target\n.type calls_target, @function\n"
	"calls_target:\n"
	"	lea 0x1234567(%rax), %rax\n"
	ALL(STORE, "calls_seen")
	"	pushfq\n	pop calls_seen+120(%rip)\n"
	"	ret\n"
	".size calls_target, . - calls_target\n"

	/* n + ... + 1 */
	".globl calls_recurse\n.type calls_recurse, @function\n"
	"calls_recurse:\n"
	"	lea 0x0(,%rdi,1), %rax\n"
	"	test %rdi, %rdi\n	jz 1f\n"
	"	push %rdi\n	dec %rdi\n	call calls_recurse\n"
	"	pop %rdi\n	add %rdi, %rax\n"
	"1:	ret\n"
	".size calls_recurse, . - calls_recurse\n"

	".globl calls_handler\n.type calls_handler, @function\n"
	"calls_handler:\n"
	"	mov 0x50(%rsi), %rax\n"
	"	lock add %rax, calls_results(%rip)\n"
	"	mov calls_where(%rip), %rcx\n"
	"	mov (%rcx), %rcx\n"
	"	lock incq calls_returns(%rip)\n"
	"	mov $-1, %rax\n	mov %rax, %rcx\n	mov %rax, %rdx\n"
	"	mov %rax, %rdi\n	mov %rax, %r8\n	mov %rax, %r9\n"
	"	mov %rax, %r10\n	mov %rax, %r11\n	xor %esi, %esi\n"
	"	xor %eax, %eax\n	ret\n"
	".size calls_handler, . - calls_handler\n"
	".local calls_sp\n.comm calls_sp, 8, 8\n");

static struct kretprobe rp;

/* A hit in a handler is the entry probe's to miss. */
static unsigned long missed(void)
{
	return (unsigned long)rp.nmissed + rp.kp.nmissed;
}

static void arm_at(void *target)
{
	calls_where = &somewhere;
	calls_returns = calls_results = 0;
	rp = (struct kretprobe){ .handler = calls_handler,
				 .kp.addr = target };
	NEED(!register_kretprobe(&rp) && jumps_settle(target));
}

static void arm(void)
{
	arm_at((void *)calls_target);
}

static bool registers_kept(unsigned long flags)
{
	unsigned long i;

	for (i = 0; i < REGS - 1; i++)
		calls_in[i] = 0x0123456789abcdeful * (i + 3);
	calls_in[REGS - 1] = flags;
	if (calls_call())
		return false;
	calls_in[0] += TARGET_ADDS;
	return !memcmp(calls_in, calls_seen, sizeof(calls_in)) &&
	       !memcmp(calls_in, calls_out, sizeof(calls_in));
}

/* CF PF AF ZF SF DF OF in all combinations, NT, AC and ID. */
static void registers(void)
{
	static const unsigned long bits[] = { 1, 4, 16, 64, 128, 0x400, 0x800,
					      0x4000, 0x40000, 0x200000 };
	unsigned long before, flags, n, i;

	arm();
	for (n = 0; n < 1ul << 10; n++) {
		flags = 0x202;
		for (i = 0; i < 10; i++)
			flags |= n >> i & 1 ? bits[i] : 0;
		before = calls_returns;
		NEED(registers_kept(flags));
		NEED(calls_returns == before + 1);
	}
	NEED(!missed());
	unregister_kretprobe(&rp);
	before = calls_returns;
	NEED(registers_kept(0x202) && calls_returns == before);
}

static void recursion(void)
{
	int i;

	arm_at((void *)calls_recurse);
	for (i = 0; i < 1000; i++)
		NEED(calls_recurse(i % 50) == (i % 50) * (i % 50 + 1) / 2);
	/* 0 to 49, with one call more than that. */
	NEED(calls_returns + missed() == 20 * 50 * 51 / 2);
	unregister_kretprobe(&rp);
}

static void fault(void)
{
	int i;

	arm();
	NEED(registers_kept(0x202) && calls_returns == 1);
	for (i = 0; i < 3; i++) {
		calls_where = NULL;
		NEED(registers_kept(0x202) && calls_returns == 1u + (unsigned)i);
		NEED(kprobe_disabled(&rp.kp));
		NEED(registers_kept(0x202));
		calls_where = &somewhere;
		NEED(!enable_kretprobe(&rp) && jumps_settle((void *)calls_target));
		NEED(registers_kept(0x202) && calls_returns == 2u + (unsigned)i);
	}
	unregister_kretprobe(&rp);
}

/*
 * A signal's handler leaves whatever it finds, at any instruction: the calls that it
 * has cut short are lost, and no other one is, then or later.
 */
static sigjmp_buf out;
static volatile sig_atomic_t may_leave;
static volatile unsigned long inner;

static void on_alarm(int sig)
{
	(void)sig;
	/* It calls it, too. */
	calls_call();
	inner++;
	if (may_leave)
		siglongjmp(out, 1);
}

static void left_anywhere(void)
{
	struct itimerval often = { { 0, 300 }, { 0, 300 } }, never = { 0 };
	volatile unsigned long i, left = 0;
	unsigned long seen;

	arm();
	calls_in[REGS - 1] = 0x202;
	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &often, NULL);
	for (i = 0; i < 300000; i++) {
		if (sigsetjmp(out, 1))
			left++;
		may_leave = 1;
		calls_call();
		may_leave = 0;
	}
	setitimer(ITIMER_REAL, &never, NULL);
	seen = calls_returns + missed();
	/* What was left was called again, and perhaps counted before. */
	NEED(seen >= 300000 + inner && seen <= 300000 + inner + left);
	rp.nmissed = 0;
	rp.kp.nmissed = 0;
	calls_returns = 0;
	for (i = 0; i < 1000; i++)
		calls_call();
	NEED(calls_returns == 1000 && !missed());
	unregister_kretprobe(&rp);
}

/* Others come to the address and go, with threads in it: every call counts. */
static volatile bool stop;

static void *call_it(void *arg)
{
	unsigned long *nr = arg;

	while (!stop) {
		calls_recurse(0);
		++*nr;
	}
	return NULL;
}

static volatile unsigned long others_hits;

static int other_pre(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	__atomic_add_fetch(&others_hits, 1, __ATOMIC_RELAXED);
	return 0;
}

static void other_post(struct kprobe *p, struct pt_regs *regs,
		       unsigned long flags)
{
	(void)flags;
	other_pre(p, regs);
}

static int other_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	(void)ri;
	(void)regs;
	return 1;
}

static void let_run(unsigned long *nr)
{
	unsigned long before = *(volatile unsigned long *)nr;

	while (*(volatile unsigned long *)nr < before + 200)
		usleep(100);
}

static void company(void)
{
	struct kprobe k[] = { { .pre_handler = other_pre },
			      { .pre_handler = other_pre,
				.post_handler = other_post } };
	struct kretprobe r = { .handler = calls_handler,
			       .entry_handler = other_entry };
	unsigned long nr[2] = { 0 };
	pthread_t threads[2];
	int i;

	arm_at((void *)calls_recurse);
	for (i = 0; i < 2; i++)
		NEED(!pthread_create(&threads[i], NULL, call_it, &nr[i]));
	for (i = 0; i < 90; i++) {
		if (i % 3 == 2) {
			r.kp = (struct kprobe){ .addr = (void *)calls_recurse };
			NEED(!register_kretprobe(&r));
			let_run(&nr[i & 1]);
			unregister_kretprobe(&r);
		} else {
			k[i % 3].addr = (void *)calls_recurse;
			k[i % 3].flags = 0;
			NEED(!register_kprobe(&k[i % 3]));
			let_run(&nr[i & 1]);
			unregister_kprobe(&k[i % 3]);
		}
		let_run(&nr[i & 1]);
	}
	stop = true;
	for (i = 0; i < 2; i++)
		NEED(!pthread_join(threads[i], NULL));
	NEED(calls_returns + missed() == nr[0] + nr[1]);
	NEED(others_hits > 0);
	unregister_kretprobe(&rp);
}

/*
 * One kind after the other, at an address whose jump has a head of the first; while
 * threads run through, and then exactly.
 */
static pthread_t runner;
static unsigned long run_nr;

static void let_it_run(void)
{
	stop = false;
	NEED(!pthread_create(&runner, NULL, call_it, &run_nr));
	let_run(&run_nr);
}

static void hold(void)
{
	stop = true;
	NEED(!pthread_join(runner, NULL));
}

static void kprobe_turn(struct kprobe *k, unsigned long each)
{
	unsigned long hits;
	int i;

	k->addr = (void *)calls_recurse;
	k->flags = 0;
	let_it_run();
	NEED(!register_kprobe(k) && jumps_settle((void *)calls_recurse));
	let_run(&run_nr);
	hold();
	hits = others_hits;
	for (i = 0; i < 100; i++)
		NEED(calls_recurse(0) == 0);
	NEED(others_hits == hits + 100 * each && !k->nmissed);
	let_it_run();
	unregister_kprobe(k);
	hold();
}

static void kretprobe_turn(void)
{
	int i;

	let_it_run();
	arm_at((void *)calls_recurse);
	let_run(&run_nr);
	hold();
	calls_returns = 0;
	for (i = 0; i < 100; i++)
		NEED(calls_recurse(0) == 0);
	NEED(calls_returns == 100 && !missed());
	let_it_run();
	unregister_kretprobe(&rp);
	hold();
}

static void turns(void)
{
	struct kprobe pre = { .pre_handler = other_pre };
	struct kprobe both = { .pre_handler = other_pre,
			       .post_handler = other_post };
	uint8_t text[16];
	int i;

	memcpy(text, (void *)calls_recurse, sizeof(text));
	for (i = 0; i < 20; i++) {
		if (i & 1)
			kretprobe_turn();
		kprobe_turn(&pre, 1);
		kprobe_turn(&both, 2);
		if (!(i & 1))
			kretprobe_turn();
	}
	kprobes_flush();
	NEED(!memcmp(text, (void *)calls_recurse, sizeof(text)));
}

int main(void)
{
	jumps_begin();
	child_case("K-HIT-34 registers and flags across a call and its return",
		   registers);
	child_case("K-RET-20 a function that calls itself", recursion);
	child_case("K-FLT-06 the return handler faults", fault);
	child_case("K-RET-46 left anywhere, by a signal's handler",
		   left_anywhere);
	child_case("K-RET-01 others come and go", company);
	child_case("K-RET-01 kprobes and a return probe take turns", turns);
	return live_failed;
}
