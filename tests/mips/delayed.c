/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * delayed.c - watched memory that is written in delay slots, in parts of words, and by a
 * store-conditional.
 *
 * Owns: a function for each, which writes its second argument, or where it says so something
 * else, to its first.  By code; and in a real kernel ("kernel"), where a process can map a page
 * twice, by pages.
 */
#include "paged.h"

#define FUNC(name, body)						\
	void name(unsigned int *at, unsigned long value);		\
	__asm__(".pushsection .text; .set push; .set noreorder; .set noat\n" \
		"	.p2align 3; .globl " #name "; .type " #name ", @function\n" \
		#name ":\n" body "\n"					\
		"	.size " #name ", . - " #name "\n"		\
		"	.set pop; .popsection")

#define BACK "jr $31; nop"
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define FIRST "swl $5, 0($4)\n"
#define SECOND "swr $5, 3($4)"
#else
#define FIRST "swr $5, 0($4)\n"
#define SECOND "swl $5, 3($4)"
#endif

FUNC(by_return, "jr $31; sw $5, 0($4)");
FUNC(by_branch, "b 1f; sw $5, 0($4); break; 1: " BACK);
FUNC(by_condition, "beq $5, $0, 1f; sw $5, 0($4); 1: " BACK);
FUNC(by_call, "move $8, $31; bal 1f; sw $31, 0($4); 1: move $31, $8; " BACK);
FUNC(by_likely, "bnel $5, $0, 1f; sw $5, 0($4); 1: " BACK);
FUNC(by_flag, "mtc1 $0, $f0; nop; nop; c.eq.s $f0, $f0; nop; bc1t 1f; sw $5, 0($4); break; 1: " BACK);
FUNC(in_parts, FIRST SECOND "; " BACK);
FUNC(off_boundary, "sw $5, 0($4); " BACK);
FUNC(conditionally, "1: ll $8, 0($4); bne $8, $0, 2f; move $9, $5; sc $9, 0($4); beq $9, $0, 1b; nop; 2: " BACK);
FUNC(through_slots, "1: ll $8, 0($4); b 2f; addu $9, $8, $5; break; 2: sc $9, 0($4); beql $9, $0, 1b; nop; " BACK);

static const struct write {
	const char *name;
	void (*fn)(unsigned int *at, unsigned long value);
	unsigned int calls;		/* of a handler */
	unsigned int odd;		/* how far off its boundary it may be */
	bool unseen;			/* by code */
} writes[] = {
	{ "by_return", by_return, 1, 0, false }, { "by_branch", by_branch, 1, 0, false },
	{ "by_condition", by_condition, 1, 0, false }, { "by_call", by_call, 1, 0, false },
	{ "by_likely", by_likely, 1, 0, false }, { "by_flag", by_flag, 1, 0, false },
	{ "in_parts", in_parts, 2, 1, false }, { "off_boundary", off_boundary, 1, 1, false },
	{ "conditionally", conditionally, 1, 0, true }, { "through_slots", through_slots, 1, 0, true },
};
#define WRITES (sizeof(writes) / sizeof(writes[0]))

static unsigned int *at_of(const struct write *write)
{
	return (unsigned int *)(void *)(object + 8 + write->odd);
}

static unsigned int now(const unsigned int *at)
{
	unsigned int value;

	memcpy(&value, at, sizeof(value));
	return value;
}

/* As without a probe, and told as often. */
static bool is_told(const struct write *write, unsigned int told)
{
	unsigned int *at = at_of(write), plain;
	bool ok;

	write->fn(memset(at, 0, 4), 0x11223344);
	plain = now(at);
	memset(at, 0, 4);
	calls = 0;
	write->fn(at, 0x11223344);
	ok = calls == (long)told && plain && now(at) == plain;
	if (!ok)
		printf("# %s: %ld calls, %x, without %x\n", write->name, calls, now(at), plain);
	return ok;
}

static bool by_code(const struct write *write)
{
	const struct wprobe_code code = { .symbol_name = write->name };
	struct wprobe wp = of(object, 64, KP_WATCH_WRITE);
	int err;
	bool ok;

	wp.code = &code;
	wp.code_nr = 1;
	err = register_wprobe(&wp);
	if (err) {
		printf("# %s: %d %s\n", write->name, err, wp.kp.reason ? wp.kp.reason : "");
		return false;
	}
	ok = wp.unseen == write->unseen && is_told(write, write->unseen ? 0 : write->calls);
	/* Not taken: it writes nothing. */
	if (write->fn == by_likely) {
		calls = 0;
		write->fn(at_of(write), 0);
		ok &= !calls;
	}
	unregister_wprobe(&wp);
	return ok;
}

static bool by_pages(const struct write *write)
{
	struct wprobe wp = of(object, 64, KP_WATCH_WRITE);
	bool ok;

	if (register_wprobe(&wp)) {
		printf("# %s: %s\n", write->name, wp.kp.reason ? wp.kp.reason : "");
		return false;
	}
	calls = 0;
	write->fn(at_of(write), 0x11223344);
	ok = (calls == (long)write->calls && !wp.kp.nmissed) || !now(at_of(write));
	/* Its memset() would be told, too. */
	unregister_wprobe(&wp);
	return ok;
}

/* Of a real kernel, which does it for the program: QEMU's emulation of processes ends itself. */
static bool is_possible(const struct write *write, bool kernel)
{
	return kernel || write->fn != off_boundary;
}

int main(int argc, char **argv)
{
	bool kernel = argc > 1 && !strcmp(argv[1], "kernel"), pages = kernel && sizeof(long) == 8;
	char name[96];
	unsigned int i;

	memory = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	object = memory + PAGE;
	for (i = 0; i < WRITES; i++) {
		if (!is_possible(&writes[i], kernel))
			continue;
		snprintf(name, sizeof(name), "K-WAT-37 a write %s, by code", writes[i].name);
		EXPECT(name, by_code(&writes[i]));
	}
	for (i = 0; i < WRITES && pages; i++) {
		snprintf(name, sizeof(name), "K-WAT-30 a write %s, by pages", writes[i].name);
		memset(object, 0, 64);
		EXPECT(name, by_pages(&writes[i]));
	}
	return live_failed;
}
