/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * heap.c - memory for the slow paths.
 *
 * Owns: a heap of the engine's own.  The C library's may be probed at every
 * instruction, or its lock held by whom a signal interrupted; neither is to
 * make registering a probe slow, or impossible.  Never on the trap path.
 *
 * Blocks come in classes, of 16 bytes more each, then four between a length and its
 * double.  A chunk holds blocks of one class and says which.  What is mapped by itself
 * has its header at the beginning of a page, and no block lies where it would then
 * be.  A chunk in which none is used any more gives its
 * memory back to the kernel, and serves any class that needs one; its addresses
 * are kept, as holes would make many mappings of one.  Of the others, pages in which
 * no block is used go when the process has been left: some probes that stay are on
 * pages with thousands that went.  What is larger than a class is mapped by itself.
 *
 * Locks: its own.  What it guards is in order after each single store, so that
 * a forked child may take it away from a thread that it does not have; at worst a
 * chunk or block is lost there.
 */
#include "freestanding/heap.h"
#include "atomic.h"
#include "host.h"
#include "machine.h"

/*
 * Releases order a store after those before it for a fork, which copies the memory as another
 * thread sees it; no acquire is their partner.
 */
#define PAGE		4096ul
#define CHUNK_LEN	(256ul * 1024)	/* and what it is aligned to */
#define CHUNKS		4ul		/* are mapped at once */
#define CLASS_MIN	32ul
#define POPULATE_MAX	(16ul << 20)
#define FINE		14ul		/* 32 + 16 * 14 = 256 */
#define CLASSES		41		/* up to 24 KiB */

struct block {
	struct block *next;		/* while free */
};

/* Before what is mapped by itself. */
struct alone {
	struct alone *next, **link;	/* all of them */
	size_t len;			/* with this */
} __attribute__((aligned(16)));

struct chunk {
	struct chunk *next;		/* of its class, with room */
	struct chunk *mapped;		/* the next first one of CHUNKS; in such a one */
	struct block *free;
	size_t used;			/* bytes that were cut off so far */
	size_t live;			/* blocks that are in use */
	uint64_t gone;			/* pages given back; no block in one is free or used */
	bool listed;			/* set before it is, unset afterwards */
	uint8_t class;			/* while it has a block */
	unsigned char blocks[] __attribute__((aligned(16)));
};
#define ROOM (CHUNK_LEN - sizeof(struct chunk))

_Static_assert(CHUNK_LEN / PAGE == 64, "a bit a page");

static struct chunk *lists[CLASSES];	/* some may be full: they go when met */
static struct chunk *spare;		/* empty; they have no class */
static struct chunk *mapped;
static struct alone *alones;
static int lock;
static int keeps;			/* atomic; no memory goes back to the kernel any more */

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

KP_TRAP_PATH void kp_user_heap_keep(void)
{
	kp_store_relaxed(&keeps, 1);
}

/* 32, 48 … 256; then 320, 384, 448, 512; 640 … */
static size_t class_len(unsigned long class)
{
	unsigned long above = class - FINE;

	if (class <= FINE)
		return CLASS_MIN + 16 * class;
	return (256ul << above / 4) + (above % 4) * (64ul << above / 4);
}

static unsigned long class_of(size_t len)
{
	unsigned long class = FINE;

	if (len <= CLASS_MIN)
		return 0;
	if (len <= class_len(FINE))
		return (len - CLASS_MIN + 15) / 16;
	while (class < CLASSES && class_len(class) < len)
		class++;
	return class;
}

/*
 * Where jumps reach little, what is free near the text is for code.  The kernel takes this
 * for a wish.
 */
#define AWAY ((uintptr_t)(KP_ARCH_REACHES_LITTLE ? 1ul << 32 : 0))

KP_TRAP_PATH void *kp_user_map_away(size_t len, int prot, int flags)
{
	static uintptr_t last;		/* anybody's: a wish */
	uintptr_t before = kp_load_relaxed(&last);
	uintptr_t near = before ? before - len : (uintptr_t)kp_user_heap_fork - AWAY;
	void *at = sys_mmap(AWAY ? (void *)(near & ~4095ul) : NULL, len, prot,
			    MAP_PRIVATE | MAP_ANONYMOUS | flags, -1);

	kp_store_relaxed(&last, (uintptr_t)at);
	return at;
}

