/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * compare.c - two outcomes of one trial.
 *
 * Owns: what counts as the same.  Everything does, but: RF, which says how the
 * last exception was entered; the x87 instruction pointer, which names the
 * copy; and memory below the stack pointer that no code may rely on.
 */
#include <stdio.h>
#include <string.h>

#include "diff.h"

#define FLAG_RF 0x10000ul
#define FIP_OFF 8

static const char *const names[16] = {
	"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
	"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
};

/* Where the two states differ first, for the report. */
static size_t fp_differs(const struct state *a, const struct state *b)
{
	size_t i;

	for (i = 0; i < sandbox_fp_len(); i++)
		if (a->fp[i] != b->fp[i] && i - FIP_OFF >= 8)
			return i;
	return sandbox_fp_len();
}

static const char *compare_fp(const struct outcome *want,
			      const struct outcome *got)
{
	uint8_t a[XSAVE_MAX], b[XSAVE_MAX];
	size_t len = sandbox_fp_len();

	memcpy(a, want->at.fp, len);
	memcpy(b, got->at.fp, len);
	memset(a + FIP_OFF, 0, 8);
	memset(b + FIP_OFF, 0, 8);
	if (memcmp(a, b, 160))
		return "x87 state";
	if (memcmp(a + 160, b + 160, 256))
		return "xmm registers";
	return memcmp(a, b, len) ? "extended state" : NULL;
}

const char *compare_outcomes(const struct trial *t, const struct outcome *want,
			     const struct outcome *got)
{
	int i;

	(void)t;
	if (want->sig != got->sig)
		return "signal";
	if (want->sig && want->trapno != got->trapno)
		return "trap number";
	if (want->sig && want->err != got->err)
		return "error code";
	if (want->sig && want->trapno == 14 && want->cr2 != got->cr2)
		return "fault address";
	if (want->at.ip != got->at.ip)
		return "rip";
	for (i = 0; i < 16; i++)
		if (want->at.gpr[i] != got->at.gpr[i])
			return names[i];
	if ((want->at.flags ^ got->at.flags) & ~FLAG_RF)
		return "flags";
	return compare_fp(want, got);
}

static void print_outcome(const char *who, const struct outcome *o)
{
	int i;

	fprintf(stderr, "#  %s: sig %d trap %lu err %lx cr2 %lx ip %lx flags %lx\n",
		who, o->sig, o->trapno, o->err, o->cr2, o->at.ip, o->at.flags);
	for (i = 0; i < 16; i++)
		fprintf(stderr, "%s%s=%lx%s", i % 8 ? " " : "#   ", names[i],
			o->at.gpr[i], i % 8 == 7 ? "\n" : "");
}

/* Sixteen bytes of the saved vector state around the first difference. */
static void print_fp(const char *who, const struct state *s, size_t off)
{
	size_t i;

	fprintf(stderr, "#  %s: xsave area at %zu:", who, off & ~15ul);
	for (i = off & ~15ul; i < (off | 15) + 1; i++)
		fprintf(stderr, " %02x", s->fp[i]);
	fprintf(stderr, "\n");
}

void compare_print(const struct trial *t, const char *variant,
		   const char *what, const struct outcome *want,
		   const struct outcome *got)
{
	struct outcome before = { .at = t->before };
	size_t i, off = fp_differs(&want->at, &got->at);

	fprintf(stderr, "# %s, %s: %s differs\n#  bytes", t->name, variant,
		what);
	for (i = 0; i < t->insn.length; i++)
		fprintf(stderr, " %02x", t->bytes[i]);
	fprintf(stderr, "\n");
	print_outcome("before", &before);
	print_outcome("native", want);
	print_outcome("got", got);
	if (off == sandbox_fp_len())
		return;
	print_fp("before", &t->before, off);
	print_fp("native", &want->at, off);
	print_fp("got", &got->at, off);
}
