/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * export.h - what other objects may link to.
 *
 * Owns: the visibility of the public calls; everything else is hidden
 * (host.mk includes this file before every source).
 */
#ifndef KP_EXPORT_H
#define KP_EXPORT_H

#pragma GCC visibility push(default)
#include <linux/kprobes.h>
#include <kprobes/control.h>
#include <kprobes/process.h>
#include <kprobes/watch.h>
#pragma GCC visibility pop

#endif
