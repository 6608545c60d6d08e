/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * linux/kstrtox.h - strict numbers from text, for probe modules in a process.
 *
 * Owns: kstrtoul and its relatives: the whole text is one number, a newline may
 *       follow; 0, -EINVAL, or -ERANGE when the number does not fit.  Any context.
 */
#ifndef KP_SHIM_LINUX_KSTRTOX_H
#define KP_SHIM_LINUX_KSTRTOX_H

#include <limits.h>
#include <linux/errno.h>
#include <linux/types.h>

static inline unsigned int kp_digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned int)(c - '0');
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? (unsigned int)(c - 'a') + 10 : 16;
}

/* Base 0: by the prefix, 0x or 0, as in C. */
static inline int kstrtoul(const char *s, unsigned int base, unsigned long *out)
{
	bool hex;
	unsigned long value = 0;

	s += *s == '+';
	hex = s[0] == '0' && (s[1] | 0x20) == 'x' && kp_digit(s[2]) < 16;
	if (!base)
		base = hex ? 16 : *s == '0' ? 8 : 10;
	if (hex && base == 16)
		s += 2;
	if (kp_digit(*s) >= base)
		return -EINVAL;
	for (; kp_digit(*s) < base; s++)
		if (__builtin_mul_overflow(value, base, &value) ||
		    __builtin_add_overflow(value, kp_digit(*s), &value))
			return -ERANGE;
	s += *s == '\n';
	if (*s)
		return -EINVAL;
	*out = value;
	return 0;
}

static inline int kstrtol(const char *s, unsigned int base, long *out)
{
	bool minus = *s == '-';
	unsigned long value;
	int err = minus && s[1] == '+' ? -EINVAL
				       : kstrtoul(s + minus, base, &value);

	if (err)
		return err;
	if (value > (unsigned long)LONG_MAX + minus)
		return -ERANGE;
	*out = (long)(minus ? -value : value);
	return 0;
}

static inline int kstrtouint(const char *s, unsigned int base, unsigned int *out)
{
	unsigned long value;
	int err = kstrtoul(s, base, &value);

	if (!err && value > UINT_MAX)
		err = -ERANGE;
	if (!err)
		*out = (unsigned int)value;
	return err;
}

static inline int kstrtoint(const char *s, unsigned int base, int *out)
{
	long value;
	int err = kstrtol(s, base, &value);

	if (!err && value != (int)value)
		err = -ERANGE;
	if (!err)
		*out = (int)value;
	return err;
}

#endif
