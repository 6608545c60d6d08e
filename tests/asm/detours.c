/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * detours.c - print jumps, heads, chains and stepped forms that end in a call.
 *
 * Owns: their text form: one line an instruction, offset and bytes.  Reads the
 * format of detours.in.
 */
#include <stdio.h>
#include <string.h>

#include "emit.h"
#include "insn/insn.h"
#include "jump.h"

#define ADDR 0x7f0000001000ul
#define ENTRY_OFF 0x10000
#define HEAD_OFF 0x1000
#define WAYS 3
#define INSNS_MAX (1 + KP_ARCH_INNER_MAX)

static uint8_t text[32];
static size_t text_len;
static struct kp_arch_probe insns[INSNS_MAX];
static unsigned int nr;
static uintptr_t place;

static void print_line(const uint8_t *image, size_t off, size_t len)
{
	size_t i;

	printf("  %02zx:", off);
	for (i = 0; i < len; i++)
		printf(" %02x", image[off + i]);
	printf("\n");
}

/*
 * Behind jmp *lit(%rip), and behind ret or a jump that come after push lit(%rip),
 * stands the literal, on the next boundary of 8: where it ends, or 0.  pushed:
 * the same of the push before.
 */
static size_t literal_behind(const uint8_t *insn, size_t behind, size_t *pushed)
{
	size_t end = 0;

	if (insn[0] == 0xff && insn[1] == 0x25 && insn[2] < 8)
		end = behind + insn[2] + 8;
	if (*pushed && (end || insn[0] == 0xc3 || insn[0] == 0xe9)) {
		end = *pushed;
		*pushed = 0;
	}
	if (insn[0] == 0xff && insn[1] == 0x35 && insn[2] < 32)
		*pushed = behind + insn[2] + 8;
	return end;
}

static void print_code(const char *what, const uint8_t *image, size_t len)
{
	struct kp_insn insn;
	size_t off = 0, pushed = 0, literal;

	printf("  %s\n", what);
	while (off < len) {
		size_t n = len - off;

		if (!kp_insn_decode(&insn, image + off, n, KP_INSN_64))
			n = insn.length;
		print_line(image, off, n);
		literal = literal_behind(image + off, off + n, &pushed);
		off += n;
		if (!literal)
			continue;
		print_line(image, off, literal - off);
		off = literal;
	}
}

/* The nearest target at or above the place that the jump admits. */
static uintptr_t target_for(const struct kp_arch_jump *jump)
{
	uint32_t d = (uint32_t)(place + HEAD_OFF - jump->base);

	d = (d & ~jump->mask) | jump->value;
	return jump->base + (uintptr_t)(int64_t)(int32_t)d;
}

static bool print_way(unsigned int n)
{
	uint8_t bytes[KP_ARCH_JUMP_MAX];
	struct kp_arch_jump jump;
	const char *reason = "";
	char what[64];
	unsigned int i;
	int at;

	if (kp_arch_jump_way(&jump, insns, text, text_len, text_len, n,
			     &reason)) {
		printf("  no way %u: %s\n", n, reason);
		return false;
	}
	kp_arch_emit_jump(&jump, target_for(&jump), bytes);
	at = snprintf(what, sizeof(what), "way %u: %08x/%08x, %u of %u", n,
		      jump.value, jump.mask, jump.patched, jump.len);
	for (i = 0; i < jump.inner_nr; i++)
		at += snprintf(what + at, sizeof(what) - (size_t)at, " %u=%02x",
			       jump.inner[i], jump.inner_trap[i]);
	print_code(what, bytes, jump.len);
	return true;
}

static void print_ways(void)
{
	unsigned int n = 0;

	while (n < WAYS && print_way(n))
		n++;
}

static void print_chain(void)
{
	uint8_t image[KP_ARCH_SLOT_LEN];
	const char *reason = "";
	size_t len;

	if (kp_arch_emit_chain(insns, nr, place, image, sizeof(image) - 8,
			       &len, &reason))
		printf("  no chain: %s\n", reason);
	else
		print_code("chain", image, len);
}

static void print_head(void)
{
	uint8_t image[KP_ARCH_HEAD_LEN];
	unsigned int user = insns[0].flags & KP_X86_USER;

	if (kp_arch_emit_head(insns, place + HEAD_OFF, place + ENTRY_OFF,
			      place, (void *)0x1122334455667788, image)) {
		printf("  no head\n");
		return;
	}
	print_code("head", image, user ? 24 : 18);
	print_line(image, 24, 8);
}

static void print_post(void)
{
	uint8_t image[KP_ARCH_SLOT_LEN];
	const char *reason = "";
	size_t len = KP_X86_FORM_MAX;

	if (kp_arch_emit_slot_post(insns, place, place + ENTRY_OFF, image,
				   &reason)) {
		printf("  no slot: %s\n", reason);
		return;
	}
	while (image[KP_X86_STEPPED + len - 1] == 0xcc)
		len--;
	print_code("stepped", image + KP_X86_STEPPED, len);
}

/* The instructions that start within the first 5 bytes. */
static bool take_insns(unsigned int flags)
{
	const char *reason;
	size_t off = 0;

	nr = 0;
	while (off < text_len && off < 5 && nr < INSNS_MAX) {
		if (kp_arch_prepare(&insns[nr], ADDR + off, text + off,
				    text_len - off, flags, &reason))
			break;
		/* A process may jump behind a lock prefix. */
		off += flags && text[off] == 0xf0 ? 1 : insns[nr].len;
		nr++;
	}
	return nr;
}

int main(void)
{
	char line[256], name[64], mode[16], where[16], hex[64];
	unsigned int byte;

	while (fgets(line, sizeof(line), stdin)) {
		if (line[0] == '#' ||
		    sscanf(line, "%63s %15s %15s %63s", name, mode, where,
			   hex) != 4)
			continue;
		place = strcmp(where, "far") ? 0x7f0000100000 : 0x7e0000100000;
		printf("%s %s %s %s\n", name, mode, where, hex);
		for (text_len = 0;
		     sscanf(hex + 2 * text_len, "%2x", &byte) == 1;)
			text[text_len++] = (uint8_t)byte;
		if (!take_insns(mode[0] == 'u' ? KP_ARCH_USER : 0))
			return 1;
		print_ways();
		print_chain();
		print_head();
		print_post();
	}
	return 0;
}
