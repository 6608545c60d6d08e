/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * lean.c - handlers that the jump's entry calls by itself, and what it must not
 * lose by that (K-HIT-12, K-HIT-34, K-FLT-04).
 *
 * The handlers are written in assembly, so that they are what lean.c of the engine
 * takes for lean: they clobber all that a call may lose.  Around the probed
 * instruction every register and flag has a value of its own, which is compared
 * behind it.
 */
#include "jumps.h"

#include <setjmp.h>
#include <sys/mman.h>
#include <sys/time.h>

/* All but rsp; flags last. */
#define REGS 16
unsigned long lean_in[REGS], lean_out[REGS];
long lean_call(void);			/* sets, executes, stores */
extern char lean_probed[], lean_nop[];
int lean_pre(struct kprobe *p, struct pt_regs *regs);
void lean_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags);
int lean_reads(struct kprobe *p, struct pt_regs *regs);
int lean_spins(struct kprobe *p, struct pt_regs *regs);
int lean_takes(struct kprobe *p, struct pt_regs *regs);
int lean_wants(struct kprobe *p, struct pt_regs *regs);
unsigned long lean_pres, lean_posts, lean_seen;
/* What the first two read: NULL faults. */
volatile long *lean_where;
volatile long *lean_where_too;
static long somewhere;

#define CLOBBER								\
	"	mov $-1, %rax\n	mov %rax, %rcx\n	mov %rax, %rdx\n"		\
	"	mov %rax, %rdi\n	mov %rax, %r8\n	mov %rax, %r9\n"		\
	"	mov %rax, %r10\n	mov %rax, %r11\n	xor %esi, %esi\n"

