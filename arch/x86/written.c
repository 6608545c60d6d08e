/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * written.c - where an instruction writes.
 *
 * Owns: kp_arch_write_of and kp_arch_write_at: which instructions have memory as a destination,
 * how many bytes they write, and at which address, as far as it follows from general registers
 * alone.  Invariant: an instruction that is reported to write nothing writes nothing.  In doubt
 * it writes somewhere.
 */
#include "probe.h"
#include "insn.h"
#include "written.h"
#include "watch.h"

/* What names the place, beside base, index and displacement. */
enum kind {
	OPERAND,
	BIT,		/* a register counts bits from there */
	STRING,		/* rdi, in the direction of the flag */
	REPEATED,	/* the same, rcx times */
};

/* Not a length: it is not known, or not that all of it is written. */
#define SOMEWHERE (-1)

static unsigned int ext(const struct kp_insn *insn)
{
	return insn->modrm >> 3 & 7;
}

/* ---- how many bytes; 0: none ----------------------------------------------------- */

static int of_x87(const struct kp_insn *insn)
{
	bool narrow = insn->prefixes & KP_INSN_PFX_66 && !insn->w;
	/* By the opcode's low bits and the extension. */
	const int16_t len[8][8] = {
		[1] = { [2] = 4, [3] = 4, [6] = narrow ? 14 : 28, [7] = 2 },
		[3] = { [1] = 4, [2] = 4, [3] = 4, [7] = 10 },
		[5] = { [1] = 8, [2] = 8, [3] = 8, [6] = narrow ? 94 : 108,
			[7] = 2 },
		[7] = { [1] = 2, [2] = 2, [3] = 2, [6] = 10, [7] = 8 },
	};

	return len[insn->opcode & 7][ext(insn)];
}

static int of_one_byte(const struct kp_insn *insn)
{
	unsigned int op = insn->opcode;
	int len = insn->operand_size;

	if (op < 0x40)
		return op < 0x38 && (op & 7) < 2 ? len : 0;
	if (op >= 0xd8 && op <= 0xdf)
		return of_x87(insn);
	switch (op) {
	case 0x80: case 0x81: case 0x83:
		return ext(insn) != 7 ? len : 0;
	case 0x86: case 0x87: case 0x88: case 0x89:
	case 0xa2: case 0xa3:
	case 0xc0: case 0xc1: case 0xd0: case 0xd1: case 0xd2: case 0xd3:
	case 0xc6: case 0xc7:
		return len;
	case 0x8c:
		return 2;
	case 0x8f:
		return SOMEWHERE;	/* by the stack pointer as it will be */
	case 0xf6: case 0xf7:
		return ext(insn) == 2 || ext(insn) == 3 ? len : 0;
	case 0xfe: case 0xff:
		return ext(insn) < 2 ? len : 0;
	}
	return 0;
}

/* The state of the processor, flushes and the like. */
static int of_group_15(const struct kp_insn *insn)
{
	switch (ext(insn)) {
	case 0:
		return 512;
	case 3:
		return 4;
	case 4:			/* xsave; ptwrite */
		return insn->pp == KP_INSN_PP_F3 ? 0 : SOMEWHERE;
	case 6:			/* xsaveopt, clrssbsy; clwb */
		return insn->pp == KP_INSN_PP_66 ? 0 : SOMEWHERE;
	}
	return 0;
}

static int of_legacy_0f(const struct kp_insn *insn)
{
	bool plain = insn->pp == KP_INSN_PP_NONE;
	int len = insn->operand_size;

	if ((insn->opcode & 0xf0) == 0x90)
		return 1;
	switch (insn->opcode) {
	case 0x00:
		return ext(insn) < 2 ? 2 : 0;
	case 0x01:
		return ext(insn) < 2 ? 10 : ext(insn) == 4 ? 2 :
		       ext(insn) == 5 ? SOMEWHERE : 0;
	case 0x1a: case 0x1b:
		return SOMEWHERE;
	case 0x2b:			/* movntss, movntsd */
		return insn->pp == KP_INSN_PP_F3 ? 4 :
		       insn->pp == KP_INSN_PP_F2 ? 8 : 0;
	case 0x78:
		return plain ? 8 : 0;
	case 0x7e:
		return plain ? (insn->w ? 8 : 4) : 0;
	case 0x7f: case 0xe7:
		return plain ? 8 : 0;
	case 0xa4: case 0xa5: case 0xab: case 0xac: case 0xad:
	case 0xb0: case 0xb1: case 0xb3: case 0xbb:
	case 0xc0: case 0xc1: case 0xc3:
		return len;
	case 0xae:
		return of_group_15(insn);
	case 0xba:
		return ext(insn) > 4 ? len : 0;
	case 0xc7:
		return ext(insn) == 1 ? (insn->w ? 16 : 8) :
		       ext(insn) == 3 ? 0 : SOMEWHERE;
	}
	return 0;
}

