/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * abi.h - the two kinds of MIPS programs that the command can be one of, and serves: n64, and
 * o32, of 32 bits.
 *
 * Owns: how their system calls are counted and called.  Of o32's arguments the fifth and those
 * after it stand on the stack, where a caller leaves room for the first four, too.
 */
#ifndef KP_CLI_ABI_H
#define KP_CLI_ABI_H

#if _MIPS_SIM == _ABI64
#define ABI_WIDE 1
#define ABI_CALLS 5000			/* their numbers begin there */
#define ABI_ARGS 6u			/* in registers; a call has no more */
#define ABI_LI_MMAP 0x24021391u		/* li v0, 5009 */
#define ABI_LI_RETURN 0x2402145bu	/* li v0, 5211 */
#elif _MIPS_SIM == _ABIO32
#define ABI_WIDE 0
#define ABI_CALLS 4000
#define ABI_ARGS 4u
#define ABI_LI_MMAP 0x24021072u		/* li v0, 4210: mmap2 */
#define ABI_LI_RETURN 0x24021061u	/* li v0, 4193 */
#else
#error "the command is one of n64 or o32"
#endif

/* Where arguments on the stack are, from its pointer on. */
#define ABI_STACK_ARGS 16u

#endif
