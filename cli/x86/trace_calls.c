// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * trace_calls.c - the instructions with which a process calls the kernel.
 *
 * Owns: finding them in the functions of all objects, and looking back from each:
 * which number it asks for, and where a probe can stand for it.
 *
 *	mov	8(%rsp), %r9
 *	mov	$257, %eax	; the probe, if it is understood: the engine itself
 *	syscall			; may watch this one
 *	cmp	$-4095, %rax	; the probe on its return
 *
 * Invariant: a number is only known if all ways to the instruction set it; what a
 * probe is told of arguments follows from instructions that were understood one by
 * one.  Everything else is "not known", and a program looks at the register.
 *
 * The code is the target's: hostile, read in the jail, decoded, never executed.
 */
#include "trace_calls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "insn.h"
#include "walk.h"

#define FUNCTION_MAX (16u << 20)	/* bytes of one that is looked at */
#define WAYS_MAX 256			/* instructions that are looked back at */
#define WATCHED 5			/* so long a one before it may be the engine's, too */
#define CALL_LEN 2
#define NOWHERE UINT32_MAX
/* What a call, and a system call, leave undefined; bit n is register n. */
#define CALL_CHANGES 0x0fc7u
#define SYSCALL_CHANGES 0x0803u

enum { AX, CX, DX, BX, SP, BP, SI, DI, R8, R9, R10 };

/* As vm/host.h numbers them. */
static const uint8_t as_probe_reg[16] = {
	10, 11, 12, 5, 19, 4, 13, 14, 9, 8, 7, 6, 3, 2, 1, 0,
};

/* One function. */
struct code {
	uint64_t addr;
	const uint8_t *bytes;
	size_t len;
	uint32_t *starts;		/* of its instructions */
	uint32_t *to;			/* of each, where it branches to; NOWHERE */
	size_t nr;
	uint8_t *targets;		/* of its branches, a bit a byte */
	bool indirect;			/* a branch to who knows where */
	bool broken;			/* not all is instructions */
};

/* A register at an instruction, as known at one before it. */
struct part {
	enum { REGISTER, ON_STACK, CONSTANT } kind;
	uint8_t reg;			/* REGISTER */
	int64_t value;			/* bytes from the stack's top; the constant */
};

struct parts {
	struct part part[CALL_PARTS];
};

static const struct parts at_the_call = { {
	{ .reg = AX }, { .reg = DI }, { .reg = SI }, { .reg = DX },
	{ .reg = R10 }, { .reg = R8 }, { .reg = R9 },
} };

/* ---- a function --------------------------------------------------------------- */

static bool is_target(const struct code *code, size_t at)
{
	return code->targets[at / 8] >> (at % 8) & 1;
}

static void walk(struct code *code)
{
	struct kp_insn_step step;
	uint64_t to;
	size_t at;

	for (at = 0; at < code->len; at += step.length) {
		if (kp_insn_walk(&step, code->bytes + at, code->len - at))
			break;
		to = at + (uint64_t)step.target;
		if (!step.relative || step.flow == KP_INSN_FLOW_CALL_REL ||
		    to >= code->len)
			to = NOWHERE;
		else
			code->targets[to / 8] |= (uint8_t)(1u << (to % 8));
		code->to[code->nr] = (uint32_t)to;
		code->starts[code->nr++] = (uint32_t)at;
		code->indirect |= step.flow == KP_INSN_FLOW_JMP_IND;
	}
	code->broken = at < code->len;
}

static bool decode(const struct code *code, size_t i, struct kp_insn *insn)
{
	size_t at = code->starts[i];

	return !kp_insn_decode(insn, code->bytes + at, code->len - at,
			       KP_INSN_64);
}

/* ---- looking back ---------------------------------------------------------------- */

