/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * forms.c - instructions at random, executed for real.
 *
 * Owns: what forms.h says.  Memory that is read has addresses in it, of either set, so that
 * whatever is loaded may be gone to.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "forms.h"
#include "random.h"
#include "refuse.h"

#define bits kp_arm_bits
#define DATA_LEN 1024u		/* of what it may read, or write */

struct kp_arm_insn insn;
size_t place;
struct kp_arm_regs real;
uint64_t random_state;
static size_t data;		/* where that begins: an offset in the area */
static uint8_t before[DATA_LEN], after[DATA_LEN];

/* What a form wants besides: */
#define LOADS 1			/* data around it */
#define FAR 2			/* a pointer to data in the register at bit 16 */
#define INDEX 4			/* a small number in the register at bit 0 */
#define BLOCK 8			/* it may stand in an IT block, as the last one */
#define INSIDE 16		/* ... and not as the last one */
#define TO_M 32			/* an address in the register at bit 0 */
#define TO_HIGH 64		/* ... that T32 has at bit 3 */
#define TO_N 128		/* ... at bit 16 */
#define TABLE 256		/* a small table around it */
#define COPY 512		/* to be the same anywhere */

/* The pattern of each form, of T32's 32 bits the first half first; those of @random are free. */
static const struct form {
	const char *name;
	bool thumb;
	uint32_t word, random;
	unsigned int wants;
} forms[] = {
	{ "b", false, 0x0A000000, 0xF0FFFFFF, 0 },
	{ "bl", false, 0x0B000000, 0xF0FFFFFF, 0 },
	{ "blx", false, 0xFA000000, 0x01FFFFFF, 0 },
	{ "bx", false, 0x012FFF10, 0xF000000F, TO_M },
	{ "blx-reg", false, 0x012FFF30, 0xF000000F, TO_M },
	{ "data-n", false, 0x000F0000, 0xF1F07FEF, 0 },
	{ "data-m", false, 0x0000000F, 0xF1FF7FE0, 0 },
	{ "data-imm", false, 0x020F0000, 0xF1F07FFF, 0 },
	{ "mov-pc", false, 0x01A0F000, 0xF000000F, TO_M },
	{ "add-pc-pc", false, 0x008FF100, 0xF000000F, INDEX },
	{ "sub-pc", false, 0x0240F000, 0xF00F00FC, TO_N },
	{ "ldr-literal", false, 0x051F0000, 0xF080FFFC, LOADS },
	{ "ldr-pc", false, 0x0410F000, 0xF1AF00FC, FAR },
	{ "ldr-pc-reg", false, 0x0610F100, 0xF1AF000F, FAR | INDEX },
	{ "ldr-pc-pc-reg", false, 0x079FF100, 0xF000000F, LOADS | INDEX },
	{ "ldrb-literal", false, 0x055F0000, 0xF0807FFF, LOADS },
	{ "ldrh-literal", false, 0x015F00B0, 0xF0807F0F, LOADS },
	{ "ldrsb-literal", false, 0x015F00D0, 0xF0807F0F, LOADS },
	{ "ldrsh-literal", false, 0x015F00F0, 0xF0807F0F, LOADS },
	{ "ldrd-literal", false, 0x014F00D0, 0xF0807F0C, LOADS },
	{ "ldrh-pc-reg", false, 0x019F00B0, 0xF000700F, LOADS | INDEX },
	{ "str-beside", false, 0x050F0000, 0xF08070FC, LOADS },
	{ "strb-beside", false, 0x054F0000, 0xF08070FF, LOADS },
	{ "strh-beside", false, 0x014F00B0, 0xF080700F, LOADS },
	{ "strd-beside", false, 0x014F00F0, 0xF080700C, LOADS },
	{ "ldm-pc", false, 0x08108000, 0xF1AF7FFF, FAR },
	{ "pld-literal", false, 0xF55FF000, 0x00800FFF, 0 },
	{ "b.n", true, 0xE000, 0x07FF, BLOCK },
	{ "beq.n", true, 0xD000, 0x0FFF, 0 },
	{ "cbz", true, 0xB100, 0x0AFF, 0 },
	{ "bx.n", true, 0x4700, 0x0078, TO_HIGH | BLOCK },
	{ "blx-reg.n", true, 0x4780, 0x0078, TO_HIGH | BLOCK },
	{ "add-high", true, 0x4478, 0x0087, BLOCK | INSIDE },
	{ "mov-high", true, 0x4678, 0x0087, BLOCK | INSIDE },
	{ "mov-pc.n", true, 0x4687, 0x0078, TO_HIGH | BLOCK },
	{ "ldr-literal.n", true, 0x4800, 0x07FF, LOADS | BLOCK | INSIDE },
	{ "adr.n", true, 0xA000, 0x07FF, BLOCK | INSIDE },
	{ "pop-pc", true, 0xBD00, 0x00FF, FAR | BLOCK },
	{ "it", true, 0xBF00, 0x00FF, 0 },
	{ "b.w", true, 0xF0009000, 0x07FF2FFF, BLOCK },
	{ "beq.w", true, 0xF0008000, 0x07FF2FFF, 0 },
	{ "bl.w", true, 0xF000D000, 0x07FF2FFF, BLOCK },
	{ "blx.w", true, 0xF000C000, 0x07FF2FFE, BLOCK },
	{ "tbb", true, 0xE8D0F000, 0x000F000F, FAR | INDEX | BLOCK },
	{ "tbh", true, 0xE8D0F010, 0x000F000F, FAR | INDEX | BLOCK },
	{ "tbb-pc", true, 0xE8DFF000, 0x0000000F, TABLE | INDEX | BLOCK },
	{ "tbh-pc", true, 0xE8DFF010, 0x0000000F, TABLE | INDEX | BLOCK },
	{ "adr.w", true, 0xF20F0000, 0x04007FFF, BLOCK | INSIDE },
	{ "adr.w-sub", true, 0xF2AF0000, 0x04007FFF, BLOCK | INSIDE },
	{ "ldr.w-literal", true, 0xF85F0000, 0x0080FFFC, LOADS | BLOCK },
	{ "ldrb.w-literal", true, 0xF81F0000, 0x01807FFF, LOADS | BLOCK | INSIDE },
	{ "ldrh.w-literal", true, 0xF83F0000, 0x01807FFF, LOADS | BLOCK | INSIDE },
	{ "ldrd.w-literal", true, 0xE95F0000, 0x00807FFF, LOADS | BLOCK | INSIDE },
	{ "ldr.w-pc", true, 0xF8D0F000, 0x000F00FC, FAR | BLOCK },
	{ "ldr.w-pc-index", true, 0xF850F800, 0x000F07FC, FAR | BLOCK },
	{ "ldr.w-pc-reg", true, 0xF850F000, 0x000F003F, FAR | INDEX | BLOCK },
	{ "ldm.w-pc", true, 0xE8108000, 0x01AF5FFF, FAR | BLOCK },
	{ "pld.w-literal", true, 0xF81FF000, 0x00800FFF, BLOCK | INSIDE },
	/* And some that are copied. */
	{ "data", false, 0x00000000, 0xF1FFFFEF, COPY },
	{ "data-by-reg", false, 0x00000010, 0xF1FFFF6F, COPY },
	{ "data-number", false, 0x02000000, 0xF1FFFFFF, COPY },
	{ "mul", false, 0x00000090, 0xF0FFFF0F, COPY },
	{ "media", false, 0x06000010, 0xF1FFFFEF, COPY },
	{ "mrs", false, 0x010F0000, 0xF000F000, COPY },
	{ "ldr", false, 0x04100000, 0xF1EFF0FF, COPY | FAR },
	{ "str", false, 0x04000000, 0xF1EFF0FF, COPY | FAR },
	{ "ldrd", false, 0x014000D0, 0xF08FE00F, COPY | FAR },
	{ "ldm", false, 0x08100000, 0xF1AF7FFF, COPY | FAR },
	{ "stm", false, 0x08000000, 0xF1AF7FFF, COPY | FAR },
	{ "str-reg", false, 0x06000000, 0xF1EFF1EF, COPY | FAR | INDEX },
	{ "strh", false, 0x004000B0, 0xF1AFFF0F, COPY | FAR },
	{ "strh-reg", false, 0x000000B0, 0xF1AFF00F, COPY | FAR | INDEX },
	{ "strd", false, 0x004000F0, 0xF1AFEF0F, COPY | FAR },
	{ "strd-reg", false, 0x000000F0, 0xF1AFE00F, COPY | FAR | INDEX },
	{ "stl", false, 0x0180FC90, 0xF06F000F, COPY | FAR },
	{ "swp", false, 0x01000090, 0xF04FF00F, COPY | FAR },
	{ "vstr", false, 0x0D000A00, 0xF0CFF13F, COPY | FAR },
	{ "vstm", false, 0x0C000A00, 0xF1EFF13F, COPY | FAR },
	{ "vst", false, 0xF4000000, 0x004FFFFF, COPY | FAR },
	{ "vst-lane", false, 0xF4800000, 0x004FFFFF, COPY | FAR },
	{ "shift.n", true, 0x0000, 0x1FFF, COPY | BLOCK | INSIDE },
	{ "number.n", true, 0x2000, 0x1FFF, COPY | BLOCK | INSIDE },
	{ "alu.n", true, 0x4000, 0x03FF, COPY | BLOCK | INSIDE },
	{ "high.n", true, 0x4400, 0x03FF, COPY | BLOCK | INSIDE },
	{ "str-reg.n", true, 0x5000, 0x0FFF, COPY | FAR | INDEX | BLOCK | INSIDE },
	{ "str-number.n", true, 0x6000, 0x1FFF, COPY | FAR | BLOCK | INSIDE },
	{ "strh-number.n", true, 0x8000, 0x0FFF, COPY | FAR | BLOCK | INSIDE },
	{ "stm.n", true, 0xC000, 0x07FF, COPY | FAR | BLOCK | INSIDE },
	{ "ldr-sp.n", true, 0x9000, 0x0F3F, COPY | FAR | BLOCK | INSIDE },
	{ "push", true, 0xB400, 0x01FF, COPY | FAR | BLOCK | INSIDE },
	{ "pop", true, 0xBC00, 0x00FF, COPY | FAR | BLOCK | INSIDE },
	{ "extend.n", true, 0xB200, 0x00FF, COPY | BLOCK | INSIDE },
	{ "data.w", true, 0xEA000000, 0x01FF7FFF, COPY | BLOCK | INSIDE },
	{ "number.w", true, 0xF0000000, 0x07FF7FFF, COPY | BLOCK | INSIDE },
	{ "ldr.w", true, 0xF8D00000, 0x000FF0FF, COPY | FAR | BLOCK | INSIDE },
	{ "str.w", true, 0xF8C00000, 0x000FF0FF, COPY | FAR | BLOCK | INSIDE },
	{ "str.w-index", true, 0xF8400800, 0x000FF7FF, COPY | FAR | BLOCK | INSIDE },
	{ "strbh.w", true, 0xF8800000, 0x006FF0FF, COPY | FAR | BLOCK | INSIDE },
	{ "strbh.w-index", true, 0xF8000800, 0x006FF7FF, COPY | FAR | BLOCK | INSIDE },
	{ "str.w-reg", true, 0xF8000000, 0x006FF03F, COPY | FAR | INDEX | BLOCK | INSIDE },
	{ "strd.w", true, 0xE8400000, 0x01AFFF3F, COPY | FAR | BLOCK | INSIDE },
	{ "stl.w", true, 0xE8C00F8F, 0x000FF030, COPY | FAR | BLOCK | INSIDE },
	{ "stmdb.w", true, 0xE9000000, 0x002F5FFF, COPY | FAR | BLOCK | INSIDE },
	{ "vstr.w", true, 0xED000A00, 0x00CFF13F, COPY | FAR | BLOCK | INSIDE },
	{ "vstm.w", true, 0xEC000A00, 0x01EFF13F, COPY | FAR | BLOCK | INSIDE },
	{ "vst.w", true, 0xF9000000, 0x004FFFFF, COPY | FAR },
	{ "vst-lane.w", true, 0xF9800000, 0x004FFFFF, COPY | FAR },
	{ "stm.w", true, 0xE8800000, 0x002F5FFF, COPY | FAR | BLOCK | INSIDE },
	{ "ldm.w", true, 0xE8900000, 0x002F5FFF, COPY | FAR | BLOCK | INSIDE },
	{ "regs.w", true, 0xFA00F000, 0x00FF0FFF, COPY | BLOCK | INSIDE },
	{ "mul.w", true, 0xFB000000, 0x00FFFFFF, COPY | BLOCK | INSIDE },
};

