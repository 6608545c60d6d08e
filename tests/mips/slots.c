/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * slots.c - instructions at their place, emulated and in slots: the same?
 *
 * Owns: each form that reads or writes the PC, with several words in its delay slot, and
 * instructions at random, executed in all ways that there are, with the slot left at each of
 * its words, near the instruction and where no j leads back: registers and floating point must
 * agree with the real execution.  What is refused for the word in its delay slot is counted.
 *
 * A MIPS program (run by qemu), of any width and byte order; of release 6 without a libc
 * (bare.c).
 * What it cannot show: qemu has no stale instruction caches and sees code as it is written.
 *
 * usage: slots COUNT SEED
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe.h"
#include "random.h"
#include "refuse.h"
#include "sandbox.h"

#define NEAR (area + PLACE + 0x2000)
#define FAR (far_area + PLACE)
#define BIG (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
#define NAME (KP_MIPS_HERE & KP_MIPS_RELEASE6 ? "mips64r6" : sizeof(long) == 8 ? BIG ? "mips64-big" : "mips64" : BIG ? "mips32-big" : "mips32")

#define ANY 0				/* enum kp_mips_modes, or OLD: which have it */
#define OLD 0x10u
#define NEW KP_MIPS_RELEASE6
#define WIDE KP_MIPS_64

/* The pattern of each form; the bits of @random are free. */
static const struct form {
	const char *name;
	uint32_t word, random;
	unsigned int modes;
} forms[] = {
	{ "j", 0x08000000, 0x03ffffff, ANY }, { "jal", 0x0c000000, 0x03ffffff, ANY },
	{ "jr", 0x00000008, 0x03e00000, OLD }, { "jr.hb", 0x00000408, 0x03e00000, OLD },
	{ "jalr", 0x00000009, 0x03e0f800, ANY },
	{ "beq", 0x10000000, 0x03ffffff, ANY }, { "bne", 0x14000000, 0x03ffffff, ANY },
	{ "blez", 0x18000000, 0x03e0ffff, ANY }, { "bgtz", 0x1c000000, 0x03e0ffff, ANY },
	{ "bltz", 0x04000000, 0x03e0ffff, ANY }, { "bgez", 0x04010000, 0x03e0ffff, ANY },
	{ "bltzal", 0x04100000, 0x03e0ffff, OLD }, { "bgezal", 0x04110000, 0x03e0ffff, OLD },
	{ "bal", 0x04110000, 0x0000ffff, ANY },
	{ "beql", 0x50000000, 0x03ffffff, OLD }, { "bnel", 0x54000000, 0x03ffffff, OLD },
	{ "blezl", 0x58000000, 0x03e0ffff, OLD }, { "bgtzl", 0x5c000000, 0x03e0ffff, OLD },
	{ "bltzl", 0x04020000, 0x03e0ffff, OLD }, { "bgezl", 0x04030000, 0x03e0ffff, OLD },
	{ "bltzall", 0x04120000, 0x03e0ffff, OLD }, { "bgezall", 0x04130000, 0x03e0ffff, OLD },
	{ "bc1f", 0x45000000, 0x001cffff, OLD }, { "bc1t", 0x45010000, 0x001cffff, OLD },
	{ "bc1fl", 0x45020000, 0x001cffff, OLD }, { "bc1tl", 0x45030000, 0x001cffff, OLD },
	{ "nal", 0x04100000, 0x0000ffff, NEW }, { "jr6", 0x00000009, 0x03e00000, NEW },
	{ "bc1eqz", 0x45200000, 0x001fffff, NEW }, { "bc1nez", 0x45a00000, 0x001fffff, NEW },
	{ "bc", 0xc8000000, 0x0001ffff, NEW }, { "balc", 0xe8000000, 0x0001ffff, NEW },
	{ "beqzc", 0xd8000000, 0x03e0ffff, NEW }, { "bnezc", 0xf8000000, 0x03e0ffff, NEW },
	{ "jic", 0xd8000000, 0x001fffff, NEW }, { "jialc", 0xf8000000, 0x001fffff, NEW },
	{ "bovc", 0x20000000, 0x03ffffff, NEW }, { "bnvc", 0x60000000, 0x03ffffff, NEW },
	{ "beqzalc", 0x20000000, 0x001fffff, NEW }, { "bnezalc", 0x60000000, 0x001fffff, NEW },
	{ "pop06", 0x18000000, 0x03ffffff, NEW }, { "pop07", 0x1c000000, 0x03ffffff, NEW },
	{ "pop26", 0x58000000, 0x03ffffff, NEW }, { "pop27", 0x5c000000, 0x03ffffff, NEW },
	{ "blezalc", 0x18000000, 0x001fffff, NEW }, { "bgtzalc", 0x1c000000, 0x001fffff, NEW },
	{ "addiupc", 0xec000000, 0x03e7ffff, NEW }, { "auipc", 0xec1e0000, 0x03e0ffff, NEW },
	{ "aluipc", 0xec1f0000, 0x03e0ffff, NEW }, { "lwpc", 0xec080000, 0x03e7ffff, NEW },
	{ "lwupc", 0xec100000, 0x03e7ffff, NEW | WIDE }, { "ldpc", 0xec180000, 0x03e3ffff, NEW | WIDE },
	/* And some that are copied. */
	{ "addiu", 0x24000000, 0x03ffffff, ANY }, { "addu", 0x00000021, 0x03fff800, ANY },
	{ "lui", 0x3c000000, 0x001fffff, ANY }, { "mult", 0x00000018, 0x03ff0000, OLD },
	{ "mfhi", 0x00000010, 0x0000f800, OLD }, { "sll", 0x00000000, 0x001fffc0, ANY },
	{ "seb", 0x7c000420, 0x001ff800, ANY }, { "add.d", 0x46200000, 0x001effc0 & ~0x00010840u, ANY },
	{ "movz", 0x0000000a, 0x03fff800, OLD }, { "movt", 0x00010001, 0x03fcf800, OLD },
	{ "daddu", 0x0000002d, 0x03fff800, WIDE }, { "dsll32", 0x0000003c, 0x001fffc0, WIDE },
};

