/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * frame_words.h - what signal frames of arm64, riscv64, arm and MIPS have in common.
 *
 * Owns: a frame that is a siginfo_t and a ucontext_t and begins where the stack pointer is;
 * where a handler returns to stands in a register, and so nowhere to be seen.
 *
 * The processor's frame.c includes it once, behind `code`, words for the mailbox, and OVER,
 * how many of them there are up to behind the first system call.
 */
#ifndef KP_CLI_FRAME_WORDS_H
#define KP_CLI_FRAME_WORDS_H

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <ucontext.h>

/* What stands before the siginfo_t. */
#ifndef FRAME_AHEAD
#define FRAME_AHEAD 0
#endif

struct frame {
	uint8_t info[FRAME_AHEAD + 128];
	ucontext_t uc;
};

#define AT_MASK offsetof(struct frame, uc.uc_sigmask)

const uint8_t *frame_code(size_t *len)
{
	*len = sizeof(code);
	return (const uint8_t *)code;
}

uint64_t frame_over(void)
{
	return OVER * sizeof(code[0]);
}

uint64_t frame_room(void)
{
	return sizeof(struct frame) + 1024;
}

uint64_t frame_return_sp(uint64_t frame)
{
	return frame;
}

uint64_t frame_mask_at(uint64_t frame)
{
	return frame + AT_MASK;
}

/* A set of ptrace's, of len bytes: what the thread has of it.  0 or an errno. */
static int take_units(struct thread *thread, int set, size_t len)
{
	struct iovec part = { .iov_len = len };

	part.iov_base = thread->vectors = calloc(1, len);
	if (!thread->vectors)
		return errno;
	thread->vectors_set = set;
	thread->vectors_len = len;
	return ptrace(PTRACE_GETREGSET, thread->tid, set, &part) ? errno : 0;
}

bool frame_has_ip(const struct remote *remote, uint64_t addr, uint64_t *from)
{
	*from = 0;
	return frame_is_saved(remote, addr);
}

#endif
