/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * heap.c - memory for the slow paths.
 *
 * Owns: a heap of the engine's own.  The C library's may be probed at every
 * instruction, or its lock held by whom a signal interrupted; neither is to
 * make registering a probe slow, or impossible.  Never on the trap path.
 *
 * Blocks come in classes of 2^n and 1.5 * 2^n bytes, header included; each
 * class has a list of free ones, and new ones are cut from the current chunk.
 * What is larger than a class is mapped by itself.
 *
 * Locks: its own.  What it guards is in order after each single store, so that
 * a forked child may take it away from a thread that it does not have.
 */
#include "user.h"

#define CHUNK_LEN	(256ul * 1024)
#define CLASS_MIN	32ul
#define CLASSES		20		/* up to 24 KiB */

struct block {
	unsigned long class;		/* or, when mapped by itself, its length */
	struct block *next;		/* while free */
};

struct chunk {
	size_t used;
	unsigned char blocks[] __attribute__((aligned(16)));
};

static struct block *lists[CLASSES];
static struct chunk *current;
static int lock;

static void take_lock(void)
{
	while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
		sys3(SYS_sched_yield, 0, 0, 0);
}

static void put_lock(void)
{
	kp_store_release(&lock, 0);
}

void kp_user_heap_fork(void)
{
	put_lock();
}

static size_t class_len(unsigned long class)
{
	return (CLASS_MIN << class / 2) + (class & 1 ? CLASS_MIN << class / 2 >> 1
						     : 0);
}

static void *map(size_t len)
{
	return sys_mmap(NULL, len, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1);
}

static bool has_room(size_t len)
{
	return current && CHUNK_LEN - sizeof(*current) - current->used >= len;
}

/* Zero but for the class; lock held. */
static struct block *cut(unsigned long class)
{
	size_t len = class_len(class);
	struct chunk *chunk;
	struct block *block;

	if (!has_room(len)) {
		chunk = map(CHUNK_LEN);
		if (!chunk)
			return NULL;
		kp_store_release(&current, chunk);
	}
	block = (struct block *)(void *)(current->blocks + current->used);
	kp_store_release(&current->used, current->used + len);
	block->class = class;
	return block;
}

static struct block *reuse(unsigned long class)
{
	struct block *block = lists[class];

	if (block)
		kp_store_release(&lists[class], block->next);
	return block;
}

static void *alone(size_t len)
{
	struct block *block = map(len);

	if (!block)
		return NULL;
	block->class = len;
	return block + 1;
}

void *kp_host_alloc(size_t len)
{
	unsigned long class = 0;
	struct block *block;
	bool used;

	if (len > (size_t)-1 / 2)
		return NULL;
	len += sizeof(*block);
	while (class < CLASSES && class_len(class) < len)
		class++;
	if (class == CLASSES)
		return alone(len);
	take_lock();
	block = reuse(class);
	used = block;
	if (!block)
		block = cut(class);
	put_lock();
	if (!block)
		return NULL;
	if (used)
		memset(block + 1, 0, class_len(class) - sizeof(*block));
	return block + 1;
}

void kp_host_free(void *mem)
{
	struct block *block = mem;

	if (!mem)
		return;
	block--;
	if (block->class >= CLASSES) {
		sys3(SYS_munmap, block, block->class, 0);
		return;
	}
	take_lock();
	block->next = lists[block->class];
	kp_store_release(&lists[block->class], block);
	put_lock();
}
