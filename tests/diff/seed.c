/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * seed.c - machine states that make an instruction do something.
 *
 * Owns: the random source and the choice of registers and memory.  Purely
 * random registers would fault on every memory operand; so base registers are
 * solved for an address in the data area, most of the time.
 */
#include <string.h>

#include "diff.h"

static uint64_t source;

void seed_set(uint64_t seed)
{
	source = seed * 0x9e3779b97f4a7c15 + 1;
}

uint64_t seed_fork(uint64_t nr)
{
	uint64_t parent = source;

	seed_set(parent ^ nr << 32);
	return parent;
}

void seed_join(uint64_t parent)
{
	source = parent;
}

uint64_t seed_next(void)
{
	source ^= source << 13;
	source ^= source >> 7;
	source ^= source << 17;
	return source * 0x2545f4914f6cdd1d;
}

bool seed_one_in(unsigned int n)
{
	return !((seed_next() >> 33) % n);
}

static void fill(void *dst, size_t len)
{
	uint8_t *p = dst;

	for (; len >= 8; p += 8, len -= 8) {
		uint64_t word = seed_next();

		memcpy(p, &word, 8);
	}
}

static uint64_t some_value(const struct areas *a)
{
	static const uint64_t special[] = {
		0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff,
		0x80000000, 0xffffffff, 0x100000000, 0x7fffffffffffffff,
		0x8000000000000000, 0xffffffffffffffff,
	};

	switch (seed_next() >> 40 & 7) {
	case 0: case 1:
		return seed_next();
	case 2:
		return seed_next() & 0x3f;
	case 3:
		return special[seed_next() % 15];
	case 4:
		return (uint32_t)seed_next();
	default:
		return a->data + 0x400 + (seed_next() >> 40 & 0x7c0);
	}
}

/* An address for an operand: aligned, not aligned, at the end, unmapped. */
static uint64_t some_address(const struct areas *a)
{
	uint64_t addr = a->data + 0x400 + (seed_next() >> 40 & 0x7c0);

	switch (seed_next() >> 40 & 15) {
	case 0: case 1: case 2:
		return addr + (seed_next() >> 40 & 0x3f);
	case 3:
		return a->data + DATA_LEN - (seed_next() >> 40 & 0x1f);
	case 4:
		return a->data + DATA_LEN + 0x1000;
	}
	return addr;
}

/* Where a branch may go: the code area, which is full of int3. */
static uint64_t some_target(const struct areas *a)
{
	switch (seed_next() >> 40 & 15) {
	case 0:
		return seed_next();		/* most likely no address */
	case 1:
		return a->code + CODE_LEN + 0x1000;
	}
	return a->code + (seed_next() >> 40 & 0x3fff);
}

static void seed_vectors(struct state *s)
{
	bool small = seed_one_in(3);
	unsigned int nr, i;
	size_t off, len;

	fill(s->fp, sandbox_fp_len());
	if (small)
		for (i = 160; i < 416; i += 4) {
			uint32_t word = seed_next() >> 40 & 0xff;

			memcpy(s->fp + i, &word, 4);
		}
	memset(s->fp, 0, 32);
	s->fp[0] = 0x7f;			/* FCW 037f */
	s->fp[1] = 0x03 | (seed_next() >> 40 & 0x0c);
	if (seed_one_in(2)) {
		unsigned int depth = seed_next() >> 40 & 7;

		s->fp[3] = (uint8_t)(depth << 3);	/* FSW.TOP */
		s->fp[4] = (uint8_t)(0xff << depth);	/* abridged tags */
	}
	s->fp[24] = 0x80;			/* MXCSR 1f80 */
	s->fp[25] = 0x1f | (seed_next() >> 40 & 0x60);
	if (seed_one_in(16))
		s->fp[25] &= (uint8_t)~(seed_next() >> 40 & 0x1e);
	memset(s->fp + 28, 0, 4);
	for (i = 0; i < 8; i++) {		/* plausible x87 registers */
		memset(s->fp + 32 + 16 * i + 10, 0, 6);
		s->fp[32 + 16 * i + 7] |= 0x80;
		if (!seed_one_in(4)) {
			s->fp[32 + 16 * i + 8] = (uint8_t)seed_next();
			s->fp[32 + 16 * i + 9] = 0x3f;
		}
	}
	memset(s->fp + 416, 0, 576 - 416);
	for (nr = 2; nr < 8; nr++)
		if (sandbox_fp_component(nr, &off, &len) && seed_one_in(8))
			memset(s->fp + off, 0, len);
}

