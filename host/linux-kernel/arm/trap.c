// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * trap.c - how a breakpoint trap reaches the core.
 *
 * Owns: one branch of the kernel's: that from __und_fault to do_undefinstr.  A breakpoint is
 * an undefined instruction, so all of them come by there:
 *
 *   __und_svc:	save registers; r0 = struct pt_regs, at the stack pointer
 *   __und_fault:	make the PC the instruction's; b do_undefinstr
 *   kp_trap_entry:	a breakpoint of ours -> handled, return
 *			else, and from user mode -> jump to do_undefinstr, all as it was
 *
 * Those who have registered a hook for such an instruction are asked behind that, with a
 * lock taken, which nobody could put a probe on.  Interrupts are off since the exception, and
 * preemption need not be; shared/risc/one_way.c goes on from there.
 *
 * A branch may become another one while others execute it: one store.
 *
 * No locks; all of it but start and stop is trap path.
 */
#include <linux/ptrace.h>
#include "local.h"
#include "insn/insn.h"

#define FRAME 8
_Static_assert(offsetof(struct pt_regs, ARM_cpsr) == 64 && SVC_MODE == 0x13 && MODE_MASK == 0x1f,
	       "kp_trap_entry");

/* In the place of do_undefinstr: struct pt_regs in r0, and at the stack pointer. */
asm(".pushsection .text.kp_trap, \"ax\"\n"
    ".balign 16\n"
    ".type kp_trap_entry, %function\n"
    "kp_trap_entry:\n"
    "	.fnstart\n"
    "	ldr r1, [r0, #64]\n"
    "	and r1, r1, #0x1f\n"
    "	cmp r1, #0x13\n"
    "	cmpeq r0, sp\n"
    "	bne kp_trap_original\n"
    "	.save {r0, lr}\n"
    "	push {r0, lr}\n"
    "	bl kp_trap_hit\n"
    "	cmp r0, #0\n"
    "	pop {r0, lr}\n"
    "	bxne lr\n"
    "	b kp_trap_original\n"
    "	.fnend\n"
    ".size kp_trap_entry, . - kp_trap_entry\n"
    /* Instead of a return from kp_trap_hit; the stack as there. */
    ".type kp_trap_aborted, %function\n"
    "kp_trap_aborted:\n"
    "	.fnstart\n"
    "	.save {r0, lr}\n"
    "	ldr r0, [sp]\n"
    "	bl kp_trap_abort\n"
    "	pop {r0, pc}\n"
    "	.fnend\n"
    ".size kp_trap_aborted, . - kp_trap_aborted\n"
    /* To what stands there else; the address is filled in before anybody comes here. */
    ".balign 8\n"
    ".type kp_trap_original, %function\n"
    "kp_trap_original:\n"
    "	.fnstart\n"
    "	.cantunwind\n"
    KP_ASM_JUMP_PLACE
    "	.fnend\n"
    ".size kp_trap_original, . - kp_trap_original\n"
    "kp_trap_end:\n"
    ".popsection\n");
extern const char kp_trap_entry[], kp_trap_aborted[], kp_trap_original[], kp_trap_end[];

/* ---- trap path: shared/risc/one_way.c ------------------------------------------- */

/* The landing returns to kp_trap_aborted; no other register matters there. */
KP_TRAP_PATH void kp_short_guard(struct kp_arch_guard *guard, const struct pt_regs *regs)
{
	*guard = (struct kp_arch_guard){
		.sp = (uintptr_t)regs - FRAME,
		.ip = (unsigned long)kp_trap_aborted,
	};
}

/* ---- start and stop ------------------------------------------------------ */

#define FAULT_MAX 8		/* instructions of __und_fault */

static uintptr_t branch_at;	/* or 0 */
static uintptr_t original;	/* where it leads else */

/* b; it reaches 32 MB. */
static u32 branch(uintptr_t at, uintptr_t to)
{
	return 0xea000000 | ((to - at - 8) >> 2 & 0xffffff);
}

static bool reaches(uintptr_t at, uintptr_t to)
{
	return to - at - 8 + SZ_32M < SZ_64M;
}

static int find_branch(void)
{
	uintptr_t start = kp_symbols_find("__und_fault"), at;
	u32 word;

	original = kp_symbols_find("do_undefinstr");
	if (!start || !original)
		return -ENOENT;
	for (at = start; at < start + FAULT_MAX * sizeof(word); at += sizeof(word)) {
		if (kp_host_text_read(&word, at, sizeof(word)))
			break;
		if (word == branch(at, original)) {
			branch_at = at;
			return 0;
		}
	}
	return -ENOENT;
}

static int set_branch(uintptr_t to)
{
	u32 *alias = kp_text_alias(branch_at, sizeof(*alias));

	if (!alias)
		return -ENOMEM;
	WRITE_ONCE(*alias, branch(branch_at, to));
	kp_text_written(branch_at, sizeof(*alias));
	kp_text_unalias(alias);
	kp_host_sync_cores();
	return 0;
}

int kp_trap_start(void)
{
	int err;

	if (!kp_hidden.stop_machine) {
		pr_err("kprobes: this kernel's symbol table lacks stop_machine_cpuslocked: no text could be written\n");
		return -ENOENT;
	}
	err = find_branch();
	if (err) {
		pr_err("kprobes: this kernel's symbol table lacks __und_fault or do_undefinstr, or one does not go on to the other: no breakpoint would reach us\n");
		return err;
	}
	if (!reaches(branch_at, (uintptr_t)kp_trap_entry)) {
		pr_err("kprobes: the module is too far from __und_fault: there was no room in the area of modules\n");
		return -ERANGE;
	}
	err = kp_text_write_jump((uintptr_t)kp_trap_original, original);
	kp_host_sync_cores();
	return err ? err : set_branch((uintptr_t)kp_trap_entry);
}

/*
 * No breakpoint of ours is left.  But who comes here from user mode may be preempted.
 * Without memory we stay, and so does the module's text.
 */
void kp_trap_stop(void)
{
	while (set_branch(original)) {
		pr_warn("kprobes: unloading waits for memory\n");
		schedule_timeout_uninterruptible(HZ);
	}
	while (kp_host_wait_tasks((uintptr_t)kp_trap_entry, kp_trap_end - kp_trap_entry))
		pr_warn("kprobes: unloading waits: a task is where breakpoints arrive\n");
}