__asm__(".text\n"
	".globl lean_call\n.type lean_call, @function\n"
	"lean_call:\n"
	"	push %rbx\n	push %rbp\n	push %r12\n	push %r13\n"
	"	push %r14\n	push %r15\n	sub $8, %rsp\n"
	"	mov %rsp, lean_sp(%rip)\n"
	"	push lean_in+120(%rip)\n	popfq\n"
	"	mov lean_in(%rip), %rax\n"
	"	mov lean_in+8(%rip), %rbx\n"
	"	mov lean_in+16(%rip), %rcx\n"
	"	mov lean_in+24(%rip), %rdx\n"
	"	mov lean_in+32(%rip), %rsi\n"
	"	mov lean_in+40(%rip), %rdi\n"
	"	mov lean_in+48(%rip), %rbp\n"
	"	mov lean_in+56(%rip), %r8\n"
	"	mov lean_in+64(%rip), %r9\n"
	"	mov lean_in+72(%rip), %r10\n"
	"	mov lean_in+80(%rip), %r11\n"
	"	mov lean_in+88(%rip), %r12\n"
	"	mov lean_in+96(%rip), %r13\n"
	"	mov lean_in+104(%rip), %r14\n"
	"	mov lean_in+112(%rip), %r15\n"
	".globl lean_probed\n"
	"lean_probed:\n"
	"	lea 0x1234567(%rax), %rax\n"
	".globl lean_nop\n"
	"lean_nop:\n"
	"	nop\n	nop\n	nop\n	nop\n	nop\n	nop\n"
	"	mov %rax, lean_out(%rip)\n"
	"	mov %rbx, lean_out+8(%rip)\n"
	"	mov %rcx, lean_out+16(%rip)\n"
	"	mov %rdx, lean_out+24(%rip)\n"
	"	mov %rsi, lean_out+32(%rip)\n"
	"	mov %rdi, lean_out+40(%rip)\n"
	"	mov %rbp, lean_out+48(%rip)\n"
	"	mov %r8, lean_out+56(%rip)\n"
	"	mov %r9, lean_out+64(%rip)\n"
	"	mov %r10, lean_out+72(%rip)\n"
	"	mov %r11, lean_out+80(%rip)\n"
	"	mov %r12, lean_out+88(%rip)\n"
	"	mov %r13, lean_out+96(%rip)\n"
	"	mov %r14, lean_out+104(%rip)\n"
	"	mov %r15, lean_out+112(%rip)\n"
	"	pushfq\n	pop lean_out+120(%rip)\n"
	"	push $2\n	popfq\n"
	"	xor %eax, %eax\n"
	"	cmp %rsp, lean_sp(%rip)\n"
	"	setne %al\n"
	"	add $8, %rsp\n	pop %r15\n	pop %r14\n	pop %r13\n"
	"	pop %r12\n	pop %rbp\n	pop %rbx\n"
	"	ret\n"
	".size lean_call, . - lean_call\n"

	".globl lean_pre\n.type lean_pre, @function\n"
	"lean_pre:\n"
	"	endbr64\n"
	"	lock incq lean_pres(%rip)\n"
	CLOBBER
	"	mov lean_where(%rip), %r8\n"
	"	mov (%r8), %r8\n"
	"	mov lean_where_too(%rip), %r9\n"
	"	mov (%r9), %r9\n"
	"	xor %eax, %eax\n	ret\n"
	".size lean_pre, . - lean_pre\n"

	".globl lean_post\n.type lean_post, @function\n"
	"lean_post:\n"
	"	lock incq lean_posts(%rip)\n"
	CLOBBER
	"	mov lean_where_too(%rip), %r8\n"
	"	mov (%r8), %r8\n"
	"	ret\n"
	".size lean_post, . - lean_post\n"

	/* The sum of all that it may read. */
	".globl lean_reads\n.type lean_reads, @function\n"
	"lean_reads:\n"
	"	mov 0x30(%rsi), %rax\n	add 0x38(%rsi), %rax\n"
	"	add 0x40(%rsi), %rax\n	add 0x48(%rsi), %rax\n"
	"	add 0x50(%rsi), %rax\n	add 0x58(%rsi), %rax\n"
	"	add 0x60(%rsi), %rax\n	add 0x68(%rsi), %rax\n"
	"	add 0x70(%rsi), %rax\n	add 0x98(%rsi), %rax\n"
	"	mov %rax, lean_seen(%rip)\n"
	"	xor %eax, %eax\n	ret\n"
	".size lean_reads, . - lean_reads\n"

	".globl lean_spins\n.type lean_spins, @function\n"
	"lean_spins:\n"
	"	lock incq lean_pres(%rip)\n"
	"	mov $200, %eax\n"
	"1:	pause\n	dec %eax\n	jnz 1b\n"
	"	ret\n"
	".size lean_spins, . - lean_spins\n"

	/* Behind a nop: there it goes on, and nothing was lost. */
	".globl lean_takes\n.type lean_takes, @function\n"
	"lean_takes:\n"
	"	incq lean_pres(%rip)\n"
	CLOBBER
	"	mov $1, %eax\n	ret\n"
	".size lean_takes, . - lean_takes\n"

	".globl lean_wants\n.type lean_wants, @function\n"
	"lean_wants:\n"
	CLOBBER
	"	mov $2, %eax\n	ret\n"
	".size lean_wants, . - lean_wants\n"

	/* Not lean: they change xmm0 to xmm3, or xmm4 to xmm15, and MXCSR. */
	".globl lean_few\n.type lean_few, @function\n"
	"lean_few:\n"
	"	lock incq lean_pres(%rip)\n"
	"	movsd lean_third(%rip), %xmm1\n"
	"	divsd %xmm1, %xmm1\n	movsd lean_third(%rip), %xmm0\n"
	"	mulsd %xmm0, %xmm0\n"
	"	movaps %xmm0, %xmm2\n	movaps %xmm0, %xmm3\n"
	CLOBBER
	"	mov lean_where(%rip), %r8\n"
	"	mov (%r8), %r8\n"
	"	xor %eax, %eax\n	ret\n"
	".size lean_few, . - lean_few\n"
	".globl lean_many\n.type lean_many, @function\n"
	"lean_many:\n"
	"	lock incq lean_posts(%rip)\n"
	"	pcmpeqd %xmm4, %xmm4\n"
	"	movaps %xmm4, %xmm5\n	movaps %xmm4, %xmm6\n"
	"	movaps %xmm4, %xmm7\n	movaps %xmm4, %xmm8\n"
	"	movaps %xmm4, %xmm9\n	movaps %xmm4, %xmm10\n"
	"	movaps %xmm4, %xmm11\n	movaps %xmm4, %xmm12\n"
	"	movaps %xmm4, %xmm13\n	movaps %xmm4, %xmm14\n"
	"	movaps %xmm4, %xmm15\n"
	CLOBBER
	"	mov lean_where_too(%rip), %r8\n"
	"	mov (%r8), %r8\n"
	"	xor %eax, %eax\n	ret\n"
	".size lean_many, . - lean_many\n"
	".balign 8\nlean_third: .quad 0x3fd5555555555555\n"

	/* Sets the vector registers, calls, and stores them. */
	".globl lean_vectors\n.type lean_vectors, @function\n"
	"lean_vectors:\n"
	".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
	"	movups lean_vectors_in+16*\\n(%rip), %xmm\\n\n"
	".endr\n"
	"	ldmxcsr lean_mxcsr_in(%rip)\n"
	"	sub $8, %rsp\n	call lean_call\n	add $8, %rsp\n"
	".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
	"	movups %xmm\\n, lean_vectors_out+16*\\n(%rip)\n"
	".endr\n"
	"	stmxcsr lean_mxcsr_out(%rip)\n"
	"	ret\n"
	".size lean_vectors, . - lean_vectors\n"
	".local lean_sp\n.comm lean_sp, 8, 8\n");

