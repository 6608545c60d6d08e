/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * calls.c - guarded calls, jprobes' and those that keep floating point, and returns by way
 * of a stub, executed for real.
 *
 * Owns: what they are called with and return; and being abandoned in a fault, after which
 * the registers that a function keeps are what they were.
 *
 * A MIPS program (run by qemu).
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "arch.h"
#include "jprobe.h"
#include "return.h"
#include "vectors.h"

bool guard_keeps(struct kp_arch_guard *guard, void *fn);
long spoil_and_fault(void *a, void *b, unsigned long c);
bool keeping_keeps(void);
long return_keeps(void *stub, long a);
extern const char after[];
long kp_core_on_pre(struct kp_context *ctx, struct kp_child *child, struct pt_regs *regs);
void kp_core_on_return(struct pt_regs *regs);
void kp_core_on_return_abort(struct pt_regs *regs);
void kp_host_cramped_return(struct pt_regs *regs);

#define BIG (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
#define NAME (sizeof(long) == 8 ? BIG ? "mips64-big" : "mips64" : BIG ? "mips32-big" : "mips32")

static struct kp_arch_guard guard;
static int failed;

static void say(const char *name, bool ok)
{
	printf("%sok %s-calls-%s\n", ok ? "" : "not ", NAME, name);
	failed |= !ok;
}

/* Each fault is that of a handler. */
static void on_fault(int sig, siginfo_t *info, void *context)
{
	mcontext_t *m = &((ucontext_t *)context)->uc_mcontext;
	struct pt_regs regs;
	size_t i;

	(void)sig;
	(void)info;
	/* One that no call expects. */
	if (kp_arch_guard_aborted(&guard))
		_Exit(2);
	for (i = 0; i < 32; i++)
		regs.regs[i] = (unsigned long)m->gregs[i];
	kp_arch_guard_abort(&guard, &regs);
	for (i = 0; i < 32; i++)
		m->gregs[i] = (unsigned long long)(long)regs.regs[i];
	m->pc = regs.cp0_epc;
}

static long sum(void *a, void *b, unsigned long c)
{
	return (long)a * 100 + (long)b * 10 + (long)c;
}

static long nothing(void *a, void *b, unsigned long c)
{
	(void)a;
	(void)b;
	(void)c;
	return 7;
}

/* guard_pre's: three pointers, which it hands on. */
long kp_core_on_pre(struct kp_context *ctx, struct kp_child *child, struct pt_regs *regs)
{
	if (regs)
		return sum(ctx, child, (unsigned long)regs);
	return *(volatile long *)0;
}

/* ---- jprobes --------------------------------------------------------------------------- */

static struct kp_arch_jprobe jprobe;
static unsigned long stack[32];
static size_t stack_len = sizeof(stack);
static bool seen;

static int read_stack(uintptr_t addr, void *dst, size_t len)
{
	if (addr + len > (uintptr_t)stack + stack_len)
		return -EFAULT;
	memcpy(dst, (const void *)addr, len);
	return 0;
}

/* As the probed function has it: the ninth and tenth stand on the stack, or all from the third. */
static void entry(double x, long b, long c, long d, long e, long f, long g, long h,
		  long i, char j)
{
	seen = x == 2.5 && b == 101 && c == 102 && d == 103 && e == 104 &&
	       f == 105 && g == 106 && h == 107 && i == 0x1111 && j == 'j';
	if (seen)
		kp_arch_jprobe_leave(&jprobe);
}

