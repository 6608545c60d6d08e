// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * int3.c - the short way from a breakpoint to the core.
 *
 * Owns: one call instruction of the kernel's int3 entry.  The kernel's way to
 * the die notifiers (trap.c) costs more instructions than all that the engine
 * does, so `call exc_int3` in asm_exc_int3 is made to call kp_int3_entry here.
 * The kernel's own entry and exit code stays as it is.
 *
 *   asm_exc_int3:  ... save registers, kernel stack and page tables
 *                  call kp_int3_entry     was: call exc_int3
 *                  ... restore, iret
 *   kp_int3_entry: ours    -> handled, return
 *                  not     -> jump to exc_int3, registers and stack as they were
 *
 * What is not a hit goes on to exc_int3, and so to our die notifier: user-mode
 * breakpoints, the kernel's own text patching, other engines, hits where RCU
 * does not watch (the idle loop), and traps that need a look at the text.
 *
 * What exc_int3 does for a kernel-mode trap and a hit needs, is done here: the
 * context counts as an NMI, so that handlers see what they always see (in_nmi,
 * deferred printing, interrupts off), and lockdep knows that interrupts are off.
 *
 * Changing the call is one aligned store in the stopped machine: every other
 * CPU spins with interrupts off.  An NMI may still come there and meet a
 * breakpoint; it calls the old or the new function, and both are right.
 *
 * Nobody is in this code when kp_int3_stop returns.  A kernel-mode trap runs
 * here with interrupts and preemption off, and what is not a hit leaves by a
 * jump, so no stack holds an address of ours while others run.  A CPU that is
 * here takes no part in stopping the machine before it has left; one whose NMI
 * came here while it spun has left before it acknowledges the end of the stop,
 * and from the store on nobody enters.
 *
 * Where the pattern is not found (another entry code, a displacement that
 * crosses a word) nothing is changed and the notifier serves all hits.
 */
#include <linux/lockdep.h>
#include <linux/objtool.h>
#include <linux/ptrace.h>
#include <linux/stop_machine.h>
#include <asm/nospec-branch.h>
#include <asm/sync_core.h>
#include "local.h"

#define CALL_LEN 5

/* Offset of cs in struct pt_regs, for the assembly. */
#define CS 136
_Static_assert(offsetof(struct pt_regs, cs) == CS, "kp_int3_entry: cs");

/* In the place of exc_int3: struct pt_regs in rdi; rdi is ours to clobber. */
asm(".pushsection .text.kp_trap, \"ax\"\n"
    ".balign 16\n"
    ".type kp_int3_entry, @function\n"
    "kp_int3_entry:\n"
    ANNOTATE_NOENDBR
    "	testb $3, " __stringify(CS) "(%rdi)\n"
    "	jne kp_int3_original\n"
    "	push %rdi\n"
    "	call kp_int3_hit\n"
    "	pop %rdi\n"
    "	test %al, %al\n"
    "	je kp_int3_original\n"
    "	" ASM_RET
    ".size kp_int3_entry, . - kp_int3_entry\n"
    /* Becomes jmp exc_int3, before anybody comes here: find_call. */
    ".balign 8\n"
    ".type kp_int3_original, @function\n"
    "kp_int3_original:\n"
    ANNOTATE_NOENDBR
    "	ud2\n	int3\n	int3\n	int3\n"
    ".size kp_int3_original, . - kp_int3_original\n"
    ".popsection\n");
extern const char kp_int3_entry[], kp_int3_original[];
bool kp_int3_hit(struct pt_regs *regs);

/* ---- trap path ----------------------------------------------------------- */

/* Lockdep's view of interrupts; whether they were on. */
KP_TRAP_PATH static bool tell_lockdep_off(void)
{
#ifdef CONFIG_PROVE_LOCKING
	bool on = lockdep_hardirqs_enabled();

	lockdep_off();
	lockdep_hardirqs_off(_THIS_IP_);
	return on;
#else
	return false;
#endif
}