/* mov $n, %r32; mov $n, %r64; xor %r, %r */
static bool is_constant(const struct kp_insn *insn, uint8_t reg, int64_t *value)
{
	bool moves = insn->opcode_gpr == reg && (insn->opcode & 0xf8) == 0xb8;
	bool stores = insn->rm_gpr == reg && insn->opcode == 0xc7;

	if (insn->operand_size < 4)
		return false;
	*value = moves || stores ? insn->imm.value : 0;
	if (insn->operand_size == 4)
		*value = (uint32_t)*value;
	return moves || stores ||
	       (insn->rm_gpr == reg && insn->reg_gpr == reg &&
		(insn->opcode == 0x31 || insn->opcode == 0x33));
}

/* Of 4 bytes only for the number, which has no more. */
static bool is_copy(const struct kp_insn *insn, uint8_t reg, bool number,
		    uint8_t *from)
{
	if (insn->operand_size != 8 && !(number && insn->operand_size == 4))
		return false;
	if (insn->rm_gpr == KP_INSN_NO_GPR)
		return false;
	*from = insn->opcode == 0x89 ? insn->reg_gpr : insn->rm_gpr;
	return (insn->opcode == 0x89 && insn->rm_gpr == reg) ||
	       (insn->opcode == 0x8b && insn->reg_gpr == reg);
}

/* mov n(%rsp), %r64 */
static bool is_from_stack(const struct kp_insn *insn, uint8_t reg)
{
	return insn->opcode == 0x8b && insn->reg_gpr == reg &&
	       insn->rm_gpr == KP_INSN_NO_GPR && insn->base_gpr == SP &&
	       insn->index_gpr == KP_INSN_NO_GPR && !insn->segment &&
	       insn->operand_size == 8 && insn->address_size == 8;
}

/* What part is before the instruction; false: that is not understood. */
static bool part_before(struct part *part, const struct kp_insn *insn,
			bool number)
{
	bool plain = kp_insn_is_legacy(insn) &&
		     insn->map == KP_INSN_MAP_1BYTE;
	uint8_t from;

	if (part->kind == CONSTANT)
		return true;
	if (part->kind == ON_STACK)
		return plain && !(insn->gprs >> SP & 1) &&
		       (!(insn->flags & KP_INSN_HAS_MEM) || insn->opcode == 0x8b);
	if (!(insn->gprs >> part->reg & 1))
		return true;
	if (!plain)
		return false;
	if (is_constant(insn, part->reg, &part->value)) {
		part->kind = CONSTANT;
	} else if (is_from_stack(insn, part->reg)) {
		part->kind = ON_STACK;
		part->value = insn->disp.value;
	} else if (is_copy(insn, part->reg, number, &from)) {
		part->reg = from;
	} else {
		/* What is only read, to be written to another register. */
		return (insn->opcode == 0x89 && insn->reg_gpr == part->reg &&
			insn->rm_gpr != KP_INSN_NO_GPR) ||
		       (insn->opcode == 0x8b && insn->rm_gpr == part->reg);
	}
	return true;
}

/* All parts, before instruction i; nothing but it leads to the next one. */
static bool go_back(const struct code *code, size_t i, struct parts *parts)
{
	struct kp_insn insn;
	size_t k;

	if (is_target(code, code->starts[i + 1]) || !decode(code, i, &insn) ||
	    insn.flow != KP_INSN_FLOW_NONE || (insn.flags & KP_INSN_WRITES_SP))
		return false;
	for (k = 0; k < CALL_PARTS; k++)
		if (!part_before(&parts->part[k], &insn, k == CALL_NUMBER))
			return false;
	return true;
}

/* ---- the number, on all ways -------------------------------------------------------- */

struct ways {
	struct {
		size_t insn;		/* before it */
		uint8_t reg;		/* this one is the number */
	} step[WAYS_MAX];
	size_t nr;
	int64_t number;			/* found so far; -1: none */
};