static const unsigned long flag_sets[] = {
	0x202, 0x2d7, 0xa02, 0xad7,
	0x202 | 0x400, 0x202 | 0x40000, 0x202 | 0x200000, 0x2d7 | 0x244c00,
};
#define FLAG_SETS (sizeof(flag_sets) / sizeof(flag_sets[0]))

/* Is everything but what the probed instruction does as it was? */
static bool intact(unsigned long flags)
{
	int i;

	for (i = 0; i < REGS - 1; i++)
		lean_in[i] = 0x0123456789abcdeful * (unsigned long)(i + 3);
	lean_in[REGS - 1] = flags;
	memset(lean_out, 0, sizeof(lean_out));
	if (lean_call())
		return false;
	lean_out[0] -= 0x1234567;
	return !memcmp(lean_in, lean_out, sizeof(lean_in));
}

static bool all_intact(void)
{
	size_t i;

	for (i = 0; i < FLAG_SETS; i++)
		if (!intact(flag_sets[i]))
			return false;
	return true;
}

static void arm(struct kprobe *p)
{
	p->addr = p->addr ? p->addr : (kprobe_opcode_t *)lean_probed;
	p->flags = 0;
	NEED(register_kprobe(p) == 0);
	NEED(jumps_settle(p->addr));
}

static void begin(void)
{
	lean_pres = lean_posts = 0;
	lean_where = lean_where_too = &somewhere;
}

static void kept(void)
{
	struct kprobe p = { .pre_handler = lean_pre };
	struct kprobe q = { .post_handler = lean_post };
	struct kprobe r = { .pre_handler = lean_pre,
			    .post_handler = lean_post };

	begin();
	arm(&p);
	NEED(all_intact() && lean_pres == FLAG_SETS);
	unregister_kprobe(&p);
	arm(&q);
	NEED(all_intact() && lean_posts == FLAG_SETS);
	unregister_kprobe(&q);
	arm(&r);
	NEED(all_intact() && lean_pres == 2 * FLAG_SETS &&
	     lean_posts == 2 * FLAG_SETS);
	unregister_kprobe(&r);
	NEED(!p.nmissed && !q.nmissed && !r.nmissed);
}

/* Heads differ for handlers that come after the instruction. */
static void another_head(void)
{
	struct kprobe p = { .pre_handler = lean_pre };
	struct kprobe q = { .post_handler = lean_post };
	char plain[5];

	begin();
	arm(&p);
	memcpy(plain, lean_probed, sizeof(plain));
	unregister_kprobe(&p);
	arm(&q);
	NEED(!jumps_wanted() == !memcmp(lean_probed, plain, sizeof(plain)));
	NEED(all_intact() && lean_posts == FLAG_SETS && !lean_pres);
	unregister_kprobe(&q);
	arm(&p);
	NEED(!memcmp(lean_probed, plain, sizeof(plain)));
	NEED(all_intact() && lean_pres == FLAG_SETS);
	unregister_kprobe(&p);
}

static void found(void)
{
	struct kprobe p = { .pre_handler = lean_reads };
	/* In lean_in: rax rcx rdx rsi rdi r8 to r11. */
	static const int which[] = { 0, 2, 3, 4, 5, 7, 8, 9, 10 };
	unsigned long sum = 0, sp;
	size_t i;

	begin();
	arm(&p);
	NEED(all_intact());
	for (i = 0; i < sizeof(which) / sizeof(which[0]); i++)
		sum += lean_in[which[i]];
	sp = lean_seen - sum;
	NEED((unsigned long)&sp - sp < 65536);
	unregister_kprobe(&p);
}

