/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * eh_frame.c - function bounds from unwind information.
 *
 * Owns: looking an address up in an object's .eh_frame_hdr and reading the
 * frame description it names.  Stripped code has no other record of where its
 * functions begin and end, and of which of them are called.  Static programs have no such
 * header: their .eh_frame, found by its section, is read from its begin.
 */
#include "objects/eh_frame.h"
#include "machine.h"
#include "objects/objects.h"

#define ENC_OMIT	0xff
#define ENC_TABLE	0x3b		/* datarel | sdata4 */
#define ENC_PCREL	0x10
#define ENC_SIGNED	0x08
#define ENC_SIZE(enc)	((enc) & 7)	/* absptr 0, 2 bytes 2, 4: 3, 8: 4 */

struct header {
	uint8_t version, frame_enc, count_enc, table_enc;
	int32_t frame;
	uint32_t count;
	struct { int32_t start, fde; } table[];
};

static uint64_t get(const uint8_t *p, size_t len)
{
	uint64_t value = 0;

	memcpy(&value, p, len);
	return value;
}

static size_t encoded_len(uint8_t enc)
{
	switch (ENC_SIZE(enc)) {
	case 2:
		return 2;
	case 3:
		return 4;
	case 0:
		return sizeof(uintptr_t);
	case 4:
		return 8;
	}
	return 0;
}

static const uint8_t *skip_leb(const uint8_t *p)
{
	while (*p++ & 0x80)
		;
	return p;
}

/* How a CIE's frames encode pointers; 0xff when it cannot be told. */
static uint8_t pointer_encoding(const uint8_t *cie)
{
	const uint8_t *p = cie + 8, *aug;
	uint8_t version = *p++;

	aug = p;
	while (*p++)
		;
	if (aug[0] != 'z')
		return aug[0] ? ENC_OMIT : 0;
	p = skip_leb(skip_leb(p));
	p = version == 1 ? p + 1 : skip_leb(p);
	p = skip_leb(p);
	for (aug++; *aug; aug++) {
		switch (*aug) {
		case 'R':
			return *p;
		case 'L':
			p++;
			break;
		case 'P':
			p += 1 + encoded_len(*p);
			break;
		case 'S':
		case 'B':
			break;
		default:
			return ENC_OMIT;
		}
	}
	return 0;
}

/* The length of the code that the FDE describes; 0 when unknown. */
static size_t fde_range(const uint8_t *fde)
{
	uint32_t len = (uint32_t)get(fde, 4);
	uint8_t enc;
	size_t width;

	if (!len || len == 0xffffffff)
		return 0;
	enc = pointer_encoding(fde + 4 - (int32_t)get(fde + 4, 4));
	if (enc == ENC_OMIT)
		return 0;
	width = encoded_len(enc);
	return width ? get(fde + 8 + width, width) : 0;
}

/* Where the FDE's code begins. */
static bool fde_start(const uint8_t *fde, uint8_t enc, uintptr_t *start)
{
	size_t width = encoded_len(enc);
	uint64_t value;

	if (enc == ENC_OMIT || !width || (enc & 0x70 && (enc & 0x70) != ENC_PCREL))
		return false;
	value = get(fde + 8, width);
	if (enc & ENC_SIGNED && width < 8 && value >> (8 * width - 1))
		value |= ~0ull << 8 * width;
	*start = (uintptr_t)value + (enc & ENC_PCREL ? (uintptr_t)fde + 8 : 0);
	return true;
}

/*
 * The FDE of the code at addr, where there is no table: each record is a length, where its CIE
 * is (0: it is one), and what it says.
 */
static const uint8_t *fde_at(const struct kp_object *object, uintptr_t addr, uintptr_t *start)
{
	const uint8_t *p = (const void *)object->eh_frame, *end = (const void *)object->eh_frame_end;
	const uint8_t *cie;
	uint32_t len, back;

	for (; end - p > 24; p += 4 + len) {
		len = (uint32_t)get(p, 4);
		back = (uint32_t)get(p + 4, 4);
		if (len < 12 || len > (size_t)(end - p) - 4)
			break;
		cie = p + 4 - back;
		if (!back || back > (size_t)(p - (const uint8_t *)object->eh_frame) + 4)
			continue;
		if (fde_start(p, pointer_encoding(cie), start) && addr >= *start &&
		    addr - *start < fde_range(p))
			return p;
	}
	return NULL;
}

/* The FDE whose code begins at or before addr, if there is a table; else the one that it has. */
static const uint8_t *fde_before(const struct kp_object *object, uintptr_t addr,
				 uintptr_t *start)
{
	const struct header *hdr = (const void *)object->eh_hdr;
	intptr_t want = (intptr_t)(addr - object->eh_hdr);
	size_t low = 0, high;

	if (!hdr)
		return object->eh_frame ? fde_at(object, addr, start) : NULL;
	if (hdr->version != 1 || hdr->table_enc != ENC_TABLE ||
	    hdr->count_enc != 3 || ENC_SIZE(hdr->frame_enc) != 3)
		return NULL;
	high = hdr->count;
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (hdr->table[mid].start <= want)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low)
		return NULL;
	low--;
	*start = object->eh_hdr + (uintptr_t)(intptr_t)hdr->table[low].start;
	return (const uint8_t *)object->eh_hdr + hdr->table[low].fde;
}

