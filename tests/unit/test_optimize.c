/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * test_optimize.c - from breakpoints to jumps and back.
 *
 * After every single write of text the probed functions hold old bytes, an
 * armed breakpoint or a whole jump, and whatever a core can meet meanwhile is
 * somebody's: that is checked in each test.
 */
#include <stdio.h>

#include "unit.h"
#include "site.h"

/*
 * h:    push %rbp; mov %rsp,%rbp; sub $0x10,%rsp; mov $0x1234567,%eax;
 * at:   0          1              4               8
 *       lea 0x11223344(%rip),%rdi; leave; ret; int3...
 *       13                         20     21   22
 */
static const uint8_t h_bytes[] = {
	0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x10,
	0xb8, 0x67, 0x45, 0x23, 0x01,
	0x48, 0x8d, 0x3d, 0x44, 0x33, 0x00, 0x00,
	0xc9, 0xc3,
};
#define H_AT	0x400
#define h	((uintptr_t)sim_text + H_AT)
#define H_PUSH	0
#define H_MOVRR	1
#define H_SUB	4
#define H_MOV	8
#define H_LEA	13
#define H_LEAVE	20
#define H_RET	21

static const uint8_t h_insns[] = { 0, 1, 4, 8, 13, 20, 21 };

static char out[4096];

/* ---- the invariant ----------------------------------------------------------- */

static size_t len_at(unsigned int at)
{
	unsigned int i;

	for (i = 0; i < sizeof(h_insns); i++)
		if (h_insns[i] > at)
			return h_insns[i] - at;
	return sizeof(h_bytes) - at;
}

/* Does a core that executes the bytes at h + at find what it may? */
static void check_boundary(unsigned int at)
{
	const uint8_t *text = sim_text + H_AT + at;
	struct kp_site *site = kp_table_find(h + at);
	struct pt_regs regs = { .ip = h + at };
	uintptr_t body;

	/* Old bytes: the whole instruction. */
	if (!memcmp(text, h_bytes + at, len_at(at)))
		return;
	/* A whole jump: every byte of it, and those that it borrows. */
	if (site && site->jump == KP_JUMP_IN &&
	    !memcmp(text, site->detour->bytes, site->detour->jump.len))
		return;
	/* An armed breakpoint. */
	if (text[0] == 0xcc && site && site->state == KP_SITE_ARMED)
		return;
	/* A boundary under a jump traps and leads on. */
	assert_true(kp_landing_find(h + at, &body));
	if (text[0] == 0xcc) {
		regs.ip++;
		assert_true(kp_core_on_trap(&regs));
	} else {
		assert_true(kp_core_on_fault(&regs, KP_ARCH_LANDING_TRAP));
	}
	assert_int_equal(regs.ip, body);
}

static void check_text(void)
{
	unsigned int i;

	for (i = 0; i < sizeof(h_insns); i++)
		check_boundary(h_insns[i]);
}

static int setup(void **state)
{
	int err = unit_setup(state);

	sim_function("h", H_AT, h_bytes, sizeof(h_bytes));
	memset(sim_text + H_AT + sizeof(h_bytes), 0xcc, 10);
	sim_after_write = check_text;
	sim_script(SIM_DEFER, "a");
	return err ? err : kp_core_set_optimization(true);
}

static int teardown(void **state)
{
	int err = unit_teardown(state);

	if (memcmp(sim_text + H_AT, h_bytes, sizeof(h_bytes)))
		return -1;
	return err;
}

#define OPT(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

/* ---- helpers --------------------------------------------------------------------- */

static void emit(void *arg, const char *line, size_t len)
{
	(void)arg;
	strncat(out, line, len);
}

/* Does the list show a line with that place and these tags? */
static bool listed(const char *place, const char *tags)
{
	char line[128];

	out[0] = 0;
	kp_core_report_list(emit, NULL, true);
	snprintf(line, sizeof(line), "%s    %s\n", place, tags);
	return strstr(out, line);
}

static bool is_jump(unsigned int at)
{
	struct kp_site *site = kp_table_find(h + at);

	return site && site->jump == KP_JUMP_IN &&
	       !memcmp(sim_text + H_AT + at, site->detour->bytes,
		       site->detour->jump.len);
}

static bool is_breakpoint(unsigned int at)
{
	return sim_text[H_AT + at] == 0xcc &&
	       !memcmp(sim_text + H_AT + at + 1, h_bytes + at + 1,
		       len_at(at) - 1);
}

static bool is_original(void)
{
	return !memcmp(sim_text + H_AT, h_bytes, sizeof(h_bytes));
}

static struct kprobe at(unsigned int offset)
{
	return (struct kprobe){ .symbol_name = "h", .offset = offset };
}

/* ---- tests -------------------------------------------------------------------------- */

static void K_OPT_02_40_41_42_queued_then_a_jump(void **state)
{
	struct kprobe p = at(H_MOV);
	size_t syncs;

	(void)state;
	assert_int_equal(register_kprobe(&p), 0);
	assert_true(is_breakpoint(H_MOV));
	assert_true(listed("h+0x8", "[OPTIMIZED]"));
	assert_int_equal(sim_counts.defers, 1);
	syncs = sim_counts.syncs;
	sim_run_deferred();
	assert_true(is_jump(H_MOV));
	assert_int_equal(sim_counts.syncs - syncs, 2);
	assert_true(listed("h+0x8", "[OPTIMIZED]"));
	assert_null(p.reason);
	unregister_kprobe(&p);
}

static void K_OPT_51_disabled_keeps_the_jump_for_a_while(void **state)
{
	struct kprobe p = at(H_MOV);

	(void)state;
	assert_int_equal(register_kprobe(&p), 0);
	sim_run_deferred();
	assert_int_equal(disable_kprobe(&p), 0);
	assert_true(is_jump(H_MOV));
	assert_true(listed("h+0x8", "[DISABLED][OPTIMIZED]"));
	sim_script(SIM_DEFER, "aa");
	sim_run_deferred();
	sim_run_deferred();
	assert_true(is_original());
	assert_true(listed("h+0x8", "[DISABLED]"));
	unregister_kprobe(&p);
}

/* Each instruction of h, whatever the way. */
static void K_OPT_60_61_every_instruction(void **state)
{
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(h_insns); i++) {
		struct kprobe p = at(h_insns[i]);

		assert_int_equal(register_kprobe(&p), 0);
		kp_core_flush();
		if (!is_jump(h_insns[i]))
			print_message("h+%u: %s\n", h_insns[i], p.reason);
		unregister_kprobe(&p);
		kp_core_flush();
		assert_true(is_original());
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		OPT(K_OPT_02_40_41_42_queued_then_a_jump),
		OPT(K_OPT_51_disabled_keeps_the_jump_for_a_while),
		OPT(K_OPT_60_61_every_instruction),
	};

	return cmocka_run_group_tests_name("optimize", tests, NULL, NULL);
}
