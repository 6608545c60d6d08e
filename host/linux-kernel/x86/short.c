// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * short.c - the short way from a breakpoint to the core.
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
 * What follows the call loads every register from struct pt_regs, which ends
 * where the call's return address is pushed; that much of the kernel's code is
 * looked at before the call is changed.  So a hit whose handler is abandoned has
 * nothing to restore but the stack pointer, and no hit saves anything for it.
 *
 * What is not a hit goes on to exc_int3, and so to our die notifier: user-mode
 * breakpoints, the kernel's own text patching, other engines, hits where RCU
 * does not watch (the idle loop), and traps that need a look at the text.
 *
 * What exc_int3 does for a kernel-mode trap and a hit needs, is done in int3.c.  Lockdep
 * would have to be told about interrupts, so a kernel that has it takes the long way.
 *
 * Changing the call is one aligned store in the stopped machine.
 *
 * Where the call's displacement lies in two words, one store changes only the upper
 * of its bytes.  The others stay, and with them the lower bytes of the address that
 * is called: there, somewhere in the modules' area, is a jump to kp_int3_entry.
 *
 * Where the pattern is not found (another entry code), or that jump has no place,
 * nothing is changed and the notifier serves all hits.
 */
#include <linux/objtool.h>
#include <linux/ptrace.h>
#include <asm/nospec-branch.h>
#include "int3.h"
#include "local.h"

#define CALL_LEN KP_JUMP_LEN
#define HOP_TRIES 64

/* Offset of cs in struct pt_regs, for the assembly. */
#define CS 136
_Static_assert(offsetof(struct pt_regs, cs) == CS, "kp_int3_entry: cs");

/* In the place of exc_int3: struct pt_regs in rdi; rdi is ours to clobber. */
asm(".pushsection .text.kp_trap, \"ax\"\n"
    ".globl kp_int3_entry, kp_int3_called, kp_int3_aborted, kp_int3_original\n"
    ".hidden kp_int3_entry, kp_int3_called, kp_int3_aborted, kp_int3_original\n"
    ".balign 16\n"
    ".type kp_int3_entry, @function\n"
    "kp_int3_entry:\n"
    ANNOTATE_NOENDBR "\n"
    "	testb $3, " __stringify(CS) "(%rdi)\n"
    "	jne kp_int3_original\n"
    "	push %rdi\n"
    "	call kp_int3_hit\n"
    "kp_int3_called:\n"
    ANNOTATE_NOENDBR "\n"
    "	test %al, %al\n"
    "	pop %rdi\n"
    "	je 1f\n"
    "	" ASM_RET
    "1:	push %rdi\n"
    "	call kp_int3_other\n"
    "	test %al, %al\n"
    "	pop %rdi\n"
    "	je kp_int3_original\n"
    "	" ASM_RET
    ".size kp_int3_entry, . - kp_int3_entry\n"
    /* Instead of a return from kp_int3_hit; the stack as on kp_int3_entry. */
    ".balign 16\n"
    ".type kp_int3_aborted, @function\n"
    "kp_int3_aborted:\n"
    ANNOTATE_NOENDBR "\n"
    "	lea 8(%rsp), %rdi\n"
    "	call kp_int3_abort\n"
    "	" ASM_RET
    ".size kp_int3_aborted, . - kp_int3_aborted\n"
    /* Becomes a jump to what was called, before anybody comes here: find_call. */
    ".balign 8\n"
    ".type kp_int3_original, @function\n"
    "kp_int3_original:\n"
    ANNOTATE_NOENDBR "\n"
    "	ud2\n	int3\n	int3\n	int3\n"
    ".size kp_int3_original, . - kp_int3_original\n"
    ".popsection\n");
/* ---- start and stop ------------------------------------------------------ */

static uintptr_t call_at;	/* the retargeted call, or 0 */
static int32_t original_disp;
static uintptr_t original;	/* what it called */
static unsigned int kept;	/* lower bytes of it, in a word of their own */
static struct kp_exec hop;	/* then: where the call goes; or none */

/* The call's displacement but for what is kept, in one store.  0 or -errno. */
static int set_target(int32_t disp)
{
	uintptr_t at = call_at + 1 + kept, word = at & ~7ul;
	unsigned long value;

	if (kp_host_text_read(&value, word, sizeof(value)))
		return -EFAULT;
	memcpy((char *)&value + (at - word), (char *)&disp + kept, sizeof(disp) - kept);
	return kp_int3_lead(word, value);
}

