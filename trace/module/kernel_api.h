/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kernel_api.h - what kprobes_trace.ko offers to whoever traces the kernel.
 *
 * Owns: the file, its requests and its limits.  An open file is one tracer, of its
 * own, up to its last descriptor and mapping:
 *
 * 1. open() for reading and writing, with O_CLOEXEC.
 * 2. One write() of a whole program (vm/program.h).  Refused: -EINVAL, and read()
 *    says why; another may then be tried.  One whose arena is too large: -ENOMEM.  A
 *    second one after success: -EBUSY.
 * 3. mmap() the arena, MAP_SHARED, from offset 0, at most kt_layout()'s size in whole
 *    pages.  A child that is forked does not get the mapping.
 * 4. KT_KERNEL_START sets the probes.  How many of them are refused is what it
 *    returns; kt_probe_state.error has each one's errno, and read() the reasons.
 * 5. KT_KERNEL_STOP takes them away again, and may be followed by another START; the
 *    end of the tracer, and so of its process, does the same and frees everything.
 *
 * read() gives a line for each refusal: "NUMBER ERRNO REASON", of the program as a
 * whole "- ERRNO REASON".  Read from position 0: what is there then.
 *
 * It all takes CAP_SYS_ADMIN and CAP_SYS_RAWIO, and a kernel that is not locked down.
 */
#ifndef KT_KERNEL_API_H
#define KT_KERNEL_API_H

#include <linux/ioctl.h>
#include "kt_types.h"

#define KT_KERNEL_FILE "/proc/kprobes_trace"

/* Bytes; and all arenas together take at most a quarter of the memory. */
#define KT_KERNEL_PROGRAM_MAX	(128u << 20)
#define KT_KERNEL_ARENA_MAX	(1ull << 30)

/*
 * Kernel memory for what runs in the reader: len bytes from addr on are written to
 * "to".  How many could be read is the result; none: -EFAULT.
 */
struct kt_kernel_peek {
	u64 addr;
	u64 to;
	u64 len;
};
#define KT_KERNEL_PEEK_MAX 65536

#define KT_KERNEL_START	_IO('k', 0x80)		/* see above */
#define KT_KERNEL_STOP	_IO('k', 0x81)
/* Bring kt_probe_state.missed up to date; STOP does so, too. */
#define KT_KERNEL_COUNT	_IO('k', 0x82)
#define KT_KERNEL_PEEK	_IOW('k', 0x83, struct kt_kernel_peek)

#endif
