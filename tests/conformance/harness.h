/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * harness.h - one conformance suite for every host.
 *
 * Owns: what a rule test may use besides <linux/kprobes.h>.  The same sources
 * are linked into a process (harness_user.c) and into a kernel module; each
 * topic is one file with one t_<topic>() that t_run_all() calls in process
 * context.  Each check prints one line, "ok RULE what" or "not ok RULE what",
 * after T_PREFIX, and the last line is "done CHECKS FAILED".
 */
#ifndef KP_CONFORMANCE_HARNESS_H
#define KP_CONFORMANCE_HARNESS_H

#include <linux/kprobes.h>

#ifdef __KERNEL__
#include <linux/errno.h>
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#define T_PREFIX "KP-TEST "
#define t_print(fmt, ...) printk(KERN_INFO T_PREFIX fmt "\n", ##__VA_ARGS__)
#define T_IN_KERNEL 1
/* While a handler runs, nobody else does. */
#define T_ALONE() (num_online_cpus() == 1)
/* In every loop that waits for another thread: a kernel may not preempt. */
#define t_breathe() cond_resched()
/* How long a handler waits for another thread, and how often it is tried. */
#define T_SPINS 3000000l
#define T_TRIES 50
#else
#include <errno.h>
#include <stdio.h>
#include <string.h>
#define T_PREFIX ""
#define t_print(fmt, ...) (printf(T_PREFIX fmt "\n", ##__VA_ARGS__), \
			   fflush(stdout))
#define T_IN_KERNEL 0
#define T_ALONE() false
#define t_breathe() ((void)0)
#define T_SPINS 2000000000l
#define T_TRIES 1
#endif

#include "machine.h"

extern int t_checks, t_failed;

#define EXPECT(rule, what, cond)					\
	do {								\
		t_checks++;						\
		if (cond) {						\
			t_print("ok %s %s", rule, what);		\
		} else {						\
			t_failed++;					\
			t_print("not ok %s %s: %s (%s:%d)", rule, what,	\
				#cond, __FILE__, __LINE__);		\
		}							\
	} while (0)

/* An integer that must have one value; says what it was. */
#define EXPECT_EQ(rule, what, got, want)				\
	t_expect_eq(rule, what, (long)(got), (long)(want), __FILE__, __LINE__)

static inline void t_expect_eq(const char *rule, const char *what, long got,
			       long want, const char *file, int line)
{
	t_checks++;
	if (got == want) {
		t_print("ok %s %s", rule, what);
		return;
	}
	t_failed++;
	t_print("not ok %s %s: got %ld, want %ld (%s:%d)", rule, what, got,
		want, file, line);
}

/* Not a failure: the host cannot have this. */
#define SKIP(rule, what) t_print("ok %s %s # skip on this host", rule, what)

/* ---- from the host's harness --------------------------------------------- */

void *t_alloc(unsigned long len);		/* zeroed */
void t_free(void *mem);
void t_sleep_ms(int ms);
/* What must come may take so long, on a machine with much to do. */
#define T_PATIENCE_MS 60000
/* Run fn(arg) on nr threads at once; returns when all have returned. */
void t_threads(int nr, void (*fn)(void *arg), void *arg);
/* What stands in the text now, as long as a breakpoint; a jump of ours is shown as T_BP. */
void *t_address_of(const char *name);	/* in a kernel: what no module may link to */
t_word t_text(const void *addr);
/* Can this processor execute instructions with a VEX prefix, here? */
int t_has_avx(void);
/* That as it is. */
t_word t_raw(const void *addr);
/* What the engine puts off happens now: breakpoints become jumps. */
void t_settle(void);
/* No jumps for a while. */
void t_breakpoints_only(int on);
/* In a handler: nothing preempts it (a process: true). */
bool t_preemption_off(void);
/* An address that no access survives, and one that is not mapped. */
#define t_bad_address ((void *)8ul)
/* The name that "module:symbol" takes for the test's own symbols. */
extern const char t_module[];
/* A well-known function outside the test, and its object ("" for none). */
extern const char t_foreign_symbol[], t_foreign_module[];
/* A function that the engine's blacklist holds, by address; or NULL. */
void *t_blacklisted(void);
/* An address in the engine's own code. */
void *t_engine(void);

/* ---- async.c: both hosts' ------------------------------------------------ */

/* Call fn every period_us, interrupting this thread (this CPU); 0 or -errno. */
int t_async_start(void (*fn)(void), int period_us);
void t_async_stop(void);
/* A fault outside of all probes: true when it happened and was survived. */
bool t_faults_alone(void);
/* Call fn: true when the host's own receivers saw its int3. */
bool t_foreign_int3(long (*fn)(void), long *result);
/* Call fn; the ip of each single step it makes, and how many; -EIO. */
int t_single_steps(long (*fn)(void), unsigned long *ips, int max);
/* In a handler: could anything interrupt or preempt it? */
bool t_interruptible(void);
/* Ticks of a clock that only grows. */
unsigned long t_clock(void);

/* ---- targets.S ----------------------------------------------------------- */

/*
 * long t_add(long a, long b) { return a + b; }
 *   0 push %rbp   1 mov %rsp,%rbp   4 lea (%rdi,%rsi),%rax   8 pop %rbp  9 ret
 */
long t_add(long a, long b) T_BY_REGISTER;

/* long t_landing(long a) { return a + 3; }: endbr64, 4 mov, 7 add, 11 ret */
long t_landing(long a);
/* long t_first(void) { return 1; } directly followed by t_after: 2 */
long t_first(void);
long t_after(void);
/* A one-byte instruction that a handler may skip: then the result is 1. */
long t_skip(void);		/* 0 mov $1,%eax  5 stc  6 adc $0,%eax: 2 */
/* Calls that handlers make; each has a single-purpose nop at its entry. */
long t_inner(long a);		/* 0 nop  1 lea 1(%rdi),%rax  ret */
long t_inner2(long a);		/* the same */
/* long t_load(long *p) { return *p; }: 0 mov (%rdi),%rax  3 ret */
long t_load(long *p) T_BY_REGISTER;
/* void t_poke(long *p) { *p = 1; }: 0 movq $1,(%rdi)  7 ret */
void (t_poke)(T_POKE_ARGS) T_BY_REGISTER;

/* Control flow: t_jump(a) is a ? 1 : 2: 0 test  3 jz +6  5 mov $1  10 ret */
long t_jump(long a);
/* Instructions that are refused, behind a nop; machine.h has all of them. */
void t_int3(void), t_iretq(void), t_hlt(void), t_badop(void);

/* long t_calls(long a) { return t_inner(a); }: 4 call t_inner  9 pop */
long t_calls(long a);
/* 0 nop  1 lea 1(%rdi),%rax  5 ret: on the blacklist; its neighbour is not */
long t_marked(long a);
long t_unmarked(long a);
void t_sizeless(void), t_clone(void);	/* on the blacklist, too */
/* 0 nop  1 a byte that is no instruction  2 nop: reached by jumps only */
void t_undecodable(void);
/* Set the flags, 2 nop, the flags: t_flags(f) == f. */
long t_flags(long flags);
/* A 15-byte nop, then the result 15. */
long t_long(void);
/* memset(p, 0x5a, n), 0: 3 mov  8 rep stosb */
long t_fill(void *p, long n);
/* jmp *(%rdi): the result of the function that *fn points at */
long t_jump_mem(long *fn) T_BY_REGISTER;
/* Contains an int3 of its own; then the result 8. */
long t_trap(void);
/* Steps itself: 5 pushf 6 orq 14 popf 15 add 18 push 19 pop 20 jmp 22 nop … */
long t_single_step(void);

/* ---- jump_targets.S -------------------------------------------------------- */

/* 1 + 2 + ... + a: 0 xor  2 add (the loop's head)  5 dec  8 jnz  10 ret */
long t_sum(long a);
/* 4 * a + 6: calls its nop, then its add: 2 nop  3 add $1  7 lea  11 ret */
long t_called(long a);
/* a + 7: 0 lea  7 jmp *%rax  9 nop  10 lea */
long t_indirect(long a);
/* a + 9: 0 nop  1 lea  5 ret; then bytes that are no instructions */
long t_junk(long a);
/* t_data[0]: 0 nop  1 mov t_data(%rip),%rax  8 ret */
long t_relative(void);
/* 0: 0 xor  2 ret; directly followed by t_behind: 7 */
long t_short(void);
long t_behind(void);
/* fn() + 7: 0 sub  4 nop  5 call *%rdi  7 add  11 add  15 ret */
long t_deep(long (*fn)(void));
/* a + 5: 0 mov $5,%eax  5 lea  9 ret */
long t_wide(long a);

extern long t_data[8];

/* ---- conveniences -------------------------------------------------------- */

/* The address that a pointer to a function stands for. */
#ifndef T_CODE
#define T_CODE(fn) ((unsigned long)(fn))
#endif
/* What is that much behind an instruction's beginning is in it, and no pointer to it. */
#ifndef T_INSIDE
#define T_INSIDE 1
#endif
#define T_AT(fn, off) ((kprobe_opcode_t *)(T_CODE(fn) + (off)))

/* A handler that counts; t_counts is reset by t_reset(). */
struct t_counts {
	int pre, post, fault;
	struct kprobe *who;
	struct pt_regs pre_regs, post_regs;
	unsigned long flags;
};
extern struct t_counts t_counts;

static inline void t_reset(void)
{
	t_settle();
	memset(&t_counts, 0, sizeof(t_counts));
}

int t_pre(struct kprobe *p, struct pt_regs *regs);
void t_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags);

