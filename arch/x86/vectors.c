/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * vectors.c - the vector registers of this machine.
 *
 * Owns: what vectors_entry.S needs to save them: the components, and the length of their image.
 * For hosts whose handlers may use vector registers.
 *
 * Written once, before the first hit.
 */
#include "probe.h"
#include "code.h"
#include "vectors.h"

#include <cpuid.h>

#define OSXSAVE		(1u << 27)	/* leaf 1, ecx */
#define XSAVEC		(1u << 1)	/* leaf 13.1, eax */
#define XGETBV1		(1u << 2)
#define AVX512F		(1u << 16)	/* leaf 7, ebx */
#define AVX512BW	(1u << 30)
#define AVX_STATE	0x04u
#define AVX512_STATES	0xe0u
#define LEAF_XSAVE	13u
#define COMPONENT_NR	19u		/* up to and with the tiles */
#define TILE_STATES	0x60000u
#define LEGACY_LEN	(512u + 64u)
#define ALIGNMENT	64u

_Static_assert(KP_ARCH_KEEP_FEW == 1 && KP_ARCH_KEEP_LOW == 2 &&
	       KP_ARCH_KEEP_ALL == 3 && KP_ARCH_FEW == 4, "vectors_entry.S");

#define HIDDEN extern __attribute__((visibility("hidden")))
/* Of the image, and room to align it; 0: no xsave, use fxsave. */
HIDDEN uint32_t kp_arch_xsave_len, kp_arch_xsave_mask;
/* There is xsavec, whose image leaves out what is not wanted. */
HIDDEN uint32_t kp_arch_xsave_compact;
/* What is in use can be told, and saved without xsave. */
HIDDEN uint32_t kp_arch_xsave_moves;
/* The same length with AMX' tiles; 0: there are none. */
HIDDEN uint32_t kp_arch_xsave_tiles;
uint32_t kp_arch_xsave_len, kp_arch_xsave_mask, kp_arch_xsave_compact,
	kp_arch_xsave_moves, kp_arch_xsave_tiles;

/*
 * x87, SSE, AVX, mask registers, both upper parts.  Tiles only where they are in
 * use; not what serves others.
 */
static const uint32_t wanted = 0xe7;

static uint32_t enabled_components(void)
{
	uint32_t low, high;

	__asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return low;
}

/*
 * In the compact form each follows the one before, or the next boundary; in the
 * other one each has its place.
 */
static uint32_t image_len(uint32_t mask, bool compact)
{
	uint32_t len = LEGACY_LEN, i, a, b, c, d;

	for (i = 2; i < COMPONENT_NR; i++) {
		if (!(mask & 1u << i))
			continue;
		__cpuid_count(LEAF_XSAVE, i, a, b, c, d);
		if (compact)
			b = (len + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
		if (len < a + b)
			len = a + b;
	}
	/* A word above the image serves detour_frame.c. */
	return len + 16;
}

/* The entry's moves know AVX, and AVX-512 with its 64-bit masks. */
static bool moves_will_do(uint32_t mask)
{
	const uint32_t both = AVX512F | AVX512BW;
	uint32_t a, b, c, d;

	if (!(mask & AVX_STATE))
		return false;
	if (!(mask & AVX512_STATES))
		return true;
	return (mask & AVX512_STATES) == AVX512_STATES &&
	       __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & both) == both;
}

void kp_arch_vectors_start(void)
{
	uint32_t a, b, c, d, enabled;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & OSXSAVE))
		return;
	if (!__get_cpuid_count(LEAF_XSAVE, 1, &a, &b, &c, &d))
		a = 0;
	enabled = enabled_components();
	kp_arch_xsave_mask = enabled & wanted;
	kp_arch_xsave_compact = a & XSAVEC;
	kp_arch_xsave_len = image_len(kp_arch_xsave_mask, a & XSAVEC);
	if (!(a & XGETBV1))
		return;
	kp_arch_xsave_moves = moves_will_do(kp_arch_xsave_mask);
	if ((enabled & TILE_STATES) == TILE_STATES)
		kp_arch_xsave_tiles = image_len(kp_arch_xsave_mask |
						TILE_STATES, a & XSAVEC);
}
