/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * insn.c - the decoder proper.
 *
 * Owns: the order in which the parts of an instruction are decoded.
 *
 * What an opcode means stands in opcodes.map; how an
 * instruction is put together stands here, in the order of the bytes:
 *
 *   prefixes, REX -> VEX/EVEX/XOP payload -> opcode -> modrm
 *     -> the row of the map that admits all of it
 *     -> SIB, displacement, immediates -> rules over the whole -> summary
 *
 * Invariant: no byte at or past the smaller of avail and 15 is read.
 */
#include "insn.h"

enum kind { K_NONE, K_GPR, K_GPRB, K_VEC, K_MMX, K_MASK, K_TILE, K_BND, K_SEG, K_CR, K_DR, K_FPU };
enum imm { IMM_NONE, IMM_B, IMM_UB, IMM_UW, IMM_Z, IMM_V, IMM_MOFFS, IMM_FAR };
enum size { SIZE_V, SIZE_BYTE, SIZE_MAX32, SIZE_NO66, SIZE_D64, SIZE_F64 };

/* Register operands that must differ. */
enum diff {
	DIFF_NONE,
	DIFF_GATHER,	/* destination and index */
	DIFF_VGATHER,	/* destination, index and mask in vvvv */
	DIFF_TILES,	/* three tiles */
	DIFF_DEST,	/* destination and both sources */
};

/* row.props, in the generator's order */
#define R_LOCK     0x00001
#define R_NF       0x00002
#define R_VEC      0x00004
#define R_PRIV     0x00008
#define R_STR      0x00010
#define R_STK      0x00020
#define R_SS       0x00040
#define R_NOACCESS 0x00080
#define R_RMREG    0x00100
#define R_MPX      0x00200
#define R_NORIP    0x00400
#define R_K        0x00800
#define R_KK       0x01000
#define R_Z        0x02000
#define R_ZR       0x04000
#define R_BC       0x08000
#define R_ER       0x10000
#define R_SAE      0x20000
#define R_SIB      0x40000
#define R_VSIB     0x80000
#define R_USE66    0x100000	/* 66 sets the operand size even where it selects */
#define R_MODRM    0x200000

/* row.pp beyond the four prefixes: the row does not look at them */
#define PP_ANY 0x10

/* row.sel */
#define SEL_W0   0x01
#define SEL_W1   0x02
#define SEL_M32  0x04
#define SEL_M64  0x08
#define SEL_MEM  0x10
#define SEL_REG  0x20

struct row {
	uint8_t pp, regs, rms, sel, lens;
	uint8_t reg, rm, vvvv, opc;		/* enum kind */
	uint8_t imm, imm2, size, flow, diff;
	uint16_t gprs;
	uint32_t props;
};

struct span {
	uint16_t first;
	uint8_t nr;
};

#include "insn_tables.h"

/* Indices of spans[]: the generator's SECTIONS. */
enum { T_LEGACY, T_3DNOW = 4, T_VEX = 4, T_EVEX = 8, T_EVEX5 = 11, T_XOP = 13 };

struct cursor {
	struct kp_insn *insn;
	const uint8_t *bytes;
	uint8_t at, end;
	bool cut;		/* the buffer ends before the architectural limit */
	uint8_t rep;		/* last of F2, F3, or 0 */
	uint8_t span;		/* index into spans[] */
	bool is64;
};

KP_TRAP_PATH static int past_end(const struct cursor *c)
{
	return c->cut ? -ENODATA : -EILSEQ;
}

KP_TRAP_PATH static int take_byte(struct cursor *c, uint8_t *byte)
{
	if (c->at >= c->end)
		return past_end(c);
	*byte = c->bytes[c->at++];
	return 0;
}

KP_TRAP_PATH static int take_field(struct cursor *c, struct kp_insn_field *field,
				   unsigned int size, bool is_signed)
{
	uint64_t value = 0;
	unsigned int i;

	if ((unsigned int)(c->end - c->at) < size)
		return past_end(c);
	for (i = 0; i < size; i++)
		value |= (uint64_t)c->bytes[c->at + i] << (8 * i);
	if (is_signed && size < 8 && (value >> (8 * size - 1) & 1))
		value |= ~(uint64_t)0 << (8 * size);
	field->value = (int64_t)value;
	field->offset = c->at;
	field->size = (uint8_t)size;
	c->at = (uint8_t)(c->at + size);
	return 0;
}

