/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The two oracles, and where each of them is not to be believed.
 */
#ifndef KP_TEST_A64_ORACLE_H
#define KP_TEST_A64_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum oracle { ORACLE_LLVM, ORACLE_OBJDUMP, ORACLE_NR };

/*
 * Compare the decoder with both oracles on @nr words; print the first differences.
 * Returns how many there are; adds what was excused to @excused.
 */
size_t oracle_compare(const uint32_t *words, size_t nr, size_t excused[ORACLE_NR]);

/* Is it written down why @oracle is wrong about @word, which it has as @class? */
bool oracle_excuse(enum oracle oracle, uint32_t word, uint8_t class);

/* A word of the list's row @row, its free bits as in @any; false: the list is shorter. */
bool oracle_excused_word(size_t row, uint32_t any, uint32_t *word);

/* How many rows have excused nothing so far; they are printed. */
size_t oracle_unused_excuses(void);

#endif
