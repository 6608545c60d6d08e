// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * trap.c - how a breakpoint trap reaches the core.
 *
 * Owns: one word of the kernel's table of what serves which exception (excp_vect_table).
 * No kernel has a list of who wants to be asked about an ebreak of its own, and one
 * without Kprobes and KGDB asks nobody; so the word of breakpoints names us here.  The
 * kernel's own code for entry and exit stays as it is.
 *
 *   handle_exception: ... save registers, a0 = struct pt_regs, at the stack pointer
 *                     jump to the table's entry, which returns to ret_from_exception
 *   kp_trap_entry:    a breakpoint of ours -> handled, return
 *                     else, and from user mode -> jump to do_trap_break, all as it was
 *
 * It is the only way, and the shortest (shared/risc/one_way.c).
 *
 * The word is written by one aligned store.  Nobody is in this code when kp_trap_stop
 * returns.  What masks interrupts leaves before its CPU answers kp_host_sync_cores; but the
 * kernel comes to the entry with interrupts as they were where it trapped, so a task may have
 * been switched out before they are masked, or on its way to the original: these are waited for.
 *
 * No locks; all of it but start and stop is trap path.
 */
#include <linux/ptrace.h>
#include <linux/vmalloc.h>
#include "local.h"

#define FRAME 32
_Static_assert(offsetof(struct pt_regs, status) == 256 && SR_SPP == 0x100 && SR_IE == 2,
	       "kp_trap_entry");

/* In the place of do_trap_break: struct pt_regs in a0, and at the stack pointer. */
asm(".pushsection .text.kp_trap, \"ax\"\n"
    ".balign 16\n"
    ".type kp_trap_entry, %function\n"
    "kp_trap_entry:\n"
    "	ld t0, 256(a0)\n"
    "	andi t0, t0, 0x100\n"
    "	beqz t0, kp_trap_original\n"
    "	csrci sstatus, 2\n"
    "	addi sp, sp, -32\n"
    "	sd a0, 8(sp)\n"
    "	sd s0, 16(sp)\n"		/* where the unwinder looks */
    "	sd ra, 24(sp)\n"
    "	addi s0, sp, 32\n"
    "	call kp_trap_hit\n"
    "	beqz a0, 1f\n"
    "kp_trap_return:\n"
    "	ld s0, 16(sp)\n"
    "	ld ra, 24(sp)\n"
    "	addi sp, sp, 32\n"
    "	ret\n"
    "1:	ld a0, 8(sp)\n"
    "	ld s0, 16(sp)\n"
    "	ld ra, 24(sp)\n"
    "	addi sp, sp, 32\n"
    "	j kp_trap_original\n"
    ".size kp_trap_entry, . - kp_trap_entry\n"
    /* Instead of a return from kp_trap_hit; the stack as there. */
    ".balign 4\n"
    ".type kp_trap_aborted, %function\n"
    "kp_trap_aborted:\n"
    "	ld a0, 8(sp)\n"
    "	call kp_trap_abort\n"
    "	j kp_trap_return\n"
    ".size kp_trap_aborted, . - kp_trap_aborted\n"
    /* To what stands there else; the address is filled in before anybody comes here. */
    ".balign 8\n"
    ".type kp_trap_original, %function\n"
    "kp_trap_original:\n"
    KP_ASM_JUMP_PLACE
    ".size kp_trap_original, . - kp_trap_original\n"
    ".popsection\n");
extern const char kp_trap_entry[], kp_trap_aborted[], kp_trap_original[];

/* ---- trap path ----------------------------------------------------------- */

/* The landing returns to kp_trap_aborted; all else is as the entry left it. */
KP_TRAP_PATH void kp_short_guard(struct kp_arch_guard *guard, const struct pt_regs *regs)
{
	*guard = (struct kp_arch_guard){
		.sp = (uintptr_t)regs - FRAME,
		.ip = (unsigned long)kp_trap_aborted,
	};
	guard->s[0] = (unsigned long)regs;
}

/* ---- start and stop ------------------------------------------------------ */

static uintptr_t entry_at;	/* the word, or 0 */
static uintptr_t original;	/* what stands there else */

/* It is data that is read only, in the kernel's image. */
static int set_entry(uintptr_t to)
{
	struct page *page = kp_core_page(entry_at);
	char *alias = vmap(&page, 1, VM_MAP, PAGE_KERNEL);

	if (!alias)
		return -ENOMEM;
	/* What it leads to is written: pairs with the load of whoever traps. */
	smp_store_release((uintptr_t *)(alias + offset_in_page(entry_at)), to);
	vunmap(alias);
	kp_host_sync_cores();
	return 0;
}

int kp_trap_start(void)
{
	uintptr_t table = kp_symbols_find("excp_vect_table");
	uintptr_t serves = kp_symbols_find("do_trap_break");
	int err;

	if (!table || !serves ||
	    ((uintptr_t *)table)[EXC_BREAKPOINT] != serves) {
		pr_err("kprobes: this kernel's symbol table lacks excp_vect_table or do_trap_break, or they are others: no breakpoint would reach us\n");
		return -ENOENT;
	}
	kp_illegal_start();
	original = serves;
	entry_at = (uintptr_t)&((uintptr_t *)table)[EXC_BREAKPOINT];
	err = kp_text_write_jump((uintptr_t)kp_trap_original, original);
	kp_host_sync_cores();
	return err ? err : set_entry((uintptr_t)kp_trap_entry);
}

/* No breakpoint of ours is left.  Without memory we stay, and so does the module's text. */
void kp_trap_stop(void)
{
	while (set_entry(original)) {
		pr_warn("kprobes: unloading waits for memory\n");
		schedule_timeout_uninterruptible(HZ);
	}
	while (kp_host_wait_tasks((uintptr_t)kp_trap_entry, 1)) {
		pr_warn("kprobes: unloading waits for a task that traps\n");
		schedule_timeout_uninterruptible(HZ);
	}
}
