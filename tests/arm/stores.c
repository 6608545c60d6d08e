/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Real execution beside stores that the port does: each form that writes is executed at its
 * place and done by kp_arch_store; registers, flags, the IT block and memory must agree, and
 * the bytes that are written must be those that kp_arch_write_of and kp_arch_write_at say.  What
 * is said to write nothing must not, but for what a push puts on the stack.
 *
 * An arm program (run by qemu); sandbox.h says how.
 *
 * usage: stores COUNT SEED
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "forms.h"
#include "probe.h"
#include "store.h"
#include "watch.h"

static uintptr_t from, to;		/* what has been written */

static int update(void *arg, uintptr_t addr, unsigned int len,
		  void (*change)(void *op, const uint8_t *old, uint8_t *new), void *op)
{
	uint8_t old[KP_WATCH_STORE_MAX];

	(void)arg;
	memcpy(old, (const void *)addr, len);
	change(op, old, (uint8_t *)addr);
	from = from ? from : addr;
	to = addr + len;
	return 0;
}

static bool differs(const char *what)
{
	printf("# %s\n", what);
	return false;
}

/* Such as it is seen when it has faulted. */
static bool is_done(const struct kp_arm_access *access, const uint32_t *word)
{
	const struct kp_arch_memory memory = { .update = update };
	const struct kp_arch_vectors vectors = { .image = floats };
	struct kp_arm_regs regs = given;
	int err;

	from = to = 0;
	err = kp_arch_store((struct pt_regs *)&regs, &vectors, (const uint8_t *)word, insn.len,
			    access->addr + access->len - 1, &memory);
	if (err)
		return differs("declined");
	if (from != access->addr || to != access->addr + access->len)
		return differs("elsewhere");
	return same(&regs, &real);
}

static bool check(void)
{
	uint32_t word = insn.thumb && insn.len == 4 ? insn.word << 16 | insn.word >> 16 : insn.word;
	enum kp_arm_stored stored = kp_arm_stored(&insn);
	struct kp_arm_access access;
	struct kp_arch_write write;
	enum kp_arch_writes kind;
	uintptr_t addr = 0;
	size_t len = 0;

	kind = kp_arch_write_of(&write, address(place), (const uint8_t *)&word, insn.len,
				insn.thumb ? KP_ARCH_SECOND_SET : 0);
	undo_stores();
	if (stored == KP_ARM_STORES_NONE || !kp_arm_goes(&insn, given.cpsr)) {
		if (kind == KP_ARCH_WRITES_AT && kp_arch_write_at(&write, (struct pt_regs *)&given, &addr))
			return differs("its condition fails");
		return same_stores() || differs("it writes");
	}
	/* Floating point's of no length, or of registers that there are not. */
	if (stored == KP_ARM_STORES_UNCERTAIN || insn.pc)
		return true;
	kp_arm_store_place(&access, &insn, address(place), &given);
	if (kind == KP_ARCH_WRITES_AT)
		len = kp_arch_write_at(&write, (struct pt_regs *)&given, &addr);
	if (kind == KP_ARCH_WRITES_AT ? addr != access.addr || len != access.len :
	    kind != KP_ARCH_WRITES_NOT || access.n != KP_ARM_SP)
		return differs("said otherwise");
	return is_done(&access, &word) && (same_stores() || differs("memory"));
}

int main(int argc, char **argv)
{
	uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 0) : 100;

	setvbuf(stdout, NULL, _IOLBF, 0);
	random_state = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	return !sandbox_start() || check_forms("stores", count, check);
}
