// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * log.c - the engine's messages.
 *
 * Owns: which level of the kernel's log they have.
 */
#include "local.h"

/* Trap path included: the kernel defers the printing where it must. */
void kp_host_log(enum kp_host_level level, const char *fmt, ...)
{
	struct va_format text = { .fmt = fmt };
	va_list args;

	va_start(args, fmt);
	text.va = &args;
	switch (level) {
	case KP_LOG_ERROR:
		printk(KERN_ERR "%pV\n", &text);
		break;
	case KP_LOG_WARN:
		printk(KERN_WARNING "%pV\n", &text);
		break;
	default:
		printk(KERN_INFO "%pV\n", &text);
	}
	va_end(args);
}

void kp_host_broken(const char *what)
{
	WARN_ONCE(1, "kprobes: %s\n", what);
}
