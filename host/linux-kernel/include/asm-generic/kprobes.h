/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * asm-generic/kprobes.h - stands in for the kernel's header of this name.
 *
 * Owns: nothing; all of it is in <linux/kprobes.h>.
 */
#include <linux/kprobes.h>
