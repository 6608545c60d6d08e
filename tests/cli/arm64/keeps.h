/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * keeps.h - a thread of target.c's that looks whether registers stay around system calls,
 * on arm64: x7 and vectors among them.
 */
static void *keeps(void *arg)
{
	unsigned long bad = 0;

	while (!atomic_load(&over)) {
		register unsigned long x0 __asm__("x0") = 0;
		register unsigned long x8 __asm__("x8") = SYS_getppid;
		unsigned long x7, x15, x28, d8, d31;

		__asm__ volatile(
			"mov x7, #0x7777\n\tmov x15, #0x1515\n\tmov x28, #0x2828\n\t"
			"fmov d8, x7\n\tfmov d31, x15\n\t"
			"svc #0\n\t"
			"mov %[x7], x7\n\tmov %[x15], x15\n\tmov %[x28], x28\n\t"
			"fmov %[d8], d8\n\tfmov %[d31], d31"
			: "+r"(x0), [x7] "=&r"(x7), [x15] "=&r"(x15), [x28] "=&r"(x28),
			  [d8] "=&r"(d8), [d31] "=&r"(d31)
			: "r"(x8) : "x7", "x15", "x28", "v8", "v31", "memory");
		if (x7 != 0x7777 || x15 != 0x1515 || x28 != 0x2828 || d8 != 0x7777 ||
		    d31 != 0x1515) {
			errno = 0;
			if (!bad++)
				fprintf(stderr, "x7 %lx x15 %lx x28 %lx d8 %lx d31 %lx\n",
					x7, x15, x28, d8, d31);
			wrong("a register", (long)x7);
		}
		usleep(300);
	}
	return arg;
}

