/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * boundary.c - does an instruction start at this address?
 *
 * Owns: the walk over a function from its first byte (K-REG-34, 35).  The walk
 * remembers where it got to, so a batch over one function in ascending order
 * decodes it once; the memory is dropped between batches because text may
 * change in between.
 *
 * Locks: the registry lock.
 */
#include "boundary.h"
#include "unpatched.h"

static uintptr_t walk_start, walk_pos;

void kp_boundary_reset(void)
{
	walk_start = 0;
	walk_pos = 0;
}

/* As many of the len bytes at addr as can be read; 0 when none. */
static size_t read_some(uint8_t *dst, uintptr_t addr, size_t len)
{
	while (len && kp_unpatched_read(dst, addr, len))
		len /= 2;
	return len;
}

/* 0 when addr is reached exactly, else -EILSEQ. */
int kp_boundary_check(uintptr_t start, uintptr_t addr, unsigned int text_flags)
{
	uint8_t bytes[128];
	size_t have = 0, at = 0;
	uintptr_t pos = start;

	kp_host_assert_locked(KP_LOCK_REGISTRY);
	if (walk_start == start && walk_pos <= addr)
		pos = walk_pos;
	while (pos < addr) {
		struct kp_arch_decoded insn;
		int err = -ENODATA;

		if (at < have)
			err = kp_arch_decode(&insn, bytes + at, have - at, text_flags);
		if (err == -ENODATA) {
			have = read_some(bytes, pos, sizeof(bytes));
			at = 0;
			err = kp_arch_decode(&insn, bytes, have, text_flags);
		}
		if (err)
			return -EILSEQ;
		pos += insn.len;
		at += insn.len;
	}
	if (pos != addr)
		return -EILSEQ;
	walk_start = start;
	walk_pos = pos;
	return 0;
}
