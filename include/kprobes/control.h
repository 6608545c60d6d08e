/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kprobes/control.h - the control files' contents, for programs and modules.
 *
 * Owns: an extension of the documented API: what the files list, blacklist
 * and enabled do, as functions.  Each may sleep and takes the registry lock;
 * none may be called from a probe handler or from emit.
 */
#ifndef KPROBES_CONTROL_H
#define KPROBES_CONTROL_H

/* The host's own bool and size_t. */
#include <kprobes/host.h>

/* Link names, as in <linux/kprobes.h>. */
#define kprobes_set_enabled	kp_control_set_enabled
#define kprobes_is_enabled	kp_control_is_enabled
#define kprobes_switch		kp_control_switch
#define kprobes_list		kp_control_list
#define kprobes_blacklist	kp_control_blacklist

/*
 * kprobes_set_enabled - arm or disarm all probes.
 *
 * A probe's own enabled or disabled state stays as it is.  When all are
 * disarmed no text holds a breakpoint and no handler is called; probes can
 * still be registered, enabled and disabled, and take effect when the switch
 * is turned on again.  Returns 0, or the errno of a probe that could not
 * follow; the others did.
 */
int kprobes_set_enabled(bool on);
bool kprobes_is_enabled(void);

/*
 * kprobes_switch - enable or disable all probes at one place.
 *
 * where: as the list shows it: "symbol", "symbol+0xoffset", either with
 * "owner:" in front, or "0xaddress".  Whoever registered them sees the change
 * in kprobe.flags.  Returns 0, -EINVAL for what names no place, -ENOENT where
 * no probe is, or as enable_kprobe.
 */
int kprobes_switch(const char *where, bool on);

/* One line, with its newline and a terminating zero; valid during the call. */
typedef void (*kprobes_line_t)(void *arg, const char *line, size_t len);

/* kprobes_list - a line for each registered probe, as in the file "list". */
void kprobes_list(kprobes_line_t emit, void *arg);

/* kprobes_blacklist - a line for each entry, as in the file "blacklist". */
void kprobes_blacklist(kprobes_line_t emit, void *arg);

#endif