/* ---- prefixes ---- */

KP_TRAP_PATH static bool note_prefix(struct cursor *c, uint8_t byte)
{
	struct kp_insn *insn = c->insn;

	switch (byte) {
	case 0x66:
		insn->prefixes |= KP_INSN_PFX_66;
		return true;
	case 0x67:
		insn->prefixes |= KP_INSN_PFX_67;
		return true;
	case 0xF0:
		insn->prefixes |= KP_INSN_PFX_LOCK;
		return true;
	case 0xF2:
	case 0xF3:
		insn->prefixes |= byte == 0xF2 ? KP_INSN_PFX_F2 : KP_INSN_PFX_F3;
		c->rep = byte;
		return true;
	case 0x26:
	case 0x2E:
	case 0x36:
	case 0x3E:
		insn->prefixes |= KP_INSN_PFX_SEG;
		if (!c->is64)		/* in 64-bit mode they do not override fs or gs */
			insn->segment = byte;
		return true;
	case 0x64:
	case 0x65:
		insn->prefixes |= KP_INSN_PFX_SEG;
		insn->segment = byte;
		return true;
	default:
		return false;
	}
}

/* Leaves the first byte after the prefixes in *byte, already taken. */
KP_TRAP_PATH static int take_prefixes(struct cursor *c, uint8_t *byte)
{
	struct kp_insn *insn = c->insn;
	int err;

	for (;;) {
		err = take_byte(c, byte);
		if (err)
			return err;
		if (c->is64 && (*byte & 0xF0) == 0x40)
			insn->rex = *byte;
		else if (note_prefix(c, *byte))
			insn->rex = 0;	/* a REX acts only right before the opcode */
		else
			break;
	}
	insn->prefix_len = (uint8_t)(c->at - 1);
	insn->w = insn->rex >> 3 & 1;
	insn->r = insn->rex >> 2 & 1;
	insn->x = insn->rex >> 1 & 1;
	insn->b = insn->rex & 1;
	return 0;
}

KP_TRAP_PATH static uint8_t selecting_prefix(const struct cursor *c)
{
	if (c->rep)
		return c->rep == 0xF3 ? KP_INSN_PP_F3 : KP_INSN_PP_F2;
	return c->insn->prefixes & KP_INSN_PFX_66 ? KP_INSN_PP_66 : KP_INSN_PP_NONE;
}

/* ---- VEX, EVEX, XOP payloads ---- */

KP_TRAP_PATH static int vex_allowed(const struct cursor *c)
{
	const uint8_t bad = KP_INSN_PFX_66 | KP_INSN_PFX_F2 | KP_INSN_PFX_F3 | KP_INSN_PFX_LOCK;

	return c->insn->rex || (c->insn->prefixes & bad) ? -EILSEQ : 0;
}

KP_TRAP_PATH static void take_vex_tail(struct cursor *c, uint8_t p)
{
	struct kp_insn *insn = c->insn;

	insn->vvvv = ~p >> 3 & 15;
	insn->vex_l = p >> 2 & 1;
	insn->pp = p & 3;
}

KP_TRAP_PATH static int take_vex2(struct cursor *c)
{
	uint8_t p = 0;
	int err = take_byte(c, &p);

	if (err)
		return err;
	c->insn->encoding = KP_INSN_VEX2;
	c->insn->map = KP_INSN_MAP_0F;
	c->insn->r = ~p >> 7 & 1;
	take_vex_tail(c, p);
	c->span = T_VEX + KP_INSN_MAP_0F;
	return 0;
}

