// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * mailbox.c - whether the memory at a mailbox's address is a mailbox.
 *
 * Owns: the proof.  No program should use these addresses, but one may, for an arena of its own.
 * Only what a killed command has left there may be removed.  A mapping is a mailbox if
 *   - its bounds are exactly a mailbox's, all of it private, anonymous memory;
 *   - its code page holds our code, or its beginning: it is written word by word;
 *   - behind it is our mark (or nothing yet: killed before it was written), and
 *     then all that a mailbox holds elsewhere is its stack.
 * Anything else belongs to the program: the next address is used.
 */
#include "attach_cli.h"
#include "frame.h"
#include "ptracer.h"

#include <stdlib.h>
#include <string.h>

static bool is_private(const struct remote_map *map, uint64_t start,
		       uint64_t end, bool exec)
{
	return map && map->start == start && map->end == end &&
	       !map->path[0] && !map->shared && map->read &&
	       map->write == !exec && map->exec == exec;
}

static bool is_zero(const uint8_t *bytes, size_t len)
{
	return !len || (!bytes[0] && !memcmp(bytes, bytes + 1, len - 1));
}

/* One mapping when the code page is not there yet, else two. */
static bool has_bounds(const struct remote *remote, uint64_t place,
		       bool *has_code)
{
	uint64_t data = place + KP_MAILBOX_CODE_LEN, end = place + KP_MAILBOX_LEN;

	*has_code = is_private(remote_map_at(remote, place), place, data, true);
	if (*has_code)
		return is_private(remote_map_at(remote, data), data, end, false);
	return is_private(remote_map_at(remote, place), place, end, false);
}

/* The code, as far as it has been written: inject.c does that word by word. */
static bool is_begun(const uint8_t *bytes, const uint8_t *code, size_t len)
{
	size_t written = 0;

	while (written < len && !memcmp(bytes + written, code + written,
					len - written < sizeof(long) ? len - written
								     : sizeof(long)))
		written += sizeof(long);
	return written >= len || is_zero(bytes + written, len - written);
}

static bool has_content(const uint8_t *bytes, bool has_code)
{
	const uint8_t *data = bytes + KP_MAILBOX_CODE_LEN;
	struct kp_mailbox head;
	size_t code_len;
	const uint8_t *code = frame_code(&code_len);

	if (has_code && !is_begun(bytes, code, code_len))
		return false;
	if (!is_zero(bytes + code_len, KP_MAILBOX_CODE_LEN - code_len))
		return false;
	if (!has_code)
		return is_zero(bytes, KP_MAILBOX_LEN);
	memcpy(&head, data, sizeof(head));
	if (head.magic == KP_ATTACH_MAGIC)
		return !memcmp(bytes, code, code_len);
	/* Only what comes before the mark may have been written. */
	head.own_mask = 0;
	head.version = 0;
	return is_zero((const uint8_t *)&head, sizeof(head)) &&
	       is_zero(data + sizeof(head),
		       KP_MAILBOX_LEN - KP_MAILBOX_CODE_LEN - sizeof(head));
}

bool mailbox_is_ours(const struct remote *remote, uint64_t place)
{
	uint8_t *bytes;
	bool has_code, ours;

	if (!has_bounds(remote, place, &has_code))
		return false;
	bytes = malloc(KP_MAILBOX_LEN);
	ours = bytes && !remote_read(remote, place, bytes, KP_MAILBOX_LEN) &&
	       has_content(bytes, has_code);
	free(bytes);
	return ours;
}
