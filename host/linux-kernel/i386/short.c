// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * short.c - the short way from a breakpoint to the core, in 32-bit mode.
 *
 * Owns: one instruction of the kernel's int3 entry, which pushes the address of the function
 * that handle_exception is to call; it is made to push kp_int3_entry's.  The kernel's own
 * entry and exit code stays as it is.
 *
 *   asm_exc_int3:     ... push kp_int3_entry        was: push exc_int3
 *                     jmp handle_exception
 *   handle_exception: ... save registers, take that address from among them
 *                     mov esp to eax, call it
 *                     ... restore all from there, iret
 *   kp_int3_entry:    ours    -> handled, return
 *                     not     -> jump to exc_int3, registers and stack as they were
 *
 * What follows the call loads every register from struct pt_regs, which ends where the call's
 * return address is pushed.  So a hit whose handler is abandoned has nothing to restore but
 * the stack pointer.
 *
 * What is not a hit goes on to exc_int3, and so to our die notifier, as int3.c has it.
 *
 * What is pushed is changed by one store: that is in one piece where it lies in one line of the
 * cache.  Where it does not, or the pattern is not found (another entry code), or lockdep would
 * have to be told about interrupts, nothing is changed and the notifier serves all hits.
 */
#include <linux/ptrace.h>
#include <asm/nospec-branch.h>
#include "int3.h"
#include "local.h"

/* The fewest bytes that a line has, of those processors that kernels with modules are for. */
#define LINE 32
#define JUMP_LEN KP_JUMP_LEN

/* Offsets in struct pt_regs, for the assembly. */
#define REGS_CS 52
#define REGS_FLAGS 56
_Static_assert(offsetof(struct pt_regs, cs) == REGS_CS, "kp_int3_entry: cs");
_Static_assert(offsetof(struct pt_regs, flags) == REGS_FLAGS, "kp_int3_entry: flags");

/* In the place of exc_int3: struct pt_regs in eax. */
asm(".pushsection .text.kp_trap, \"ax\"\n"
    ".globl kp_int3_entry, kp_int3_called, kp_int3_aborted, kp_int3_original\n"
    ".hidden kp_int3_entry, kp_int3_called, kp_int3_aborted, kp_int3_original\n"
    ".balign 16\n"
    ".type kp_int3_entry, @function\n"
    "kp_int3_entry:\n"
    "	testb $3, " __stringify(REGS_CS) "(%eax)\n"
    "	jne kp_int3_original\n"
    /* virtual-8086 mode */
    "	testb $2, 2+" __stringify(REGS_FLAGS) "(%eax)\n"
    "	jne kp_int3_original\n"
    "	push %eax\n"
    "	call kp_int3_hit\n"
    "kp_int3_called:\n"
    "	test %al, %al\n"
    "	pop %eax\n"
    "	je 1f\n"
    "	" ASM_RET
    "1:	push %eax\n"
    "	call kp_int3_other\n"
    "	test %al, %al\n"
    "	pop %eax\n"
    "	je kp_int3_original\n"
    "	" ASM_RET
    ".size kp_int3_entry, . - kp_int3_entry\n"
    /* Instead of a return from kp_int3_hit; the stack as on kp_int3_entry. */
    ".balign 16\n"
    ".type kp_int3_aborted, @function\n"
    "kp_int3_aborted:\n"
    "	lea 4(%esp), %eax\n"
    "	call kp_int3_abort\n"
    "	" ASM_RET
    ".size kp_int3_aborted, . - kp_int3_aborted\n"
    /* Becomes a jump to what was pushed, before anybody comes here. */
    ".balign 8\n"
    ".type kp_int3_original, @function\n"
    "kp_int3_original:\n"
    "	ud2\n	int3\n	int3\n	int3\n"
    ".size kp_int3_original, . - kp_int3_original\n"
    ".popsection\n");

static uintptr_t pushed_at;	/* where the address is in the instruction, or 0 */
static unsigned long original;	/* the address that was there */

/* Is at the code that calls what was pushed, with esp in eax? */
static bool calls_pushed(uintptr_t at)
{
	static const uint8_t mov[] = { 0x89, 0xe0 };	/* esp to eax */
	uint8_t insn[KP_ARCH_INSN_MAX];
	struct kp_arch_decoded decoded;
	uintptr_t end = at + 512;
	bool moved = false;

	for (; at < end; at += decoded.len) {
		if (kp_host_text_read(insn, at, sizeof(insn)) ||
		    kp_arch_decode(&decoded, insn, sizeof(insn), 0))
			return false;
		if (moved)
			/* by a register, or by way of a thunk */
			return insn[0] == 0xff || insn[0] == 0xe8;
		moved = decoded.len == sizeof(mov) && !memcmp(insn, mov, sizeof(mov));
	}
	return false;
}

/* pushed_at of the one push of target in asm_exc_int3. */
static int find_push(uintptr_t start, size_t len, uintptr_t target)
{
	uint8_t insn[KP_ARCH_INSN_MAX];
	struct kp_arch_decoded decoded;
	unsigned long operand;
	uintptr_t at, found = 0;

	for (at = start; at < start + len; at += decoded.len) {
		if (kp_host_text_read(insn, at, sizeof(insn)) ||
		    kp_arch_decode(&decoded, insn, sizeof(insn), 0))
			break;
		memcpy(&operand, insn + 1, sizeof(operand));
		if (insn[0] == 0x68 && operand == target)
			found = at + 1;
		if (insn[0] == 0xe9 && found && calls_pushed(at + JUMP_LEN + operand)) {
			if (found % LINE > LINE - sizeof(operand))
				return -ERANGE;
			pushed_at = found;
			original = target;
			return 0;
		}
	}
	return -ENOENT;
}

void kp_short_start(void)
{
	uintptr_t entry = kp_symbols_find("asm_exc_int3");
	uintptr_t target = kp_symbols_find("exc_int3");
	unsigned long len, offset;
	int err = -ENOENT;

	if (entry && target && !IS_ENABLED(CONFIG_PROVE_LOCKING) &&
	    kp_kernel_lookup_size_offset(entry, &len, &offset))
		err = find_push(entry, len, target);
	if (!err)
		err = kp_text_write_jump((uintptr_t)kp_int3_original, original);
	kp_host_sync_cores();
	if (!err)
		err = kp_int3_lead(pushed_at, (unsigned long)kp_int3_entry);
	if (err) {
		pushed_at = 0;
		pr_info("kprobes: breakpoints take the long way, through the die notifiers (%d)\n",
			err);
	}
}

bool kp_short_usable(void)
{
	return pushed_at;
}

/* Without memory for the alias we stay, and so does the module's text. */
void kp_short_stop(void)
{
	while (pushed_at && kp_int3_lead(pushed_at, original)) {
		pr_warn("kprobes: unloading waits for memory\n");
		schedule_timeout_uninterruptible(HZ);
	}
	pushed_at = 0;
}
