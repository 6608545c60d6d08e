// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * floor.c - what any probe must cost here, by hand and without our engine.
 *
 * Owns: "trap", an int3 whose SIGTRAP handler counts and resumes; and "jump", a
 * function whose first instruction is a hand-written jump to code that skips
 * the red zone, saves all general registers and flags, calls a C handler that
 * counts, restores and jumps back.  "popf", "fxsave" and "xsavec" are "jump"
 * with one thing done otherwise or more.
 */
#include "bench.h"

#include <cpuid.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

static volatile unsigned long hits;

static void on_trap(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)sig;
	(void)info;
	hits++;
	/* As if the instruction, mov %rdi,%rax, had been executed. */
	uc->uc_mcontext.gregs[REG_RAX] = uc->uc_mcontext.gregs[REG_RDI];
	uc->uc_mcontext.gregs[REG_RIP] += 2;
}

static void make_writable(void *at)
{
	uintptr_t page = (uintptr_t)at & ~4095ul;

	if (mprotect((void *)page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC)) {
		perror("floor: mprotect");
		exit(1);
	}
}

static void trap_row(void)
{
	struct sigaction act = { .sa_sigaction = on_trap,
				 .sa_flags = SA_SIGINFO | SA_NODEFER };
	struct bench_sample bare = bench_call(bench_short), with;
	unsigned char *at = (unsigned char *)bench_short;
	unsigned char original = *at;

	sigaction(SIGTRAP, &act, NULL);
	*at = 0xcc;
	with = bench_call(bench_short);
	*at = original;
	bench_row("floor.trap", with, bare);
}

__attribute__((used)) static void on_jump(void *regs)
{
	(void)regs;
	hits++;
}

/*
 * The instruction that the jump replaces: {disp32} lea 1(%rdi),%rax.  BEFORE and
 * AFTER stand around the call, with %rsp at 64 bytes and %rbx to come back by.
 */
#define BY_HAND(name, before, after, flags)				\
	extern const char name[];					\
	__asm__(".text\n" #name ":\n"					\
	"	lea	-128(%rsp), %rsp\n"				\
	"	pushf\n"						\
	"	push	%rdi\n push %rsi\n push %rdx\n push %rcx\n"	\
	"	push	%rax\n push %r8\n push %r9\n push %r10\n"	\
	"	push	%r11\n push %rbx\n push	%rbp\n push %r12\n"	\
	"	push	%r13\n push %r14\n push %r15\n"			\
	"	cld\n"							\
	"	mov	%rsp, %rdi\n"					\
	"	mov	%rsp, %rbx\n"					\
	"	and	$-64, %rsp\n"					\
	before								\
	"	call	on_jump\n"					\
	after								\
	"	mov	%rbx, %rsp\n"					\
	"	pop	%r15\n pop %r14\n pop %r13\n pop %r12\n"	\
	"	pop	%rbp\n pop %rbx\n pop %r11\n pop %r10\n"	\
	"	pop	%r9\n pop %r8\n"				\
	flags								\
	"	{disp32} lea 1(%rdi), %rax\n"				\
	"	jmp	bench_long + 7\n")

/* The arithmetic flags, as no other is in use: sahf, and OF by add. */
#define FLAGS_BY_SAHF							\
	"	mov	40(%rsp), %eax\n"				\
	"	xchg	%al, %ah\n"					\
	"	bt	$3, %eax\n"					\
	"	setc	%al\n"						\
	"	add	$0x7f, %al\n"					\
	"	sahf\n"							\
	"	pop	%rax\n pop %rcx\n pop %rdx\n pop %rsi\n"	\
	"	pop	%rdi\n"						\
	"	lea	136(%rsp), %rsp\n"
#define FLAGS_BY_POPF							\
	"	pop	%rax\n pop %rcx\n pop %rdx\n pop %rsi\n"	\
	"	pop	%rdi\n"						\
	"	popf\n"							\
	"	lea	128(%rsp), %rsp\n"
#define FXSAVE								\
	"	sub	$512, %rsp\n"					\
	"	fxsave64 (%rsp)\n"
#define FXRSTOR								\
	"	fxrstor64 (%rsp)\n"
/* x87, SSE, AVX and AVX-512; the header's reserved bytes must be zero. */
#define XSAVEC								\
	"	sub	$2752, %rsp\n"					\
	"	xor	%eax, %eax\n"					\
	"	mov	%rax, 528(%rsp)\n mov %rax, 536(%rsp)\n"	\
	"	mov	%rax, 544(%rsp)\n mov %rax, 552(%rsp)\n"	\
	"	mov	%rax, 560(%rsp)\n mov %rax, 568(%rsp)\n"	\
	"	mov	$0xe7, %eax\n"					\
	"	xor	%edx, %edx\n"					\
	"	xsavec64 (%rsp)\n"
#define XRSTOR								\
	"	mov	$0xe7, %eax\n"					\
	"	xor	%edx, %edx\n"					\
	"	xrstor64 (%rsp)\n"

BY_HAND(jump_sahf, "", "", FLAGS_BY_SAHF);
BY_HAND(jump_popf, "", "", FLAGS_BY_POPF);
BY_HAND(jump_fxsave, FXSAVE, FXRSTOR, FLAGS_BY_SAHF);
BY_HAND(jump_xsavec, XSAVEC, XRSTOR, FLAGS_BY_SAHF);

static void jump_row(const char *name, const char *by_hand)
{
	static struct bench_sample bare;
	unsigned char *at = (unsigned char *)bench_long;
	int32_t rel = (int32_t)((uintptr_t)by_hand - (uintptr_t)at - 5);

	if (!bare.min)
		bare = bench_call(bench_long);
	memcpy(at + 1, &rel, sizeof(rel));
	*at = 0xe9;
	bench_row(name, bench_call(bench_long), bare);
}

static bool has_xsavec(void)
{
	unsigned int eax, ebx, ecx, edx;

	return __get_cpuid(1, &eax, &ebx, &ecx, &edx) && ecx & bit_OSXSAVE &&
	       __get_cpuid_count(13, 1, &eax, &ebx, &ecx, &edx) && eax & 2;
}

int main(void)
{
	make_writable((void *)bench_long);
	make_writable((void *)bench_short);
	trap_row();
	jump_row("floor.jump", jump_sahf);
	jump_row("floor.popf", jump_popf);
	jump_row("floor.fxsave", jump_fxsave);
	if (has_xsavec())
		jump_row("floor.xsavec", jump_xsavec);
	else
		bench_skip("floor.xsavec", "this CPU has no xsavec");
	return hits < 2;
}
