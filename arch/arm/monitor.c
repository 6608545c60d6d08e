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
#include "monitor.h"
#include "probe.h"

#define bits kp_arm_bits

struct exclusive {
	uint32_t addr;
	unsigned int len;
	unsigned int t, t2, d;		/* what is loaded or stored; whether it was */
};

KP_TRAP_PATH static struct exclusive of_a32(uint32_t word, const struct kp_arm_regs *regs, bool load)
{
	static const uint8_t lengths[] = { 4, 8, 1, 2 };
	unsigned int t = bits(word, load ? 12 : 0, 4);

	return (struct exclusive){
		.addr = regs->r[bits(word, 16, 4)], .len = lengths[bits(word, 21, 2)],
		.t = t, .t2 = t + 1, .d = bits(word, 12, 4),
	};
}

KP_TRAP_PATH static struct exclusive of_t32(uint32_t word, const struct kp_arm_regs *regs)
{
	struct exclusive at = {
		.addr = regs->r[bits(word, 16, 4)], .len = 1u << bits(word, 4, 2),
		.t = bits(word, 12, 4), .t2 = bits(word, 8, 4), .d = bits(word, 0, 4),
	};

	/* ldrex, strex: with an offset. */
	if (!bits(word, 23, 1)) {
		at.addr += bits(word, 0, 8) << 2;
		at.len = 4;
		at.d = at.t2;
	}
	return at;
}

KP_TRAP_PATH static enum kp_monitored
load(struct kp_monitor *monitor, const struct exclusive *at, struct kp_arm_regs *regs,
     const struct kp_monitor_memory *memory)
{
	uint64_t value = 0;

	if (memory->read(at->addr, &value, at->len))
		return KP_MONITOR_NONE;
	*monitor = (struct kp_monitor){ at->addr, at->len, { value } };
	regs->r[at->t] = (uint32_t)value;
	if (at->len == 8)
		regs->r[at->t2] = (uint32_t)(value >> 32);
	return KP_MONITOR_LOADED;
}

KP_TRAP_PATH static enum kp_monitored
store(struct kp_monitor *monitor, const struct exclusive *at, struct kp_arm_regs *regs,
      const struct kp_monitor_memory *memory)
{
	uint64_t value = regs->r[at->t];
	bool stored = monitor->len == at->len && monitor->addr == at->addr;

	if (at->len == 8)
		value |= (uint64_t)regs->r[at->t2] << 32;
	stored = stored && memory->swap_if(at->addr, at->len, monitor->value, &value);
	monitor->len = 0;
	regs->r[at->d] = !stored;
	return stored ? KP_MONITOR_STORED : KP_MONITOR_FAILED;
}

KP_TRAP_PATH enum kp_monitored
kp_monitor_do(struct kp_monitor *monitor, uint32_t word, struct pt_regs *regs,
	      const struct kp_monitor_memory *memory)
{
	struct kp_arm_regs *seen = kp_arm_regs(regs);
	enum kp_monitored done = KP_MONITOR_PASSED;
	struct kp_arm_insn insn;
	struct exclusive at;
	bool loads;

	kp_arm_decode(&insn, word, seen->cpsr & KP_ARM_CPSR_T);
	loads = insn.class == KP_ARM_LOAD_EXCLUSIVE;
	if (!loads && insn.class != KP_ARM_STORE_EXCLUSIVE)
		return KP_MONITOR_NONE;
	if (kp_arm_goes(&insn, seen->cpsr)) {
		at = insn.thumb ? of_t32(insn.word, seen) : of_a32(insn.word, seen, loads);
		done = loads ? load(monitor, &at, seen, memory) : store(monitor, &at, seen, memory);
	}
	if (done != KP_MONITOR_NONE)
		kp_arm_go_on(&insn, seen);
	return done;
}
