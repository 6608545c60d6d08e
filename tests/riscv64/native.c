/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Real execution beside emulation: each form that reads or writes the PC is executed at its
 * place and computed by kp_rv_emulate; each that does not is executed at another place.
 * Registers, floating point and the PC must agree.
 *
 * A riscv64 program (run by qemu); sandbox.h says how.
 *
 * usage: native COUNT SEED
 */
#include <signal.h>
#include <stdlib.h>

#include "forms.h"

static bool check_emulated(void)
{
	struct state computed = given;

	if (kp_rv_emulate(&insn, address(place), &computed.regs))
		return !goes() && same(&computed, &given);
	return goes() && same(&computed, &real);
}

static bool check_moved(void)
{
	if (goes())
		return true;
	execute(ELSEWHERE);
	got.regs.pc += address(place) - address(ELSEWHERE);
	return stopped_by == SIGTRAP && same(&got, &real);
}

static bool check(void)
{
	return check_emulated() && check_moved();
}

int main(int argc, char **argv)
{
	uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 0) : 100;

	random_state = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	return !sandbox_start() || check_forms("native", count, check);
}
