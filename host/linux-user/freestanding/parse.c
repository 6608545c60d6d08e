/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * parse.c - numbers out of text.
 *
 * Owns: the digits of each base.  Any context: no C library, no errno, no locale, and no
 * division of 64 bits, for which a compiler calls a library where words have 32.
 */
#include "freestanding/parse.h"

/* 99: no digit of any base. */
KP_TRAP_PATH static unsigned int digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned int)(c - '0');
	if (c >= 'a' && c <= 'z')
		return (unsigned int)(c - 'a') + 10;
	if (c >= 'A' && c <= 'Z')
		return (unsigned int)(c - 'A') + 10;
	return 99;
}

/* "0x" counts where a digit follows it. */
KP_TRAP_PATH static const char *prefix(const char *s, unsigned int *base)
{
	if ((*base == 0 || *base == 16) && s[0] == '0' && (s[1] == 'x' || s[1] == 'X') &&
	    digit(s[2]) < 16) {
		*base = 16;
		return s + 2;
	}
	if (!*base)
		*base = s[0] == '0' ? 8 : 10;
	return s;
}

KP_TRAP_PATH bool kp_user_parse(const char **text, unsigned int base, uint64_t *value)
{
	const char *s = *text, *first;
	uint64_t low, high;
	bool fits = true;

	while (*s == ' ' || *s == '\t')
		s++;
	s = first = prefix(s, &base);
	for (*value = 0; digit(*s) < base; s++) {
		low = (*value & 0xffffffff) * base + digit(*s);
		high = (*value >> 32) * base + (low >> 32);
		fits &= !(high >> 32);
		*value = high << 32 | (low & 0xffffffff);
	}
	if (s == first)
		return false;
	*text = s;
	return fits;
}
