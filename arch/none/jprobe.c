/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * jprobe.c - for a port without jprobes.
 *
 * Owns: stubs; its arch_probe.h sets KP_ARCH_JPROBES to 0, so no jprobe is registered.
 */
#include "jprobe.h"

KP_TRAP_PATH void kp_arch_jprobe_take(struct kp_arch_jprobe *jprobe,
				      const struct pt_regs *regs,
				      const struct kp_arch_vectors *vectors,
				      const struct kp_arch_mem *mem)
{
	(void)jprobe;
	(void)regs;
	(void)vectors;
	(void)mem;
}

KP_TRAP_PATH void kp_arch_jprobe_call(struct kp_arch_jprobe *jprobe, void *fn)
{
	(void)jprobe;
	(void)fn;
}

KP_TRAP_PATH void kp_arch_jprobe_leave(struct kp_arch_jprobe *jprobe)
{
	(void)jprobe;
}

KP_TRAP_PATH bool kp_arch_jprobe_left(const struct kp_arch_jprobe *jprobe)
{
	(void)jprobe;
	return false;
}
