/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * numbers.c - what may a syscall instruction ask for?
 *
 * Owns: following the number back through the function that the instruction is
 * in, along all ways that lead to it, to constants.  Invariant: what cannot be
 * followed (a call, an argument, memory, an indirect jump) is "unknown", so
 * "harmless" is a proof, as long as the function is entered at its beginning.
 *
 * A function is where its description for unwinders says; what has none is not
 * understood.  The one that was looked at last is kept, since calls come in
 * groups.
 *
 * Locks: the registry lock.
 */
#include "machine.h"
#include "numbers.h"
#include "objects/eh_frame.h"
#include "objects/objects.h"
#include "insn/walk.h"

#define CODE_MAX 8192			/* instructions of a function */
#define STEPS_MAX 256			/* on the ways back */
#define TARGETS_LEN (CODE_MAX * KP_INSN_MAX / 8)

#define RAX 0
/* What a call, and a system call, leave undefined; bit n is register n. */
#define CALL_CHANGES 0x0fc7u
#define SYSCALL_CHANGES 0x0803u

struct insn {
	uintptr_t at, target;		/* of a relative branch, or 0 */
	uint8_t len, flow;
};

static struct {
	uintptr_t start, end;
	struct insn *code;
	uint8_t *targets;		/* of its branches, a bit a byte of text */
	size_t nr;
	bool indirect;			/* it has a jump to who knows where */
	bool whole;			/* decoded to the end */
} fn;
#define MEM_LEN (CODE_MAX * sizeof(*fn.code) + TARGETS_LEN)

static int decode(struct kp_insn *insn, uintptr_t at, uintptr_t end)
{
	return kp_insn_decode(insn, (const uint8_t *)at, end - at, KP_INSN_64);
}

