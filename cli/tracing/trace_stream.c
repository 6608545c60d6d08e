// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * trace_stream.c - writing the reader's output to a file.
 *
 * Owns: the ring between the reader, which is in the jail and may not write files, and the
 * controller, which writes them.  The reader puts data in and waits if there is no room; the
 * controller takes it out.  The file keeps its content until something is written.  The bytes
 * came out of the jail, and nothing here interprets them.  Their number is the reader's claim, so
 * more than the ring has is an error.
 */
#include "tracing.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define RING TRACING_PROGRAM_MAX

static const char *name_of(const struct tracing *t)
{
	return t->args->flame ? t->args->flame : t->args->pprof ? t->args->pprof :
	       t->args->perfetto;
}

/* Now, since it would be late to find at the end that it cannot be written. */
int tracing_stream_open(struct tracing *t, const char *name)
{
	t->file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	t->file_is_new = t->file >= 0;
	if (t->file < 0 && errno == EEXIST)
		t->file = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (t->file >= 0)
		return CLI_OK;
	cli_error("%s: %s", name, strerror(errno));
	return cli_status_of(errno);
}

/* Nothing was written: a file that was not there before goes again. */
void tracing_stream_give_up(struct tracing *t)
{
	struct stat status;

	if (t->file_is_new && !fstat(t->file, &status) && S_ISREG(status.st_mode) &&
	    !status.st_size)
		unlink(name_of(t));
}

/* ---- the reader --------------------------------------------------------------- */

static size_t room_of(const struct tracing *t)
{
	/* Acquire: what was taken was read before it is written over. */
	return RING - (t->mail->put -
		       __atomic_load_n(&t->mail->taken, __ATOMIC_ACQUIRE));
}

static ssize_t put(void *cookie, const char *bytes, size_t len)
{
	struct tracing *t = cookie;
	size_t done, part, at;

	for (done = 0; done < len; done += part) {
		while (!(part = room_of(t)))
			usleep(1000);
		at = t->mail->put % RING;
		part = part < len - done ? part : len - done;
		part = part < RING - at ? part : RING - at;
		memcpy(tracing_piece(t, TRACING_STREAM) + at, bytes + done, part);
		/* Release: the bytes are there before they are counted. */
		__atomic_store_n(&t->mail->put, t->mail->put + part, __ATOMIC_RELEASE);
	}
	return (ssize_t)len;
}

FILE *tracing_stream(struct tracing *t)
{
	static const cookie_io_functions_t calls = { .write = put };
	FILE *stream = fopencookie(t, "w", calls);

	if (stream)
		setvbuf(stream, NULL, _IOFBF, 1 << 16);
	return stream;
}

/* ---- the controller ------------------------------------------------------------ */

static void failed(struct tracing *t, const char *why)
{
	t->file_status = CLI_FAILED;
	cli_error("%s: %s", name_of(t), why);
}

/* What fails once is not tried again, but taken, so that the reader goes on. */
static void write_all(struct tracing *t, const uint8_t *bytes, size_t len)
{
	ssize_t done;

	/* What was there stays until now.  A pipe has no length. */
	if (!t->kept && ftruncate(t->file, 0) && errno != EINVAL)
		failed(t, strerror(errno));
	for (; len && !t->file_status; bytes += done, len -= (size_t)done) {
		done = write(t->file, bytes, len);
		if (done < 0 && errno == EINTR)
			done = 0;
		else if (done <= 0)
			failed(t, strerror(errno));
	}
}

void tracing_stream_pass(struct tracing *t)
{
	uint64_t there, at, part;

	if (t->file < 0)
		return;
	/* Acquire: the bytes that are counted are there. */
	there = __atomic_load_n(&t->mail->put, __ATOMIC_ACQUIRE);
	if (there - t->kept > RING && !t->file_status)
		failed(t, "what is to be written is damaged");
	for (; t->kept != there && there - t->kept <= RING; t->kept += part) {
		at = t->kept % RING;
		part = there - t->kept < RING - at ? there - t->kept : RING - at;
		write_all(t, tracing_piece(t, TRACING_STREAM) + at, part);
	}
	/* Release: what is taken was read. */
	__atomic_store_n(&t->mail->taken, t->kept, __ATOMIC_RELEASE);
}

int tracing_stream_end(struct tracing *t)
{
	tracing_stream_pass(t);
	if (t->file >= 0 && !t->kept && !t->file_status)
		failed(t, "there is nothing to write");
	return t->file_status;
}
