// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * clock.c - times.
 *
 * Owns: the clock that events are stamped by, and how a time of it is shown as the
 * time of day.
 */
#include "read.h"

#include <string.h>
#include <time.h>

u64 read_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (u64)now.tv_sec * 1000000000 + (u64)now.tv_nsec;
}

/* The wall clock's, of a time of the monotonic clock. */
static struct timespec wall(u64 nsecs)
{
	struct timespec now, since;
	s64 ns;

	clock_gettime(CLOCK_REALTIME, &now);
	clock_gettime(CLOCK_MONOTONIC, &since);
	ns = (now.tv_sec - since.tv_sec) * 1000000000ll + now.tv_nsec - since.tv_nsec +
	     (s64)(nsecs & INT64_MAX >> 1);
	return (struct timespec){ ns / 1000000000, ns % 1000000000 };
}

/* "%f" are microseconds; "%3f" and "%9f" so many digits of the second. */
void read_strftime(const char *format, u64 nsecs, struct read_text *text)
{
	struct read_text own = { 0 };
	struct timespec time = wall(nsecs);
	char shown[1024];
	struct tm tm;
	size_t i;

	for (i = 0; format && format[i]; i++) {
		if (format[i] == '%' && format[i + 1] == 'f') {
			read_printf(&own, "%06ld", time.tv_nsec / 1000);
			i++;
		} else if (!strncmp(&format[i], "%3f", 3) || !strncmp(&format[i], "%9f", 3)) {
			read_printf(&own, format[i + 1] == '3' ? "%03ld" : "%09ld",
				    format[i + 1] == '3' ? time.tv_nsec / 1000000 : time.tv_nsec);
			i += 2;
		} else {
			read_put(&own, &format[i], 1);
			if (format[i] == '%' && format[i + 1])
				read_put(&own, &format[++i], 1);
		}
	}
	read_put(&own, "", 1);
	if (own.bytes && localtime_r(&time.tv_sec, &tm)) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		read_put(text, shown, strftime(shown, sizeof(shown), own.bytes, &tm));
#pragma GCC diagnostic pop
	}
	read_text_free(&own);
}
