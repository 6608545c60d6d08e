# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What arch/x86 is made of.  ARCH_SRCS is pure; ARCH_NATIVE needs an x86 CPU.

ARCH_SRCS := $(addprefix arch/x86/,insn/insn.c classify.c refuse.c outofline.c fallback.c \
	chain.c detour.c padding.c purity.c emulate.c trap.c retaddr.c jprobe.c)
ARCH_NATIVE := arch/x86/guard.c
ARCH_ASM := $(addprefix arch/x86/,entry.S return.S jprobe_call.S detour_none.S)