/* Counted as missed (K-FLT-04); the probe is disabled, and that is all. */
static void abandoned(struct kprobe *p, volatile long **which)
{
	unsigned long hits;

	begin();
	arm(p);
	NEED(all_intact());
	hits = lean_pres + lean_posts;
	*which = NULL;
	NEED(intact(0xa97));
	NEED(lean_pres + lean_posts > hits);
	NEED(kprobe_disabled(p));
	hits = lean_pres + lean_posts;
	NEED(all_intact() && lean_pres + lean_posts == hits);
	/* And back. */
	*which = &somewhere;
	NEED(enable_kprobe(p) == 0);
	NEED(jumps_settle(p->addr));
	NEED(all_intact() && lean_pres + lean_posts > hits);
	unregister_kprobe(p);
}

static void abandoned_pre(void)
{
	struct kprobe p = { .pre_handler = lean_pre };

	abandoned(&p, &lean_where);
	abandoned(&p, &lean_where_too);
}

static void abandoned_post(void)
{
	struct kprobe p = { .post_handler = lean_post };

	abandoned(&p, &lean_where_too);
}

static void abandoned_of_both(void)
{
	struct kprobe p = { .pre_handler = lean_pre,
			    .post_handler = lean_post };

	abandoned(&p, &lean_where);
	abandoned(&p, &lean_where_too);
}

/* The access is tried again, twice in one handler. */
static int resolved;
static int resolve(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	(void)p;
	(void)trapnr;
	resolved++;
	if (!regs->r8)
		regs->r8 = (unsigned long)&somewhere;
	else
		regs->r9 = (unsigned long)&somewhere;
	return 1;
}

static void resolved_fault(void)
{
	struct kprobe p = { .pre_handler = lean_pre,
			    .fault_handler = resolve };

	begin();
	somewhere = 7;
	arm(&p);
	lean_where = lean_where_too = NULL;
	NEED(all_intact());
	NEED(resolved == 2 * FLAG_SETS && lean_pres == FLAG_SETS);
	NEED(!kprobe_disabled(&p));
	/* And when it does not help: as any other. */
	p.fault_handler = NULL;
	NEED(all_intact() && kprobe_disabled(&p));
	unregister_kprobe(&p);
}

/* Not lean; and all registers are there. */
static unsigned long wanted;
static int wants_all(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	wanted += getpid() != -1 && regs->orig_ax == ~0ul && regs->ax == lean_in[0] &&
		  regs->bx == lean_in[1] && regs->si == lean_in[4] &&
		  regs->bp == lean_in[6] && regs->r8 == lean_in[7] &&
		  regs->r12 == lean_in[11] && regs->r15 == lean_in[14];
	return 0;
}

/* Of FLAG_SETS hits. */
static void filtered_by(kprobe_pre_handler_t filter, unsigned long asked,
			unsigned long let_through)
{
	struct kprobe p = { .pre_handler = wants_all, .filter = filter };

	begin();
	wanted = 0;
	arm(&p);
	NEED(all_intact());
	NEED(lean_pres == asked && wanted == let_through && !p.nmissed);
	unregister_kprobe(&p);
}

/* Asked where a lean handler would be called at once: with usual flags. */
static void filtered(void)
{
	struct kprobe p = { .pre_handler = wants_all, .filter = lean_pre };
	struct kprobe q = { .pre_handler = lean_reads };
	unsigned long asked = jumps_wanted() ? 2 : 0;

	filtered_by(lean_pre, asked, FLAG_SETS - asked);
	filtered_by(lean_takes, asked, FLAG_SETS);
	filtered_by(lean_wants, 0, FLAG_SETS);
	filtered_by(wants_all, 0, FLAG_SETS);
	/* Not where there is company, nor when it is gone and back. */
	begin();
	wanted = 0;
	arm(&p);
	arm(&q);
	NEED(all_intact() && !lean_pres && wanted == FLAG_SETS);
	unregister_kprobe(&q);
	NEED(disable_kprobe(&p) == 0 && all_intact() && wanted == FLAG_SETS);
	NEED(enable_kprobe(&p) == 0);
	NEED(jumps_settle(p.addr));
	NEED(all_intact() && lean_pres == asked &&
	     wanted == 2 * FLAG_SETS - asked);
	/* One that faults: as a handler. */
	lean_where = NULL;
	NEED(all_intact());
	NEED(!kprobe_disabled(&p) == !jumps_wanted());
	unregister_kprobe(&p);
}

