/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * filter.h - a seccomp filter that has a verdict for one system call.
 *
 * Owns: its program.  Include it behind live.h; linux/filter.h must come late.
 */
#ifndef KP_LIVE_FILTER_H
#define KP_LIVE_FILTER_H

#include <stddef.h>
#include <sys/prctl.h>

#include <linux/filter.h>
#include <linux/seccomp.h>

/* For the calling thread; all other calls are allowed. */
static inline void live_filter(unsigned int call, unsigned int verdict)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, verdict),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

	NEED(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	NEED(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program));
}

#endif