KP_TRAP_PATH static void tell_lockdep_restored(bool on)
{
#ifdef CONFIG_PROVE_LOCKING
	if (on) {
		lockdep_hardirqs_on_prepare();
		lockdep_hardirqs_on(_THIS_IP_);
	}
	lockdep_on();
#endif
}

KP_TRAP_PATH bool kp_int3_hit(struct pt_regs *regs)
{
	bool on, ours;

	if (!kp_rcu_watches())
		return false;
	__preempt_count_add(KP_TRAP_COUNT);
	kp_context_trap_begin();
	on = tell_lockdep_off();
	ours = kp_core_on_own_trap(regs) || kp_watch_on_trap(regs);
	tell_lockdep_restored(on);
	kp_context_trap_end();
	__preempt_count_sub(KP_TRAP_COUNT);
	return ours;
}

/* ---- start and stop ------------------------------------------------------ */

static uintptr_t call_at;	/* the retargeted call, or 0 */
static int32_t original_disp;

struct flip {
	uint64_t *word;
	uint64_t value;
	atomic_t written;
};

/* On every CPU at once, interrupts off. */
static int flip(void *arg)
{
	struct flip *flip = arg;

	if (smp_processor_id() == cpumask_first(cpu_online_mask)) {
		WRITE_ONCE(*flip->word, flip->value);
		atomic_set_release(&flip->written, 1);
	}
	while (!atomic_read_acquire(&flip->written))
		cpu_relax();
	sync_core();
	return 0;
}

/* The call's displacement, in one store.  0 or -errno. */
static int set_target(int32_t disp)
{
	uintptr_t at = call_at + 1, word = at & ~7ul;
	struct flip arg = { .written = ATOMIC_INIT(0) };
	int err;

	if (kp_host_text_read(&arg.value, word, sizeof(arg.value)))
		return -EFAULT;
	memcpy((char *)&arg.value + (at - word), &disp, sizeof(disp));
	arg.word = kp_text_alias(word, sizeof(arg.value));
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

/* call_at of the one call in asm_exc_int3 that goes to exc_int3. */
static int find_call(uintptr_t start, size_t len, uintptr_t target)
{
	uint8_t insn[KP_ARCH_INSN_MAX];
	struct kp_arch_decoded decoded;
	uintptr_t at;
	int32_t disp;

	for (at = start; at < start + len; at += decoded.len) {
		if (kp_host_text_read(insn, at, sizeof(insn)) ||
		    kp_arch_decode(&decoded, insn, sizeof(insn)))
			break;
		memcpy(&disp, insn + 1, sizeof(disp));
		if (insn[0] != 0xe8 || at + CALL_LEN + disp != target)
			continue;
		if (((at + 1) & 7) > 4)
			break;
		call_at = at;
		original_disp = disp;
		return 0;
	}
	return -ENOENT;
}

static int write_original(uintptr_t target)
{
	uint8_t jump[CALL_LEN] = { 0xe9 };		/* jmp rel32 */
	int32_t disp = target - ((uintptr_t)kp_int3_original + CALL_LEN);

	memcpy(jump + 1, &disp, sizeof(disp));
	return kp_text_alias_write((uintptr_t)kp_int3_original, jump,
				   sizeof(jump));
}

void kp_int3_start(void)
{
	uintptr_t entry = kp_symbols_find("asm_exc_int3");
	uintptr_t target = kp_symbols_find("exc_int3");
	unsigned long len, offset;
	int err = -ENOENT;

	if (entry && target &&
	    kp_hidden.lookup_size_offset(entry, &len, &offset))
		err = find_call(entry, len, target);
	if (!err)
		err = write_original(target);
	kp_host_sync_cores();
	if (!err)
		err = set_target((uintptr_t)kp_int3_entry - call_at - CALL_LEN);
	if (err) {
		call_at = 0;
		pr_info("kprobes: breakpoints take the long way, through the die notifiers (%d)\n",
			err);
	}
}

/* Without memory for the alias we stay, and so does the module's text. */
void kp_int3_stop(void)
{
	while (call_at && set_target(original_disp)) {
		pr_warn("kprobes: unloading waits for memory\n");
		schedule_timeout_uninterruptible(HZ);
	}
	call_at = 0;
}
