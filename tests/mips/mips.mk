# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The MIPS port's tests: the decoder by examples, with LLVM and objdump beside it, for each
# kind of processor; real execution, by qemu.

MIPS_FLAGS := -Itests/mips -Itests/shared/risc -Itests/oracle -Ihost/sim $(INCLUDES) -Ihost/linux-user/include \
	      -Iarch/mips/include -Iarch/mips -Iarch/mips/insn -Iarch/none -Iarch/shared/risc -I$(B)/gen/mips
MIPS_DEPS := $(MIPS_SRCS) $(wildcard port/*.h arch/shared/risc/*.h arch/mips/*.h arch/mips/insn/*.h tests/mips/*.h tests/shared/*.h tests/shared/risc/*.h \
	     tests/oracle/*.h) $(MIPS_TABLES)
MIPS_BIN := $(B)/tests/mips
MIPS_ORACLE_SRCS := $(ORACLE_SRCS) tests/mips/isa.c

# Programs of the cross compilers'.
MIPS_LIBC := /usr/mipsel-linux-gnu/lib/libc.so.6
MIPS_LIBC64 := /usr/mips64el-linux-gnuabi64/lib/libc.so.6
MIPS_LIBC_BIG := /usr/mips-linux-gnu/lib/libc.so.6
MIPS_COUNT ?= 100000

# One for each kind of processor: enum kp_mips_modes.
MIPS_MODES := 0 1 2 3
MIPS_ORACLES := $(MIPS_MODES:%=$(MIPS_BIN)/oracle%)
$(MIPS_ORACLES): $(MIPS_BIN)/oracle%: $(MIPS_ORACLE_SRCS) $(MIPS_DEPS)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(MIPS_FLAGS) -DMODES=$* $(MIPS_ORACLE_SRCS) arch/mips/insn/insn.c -l:libLLVM-15.so.1 -o $@

$(MIPS_BIN)/test_mips $(MIPS_BIN)/test_mips_port $(MIPS_BIN)/test_second: $(MIPS_BIN)/%: tests/mips/%.c $(MIPS_DEPS)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(SANITIZE_FLAGS) $(MIPS_FLAGS) $< $(MIPS_SRCS) arch/none/jump.c -lcmocka -o $@

$(MIPS_BIN)/regions: tests/oracle/regions.c tests/mips/regions.c $(MIPS_DEPS)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(SANITIZE_FLAGS) $(MIPS_FLAGS) $< tests/mips/regions.c $(MIPS_SRCS) -o $@

# Code of the other byte order, as this one's words.
$(MIPS_BIN)/big.bin: $(MIPS_LIBC_BIG)
	@mkdir -p $(@D)
	@mips-linux-gnu-objcopy -O binary -j .text --reverse-bytes=4 $< $@

# Programs for MIPS, by the name of their qemu; its first processor of 64 bits cannot round.
MIPS_CC_mipsel := mipsel-linux-gnu-gcc
MIPS_CC_mips64el := mips64el-linux-gnuabi64-gcc
MIPS_CC_mips := mips-linux-gnu-gcc
MIPS_CC_mips64 := mips64-linux-gnuabi64-gcc
MIPS_CPU_mips64el := -cpu MIPS64R2-generic
MIPS_CPU_mips64 := $(MIPS_CPU_mips64el)
MIPS_KINDS := mipsel mips64el mips mips64
MIPS_SLOTS := $(MIPS_KINDS:%=$(MIPS_BIN)/slots-%)
MIPS_CALLS := $(MIPS_KINDS:%=$(MIPS_BIN)/calls-%)
MIPS_STORES := $(MIPS_KINDS:%=$(MIPS_BIN)/stores-%)
$(MIPS_STORES): $(MIPS_BIN)/stores-%: tests/mips/stores.c $(MIPS_DEPS)
	@mkdir -p $(@D)
	@$(MIPS_CC_$*) $(CFLAGS) -static $(MIPS_FLAGS) $< $(MIPS_SRCS) -o $@
$(MIPS_SLOTS): $(MIPS_BIN)/slots-%: tests/mips/slots.c tests/mips/sandbox.c $(MIPS_DEPS)
	@mkdir -p $(@D)
	@$(MIPS_CC_$*) $(CFLAGS) -static $(MIPS_FLAGS) $< tests/mips/sandbox.c $(MIPS_SRCS) -o $@
$(MIPS_CALLS): $(MIPS_BIN)/calls-%: tests/mips/calls.c tests/mips/keeps.S $(MIPS_NATIVE) $(MIPS_DEPS)
	@mkdir -p $(@D)
	@$(MIPS_CC_$*) $(CFLAGS) -static $(MIPS_FLAGS) $< tests/mips/keeps.S $(MIPS_NATIVE) $(MIPS_SRCS) -o $@
# Words of 64 bits where there are none.
MIPS_HALVES := $(MIPS_BIN)/halves-mipsel $(MIPS_BIN)/halves-mips
$(MIPS_HALVES): $(MIPS_BIN)/halves-%: tests/mips/halves.c trace/shared/split64/halves.c $(wildcard trace/vm/*.h trace/shared/split64/*.h trace/read/kt_wait.h)
	@mkdir -p $(@D)
	@$(MIPS_CC_$*) $(CFLAGS) -D_GNU_SOURCE -static -Itrace -Itrace/vm -Itrace/mips -Itrace/read -Itrace/module/user \
		-Ihost/linux-user/include -Iinclude -Iarch/mips/include $(filter %.c,$^) -o $@ -lpthread
mips_run = $(foreach kind,$(MIPS_KINDS),qemu-$(kind)-static $(MIPS_CPU_$(kind)) $(MIPS_BIN)/$(1)-$(kind) $(2);)

# Of release 6 there is no libc: one of its headers is missing, too.
MIPS_RELEASE6 := -march=mips64r6 -mno-abicalls -fno-pic -G0 -ffreestanding -fno-builtin -nostdlib \
		 -fno-tree-loop-distribute-patterns -Wl,-e,__start -I$(MIPS_BIN)/release6
$(MIPS_BIN)/slots-release6: tests/mips/slots.c tests/mips/sandbox.c tests/mips/bare.c $(MIPS_DEPS)
	@mkdir -p $(MIPS_BIN)/release6/gnu
	@: >$(MIPS_BIN)/release6/gnu/stubs-n64_hard_2008.h
	@$(MIPS_CC_mips64el) $(CFLAGS) -static $(MIPS_RELEASE6) $(MIPS_FLAGS) $(filter %.c,$(wordlist 1,3,$^)) $(MIPS_SRCS) -o $@
mips_run6 = qemu-mips64el-static -cpu I6400 $(MIPS_BIN)/slots-release6 $(1)

# The core with this port: all that is missing then is the host's.
MIPS_ENGINE_SRCS := $(CORE_SRCS) $(MIPS_SRCS) $(MIPS_NATIVE) $(MIPS_NONE)
define mips_engine
MIPS_ENGINE_$(1) := $$(patsubst %,$(MIPS_BIN)/engine-$(1)/%.o,$$(basename $$(MIPS_ENGINE_SRCS)))
$(MIPS_BIN)/engine-$(1)/%.o: %.c $$(MIPS_DEPS)
	@mkdir -p $$(@D)
	@$$(MIPS_CC_$(1)) $$(CFLAGS) -fPIC -fvisibility=hidden $$(MIPS_FLAGS) -MMD -MP -c $$< -o $$@
$(MIPS_BIN)/engine-$(1)/%.o: %.S $$(wildcard tests/mips/*.h) $$(MIPS_DEPS)
	@mkdir -p $$(@D)
	@$$(MIPS_CC_$(1)) $$(CFLAGS) -fPIC $$(MIPS_FLAGS) -c $$< -o $$@
$(MIPS_BIN)/engine-$(1).o: $$(MIPS_ENGINE_$(1))
	@$$(MIPS_CC_$(1)) -r -nostdlib $$^ -o $$@
-include $$(MIPS_ENGINE_$(1):.o=.d)
endef
$(foreach kind,mipsel mips64el,$(eval $(call mips_engine,$(kind))))

## make check-mips-port  the MIPS port: decoder, slots, emulation, guarded calls, returns
.PHONY: check-mips-port fuzz-mips
check-insn: check-mips-port
check-mips-port: $(MIPS_BIN)/test_mips $(MIPS_BIN)/test_mips_port $(MIPS_BIN)/test_second $(MIPS_ORACLES) $(MIPS_BIN)/big.bin $(MIPS_SLOTS) $(MIPS_CALLS) \
		$(MIPS_STORES) $(MIPS_HALVES) $(MIPS_BIN)/slots-release6 $(MIPS_BIN)/regions \
		$(MIPS_BIN)/engine-mipsel.o $(MIPS_BIN)/engine-mips64el.o
	@tools/cmocka-lines $<
	@tools/cmocka-lines $(MIPS_BIN)/test_mips_port
	@tools/cmocka-lines $(MIPS_BIN)/test_second
	@$(MIPS_BIN)/regions $(MIPS_LIBC64)
	@set -e; $(call mips_run,slots,30 $(INSN_SEED))
	@$(call mips_run6,30 $(INSN_SEED))
	@set -e; $(call mips_run,calls)
	@set -e; $(call mips_run,stores)
	@set -e; for kind in mipsel mips; do qemu-$$kind-static $(MIPS_BIN)/halves-$$kind; done
	@tests/shared/risc/whole.sh mips64el-linux-gnuabi64-nm $(MIPS_BIN)/engine-mips64el.o mips64
	@tests/shared/risc/whole.sh mipsel-linux-gnu-nm $(MIPS_BIN)/engine-mipsel.o mips32 '__atomic_.*_8'
	@$(MIPS_BIN)/oracle0 text $(MIPS_LIBC)
	@$(MIPS_BIN)/oracle0 all $(MIPS_BIN)/big.bin
	@$(MIPS_BIN)/oracle2 text $(MIPS_LIBC64)
	@set -e; for mode in $(MIPS_MODES); do \
		$(MIPS_BIN)/oracle$$mode excuses 300 $(INSN_SEED); \
		$(MIPS_BIN)/oracle$$mode rows 20 $(INSN_SEED); \
		$(MIPS_BIN)/oracle$$mode random $(MIPS_COUNT) $(INSN_SEED); \
	done

fuzz: fuzz-mips
fuzz-mips: $(MIPS_ORACLES) $(MIPS_SLOTS) $(MIPS_BIN)/slots-release6
	@$(MIPS_BIN)/regions $(MIPS_LIBC64)
	@set -e; $(call mips_run,slots,3000 $(INSN_SEED))
	@$(call mips_run6,3000 $(INSN_SEED))
	@kernel=$$(tests/oracle/kernel.sh mipsel bookworm) && $(MIPS_BIN)/oracle0 all $$kernel
	@kernel=$$(tests/oracle/kernel.sh mips64el bookworm) && $(MIPS_BIN)/oracle2 all $$kernel
	@set -e; for mode in $(MIPS_MODES); do \
		$(MIPS_BIN)/oracle$$mode rows 1000 $(INSN_SEED); \
		$(MIPS_BIN)/oracle$$mode random $(FUZZ_COUNT) $(INSN_SEED); \
	done

# The engine in a MIPS process, of each width and byte order: the conformance suite, samples;
# and which registers the compiler has used.  What
# they say has the host's name in front (tools/conformance).
MIPS_ROOT_mipsel := /usr/mipsel-linux-gnu
MIPS_ROOT_mips64el := /usr/mips64el-linux-gnuabi64
MIPS_ROOT_mips := /usr/mips-linux-gnu
MIPS_ROOT_mips64 := /usr/mips64-linux-gnuabi64
MIPS_B_mipsel := build/mips
MIPS_B_mips64el := build/mips64el
MIPS_B_mips := build/mipseb
MIPS_B_mips64 := build/mips64eb
mips_make = $(MAKE) --no-print-directory -s B=$(MIPS_B_$(1)) ARCH=mips CROSS_COMPILE=$(MIPS_CC_$(1):%gcc=%)
mips_process = qemu-$(1)-static $(MIPS_CPU_$(1)) -L $(MIPS_ROOT_$(1)) -E LD_LIBRARY_PATH=$(MIPS_B_$(1))

MIPS_PROCESSES := $(MIPS_KINDS:%=mips-process-%)
.PHONY: $(MIPS_PROCESSES)
$(MIPS_PROCESSES): SHELL := /bin/bash -o pipefail
$(MIPS_PROCESSES): mips-process-%:
	+@$(call mips_make,$*) $(MIPS_B_$*)/libkprobes.so $(MIPS_B_$*)/tests/conformance >/dev/null
	@tests/shared/risc/general.sh $(MIPS_CC_$*:%gcc=%objdump) $(MIPS_B_$*)/libkprobes.so $*
	@tests/conformance/said.sh mips-process $(abspath $(MIPS_B_$*))/said.log \
		$(call mips_process,$*) $(MIPS_B_$*)/tests/conformance

# Tests of processes that need no real kernel.
MIPS_LIVE := $(addprefix build/mips64el/tests/live/,returns frames delayed)
MIPS_NAMED := sed 's/^\(ok\|not ok\) /\1 mips-process: /'

ifeq ($(ARCH),mips)
$(B)/tests/live/delayed: tests/mips/delayed.c $(LIVE_H) $(B)/libkprobes.so
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(LIVE_FLAGS) -Itests/live $< -o $@ -lkprobes -pthread
endif

# Of 32 bits it is run in a real kernel (check-mips-machine32), and by hand: QEMU 7.2 ends itself
# here in most runs, by an assertion of its own (include/qemu/rcu.h, depth), where an object is
# unloaded; what comes to its end passes.
## make check-mips  the engine in a mips64el process (by qemu): conformance and samples; big-endian: conformance
.PHONY: check-mips
check-mips: SHELL := /bin/bash -o pipefail
check-mips: mips-process-mips64el mips-process-mips64
	+@$(call mips_make,mips64el) $(MIPS_LIVE) build/mips64el/kprobes.image \
		build/mips64el/modules/trace.so >/dev/null
	@tools/structure build/mips64el --image
	@RUNNER="$(call mips_process,mips64el) -E T_BREAKPOINTS=1" tests/live/run $(MIPS_LIVE) | $(MIPS_NAMED)
	@tests/samples/run $(abspath build/mips64el) $(MIPS_CC_mips64el) $(MIPS_ROOT_mips64el)

# What qemu-user cannot show, as check-mips-cli has it in make check; by MIPS_TOPICS= all of the
# suite.  Memory is watched by its pages in 64 bits.
MIPS_TOPICS := watching
MIPS_MACHINE_mips64el := live/paged live/paged_life
MIPS_MACHINES := check-mips-machine check-mips-machine32
## make check-mips-machine  the engine in a process of Debian's mips64el kernel (QEMU); check-mips-machine32: mipsel
.PHONY: $(MIPS_MACHINES)
$(MIPS_MACHINES): SHELL := /bin/bash -o pipefail
check-mips-machine: KIND := mips64el
check-mips-machine32: KIND := mipsel
$(MIPS_MACHINES): BUILT = $(MIPS_B_$(KIND))
$(MIPS_MACHINES): MORE = $(addprefix $(BUILT)/tests/,$(MIPS_MACHINE_$(KIND)))
$(MIPS_MACHINES):
	+@$(call mips_make,$(KIND)) $(BUILT)/libkprobes.so $(addprefix $(BUILT)/tests/,conformance live/objects \
		live/comes.so live/delayed) $(MORE) >/dev/null
	@SETTINGS=T_FEW=4 FILES="live/marked.so=$(BUILT)/tests/live/marked.so comes.so=$(BUILT)/tests/live/comes.so \
		marked.so=$(BUILT)/tests/live/marked.so libgcc_s.so.1=$(MIPS_ROOT_$(KIND))/lib/libgcc_s.so.1" \
		tests/live/machine.sh $(KIND) $(BUILT) \
		$(BUILT)/tests/live/objects "$(BUILT)/tests/live/delayed kernel" $(MORE) \
		"$(BUILT)/tests/conformance $(MIPS_TOPICS)" | $(MIPS_NAMED)

# In real kernels; the command in all; and 30 s of all at once.
.PHONY: check-torture-mips
check-torture-mips: MIPS_TOPICS :=
check-torture-mips: $(MIPS_MACHINES) torture-mips64el-kernels torture-mipsel-kernels
	+@$(call mips_make,mips64el) build/mips64el/tests/live/torture >/dev/null
	@$(call mips_process,mips64el) -E T_BREAKPOINTS=1 build/mips64el/tests/live/torture 30
	+@FULL=1 $(MAKE) --no-print-directory check-mips-cli
	+@FULL=1 $(MAKE) --no-print-directory check-mips32-cli