bool kp_user_unwind_bounds(const struct kp_object *object, uintptr_t addr,
			   uintptr_t *start, size_t *len)
{
	const uint8_t *fde = fde_before(object, addr, start);

	if (!fde)
		return false;
	*len = fde_range(fde);
	return addr - *start < *len;
}

/* ---- where the return address is ------------------------------------------- */

#define RSP	7			/* DWARF's number */

static uint64_t get_leb(const uint8_t **at)
{
	uint64_t value = 0;
	unsigned int shift = 0;
	uint8_t byte;

	do {
		byte = *(*at)++;
		value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80 && shift < 64);
	return value;
}

/* The frame at some instruction; the common start is rsp + 8. */
struct cfa {
	uint64_t reg, offset;
};
#define NO_CALLER (~0ull)		/* nobody returns from here; or unknown */
#define RETURN_ADDRESS 16		/* DWARF's number */

/* A description's program, and how far in the code it has come. */
struct program {
	const uint8_t *at, *end;
	uintptr_t loc;
	uint64_t factor;		/* of code, the CIE's */
	struct cfa cfa, kept[4];
	unsigned int kept_nr;
};

static void advance(struct program *p, size_t len)
{
	p->loc += get(p->at, len) * p->factor;
	p->at += len;
}

static void skip_block(struct program *p)
{
	size_t len = get_leb(&p->at);

	p->at += len;
}

/* One that begins with two bits that are not 0: its operand is in the rest. */
static void step_short(struct program *p, uint8_t op)
{
	if ((op & 0xc0) == 0x40)			/* advance_loc */
		p->loc += (op & 0x3fu) * p->factor;
	else if ((op & 0xc0) == 0x80)			/* offset */
		get_leb(&p->at);
}

static void keep_state(struct program *p, bool back)
{
	unsigned int most = sizeof(p->kept) / sizeof(p->kept[0]);

	if (!back && p->kept_nr < most)
		p->kept[p->kept_nr++] = p->cfa;
	else if (back && p->kept_nr)
		p->cfa = p->kept[--p->kept_nr];
}

/* One instruction; false: not a known one. */
static bool step(struct program *p)
{
	uint8_t op = *p->at++;

	if (op >= 0x40) {
		step_short(p, op);
		return true;
	}
	switch (op) {
	case 0x00:			/* nop */
		return true;
	case 0x02:			/* advance_loc1 */
	case 0x03:			/* advance_loc2 */
	case 0x04:			/* advance_loc4 */
		advance(p, 1u << (op - 0x02));
		return true;
	case 0x0a:			/* remember_state */
	case 0x0b:			/* restore_state */
		keep_state(p, op == 0x0b);
		return true;
	case 0x05:			/* offset_extended */
	case 0x09:			/* register */
	case 0x11:			/* offset_extended_sf */
	case 0x14:			/* val_offset */
	case 0x15:			/* val_offset_sf */
		get_leb(&p->at);
		/* fallthrough */
	case 0x06:			/* restore_extended */
	case 0x08:			/* same_value */
	case 0x2e:			/* GNU_args_size */
		get_leb(&p->at);
		return true;
	case 0x07:			/* undefined */
		if (get_leb(&p->at) == RETURN_ADDRESS)
			p->cfa.reg = NO_CALLER;
		return true;
	case 0x10:			/* expression */
	case 0x16:			/* val_expression */
		get_leb(&p->at);
		skip_block(p);
		return true;
	case 0x0c:			/* def_cfa */
		p->cfa.reg = get_leb(&p->at);
		p->cfa.offset = get_leb(&p->at);
		return true;
	case 0x0d:			/* def_cfa_register */
		p->cfa.reg = get_leb(&p->at);
		return true;
	case 0x0e:			/* def_cfa_offset */
		p->cfa.offset = get_leb(&p->at);
		return true;
	case 0x0f:			/* def_cfa_expression */
		p->cfa.reg = NO_CALLER;
		skip_block(p);
		return true;
	}
	return false;
}

/* Of code addresses; the second number behind the augmentation's text. */
static uint64_t code_factor(const uint8_t *cie)
{
	const uint8_t *p = cie + 9;

	while (*p++)
		;
	return get_leb(&p);
}

/*
 * Is the frame at addr that of code that was just called?  Not so in the part of
 * a function that a compiler moved away, for being cold: it has a description of
 * its own and is jumped to in the middle of things; where assembler code is
 * entered by jumps; and where a program or a thread begins: no return address
 * stands there, but the program's arguments.
 */
bool kp_user_unwind_is_called(const struct kp_object *object, uintptr_t addr)
{
	struct program p = { .cfa = { RSP, 8 } };
	const uint8_t *fde, *cie;
	size_t width, skip;
	struct cfa at;

	fde = fde_before(object, addr, &p.loc);
	if (!fde || addr - p.loc >= fde_range(fde))
		return true;
	cie = fde + 4 - (int32_t)get(fde + 4, 4);
	p.factor = code_factor(cie);
	p.end = fde + 4 + get(fde, 4);
	width = encoded_len(pointer_encoding(cie));
	p.at = fde + 8 + 2 * width;
	skip = get_leb(&p.at);		/* the augmentation */
	p.at += skip;
	do {
		at = p.cfa;
		if (p.at >= p.end)
			break;
		/* What is not known may be about what follows. */
		if (!step(&p))
			break;
	} while (p.loc <= addr);
	return at.reg == RSP && at.offset == 8;
}
