/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * format.c - printf for any context.
 *
 * Owns: the kernel's format language, as much as probe modules use of it
 * (<linux/printk.h> lists it).  No C library, no lock, no allocation; a %s
 * that cannot be read prints as (bad).
 */
#include "freestanding/format.h"
#include "machine.h"
#include "freestanding/copy.h"

struct out {
	char *text;
	size_t len, room;		/* len may exceed room */
	kp_shim_symbol_fn symbol;	/* or NULL */
};

struct spec {
	int width, precision;		/* precision -1: none */
	unsigned int longs;		/* 0 int, 1 long or size, 2 long long */
	unsigned int shorts;
	bool left, zero, alternate, plus, space;
};

KP_TRAP_PATH static void put(struct out *out, char c)
{
	if (out->len < out->room)
		out->text[out->len] = c;
	out->len++;
}

KP_TRAP_PATH static void pad(struct out *out, char c, int nr)
{
	while (nr-- > 0)
		put(out, c);
}

KP_TRAP_PATH static void put_field(struct out *out, const struct spec *spec,
				   const char *s, size_t len)
{
	int fill = spec->width - (int)len;

	if (!spec->left)
		pad(out, ' ', fill);
	while (len--)
		put(out, *s++);
	if (spec->left)
		pad(out, ' ', fill);
}

/*
 * *value modulo base; *value is divided by it.  16 bits at a time: a compiler calls a library to
 * divide 64 bits where words have 32.
 */
KP_TRAP_PATH static unsigned int take_digit(uint64_t *value, unsigned int base)
{
	uint64_t left = 0;
	uint32_t rest = 0;
	int shift;

	for (shift = 48; shift >= 0; shift -= 16) {
		rest = rest << 16 | (uint32_t)(*value >> shift & 0xffff);
		left = left << 16 | rest / base;
		rest %= base;
	}
	*value = left;
	return rest;
}

/* prefix: "-", "+", " ", "0x" or "". */
KP_TRAP_PATH static void put_digits(struct out *out, const struct spec *spec,
				    const char *prefix, uint64_t value,
				    unsigned int base, bool upper)
{
	const char *set = upper ? "0123456789ABCDEF" : "0123456789abcdef";
	char digits[24];
	size_t at = sizeof(digits);
	int nr, zeros, fill;

	do {
		digits[--at] = set[take_digit(&value, base)];
	} while (value);
	nr = (int)(sizeof(digits) - at);
	zeros = spec->precision > nr ? spec->precision - nr : 0;
	fill = spec->width - nr - zeros - (int)strlen(prefix);
	if (spec->zero && !spec->left && spec->precision < 0 && fill > 0) {
		zeros = fill;
		fill = 0;
	}
	if (!spec->left)
		pad(out, ' ', fill);
	while (*prefix)
		put(out, *prefix++);
	pad(out, '0', zeros);
	while (nr--)
		put(out, digits[at++]);
	if (spec->left)
		pad(out, ' ', fill);
}

KP_TRAP_PATH static const char *parse_number(const char *fmt, int *value,
					     va_list *args)
{
	if (*fmt == '*') {
		*value = va_arg(*args, int);
		return fmt + 1;
	}
	for (*value = 0; *fmt >= '0' && *fmt <= '9'; fmt++)
		*value = *value * 10 + (*fmt - '0');
	return fmt;
}

KP_TRAP_PATH static const char *parse_spec(const char *fmt, struct spec *spec,
					   va_list *args)
{
	for (;; fmt++) {
		if (*fmt == '-')
			spec->left = true;
		else if (*fmt == '0')
			spec->zero = true;
		else if (*fmt == '#')
			spec->alternate = true;
		else if (*fmt == '+')
			spec->plus = true;
		else if (*fmt == ' ')
			spec->space = true;
		else
			break;
	}
	fmt = parse_number(fmt, &spec->width, args);
	if (spec->width < 0) {
		spec->left = true;
		spec->width = -spec->width;
	}
	spec->precision = -1;
	if (*fmt == '.')
		fmt = parse_number(fmt + 1, &spec->precision, args);
	for (;; fmt++) {
		if (*fmt == 'l' || *fmt == 'z' || *fmt == 't')
			spec->longs++;
		else if (*fmt == 'h')
			spec->shorts++;
		else
			return fmt;
	}
}

KP_TRAP_PATH static void put_signed(struct out *out, const struct spec *spec,
				    va_list *args)
{
	int64_t value = spec->longs > 1 ? va_arg(*args, long long) :
			spec->longs ? va_arg(*args, long) : va_arg(*args, int);
	const char *prefix = spec->plus ? "+" : spec->space ? " " : "";

	if (spec->shorts)
		value = spec->shorts > 1 ? (signed char)value : (short)value;
	if (value < 0)
		put_digits(out, spec, "-", -(uint64_t)value, 10, false);
	else
		put_digits(out, spec, prefix, (uint64_t)value, 10, false);
}

