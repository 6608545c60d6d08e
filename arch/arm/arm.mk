# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What arch/arm is made of.  ARM_SRCS is pure; ARM_PORT is so too, and wants a struct pt_regs of 32
# bits.  Its tests (tests/arm) are built beside those of other processors.

ARM_SRCS := $(addprefix arch/arm/,insn/insn.c insn/a32.c insn/t32.c access.c emulate.c refuse.c reserved.c literal.c second.c) \
	    $(addprefix arch/shared/risc/,region.c second.c)
ARM_PORT := $(addprefix arch/arm/,classify.c outofline.c detour.c trap.c written.c) arch/shared/risc/standing.c
# For hosts that can watch memory by its pages.
ARM_STORES := arch/arm/store.c arch/arm/monitor.c
# These need an arm CPU with floating point.
ARM_NATIVE := $(addprefix arch/arm/,guard.c frame.c jprobe.c retaddr.c entry.S return.S detour_entry.S \
	      jprobe_call.S vectors_entry.S)

# What it has not.
ARM_NONE := $(addprefix arch/none/,lean.c code.c caller.c watch.c)

# The decoder's tables, from the two maps; beside those of other processors.
ARM_TABLES := $(B)/gen/arm/a32_tables.h $(B)/gen/arm/t32_tables.h
$(ARM_TABLES): $(B)/gen/arm/%_tables.h: tools/insn-tables arch/arm/insn/%.map
	@mkdir -p $(@D)
	@$(PYTHON) $^ > $@.new
	@mv $@.new $@

ifeq ($(ARCH),arm)
ARCH_SRCS := $(ARM_SRCS) $(ARM_PORT)
ARCH_NATIVE := $(filter %.c,$(ARM_NATIVE))
ARCH_ASM := $(filter %.S,$(ARM_NATIVE))
ARCH_TABLES := $(ARM_TABLES)
ARCH_STORES := $(ARM_STORES)
ARCH_NONE := $(ARM_NONE)
ARCH_FLAGS := -Iarch/none -Iarch/shared/risc -I$(B)/gen/arm
endif
