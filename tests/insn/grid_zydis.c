/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Every opcode of every map against Zydis, in both modes, under every setting
 * of the bits that can make it invalid: where random bytes are too rare.
 *
 * usage: grid_zydis
 *
 * legacy: two prefixes of eight, four maps, opcode, modrm
 * vex:    VEX3 and XOP, three maps each, pp, W, L, vvvv unused or used, opcode, modrm
 * evex:   five maps, pp, W, L'L, b, z, mask or none, vvvv unused or used, opcode, mod, reg
 */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compare.h"

#define BYTES 24
#ifndef SHOWN
#define SHOWN 40
#endif

/* The bytes of point @index; 0 when the grid has no such point. */
typedef size_t (*grid_fn)(uint8_t *bytes, uint32_t index);

/* Takes the next @radix choices off the index. */
static unsigned int digit(uint32_t *index, unsigned int radix)
{
	unsigned int value = *index % radix;

	*index /= radix;
	return value;
}

static size_t legacy_point(uint8_t *bytes, uint32_t index)
{
	static const uint8_t prefixes[8] = { 0, 0x66, 0xF2, 0xF3, 0xF0, 0x67, 0x48, 0x41 };
	unsigned int modrm = digit(&index, 256), opcode = digit(&index, 256);
	unsigned int map = digit(&index, 4), i, prefix;
	size_t at = 0;

	for (i = 0; i < 2; i++) {
		prefix = digit(&index, 8);
		if (prefix)
			bytes[at++] = prefixes[prefix];
	}
	if (map)
		bytes[at++] = 0x0F;
	if (map > 1)
		bytes[at++] = map == 2 ? 0x38 : 0x3A;
	bytes[at++] = (uint8_t)opcode;
	bytes[at++] = (uint8_t)modrm;
	return index ? 0 : at;
}

static size_t vex_point(uint8_t *bytes, uint32_t index)
{
	unsigned int modrm = digit(&index, 256), opcode = digit(&index, 256);
	unsigned int map = digit(&index, 3), pp = digit(&index, 4), wl = digit(&index, 4);
	unsigned int used = digit(&index, 2), extended = digit(&index, 2), xop = digit(&index, 2);

	bytes[0] = xop ? 0x8F : 0xC4;
	bytes[1] = (uint8_t)((extended ? 0xC0 : 0xE0) | (xop ? 8 + map : 1 + map));
	bytes[2] = (uint8_t)((wl & 1) << 7 | (used ? 0x68 : 0x78) | (wl >> 1) << 2 | pp);
	bytes[3] = (uint8_t)opcode;
	bytes[4] = (uint8_t)modrm;
	return index ? 0 : 5;
}

static size_t evex_point(uint8_t *bytes, uint32_t index)
{
	static const uint8_t maps[5] = { 1, 2, 3, 5, 6 };
	unsigned int mod = digit(&index, 2), reg = digit(&index, 8), opcode = digit(&index, 256);
	unsigned int map = digit(&index, 5), pp = digit(&index, 4), w = digit(&index, 2);
	unsigned int lb = digit(&index, 8), mask = digit(&index, 3), used = digit(&index, 2);

	bytes[0] = 0x62;
	bytes[1] = (uint8_t)(0xF0 | maps[map]);
	bytes[2] = (uint8_t)(w << 7 | (used ? 0x68 : 0x78) | 4 | pp);
	bytes[3] = (uint8_t)((mask == 2 ? 0x80 : 0) | lb << 4 | 8 | (mask ? 1 : 0));
	bytes[4] = (uint8_t)opcode;
	bytes[5] = (uint8_t)(mod ? 0xC0 | reg << 3 | 2 : reg << 3 | 4);
	return index ? 0 : 6;
}

static int run(const char *name, grid_fn point, enum kp_insn_mode mode)
{
	uint8_t bytes[BYTES];
	struct oracle oracle;
	uint64_t valid = 0, wrong = 0;
	uint32_t index = 0;
	const char *field;
	size_t len;

	oracle_open(&oracle, mode);
	for (;; index++) {
		memset(bytes, 0x11, sizeof(bytes));
		if (!point(bytes, index))
			break;
		field = compare_at(&oracle, bytes, sizeof(bytes), &len);
		valid += len != 0;
		if (field && wrong++ < SHOWN)
			compare_explain(&oracle, bytes, sizeof(bytes), field);
	}
	printf("%sok insn-grid-%s-%d %lu points, %llu valid to Zydis, %llu KNC, %llu phantom bases, %llu differences\n",
	       wrong ? "not " : "", name, mode == KP_INSN_64 ? 64 : 32, (unsigned long)index,
	       (unsigned long long)valid, (unsigned long long)oracle.knc,
	       (unsigned long long)oracle.phantom, (unsigned long long)wrong);
	return wrong != 0;
}

static int run_all(enum kp_insn_mode mode)
{
	int failed = run("legacy", legacy_point, mode);

	failed |= run("vex", vex_point, mode);
	failed |= run("evex", evex_point, mode);
	return failed;
}

/* One process a mode. */
int main(void)
{
	int status = 0, failed;
	pid_t child;

	setvbuf(stdout, NULL, _IOLBF, 0);
	child = fork();
	if (child == 0)
		return run_all(KP_INSN_32);
	failed = child < 0 || run_all(KP_INSN_64);
	failed |= child < 0 || wait(&status) != child || status != 0;
	return failed;
}
