/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * flags.c - how a program has set its processor is how it finds it again, and no
 * handler's concern (K-HIT-34, K-RET-34).
 *
 * A function is called with each of the control bits set that a program may set:
 * alignment checks, direction, nested task, ID; rounding, flushing and unmasked
 * exceptions of SSE; precision, rounding and unmasked exceptions of the x87
 * unit; the base of GS and, where there are any, protection keys.  Probes of all
 * kinds sit on each of its instructions in turn, on the breakpoint and through a
 * jump.  Their handlers look at what they find, and do what would fail or differ:
 * accesses off their boundary, string instructions, divisions.  What handlers
 * leave behind that the calling convention forbids is wide.c's.
 */
#include "jumps.h"

#include <asm/prctl.h>
#include <cpuid.h>
#include <stdint.h>
#include <sys/syscall.h>

#define FLAG_TF 0x100ul
#define FLAG_DF 0x400ul
#define FLAG_NT 0x4000ul
#define FLAG_AC 0x40000ul
#define FLAG_ID 0x200000ul
#define USUAL_MXCSR 0x1f80u
#define USUAL_CW 0x37fu

/* flags_call() loads in, calls flags_target, stores out. */
struct control {
	uint64_t flags;
	uint32_t mxcsr;
	uint16_t cw, sw;
	uint64_t result;
};
struct control in, out;
void flags_call(void);
long flags_target(long a);
extern const char flags_over[], flags_target_end[];

/* All ways to execute: copied, emulated, with and without a prefix, short, long. */
__asm__(".text\n"
	".p2align 4\n"
	".globl flags_target\n.type flags_target, @function\n"
	"flags_target:\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	sub $32, %rsp\n"
	"	mov %rdi, -8(%rbp)\n"
	"	movl $3, -16(%rbp)\n"
	"	jmp 1f\n"
	".globl flags_over\n"
	"flags_over:\n"
	"	nop\n"
	"1:	lea flags_inner(%rip), %rax\n"
	"	mov %rax, -24(%rbp)\n"
	"	call *-24(%rbp)\n"
	"	imul -16(%rbp), %eax\n"
	/* Which leaves some flags undefined, on AMD's those of the stack pointer. */
	"	test %eax, %eax\n"
	"	call flags_inner_too\n"
	"	leave\n"
	"	ret\n"
	".globl flags_target_end\n"
	"flags_target_end:\n"
	".size flags_target, . - flags_target\n"
	".p2align 4\n"
	"flags_inner:\n"
	"	mov -8(%rbp), %rax\n"
	"	ret\n"
	"flags_inner_too:\n"
	"	lea 1(%rax), %rax\n"
	"	ret\n"
	".globl flags_call\n.type flags_call, @function\n"
	"flags_call:\n"
	"	push %rbp\n	push %rbx\n	sub $8, %rsp\n"
	"	fninit\n"
	"	fldcw in+12(%rip)\n"
	"	ldmxcsr in+8(%rip)\n"
	"	mov $7, %edi\n"
	"	push in(%rip)\n	popfq\n"
	"	call flags_target\n"
	"	pushfq\n	pop out(%rip)\n"
	"	push $2\n	popfq\n"
	"	mov %rax, out+16(%rip)\n"
	"	stmxcsr out+8(%rip)\n"
	"	fnstcw out+12(%rip)\n"
	"	fnstsw out+14(%rip)\n"
	"	fninit\n"
	"	ldmxcsr usual_mxcsr(%rip)\n"
	"	add $8, %rsp\n	pop %rbx\n	pop %rbp\n"
	"	ret\n"
	".size flags_call, . - flags_call\n"
	".p2align 2\n"
	"usual_mxcsr: .long 0x1f80\n");

