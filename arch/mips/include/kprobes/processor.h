/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kprobes/processor.h - the processor, for probe modules in a process.
 *
 * Owns: the options by which modules written for Linux ask what it is, and how it waits.
 */
#ifndef KPROBES_PROCESSOR_H
#define KPROBES_PROCESSOR_H

#ifndef CONFIG_MIPS
#define CONFIG_MIPS 1
#endif
#if defined(__mips64)
#ifndef CONFIG_64BIT
#define CONFIG_64BIT 1
#endif
#elif !defined(CONFIG_32BIT)
#define CONFIG_32BIT 1
#endif

/* In a loop that waits for another thread.  Any context. */
static inline void cpu_relax(void)
{
	__asm__ volatile("" ::: "memory");
}

#endif
