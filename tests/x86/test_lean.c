/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * test_lean.c - which handlers the entry may call with little saved.
 *
 * Owns: little functions in a text of their own, each with the answer: one for
 * every rule of lean.c's head, and what may not slip past it.  The simulated host
 * has a process's rules.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "functions.h"
#include "lean.h"

static bool is_lean(const uint8_t *bytes, size_t len)
{
	put(0, bytes, len);
	return kp_arch_lean(ADDR, read_text, NULL);
}

#define LEAN(...) assert_true(is_lean(BYTES(__VA_ARGS__)))
#define NOT(...) assert_false(is_lean(BYTES(__VA_ARGS__)))

TEST(what_handlers_do)
{
	(void)state;
	LEAN(0xc3);
	LEAN(0x31, 0xc0, 0xc3);				/* xor %eax,%eax */
	/* endbr64; lock incq 0x1000(%rip); xor %eax,%eax; ret */
	LEAN(0xf3, 0x0f, 0x1e, 0xfa, 0xf0, 0x48, 0xff, 0x05, 0, 0x10, 0, 0,
	     0x31, 0xc0, 0xc3);
	/* mov 0x70(%rsi),%rax; and $63,%eax; lea 0x1000(%rip),%rcx;
	 * incq (%rcx,%rax,8); xor %eax,%eax; ret: a table */
	LEAN(0x48, 0x8b, 0x46, 0x70, 0x83, 0xe0, 0x3f,
	     0x48, 0x8d, 0x0d, 0, 0x10, 0, 0, 0x48, 0xff, 0x04, 0xc1,
	     0x31, 0xc0, 0xc3);
	/* cmpq $8,0x68(%rsi); jne 1f; incl 0x1000(%rip); 1: xor; ret */
	LEAN(0x48, 0x83, 0x7e, 0x68, 8, 0x75, 6, 0xff, 0x05, 0, 0x10, 0, 0,
	     0x31, 0xc0, 0xc3);
	/* rdtsc; shl $32,%rdx; or %rdx,%rax; mov %rax,-8(%rsp); ret */
	LEAN(0x0f, 0x31, 0x48, 0xc1, 0xe2, 32, 0x48, 0x09, 0xd0,
	     0x48, 0x89, 0x44, 0x24, 0xf8, 0xc3);
	LEAN(0xeb, 1, 0xcc, 0xc3);			/* jmp 1f; 1: ret */
	LEAN(0xeb, 0xfe);				/* for ever */
	LEAN(0xb8, 1, 0, 0, 0, 0xc3);			/* takes over */
}

TEST(no_calls)
{
	(void)state;
	NOT(0xe8, 0, 0, 0, 0, 0xc3);			/* call 1f; 1: ret */
	NOT(0xff, 0xd0, 0xc3);				/* call *%rax */
	NOT(0xff, 0xe0);				/* jmp *%rax */
	NOT(0x0f, 0x05, 0xc3);				/* syscall */
	NOT(0xcc);
	NOT(0x0f, 0x0b, 0xc3);				/* ud2 */
	NOT(0xc2, 8, 0);				/* ret $8 */
	NOT(0xcb);					/* lret */
	NOT(0xcd, 0x80, 0xc3);				/* int $0x80 */
	NOT(0xf4, 0xc3);				/* hlt */
}

TEST(the_stack_pointer_stays)
{
	(void)state;
	NOT(0x50, 0x58, 0xc3);				/* push; pop %rax */
	NOT(0x48, 0x83, 0xec, 8, 0xc3);			/* sub $8,%rsp */
	NOT(0x48, 0x89, 0xc4, 0xc3);			/* mov %rax,%rsp */
	NOT(0xc9, 0xc3);				/* leave */
	NOT(0x48, 0x8d, 0x64, 0x24, 8, 0xc3);		/* lea 8(%rsp),%rsp */
	NOT(0x94, 0xc3);				/* xchg %eax,%esp */
	NOT(0xbc, 0, 0, 0, 0, 0xc3);			/* mov $0,%esp */
	NOT(0x9c, 0x9d, 0xc3);				/* pushf; popf */
}

