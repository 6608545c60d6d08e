# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What arch/i386 is made of: most of what x86-64 has, compiled for the other mode.  I386_SRCS is
# pure; I386_NATIVE needs an x86 CPU.  The processors that it is for have cmpxchg8b: the Pentium's,
# and later ones.

I386_SRCS := $(addprefix arch/x86/,insn/insn.c insn/walk.c classify.c refuse.c outofline.c fallback.c \
	chain.c detour.c padding.c purity.c caller.c emulate.c trap.c retaddr.c watch.c written.c) arch/i386/jprobe.c
I386_NATIVE := $(addprefix arch/i386/,guard.c frame.c entry.S return.S detour_entry.S jprobe_call.S \
	atomic64.S)

# For hosts that can watch memory by its pages.
I386_STORES := arch/x86/store.c

# What it has not.
I386_NONE := $(addprefix arch/none/,around.c lean.c)

ifeq ($(ARCH),i386)
ARCH_SRCS := $(I386_SRCS)
ARCH_NATIVE := $(filter %.c,$(I386_NATIVE))
ARCH_ASM := $(filter %.S,$(I386_NATIVE))
# Where handlers may use vector registers; and where not.
ARCH_VECTORS := arch/i386/vectors.c
ARCH_NO_VECTORS := arch/none/vectors.c
ARCH_TABLES := $(B)/gen/insn_tables.h
ARCH_STORES := $(I386_STORES)
ARCH_NONE := $(I386_NONE)
ARCH_FLAGS := -Iarch/none -Iarch/x86 -Iarch/x86/insn
endif