KP_TRAP_PATH static int take_vex3(struct cursor *c, enum kp_insn_encoding encoding)
{
	struct kp_insn *insn = c->insn;
	uint8_t p0 = 0, p1 = 0, first = encoding == KP_INSN_XOP ? KP_INSN_MAP_XOP8 : KP_INSN_MAP_0F;
	int err = take_byte(c, &p0);

	if (!err)
		err = take_byte(c, &p1);
	if (err)
		return err;
	insn->encoding = (uint8_t)encoding;
	insn->map = p0 & 31;
	insn->r = ~p0 >> 7 & 1;
	insn->x = ~p0 >> 6 & 1;
	insn->b = ~p0 >> 5 & 1;
	insn->w = p1 >> 7;
	take_vex_tail(c, p1);
	if (insn->map < first || insn->map > first + 2)
		return -EILSEQ;
	c->span = (uint8_t)((encoding == KP_INSN_XOP ? T_XOP : T_VEX + 1) + insn->map - first);
	return 0;
}

KP_TRAP_PATH static int take_evex(struct cursor *c)
{
	struct kp_insn *insn = c->insn;
	uint8_t p0 = 0, p1 = 0, p2 = 0;
	int err = take_byte(c, &p0);

	if (!err)
		err = take_byte(c, &p1);
	if (!err)
		err = take_byte(c, &p2);
	if (err)
		return err;
	insn->encoding = KP_INSN_EVEX;
	insn->map = p0 & 7;
	insn->r = ~p0 >> 7 & 1;
	insn->x = ~p0 >> 6 & 1;
	insn->b = ~p0 >> 5 & 1;
	insn->r2 = ~p0 >> 4 & 1;
	insn->w = p1 >> 7;
	take_vex_tail(c, p1);
	insn->evex_z = p2 >> 7;
	insn->vex_l = p2 >> 5 & 3;
	insn->evex_b = p2 >> 4 & 1;
	insn->v2 = ~p2 >> 3 & 1;
	insn->evex_aaa = p2 & 7;
	if ((p0 & 8) || !(p1 & 4) || insn->map == 0 || insn->map == 4 || insn->map == 7)
		return -EILSEQ;
	c->span = insn->map < 4 ? T_EVEX + insn->map - 1 : T_EVEX5 + insn->map - 5;
	return 0;
}

/*
 * Outside 64-bit mode the extension bits have no register to reach: V' must be
 * clear, the others do nothing, and vvvv loses its top bit where it is used.
 */
KP_TRAP_PATH static int drop_extensions(struct kp_insn *insn)
{
	insn->r = insn->x = insn->b = insn->r2 = 0;
	return insn->v2 ? -EILSEQ : 0;
}

/* Is @byte, with the next one, the head of a VEX, EVEX or XOP instruction? */
KP_TRAP_PATH static int vector_lead(const struct cursor *c, uint8_t byte, bool *lead)
{
	*lead = byte == 0xC4 || byte == 0xC5 || byte == 0x62 || byte == 0x8F;
	if (!*lead || (c->is64 && byte != 0x8F))
		return 0;
	if (c->at >= c->end)
		return past_end(c);
	if (byte == 0x8F)
		*lead = (c->bytes[c->at] & 31) >= 8;
	else
		*lead = c->bytes[c->at] >= 0xC0;
	return 0;
}

KP_TRAP_PATH static int take_vector_lead(struct cursor *c, uint8_t byte)
{
	int err = vex_allowed(c);

	if (err)
		return err;
	if (byte == 0xC5)
		err = take_vex2(c);
	else if (byte == 0x62)
		err = take_evex(c);
	else
		err = take_vex3(c, byte == 0xC4 ? KP_INSN_VEX3 : KP_INSN_XOP);
	if (!err && !c->is64)
		err = drop_extensions(c->insn);
	return err;
}

/* ---- opcode ---- */

KP_TRAP_PATH static int take_legacy_opcode(struct cursor *c, uint8_t byte)
{
	struct kp_insn *insn = c->insn;
	int err = 0;

	insn->pp = selecting_prefix(c);
	if (byte == 0x0F) {
		err = take_byte(c, &byte);
		insn->map = KP_INSN_MAP_0F;
		if (!err && (byte == 0x38 || byte == 0x3A)) {
			insn->map = byte == 0x38 ? KP_INSN_MAP_0F38 : KP_INSN_MAP_0F3A;
			err = take_byte(c, &byte);
		} else if (!err && byte == 0x0F) {
			insn->encoding = KP_INSN_3DNOW;
		}
	}
	insn->opcode = byte;
	c->span = (uint8_t)(T_LEGACY + insn->map);
	return err;
}

