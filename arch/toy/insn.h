/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * insn.h - the instructions of a processor that does not exist.
 *
 * Owns: their bytes.  It is there for the core's tests, which lay out text with the
 * macros below, and is the smallest port that has everything a port may have.
 * Nothing executes it: a test says what a core does.
 *
 * Registers: r[0] to r[7], sp, pc, flags; a return address stands on the stack, which
 * grows down.  Arguments are in r[0] to r[5], a result in r[0].  The first byte is the
 * instruction, and decides its length; what has no line here is no instruction.
 *
 *   bytes            len
 *   .                  1   nothing
 *   !                  1   breakpoint: the trap reports the address behind it
 *   (                  1   push r[6]
 *   )                  1   pop r[6]
 *   r                  1   return
 *   h                  1   halt: nobody may
 *   m xy               2   x = y
 *   j d                2   jump to its own address + d
 *   b d                2   the same, if r[0] is 0
 *   n - - -            4   nothing
 *   e - - -            4   landing pad: where an indirect call may lead
 *   a xy n n           4   x = y + n
 *   l xy n n           4   x = the word at y + n
 *   s xy n n           4   the word at y + n = x
 *   z - - -            4   store a word where no register tells
 *   C d d d            4   call its own address + d
 *   J d d d            4   jump there
 *   G a * 8            9   jump to the address a
 *
 * x, y: a register's number, 8 for sp.  d, n: signed, the lowest byte first.
 */
#ifndef KP_TOY_INSN_H
#define KP_TOY_INSN_H

#include "env.h"

enum kp_toy_op {
	TOY_NOP = '.', TOY_BREAK = '!', TOY_PUSH = '(', TOY_POP = ')',
	TOY_RETURN = 'r', TOY_HALT = 'h', TOY_MOVE = 'm', TOY_SKIP = 'j',
	TOY_BRANCH = 'b', TOY_WIDE_NOP = 'n', TOY_PAD = 'e', TOY_ADD = 'a',
	TOY_LOAD = 'l', TOY_STORE = 's', TOY_SCATTER = 'z', TOY_CALL = 'C',
	TOY_JUMP = 'J', TOY_GO = 'G',
};

#define TOY_SP 8

/* For an array of bytes. */
#define TOY_XY(x, y)	(uint8_t)((x) << 4 | (y))
#define TOY_16(n)	(uint8_t)(n), (uint8_t)((n) >> 8)
#define TOY_move(x, y)	TOY_MOVE, TOY_XY(x, y)
#define TOY_add(x, y, n) TOY_ADD, TOY_XY(x, y), TOY_16(n)
#define TOY_load(x, y, n) TOY_LOAD, TOY_XY(x, y), TOY_16(n)
#define TOY_store(x, y, n) TOY_STORE, TOY_XY(x, y), TOY_16(n)
#define TOY_wide_nop	TOY_WIDE_NOP, 0, 0, 0
#define TOY_pad		TOY_PAD, 0, 0, 0
#define TOY_scatter	TOY_SCATTER, 0, 0, 0

/* A fault's number: no instruction is there, or no memory. */
enum kp_toy_fault { TOY_NO_INSN = 2, TOY_NO_MEMORY = 3 };

#define TOY_LEN_MAX	9
#define TOY_BRANCH_LEN	2
#define TOY_JUMP_LEN	4		/* a call's, too */
#define TOY_GO_LEN	9

/* Its length, or 0: no instruction begins so. */
static inline unsigned int kp_toy_len(uint8_t op)
{
	switch (op) {
	case TOY_NOP: case TOY_BREAK: case TOY_PUSH: case TOY_POP:
	case TOY_RETURN: case TOY_HALT:
		return 1;
	case TOY_MOVE: case TOY_SKIP: case TOY_BRANCH:
		return 2;
	case TOY_WIDE_NOP: case TOY_PAD: case TOY_ADD: case TOY_LOAD:
	case TOY_STORE: case TOY_SCATTER: case TOY_CALL: case TOY_JUMP:
		return 4;
	case TOY_GO:
		return TOY_GO_LEN;
	}
	return 0;
}

static inline bool kp_toy_has_registers(uint8_t op)
{
	return op == TOY_MOVE || op == TOY_ADD || op == TOY_LOAD ||
	       op == TOY_STORE;
}

/* n of a, l and s. */
static inline int16_t kp_toy_number(const uint8_t *insn)
{
	return (int16_t)(insn[2] | insn[3] << 8);
}

/* d of C and J. */
static inline int32_t kp_toy_distance(const uint8_t *insn)
{
	return (int32_t)((uint32_t)insn[1] << 8 | (uint32_t)insn[2] << 16 |
			 (uint32_t)insn[3] << 24) >> 8;
}

#endif
