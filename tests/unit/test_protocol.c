/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * test_protocol.c - the writes and synchronisations of a probe's life.
 *
 * They are compared with what tests/protocol/patch.pml takes them for: which bytes
 * are written, in which order, with which synchronisations between, and what the
 * site says meanwhile.  Labels are the model's; tests/protocol/run compares those.
 *
 * Covers: core/jump.c, core/patches.c, core/breakpoint.c; the order of their writes
 */
#include "unit_jumps.h"

#define EVENTS_MAX 64

/* What is written: breakpoints, original bytes, the jump's, or a mix. */
static char events[EVENTS_MAX][48];
static size_t events_nr;
static struct kp_site *watched;

static bool are(const uint8_t *expected)
{
	return expected && !memcmp(sim_written.bytes, expected, sim_written.len);
}

static const char *kind_of(void)
{
	unsigned int at = (unsigned int)(sim_written.addr - watched->addr);
	const struct kp_detour *detour = watched->detour;

	if (sim_written.len == 1 && are(kp_arch_bp))
		return "trap";
	if (are(h_bytes + (sim_written.addr - h)))
		return "original";
	if (detour && are(detour->bytes + at))
		return "jump";
	return "mix";
}

static void note(const char *what)
{
	watched = watched ? watched : site_at(H_PUSH);
	assert_true(events_nr < EVENTS_MAX);
	snprintf(events[events_nr++], sizeof(events[0]), "%s%s%s%s", what,
		 watched->state == KP_SITE_ARMED ? ", armed" : "",
		 watched->jump == KP_JUMP_IN ? ", in" : "",
		 watched->jump_whole ? ", whole" : "");
}

static void note_write(void)
{
	char what[32];

	check_text();
	watched = watched ? watched : site_at(H_PUSH);
	snprintf(what, sizeof(what), "%u+%u %s",
		 (unsigned int)(sim_written.addr - watched->addr),
		 sim_written.len, kind_of());
	note(what);
}

static void note_sync(void)
{
	note("sync");
}

static int setup(void **state)
{
	int err = jumps_setup(state);

	sim_after_write = note_write;
	sim_on_sync = note_sync;
	watched = NULL;
	events_nr = 0;
	return err;
}

/* What happened since the last time. */
static void expect(const char *const *expected)
{
	size_t i;

	for (i = 0; expected[i]; i++) {
		assert_true(i < events_nr);
		assert_string_equal(events[i], expected[i]);
	}
	assert_int_equal(events_nr, i);
	events_nr = 0;
}

static const char *const arming[] = {
	/* ARM_1: before it is written. */
	"0+1 trap, armed",			/* ARM_2 */
	"sync, armed",				/* ARM_SYNC */
	NULL
};
static const char *const disarming[] = {
	/* DISARM_0: there is no jump any more. */
	"0+1 original, armed",			/* DISARM_1 */
	"sync, armed",				/* DISARM_SYNC; then DISARM_2 */
	NULL
};

/* push; move; add: the jump takes the first byte of add. */
static void K_OPT_60_61_64_a_spread_jump(void **state)
{
	static const char *const writing[] = {
		/* WRITE_0: before a boundary traps. */
		"1+1 trap, armed, in",		/* WRITE_1 */
		"3+1 trap, armed, in",
		"sync, armed, in",		/* WRITE_SYNC_1 */
		"1+3 jump, armed, in",		/* WRITE_2 */
		"sync, armed, in",		/* WRITE_SYNC_2 */
		"0+1 jump, armed, in",		/* WRITE_3 */
		"sync, armed, in",		/* WRITE_SYNC_3; then WRITE_4 */
		NULL
	};
	static const char *const removing[] = {
		"0+1 trap, armed, in",		/* REMOVE_1 */
		"sync, armed, in",		/* REMOVE_SYNC_1 */
		"1+3 mix, armed, in",		/* REMOVE_2 */
		"sync, armed, in",		/* REMOVE_SYNC_2 */
		"1+3 original, armed, in",	/* REMOVE_3 */
		"sync, armed, in",		/* REMOVE_SYNC_3; then REMOVE_4 */
		NULL
	};
	struct kprobe p = at(H_PUSH);

	(void)state;
	assert_int_equal(register_kprobe(&p), 0);
	expect(arming);
	kp_core_flush();
	assert_true(watched->jump_whole);
	assert_int_equal(watched->detour->jump.inner_nr, 2);
	expect(writing);
	/* Optimization off: the breakpoint stays. */
	assert_int_equal(kp_core_set_optimization(false), 0);
	assert_int_equal(watched->jump, KP_JUMP_NONE);
	expect(removing);
	unregister_kprobe(&p);
	assert_int_equal(watched->state, KP_SITE_IDLE);
	expect(disarming);
}

/* A jump of its own bytes has nothing between: WRITE_1 and REMOVE_3 are empty. */
static void K_OPT_60_61_a_wide_jump(void **state)
{
	static const char *const writing[] = {
		"1+3 jump, armed, in", "sync, armed, in",
		"0+1 jump, armed, in", "sync, armed, in", NULL
	};
	static const char *const leaving[] = {
		"0+1 trap, armed, in", "sync, armed, in",
		"1+3 original, armed, in", "sync, armed, in",
		"0+1 original, armed", "sync, armed", NULL
	};
	struct kprobe p = at(H_LOAD);

	(void)state;
	watched = NULL;
	sim_on_sync = NULL;
	sim_after_write = check_text;
	assert_int_equal(register_kprobe(&p), 0);
	watched = site_at(H_LOAD);
	sim_after_write = note_write;
	sim_on_sync = note_sync;
	kp_core_flush();
	expect(writing);
	unregister_kprobe(&p);
	kp_core_flush();
	expect(leaving);
}

/* A probe under a jump: that one goes first (ARM_0). */
static void K_OPT_49_a_probe_under_a_jump(void **state)
{
	static const char *const under[] = {
		"0+1 trap, armed, in", "sync, armed, in",
		"1+3 mix, armed, in", "sync, armed, in",
		"1+3 original, armed, in", "sync, armed, in",
		/* The other's: this one has its breakpoint. */
		"3+1 trap, armed", "sync, armed", NULL
	};
	struct kprobe outer = at(H_PUSH), inner = at(H_ADD);

	(void)state;
	assert_int_equal(register_kprobe(&outer), 0);
	kp_core_flush();
	events_nr = 0;
	assert_int_equal(register_kprobe(&inner), 0);
	expect(under);
	unregister_kprobe(&inner);
	unregister_kprobe(&outer);
}

#define PROTOCOL(test) cmocka_unit_test_setup_teardown(test, setup, jumps_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		PROTOCOL(K_OPT_60_61_64_a_spread_jump),
		PROTOCOL(K_OPT_60_61_a_wide_jump),
		PROTOCOL(K_OPT_49_a_probe_under_a_jump),
	};

	return cmocka_run_group_tests_name("protocol", tests, NULL, NULL);
}