/* Registered, or said why not. */
static inline int t_register(struct kprobe *p)
{
	int err = register_kprobe(p);

	t_settle();
	if (err)
		t_print("# register_kprobe: %d: %s", err,
			p->reason ? p->reason : "no reason given");
	return err;
}

void t_api(void);		/* api.c: K-API */
void t_registration(void);	/* registration.c: K-REG */
void t_batches(void);		/* batches.c: K-REG-70.., K-UNR */
void t_hits(void);		/* hits.c: K-HIT */
void t_reentry(void);		/* reentry.c: K-REE */
void t_faults(void);		/* faults.c: K-FLT */
void t_switching(void);		/* switching.c: K-EN, K-UNR */
void t_blacklist(void);		/* blacklist.c: K-BLK */
void t_instructions(void);	/* instructions.c: K-XI */
void t_context(void);		/* context.c: K-HIT, K-REE, K-XI */
void t_intactness(void);	/* intact.c: K-HIT-33, 34 */
void t_slots(void);		/* slots.c: K-XI */
void t_lists(void);		/* lists.c: the knob and the lists */
void t_files(void);		/* files.c: K-KNB */
void t_host(void);		/* host_user.c: what only a process has */
void t_bad_input(void);		/* bad_input.c */
void t_invariants(void);	/* invariants.c: K-INV */
void t_returns(void);		/* retprobe.c: K-RET */
void t_jprobes(void);		/* jprobes.c: K-JP */
void t_optimized(void);		/* optimize.c: K-OPT, K-KNB-54.. */
void t_watching(void);		/* watch.c: K-WAT */
void t_coding(void);		/* coding.c: K-WAT-36 and on */

void t_run_all(void);		/* run.c */

#endif
