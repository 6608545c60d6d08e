/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * unwind.c - function bounds from unwind information.
 *
 * Owns: looking an address up in an object's .eh_frame_hdr and reading the
 * frame description it names.  Stripped code has no other record of where its
 * functions begin and end.
 */
#include "user.h"

#define ENC_OMIT	0xff
#define ENC_TABLE	0x3b		/* datarel | sdata4 */
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

bool kp_user_unwind_bounds(const struct kp_object *object, uintptr_t addr,
			   uintptr_t *start, size_t *len)
{
	const struct header *hdr = (const void *)object->eh_hdr;
	intptr_t want = (intptr_t)(addr - object->eh_hdr);
	size_t low = 0, high;

	if (!hdr || hdr->version != 1 || hdr->table_enc != ENC_TABLE ||
	    hdr->count_enc != 3 || ENC_SIZE(hdr->frame_enc) != 3)
		return false;
	high = hdr->count;
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (hdr->table[mid].start <= want)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low)
		return false;
	low--;
	*start = object->eh_hdr + (uintptr_t)(intptr_t)hdr->table[low].start;
	*len = fde_range((const uint8_t *)object->eh_hdr +
			 hdr->table[low].fde);
	return addr - *start < *len;
}
