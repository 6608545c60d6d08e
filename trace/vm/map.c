// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * map.c - maps: tables of keys and what is kept for them.
 *
 * Owns: the tables in the arena.  A key is searched from the place that its hash
 * names, from place to place.  A word changes:
 *
 *   FREE, GONE --make--> CLAIMED --make--> READY --delete--> GONE
 *
 * CLAIMED is its maker's alone, who may be killed, or be interrupted by this very
 * processor: others wait a little, then make the key once more elsewhere.  Who
 * reads adds up what it finds twice.  Deleted keys do not make searches longer, for
 * none goes on behind the farthest key that was ever made (reach).
 *
 * Who changes the value of a key that is deleted meanwhile may change that of the
 * key which gets the place.
 *
 * Invariant: every place is found by a number that is masked, and every loop has
 * an end, whatever is in the arena.  No locks.
 */
#include "kt_host.h"
#include "vm.h"
#include "word.h"

#define REACH		64		/* places that a search sees at most */
#define TRIES		16		/* to claim one */
#define PATIENCE	128		/* loads of a word that is claimed */
#define EXTREME_TRIES	1024

#define COLD __attribute__((__noinline__, __cold__))
#define AT_ONCE inline __attribute__((__always_inline__))

struct kt_search {
	const struct kt_table *table;
	struct kt_table_head *head;
	const void *key;
	u64 ready;			/* the word of its place */
};

/* The upper half of a product depends on all bits: the lower one gets it. */
static u64 hash_word(u64 hash, u64 word)
{
	hash = (hash ^ word) * 0x9fb21c651e98df25ull;
	return hash ^ hash >> 32;
}

u64 kt_hash(const void *bytes, u32 len)
{
	const kt_word *words = bytes;
	u64 hash = len;
	u32 i;

	for (i = 0; i < len / 8; i++)
		hash = hash_word(hash, kt_load(&words[i]));
	return hash;
}

static struct kt_table_head *head_of(const struct kt_vm *vm,
				     const struct kt_table *table, u32 shard)
{
	return (void *)(vm->arena + table->at +
			(shard & (table->shards - 1)) * table->shard_len);
}

/* Most keys are of one word. */
static AT_ONCE void begin(const struct kt_vm *vm, const struct kt_table *table, u32 shard,
		  const void *key, struct kt_search *search)
{
	u64 hash = table->key_len == 8 ? hash_word(8, *(const kt_word *)key) :
		   kt_hash(key, table->key_len);

	search->table = table;
	search->head = head_of(vm, table, shard);
	search->key = key;
	search->ready = (hash & ~KT_SLOT_STATE) | KT_SLOT_READY;
}

/* Where the search is after nr places. */
static u64 *slot_at(const struct kt_search *search, u32 nr)
{
	u32 number = ((u32)(search->ready >> 2) + nr) & search->table->mask;

	return (u64 *)((u8 *)(search->head + 1) +
		       (u64)number * search->table->slot_len);
}

static u64 claimed(const struct kt_search *search)
{
	return search->ready - KT_SLOT_READY + KT_SLOT_CLAIMED;
}

static u32 reach_of(const struct kt_search *search)
{
	u64 reach = kt_load(&search->head->reach);

	return reach < REACH ? (u32)reach : REACH;
}

static u8 *value_of(const struct kt_table *table, u64 *slot)
{
	return (u8 *)(slot + 1) + table->key_len;
}

/* Pairs with publish(): the key is there when READY is seen. */
static AT_ONCE bool is_here(const struct kt_search *search, u64 word, const u64 *slot)
{
	u32 len = search->table->key_len;

	return word == search->ready &&
	       kt_load(&slot[1]) == *(const kt_word *)search->key &&
	       (len == 8 || kt_words_same(slot + 1, search->key, len));
}

/* The place of the key, from the one behind nr on. */
static u64 *find(const struct kt_search *search, u32 *nr)
{
	u32 reach = reach_of(search);

	for (; *nr < reach; ++*nr) {
		u64 *slot = slot_at(search, *nr);
		u64 word = kt_load_acquire(slot);

		if (is_here(search, word, slot))
			return slot;
		if ((word & KT_SLOT_STATE) == KT_SLOT_FREE)
			return NULL;
	}
	return NULL;
}

/* ---- maps without keys: one place, which is READY or FREE --------------------- */

static u8 *single(const struct kt_vm *vm, const struct kt_table *table, u32 shard,
		  bool make)
{
	u64 *slot = (u64 *)(head_of(vm, table, shard) + 1);

	if (kt_load(slot) != KT_SLOT_READY) {
		if (!make)
			return NULL;
		kt_store(slot, KT_SLOT_READY);
	}
	return (u8 *)(slot + 1);
}

/* ---- with keys ---------------------------------------------------------------- */

