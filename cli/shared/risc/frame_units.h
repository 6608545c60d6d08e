/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * frame_units.h - registers for floating point of arm, arm64, riscv64 and MIPS.
 *
 * Owns: how they are kept for a thread that is borrowed.  The processor may have more, which
 * no system call's caller expects to find again.  frame.c includes this behind
 *
 *	UNITS		a type: what there is of them, as ptrace has it
 *	UNITS_SET	whose set of ptrace's that is
 *	usual()		makes them round the usual way
 *	has_more()	tells whether a thread computes with what is not in it
 */
#ifndef KP_CLI_FRAME_UNITS_H
#define KP_CLI_FRAME_UNITS_H

int frame_save_vectors(struct thread *thread)
{
	/* At a call it has given them up. */
	if (!thread->at_call && has_more(thread->tid))
		return EAGAIN;
	return take_units(thread, UNITS_SET, sizeof(UNITS));
}

/* The program may round its own way, or have exceptions reported. */
void frame_usual_units(pid_t tid)
{
	UNITS units;
	struct iovec part = { &units, sizeof(units) };

	if (ptrace(PTRACE_GETREGSET, tid, UNITS_SET, &part))
		return;
	usual(&units);
	ptrace(PTRACE_SETREGSET, tid, UNITS_SET, &part);
}

#endif