unsigned char lean_vectors_in[16 * 16], lean_vectors_out[16 * 16];
unsigned int lean_mxcsr_in = 0x1f80, lean_mxcsr_out;
void lean_vectors(void);
int lean_few(struct kprobe *p, struct pt_regs *regs);
int lean_many(struct kprobe *p, struct pt_regs *regs);

static bool vectors_intact(unsigned long flags)
{
	size_t i;

	NEED(intact(flags));
	for (i = 0; i < sizeof(lean_vectors_in); i++)
		lean_vectors_in[i] = (unsigned char)(i * 7 + 1);
	memset(lean_vectors_out, 0, sizeof(lean_vectors_out));
	lean_vectors();
	lean_out[0] -= 0x1234567;
	return !memcmp(lean_in, lean_out, sizeof(lean_in)) &&
	       !memcmp(lean_vectors_in, lean_vectors_out,
		       sizeof(lean_vectors_in)) &&
	       lean_mxcsr_in == lean_mxcsr_out;
}

static bool all_vectors_intact(void)
{
	size_t i;

	for (i = 0; i < FLAG_SETS; i++)
		if (!vectors_intact(flag_sets[i]))
			return false;
	return true;
}

/* One that keeps few, one that keeps more, one that keeps none, in each order. */
static void vectors(void)
{
	kprobe_pre_handler_t handlers[] = { lean_few, lean_many, lean_pre };
	struct kprobe p[3];
	int first, i;

	for (first = 0; first < 6; first++) {
		memset(p, 0, sizeof(p));
		begin();
		for (i = 0; i < 3; i++) {
			p[i].pre_handler = handlers[(first + (first < 3 ? i : 3 - i)) % 3];
			arm(&p[i]);
			NEED(all_vectors_intact());
		}
		for (i = 0; i < 3; i++)
			NEED(!p[i].nmissed);
		/* Another rounding, and exceptions that are there already. */
		lean_mxcsr_in = 0x7fbf;
		NEED(all_vectors_intact());
		lean_mxcsr_in = 0x1f80;
		lean_pres = lean_posts = 0;
		NEED(vectors_intact(0x202));
		NEED(lean_pres == 4 && lean_posts == 2);
		/* One faults: the others run, then and later. */
		lean_where = NULL;
		NEED(vectors_intact(0x202));
		NEED(lean_posts == 4);
		lean_where = &somewhere;
		lean_pres = 0;
		NEED(vectors_intact(0x202));
		NEED(lean_posts == 6 && !lean_pres);
		for (i = 0; i < 3; i++)
			unregister_kprobe(&p[i]);
	}
}

static void takes_over(void)
{
	struct kprobe p = { .pre_handler = lean_takes,
			    .addr = (kprobe_opcode_t *)lean_nop };

	begin();
	arm(&p);
	NEED(all_intact() && lean_pres == FLAG_SETS);
	unregister_kprobe(&p);
}

/* Signals come at any instruction, hit the probe themselves, and leave for good. */
static sigjmp_buf out;
static volatile sig_atomic_t may_leave;
static volatile unsigned long calls;

static void on_alarm(int sig)
{
	(void)sig;
	calls++;
	lean_call();
	if (may_leave && calls % 3 == 0)
		siglongjmp(out, 1);
}

static void left(void)
{
	struct itimerval often = { { 0, 400 }, { 0, 400 } }, never = { 0 };
	struct kprobe p = { .pre_handler = lean_spins };
	volatile int i;

	begin();
	arm(&p);
	signal(SIGALRM, on_alarm);
	for (i = 0; i < REGS - 1; i++)
		lean_in[i] = (unsigned long)i;
	lean_in[REGS - 1] = 0x202;
	setitimer(ITIMER_REAL, &often, NULL);
	for (i = 0; i < 20000; i++) {
		sigsetjmp(out, 1);
		may_leave = 1;
		lean_call();
		may_leave = 0;
	}
	setitimer(ITIMER_REAL, &never, NULL);
	NEED(lean_pres + p.nmissed >= 20000 + calls);
	/* Nothing is believed to be inside. */
	unregister_kprobe(&p);
	arm(&p);
	begin();
	p.nmissed = 0;
	for (i = 0; i < 1000; i++)
		lean_call();
	NEED(lean_pres + p.nmissed == 1000 && !p.nmissed);
	unregister_kprobe(&p);
}

