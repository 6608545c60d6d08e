/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kprobes/processor.h - the processor that does not exist, for the core's tests.
 *
 * Owns: the options by which modules written for Linux ask what it is, and how it waits.
 */
#ifndef KPROBES_PROCESSOR_H
#define KPROBES_PROCESSOR_H

#ifndef CONFIG_64BIT
#define CONFIG_64BIT 1
#endif

static inline void cpu_relax(void)
{
}

#endif