u8 *kt_map_find(const struct kt_vm *vm, u32 map, u32 shard, const void *key)
{
	const struct kt_table *table = &vm->tables[map];
	struct kt_search search;
	u32 nr = 0;
	u64 *slot;

	if (!table->key_len)
		return single(vm, table, shard, false);
	begin(vm, table, shard, key, &search);
	slot = find(&search, &nr);
	return slot ? value_of(table, slot) : NULL;
}

/* Its maker is at work: the word when that is done, or after a while. */
static u64 await(const u64 *slot, u64 word)
{
	u32 i;

	for (i = 0; i < PATIENCE && (word & KT_SLOT_STATE) == KT_SLOT_CLAIMED; i++)
		word = kt_load_acquire(slot);
	return word;
}

/* A place that can be claimed. */
struct kt_spare {
	u64 *slot;
	u64 word;
	u32 nr;
};

static bool can_be_claimed(u64 word)
{
	u64 state = word & KT_SLOT_STATE;

	return state == KT_SLOT_FREE || state == KT_SLOT_GONE;
}

/* The place of the key, or NULL and the first one that it could have. */
static u64 *find_or_spare(const struct kt_search *search, struct kt_spare *spare)
{
	u32 reach = reach_of(search), nr;

	spare->slot = NULL;
	for (nr = 0; nr < REACH && (nr < reach || !spare->slot); nr++) {
		u64 *slot = slot_at(search, nr);
		u64 word = kt_load_acquire(slot);

		if (word == claimed(search))
			word = await(slot, word);
		if (is_here(search, word, slot))
			return slot;
		if (!can_be_claimed(word))
			continue;
		if (!spare->slot)
			*spare = (struct kt_spare){ slot, word, nr };
		if ((word & KT_SLOT_STATE) == KT_SLOT_FREE)
			break;
	}
	return NULL;
}

/* Searches will see so many places. */
static bool extend(struct kt_table_head *head, u64 reach)
{
	u32 i;

	for (i = 0; i < TRIES; i++) {
		u64 now = kt_load(&head->reach);

		if (now >= reach || kt_swap(&head->reach, now, reach))
			return true;
	}
	return false;
}

static u8 *publish(const struct kt_search *search, u64 *slot)
{
	const struct kt_table *table = search->table;
	u8 *value = value_of(table, slot);

	/* What the last key left behind is not touched before the claim is seen. */
	kt_fence_release();
	kt_words_copy(slot + 1, search->key, table->key_len);
	kt_words_zero(value, table->value_len);
	kt_add(&search->head->keys, 1);
	/* Pairs with the acquires in find() and find_or_spare(). */
	kt_store_release(slot, search->ready);
	return value;
}

static COLD u8 *make(const struct kt_vm *vm, const struct kt_search *search)
{
	u32 map = (u32)(search->table - vm->tables);
	struct kt_map_state *states = (void *)(vm->arena + vm->layout.map_states);
	struct kt_spare spare;
	u64 *slot;
	u32 i;

	for (i = 0; i < TRIES; i++) {
		slot = find_or_spare(search, &spare);
		if (slot)
			return value_of(search->table, slot);
		if (!spare.slot || kt_load(&search->head->keys) >= vm->maps[map].keys ||
		    !extend(search->head, spare.nr + 1))
			break;
		if (kt_swap(spare.slot, spare.word, claimed(search)))
			return publish(search, spare.slot);
	}
	kt_add(&states[map].full, 1);
	return NULL;
}

/* Where it is not in the first place where it could be. */
static ASIDE u8 *find_or_make(const struct kt_vm *vm, const struct kt_table *table,
			      u32 shard, const void *key)
{
	struct kt_search search;
	u32 nr = 1;
	u64 *slot;

	begin(vm, table, shard, key, &search);
	slot = find(&search, &nr);
	return kt_likely(slot) ? value_of(table, slot) : make(vm, &search);
}

/* NULL: it is not there, or not where it is looked for first. */
static AT_ONCE u8 *at_hand(const struct kt_vm *vm, const struct kt_table *table,
			   u32 shard, const void *key)
{
	struct kt_search search;
	u64 *slot;

	if (!table->key_len)
		return single(vm, table, shard, true);
	begin(vm, table, shard, key, &search);
	slot = slot_at(&search, 0);
	return kt_likely(is_here(&search, kt_load_acquire(slot), slot)) ?
	       value_of(table, slot) : NULL;
}

u8 *kt_map_make(const struct kt_vm *vm, u32 map, u32 shard, const void *key)
{
	const struct kt_table *table = &vm->tables[map];
	u8 *value = at_hand(vm, table, shard, key);

	return kt_likely(value) ? value : find_or_make(vm, table, shard, key);
}