static const struct {
	const char *name;
	struct control set;
} states[] = {
	{ "as usual", { 2, USUAL_MXCSR, USUAL_CW, 0, 0 } },
	{ "AC", { 2 | FLAG_AC, USUAL_MXCSR, USUAL_CW, 0, 0 } },
	{ "DF", { 2 | FLAG_DF, USUAL_MXCSR, USUAL_CW, 0, 0 } },
	{ "NT", { 2 | FLAG_NT, USUAL_MXCSR, USUAL_CW, 0, 0 } },
	{ "ID", { 2 | FLAG_ID, USUAL_MXCSR, USUAL_CW, 0, 0 } },
	{ "all flags", { 2 | FLAG_AC | FLAG_DF | FLAG_NT | FLAG_ID | 0x8d5,
			 USUAL_MXCSR, USUAL_CW, 0, 0 } },
	{ "all arithmetic flags", { 0x8d7, USUAL_MXCSR, USUAL_CW, 0, 0 } },
	{ "rounding up", { 2, 0x5f80, 0xb7f, 0, 0 } },
	{ "flushing, and what happened before", { 2, 0x9fff, USUAL_CW, 0, 0 } },
	{ "unmasked exceptions", { 2, 0, 0x340, 0, 0 } },
	{ "single precision", { 2, USUAL_MXCSR, 0x7f, 0, 0 } },
	{ "all", { 2 | FLAG_AC | FLAG_DF, 0x6000, 0x640, 0, 0 } },
};
#define STATES (sizeof(states) / sizeof(states[0]))

/* ---- handlers ------------------------------------------------------------- */

static int handled, wrong;
static unsigned long regs_flags;
static volatile double one = 1, three = 3;
static volatile long double one_l = 1, three_l = 3;
static double third;
static long double third_l;
static char from[128], to[128];
static size_t copied = 77;

struct at_odd {
	char byte;
	uint64_t word;
} __attribute__((packed));
static struct at_odd odd[2];

#define INLINE static inline __attribute__((always_inline))

/* Inline: what a handler is seen to use depends on its own code. */
INLINE void look(const struct pt_regs *regs)
{
	unsigned long now = __builtin_ia32_readeflags_u64();
	volatile struct at_odd *at = odd;

	handled++;
	if (regs)
		regs_flags = regs->flags;
	if (now & (FLAG_AC | FLAG_DF | FLAG_TF))
		wrong |= 1;
	at[0].word++;
	at[1].word = at[0].word;
	__asm__ volatile("mov $3, %%ecx; lea from+1(%%rip), %%rsi;"
			 "lea to+1(%%rip), %%rdi; rep movsq"
			 ::: "rcx", "rsi", "rdi", "memory");
}

INLINE void divide(void)
{
	if (one / three != third)
		wrong |= 2;
}

INLINE void all(void)
{
	if (one_l / three_l != third_l)
		wrong |= 4;
	memcpy(to + 1, from + 3, copied);
	if (memcmp(to + 1, from + 3, copied))
		wrong |= 8;
}

#define HANDLERS(kind, ...)						\
	static int pre_##kind(struct kprobe *p, struct pt_regs *regs)	\
	{								\
		(void)p;						\
		look(regs);						\
		__VA_ARGS__;						\
		return 0;						\
	}								\
	static void post_##kind(struct kprobe *p, struct pt_regs *regs,	\
				unsigned long flags)			\
	{								\
		(void)p;						\
		(void)flags;						\
		look(regs);						\
		__VA_ARGS__;						\
	}								\
	static int ret_##kind(struct kretprobe_instance *ri,		\
			      struct pt_regs *regs)			\
	{								\
		(void)ri;						\
		look(regs);						\
		__VA_ARGS__;						\
		return 0;						\
	}								\
	static long jp_##kind(long a)					\
	{								\
		look(NULL);						\
		__VA_ARGS__;						\
		jprobe_return();					\
		return a;						\
	}
HANDLERS(general, (void)0)
HANDLERS(sse, divide())
HANDLERS(all, divide(); all())

