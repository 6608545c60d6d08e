// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * floor.c - what any probe must cost here, by hand and without our engine.
 *
 * Owns: two rows.  "trap": an int3 whose SIGTRAP handler counts and resumes.
 * "jump": a function whose first instruction is a hand-written jump to code
 * that skips the red zone, saves all general registers and flags, calls a C
 * handler that counts, restores and jumps back.
 */
#include "bench.h"

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

/* The instruction that the jump replaces: {disp32} lea 1(%rdi),%rax. */
__asm__(".text\n"
	"by_hand:\n"
	"	lea	-128(%rsp), %rsp\n"
	"	pushf\n"
	"	push	%rdi\n push %rsi\n push %rdx\n push %rcx\n push %rax\n"
	"	push	%r8\n push %r9\n push %r10\n push %r11\n push %rbx\n"
	"	push	%rbp\n push %r12\n push %r13\n push %r14\n push %r15\n"
	"	cld\n"
	"	mov	%rsp, %rdi\n"
	"	mov	%rsp, %rbx\n"
	"	and	$-16, %rsp\n"
	"	call	on_jump\n"
	"	mov	%rbx, %rsp\n"
	"	pop	%r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbp\n"
	"	pop	%rbx\n pop %r11\n pop %r10\n pop %r9\n pop %r8\n"
	/* The arithmetic flags, as no other is in use: sahf, and OF by add. */
	"	mov	40(%rsp), %eax\n"
	"	xchg	%al, %ah\n"
	"	bt	$3, %eax\n"
	"	setc	%al\n"
	"	add	$0x7f, %al\n"
	"	sahf\n"
	"	pop	%rax\n pop %rcx\n pop %rdx\n pop %rsi\n pop %rdi\n"
	"	lea	136(%rsp), %rsp\n"
	"	{disp32} lea 1(%rdi), %rax\n"
	"	jmp	bench_long + 7\n");
extern const char by_hand[];

static void jump_row(void)
{
	struct bench_sample bare = bench_call(bench_long), with;
	unsigned char *at = (unsigned char *)bench_long;
	int32_t rel = (int32_t)((uintptr_t)by_hand - (uintptr_t)at - 5);

	memcpy(at + 1, &rel, sizeof(rel));
	*at = 0xe9;
	with = bench_call(bench_long);
	bench_row("floor.jump", with, bare);
}

int main(void)
{
	make_writable((void *)bench_long);
	make_writable((void *)bench_short);
	trap_row();
	jump_row();
	return hits < 2;
}
