# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The arm64 port's tests: the decoder by examples, with LLVM and objdump beside it; what
# is pure on any machine; real execution, by qemu.

# A decoder beside LLVM and objdump: what is common to processors.

A64_FLAGS := -Itests/arm64 -Itests/oracle -Ihost/sim $(INCLUDES) -Ihost/linux-user/include -Iarch/arm64/include \
	     -Iarch/arm64 -Iarch/arm64/insn -Iarch/none -Iarch/shared/risc -I$(B)/gen
A64_SRCS := arch/arm64/insn/insn.c arch/arm64/emulate.c arch/arm64/exclusive.c arch/shared/risc/region.c
A64_DEPS := $(ARM64_SRCS) $(wildcard port/*.h arch/shared/risc/*.h arch/arm64/*.h arch/arm64/insn/*.h tests/arm64/*.h tests/shared/*.h tests/oracle/*.h) \
	    $(ARM64_TABLES)
A64_BIN := $(B)/tests/arm64
A64_ORACLE_SRCS := $(ORACLE_SRCS) tests/arm64/isa.c tests/arm64/excuses.c

# Debian's kernel for arm64, for make fuzz; and programs of the cross compiler's.
A64_LIBC := /usr/aarch64-linux-gnu/lib/libc.so.6
A64_LIBS := $(addprefix /usr/aarch64-linux-gnu/lib/,libc.so.6 libstdc++.so.6 libasan.so.8)
A64_COUNT ?= 300000
# All that there is: signed addresses, guarded pages, vectors of any length.
A64_RUN = $(CROSS_RUN) -cpu max

$(A64_BIN)/test_arm64: tests/arm64/test_arm64.c $(A64_DEPS)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(SANITIZE_FLAGS) $(A64_FLAGS) $< $(A64_SRCS) -lcmocka -o $@

$(A64_BIN)/test_port $(A64_BIN)/test_code: $(A64_BIN)/%: tests/arm64/%.c $(A64_DEPS)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(SANITIZE_FLAGS) $(A64_FLAGS) $< $(ARM64_SRCS) -lcmocka -o $@

$(A64_BIN)/oracle: $(A64_ORACLE_SRCS) $(A64_DEPS)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(A64_FLAGS) $(A64_ORACLE_SRCS) $(A64_SRCS) -l:libLLVM-15.so.1 -o $@

# Programs for arm64, and what each is made of.
A64_PROGRAMS := native slots jumps calls unwind writes
A64_EXECUTING := tests/arm64/sandbox.c $(ARM64_SRCS) arch/arm64/auth.c
A64_WHOLE := $(ARM64_SRCS) $(ARM64_NATIVE) $(ARM64_VECTORS) $(ARM64_ASM)
A64_native := $(A64_EXECUTING)
A64_slots := tests/arm64/forms.c $(A64_EXECUTING)
A64_jumps := tests/arm64/forms.c tests/arm64/sandbox.c $(A64_WHOLE)
A64_calls := tests/arm64/keeps.S $(A64_WHOLE)
A64_unwind := $(A64_WHOLE)
A64_writes := $(A64_EXECUTING)
# Handlers that keep no vector registers use none, not even by a call of memcpy.
A64_jumps_FLAGS := -mgeneral-regs-only -fno-tree-loop-distribute-patterns

$(A64_PROGRAMS:%=$(A64_BIN)/%): $(A64_BIN)/%: tests/arm64/%.c $(wildcard tests/arm64/*.[cS]) \
		$(A64_WHOLE) $(A64_DEPS)
	@mkdir -p $(@D)
	@$(CROSS_CC) $(CFLAGS) $(A64_$*_FLAGS) -static $(A64_FLAGS) $< $(A64_$*) -o $@

## make check-arm64-port   the arm64 port: decoder, pure code, real execution
.PHONY: check-arm64-port check-arm64-port-examples fuzz-arm64-port
check-insn: check-arm64-port
check-arm64-port: check-arm64-port-examples $(A64_BIN)/oracle $(A64_PROGRAMS:%=$(A64_BIN)/%)
	@$(A64_BIN)/oracle text $(A64_LIBC)
	@$(A64_BIN)/oracle excuses 2000 $(INSN_SEED)
	@$(A64_BIN)/oracle rows 20 $(INSN_SEED)
	@$(A64_BIN)/oracle random $(A64_COUNT) $(INSN_SEED)
	@$(CROSS_RUN) $(A64_BIN)/native 200 $(INSN_SEED)
	@$(A64_RUN) $(A64_BIN)/slots 10 $(INSN_SEED)
	@$(A64_RUN) $(A64_BIN)/jumps 20 $(INSN_SEED)
	@$(A64_RUN) $(A64_BIN)/calls
	@$(A64_RUN) $(A64_BIN)/unwind
	@$(A64_RUN) $(A64_BIN)/writes 200 $(INSN_SEED)
	@$(CROSS_RUN) -cpu cortex-a57 $(A64_BIN)/calls

check-arm64-port-examples: $(A64_BIN)/test_arm64 $(A64_BIN)/test_port $(A64_BIN)/test_code
	@for t in $^; do tools/cmocka-lines $$t || exit 1; done

# The engine in an arm64 process, on a processor with all that there is, and an old one:
# the conformance suite by jumps and by breakpoints, and what is arm64's own.
ARM64_MAKE = $(MAKE) --no-print-directory -s B=build/arm64 ARCH=arm64 CROSS_COMPILE=$(CROSS_CC:%gcc=%)
ARM64_RUN = $(CROSS_RUN) -E LD_LIBRARY_PATH=build/arm64
# Tests of processes that need no real kernel; and those by breakpoints as well.
ARM64_LIVE_BOTH := $(addprefix build/arm64/tests/live/,returns frames families)
ARM64_LIVE := $(ARM64_LIVE_BOTH) $(addprefix build/arm64/tests/live/,lookups nothread)
## make check-arm64  the engine in an arm64 process (by qemu): conformance and more
.PHONY: check-arm64
check-arm64: $(A64_BIN)/writes
	@$(ARM64_MAKE) build/arm64/libkprobes.so build/arm64/tests/conformance \
		build/arm64/kprobes.image build/arm64/modules/trace.so
	@tools/structure build/arm64 --image
	@$(CROSS_CC) $(CFLAGS) -Iinclude -Ihost/linux-user/include -Iarch/arm64/include -rdynamic \
		tests/arm64/live.c -Lbuild/arm64 -lkprobes -lpthread -o build/arm64/live
	@for cpu in max cortex-a57; do \
		$(ARM64_RUN) -cpu $$cpu build/arm64/live || exit 1; \
		$(ARM64_RUN) -cpu $$cpu build/arm64/tests/conformance || exit 1; \
	done
	@rm -f build/arm64/said.log
	@KPROBES_LOG=3,$(abspath build/arm64)/said.log \
		$(ARM64_RUN) -cpu max -E T_BREAKPOINTS=1 build/arm64/tests/conformance
	@for words in "K-KNB-26 Kprobes globally disabled" "K-KNB-26 Kprobes globally enabled" \
			"K-KNB-56 kprobe jump-optimization is disabled" \
			"K-KNB-56 kprobe jump-optimization is enabled"; do \
		grep -q "kprobes: $${words#* }" build/arm64/said.log || \
			{ echo "not ok $$words: is not said"; exit 1; }; \
		echo "ok $$words: is said"; \
	done
	@$(ARM64_MAKE) $(ARM64_LIVE) >/dev/null
	@RUNNER="$(ARM64_RUN) -cpu max" tests/live/run $(ARM64_LIVE)
	@RUNNER="$(ARM64_RUN) -cpu cortex-a57 -E T_BREAKPOINTS=1" tests/live/run $(ARM64_LIVE_BOTH)
	@$(A64_RUN) $(A64_BIN)/writes 20 $(INSN_SEED) | sed 's/^\(ok\|not ok\) /\1 K-WAT-37 /'
	@tests/samples/run $(abspath build/arm64) $(CROSS_CC) /usr/aarch64-linux-gnu
	@$(ARM64_MAKE) build/arm64/tests/live/torture >/dev/null
	@$(ARM64_RUN) -cpu max build/arm64/tests/live/torture 3

# 60 s in an arm64 process by qemu, 60 s in one of a real arm64 kernel, and 60 s in each
# of two kernels.
.PHONY: check-torture-arm64
check-torture-arm64: torture-arm64-kernels
	@$(ARM64_MAKE) build/arm64/libkprobes.so build/arm64/tests/live/torture >/dev/null
	$(ARM64_RUN) -cpu max build/arm64/tests/live/torture 60
	tests/live/machine.sh arm64 build/arm64 "build/arm64/tests/live/torture 60"
	+@FULL=1 $(MAKE) --no-print-directory check-arm64-cli

fuzz: fuzz-arm64-port
fuzz-arm64-port: $(addprefix $(A64_BIN)/,oracle slots jumps writes)
	@kernel=$$(tests/oracle/kernel.sh arm64 bookworm) && $< all $$kernel
	@$< text $(A64_LIBS)
	@$< rows 1000 $(INSN_SEED)
	@$< random $(FUZZ_COUNT) $(INSN_SEED)
	@$(A64_RUN) $(A64_BIN)/slots 1000 $(INSN_SEED)
	@$(A64_RUN) $(A64_BIN)/jumps 1000 $(INSN_SEED)
	@$(A64_RUN) $(A64_BIN)/writes 50000 $(INSN_SEED)
