/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * program.h - a compiled trace program, and the memory that it works on.
 *
 * Owns: the format, byte for byte, that the front writes, kt_check() proves and
 * kt_run() executes, the same on every host; little endian, 64-bit registers.
 *
 * Two pieces of memory.  The program never changes: who runs it copies it to
 * where nobody else writes, then proves it, then uses nothing but the copy.  The
 * arena is shared between whoever runs the program and who reads the results;
 * neither side trusts a byte of it.  Where things lie in it follows from the
 * program alone (kt_layout()), so no offset is ever read from it.
 */
#ifndef KT_PROGRAM_H
#define KT_PROGRAM_H

#include "kt_types.h"		/* the host's u8 ... s64 and bool */

#define KT_MAGIC	0x6d61726774706bull	/* "kptgram" */
#define KT_VERSION	4

/* What a program may have at most. */
#define KT_REGS		32		/* registers, all 0 at first */
#define KT_SCRATCH_MAX	1024		/* bytes */
#define KT_INSNS_MAX	65536
#define KT_PROBES_MAX	(1u << 20)
#define KT_MAPS_MAX	64
#define KT_DATA_MAX	(1u << 20)
#define KT_KEY_MAX	512
#define KT_VALUE_MAX	16384
#define KT_KEYS_MAX	(1u << 22)
#define KT_SHARDS_MAX	64
#define KT_DEPTH_MAX	127		/* frames of a stack */
#define KT_STACKS_MAX	(1u << 22)
#define KT_EVENTS_MAX	65536
#define KT_ARGS_MAX	64		/* arguments of a function */
#define KT_RING_MIN	4096u		/* where there are rings */
#define KT_RING_MAX	(1u << 30)
/*
 * A hit executes so many instructions, or a little more, then it is cut off.  What
 * is done with maps, strings, memory, stacks and events counts as several.
 */
#define KT_STEPS_MAX	65536

/* ---- the program ------------------------------------------------------------- */

/* The head.  Offsets count from it, each a multiple of 8. */
struct kt_program {
	u64 magic;
	u32 version, size;		/* size: of all of it */
	u64 sum;			/* kt_sum() of what follows sum */
	u32 probes, probes_nr;		/* struct kt_probe */
	u32 insns, insns_nr;		/* struct kt_insn */
	u32 maps, maps_nr;		/* struct kt_map */
	u32 data, data_len;		/* constants */
	u32 names, names_len;		/* of places; each ends with a 0 */
	u32 events_nr;			/* what EMIT may name is below that */
	u32 scratch;			/* bytes that are used, a multiple of 8 */
	u32 shards;			/* a power of two; 1 or more */
	u32 ring;			/* bytes of one ring, a power of two; 0: none */
	u32 stacks;			/* places for stacks, a power of two; 0: none */
	u32 depth;			/* frames of each */
};

/* kt_program.sum is of what lies behind so many bytes. */
#define KT_SUM_END 24u

enum kt_probe_kind {
	KT_PROBE_ENTRY,			/* a kprobe: before the instruction */
	KT_PROBE_RETURN,		/* a return probe of a function */
	KT_PROBE_ELSEWHERE,		/* on another host: only its number is kept */
	KT_PROBE_WATCH,			/* a watch probe: after accesses to memory */
	/* Of a kernel; argument 0 is the record's address. */
	KT_PROBE_EVENT,			/* its tracepoint of the number addr */
	KT_PROBE_SAMPLE,		/* each processor, every addr nanoseconds */
	KT_PROBE_WATCHED,		/* as WATCH, of memory that WATCH_ON names */
	KT_PROBE_CODE,			/* a function: only its writes are WATCH's and WATCHED's */
	KT_PROBE_KINDS,
};

#define KT_NO_NAME 0xffffffffu

struct kt_probe {
	u64 addr;			/* 0: by its name */
	u32 name;			/* in names: a symbol, or KT_NO_NAME */
	u32 offset;			/* bytes behind that symbol */
	u32 kind;
	u32 first, nr;			/* of its instructions */
	/*
	 * Of WATCH: KT_WATCH(bytes, kind).  Of ENTRY and RETURN: the group in which each
	 * address is wanted once, however many names lead there; or 0.
	 */
	u32 watch;
};