KP_TRAP_PATH static int take_opcode(struct cursor *c, uint8_t byte)
{
	bool lead;
	int err = vector_lead(c, byte, &lead);

	if (err)
		return err;
	if (!lead) {
		err = take_legacy_opcode(c, byte);
	} else {
		err = take_vector_lead(c, byte);
		if (!err)
			err = take_byte(c, &c->insn->opcode);
	}
	c->insn->opcode_offset = (uint8_t)(c->at - 1);
	return err;
}

/* ---- the row ---- */

KP_TRAP_PATH static unsigned int mod_of(const struct kp_insn *insn)
{
	return insn->modrm >> 6;
}

KP_TRAP_PATH static unsigned int reg_of(const struct kp_insn *insn)
{
	return insn->modrm >> 3 & 7;
}

KP_TRAP_PATH static unsigned int rm_of(const struct kp_insn *insn)
{
	return insn->modrm & 7;
}

KP_TRAP_PATH static bool is_extended(const struct kp_insn *insn)
{
	return insn->encoding >= KP_INSN_VEX2;
}

KP_TRAP_PATH static bool row_admits_modrm(const struct row *row, const struct kp_insn *insn)
{
	bool is_reg = mod_of(insn) == 3 || (row->props & R_RMREG);

	if (!(row->props & R_MODRM))
		return true;
	if (!(row->sel & (is_reg ? SEL_REG : SEL_MEM)))
		return false;
	return (row->regs >> reg_of(insn) & 1) && (row->rms == 0xFF || (row->rms >> rm_of(insn) & 1));
}

/* With rounding or suppression in the register form, EVEX.L'L is not a length. */
KP_TRAP_PATH static bool row_admits_length(const struct row *row, const struct kp_insn *insn)
{
	if (insn->evex_b && mod_of(insn) == 3 && (row->props & (R_ER | R_SAE)))
		return true;
	return row->lens >> insn->vex_l & 1;
}

KP_TRAP_PATH static bool row_admits(const struct row *row, const struct kp_insn *insn)
{
	unsigned int sel = insn->mode == KP_INSN_64 ? SEL_M64 : SEL_M32;

	if (!(row->sel & sel) || !(row->pp & (PP_ANY | 1u << insn->pp)))
		return false;
	if (is_extended(insn) &&
	    (!(row->sel & (insn->w ? SEL_W1 : SEL_W0)) || !row_admits_length(row, insn)))
		return false;
	return row_admits_modrm(row, insn);
}

KP_TRAP_PATH static const struct row *find_row(const struct kp_insn *insn,
					       const struct span *span)
{
	unsigned int i;

	for (i = 0; i < span->nr; i++)
		if (row_admits(&rows[span->first + i], insn))
			return &rows[span->first + i];
	return NULL;
}

/* ---- modrm, SIB, displacement ---- */

KP_TRAP_PATH static int take_modrm(struct cursor *c)
{
	struct kp_insn *insn = c->insn;

	insn->flags |= KP_INSN_HAS_MODRM;
	insn->modrm_offset = c->at;
	return take_byte(c, &insn->modrm);
}

KP_TRAP_PATH static unsigned int disp_size_16(const struct kp_insn *insn)
{
	if (mod_of(insn) == 0)
		return rm_of(insn) == 6 ? 2 : 0;
	return mod_of(insn);
}

KP_TRAP_PATH static unsigned int disp_size_32(const struct kp_insn *insn)
{
	unsigned int base = insn->flags & KP_INSN_HAS_SIB ? insn->sib & 7 : rm_of(insn);

	if (mod_of(insn) == 0)
		return base == 5 ? 4 : 0;
	return mod_of(insn) == 1 ? 1 : 4;
}

