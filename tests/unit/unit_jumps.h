/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * unit_jumps.h - what the tests of jumps share.
 *
 * Owns: a function of short and long instructions, the invariant that holds
 * after every single write of its text, and executing it by hand.
 */
#ifndef KP_UNIT_JUMPS_H
#define KP_UNIT_JUMPS_H

#include <stdio.h>

#include "landing.h"
#include "unit.h"
#include "vectors.h"

static const uint8_t h_bytes[] = {
	TOY_PUSH,			/* 0 */
	TOY_move(6, TOY_SP),		/* 1 */
	TOY_add(TOY_SP, TOY_SP, -16),	/* 3 */
	TOY_load(1, 6, 24),		/* 7 */
	TOY_add(0, 1, 0x123),		/* 11 */
	TOY_POP,			/* 15 */
	TOY_RETURN,			/* 16 */
};
#define H_AT	0x400
#define h	((uintptr_t)sim_text + H_AT)
#define H_PUSH	0
#define H_MOVE	1
#define H_ADD	3
#define H_LOAD	7
#define H_SUM	11
#define H_POP	15
#define H_RET	16

static const uint8_t h_insns[] = { 0, 1, 3, 7, 11, 15, 16 };

static const struct kp_arch_vectors jumps_vectors = { .keep = KP_ARCH_KEEP_IMAGE };
static char jumps_out[4096];

/* ---- the invariant ----------------------------------------------------------- */

static inline size_t len_at(unsigned int at)
{
	unsigned int i;

	for (i = 0; i < sizeof(h_insns); i++)
		if (h_insns[i] > at)
			return h_insns[i] - at;
	return sizeof(h_bytes) - at;
}

/* Does a core that executes the bytes at h + at find what it may? */
static inline void check_boundary(unsigned int at)
{
	const uint8_t *text = sim_text + H_AT + at;
	struct kp_site *site = kp_table_find(h + at);
	struct pt_regs regs = { .pc = h + at };
	uintptr_t body;

	/* Old bytes: the whole instruction. */
	if (!memcmp(text, h_bytes + at, len_at(at)))
		return;
	/* A whole jump: every byte of it, and those that it borrows. */
	if (site && site->jump == KP_JUMP_IN &&
	    !memcmp(text, site->detour->bytes, site->detour->jump.len))
		return;
	/* An armed breakpoint. */
	if (text[0] == TOY_BREAK && site && site->state == KP_SITE_ARMED)
		return;
	/* A boundary under a jump traps and leads on. */
	assert_true(kp_landing_find(h + at, &body));
	if (text[0] == TOY_BREAK) {
		regs.pc++;
		assert_true(kp_core_on_trap(&regs));
	} else {
		assert_true(kp_core_on_fault(&regs, KP_ARCH_LANDING_TRAP));
	}
	assert_int_equal(regs.pc, body);
}

static inline void check_text(void)
{
	unsigned int i;

	for (i = 0; i < sizeof(h_insns); i++)
		check_boundary(h_insns[i]);
}

static inline int jumps_setup(void **state)
{
	int err = unit_setup(state);

	sim_function("h", H_AT, h_bytes, sizeof(h_bytes));
	memset(sim_text + H_AT + sizeof(h_bytes), TOY_BREAK, 10);
	sim_after_write = check_text;
	sim_script(SIM_DEFER, "a");
	return err ? err : kp_core_set_optimization(true);
}

static inline int jumps_teardown(void **state)
{
	int err = unit_teardown(state);

	if (memcmp(sim_text + H_AT, h_bytes, sizeof(h_bytes)))
		return -1;
	return err;
}

#define OPT(test) \
	cmocka_unit_test_setup_teardown(test, jumps_setup, jumps_teardown)

/* ---- helpers --------------------------------------------------------------------- */

static inline void emit(void *arg, const char *line, size_t len)
{
	(void)arg;
	strncat(jumps_out, line, len);
}

/* Does the list show a line with that place and these tags? */
static inline bool listed(const char *place, const char *tags)
{
	char line[128];

	jumps_out[0] = 0;
	kp_core_report_list(emit, NULL, true);
	snprintf(line, sizeof(line), "%s    %s\n", place, tags);
	return strstr(jumps_out, line);
}

static inline bool is_jump(unsigned int at)
{
	struct kp_site *site = kp_table_find(h + at);

	return site && site->jump == KP_JUMP_IN &&
	       !memcmp(sim_text + H_AT + at, site->detour->bytes,
		       site->detour->jump.len);
}

static inline bool is_breakpoint(unsigned int at)
{
	return sim_text[H_AT + at] == TOY_BREAK &&
	       !memcmp(sim_text + H_AT + at + 1, h_bytes + at + 1,
		       len_at(at) - 1);
}

static inline bool is_original(void)
{
	return !memcmp(sim_text + H_AT, h_bytes, sizeof(h_bytes));
}

static inline struct kprobe at(unsigned int offset)
{
	return (struct kprobe){ .symbol_name = "h", .offset = offset };
}

/* ---- executing it ------------------------------------------------------------- */

static inline struct kp_site *site_at(unsigned int offset)
{
	return kp_table_find(h + offset);
}

/* The jump at h + offset is taken; what the core says, regs as it left them. */
static inline unsigned long jump_hit(unsigned int offset, struct pt_regs *regs)
{
	regs->pc = h + offset + 1;
	return kp_core_on_detour(regs, site_at(offset), &jumps_vectors);
}

/* A core executes what stands at h + offset now; true: a probe was hit. */
static inline bool execute(unsigned int offset, struct pt_regs *regs)
{
	if (is_jump(offset)) {
		jump_hit(offset, regs);
		return true;
	}
	if (sim_text[H_AT + offset] != TOY_BREAK)
		return false;
	assert_true(unit_hit(h + offset, regs));
	return regs->pc != h + offset;
}

#endif