static const struct {
	const char *name;
	kprobe_pre_handler_t pre;
	kprobe_post_handler_t post;
	kretprobe_handler_t ret;
	long (*jp)(long a);
} kinds[] = {
	{ "uses general registers", pre_general, post_general, ret_general,
	  jp_general },
	{ "divides", pre_sse, post_sse, ret_sse, jp_sse },
	{ "uses all units", pre_all, post_all, ret_all, jp_all },
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* ---- what is compared ------------------------------------------------------- */

static struct control bare[STATES];	/* without a probe */
static uint64_t gs_base = 0x123456789000;

static uint32_t pkru(void)
{
	static int has = -1;
	unsigned int a, b, c = 0, d;

	if (has < 0)
		has = __get_cpuid_count(7, 0, &a, &b, &c, &d) && c & 1u << 4;
	if (!has)
		return 0;
	__asm__ volatile("rdpkru" : "=a"(a), "=d"(d) : "c"(0));
	return a;
}

/* All states, n hits each: NULL, or the name of the first that is not right. */
static const char *differs(int n, bool by_regs)
{
	uint32_t keys = pkru();
	unsigned long base;
	size_t i;

	for (i = 0; i < STATES; i++) {
		in = states[i].set;
		memset(&out, 0, sizeof(out));
		handled = wrong = 0;
		flags_call();
		if (memcmp(&out, &bare[i], sizeof(out)) || wrong ||
		    handled != n || pkru() != keys ||
		    (by_regs && (regs_flags ^ in.flags) &
				(FLAG_AC | FLAG_DF | FLAG_NT | FLAG_ID))) {
			printf("# flags %lx mxcsr %x cw %x sw %x result %ld, hits %d, wrong %x, seen %lx\n",
			       out.flags, out.mxcsr, out.cw, out.sw,
			       (long)out.result, handled, wrong, regs_flags);
			return states[i].name;
		}
	}
	return syscall(SYS_arch_prctl, ARCH_GET_GS, &base) || base != gs_base ?
	       "GS" : NULL;
}

static void result(const char *rule, const char *what, size_t kind, bool jump,
		   const char *bad)
{
	char text[160];

	snprintf(text, sizeof(text), "%s control state: %s that %s, %s%s%s",
		 rule, what, kinds[kind].name,
		 jump ? "through a jump" : "on the breakpoint",
		 bad ? ": " : "", bad ? bad : "");
	EXPECT(text, !bad);
}

/* ---- the ways --------------------------------------------------------------- */

/* Every instruction of the target, which is found by asking for a probe there. */
static void each_instruction(size_t kind, bool jump)
{
	const char *at, *bad = NULL, *last;
	int nr = 0, jumps = 0;
	char text[100];

	for (at = (const char *)flags_target; at < flags_target_end && !bad; at++) {
		struct kprobe p = { .addr = (void *)(uintptr_t)at,
				    .pre_handler = kinds[kind].pre };
		struct kprobe q = p;

		q.pre_handler = NULL;
		q.post_handler = kinds[kind].post;
		/* What is jumped over is not executed. */
		if (at == flags_over || register_kprobe(&p))
			continue;
		last = at;
		kprobes_flush();
		jumps += jumps_count(at).jumps;
		nr++;
		bad = differs(1, true);
		if (!bad && !register_kprobe(&q)) {
			kprobes_flush();
			bad = differs(2, false);
			unregister_kprobe(&q);
		}
		unregister_kprobe(&p);
	}
	if (bad)
		printf("# at +%ld\n", (long)(last - (const char *)flags_target));
	result("K-HIT-34", "kprobes with a handler", kind, jump, bad);
	snprintf(text, sizeof(text),
		 "K-HIT-34 control state: %d instructions were probed, %d by a jump",
		 nr, jumps);
	EXPECT(text, nr == 14 && (jump ? jumps > 10 : !jumps));
}

static void at_return(size_t kind, bool jump)
{
	struct kretprobe rp = { .kp.addr = (void *)flags_target,
				.handler = kinds[kind].ret };
	int err = register_kretprobe(&rp);

	kprobes_flush();
	result("K-RET-34", "a return probe with a handler", kind, jump,
	       err ? rp.kp.reason : differs(1, false));
	unregister_kretprobe(&rp);
	rp = (struct kretprobe){ .kp.addr = (void *)flags_target,
				 .handler = kinds[kind].ret,
				 .entry_handler = kinds[kind].ret };
	err = register_kretprobe(&rp);
	kprobes_flush();
	result("K-RET-34", "a return probe with handlers", kind, jump,
	       err ? rp.kp.reason : differs(2, false));
	unregister_kretprobe(&rp);
}

static void at_entry(size_t kind, bool jump)
{
	struct jprobe jp = { .kp.addr = (void *)flags_target,
			     .entry = (void *)kinds[kind].jp };
	int err = register_jprobe(&jp);

	kprobes_flush();
	result("K-HIT-34", "a jprobe with a handler", kind, jump,
	       err ? jp.kp.reason : differs(1, false));
	unregister_jprobe(&jp);
}

/* ---- the program's own alignment faults --------------------------------------- */

static volatile int bus_errors;
static volatile uintptr_t bus_at;

/* Over the load of three bytes. */
static void on_bus(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)sig;
	uc->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)FLAG_AC;
	bus_errors += info->si_code == BUS_ADRALN;
	bus_at = (uintptr_t)uc->uc_mcontext.gregs[REG_RIP];
}

