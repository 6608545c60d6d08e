/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * monitor.c - load-linked and store-conditional on saved registers.
 *
 * Owns: kp_monitor_do.  A store is made if memory holds what was loaded, even if
 * others have written there and back meanwhile: code that minds that cannot be made of
 * compare and swap either, of which Linux makes its atomics where there is one.  Those of
 * another mode's memory, and of pairs, are not done.
 *
 * Pure; trap path.
 */
#include "monitor.h"
#include "probe.h"

enum { LL = 0x30, LLD = 0x34, SC = 0x38, SCD = 0x3c, SPECIAL3 = 0x1f };
#define FIELD_OF_6(word) ((int32_t)((word) << 16) >> 23)	/* 9 bits */

/* Of ll lld sc scd: how many bytes, and where; 0: it is none of those. */
KP_TRAP_PATH static unsigned int place_of(uint32_t word, const struct pt_regs *regs, uintptr_t *addr)
{
	unsigned int base = word >> 21 & 31, function = word & 0x3f;

	*addr = base ? regs->regs[base] : 0;
	switch (word >> 26) {
	case LL:
	case SC:
		*addr += (uintptr_t)(long)(int16_t)word;
		return 4;
	case LLD:
	case SCD:
		*addr += (uintptr_t)(long)(int16_t)word;
		return 8;
	case SPECIAL3:
		/* Bit 6: of pairs. */
		if (word & 0x40)
			return 0;
		*addr += (uintptr_t)(long)FIELD_OF_6(word);
		return function == 0x36 || function == 0x26 ? 4 : function == 0x37 || function == 0x27 ? 8 : 0;
	default:
		return 0;
	}
}

/* As swap_if has them: the first bytes of a number are as many as are loaded. */
KP_TRAP_PATH static uint64_t in_memory(uint64_t value, unsigned int len)
{
	uint32_t word = (uint32_t)value;

	if (len == 4) {
		value = 0;
		memcpy(&value, &word, sizeof(word));
	}
	return value;
}

/* A word is extended by its sign. */
KP_TRAP_PATH static enum kp_monitored
load(struct kp_monitor *monitor, uintptr_t addr, unsigned int len, unsigned long *loaded,
     const struct kp_monitor_memory *memory)
{
	uint64_t value = 0;
	int32_t word;

	if (memory->read(addr, &value, len))
		return KP_MONITOR_NONE;
	*monitor = (struct kp_monitor){ addr, len, { value } };
	memcpy(&word, &value, sizeof(word));
	*loaded = len == 4 ? (unsigned long)(long)word : (unsigned long)value;
	return KP_MONITOR_LOADED;
}

KP_TRAP_PATH static enum kp_monitored
store(struct kp_monitor *monitor, uintptr_t addr, unsigned int len, uint64_t value,
      const struct kp_monitor_memory *memory)
{
	uint64_t new = in_memory(value, len);
	bool stored = monitor->len == len && monitor->addr == addr &&
		      memory->swap_if(addr, len, monitor->value, &new);

	monitor->len = 0;
	return stored ? KP_MONITOR_STORED : KP_MONITOR_FAILED;
}

KP_TRAP_PATH enum kp_monitored
kp_monitor_do(struct kp_monitor *monitor, uint32_t word, struct pt_regs *regs,
	      const struct kp_monitor_memory *memory)
{
	enum kp_monitored done = KP_MONITOR_NONE;
	unsigned int reg = word >> 16 & 31, len;
	struct kp_mips_insn insn;
	unsigned long result = 0;
	uintptr_t addr;

	kp_mips_decode(&insn, word, KP_MIPS_HERE);
	if (insn.class != KP_MIPS_LOAD_LINKED && insn.class != KP_MIPS_STORE_CONDITIONAL)
		return done;
	len = place_of(word, regs, &addr);
	if (!len)
		return done;
	if (insn.class == KP_MIPS_LOAD_LINKED) {
		done = load(monitor, addr, len, &result, memory);
	} else {
		done = store(monitor, addr, len, reg ? regs->regs[reg] : 0, memory);
		result = done == KP_MONITOR_STORED;
	}
	if (done == KP_MONITOR_NONE)
		return done;
	if (reg)
		regs->regs[reg] = result;
	regs->cp0_epc += 4;
	return done;
}
