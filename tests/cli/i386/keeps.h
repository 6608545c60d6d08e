/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * keeps.h - a thread of target.c's that looks whether registers stay around system calls,
 * on i386: arguments that the call does not take, and both units for fractions, of which the
 * compiler uses one.
 */
static void *keeps(void *arg)
{
	unsigned long bad = 0;

	while (!atomic_load(&over)) {
		unsigned long eax = SYS_getppid, ecx = 0x555, edx = 0x666, esi = 0x777, edi = 0x888;
		unsigned long low = 0x999;
		double fraction = 0.75;

		__asm__ volatile(
			"movd %[low], %%xmm7\n\t"
			"fldl %[fraction]\n\t"
			"xor %[low], %[low]\n\t"
			"int $0x80\n\t"
			"fadd %%st(0), %%st(0)\n\t"
			"fstpl %[fraction]\n\t"
			"movd %%xmm7, %[low]"
			: "+a"(eax), "+c"(ecx), "+d"(edx), "+S"(esi), "+D"(edi), [low] "+b"(low),
			  [fraction] "+m"(fraction)
			: : "st", "memory", "cc");
		if (ecx != 0x555 || edx != 0x666 || esi != 0x777 || edi != 0x888 || low != 0x999 ||
		    fraction != 1.5) {
			errno = 0;
			if (!bad++)
				fprintf(stderr, "ecx %lx edx %lx esi %lx edi %lx xmm7 %lx st %f\n", ecx,
					edx, esi, edi, low, fraction);
			wrong("a register", (long)ecx);
		}
		usleep(300);
	}
	return arg;
}
