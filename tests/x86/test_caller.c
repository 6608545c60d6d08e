/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * test_caller.c - which functions look at their return address.
 *
 * Owns: little functions in a text of their own, each with the answer.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "probe.h"
#include "code.h"

#define ADDR 0x7f0000001000ul
#define OUTSIDE (ADDR + 0x800)
#define WORD (ADDR + 0x900)
#define BYTES(...) (const uint8_t[]){ __VA_ARGS__ }, \
		   sizeof((const uint8_t[]){ __VA_ARGS__ })
#define TEST(name) static void name(void **state)

static uint8_t text[0x1000];
static uintptr_t minded, minded_word;

static int read_text(uint8_t *dst, uintptr_t addr, size_t len)
{
	if (addr < ADDR || addr - ADDR > sizeof(text) ||
	    len > sizeof(text) - (addr - ADDR))
		return -EFAULT;
	memcpy(dst, text + (addr - ADDR), len);
	return 0;
}

static bool minds(uintptr_t to, uintptr_t word)
{
	return word ? word == minded_word : to == minded;
}

static bool sees(bool reads, const uint8_t *bytes, size_t len)
{
	const struct kp_arch_caller how = { read_text, reads, minds };

	memcpy(text, bytes, len);
	return kp_arch_sees_caller(ADDR, len, &how);
}

#define SEES(...) assert_true(sees(true, BYTES(__VA_ARGS__)))
#define BLIND(...) assert_false(sees(true, BYTES(__VA_ARGS__)))

TEST(by_the_stack_pointer)
{
	(void)state;
	SEES(0x48, 0x8b, 0x04, 0x24, 0xc3);		/* mov (%rsp),%rax */
	/* sub $0x18,%rsp; mov 0x18(%rsp),%rdx */
	SEES(0x48, 0x83, 0xec, 0x18, 0x48, 0x8b, 0x54, 0x24, 0x18, 0xc3);
	/* push %rbx; push %r12; mov 0x10(%rsp),%rdx */
	SEES(0x53, 0x41, 0x54, 0x48, 0x8b, 0x54, 0x24, 0x10, 0xc3);
	/* lea -8(%rsp),%rsp; call; cmp %rax,8(%rsp) */
	SEES(0x48, 0x8d, 0x64, 0x24, 0xf8, 0xe8, 1, 1, 1, 1,
	     0x48, 0x39, 0x44, 0x24, 0x08, 0xc3);
	/* push %rbx; pop %rbx; push (%rsp) */
	SEES(0x53, 0x5b, 0xff, 0x34, 0x24, 0xc3);
	/* Replaces it: mov %rax,(%rsp) */
	SEES(0x48, 0x89, 0x04, 0x24, 0xc3);
}

TEST(by_the_frame_pointer)
{
	(void)state;
	/* push %rbp; mov %rsp,%rbp; sub $0x400,%rsp; mov 8(%rbp),%rax */
	SEES(0x55, 0x48, 0x89, 0xe5, 0x48, 0x81, 0xec, 0, 4, 0, 0,
	     0x48, 0x8b, 0x45, 0x08, 0xc9, 0xc3);
	/* and $-32,%rsp: still by the frame pointer */
	SEES(0x55, 0x48, 0x8b, 0xec, 0x48, 0x83, 0xe4, 0xe0,
	     0x48, 0x8b, 0x45, 0x08, 0xc9, 0xc3);
	/* push %rbp; mov %rsp,%rbp; leave; mov (%rsp),%rax */
	SEES(0x55, 0x48, 0x89, 0xe5, 0xc9, 0x48, 0x8b, 0x04, 0x24, 0xc3);
}

TEST(by_taking_it)
{
	(void)state;
	/* vfork: pop %rdi; mov $58,%eax; syscall; push %rdi; ret */
	SEES(0x5f, 0xb8, 58, 0, 0, 0, 0x0f, 0x05, 0x57, 0xc3);
	/* push %rax; pop %rax; pop %rcx; jmp *%rdx */
	SEES(0x50, 0x58, 0x59, 0xff, 0xe2);
	/* That is a return: pop %rcx; jmp *%rcx */
	BLIND(0x59, 0xff, 0xe1);
}

