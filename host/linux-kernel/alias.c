// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * alias.c - writing kernel text.
 *
 * Owns: the writable aliases of text pages, which exist only inside a write.
 *
 * Text itself stays read-only and executable all the time: a second mapping of
 * the same pages is written; but where it can be written as it is (KP_TEXT_IN_PLACE).  A
 * breakpoint is one store, so other CPUs see the old or the new text; where the processor
 * wants more than that, they wait (alone.h).
 *
 * Locks: text lock, then the kernel's own text_mutex where it was found, so
 * that our writes and the kernel's patching do not interleave; between them what alone.h
 * takes.
 */
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/vmalloc.h>
#include "alone.h"
#include "local.h"

/* Patches written through one mapping. */
#define CHUNK 64

/* Guarded by the text lock, or by the registry lock for slots. */
static DEFINE_MUTEX(alias_lock);
static struct page *pages[2 * CHUNK];

static struct page *page_of(uintptr_t addr)
{
	if (kp_text_is_core(addr) || kp_is_direct(addr))
		return kp_core_page(addr);
	if (is_vmalloc_addr((void *)addr) ||
	    (addr >= KP_MODULES_LOW && addr < KP_MODULES_END))
		return vmalloc_to_page((void *)addr);
	return NULL;
}

/* pages[2i] and [2i+1] hold patch i; the second is the first if it fits. */
static int map_patch(const struct kp_text_patch *patch, size_t i)
{
	pages[2 * i] = page_of(patch->addr);
	pages[2 * i + 1] = page_of(patch->addr + patch->len - 1);
	return pages[2 * i] && pages[2 * i + 1] ? 0 : -EFAULT;
}

/*
 * QEMU's emulation with one thread a CPU: a CPU that translates code while
 * another writes it may keep the old code for ever, and then traps on a
 * breakpoint that is gone, or runs past one that is there.  Once all CPUs have
 * been interrupted their translations are known to QEMU, and writing the same
 * bytes again discards them.
 */
static bool write_twice;

struct chunk {
	uint8_t *alias;			/* two pages for each patch */
	const struct kp_text_patch *patches;
	size_t nr;
};

static void write_all(void *arg)
{
	const struct chunk *chunk = arg;
	size_t i;

	for (i = 0; i < chunk->nr; i++) {
		const struct kp_text_patch *patch = &chunk->patches[i];

		if (patch->err)
			continue;
		kp_store_text(KP_TEXT_IN_PLACE ? (uint8_t *)patch->addr :
				      chunk->alias + 2 * i * PAGE_SIZE +
				      offset_in_page(patch->addr),
			      patch->bytes, patch->len);
		kp_text_written(patch->addr, patch->len);
	}
}

static int write_chunk(struct kp_text_patch *patches, size_t nr)
{
	struct chunk chunk = { .patches = patches, .nr = nr };
	size_t i;
	int err = 0;

	for (i = 0; i < nr; i++) {
		patches[i].err = map_patch(&patches[i], i);
		if (patches[i].err) {
			err = err ? err : patches[i].err;
			/* Anything that can be mapped: it is not written. */
			pages[2 * i] = ZERO_PAGE(0);
			pages[2 * i + 1] = ZERO_PAGE(0);
		}
	}
	if (!KP_TEXT_IN_PLACE)
		chunk.alias = vmap(pages, 2 * nr, VM_MAP, PAGE_KERNEL);
	for (i = 0; i < nr && !chunk.alias && !KP_TEXT_IN_PLACE; i++)
		patches[i].err = err = -ENOMEM;
	kp_alone(write_all, &chunk);
	if (write_twice) {
		kp_host_sync_cores();
		kp_alone(write_all, &chunk);
	}
	if (chunk.alias)
		vunmap(chunk.alias);
	return err;
}

/* Text is written here as well as anywhere. */
int kp_host_patching(int (*fn)(void *arg), void *arg)
{
	return fn(arg);
}

int kp_host_text_write(struct kp_text_patch *patches, size_t nr)
{
	int err = 0, one;
	size_t i;

	/* What was stored before, is so before the bytes: pairs with whoever executes them. */
	kp_fence_release();
	mutex_lock(&alias_lock);
	kp_alone_begin();
	if (kp_hidden.text_mutex)
		mutex_lock(kp_hidden.text_mutex);
	for (i = 0; i < nr; i += CHUNK) {
		one = write_chunk(patches + i, min_t(size_t, CHUNK, nr - i));
		err = err ? err : one;
	}
	if (kp_hidden.text_mutex)
		mutex_unlock(kp_hidden.text_mutex);
	kp_alone_end();
	mutex_unlock(&alias_lock);
	return err;
}

void *kp_text_alias(uintptr_t addr, size_t len)
{
	uint8_t *alias = NULL;

	if (KP_TEXT_IN_PLACE)
		return page_of(addr) && page_of(addr + len - 1) ? (void *)addr : NULL;
	mutex_lock(&alias_lock);
	pages[0] = page_of(addr);
	pages[1] = page_of(addr + len - 1);
	if (pages[0] && pages[1])
		alias = vmap(pages, 2, VM_MAP, PAGE_KERNEL);
	mutex_unlock(&alias_lock);
	return alias ? alias + offset_in_page(addr) : NULL;
}

void kp_text_unalias(void *alias)
{
	if (!KP_TEXT_IN_PLACE)
		vunmap((void *)((uintptr_t)alias & PAGE_MASK));
}

/* Slots: nobody executes them, any length within two pages. */
int kp_text_alias_write(uintptr_t addr, const void *src, size_t len)
{
	void *alias = kp_text_alias(addr, len);

	if (!alias)
		return -ENOMEM;
	memcpy(alias, src, len);
	kp_text_written(addr, len);
	kp_text_unalias(alias);
	return 0;
}

bool kp_text_written_twice(void)
{
	return write_twice;
}

void kp_alias_start(void)
{
	write_twice = kp_writes_twice();
}