static bool delete_single(const struct kt_vm *vm, const struct kt_table *table,
			  u32 shard)
{
	u8 *value = single(vm, table, shard, false);

	if (!value)
		return false;
	kt_words_zero(value, table->value_len);
	kt_store((u64 *)value - 1, KT_SLOT_FREE);
	return true;
}

/* To the end of the search: it may have been made twice. */
bool kt_map_delete(const struct kt_vm *vm, u32 map, u32 shard, const void *key)
{
	const struct kt_table *table = &vm->tables[map];
	struct kt_search search;
	bool was = false;
	u32 nr = 0;
	u64 *slot;

	if (!table->key_len)
		return delete_single(vm, table, shard);
	begin(vm, table, shard, key, &search);
	for (; (slot = find(&search, &nr)); nr++) {
		if (!kt_swap(slot, search.ready, KT_SLOT_GONE))
			continue;
		kt_add(&search.head->keys, -1);
		was = true;
	}
	return was;
}

bool kt_map_at(const struct kt_vm *vm, u32 map, u32 shard, u32 slot,
	       const u8 **key, u8 **value)
{
	const struct kt_table *table = &vm->tables[map];
	u8 *slots = (u8 *)(head_of(vm, table, shard) + 1);
	u64 *word = (u64 *)(slots + (u64)(slot & table->mask) * table->slot_len);

	*key = (u8 *)(word + 1);
	*value = value_of(table, word);
	/* Pairs with publish(). */
	return (kt_load_acquire(word) & KT_SLOT_STATE) == KT_SLOT_READY;
}

/* Is it what a search for the key finds: in no shard before, and not made twice. */
static bool is_first(const struct kt_vm *vm, u32 map, u32 shard, const void *key, const u8 *value)
{
	u32 i;

	for (i = 0; i < shard; i++)
		if (kt_map_find(vm, map, i, key))
			return false;
	return kt_map_find(vm, map, shard, key) == value;
}

u64 kt_map_next(const struct kt_vm *vm, u32 map, u64 place, void *key, u64 most, u64 *seen)
{
	const struct kt_table *table = &vm->tables[map];
	u64 slots = (u64)table->mask + 1, end = slots * table->shards;
	const u8 *at;
	u8 *value;

	for (; place < end && *seen < most; place++, ++*seen) {
		u32 shard = (u32)kt_udiv(place, slots);

		if (!kt_map_at(vm, map, shard, (u32)(place & table->mask), &at, &value))
			continue;
		kt_words_copy(key, at, table->key_len);
		*seen += shard;
		if (is_first(vm, map, shard, key, value))
			return place + 1;
	}
	return 0;
}

/* ---- what is kept ------------------------------------------------------------- */

u32 kt_hist_bucket(s64 value, u32 bits)
{
	u32 power;

	if (kt_likely(!bits))
		return value <= 0 ? value == 0 : 65 - (u32)__builtin_clzll((u64)value);
	if (value < 0)
		return 0;
	if (!((u64)value >> bits))
		return (u32)value + 1;
	power = 63 - (u32)__builtin_clzll((u64)value);
	return ((power - bits) << bits) + (u32)((u64)value >> (power - bits)) + 1;
}

u32 kt_lhist_bucket(const struct kt_map *map, s64 value)
{
	u64 steps = kt_udiv((u64)map->max - (u64)map->min, (u64)map->step), nr;

	if (value < map->min)
		return 0;
	nr = kt_udiv((u64)value - (u64)map->min, (u64)map->step);
	return (u32)(nr < steps ? nr : steps) + 1;
}

static void raise(u64 *kept, u64 value)
{
	u64 now = kt_load(kept);
	u32 i;

	for (i = 0; i < EXTREME_TRIES && now < value; i++) {
		if (kt_swap(kept, now, value))
			return;
		now = kt_load(kept);
	}
}

/*
 * The interval of number at its place: whoever comes first claims it, empties it and makes it
 * READY; others wait a little.  A newer one is never gone back from.
 */
static struct kt_interval *interval_of(const struct kt_map *map, u64 *kept, u64 number)
{
	u64 at = number - kt_udiv(number, (u64)map->max) * (u64)map->max;
	struct kt_interval *in = (struct kt_interval *)kept + at;
	u64 ready = (number + 1) << 2 | KT_SLOT_READY, word, i;

	for (i = 0; i < PATIENCE; i++) {
		word = kt_load_acquire(&in->word);
		if (word == ready)
			return in;
		if (word >> 2 > number + 1)
			return NULL;
		if ((word & KT_SLOT_STATE) == KT_SLOT_CLAIMED ||
		    !kt_swap(&in->word, word, ready - KT_SLOT_READY + KT_SLOT_CLAIMED))
			continue;
		/* The claim is seen before the last interval's values change. */
		kt_fence_release();
		kt_store(&in->value, 0);
		kt_store(&in->also, 0);
		/* Pairs with the acquire above. */
		kt_store_release(&in->word, ready);
		return in;
	}
	return NULL;
}

