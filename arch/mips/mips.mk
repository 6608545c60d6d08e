# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What arch/mips is made of, for 32 and 64 bits, either byte order, release 1 to 6.
# MIPS_SRCS is pure.  Its tests (tests/mips) are built beside those of other processors.

MIPS_SRCS := $(addprefix arch/mips/,insn/insn.c classify.c refuse.c linked.c outofline.c \
	emulate.c trap.c) arch/words/region.c

# The decoder's tables, from the opcode map; beside those of other processors.
MIPS_TABLES := $(B)/gen/mips/opcode_tables.h
$(MIPS_TABLES): tools/insn-tables arch/mips/insn/opcodes.map
	@mkdir -p $(@D)
	@$(PYTHON) $^ > $@.new
	@mv $@.new $@