TEST(on_any_path)
{
	(void)state;
	/* push %rbx; test; je 1f; pop %rbx; ret; 1: mov 8(%rsp),%rax */
	SEES(0x53, 0x85, 0xff, 0x74, 0x02, 0x5b, 0xc3,
	     0x48, 0x8b, 0x44, 0x24, 0x08, 0x5b, 0xc3);
	/* The same with a frame behind it: 0x10(%rsp) is an argument. */
	BLIND(0x53, 0x85, 0xff, 0x74, 0x02, 0x5b, 0xc3,
	      0x48, 0x8b, 0x44, 0x24, 0x10, 0x5b, 0xc3);
	/* jmp over it: not reached */
	BLIND(0xeb, 0x04, 0x48, 0x8b, 0x04, 0x24, 0xc3);
}

TEST(what_is_next_to_it_is_not_it)
{
	(void)state;
	BLIND(0x48, 0x8b, 0x44, 0x24, 0x08, 0xc3);	/* an argument */
	BLIND(0x48, 0x8b, 0x44, 0x24, 0xf8, 0xc3);	/* the red zone */
	BLIND(0x48, 0x8d, 0x04, 0x24, 0xc3);		/* lea (%rsp),%rax */
	BLIND(0x0f, 0x1f, 0x04, 0x24, 0xc3);		/* nopl (%rsp) */
	BLIND(0x48, 0x8b, 0x04, 0xcc, 0xc3);		/* (%rsp,%rcx,8) */
	/* mov (%rsp),%rax with something of the function's own there */
	BLIND(0x50, 0x48, 0x8b, 0x04, 0x24, 0x5a, 0xc3);
	/* mov 8(%rbp),%rax where rbp is a general register */
	BLIND(0x48, 0x8b, 0x45, 0x08, 0xc3);
	/* mov %rsi,%rsp; pop %rbx; pop %rcx: another stack's */
	BLIND(0x48, 0x89, 0xf4, 0x5b, 0x59, 0xc3);
	/* clone: syscall; test; je 1f; ret; 1: pop %rax; pop %rdi; call *%rax */
	BLIND(0x0f, 0x05, 0x48, 0x85, 0xc0, 0x74, 0x01, 0xc3,
	      0x58, 0x5f, 0xff, 0xd0, 0xc3);
	/* Nobody asked. */
	assert_false(sees(false, BYTES(0x48, 0x8b, 0x04, 0x24, 0xc3)));
	/* Not even an instruction. */
	BLIND(0x06, 0x48, 0x8b, 0x04, 0x24);
}

static void put_at(uintptr_t addr, const uint8_t *bytes, size_t len)
{
	memcpy(text + (addr - ADDR), bytes, len);
}

TEST(by_going_on_in_one_that_does)
{
	(void)state;
	minded = OUTSIDE;
	minded_word = 0;
	/* mov $-1,%edi; jmp OUTSIDE */
	SEES(0xbf, 0xff, 0xff, 0xff, 0xff, 0xe9, 0xf6, 0x07, 0, 0);
	/* je OUTSIDE is not followed; nor is a jump to another place. */
	BLIND(0xbf, 0xff, 0xff, 0xff, 0xff, 0xe9, 0xf7, 0x07, 0, 0);
	/* call OUTSIDE; ret: it has a caller of its own */
	BLIND(0xe8, 0xfb, 0x07, 0, 0, 0xc3);
	/* push %rbx; jmp OUTSIDE: what is on top is no return address */
	BLIND(0x53, 0xe9, 0xfa, 0x07, 0, 0);
	/* jmp *WORD(%rip) */
	minded = 0;
	minded_word = WORD;
	SEES(0xff, 0x25, 0xfa, 0x08, 0, 0);
	BLIND(0xff, 0x25, 0xf2, 0x08, 0, 0);
	/* jmp to endbr64; bnd jmp *WORD(%rip): the linkage table's */
	memset(text, 0xcc, sizeof(text));
	put_at(OUTSIDE, BYTES(0xf3, 0x0f, 0x1e, 0xfa,
			      0xf2, 0xff, 0x25, 0xf5, 0, 0, 0));
	SEES(0xe9, 0xfb, 0x07, 0, 0);
	put_at(OUTSIDE, BYTES(0xff, 0x25, 0xfa, 0, 0, 0));
	SEES(0xe9, 0xfb, 0x07, 0, 0);
	minded_word = 1;
	BLIND(0xe9, 0xfb, 0x07, 0, 0);
}

#define ROW(test) cmocka_unit_test(test)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ROW(by_the_stack_pointer),
		ROW(by_the_frame_pointer),
		ROW(by_taking_it),
		ROW(on_any_path),
		ROW(what_is_next_to_it_is_not_it),
		ROW(by_going_on_in_one_that_does),
	};

	return cmocka_run_group_tests_name("caller", tests, NULL, NULL);
}