static ASIDE bool add_to_series(const struct kt_map *map, u64 *kept, s64 value)
{
	u64 now = kt_host_nsecs();
	struct kt_interval *in = interval_of(map, kept, kt_udiv(now, (u64)map->min));

	if (!in)
		return false;
	switch (map->step) {
	case KT_SERIES_LAST:
		kt_store(&in->value, (u64)value);
		kt_store(&in->also, now);
		break;
	case KT_SERIES_MAX:
	case KT_SERIES_MIN:
		raise(&in->value, kt_extreme_keep(map->step == KT_SERIES_MIN ? KT_MAP_MIN :
						  KT_MAP_MAX, value));
		kt_store(&in->also, 1);
		break;
	default:
		kt_add(&in->value, (u64)value);
		kt_add(&in->also, 1);
	}
	return true;
}

/* False: there was no place for it in a series. */
static ASIDE bool add_to(const struct kt_map *map, u64 *kept, s64 value)
{
	/* Asked for the most, and no kernel has a table of jumps for the rest. */
	if (kt_likely(map->kind == KT_MAP_HIST)) {
		kt_add(&kept[kt_hist_bucket(value, (u32)map->step)], 1);
		return true;
	}
	switch (map->kind) {
	case KT_MAP_COUNT:
		kt_add(kept, 1);
		break;
	case KT_MAP_SUM:
		kt_add(kept, (u64)value);
		break;
	case KT_MAP_MIN:
	case KT_MAP_MAX:
		raise(kept, kt_extreme_keep(map->kind, value));
		if (!kt_load(&kept[1]))
			kt_store(&kept[1], 1);
		break;
	case KT_MAP_LHIST:
		kt_add(&kept[kt_lhist_bucket(map, value)], 1);
		break;
	case KT_MAP_SERIES:
		return add_to_series(map, kept, value);
	default:
		kt_add(kept, (u64)value);
		kt_add(&kept[1], 1);
	}
	return true;
}

static ASIDE void add_full(const struct kt_vm *vm, u32 map)
{
	struct kt_map_state *states = (void *)(vm->arena + vm->layout.map_states);

	kt_add(&states[map].full, 1);
}

static ASIDE void add_far(const struct kt_vm *vm, u32 map, u32 shard, const void *key,
			  s64 value)
{
	u64 *kept = (u64 *)find_or_make(vm, &vm->tables[map], shard, key);

	if (kept && !add_to(&vm->maps[map], kept, value))
		add_full(vm, map);
}

void kt_map_add(const struct kt_vm *vm, u32 map, u32 shard, const void *key,
		s64 value)
{
	const struct kt_table *table = &vm->tables[map];
	u64 *kept = (u64 *)at_hand(vm, table, shard, key);

	if (kt_unlikely(!kept))
		add_far(vm, map, shard, key, value);
	else if (kt_likely(table->kind == KT_MAP_COUNT))
		kt_add(kept, 1);
	else if (!add_to(&vm->maps[map], kept, value))
		add_full(vm, map);
}

/* What the shards say of a key. */
struct kt_total {
	u64 first, second;
};

static void take_into(struct kt_total *sum, u32 kind, const u64 *kept)
{
	u64 first = kt_load(kept);

	if (kind != KT_MAP_MIN && kind != KT_MAP_MAX)
		sum->first += first;
	else if (first > sum->first)
		sum->first = first;
	if (kind >= KT_MAP_MIN && kind <= KT_MAP_STATS)
		sum->second += kt_load(&kept[1]);
}

/* Of all shards. */
static u64 get_counted(const struct kt_vm *vm, u32 map, const void *key)
{
	const struct kt_table *table = &vm->tables[map];
	struct kt_total sum = { 0, 0 };
	u32 shard;

	for (shard = 0; shard < table->shards; shard++) {
		const u8 *kept = kt_map_find(vm, map, shard, key);

		if (kept)
			take_into(&sum, table->kind, (const u64 *)kept);
	}
	switch (table->kind) {
	case KT_MAP_MIN:
	case KT_MAP_MAX:
		return sum.second ? (u64)kt_extreme(table->kind, sum.first) : 0;
	case KT_MAP_AVG:
	case KT_MAP_STATS:
		/* Not by -1: the smallest number has no positive one. */
		return (s64)sum.second > 0 ?
		       (u64)kt_sdiv((s64)sum.first, (s64)sum.second) : 0;
	default:
		return sum.first;
	}
}

u64 kt_map_get(const struct kt_vm *vm, u32 map, const void *key)
{
	const u64 *kept;

	if (vm->tables[map].kind != KT_MAP_VALUE)
		return get_counted(vm, map, key);
	kept = (const u64 *)kt_map_find(vm, map, 0, key);
	return kept ? kt_load(kept) : 0;
}