static bool jprobed(void)
{
	static const struct kp_arch_mem mem = { .read = read_stack };
	double floats[32] = { [12] = 2.5 };
	struct kp_arch_vectors image = { .image = floats };
	struct pt_regs regs = { .regs[29] = (uintptr_t)stack };
	unsigned int i, last = sizeof(long) == 8 ? 0 : 9;

	for (i = 0; i < 8; i++)
		regs.regs[4 + i] = 100 + i;
	/* On 32 bits the first takes two words, and what is not in four stands behind those. */
	if (sizeof(long) == 4) {
		regs.regs[6] = 101;
		regs.regs[7] = 102;
		for (i = 4; i < 9; i++)
			stack[i] = 99 + i;
	}
	stack[last] = 0x1111;
	stack[last + 1] = 'j';
	kp_arch_jprobe_take(&jprobe, &regs, &image, &mem);
	kp_arch_jprobe_call(&jprobe, (void *)entry);
	if (!seen || !kp_arch_jprobe_left(&jprobe))
		return false;
	/* The stack ends, and what is beyond is zero: the handler returns. */
	stack_len = (last + 1) * sizeof(long);
	kp_arch_jprobe_take(&jprobe, &regs, &image, &mem);
	kp_arch_jprobe_call(&jprobe, (void *)entry);
	return !seen && !kp_arch_jprobe_left(&jprobe) &&
	       jprobe.stack[(last + 1) * sizeof(long)] == 0;
}

/* ---- returns ----------------------------------------------------------------------------- */

static uint8_t *stub;
static bool faults, reported, aborted;

static void go_on(struct pt_regs *regs)
{
	kp_arch_return_to(regs, (uintptr_t)after);
}

void kp_core_on_return(struct pt_regs *regs)
{
	reported = regs->cp0_epc - (uintptr_t)stub < KP_ARCH_STUB_LEN && regs->regs[2] == 1234;
	if (faults) {
		regs->regs[2] = regs->regs[16] = 1;
		kp_arch_guard_return(&guard, regs);
		*(volatile long *)0 = 0;
	}
	go_on(regs);
}

void kp_core_on_return_abort(struct pt_regs *regs)
{
	aborted = regs->regs[2] == 1234;
	go_on(regs);
}

void kp_host_cramped_return(struct pt_regs *regs)
{
	(void)regs;
}

static bool returns(bool fault)
{
	faults = fault;
	reported = aborted = false;
	return return_keeps(stub + KP_ARCH_STUB_RETURN, 1234) == 1234 && reported &&
	       aborted == fault;
}

static void make_stub(void)
{
	/* It has 32 bits for where that is. */
	uintptr_t near = ((uintptr_t)kp_arch_return_entry & ~(uintptr_t)0xffff) + (64u << 20);

	stub = mmap((void *)near, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
		    -1, 0);
	kp_arch_emit_stub((uintptr_t)stub, (uintptr_t)kp_arch_return_entry, stub);
	__builtin___clear_cache((char *)stub, (char *)stub + KP_ARCH_STUB_LEN);
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
	long result;

	setvbuf(stdout, NULL, _IOLBF, 0);

	sigaction(SIGSEGV, &action, NULL);
	memset(&guard, 0xee, sizeof(guard));
	result = kp_arch_guard_call(&guard, (void *)sum, (void *)1, (void *)2, 3);
	say("call", result == 123 && !kp_arch_guard_aborted(&guard));
	say("kept", guard_keeps(&guard, (void *)nothing) && !kp_arch_guard_aborted(&guard));
	say("abandoned", guard_keeps(&guard, (void *)spoil_and_fault) &&
			 kp_arch_guard_aborted(&guard));
	result = kp_arch_guard_call(&guard, (void *)spoil_and_fault, NULL, NULL, 0);
	say("abandoned-result", result == 0 && kp_arch_guard_aborted(&guard));
	result = kp_arch_guard_pre((void *)4, (void *)5, (void *)6, &guard);
	say("pre", result == 456 && !kp_arch_guard_aborted(&guard));
	result = kp_arch_guard_pre((void *)4, (void *)5, NULL, &guard);
	say("pre-abandoned", result == 0 && kp_arch_guard_aborted(&guard));
	say("keeping", keeping_keeps());
	say("jprobe", jprobed());
	make_stub();
	say("return", returns(false));
	say("return-abandoned", returns(true));
	return failed;
}
