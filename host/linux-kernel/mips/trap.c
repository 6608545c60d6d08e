// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * trap.c - how a breakpoint trap reaches the core.
 *
 * Owns: one word of the kernel's code for breakpoints.  What it has in C asks a list of who
 * wants to know, but turns interrupts on first, wherever the breakpoint was.  So we are asked
 * before: behind what saves the registers, the code that begins to turn them on.
 *
 *   handle_bp:      save all registers as struct pt_regs, at the stack pointer
 *   handle_bp_int:  mfc0 t0, c0_status         becomes j low
 *                   lui  t1, ...               no matter: what comes again
 *   low:            from user mode -> what stood there, go on behind it
 *                   interrupts off, out of the exception's mode; to kp_trap_entry
 *   kp_trap_entry:  a breakpoint of ours -> handled, return to ret_from_exception
 *                   else -> do_bp, as from handle_bp; but interrupts stay off if they were
 *
 * Low stands where no table of pages leads: while the exception's mode lasts, no exception
 * would be known where to come back from, and this module's text is reached by such a table.
 *
 * It is the only way, and the shortest (shared/risc/one_way.c).
 *
 * The word is written by one aligned store.  Nobody is in this code when kp_trap_stop
 * returns: it runs with interrupts masked, and what is not a hit leaves by a jump, so a CPU
 * that is here answers kp_host_sync_cores once it has left.
 *
 * No locks; all of it but start and stop is trap path.
 */
#include <linux/ptrace.h>
#include "local.h"

#define FRAME 48
#define AT_REGS	(4 * _MIPS_SZPTR / 8)
#define AT_RA	(5 * _MIPS_SZPTR / 8)

#ifdef CONFIG_64BIT
#define STATUS_AT 256
#define STORE "sd"
#define ADDI "daddiu"
#else
#define STATUS_AT 160
#define STORE "sw"
#define ADDI "addiu"
#endif
_Static_assert(offsetof(struct pt_regs, cp0_status) == STATUS_AT && KU_USER == 0x10 &&
	       ST0_CU0 == 0x10000000 && ST0_IE == 1, "kp_trap_low, kp_trap_entry");

#define LOAD KP_ASM_LOAD
#define N(x) __stringify(x)

/* Registers: $2 v0; $4 a0; $25 t9; $29 sp; $31 ra.  $12 of coprocessor 0 is the status. */
asm(".pushsection .text.kp_trap, \"ax\"\n"
    ".set push\n"
    ".set noreorder\n"
    /* Copied to where it is executed; what is 0 in it is filled in. */
    ".balign 8\n"
    ".type kp_trap_low, @object\n"
    "kp_trap_low:\n"
    "	" LOAD " $2, " N(STATUS_AT) "($29)\n"
    "	andi $2, $2, 0x10\n"
    "	bnez $2, 1f\n"
    "	mfc0 $2, $12\n"
    "	lui $3, 0x1000\n"
    "	ori $3, $3, 0x1f\n"
    "	or $2, $2, $3\n"
    "	xori $2, $2, 0x1f\n"
    "	mtc0 $2, $12\n"
    "	sll $0, $0, 3\n"			/* ehb */
    "kp_trap_low_return:\n"
    "	lui $31, 0\n"
    "	addiu $31, $31, 0\n"
    "	" KP_ASM_ADDRESS " $25, kp_trap_entry\n"
    "	jr $25\n"
    "	move $4, $29\n"
    "1:\n"
    "kp_trap_low_back:\n"
    "	nop\n"
    "	j 0\n"
    "	nop\n"
    "kp_trap_low_end:\n"
    ".size kp_trap_low, . - kp_trap_low\n"
    /* Its beginning is as the kernel's unwinder wants it. */
    ".balign 8\n"
    ".type kp_trap_entry, @function\n"
    "kp_trap_entry:\n"
    "	" ADDI " $29, $29, -" N(FRAME) "\n"
    "	" STORE " $31, " N(AT_RA) "($29)\n"
    "	" STORE " $4, " N(AT_REGS) "($29)\n"
    "	" KP_ASM_ADDRESS " $25, kp_trap_hit\n"
    "	jalr $25\n"
    "	nop\n"
    "	beqz $2, 1f\n"
    "kp_trap_return:\n"
    "	" LOAD " $31, " N(AT_RA) "($29)\n"
    "	jr $31\n"
    "	" ADDI " $29, $29, " N(FRAME) "\n"
    "1:	" LOAD " $4, " N(AT_REGS) "($29)\n"
    "	" ADDI " $29, $29, " N(FRAME) "\n"
    "	" LOAD " $2, " N(STATUS_AT) "($4)\n"
    "	andi $2, $2, 1\n"
    "	mfc0 $3, $12\n"
    "	or $3, $3, $2\n"
    "	mtc0 $3, $12\n"
    "	sll $0, $0, 3\n"			/* ehb */
    "	" KP_ASM_ADDRESS " $25, kp_kernel_do_bp\n"
    "	jr $25\n"
    "	nop\n"
    ".size kp_trap_entry, . - kp_trap_entry\n"
    /* Instead of a return from kp_trap_hit; the stack as there. */
    ".type kp_trap_aborted, @function\n"
    "kp_trap_aborted:\n"
    "	" LOAD " $4, " N(AT_REGS) "($29)\n"
    "	" KP_ASM_ADDRESS " $25, kp_trap_abort\n"
    "	jalr $25\n"
    "	nop\n"
    "	b kp_trap_return\n"
    "	nop\n"
    ".size kp_trap_aborted, . - kp_trap_aborted\n"
    ".set pop\n"
    ".popsection\n");
