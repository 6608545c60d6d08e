/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kprobes/control.h - the control files' contents, for programs and modules.
 *
 * Owns: an extension of the documented API: the files list, blacklist and enabled as
 * functions.  Each may sleep and takes the registry lock.  None may be called from a
 * probe handler or from emit, except the last one.
 */
#ifndef KPROBES_CONTROL_H
#define KPROBES_CONTROL_H

/* The host's own bool and size_t. */
#include <kprobes/host.h>

/* Link names, as in <linux/kprobes.h>. */
#define kprobes_set_enabled	kp_control_set_enabled
#define kprobes_is_enabled	kp_control_is_enabled
#define kprobes_switch		kp_control_switch
#define kprobes_set_optimization kp_control_set_optimization
#define kprobes_optimization	kp_control_optimization
#define kprobes_flush		kp_control_flush
#define kprobes_list		kp_control_list
#define kprobes_blacklist	kp_control_blacklist
#define kprobes_original_address kp_control_original_address

/*
 * kprobes_set_enabled - arm or disarm all probes.
 *
 * The state of each probe does not change.  While all are disarmed, no text holds
 * a breakpoint and no handler is called.  Probes can still be registered, enabled
 * and disabled; this takes effect when the switch is turned on again.  Returns 0,
 * or the errno of a probe that could not be switched; the others were.
 */
int kprobes_set_enabled(bool on);
bool kprobes_is_enabled(void);

/*
 * kprobes_switch - enable or disable all probes at one place.
 *
 * where: as the list shows it: "symbol", "symbol+0xoffset", either with
 * "owner:" in front, or "0xaddress".  Whoever registered them sees the change
 * in kprobe.flags.  Returns 0, -EINVAL if where is not a place, -ENOENT if there
 * is no probe, or as enable_kprobe.
 */
int kprobes_switch(const char *where, bool on);

/*
 * kprobes_set_optimization - allow or forbid jumps in place of breakpoints.
 *
 * Off: on return no text holds a jump, and probes registered later stay on the
 * breakpoint.  On: every probe that can have a jump gets it soon after.  No probe
 * and no hit is lost either way.  Returns 0, or the errno of a jump that
 * could not be removed.
 */
int kprobes_set_optimization(bool on);
bool kprobes_optimization(void);

/*
 * kprobes_flush - do deferred work now.
 *
 * Jumps are written some milliseconds after registration, and the original
 * text under a jump comes back some milliseconds after the last of its probes
 * was disabled or unregistered.  On return neither is outstanding for calls
 * that returned before.  For tests and tools; nothing needs it.
 */
void kprobes_flush(void);

/* One line, with its newline and a terminating zero; valid during the call. */
typedef void (*kprobes_line_t)(void *arg, const char *line, size_t len);

/* kprobes_list - a line for each registered probe, as in the file "list". */
void kprobes_list(kprobes_line_t emit, void *arg);

/* kprobes_blacklist - a line for each entry, as in the file "blacklist". */
void kprobes_blacklist(kprobes_line_t emit, void *arg);

/*
 * kprobes_original_address - translate an address on a stack to what it is without probes.
 *
 * For the replaced return address of a probed call, returns the real one.  For an address in
 * the copy of a probed instruction, returns that instruction's.  Returns any other address
 * unchanged.  For code that walks stacks by frame pointers.  Any context, handlers included.
 */
unsigned long kprobes_original_address(unsigned long addr);

#endif
