/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * keeps.h - a thread of target.c's that looks whether registers stay around system calls,
 * on riscv64: arguments that the call does not take, and fractions among them.
 */
static void *keeps(void *arg)
{
	unsigned long bad = 0;

	while (!atomic_load(&over)) {
		register unsigned long a0 __asm__("a0") = 0;
		register unsigned long a7 __asm__("a7") = SYS_getppid;
		unsigned long a5, t6, s11, fs1, ft11;

		__asm__ volatile(
			"li a5, 0x555\n\tli t6, 0x666\n\tli s11, 0x711\n\t"
			"fmv.d.x fs1, t6\n\tfmv.d.x ft11, s11\n\t"
			"ecall\n\t"
			"mv %[a5], a5\n\tmv %[t6], t6\n\tmv %[s11], s11\n\t"
			"fmv.x.d %[fs1], fs1\n\tfmv.x.d %[ft11], ft11"
			: "+r"(a0), "+r"(a7), [a5] "=&r"(a5), [t6] "=&r"(t6), [s11] "=&r"(s11),
			  [fs1] "=&r"(fs1), [ft11] "=&r"(ft11)
			: : "t6", "s11", "fs1", "ft11", "memory");
		if (a5 != 0x555 || t6 != 0x666 || s11 != 0x711 || fs1 != 0x666 ||
		    ft11 != 0x711 || a7 != SYS_getppid) {
			errno = 0;
			if (!bad++)
				fprintf(stderr, "a5 %lx a7 %lx t6 %lx s11 %lx fs1 %lx ft11 %lx\n",
					a5, a7, t6, s11, fs1, ft11);
			wrong("a register", (long)a5);
		}
		usleep(300);
	}
	return arg;
}
