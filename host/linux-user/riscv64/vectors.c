/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * vectors.c - which registers besides the general ones this machine has.
 *
 * Owns: what arch/riscv64/vectors_entry.S has to know to save them.  Those for floating point there are everywhere.  Of the V extension no
 * register says to a program whether it is there, and to use it is a trap where it is not:
 * the kernel says so, and may have been asked not to let this process have it.
 *
 * Written once, before the first hit.
 */
#include "arch.h"
#include "face.h"
#include "sys.h"
#include "vectors.h"

#include <sys/auxv.h>

_Static_assert(offsetof(struct kp_arch_vectors, image) == 0 &&
	       offsetof(struct kp_arch_vectors, keep) == 8, "vectors_entry.S");

#define HWCAP_V (1ul << ('v' - 'a'))
#define GET_CONTROL 70		/* PR_RISCV_V_GET_CONTROL */
#define CONTROL_OFF 1

extern __attribute__((visibility("hidden"))) uint32_t kp_arch_vectors_long;

void kp_arch_vectors_start(void)
{
	unsigned long len;
	int control;

	if (!(kp_face_auxv(AT_HWCAP) & HWCAP_V))
		return;
	control = (int)sys6(SYS_prctl, GET_CONTROL, 0, 0, 0, 0, 0);
	if (control >= 0 && (control & 3) == CONTROL_OFF)
		return;
	__asm__("csrr	%0, 0xc22" : "=r"(len));	/* vlenb */
	kp_arch_vectors_long = (uint32_t)(32 * len);
}
