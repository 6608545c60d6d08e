# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What arch/x86 is made of.  X86_SRCS is pure; ARCH_NATIVE needs an x86 CPU.
# Its tests (tests/x86) are built beside those of other processors.

X86_SRCS := $(addprefix arch/x86/,insn/insn.c insn/walk.c classify.c refuse.c outofline.c fallback.c \
	chain.c detour.c padding.c purity.c lean.c caller.c emulate.c trap.c retaddr.c jprobe.c watch.c written.c)

ifeq ($(ARCH),x86)
ARCH_SRCS := $(X86_SRCS)
ARCH_NATIVE := arch/x86/guard.c arch/x86/detour_frame.c
# Where handlers may use vector registers.
ARCH_VECTORS := arch/x86/vectors.c
# Where stores to protected pages are done.
ARCH_STORES := arch/x86/store.c
ARCH_ASM := $(addprefix arch/x86/,entry.S return.S detour_entry.S vectors_entry.S \
	jprobe_call.S)
# Where return stubs call what they are of.
ARCH_CALLING := arch/x86/call_entry.S
ARCH_TABLES := $(B)/gen/insn_tables.h
# What it has not: instructions of a transaction are tried again.
ARCH_NONE := arch/none/around.c
endif

# The decoder's tables, from the opcode map.
$(B)/gen/insn_tables.h: arch/x86/insn/gen_tables.py arch/x86/insn/opcodes.map
	@mkdir -p $(@D)
	@$(PYTHON) $^ > $@.new
	@mv $@.new $@