/* Where the jump or call of CALL_LEN bytes at insn, which lies at at, goes. */
static uintptr_t target_of(const uint8_t *insn, uintptr_t at)
{
	int32_t disp;

	memcpy(&disp, insn + 1, sizeof(disp));
	return at + CALL_LEN + disp;
}

/*
 * Around the call at at: struct pt_regs is at the stack's end, and afterwards the
 * kernel goes where it loads all registers from there.
 */
static bool nothing_else_needed(uintptr_t at)
{
	static const uint8_t mov[] = { 0x48, 0x89, 0xe7 };	/* rsp to rdi */
	uintptr_t after = kp_symbols_find("error_return");
	uint8_t before[sizeof(mov)], behind[CALL_LEN];

	return after &&
	       !kp_host_text_read(before, at - sizeof(mov), sizeof(before)) &&
	       !memcmp(before, mov, sizeof(mov)) &&
	       !kp_host_text_read(behind, at + CALL_LEN, sizeof(behind)) &&
	       behind[0] == 0xe9 &&			/* jmp error_return */
	       target_of(behind, at + CALL_LEN) == after;
}

/* Calls that are counted (retbleed=stuff) go to code before the function, that does it. */
#ifdef CONFIG_CALL_PADDING
#define BEFORE_MAX CONFIG_FUNCTION_PADDING_BYTES
#else
#define BEFORE_MAX 0
#endif

/* call_at of the one call in asm_exc_int3 that goes to exc_int3, or right before. */
static int find_call(uintptr_t start, size_t len, uintptr_t target)
{
	uint8_t insn[KP_ARCH_INSN_MAX];
	struct kp_arch_decoded decoded;
	unsigned int first;		/* bytes in the displacement's first word */
	uintptr_t at;

	for (at = start; at < start + len; at += decoded.len) {
		if (kp_host_text_read(insn, at, sizeof(insn)) ||
		    kp_arch_decode(&decoded, insn, sizeof(insn), 0))
			break;
		if (insn[0] != 0xe8 || target - target_of(insn, at) > BEFORE_MAX)
			continue;
		if (!nothing_else_needed(at))
			break;
		first = 8 - ((at + 1) & 7);
		kept = first < sizeof(original_disp) ? first : 0;
		call_at = at;
		original = target_of(insn, at);
		memcpy(&original_disp, insn + 1, sizeof(original_disp));
		return 0;
	}
	return -ENOENT;
}

/*
 * A jump to kp_int3_entry at an address that is like target in the bytes that are
 * kept: *at.  The kernel fills the area from below, so from above.
 */
static int make_hop(uintptr_t target, uintptr_t *at)
{
	uintptr_t step = max(1ul << 8 * kept, PAGE_SIZE), first, end;
	unsigned int tries;
	int err = -ENOMEM;

	*at = target + (MODULES_END - CALL_LEN - target) / step * step;
	for (tries = HOP_TRIES; err && tries && *at >= MODULES_VADDR; tries--) {
		first = *at & PAGE_MASK;
		end = PAGE_ALIGN(*at + CALL_LEN);
		err = kp_host_exec_alloc_in(&hop, first, end - 1, end - first);
		*at -= err ? step : 0;
	}
	return err ? err : kp_text_write_jump(*at, (uintptr_t)kp_int3_entry);
}

/* Nobody is at it. */
static void free_hop(void)
{
	if (hop.len)
		kp_host_exec_free(&hop);
	hop.len = 0;
}

void kp_short_start(void)
{
	uintptr_t entry = kp_symbols_find("asm_exc_int3");
	uintptr_t target = kp_symbols_find("exc_int3");
	uintptr_t ours = (uintptr_t)kp_int3_entry;
	unsigned long len, offset;
	int err = -ENOENT;

	if (entry && target && !IS_ENABLED(CONFIG_PROVE_LOCKING) &&
	    kp_kernel_lookup_size_offset(entry, &len, &offset))
		err = find_call(entry, len, target);
	if (!err)
		err = kp_text_write_jump((uintptr_t)kp_int3_original, original);
	if (!err && kept)
		err = make_hop(original, &ours);
	kp_host_sync_cores();
	if (!err)
		err = set_target(ours - call_at - CALL_LEN);
	if (err) {
		call_at = 0;
		free_hop();
		pr_info("kprobes: breakpoints take the long way, through the die notifiers (%d)\n",
			err);
	}
}

bool kp_short_usable(void)
{
	return call_at;
}

/* Without memory for the alias we stay, and so does the module's text. */
void kp_short_stop(void)
{
	while (call_at && set_target(original_disp)) {
		pr_warn("kprobes: unloading waits for memory\n");
		schedule_timeout_uninterruptible(HZ);
	}
	call_at = 0;
	free_hop();
}
