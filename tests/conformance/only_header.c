/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * only_header.c - K-API-03: a handler in a file that includes nothing but
 * <linux/kprobes.h> can use struct pt_regs.
 */
#include <linux/kprobes.h>

extern unsigned long t_only_header_ip;
int t_only_header_pre(struct kprobe *p, struct pt_regs *regs);

unsigned long t_only_header_ip;

int t_only_header_pre(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	t_only_header_ip = instruction_pointer(regs);
	return 0;
}
