/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Instruction lengths against objdump -d.
 *
 * usage: oracle_objdump FILE...
 *
 * Reads objdump's wide listing: address, bytes, text.  Every line must decode
 * to exactly its bytes.  The known exceptions, each counted by itself:
 *   fwait   objdump joins 9B with the x87 instruction after it (fstcw, ...);
 *           for the processor they are two instructions.
 *   split   objdump shows prefixes that its tables cannot place (data16, rex,
 *           cs, repz alone) as lines of their own; the processor takes them
 *           with what follows.
 *   bad     objdump calls it (bad), and the decoder refuses it too.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "insn.h"

#define SHOWN 20

struct count {
	size_t insns, fwait, split, bad, wrong;
	enum kp_insn_mode mode;
};

struct line {
	uint8_t bytes[64];
	size_t len;
	const char *text;
};

/* "  401000:\tf3 0f 1e fa \tendbr64" */
static bool parse(struct line *line, char *buffer)
{
	char *at, *end;

	line->len = 0;
	strtoull(buffer, &at, 16);
	if (at == buffer || strncmp(at, ":\t", 2))
		return false;
	for (at += 2; line->len < sizeof(line->bytes); at = end + 1) {
		unsigned long value = strtoul(at, &end, 16);

		if (!isxdigit((unsigned char)*at) || end != at + 2)
			break;
		line->bytes[line->len++] = (uint8_t)value;
		if (*end != ' ')
			break;
	}
	at = strchr(at, '\t');
	line->text = at ? at + 1 : "";
	return line->len != 0;
}

/* Nothing but prefixes: what objdump shows when it cannot place one. */
static bool is_prefixes_only(const struct line *line, enum kp_insn_mode mode)
{
	size_t i;

	for (i = 0; i < line->len; i++)
		if (!memchr("\x66\x67\xF0\xF2\xF3\x2E\x36\x3E\x26\x64\x65", line->bytes[i], 11) &&
		    (mode == KP_INSN_32 || (line->bytes[i] & 0xF0) != 0x40))
			return false;
	return true;
}

static void show(const struct line *line, int err, unsigned int length)
{
	size_t i;

	printf("#");
	for (i = 0; i < line->len; i++)
		printf(" %02x", line->bytes[i]);
	printf(" ours: error %d, length %u; objdump: %s", err, length, line->text);
}

static void check(struct count *count, const struct line *line)
{
	struct kp_insn insn = { 0 };
	int err = kp_insn_decode(&insn, line->bytes, line->len, count->mode);

	count->insns++;
	if (!err && insn.length == line->len)
		return;
	if (err && strstr(line->text, "(bad)"))
		count->bad++;
	else if (!err && insn.opcode == 0x9B && insn.map == 0 && insn.length < line->len)
		count->fwait++;
	else if (err == -ENODATA && is_prefixes_only(line, count->mode))
		count->split++;
	else if (count->wrong++ < SHOWN)
		show(line, err, insn.length);
}

static int compare_file(const char *path)
{
	const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	struct count count = { 0 };
	char command[4200], buffer[4096];
	struct line line;
	bool failed;
	FILE *listing;

	snprintf(command, sizeof(command), "objdump -d -w '%s' 2>&1", path);
	listing = popen(command, "r");
	if (!listing)
		return 1;
	count.mode = KP_INSN_64;
	while (fgets(buffer, sizeof(buffer), listing))
		if (strstr(buffer, "file format elf32-i386"))
			count.mode = KP_INSN_32;
		else if (parse(&line, buffer))
			check(&count, &line);
	failed = pclose(listing) != 0 || count.wrong || !count.insns;
	printf("%sok insn-objdump-%s %zu instructions, %zu joined fwait, %zu lone prefixes, %zu bad, %zu differences\n",
	       failed ? "not " : "", base, count.insns, count.fwait, count.split, count.bad,
	       count.wrong);
	return failed;
}

int main(int argc, char **argv)
{
	int i, failed = 0;

	for (i = 1; i < argc; i++)
		failed |= compare_file(argv[i]);
	return failed;
}
