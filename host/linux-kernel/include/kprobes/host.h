/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kprobes/host.h - what <linux/kprobes.h> needs from a kernel.
 *
 * Owns: the choice of kernel headers, the markers for functions that must not
 * be probed, and what a consumer sees of the configuration.
 *
 * Invariant: struct module and struct task_struct are complete, with the
 * running kernel's layout, before CONFIG_KPROBES is defined for a consumer:
 * both have fields that depend on it.
 */
#ifndef KPROBES_HOST_H
#define KPROBES_HOST_H

/* The kernel's own headers of these names would define the same things. */
#define _ASM_X86_KPROBES_H
#define _ARM_KPROBES_H	/* arm64's */
#define _ASM_RISCV_KPROBES_H
#define _ASM_GENERIC_KPROBES_H

/* Modules rely on what the kernel's own linux/kprobes.h brings along. */
#include <linux/types.h>
#include <linux/bug.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/linkage.h>
#include <linux/list.h>
#include <linux/ptrace.h>
#include <linux/refcount.h>
#include <linux/smp.h>
#include <linux/percpu.h>
#include <linux/spinlock.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/rcupdate.h>
#include <linux/module.h>
#include <linux/sched.h>

_Static_assert(sizeof(struct module) > 0 && sizeof(struct task_struct) > 0,
	       "layouts must be fixed before CONFIG_KPROBES is defined");

#ifndef KP_ENGINE
#ifndef CONFIG_KPROBES
#define CONFIG_KPROBES 1
#endif
#ifndef CONFIG_KRETPROBES
#define CONFIG_KRETPROBES 1
#endif
#endif

#if defined(CONFIG_ARM) || defined(CONFIG_ARM64) || defined(CONFIG_RISCV) || defined(CONFIG_MIPS)
typedef u32 kprobe_opcode_t;
/* The kernel has one of this name, where it has Kprobes. */
#define arch_specific_insn kp_specific_insn
#undef MAX_STACK_SIZE
#define MAX_STACK_SIZE 128
#else
typedef u8 kprobe_opcode_t;
#ifndef MAX_STACK_SIZE
#define MAX_STACK_SIZE 64
#endif
#endif

/*
 * The engine looks for symbols of these names in a module that is being
 * loaded: a pointer to the function, and the two ends of each object's part
 * of the section that __kprobes selects.
 */
#define NOKPROBE_SYMBOL(fn)						\
	static const void *const kp_nokprobe_##fn			\
	__attribute__((used, section(".rodata.kp_nokprobe"))) =		\
		(const void *)&(fn)
#define __kprobes __attribute__((section(".kprobes.text")))
#define nokprobe_inline __always_inline

#ifndef KP_ENGINE
asm(".pushsection .kprobes.text, \"ax\"\n"
    "kp_nokprobes_start:\n"
    ".subsection 8191\n"
    "kp_nokprobes_end:\n"
    ".popsection");
#endif

/* How the process host has a function called. */
#define KP_BOUND_EARLY

#endif
