/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * heap.c - memory for the slow paths.
 *
 * Owns: a heap of the engine's own.  The C library's may be probed at every
 * instruction, or its lock held by whom a signal interrupted; neither is to
 * make registering a probe slow, or impossible.  Never on the trap path.
 *
 * Blocks come in classes, four between a length and its double, header included.
 * A chunk holds blocks of one class.  One in which none is used any more gives its
 * memory back to the kernel, and serves any class that needs one; its addresses
 * are kept, as holes would make many mappings of one.  What is larger than a class
 * is mapped by itself.
 *
 * Locks: its own.  What it guards is in order after each single store, so that
 * a forked child may take it away from a thread that it does not have; at worst a
 * chunk or block is lost there.
 */
#include "user.h"

#define PAGE		4096ul
#define CHUNK_LEN	(256ul * 1024)	/* and what it is aligned to */
#define CHUNKS		4ul		/* are mapped at once */
#define CLASS_MIN	32ul
#define POPULATE_MAX	(16ul << 20)
#define CLASSES		37		/* up to 24 KiB */

struct block {
	unsigned long class;		/* or, when mapped by itself, its length */
	struct block *next;		/* while free */
};

struct chunk {
	struct chunk *next;		/* of its class, with room */
	struct block *free;
	size_t used;			/* bytes that were cut off so far */
	size_t live;			/* blocks that are in use */
	bool listed;			/* set before it is, unset afterwards */
	unsigned char blocks[] __attribute__((aligned(16)));
};
#define ROOM (CHUNK_LEN - sizeof(struct chunk))

static struct chunk *lists[CLASSES];	/* some may be full: they go when met */
static struct chunk *spare;		/* empty; they have no class */
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

/* 32, 48 … 112; then 128, 160, 192, 224; 256, 320 … */
static size_t class_len(unsigned long class)
{
	unsigned long above = class < 6 ? 0 : class - 6;

	if (class < 6)
		return CLASS_MIN + 16 * class;
	return (128ul << above / 4) + (above % 4) * (32ul << above / 4);
}

static void *map(size_t len, int flags)
{
	return sys_mmap(NULL, len, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | flags, -1);
}

static void unmap(void *from, size_t len)
{
	if (len)
		sys3(SYS_munmap, from, len, 0);
}

/* Aligned, so that a block's chunk is found.  The first of them. */
static struct chunk *map_chunks(void)
{
	char *all = map((CHUNKS + 1) * CHUNK_LEN, 0);
	size_t before = -(uintptr_t)all % CHUNK_LEN;

	if (!all)
		return NULL;
	unmap(all, before);
	unmap(all + before + CHUNKS * CHUNK_LEN, CHUNK_LEN - before);
	return (struct chunk *)(void *)(all + before);
}

static struct chunk *chunk_of(struct block *block)
{
	return (struct chunk *)((uintptr_t)block & ~(CHUNK_LEN - 1));
}

static bool has_room(const struct chunk *chunk, unsigned long class)
{
	return chunk->free || ROOM - chunk->used >= class_len(class);
}

/* ---- lock held --------------------------------------------------------------- */

static void list(struct chunk *chunk, unsigned long class)
{
	chunk->next = lists[class];
	chunk->listed = true;
	kp_store_release(&lists[class], chunk);
}

static void save(struct chunk *chunk)
{
	chunk->next = spare;
	kp_store_release(&spare, chunk);
}

static struct chunk *take_spare(void)
{
	struct chunk *first = spare;
	size_t i;

	if (first) {
		kp_store_release(&spare, first->next);
		return first;
	}
	first = map_chunks();
	for (i = 1; first && i < CHUNKS; i++)
		save((struct chunk *)((uintptr_t)first + i * CHUNK_LEN));
	return first;
}

static struct chunk *with_room(unsigned long class)
{
	struct chunk *chunk;

	while ((chunk = lists[class]) && !has_room(chunk, class)) {
		kp_store_release(&lists[class], chunk->next);
		kp_store_release(&chunk->listed, false);
	}
	if (chunk)
		return chunk;
	chunk = take_spare();
	if (chunk)
		list(chunk, class);
	return chunk;
}

/* Zero but for the class, unless it was used before. */
static struct block *take(unsigned long class, bool *used)
{
	struct chunk *chunk = with_room(class);
	struct block *block;

	if (!chunk)
		return NULL;
	block = chunk->free;
	*used = block;
	if (block) {
		kp_store_release(&chunk->free, block->next);
	} else {
		block = (struct block *)(void *)(chunk->blocks + chunk->used);
		kp_store_release(&chunk->used,
				 chunk->used + class_len(class));
		block->class = class;
	}
	kp_store_release(&chunk->live, chunk->live + 1);
	return block;
}

/* Nothing in it is used: all that follows the header is to be zero again. */
static void empty(struct chunk *chunk)
{
	size_t len = PAGE - sizeof(*chunk);

	kp_store_release(&chunk->free, NULL);
	/* The kernel keeps pages that the program has locked in memory. */
	if (chunk->used <= len ||
	    sys3(SYS_madvise, (uintptr_t)chunk + PAGE, CHUNK_LEN - PAGE,
		 MADV_DONTNEED))
		len = chunk->used;
	memset(chunk->blocks, 0, len);
	kp_store_release(&chunk->used, 0);
}

/* The first of its class stays, and keeps what is little. */
static void give_back(struct chunk *chunk, unsigned long class)
{
	struct chunk **link = &lists[class];

	/* A filter may kill for madvise; it was not asked. */
	if (kp_user_filtered())
		return;
	if (*link == chunk) {
		if (chunk->used > 4 * PAGE)
			empty(chunk);
		return;
	}
	while (*link && *link != chunk)
		link = &(*link)->next;
	if (!*link)
		return;
	kp_store_release(link, chunk->next);
	kp_store_release(&chunk->listed, false);
	empty(chunk);
	save(chunk);
}

static void put(struct block *block)
{
	struct chunk *chunk = chunk_of(block);
	unsigned long class = block->class;

	block->next = chunk->free;
	kp_store_release(&chunk->free, block);
	kp_store_release(&chunk->live, chunk->live - 1);
	if (!chunk->listed)
		list(chunk, class);
	if (!chunk->live)
		give_back(chunk, class);
}

static void *alone(size_t len)
{
	/* It is about to be filled: all pages at once cost less than each. */
	struct block *block = map(len, len < POPULATE_MAX ? MAP_POPULATE : 0);

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
	block = take(class, &used);
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
		unmap(block, block->class);
		return;
	}
	take_lock();
	put(block);
	put_lock();
}
