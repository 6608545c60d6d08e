/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * vectors.c - keeping the vector registers around handlers.
 *
 * Owns: which this machine has, found out once, before the first hit; the image of them
 * below the frame of a hit through a jump (detour_entry.S); and kp_arch_keeping.  All of
 * them are saved by the widest instruction that there is, those of legacy SSE by moves.  A
 * function's result may be in st(0).
 */
#include "probe.h"
#include "code.h"
#include "resume.h"
#include "vectors.h"

#include <cpuid.h>

#define FXSR		(1u << 24)	/* leaf 1, edx */
#define SSE		(1u << 25)
#define OSXSAVE		(1u << 27)	/* leaf 1, ecx */
#define LEAF_XSAVE	13u
#define XSAVEC		(1u << 1)	/* leaf 13.1, eax */
#define HEADER		512u		/* xsave's, behind what fxsave stores */
#define HEADER_LEN	64u
#define ALIGNMENT	64u
#define FNSAVE_LEN	108u
#define FXSAVE_LEN	512u
/* x87, SSE, AVX, mask registers, upper parts. */
#define WANTED		0xe7u
#define X87_STATE	1u
#define MXCSR_USUAL	0x1f80u
/* Where fxsave puts them. */
#define MXCSR		24u
#define XMM		160u

/* For detour_entry.S. */
#define HIDDEN __attribute__((visibility("hidden")))
uint32_t kp_arch_image_room(void) HIDDEN;
void kp_arch_save_image(struct kp_arch_vectors *to, unsigned long keep) HIDDEN;
void kp_arch_load_image(const struct kp_arch_vectors *from) HIDDEN;

/* Written once. */
static uint32_t image_len = FNSAVE_LEN;
static enum { BY_FNSAVE, BY_FXSAVE, BY_XSAVE } way;
static bool has_sse;
static bool has_xsavec;			/* which leaves out what is not in use */

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
	has_xsavec = __get_cpuid_count(LEAF_XSAVE, 1, &a, &b, &c, &d) && a & XSAVEC;
}

KP_TRAP_PATH bool kp_arch_has_sse(void)
{
	return has_sse;
}

/* Of an xsave image: what was in use. */
KP_TRAP_PATH static uint32_t *header_of(uint8_t *image)
{
	return (uint32_t *)(void *)(image + HEADER);
}

/* whole: fxsave's part, too, whether it is in use or not; a jprobe's handler gets it. */
KP_TRAP_PATH static void save(uint8_t *image, bool whole)
{
	uint32_t *header = header_of(image);
	unsigned int i;

	if (way == BY_XSAVE) {
		for (i = 0; i < HEADER_LEN / sizeof(*header); i++)
			header[i] = 0;
		if (has_xsavec && !whole)
			__asm__ volatile("xsavec (%0)"
					 : : "r"(image), "a"(WANTED), "d"(0) : "memory");
		else
			__asm__ volatile("xsave (%0)"
					 : : "r"(image), "a"(WANTED), "d"(0) : "memory");
	} else if (way == BY_FXSAVE) {
		__asm__ volatile("fxsave (%0)" : : "r"(image) : "memory");
	} else {
		__asm__ volatile("fnsave (%0)" : : "r"(image) : "memory");
	}
}

/* As a function expects to find it; both take long. */
KP_TRAP_PATH static void settle(uint8_t *image)
{
	uint32_t mxcsr = 0;

	if (way != BY_XSAVE || *header_of(image) & X87_STATE)
		__asm__ volatile("fninit");
	if (!has_sse)
		return;
	__asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
	if (mxcsr == MXCSR_USUAL)
		return;
	mxcsr = MXCSR_USUAL;
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

/* In front of an image. */
#define FRONT ALIGNMENT
_Static_assert(sizeof(struct kp_arch_vectors) <= FRONT, "");
_Static_assert(KP_ARCH_FEW == 4 && KP_ARCH_KEEP_FEW == 1 && KP_ARCH_KEEP_LOW == 2, "save_xmm");

#define SAVE(n) __asm__ volatile("movups %%xmm" #n ", (%0)" : : "r"(image + XMM + 16 * n) : "memory")
#define LOAD(n) __asm__ volatile("movups (%0), %%xmm" #n : : "r"(image + XMM + 16 * n) : "memory")

KP_TRAP_PATH static void save_xmm(uint8_t *image, unsigned long keep)
{
	SAVE(0); SAVE(1); SAVE(2); SAVE(3);
	__asm__ volatile("stmxcsr (%0)" : : "r"(image + MXCSR) : "memory");
	if (keep == KP_ARCH_KEEP_LOW) {
		SAVE(4); SAVE(5); SAVE(6); SAVE(7);
	}
}

/* To load MXCSR takes long: only what a handler has changed. */
KP_TRAP_PATH static void load_xmm(const uint8_t *image, unsigned long keep)
{
	uint32_t now, was;

	LOAD(0); LOAD(1); LOAD(2); LOAD(3);
	if (keep == KP_ARCH_KEEP_LOW) {
		LOAD(4); LOAD(5); LOAD(6); LOAD(7);
	}
	__asm__ volatile("stmxcsr %0" : "=m"(now));
	memcpy(&was, image + MXCSR, sizeof(was));
	if (now != was)
		__asm__ volatile("ldmxcsr %0" : : "m"(was));
}

/* Who may change a few registers of SSE has them. */
KP_TRAP_PATH static bool only_xmm(unsigned long keep)
{
	return has_sse && (keep == KP_ARCH_KEEP_FEW || keep == KP_ARCH_KEEP_LOW);
}

/* Bytes for kp_arch_save_image, and to bring them on their boundary. */
KP_TRAP_PATH uint32_t kp_arch_image_room(void)
{
	return FRONT + image_len + ALIGNMENT;
}

/* to is on a boundary of 64; the image is behind it. */
KP_TRAP_PATH void kp_arch_save_image(struct kp_arch_vectors *to, unsigned long keep)
{
	uint8_t *image = (uint8_t *)to + FRONT;

	*to = (struct kp_arch_vectors){ .image = image, .keep = keep };
	if (only_xmm(keep)) {
		save_xmm(image, keep);
		return;
	}
	save(image, keep == KP_ARCH_KEEP_IMAGE);
	settle(image);
}

KP_TRAP_PATH void kp_arch_load_image(const struct kp_arch_vectors *from)
{
	if (only_xmm(from->keep))
		load_xmm(from->image, from->keep);
	else
		restore(from->image);
}

KP_TRAP_PATH static void keep_some(unsigned long keep, void (*fn)(void *arg), void *arg)
{
	uint8_t room[kp_arch_image_room()];
	struct kp_arch_vectors *vectors =
		(void *)(((uintptr_t)room + ALIGNMENT - 1) & -(uintptr_t)ALIGNMENT);

	kp_arch_save_image(vectors, keep);
	fn(arg);
	kp_arch_load_image(vectors);
}

KP_TRAP_PATH void kp_arch_keeping(unsigned int keep, void (*fn)(void *arg), void *arg)
{
	if (keep == KP_ARCH_KEEP_NONE)
		fn(arg);
	else
		keep_some(keep, fn, arg);
}
