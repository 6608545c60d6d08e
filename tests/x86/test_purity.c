/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * test_purity.c - which registers a function leaves alone.
 *
 * Owns: little functions in a text of their own, each with the answer.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "functions.h"
#include "code.h"

#define OTHER 0x100		/* where a second function stands */

static bool other_is_known(uintptr_t addr)
{
	return addr == ADDR + OTHER;
}

static enum kp_arch_purity purity(void)
{
	return kp_arch_purity(ADDR, read_text, NULL, NULL);
}

#define PURITY(what, ...)						\
	do {								\
		put(0, BYTES(__VA_ARGS__));				\
		assert_int_equal(purity(), what);			\
	} while (0)
#define GPR(...) PURITY(KP_ARCH_PURE_GPR, __VA_ARGS__)
#define XMM(...) PURITY(KP_ARCH_PURE_LOW, __VA_ARGS__)
#define FEW(...) PURITY(KP_ARCH_PURE_FEW, __VA_ARGS__)
#define NOT(...) PURITY(KP_ARCH_PURE_NOT, __VA_ARGS__)

TEST(general_registers_only)
{
	(void)state;
	GPR(0xc3);
	GPR(0xf3, 0x0f, 0x1e, 0xfa, 0x31, 0xc0, 0xc3);	/* endbr64; xor */
	/* lock incq 0x1000(%rip); mov %fs:0x28,%rax; rep stosq; ret $8 */
	GPR(0xf0, 0x48, 0xff, 0x05, 0, 0x10, 0, 0,
	    0x64, 0x48, 0x8b, 0x04, 0x25, 0x28, 0, 0, 0,
	    0xf3, 0x48, 0xab, 0xc2, 8, 0);
	GPR(0xc4, 0xe2, 0xf8, 0xf3, 0xd8, 0xc3);	/* blsi: VEX, no vector */
	GPR(0x0f, 0xae, 0xe8, 0xc3);			/* lfence */
	GPR(0x0f, 0x05, 0xc3);				/* syscall: they come back */
}

/* From the first to the last byte, whatever leads where. */
TEST(all_of_a_range)
{
	(void)state;
	put(0, BYTES(0xff, 0xe0, 0xc3, 0x0f, 0x57, 0xc0));	/* jmp *%rax; ret; xorps */
	assert_true(kp_arch_general_only(ADDR, ADDR + 3, read_text));
	assert_false(kp_arch_general_only(ADDR, ADDR + 6, read_text));
	/* An instruction that the end cuts is none. */
	assert_false(kp_arch_general_only(ADDR, ADDR + 1, read_text));
}

TEST(legacy_sse_of_a_few)
{
	(void)state;
	FEW(0x0f, 0x57, 0xc0, 0xc3);			/* xorps */
	FEW(0x66, 0x0f, 0xef, 0xc0, 0x0f, 0x11, 0x07, 0xc3);
	FEW(0xf3, 0x0f, 0x6f, 0x07, 0xc3);		/* movdqu */
	FEW(0x66, 0x48, 0x0f, 0x6e, 0xc2, 0xc3);	/* movq %rdx,%xmm0 */
	FEW(0xf2, 0x0f, 0x58, 0xc1, 0xc3);		/* addsd */
	FEW(0xf2, 0x48, 0x0f, 0x2a, 0xc2, 0xc3);	/* cvtsi2sd %rdx,%xmm0 */
	/* cvtsi2sd 0x70(%rsi),%xmm3; memory by any registers */
	FEW(0xf2, 0x48, 0x0f, 0x2a, 0x5e, 0x70, 0xc3);
	FEW(0xf3, 0x43, 0x0f, 0x10, 0x1c, 0xc8, 0xc3);	/* movss (%r8,%r9,8),%xmm3 */
	FEW(0xf2, 0x0f, 0x2c, 0xc0, 0xc3);		/* cvttsd2si */
	FEW(0x66, 0x0f, 0xe6, 0xc0, 0xc3);		/* cvttpd2dq */
	FEW(0x66, 0x0f, 0x2e, 0xc1, 0xc3);		/* ucomisd */
	FEW(0x66, 0x0f, 0x38, 0x00, 0xc1, 0xc3);	/* pshufb xmm */
	FEW(0x66, 0x0f, 0x3a, 0x0f, 0xc1, 4, 0xc3);	/* palignr xmm */
}

