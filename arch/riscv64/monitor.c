/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * monitor.c - load-reserved and store-conditional on saved registers.
 *
 * Owns: kp_monitor_do.  A store is made if memory holds what was loaded, even if
 * others have written there and back meanwhile: code that minds that cannot be made of
 * compare and swap either, of which Linux makes its atomics where there is one.
 *
 * Pure; trap path.
 */
#include "monitor.h"
#include "probe.h"

KP_TRAP_PATH static uint64_t get(const struct kp_rv_regs *regs, unsigned int nr)
{
	return nr ? regs->x1[nr - 1] : 0;
}

KP_TRAP_PATH static void set(struct kp_rv_regs *regs, unsigned int nr, uint64_t value)
{
	if (nr)
		regs->x1[nr - 1] = value;
}

/* A word is extended by its sign. */
KP_TRAP_PATH static enum kp_monitored
load(struct kp_monitor *monitor, uintptr_t addr, unsigned int len, uint64_t *loaded,
     const struct kp_monitor_memory *memory)
{
	uint64_t value = 0;

	if (memory->read(addr, &value, len))
		return KP_MONITOR_NONE;
	*monitor = (struct kp_monitor){ addr, len, { value } };
	*loaded = len == 4 ? (uint64_t)(int64_t)(int32_t)value : value;
	return KP_MONITOR_LOADED;
}

KP_TRAP_PATH static enum kp_monitored
store(struct kp_monitor *monitor, uintptr_t addr, unsigned int len, uint64_t value,
      const struct kp_monitor_memory *memory)
{
	bool stored = monitor->len == len && monitor->addr == addr &&
		      memory->swap_if(addr, len, monitor->value, &value);

	monitor->len = 0;
	return stored ? KP_MONITOR_STORED : KP_MONITOR_FAILED;
}

KP_TRAP_PATH enum kp_monitored
kp_monitor_do(struct kp_monitor *monitor, uint32_t word, struct pt_regs *regs,
	      const struct kp_monitor_memory *memory)
{
	struct kp_rv_regs *seen = kp_rv_regs(regs);
	uintptr_t addr = get(seen, word >> 15 & 31);
	unsigned int len = 1u << (word >> 12 & 3);
	enum kp_monitored done = KP_MONITOR_NONE;
	struct kp_rv_insn insn;
	uint64_t result = 0;

	kp_rv_decode(&insn, word);
	if (insn.class == KP_RV_LOAD_RESERVED) {
		done = load(monitor, addr, len, &result, memory);
	} else if (insn.class == KP_RV_STORE_CONDITIONAL) {
		done = store(monitor, addr, len, get(seen, word >> 20 & 31), memory);
		result = done == KP_MONITOR_FAILED;
	}
	if (done == KP_MONITOR_NONE)
		return done;
	set(seen, word >> 7 & 31, result);
	regs->epc += insn.len;
	return done;
}
