/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Real execution beside emulation: each form that reads or writes the PC is executed at its
 * place and computed by kp_arm_emulate; each that
 * does not is executed at another place.  Registers, flags, the instruction set, the IT block
 * and memory must agree.
 *
 * An arm program (run by qemu); sandbox.h says how.
 *
 * usage: native COUNT SEED
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch.h"
#include "forms.h"

static int read_memory(uintptr_t addr, void *dst, size_t len)
{
	memcpy(dst, (const void *)addr, len);
	return 0;
}

static int write_memory(uintptr_t addr, const void *src, size_t len)
{
	memcpy((void *)addr, src, len);
	return 0;
}

/* What is not computed is the same elsewhere. */
static int move(struct kp_arm_regs *regs)
{
	execute(ELSEWHERE);
	take(ELSEWHERE, 16);
	*regs = got;
	regs->pc += address(place) - address(ELSEWHERE);
	return stopped_by == SIGTRAP || stopped_by == SIGILL ? 0 : -EFAULT;
}

static bool check(void)
{
	static const struct kp_arch_mem mem = { read_memory, write_memory };
	struct kp_arm_regs computed = given;
	bool right;
	int err;

	undo_stores();
	err = kp_arm_emulate(&insn, address(place), &computed, &mem);
	if (err == -EOPNOTSUPP && same(&computed, &given))
		err = move(&computed);
	right = !err && same(&computed, &real);
	if (!same_stores()) {
		printf("# memory\n");
		right = false;
	}
	return right;
}

int main(int argc, char **argv)
{
	uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 0) : 100;

	setvbuf(stdout, NULL, _IOLBF, 0);
	random_state = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	return !sandbox_start() || check_forms("native", count, check);
}
