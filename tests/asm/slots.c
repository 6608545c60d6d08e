/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * slots.c - print slot images: instructions in, instructions out.
 *
 * Owns: the text form of an image: one line an instruction, offset and bytes,
 * up to the last instruction of each form.  Reads the format of slots.in.
 */
#include <stdio.h>
#include <string.h>

#include "emit.h"
#include "insn/insn.h"

#define ADDR 0x7f0000001000ul

static size_t parse(const char *hex, uint8_t *bytes, size_t max)
{
	unsigned int byte;
	size_t len = 0;

	while (len < max && sscanf(hex + 2 * len, "%2x", &byte) == 1)
		bytes[len++] = (uint8_t)byte;
	return len;
}

static void print_line(const uint8_t *image, unsigned int off,
		       unsigned int len)
{
	unsigned int i;

	printf("  %02x:", off);
	for (i = 0; i < len; i++)
		printf(" %02x", image[off + i]);
	printf("\n");
}

/* Does jmp *lit(%rip) stand there?  The literal is on the next boundary of 8. */
static bool is_far_jump(const uint8_t *insn)
{
	return insn[0] == 0xff && insn[1] == 0x25 && insn[2] < 8 &&
	       !memcmp(insn + 3, "\0\0\0", 3);
}

/* Does the form's flow end there?  Then another literal may be on the next one. */
static bool is_end(const uint8_t *insn)
{
	return insn[0] == 0xe9 || insn[0] == 0xc3 || is_far_jump(insn);
}

/* int3 fills what follows the last instruction or literal. */
static void print_form(const uint8_t *image, unsigned int off, bool int3)
{
	unsigned int end = off + KP_X86_FORM_MAX;
	struct kp_insn insn;

	while (image[end - 1] == 0xcc)
		end--;
	while (off < end) {
		const uint8_t *at = image + off;
		unsigned int len = end - off;

		if (!kp_insn_decode(&insn, at, len, KP_INSN_64))
			len = insn.length;
		print_line(image, off, len);
		off += len;
		if (is_far_jump(at)) {
			print_line(image, off, at[2] + 8u);
			off += at[2] + 8u;
		}
		if (is_end(at) && end - off >= 8 && end - off < 16) {
			print_line(image, off, end - off);
			off = end;
		}
	}
	if (int3)
		print_line(image, off, 1);
}

int main(void)
{
	char line[256], name[64], mode[16], place[16], hex[64];
	uint8_t image[KP_ARCH_SLOT_LEN], bytes[KP_ARCH_INSN_MAX];
	struct kp_arch_probe ap;

	while (fgets(line, sizeof(line), stdin)) {
		uintptr_t slot = 0x7f0000100000;
		const char *reason = "";
		size_t len;

		if (line[0] == '#' ||
		    sscanf(line, "%63s %15s %15s %63s", name, mode, place,
			   hex) != 4)
			continue;
		if (!strcmp(place, "far"))
			slot = 0x7e0000100000;
		printf("%s %s %s %s\n", name, mode, place, hex);
		len = parse(hex, bytes, sizeof(bytes));
		if (kp_arch_prepare(&ap, ADDR, bytes, len,
				    mode[0] == 'u' ? KP_ARCH_USER : 0,
				    &reason) ||
		    kp_arch_emit_slot(&ap, slot, image, &reason)) {
			printf("  refused: %s\n", reason);
			continue;
		}
		print_form(image, 0, false);
		print_form(image, KP_X86_STEPPED, true);
	}
	return 0;
}
