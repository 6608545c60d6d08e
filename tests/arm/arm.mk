# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The arm port's tests: the decoder by examples, with LLVM and objdump beside it, for each of
# the two instruction sets; real execution, by qemu.

ARM_FLAGS := -Itests/arm -Itests/shared/risc -Itests/oracle -Ihost/sim $(INCLUDES) -Ihost/linux-user/include \
	     -Iarch/arm/include -Iarch/arm -Iarch/arm/insn -Iarch/none -Iarch/shared/risc -I$(B)/gen/arm
ARM_DEPS := $(ARM_SRCS) $(ARM_STORES) $(wildcard port/*.h arch/shared/risc/*.h arch/arm/*.h arch/arm/insn/*.h tests/arm/*.h tests/shared/*.h tests/shared/risc/*.h \
	    tests/oracle/*.h) $(ARM_TABLES)
ARM_BIN := $(B)/tests/arm
ARM_ORACLE_SRCS := $(filter-out tests/oracle/row.c,$(ORACLE_SRCS)) tests/arm/hear.c

# Programs of the cross compiler's; Debian's kernel for armhf, for make fuzz.
ARM_LIBC := /usr/arm-linux-gnueabihf/lib/libc.so.6
ARM_COUNT ?= 150000
ARM_CC ?= arm-linux-gnueabihf-gcc
ARM_RUN ?= qemu-arm-static -cpu max

$(ARM_BIN)/oracle-a32 $(ARM_BIN)/oracle-t32: $(ARM_BIN)/oracle-%: tests/arm/%.c $(ARM_ORACLE_SRCS) $(ARM_DEPS)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(ARM_FLAGS) $< $(ARM_ORACLE_SRCS) $(ARM_SRCS) -l:libLLVM-15.so.1 -o $@

$(ARM_BIN)/test_arm $(ARM_BIN)/test_second: $(ARM_BIN)/%: tests/arm/%.c $(ARM_DEPS)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(SANITIZE_FLAGS) $(ARM_FLAGS) $< $(ARM_SRCS) -lcmocka -o $@

$(ARM_BIN)/coverage: tests/arm/coverage.c $(ARM_DEPS)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(SANITIZE_FLAGS) $(ARM_FLAGS) $< $(ARM_SRCS) -o $@

# All of the C library's code, with the symbols that tell it from data: no shared one has them.
$(ARM_BIN)/libc.o: $(ARM_LIBC:%.so.6=%.a)
	@mkdir -p $(@D)
	@$(ARM_CC:%gcc=%ld) -r -z muldefs --whole-archive $< -o $@ 2>/dev/null

# Programs for arm, themselves of A32: their signal handlers return to either set.  And one of T32.
ARM_PROGRAMS := native slots stores calls calls-thumb
ARM_EXECUTING := $(addprefix tests/arm/,forms.c sandbox.c) $(ARM_PORT) $(ARM_SRCS)
ARM_native := -marm tests/arm/native.c $(ARM_EXECUTING)
ARM_slots := -marm tests/arm/slots.c $(ARM_EXECUTING)
ARM_stores := -marm tests/arm/stores.c $(ARM_STORES) $(ARM_EXECUTING)
ARM_calls := -marm tests/arm/calls.c tests/arm/keeps.S $(ARM_NATIVE) $(ARM_PORT) $(ARM_SRCS)
ARM_calls-thumb := -mthumb $(wordlist 2,99,$(ARM_calls))

$(ARM_PROGRAMS:%=$(ARM_BIN)/%): $(ARM_BIN)/%: $(wildcard tests/arm/*.[cS]) $(ARM_PORT) $(ARM_NATIVE) $(ARM_DEPS)
	@mkdir -p $(@D)
	@$(ARM_CC) $(CFLAGS) -D_GNU_SOURCE -fno-stack-protector -static $(ARM_FLAGS) $(ARM_$*) -o $@

# The core with this port: all that is missing then is the host's.
ARM_ENGINE := $(patsubst %,$(ARM_BIN)/engine/%.o,$(basename $(CORE_SRCS) $(ARM_SRCS) $(ARM_PORT) $(ARM_NATIVE) \
	      $(ARM_NONE)))
$(ARM_BIN)/engine/%.o: %.c $(ARM_DEPS)
	@mkdir -p $(@D)
	@$(ARM_CC) $(CFLAGS) -marm -fPIC -fvisibility=hidden $(ARM_FLAGS) -MMD -MP -c $< -o $@
$(ARM_BIN)/engine/%.o: %.S $(wildcard tests/arm/*.h) $(ARM_DEPS)
	@mkdir -p $(@D)
	@$(ARM_CC) $(CFLAGS) -marm -fPIC $(ARM_FLAGS) -c $< -o $@
$(ARM_BIN)/engine.o: $(ARM_ENGINE)
	@$(ARM_CC) -r -nostdlib $^ -o $@
-include $(ARM_ENGINE:.o=.d)

## make check-arm-port  the arm port: decoder, slots, emulation, guarded calls, returns
.PHONY: check-arm-port fuzz-arm
check-insn: check-arm-port
check-arm-port: SHELL := /bin/bash -o pipefail
check-arm-port: $(ARM_BIN)/test_arm $(ARM_BIN)/test_second $(ARM_BIN)/oracle-a32 $(ARM_BIN)/oracle-t32 \
		$(ARM_PROGRAMS:%=$(ARM_BIN)/%) $(ARM_BIN)/coverage $(ARM_BIN)/libc.o $(ARM_BIN)/engine.o
	@for t in $(wordlist 1,2,$^); do tools/cmocka-lines $$t || exit 1; done
	@tests/shared/risc/whole.sh $(ARM_CC:%gcc=%nm) $(ARM_BIN)/engine.o arm
	@$(ARM_BIN)/coverage $(ARM_BIN)/libc.o
	@$(ARM_BIN)/oracle-t32 text $(ARM_LIBC)
	@$(ARM_BIN)/oracle-t32 halves
	@for set in a32 t32; do \
		$(ARM_BIN)/oracle-$$set excuses 400 $(INSN_SEED) && \
		$(ARM_BIN)/oracle-$$set rows 10 $(INSN_SEED) && \
		$(ARM_BIN)/oracle-$$set random $(ARM_COUNT) $(INSN_SEED) || exit; \
	done
	@$(ARM_RUN) $(ARM_BIN)/native 200 $(INSN_SEED)
	@$(ARM_RUN) $(ARM_BIN)/slots 50 $(INSN_SEED)
	@$(ARM_RUN) $(ARM_BIN)/stores 100 $(INSN_SEED)
	@$(ARM_RUN) $(ARM_BIN)/calls
	@$(ARM_RUN) $(ARM_BIN)/calls-thumb | sed 's/arm-calls/arm-thumb-calls/'

fuzz: fuzz-arm
fuzz-arm: $(ARM_BIN)/oracle-a32 $(ARM_BIN)/oracle-t32 $(ARM_PROGRAMS:%=$(ARM_BIN)/%)
	@kernel=$$(tests/oracle/kernel.sh armhf bookworm) && for set in a32 t32; do \
		$(ARM_BIN)/oracle-$$set all $$kernel && \
		$(ARM_BIN)/oracle-$$set text $(ARM_LIBC) && \
		$(ARM_BIN)/oracle-$$set rows 1000 $(INSN_SEED) && \
		$(ARM_BIN)/oracle-$$set random $(FUZZ_COUNT) $(INSN_SEED) || exit; \
	done
	@$(ARM_RUN) $(ARM_BIN)/native 20000 $(INSN_SEED)
	@$(ARM_RUN) $(ARM_BIN)/slots 5000 $(INSN_SEED)
	@$(ARM_RUN) $(ARM_BIN)/stores 20000 $(INSN_SEED)

# The engine in an arm process: the conformance suite, of A32 and of Thumb, tests of processes that need no real
# kernel, samples, which are of Thumb.  What they say has the host's name in front (tools/conformance).
ARM_MAKE = $(MAKE) --no-print-directory -s B=build/arm ARCH=arm CROSS_COMPILE=$(ARM_CC:%gcc=%)
ARM_PROCESS = $(ARM_RUN) -L /usr/arm-linux-gnueabihf -E LD_LIBRARY_PATH=build/arm
ARM_LIVE := $(addprefix build/arm/tests/live/,objects returns frames coded helpers)
ARM_NAMED := sed 's/^\(ok\|not ok\) /\1 arm-process: /'
## make check-arm   the engine in an arm process (by qemu): conformance and samples
.PHONY: check-arm
check-arm: SHELL := /bin/bash -o pipefail
check-arm:
	+@$(ARM_MAKE) build/arm/libkprobes.so build/arm/tests/conformance \
		build/arm/kprobes.image build/arm/modules/trace.so >/dev/null
	@tools/structure build/arm --image
	@tests/conformance/said.sh arm-process $(abspath build/arm)/said.log \
		$(ARM_PROCESS) build/arm/tests/conformance
	+@$(ARM_MAKE) build/arm/tests/thumb/conformance >/dev/null
	@$(ARM_PROCESS) build/arm/tests/thumb/conformance | $(ARM_NAMED)
	+@$(ARM_MAKE) $(ARM_LIVE) >/dev/null
	@RUNNER="$(ARM_PROCESS)" tests/live/run $(ARM_LIVE) | $(ARM_NAMED)
	@tests/samples/run $(abspath build/arm) $(ARM_CC) /usr/arm-linux-gnueabihf

ifeq ($(ARCH),arm)
$(addprefix $(B)/tests/live/,unaligned helpers literals): $(B)/tests/live/%: tests/arm/%.c $(LIVE_H) $(B)/libkprobes.so
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(LIVE_FLAGS) -Itests/live $< -o $@ -lkprobes -pthread
endif

# In a process of a real kernel: memory that is watched by its pages, which QEMU's emulation of
# processes cannot map twice.  By ARM_TOPICS= all of the suite.  Debian's kernel takes minutes to
# come up, and has nothing more for it (ARM_KERNEL=stock-armhf).
ARM_KERNEL := small-armhf
ARM_TOPICS := watching
## make check-arm-machine  the engine in a process of an armhf kernel (QEMU)
.PHONY: check-arm-machine
check-arm-machine: SHELL := /bin/bash -o pipefail
check-arm-machine:
	+@$(ARM_MAKE) build/arm/libkprobes.so \
		$(addprefix build/arm/tests/,conformance live/marked.so live/paged live/paged_life live/unaligned live/helpers live/literals) >/dev/null
	@KERNEL=$(ARM_KERNEL) SETTINGS=T_FEW=4 FILES="live/marked.so=build/arm/tests/live/marked.so marked.so=build/arm/tests/live/marked.so \
		libgcc_s.so.1=/usr/arm-linux-gnueabihf/lib/libgcc_s.so.1 libm.so.6=/usr/arm-linux-gnueabihf/lib/libm.so.6" \
		tests/live/machine.sh armhf build/arm \
		build/arm/tests/live/paged build/arm/tests/live/paged_life build/arm/tests/live/unaligned \
		"build/arm/tests/live/helpers pages" build/arm/tests/live/literals \
		"build/arm/tests/conformance $(ARM_TOPICS)" | $(ARM_NAMED)

# The same by breakpoints; the command in all; 60 s of all at once: libc is of Thumb, the program of A32.
.PHONY: check-torture-arm
check-torture-arm: torture-armhf-kernels check-arm-machine
check-torture-arm: SHELL := /bin/bash -o pipefail
check-torture-arm:
	+@$(ARM_MAKE) build/arm/libkprobes.so build/arm/tests/conformance build/arm/tests/thumb/conformance \
		$(ARM_LIVE) build/arm/tests/live/torture >/dev/null
	@for set in tests tests/thumb; do \
		$(ARM_PROCESS) -E T_BREAKPOINTS=1 build/arm/$$set/conformance | $(ARM_NAMED) || exit; \
	done
	@RUNNER="$(ARM_PROCESS) -E T_BREAKPOINTS=1" tests/live/run $(ARM_LIVE) | $(ARM_NAMED)
	@$(ARM_PROCESS) build/arm/tests/live/torture 60
	+@FULL=1 $(MAKE) --no-print-directory check-arm-cli
