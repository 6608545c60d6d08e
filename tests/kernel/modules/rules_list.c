// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * rules_list.c - what the case's script finds in the list file: K-KNB-01 to 12.
 *
 * Owns: six probes of all types, four of them at one address.  The target is
 * assembly, so that no ftrace site is at its entry.
 */
#include <linux/module.h>
#include "rules.h"
#include "targets.h"

asm(LIST_TARGETS);
extern kprobe_opcode_t list_target[], list_inner[];

static int nothing(struct kprobe *p, struct pt_regs *regs)
{
	return 0;
}

static void on_jprobe(void)
{
	jprobe_return();
}

static struct kprobe first = { .addr = list_target, .pre_handler = nothing };
static struct kretprobe returns = { .kp.addr = list_target };
static struct jprobe jumps = { .kp.addr = list_target, .entry = on_jprobe };
static struct kprobe last = { .addr = list_target, .pre_handler = nothing };
static struct kprobe off = { .addr = list_inner, .pre_handler = nothing,
			     .flags = KPROBE_FLAG_DISABLED };
static struct kprobe core = { .symbol_name = LIST_CORE,
			      .pre_handler = nothing };

void list_start(void)
{
	int err = register_kprobe(&first);

	err = err ? err : register_jprobe(&jumps);
	err = err ? err : register_kretprobe(&returns);
	err = err ? err : register_kprobe(&last);
	err = err ? err : register_kprobe(&off);
	err = err ? err : register_kprobe(&core);
	expect_eq("K-KNB-01", "the probes to be listed", err, 0);
}

void list_stop(void)
{
	unregister_kprobes((struct kprobe *[]){ &first, &last, &off, &core }, 4);
	unregister_kretprobe(&returns);
	unregister_jprobe(&jumps);
}
