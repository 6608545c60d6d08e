// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * frame.c - signal frames on riscv64, and the code in the mailbox.
 *
 * Owns: struct rt_sigframe as the kernel reads it: a siginfo_t, a ucontext_t, which ends
 * with the registers for floating point and a list of what else there is, here of nothing;
 * and the code:
 *
 *	jalr	s2		the injected function
 *	mv	s3, a0		its result, for us
 *	li	a7, 222		mmap of nothing: where we notice that it is over
 *	li	a1, 0
 *	ecall
 *	li	a7, 139		nobody noticed: rt_sigreturn
 *	ecall
 *
 * Vectors (V) do not survive a system call.  A thread that computes with them is not
 * borrowed.
 */
#include "frame.h"

#include <errno.h>
#include <linux/elf.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <ucontext.h>

#define NT_VECTORS 0x901		/* NT_RISCV_VECTOR */
#define VECTORS_MAGIC 0x53465457u	/* what is saved of them, in the list */

static const uint32_t code[] = {
	0x000900e7,			/* jalr s2 */
	0x00050993,			/* mv s3, a0 */
	0x0de00893,			/* li a7, 222 */
	0x00000593,			/* li a1, 0 */
	0x00000073,			/* ecall */
	0x08b00893,			/* li a7, 139 */
	0x00000073,			/* ecall */
};
#define OVER 5u				/* behind the first ecall */

#include "frame_words.h"

#define AT_CONTEXT offsetof(struct frame, uc.uc_mcontext)
#define AT_UNITS offsetof(struct frame, uc.uc_mcontext.__fpregs)
/* In the units' place: a word that is 0, then the list. */
#define AT_LIST (AT_UNITS + 516)

_Static_assert(AT_CONTEXT == 304 && AT_UNITS == AT_CONTEXT + 256 &&
	       AT_LIST + 12 == sizeof(struct frame), "struct rt_sigframe");

/* ---- writing one ---------------------------------------------------------------- */

uint64_t frame_write(const struct remote *remote, uint64_t top,
		     const struct thread *thread, const struct tracee_regs *regs,
		     uint64_t mask, uint64_t restorer)
{
	uint64_t frame = (top - sizeof(struct frame)) & ~15ull;
	struct frame image = { .info = { SIGTRAP } };

	(void)restorer;			/* the stack does not say where to return to */
	image.uc.uc_stack.ss_flags = 0x7ead;	/* invalid: stays as it is */
	memcpy(&image.uc.uc_sigmask, &mask, sizeof(mask));
	memcpy(image.uc.uc_mcontext.__gregs, regs->x, sizeof(regs->x));
	memcpy(&image.uc.uc_mcontext.__fpregs, thread->vectors, thread->vectors_len);
	return remote_write(remote, frame, &image, sizeof(image)) ? 0 : frame;
}

/* ---- the units -------------------------------------------------------------------- */

/* Does it compute with more than a signal's frame of ours has? */
static bool has_more(pid_t tid)
{
	uint64_t first[6];
	struct iovec part = { first, sizeof(first) };

	return !ptrace(PTRACE_GETREGSET, tid, NT_VECTORS, &part);
}

#include "frame_fcsr.h"
#include "frame_units.h"

/* ---- finding one ------------------------------------------------------------------- */

/* Nothing in a frame is there to tell it; but all that stands before and behind it. */
bool frame_is_saved(const struct remote *remote, uint64_t addr)
{
	uint64_t frame = addr - AT_CONTEXT, links[2];
	int32_t info[2];
	uint32_t list[3];

	return !remote_read(remote, frame, info, sizeof(info)) &&
	       !remote_read(remote, frame + offsetof(struct frame, uc), links,
			    sizeof(links)) &&
	       !remote_read(remote, frame + AT_LIST, list, sizeof(list)) &&
	       info[0] > 0 && info[0] <= 64 && !links[0] && !links[1] &&
	       !list[0] && (list[1] == VECTORS_MAGIC || (!list[1] && !list[2]));
}
