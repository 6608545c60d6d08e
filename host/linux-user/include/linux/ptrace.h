/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * linux/ptrace.h - struct pt_regs in user space.
 *
 * Owns: the choice of the architecture's register layout.  The system's header
 * of this name describes ptrace(2) with other field names and is kept out.
 */
#ifndef KP_SHIM_LINUX_PTRACE_H
#define KP_SHIM_LINUX_PTRACE_H
#define _ASM_X86_PTRACE_H

#include <kprobes/pt_regs.h>

#endif
