/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * forms.c - instructions at random, executed for real.
 *
 * Owns: what forms.h says.
 */
#include <asm/hwcap.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

#include "forms.h"
#include "random.h"

struct kp_arch_probe probe;
struct state real;
int real_signal;
uint64_t random_state;

static int read_area(uintptr_t addr, void *dst, size_t len)
{
	volatile uint8_t *to = dst;
	const volatile uint8_t *from;

	if (addr < address(0) || addr + len > address(AREA))
		return -EFAULT;
	/* No library's: that one uses vector registers. */
	for (from = (const void *)addr; len--; to++, from++)
		*to = *from;
	return 0;
}

const struct kp_arch_mem mem = { .read = read_area };

static const struct form {
	const char *name;
	uint32_t word, random;
	bool pac;
} forms[] = {
	{ "b", 0x14000000, 0x0003ffff, 0 }, { "b-back", 0x17fc0000, 0x0003ffff, 0 },
	{ "bl", 0x94000000, 0x0003ffff, 0 }, { "bl-back", 0x97fc0000, 0x0003ffff, 0 },
	{ "b.cond", 0x54000000, 0x00ffffef, 0 },
	{ "cbz", 0x34000000, 0x81ffffff, 0 }, { "tbz", 0x36000000, 0x81ffffff, 0 },
	{ "br", 0xd61f0000, 0x000003e0, 0 }, { "blr", 0xd63f0000, 0x000003e0, 0 },
	{ "ret", 0xd65f0000, 0x000003e0, 0 },
	{ "braaz", 0xd61f081f, 0x000007e0, 1 }, { "braa", 0xd71f0800, 0x000007ff, 1 },
	{ "blraaz", 0xd63f081f, 0x000007e0, 1 }, { "blraa", 0xd73f0800, 0x000007ff, 1 },
	{ "retaa", 0xd65f0bff, 0x00000400, 1 },
	{ "adr", 0x10000000, 0x60ffffff, 0 }, { "adrp", 0x90000000, 0x60ffffff, 0 },
	{ "ldr", 0x18000000, 0xc0ffffff, 0 }, { "ldr-simd", 0x1c000000, 0xc0ffffff, 0 },
	{ "paciasp", 0xd503233f, 0x00000040, 1 }, { "nop", 0xd503201f, 0, 0 },
	{ "mrs-nzcv", 0xd53b4200, 0x0000001f, 0 }, { "msr-nzcv", 0xd51b4200, 0x0000001f, 0 },
	{ "immediate", 0x10000000, 0xe3ffffff, 0 },
	{ "register", 0x0a000000, 0xf5ffffff, 0 },
	{ "vector", 0x0e000000, 0xf1ffffff, 0 },
	/* not what is below it, which is nobody's */
	{ "load-store-sp", 0x290003e0, 0xd25ffc1f, 0 },
};

static uint64_t sign(uint64_t target, uint64_t modifier, bool key_b)
{
	if (key_b)
		asm(".arch armv8.3-a\n\tpacib %0, %1" : "+r"(target) : "r"(modifier));
	else
		asm(".arch armv8.3-a\n\tpacia %0, %1" : "+r"(target) : "r"(modifier));
	return target;
}

bool is_indirect(const struct kp_a64_insn *insn)
{
	return insn->class == KP_A64_BR || insn->class == KP_A64_BLR || insn->class == KP_A64_RET;
}

/* An indirect branch goes into the area; of a signed address one in eight is spoilt. */
static void aim(const struct kp_a64_insn *insn)
{
	uint64_t target = address(next_random(&random_state) % 0x100000 / 4 * 4), modifier = 0;

	if (insn->flags & KP_A64_MODIFIER)
		modifier = insn->rm == 31 ? given.regs.sp : given.regs.regs[insn->rm];
	else if (insn->class == KP_A64_RET)
		modifier = given.regs.sp;
	if (insn->flags & KP_A64_PAC)
		target = sign(target, modifier, insn->flags & KP_A64_KEY_B);
	if (insn->flags & KP_A64_PAC && !(next_random(&random_state) % 8))
		target ^= 1ull << 52;
	given.regs.regs[insn->rn] = target;
}

static bool is_usable(const struct kp_a64_insn *insn)
{
	const char *reason;
	uint64_t to = kp_a64_operand(insn, address(PLACE));

	if (kp_arch_prepare(&probe, address(PLACE), (const uint8_t *)&insn->word, 4,
			    KP_ARCH_USER | KP_ARCH_UNGUARDED, &reason))
		return false;
	if (is_indirect(insn))
		return insn->rn != 31 && insn->rn != insn->rm;
	/* It moves on, and reads nothing that the ways change. */
	if (!kp_a64_is_relative(insn))
		return true;
	return insn->offset != 0 && (to < address(PLACE) - 16 || to > address(STACK) + STACK_LEN);
}

static uint8_t stack_before[STACK_LEN];

void put_stack(void)
{
	memcpy((void *)address(STACK), stack_before, STACK_LEN);
}

/* What is below the stack pointer is nobody's. */
static bool same_stack(void)
{
	size_t from = given.regs.sp - address(STACK);

	return !memcmp((uint8_t *)address(STACK) + from, stack_before + from, STACK_LEN - from);
}

bool agrees(const char *what)
{
	/* A br that stands for a blr, or is in a page that is not guarded. */
	if (is_indirect(&probe.insn))
		got.regs.pstate = real.regs.pstate;
	if (stopped_by == real_signal && same(&got, &real) && same_stack())
		return true;
	printf("# %s: signal %d, really %d, at +%lld, really +%lld\n", what, stopped_by, real_signal,
	       (long long)(got.regs.pc - address(PLACE)),
	       (long long)(real.regs.pc - address(PLACE)));
	return false;
}

void run_on(void)
{
	struct state begin = given;

	given = got;
	run();
	given = begin;
}

/* One of the form: what it really does. */
static void execute(const struct form *form)
{
	struct kp_a64_insn insn;
	size_t i;

	do {
		kp_a64_decode(&insn, form->word | ((uint32_t)next_random(&random_state) & form->random));
	} while (!is_usable(&insn));
	memset(&given, 0, sizeof(given));
	randomize(&given, &random_state);
	given.regs.sp = address(STACK) + STACK_LEN - ABOVE;
	if (is_indirect(&insn))
		aim(&insn);
	given.regs.pc = address(PLACE);
	for (i = 0; i < STACK_LEN; i++)
		stack_before[i] = (uint8_t)next_random(&random_state);
	put_stack();
	set_word(PLACE, insn.word);
	run();
	set_word(PLACE, breakpoint(PLACE));
	real = got;
	real_signal = stopped_by;
	memcpy(stack_before, (void *)address(STACK), STACK_LEN);
}

size_t check_forms(const char *name, uint64_t count, bool (*check)(void))
{
	bool pac = getauxval(AT_HWCAP) & HWCAP_PACA;
	size_t i, failed = 0;
	uint64_t j, wrong;

	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (forms[i].pac && !pac) {
			printf("# %s: this processor signs nothing\n", forms[i].name);
			continue;
		}
		for (j = wrong = 0; j < count && wrong < 3; j++) {
			execute(&forms[i]);
			if (check())
				continue;
			printf("# %08x %s\n", probe.insn.word, forms[i].name);
			wrong++;
		}
		printf("%sok arm64-%s-%s %llu runs\n", wrong ? "not " : "", name, forms[i].name,
		       (unsigned long long)j);
		failed += wrong != 0;
	}
	return failed;
}