TEST(legacy_sse)
{
	(void)state;
	XMM(0x0f, 0x57, 0xe0, 0xc3);			/* xorps %xmm0,%xmm4 */
	XMM(0x0f, 0x57, 0xc4, 0xc3);			/* xorps %xmm4,%xmm0 */
	XMM(0x66, 0x0f, 0xef, 0xff, 0x0f, 0x11, 0x07, 0xc3);
	XMM(0xf3, 0x44, 0x0f, 0x6f, 0x07, 0xc3);	/* movdqu (%rdi),%xmm8 */
	XMM(0x66, 0x48, 0x0f, 0x6e, 0xc7, 0xc3);	/* movq %rdi,%xmm0 */
	XMM(0xf2, 0x41, 0x0f, 0x58, 0xc1, 0xc3);	/* addsd %xmm9,%xmm0 */
	XMM(0xf2, 0x48, 0x0f, 0x2a, 0xc7, 0xc3);	/* cvtsi2sd %rdi */
	XMM(0xf2, 0x0f, 0x2c, 0xe0, 0xc3);		/* cvttsd2si %xmm0,%esp */
	XMM(0x66, 0x0f, 0xe6, 0xe8, 0xc3);		/* cvttpd2dq */
	XMM(0x66, 0x44, 0x0f, 0x2e, 0xc1, 0xc3);	/* ucomisd */
	XMM(0x66, 0x0f, 0x38, 0x00, 0xf1, 0xc3);	/* pshufb xmm */
	XMM(0x66, 0x0f, 0x3a, 0x0f, 0xcd, 4, 0xc3);	/* palignr xmm */
	/* One of the others is enough, wherever it is. */
	XMM(0x0f, 0x57, 0xc0, 0x74, 0x01, 0xc3, 0x0f, 0x57, 0xe4, 0xc3);
}

TEST(other_vectors)
{
	(void)state;
	NOT(0xc5, 0xf8, 0x77, 0xc3);			/* vzeroupper */
	NOT(0xc5, 0xf9, 0xef, 0xc0, 0xc3);		/* vpxor xmm */
	NOT(0x62, 0xf1, 0x7d, 0x48, 0xef, 0xc0, 0xc3);	/* vpxord zmm */
	NOT(0xc5, 0xfb, 0x92, 0xc8, 0xc3);		/* kmovd */
	NOT(0xd9, 0xe8, 0xc3);				/* fld1 */
	NOT(0x9b, 0xc3);				/* fwait */
	NOT(0x0f, 0xef, 0xc0, 0xc3);			/* pxor mm */
	NOT(0x0f, 0x77, 0xc3);				/* emms */
	NOT(0xf3, 0x0f, 0xd6, 0xc0, 0xc3);		/* movq2dq: mm */
	NOT(0xf2, 0x0f, 0xd6, 0xc0, 0xc3);		/* movdq2q: mm */
	NOT(0x0f, 0x38, 0x00, 0xc1, 0xc3);		/* pshufb mm */
	NOT(0x0f, 0x3a, 0x0f, 0xc1, 4, 0xc3);		/* palignr mm */
	NOT(0x0f, 0x2a, 0xc0, 0xc3);			/* cvtpi2ps: mm */
	NOT(0x66, 0x0f, 0x2a, 0xc0, 0xc3);		/* cvtpi2pd: mm */
	NOT(0x66, 0x0f, 0x2d, 0xc0, 0xc3);		/* cvtpd2pi: mm */
	NOT(0x0f, 0xe7, 0x07, 0xc3);			/* movntq: mm */
	NOT(0x0f, 0xf7, 0xc1, 0xc3);			/* maskmovq: mm */
	NOT(0x0f, 0x0f, 0xc1, 0x9e, 0xc3);		/* pfadd: 3DNow */
	NOT(0x0f, 0xae, 0x17, 0xc3);			/* ldmxcsr */
	NOT(0x0f, 0xae, 0x2f, 0xc3);			/* xrstor */
	NOT(0x0f, 0xae, 0x0f, 0xc3);			/* fxrstor */
}