/* What stands in delay slots. */
static const uint32_t delayed[] = {
	0x00000000,	/* nop */
	0x24420001,	/* addiu v0, v0, 1 */
	0x03ff0821,	/* addu at, ra, ra: what a call has left there */
	0x0060f825,	/* move ra, v1 */
	0x3c031234,	/* lui v1, 0x1234 */
	0x46200005,	/* abs.d f0, f0 */
	0x00000019 | 2u << 21 | 3u << 16,	/* multu v0, v1; of release 6 none */
};

static struct kp_mips_insn insn;
static struct kp_arch_probe probe;
static uint32_t behind;			/* what is in the delay slot */
static struct state real;
static uint64_t random_state, refused;
static uint8_t image[KP_ARCH_SLOT_LEN];

static uint8_t *place(void)
{
	return area + PLACE;
}

/* Such as a run can show: it comes to a breakpoint, not into itself. */
static bool is_usable(void)
{
	uintptr_t to = (uintptr_t)kp_mips_operand(&insn, (uintptr_t)place());

	if (insn.flags & KP_MIPS_LINK && insn.a == insn.rd && insn.class != KP_MIPS_JUMP)
		return false;
	if (insn.a == 26 || insn.a == 27 || insn.rd == 26 || insn.rd == 27)
		return false;
	if (insn.class == KP_MIPS_JUMP_REG || insn.class == KP_MIPS_COMPACT_REG)
		return insn.a != KP_MIPS_ZERO;
	/* bovc, bnvc: QEMU takes those of $0 twice for calls. */
	if (insn.cond >= KP_MIPS_OVERFLOW && insn.cond <= KP_MIPS_NO_OVERFLOW && !insn.a && !insn.b)
		return false;
	if (insn.class == KP_MIPS_LOAD_RELATIVE)
		return insn.rd != KP_MIPS_ZERO;
	if (!kp_mips_is_relative(&insn))
		return insn.class == KP_MIPS_PLAIN;
	return to - (uintptr_t)place() > 8;
}

/* A jump goes into the area, before the place. */
static void aim(void)
{
	uintptr_t to = (uintptr_t)area + next_random(&random_state) % (PLACE - 64) / 4 * 4;

	if (insn.class == KP_MIPS_JUMP)
		kp_mips_decode(&insn, (insn.word & 0xfc000000) | (to & 0x0fffffff) >> 2, KP_MIPS_HERE);
	if (insn.class == KP_MIPS_JUMP_REG || insn.class == KP_MIPS_COMPACT_REG)
		given.regs.regs[insn.a] = to - (unsigned long)(long)insn.offset;
	/* Equal numbers are not met by chance. */
	if ((insn.class == KP_MIPS_BRANCH || insn.class == KP_MIPS_COMPACT) && insn.a != KP_MIPS_NO_REG && insn.b != KP_MIPS_NO_REG && insn.a && insn.b &&
	    next_random(&random_state) & 1)
		given.regs.regs[insn.b] = given.regs.regs[insn.a];
}

static void execute(void)
{
	given.regs.cp0_epc = (uintptr_t)place();
	put_word(place(), insn.word);
	if (kp_mips_has_slot(&insn))
		put_word(place() + 4, behind);
	/* QEMU says of a trap behind a compact branch that it was at the branch. */
	if (kp_mips_is_compact(&insn))
		put_word(place() + 4, 0);
	run();
	if (kp_mips_is_compact(&insn) && got.regs.cp0_epc == (uintptr_t)place() + 8)
		got.regs.cp0_epc -= 4;
	take_word(place());
	take_word(place() + 4);
}

