/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * test_release.c - memory that goes without an end of the engine.
 *
 * Owns: what kp_core_release keeps for whom, and that probes come back afterwards.
 *
 * Covers: core/release.c, core/slot.c
 */
#include "unit_jumps.h"
#include "place.h"
#include "table.h"

/* Its copy, its head, and how many allocations there are. */
struct place {
	uintptr_t slot, head;
};

static struct place probe_once(unsigned int where)
{
	struct kprobe p = at(where);
	struct place place = { 0 };
	struct kp_site *site;

	assert_int_equal(register_kprobe(&p), 0);
	kp_core_flush();
	assert_true(is_jump(where));
	site = kp_table_find(h + where);
	place.slot = (uintptr_t)p.ainsn.insn;
	place.head = site->detour->head;
	unregister_kprobe(&p);
	kp_core_flush();
	assert_true(is_original());
	assert_null(p.ainsn.insn);
	return place;
}

static struct place setup_two(struct place *other)
{
	struct place place;

	place = probe_once(H_LOAD);
	*other = probe_once(H_SUM);
	assert_true(place.slot && other->slot && place.slot != other->slot);
	assert_int_equal(kp_core_clear(), 0);
	return place;
}

static void nobody_is_inside(void **state)
{
	struct place other, place = setup_two(&other);

	(void)state;
	assert_int_equal(kp_core_original_ip(place.slot), h + H_LOAD);
	assert_int_equal(kp_core_release(NULL, 0), 0);
	assert_null(kp_table_find(h + H_LOAD));
	assert_null(kp_table_find(h + H_SUM));
	assert_int_equal(kp_core_original_ip(place.slot), place.slot);
	assert_int_equal(kp_core_original_ip(place.head), place.head);
	assert_int_equal(sim_counts.allocs, 0);
	assert_int_equal(kp_core_set_optimization(true), 0);
	probe_once(H_LOAD);
}

/* Whoever is in one's slot or head keeps that one, and it works as before. */
static void somebody_is(bool in_head)
{
	struct place other, place = setup_two(&other);
	uintptr_t kept = in_head ? place.head + 1 : place.slot + 1;
	size_t allocs = sim_counts.allocs;
	struct kp_site *site = kp_table_find(h + H_LOAD);

	assert_int_equal(kp_core_release(&kept, 1), 0);
	assert_true(sim_counts.allocs < allocs);
	assert_ptr_equal(kp_table_find(h + H_LOAD), site);
	assert_null(kp_table_find(h + H_SUM));
	assert_int_equal(kp_core_original_ip(place.slot), h + H_LOAD);
	assert_int_equal(kp_core_original_ip(place.head), h + H_LOAD);
	assert_null(kp_slot_site(other.slot));
	assert_int_equal(kp_core_set_optimization(true), 0);
	other = probe_once(H_SUM);
	assert_true(other.slot != place.slot);
	assert_int_equal(probe_once(H_LOAD).slot, place.slot);
	assert_int_equal(kp_core_clear(), 0);
	assert_int_equal(kp_core_release(NULL, 0), 0);
	assert_int_equal(sim_counts.allocs, 0);
}

static void somebody_is_in_a_slot(void **state)
{
	(void)state;
	somebody_is(false);
}

static void somebody_is_in_a_head(void **state)
{
	(void)state;
	somebody_is(true);
}

/*
 * What stands in the text where a breakpoint was looks like one: a trap of ours that comes late
 * is known by the site.
 */
static void text_that_looks_like_a_breakpoint(void **state)
{
	struct place other, place = setup_two(&other);
	struct pt_regs regs = { .pc = h + H_LOAD + KP_ARCH_BP_LEN };
	uint8_t *byte = (uint8_t *)h + H_LOAD, original = *byte;

	(void)state;
	*byte = TOY_BREAK;
	assert_int_equal(kp_core_release(NULL, 0), 0);
	assert_non_null(kp_table_find(h + H_LOAD));
	assert_null(kp_table_find(h + H_SUM));
	assert_int_equal(kp_core_original_ip(place.slot), h + H_LOAD);
	*byte = original;
	assert_true(kp_core_on_trap(&regs));
	assert_int_equal(regs.pc, h + H_LOAD);
	assert_int_equal(kp_core_release(NULL, 0), 0);
	assert_int_equal(sim_counts.allocs, 0);
}

/* A place of which nobody knows whose it is: everything may be needed. */
static void somebody_is_anywhere(void **state)
{
	struct place other, place = setup_two(&other);
	uintptr_t kept[] = { place.slot, h };

	(void)state;
	assert_int_equal(kp_core_release(kept, 2), -EBUSY);
	assert_int_equal(kp_core_original_ip(place.slot), h + H_LOAD);
	assert_int_equal(kp_core_original_ip(other.slot), h + H_SUM);
}

