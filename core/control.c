/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * control.c - the control files' contents as functions.
 *
 * Owns: the calls of <kprobes/control.h>.  Who may call them may see
 * addresses.
 */
#include "site.h"
#include <kprobes/control.h>

int kprobes_set_enabled(bool on)
{
	return kp_core_set_enabled(on);
}

bool kprobes_is_enabled(void)
{
	return kp_core_enabled();
}

void kprobes_list(kprobes_line_t emit, void *arg)
{
	kp_core_report_list(emit, arg, true);
}

void kprobes_blacklist(kprobes_line_t emit, void *arg)
{
	kp_core_report_blacklist(emit, arg, true);
}