KP_TRAP_PATH static int take_memory(struct cursor *c)
{
	struct kp_insn *insn = c->insn;
	unsigned int size;
	int err = 0;

	insn->flags |= KP_INSN_HAS_MEM;
	if (insn->address_size == 2) {
		size = disp_size_16(insn);
	} else {
		if (rm_of(insn) == 4) {
			insn->flags |= KP_INSN_HAS_SIB;
			insn->sib_offset = c->at;
			err = take_byte(c, &insn->sib);
		} else if (c->is64 && mod_of(insn) == 0 && rm_of(insn) == 5) {
			insn->flags |= KP_INSN_RIP_REL;
		}
		size = disp_size_32(insn);
	}
	if (!err && size)
		err = take_field(c, &insn->disp, size, true);
	return err;
}

/* ---- sizes and immediates ---- */

KP_TRAP_PATH static void set_address_size(struct cursor *c)
{
	bool has67 = c->insn->prefixes & KP_INSN_PFX_67;

	if (c->is64)
		c->insn->address_size = has67 ? 4 : 8;
	else
		c->insn->address_size = has67 ? 2 : 4;
}

/* In rows that look at prefixes, 66 counts only for operands of "v" width. */
KP_TRAP_PATH static bool narrowed_by_66(const struct kp_insn *insn, const struct row *row)
{
	return (insn->prefixes & KP_INSN_PFX_66) &&
	       ((row->pp & PP_ANY) || (row->props & R_USE66));
}

KP_TRAP_PATH static void set_operand_size(struct kp_insn *insn, const struct row *row)
{
	bool is64 = insn->mode == KP_INSN_64;
	uint8_t size = !is_extended(insn) && narrowed_by_66(insn, row) ? 2 : 4;

	if (row->size == SIZE_BYTE)
		size = 1;
	else if (is64 && row->size == SIZE_F64)
		size = 8;
	else if (is64 && row->size == SIZE_D64)
		size = size == 2 && !insn->w ? 2 : 8;
	else if (is64 && insn->w && (row->size == SIZE_V || row->size == SIZE_NO66))
		size = 8;
	else if (row->size == SIZE_NO66)
		size = 4;
	insn->operand_size = size;
}

KP_TRAP_PATH static unsigned int imm_size(const struct kp_insn *insn, const struct row *row)
{
	switch (row->imm) {
	case IMM_B:
	case IMM_UB:
		return 1;
	case IMM_UW:
		return 2;
	case IMM_Z:
		return insn->operand_size == 2 ? 2 : 4;
	case IMM_V:
	case IMM_FAR:
		return insn->operand_size;
	case IMM_MOFFS:
		return insn->address_size;
	default:
		return 0;
	}
}

KP_TRAP_PATH static int take_immediates(struct cursor *c, const struct row *row)
{
	struct kp_insn *insn = c->insn;
	unsigned int size = imm_size(insn, row);
	bool is_signed = row->imm == IMM_B || row->imm == IMM_Z || row->imm == IMM_V;
	int err = 0;

	if (size)
		err = take_field(c, &insn->imm, size, is_signed);
	if (!err && row->imm == IMM_FAR)
		err = take_field(c, &insn->imm2, 2, false);
	if (!err && row->imm2)
		err = take_field(c, &insn->imm2, 1, false);
	if (row->imm == IMM_MOFFS)
		insn->flags |= KP_INSN_HAS_MEM;
	return err;
}

/* ---- rules over the whole instruction ---- */

KP_TRAP_PATH static unsigned int full_reg(const struct kp_insn *insn)
{
	return reg_of(insn) | insn->r << 3 | insn->r2 << 4;
}

/* In the register form EVEX.X is the fifth bit of rm. */
KP_TRAP_PATH static unsigned int full_rm(const struct kp_insn *insn)
{
	unsigned int x = insn->encoding == KP_INSN_EVEX ? insn->x : 0;

	return rm_of(insn) | insn->b << 3 | x << 4;
}

