/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * written.h - what stores have in common, for who does them (store.c).
 *
 * Pure.
 */
#ifndef KP_ARM64_WRITTEN_H
#define KP_ARM64_WRITTEN_H

#include "insn.h"
#include "watch.h"

/* How many bytes does it write; 0: none, < 0: not known, or not that all are written. */
int kp_a64_written(const struct kp_a64_insn *insn);

/* Where word writes its len bytes, pushes too. */
void kp_a64_write_place(struct kp_arch_write *out, uint32_t word, int len);

/* Of one access, as a power of two: of the groups with a size in the two highest bits. */
unsigned int kp_a64_size_of(uint32_t word);

/* Registers of st1 to st4 of whole registers, by bits 12 to 15; 0: none. */
unsigned int kp_a64_structure_registers(uint32_t word);

/* The size of a lane's element, as a power of two: of st1 to st4 of one lane. */
unsigned int kp_a64_lane_size(uint32_t word);

#endif
