/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * keeps.h - a thread of target.c's that looks whether registers stay around system calls,
 * on MIPS: arguments that the call does not take, and fractions among them.
 */
#if _MIPS_SIM == _ABIO32
#define D ""
#else
#define D "d"			/* all 64 bits */
#endif

static void *keeps(void *arg)
{
	unsigned long bad = 0;

	while (!atomic_load(&over)) {
		register unsigned long v0 __asm__("$2") = SYS_getppid;
		register unsigned long a3 __asm__("$7");
		unsigned long a1, s1, s7, f2, f30;

		__asm__ volatile(
			"li $5, 0x555\n\tli $17, 0x111\n\tli $23, 0x777\n\t"
			D "mtc1 $17, $f2\n\t" D "mtc1 $23, $f30\n\t"
			"syscall\n\t"
			"move %[a1], $5\n\tmove %[s1], $17\n\tmove %[s7], $23\n\t"
			D "mfc1 %[f2], $f2\n\t" D "mfc1 %[f30], $f30"
			: "+r"(v0), "=r"(a3), [a1] "=&r"(a1), [s1] "=&r"(s1), [s7] "=&r"(s7),
			  [f2] "=&r"(f2), [f30] "=&r"(f30)
			: : "$1", "$3", "$5", "$8", "$9", "$10", "$11", "$12", "$13", "$14", "$15",
			    "$17", "$23", "$24", "$25", "$f2", "$f30", "hi", "lo", "memory");
		if (a1 != 0x555 || s1 != 0x111 || s7 != 0x777 || f2 != 0x111 || f30 != 0x777 || a3 ||
		    v0 != (unsigned long)getppid()) {
			errno = 0;
			if (!bad++)
				fprintf(stderr, "v0 %lx a3 %lx a1 %lx s1 %lx s7 %lx f2 %lx f30 %lx\n",
					v0, a3, a1, s1, s7, f2, f30);
			wrong("a register", (long)a1);
		}
		usleep(300);
	}
	return arg;
}
