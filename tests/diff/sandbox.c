/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * sandbox.c - states in and out through signal frames.
 *
 * Owns: the protocol of a run: (1) the driver executes int3; (2) the handler
 * keeps the driver's registers and returns into the state under test; (3) the
 * next signal is the outcome; (4) the handler returns to the driver.
 */
#define _GNU_SOURCE
#include <cpuid.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "sandbox.h"

struct areas areas[SETS] = {
	[HIGH] = { .code = 0x5a5a10000000, .slot = 0x5a5a10200000,
		   .data = 0x5a5a10400000, .stack = 0x5a5a10600000 },
	[LOW] = { .code = 0x30000000, .slot = 0x30200000,
		  .data = 0x30400000, .stack = 0x30600000 },
};
uintptr_t far_slot = 0x4b4b20000000;

/* The order of gregs for the hardware's register numbers. */
static const int greg[16] = {
	REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
	REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
};

static enum { IDLE, START, RUN } phase;
static const struct state *run_before;
static struct outcome *run_after;
static step_fn run_step;
static greg_t driver[NGREG];

#define XSAVE_HEADER	512
#define FLAG_TF		0x100ul

/* Without xsave a frame ends with what fxsave stores. */
static bool has_header(void)
{
	unsigned int a, b, c, d;
	static int has = -1;

	if (has < 0)
		has = __get_cpuid(1, &a, &b, &c, &d) && c & 1u << 27;
	return has;
}

/*
 * Up to the last component that is looked at.  What lies behind, such as the 8 KB
 * of AMX' tiles, a signal frame holds only for threads that have asked for it.
 */
size_t sandbox_fp_len(void)
{
	static size_t len;
	unsigned int nr;
	size_t at, size;

	if (!len) {
		len = XSAVE_HEADER + (has_header() ? 64 : 0);
		for (nr = 2; nr < 8; nr++)
			if (sandbox_fp_component(nr, &at, &size) && len < at + size)
				len = at + size;
	}
	return len;
}

/* x87, SSE, AVX, opmask, ZMM_Hi256, Hi16_ZMM, of what the system enabled. */
uint64_t sandbox_fp_features(void)
{
	unsigned int lo, hi;

	if (!has_header())
		return 3;
	__asm__ volatile("xgetbv" : "=a"(lo), "=d"(hi) : "c"(0));
	return lo & 0xe7;
}

/* Asked once: under a hypervisor cpuid takes microseconds. */
bool sandbox_fp_component(unsigned int nr, size_t *off, size_t *len)
{
	static struct { bool known; unsigned int off, len; } cache[8];
	unsigned int c, d;

	if (!cache[nr].known) {
		__cpuid_count(0xd, nr, cache[nr].len, cache[nr].off, c, d);
		cache[nr].known = true;
	}
	*off = cache[nr].off;
	*len = cache[nr].len;
	return nr >= 2 && sandbox_fp_features() & 1u << nr;
}

/*
 * Where the last x87 instruction and its operand were: AMD's processors before
 * Zen 2 store that only while an exception is pending, else a frame has there
 * what was in memory before.
 */
static bool has_pointers(const uint8_t *fp)
{
	unsigned int a, b, c, d;
	static int always = -1;

	if (always < 0) {
		__cpuid(0, a, b, c, d);
		always = memcmp(&c, "cAMD", 4) && memcmp(&c, "uine", 4);
		if (!always && __get_cpuid(0x80000008, &a, &b, &c, &d))
			always = b >> 2 & 1;
	}
	return always || fp[2] & 0x80;
}

/* Components in their initial state are not stored: write them out. */
static void make_explicit(uint8_t *fp)
{
	uint64_t bv;
	unsigned int nr;
	size_t off, len;

	memset(fp + 416, 0, 96);
	if (!has_pointers(fp))
		memset(fp + 6, 0, 18);
	if (!has_header())
		return;
	memcpy(&bv, fp + XSAVE_HEADER, 8);
	if (!(bv & 1)) {
		memset(fp, 0, 24);
		memset(fp + 32, 0, 128);
		fp[0] = 0x7f;
		fp[1] = 0x03;
	}
	if (!(bv & 2))
		memset(fp + 160, 0, 256);
	for (nr = 2; nr < 8; nr++)
		if (sandbox_fp_component(nr, &off, &len) && !(bv & 1u << nr))
			memset(fp + off, 0, len);
	bv = sandbox_fp_features();
	memcpy(fp + XSAVE_HEADER, &bv, 8);
}

static void load(ucontext_t *uc, const struct state *s, bool trace)
{
	greg_t *g = uc->uc_mcontext.gregs;
	uint8_t *fp = (uint8_t *)uc->uc_mcontext.fpregs;
	uint64_t bv = sandbox_fp_features();
	int i;

	for (i = 0; i < 16; i++)
		g[greg[i]] = (greg_t)s->gpr[i];
	g[REG_RIP] = (greg_t)s->ip;
	g[REG_EFL] = (greg_t)(s->flags | (trace ? FLAG_TF : 0));
	/* The kernel's own words in 464..511 stay. */
	memcpy(fp, s->fp, 416);
	if (!has_header())
		return;
	memcpy(fp + XSAVE_HEADER + 64, s->fp + XSAVE_HEADER + 64,
	       sandbox_fp_len() - XSAVE_HEADER - 64);
	memcpy(fp + XSAVE_HEADER, &bv, 8);
}