static int of_legacy_0f38(const struct kp_insn *insn)
{
	switch (insn->opcode) {
	case 0xf1:			/* movbe; crc32 */
		return insn->pp == KP_INSN_PP_F2 ? 0 : insn->operand_size;
	case 0xf5: case 0xf8: case 0xfc:
		return SOMEWHERE;
	case 0xf6:			/* wrss; adcx, adox */
		return insn->pp == KP_INSN_PP_NONE ? SOMEWHERE : 0;
	case 0xf9:
		return insn->w ? 8 : 4;
	}
	return 0;
}

/* Mask registers, and what VEX says of the processor's state. */
static int of_vex_0f(const struct kp_insn *insn)
{
	bool narrow = insn->pp == KP_INSN_PP_66;

	switch (insn->opcode) {
	case 0x91:
		return insn->w ? (narrow ? 4 : 8) : (narrow ? 1 : 2);
	case 0xae:
		return ext(insn) == 3 ? 4 : 0;
	}
	return 0;
}

static int of_vex_0f38(const struct kp_insn *insn)
{
	switch (insn->opcode) {
	case 0x2e: case 0x2f: case 0x8e:
		return SOMEWHERE;
	case 0x49:
		return insn->pp == KP_INSN_PP_66 ? 64 : 0;
	case 0x4b:
		return insn->pp == KP_INSN_PP_F3 ? SOMEWHERE : 0;
	}
	return insn->opcode >= 0xe0 && insn->opcode <= 0xef ? SOMEWHERE : 0;
}

/* Compressed, scattered, and made narrower. */
static int of_evex_0f38(const struct kp_insn *insn)
{
	unsigned int op = insn->opcode;

	if (op == 0x63 || op == 0x8a || op == 0x8b || (op >= 0xa0 && op <= 0xa3))
		return SOMEWHERE;
	return insn->pp == KP_INSN_PP_F3 && op >= 0x10 && op < 0x40 &&
	       (op & 15) < 6 ? SOMEWHERE : 0;
}

static int of_vector(const struct kp_insn *insn)
{
	unsigned int from = 0;

	if (insn->map == KP_INSN_MAP_0F)
		return (int)kp_x86_moved_0f(insn, &from);
	if (insn->map == KP_INSN_MAP_0F3A && insn->opcode == 0x1d)
		return 8 << insn->vex_l;	/* made narrower by half */
	if (insn->map == KP_INSN_MAP_0F3A &&
	    (insn->opcode == 0x1b || insn->opcode == 0x3b))
		return 32;
	if (insn->map == KP_INSN_MAP_0F3A)
		return (int)kp_x86_moved_0f3a(insn, &from);
	if (insn->map == KP_INSN_MAP_5)
		return insn->opcode == 0x11 || insn->opcode == 0x7e ? 2 : 0;
	return 0;
}

/* To an operand that the instruction names. */
static int length(const struct kp_insn *insn)
{
	bool map_38 = insn->map == KP_INSN_MAP_0F38;
	int len = 0;

	switch (insn->encoding) {
	case KP_INSN_LEGACY:
		if (insn->map == KP_INSN_MAP_1BYTE)
			return of_one_byte(insn);
		len = insn->map == KP_INSN_MAP_0F ? of_legacy_0f(insn) :
		      map_38 ? of_legacy_0f38(insn) : 0;
		break;
	case KP_INSN_VEX2: case KP_INSN_VEX3:
		len = insn->map == KP_INSN_MAP_0F ? of_vex_0f(insn) :
		      map_38 ? of_vex_0f38(insn) : 0;
		break;
	case KP_INSN_EVEX:
		len = map_38 ? of_evex_0f38(insn) : 0;
		break;
	case KP_INSN_XOP:		/* lwpins, lwpval */
		return insn->map == KP_INSN_MAP_XOPA && insn->opcode == 0x12
			       ? SOMEWHERE : 0;
	case KP_INSN_3DNOW:
		return 0;
	}
	if (!len)
		len = of_vector(insn);
	return len && insn->evex_aaa ? SOMEWHERE : len;
}

/* ---- where ----------------------------------------------------------------------------- */

/* movs, stos, ins: what they read may be anywhere. */
static bool stores_string(const struct kp_insn *insn)
{
	unsigned int pair = insn->opcode & 0xfe;

	return kp_insn_is_legacy(insn) && insn->map == KP_INSN_MAP_1BYTE &&
	       insn->flags & KP_INSN_STRING &&
	       (pair == 0xa4 || pair == 0xaa || pair == 0x6c);
}

/* maskmov, and what has its operands in fixed registers: xstore, xcrypt, xsha. */
static bool hides_memory(const struct kp_insn *insn)
{
	if (insn->map != KP_INSN_MAP_0F)
		return false;
	return insn->opcode == 0xf7 || (kp_insn_is_legacy(insn) &&
	       (insn->opcode == 0xa6 || insn->opcode == 0xa7));
}

