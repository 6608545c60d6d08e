/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * monitor.c - load-exclusive and store-exclusive on saved registers.
 *
 * Owns: kp_monitor_do.  A store is made if memory holds what was loaded, even if
 * others have written there and back meanwhile: code that minds that cannot be made of
 * compare and swap either, of which Linux makes all of its atomics where there is one.
 *
 * Pure; trap path.
 */
#include "env.h"
#include "monitor.h"
#include "operands.h"
#include "regs.h"

struct exclusive {
	uintptr_t addr;
	unsigned int len;
	bool pair;
};

KP_TRAP_PATH static struct exclusive operands(uint32_t word, const struct kp_a64_regs *regs)
{
	unsigned int rn = KP_A64_RN(word), size = word >> 30;
	bool pair = word & 1u << 21;

	return (struct exclusive){
		.addr = rn == KP_A64_SP_OR_ZR ? regs->sp : regs->regs[rn],
		.len = (1u << size) << pair,
		.pair = pair,
	};
}

KP_TRAP_PATH static enum kp_monitored
load(struct kp_monitor *monitor, uint32_t word, struct kp_a64_regs *regs,
     const struct kp_monitor_memory *memory)
{
	struct exclusive at = operands(word, regs);
	uint64_t value[2] = { 0, 0 };

	if (memory->read(at.addr, value, at.len))
		return KP_MONITOR_NONE;
	monitor->addr = at.addr;
	monitor->len = at.len;
	monitor->value[0] = value[0];
	monitor->value[1] = value[1];
	if (at.pair && at.len == 8) {
		value[1] = value[0] >> 32;
		value[0] = (uint32_t)value[0];
	}
	kp_a64_set_reg(regs, KP_A64_RD(word), value[0]);
	if (at.pair)
		kp_a64_set_reg(regs, KP_A64_RA(word), value[1]);
	return KP_MONITOR_LOADED;
}

KP_TRAP_PATH static enum kp_monitored
store(struct kp_monitor *monitor, uint32_t word, struct kp_a64_regs *regs,
      const struct kp_monitor_memory *memory)
{
	struct exclusive at = operands(word, regs);
	uint64_t value[2] = {
		kp_a64_reg(regs, KP_A64_RD(word)), at.pair ? kp_a64_reg(regs, KP_A64_RA(word)) : 0,
	};
	bool stored = monitor->len == at.len && monitor->addr == at.addr;

	if (at.pair && at.len == 8)
		value[0] = (uint32_t)value[0] | value[1] << 32;
	stored = stored && memory->swap_if(at.addr, at.len, monitor->value, value);
	monitor->len = 0;
	kp_a64_set_reg(regs, KP_A64_RM(word), !stored);
	return stored ? KP_MONITOR_STORED : KP_MONITOR_FAILED;
}

KP_TRAP_PATH enum kp_monitored
kp_monitor_do(struct kp_monitor *monitor, uint32_t word, struct pt_regs *regs,
	      const struct kp_monitor_memory *memory)
{
	struct kp_a64_regs *seen = kp_a64_regs(regs);
	enum kp_monitored done;

	/* Others of this group: casp, and what is ordered but not exclusive. */
	if ((word & 0x3f800000) != 0x08000000 || (word & 0x80200000) == 0x00200000)
		return KP_MONITOR_NONE;
	done = word & 1u << 22 ? load(monitor, word, seen, memory)
			       : store(monitor, word, seen, memory);
	if (done != KP_MONITOR_NONE)
		seen->pc += KP_A64_LEN;
	return done;
}
