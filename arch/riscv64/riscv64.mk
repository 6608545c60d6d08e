# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What arch/riscv64 is made of so far: decoder, emulation, regions.  No host is built of it
# yet.
# Its tests are in tests/rv.

RISCV64_SRCS := $(addprefix arch/riscv64/,insn/insn.c emulate.c reserved.c) arch/words/region.c

# The decoder's tables, from the opcode map; beside those of other processors.
RISCV64_TABLES := $(B)/gen/riscv64/opcode_tables.h
$(RISCV64_TABLES): tools/insn-tables arch/riscv64/insn/opcodes.map
	@mkdir -p $(@D)
	@$(PYTHON) $^ > $@.new
	@mv $@.new $@
