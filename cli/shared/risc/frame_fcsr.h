/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * frame_fcsr.h - registers for floating point, 32 of 64 bits, of riscv64 and MIPS.
 *
 * Owns: what frame_units.h has to know of them.
 */
#ifndef KP_CLI_FRAME_FCSR_H
#define KP_CLI_FRAME_FCSR_H

struct units {
	uint64_t f[32];
	uint32_t fcsr, unused;
};
#define UNITS struct units
#define UNITS_SET NT_PRFPREG

static void usual(struct units *units)
{
	units->fcsr = 0;
}

#endif
