# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What arch/riscv64 is made of.  RISCV64_SRCS is pure; RISCV64_NATIVE needs a riscv64 CPU.
# Its tests (tests/riscv64) are built beside those of other processors.

RISCV64_SRCS := $(addprefix arch/riscv64/,insn/insn.c insn/long.c classify.c refuse.c reserved.c outofline.c \
	emulate.c trap.c detour.c retaddr.c jprobe.c monitor.c written.c second.c) $(addprefix arch/shared/risc/,region.c second.c standing.c)
RISCV64_NATIVE := $(addprefix arch/riscv64/,guard.c frame.c entry.S return.S detour_entry.S \
	jprobe_call.S vectors_entry.S)
# For hosts that can watch memory by its pages.
RISCV64_STORES := arch/riscv64/store.c

# What it has not.
RISCV64_NONE := $(addprefix arch/none/,lean.c code.c caller.c watch.c)

# The decoder's tables, from the opcode map; beside those of other processors.
RISCV64_TABLES := $(B)/gen/riscv64/opcode_tables.h
$(RISCV64_TABLES): tools/insn-tables arch/riscv64/insn/opcodes.map
	@mkdir -p $(@D)
	@$(PYTHON) $^ > $@.new
	@mv $@.new $@

ifeq ($(ARCH),riscv64)
ARCH_SRCS := $(RISCV64_SRCS)
ARCH_NATIVE := $(filter %.c,$(RISCV64_NATIVE))
ARCH_ASM := $(filter %.S,$(RISCV64_NATIVE))
ARCH_TABLES := $(RISCV64_TABLES)
ARCH_STORES := $(RISCV64_STORES)
ARCH_NONE := $(RISCV64_NONE)
ARCH_FLAGS := -Iarch/none -Iarch/shared/risc -I$(B)/gen/riscv64
endif
