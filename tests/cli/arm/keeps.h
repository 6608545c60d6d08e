/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * keeps.h - a thread of target.c's that looks whether registers stay around system calls,
 * on arm: r12, which a tracer does not see there, and fractions among them.  It is of
 * whichever set the program is.
 */
static void *keeps(void *arg)
{
	unsigned long bad = 0;

	while (!atomic_load(&over)) {
		unsigned long r5, r8, r12, s16, d31, number, result;

		__asm__ volatile(
			"mov r7, #64\n\tmov r0, #0\n\t"		/* getppid */
			"movw r5, #0x555\n\tmovw r8, #0x888\n\tmovw r12, #0x1212\n\t"
			"vmov s16, r5\n\tvmov d31, r8, r12\n\t"
			"svc #0\n\t"
			"mov %[number], r7\n\tmov %[result], r0\n\t"
			"mov %[r5], r5\n\tmov %[r8], r8\n\tmov %[r12], r12\n\t"
			"vmov %[s16], s16\n\tvmov.32 %[d31], d31[1]"
			: [r5] "=&r"(r5), [r8] "=&r"(r8), [r12] "=&r"(r12), [s16] "=&r"(s16),
			  [d31] "=&r"(d31), [number] "=&r"(number), [result] "=&r"(result)
			: : "r0", "r5", "r7", "r8", "r12", "s16", "d31", "memory");
		if (r5 != 0x555 || r8 != 0x888 || r12 != 0x1212 || s16 != 0x555 || d31 != 0x1212 ||
		    number != SYS_getppid || result != (unsigned long)getppid()) {
			errno = 0;
			if (!bad++)
				fprintf(stderr, "r5 %lx r7 %lx r8 %lx r12 %lx s16 %lx d31 %lx\n", r5,
					number, r8, r12, s16, d31);
			wrong("a register", (long)r5);
		}
		usleep(300);
	}
	return arg;
}