static bool add_step(struct ways *ways, size_t insn, uint8_t reg)
{
	size_t i;

	for (i = 0; i < ways->nr; i++)
		if (ways->step[i].insn == insn && ways->step[i].reg == reg)
			return true;
	if (ways->nr == WAYS_MAX)
		return false;
	ways->step[ways->nr].insn = insn;
	ways->step[ways->nr++].reg = reg;
	return true;
}

/* Behind instruction i reg is the number.  False: it cannot be followed. */
static bool comes_from(struct ways *ways, const struct kp_insn *insn, size_t i,
		       uint8_t reg)
{
	struct part part = { .kind = REGISTER, .reg = reg };
	unsigned int changes = 0;

	if (insn->flow == KP_INSN_FLOW_CALL_REL ||
	    insn->flow == KP_INSN_FLOW_CALL_IND)
		changes = CALL_CHANGES;
	else if (insn->flow == KP_INSN_FLOW_SYSCALL)
		changes = SYSCALL_CHANGES;
	if (changes)
		return !(changes >> reg & 1) && add_step(ways, i, reg);
	if (!part_before(&part, insn, true) || part.kind == ON_STACK)
		return false;
	if (part.kind == REGISTER)
		return add_step(ways, i, part.reg);
	part.value = (uint32_t)part.value;
	if (ways->number >= 0 && ways->number != part.value)
		return false;
	ways->number = part.value;
	return true;
}

/* A nop, which nothing leads to, before what is aligned behind a jump. */
static bool is_padding(const struct kp_insn *insn)
{
	if (!kp_insn_is_legacy(insn))
		return false;
	return insn->map == KP_INSN_MAP_1BYTE
		       ? insn->opcode == 0x90 && !insn->b
		       : insn->map == KP_INSN_MAP_0F && insn->opcode == 0x1f;
}

/* Everything that leads to before instruction i. */
static bool go_all_ways(const struct code *code, struct ways *ways, size_t i,
			uint8_t reg)
{
	struct kp_insn insn;
	bool led = false;
	size_t k;

	if (i && decode(code, i - 1, &insn) && kp_insn_falls_through(insn.flow)) {
		led = true;
		if (!comes_from(ways, &insn, i - 1, reg))
			return false;
	}
	for (k = 0; is_target(code, code->starts[i]) && k < code->nr; k++) {
		if (code->to[k] != code->starts[i])
			continue;
		led = true;
		if (!decode(code, k, &insn) || !comes_from(ways, &insn, k, reg))
			return false;
	}
	return led || (i && decode(code, i, &insn) && is_padding(&insn));
}

/* The only number that instruction i asks for; or -1. */
static int64_t number_of(const struct code *code, size_t i)
{
	struct ways ways = { .number = -1 };
	size_t k;

	/* A switch leads to who knows where; what was not decoded, too. */
	if (code->indirect || code->broken)
		return -1;
	add_step(&ways, i, AX);
	for (k = 0; k < ways.nr; k++)
		if (!go_all_ways(code, &ways, ways.step[k].insn,
				 ways.step[k].reg))
			return -1;
	return ways.number;
}

/* ---- where the probe stands -------------------------------------------------------- */

/*
 * How many instructions before it the probe stands.  The engine watches calls that
 * matter to it, and, of an unknown number, also a long one right before.
 */
static size_t find_place(const struct code *code, size_t i, bool known,
			 struct parts *parts)
{
	struct parts further;

	*parts = at_the_call;
	if (!i || !go_back(code, i - 1, parts)) {
		*parts = at_the_call;
		return 0;
	}
	if (known || code->starts[i] - code->starts[i - 1] < WATCHED || i < 2)
		return 1;
	further = *parts;
	if (!go_back(code, i - 2, &further))
		return 1;
	*parts = further;
	return 2;
}

static struct trace_arg as_arg(const struct part *part)
{
	struct trace_arg arg = { .kind = TRACE_ARG_REGISTER };

	if (part->kind == CONSTANT) {
		arg.kind = TRACE_ARG_CONSTANT;
		arg.value = part->value;
		return arg;
	}
	arg.value = as_probe_reg[part->kind == ON_STACK ? SP : part->reg];
	arg.deref = part->kind == ON_STACK;
	arg.offset = arg.deref ? part->value : 0;
	return arg;
}

