/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * sandbox.c - executing 32-bit instructions with given registers.
 *
 * Owns: what sandbox.h says.  Steps are the trap flag's.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "sandbox.h"

#define TRAP_FLAG 0x100
#define STEP_TRAP 1
#define FXSAVE_AT 112		/* in a signal's frame */
#define FLOATS_AT 32		/* in there */
#define SW_AT (FXSAVE_AT + 464)
#define IMAGE_MAX 16384

struct state given, got;
static bool (*wish)(const struct pt_regs *regs);
static ucontext_t caller;
static uint8_t caller_floats[IMAGE_MAX];
static size_t floats_len;
static bool running;

static void put_in(ucontext_t *uc)
{
	greg_t *g = uc->uc_mcontext.gregs;
	const struct pt_regs *r = &given.regs;
	unsigned int i;

	g[REG_EAX] = (greg_t)r->ax; g[REG_EBX] = (greg_t)r->bx; g[REG_ECX] = (greg_t)r->cx;
	g[REG_EDX] = (greg_t)r->dx; g[REG_ESI] = (greg_t)r->si; g[REG_EDI] = (greg_t)r->di;
	g[REG_EBP] = (greg_t)r->bp; g[REG_ESP] = (greg_t)r->sp; g[REG_EIP] = (greg_t)r->ip;
	g[REG_EFL] = (greg_t)(r->flags | TRAP_FLAG);
	memcpy((void *)DATA, given.data, PAGE);
	memcpy((void *)STACK, given.stack, PAGE);
	memcpy((uint8_t *)uc->uc_mcontext.fpregs + FXSAVE_AT + FLOATS_AT, given.floats, FLOATS_LEN);
	/* The kernel takes x87's from where fnsave stores them; all are in use. */
	for (i = 0; i < 8; i++)
		memcpy(&uc->uc_mcontext.fpregs->_st[i], given.floats + 16 * i,
		       sizeof(uc->uc_mcontext.fpregs->_st[i]));
	uc->uc_mcontext.fpregs->tag = 0xffff0000;
}

static void take_out(const ucontext_t *uc, struct state *state)
{
	const greg_t *g = uc->uc_mcontext.gregs;
	struct pt_regs *r = &state->regs;

	*r = given.regs;
	r->ax = (unsigned long)g[REG_EAX]; r->bx = (unsigned long)g[REG_EBX];
	r->cx = (unsigned long)g[REG_ECX]; r->dx = (unsigned long)g[REG_EDX];
	r->si = (unsigned long)g[REG_ESI]; r->di = (unsigned long)g[REG_EDI];
	r->bp = (unsigned long)g[REG_EBP]; r->sp = (unsigned long)g[REG_ESP];
	r->ip = (unsigned long)g[REG_EIP];
	r->flags = (unsigned long)g[REG_EFL];
	memcpy(state->data, (const void *)DATA, PAGE);
	memcpy(state->stack, (const void *)STACK, PAGE);
	memcpy(state->floats, (const uint8_t *)uc->uc_mcontext.fpregs + FXSAVE_AT + FLOATS_AT,
	       FLOATS_LEN);
}

static void begin(ucontext_t *uc)
{
	uint32_t sw[2];

	memcpy(sw, (const uint8_t *)uc->uc_mcontext.fpregs + SW_AT, sizeof(sw));
	caller = *uc;
	if (!floats_len) {
		/* magic, then the length of all. */
		floats_len = sw[0] == 0x46505853 ? sw[1] : FXSAVE_AT + 512;
		memcpy(caller_floats, uc->uc_mcontext.fpregs, floats_len);
	}
	memcpy(uc->uc_mcontext.fpregs, caller_floats, floats_len);
	put_in(uc);
}

static void end(ucontext_t *uc)
{
	void *floats = uc->uc_mcontext.fpregs;

	*uc = caller;
	uc->uc_mcontext.fpregs = floats;
	memcpy(floats, caller_floats, floats_len);
}

static void on_signal(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)info;
	if (!running) {
		if (sig != SIGTRAP)
			_Exit(2);
		begin(uc);
		running = true;
		return;
	}
	take_out(uc, &got);
	got.signal = sig;
	if (sig == SIGTRAP && uc->uc_mcontext.gregs[REG_TRAPNO] == STEP_TRAP && wish(&got.regs))
		return;
	end(uc);
	running = false;
}

void run(bool (*go_on)(const struct pt_regs *regs))
{
	wish = go_on;
	__asm__ volatile("int3" : : : "memory");
}

static bool inside(uintptr_t addr, size_t len)
{
	uintptr_t off = addr - (addr < STACK ? DATA : STACK);

	return off < PAGE && len <= PAGE - off;
}

int sandbox_read(uintptr_t addr, void *dst, size_t len)
{
	if (!inside(addr, len))
		return -EFAULT;
	memcpy(dst, (const void *)addr, len);
	return 0;
}

int sandbox_write(uintptr_t addr, const void *src, size_t len)
{
	if (!inside(addr, len))
		return -EFAULT;
	memcpy((void *)addr, src, len);
	return 0;
}

static bool map(uintptr_t at, size_t len, int prot)
{
	void *p = mmap((void *)at, len, prot,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE, -1, 0);

	return p == (void *)at;
}

bool sandbox_start(void)
{
	static uint8_t alternate[65536];
	stack_t stack = { .ss_sp = alternate, .ss_size = sizeof(alternate) };
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	const int signals[] = { SIGTRAP, SIGILL, SIGSEGV, SIGBUS, SIGFPE };
	size_t i;

	if (!map(PLACE & -PAGE, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC) ||
	    !map(SLOT_NEAR, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC) ||
	    !map(SLOT_FAR, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC) ||
	    !map(DATA, PAGE, PROT_READ | PROT_WRITE) || !map(STACK, PAGE, PROT_READ | PROT_WRITE) ||
	    !map(HOLE, 1u << 24, PROT_NONE) || sigaltstack(&stack, NULL)) {
		printf("not ok i386 the sandbox cannot be mapped\n");
		return false;
	}
	memset((void *)(PLACE & -PAGE), 0xcc, PAGE);
	memset((void *)SLOT_NEAR, 0xcc, PAGE);
	memset((void *)SLOT_FAR, 0xcc, PAGE);
	sigfillset(&action.sa_mask);
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &action, NULL);
	return true;
}
