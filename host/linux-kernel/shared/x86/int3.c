// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * int3.c - hits on the short way from a breakpoint to the core (short.c).
 *
 * Owns: what is done for them beside saving registers, and changing the kernel's code that
 * leads here.
 *
 * What exc_int3 does for a kernel-mode trap and a hit needs, is done here: the
 * context counts as an NMI, so that handlers see what they always see (in_nmi,
 * deferred printing, interrupts off).
 *
 * The kernel's code is changed by one store in the stopped machine: every other
 * CPU spins with interrupts off.  An NMI may still come there and meet a
 * breakpoint; it calls the old or the new function, and both are right.
 *
 * Nobody is in this code when kp_short_stop returns.  A kernel-mode trap runs
 * here with interrupts and preemption off, and what is not a hit leaves by a
 * jump, so no stack holds an address of ours while others run.  A CPU that is
 * here takes no part in stopping the machine before it has left; one whose NMI
 * came here while it spun has left before it acknowledges the end of the stop,
 * and from the store on nobody enters.
 */
#include <linux/stop_machine.h>
#include <asm/sync_core.h>
#include "int3.h"
#include "local.h"

/* ---- trap path ----------------------------------------------------------- */

KP_TRAP_PATH static __always_inline void begin(void)
{
	__preempt_count_add(KP_TRAP_COUNT);
	kp_context_trap_begin();
}

KP_TRAP_PATH static __always_inline void end(void)
{
	kp_context_trap_end();
	__preempt_count_sub(KP_TRAP_COUNT);
}

/* What marks a reader, preemption off and RCU watching, is so already. */
KP_TRAP_PATH bool kp_int3_hit(struct pt_regs *regs)
{
	bool ours;

	if (!likely(kp_rcu_watches()))
		return false;
	begin();
	ours = kp_core_on_framed_trap(regs, kp_context_now());
	end();
	return ours;
}

/* Not a probe's: one of the host's own? */
KP_TRAP_PATH bool kp_int3_other(struct pt_regs *regs)
{
	bool ours;

	if (!kp_rcu_watches())
		return false;
	begin();
	ours = kp_intercept_on_trap(regs);
	end();
	return ours;
}

KP_TRAP_PATH void kp_int3_abort(struct pt_regs *regs)
{
	kp_core_on_framed_trap_abort(regs);
	end();
}

/* ---- leading the kernel here --------------------------------------------- */

struct flip {
	unsigned long *word;
	unsigned long value;
	atomic_t written;
};

/* On every CPU at once, interrupts off. */
static int flip(void *arg)
{
	struct flip *flip = arg;

	if (smp_processor_id() == cpumask_first(cpu_online_mask)) {
		WRITE_ONCE(*flip->word, flip->value);
		/*
		 * Pairs with the acquire below: a CPU that goes on, and serialises, does so behind the
		 * store.  Else it could fetch the old word once more, after it has serialised.
		 */
		atomic_set_release(&flip->written, 1);
	}
	/* Pairs with the release above. */
	while (!atomic_read_acquire(&flip->written))
		cpu_relax();
	sync_core();
	return 0;
}

int kp_int3_lead(uintptr_t at, unsigned long value)
{
	struct flip arg = { .value = value, .written = ATOMIC_INIT(0) };
	int err;

	arg.word = kp_text_alias(at, sizeof(value));
	if (!arg.word)
		return -ENOMEM;
	/*
	 * Not under text_mutex, which others take after the CPU hotplug lock
	 * that stop_machine takes; nobody else changes this word.
	 */
	err = stop_machine(flip, &arg, cpu_online_mask);
	if (!err && kp_text_written_twice()) {
		atomic_set(&arg.written, 0);
		stop_machine(flip, &arg, cpu_online_mask);
	}
	kp_text_unalias(arg.word);
	return err;
}
