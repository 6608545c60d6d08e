# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The riscv64 port's tests: the decoder by examples, with LLVM and objdump beside it; real
# execution, by qemu.

RV_FLAGS := -Itests/riscv64 -Itests/shared/risc -Itests/oracle -Ihost/sim $(INCLUDES) -Ihost/linux-user/include \
	    -Iarch/riscv64/include -Iarch/riscv64 -Iarch/riscv64/insn -Iarch/none -Iarch/shared/risc -I$(B)/gen/riscv64
RV_SRCS := $(RISCV64_SRCS) $(RISCV64_STORES)
RV_DEPS := $(RV_SRCS) $(wildcard port/*.h arch/shared/risc/*.h arch/riscv64/*.h arch/riscv64/insn/*.h tests/riscv64/*.h tests/shared/*.h tests/shared/risc/*.h \
	   tests/oracle/*.h) $(RISCV64_TABLES)
RV_BIN := $(B)/tests/riscv64
RV_ORACLE_SRCS := $(ORACLE_SRCS) tests/riscv64/isa.c

# Programs of the cross compiler's; Debian's kernel for riscv64, for make fuzz.
RV_LIBC := /usr/riscv64-linux-gnu/lib/libc.so.6
RV_LIBS := $(addprefix /usr/riscv64-linux-gnu/lib/,libc.so.6 libstdc++.so.6 libasan.so.8)
RV_COUNT ?= 300000
RV_CC ?= riscv64-linux-gnu-gcc
RV_RUN ?= qemu-riscv64-static

$(RV_BIN)/oracle: $(RV_ORACLE_SRCS) $(RV_DEPS)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(RV_FLAGS) $(RV_ORACLE_SRCS) $(RV_SRCS) -l:libLLVM-15.so.1 -o $@

$(RV_BIN)/test_riscv64 $(RV_BIN)/test_port $(RV_BIN)/test_second: $(RV_BIN)/%: tests/riscv64/%.c $(RV_DEPS)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(SANITIZE_FLAGS) $(RV_FLAGS) $< $(RV_SRCS) -lcmocka -o $@

# Programs for riscv64, whose signal handlers run with any register in gp.
RV_PROGRAMS := native slots calls
RV_EXECUTING := $(addprefix tests/riscv64/,forms.c sandbox.c) $(RV_SRCS)
RV_native := $(RV_EXECUTING)
RV_slots := $(RV_EXECUTING)
RV_calls := tests/riscv64/keeps.S $(addprefix arch/riscv64/,guard.c entry.S jprobe.c jprobe_call.S vectors_entry.S)

$(RV_PROGRAMS:%=$(RV_BIN)/%): $(RV_BIN)/%: tests/riscv64/%.c $(wildcard tests/riscv64/*.[cS]) \
		$(RISCV64_NATIVE) $(RV_DEPS)
	@mkdir -p $(@D)
	@$(RV_CC) $(CFLAGS) -fno-stack-protector -static -Wl,--no-relax $(RV_FLAGS) $< \
		$(RV_$*) -o $@

$(RV_BIN)/regions: tests/oracle/regions.c tests/riscv64/regions.c $(RV_DEPS)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(SANITIZE_FLAGS) $(RV_FLAGS) $< tests/riscv64/regions.c $(RV_SRCS) -o $@

# The core with this port: all that is missing then is the host's.
RV_ENGINE := $(patsubst %,$(RV_BIN)/engine/%.o,$(basename $(CORE_SRCS) $(RV_SRCS) $(RISCV64_NATIVE) \
	     $(RISCV64_NONE)))
$(RV_BIN)/engine/%.o: %.c $(RV_DEPS)
	@mkdir -p $(@D)
	@$(RV_CC) $(CFLAGS) -fPIC -fvisibility=hidden $(RV_FLAGS) -MMD -MP -c $< -o $@
$(RV_BIN)/engine/%.o: %.S $(wildcard tests/riscv64/*.h tests/shared/*.h tests/shared/risc/*.h) $(RV_DEPS)
	@mkdir -p $(@D)
	@$(RV_CC) $(CFLAGS) -fPIC $(RV_FLAGS) -c $< -o $@
$(RV_BIN)/engine.o: $(RV_ENGINE)
	@$(RV_CC) -r -nostdlib $^ -o $@
-include $(RV_ENGINE:.o=.d)

## make check-riscv64-port    the riscv64 port: decoder, slots, emulation, guarded calls
.PHONY: check-riscv64-port fuzz-riscv64-port
check-insn: check-riscv64-port
check-riscv64-port: $(RV_BIN)/test_riscv64 $(RV_BIN)/test_port $(RV_BIN)/test_second $(RV_BIN)/engine.o $(RV_BIN)/regions $(RV_BIN)/oracle $(RV_PROGRAMS:%=$(RV_BIN)/%)
	@tools/cmocka-lines $<
	@tools/cmocka-lines $(RV_BIN)/test_port
	@tools/cmocka-lines $(RV_BIN)/test_second
	@tests/shared/risc/whole.sh $(RV_CC:%gcc=%nm) $(RV_BIN)/engine.o rv64
	@$(RV_BIN)/regions $(RV_LIBC)
	@$(RV_BIN)/oracle text $(RV_LIBC)
	@$(RV_BIN)/oracle halves
	@$(RV_BIN)/oracle excuses 200 $(INSN_SEED)
	@$(RV_BIN)/oracle rows 20 $(INSN_SEED)
	@$(RV_BIN)/oracle random $(RV_COUNT) $(INSN_SEED)
	@$(RV_RUN) $(RV_BIN)/native 200 $(INSN_SEED)
	@$(RV_RUN) $(RV_BIN)/slots 50 $(INSN_SEED)
	@$(RV_RUN) $(RV_BIN)/calls

# The engine in a riscv64 process: the conformance suite, tests of processes that need no real
# kernel, samples; and which registers the compiler has used.  What they say has the host's name
# in front (tools/conformance).
RV_MAKE = $(MAKE) --no-print-directory -s B=build/riscv64 ARCH=riscv64 CROSS_COMPILE=$(RV_CC:%gcc=%)
RV_PROCESS = $(RV_RUN) -L /usr/riscv64-linux-gnu -E LD_LIBRARY_PATH=build/riscv64
RV_LIVE := $(addprefix build/riscv64/tests/live/,returns frames lookups nothread coded)
RV_NAMED := sed 's/^\(ok\|not ok\) /\1 riscv64-process: /'
## make check-riscv64  the engine in a riscv64 process (by qemu): conformance and samples
.PHONY: check-riscv64
check-riscv64: SHELL := /bin/bash -o pipefail
check-riscv64:
	+@$(RV_MAKE) build/riscv64/libkprobes.so build/riscv64/tests/conformance \
		build/riscv64/kprobes.image build/riscv64/modules/trace.so >/dev/null
	@tools/structure build/riscv64 --image
	@tests/shared/risc/general.sh $(RV_CC:%gcc=%objdump) build/riscv64/libkprobes.so rv64
	@tests/conformance/said.sh riscv64-process $(abspath build/riscv64)/said.log \
		$(RV_PROCESS) build/riscv64/tests/conformance
	+@$(RV_MAKE) $(RV_LIVE) >/dev/null
	@RUNNER="$(RV_PROCESS)" tests/live/run $(RV_LIVE) | $(RV_NAMED)
	@tests/samples/run $(abspath build/riscv64) $(RV_CC) /usr/riscv64-linux-gnu

RV_MACHINE = tests/live/machine.sh riscv64 build/riscv64

# The same by breakpoints; 60 s of all at once; and in a real kernel the whole suite, a probe at
# each function of libc, all tests of the command.
.PHONY: check-torture-riscv64
check-torture-riscv64: torture-riscv64-kernels
check-torture-riscv64: SHELL := /bin/bash -o pipefail
check-torture-riscv64:
	+@$(RV_MAKE) build/riscv64/libkprobes.so build/riscv64/tests/conformance $(RV_LIVE) \
		build/riscv64/tests/live/torture >/dev/null
	@$(RV_PROCESS) -E T_BREAKPOINTS=1 build/riscv64/tests/conformance | $(RV_NAMED)
	@RUNNER="$(RV_PROCESS) -E T_BREAKPOINTS=1" tests/live/run $(RV_LIVE) | $(RV_NAMED)
	@$(RV_PROCESS) build/riscv64/tests/live/torture 60
	+@$(RV_MAKE) $(addprefix build/riscv64/tests/live/,entries marked.so) >/dev/null
	@FILES="live/marked.so=build/riscv64/tests/live/marked.so" $(RV_MACHINE) \
		$(addprefix build/riscv64/tests/,conformance live/entries) | $(RV_NAMED)
	+@FULL=1 $(MAKE) --no-print-directory check-riscv64-cli
	@for name in vectors vdso; do \
		$(RV_CC) $(CFLAGS) -rdynamic -Iinclude -Ihost/linux-user/include -Iarch/riscv64/include \
			-Itests/live tests/riscv64/$$name.c -Lbuild/riscv64 -lkprobes -pthread \
			-o build/riscv64/tests/$$name || exit 1; \
	done
	@CPU=rv64,v=true,vext_spec=v1.0,vlen=256 $(RV_MACHINE) build/riscv64/tests/vectors \
		build/riscv64/tests/vdso | $(RV_NAMED)

fuzz: fuzz-riscv64-port
fuzz-riscv64-port: $(RV_BIN)/oracle $(RV_BIN)/regions $(RV_PROGRAMS:%=$(RV_BIN)/%)
	@kernel=$$(tests/oracle/kernel.sh riscv64 sid) && $< all $$kernel
	@$< text $(RV_LIBS)
	@$(RV_BIN)/regions $(RV_LIBS)
	@$< rows 1000 $(INSN_SEED)
	@$< random $(FUZZ_COUNT) $(INSN_SEED)
	@$(RV_RUN) $(RV_BIN)/native 20000 $(INSN_SEED)
	@$(RV_RUN) $(RV_BIN)/slots 5000 $(INSN_SEED)