extern const u32 kp_trap_low[], kp_trap_low_return[], kp_trap_low_back[], kp_trap_low_end[];
extern const char kp_trap_aborted[];

/* ---- trap path ----------------------------------------------------------- */

/* The landing returns to kp_trap_aborted, and wants the task there. */
KP_TRAP_PATH void kp_short_guard(struct kp_arch_guard *guard, const struct pt_regs *regs)
{
	*guard = (struct kp_arch_guard){
		.sp = (uintptr_t)regs - FRAME,
		.ip = (unsigned long)kp_trap_aborted,
		.gp = (unsigned long)current_thread_info(),
	};
}

/* ---- start and stop ------------------------------------------------------ */

#define J 0x08000000u

static struct kp_exec low;
static uintptr_t entry_at;	/* the word, or 0 */
static u32 original;		/* what stands there else */
uintptr_t kp_trap_returns;	/* where exceptions return to */

/* mfc0 reg, c0_status; then the first of li reg. */
static bool is_known(const u32 code[2])
{
	return (code[0] & 0xffe0ffff) == 0x40006000 && (code[1] & 0xffe00000) == 0x3c000000;
}

static u32 jump_to(uintptr_t to)
{
	return J | (to & 0x0fffffff) >> 2;
}

static void fill_low(uintptr_t returns)
{
	u32 *code = (u32 *)low.base;
	size_t len = (kp_trap_low_end - kp_trap_low) * sizeof(*code);
	size_t at = kp_trap_low_return - kp_trap_low, back = kp_trap_low_back - kp_trap_low;

	memcpy(code, kp_trap_low, len);
	/* The lower half has a sign. */
	code[at] |= (returns + 0x8000) >> 16 & 0xffff;
	code[at + 1] |= returns & 0xffff;
	code[back] = original;
	code[back + 1] = jump_to(entry_at + 4);
	kp_text_written(low.base, len);
}

static int set_entry(u32 word)
{
	struct kp_text_patch patch = { .addr = entry_at, .len = sizeof(word) };
	int err;

	memcpy(patch.bytes, &word, sizeof(word));
	kp_host_lock(KP_LOCK_TEXT);
	err = kp_host_text_write(&patch, 1);
	kp_host_unlock(KP_LOCK_TEXT);
	kp_host_sync_cores();
	return err;
}

int kp_trap_start(void)
{
	uintptr_t entry = kp_symbols_find("handle_bp_int");
	uintptr_t returns = kp_symbols_find("ret_from_exception");
	u32 code[2];
	int err;

	if (!entry || !returns || !kp_hidden.do_bp || !kp_is_direct(entry) ||
	    !kp_is_direct(returns) || kp_host_text_read(code, entry, sizeof(code)) ||
	    !is_known(code)) {
		pr_err("kprobes: this kernel's symbol table lacks handle_bp_int, ret_from_exception or do_bp, or they are others: no breakpoint would reach us\n");
		return -ENOENT;
	}
	err = kp_direct_alloc(&low, entry, PAGE_SIZE);
	if (err)
		return err;
	entry_at = entry;
	original = code[0];
	kp_trap_returns = returns;
	fill_low(returns);
	kp_host_sync_cores();
	err = set_entry(jump_to(low.base));
	if (err)
		kp_direct_free(&low);
	return err;
}

/* No breakpoint of ours is left.  In place, a word is always written. */
void kp_trap_stop(void)
{
	set_entry(original);
	kp_direct_free(&low);
}
