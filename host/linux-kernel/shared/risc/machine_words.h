/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * machine_words.h - what is the same in machine.h of processors whose text is words.
 *
 * Owns: the small facts, inline.  machine.h has kp_text_unit, what of text one store writes.
 *
 * No locks; what says so is trap path.
 */
#ifndef KP_KERNEL_MACHINE_WORDS_H
#define KP_KERNEL_MACHINE_WORDS_H

#include <linux/irqflags.h>
#include <linux/mm.h>
#include <linux/string.h>

/* ---- traps --------------------------------------------------------------------- */

/* What each adds to the preemption counter: nothing that an interrupt would. */
#define KP_TRAP_COUNT 0

/* Does a handler of the caller's run in a trap?  The caller has interrupts on. */
static inline bool kp_in_trap(void)
{
	return irqs_disabled();
}

/* Else what returns from a trap loads every register, the stack pointer too. */
#ifndef KP_SETTLES
static __always_inline void kp_settle(struct pt_regs *regs)
{
}
static __always_inline bool kp_is_settled(const struct pt_regs *regs)
{
	return true;
}
#endif

bool kp_kernel_fixup_exception(struct pt_regs *regs);

/* ---- text ---------------------------------------------------------------------- */

/* Else it is executed and not written, and written elsewhere, as what is executed may be. */
#ifndef KP_TEXT_IN_PLACE
#define KP_TEXT_IN_PLACE 0
#define KP_EXEC_ALWAYS 0
#endif

/* Else all that is executed is reached by tables of pages. */
#ifndef KP_DIRECT_EXEC
#define KP_DIRECT_EXEC 0
#define kp_is_direct(addr) false

static inline struct page *kp_core_page(uintptr_t addr)
{
	return phys_to_page(__pa_symbol(addr));
}
#endif

/* Trap path. */
static __always_inline void kp_copy_words(unsigned long *dst, uintptr_t from, size_t words)
{
	const unsigned long *src = (const unsigned long *)from;

	while (words--)
		WRITE_ONCE(*dst++, READ_ONCE(*src++));
}

/* What stands for an instruction, a breakpoint at least, in one store. */
static inline void kp_store_text(uint8_t *to, const uint8_t *from, size_t len)
{
	kp_text_unit unit;

	for (; len >= sizeof(unit); len -= sizeof(unit)) {
		memcpy(&unit, from, sizeof(unit));
		WRITE_ONCE(*(kp_text_unit *)to, unit);
		to += sizeof(unit);
		from += sizeof(unit);
	}
	while (len--)
		WRITE_ONCE(*to++, *from++);
}

/* text.c says what for. */
static inline bool kp_writes_twice(void)
{
	return false;
}

/* Filled in by the linker. */
static inline bool kp_is_gap(const uint8_t now[16])
{
	u64 words[2];

	memcpy(words, now, sizeof(words));
	return !words[0] && !words[1];
}

/* ---- what the kernel patches ---------------------------------------------------- */

#define KP_CALL_SITE_LEN 4

#ifndef KP_JUMP_LABEL_MAX
#define KP_JUMP_LABEL_MAX 4
#endif
static inline unsigned int kp_jump_label_len(const uint8_t now[2])
{
	return KP_JUMP_LABEL_MAX;
}

/* Behind a site of the tracer's, what is its own, too. */
#ifndef KP_FTRACE_BEHIND
#define KP_FTRACE_BEHIND 0
#endif

/* A failed check of an indirect call is a trap that is in no table: it stands for itself. */
#define KP_CHECK_LEN 4
#define KP_CHECK_TRAP 0

static inline bool kp_is_lock_prefix(uint8_t byte)
{
	return false;
}

/* A probe of the kernel's own covers so many bytes behind its address. */
#define KP_OTHERS_LEN 4
#define KP_OTHERS_STEP sizeof(kp_text_unit)

/* ---- assembly ------------------------------------------------------------------- */

/* An address that is taken, but no target of indirect calls and jumps. */
#define KP_ASM_NO_TARGET

/* ---- where tasks are -------------------------------------------------------------- */

/* KP_FRAME_SP: of machine.h. */
#define kp_frame_sp(frame) ((uintptr_t)READ_ONCE_NOCHECK((frame)[KP_FRAME_SP]))

/* Return addresses are in a register, and who is about to use one in the engine's. */
#define KP_RETURNS_UNDER_WAY 0

#endif
