/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * second.c - what a kernel's functions do to what edx points to, and what they leave behind.
 *
 * Owns: little functions in a text of their own, each with the answers: of the port as it is in
 * a kernel, and that in a process, whose arguments are on the stack, nothing is said.
 */
#include <stdio.h>
#include <string.h>

#include "env.h"

/* As in a kernel; beside the other, which is linked. */
#undef KP_VECTORS
#define KP_VECTORS 0
#define kp_arch_purity kernel_purity
#define kp_arch_general_only kernel_general_only
#define kp_arch_spares_second kernel_spares_second
#define kp_arch_leaves_nothing kernel_leaves_nothing
#include "purity.c"
#undef kp_arch_spares_second
#undef kp_arch_leaves_nothing

bool kp_arch_spares_second(uintptr_t addr, int (*read)(uint8_t *dst, uintptr_t addr, size_t len),
			   bool (*patched)(uintptr_t addr, size_t len));
bool kp_arch_leaves_nothing(uintptr_t addr, int (*read)(uint8_t *dst, uintptr_t addr, size_t len),
			    bool (*patched)(uintptr_t addr, size_t len));

#define TEXT 0xc0001000u

static uint8_t text[64];

static int read_text(uint8_t *dst, uintptr_t addr, size_t len)
{
	if (addr < TEXT || addr + len > TEXT + sizeof(text))
		return -1;
	memcpy(dst, text + (addr - TEXT), len);
	return 0;
}

/* What is known of it: each is more than the one before. */
enum { ANYTHING, SPARES, BARE };

static const struct {
	uint8_t bytes[24];
	int what;
	const char *text;
} rows[] = {
	{ { 0xc3 }, BARE, "ret" },
	{ { 0x55, 0x31, 0xc0, 0x83, 0x05, 0x50, 2, 0, 0, 1, 0x89, 0xe5, 0x5d, 0xc3 }, BARE,
	  "hits++, with a frame" },
	{ { 0xa1, 0x50, 2, 0, 0, 0xa3, 0x54, 2, 0, 0, 0xc3 }, BARE, "static data by eax" },
	{ { 0x8b, 0x42, 0x18, 0xc3 }, BARE, "mov (%edx),%eax" },
	{ { 0x0f, 0xb6, 0x52, 0x18, 0xc3 }, BARE, "movzbl (%edx),%edx" },
	{ { 0x8b, 0x04, 0x85, 0x20, 0, 0, 0, 0xf0, 0x01, 0x05, 0x44, 2, 0, 0, 0xc3 }, BARE,
	  "a table, lock add" },
	{ { 0x8b, 0x04, 0x85, 0x20, 0, 0, 0, 0x3e, 0x01, 0x05, 0x44, 2, 0, 0, 0xc3 }, BARE,
	  "a table, on one processor" },
	{ { 0x83, 0xec, 8, 0x89, 0x44, 0x24, 4, 0x83, 0xc4, 8, 0xc3 }, BARE, "the frame" },
	{ { 0x89, 0xd0, 0xc3 }, ANYTHING, "mov %edx,%eax" },
	{ { 0x89, 0x42, 0x18, 0xc3 }, ANYTHING, "mov %eax,(%edx)" },
	{ { 0x52, 0x58, 0xc3 }, ANYTHING, "push %edx" },
	{ { 0x63, 0x0a, 0xc3 }, ANYTHING, "arpl %cx,(%edx)" },
	{ { 0x0f, 0xc7, 0x0f, 0xc3 }, ANYTHING, "cmpxchg8b, of edx" },
	{ { 0x99, 0xc3 }, ANYTHING, "cltd" },
	{ { 0xcd, 0x80, 0xc3 }, ANYTHING, "int" },
	{ { 0x89, 0xc2, 0x89, 0x02, 0xc3 }, SPARES, "mov %eax,%edx; mov %eax,(%edx)" },
	{ { 0x8b, 0x52, 0x18, 0x99, 0xf7, 0xf9, 0xc3 }, BARE, "mov (%edx),%edx; cltd; idiv" },
	{ { 0x66, 0x89, 0xc2, 0x89, 0x02, 0xc3 }, ANYTHING, "mov %ax,%dx; mov %eax,(%edx)" },
	{ { 0xb2, 1, 0x89, 0x02, 0xc3 }, ANYTHING, "mov $1,%dl; mov %eax,(%edx)" },
	{ { 0x0f, 0x44, 0xd0, 0x89, 0x02, 0xc3 }, ANYTHING, "cmove %eax,%edx; mov %eax,(%edx)" },
	/* je 1f; mov %eax,%edx; 1: mov %eax,(%edx) */
	{ { 0x74, 2, 0x89, 0xc2, 0x89, 0x02, 0xc3 }, ANYTHING, "lost on one way" },
	{ { 0x89, 0x08, 0xc3 }, SPARES, "mov %ecx,(%eax)" },
	{ { 0x64, 0xff, 0x05, 0x44, 2, 0, 0, 0xc3 }, SPARES, "incl %fs:..." },
	{ { 0xff, 0x04, 0x85, 0x44, 2, 0, 0, 0xc3 }, SPARES, "incl ...(,%eax,4)" },
	{ { 0x89, 0xc4, 0x50, 0x58, 0xc3 }, SPARES, "mov %eax,%esp" },
	{ { 0x81, 0xe4, 0, 0xe0, 0xff, 0xff, 0xc3 }, SPARES, "and $-8192,%esp" },
	{ { 0x89, 0x84, 0x24, 0, 4, 0, 0, 0xc3 }, SPARES, "far above the stack pointer" },
	{ { 0xc9, 0xc3 }, SPARES, "leave" },
	{ { 0xfa, 0xc3 }, SPARES, "cli" },
	{ { 0xfd, 0xc3 }, SPARES, "std" },
	{ { 0xe8, 0, 0, 0, 0, 0xc3 }, SPARES, "call" },
	{ { 0xff, 0xd0, 0xc3 }, ANYTHING, "call *%eax" },
};

int main(void)
{
	int wrong = 0, told = 0;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool spares, bare;

		memset(text, 0xcc, sizeof(text));
		memcpy(text, rows[i].bytes, sizeof(rows[i].bytes));
		spares = kernel_spares_second(TEXT, read_text, NULL);
		bare = kernel_leaves_nothing(TEXT, read_text, NULL);
		if ((bare && !spares) || spares + bare != rows[i].what) {
			printf("# %s: %d\n", rows[i].text, spares + bare);
			wrong++;
		}
		told += kp_arch_spares_second(TEXT, read_text, NULL) ||
			kp_arch_leaves_nothing(TEXT, read_text, NULL);
	}
	printf("%sok i386-second a kernel's functions\n", wrong ? "not " : "");
	printf("%sok i386-second nothing is said of a process's\n", told ? "not " : "");
	return wrong || told;
}