TEST(all_paths_are_walked)
{
	(void)state;
	/* je 1f; ret; 1: fld1; ret */
	NOT(0x74, 0x01, 0xc3, 0xd9, 0xe8, 0xc3);
	GPR(0x74, 0x01, 0xc3, 0x31, 0xc0, 0xc3);
	/* jmp over the vectors */
	GPR(0xeb, 0x02, 0xd9, 0xe8, 0xc3);
	/* 1: dec %ecx; jne 1b; loop 1b; ret */
	GPR(0xff, 0xc9, 0x75, 0xfc, 0xe2, 0xfa, 0xc3);
	/* 1: jmp 1b */
	GPR(0xeb, 0xfe);
	FEW(0x74, 0x01, 0xc3, 0x0f, 0x57, 0xc0, 0xc3);
}

TEST(calls_are_followed)
{
	const uint8_t call[] = { 0xe8, 0xfb, 0, 0, 0, 0x31, 0xc0, 0xc3 };
	const uint8_t jmp[] = { 0xe9, 0xfb, 0, 0, 0 };

	(void)state;
	put(0, call, sizeof(call));
	put(OTHER, BYTES(0xc3));
	assert_int_equal(purity(), KP_ARCH_PURE_GPR);
	put(OTHER, BYTES(0x0f, 0x57, 0xc0, 0xc3));
	assert_int_equal(purity(), KP_ARCH_PURE_FEW);
	put(OTHER, BYTES(0x0f, 0x57, 0xe4, 0xc3));
	assert_int_equal(purity(), KP_ARCH_PURE_LOW);
	put(OTHER, BYTES(0xd9, 0xe8, 0xc3));
	assert_int_equal(purity(), KP_ARCH_PURE_NOT);
	/* Known to be harmless, although it does not look so. */
	assert_int_equal(kp_arch_purity(ADDR, read_text, other_is_known, NULL),
			 KP_ARCH_PURE_GPR);
	put(0, jmp, sizeof(jmp));
	put(OTHER, BYTES(0xd9, 0xe8, 0xc3));
	assert_int_equal(purity(), KP_ARCH_PURE_NOT);
	assert_int_equal(kp_arch_purity(ADDR, read_text, other_is_known, NULL),
			 KP_ARCH_PURE_GPR);
	/* Recursion ends. */
	put(OTHER, BYTES(0xe8, 0xfb, 0xfe, 0xff, 0xff, 0xc3));
	assert_int_equal(purity(), KP_ARCH_PURE_GPR);
}

TEST(what_cannot_be_followed)
{
	(void)state;
	NOT(0xff, 0xe0);				/* jmp *%rax */
	NOT(0xff, 0xd0, 0xc3);				/* call *%rax */
	NOT(0xff, 0x25, 0, 0, 0, 0);			/* jmp *(%rip): a PLT */
	NOT(0xf2, 0xff, 0x25, 0, 0, 0, 0);
	NOT(0xcd, 0x80, 0xc3);				/* int */
	NOT(0xcc);
	NOT(0xf4, 0xc3);				/* hlt */
	NOT(0xcb);					/* lret */
	NOT(0x48, 0xcf);				/* iretq */
	NOT(0xc7, 0xf8, 0, 0, 0, 0, 0xc3);		/* xbegin */
	NOT(0x06);					/* undefined */
	NOT(0xe8, 0, 0, 0, 0x40, 0xc3);			/* calls nowhere */
}