KP_TRAP_PATH static unsigned int full_vvvv(const struct kp_insn *insn)
{
	return insn->vvvv | insn->v2 << 4;
}

KP_TRAP_PATH static bool reg_exists(unsigned int kind, unsigned int reg)
{
	switch (kind) {
	case K_GPR:
	case K_GPRB:
		return reg < 16;
	case K_MASK:
	case K_TILE:
	case K_DR:
		return reg < 8;
	case K_BND:
		return reg < 4;
	case K_SEG:
		return (reg & 7) < 6;
	case K_CR:
		return reg == 0 || reg == 2 || reg == 3 || reg == 4 || reg == 8;
	default:
		return true;
	}
}

KP_TRAP_PATH static int check_lock(const struct kp_insn *insn, const struct row *row)
{
	if (!(insn->prefixes & KP_INSN_PFX_LOCK))
		return 0;
	return (row->props & R_LOCK) && (insn->flags & KP_INSN_HAS_MEM) ? 0 : -EILSEQ;
}

/* For the other kinds rm has no bits that could name a missing register. */
KP_TRAP_PATH static bool rm_may_miss(unsigned int kind)
{
	return kind == K_TILE || kind == K_BND;
}

KP_TRAP_PATH static int check_registers(struct kp_insn *insn, const struct row *row)
{
	bool is_reg = !(insn->flags & KP_INSN_HAS_MEM);

	if (!reg_exists(row->reg, full_reg(insn)))
		return -EILSEQ;
	if (is_reg && rm_may_miss(row->rm) && !reg_exists(row->rm, full_rm(insn)))
		return -EILSEQ;
	if (row->vvvv == K_NONE)
		return insn->vvvv || (insn->v2 && !(row->props & R_VSIB)) ? -EILSEQ : 0;
	if (insn->mode == KP_INSN_32)
		insn->vvvv &= 7;
	return reg_exists(row->vvvv, row->props & R_VSIB ? insn->vvvv : full_vvvv(insn)) ? 0 : -EILSEQ;
}

KP_TRAP_PATH static int check_evex(const struct kp_insn *insn, const struct row *row)
{
	bool is_reg = !(insn->flags & KP_INSN_HAS_MEM);

	if (insn->encoding != KP_INSN_EVEX)
		return 0;
	if (insn->evex_b && !(row->props & (is_reg ? R_ER | R_SAE : R_BC)))
		return -EILSEQ;
	if (insn->evex_aaa ? !(row->props & (R_K | R_KK)) : (row->props & R_KK) != 0)
		return -EILSEQ;
	if (!insn->evex_z)
		return 0;
	if (!insn->evex_aaa || !(row->props & (R_Z | R_ZR)))
		return -EILSEQ;
	return (row->props & R_ZR) && !is_reg ? -EILSEQ : 0;
}

KP_TRAP_PATH static unsigned int vsib_index(const struct kp_insn *insn)
{
	return (insn->sib >> 3 & 7) | insn->x << 3 | insn->v2 << 4;
}

KP_TRAP_PATH static int check_distinct(const struct kp_insn *insn, const struct row *row)
{
	unsigned int reg = full_reg(insn), rm = full_rm(insn), vvvv = full_vvvv(insn);
	bool same = false;

	switch (row->diff) {
	case DIFF_GATHER:
		same = reg == vsib_index(insn);
		break;
	case DIFF_VGATHER:
		same = reg == vsib_index(insn) || reg == insn->vvvv || insn->vvvv == vsib_index(insn);
		break;
	case DIFF_TILES:
		same = reg == rm || reg == vvvv || rm == vvvv;
		break;
	case DIFF_DEST:
		same = reg == vvvv || (!(insn->flags & KP_INSN_HAS_MEM) && reg == rm);
		break;
	default:
		break;
	}
	return same ? -EILSEQ : 0;
}

