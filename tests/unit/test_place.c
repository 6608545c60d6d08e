/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * test_place.c - executable memory at addresses that suit a jump.
 *
 * Covers: core/place.c, core/hub.c, core/head.c
 */
#include <stdlib.h>

#include <sys/mman.h>

#include "unit.h"
#include "head.h"
#include "hub.h"
#include "place.h"
#include "table.h"

#define HERE ((uintptr_t)sim_text)
#define OWNER(n) ((struct kp_site *)(uintptr_t)(0x10000 + (n) * 64))

static struct kp_place anywhere(void)
{
	return (struct kp_place){
		.base = HERE, .near = HERE, .tries = 8,
		.low = HERE - 0x7fff0000, .high = HERE + 0x7fff0000,
	};
}

static bool suits(const struct kp_place *want, uintptr_t at)
{
	return ((uint32_t)(at - want->base) & want->mask) == want->value &&
	       at >= want->low && at <= want->high;
}

static int locked_take(struct kp_place *want, struct kp_site *owner,
		       uintptr_t *at)
{
	int err;

	kp_host_lock(KP_LOCK_REGISTRY);
	err = kp_place_take(want, owner, at);
	kp_host_unlock(KP_LOCK_REGISTRY);
	return err;
}

static int teardown(void **state)
{
	kp_head_stop();
	return unit_teardown(state);
}

#define HEAD(test) cmocka_unit_test_setup_teardown(test, unit_setup, teardown)

/* Where any address does, pieces leave no gaps. */
static void they_are_packed(void **state)
{
	uintptr_t first, at, start;
	unsigned int i;

	(void)state;
	for (i = 0; i < 1000; i++) {
		struct kp_place want = anywhere();

		assert_int_equal(locked_take(&want, OWNER(i), &at), 0);
		if (!i)
			first = at;
		assert_int_equal(at, first + i * KP_ARCH_HEAD_LEN);
	}
	for (i = 0; i < 1000 * KP_ARCH_HEAD_LEN; i++) {
		assert_ptr_equal(kp_place_owner(first + i, &start),
				 OWNER(i / KP_ARCH_HEAD_LEN));
		assert_int_equal(start, first + i / KP_ARCH_HEAD_LEN *
						KP_ARCH_HEAD_LEN);
	}
	assert_null(kp_place_owner(first + i, &start));
	assert_int_equal(sim_counts.windows, 0);
}

/* Jumps have whole bytes fixed. */
static uint32_t random_mask(void)
{
	uint32_t mask = 0;
	unsigned int i;

	for (i = 0; i < 4; i++)
		if (rand() & 1)
			mask |= (uint32_t)0xff << (8 * i);
	return mask;
}

#define PIECES 2000

static void K_OPT_17_every_place_suits(void **state)
{
	static uintptr_t taken[PIECES];
	unsigned int i, j, nr = 0, failed = 0;
	uintptr_t start;

	(void)state;
	srand(1);
	for (i = 0; i < PIECES; i++) {
		struct kp_place want = anywhere();

		want.base += (uintptr_t)rand() % SIM_TEXT_LEN;
		want.mask = random_mask();
		/* Distances that lead into what a process may map. */
		want.value = ((uint32_t)rand() * 2 & 0x1fffffffu) - 0x20000000u;
		want.value &= want.mask;
		if (locked_take(&want, OWNER(nr), &taken[nr])) {
			failed++;
			continue;
		}
		assert_true(suits(&want, taken[nr]));
		nr++;
	}
	/* Some are exact, and taken or across a page's end. */
	assert_true(failed < PIECES / 10);
	for (i = 0; i < nr; i++) {
		assert_ptr_equal(kp_place_owner(taken[i], &start), OWNER(i));
		assert_int_equal(start, taken[i]);
		assert_ptr_equal(kp_place_owner(taken[i] + KP_ARCH_HEAD_LEN - 1,
						&start), OWNER(i));
		for (j = 0; j < i; j++)
			assert_true(taken[i] >= taken[j] + KP_ARCH_HEAD_LEN ||
				    taken[j] >= taken[i] + KP_ARCH_HEAD_LEN);
	}
}