/* ret goes where the stack says: that must be where the call came from. */
TEST(returns_that_do_not_return)
{
	(void)state;
	NOT(0x50, 0xc3);				/* push %rax; ret */
	NOT(0x68, 1, 2, 3, 4, 0xc3);			/* push $…; ret */
	NOT(0x48, 0x89, 0x04, 0x24, 0xc3);		/* mov %rax,(%rsp) */
	/* A retpoline: call 1f; 2: pause; jmp 2b; 1: mov %rax,(%rsp); ret */
	NOT(0xe8, 4, 0, 0, 0, 0xf3, 0x90, 0xeb, 0xfc,
	    0x48, 0x89, 0x04, 0x24, 0xc3);
	/* The same, returning through a thunk. */
	NOT(0x48, 0x89, 0x04, 0x24, 0xeb, 0x00, 0xc3);
	NOT(0xff, 0x33, 0xc3);				/* push (%rbx); ret */
	GPR(0xe8, 0x00, 0, 0, 0, 0xc3);			/* call; ret */
	GPR(0x48, 0x89, 0x04, 0x24, 0x58, 0xc3);	/* and pop it */
	GPR(0x55, 0x48, 0x89, 0xe5, 0xc9, 0xc3);	/* leave; ret */
	GPR(0x48, 0x8d, 0x64, 0x24, 0x08, 0xc3);	/* lea 8(%rsp): no store */
}

/* ud2 of a kernel's warning: execution goes on behind it. */
TEST(warnings)
{
	(void)state;
	GPR(0x74, 0x01, 0xc3, 0x0f, 0x0b, 0xeb, 0xfb);
	NOT(0x0f, 0x0b, 0xd9, 0xe8, 0xc3);
}

TEST(the_end_of_the_text)
{
	(void)state;
	GPR(0x31, 0xc0, 0xc3);
	text_len = 3;
	assert_int_equal(purity(), KP_ARCH_PURE_GPR);
	text_len = 2;
	assert_int_equal(purity(), KP_ARCH_PURE_NOT);
	text_len = 0;
	assert_int_equal(purity(), KP_ARCH_PURE_NOT);
}

/* Both bounds: too long a function, too many branches. */
TEST(bounds)
{
	unsigned int i;

	(void)state;
	memset(text, 0x90, sizeof(text));
	text[sizeof(text) - 1] = 0xc3;
	text_len = sizeof(text);
	assert_int_equal(purity(), KP_ARCH_PURE_GPR);
	assert_int_equal(kp_arch_purity(ADDR + 1, read_text, NULL, NULL),
			 KP_ARCH_PURE_GPR);
	for (i = 0; i < 200; i++) {			/* je to its own ret */
		text[3 * i] = 0x74;
		text[3 * i + 1] = 0x00;
		text[3 * i + 2] = 0x90;
	}
	assert_int_equal(purity(), KP_ARCH_PURE_NOT);
	/* A few branches, and more code than anybody reads. */
	memset(text, 0x90, sizeof(text));
	text[sizeof(text) - 2] = 0x74;
	text[sizeof(text) - 1] = 0x80;
	assert_int_equal(purity(), KP_ARCH_PURE_NOT);
}

static bool constant_word(uintptr_t addr, uintptr_t *word)
{
	*word = addr == ADDR + 0x800 ? ADDR + OTHER : ADDR + 0x200;
	return addr != ADDR + 0x900;
}

