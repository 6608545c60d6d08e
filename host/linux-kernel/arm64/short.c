// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * short.c - the short way from a breakpoint to the core.
 *
 * Owns: one call instruction of the kernel's entry from its own mode.  The kernel's way
 * to the break hooks (trap.c) costs more instructions than all that the engine does, so
 * `bl el1h_64_sync_handler` in el1h_64_sync is made to call kp_short_entry here.  The
 * kernel's own code for entry and exit stays as it is.
 *
 *   el1h_64_sync:   ... save registers
 *                   bl kp_short_entry      was: bl el1h_64_sync_handler
 *                   b ret_to_kernel        restore, eret
 *   kp_short_entry: our brk  -> handled, return
 *                   else     -> jump to el1h_64_sync_handler, all as it was
 *
 * What follows the call loads every register from struct pt_regs, which lies where the
 * stack pointer is; that much of the kernel's code is looked at before the call is
 * changed.  So a hit whose handler is abandoned has nothing to restore but the stack
 * pointer, and no hit saves anything for it.
 *
 * What is not a hit goes on as always: other exceptions and numbers of brk, hits where
 * RCU does not watch (the idle loop), and traps that need a look at the text.  What the
 * handler of the kernel's does for a brk and a hit needs, is done here: preemption is
 * off.  The processor has masked all interrupts.  Lockdep would have to be told, so a
 * kernel that has it takes the long way.
 *
 * A bl may become another one by one aligned store while others execute it.  Where it
 * does not reach this module, it leads to a jump nearby.
 *
 * Nobody is in this code when kp_short_stop returns: it runs with interrupts masked, and
 * what is not a hit leaves by a jump, so a CPU that is here answers kp_host_sync_cores
 * once it has left.
 *
 * Where the code is another one nothing is changed, and the break hook serves all hits.
 */
#include <linux/ptrace.h>
#include <asm/esr.h>
#include "local.h"
#include "probe.h"
#include "resume.h"

/* The syndrome of our brk, in kernel mode or not: this one comes from it only. */
#define OUR_BRK ((u32)ESR_ELx_EC_BRK64 << ESR_ELx_EC_SHIFT | ESR_ELx_IL | \
		 (KP_A64_BP >> 5 & 0xffff))
_Static_assert((u32)(OUR_BRK) == 0xf2006b70, "kp_short_entry");

/*
 * In the place of el1h_64_sync_handler: struct pt_regs in x0.  The frame has where
 * kp_short_hit returns to in its last word: kp_short_took.
 */
asm(".pushsection .text.kp_trap, \"ax\"\n"
    ".balign 16\n"
    ".type kp_short_entry, %function\n"
    "kp_short_entry:\n"
    "	hint #34\n"			/* bti c */
    "	mrs x1, esr_el1\n"
    "	mov w2, #0x6b70\n"
    "	movk w2, #0xf200, lsl #16\n"
    "	cmp w1, w2\n"
    "	b.ne kp_short_original\n"
    "	stp x29, x30, [sp, #-32]!\n"
    "	adr x1, kp_short_called\n"
    "	stp x0, x1, [sp, #16]\n"
    "	mov x29, sp\n"
    "	bl kp_short_hit\n"
    "kp_short_called:\n"
    "	cbz w0, 1f\n"
    "	ldp x29, x30, [sp], #32\n"
    "	ret\n"
    "1:	ldr x0, [sp, #16]\n"
    "	bl kp_short_other\n"
    "	mov w1, w0\n"
    "	ldr x0, [sp, #16]\n"
    "	ldp x29, x30, [sp], #32\n"
    "	cbz w1, kp_short_original\n"
    "	ret\n"
    ".size kp_short_entry, . - kp_short_entry\n"
    /* Instead of a return from kp_short_hit; the stack as there. */
    ".balign 16\n"
    ".type kp_short_aborted, %function\n"
    "kp_short_aborted:\n"
    "	ldr x0, [sp, #16]\n"
    "	bl kp_short_abort\n"
    "	ldp x29, x30, [sp], #32\n"
    "	ret\n"
    ".size kp_short_aborted, . - kp_short_aborted\n"
    /* To what was called; the address is filled in before anybody comes here. */
    ".balign 16\n"
    ".type kp_short_original, %function\n"
    "kp_short_original:\n"
    KP_ASM_JUMP_PLACE
    ".size kp_short_original, . - kp_short_original\n"
    ".popsection\n");
extern const char kp_short_entry[], kp_short_called[], kp_short_aborted[],
	kp_short_original[];
bool kp_short_hit(struct pt_regs *regs);
bool kp_short_other(struct pt_regs *regs);
void kp_short_abort(struct pt_regs *regs);

#define FRAME 32

/* ---- trap path ----------------------------------------------------------- */

