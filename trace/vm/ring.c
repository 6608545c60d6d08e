// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * ring.c - events, from the code that is hit to the reader.
 *
 * Owns: the rings in the arena.  Many write, one reads:
 *
 *   1. a writer reserves bytes by moving head;
 *   2. it stores how many (len), so that they can be skipped if it is killed;
 *   3. it writes the record, and last len | KT_WRITTEN;
 *   4. the reader copies it, makes it zero, and moves tail.
 *
 * Invariant: between tail and head, everything that is not written yet is zero.  Neither side
 * relies on it: places are masked, and lengths are compared with what is left.  No locks.
 * Little endian: len is the low half of a record's first word.
 */
#include "vm.h"
#include "word.h"

#define TRIES 256			/* to reserve */

static struct kt_ring *ring_of(const struct kt_vm *vm, u32 shard)
{
	u64 len = sizeof(struct kt_ring) + (u64)vm->program->ring;

	return (void *)(vm->arena + vm->layout.rings +
			(shard & (vm->program->shards - 1)) * len);
}

static struct kt_record *record_at(struct kt_ring *ring, u64 at)
{
	return (struct kt_record *)(ring->bytes + at);
}

/* ---- writing ------------------------------------------------------------------ */

/* Bytes behind the filler, if one is needed; *at is where they begin. */
static bool reserve(struct kt_ring *ring, u64 size, u32 len, u64 *at, u32 *filler)
{
	u32 i;

	for (i = 0; i < TRIES; i++) {
		u64 head = kt_load(&ring->head), left;
		/* Pairs with the reader's release(): what it left is zero. */
		u64 used = head - kt_load_acquire(&ring->tail);

		*at = head & (size - 1);
		left = size - *at;
		*filler = left < len ? (u32)left : 0;
		if (used > size || size - used < len + *filler || head & 7)
			return false;
		if (kt_swap(&ring->head, head, head + len + *filler))
			return true;
	}
	return false;
}

/* Steps 2 and 3 of one that has no bytes: there is nothing between them. */
static void fill(struct kt_ring *ring, u64 at, u32 len)
{
	kt_store((kt_word *)record_at(ring, at), (u64)KT_FILLER << 32 | KT_WRITTEN | len);
}

bool kt_ring_put(const struct kt_vm *vm, u32 shard, const struct kt_record *head,
		 const void *bytes, u32 len)
{
	u32 all = sizeof(*head) + len, filler;
	u64 size = vm->program->ring, at;
	struct kt_ring *ring = ring_of(vm, shard);
	struct kt_record *record;

	if (!size || !reserve(ring, size, all, &at, &filler))
		return false;
	if (kt_unlikely(filler)) {
		fill(ring, at, filler);
		at = 0;
	}
	record = record_at(ring, at);
	kt_store(&record->len, all);
	/* Pairs with kt_ring_skip(): nothing is there before the length is. */
	kt_fence_release();
	kt_store(&record->event, head->event);
	kt_words_copy(&record->nsecs, &head->nsecs, sizeof(*head) - 8);
	kt_words_copy(record->bytes, bytes, len);
	/* Pairs with kt_ring_take(): the record is there when KT_WRITTEN is. */
	kt_store_release(&record->len, all | KT_WRITTEN);
	return true;
}

/* ---- reading -------------------------------------------------------------------- */

/* Step 4.  Pairs with reserve(): what is written next is written to zeros. */
static void release(struct kt_ring *ring, u64 size, u64 tail, u64 len)
{
	kt_words_zero(ring->bytes + (tail & (size - 1)), (u32)len);
	kt_store_release(&ring->tail, tail + len);
}

/* Nothing that makes sense: all is dropped. */
static void reset(struct kt_ring *ring, u64 size, u64 *skipped)
{
	u64 head = kt_load(&ring->head) & ~7ull;

	kt_words_zero(ring->bytes, (u32)size);
	kt_store(&ring->head, head);
	kt_store_release(&ring->tail, head);
	*skipped += size;
}

/* How many bytes there may be from tail on, without a turn; 0: nonsense or none. */
static u64 available(struct kt_ring *ring, u64 size, u64 *tail, u64 *skipped)
{
	u64 used, left;

	*tail = kt_load(&ring->tail);
	used = kt_load(&ring->head) - *tail;
	if (used > size || *tail & 7 || used & 7) {
		reset(ring, size, skipped);
		return 0;
	}
	left = size - (*tail & (size - 1));
	return used < left ? used : left;
}

u32 kt_ring_take(const struct kt_vm *vm, u32 shard, void *out, u64 *skipped)
{
	struct kt_ring *ring = ring_of(vm, shard);
	u64 size = vm->program->ring, tail, left;
	struct kt_record *record, *to = out;
	u32 len, event, turn;

	/* At most one filler, at the end of the ring. */
	for (turn = 0; size && turn < 2; turn++) {
		left = available(ring, size, &tail, skipped);
		if (!left)
			return 0;
		record = record_at(ring, tail & (size - 1));
		/* Pairs with kt_ring_put(). */
		len = kt_load_acquire(&record->len);
		if (!(len & KT_WRITTEN))
			return 0;
		len &= ~KT_WRITTEN;
		event = kt_load(&record->event);
		if (len < 8 || len & 7 || len > left)
			break;
		if (event == KT_FILLER) {
			release(ring, size, tail, len);
			continue;
		}
		if (len < sizeof(*to) || len > KT_RECORD_MAX ||
		    event >= vm->program->events_nr)
			break;
		kt_words_copy(out, record, len);
		to->len = len;
		to->event = event;
		release(ring, size, tail, len);
		return len;
	}
	if (size)
		reset(ring, size, skipped);
	return 0;
}

bool kt_ring_skip(const struct kt_vm *vm, u32 shard, u64 *skipped)
{
	struct kt_ring *ring = ring_of(vm, shard);
	u64 size = vm->program->ring, tail, left, len;
	struct kt_record *record;

	left = size ? available(ring, size, &tail, skipped) : 0;
	if (!left)
		return false;
	record = record_at(ring, tail & (size - 1));
	len = kt_load(&record->len);
	if (len & KT_WRITTEN)
		return true;
	/* Its writer said how many, or came to nothing and left zeros. */
	if (!len)
		do
			len += 8;
		while (len < left && !kt_load((kt_word *)((u8 *)record + len)));
	else if (len & 7 || len > left)
		len = left;
	release(ring, size, tail, len);
	*skipped += len;
	return true;
}