TEST(what_a_caller_relies_on_stays)
{
	(void)state;
	NOT(0x89, 0xc3, 0xc3);				/* mov %eax,%ebx */
	NOT(0x8b, 0x2f, 0xc3);				/* mov (%rdi),%ebp */
	NOT(0x41, 0xbc, 0, 0, 0, 0, 0xc3);		/* mov $0,%r12d */
	NOT(0x49, 0xff, 0xc5, 0xc3);			/* inc %r13 */
	NOT(0x4d, 0x31, 0xf6, 0xc3);			/* xor %r14,%r14 */
	NOT(0x49, 0x0f, 0xcf, 0xc3);			/* bswap %r15 */
	NOT(0x0f, 0x94, 0xc3, 0xc3);			/* sete %bl */
	NOT(0xb7, 1, 0xc3);				/* mov $1,%bh */
	LEAN(0xb4, 1, 0xc3);				/* mov $1,%ah */
	NOT(0x40, 0xb5, 1, 0xc3);			/* mov $1,%bpl */
	NOT(0x0f, 0xc1, 0xd8, 0xc3);			/* xadd %ebx,%eax */
	NOT(0x87, 0xd8, 0xc3);				/* xchg %ebx,%eax */
	NOT(0x48, 0x0f, 0x44, 0xd8, 0xc3);		/* cmove %rax,%rbx */
	NOT(0x0f, 0xa2, 0xc3);				/* cpuid */
	LEAN(0x48, 0x39, 0xd8, 0xc3);			/* cmp %rbx,%rax */
	LEAN(0x49, 0x89, 0xd8, 0xc3);			/* mov %rbx,%r8 */
	NOT(0x0f, 0x57, 0xc0, 0xc3);			/* xorps */
	NOT(0xd9, 0xee, 0xc3);				/* fldz */
	NOT(0xc5, 0xf8, 0x77, 0xc3);			/* vzeroupper */
	NOT(0xfd, 0xc3);				/* std */
	NOT(0x0f, 0x01, 0xcb, 0xc3);			/* stac */
}

TEST(memory_that_is_written)
{
	(void)state;
	LEAN(0x48, 0x89, 0x07, 0xc3);			/* mov %rax,(%rdi) */
	NOT(0x48, 0x89, 0x04, 0x24, 0xc3);		/* mov %rax,(%rsp) */
	NOT(0x48, 0x89, 0x44, 0x24, 8, 0xc3);		/* mov %rax,8(%rsp) */
	NOT(0x48, 0x89, 0x84, 0x24, 0x78, 0xff, 0xff, 0xff, 0xc3); /* -136 */
	NOT(0x48, 0x89, 0x44, 0xc4, 0xf8, 0xc3);	/* -8(%rsp,%rax,8) */
	LEAN(0x48, 0x8b, 0x04, 0x24, 0xc3);		/* mov (%rsp),%rax */
	/* errno is thread-local */
	NOT(0x64, 0xc7, 0x00, 0, 0, 0, 0, 0xc3);	/* movl $0,%fs:(%rax) */
	NOT(0x65, 0xff, 0x04, 0x25, 0, 0, 0, 0, 0xc3);	/* incl %gs:0 */
	LEAN(0x64, 0x48, 0x8b, 0x04, 0x25, 0, 0, 0, 0, 0xc3);
	NOT(0xa4, 0xc3);				/* movsb */
	NOT(0xf3, 0x48, 0xab, 0xc3);			/* rep stosq */
	NOT(0xa2, 0, 0, 0, 0, 0, 0, 0, 0, 0xc3);	/* mov %al,0 */
	NOT(0x8f, 0x00, 0xc3);				/* pop (%rax) */
}

TEST(the_registers_that_are_there)
{
	unsigned int off;

	(void)state;
	for (off = 0; off < sizeof(struct pt_regs); off += 8) {
		/* mov off(%rsi),%rax; ret */
		uint8_t code[] = { 0x48, 0x8b, 0x86, (uint8_t)off, 0, 0, 0,
				   0xc3 };
		bool there = (off >= offsetof(struct pt_regs, r11) &&
			      off < offsetof(struct pt_regs, orig_ax)) ||
			     off >= offsetof(struct pt_regs, cs);

		assert_int_equal(is_lean(code, sizeof(code)), there);
		/* A word of one and of the next. */
		code[3] = (uint8_t)(off + 4);
		if (off == offsetof(struct pt_regs, di))
			assert_false(is_lean(code, sizeof(code)));
	}
	NOT(0x48, 0x8b, 0x86, 168, 0, 0, 0, 0xc3);	/* behind them */
	NOT(0x48, 0x8b, 0x46, 0xf8, 0xc3);		/* before them */
	NOT(0x48, 0x8b, 0x44, 0xce, 0x60, 0xc3);	/* 0x60(%rsi,%rcx,8) */
	NOT(0x64, 0x48, 0x8b, 0x46, 0x60, 0xc3);	/* %fs:0x60(%rsi) */
}

TEST(the_registers_are_only_read)
{
	(void)state;
	NOT(0x48, 0x89, 0x46, 0x70, 0xc3);		/* mov %rax,0x70(%rsi) */
	NOT(0x48, 0xff, 0x46, 0x70, 0xc3);		/* incq 0x70(%rsi) */
	NOT(0x48, 0xc7, 0x46, 0x70, 0, 0, 0, 0, 0xc3);
	NOT(0x48, 0x0f, 0xc1, 0x46, 0x70, 0xc3);	/* xadd */
	NOT(0x0f, 0x94, 0x46, 0x70, 0xc3);		/* sete */
	LEAN(0x48, 0x83, 0x7e, 0x70, 0, 0xc3);		/* cmpq $0,0x70(%rsi) */
	LEAN(0x48, 0x03, 0x46, 0x70, 0xc3);		/* add 0x70(%rsi),%rax */
}

