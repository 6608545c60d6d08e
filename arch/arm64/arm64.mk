# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What arch/arm64 is made of.  ARM64_SRCS is pure; ARM64_NATIVE needs an arm64 CPU.
# Its tests (tests/arm64) are built beside those of other processors.

ARM64_SRCS := $(addprefix arch/arm64/,insn/insn.c classify.c refuse.c outofline.c emulate.c \
	exclusive.c monitor.c trap.c detour.c retaddr.c jprobe.c purity.c caller.c watch.c written.c) $(addprefix arch/shared/risc/,region.c standing.c)
ARM64_NATIVE := $(addprefix arch/arm64/,guard.c auth.c detour_frame.c)
# For hosts that can watch memory by its pages.
ARM64_STORES := arch/arm64/store.c
# Where handlers may use vector registers.
ARM64_VECTORS := arch/arm64/vectors.c
ARM64_ASM := $(addprefix arch/arm64/,entry.S return.S detour_entry.S vectors_entry.S \
	jprobe_call.S)

# The decoder's tables, from the opcode map.
ARM64_TABLES := $(B)/gen/opcode_tables.h
$(ARM64_TABLES): tools/insn-tables arch/arm64/insn/opcodes.map
	@mkdir -p $(@D)
	@$(PYTHON) $^ > $@.new
	@mv $@.new $@

ifeq ($(ARCH),arm64)
ARCH_SRCS := $(ARM64_SRCS)
ARCH_NATIVE := $(ARM64_NATIVE)
ARCH_VECTORS := $(ARM64_VECTORS)
ARCH_ASM := $(ARM64_ASM)
ARCH_STORES := $(ARM64_STORES)
ARCH_TABLES := $(ARM64_TABLES)
# What it has not.
ARCH_NONE := $(addprefix arch/none/,lean.c bare.c chain.c)
ARCH_FLAGS := -mno-outline-atomics -Iarch/none -Iarch/shared/risc
endif
