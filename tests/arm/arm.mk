# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The arm port's tests: the decoder by examples, with LLVM and objdump beside it, for each of
# the two instruction sets.

ARM_FLAGS := -Itests/arm -Itests/oracle -Ihost/sim $(INCLUDES) -Ihost/linux-user/include \
	     -Iarch/arm/include -Iarch/arm -Iarch/arm/insn -Iarch/none -Iarch/words -I$(B)/gen/arm
ARM_DEPS := $(ARM_SRCS) $(wildcard port/*.h arch/words/*.h arch/arm/*.h arch/arm/insn/*.h tests/arm/*.h \
	    tests/oracle/*.h) $(ARM_TABLES)
ARM_BIN := $(B)/tests/arm
ARM_ORACLE_SRCS := $(filter-out tests/oracle/row.c,$(ORACLE_SRCS)) tests/arm/hear.c

# Programs of the cross compiler's; Debian's kernel for armhf, for make fuzz.
ARM_LIBC := /usr/arm-linux-gnueabihf/lib/libc.so.6
ARM_COUNT ?= 150000

$(ARM_BIN)/oracle-a32 $(ARM_BIN)/oracle-t32: $(ARM_BIN)/oracle-%: tests/arm/%.c $(ARM_ORACLE_SRCS) $(ARM_DEPS)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(ARM_FLAGS) $< $(ARM_ORACLE_SRCS) $(ARM_SRCS) -l:libLLVM-15.so.1 -o $@

$(ARM_BIN)/test_arm: tests/arm/test_arm.c $(ARM_DEPS)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(SANITIZE_FLAGS) $(ARM_FLAGS) $< $(ARM_SRCS) -lcmocka -o $@

## make check-arm-port  the arm port: its decoder
.PHONY: check-arm-port fuzz-arm
check-insn: check-arm-port
check-arm-port: $(ARM_BIN)/test_arm $(ARM_BIN)/oracle-a32 $(ARM_BIN)/oracle-t32
	@tools/cmocka-lines $<
	@$(ARM_BIN)/oracle-t32 text $(ARM_LIBC)
	@$(ARM_BIN)/oracle-t32 halves
	@for set in a32 t32; do \
		$(ARM_BIN)/oracle-$$set excuses 400 $(INSN_SEED) && \
		$(ARM_BIN)/oracle-$$set rows 10 $(INSN_SEED) && \
		$(ARM_BIN)/oracle-$$set random $(ARM_COUNT) $(INSN_SEED) || exit; \
	done

fuzz: fuzz-arm
fuzz-arm: $(ARM_BIN)/oracle-a32 $(ARM_BIN)/oracle-t32
	@kernel=$$(tests/oracle/kernel.sh armhf bookworm) && for set in a32 t32; do \
		$(ARM_BIN)/oracle-$$set all $$kernel && \
		$(ARM_BIN)/oracle-$$set text $(ARM_LIBC) && \
		$(ARM_BIN)/oracle-$$set rows 1000 $(INSN_SEED) && \
		$(ARM_BIN)/oracle-$$set random $(FUZZ_COUNT) $(INSN_SEED) || exit; \
	done
