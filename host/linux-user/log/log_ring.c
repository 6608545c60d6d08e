/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * log_ring.c - the log: what probe modules and the engine say.
 *
 * Owns: kp_log, the last lines, in this memory.  A line comes from any context
 * and is never written to a descriptor of the program's then: what is closed
 * may be another file by now, and a full pipe would stop the program.
 * "kprobes log" reads the ring in our memory; the client that is being served
 * gets what is said meanwhile; and what KPROBES_LOG asks for is written by
 * sink.c.
 *
 * A line takes one or more slots in a row.  Each writer reserves tickets, and a
 * slot says which ticket's text it holds once it is there:
 *
 *   ticket = head++;  slot.ticket = 0;  text;  slot.ticket = ticket + 1
 *
 * So no writer waits, and a reader knows what is complete, and what was lost.
 */
#include "log/log_ring.h"
#include "atomic.h"
#include "attach.h"
#include "machine.h"

#define PUBLIC __attribute__((visibility("default")))

PUBLIC struct kp_log kp_log = {
	.magic = KP_LOG_MAGIC, .slots_nr = KP_LOG_SLOTS,
	.text_len = KP_LOG_TEXT,
};

static char heard[KP_PACKET_MAX - 1];	/* with its kind, one packet */
static size_t heard_len;
static int hearing;			/* the thread, or 0 */
static void (*listener)(void);		/* atomic; sink.c's, or NULL.  Trap path */

KP_TRAP_PATH static void put_slot(uint64_t ticket, const char *text, size_t len,
				  bool more)
{
	struct kp_log_slot *slot = &kp_log.slots[ticket % KP_LOG_SLOTS];

	kp_store_relaxed(&slot->ticket, 0);
	/* Pairs with the reader's second look: no new text under an old ticket. */
	kp_fence_release();
	slot->len = (uint16_t)len;
	slot->more = more;
	memcpy(slot->text, text, len);
	/* Pairs with the reader's first look: the text is there. */
	kp_store_release(&slot->ticket, ticket + 1);
}

KP_TRAP_PATH static void put_line(const char *line, size_t len)
{
	size_t nr = (len + KP_LOG_TEXT - 1) / KP_LOG_TEXT, i;
	uint64_t ticket = __atomic_fetch_add(&kp_log.head, nr, __ATOMIC_RELAXED);

	for (i = 0; i < nr; i++, line += KP_LOG_TEXT, len -= KP_LOG_TEXT)
		put_slot(ticket + i, line, i + 1 < nr ? KP_LOG_TEXT : len,
			 i + 1 < nr);
}

KP_TRAP_PATH static void hear(const char *line, size_t len)
{
	int tid = kp_load_relaxed(&hearing);
	size_t at;

	if (!tid || tid != sys_gettid())
		return;
	/* A handler that interrupts this one takes the bytes behind ours. */
	at = kp_add_relaxed(&heard_len, len);
	if (at + len > sizeof(heard))
		kp_add_relaxed(&heard_len, -len);
	else
		memcpy(heard + at, line, len);
}

KP_TRAP_PATH void kp_user_say(const char *line, size_t len)
{
	void (*told)(void);

	put_line(line, len);
	hear(line, len);
	told = kp_load_acquire(&listener);
	if (told)
		told();
}

void kp_user_log_listen(void (*told)(void))
{
	/* Pairs with kp_user_say: what it needs is there. */
	kp_store_release(&listener, told);
}

KP_TRAP_PATH uint64_t kp_user_log_head(void)
{
	return kp_load_acquire(&kp_log.head);
}

/* The text of a ticket; -EAGAIN: not there yet; -ENODATA: not any more. */
KP_TRAP_PATH long kp_user_log_take(uint64_t ticket, char *text)
{
	const struct kp_log_slot *slot = &kp_log.slots[ticket % KP_LOG_SLOTS];
	uint64_t now = kp_load_acquire(&slot->ticket);
	size_t len = slot->len < KP_LOG_TEXT ? slot->len : KP_LOG_TEXT;

	if (now != ticket + 1)
		return now > ticket + 1 ? -ENODATA : -EAGAIN;
	memcpy(text, slot->text, len);
	/* What was read is older than the ticket that is looked at again. */
	kp_fence_acquire();
	return kp_load_relaxed(&slot->ticket) == now ? (long)len : -ENODATA;
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
