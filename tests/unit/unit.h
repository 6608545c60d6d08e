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

/*
 * f:    endbr64; push %rbp; mov %rsp,%rbp; lea 1(%rdi),%rax; pop %rbp; ret
 * at:   0        4          5              8                 12        13
 */
static const uint8_t unit_f_bytes[] = {
	0xf3, 0x0f, 0x1e, 0xfa, 0x55, 0x48, 0x89, 0xe5,
	0x48, 0x8d, 0x47, 0x01, 0x5d, 0xc3,
};
#define F_ENTRY 4
#define F_MOV 5
#define F_LEA 8
#define F_RET 13

/* g: jmp +2; nop; nop; nop; ret - for emulated instructions. */
static const uint8_t unit_g_bytes[] = { 0xeb, 0x02, 0x90, 0x90, 0x90, 0xc3 };

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
	regs->ip = addr + 1;
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
		regs.ip = at + 1;
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

	regs->ip = unit_step_end(p, true);
	kp_core_on_post(regs, kp_slot_site(regs->ip), &vectors);
}

#define UNIT(test) \
	cmocka_unit_test_setup_teardown(test, unit_setup, unit_teardown)

#endif
