/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which instructions write memory, and how much of it: kp_arch_write_of against the
 * operands that Zydis names, over random bytes behind every kind of opcode.
 *
 * usage: written_zydis COUNT SEED
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <Zydis/Zydis.h>

#include "insn.h"
#include "watch.h"

#define BYTES 16
#define SHOWN 40

static uint64_t state;

static unsigned int next(unsigned int below)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned int)(state >> 33) % below;
}

/* Of a map of legacy opcodes, or of VEX, EVEX or XOP. */
static void make(uint8_t *bytes)
{
	static const uint8_t prefixes[] = { 0x66, 0xf2, 0xf3, 0x48, 0x4c, 0x41 };
	unsigned int kind = next(8), at = 0, i;

	for (i = 0; i < BYTES; i++)
		bytes[i] = (uint8_t)next(256);
	switch (kind) {
	case 4:
		bytes[0] = 0xc5;
		return;
	case 5:
		bytes[0] = 0xc4;
		bytes[1] = (uint8_t)((bytes[1] & 0xe0) | (1 + next(3)));
		return;
	case 6:
		bytes[0] = 0x62;
		bytes[1] = (uint8_t)((bytes[1] & 0xf0) | (1 + next(6)));
		bytes[3] &= next(2) ? 0xf8 : 0xff;
		return;
	case 7:
		bytes[0] = 0x8f;
		return;
	}
	if (next(2))
		bytes[at++] = prefixes[next(sizeof(prefixes))];
	if (!next(3))
		bytes[at++] = (uint8_t)(0x40 | next(16));
	if (kind)
		bytes[at++] = 0x0f;
	if (kind > 1)
		bytes[at++] = kind == 2 ? 0x38 : 0x3a;
}

/* What a push or a call puts there does not count. */
static bool on_stack(const ZydisDecodedOperand *op)
{
	return op->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN &&
	       (op->mem.base == ZYDIS_REGISTER_RSP ||
		op->mem.base == ZYDIS_REGISTER_ESP);
}

/* 0: none. */
static unsigned int written(const ZydisDecodedInstruction *insn,
			    const ZydisDecodedOperand *ops)
{
	unsigned int i, len = 0;

	for (i = 0; i < insn->operand_count; i++)
		if (ops[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
		    ops[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE &&
		    ops[i].mem.type != ZYDIS_MEMOP_TYPE_AGEN &&
		    !on_stack(&ops[i]))
			len = ops[i].size / 8 ? ops[i].size / 8 : 1;
	return len;
}

/*
 * Those that write where Zydis names no operand for it, or, privileged or of
 * processors that nobody has, are not looked at more closely.
 */
static bool may_be_vague(const char *name)
{
	static const char *const names[] = {
		"bnd", "enqcmd", "movdir64b", "vmptrld", "vmxon", "vmclear", "lwp", "montmul",
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(name, names[i], strlen(names[i])))
			return true;
	return false;
}

static struct {
	unsigned long compared, at, somewhere, wrong;
} seen;

static void compare(const ZydisDecoder *decoder, const uint8_t *bytes)
{
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction insn;
	struct kp_arch_write write;
	enum kp_arch_writes ours;
	unsigned int len, i;
	struct kp_insn own;
	const char *name;
	bool right;

	if (kp_insn_decode(&own, bytes, KP_INSN_MAX, KP_INSN_64) ||
	    !ZYAN_SUCCESS(ZydisDecoderDecodeFull(decoder, bytes, KP_INSN_MAX,
						 &insn, ops)))
		return;
	ours = kp_arch_write_of(&write, 0x1000, bytes, KP_INSN_MAX, 0);
	len = written(&insn, ops);
	name = ZydisMnemonicGetString(insn.mnemonic);
	right = ours == KP_ARCH_WRITES_AT ? write.len == len :
		ours == KP_ARCH_WRITES_NOT ? !len : len || may_be_vague(name);
	seen.compared++;
	seen.at += ours == KP_ARCH_WRITES_AT;
	seen.somewhere += ours == KP_ARCH_WRITES_SOMEWHERE;
	if (right || seen.wrong++ >= SHOWN)
		return;
	printf("# %s: %d, %u bytes to us, %u to Zydis:", name, ours,
	       ours == KP_ARCH_WRITES_AT ? write.len : 0, len);
	for (i = 0; i < insn.length; i++)
		printf(" %02x", bytes[i]);
	putchar('\n');
}

int main(int argc, char **argv)
{
	unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 0) : 1000000;
	uint8_t bytes[BYTES];
	ZydisDecoder decoder;

	state = argc > 2 ? strtoul(argv[2], NULL, 0) : 1;
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64,
			 ZYDIS_STACK_WIDTH_64);
	while (count--) {
		make(bytes);
		compare(&decoder, bytes);
	}
	printf("%sok insn-written %lu compared, %lu write where registers say, %lu elsewhere, %lu differences\n",
	       seen.wrong ? "not " : "", seen.compared, seen.at, seen.somewhere,
	       seen.wrong);
	return seen.wrong != 0;
}
