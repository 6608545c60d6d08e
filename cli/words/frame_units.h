/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * frame_units.h - registers for floating point, 32 of 64 bits, of riscv64 and MIPS.
 *
 * Owns: how they are kept for a thread that is borrowed.  The processor may have more, which
 * no system call's caller expects to find again: frame.c includes this behind has_more(), which
 * tells whether a thread computes with that.
 */
#ifndef KP_CLI_FRAME_UNITS_H
#define KP_CLI_FRAME_UNITS_H

/* As ptrace has them, too. */
struct units {
	uint64_t f[32];
	uint32_t fcsr, unused;
};

int frame_save_vectors(struct thread *thread)
{
	/* At a call it has given them up. */
	if (!thread->at_call && has_more(thread->tid))
		return EAGAIN;
	return take_units(thread, NT_PRFPREG, sizeof(struct units));
}

/* The program may round its own way. */
void frame_usual_units(pid_t tid)
{
	struct units units;
	struct iovec part = { &units, sizeof(units) };

	if (ptrace(PTRACE_GETREGSET, tid, NT_PRFPREG, &part))
		return;
	units.fcsr = 0;
	ptrace(PTRACE_SETREGSET, tid, NT_PRFPREG, &part);
}

#endif