/* Bytes 0: to the end of the symbol. */
enum kt_watch_kind { KT_WATCH_WRITE = 1, KT_WATCH_RW, KT_WATCH_CHANGED };
#define KT_WATCH(bytes, kind) ((u32)(bytes) << 8 | (kind))
#define KT_WATCH_KIND(watch) ((watch) & 255)
#define KT_WATCH_BYTES(watch) ((watch) >> 8)
/* What a hit's registers hold instead of what they held: KT_WATCH_REGS (kt_regs.h). */
#define KT_WATCH_REGS_NAMES { "before", "after", "addr", "size", "written", "object" }

/* What a map keeps for a key. */
enum kt_map_kind {
	KT_MAP_VALUE,			/* value_len bytes, set by the program */
	KT_MAP_COUNT,			/* u64 */
	KT_MAP_SUM,			/* u64 */
	KT_MAP_MIN, KT_MAP_MAX,		/* u64 kt_extreme_keep(value), u64 1: is one */
	KT_MAP_AVG, KT_MAP_STATS,	/* s64 sum, u64 count */
	KT_MAP_HIST,			/* u64[kt_hist_buckets(step)] */
	KT_MAP_LHIST,			/* u64[(max - min) / step + 2] */
	KT_MAP_SERIES,			/* struct kt_interval[max] */
	KT_MAP_KINDS,
};

/*
 * Buckets of a power-of-two histogram: below 0, 0, then [1,2), [2,4), [4,8) up to
 * [2^62, 2^63).  With bits, each of them from 2^bits on is 2^bits of the same width, and
 * what is less has a bucket for each value.
 */
#define KT_HIST_BUCKETS 65
#define KT_HIST_BITS_MAX 5
static inline u32 kt_hist_buckets(u64 bits)
{
	return ((64u - (u32)bits) << bits) + 1;
}

/* Of a time series: what it keeps of the values of one interval. */
enum kt_series_how {
	KT_SERIES_LAST, KT_SERIES_AVG, KT_SERIES_MAX, KT_SERIES_MIN, KT_SERIES_SUM,
	KT_SERIES_HOWS,
};
#define KT_SERIES_MAX_NR 1000		/* intervals */

/*
 * The interval of number nsecs / min is at place number % max.  word: the number + 1, above
 * a state in the low two bits, as of a table's slots; 0: it was never used.
 */
struct kt_interval {
	u64 word;
	u64 value;			/* the last, the sum, or kt_extreme_keep() */
	u64 also;			/* of LAST its time, else how many */
};
/* Of a linear one: below min, each step, max and above. */
#define KT_LHIST_MAX 1024

/* Those but VALUE are kept in every shard; who reads adds them up. */
struct kt_map {
	u32 kind;
	u32 key_len;			/* a multiple of 8; 0: no key */
	u32 value_len;			/* of VALUE: a multiple of 8; others: 0 */
	u32 keys;			/* about as many may be in it, in a shard */
	/* Of LHIST; of HIST step: bits; of SERIES: nsecs, how many, enum kt_series_how. */
	s64 min, max, step;
};

struct kt_insn {
	u8 op, a, b, c;
	s32 imm;
};

/*
 * a, b and c name registers unless the text says otherwise; "lo" and "hi" are the
 * two unsigned halves of imm.  S is the scratch memory.  What does not fit (a
 * division by 0, memory that cannot be read) gives 0; a remainder of a division
 * by 0 is what was to be divided, as BPF has it.  Keys and values of maps, BUF
 * and EMIT are at multiples of 8 in S.
 */
