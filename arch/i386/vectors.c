/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * vectors.c - keeping the vector registers around handlers.
 *
 * Owns: which this machine has, found out once, before the first hit; and kp_arch_keeping,
 * which saves them all, by the widest instruction that there is.  A function's result may
 * be in st(0).
 */
#include "probe.h"
#include "vectors.h"

#include <cpuid.h>

#define FXSR		(1u << 24)	/* leaf 1, edx */
#define SSE		(1u << 25)
#define OSXSAVE		(1u << 27)	/* leaf 1, ecx */
#define LEAF_XSAVE	13u
#define HEADER		512u		/* xsave's, behind what fxsave stores */
#define HEADER_LEN	64u
#define ALIGNMENT	64u
#define FNSAVE_LEN	108u
#define FXSAVE_LEN	512u
/* x87, SSE, AVX, mask registers, upper parts. */
#define WANTED		0xe7u
#define MXCSR_USUAL	0x1f80u

/* Written once. */
static uint32_t image_len = FNSAVE_LEN;
static enum { BY_FNSAVE, BY_FXSAVE, BY_XSAVE } way;
static bool has_sse;

void kp_arch_vectors_start(void)
{
	uint32_t a, b, c, d;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(d & FXSR))
		return;
	has_sse = d & SSE;
	way = BY_FXSAVE;
	image_len = FXSAVE_LEN;
	if (!(c & OSXSAVE) || !__get_cpuid_count(LEAF_XSAVE, 0, &a, &b, &c, &d))
		return;
	way = BY_XSAVE;
	image_len = b;
}

KP_TRAP_PATH static void save(uint8_t *image)
{
	uint32_t *header = (uint32_t *)(void *)(image + HEADER);
	unsigned int i;

	if (way == BY_XSAVE) {
		for (i = 0; i < HEADER_LEN / sizeof(*header); i++)
			header[i] = 0;
		__asm__ volatile("xsave (%0)" : : "r"(image), "a"(WANTED), "d"(0) : "memory");
	} else if (way == BY_FXSAVE) {
		__asm__ volatile("fxsave (%0)" : : "r"(image) : "memory");
	} else {
		__asm__ volatile("fnsave (%0)" : : "r"(image) : "memory");
	}
}

/* As a function expects to find it. */
KP_TRAP_PATH static void settle(void)
{
	uint32_t mxcsr = MXCSR_USUAL;

	__asm__ volatile("fninit");
	if (has_sse)
		__asm__ volatile("ldmxcsr %0" : : "m"(mxcsr));
}

KP_TRAP_PATH static void restore(const uint8_t *image)
{
	if (way == BY_XSAVE)
		__asm__ volatile("xrstor (%0)" : : "r"(image), "a"(WANTED), "d"(0) : "memory");
	else if (way == BY_FXSAVE)
		__asm__ volatile("fxrstor (%0)" : : "r"(image) : "memory");
	else
		__asm__ volatile("frstor (%0)" : : "r"(image) : "memory");
}

KP_TRAP_PATH static void keep_all(void (*fn)(void *arg), void *arg)
{
	uint8_t room[image_len + ALIGNMENT];
	uint8_t *image = (uint8_t *)(((uintptr_t)room + ALIGNMENT - 1) & -(uintptr_t)ALIGNMENT);

	save(image);
	settle();
	fn(arg);
	restore(image);
}

KP_TRAP_PATH void kp_arch_keeping(unsigned int keep, void (*fn)(void *arg), void *arg)
{
	if (keep == KP_ARCH_KEEP_NONE)
		fn(arg);
	else
		keep_all(fn, arg);
}
