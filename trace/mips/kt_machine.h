/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kt_machine.h - what a trace module does with registers on MIPS, of 64 bits.
 *
 * Owns: where arguments are in struct pt_regs, and how a function returns at once.
 * Trap path.
 */
#ifndef KT_MACHINE_H
#define KT_MACHINE_H

#define KT_MACHINE_REGS 38u		/* of struct pt_regs, in words */
#define KT_MACHINE_KERNEL (1ull << 63)	/* where a kernel's memory begins */
#define KT_MACHINE_ARGS 8u		/* in registers */

/*
 * A kernel's read of what is no memory, or of a device's, is an exception that nothing fixes
 * up: so what no table of pages leads to has to be a page of the machine's.
 */
#define kt_machine_may_be_memory(addr)					\
	((addr) >= CKSEG0 && (addr) < CKSEG1 ? pfn_valid(PHYS_PFN(CPHYSADDR(addr))) : \
	 (addr) >= CKSSEG || ((addr) >= VMALLOC_START && (addr) < VMALLOC_END) || \
	 ((addr) >= PAGE_OFFSET && (addr) < MAP_BASE && pfn_valid(PHYS_PFN((addr) - PAGE_OFFSET))))

static inline u64 kt_machine_arg(const struct pt_regs *regs, u32 number)
{
	return regs->regs[4 + number];
}

static inline u64 kt_machine_plain_arg(const struct pt_regs *regs, u32 number)
{
	return regs->regs[4 + number];
}

static inline u64 kt_machine_lean_arg(const struct pt_regs *regs, u32 number)
{
	return regs->regs[4 + number];
}

/* Where it is on the stack; or 0: in a register. */
static inline u64 kt_machine_stack_arg(const struct pt_regs *regs, u32 number)
{
	return number < KT_MACHINE_ARGS ? 0
					: regs->regs[29] + 8ull * (number - KT_MACHINE_ARGS);
}

static inline u64 kt_machine_late_arg(const struct pt_regs *regs, u32 number)
{
	return regs->regs[4 + number];
}

/* What a watched access puts into KT_WATCH_REGS, in their order. */
static inline void kt_machine_note(struct pt_regs *regs, const u64 words[6])
{
	u32 i;

	for (i = 0; i < 6; i++)
		regs->regs[4 + i] = words[i];
}

/* What a function's first argument is taken to be. */
static inline void kt_machine_set_first(struct pt_regs *regs, u64 value)
{
	regs->regs[4] = value;
}

/* A handler's IP is at the breakpoint. */
static inline u64 kt_machine_hit_addr(const struct pt_regs *regs)
{
	return regs->cp0_epc;
}

/* A function has just begun: as if it had returned that at once. */
static inline void kt_machine_return(struct pt_regs *regs, u64 value)
{
	regs->regs[2] = value;
	regs->cp0_epc = regs->regs[31];
}

#endif