KP_TRAP_PATH static int check_rules(struct kp_insn *insn, const struct row *row)
{
	int err = check_lock(insn, row);

	if (!err && (row->props & R_SIB) && !(insn->flags & KP_INSN_HAS_SIB))
		err = -EILSEQ;
	if (!err)
		err = check_registers(insn, row);
	if (!err)
		err = check_evex(insn, row);
	if (!err)
		err = check_distinct(insn, row);
	if (!err && (row->props & R_NORIP) && (insn->flags & KP_INSN_RIP_REL))
		err = -EILSEQ;
	if (!err && (row->props & R_MPX) && (insn->flags & KP_INSN_HAS_MEM) && insn->address_size == 2)
		err = -EILSEQ;
	return err;
}

/* ---- summary for the users of the decoder ---- */

/* Without REX, byte registers 4 to 7 are ah, ch, dh, bh: the second bytes of 0 to 3. */
KP_TRAP_PATH static uint8_t gpr_of(const struct kp_insn *insn, unsigned int kind, unsigned int reg)
{
	if (kind != K_GPR && kind != K_GPRB)
		return KP_INSN_NO_GPR;
	if (kind == K_GPRB && !is_extended(insn) && !insn->rex)
		reg &= 3;
	return reg & 15;
}

/* 16-bit addressing: bx+si, bx+di, bp+si, bp+di, si, di, bp, bx */
KP_TRAP_PATH static void name_memory_16(struct kp_insn *insn)
{
	static const uint8_t base[8] = { 3, 3, 5, 5, 6, 7, 5, 3 };
	static const uint8_t index[4] = { 6, 7, 6, 7 };
	unsigned int rm = rm_of(insn);

	if (rm == 6 && mod_of(insn) == 0)
		return;
	insn->base_gpr = base[rm];
	if (rm < 4)
		insn->index_gpr = index[rm];
}

KP_TRAP_PATH static void name_memory(struct kp_insn *insn, const struct row *row)
{
	unsigned int base, index;

	if (!(insn->flags & KP_INSN_HAS_SIB)) {
		if (mod_of(insn) != 0 || rm_of(insn) != 5)
			insn->base_gpr = (uint8_t)(rm_of(insn) | insn->b << 3);
		return;
	}
	base = insn->sib & 7;
	index = (insn->sib >> 3 & 7) | insn->x << 3;
	if (mod_of(insn) != 0 || base != 5)
		insn->base_gpr = (uint8_t)(base | insn->b << 3);
	if (index != 4 && !(row->props & R_VSIB))
		insn->index_gpr = (uint8_t)index;
}

KP_TRAP_PATH static void name_registers(struct kp_insn *insn, const struct row *row)
{
	insn->reg_gpr = gpr_of(insn, row->reg, full_reg(insn));
	insn->vvvv_gpr = gpr_of(insn, row->vvvv, insn->vvvv);
	insn->opcode_gpr = gpr_of(insn, row->opc, (insn->opcode & 7u) | insn->b << 3);
	insn->rm_gpr = insn->base_gpr = insn->index_gpr = KP_INSN_NO_GPR;
	if (!(row->props & R_MODRM))
		return;
	if (!(insn->flags & KP_INSN_HAS_MEM))
		insn->rm_gpr = gpr_of(insn, row->rm, rm_of(insn) | insn->b << 3);
	else if (insn->address_size == 2)
		name_memory_16(insn);
	else
		name_memory(insn, row);
}

KP_TRAP_PATH static uint16_t gpr_bit(uint8_t gpr)
{
	return gpr == KP_INSN_NO_GPR ? 0 : (uint16_t)(1u << gpr);
}

KP_TRAP_PATH static void gather_gprs(struct kp_insn *insn, const struct row *row)
{
	insn->implicit_gprs = row->gprs;
	if (row->props & R_STK)
		insn->implicit_gprs |= 1u << 4;
	insn->gprs = insn->implicit_gprs | gpr_bit(insn->reg_gpr) | gpr_bit(insn->rm_gpr) |
		     gpr_bit(insn->base_gpr) | gpr_bit(insn->index_gpr) |
		     gpr_bit(insn->vvvv_gpr) | gpr_bit(insn->opcode_gpr);
}