KP_TRAP_PATH static void put_unsigned(struct out *out, const struct spec *spec,
				      char conversion, va_list *args)
{
	uint64_t value = spec->longs > 1 ? va_arg(*args, unsigned long long) :
			 spec->longs ? va_arg(*args, unsigned long) :
				       va_arg(*args, unsigned int);
	bool upper = conversion == 'X';
	unsigned int base = conversion == 'u' ? 10 : conversion == 'o' ? 8 : 16;

	if (spec->shorts)
		value = spec->shorts > 1 ? (unsigned char)value
					 : (unsigned short)value;
	put_digits(out, spec,
		   spec->alternate && base == 16 ? upper ? "0X" : "0x" : "",
		   value, base, upper);
}

KP_TRAP_PATH static void put_string(struct out *out, const struct spec *spec,
				    const char *s)
{
	size_t max = spec->precision < 0 ? out->room : (size_t)spec->precision;
	size_t len = 0;
	char c;

	if (!s)
		s = "(null)";
	while (len < max) {
		if (kp_user_copy(&c, s + len, 1)) {
			put_field(out, spec, "(bad)", 5);
			return;
		}
		if (!c)
			break;
		len++;
	}
	put_field(out, spec, s, len);
}

KP_TRAP_PATH static void put_text(struct out *out, const char *s)
{
	while (*s)
		put(out, *s++);
}

/*
 * As in the kernel: name+0xoffset/0xsize [object], without the brackets for the
 * program itself; %ps without the numbers.
 */
KP_TRAP_PATH static void put_symbol(struct out *out, const struct spec *spec,
				    uintptr_t addr, bool numbers)
{
	const struct spec plain = { .precision = -1 };
	struct kp_shim_symbol symbol;
	char text[2 * KP_SHIM_SYMBOL_MAX + 48];
	struct out field = { .text = text, .room = sizeof(text) };

	if (!out->symbol || out->symbol(&symbol, addr)) {
		put_digits(out, spec, "0x", addr, 16, false);
		return;
	}
	put_text(&field, symbol.name);
	if (numbers) {
		put_digits(&field, &plain, "+0x", symbol.offset, 16, false);
		put_digits(&field, &plain, "/0x", symbol.len, 16, false);
	}
	if (symbol.object[0]) {
		put_text(&field, " [");
		put_text(&field, symbol.object);
		put(&field, ']');
	}
	put_field(out, spec, text, field.len);
}

/* Returns where the conversion ends. */
KP_TRAP_PATH static const char *put_pointer(struct out *out,
					    struct spec *spec,
					    const char *fmt, va_list *args)
{
	uintptr_t value = (uintptr_t)va_arg(*args, void *);

	switch (fmt[1]) {
	case 'S':
	case 'B':
		put_symbol(out, spec, value, true);
		return fmt + 1;
	case 's':
		put_symbol(out, spec, value, false);
		return fmt + 1;
	case 'x':
	case 'K':
		fmt++;
	}
	if (!spec->width) {
		spec->width = 2 * sizeof(value);
		spec->zero = true;
	}
	put_digits(out, spec, "", value, 16, false);
	return fmt;
}

/* The length that the text has or would have; at most room bytes are there. */
KP_TRAP_PATH size_t kp_shim_format(char *text, size_t room, const char *fmt,
				   va_list *args, kp_shim_symbol_fn symbol)
{
	struct out out = { text, 0, room, symbol };

	for (; *fmt; fmt++) {
		struct spec spec = { 0 };
		char c;

		if (*fmt != '%') {
			put(&out, *fmt);
			continue;
		}
		fmt = parse_spec(fmt + 1, &spec, args);
		switch (*fmt) {
		case 'd':
		case 'i':
			put_signed(&out, &spec, args);
			break;
		case 'u':
		case 'x':
		case 'X':
		case 'o':
			put_unsigned(&out, &spec, *fmt, args);
			break;
		case 'p':
			fmt = put_pointer(&out, &spec, fmt, args);
			break;
		case 's':
			put_string(&out, &spec, va_arg(*args, const char *));
			break;
		case 'c':
			c = (char)va_arg(*args, int);
			put_field(&out, &spec, &c, 1);
			break;
		case 0:
			return out.len;
		default:
			put(&out, *fmt);
		}
	}
	return out.len;
}

KP_TRAP_PATH size_t kp_user_print(char *text, size_t room, const char *fmt, ...)
{
	va_list args;
	size_t len;

	va_start(args, fmt);
	len = kp_shim_format(text, room ? room - 1 : 0, fmt, &args, NULL);
	va_end(args);
	if (room)
		text[len < room ? len : room - 1] = 0;
	return len;
}
