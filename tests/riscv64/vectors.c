/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * vectors.c - registers of the V extension across a hit through a jump.
 *
 * Owns: that a handler which changes all of them, and their modes, changes none that the
 * probed code has.  For a machine that has them: QEMU's emulation of processes does not say
 * so.
 */
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

#include <kprobes/control.h>
#include <linux/kprobes.h>

#define HWCAP_V (1ul << ('v' - 'a'))
#define LEN_MAX 8192
#define WITH_V(code) ".option push\n.option arch, +v\n" code ".option pop\n"
/* All registers, eight at a time, from or to memory at t1. */
#define EACH_EIGHT(op)							\
	"vsetvli t0, zero, e8, m8, ta, ma\n"				\
	op " v0, (t1)\n add t1, t1, t0\n" op " v8, (t1)\n add t1, t1, t0\n" \
	op " v16, (t1)\n add t1, t1, t0\n" op " v24, (t1)\n"

static unsigned char before[LEN_MAX], after[LEN_MAX];
static long hits;

long probed(long a);
__asm__(".text\n.globl probed\n.type probed, %function\nprobed:\n"
	".option push\n.option norvc\naddi a0, a0, 1\naddi a0, a0, 1\nret\n.option pop\n"
	".size probed, . - probed\n");

static int spoil(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	hits++;
	__asm__ volatile(WITH_V("vsetvli t0, zero, e8, m8, ta, ma\n"
				"vmv.v.i v0, 7\nvmv.v.i v8, 7\nvmv.v.i v16, 7\nvmv.v.i v24, 7\n"
				"csrwi vcsr, 3\n") ::: "t0", "memory");
	return 0;
}

/* Are they all, and vl, vtype and vcsr, what they were? */
static bool kept(void)
{
	unsigned long vl[2], vtype[2], vcsr, len;
	long result;

	__asm__ volatile(WITH_V("mv t1, %[before]\n" EACH_EIGHT("vle8.v")
				"csrwi vcsr, 0\n li t0, 3\n vsetvli zero, t0, e16, m2, tu, mu\n"
				"csrr %[vl], vl\n csrr %[vtype], vtype\n"
				"li a0, 40\n call probed\n mv %[result], a0\n"
				"csrr %[vl1], vl\n csrr %[vtype1], vtype\n csrr %[vcsr], vcsr\n"
				"mv t1, %[after]\n" EACH_EIGHT("vse8.v") "csrr %[len], vlenb\n")
			 : [vl] "=&r"(vl[0]), [vtype] "=&r"(vtype[0]), [vl1] "=&r"(vl[1]),
			   [vtype1] "=&r"(vtype[1]), [vcsr] "=&r"(vcsr), [result] "=&r"(result),
			   [len] "=&r"(len)
			 : [before] "r"(before), [after] "r"(after)
			 : "a0", "t0", "t1", "ra", "memory");
	return result == 42 && vl[0] == vl[1] && vtype[0] == vtype[1] && !vcsr &&
	       32 * len <= LEN_MAX && !memcmp(before, after, 32 * len);
}

int main(void)
{
	struct kprobe p = { .symbol_name = "probed", .pre_handler = spoil };
	bool by_trap, by_jump, jumps;
	size_t i;

	if (!(getauxval(AT_HWCAP) & HWCAP_V)) {
		printf("not ok vectors this machine has none\n");
		return 1;
	}
	for (i = 0; i < sizeof(before); i++)
		before[i] = (unsigned char)(i * 7 + 1);
	kprobes_set_optimization(false);
	if (register_kprobe(&p))
		return 1;
	by_trap = kept();
	kprobes_set_optimization(true);
	kprobes_flush();
	jumps = (*(unsigned short *)(unsigned long)probed & 0xfff) == 0x6f;
	by_jump = kept();
	unregister_kprobe(&p);
	printf("%sok vectors are kept around a handler at a breakpoint\n", by_trap ? "" : "not ");
	printf("%sok vectors are kept around a handler at a jump\n",
	       by_jump && jumps && hits == 2 ? "" : "not ");
	return !by_trap || !by_jump || !jumps || hits != 2;
}