enum kt_op {
	KT_END,			/* done */
	KT_MOV,			/* a = b */
	KT_MOVI,		/* a = imm, sign-extended */
	KT_CONST,		/* a = 8 bytes of data at imm, a multiple of 8 */
	/* a = b op c; U: unsigned, S: signed */
	KT_ADD, KT_SUB, KT_MUL, KT_UDIV, KT_SDIV, KT_UMOD, KT_SMOD,
	KT_AND, KT_OR, KT_XOR, KT_SHL, KT_SHR, KT_SAR,	/* by c & 63 */
	KT_EQ, KT_NE, KT_ULT, KT_ULE, KT_SLT, KT_SLE,	/* 1 or 0 */
	/* a = b op imm, sign-extended */
	KT_ADDI, KT_ANDI, KT_SHLI, KT_SHRI, KT_SARI, KT_EQI, KT_NEI,
	KT_EXT,			/* a = the low bytes of b; c: KT_SIZE */
	KT_JMP,			/* on imm instructions behind the next one; */
	KT_JZ,			/* if a == 0 */
	KT_JNZ,			/* if a != 0 */
	KT_GET,			/* a = a builtin; imm: enum kt_get */
	KT_ARG,			/* a = the function's argument number imm */
	KT_REG,			/* a = the processor's register number imm */
	KT_LOAD,		/* a = memory at b + imm; c: KT_SIZE | KT_USER */
	KT_LDS,			/* a = S[imm]; c: KT_SIZE */
	KT_STS,			/* S[imm] = a; c: KT_SIZE without sign */
	KT_ZERO,		/* hi bytes of S from lo on = 0 */
	KT_DATA,		/* hi bytes of S from lo = data at a|b<<8|c<<16 */
	KT_COPY,		/* ... = S at a|b<<8; they do not overlap */
	/*
	 * hi bytes of S from lo on = the string at address a, its end as zeros;
	 * the last one is always 0.  b: at most so many characters.  c: KT_USER.
	 */
	KT_STR,
	/*
	 * S[lo] = u64 length; then hi - 8 bytes from address a, b of them at most,
	 * then zeros.  c: KT_USER.
	 */
	KT_BUF,
	KT_READ,		/* hi bytes of S from lo on = memory at a; c: KT_USER */
	KT_COMM,		/* 16 bytes of S from imm on = the thread's name */
	/* a = are the strings at S[lo] and S[hi] the same in b|c<<8 bytes, 1 or 0 */
	KT_SAME,
	/* Maps: b is the map's number, its key at S[lo]. */
	/*
	 * a = its first 8 bytes; not VALUE: what all shards say, the sum, the
	 * extreme or the average.  Not HIST, LHIST, SERIES.
	 */
	KT_MGET,
	KT_MHAS,		/* a = is there one, in any shard, 1 or 0 */
	KT_MGETV,		/* S[hi] = the value, zeros for none */
	KT_MSET,		/* the value = a; VALUE of 8 bytes only */
	KT_MSETV,		/* the value = S[hi]; VALUE only */
	KT_MADD,		/* VALUE of 8 bytes: a = what it was, then it + a */
	KT_MDEL,		/* a = was there one, 1 or 0 */
	KT_MAGG,		/* take a into account; not VALUE */
	KT_STACK,		/* a = the stack's number; imm: frames; c: KT_USER */
	KT_EMIT,		/* event a|b<<8, with hi bytes of S; a multiple of 8 */
	KT_OVERRIDE,		/* the function returns a at once; else than ENTRY: - */
	KT_WATCH_ON,		/* from now on b bytes at a are watched, for WATCHED */
	KT_WATCH_OFF,		/* what begins at a no more */
	KT_STRLEN,		/* a = characters of the string of hi bytes at S[lo] */
	/*
	 * a = where the string at S[hi], of 8*c bytes, begins in the one at S[lo], of 8*b
	 * bytes; -1: nowhere
	 */
	KT_INDEX,
	/*
	 * a = the place of the next key, from place a on, 0: there is none; its key to S[lo].
	 * The first place is 0.  Keys that come meanwhile may be left out.
	 */
	KT_MNEXT,
	KT_FRAMES,		/* a = how many frames the stack of the number b has */
	/* a = how the b|c<<8 bytes at S[lo] compare with those at S[hi]: below 0, 0, above 0 */
	KT_CMP,
	/*
	 * a = does the pattern at S[hi], of 8*c bytes, match the string at S[lo], of 8*b
	 * bytes, 1 or 0: * ? [abc] [a-z] [!abc]
	 */
	KT_GLOB,
	KT_OPS,
};