KP_TRAP_PATH static void set_flags(struct kp_insn *insn, const struct row *row)
{
	uint32_t props = row->props;
	uint16_t flags = 0;

	if (props & R_VEC)
		flags |= KP_INSN_VECTOR;
	if (props & R_STK)
		flags |= KP_INSN_WRITES_SP | KP_INSN_IMPLICIT_MEM;
	if (props & R_STR)
		flags |= KP_INSN_STRING | KP_INSN_IMPLICIT_MEM;
	if ((props & R_STR) && insn->encoding == KP_INSN_LEGACY && insn->map == KP_INSN_MAP_1BYTE &&
	    (insn->prefixes & (KP_INSN_PFX_F2 | KP_INSN_PFX_F3)) && insn->opcode != 0xD7)
		flags |= KP_INSN_REP;
	if (props & R_PRIV)
		flags |= KP_INSN_PRIVILEGED;
	if (props & R_SS)
		flags |= KP_INSN_WRITES_SS;
	if (!(props & R_NF) || ((insn->flags & KP_INSN_HAS_MEM) && !(props & R_NOACCESS)))
		flags |= KP_INSN_MAY_FAULT;
	insn->flags |= flags;
	insn->flow = row->flow;
}

KP_TRAP_PATH static void summarize(struct cursor *c, const struct row *row)
{
	struct kp_insn *insn = c->insn;

	insn->length = c->at;
	if (insn->encoding == KP_INSN_LEGACY && (row->pp & PP_ANY))
		insn->pp = KP_INSN_PP_NONE;
	name_registers(insn, row);
	gather_gprs(insn, row);
	set_flags(insn, row);
}

/* ---- the instruction ---- */

KP_TRAP_PATH static int take_operands(struct cursor *c, const struct row *row)
{
	struct kp_insn *insn = c->insn;
	int err = 0;

	if ((row->props & R_MPX) && c->is64)
		insn->address_size = 8;
	if ((row->props & R_MODRM) && mod_of(insn) != 3 && !(row->props & R_RMREG))
		err = take_memory(c);
	if (err)
		return err;
	set_operand_size(insn, row);
	return take_immediates(c, row);
}

KP_TRAP_PATH static int finish(struct cursor *c, const struct row *row)
{
	int err = row ? take_operands(c, row) : -EILSEQ;

	if (!err)
		err = check_rules(c->insn, row);
	if (!err)
		summarize(c, row);
	return err;
}

/* 3DNow carries its opcode where an immediate would be. */
KP_TRAP_PATH static int decode_3dnow(struct cursor *c)
{
	struct kp_insn *insn = c->insn;
	const struct row *row;
	int err = take_modrm(c);

	if (!err && mod_of(insn) != 3)
		err = take_memory(c);
	insn->opcode_offset = c->at;
	if (!err)
		err = take_byte(c, &insn->opcode);
	if (err)
		return err;
	row = find_row(insn, &spans[T_3DNOW][insn->opcode]);
	if (!row)
		return -EILSEQ;
	set_operand_size(insn, row);
	err = check_rules(insn, row);
	if (!err)
		summarize(c, row);
	return err;
}

KP_TRAP_PATH int kp_insn_decode(struct kp_insn *insn, const uint8_t *bytes,
				size_t avail, enum kp_insn_mode mode)
{
	struct cursor c = { .insn = insn, .bytes = bytes, .is64 = mode == KP_INSN_64 };
	const struct span *span;
	uint8_t byte = 0;
	int err;

	memset(insn, 0, sizeof(*insn));
	insn->mode = (uint8_t)mode;
	c.cut = avail < KP_INSN_MAX;
	c.end = c.cut ? (uint8_t)avail : KP_INSN_MAX;
	err = take_prefixes(&c, &byte);
	if (!err)
		err = take_opcode(&c, byte);
	if (err)
		return err;
	set_address_size(&c);
	if (insn->encoding == KP_INSN_3DNOW)
		return decode_3dnow(&c);
	span = &spans[c.span][insn->opcode];
	if (!span->nr)
		return -EILSEQ;
	if (rows[span->first].props & R_MODRM)
		err = take_modrm(&c);
	return err ? err : finish(&c, find_row(insn, span));
}