/* Among heads, but where none is: nobody can come back there. */
static void nobody_is_between_heads(void **state)
{
	struct place other, place = setup_two(&other);
	uintptr_t start, kept = place.head;

	(void)state;
	while (kp_place_owner(kept, &start) || !kp_place_empty(kept))
		kept += 16;
	assert_int_equal(kp_core_release(&kept, 1), 0);
	assert_null(kp_table_find(h + H_LOAD));
	assert_int_equal(kp_core_original_ip(other.slot), other.slot);
}

/* Among slots, but where none is: a number may look like such a place. */
static void nobody_is_behind_slots(void **state)
{
	struct place other, place = setup_two(&other);
	uintptr_t kept = other.slot + 16ul * KP_ARCH_SLOT_LEN;

	(void)state;
	assert_int_equal(kp_core_release(&kept, 1), 0);
	assert_null(kp_table_find(h + H_LOAD));
	assert_null(kp_table_find(h + H_SUM));
	assert_int_equal(kp_core_original_ip(place.slot), place.slot);
}

/* What lies before a slot that stays is nobody's, too, and is used again. */
static void a_hole_between_slots(void **state)
{
	struct place other, place = setup_two(&other);
	int i;

	(void)state;
	assert_true(place.slot < other.slot);
	for (i = 0; i < 3; i++) {
		assert_int_equal(kp_core_release(&other.slot, 1), 0);
		assert_null(kp_slot_site(place.slot));
		assert_int_equal(kp_core_set_optimization(true), 0);
		assert_int_equal(probe_once(H_LOAD).slot, place.slot);
		assert_int_equal(probe_once(H_SUM).slot, other.slot);
		assert_int_equal(kp_core_clear(), 0);
	}
	/* Where somebody was is known again. */
	assert_int_equal(kp_core_release(&place.slot, 1), 0);
	assert_int_equal(kp_core_original_ip(place.slot), h + H_LOAD);
	assert_null(kp_slot_site(other.slot));
}

/* Where a slot cannot be made nobody's, it stays whose it is. */
static void a_slot_that_cannot_be_written(void **state)
{
	struct place other, place = setup_two(&other);

	(void)state;
	sim_script(SIM_EXEC_WRITE, "f");
	assert_int_equal(kp_core_release(&place.slot, 1), 0);
	assert_int_equal(kp_core_original_ip(place.slot), h + H_LOAD);
	assert_int_equal(kp_core_original_ip(other.slot), h + H_SUM);
}

/* Pages beside a head that stays go; where the host cannot, they are as they were. */
static void pages_beside(const char *script, uint8_t left)
{
	struct place other, place = setup_two(&other);
	volatile uint8_t *beside = (void *)((place.head & ~4095ul) + 8192);

	(void)other;
	*beside = 0x5a;
	sim_script(SIM_EXEC_DROP, script);
	assert_int_equal(kp_core_release(&place.head, 1), 0);
	assert_int_equal(*beside, left);
	assert_int_equal(kp_core_original_ip(place.head), h + H_LOAD);
	assert_null(kp_table_find(h + H_SUM));
	assert_int_equal(kp_core_set_optimization(true), 0);
	assert_int_equal(probe_once(H_LOAD).slot, place.slot);
	assert_int_equal(probe_once(H_SUM).slot, other.slot);
}

static void pages_beside_go(void **state)
{
	(void)state;
	pages_beside("", 0);
}

static void pages_that_cannot_go(void **state)
{
	(void)state;
	pages_beside("ffffffffffffffffffffffffffffffff", 0x5a);
}

/* While text is ours nothing goes. */
static void a_probe_is_left(void **state)
{
	struct kprobe p = at(H_LOAD);

	(void)state;
	assert_int_equal(register_kprobe(&p), 0);
	assert_int_equal(kp_core_release(NULL, 0), -EBUSY);
	unregister_kprobe(&p);
}

#define RELEASE(test) cmocka_unit_test_setup_teardown(test, jumps_setup, jumps_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RELEASE(nobody_is_inside),
		RELEASE(somebody_is_in_a_slot),
		RELEASE(somebody_is_in_a_head),
		RELEASE(text_that_looks_like_a_breakpoint),
		RELEASE(somebody_is_anywhere),
		RELEASE(nobody_is_between_heads),
		RELEASE(nobody_is_behind_slots),
		RELEASE(a_hole_between_slots),
		RELEASE(a_slot_that_cannot_be_written),
		RELEASE(pages_beside_go),
		RELEASE(pages_that_cannot_go),
		RELEASE(a_probe_is_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