static uint32_t draw(uint32_t limit)
{
	return (uint32_t)next_random(&random_state) % limit;
}

/* An address that traps, and lies in no data; of T32 with bit 0. */
static uint32_t draw_target(void)
{
	return address(PLACE - 0x80000 + 4 * draw(0x10000)) | draw(2);
}

static unsigned int base_of(void)
{
	if (insn.len == 4)
		return bits(insn.word, 16, 4);
	switch (insn.word >> 12) {
	case 5:
	case 6:
	case 7:
	case 8:
		return bits(insn.word, 3, 3);
	case 12:
		return bits(insn.word, 8, 3);
	default:
		return KP_ARM_SP;
	}
}

/* Is a base that is written back among what is loaded? */
static bool loads_base(void)
{
	if ((insn.class == KP_ARM_LOAD_LIST || insn.flags & (KP_ARM_LIST | KP_ARM_NOT_LIST)) && insn.len == 4)
		return bits(insn.word, base_of(), 1);
	return false;
}

/* Such as a run can show: it comes to a trap, not into itself; and it is no other form. */
static bool is_usable(const struct form *form)
{
	const char *reason;

	if (kp_arm_is_emulated(&insn) == !!(form->wants & COPY) || loads_base() ||
	    kp_arm_refuse(&insn, true, &reason))
		return false;
	/* Without a condition it is another. */
	if (!insn.thumb && insn.word >> 28 == 15 && form->word >> 28 != 15)
		return false;
	/* Nothing is stored over it, or the trap behind it. */
	if (insn.class == KP_ARM_STORE && kp_arm_operand(&insn, 0) + 8 < 16)
		return false;
	if (insn.relative && insn.class <= KP_ARM_TABLE)
		return kp_arm_operand(&insn, 0) - 0u >= insn.len + 8u || insn.offset < -16;
	if (form->wants & INDEX && insn.len == 4 && (bits(insn.word, 0, 4) == KP_ARM_PC || bits(insn.word, 0, 4) == KP_ARM_SP ||
				    (!(insn.pc & KP_ARM_N) && bits(insn.word, 0, 4) == bits(insn.word, 16, 4))))
		return false;
	if (form->wants & FAR && insn.len == 4 && (base_of() == KP_ARM_PC || base_of() == KP_ARM_SP))
		return false;
	/* Two registers: not the same twice, nor stack pointer and PC. */
	if (insn.thumb && insn.class == KP_ARM_LOAD && bits(insn.word, 25, 7) == 0x74 &&
	    (bits(insn.word, 12, 4) == bits(insn.word, 8, 4) || bits(insn.word, 8, 4) >= KP_ARM_SP ||
	     bits(insn.word, 12, 4) >= KP_ARM_SP))
		return false;
	if (form->wants & COPY)
		return insn.class != KP_ARM_EXCEPTION && insn.class != KP_ARM_WAIT;
	if (form->wants & TO_M)
		return bits(insn.word, 0, 4) != KP_ARM_PC;
	if (form->wants & TO_N)
		return bits(insn.word, 16, 4) != KP_ARM_PC;
	if (form->wants & TO_HIGH)
		return bits(insn.word, 3, 4) != KP_ARM_PC;
	/* Arithmetic with the PC in the PC goes anywhere; T32's stack pointer is even. */
	if (insn.class == KP_ARM_HIGH)
		return (bits(insn.word, 0, 3) | bits(insn.word, 7, 1) << 3) < KP_ARM_SP;
	if (insn.class == KP_ARM_ADR)
		return bits(insn.word, 8, 4) < KP_ARM_SP;
	if (insn.class == KP_ARM_LOAD && insn.thumb && !(form->wants & FAR))
		return bits(insn.word, 12, 4) != KP_ARM_SP;
	return true;
}

