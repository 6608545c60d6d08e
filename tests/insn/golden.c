/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Decoded fields of chosen instructions, in text that a person can check.
 *
 * usage: golden [--rebase] FILE.in...
 *
 * A line of FILE.in is "64 48 89 e5  # comment" or "32 ...": the mode, then the
 * bytes.  FILE.out holds the expected text; --rebase writes it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "insn.h"

#define TEXT 65536

static const char *const encodings[] = { "legacy", "3dnow", "vex2", "vex3", "evex", "xop" };
static const char *const prefixes[] = { "none", "66", "f3", "f2" };
static const char *const flows[] = {
	"-", "jmp-rel", "jcc-rel", "loop", "call-rel", "jmp-ind", "call-ind", "ret", "far-jmp",
	"far-call", "far-ret", "iret", "int", "syscall", "sysret", "trap", "xbegin", "hlt", "virt",
	"rsm",
};
static const char *const flag_names[] = {
	"modrm", "sib", "mem", "rip", "fault", "vector", "sp", "rep", "string", "privileged", "ss",
	"implicit-mem",
};

struct text {
	char data[TEXT];
	size_t len;
};

#define put(text, ...) \
	((text)->len += (size_t)snprintf((text)->data + (text)->len, TEXT - (text)->len, __VA_ARGS__))

static void put_field(struct text *text, const char *name, const struct kp_insn_field *field)
{
	if (field->size)
		put(text, " %s=%lld@%u+%u", name, (long long)field->value, field->offset, field->size);
}

static void put_gpr(struct text *text, const char *name, uint8_t gpr)
{
	if (gpr != KP_INSN_NO_GPR)
		put(text, " %s=r%u", name, gpr);
}

static void put_insn(struct text *text, const struct kp_insn *insn)
{
	unsigned int i;

	put(text, " len=%u %s map=%u op=%02x@%u pp=%s os=%u as=%u", insn->length,
	    encodings[insn->encoding], insn->map, insn->opcode, insn->opcode_offset,
	    prefixes[insn->pp], insn->operand_size, insn->address_size);
	put_field(text, "disp", &insn->disp);
	put_field(text, "imm", &insn->imm);
	put_field(text, "imm2", &insn->imm2);
	put_gpr(text, "reg", insn->reg_gpr);
	put_gpr(text, "rm", insn->rm_gpr);
	put_gpr(text, "base", insn->base_gpr);
	put_gpr(text, "index", insn->index_gpr);
	put_gpr(text, "vvvv", insn->vvvv_gpr);
	put_gpr(text, "opc", insn->opcode_gpr);
	put(text, " implicit=%04x", insn->implicit_gprs);
	if (insn->flow)
		put(text, " flow=%s", flows[insn->flow]);
	if (kp_insn_is_rel_branch(insn))
		put(text, " target=%+lld", (long long)kp_insn_rel_target(insn));
	for (i = 0; i < sizeof(flag_names) / sizeof(flag_names[0]); i++)
		if (insn->flags >> i & 1)
			put(text, " %s", flag_names[i]);
}

static size_t read_bytes(const char *line, uint8_t *bytes, size_t max)
{
	size_t len = 0;
	char *end;

	for (; len < max; line = end) {
		unsigned long value = strtoul(line, &end, 16);

		if (end == line)
			break;
		bytes[len++] = (uint8_t)value;
	}
	return len;
}

static void put_line(struct text *text, char *line)
{
	struct kp_insn insn;
	uint8_t bytes[32];
	char *rest, *comment = strchr(line, '#');
	long mode = strtol(line, &rest, 10);
	size_t i, len;
	int err;

	if (comment)
		*comment = 0;
	if (mode != 32 && mode != 64)
		return;
	len = read_bytes(rest, bytes, sizeof(bytes));
	err = kp_insn_decode(&insn, bytes, len, mode == 64 ? KP_INSN_64 : KP_INSN_32);
	put(text, "%ld:", mode);
	for (i = 0; i < len; i++)
		put(text, " %02x", bytes[i]);
	put(text, " ->");
	if (err)
		put(text, " %s", err == -EILSEQ ? "EILSEQ" : err == -ENODATA ? "ENODATA" : "?");
	else
		put_insn(text, &insn);
	put(text, "\n");
}

static int read_file(struct text *text, const char *path, bool decode)
{
	FILE *file = fopen(path, "r");
	char line[512];

	text->len = 0;
	text->data[0] = 0;
	if (!file)
		return -1;
	while (fgets(line, sizeof(line), file)) {
		if (decode)
			put_line(text, line);
		else
			put(text, "%s", line);
	}
	fclose(file);
	return 0;
}

static int rebase(const struct text *text, const char *path)
{
	FILE *file = fopen(path, "w");

	if (!file)
		return 1;
	fputs(text->data, file);
	return fclose(file) != 0;
}

static void show_difference(const char *want, const char *got)
{
	size_t i, line = 0;

	for (i = 0; want[i] && want[i] == got[i]; i++)
		if (want[i] == '\n')
			line = i + 1;
	printf("# want %.*s\n# got  %.*s\n", (int)strcspn(want + line, "\n"), want + line,
	       (int)strcspn(got + line, "\n"), got + line);
}

static int check(const char *path, bool rebasing)
{
	static struct text got, want;
	const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	char out[4096];
	size_t stem = strlen(path) - 3;

	snprintf(out, sizeof(out), "%.*s.out", (int)stem, path);
	if (read_file(&got, path, true))
		return 1;
	if (rebasing)
		return rebase(&got, out);
	if (read_file(&want, out, false) || strcmp(got.data, want.data)) {
		show_difference(want.data, got.data);
		printf("not ok insn-golden-%s\n", base);
		return 1;
	}
	printf("ok insn-golden-%s\n", base);
	return 0;
}

int main(int argc, char **argv)
{
	bool rebasing = argc > 1 && !strcmp(argv[1], "--rebase");
	int i, failed = 0;

	for (i = 1 + rebasing; i < argc; i++)
		failed |= check(argv[i], rebasing);
	return failed;
}