static void seed_stack_pointer(struct trial *t, const struct areas *a)
{
	uint64_t *sp = &t->before.gpr[4];

	*sp = a->stack + 0x800 + (seed_next() >> 40 & 0x3f8);
	switch (seed_next() >> 40 & 31) {
	case 0:
		*sp += seed_next() >> 40 & 7;
		break;
	case 1:
		*sp = a->stack;			/* a push faults */
		break;
	case 2:
		*sp = a->stack + STACK_LEN;	/* a pop faults */
		break;
	case 3:
		*sp = a->stack + 4;		/* straddles */
		break;
	}
}

static void seed_registers(struct trial *t, const struct areas *a)
{
	uint64_t *gpr = t->before.gpr;
	int i;

	for (i = 0; i < 16; i++)
		gpr[i] = some_value(a);
	seed_stack_pointer(t, a);
	if (seed_one_in(2))
		gpr[5] = gpr[4] + (seed_next() >> 40 & 0x78);
	if (!seed_one_in(4)) {
		gpr[6] = some_address(a);
		gpr[7] = some_address(a);
	}
	if (seed_one_in(2))
		gpr[1] = seed_next() >> 40 & 0xf;
	t->before.flags = 0x202 | (seed_next() & 0x8d5);
	if (seed_one_in(4))
		t->before.flags |= 0x400;
}

static void put_target(struct trial *t, const struct areas *a, uint64_t addr)
{
	uint64_t target = some_target(a);

	if (addr >= a->data && addr <= a->data + DATA_LEN - 8)
		memcpy(t->data + (addr - a->data), &target, 8);
	if (addr >= a->stack && addr <= a->stack + STACK_LEN - 8)
		memcpy(t->stack + (addr - a->stack), &target, 8);
}

/* Make the memory operand's address come out as addr. */
static void aim(struct trial *t, const struct areas *a, uint64_t addr)
{
	struct kp_insn *insn = &t->insn;
	uint64_t *gpr = t->before.gpr;
	unsigned int scale = insn->flags & KP_INSN_HAS_SIB ? insn->sib >> 6 : 0;
	int64_t disp = insn->disp.value;
	uint64_t here = a->code + INSN_OFF + insn->length;
	uint32_t rel;

	if (insn->flags & KP_INSN_RIP_REL) {
		rel = (uint32_t)(addr - here);
		memcpy(t->bytes + insn->disp.offset, &rel, 4);
		return;
	}
	if (!(insn->flags & KP_INSN_HAS_MODRM)) {	/* moffs */
		if (insn->imm.size == 8 || t->set == LOW)
			memcpy(t->bytes + insn->imm.offset, &addr,
			       insn->imm.size);
		return;
	}
	if (insn->base_gpr == KP_INSN_NO_GPR &&
	    insn->index_gpr == KP_INSN_NO_GPR) {
		if (t->set == LOW && insn->disp.size == 4)
			memcpy(t->bytes + insn->disp.offset, &addr, 4);
		return;
	}
	if (insn->index_gpr == insn->base_gpr)
		return;
	if (insn->index_gpr != KP_INSN_NO_GPR) {
		if (insn->base_gpr == KP_INSN_NO_GPR) {
			gpr[insn->index_gpr] =
				(addr - (uint64_t)disp) >> scale;
			return;
		}
		if (insn->index_gpr != 1 || !(insn->flags & KP_INSN_STRING))
			gpr[insn->index_gpr] = seed_next() >> 40 & 0xf;
	}
	gpr[insn->base_gpr] = addr - (uint64_t)disp;
	if (insn->index_gpr != KP_INSN_NO_GPR)
		gpr[insn->base_gpr] -= gpr[insn->index_gpr] << scale;
	/* The upper halves do not count with 32-bit addresses. */
	if (insn->address_size == 4)
		gpr[insn->base_gpr] = (uint32_t)gpr[insn->base_gpr] |
				      seed_next() << 32;
}