static uint32_t align(const struct form *form)
{
	return form->thumb ? 2 : 4;
}

static void set_registers(const struct form *form)
{
	unsigned int m = bits(insn.word, 0, 4), it;

	randomize(&given, &random_state);
	if (form->thumb)
		given.cpsr |= KP_ARM_CPSR_T;
	if (form->wants & INDEX)
		given.r[insn.len == 2 ? bits(insn.word, 6, 3) : m] = 4 * draw(4);
	if (form->wants & TO_M)
		given.r[m] = draw_target();
	if (form->wants & TO_N)
		given.r[bits(insn.word, 16, 4)] = address(PLACE - 0x80000 + 0x400 * draw(64));
	if (form->wants & TO_HIGH)
		given.r[bits(insn.word, 3, 4)] = draw_target();
	if (insn.class == KP_ARM_CBZ && draw(2))
		given.r[bits(insn.word, 0, 3)] = 0;
	if (!(form->wants & BLOCK) || draw(2))
		return;
	it = draw(14) << 4 | (form->wants & INSIDE && draw(2) ? 4 + 8 * draw(2) : 8);
	given.cpsr |= bits(it, 2, 6) << 10 | bits(it, 0, 2) << 25;
}

/*
 * Data where it reads: beside it, or far away.  A table's entries lead beyond it.
 */
