/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * unit.h - what the core's unit tests share.
 *
 * Owns: the little function that most of them probe, and how a test makes a
 * hit.  Test names carry the rule that they check (K_REG_03_…).
 */
#ifndef KP_UNIT_H
#define KP_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <linux/kprobes.h>
#include "sim.h"
#include "children.h"
#include "slot.h"
#include "table.h"
#include "sim_fault.h"

/* f: a landing pad, then what functions do (arch/toy/insn.h). */
static const uint8_t unit_f_bytes[] = {
	TOY_pad,			/* 0 */
	TOY_PUSH,			/* 4 */
	TOY_move(6, TOY_SP),		/* 5 */
	TOY_add(0, 0, 1),		/* 7 */
	TOY_POP,			/* 11 */
	TOY_RETURN,			/* 12 */
};
#define F_ENTRY 4
#define F_MOVE 5
#define F_ADD 7
#define F_RET 12

/* g: jumps over two nops - for emulated instructions. */
static const uint8_t unit_g_bytes[] = {
	TOY_SKIP, 4, TOY_NOP, TOY_NOP, TOY_NOP, TOY_RETURN,
};

#define F_AT 0x100
#define G_AT 0x200
#define unit_f ((uintptr_t)sim_text + F_AT)
#define unit_g ((uintptr_t)sim_text + G_AT)

static inline int unit_setup(void **state)
{
	(void)state;
	sim_reset();
	sim_function("f", F_AT, unit_f_bytes, sizeof(unit_f_bytes));
	sim_function("g", G_AT, unit_g_bytes, sizeof(unit_g_bytes));
	sim_symbol("data", (uintptr_t)sim_data, 64);
	return 0;
}

/* Every test ends with pristine text, no reader and no memory left. */
static inline int unit_teardown(void **state)
{
	(void)state;
	if (kp_core_stop())
		return -1;
	if (memcmp(sim_text + F_AT, unit_f_bytes, sizeof(unit_f_bytes)) ||
	    memcmp(sim_text + G_AT, unit_g_bytes, sizeof(unit_g_bytes)))
		return -1;
	return sim_counts.readers || sim_counts.allocs ? -1 : 0;
}

/* The breakpoint at addr is executed. */
static inline bool unit_hit(uintptr_t addr, struct pt_regs *regs)
{
	regs->pc = addr + 1;
	return kp_core_on_trap(regs);
}

/*
 * The address behind the stepped form in p's slot: of its breakpoint, or the
 * return address of its call when called.
 */
static inline uintptr_t unit_step_end(const struct kprobe *p, bool called)
{
	uintptr_t slot = (uintptr_t)p->ainsn.insn, at;
	struct kp_site *site = kp_slot_site(slot);
	struct pt_regs regs = { 0 };

	for (at = slot + site->arch.stepped;; at++) {
		assert_true(at - slot < KP_ARCH_SLOT_LEN);
		regs.pc = at + 1;
		if (!kp_arch_step_finish(&site->arch, &regs, slot))
			continue;
		if (!called)
			return at + 1;
		called = false;
	}
}

/* The stepped form is done and calls; all vector registers are kept. */
static inline void unit_post(const struct kprobe *p, struct pt_regs *regs)
{
	const struct kp_arch_vectors vectors = { .keep = KP_ARCH_KEEP_IMAGE };

	regs->pc = unit_step_end(p, true);
	kp_core_on_post(regs, kp_slot_site(regs->pc), &vectors);
}

#define UNIT(test) \
	cmocka_unit_test_setup_teardown(test, unit_setup, unit_teardown)

#endif