static bool branches_into_itself(const struct trial *t)
{
	int64_t rel = kp_insn_rel_target(&t->insn);

	return kp_insn_is_rel_branch(&t->insn) && rel >= 0 &&
	       rel < t->insn.length;
}

/* What an indirect branch would take its target from. */
static void seed_branch(struct trial *t, const struct areas *a, uint64_t addr)
{
	switch (t->insn.flow) {
	case KP_INSN_FLOW_JMP_IND:
	case KP_INSN_FLOW_CALL_IND:
		if (t->insn.flags & KP_INSN_HAS_MEM)
			put_target(t, a, addr);
		else if (t->insn.rm_gpr != 4)
			t->before.gpr[t->insn.rm_gpr] = some_target(a);
		break;
	case KP_INSN_FLOW_SYSCALL:
		t->before.gpr[0] = 39;		/* getpid */
		break;
	case KP_INSN_FLOW_RET:
		put_target(t, a, t->before.gpr[4]);
		break;
	}
}

/*
 * popf must not set TF, AC, NT or ID: they would hit the test itself.  IF set
 * and IOPL 0 are what user mode cannot change and the emulation can.
 */
static void tame_popf(struct trial *t, const struct areas *a)
{
	uint64_t off = t->before.gpr[4] - a->stack;
	uint64_t flags;

	if (off > STACK_LEN - 8)
		return;
	memcpy(&flags, t->stack + off, 8);
	flags = (flags & ~0x247100ull) | 0x200;
	memcpy(t->stack + off, &flags, 8);
}

bool seed_trial(struct trial *t, const char *name, const uint8_t *bytes,
		size_t len)
{
	const struct areas *a;
	uint64_t addr;

	t->name = name;
	memset(t->bytes, 0xcc, sizeof(t->bytes));
	memcpy(t->bytes, bytes, len);
	if (kp_insn_decode(&t->insn, bytes, len, KP_INSN_64) ||
	    t->insn.length != len) {
		counts.undecodable++;
		return false;
	}
	t->set = t->insn.address_size == 4 ||
		 ((t->insn.flags & KP_INSN_HAS_MEM) && t->insn.disp.size == 4 &&
		  t->insn.base_gpr == KP_INSN_NO_GPR &&
		  !(t->insn.flags & KP_INSN_RIP_REL)) ? LOW : HIGH;
	a = &areas[t->set];
	if (branches_into_itself(t) || t->insn.segment == 0x64) {
		counts.skipped++;
		return false;
	}
	fill(t->data, DATA_LEN);
	fill(t->stack, STACK_LEN);
	seed_registers(t, a);
	seed_vectors(&t->before);
	addr = some_address(a);
	if (t->insn.base_gpr == 4)
		addr += a->stack - a->data;
	if (t->insn.flags & KP_INSN_HAS_MEM)
		aim(t, a, addr);
	seed_branch(t, a, addr);
	if (kp_insn_is_legacy(&t->insn) && !t->insn.map &&
	    t->insn.opcode == 0x9d)
		tame_popf(t, a);
	t->before.ip = a->code + INSN_OFF;
	return !kp_insn_decode(&t->insn, t->bytes, len, KP_INSN_64);
}