/* mov $15, %rax: its entry for unwinders begins a byte early, in the middle. */
static bool is_restorer(const struct code *code, size_t at)
{
	static const uint8_t mov[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0 };

	return at >= sizeof(mov) &&
	       !memcmp(code->bytes + at - sizeof(mov), mov, sizeof(mov));
}

static void describe(const struct code *code, size_t i, struct call_site *site)
{
	struct parts parts;
	size_t k, back;

	site->number = is_restorer(code, code->starts[i]) ? SYS_rt_sigreturn
							  : number_of(code, i);
	back = find_place(code, i, site->number >= 0, &parts);
	site->place = code->addr + code->starts[i - back];
	if (i + 1 < code->nr) {
		site->behind = code->addr + code->starts[i + 1];
		site->joined = code->indirect ||
			       is_target(code, code->starts[i + 1]);
	}
	for (k = 0; k < CALL_PARTS; k++)
		site->parts[k] = as_arg(&parts.part[k]);
}

/* ---- all of them ---------------------------------------------------------------- */

struct found {
	struct call_site *all;
	size_t nr, room;
};

static struct call_site *add(struct found *found)
{
	struct call_site *more = found->all;

	if (found->nr == found->room) {
		found->room = found->room ? 2 * found->room : 256;
		more = realloc(more, found->room * sizeof(*more));
		if (!more)
			return NULL;
		found->all = more;
	}
	more += found->nr++;
	*more = (struct call_site){ .number = -1 };
	return more;
}

static int look_at(struct found *found, struct code *code)
{
	struct call_site *site;
	const uint8_t *at;
	bool whole;
	size_t i;

	code->starts = malloc(code->len * sizeof(*code->starts));
	code->to = malloc(code->len * sizeof(*code->to));
	code->targets = calloc(code->len / 8 + 1, 1);
	whole = code->starts && code->to && code->targets;
	if (whole)
		walk(code);
	for (i = 0; i < code->nr && whole; i++) {
		at = code->bytes + code->starts[i];
		if (code->len - code->starts[i] < CALL_LEN || at[0] != 0x0f ||
		    at[1] != 0x05)
			continue;
		site = add(found);
		whole = site;
		if (site)
			describe(code, i, site);
	}
	free(code->starts);
	free(code->to);
	free(code->targets);
	return whole ? 0 : -ENOMEM;
}

/* Not the kernel's own code, nor ours. */
static bool is_looked_at(const struct symbols *s, const struct symbol *fn)
{
	const struct symbol_module *m = &s->modules[fn->module];

	return !m->vdso && !fn->indirect && fn->size >= CALL_LEN &&
	       fn->size <= FUNCTION_MAX && strcmp(m->label, "trace.so") &&
	       strncmp(m->label, "libkprobes.so", 13);
}

int tracing_call_sites(struct symbols *s, struct call_site **sites, size_t *nr)
{
	static const uint8_t call[CALL_LEN] = { 0x0f, 0x05 };
	struct found found = { NULL };
	uint64_t end = 0;
	uint8_t *bytes = malloc(FUNCTION_MAX);
	int err = bytes ? 0 : -ENOMEM;
	size_t i;

	for (i = 0; i < s->nr && !err; i++) {
		const struct symbol *fn = &s->all[i];
		struct code code = { .addr = fn->addr, .bytes = bytes };

		/* By another name it was seen. */
		if (fn->addr < end || !is_looked_at(s, fn))
			continue;
		code.len = symbols_read(s, fn, fn->addr, bytes, fn->size);
		end = fn->addr + code.len;
		if (code.len && memmem(bytes, code.len, call, sizeof(call)))
			err = look_at(&found, &code);
	}
	free(bytes);
	*sites = found.all;
	*nr = found.nr;
	return err;
}
