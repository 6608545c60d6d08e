// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * frame.c - signal frames on arm64, and the code in the mailbox.
 *
 * Owns: struct rt_sigframe as the kernel reads it: a siginfo_t, a ucontext_t, and in
 * that a record with the vector registers; and the code:
 *
 *	blr	x19		the injected function
 *	mov	x20, x0		its result, for us
 *	mov	x7, x21		as the program has it: at a call's stop it cannot be set
 *	mov	x8, #222	mmap of nothing: where we notice that it is over
 *	mov	x1, #0
 *	svc	#0
 *	mov	x8, #139	nobody noticed: rt_sigreturn
 *	svc	#0
 *
 * What SVE has beyond these registers does not survive a system call.  A thread that
 * computes with it is not borrowed.
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

#define NT_SVE 0x405
#define NT_SSVE 0x40b
#define NT_ZA 0x40c
#define SVE_LIVE 1u			/* SVE_PT_REGS_SVE */

#define RECORD_MAGIC 0x46508001u	/* FPSIMD_MAGIC */
#define RECORD_LEN 528u

static const uint32_t code[] = {
	0xd63f0260,			/* blr x19 */
	0xaa0003f4,			/* mov x20, x0 */
	0xaa1503e7,			/* mov x7, x21 */
	0xd2801bc8,			/* mov x8, #222 */
	0xd2800001,			/* mov x1, #0 */
	0xd4000001,			/* svc #0 */
	0xd2801168,			/* mov x8, #139 */
	0xd4000001,			/* svc #0 */
};
#define OVER 6u				/* behind the first svc */

#include "frame_words.h"

/* The kernel's ucontext_t ends with records, in bytes of the same layout. */
struct record {
	uint32_t magic, len;
	uint32_t fpsr, fpcr;
	uint8_t vectors[512];
};

#define AT_CONTEXT offsetof(struct frame, uc.uc_mcontext)
#define AT_PC (AT_CONTEXT + offsetof(mcontext_t, pc))
#define AT_RECORDS (AT_CONTEXT + offsetof(mcontext_t, __reserved))

_Static_assert(sizeof(struct record) == RECORD_LEN, "struct fpsimd_context");
_Static_assert(AT_CONTEXT == 304, "struct rt_sigframe");

/* ---- writing one ---------------------------------------------------------------- */

/* As ptrace has them: vectors, then fpsr and fpcr. */
static void fill_record(struct record *record, const struct thread *thread)
{
	const struct user_fpsimd_struct *units = thread->vectors;

	record->magic = RECORD_MAGIC;
	record->len = RECORD_LEN;
	record->fpsr = units->fpsr;
	record->fpcr = units->fpcr;
	memcpy(record->vectors, units->vregs, sizeof(record->vectors));
}

uint64_t frame_write(const struct remote *remote, uint64_t top,
		     const struct thread *thread, const struct tracee_regs *regs,
		     uint64_t mask, uint64_t restorer)
{
	uint64_t frame = (top - sizeof(struct frame)) & ~15ull;
	struct frame *image = calloc(1, sizeof(*image));
	struct record record;
	mcontext_t *mc;
	int err;

	(void)restorer;			/* the stack does not say where to return to */
	if (!image)
		return 0;
	mc = &image->uc.uc_mcontext;
	image->uc.uc_stack.ss_flags = 0x7ead;	/* invalid: stays as it is */
	memcpy(&image->uc.uc_sigmask, &mask, sizeof(mask));
	memcpy(mc->regs, regs->x, sizeof(regs->x));
	mc->sp = regs->sp;
	mc->pc = regs->pc;
	mc->pstate = regs->pstate;
	fill_record(&record, thread);
	memcpy(mc->__reserved, &record, sizeof(record));
	err = remote_write(remote, frame, image, sizeof(*image));
	free(image);
	return err ? 0 : frame;
}

/* ---- the units -------------------------------------------------------------------- */

/* The first bytes of a set: its length, then the longest it may have, lengths, flags. */
struct head {
	uint32_t len, most;
	uint16_t vl, vl_most, flags, unused;
};

static bool head_of(pid_t tid, int set, struct head *head)
{
	struct iovec part = { head, sizeof(*head) };

	return !ptrace(PTRACE_GETREGSET, tid, set, &part) &&
	       part.iov_len == sizeof(*head);
}

/* Does it compute with more than a signal's frame of ours has? */
static bool has_more(pid_t tid)
{
	struct head head;

	return (head_of(tid, NT_SVE, &head) && head.flags & SVE_LIVE) ||
	       (head_of(tid, NT_SSVE, &head) && head.flags & SVE_LIVE) ||
	       (head_of(tid, NT_ZA, &head) && head.len > sizeof(head));
}

#define UNITS struct user_fpsimd_struct
#define UNITS_SET NT_PRFPREG

static void usual(UNITS *units)
{
	units->fpcr = units->fpsr = 0;
}

#include "frame_units.h"

/* ---- finding one ------------------------------------------------------------------- */

/* The record of vectors begins behind the registers in any frame. */
bool frame_is_saved(const struct remote *remote, uint64_t addr)
{
	uint32_t head[2];

	return !remote_read(remote, addr + (AT_RECORDS - AT_PC), head, sizeof(head)) &&
	       head[0] == RECORD_MAGIC && head[1] == RECORD_LEN;
}
