/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * diff.c - 32-bit instructions at their place, emulated, and in their slots: the same?
 *
 * Owns: instructions of a library and at random, executed on the processor itself in all
 * ways that there are, with the slot left behind each of its instructions: registers, flags,
 * data, stack, x87 and SSE registers must agree with the real execution, and so must faults.
 *
 * usage: diff library FILE EVERY SEED | diff random COUNT SEED
 */
#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "insn/insn.h"
#include "probe.h"
#include "random.h"
#include "sandbox.h"

#define COMPARED_FLAGS 0xcd5ul		/* CF PF AF ZF SF DF OF */

static uint64_t random_state;
static struct state real, before;
static struct kp_arch_probe probe;
static struct kp_insn insn;
static uint8_t bytes[16];
static uintptr_t slot;
static struct {
	size_t trials, refused, emulated, faults, slots, left, failed;
} count;
static const char *wrong;		/* what was, in the slot */

static const struct kp_arch_mem mem = { sandbox_read, sandbox_write };

/* ---- states -------------------------------------------------------------------------- */

static unsigned long some_value(void)
{
	uint64_t r = next_random(&random_state);

	switch (r % 4) {
	case 0:
		return DATA + MIDDLE + (r >> 8) % 256;
	case 1:
		return (unsigned long)(r >> 8) % 64;
	case 2:
		return -((unsigned long)(r >> 8) % 64);
	default:
		return HOLE + (1u << 23) + (r >> 8) % 65536;
	}
}

static void randomize(void)
{
	struct pt_regs *regs = &given.regs;
	size_t i;

	memset(regs, 0, sizeof(*regs));
	for (i = 0; i < 8; i++)
		*kp_x86_reg(regs, (unsigned int)i) = some_value();
	regs->sp = STACK + MIDDLE + 4 * (next_random(&random_state) % 64);
	/* A stack without room, now and then. */
	if (next_random(&random_state) % 16 == 0)
		regs->sp = STACK + 4 * (next_random(&random_state) % 3);
	regs->flags = 0x302 | (next_random(&random_state) & 0xcd5);
	regs->ip = PLACE;
	for (i = 0; i < FLOATS_LEN; i++)
		given.floats[i] = i < 128 && i % 16 >= 10 ? 0 : (uint8_t)next_random(&random_state);
	for (i = 0; i < PAGE; i += 4) {
		unsigned long value = some_value();

		memcpy(given.data + i, &value, 4);
		value = some_value();
		memcpy(given.stack + i, &value, 4);
	}
}

/* Below the stack pointer nobody looks. */
static const char *differs(const struct state *a, const struct state *b)
{
	uintptr_t sp = a->regs.sp;

	if (a->signal != b->signal)
		return "signal";
	if (a->regs.ip != b->regs.ip)
		return "ip";
	if ((a->regs.flags ^ b->regs.flags) & COMPARED_FLAGS)
		return "flags";
	if (memcmp(&a->regs, &b->regs, offsetof(struct pt_regs, ds)) || sp != b->regs.sp)
		return "registers";
	if (memcmp(a->data, b->data, PAGE))
		return "data";
	if (sp - STACK < PAGE && memcmp(a->stack + (sp - STACK), b->stack + (sp - STACK),
					PAGE - (sp - STACK)))
		return "stack";
	return memcmp(a->floats, b->floats, FLOATS_LEN) ? "floats" : NULL;
}

/* ---- ways ----------------------------------------------------------------------------- */

static bool repeats(const struct pt_regs *regs)
{
	return regs->ip == PLACE && insn.flags & KP_INSN_REP;
}

/* Left there, is it as if nothing had happened, or all? */
static void check_left(const struct pt_regs *regs)
{
	struct state now = got, *like = &before;

	now.regs = *regs;
	kp_arch_step_abort(&probe, &now.regs, slot, &mem);
	if (now.regs.ip != PLACE)
		like = &real;
	else if (insn.flags & KP_INSN_REP)
		return;
	count.left++;
	now.signal = like->signal;
	if (!wrong && like->signal == SIGTRAP)
		wrong = differs(like, &now);
}

static bool in_slot(const struct pt_regs *regs)
{
	if (regs->ip - slot >= 2u * probe.stepped)
		return false;
	check_left(regs);
	return true;
}

