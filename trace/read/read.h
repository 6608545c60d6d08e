/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * read.h - what the reader's files share.
 *
 * Owns: struct trace_reader, texts that grow, values.  What is called "hostile"
 * was copied out of an arena: any bytes may be in it.
 */
#ifndef KT_READ_H
#define KT_READ_H

#include "reader.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* text.c: a text that grows; without memory it stays shorter. */
struct read_text {
	char *bytes;			/* no 0 at its end */
	size_t len, room;
};

void read_put(struct read_text *text, const char *bytes, size_t len);
void read_puts(struct read_text *text, const char *string);
void read_printf(struct read_text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void read_fill(struct read_text *text, char c, size_t nr);
/* Bytes of the character of UTF-8 that bytes begin with; 0: there is none. */
size_t read_character(const char *bytes, size_t len);
/* As in a JSON string, without the quotes. */
void read_escape(struct read_text *text, const char *bytes, size_t len);
/* Print it, and free it. */
void read_out(FILE *out, struct read_text *text);
void read_text_free(struct read_text *text);

/* A value, hostile, and the arena that its stacks are in. */
struct read_value {
	const struct trace_type *type;
	const struct kt_vm *vm;
	const u8 *bytes;
	u32 len;			/* may be less than the type's size */
	bool key;			/* of a map */
};

/* table.c: what a map holds, of all shards and arenas. */
struct read_table {
	u8 *entries;			/* key, value, in order */
	u32 nr;
	u32 key_len, value_len, entry_len;
	bool apart;			/* arenas share no keys */
};

/* queue.c: events in order of time. */
struct read_event {
	union {
		const struct kt_vm *vm;
		struct read_event *next;	/* of those that are spare */
	};
	struct kt_record record;	/* as large as it says */
};

/* Order, without a look at the event. */
struct read_turn {
	u64 nsecs, number;		/* number: of arrival */
	struct read_event *event;
};

struct read_queue {
	struct read_turn *heap;
	struct read_event *spare[KT_RECORD_MAX / 8 + 1];	/* by length */
	u32 nr, room;
	u64 bytes;
	u64 number;
};

/* One arena: what its numbers mean, and what is known of it. */
struct read_arena {
	const struct trace_script *script;
	u64 *stuck;			/* for each ring: since when, or 0 */
	u64 *told;			/* losses.c */
};

struct trace_reader {
	const struct trace_script *script;	/* whose blocks run */
	struct read_arena *arenas;	/* of each of vms */
	const struct kt_vm *vms;
	const u32 *pids;
	unsigned int nr;
	struct trace_symbols symbols;
	enum trace_format format;
	FILE *out;
	FILE *held;			/* what out is otherwise, while it is held; or NULL */
	char *held_text;
	size_t held_len;

	struct read_queue queue;
	u64 seed[2];			/* of table.c's hash: not to be guessed */
	u64 *due;			/* of each block */
	u64 skipped;			/* bytes of rings that were nonsense */
	u64 undone;			/* of cat and system */
	u64 told[2];			/* of these: losses.c */
	struct read_top *top;		/* top.c; or NULL */
	struct read_timeline *timeline;	/* timeline.c; or NULL */
	bool exit;
	bool leaving;			/* it has been said, and waits for its turn */
	int status;			/* of exit */
};

/* clock.c */
u64 read_now(void);			/* ns of the monotonic clock */
void read_strftime(const char *format, u64 nsecs, struct read_text *text);

/* arenas.c */
/* The script of an arena; what a block has is the first one's. */
const struct trace_script *read_script(const struct trace_reader *reader,
				       const struct kt_vm *vm);
/* Whose it is: what the arena says counts only if it is the kernel's. */
u32 read_pid(const struct trace_reader *reader, const struct kt_vm *vm, u32 said);
/* As read_pid(), for trace_symbols: what the kernel says, or the arena. */
u32 read_whose(const struct trace_reader *reader, const struct kt_vm *vm, u32 said);

/* field.c */
u64 read_word(const u8 *bytes, u32 len, u32 at);	/* 0 behind the end */
struct read_value read_field(const struct trace_field *field,
			     const struct kt_vm *vm, const u8 *bytes, u32 len);
s64 read_number(const struct read_value *value);
bool read_holds_stack(const struct trace_type *type);

/* counts.c */
s64 read_average(const u64 *kept);	/* of AVG and STATS */
/* What an entry is sorted by, before its key. */
s64 read_weight(const struct trace_map *map, const u64 *kept, u32 len);
u64 read_saturated(u64 a, u64 b);	/* the sum, or the largest number */
/* Nothing was counted there, or it was moved. */
bool read_is_empty(const struct kt_map *map, const u64 *kept);

/* clear.c */
void read_clear(const struct trace_reader *reader, u32 map);
void read_zero(const struct trace_reader *reader, u32 map);

/* drain.c */
void read_drop(struct trace_reader *reader);	/* all that waits */

/*
 * own.c: a number that is another process's becomes its own, in fields of the arena
 * in bytes.  Has the map such keys?
 */
void read_own(const struct trace_reader *reader, const struct kt_vm *vm,
	      const struct trace_field *fields, u32 nr, u8 *bytes, u32 len);
bool read_has_own_keys(const struct trace_map *map);

/* events.c */
void read_happen(struct trace_reader *reader, const struct read_event *event);

/* queue.c */
bool read_queue_put(struct read_queue *queue, const struct kt_vm *vm, u64 nsecs,
		    const struct kt_record *record);
/* The oldest, or NULL; to be given back. */
struct read_event *read_queue_take(struct read_queue *queue);
void read_queue_give(struct read_queue *queue, struct read_event *event);
void read_queue_free(struct read_queue *queue);

/* blocks.c */
/* What the first arena has, in another one. */
void read_share_values(struct trace_reader *reader, u32 to);
void read_blocks_begin(struct trace_reader *reader);

/* losses.c */
u32 read_losses_nr(const struct trace_script *script);
/* Of all probes: events, hits without handlers, hits that were cut. */
enum read_loss { READ_LOST, READ_MISSED, READ_CUT, READ_UNWATCHED, READ_UNSEEN,
		 READ_GONE, READ_LOSSES };
u64 read_lost(const struct trace_reader *reader, enum read_loss loss);

/* host.c: the process that blocks run in. */
void read_host_begin(void);

/* value.c */
/* A buffer's bytes, all as two digits. */
void read_show_hex(const struct read_value *value, const char *before, const char *between,
		   struct read_text *text);
void read_show(const struct trace_reader *reader, const struct read_value *value,
	       struct read_text *text);
/* The same as JSON. */
void read_show_json(const struct trace_reader *reader,
		    const struct read_value *value, struct read_text *text);

/* stacks.c */
u32 read_frames(const struct trace_reader *reader,
		const struct read_value *value, u64 *frames, u32 *pid);
void read_show_stack(const struct trace_reader *reader,
		     const struct read_value *value, struct read_text *text);
/* The name of an address, or the address; how: TRACE_WITH_OFFSET ... */
void read_show_symbol(const struct trace_reader *reader, bool kernel, u32 pid,
		      u64 addr, unsigned int how, struct read_text *text);
/* What how is for the frame of a number; lines: the stack's form has them. */
unsigned int read_frame_how(u32 frame, bool lines);
bool read_with_lines(const struct trace_type *type);

/* format.c: printf. */
void read_format(const struct trace_reader *reader, const struct kt_vm *vm,
		 const struct trace_event *event, const u8 *bytes, u32 len,
		 struct read_text *text);

/* table.c */
bool read_table(const struct trace_reader *reader, u32 map,
		struct read_table *table);
void read_table_free(struct read_table *table);
/* Keys are an arena's own: its numbers mean nothing to the others. */
bool read_is_apart(const struct trace_reader *reader, const struct trace_map *map);
const u8 *read_key(const struct read_table *table, u32 nr);
const u64 *read_kept(const struct read_table *table, u32 nr);
const struct kt_vm *read_vm(const struct trace_reader *reader,
			    const struct read_table *table, u32 nr);

/* Where keys are found: in order of their bytes. */
void read_sort_by_key(struct read_table *table);
/* What the same key has there, which may be of another table; or NULL. */
const u64 *read_find(const struct read_table *in, const u8 *key);

/* top.c */
void read_top_free(struct trace_reader *reader);

/* proto.c: fields of protocol buffers, one behind the other. */
void read_proto_number(struct read_text *text, u32 field, u64 value);
void read_proto_string(struct read_text *text, u32 field, const char *bytes, size_t len);
/* A message as a field; it is empty then. */
void read_proto_message(struct read_text *text, u32 field, struct read_text *message);

/* timeline.c; nothing happens without one. */
void read_timeline_mark(struct trace_reader *reader, const struct read_event *event);
/* What a probe prints, or a block. */
void read_timeline_say(struct trace_reader *reader, const struct read_event *event,
		       const struct read_text *text);
void read_timeline_look(struct trace_reader *reader, bool last);
void read_timeline_free(struct trace_reader *reader);

/* gather.c: what all arenas have counted, in the first. */
void read_gather(const struct trace_reader *reader);

/* map.c */
void read_show_key(const struct trace_reader *reader, const struct trace_map *map,
		   const struct read_table *table, u32 nr, const char *between,
		   struct read_text *text);
void read_print_map(struct trace_reader *reader, u32 map, u64 top, u64 div);
/* One key of it, key_len bytes. */
void read_print_key(struct trace_reader *reader, u32 map, const u8 *key, u64 div);

/*
 * fold.c: stacks with counts.  A frame ends with READ_BETWEEN; the kernel's begin
 * with READ_KERNEL.
 */
#define READ_BETWEEN 1
#define READ_KERNEL 2

struct read_line {
	size_t at, len;			/* in text */
	u64 count;
};

struct read_folded {
	struct read_text text;
	struct read_line *lines;
	u32 nr, room;
};

void read_fold(const struct trace_reader *reader, struct read_folded *folded);
void read_folded_free(struct read_folded *folded);

/* hist.c */
void read_show_hist(const struct trace_map *map, const u64 *buckets, u64 div,
		    struct read_text *text);
void read_show_hist_json(const struct trace_map *map, const u64 *buckets, u64 div,
			 struct read_text *text);
/* series.c */
void read_show_series(const struct trace_map *map, const u64 *kept, u64 div,
		      struct read_text *text);
void read_show_series_json(const struct trace_map *map, const u64 *kept, u64 div,
			   struct read_text *text);
void read_merge_series(const struct kt_map *map, u64 *into, const u64 *from);

#endif
