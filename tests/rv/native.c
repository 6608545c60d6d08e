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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "sandbox.h"

static uint64_t random_state;

/* The pattern of each form; the bits of @random are free. */
static const struct form {
	const char *name;
	uint32_t word, random;
} forms[] = {
	{ "jal", 0x0000006F, 0xFFFFFF80 },
	{ "jalr", 0x00000067, 0xFFFF8F80 },
	{ "beq", 0x00000063, 0xFFFF8F80 }, { "bne", 0x00001063, 0xFFFF8F80 },
	{ "blt", 0x00004063, 0xFFFF8F80 }, { "bge", 0x00005063, 0xFFFF8F80 },
	{ "bltu", 0x00006063, 0xFFFF8F80 }, { "bgeu", 0x00007063, 0xFFFF8F80 },
	{ "auipc", 0x00000017, 0xFFFFFF80 },
	{ "c.j", 0xA001, 0x1FFC },
	{ "c.beqz", 0xC001, 0x1FFC }, { "c.bnez", 0xE001, 0x1FFC },
	{ "c.jr", 0x8002, 0x0F80 }, { "c.jalr", 0x9002, 0x0F80 },
	/* And some that are copied. */
	{ "addi", 0x00000013, 0xFFFFFF80 & ~0x3000u }, { "add", 0x00000033, 0x01FF8F80 },
	{ "lui", 0x00000037, 0xFFFFFF80 }, { "mul", 0x02000033, 0x01FFFF80 },
	{ "fadd.d", 0x02007053, 0x01FF8F80 }, { "fmv.x.d", 0xE2000053, 0x000F8F80 },
	{ "fence", 0x0000000F, 0x0FF00000 },
	{ "c.addi", 0x0001, 0x1FFC }, { "c.lui", 0x6001, 0x1FFC },
	{ "c.mv", 0x8002, 0x0FFC }, { "c.add", 0x9002, 0x0FFC },
	{ "c.sub", 0x8C01, 0x03FC },
};

static bool goes(const struct kp_rv_insn *insn)
{
	return kp_rv_is_relative(insn) || insn->class == KP_RV_JALR;
}

static uint64_t *reg(struct state *state, unsigned int nr)
{
	return &state->regs.x1[nr - 1];
}

/* Is this one such as a run can show: it comes to a breakpoint, not into itself? */
static bool is_usable(const struct kp_rv_insn *insn)
{
	if (insn->class == KP_RV_AUIPC)
		return true;
	if (insn->class == KP_RV_JALR)
		return insn->rs1 != KP_RV_ZERO;
	if (kp_rv_is_relative(insn))
		return insn->offset < 0 || insn->offset >= insn->len;
	return insn->class == KP_RV_PLAIN;
}

/* An indirect jump goes into the area, before the place; its lowest bit counts for nothing. */
static void aim(const struct kp_rv_insn *insn)
{
	if (insn->class == KP_RV_JALR)
		*reg(&given, insn->rs1) = address(next_random(&random_state) % (PLACE - 8)) -
					  (uint64_t)insn->offset;
	/* Equal numbers are not met by chance. */
	if (insn->class == KP_RV_BRANCH && insn->rs1 != KP_RV_ZERO && insn->rs2 != KP_RV_ZERO &&
	    next_random(&random_state) & 1)
		*reg(&given, insn->rs2) = *reg(&given, insn->rs1);
}

static bool check_emulated(const struct kp_rv_insn *insn, size_t place, const struct state *real)
{
	struct state computed = given;

	if (kp_rv_emulate(insn, address(place), &computed.regs))
		return !goes(insn) && same(&computed, &given);
	return goes(insn) && same(&computed, real);
}

static void execute(const struct kp_rv_insn *insn, size_t place)
{
	given.regs.pc = address(place);
	put_insn(place, insn->word);
	run();
	take_insn(place);
}

static bool check_moved(const struct kp_rv_insn *insn, size_t place, const struct state *real)
{
	if (goes(insn))
		return true;
	execute(insn, ELSEWHERE);
	got.regs.pc += address(place) - address(ELSEWHERE);
	return stopped_by == SIGTRAP && same(&got, real);
}

static bool check(const struct form *form)
{
	/* Instructions of four bytes at odd halves, and on two pages, too. */
	size_t place = PLACE - 2 + next_random(&random_state) % 3 * 2;
	struct kp_rv_insn insn;
	struct state real;

	do {
		kp_rv_decode(&insn, form->word | ((uint32_t)next_random(&random_state) & form->random));
	} while (!is_usable(&insn));
	randomize(&given, &random_state);
	aim(&insn);
	execute(&insn, place);
	real = got;
	if (stopped_by == SIGTRAP && check_emulated(&insn, place, &real) &&
	    check_moved(&insn, place, &real))
		return true;
	printf("# %08x %s: signal %d, real pc %llx (%+lld)\n", insn.word, form->name, stopped_by,
	       (unsigned long long)real.regs.pc, (long long)(real.regs.pc - address(place)));
	return false;
}

int main(int argc, char **argv)
{
	uint64_t j, wrong, count = argc > 1 ? strtoull(argv[1], NULL, 0) : 100;
	int failed = 0;
	size_t i;

	random_state = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	if (!sandbox_start())
		return 1;
	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		for (j = wrong = 0; j < count && wrong < 5; j++)
			wrong += !check(&forms[i]);
		printf("%sok rv64-native-%s %llu runs\n", wrong ? "not " : "", forms[i].name,
		       (unsigned long long)j);
		failed += wrong != 0;
	}
	return failed != 0;
}
