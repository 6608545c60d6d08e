/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * forms.c - instructions at random, executed for real.
 *
 * Owns: what forms.h says.
 */
#include <signal.h>
#include <stdio.h>

#include "forms.h"
#include "random.h"

struct kp_rv_insn insn;
size_t place;
struct state real;
uint64_t random_state;

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

bool goes(void)
{
	return kp_rv_is_relative(&insn) || insn.class == KP_RV_JALR;
}

static uint64_t *reg(struct state *state, unsigned int nr)
{
	return &state->regs.x1[nr - 1];
}

/* Is this one such as a run can show: it comes to a breakpoint, not into itself? */
static bool is_usable(void)
{
	if (insn.class == KP_RV_AUIPC)
		return true;
	if (insn.class == KP_RV_JALR)
		return insn.rs1 != KP_RV_ZERO;
	if (kp_rv_is_relative(&insn))
		return insn.offset < 0 || insn.offset >= insn.len;
	return insn.class == KP_RV_PLAIN;
}

/* An indirect jump goes into the area, before the place; its lowest bit counts for nothing. */
static void aim(void)
{
	if (insn.class == KP_RV_JALR)
		*reg(&given, insn.rs1) = address(next_random(&random_state) % (PLACE - 8)) -
					  (uint64_t)insn.offset;
	/* Equal numbers are not met by chance. */
	if (insn.class == KP_RV_BRANCH && insn.rs1 != KP_RV_ZERO && insn.rs2 != KP_RV_ZERO &&
	    next_random(&random_state) & 1)
		*reg(&given, insn.rs2) = *reg(&given, insn.rs1);
}

void execute(size_t at)
{
	given.regs.pc = address(at);
	put_insn(at, insn.word);
	run();
	take_insn(at);
}

static void make(const struct form *form)
{
	/* Instructions of four bytes at odd halves, and on two pages, too. */
	place = PLACE - 2 + next_random(&random_state) % 3 * 2;
	do {
		kp_rv_decode(&insn, form->word | ((uint32_t)next_random(&random_state) & form->random));
	} while (!is_usable());
	randomize(&given, &random_state);
	aim();
	execute(place);
	real = got;
}

size_t check_forms(const char *name, uint64_t count, bool (*check)(void))
{
	size_t i, failed = 0;
	uint64_t j, wrong;

	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		for (j = wrong = 0; j < count && wrong < 3; j++) {
			make(&forms[i]);
			if (stopped_by == SIGTRAP && check())
				continue;
			printf("# %08x %s: signal %d, real pc %+lld\n", insn.word, forms[i].name,
			       stopped_by, (long long)(real.regs.pc - address(place)));
			wrong++;
		}
		printf("%sok rv64-%s-%s %llu runs\n", wrong ? "not " : "", name, forms[i].name,
		       (unsigned long long)j);
		failed += wrong != 0;
	}
	return failed;
}