static size_t index_of(uintptr_t at)
{
	size_t low = 0, high = fn.nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (fn.code[mid].at < at)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static bool is_insn(size_t i, uintptr_t at)
{
	return i < fn.nr && fn.code[i].at == at;
}

static bool is_target(size_t i)
{
	uintptr_t off = fn.code[i].at - fn.start;

	return fn.targets[off / 8] >> (off % 8) & 1;
}

static void note_target(uintptr_t at)
{
	uintptr_t off = at - fn.start;

	if (off < fn.end - fn.start && off / 8 < TARGETS_LEN)
		fn.targets[off / 8] |= (uint8_t)(1u << (off % 8));
}

static void read_code(void)
{
	struct kp_insn_step step;
	size_t len = fn.end - fn.start;
	uintptr_t at;

	memset(fn.targets, 0, len / 8 < TARGETS_LEN ? len / 8 + 1 : TARGETS_LEN);

	for (at = fn.start; at < fn.end && fn.nr < CODE_MAX; at += step.length) {
		struct insn *new = &fn.code[fn.nr];

		if (kp_insn_walk(&step, (const uint8_t *)at, fn.end - at))
			break;
		*new = (struct insn){ at, 0, step.length, step.flow };
		if (step.relative && step.flow != KP_INSN_FLOW_CALL_REL) {
			new->target = at + (uintptr_t)step.target;
			note_target(new->target);
		}
		fn.indirect |= step.flow == KP_INSN_FLOW_JMP_IND;
		fn.nr++;
	}
	fn.whole = at >= fn.end;
}

/* Of the function around addr. */
static bool read_function(const struct kp_object *object, uintptr_t addr)
{
	uintptr_t start;
	size_t len;

	if (fn.code && addr >= fn.start && addr < fn.end)
		return true;
	if (!kp_user_unwind_bounds(object, addr, &start, &len))
		return false;
	if (!fn.code)
		fn.code = sys_mmap(NULL, MEM_LEN, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1);
	if (!fn.code)
		return false;
	fn.targets = (uint8_t *)(fn.code + CODE_MAX);
	fn.start = start;
	fn.end = start + len;
	fn.nr = 0;
	fn.indirect = false;
	read_code();
	return true;
}

void kp_user_numbers_end(void)
{
	if (fn.code)
		sys3(SYS_munmap, fn.code, MEM_LEN, 0);
	fn.code = NULL;
}

/* ---- one instruction --------------------------------------------------------- */

/* op r/m, reg: the arithmetic whose destination is r/m; and mov. */
static bool stores_reg(uint8_t op)
{
	return (op < 0x40 && (op & 7) < 2) || op == 0x88 || op == 0x89;
}

/* op reg, r/m. */
static bool loads_reg(uint8_t op)
{
	return (op < 0x40 && (op & 6) == 2) || op == 0x8a || op == 0x8b ||
	       op == 0x63;
}

/* cmp and test, whose operands are only read. */
static bool compares(const struct kp_insn *insn)
{
	unsigned int ext = insn->modrm >> 3 & 7;

	switch (insn->opcode) {
	case 0x38: case 0x39: case 0x3a: case 0x3b:
	case 0x84: case 0x85:
		return true;
	case 0x80: case 0x81: case 0x83:
		return ext == 7;
	case 0xf6: case 0xf7:
		return ext == 0;
	case 0xff:
		return ext == 6;	/* push */
	}
	return false;
}

/* Is the named register only read?  Conservative. */
static bool only_reads(const struct kp_insn *insn, unsigned int reg)
{
	bool as_reg = insn->reg_gpr == reg, as_rm = insn->rm_gpr == reg;

	if (!kp_insn_is_legacy(insn) || insn->vvvv_gpr == reg ||
	    (insn->implicit_gprs >> reg & 1))
		return false;
	if (insn->opcode_gpr == reg)
		return insn->map == KP_INSN_MAP_1BYTE &&
		       (insn->opcode & 0xf8) == 0x50;	/* push */
	if (!as_reg && !as_rm)
		return true;		/* part of an address */
	if (insn->map == KP_INSN_MAP_0F)	/* cmov, movzx, movsx */
		return !as_reg && ((insn->opcode & 0xf0) == 0x40 ||
				   (insn->opcode & 0xf6) == 0xb6);
	if (insn->map != KP_INSN_MAP_1BYTE)
		return false;
	if (compares(insn))
		return true;
	return (!as_rm || loads_reg(insn->opcode)) &&
	       (!as_reg || stores_reg(insn->opcode));
}

/* A byte register's number, without REX, may mean the second byte of another. */
static bool may_be_high_byte(const struct kp_insn *insn, unsigned int reg)
{
	return insn->operand_size == 1 && !insn->rex && reg < 4 &&
	       (insn->gprs >> (reg + 4) & 1);
}

enum origin { UNTOUCHED, CONSTANT, COPIED, LOST };

/* What the instruction makes of reg: a constant, or a copy of another. */
static enum origin origin(uintptr_t at, unsigned int *reg, unsigned long *value)
{
	struct kp_insn insn;

	decode(&insn, at, fn.end);
	if (insn.flow == KP_INSN_FLOW_CALL_REL ||
	    insn.flow == KP_INSN_FLOW_CALL_IND)
		return CALL_CHANGES >> *reg & 1 ? LOST : UNTOUCHED;
	if (insn.flow == KP_INSN_FLOW_SYSCALL)
		return SYSCALL_CHANGES >> *reg & 1 ? LOST : UNTOUCHED;
	if (may_be_high_byte(&insn, *reg))
		return LOST;
	if (!(insn.gprs >> *reg & 1) || only_reads(&insn, *reg))
		return UNTOUCHED;
	if (!kp_insn_is_legacy(&insn) || insn.map != KP_INSN_MAP_1BYTE ||
	    insn.operand_size < 4)
		return LOST;
	if (insn.opcode_gpr == *reg && (insn.opcode & 0xf8) == 0xb8) {
		*value = (unsigned long)insn.imm.value;
		return CONSTANT;
	}
	if (insn.rm_gpr == *reg && insn.opcode == 0xc7) {
		*value = (unsigned long)insn.imm.value;
		return CONSTANT;
	}
	if (insn.rm_gpr == *reg && insn.reg_gpr == *reg &&
	    (insn.opcode == 0x31 || insn.opcode == 0x33)) {
		*value = 0;
		return CONSTANT;
	}
	if ((insn.opcode == 0x89 && insn.rm_gpr == *reg) ||
	    (insn.opcode == 0x8b && insn.reg_gpr == *reg)) {
		unsigned int from = insn.opcode == 0x89 ? insn.reg_gpr
							: insn.rm_gpr;

		if (from != KP_INSN_NO_GPR) {
			*reg = from;
			return COPIED;
		}
	}
	return LOST;
}

/* ---- the ways back -------------------------------------------------------------- */

static struct step {
	uint16_t insn;			/* before it, the register matters */
	uint8_t reg;
} steps[STEPS_MAX];
static size_t steps_nr;

static bool add_step(size_t insn, unsigned int reg)
{
	size_t i;

	for (i = 0; i < steps_nr; i++)
		if (steps[i].insn == insn && steps[i].reg == reg)
			return true;
	if (steps_nr == STEPS_MAX)
		return false;
	steps[steps_nr++] = (struct step){ (uint16_t)insn, (uint8_t)reg };
	return true;
}

static bool falls_through(size_t i)
{
	return kp_insn_falls_through(fn.code[i].flow);
}

/* From instruction i comes reg: follow it.  False: unknown, or of interest. */
static bool comes_from(size_t i, unsigned int reg, bool (*harmless)(unsigned long))
{
	const uint8_t *bytes = (const uint8_t *)fn.code[i].at;
	unsigned long value;
	uint32_t imm;

	/* As most are: mov $imm, %eax. */
	if (reg == RAX && fn.code[i].len == 5 && bytes[0] == 0xb8) {
		memcpy(&imm, bytes + 1, sizeof(imm));
		return harmless(imm);
	}
	switch (origin(fn.code[i].at, &reg, &value)) {
	case CONSTANT:
		return harmless(value);
	case LOST:
		return false;
	default:
		return add_step(i, reg);
	}
}

/* A nop, which stands between a jump and what is aligned behind it. */
static bool is_padding(uintptr_t at)
{
	struct kp_insn insn;

	decode(&insn, at, fn.end);
	if (!kp_insn_is_legacy(&insn))
		return false;
	return insn.map == KP_INSN_MAP_1BYTE ? insn.opcode == 0x90 && !insn.b
					     : insn.map == KP_INSN_MAP_0F &&
					       insn.opcode == 0x1f;
}

static bool go_back(struct step step, bool (*harmless)(unsigned long))
{
	bool led = false;
	size_t i;

	if (step.insn && falls_through(step.insn - 1u)) {
		led = true;
		if (!comes_from(step.insn - 1u, step.reg, harmless))
			return false;
	}
	if (is_target(step.insn) && fn.indirect)
		return false;
	for (i = 0; is_target(step.insn) && i < fn.nr; i++) {
		if (fn.code[i].target != fn.code[step.insn].at)
			continue;
		led = true;
		if (!comes_from(i, step.reg, harmless))
			return false;
	}
	/* Or the function's beginning, a landing pad, a case of a switch. */
	return (led || is_padding(fn.code[step.insn].at)) && step.insn;
}

enum kp_number kp_user_number(const struct kp_object *object, uintptr_t call,
			      bool (*harmless)(unsigned long nr),
			      struct kp_before *before)
{
	size_t at, i;

	if (!read_function(object, call))
		return KP_NUMBER_NO_CALL;
	at = index_of(call);
	if (!is_insn(at, call))
		return KP_NUMBER_NO_CALL;
	before->alone = at && falls_through(at - 1) && !is_target(at) &&
			fn.whole;
	before->at = at ? fn.code[at - 1].at : 0;
	if (!is_target(at) && (!at || !falls_through(at - 1)))
		return KP_NUMBER_NO_CALL;
	if (!fn.whole)
		return KP_NUMBER_UNKNOWN;
	steps_nr = 0;
	add_step(at, RAX);
	for (i = 0; i < steps_nr; i++)
		if (!go_back(steps[i], harmless))
			return KP_NUMBER_UNKNOWN;
	return KP_NUMBER_HARMLESS;
}
