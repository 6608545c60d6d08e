// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * access.c - a watchpoint traps before the access is made, again and again.
 *
 * Owns: making it.  The kernel does so for perf's own counters and for debuggers, not for
 * handlers like ours.
 *
 *	1. A watchpoint of ours traps.  Watchpoints and interrupts are off from here on,
 *	   and the processor is to trap behind the next instruction (MDSCR_EL1, PSTATE.SS).
 *	2. The instruction makes its access.
 *	3. The step traps, and the kernel asks who is stepping (a step hook).  All is set
 *	   back, and the access is told.
 *
 * A load-exclusive or store-exclusive cannot be stepped over: a store behind a trap never
 * stores.  Both are made by software (monitor.h), and what stands between them is stepped,
 * AROUND instructions at most.  Who has trapped at the store has loaded without us: that
 * store fails, as any may, and so the code tries again.
 *
 * An instruction that faults instead goes on in the kernel, which lets the step trap there:
 * the state of interrupts of both is set back, and nothing is told.
 *
 * No locks: each processor has its own, with interrupts off.  All but start and stop is
 * trap path.
 */
#include <linux/percpu.h>
#include <asm/barrier.h>
#include <asm/debug-monitors.h>
#include <asm/sysreg.h>
#include "local.h"
#include "monitor.h"

#define AROUND 64
#define INTERRUPTS (PSR_I_BIT | PSR_F_BIT)

struct access {
	struct pt_regs *regs;		/* where the trap saved them; NULL: nobody steps */
	uintptr_t word;
	uintptr_t first, last;		/* the first instruction, and the one that is stepped */
	unsigned int left;		/* instructions; 0: it is no exclusive */
	bool told;			/* it is to be */
	unsigned long interrupts;	/* what was off, in PSTATE */
	u64 others;			/* bits of MDSCR_EL1 */
	struct kp_monitor monitor;
};
static DEFINE_PER_CPU(struct access, accesses);

/* ---- exclusives ---------------------------------------------------------------- */

KP_TRAP_PATH static int read_memory(uintptr_t addr, void *dst, size_t len)
{
	return kp_host_data_read(addr, dst, len);
}

#define SWAP_IF(load, store, width, type)					\
	({									\
		u64 now;							\
		u32 busy;							\
		asm volatile("1: " load " %" width "0, %2\n"			\
			     "	cmp %" width "0, %" width "3\n"		\
			     "	b.ne 2f\n"					\
			     "	" store " %w1, %" width "4, %2\n"		\
			     "	cbnz %w1, 1b\n"				\
			     "2:\n"						\
			     : "=&r" (now), "=&r" (busy), "+Q" (*(type *)addr)	\
			     : "r" (*old), "r" (*new) : "cc", "memory");	\
		now == *old;							\
	})

/* Both words, or neither. */
KP_TRAP_PATH static bool swap_pair_if(uintptr_t addr, const u64 *old, const u64 *new)
{
	u64 low, high, differ;
	u32 busy;

	asm volatile("1: ldaxp %0, %1, %4\n"
		     "	eor %2, %0, %5\n"
		     "	eor %1, %1, %6\n"
		     "	orr %2, %2, %1\n"
		     "	cbnz %2, 2f\n"
		     "	stlxp %w3, %7, %8, %4\n"
		     "	cbnz %w3, 1b\n"
		     "2:\n"
		     : "=&r" (low), "=&r" (high), "=&r" (differ), "=&r" (busy),
		       "+Q" (*(unsigned __int128 *)addr)
		     : "r" (old[0]), "r" (old[1]), "r" (new[0]), "r" (new[1])
		     : "memory");
	return !differ;
}

KP_TRAP_PATH static bool swap_memory_if(uintptr_t addr, unsigned int len, const u64 *old,
					const u64 *new)
{
	switch (len) {
	case 1:
		return SWAP_IF("ldaxrb", "stlxrb", "w", u8);
	case 2:
		return SWAP_IF("ldaxrh", "stlxrh", "w", u16);
	case 4:
		return SWAP_IF("ldaxr", "stlxr", "w", u32);
	case 8:
		return SWAP_IF("ldaxr", "stlxr", "x", u64);
	}
	return swap_pair_if(addr, old, new);
}

static const struct kp_monitor_memory memory = {
	.read = read_memory, .swap_if = swap_memory_if,
};

KP_TRAP_PATH static enum kp_monitored do_exclusive(struct access *access,
						   struct pt_regs *regs)
{
	return kp_monitor_do(&access->monitor, READ_ONCE(*(u32 *)regs->pc), regs,
			     &memory);
}

