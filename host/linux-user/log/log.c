/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * log.c - the engine's messages.
 *
 * Owns: their level and the formatter.  Any context: no C library.  They go
 * into the log (log_ring.c); KPROBES_LOG says which, and where else (sink.c);
 * without it: errors and warnings.  KPROBES_STRICT=1: a broken invariant aborts.
 */
#include "log/log.h"
#include "host.h"
#include "machine.h"
#include "process/environment.h"
#include "log/log_ring.h"
#include "log/sink.h"

#include <stdarg.h>

static int level_max = KP_LOG_WARN;
static bool strict;

struct line {
	char text[512];
	size_t len;
};

KP_TRAP_PATH static void put(struct line *line, char c)
{
	if (line->len < sizeof(line->text) - 1)
		line->text[line->len++] = c;
}

KP_TRAP_PATH static void put_padded(struct line *line, const char *s,
				    size_t len, int width, char pad, bool left)
{
	size_t fill = width > (int)len ? (size_t)width - len : 0;

	for (; !left && fill; fill--)
		put(line, pad);
	while (len--)
		put(line, *s++);
	for (; fill; fill--)
		put(line, ' ');
}

struct spec {
	int width, longs;
	char pad;
	bool left, size;
};

KP_TRAP_PATH static const char *parse_spec(const char *fmt, struct spec *spec,
					   va_list *args)
{
	memset(spec, 0, sizeof(*spec));
	spec->pad = ' ';
	for (;; fmt++) {
		if (*fmt == '-')
			spec->left = true;
		else if (*fmt == '0')
			spec->pad = '0';
		else if (*fmt != '#' && *fmt != '+' && *fmt != ' ')
			break;
	}
	if (*fmt == '*') {
		spec->width = va_arg(*args, int);
		fmt++;
	}
	for (; *fmt >= '0' && *fmt <= '9'; fmt++)
		spec->width = spec->width * 10 + (*fmt - '0');
	for (;; fmt++) {
		if (*fmt == 'l')
			spec->longs++;
		else if (*fmt == 'z' || *fmt == 't')
			spec->size = true;
		else if (*fmt != 'h')
			break;
	}
	return fmt;
}

KP_TRAP_PATH static void put_number(struct line *line, const struct spec *spec,
				    unsigned long value, unsigned int base,
				    bool negative)
{
	char digits[24];
	size_t at = sizeof(digits);

	do {
		digits[--at] = "0123456789abcdef"[value % base];
		value /= base;
	} while (value);
	if (negative)
		digits[--at] = '-';
	put_padded(line, digits + at, sizeof(digits) - at, spec->width,
		   spec->pad, spec->left);
}

KP_TRAP_PATH static void put_conversion(struct line *line, char conversion,
					const struct spec *spec, va_list *args)
{
	bool wide = spec->longs || spec->size;
	const char *s;
	char c;
	long n;

	switch (conversion) {
	case 'd':
	case 'i':
		n = wide ? va_arg(*args, long) : va_arg(*args, int);
		put_number(line, spec, n < 0 ? -(unsigned long)n : (unsigned long)n,
			   10, n < 0);
		break;
	case 'u':
	case 'x':
		put_number(line, spec, wide ? va_arg(*args, unsigned long)
					    : va_arg(*args, unsigned int),
			   conversion == 'u' ? 10 : 16, false);
		break;
	case 'p':
		put(line, '0');
		put(line, 'x');
		put_number(line, spec, (unsigned long)va_arg(*args, void *), 16,
			   false);
		break;
	case 's':
		s = va_arg(*args, const char *);
		s = s ? s : "(null)";
		put_padded(line, s, strlen(s), spec->width, ' ', spec->left);
		break;
	case 'c':
		c = (char)va_arg(*args, int);
		put_padded(line, &c, 1, spec->width, ' ', spec->left);
		break;
	default:
		put(line, conversion);
	}
}

KP_TRAP_PATH void kp_host_log(enum kp_host_level level, const char *fmt, ...)
{
	struct line line = { .len = 0 };
	struct spec spec;
	va_list args;

	if ((int)level > level_max)
		return;
	va_start(args, fmt);
	for (; *fmt; fmt++) {
		if (*fmt != '%') {
			put(&line, *fmt);
			continue;
		}
		fmt = parse_spec(fmt + 1, &spec, &args);
		if (!*fmt)
			break;
		put_conversion(&line, *fmt, &spec, &args);
	}
	va_end(args);
	if (!line.len || line.text[line.len - 1] != '\n')
		line.text[line.len++] = '\n';
	kp_user_say(line.text, line.len);
}

KP_TRAP_PATH void kp_host_broken(const char *what)
{
	static int said;

	if (strict) {
		kp_host_log(KP_LOG_ERROR, "kprobes: broken: %s", what);
		sys3(SYS_tgkill, sys_getpid(), sys_gettid(), SIGABRT);
	}
	if (!__atomic_exchange_n(&said, 1, __ATOMIC_RELAXED))
		kp_host_log(KP_LOG_ERROR, "kprobes: broken: %s (said once)", what);
}

void kp_user_log_init(void)
{
	int level = kp_user_sink_init();

	if (level >= 0)
		level_max = level - 1;
	strict = kp_user_wish("KPROBES_STRICT") != NULL;
}