TEST(calls_through_constant_words)
{
	/* call *0x800; call *0x808; call *0x900: off by the length */
	static const struct { uint8_t at, high; bool good; } words[] = {
		{ 0xfa, 7, true }, { 0x02, 8, false }, { 0xfa, 8, false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++) {
		enum kp_arch_purity want = words[i].good ? KP_ARCH_PURE_GPR :
							   KP_ARCH_PURE_NOT;

		put(0, BYTES(0xff, 0x15, words[i].at, words[i].high, 0, 0,
			     0xc3));
		assert_int_equal(kp_arch_purity(ADDR, read_text, other_is_known,
						constant_word), want);
		assert_int_equal(kp_arch_purity(ADDR, read_text, other_is_known,
						NULL), KP_ARCH_PURE_NOT);
		put(0, BYTES(0xff, 0x25, words[i].at, words[i].high, 0, 0));
		assert_int_equal(kp_arch_purity(ADDR, read_text, other_is_known,
						constant_word), want);
	}
	/* Through a register, and through other memory. */
	put(0, BYTES(0xff, 0xd0, 0xc3));
	assert_int_equal(kp_arch_purity(ADDR, read_text, other_is_known,
					constant_word), KP_ARCH_PURE_NOT);
	put(0, BYTES(0xff, 0x17, 0xc3));
	assert_int_equal(kp_arch_purity(ADDR, read_text, other_is_known,
					constant_word), KP_ARCH_PURE_NOT);
}

/* ---- what the second argument points to ------------------------------------ */

#define SPARES(what, ...)						\
	do {								\
		put(0, BYTES(__VA_ARGS__));				\
		assert_int_equal(kp_arch_spares_second(ADDR, read_text, NULL), what); \
	} while (0)

TEST(the_second_argument_is_read)
{
	(void)state;
	SPARES(true, 0xc3);
	/* incq 0x1000(%rip); xor %eax,%eax; ret */
	SPARES(true, 0x48, 0xff, 0x05, 0, 0x10, 0, 0, 0x31, 0xc0, 0xc3);
	/* mov 0x70(%rsi),%rax; mov %rax,0x1000(%rip); ret */
	SPARES(true, 0x48, 0x8b, 0x46, 0x70, 0x48, 0x89, 0x05, 0, 0x10, 0, 0,
	       0xc3);
	SPARES(true, 0x48, 0x03, 0x46, 0x70, 0xc3);	/* add (%rsi),%rax */
	SPARES(true, 0x48, 0x83, 0x7e, 0x70, 0, 0xc3);	/* cmp $0,(%rsi) */
	SPARES(true, 0xf6, 0x46, 0x70, 1, 0xc3);	/* test $1,(%rsi) */
	SPARES(true, 0x0f, 0xb6, 0x46, 0x70, 0xc3);	/* movzx (%rsi),%eax */
	SPARES(true, 0x48, 0x8b, 0x76, 0x70, 0xc3);	/* mov (%rsi),%rsi */
	SPARES(true, 0x48, 0x8b, 0x04, 0xf7, 0xc3);	/* mov (%rdi,%rsi,8),%rax */
	/* What it holds is replaced. */
	SPARES(true, 0x31, 0xf6, 0xc3);			/* xor %esi,%esi */
	SPARES(true, 0xbe, 1, 0, 0, 0, 0xc3);		/* mov $1,%esi */
	SPARES(true, 0x48, 0xc7, 0xc6, 1, 0, 0, 0, 0xc3);
	SPARES(true, 0x48, 0x89, 0xfe, 0xc3);		/* mov %rdi,%rsi */
	SPARES(true, 0x48, 0x8b, 0xf7, 0xc3);
	SPARES(true, 0x48, 0x8d, 0x35, 0, 0x10, 0, 0, 0xc3); /* lea (%rip),%rsi */
	/* Its names with other numbers. */
	SPARES(true, 0x49, 0x89, 0x46, 0x70, 0xc3);	/* mov %rax,(%r14) */
}

TEST(the_second_argument_is_written)
{
	(void)state;
	SPARES(false, 0x48, 0x89, 0x46, 0x70, 0xc3);	/* mov %rax,(%rsi) */
	SPARES(false, 0x48, 0xc7, 0x46, 0x70, 0, 0, 0, 0, 0xc3);
	SPARES(false, 0x48, 0xff, 0x46, 0x70, 0xc3);	/* incq (%rsi) */
	SPARES(false, 0x48, 0x83, 0x46, 0x70, 1, 0xc3);	/* add $1,(%rsi) */
	SPARES(false, 0x48, 0x01, 0x46, 0x70, 0xc3);	/* add %rax,(%rsi) */
	SPARES(false, 0xf6, 0x56, 0x70, 0xc3);		/* notb (%rsi) */
	SPARES(false, 0x48, 0x87, 0x46, 0x70, 0xc3);	/* xchg %rax,(%rsi) */
	SPARES(false, 0xf0, 0x48, 0x0f, 0xc1, 0x46, 0x70, 0xc3);	/* xadd */
	SPARES(false, 0x48, 0x0f, 0xb1, 0x46, 0x70, 0xc3);	/* cmpxchg */
	SPARES(false, 0x0f, 0x94, 0x46, 0x70, 0xc3);	/* sete (%rsi) */
	SPARES(false, 0x48, 0x0f, 0xc3, 0x46, 0x70, 0xc3);	/* movnti */
	SPARES(false, 0x8f, 0x46, 0x70, 0xc3);		/* pop (%rsi) */
	SPARES(false, 0x48, 0xa5, 0xc3);		/* movsq */
}

TEST(the_second_argument_is_handed_on)
{
	const uint8_t call[] = { 0xe8, 0xfb, 0, 0, 0, 0x31, 0xc0, 0xc3 };

	(void)state;
	SPARES(false, 0x56, 0x5e, 0xc3);		/* push %rsi */
	SPARES(false, 0x48, 0x89, 0xf3, 0xc3);		/* mov %rsi,%rbx */
	SPARES(false, 0x48, 0x8b, 0xc6, 0xc3);
	SPARES(false, 0x48, 0x89, 0x37, 0xc3);		/* mov %rsi,(%rdi) */
	SPARES(false, 0x48, 0x8d, 0x46, 0x70, 0xc3);	/* lea (%rsi),%rax */
	SPARES(false, 0x48, 0x8d, 0x76, 0x70, 0xc3);	/* lea (%rsi),%rsi */
	SPARES(false, 0x48, 0x01, 0xf0, 0xc3);		/* add %rsi,%rax */
	SPARES(false, 0x48, 0x87, 0xf0, 0xc3);		/* xchg %rsi,%rax */
	SPARES(false, 0x48, 0x0f, 0x44, 0xc6, 0xc3);	/* cmove %rsi,%rax */
	SPARES(false, 0xff, 0xe6);			/* jmp *%rsi */
	SPARES(false, 0xff, 0xd0, 0xc3);		/* call *%rax */
	SPARES(false, 0xe8, 0, 0x20, 0, 0, 0xc3);	/* call: not readable */
	put(0, call, sizeof(call));
	put(OTHER, BYTES(0x48, 0x8b, 0x46, 0x70, 0xc3));
	assert_true(kp_arch_spares_second(ADDR, read_text, NULL));
	put(0, call, sizeof(call));
	put(OTHER, BYTES(0x48, 0x89, 0x46, 0x70, 0xc3));
	assert_false(kp_arch_spares_second(ADDR, read_text, NULL));
}

#define ROW(test) cmocka_unit_test(test)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ROW(general_registers_only),
		ROW(all_of_a_range),
		ROW(legacy_sse_of_a_few),
		ROW(legacy_sse),
		ROW(other_vectors),
		ROW(all_paths_are_walked),
		ROW(calls_are_followed),
		ROW(what_cannot_be_followed),
		ROW(returns_that_do_not_return),
		ROW(warnings),
		ROW(the_end_of_the_text),
		ROW(bounds),
		ROW(calls_through_constant_words),
		ROW(the_second_argument_is_read),
		ROW(the_second_argument_is_written),
		ROW(the_second_argument_is_handed_on),
	};

	return cmocka_run_group_tests_name("purity", tests, NULL, NULL);
}
