// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * frame.c - signal frames on arm, and the code in the mailbox.
 *
 * Owns: struct rt_sigframe as the kernel reads it: a siginfo_t, a ucontext_t, which ends
 * with blocks of what units there are, each with its mark and length; the older frame, of
 * handlers without SA_SIGINFO, as far as it is found on stacks; and the code, of A32:
 *
 *	mov	r0, r5		the function's arguments
 *	mov	r1, r6
 *	blx	r4		the injected function, of either set
 *	mov	r8, r0		its result, for us
 *	mov	r7, #192	mmap2 of nothing: where we notice that it is over
 *	mov	r1, #0
 *	svc	#0
 *	mov	r7, #173	nobody noticed: rt_sigreturn
 *	svc	#0
 */
#include "frame.h"

#include <linux/elf.h>
#include <stddef.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <ucontext.h>

#define NT_VFP 0x400			/* NT_ARM_VFP */

static const uint32_t code[] = {
	0xe1a00005,			/* mov r0, r5 */
	0xe1a01006,			/* mov r1, r6 */
	0xe12fff34,			/* blx r4 */
	0xe1a08000,			/* mov r8, r0 */
	0xe3a070c0,			/* mov r7, #192 */
	0xe3a01000,			/* mov r1, #0 */
	0xef000000,			/* svc #0 */
	0xe3a070ad,			/* mov r7, #173 */
	0xef000000,			/* svc #0 */
};
#define OVER 7u				/* behind the first svc */

/* As ptrace has them. */
struct units {
	uint64_t d[32];
	uint32_t fpscr;
} __attribute__((packed, aligned(4)));

/* The unit's block, and what it has of exceptions that wait: of none. */
struct block {
	uint32_t mark, len;
	uint8_t units[264], waiting[16];
};
#define BLOCK_MARK 0x56465001u
/* What another unit's takes, on kernels that know one. */
#define OTHER_LEN 160u

#include "frame_words.h"

#define AT_IP offsetof(struct frame, uc.uc_mcontext.arm_pc)
#define AT_BLOCK offsetof(struct frame, uc.uc_regspace)

_Static_assert(sizeof(struct units) == 260 && sizeof(struct block) == 288, "NT_ARM_VFP");
_Static_assert(AT_IP == 128 + 92 && AT_MASK == 128 + 104 && AT_BLOCK == 128 + 232,
	       "struct rt_sigframe");

/* ---- writing one ---------------------------------------------------------------- */

/* In the kernel's order: r0 to CPSR. */
static void fill(mcontext_t *to, const struct tracee_regs *regs)
{
	_Static_assert(offsetof(mcontext_t, arm_cpsr) - offsetof(mcontext_t, arm_r0) ==
		       4 * TRACEE_FLAGS, "r0 to CPSR");
	memcpy(&to->arm_r0, regs->x, 4 * (TRACEE_FLAGS + 1));
}

uint64_t frame_write(const struct remote *remote, uint64_t top,
		     const struct thread *thread, const struct tracee_regs *regs,
		     uint64_t mask, uint64_t restorer)
{
	uint64_t frame = (top - sizeof(struct frame)) & ~15ull;
	struct frame image = { .info = { SIGTRAP } };
	struct block block = { .mark = BLOCK_MARK, .len = sizeof(block) };

	(void)restorer;			/* the stack does not say where to return to */
	image.uc.uc_stack.ss_flags = 0x7ead;	/* invalid: stays as it is */
	memcpy(&image.uc.uc_sigmask, &mask, sizeof(mask));
	fill(&image.uc.uc_mcontext, regs);
	if (thread->vectors_len) {
		memcpy(block.units, thread->vectors, thread->vectors_len);
		memcpy(image.uc.uc_regspace, &block, sizeof(block));
	}
	return remote_write(remote, frame, &image, sizeof(image)) ? 0 : frame;
}

/* ---- the units -------------------------------------------------------------------- */

#define UNITS struct units
#define UNITS_SET NT_VFP

static void usual(UNITS *units)
{
	units->fpscr = 0;
}

/* There is no more. */
static bool has_more(pid_t tid)
{
	(void)tid;
	return false;
}

#include "frame_units.h"

/* ---- finding one ------------------------------------------------------------------- */

static bool is_block(const struct remote *remote, uint64_t addr)
{
	uint32_t head[2];

	return !remote_read(remote, addr, head, sizeof(head)) && head[0] == BLOCK_MARK &&
	       head[1] == sizeof(struct block);
}

/* What follows a frame's registers is the same in either. */
bool frame_is_saved(const struct remote *remote, uint64_t addr)
{
	uint64_t at = addr - AT_IP + AT_BLOCK;

	return is_block(remote, at) || is_block(remote, at + OTHER_LEN);
}