static void make(const struct form *form)
{
	size_t nr = sizeof(delayed) / sizeof(delayed[0]) - !!(KP_MIPS_HERE & KP_MIPS_RELEASE6);

	behind = delayed[next_random(&random_state) % nr];
	do {
		kp_mips_decode(&insn, form->word | ((uint32_t)next_random(&random_state) & form->random),
			       KP_MIPS_HERE);
	} while (!is_usable());
	randomize(&given, &random_state);
	aim();
	execute();
	real = got;
}

/* Run on from the registers got: the instruction itself. */
static void run_on(void)
{
	struct state begin = given;

	given = got;
	execute();
	given = begin;
}

/* From begin in the slot; where left is, only up to there, and the rest happens at the place. */
static bool check_way(uint8_t *slot, size_t begin, size_t left)
{
	memcpy(slot, image, sizeof(image));
	if (left)
		take_word(slot + left);
	given.regs.cp0_epc = (uintptr_t)(slot + begin);
	__builtin___clear_cache((char *)slot, (char *)slot + sizeof(image));
	run();
	if (got.regs.cp0_epc - (uintptr_t)slot < sizeof(image)) {
		if (left ||
		    !kp_arch_step_finish(&probe, &got.regs, (uintptr_t)slot))
			kp_arch_step_abort(&probe, &got.regs, (uintptr_t)slot, NULL);
		if (got.regs.cp0_epc == (uintptr_t)place())
			run_on();
	}
	return stopped_by == SIGTRAP && same(&got, &real);
}

/* A slot is left for good at its ends; before them it is given up at any word. */
static bool check_form(uint8_t *slot, size_t begin)
{
	size_t at;

	if (!check_way(slot, begin, 0))
		return false;
	for (at = begin ? begin : 4; at < begin + probe.stepped - 8u; at += 4) {
		if (!check_way(slot, begin, at)) {
			printf("# left at %zu\n", at);
			return false;
		}
	}
	return true;
}

static bool check_slot(uint8_t *slot, bool is_short)
{
	const char *reason = NULL;

	kp_arch_slot_shorten(&probe, is_short);
	memset(image, KP_ARCH_FILL, sizeof(image));
	if (kp_arch_emit_slot(&probe, (uintptr_t)slot, image, &reason))
		return is_short;
	return check_form(slot, 0) && check_form(slot, probe.stepped);
}

static int read_memory(uintptr_t addr, void *dst, size_t len)
{
	memcpy(dst, (const void *)addr, len);
	return 0;
}

static bool check_emulated(void)
{
	static const struct kp_arch_mem mem = { .read = read_memory };
	struct state computed = given;

	computed.regs.cp0_epc = 0;
	if (kp_arch_emulate(&probe, &computed.regs, &mem))
		return false;
	return same(&computed, &real);
}

static bool is_computed(void)
{
	if (kp_mips_has_slot(&insn))
		return insn.class != KP_MIPS_BRANCH_COP && !behind;
	return insn.class != KP_MIPS_PLAIN;
}

static bool check(void)
{
	const char *reason = NULL;
	uint32_t words[2] = { insn.word, behind };
	int err = kp_arch_prepare(&probe, (uintptr_t)place(), (const uint8_t *)words, sizeof(words),
				  KP_ARCH_USER, &reason);

	if (err) {
		refused++;
		return insn.class == KP_MIPS_JUMP_REG &&
		       kp_mips_refuse_delayed(&insn, behind, KP_MIPS_HERE, &reason) == err;
	}
	if ((probe.class == KP_ARCH_EMULATE) != is_computed())
		return false;
	if (probe.class == KP_ARCH_EMULATE && !check_emulated())
		return false;
	return check_slot(NEAR, false) && check_slot(NEAR, true) && check_slot(FAR, false) &&
	       check_slot(FAR, true);
}

static bool check_forms(const struct form *form, uint64_t count)
{
	uint64_t j, wrong = 0;

	refused = 0;
	for (j = 0; j < count && wrong < 3; j++) {
		make(form);
		if (stopped_by == SIGTRAP && check())
			continue;
		printf("# %08x %s, %08x: signal %d, real pc %+ld\n", insn.word, form->name, behind,
		       stopped_by, (long)(real.regs.cp0_epc - (uintptr_t)place()));
		wrong++;
	}
	printf("%sok %s-slots-%s %llu runs, %llu refused\n", wrong ? "not " : "", NAME, form->name,
	       (unsigned long long)j, (unsigned long long)refused);
	return !wrong;
}

int main(int argc, char **argv)
{
	uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 0) : 100;
	unsigned int here = KP_MIPS_HERE & KP_MIPS_RELEASE6 ? KP_MIPS_HERE : KP_MIPS_HERE | OLD;
	int failed = 0;
	size_t i;

	random_state = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	if (!sandbox_start())
		return 2;
	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (!(forms[i].modes & ~here))
			failed |= !check_forms(&forms[i], count);
	return failed;
}