/* A window is asked for once more only when another one is left. */
static void the_nearest_window_first(void **state)
{
	struct kp_place want = anywhere();
	uintptr_t at;

	(void)state;
	want.mask = 0x00ff0000;
	want.value = 0x00550000;
	sim_script(SIM_EXEC_ALLOC_IN, "ff");
	assert_int_equal(locked_take(&want, OWNER(0), &at), 0);
	assert_true(suits(&want, at));
	assert_int_equal(sim_counts.windows, 3);
	assert_int_equal(want.tries, 5);
	assert_true((at > HERE ? at - HERE : HERE - at) < 3 << 24);
}

/* Nobody else's memory, as the heap's may be. */
static bool mappable(uintptr_t at)
{
	void *page = (void *)(at & ~4095ul);
	void *got = mmap(page, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS |
			 MAP_FIXED_NOREPLACE, -1, 0);

	if (got == MAP_FAILED)
		return false;
	munmap(got, 4096);
	return got == page;
}

/* Far below and far above, wherever in a page they are. */
static void exact_places_are_found(void **state)
{
	uintptr_t at;
	unsigned int i;

	(void)state;
	for (i = 0; i < 64; i++) {
		struct kp_place want = anywhere();
		uint32_t away = (i << 20) + 67 * i + 0x400000;

		want.base += 0x123 * i;
		want.mask = 0xffffffff;
		want.value = i % 2 ? away : -away;
		at = want.base + (uintptr_t)(int32_t)want.value;
		if (at % 4096 > 4096 - KP_ARCH_HEAD_LEN || !mappable(at))
			continue;
		assert_int_equal(locked_take(&want, OWNER(i), &at), 0);
		assert_true(suits(&want, at));
	}
}

static void tries_are_bounded(void **state)
{
	struct kp_place want = anywhere();
	uintptr_t at;

	(void)state;
	want.mask = 0x00ff0000;
	sim_script(SIM_EXEC_ALLOC_IN, "ffffffffffffffffffff");
	assert_int_equal(locked_take(&want, OWNER(0), &at), -ENOMEM);
	assert_int_equal(sim_counts.windows, 8);
	assert_int_equal(want.tries, 0);
}

static void K_REG_42_nothing_leaks_without_memory(void **state)
{
	static const char *const scripts[] = { "f", "af", "aaf", "aaaf" };
	uintptr_t at;
	unsigned int i;

	(void)state;
	for (i = 0; i < 4; i++) {
		struct kp_place want = anywhere();

		want.mask = 0xffff0000;
		want.value = 0xf0000000 + (i << 16);
		sim_script(SIM_ALLOC, scripts[i]);
		locked_take(&want, OWNER(i), &at);
		sim_script(SIM_ALLOC, NULL);
	}
}

static void a_place_is_put_back(void **state)
{
	struct kp_place want = anywhere(), again = anywhere();
	uintptr_t at, other, start;

	(void)state;
	assert_int_equal(locked_take(&want, OWNER(0), &at), 0);
	kp_host_lock(KP_LOCK_REGISTRY);
	kp_place_put(at);
	kp_host_unlock(KP_LOCK_REGISTRY);
	assert_null(kp_place_owner(at, &start));
	assert_int_equal(locked_take(&again, OWNER(1), &other), 0);
	assert_int_equal(other, at);
}

static void hubs_are_made_where_the_entry_is_far(void **state)
{
	const char *far = (const char *)0x1000;
	uintptr_t near, hub;

	(void)state;
	kp_host_lock(KP_LOCK_REGISTRY);
	near = kp_hub(HERE, kp_arch_detour_entry);
	hub = kp_hub(HERE, far);
	assert_int_equal(kp_hub(HERE + 4096, far), hub);
	kp_host_unlock(KP_LOCK_REGISTRY);
	assert_int_equal(near, (uintptr_t)kp_arch_detour_entry);
	assert_true(hub && hub != (uintptr_t)far);
	assert_null(kp_head_site(hub));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		HEAD(they_are_packed),
		HEAD(K_OPT_17_every_place_suits),
		HEAD(the_nearest_window_first),
		HEAD(exact_places_are_found),
		HEAD(tries_are_bounded),
		HEAD(K_REG_42_nothing_leaks_without_memory),
		HEAD(a_place_is_put_back),
		HEAD(hubs_are_made_where_the_entry_is_far),
	};

	return cmocka_run_group_tests_name("head", tests, NULL, NULL);
}
