# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The A64 decoder's tests: examples, LLVM and objdump beside it, real execution.
# No build of the engine has arch/arm64 yet: here it is compiled for its tests alone.

A64_FLAGS := -Ihost/sim -Ihost/linux-user/include -Iarch/x86/include \
	     -Iarch/arm64 -Iarch/arm64/insn -I$(B)/gen -Itests/a64
A64_SRCS := arch/arm64/insn/insn.c arch/arm64/emulate.c arch/arm64/exclusive.c
A64_DEPS := $(A64_SRCS) $(wildcard arch/arm64/*.h arch/arm64/insn/*.h tests/a64/*.h) \
	    $(B)/gen/opcode_tables.h
A64_BIN := $(B)/tests/a64
A64_ORACLE_SRCS := $(addprefix tests/a64/,main.c oracle.c hear.c excuses.c)

# Debian's kernel for arm64, for make fuzz; and programs of the cross compiler's.
A64_LIBC := /usr/aarch64-linux-gnu/lib/libc.so.6
A64_LIBS := $(addprefix /usr/aarch64-linux-gnu/lib/,libc.so.6 libstdc++.so.6 libasan.so.8)
A64_COUNT ?= 300000

$(B)/gen/opcode_tables.h: arch/arm64/insn/gen_tables.py arch/arm64/insn/opcodes.map
	@mkdir -p $(@D)
	@$(PYTHON) $^ > $@.new
	@mv $@.new $@

$(A64_BIN)/test_a64: tests/a64/test_a64.c $(A64_DEPS)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(SANITIZE_FLAGS) $(A64_FLAGS) $< $(A64_SRCS) -lcmocka -o $@

$(A64_BIN)/oracle: $(A64_ORACLE_SRCS) $(A64_DEPS)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(A64_FLAGS) $(A64_ORACLE_SRCS) $(A64_SRCS) -l:libLLVM-15.so.1 -o $@

$(A64_BIN)/native: tests/a64/native.c $(A64_DEPS)
	@mkdir -p $(@D)
	@$(CROSS_CC) $(CFLAGS) -static $(A64_FLAGS) $< $(A64_SRCS) -o $@

## make check-a64   the A64 decoder: examples, LLVM and objdump beside it, real execution
.PHONY: check-a64 check-a64-examples fuzz-a64
check-insn: check-a64
check-a64: check-a64-examples $(A64_BIN)/oracle $(A64_BIN)/native
	@$(A64_BIN)/oracle text $(A64_LIBC)
	@$(A64_BIN)/oracle excuses 2000 $(INSN_SEED)
	@$(A64_BIN)/oracle rows 20 $(INSN_SEED)
	@$(A64_BIN)/oracle random $(A64_COUNT) $(INSN_SEED)
	@$(CROSS_RUN) $(A64_BIN)/native 200 $(INSN_SEED)

check-a64-examples: $(A64_BIN)/test_a64
	@tools/cmocka-lines $<

fuzz: fuzz-a64
fuzz-a64: $(A64_BIN)/oracle
	@kernel=$$(tests/a64/kernel.sh) && $< all $$kernel
	@$< text $(A64_LIBS)
	@$< rows 1000 $(INSN_SEED)
	@$< random $(FUZZ_COUNT) $(INSN_SEED)