/* c of EXT, LOAD, LDS, STS. */
#define KT_SIZE_1	0u
#define KT_SIZE_2	1u
#define KT_SIZE_4	2u
#define KT_SIZE_8	3u
#define KT_SIZE_MASK	3u
#define KT_SIGNED	4u
#define KT_USER		8u		/* a process's memory, not the kernel's */

enum kt_get {
	KT_GET_NSECS,		/* monotonic clock */
	KT_GET_ELAPSED,		/* since the program began */
	KT_GET_PID, KT_GET_TID,	/* of process and thread */
	KT_GET_UID, KT_GET_GID,
	KT_GET_CPU,
	KT_GET_CURTASK,		/* struct task_struct *; in a process 0 */
	KT_GET_CGROUP,		/* its number; 0 where it is not known */
	KT_GET_RANDOM,		/* 32 bits */
	KT_GET_PROBE,		/* the probe's number */
	KT_GET_ADDR,		/* where the probe is; of a return: the function */
	KT_GET_IP, KT_GET_SP,
	KT_GET_RETVAL,
	KT_GET_RETURNED,	/* the same, of a function of which nobody knows the type */
	KT_GETS,
};

/* What STACK gives when there is no room for another one, or none to see. */
#define KT_NO_STACK 0xffffffffu

/* ---- the arena ------------------------------------------------------------- */

/* Some processors of 32 bits do not change 64 at once. */
#define KT_WORD_LOCKS (sizeof(long) == 8 ? 0 : 64)

/*
 * In this order, each at a multiple of 64: struct kt_arena; a struct
 * kt_probe_state for each probe; a struct kt_map_state for each map; the tables
 * of each map, shard behind shard; stacks; rings, each begins with struct kt_ring.
 */
struct kt_arena {
	u64 magic;
	u64 begin;		/* nsecs when the program began */
	u32 stop;		/* the reader has it: handlers do nothing */
	u32 stacks_lost;	/* for want of room */
	u32 locks[KT_WORD_LOCKS];	/* of words (shared/split64/halves.c) */
};

struct kt_probe_state {
	s32 error;		/* why it is not there: an errno, positive */
	u32 gone;		/* in a process: its object was unloaded */
	u64 missed;		/* hits whose handlers did not run */
	u64 lost;		/* events without room in a ring */
	u64 cut;		/* hits that took too many steps, or found too little stack */
	u64 unwatched;		/* of what uses WATCH_ON: it could not be */
	u64 unseen;		/* of WATCH: instructions of CODE that may write unseen */
};

struct kt_map_state {
	u64 full;		/* keys without room */
};

/*
 * A table: struct kt_table_head, then kt_slots() places.  Each: word, key, value.
 * word is a state in the low two bits, above it the hash of the key.  A search goes
 * on from place to place until one is free, or reach were seen.
 */
struct kt_table_head {
	u64 keys;		/* as many are there */
	u64 reach;		/* no key is farther from where its search begins */
	u64 pad[6];
};

enum { KT_SLOT_FREE, KT_SLOT_CLAIMED, KT_SLOT_READY, KT_SLOT_GONE };
#define KT_SLOT_STATE 3ull

/*
 * A stack: word as in a table (the hash of its frames), the number of frames, then
 * depth addresses, the innermost first.
 */
struct kt_stack {
	u64 word, nr;
	u64 frames[];
};

/*
 * head counts the bytes that were ever reserved, tail those that were read.  A
 * record lies whole behind its place modulo the size; where it would not fit
 * before the end there is a filler, of which only len and event exist.  What is
 * not written yet is zero.
 */
struct kt_ring {
	u64 head;
	u64 pad[7];
	u64 tail;		/* the reader's */
	u64 pad2[7];
	u8 bytes[];
};

struct kt_record {
	u32 len;		/* all of it, a multiple of 8, at last | KT_WRITTEN */
	u32 event;		/* or KT_FILLER */
	u64 nsecs;
	u32 pid, tid;
	u32 probe, cpu;
	u8 bytes[];		/* as EMIT says */
};
#define KT_WRITTEN 0x80000000u
#define KT_FILLER 0xffffffffu
/* The largest record; room for it is always enough. */
#define KT_RECORD_MAX (sizeof(struct kt_record) + KT_SCRATCH_MAX)

#endif