static void *map(size_t len, int flags)
{
	return kp_user_map_away(len, PROT_READ | PROT_WRITE, flags);
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
	struct chunk *first;

	if (!all)
		return NULL;
	unmap(all, before);
	unmap(all + before + CHUNKS * CHUNK_LEN, CHUNK_LEN - before);
	first = (struct chunk *)(void *)(all + before);
	first->mapped = mapped;
	kp_store_release(&mapped, first);
	return first;
}

static bool is_alone(const void *mem)
{
	return (uintptr_t)mem % PAGE == sizeof(struct alone);
}

static struct chunk *chunk_of(struct block *block)
{
	return (struct chunk *)((uintptr_t)block & ~(CHUNK_LEN - 1));
}

static bool has_room(const struct chunk *chunk, unsigned long class)
{
	return chunk->free || chunk->gone || ROOM - chunk->used >= class_len(class) + 16;
}

/* ---- the blocks of a chunk ---------------------------------------------------- */

/* Where the one behind `at` begins, or would; both from the first one's place on. */
static size_t block_at(const struct chunk *chunk, size_t at)
{
	return at + (is_alone(chunk->blocks + at) ? 16 : 0);
}

static uint64_t pages_of(size_t at, size_t len)
{
	size_t first = (sizeof(struct chunk) + at) / PAGE;
	size_t last = (sizeof(struct chunk) + at + len - 1) / PAGE;

	return (2ull << last) - (1ull << first);
}

static struct block *block_of(struct chunk *chunk, size_t at)
{
	return (struct block *)(void *)(chunk->blocks + at);
}

static void push(struct chunk *chunk, struct block *block)
{
	block->next = chunk->free;
	kp_store_release(&chunk->free, block);
}

/* ---- lock held --------------------------------------------------------------- */

/* Its blocks are free again, but for those that reach into others that are gone. */
static void bring_back(struct chunk *chunk, uint64_t page)
{
	size_t len = class_len(chunk->class), at = block_at(chunk, 0);

	kp_store_release(&chunk->gone, chunk->gone & ~page);
	for (; at < chunk->used; at = block_at(chunk, at + len)) {
		uint64_t pages = pages_of(at, len);

		if (pages & page && !(pages & chunk->gone))
			push(chunk, block_of(chunk, at));
	}
}

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
	if (!chunk)
		return NULL;
	chunk->class = (uint8_t)class;
	list(chunk, class);
	return chunk;
}

/* Zero, unless it was used before. */
static struct block *take(unsigned long class, bool *again)
{
	struct chunk *chunk = with_room(class);
	struct block *block;

