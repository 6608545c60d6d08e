// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * frame.c - signal frames on MIPS, and the code in the mailbox.
 *
 * Owns: struct rt_sigframe as the kernel reads it: room for arguments, a siginfo_t and a
 * ucontext_t; and the code:
 *
 *	move	a0, s0		the function's arguments
 *	move	a1, s1
 *	move	t9, s2		the injected function, which finds itself by that
 *	jalr	t9
 *	nop
 *	move	s3, v0		its result, for us
 *	li	v0, 5009	mmap of nothing (o32: mmap2): where we notice that it is over
 *	li	a1, 0
 *	syscall
 *	li	v0, 5211	nobody noticed: rt_sigreturn (o32: 4193)
 *	syscall
 *
 * Of vectors (MSA) the kernel keeps more than a frame of ours has: a thread that computes
 * with them is not borrowed.
 */
#include "abi.h"
#include "frame.h"

#include <errno.h>
#include <linux/elf.h>
#include <stddef.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <ucontext.h>

#define NT_DSP 0x800			/* NT_MIPS_DSP */
#define NT_MSA 0x802			/* NT_MIPS_MSA */

static const uint32_t code[] = {
	0x02002025,			/* move a0, s0 */
	0x02202825,			/* move a1, s1 */
	0x0240c825,			/* move t9, s2 */
	0x0320f809,			/* jalr t9 */
	0x00000000,			/* nop */
	0x00409825,			/* move s3, v0 */
	ABI_LI_MMAP,
	0x24050000,			/* li a1, 0 */
	0x0000000c,			/* syscall */
	ABI_LI_RETURN,
	0x0000000c,			/* syscall */
};
#define OVER 9u				/* behind the first syscall */

#define FRAME_AHEAD 24

#include "frame_words.h"

#define AT_IP offsetof(struct frame, uc.uc_mcontext.pc)

#define AT_REGS offsetof(struct frame, uc.uc_mcontext.gregs)
/* By which a frame is told: what the processor's state for floating point is used for. */
#define AT_USED offsetof(struct frame, uc.uc_mcontext.used_math)

_Static_assert(AT_REGS == 24 + 128 + 40, "struct rt_sigframe");
#if ABI_WIDE
_Static_assert(AT_IP == AT_REGS + 576 && AT_MASK == 24 + 128 + 640, "struct rt_sigframe, n64");
#else
_Static_assert(AT_IP == AT_REGS - 8 && AT_MASK == 24 + 128 + 616, "struct rt_sigframe, o32");
#endif

/* ---- the units -------------------------------------------------------------------- */

/* Does it compute with more than a signal's frame of ours has?  Unused it is all ones. */
static bool has_more(pid_t tid)
{
	uint64_t w[32][2];
	struct iovec part = { w, sizeof(w) };
	bool more = false;
	int i;

	if (ptrace(PTRACE_GETREGSET, tid, NT_MSA, &part))
		return false;
	for (i = 0; i < 32; i++)
		more |= w[i][1] != ~0ull;
	return more;
}

#include "frame_fcsr.h"
#include "frame_units.h"

/* ---- writing one ---------------------------------------------------------------- */

/* ptrace has them as wide as a frame of the same kind of programs. */
typedef __typeof__(((mcontext_t *)0)->hi1) sum_t;

/* More sums, where the processor has them: hi1, lo1 ... lo3, and flags. */
static void fill_sums(mcontext_t *to, pid_t tid)
{
	sum_t sums[7];
	struct iovec part = { sums, sizeof(sums) };

	if (ptrace(PTRACE_GETREGSET, tid, NT_DSP, &part))
		return;
	to->hi1 = sums[0];
	to->lo1 = sums[1];
	to->hi2 = sums[2];
	to->lo2 = sums[3];
	to->hi3 = sums[4];
	to->lo3 = sums[5];
	to->dsp = (unsigned int)sums[6];
}

static void fill(mcontext_t *to, const struct thread *thread, const struct tracee_regs *regs)
{
	struct units units;

	memcpy(to->gregs, regs->x, sizeof(to->gregs));
	to->gregs[0] = 0;
	to->mdlo = regs->x[32];
	to->mdhi = regs->x[33];
	to->pc = regs->x[TRACEE_PC];
	fill_sums(to, thread->tid);
	if (!thread->vectors)
		return;
	memcpy(&units, thread->vectors, sizeof(units));
	memcpy(&to->fpregs, units.f, sizeof(units.f));
	to->fpc_csr = units.fcsr;
	to->used_math = 1;
}

uint64_t frame_write(const struct remote *remote, uint64_t top,
		     const struct thread *thread, const struct tracee_regs *regs,
		     uint64_t mask, uint64_t restorer)
{
	uint64_t frame = (top - sizeof(struct frame)) & ~15ull;
	const uint64_t set[2] = { mask, thread->mask_rest };
	struct frame image = { .info = { [FRAME_AHEAD] = SIGTRAP } };

	(void)restorer;			/* the stack does not say where to return to */
	image.uc.uc_stack.ss_flags = 0x7ead;	/* invalid: stays as it is */
	memcpy(&image.uc.uc_sigmask, set, sizeof(set));
	fill(&image.uc.uc_mcontext, thread, regs);
	return remote_write(remote, frame, &image, sizeof(image)) ? 0 : frame;
}

/* ---- finding one ------------------------------------------------------------------- */

/* Nothing in a frame is there to tell it; but all that stands before and behind it. */
bool frame_is_saved(const struct remote *remote, uint64_t addr)
{
	uint64_t frame = addr - AT_IP, zero;
	unsigned long links[2];
	int32_t signal;
	uint32_t used;

	return !remote_read(remote, frame + FRAME_AHEAD, &signal, sizeof(signal)) &&
	       !remote_read(remote, frame + offsetof(struct frame, uc), links, sizeof(links)) &&
	       !remote_read(remote, frame + AT_REGS, &zero, sizeof(zero)) &&
	       !remote_read(remote, frame + AT_USED, &used, sizeof(used)) &&
	       signal > 0 && signal < _NSIG && links[0] <= 1 && !links[1] && !zero && used <= 0x1f;
}