KP_TRAP_PATH static bool counts_bits(const struct kp_insn *insn)
{
	return kp_insn_is_legacy(insn) && insn->map == KP_INSN_MAP_0F &&
	       (insn->opcode == 0xab || insn->opcode == 0xb3 ||
		insn->opcode == 0xbb);
}

/* As the operand says, but for the registers; disp8 of EVEX counts operands. */
KP_TRAP_PATH static uint64_t displacement(const struct kp_insn *insn,
					  uintptr_t addr, unsigned int len)
{
	uint64_t disp = (uint64_t)insn->disp.value;

	if (!(insn->flags & KP_INSN_HAS_MODRM))
		return (uint64_t)insn->imm.value;	/* moffs */
	if (insn->encoding == KP_INSN_EVEX && insn->disp.size == 1)
		disp *= len;
	if (insn->flags & KP_INSN_RIP_REL)
		disp += addr + insn->length;
	return disp;
}

KP_TRAP_PATH void kp_x86_write_place(struct kp_arch_write *out,
				     const struct kp_insn *insn,
				     uintptr_t addr, unsigned int len)
{
	*out = (struct kp_arch_write){
		.kind = counts_bits(insn) ? BIT : OPERAND, .len = (uint16_t)len,
		.base = insn->base_gpr, .index = insn->index_gpr,
		.scale = insn->sib >> 6, .bit = insn->reg_gpr,
		.disp = displacement(insn, addr, len),
		.address_size = insn->address_size,
	};
}

enum kp_arch_writes kp_arch_write_of(struct kp_arch_write *out, uintptr_t addr,
				     const uint8_t *bytes, size_t avail,
				     unsigned int text_flags)
{
	struct kp_insn insn;
	int len;

	(void)text_flags;
	if (kp_insn_decode(&insn, bytes, avail, KP_X86_MODE))
		return KP_ARCH_WRITES_SOMEWHERE;
	if (stores_string(&insn)) {
		*out = (struct kp_arch_write){
			.kind = insn.flags & KP_INSN_REP ? REPEATED : STRING,
			/* There is no ins of eight bytes. */
			.len = insn.opcode == 0x6d && insn.w ? 4
							     : insn.operand_size,
			.address_size = insn.address_size,
		};
		return KP_ARCH_WRITES_AT;
	}
	if (!(insn.flags & KP_INSN_HAS_MEM))
		return hides_memory(&insn) ? KP_ARCH_WRITES_SOMEWHERE
					   : KP_ARCH_WRITES_NOT;
	len = length(&insn);
	if (!len)
		return KP_ARCH_WRITES_NOT;
	if (len == SOMEWHERE || insn.segment == 0x64 || insn.segment == 0x65)
		return KP_ARCH_WRITES_SOMEWHERE;
	kp_x86_write_place(out, &insn, addr, (unsigned int)len);
	return KP_ARCH_WRITES_AT;
}

KP_TRAP_PATH static uintptr_t address_mask(const struct kp_arch_write *write)
{
	return write->address_size == 2 ? UINT16_MAX :
	       write->address_size == 4 ? UINT32_MAX : UINTPTR_MAX;
}

/* A bit counts from the operand's address, however far it is. */
KP_TRAP_PATH static uint64_t of_bit(const struct kp_arch_write *write,
				    struct pt_regs *regs)
{
	unsigned int bits = 8u * write->len;
	int64_t index = (long)*kp_x86_reg(regs, write->bit);

	if (bits < 64)
		index = (int64_t)((uint64_t)index << (64 - bits)) >>
			(64 - bits);
	return (uint64_t)((index >> __builtin_ctz(bits)) * write->len);
}

KP_TRAP_PATH static size_t of_string(const struct kp_arch_write *write,
				     const struct pt_regs *regs, uintptr_t *addr)
{
	uintptr_t mask = address_mask(write);
	uintptr_t nr = write->kind == REPEATED ? regs->cx & mask : 1;

	if (nr > UINTPTR_MAX / write->len)
		nr = UINTPTR_MAX / write->len;
	*addr = regs->di & mask;
	if (nr && regs->flags & KP_X86_FLAG_DF)
		*addr -= (nr - 1) * write->len;
	return nr * write->len;
}

KP_TRAP_PATH size_t kp_arch_write_at(const struct kp_arch_write *write,
				     struct pt_regs *regs, uintptr_t *addr)
{
	uint64_t at = write->disp;

	if (write->kind >= STRING)
		return of_string(write, regs, addr);
	if (write->base != KP_INSN_NO_GPR)
		at += *kp_x86_reg(regs, write->base);
	if (write->index != KP_INSN_NO_GPR)
		at += *kp_x86_reg(regs, write->index) << write->scale;
	if (write->kind == BIT)
		at += of_bit(write, regs);
	*addr = (uintptr_t)at & address_mask(write);
	return write->len;
}