TEST(the_pointer_to_them_goes_nowhere)
{
	(void)state;
	NOT(0x48, 0x89, 0xf0, 0xc3);			/* mov %rsi,%rax */
	NOT(0x48, 0x8b, 0xc6, 0xc3);			/* the other encoding */
	NOT(0x48, 0x8d, 0x46, 0x70, 0xc3);		/* lea 0x70(%rsi),%rax */
	NOT(0x48, 0x8d, 0x04, 0x37, 0xc3);		/* lea (%rdi,%rsi),%rax */
	NOT(0x48, 0x89, 0x37, 0xc3);			/* mov %rsi,(%rdi) */
	NOT(0x48, 0x87, 0xf0, 0xc3);			/* xchg %rsi,%rax */
	NOT(0x48, 0x96, 0xc3);				/* in one byte */
	NOT(0x48, 0x01, 0xf0, 0xc3);			/* add %rsi,%rax */
	NOT(0x48, 0x83, 0xc6, 8, 0xc3);			/* add $8,%rsi */
	NOT(0x48, 0xff, 0xc6, 0xc3);			/* inc %rsi */
	NOT(0x48, 0x0f, 0x44, 0xc6, 0xc3);		/* cmove %rsi,%rax */
	NOT(0x48, 0x63, 0xc6, 0xc3);			/* movslq %esi,%rax */
	NOT(0x40, 0x0f, 0xb6, 0xc6, 0xc3);		/* movzbl %sil,%eax */
	LEAN(0x0f, 0xb6, 0xc6, 0xc3);			/* movzbl %dh,%eax */
	NOT(0x56, 0xc3);				/* push %rsi */
	NOT(0x48, 0x0f, 0xce, 0xc3);			/* bswap %rsi */
	LEAN(0x48, 0x85, 0xf6, 0xc3);			/* test %rsi,%rsi */
	/* Lost: the same is asked of what it is then. */
	LEAN(0x31, 0xf6, 0xc3);				/* xor %esi,%esi */
	LEAN(0xbe, 1, 0, 0, 0, 0xc3);			/* mov $1,%esi */
	LEAN(0x48, 0x8b, 0x76, 0x68, 0x48, 0x8b, 0x46, 0x60, 0xc3);
	NOT(0x48, 0x8b, 0x76, 0x68, 0x48, 0x89, 0x06, 0xc3);
	/* The other way round a loop. */
	NOT(0x48, 0x89, 0xf0, 0x31, 0xf6, 0xeb, 0xf9);
}

TEST(every_path_is_walked)
{
	(void)state;
	/* je 1f; ret; 1: push %rax; ret */
	NOT(0x74, 1, 0xc3, 0x50, 0xc3);
	/* jmp 1f; int3; 1: je 2f; ret; 2: call */
	NOT(0xeb, 1, 0xcc, 0x74, 1, 0xc3, 0xe8, 0, 0, 0, 0, 0xc3);
	/* Out of the text. */
	NOT(0xe9, 0, 0, 1, 0);
	NOT(0x90, 0x06, 0xc3);				/* no instruction */
}

static bool second_nop(uintptr_t addr, size_t len)
{
	return addr == ADDR + 5 && len == 5;
}

/* A jump label's place. */
TEST(what_may_be_switched_is_not)
{
	static const uint8_t nops[] = {
		0x0f, 0x1f, 0x44, 0, 0, 0x0f, 0x1f, 0x44, 0, 0, 0xc3,
	};

	(void)state;
	assert_true(is_lean(nops, sizeof(nops)));
	assert_false(kp_arch_lean(ADDR, read_text, second_nop));
	text[5] = 0xc3;
	assert_true(kp_arch_lean(ADDR, read_text, second_nop));
}

TEST(what_is_too_long_is_not)
{
	(void)state;
	memset(text, 0x90, sizeof(text));
	text[0x200] = 0xc3;
	text_len = sizeof(text);
	assert_false(kp_arch_lean(ADDR, read_text, NULL));
	text[0x80] = 0xc3;
	assert_true(kp_arch_lean(ADDR, read_text, NULL));
}

TEST(any_bytes_come_to_an_end)
{
	unsigned int i, j;

	(void)state;
	srand(1);
	text_len = sizeof(text);
	for (i = 0; i < 20000; i++) {
		for (j = 0; j < 64; j++)
			text[j] = (uint8_t)rand();
		kp_arch_lean(ADDR, read_text, NULL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_handlers_do),
		cmocka_unit_test(no_calls),
		cmocka_unit_test(the_stack_pointer_stays),
		cmocka_unit_test(what_a_caller_relies_on_stays),
		cmocka_unit_test(memory_that_is_written),
		cmocka_unit_test(the_registers_that_are_there),
		cmocka_unit_test(the_registers_are_only_read),
		cmocka_unit_test(the_pointer_to_them_goes_nowhere),
		cmocka_unit_test(every_path_is_walked),
		cmocka_unit_test(what_may_be_switched_is_not),
		cmocka_unit_test(what_is_too_long_is_not),
		cmocka_unit_test(any_bytes_come_to_an_end),
	};

	return cmocka_run_group_tests_name("test_lean", tests, NULL, NULL);
}
