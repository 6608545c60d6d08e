/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * build.h - programs that tests write by hand.
 *
 * Owns: struct build: the parts of a program, which build_done() puts together,
 * proves, and gives an arena.
 */
#ifndef KT_TESTS_BUILD_H
#define KT_TESTS_BUILD_H

#include "kt_host.h"

struct build {
	struct kt_program head;		/* numbers and sizes that are not of parts */
	struct kt_probe probes[8];
	struct kt_insn insns[256];
	struct kt_map maps[16];
	u8 data[256];
	char names[64];
	struct kt_program *program;	/* whole */
	struct kt_vm vm;
};

/* One probe at all instructions, scratch of 256 bytes, one shard, no more. */
void build_begin(struct build *build);
void build_insn(struct build *build, u8 op, u32 a, u32 b, u32 c, s32 imm);
/* Two halves of imm. */
#define LOHI(lo, hi) ((s32)((u32)(lo) | (u32)(hi) << 16))
u32 build_map(struct build *build, u32 kind, u32 key_len, u32 value_len, u32 keys);
/* The bytes of the program. */
void build_program(struct build *build);
/* Its sum anew, after it was changed by hand. */
void build_sum(struct kt_program *program);
/* All of it.  NULL, or what is wrong. */
const char *build_done(struct build *build);
void build_free(struct build *build);
/* A hit of probe 0; its result is in *regs and *hit. */
struct kt_hit build_hit(const struct build *build, struct pt_regs *regs);
/* Of map 0's first shard: a word of all values, added up. */
u64 build_total(const struct build *build, u32 word);

/* random.c: the same from the same state. */
u64 random_next(u64 *state);
/* A program of anything that there is, most of which kt_check() lets pass. */
void random_program(struct build *build, u64 *state);

#endif