/* What marks a reader: preemption off and RCU watching. */
KP_TRAP_PATH bool kp_short_hit(struct pt_regs *regs)
{
	bool ours;

	if (!likely(kp_rcu_watches()))
		return false;
	ours = kp_core_on_framed_trap(regs, kp_context_enter());
	kp_context_leave();
	if (likely(ours))
		kp_settle(regs);
	return ours;
}

/* Not a probe's: one of the host's own, or the engine's? */
KP_TRAP_PATH bool kp_short_other(struct pt_regs *regs)
{
	bool ours;

	if (!kp_rcu_watches())
		return false;
	kp_context_enter();
	ours = kp_arch_resume(regs) || kp_intercept_on_trap(regs);
	kp_context_leave();
	if (ours)
		kp_settle(regs);
	return ours;
}

KP_TRAP_PATH void kp_short_abort(struct pt_regs *regs)
{
	kp_core_on_framed_trap_abort(regs);
	kp_context_leave();
	kp_settle(regs);
}

/* The landing returns to kp_short_aborted; all else is as el1h_64_sync left it. */
KP_TRAP_PATH void kp_short_guard(struct kp_arch_guard *guard,
				 const struct pt_regs *regs)
{
	unsigned int i;

	*guard = (struct kp_arch_guard){
		.sp = (uintptr_t)regs - FRAME,
		.ip = (unsigned long)kp_short_aborted,
	};
	for (i = 0; i < 10; i++)
		guard->x[i] = regs->regs[19 + i];
	guard->x[10] = guard->sp;		/* x29 */
}

bool kp_short_took(const struct pt_regs *regs)
{
	return ((const unsigned long *)regs)[-1] ==
	       (unsigned long)kp_short_called;
}

/* ---- start and stop ------------------------------------------------------ */

static uintptr_t call_at;	/* the retargeted call, or 0 */
static u32 original;		/* what stands there else */
static struct kp_exec hop;	/* a jump that it reaches, or none */

#define ENTRY_MAX 64		/* instructions of el1h_64_sync */
#define MOV_X0_SP 0x910003e0u

static bool read_word(uintptr_t at, u32 *word)
{
	return !kp_host_text_read(word, at, sizeof(*word));
}

/*
 * call_at of the first call in el1h_64_sync that goes to target: struct pt_regs is at
 * the stack pointer, and afterwards the kernel goes where it loads all from there.
 */
static int find_call(uintptr_t start, uintptr_t target, uintptr_t after)
{
	uintptr_t at, end = start + ENTRY_MAX * KP_A64_LEN;
	u32 before, word, behind;

	for (at = start + KP_A64_LEN; at < end; at += KP_A64_LEN) {
		if (!read_word(at, &word))
			break;
		if (word != kp_a64_bl(at, target))
			continue;
		if (!read_word(at - KP_A64_LEN, &before) || before != MOV_X0_SP ||
		    !read_word(at + KP_A64_LEN, &behind) ||
		    behind != kp_a64_b(at + KP_A64_LEN, after))
			break;
		call_at = at;
		original = word;
		return 0;
	}
	return -ENOENT;
}

static int set_call(u32 word)
{
	u32 *alias = kp_text_alias(call_at, sizeof(word));

	if (!alias)
		return -ENOMEM;
	WRITE_ONCE(*alias, word);
	kp_text_written(call_at, sizeof(word));
	kp_text_unalias(alias);
	kp_host_sync_cores();
	return 0;
}

/* From where the call reaches to us. */
static int make_hop(uintptr_t *to)
{
	int err = kp_host_exec_alloc(&hop, call_at, PAGE_SIZE, false);

	if (!err && !kp_a64_reaches(call_at, hop.base))
		err = -ERANGE;
	if (!err)
		err = kp_host_exec_write(hop.base, kp_short_original, KP_JUMP_LEN);
	if (!err)
		err = kp_text_write_jump(hop.base, *to);
	*to = hop.base;
	return err;
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
	uintptr_t entry = kp_symbols_find("el1h_64_sync");
	uintptr_t target = kp_symbols_find("el1h_64_sync_handler");
	uintptr_t after = kp_symbols_find("ret_to_kernel");
	uintptr_t ours = (uintptr_t)kp_short_entry;
	int err = -ENOENT;

	if (entry && target && after && !IS_ENABLED(CONFIG_PROVE_LOCKING))
		err = find_call(entry, target, after);
	if (!err)
		err = kp_text_write_jump((uintptr_t)kp_short_original, target);
	if (!err && !kp_a64_reaches(call_at, ours))
		err = make_hop(&ours);
	kp_host_sync_cores();
	if (!err)
		err = set_call(kp_a64_bl(call_at, ours));
	if (err) {
		call_at = 0;
		free_hop();
		pr_info("kprobes: breakpoints take the long way, through the break hooks (%d)\n",
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
	while (call_at && set_call(original)) {
		pr_warn("kprobes: unloading waits for memory\n");
		schedule_timeout_uninterruptible(HZ);
	}
	call_at = 0;
	free_hop();
}