long flags_load(const void *at);
__asm__(".globl flags_load\n.type flags_load, @function\n"
	"flags_load:\n"
	"	mov (%rdi), %rax\n"
	"	ret\n"
	"	nopl 0(%rax)\n"
	".size flags_load, . - flags_load\n");

static long load_odd(void)
{
	long value;

	bus_errors = 0;
	bus_at = 0;
	__asm__ volatile("pushfq; orl $0x40000, (%%rsp); popfq;"
			 "call flags_load;"
			 "pushfq; andl $~0x40000, (%%rsp); popfq"
			 : "=a"(value) : "D"(from + 1) : "memory", "cc");
	return value;
}

static void alignment_faults(bool jump)
{
	struct kprobe p = { .addr = (void *)flags_load,
			    .pre_handler = pre_general };
	struct sigaction act = { .sa_sigaction = on_bus,
				 .sa_flags = SA_SIGINFO };
	uintptr_t at;
	long value;
	int bare_errors;

	sigaction(SIGBUS, &act, NULL);
	value = load_odd();
	/* QEMU knows no such faults. */
	bare_errors = bus_errors;
	at = bus_at;
	EXPECT("K-FLT-08 register", !register_kprobe(&p));
	kprobes_flush();
	EXPECT("K-FLT-08 a program's alignment fault is its own, as without a probe",
	       load_odd() == value && bus_errors == bare_errors && bus_at == at &&
	       jumps_count((void *)flags_load).jumps == jump);
	unregister_kprobe(&p);
}

int main(void)
{
	size_t i;
	int jump;

	third = one / three;
	third_l = one_l / three_l;
	for (i = 0; i < sizeof(from); i++)
		from[i] = (char)(i * 7 + 1);
	EXPECT("K-HIT-34 GS", !syscall(SYS_arch_prctl, ARCH_SET_GS, gs_base));
	for (i = 0; i < STATES; i++) {
		in = states[i].set;
		flags_call();
		bare[i] = out;
	}
	EXPECT("K-HIT-34 the states can be set",
	       bare[0].result == 22 && bare[1].flags & FLAG_AC &&
	       bare[2].flags & FLAG_DF && bare[7].mxcsr == 0x5f80 &&
	       bare[7].cw == 0xb7f);
	EXPECT("K-HIT-34 and are what they were, without a probe",
	       !differs(0, false));
	for (jump = 0; jump < 2; jump++) {
		kprobes_set_optimization(jump);
		for (i = 0; i < KINDS; i++) {
			each_instruction(i, jump);
			at_return(i, jump);
			at_entry(i, jump);
		}
		alignment_faults(jump);
	}
	return live_failed;
}
