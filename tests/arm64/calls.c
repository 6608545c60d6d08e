/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * calls.c - calls that are guarded, that keep vector registers, that are a jprobe's.
 *
 * Owns: what only a processor shows of entry.S, vectors_entry.S and jprobe_call.S: which
 * registers a callee finds and a caller finds again, and that a faulting callee is left.
 *
 * An arm64 program (run by qemu).
 */
#include <asm/hwcap.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <ucontext.h>

#include "probe.h"
#include "jprobe.h"
#include "upcall.h"
#include "vectors.h"

static struct kp_arch_guard guard;

/* What the entries call; here nobody comes by them. */
unsigned long kp_core_on_detour(struct pt_regs *regs, void *tag,
				const struct kp_arch_vectors *vectors)
{
	(void)regs, (void)tag, (void)vectors;
	return 0;
}

unsigned long kp_core_on_detour_abort(struct pt_regs *regs)
{
	(void)regs;
	return 0;
}

void kp_core_on_post(struct pt_regs *regs, void *tag, const struct kp_arch_vectors *vectors)
{
	(void)regs, (void)tag, (void)vectors;
}

bool kp_core_on_return(struct pt_regs *regs)
{
	(void)regs;
	return false;
}

bool kp_core_on_return_abort(struct pt_regs *regs)
{
	(void)regs;
	return false;
}

/* All that a function may change, and what it may not: it is abandoned. */
static void spoil_and_fault(void)
{
	asm volatile("mov x19, #1\n\tmov x20, #2\n\tmov x21, #3\n\tmov x22, #4\n\t"
		     "mov x23, #5\n\tmov x24, #6\n\tmov x25, #7\n\tmov x26, #8\n\t"
		     "mov x27, #9\n\tmov x28, #10\n\tmov x29, #11\n\tmov x30, #12\n\t"
		     "sub sp, sp, #160\n\tbrk #3");
	__builtin_unreachable();
}

static void on_trap(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	struct pt_regs regs;

	(void)sig, (void)info;
	memcpy(&regs, uc->uc_mcontext.regs, sizeof(regs));
	kp_arch_guard_abort(&guard, &regs);
	memcpy(uc->uc_mcontext.regs, &regs, sizeof(regs));
}

static long three(long a, long b, unsigned long c)
{
	return a == 1 && b == 2 && c == 3 ? 4 : 0;
}

long kp_core_on_pre(struct kp_context *ctx, struct kp_child *child, struct pt_regs *regs)
{
	if (!ctx)
		spoil_and_fault();
	return ctx == (void *)1 && child == (void *)2 && regs == (void *)3 ? 4 : 0;
}

bool guard_keeps(struct kp_arch_guard *g, void (*fn)(void));	/* keeps.S */

static bool guarded(void)
{
	if (kp_arch_guard_call(&guard, (void *)three, (void *)1, (void *)2, 3) != 4 ||
	    kp_arch_guard_aborted(&guard))
		return false;
	return guard_keeps(&guard, spoil_and_fault) && kp_arch_guard_aborted(&guard) &&
	       !kp_arch_guard_call(&guard, (void *)spoil_and_fault, NULL, NULL, 0);
}

static bool guarded_pre(void)
{
	if (kp_arch_guard_pre((void *)1, (void *)2, (void *)3, &guard) != 4 ||
	    kp_arch_guard_aborted(&guard))
		return false;
	return !kp_arch_guard_pre(NULL, NULL, NULL, &guard) && kp_arch_guard_aborted(&guard);
}

/*
 * fn(arg) by kp_arch_keeping, with numbers in all vector registers: are they the same
 * afterwards, and the control register?  (keeps.S)  spoil leaves at arg what it found in
 * that one.
 */
bool keeps(unsigned int keep, void (*fn)(void *arg), void *arg);
bool keeps_long(unsigned int keep, void (*fn)(void *arg), void *arg);
bool keeps_streaming(unsigned int keep, void (*fn)(void *arg), void *arg);
void spoil(void *arg), spoil_long(void *arg);