static const char *run_slot(size_t form)
{
	given = before;
	given.regs.ip = slot + form;
	wrong = NULL;
	run(in_slot);
	if (wrong)
		return wrong;
	count.slots++;
	if (got.regs.ip - slot < 2u * probe.stepped || got.regs.ip - slot == 2u * probe.stepped) {
		if (got.signal != SIGTRAP || !kp_arch_step_finish(&probe, &got.regs, slot))
			kp_arch_step_abort(&probe, &got.regs, slot, &mem);
	}
	return differs(&real, &got);
}

static const char *check_slots(uintptr_t at, bool is_short)
{
	static uint8_t image[KP_ARCH_SLOT_LEN];
	const char *reason = NULL, *field;

	slot = at;
	kp_arch_slot_shorten(&probe, is_short);
	if (kp_arch_emit_slot(&probe, slot, image, &reason))
		return is_short ? NULL : reason;	/* no room in the shorter one */
	memcpy((void *)slot, image, 2u * probe.stepped);
	field = run_slot(0);
	if (!field)
		field = run_slot(probe.stepped);
	memset((void *)slot, 0xcc, sizeof(image));
	return field;
}

static const char *check_emulated(void)
{
	given = before;
	memcpy((void *)DATA, given.data, PAGE);
	memcpy((void *)STACK, given.stack, PAGE);
	got = given;
	if (kp_arch_emulate(&probe, &got.regs, &mem))
		return memcmp(&got.regs, &given.regs, sizeof(got.regs)) ? "registers of a failure" : NULL;
	count.emulated++;
	memcpy(got.data, (const void *)DATA, PAGE);
	memcpy(got.stack, (const void *)STACK, PAGE);
	got.signal = SIGTRAP;
	memcpy(got.floats, real.floats, FLOATS_LEN);	/* it has none */
	return differs(&real, &got);
}

/* ---- instructions ---------------------------------------------------------------------- */

/* What is not the same twice, looks at where it is, or spoils the test itself. */
static bool is_skipped(void)
{
	uint8_t op = insn.opcode, reg = insn.modrm >> 3 & 7;

	if (insn.flow == KP_INSN_FLOW_INT || insn.flow == KP_INSN_FLOW_SYSCALL || insn.segment == 0x65)
		return true;
	if (insn.encoding != KP_INSN_LEGACY)
		return false;
	if (insn.map == KP_INSN_MAP_1BYTE)
		return op == 0x8e || op == 0x07 || op == 0x17 || op == 0x1f ||	/* segments */
		       op == 0xc4 || op == 0xc5 || op == 0x9d ||	/* les, lds; popf: TF */
		       ((op == 0xd9 || op == 0xdd) && (reg == 6 || reg == 4) && insn.modrm < 0xc0);
	if (insn.map != KP_INSN_MAP_0F)
		return false;
	/* sldt and str, which a kernel does for a program whose processor refuses them. */
	return op == 0x00 || op == 0x31 || op == 0xa1 || op == 0xa9 || op == 0xb2 || op == 0xb4 || op == 0xb5 ||
	       op == 0xc7 || op == 0xae || op == 0x01 || op == 0x77;
}

static void show(const char *way, const char *field)
{
	unsigned int i;

	printf("#");
	for (i = 0; i < insn.length; i++)
		printf(" %02x", bytes[i]);
	printf(": %s: %s; signals %d, %d; ip %lx, %lx; sp %lx, %lx; flags %lx, %lx\n", way, field,
	       real.signal, got.signal, real.regs.ip, got.regs.ip, real.regs.sp, got.regs.sp,
	       real.regs.flags, got.regs.flags);
}

static void judge(const char *way, const char *field)
{
	if (!field)
		return;
	if (count.failed++ < 20)
		show(way, field);
}

static void execute_real(void)
{
	memcpy((void *)PLACE, bytes, insn.length);
	given = before;
	run(repeats);
	real = got;
	before.signal = real.signal;
	memset((void *)PLACE, 0xcc, sizeof(bytes));
}

/* No address that is far from those in registers: the program's own may be there. */
static void tame(void)
{
	const struct kp_insn_field *field = insn.disp.size ? &insn.disp : &insn.imm;
	uint32_t value = insn.disp.size && insn.base_gpr != KP_INSN_NO_GPR ? bytes[field->offset]
									    : DATA + MIDDLE;

	if (insn.flags & KP_INSN_HAS_MEM && field->size == 4 &&
	    (insn.disp.size || !(insn.flags & KP_INSN_HAS_MODRM)))
		memcpy(bytes + field->offset, &value, sizeof(value));
}

