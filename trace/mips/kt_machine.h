/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kt_machine.h - what a trace module does with registers on MIPS.
 *
 * Owns: where arguments are in struct pt_regs, and how a function returns at once.
 * Trap path.
 */
#ifndef KT_MACHINE_H
#define KT_MACHINE_H

/*
 * KERNEL: where a kernel's memory begins.  Arguments are in so many registers; of 32 bits their
 * callers leave room for these on the stack, in front of the others, and so has struct pt_regs.
 */
#ifndef __mips64
#define KT_MACHINE_REGS 46u		/* of struct pt_regs, in words */
#define KT_MACHINE_KERNEL (1ull << 31)
#define KT_MACHINE_ARGS 4u
#define KT_MACHINE_ON_STACK(regs) ((regs)->regs[29] + 16)
#else
#define KT_MACHINE_REGS 38u
#define KT_MACHINE_KERNEL (1ull << 63)
#define KT_MACHINE_ARGS 8u
#define KT_MACHINE_ON_STACK(regs) ((regs)->regs[29])
#endif

/*
 * A kernel's read of what is no memory, or of a device's, is an exception that nothing fixes
 * up: so what no table of pages leads to has to be a page of the machine's.
 */
#ifndef __mips64
#define kt_machine_may_be_memory(addr)					\
	((addr) >= CKSEG2 ||						\
	 ((addr) >= CKSEG0 && (addr) < CKSEG1 && pfn_valid(PHYS_PFN(CPHYSADDR(addr)))))
#else
#define kt_machine_may_be_memory(addr)					\
	((addr) >= CKSEG0 && (addr) < CKSEG1 ? pfn_valid(PHYS_PFN(CPHYSADDR(addr))) : \
	 (addr) >= CKSSEG || ((addr) >= VMALLOC_START && (addr) < VMALLOC_END) || \
	 ((addr) >= PAGE_OFFSET && (addr) < MAP_BASE && pfn_valid(PHYS_PFN((addr) - PAGE_OFFSET))))
#endif

#define KT_MACHINE_FIRST(regs) ((regs)->regs + 4)
#include "../shared/risc/kt_machine_words.h"

/* A handler's IP is at the breakpoint. */
static inline u64 kt_machine_hit_addr(const struct pt_regs *regs)
{
	return regs->cp0_epc;
}

/* A function has just begun: as if it had returned that at once. */
static inline void kt_machine_return(struct pt_regs *regs, u64 value)
{
	regs->regs[2] = (unsigned long)value;
	regs->cp0_epc = regs->regs[31];
}

#endif