	if (!chunk)
		return NULL;
	while (!chunk->free && chunk->gone)
		bring_back(chunk, chunk->gone & -chunk->gone);
	block = chunk->free;
	*again = block;
	if (block) {
		kp_store_release(&chunk->free, block->next);
	} else {
		size_t used = block_at(chunk, chunk->used);

		block = block_of(chunk, used);
		kp_store_release(&chunk->used, used + class_len(class));
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
	kp_store_release(&chunk->gone, 0);
	kp_store_release(&chunk->used, 0);
}

/* The first of its class stays, and keeps what is little. */
static void give_back(struct chunk *chunk, unsigned long class)
{
	struct chunk **link = &lists[class];

	/* A filter may kill for madvise; it was not asked. */
	if (kp_load_relaxed(&keeps))
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
	unsigned long class = chunk->class;

	push(chunk, block);
	kp_store_release(&chunk->live, chunk->live - 1);
	if (!chunk->listed)
		list(chunk, class);
	if (!chunk->live)
		give_back(chunk, class);
}

/* One bit for each place where a block may begin. */
struct places {
	uint64_t bits[CHUNK_LEN / 16 / 64];
};

static void mark(struct places *places, const struct block *block)
{
	size_t at = (uintptr_t)block % CHUNK_LEN / 16;

	places->bits[at / 64] |= 1ull << at % 64;
}

static bool is_marked(const struct places *places, const struct block *block)
{
	size_t at = (uintptr_t)block % CHUNK_LEN / 16;

	return places->bits[at / 64] >> at % 64 & 1;
}

/* The pages that hold a used block, or such as was never cut off, or the header. */
static uint64_t pages_used(struct chunk *chunk, const struct places *free)
{
	size_t len = class_len(chunk->class), at = block_at(chunk, 0);
	size_t end = (sizeof(*chunk) + chunk->used) / PAGE;
	uint64_t used = 1 | (end < 64 ? -(1ull << end) : 0);

	for (; at < chunk->used; at = block_at(chunk, at + len))
		if (!is_marked(free, block_of(chunk, at)) &&
		    !(pages_of(at, len) & chunk->gone))
			used |= pages_of(at, len);
	return used;
}

/* Of these pages; those that the kernel took. */
static uint64_t drop(struct chunk *chunk, uint64_t pages)
{
	uint64_t taken = 0;
	size_t i, from;

	for (i = 0; i < 64; i++) {
		for (from = i; i < 64 && pages >> i & 1; i++)
			;
		if (i > from &&
		    !sys3(SYS_madvise, (uintptr_t)chunk + from * PAGE,
			  (i - from) * PAGE, MADV_DONTNEED))
			taken |= (i < 64 ? 1ull << i : 0) - (1ull << from);
	}
	return taken;
}

static void trim(struct chunk *chunk)
{
	struct places free = { { 0 } };
	struct block *block;
	uint64_t gone;
	size_t len, at;

	for (block = chunk->free; block; block = block->next)
		mark(&free, block);
	gone = drop(chunk, ~pages_used(chunk, &free) & ~chunk->gone);
	if (!gone)
		return;
	kp_store_release(&chunk->free, NULL);
	kp_store_release(&chunk->gone, chunk->gone | gone);
	len = class_len(chunk->class);
	for (at = block_at(chunk, 0); at < chunk->used;
	     at = block_at(chunk, at + len))
		if (is_marked(&free, block_of(chunk, at)) &&
		    !(pages_of(at, len) & chunk->gone))
			push(chunk, block_of(chunk, at));
}

/* Behind what was ever cut off: zero, but in memory where the program locks all. */
static void drop_rest(struct chunk *chunk)
{
	size_t from = (sizeof(*chunk) + chunk->used + PAGE - 1) / PAGE * PAGE;

	if (from < CHUNK_LEN)
		sys3(SYS_madvise, (uintptr_t)chunk + from, CHUNK_LEN - from,
		     MADV_DONTNEED);
}

/* No filter kills for madvise: the caller has asked. */
void kp_user_heap_trim(void)
{
	struct chunk *first, *chunk;
	size_t i;

	take_lock();
	for (first = mapped; first; first = first->mapped)
		for (i = 0; i < CHUNKS; i++) {
			chunk = (struct chunk *)((uintptr_t)first +
						 i * CHUNK_LEN);
			if (chunk->used)
				trim(chunk);
			drop_rest(chunk);
		}
	put_lock();
}

static void *alone(size_t len)
{
	/* It is about to be filled: all pages at once cost less than each. */
	struct alone *mem;

	len += sizeof(*mem);
	mem = map(len, len < POPULATE_MAX ? MAP_POPULATE : 0);
	if (!mem)
		return NULL;
	mem->len = len;
	take_lock();
	mem->next = alones;
	mem->link = &alones;
	if (alones)
		alones->link = &mem->next;
	kp_store_release(&alones, mem);
	put_lock();
	return mem + 1;
}

static void free_alone(struct alone *mem)
{
	take_lock();
	if (mem->next)
		mem->next->link = mem->link;
	kp_store_release(mem->link, mem->next);
	put_lock();
	unmap(mem, mem->len);
}

void *kp_host_alloc(size_t len)
{
	unsigned long class = class_of(len);
	struct block *block;
	bool used;

	if (len > (size_t)-1 / 2)
		return NULL;
	if (class == CLASSES)
		return alone(len);
	take_lock();
	block = take(class, &used);
	put_lock();
	if (block && used)
		memset(block, 0, class_len(class));
	return block;
}

void kp_host_free(void *mem)
{
	if (!mem)
		return;
	if (is_alone(mem)) {
		free_alone((struct alone *)mem - 1);
		return;
	}
	take_lock();
	put(mem);
	put_lock();
}

void kp_user_heap_each(kp_user_range_fn each, void *arg)
{
	struct chunk *chunk;
	struct alone *one;

	for (chunk = mapped; chunk; chunk = chunk->mapped)
		each(arg, (uintptr_t)chunk, CHUNKS * CHUNK_LEN);
	for (one = alones; one; one = one->next)
		each(arg, (uintptr_t)one, one->len);
}

void kp_user_heap_look(kp_user_range_fn each, void *arg)
{
	take_lock();
	kp_user_heap_each(each, arg);
	put_lock();
}