static bool keeping(bool (*check)(unsigned int, void (*)(void *), void *), void (*fn)(void *))
{
	unsigned long fpcr = 1;

	return check(KP_ARCH_KEEP_ALL, fn, &fpcr) && !fpcr &&
	       check(KP_ARCH_KEEP_LOW, fn, &fpcr) && !fpcr &&
	       check(KP_ARCH_KEEP_IMAGE, fn, &fpcr) && !fpcr;
}

static struct kp_arch_jprobe jprobe;
static bool seen;

struct pair {
	long a, b, c;
};

static struct pair entry(long a, long b, long c, long d, long e, long f, long g, long h,
			 long i, char j, double k, float l)
{
	seen = a == 100 && b == 101 && c == 102 && d == 103 && e == 104 && f == 105 && g == 106 &&
	       h == 107 && i == 0x1111 && j == 'j' && k == 2.5 && l == 0.5f;
	if (!seen)
		return (struct pair){ 0 };
	kp_arch_jprobe_leave(&jprobe);
	__builtin_unreachable();
}

static uint64_t stack[2 + KP_ARCH_JPROBE_STACK / 8];
static size_t stack_len = sizeof(stack);

static int read_stack(uintptr_t addr, void *dst, size_t len)
{
	if (addr + len > (uintptr_t)stack + stack_len)
		return -EFAULT;
	memcpy(dst, (const void *)addr, len);
	return 0;
}

static bool jprobed(void)
{
	static const struct kp_arch_mem mem = { .read = read_stack };
	_Alignas(16) double vectors[16] = { 2.5 };
	struct kp_arch_vectors image = { .image = vectors };
	struct pt_regs regs = { .sp = (uintptr_t)stack };
	struct pair result;
	const float half = 0.5f;
	unsigned int i;

	memcpy(&vectors[2], &half, sizeof(half));
	for (i = 0; i < 8; i++)
		regs.regs[i] = 100 + i;
	regs.regs[8] = (uintptr_t)&result;
	stack[0] = 0x1111;
	stack[1] = 'j';
	kp_arch_jprobe_take(&jprobe, &regs, &image, &mem);
	kp_arch_jprobe_call(&jprobe, (void *)entry);
	if (!seen || !kp_arch_jprobe_left(&jprobe))
		return false;
	/* The stack ends, and what is beyond is zero: the handler returns. */
	stack_len = 8;
	kp_arch_jprobe_take(&jprobe, &regs, NULL, &mem);
	kp_arch_jprobe_call(&jprobe, (void *)entry);
	return !seen && !kp_arch_jprobe_left(&jprobe) && jprobe.stack[8] == 0 && !result.a;
}

static bool swaps(void)
{
	unsigned int word = 5;

	return kp_arch_swap_alone(&word, 5, 6) && word == 6 &&
	       !kp_arch_swap_alone(&word, 5, 7) && word == 6;
}

static int failed;

static void report(const char *name, bool ok)
{
	printf("%sok arm64-calls-%s\n", ok ? "" : "not ", name);
	failed |= !ok;
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO };

	sigaction(SIGTRAP, &action, NULL);
	report("guarded", guarded());
	report("guarded-pre", guarded_pre());
	report("swap", swaps());
	/* Before it is known what there is: as on the first processors. */
	report("keeping", keeping(keeps, spoil));
	kp_arch_vectors_start();
	report("keeping-known", keeping(keeps, spoil));
	if (getauxval(AT_HWCAP) & HWCAP_SVE)
		report("keeping-long", keeping(keeps_long, spoil_long));
	if (getauxval(AT_HWCAP2) & HWCAP2_SME)
		report("keeping-streaming", keeping(keeps_streaming, spoil));
	report("jprobe", jprobed());
	return failed;
}
