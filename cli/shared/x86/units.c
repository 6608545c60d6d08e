// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * units.c - what xsave stores, as a signal's frame has it.
 *
 * Owns: its sizes, and the marks in its unused bytes.
 */
#include "units.h"

#include <cpuid.h>
#include <string.h>

#define MAGIC1 0x46505853u		/* FP_XSTATE_MAGIC1 */
#define MAGIC2 0x46505845u
#define SW_OFFSET 464u
#define XSAVE_HEADER 512u
#define XSAVE_LEGACY_LEN 576u

/*
 * How much of the image a frame needs: up to the last component that is in use.
 * ptrace gives all that the processor has, with AMX 11 KB; a frame with more than
 * the thread may use would be taken for one without any vector registers but
 * xmm, and a thread's stack may be small.
 */
size_t units_in_use(const uint8_t *image, size_t len, uint64_t *features)
{
	unsigned int i, size, at, c, d;
	size_t end = XSAVE_LEGACY_LEN;

	if (len < end) {
		*features = 0;
		return len;
	}
	memcpy(features, image + XSAVE_HEADER, sizeof(*features));
	*features |= 3;				/* x87, SSE: always there */
	for (i = 2; i < 63; i++) {
		if (!(*features & 1ull << i))
			continue;
		__cpuid_count(13, i, size, at, c, d);
		if (at + size <= len && end < at + size)
			end = at + size;
	}
	return end;
}

/* As the kernel writes it for a signal: what it is, in its unused bytes. */
void units_mark(uint8_t *image, size_t len, size_t before, uint64_t features)
{
	uint32_t head[2] = { MAGIC1, (uint32_t)(before + len) + 4 };
	uint32_t size = (uint32_t)len, end = MAGIC2;

	if (!features)				/* fxsave's */
		return;
	memset(image + SW_OFFSET, 0, 48);
	memcpy(image + SW_OFFSET, head, sizeof(head));
	memcpy(image + SW_OFFSET + 8, &features, sizeof(features));
	memcpy(image + SW_OFFSET + 16, &size, sizeof(size));
	memcpy(image + len, &end, sizeof(end));
}

uint64_t units_room(void)
{
	unsigned int a, size = 0, c, d;

	if (!__get_cpuid_count(0xd, 0, &a, &size, &c, &d) || size < 512)
		size = 12288;
	return size;
}
