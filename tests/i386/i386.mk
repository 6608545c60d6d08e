# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The i386 port's tests: instructions at their place, emulated and in slots, on this processor,
# which executes 32-bit code.  The decoder's are with x86-64's (tests/insn).

I386_CC ?= i686-linux-gnu-gcc
I386_BIN := $(B)/tests/i386
I386_FLAGS := -D_GNU_SOURCE -Itests/i386 -Itests/oracle -Ihost/sim $(INCLUDES) -Ihost/linux-user/include \
	      -Iarch/i386/include -Iarch/i386 -Iarch/x86 -Iarch/x86/insn -Iarch/none -I$(B)/gen
I386_DEPS := $(I386_SRCS) $(wildcard port/*.h arch/i386/*.h arch/x86/*.h arch/x86/insn/*.h tests/i386/*.h) \
	     $(B)/gen/insn_tables.h
# A program of its own at an address that no sum of the sandbox's is (sandbox.h).
I386_APART := -static -no-pie -Wl,-Ttext-segment=0x48000000

$(I386_BIN)/diff: tests/i386/diff.c tests/i386/sandbox.c $(I386_DEPS)
	@mkdir -p $(@D)
	@$(I386_CC) $(CFLAGS) $(I386_FLAGS) $(I386_APART) $(filter tests/%.c,$^) $(I386_SRCS) -o $@

$(I386_BIN)/second: tests/i386/second.c $(I386_DEPS)
	@mkdir -p $(@D)
	@$(I386_CC) $(CFLAGS) $(I386_FLAGS) -static $< $(I386_SRCS) -o $@

# What a script finds is computed anywhere.
$(I386_BIN)/abi: tests/i386/abi.c trace/names/abi.c trace/names/own.h trace/i386/kt_regs.h
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) -D_GNU_SOURCE -Itrace/names -Itrace/front -Itrace/i386 $(TRACE_USER_FLAGS) $(filter %.c,$^) -o $@

## make check-i386-port  the i386 port: emulation and slots against real execution
.PHONY: check-i386-port fuzz-i386
check-insn: check-i386-port
check-i386-port: $(I386_BIN)/diff $(I386_BIN)/abi $(I386_BIN)/second
	@$(I386_BIN)/abi
	@$(I386_BIN)/second
	@$< random 20000 $(INSN_SEED)
	@$< library $(INSN_LIBC_32) 40 $(INSN_SEED)

# Its handlers look at where their arguments stand.
build/i386/tests/frames: tests/i386/frames.c
	@$(I386_CC) $(CFLAGS) -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -fno-omit-frame-pointer -Iinclude -Ihost/linux-user/include \
		-Iarch/i386/include $< -o $@ -Lbuild/i386 -Wl,-rpath,$(abspath build/i386) -lkprobes

# The engine in an i386 process, which the processor executes: the conformance suite, return probes,
# samples.  What they say has the host's name in front (tools/conformance).
I386_MAKE = $(MAKE) --no-print-directory -s B=build/i386 ARCH=i386 CROSS_COMPILE=$(I386_CC:%gcc=%)
I386_LIVE := $(addprefix build/i386/tests/live/,returns objects left families frames filters stacks \
	processes symbols iterates late nothread lookups descriptors entries masks \
	paged paged_life coded uprobes)
I386_NAMED := sed 's/^\(ok\|not ok\) /\1 i386-process: /'
## make check-i386  the engine in an i386 process: conformance and samples
.PHONY: check-i386
check-i386: SHELL := /bin/bash -o pipefail
check-i386:
	+@$(I386_MAKE) build/i386/libkprobes.so build/i386/tests/conformance \
		build/i386/kprobes.image build/i386/modules/trace.so >/dev/null
	@tools/structure build/i386 --image
	@KPROBES_STRICT=1 tests/conformance/said.sh i386-process $(abspath build/i386)/said.log \
		build/i386/tests/conformance
	+@$(MAKE) --no-print-directory -s build/i386/tests/frames
	@KPROBES_STRICT=1 build/i386/tests/frames | $(I386_NAMED)
	+@$(I386_MAKE) $(I386_LIVE) >/dev/null
	@KPROBES_STRICT=1 tests/live/run $(I386_LIVE) | $(I386_NAMED)
	@T_BREAKPOINTS=1 KPROBES_STRICT=1 tests/live/run build/i386/tests/conformance | $(I386_NAMED)
	@tests/samples/run $(abspath build/i386) $(I386_CC)

# The rest by breakpoints, which on x86-64 make check has: they take as long as all that is above.
# 30 s of random instructions of libc and of the program, then the same beside probes whose
# every hit is counted; memory that is watched by its pages, all at once; jumps in what forks,
# unloads, throws and is interrupted anywhere; and scripts of the command for a kernel.
.PHONY: check-torture-i386
check-torture-i386: torture-i386-kernels
check-torture-i386: SHELL := /bin/bash -o pipefail
check-torture-i386:
	+@$(I386_MAKE) build/i386/libkprobes.so $(addprefix build/i386/tests/live/,torture optimized stores) \
		$(I386_LIVE) >/dev/null
	@T_BREAKPOINTS=1 KPROBES_STRICT=1 tests/live/run $(I386_LIVE) | $(I386_NAMED)
	@KPROBES_STRICT=1 build/i386/tests/live/torture 30 | $(I386_NAMED)
	@KPROBES_STRICT=1 build/i386/tests/live/stores 30 | $(I386_NAMED)
	@KPROBES_STRICT=1 tests/live/run build/i386/tests/live/optimized | $(I386_NAMED)
	+@FULL=1 $(MAKE) --no-print-directory check-i386-cli

fuzz: fuzz-i386
fuzz-i386: $(I386_BIN)/diff
	@$< random 500000 $(INSN_SEED)
	@for file in $(INSN_FILES_32); do $< library $$file 1 $(INSN_SEED) || exit; done
