/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * hear.c - what is said while a request is served.
 *
 * Owns: the copy of the lines that the service thread writes, modules' and the
 * engine's, between kp_user_hear_begin and kp_user_hear_end: the client shows
 * them, since the process's standard error may lead nowhere.
 *
 * Lines come from any context: each reserves its bytes, and what does not fit
 * is only written.
 */
#include "user.h"
#include "attach.h"

static char heard[KP_PACKET_MAX - 1];	/* with its kind, one packet */
static size_t heard_len;
static int hearing;			/* the thread, or 0 */

KP_TRAP_PATH void kp_user_say(int fd, const char *line, size_t len)
{
	int tid = kp_load_relaxed(&hearing);
	size_t at;

	sys3(SYS_write, fd, line, len);
	if (!tid || tid != sys_gettid())
		return;
	/* A handler that interrupts this one takes the bytes behind ours. */
	at = kp_add_relaxed(&heard_len, len);
	if (at + len > sizeof(heard))
		kp_add_relaxed(&heard_len, -len);
	else
		memcpy(heard + at, line, len);
}

void kp_user_hear_begin(void)
{
	kp_store_relaxed(&heard_len, 0);
	kp_store_release(&hearing, sys_gettid());
}

const char *kp_user_hear_end(size_t *len)
{
	kp_store_release(&hearing, 0);
	*len = kp_load_relaxed(&heard_len);
	return heard;
}