static void capture(const ucontext_t *uc, struct state *s)
{
	const greg_t *g = uc->uc_mcontext.gregs;
	int i;

	for (i = 0; i < 16; i++)
		s->gpr[i] = (uint64_t)g[greg[i]];
	s->ip = (uint64_t)g[REG_RIP];
	s->flags = (uint64_t)g[REG_EFL];
}

static void back_to_driver(ucontext_t *uc)
{
	uint8_t *fp = (uint8_t *)uc->uc_mcontext.fpregs;
	static const uint8_t fcw[2] = { 0x7f, 0x03 };
	static const uint8_t mxcsr[4] = { 0x80, 0x1f };

	memcpy(uc->uc_mcontext.gregs, driver, sizeof(driver));
	if (has_header())
		memset(fp + XSAVE_HEADER, 0, 8);
	else
		fp[4] = 0;			/* no register in use */
	memcpy(fp, fcw, sizeof(fcw));
	memcpy(fp + 24, mxcsr, sizeof(mxcsr));
	phase = IDLE;
}

static bool traced(ucontext_t *uc)
{
	static struct state now;

	if (!run_step || uc->uc_mcontext.gregs[REG_TRAPNO] != 1)
		return false;
	capture(uc, &now);
	return run_step(&now);
}

static void on_signal(int sig, siginfo_t *info, void *arg)
{
	ucontext_t *uc = arg;
	greg_t *g = uc->uc_mcontext.gregs;

	(void)info;
	switch (phase) {
	case START:
		memcpy(driver, g, sizeof(driver));
		load(uc, run_before, run_step);
		phase = RUN;
		return;
	case RUN:
		if (sig == SIGTRAP && traced(uc))
			return;
		run_after->sig = sig;
		run_after->trapno = (uint64_t)g[REG_TRAPNO];
		run_after->err = (uint64_t)g[REG_ERR];
		run_after->cr2 = (uint64_t)g[REG_CR2];
		capture(uc, &run_after->at);
		memcpy(run_after->at.fp, uc->uc_mcontext.fpregs,
		       sandbox_fp_len());
		make_explicit(run_after->at.fp);
		back_to_driver(uc);
		return;
	case IDLE:
		break;
	}
	/* Our own fault: let it kill us. */
	signal(sig, SIG_DFL);
}

__attribute__((noinline))
void sandbox_run(const struct state *before, struct outcome *after,
		 step_fn step)
{
	run_before = before;
	run_after = after;
	run_step = step;
	phase = START;
	/* ID and NT pass through signal frames: start with both clear. */
	__asm__ volatile("pushfq\n\t"
			 "andq $~0x204000, (%%rsp)\n\t"
			 "popfq\n\t"
			 "int3\n\t"
			 "pushfq\n\t"
			 "andq $~0x204000, (%%rsp)\n\t"
			 "popfq"
			 ::: "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3",
			 "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",
			 "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
}

bool sandbox_owns(uintptr_t addr, size_t len)
{
	int i;

	for (i = 0; i < SETS; i++) {
		const struct areas *a = &areas[i];

		if (addr >= a->data && addr + len <= a->data + DATA_LEN)
			return true;
		if (addr >= a->stack && addr + len <= a->stack + STACK_LEN)
			return true;
	}
	return false;
}

static void map(uintptr_t addr, size_t len, int prot)
{
	void *got = mmap((void *)addr, len, prot,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
			 0);

	if (got != (void *)addr) {
		perror("sandbox: mmap");
		exit(2);
	}
	if (prot & PROT_EXEC)
		memset(got, 0xcc, len);
}

void sandbox_init(void)
{
	static const int signals[] = {
		SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGILL,
	};
	static uint8_t stack[65536];
	stack_t alt = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction act = {
		.sa_sigaction = on_signal,
		.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER,
	};
	const int rwx = PROT_READ | PROT_WRITE | PROT_EXEC;
	size_t i;

	if (sandbox_fp_len() > XSAVE_MAX) {
		fprintf(stderr, "sandbox: XSAVE area of %zu bytes\n",
			sandbox_fp_len());
		exit(2);
	}
	for (i = 0; i < SETS; i++) {
		map(areas[i].code, CODE_LEN, rwx);
		map(areas[i].slot, 0x1000, rwx);
		map(areas[i].data, DATA_LEN, PROT_READ | PROT_WRITE);
		map(areas[i].stack, STACK_LEN, PROT_READ | PROT_WRITE);
	}
	map(far_slot, 0x1000, rwx);
	sigaltstack(&alt, NULL);
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &act, NULL);
}