/* Others come and go at the same address, and none of its hits is lost. */
static volatile bool stop;
unsigned long lean_callee(void);
__asm__(".text\n.globl lean_callee\n.type lean_callee, @function\n"
	"lean_callee: lea 0x7654321(%rip), %rax\n	ret\n"
	".size lean_callee, . - lean_callee\n");

static void *call_it(void *arg)
{
	unsigned long *nr = arg;

	while (!stop) {
		lean_callee();
		++*nr;
	}
	return NULL;
}

static int loud_pre(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	return getpid() == -1 || regs->orig_ax != ~0ul;
}

static void loud_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	(void)p;
	(void)regs;
	(void)flags;
	getpid();
}

static int vector_pre(struct kprobe *p, struct pt_regs *regs)
{
	volatile double d = (double)regs->di;

	(void)p;
	d = d * 3 + 1;
	return 0;
}

static int counts(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	if (getpid() != -1 && regs->orig_ax == ~0ul)
		__atomic_fetch_add(&lean_pres, 1, __ATOMIC_RELAXED);
	return 0;
}

static void in_company(struct kprobe p)
{
	struct kprobe others[] = {
		{ .pre_handler = loud_pre }, { .post_handler = loud_post },
		{ .pre_handler = lean_pre }, { .post_handler = lean_post },
		{ .pre_handler = vector_pre },
		{ .pre_handler = lean_pre, .post_handler = loud_post },
		{ .pre_handler = loud_pre, .post_handler = lean_post },
		{ .pre_handler = lean_takes },
		{ .pre_handler = loud_pre, .filter = lean_reads },
	};
	const unsigned int others_nr = sizeof(others) / sizeof(others[0]);
	unsigned long nr[2] = { 0 }, own = 0;
	pthread_t threads[2];
	struct timespec start, now;
	unsigned int i = 0, n;

	begin();
	p.addr = (kprobe_opcode_t *)(unsigned long)lean_callee;
	arm(&p);
	stop = false;
	for (n = 0; n < 2; n++)
		pthread_create(&threads[n], NULL, call_it, &nr[n]);
	clock_gettime(CLOCK_MONOTONIC, &start);
	do {
		/* The last one would take over: it stays disabled. */
		struct kprobe *q = &others[i++ % others_nr];

		q->addr = p.addr;
		q->flags = q->pre_handler == lean_takes ? KPROBE_FLAG_DISABLED : 0;
		NEED(register_kprobe(q) == 0);
		if (i % 3)
			kprobes_flush();
		if (q->flags == 0 && i % 2)
			NEED(disable_kprobe(q) == 0 && enable_kprobe(q) == 0);
		unregister_kprobe(q);
		q->nmissed = 0;
		if (q->pre_handler == lean_pre)
			own++;
		q->addr = NULL;
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec - start.tv_sec < 2 || i < 64);
	stop = true;
	for (n = 0; n < 2; n++)
		pthread_join(threads[n], NULL);
	NEED(own > 1);
	/* Those of the others with the same handler count as well. */
	NEED(lean_pres + p.nmissed >= nr[0] + nr[1]);
	unregister_kprobe(&p);
}

static void company(void)
{
	in_company((struct kprobe){ .pre_handler = lean_pre });
	in_company((struct kprobe){ .pre_handler = counts, .filter = lean_wants });
}

int main(void)
{
	jumps_begin();
	child_case("lean: K-HIT-34 all registers and flags are kept", kept);
	child_case("lean: a jump that another probe takes over leads to the head for that one", another_head);
	child_case("lean: what a handler may look at is there", found);
	child_case("lean: a pre_handler that faults is abandoned",
		   abandoned_pre);
	child_case("lean: a post_handler that faults is abandoned",
		   abandoned_post);
	child_case("lean: one of both", abandoned_of_both);
	child_case("lean: a fault that its fault_handler resolves", resolved_fault);
	child_case("lean: a filter decides what a pre_handler sees", filtered);
	child_case("K-HIT-33 handlers that keep a few vectors, all or none", vectors);
	child_case("lean: K-HIT-12 a handler that takes over", takes_over);
	child_case("lean: signals that come while it runs, and leave", left);
	child_case("lean: no hit is lost while others come and go",
		   company);
	return live_failed;
}
