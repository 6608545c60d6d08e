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
#include <sys/mman.h>
#define BIG (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
#define CALLS_NAME (sizeof(long) == 8 ? BIG ? "mips64-big" : "mips64" : BIG ? "mips32-big" : "mips32")
#include "calls.h"
#include "return.h"
#include "vectors.h"

long return_keeps(void *stub, long a);
extern const char after[];
void kp_core_on_return(struct pt_regs *regs);
void kp_core_on_return_abort(struct pt_regs *regs);
void kp_host_cramped_return(struct pt_regs *regs);

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

/* ---- jprobes --------------------------------------------------------------------------- */

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
	return jprobe_takes(&regs, &image, (void *)entry, last);
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
	say_guarded(on_fault);
	say("jprobe", jprobed());
	make_stub();
	say("return", returns(false));
	say("return-abandoned", returns(true));
	return failed;
}
