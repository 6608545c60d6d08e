// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * direct.c - executable memory beside the kernel's own text.
 *
 * Owns: pages that are executed where no table of pages leads (KSEG0).  There stand slots of
 * the kernel's functions, which go back by j from the same 256 MB; and what runs while an
 * exception is being taken, when a miss of the table of pages would be the end (trap.c).
 *
 * Kernels give what is left of such memory to everybody, so it may lie too high; then ISA's
 * zone is asked, whose end is lower.
 *
 * No locks.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include "local.h"

#define JUMP_REACH ((uintptr_t)1 << 28)

static bool serves(phys_addr_t start, uintptr_t near, size_t len)
{
	phys_addr_t end = start + len - 1;

	return end / JUMP_REACH == CPHYSADDR(near) / JUMP_REACH &&
	       start / JUMP_REACH == end / JUMP_REACH;
}

static struct page *pages_near(uintptr_t near, unsigned int order)
{
	static const gfp_t zones[] = { 0, IS_ENABLED(CONFIG_ZONE_DMA) ? __GFP_DMA : 0 };
	struct page *page;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(zones); i++) {
		page = alloc_pages(GFP_KERNEL | __GFP_NOWARN | __GFP_NORETRY | zones[i], order);
		if (page && serves(page_to_phys(page), near, PAGE_SIZE << order))
			return page;
		if (page)
			__free_pages(page, order);
	}
	return NULL;
}

int kp_direct_alloc(struct kp_exec *out, uintptr_t near, size_t len)
{
	unsigned int order = get_order(len);
	struct page *page = kp_is_direct(near) ? pages_near(near, order) : NULL;

	if (!page)
		return -ENOMEM;
	out->base = KP_KSEG0 + page_to_phys(page);
	out->len = PAGE_SIZE << order;
	memset((void *)out->base, KP_ARCH_FILL, out->len);
	kp_text_written(out->base, out->len);
	return 0;
}

void kp_direct_free(const struct kp_exec *exec)
{
	__free_pages(kp_core_page(exec->base), get_order(exec->len));
}
