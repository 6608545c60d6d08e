# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What arch/mips is made of, for 32 and 64 bits, either byte order, release 1 to 6.
# MIPS_SRCS is pure; MIPS_NATIVE needs a MIPS CPU.  Its tests (tests/mips) are built beside those of other processors.

MIPS_SRCS := $(addprefix arch/mips/,insn/insn.c classify.c refuse.c linked.c outofline.c \
	emulate.c trap.c retaddr.c jprobe.c written.c store.c monitor.c second.c) $(addprefix arch/shared/risc/,region.c second.c standing.c)
MIPS_NATIVE := $(addprefix arch/mips/,guard.c frame.c vectors.c entry.S return.S jprobe_call.S vectors_entry.S)

# What it has not.
MIPS_NONE := $(addprefix arch/none/,jump.c slot_post.c chain.c lean.c code.c caller.c watch.c)

# The decoder's tables, from the opcode map; beside those of other processors.
MIPS_TABLES := $(B)/gen/mips/opcode_tables.h
$(MIPS_TABLES): tools/insn-tables arch/mips/insn/opcodes.map
	@mkdir -p $(@D)
	@$(PYTHON) $^ > $@.new
	@mv $@.new $@

ifeq ($(ARCH),mips)
ARCH_SRCS := $(MIPS_SRCS)
ARCH_NATIVE := $(filter %.c,$(MIPS_NATIVE))
ARCH_ASM := $(filter %.S,$(MIPS_NATIVE))
ARCH_TABLES := $(MIPS_TABLES)
ARCH_NONE := $(MIPS_NONE)
ARCH_FLAGS := -Iarch/none -Iarch/shared/risc -I$(B)/gen/mips
endif