/* ---- one step -------------------------------------------------------------------- */

KP_TRAP_PATH static void begin(struct access *access, struct pt_regs *regs)
{
	u64 state = read_sysreg(mdscr_el1);

	access->regs = regs;
	access->interrupts = regs->pstate & INTERRUPTS;
	/* Watchpoints, and whether somebody else is stepping here. */
	access->others = state & (DBG_MDSCR_MDE | DBG_MDSCR_SS);
	/* The return from the trap makes it known. */
	write_sysreg((state & ~DBG_MDSCR_MDE) | DBG_MDSCR_SS | DBG_MDSCR_KDE, mdscr_el1);
}

KP_TRAP_PATH static void step(struct access *access, struct pt_regs *regs)
{
	access->last = regs->pc;
	regs->pstate |= INTERRUPTS | DBG_SPSR_SS;
}

KP_TRAP_PATH static void set_back(const struct access *access, struct pt_regs *regs)
{
	regs->pstate &= ~(INTERRUPTS | DBG_SPSR_SS);
	regs->pstate |= access->interrupts;
}

KP_TRAP_PATH static void end(struct access *access, struct pt_regs *regs)
{
	u64 state = read_sysreg(mdscr_el1);

	set_back(access, regs);
	write_sysreg((state & ~DBG_MDSCR_SS) | access->others, mdscr_el1);
	access->regs = NULL;
}

/* The stack is as it was, so those of the fault are where the trap's were. */
KP_TRAP_PATH static bool faulted(const struct access *access, const struct pt_regs *regs)
{
	return regs + 1 <= access->regs && access->regs->pc == access->last;
}

/* ---- traps ------------------------------------------------------------------------- */

KP_TRAP_PATH void kp_access_trapped(struct pt_regs *regs, uintptr_t word)
{
	struct access *access = this_cpu_ptr(&accesses);
	enum kp_monitored done;

	/* It was reported for another word already. */
	if (access->regs)
		return;
	access->word = word;
	access->told = kp_access_told(regs);
	access->first = regs->pc;
	access->monitor.len = 0;
	done = do_exclusive(access, regs);
	access->left = done == KP_MONITOR_NONE ? 0 : AROUND;
	if (done == KP_MONITOR_LOADED && access->told)
		kp_access_tell(regs, word);
	begin(access, regs);
	step(access, regs);
}

/* Is it between a load-exclusive and its store-exclusive, or on the way there? */
KP_TRAP_PATH static bool is_around(struct access *access, const struct pt_regs *regs)
{
	uintptr_t off = regs->pc - access->first + AROUND * sizeof(u32);

	if (!access->left)
		return false;
	access->left--;
	return off < 2 * AROUND * sizeof(u32);
}

/* True: there is more to be stepped.  *stored: the access has been made. */
KP_TRAP_PATH static bool goes_on(struct access *access, struct pt_regs *regs, bool *stored)
{
	while (is_around(access, regs)) {
		switch (do_exclusive(access, regs)) {
		case KP_MONITOR_LOADED:
		case KP_MONITOR_PASSED:
			continue;
		case KP_MONITOR_STORED:
			*stored = true;
			return false;
		case KP_MONITOR_FAILED:
			return false;
		case KP_MONITOR_NONE:
			step(access, regs);
			return true;
		}
	}
	return false;
}

KP_TRAP_PATH static int on_step(struct pt_regs *regs, unsigned long esr)
{
	struct access *access = this_cpu_ptr(&accesses);
	bool made = !access->left && regs->pc == access->last + sizeof(u32);
	u64 others;

	(void)esr;
	if (!access->regs)
		return DBG_HOOK_ERROR;
	if (goes_on(access, regs, &made))
		return DBG_HOOK_HANDLED;
	if (!made && faulted(access, regs))
		set_back(access, access->regs);
	others = access->others;
	end(access, regs);
	if (made && access->told)
		kp_access_tell(regs, access->word);
	return others & DBG_MDSCR_SS ? DBG_HOOK_ERROR : DBG_HOOK_HANDLED;
}

/* ---- start and stop ------------------------------------------------------------------ */

static struct step_hook hook = { .fn = on_step };

void kp_access_start(void)
{
	if (!kp_access_refused())
		kp_kernel_register_step_hook(&hook);
}

void kp_access_stop(void)
{
	if (!kp_access_refused())
		kp_kernel_unregister_step_hook(&hook);
}

const char *kp_access_refused(void)
{
	return kp_hidden.register_step_hook && kp_hidden.unregister_step_hook ? NULL :
		"this kernel's symbol table lacks register_kernel_step_hook: what traps before the access could not be stepped over";
}
