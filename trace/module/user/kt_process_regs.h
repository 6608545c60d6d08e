/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kt_process_regs.h - what a trace module in a process does with what kt_process.h of the
 * processor says.
 *
 * Owns: reading the registers by which a stack is walked.  kt_process.h says which members of
 * struct pt_regs are the instruction pointer (KT_PT_IP) and the frame pointer (KT_PT_BP), and
 * which is the return address where a function has not saved it (KT_PT_LINK; not said: every
 * function has); which bits of a saved one are the address (KT_RETURN_BITS; not said: all);
 * and, where no instruction tells the processor, getcpu's number (KT_GETCPU).  Trap path.
 */
#ifndef KT_PROCESS_REGS_H
#define KT_PROCESS_REGS_H

static inline u64 kt_regs_ip(const struct pt_regs *regs)
{
	return regs->KT_PT_IP;
}

static inline u64 kt_regs_bp(const struct pt_regs *regs)
{
	return regs->KT_PT_BP;
}

static inline u64 kt_regs_link(const struct pt_regs *regs)
{
#ifdef KT_PT_LINK
	return regs->KT_PT_LINK;
#else
	(void)regs;
	return 0;
#endif
}

/* The address in a word that was saved as a return address. */
static inline u64 kt_return_address(u64 word)
{
#ifdef KT_RETURN_BITS
	return word & KT_RETURN_BITS;
#else
	return word;
#endif
}

#ifdef KT_GETCPU
static inline u32 kt_processor(void)
{
	u32 cpu = 0;

	kt_syscall(KT_GETCPU, (long)&cpu, 0, 0, 0);
	return cpu & 0xfff;
}
#endif

#endif
