/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * stores.c - stores that the port does, beside those of the processor.
 *
 * Owns: each form at each place around an aligned word, by itself and in a delay slot; the
 * same memory, and nothing around it, must have changed, and as much of it as was said.
 * What slots, monitors and pages add, processes show (tests/conformance).
 */
#include "emulate.h"
#include "watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <sys/cachectl.h>

#define LEN 64
#define MIDDLE 24
#define BASE 5
#define SOURCE 6
#define INDEX 7

static uint32_t *code;
static uint8_t native[LEN] __attribute__((aligned(8))), done[LEN] __attribute__((aligned(8)));
static uintptr_t written_at;
static unsigned int written_len;

struct form {
	const char *name;
	uint32_t word;
	unsigned int boundary;
	bool wide, floats, indexed;
};

static const struct form forms[] = {
	{ "sb", 0xA0A60000, 1, false, false, false }, { "sh", 0xA4A60000, 2, false, false, false },
	{ "sw", 0xACA60000, 4, false, false, false }, { "swl", 0xA8A60000, 1, false, false, false },
	{ "swr", 0xB8A60000, 1, false, false, false }, { "sd", 0xFCA60000, 8, true, false, false },
	{ "sdl", 0xB0A60000, 1, true, false, false }, { "sdr", 0xB4A60000, 1, true, false, false },
	{ "swc1", 0xE4A60000, 4, true, true, false }, { "sdc1", 0xF4A60000, 8, true, true, false },
	{ "swxc1", 0x4CA73008, 4, true, true, true }, { "sdxc1", 0x4CA73009, 8, true, true, true },
};

static int update(void *arg, uintptr_t addr, unsigned int len,
		  void (*change)(void *op, const uint8_t *old, uint8_t *new), void *op)
{
	(void)arg;
	written_at = addr;
	written_len = len;
	change(op, (uint8_t *)addr, (uint8_t *)addr);
	return 0;
}

static void run(uintptr_t base, const uint64_t *value, long index)
{
	register uintptr_t at __asm__("$5") = base;
	register unsigned long from __asm__("$6") = (unsigned long)*value;
	register long by __asm__("$7") = index;
	register uint32_t *to __asm__("$25") = code;

	__asm__ volatile("ldc1 $f6, 0(%4)\n\tjalr %3\n\tnop"
			 : : "r"(at), "r"(from), "r"(by), "r"(to), "r"(value)
			 : "$31", "$f6", "memory");
}

/* 0, or 1 with what differs. */
static int check(const struct form *form, unsigned int off, int disp, bool delayed)
{
	uint64_t value = (uint64_t)random() << 40 ^ (uint64_t)random() << 20 ^ (uint64_t)random();
	uint64_t image[32] = { [SOURCE] = value };
	const struct kp_arch_vectors vectors = { .image = image };
	const struct kp_arch_memory memory = { .update = update };
	uint32_t word = form->word | (form->indexed ? 0 : disp & 0xffff);
	const uint32_t words[] = { delayed ? 0x10000002 : word, delayed ? word : 0x03e00008,
				   delayed ? 0x0000000d : 0, 0x03e00008, 0 };
	struct pt_regs regs = { 0 };
	unsigned int i;

	for (i = 0; i < LEN; i++)
		native[i] = done[i] = (uint8_t)random();
#if __mips_isa_rev >= 6
	((uint32_t *)words)[delayed ? 3 : 1] = 0x03e00009;
#endif
	memcpy(code, words, sizeof(words));
	cacheflush(code, sizeof(words), BCACHE);
	run((uintptr_t)native + off - (form->indexed ? 0 : disp), &value, 0);
	regs.regs[BASE] = (uintptr_t)done + off - (form->indexed ? 0 : disp);
	regs.regs[SOURCE] = (unsigned long)value;
	regs.cp0_epc = (uintptr_t)code;
	if (kp_arch_store(&regs, &vectors, (const uint8_t *)words, 8, (uintptr_t)done + off, &memory) ||
	    memcmp(native, done, LEN) ||
	    regs.cp0_epc != (uintptr_t)code + (delayed ? 12 : 4) ||
	    written_at < (uintptr_t)done || written_at + written_len > (uintptr_t)done + LEN) {
		printf("not ok %s at %u%+d%s\n", form->name, off, disp, delayed ? ", delayed" : "");
		return 1;
	}
	return 0;
}

int main(void)
{
	unsigned int i, off, nr = 0, bad = 0;
	int disp;

	code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	srandom(1);
	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (forms[i].wide && sizeof(long) == 4)
			continue;
		for (off = MIDDLE; off < MIDDLE + 8; off += forms[i].boundary)
			for (disp = -8; disp <= 8; disp += 8) {
				bad += check(&forms[i], off, disp, false) != 0;
				bad += check(&forms[i], off, disp, true) != 0;
				nr += 2;
			}
	}
	printf("%s mips%d stores: %u as the processor does them\n", bad ? "not ok" : "ok",
	       (int)(8 * sizeof(long)), nr - bad);
	return bad != 0;
}