static void try_insn(void)
{
	const char *reason = NULL;

	if (!kp_insn_decode(&insn, bytes, sizeof(bytes), KP_X86_MODE))
		tame();
	if (kp_insn_decode(&insn, bytes, sizeof(bytes), KP_X86_MODE) || is_skipped())
		return;
	if (kp_arch_prepare(&probe, PLACE, bytes, sizeof(bytes), KP_ARCH_USER, &reason)) {
		count.refused++;
		return;
	}
	randomize();
	before = given;
	count.trials++;
	execute_real();
	count.faults += real.signal != SIGTRAP;
	if (probe.class == KP_ARCH_EMULATE) {
		size_t emulated = count.emulated;

		judge("emulated", check_emulated());
		/* Then there is a need for no slot: its forms want three words of stack. */
		if (count.emulated != emulated && before.regs.sp - STACK < 3 * KP_X86_WORD)
			return;
	}
	/* There the test could not tell where it is. */
	if ((real.regs.ip ^ SLOT_NEAR) < PAGE || (real.regs.ip ^ SLOT_FAR) < PAGE ||
	    real.regs.ip == PLACE)
		return;
	judge("near", check_slots(SLOT_NEAR, false));
	judge("near, short", check_slots(SLOT_NEAR, true));
	judge("far", check_slots(SLOT_FAR, false));
}

/* A near branch of whatever kind. */
static void make_branch(void)
{
	static const uint8_t ops[] = { 0xe8, 0xe9, 0xeb, 0xe0, 0xe1, 0xe2, 0xe3, 0xc3, 0xc2, 0xff, 0x9c };
	uint64_t r = next_random(&random_state);
	size_t at = 0;

	if (r % 8 == 0)
		bytes[at++] = 0x67;
	if (r >> 8 & 1) {
		bytes[at++] = (r >> 9 & 1) ? 0x0f : (uint8_t)(0x70 | (r >> 16 & 15));
		if (bytes[at - 1] == 0x0f)
			bytes[at++] = (uint8_t)(0x80 | (r >> 16 & 15));
		return;
	}
	bytes[at++] = ops[(r >> 16) % sizeof(ops)];
	if (bytes[at - 1] == 0xff)
		bytes[at] = (uint8_t)((bytes[at] & 0xc7) | ((r >> 32 & 1) ? 2 : 4) << 3);
}

static void random_insns(uint64_t nr)
{
	uint64_t r[2];

	while (nr--) {
		r[0] = next_random(&random_state);
		r[1] = next_random(&random_state);
		memcpy(bytes, r, sizeof(bytes));
		if (r[1] & 1)
			make_branch();
		try_insn();
	}
}

static int library(const char *path, unsigned int every)
{
	int fd = open(path, O_RDONLY), i;
	struct stat st;
	const uint8_t *file;
	const Elf32_Ehdr *header;
	const Elf32_Shdr *section;
	size_t at, nr = 0;

	if (fd < 0 || fstat(fd, &st))
		return 1;
	file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (file == MAP_FAILED)
		return 1;
	header = (const void *)file;
	section = (const void *)(file + header->e_shoff);
	for (i = 0; i < header->e_shnum; i++) {
		if (!(section[i].sh_flags & SHF_EXECINSTR))
			continue;
		for (at = 0; at + 16 < section[i].sh_size; at += insn.length ? insn.length : 1) {
			memcpy(bytes, file + section[i].sh_offset + at, sizeof(bytes));
			if (kp_insn_decode(&insn, bytes, sizeof(bytes), KP_X86_MODE))
				insn.length = 1;
			else if (nr++ % every == 0)
				try_insn();
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	bool is_library = argc == 5 && !strcmp(argv[1], "library");
	int err = 0;

	if (!is_library && argc != 4)
		return 2;
	random_state = strtoull(argv[argc - 1], NULL, 0);
	if (!sandbox_start())
		return 1;
	if (is_library)
		err = library(argv[2], (unsigned int)atoi(argv[3]));
	else
		random_insns(strtoull(argv[2], NULL, 0));
	err = err || count.failed || !count.emulated || !count.slots;
	printf("%sok i386-diff-%s %zu instructions, %zu refused, %zu emulated, %zu faults, %zu runs of slots, "
	       "left %zu times, %zu failed\n", err ? "not " : "", argv[1], count.trials, count.refused,
	       count.emulated, count.faults, count.slots, count.left, count.failed);
	return err;
}
