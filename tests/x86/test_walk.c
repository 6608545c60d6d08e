/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kp_insn_walk says what kp_insn_decode says, errors included: over every opcode
 * with every modrm and REX, and over seeded random bytes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "walk.h"

static void compare(const uint8_t *bytes, size_t avail)
{
	struct kp_insn_step step;
	struct kp_insn insn;
	int err = kp_insn_decode(&insn, bytes, avail, KP_INSN_64);

	assert_int_equal(kp_insn_walk(&step, bytes, avail), err);
	if (err)
		return;
	assert_int_equal(step.length, insn.length);
	assert_int_equal(step.flow, insn.flow);
	assert_int_equal(step.breakpoint, insn.encoding == KP_INSN_LEGACY &&
			 insn.map == KP_INSN_MAP_1BYTE && insn.opcode == 0xcc);
	assert_int_equal(step.relative, kp_insn_is_rel_branch(&insn));
	if (step.relative)
		assert_true(step.target == kp_insn_rel_target(&insn));
}

static uint64_t next(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

/* Up to three prefixes, in any order, before each opcode. */
static size_t put_prefixes(uint8_t *bytes, uint64_t *state)
{
	static const uint8_t prefixes[] = { 0x64, 0x66, 0x2e, 0xf0, 0xf2, 0xf3,
					    0x65, 0x67, 0x64, 0x66, 0x2e };
	size_t nr = next(state) % 8, i;

	nr = nr > 3 ? 0 : nr;
	for (i = 0; i < nr; i++)
		bytes[i] = prefixes[next(state) % sizeof(prefixes)];
	return nr;
}

static void opcodes(void **unused)
{
	uint64_t state = 1;
	unsigned int rex, map, opcode, modrm, i;
	uint8_t bytes[16];
	size_t at;

	(void)unused;
	for (rex = 0x3f; rex < 0x50; rex++)
		for (map = 0; map < 2; map++)
			for (opcode = 0; opcode < 256; opcode++)
				for (modrm = 0; modrm < 256; modrm++) {
					for (i = 0; i < sizeof(bytes); i++)
						bytes[i] = (uint8_t)next(&state);
					at = put_prefixes(bytes, &state);
					if (rex >= 0x40)
						bytes[at++] = (uint8_t)rex;
					if (map)
						bytes[at++] = 0x0f;
					bytes[at] = (uint8_t)opcode;
					bytes[at + 1] = (uint8_t)modrm;
					compare(bytes, sizeof(bytes));
					compare(bytes, 1 + next(&state) % 15);
				}
}

static void random_bytes(void **unused)
{
	uint64_t state = 2;
	uint8_t bytes[16];
	unsigned int i, n;

	(void)unused;
	for (n = 0; n < 2000000; n++) {
		for (i = 0; i < sizeof(bytes); i++)
			bytes[i] = (uint8_t)next(&state);
		compare(bytes, next(&state) % 17);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(opcodes),
		cmocka_unit_test(random_bytes),
	};

	return cmocka_run_group_tests_name("walk", tests, NULL, NULL);
}