static void fill(const struct form *form)
{
	uint32_t *words;
	size_t i;

	data = DATA;
	if (form->wants & LOADS)
		data = ((insn.relative ? kp_arm_operand(&insn, (uint32_t)place) : place) & ~3u) - 64;
	else if (form->wants & TABLE)
		data = place & ~3u;
	words = (uint32_t *)(area + data);
	for (i = 0; i < (form->wants & FAR ? DATA_LEN : 128) / 4; i++)
		words[i] = insn.class == KP_ARM_TABLE ? 0x00F000F0 + 0x00010001 * draw(8) : draw_target();
	if (form->wants & FAR)
		given.r[base_of()] = address(DATA) + DATA_LEN / 2 + 4 * draw(16);
}

void execute(size_t at)
{
	given.pc = address(at);
	put_insn(at, &insn);
	run();
}

bool same_stores(void)
{
	return !memcmp(area + data, after, sizeof(after));
}

void undo_stores(void)
{
	memcpy(area + data, before, sizeof(before));
}

static void make(const struct form *form)
{
	uint32_t word;

	do {
		word = form->word | ((uint32_t)next_random(&random_state) & form->random);
		kp_arm_decode(&insn, form->thumb && word >> 16 ? word << 16 | word >> 16 : word, form->thumb);
	} while (!is_usable(form));
	/* On two pages, too. */
	place = PLACE - 4 + align(form) * draw(8 / align(form));
	set_registers(form);
	fill(form);
	put_insn(place, &insn);
	memcpy(before, area + data, sizeof(before));
	execute(place);
	memcpy(after, area + data, sizeof(after));
	real = got;
}

static void clear(const struct form *form)
{
	if (form->wants & (LOADS | TABLE))
		take(data, 128);
	take(place, 16);
}

size_t check_forms(const char *name, uint64_t count, bool (*check)(void))
{
	size_t i, failed = 0;
	uint64_t j, wrong;

	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		for (j = wrong = 0; j < count && wrong < 3; j++) {
			bool right;

			/* What is none to this processor, is none elsewhere. */
			do {
				clear(&forms[i]);
				make(&forms[i]);
			} while (forms[i].wants & COPY && real.pc == address(place));
			right = (stopped_by == SIGTRAP || stopped_by == SIGILL) && check();
			clear(&forms[i]);
			if (right)
				continue;
			printf("# %08x %s: signal %d, real pc %+d\n", insn.word, forms[i].name,
			       stopped_by, (int)(real.pc - address(place)));
			wrong++;
		}
		printf("%sok arm-%s-%s %llu runs\n", wrong ? "not " : "", name, forms[i].name,
		       (unsigned long long)j);
		failed += wrong != 0;
	}
	return failed;
}
