// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * isoc23.c - what Debian's elfutils for riscv64 wants of a C library that is newer than
 * the cross compiler's.
 *
 * Owns: names of newer functions, which take binary numbers besides; elfutils reads none.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

long __isoc23_strtol(const char *text, char **end, int base);
int __isoc23_sscanf(const char *text, const char *format, ...);

long __isoc23_strtol(const char *text, char **end, int base)
{
	return strtol(text, end, base);
}

int __isoc23_sscanf(const char *text, const char *format, ...)
{
	va_list args;
	int nr;

	va_start(args, format);
	nr = vsscanf(text, format, args);
	va_end(args);
	return nr;
}
