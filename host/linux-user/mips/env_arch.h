/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * env_arch.h - what hits through returns, and addresses, are like in a process, by processor.
 *
 * Owns: numbers, for C and for env_asm.h.
 */
#ifndef KP_ENV_ARCH_H
#define KP_ENV_ARCH_H

#define KP_VECTORS 1		/* vector registers are live */
#define KP_CALLING_STUBS 0	/* return stubs may call what they are of */
#define KP_RETURN_STUBS 32768	/* ready made, so many */
/* Many kernels map no more than 40 bits of addresses: attach.h. */
#define KP_MAILBOX_HIGH 0x4b50000000ull

#endif
