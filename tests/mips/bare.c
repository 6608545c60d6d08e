/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * bare.c - what slots.c needs of a C library, where there is none: of release 6, 64 bits.
 *
 * Owns: a program's start, and those functions, as far as they are used.
 */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/cachectl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv);
void begin(long *stack);

__asm__(".globl __start\n"
	"__start:\n"
	"	move $4, $29\n"
	"	dla $28, _gp\n"
	"	dla $25, begin\n"
	"	jr $25\n");

static long call6(long nr, long a, long b, long c, long d, long e, long f)
{
	register long v0 __asm__("$2") = nr;
	register long a0 __asm__("$4") = a;
	register long a1 __asm__("$5") = b;
	register long a2 __asm__("$6") = c;
	register long a3 __asm__("$7") = d;
	register long a4 __asm__("$8") = e;
	register long a5 __asm__("$9") = f;

	__asm__ volatile("syscall" : "+r"(v0), "+r"(a3) : "r"(a0), "r"(a1), "r"(a2), "r"(a4), "r"(a5)
			 : "$1", "$3", "$10", "$11", "$12", "$13", "$14", "$15", "$24", "$25", "memory");
	return a3 ? -1 : v0;
}

void begin(long *stack)
{
	exit(main((int)stack[0], (char **)(stack + 1)));
}

void exit(int status)
{
	for (;;)
		call6(SYS_exit_group, status, 0, 0, 0, 0, 0);
}

void _Exit(int status)
{
	exit(status);
}

void *mmap(void *at, size_t len, int prot, int flags, int fd, off_t offset)
{
	return (void *)call6(SYS_mmap, (long)at, (long)len, prot, flags, fd, offset);
}

int sigaltstack(const stack_t *new, stack_t *old)
{
	return (int)call6(SYS_sigaltstack, (long)new, (long)old, 0, 0, 0, 0);
}

int sigfillset(sigset_t *set)
{
	memset(set, 0xff, sizeof(*set));
	return 0;
}

int sigaction(int sig, const struct sigaction *new, struct sigaction *old)
{
	struct {
		unsigned int flags;
		void *handler;
		unsigned long mask[2];
	} act = { (unsigned int)new->sa_flags, (void *)new->sa_sigaction, { ~0ul, ~0ul } };

	(void)old;
	return (int)call6(SYS_rt_sigaction, sig, (long)&act, 0, sizeof(act.mask), 0, 0);
}

int _flush_cache(char *from, const int len, const int which)
{
	return (int)call6(SYS_cacheflush, (long)from, len, which, 0, 0, 0);
}

unsigned long long strtoull(const char *text, char **end, int base)
{
	unsigned long long n = 0;

	(void)end;
	(void)base;
	while (*text >= '0' && *text <= '9')
		n = n * 10 + (unsigned long long)(*text++ - '0');
	return n;
}

/* ---- memory: no loop may become a call of the function that it is in -------------------- */

void *memcpy(void *to, const void *from, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		((char *)to)[i] = ((const char *)from)[i];
	return to;
}

void *memset(void *to, int byte, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		((char *)to)[i] = (char)byte;
	return to;
}

/* ---- printing: strings and numbers, in hexadecimal with # or width, else decimal --------- */

static char line[512];
static size_t line_len;

static void add(char c)
{
	if (line_len < sizeof(line))
		line[line_len++] = c;
	if (c != '\n')
		return;
	call6(SYS_write, 1, (long)line, (long)line_len, 0, 0, 0);
	line_len = 0;
}

static void add_number(unsigned long n, unsigned int base)
{
	if (n >= base)
		add_number(n / base, base);
	add("0123456789abcdef"[n % base]);
}

static const char *add_one(const char *format, va_list *args)
{
	const char *text;
	long n;

	while (*format && !strchr("sxdu", *format))
		format++;
	switch (*format) {
	case 's':
		for (text = va_arg(*args, const char *); *text; text++)
			add(*text);
		break;
	case 'x':
		add_number(va_arg(*args, unsigned int), 16);
		break;
	default:
		/* An int is extended in its register. */
		n = va_arg(*args, long);
		if (n < 0)
			add('-');
		add_number(n < 0 ? -(unsigned long)n : (unsigned long)n, 10);
	}
	return format;
}

char *strchr(const char *text, int c)
{
	for (; *text; text++)
		if (*text == c)
			return (char *)text;
	return NULL;
}

int printf(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	for (; *format; format++) {
		if (*format == '%')
			format = add_one(format, &args);
		else
			add(*format);
	}
	va_end(args);
	return 0;
}
