# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Tests in virtual machines: the rules, the sample and a short torture.

## make check-kernel   all kernel tests on two kernels, many on a third and a fourth
# What makes the kernel, or us, patch its text all the time has a boot
# of its own with thread=single: with thread=multi QEMU loses races of its own
# on self-modified code, which a test that must always pass cannot have.  make
# torture runs the former both ways.  On stock that is everything, in one boot: the
# kernel patches itself for each probe at an ftrace site.
# Two kernels at a time: a machine of thread=single keeps one CPU busy.
TRACE_WITH := kprobes libkprobes.so modules/trace.so tests/trace/work
KERNEL_STAGES := $(addprefix kernel-,small stock stock-6.12 small-7.2)

.PHONY: check-kernel $(KERNEL_STAGES:%=check-%)
check-kernel:
	+@$(MAKE) --no-print-directory -j2 $(KERNEL_STAGES:%=check-%)

$(KERNEL_STAGES:%=check-%): $(B)/gen/insn_tables.h $(TRACE_WITH:%=$(B)/%)

# What differs from kernel to kernel is on both; another tracer's tools, all functions at
# once, kills and what of the command's scripts is the same everywhere, on one: the stock
# kernel has three times as many functions.
check-kernel-small:
	@status=0; \
	tests/kernel/run.sh small 10- 12- 20- 21- 30- 37- 38- 39- 40- 41- 50- 55- 57- 60- 65- 66- 67- 71- 72- 99- -- \
		--thread multi --timeout 1200 || status=1; \
	tests/kernel/run.sh --seconds 2 --with "$(TRACE_WITH)" small 45- 46- 47- 48- 49-h 58- 80- 84- 85- 87- 90- -- \
		--thread single --timeout 1200 || status=1; \
	exit $$status
check-kernel-stock:
	@tests/kernel/run.sh --seconds 2 --with "$(TRACE_WITH)" stock 10- 12- 20- 21- 30- 35- 36- 37- 38- 39- 40- 41- 45- 48- \
		49-t 50- 55- 57- 60- 65- 67- 70- 71- 80- 84- 85- 87- 90- 99- -- --thread single --timeout 1500

# The same in make check, as far as it says whether a newer kernel took something away.
.PHONY: check-kernel-suite-6.12
check-kernel-suite-6.12: $(B)/gen/insn_tables.h
	@tests/kernel/run.sh --seconds 2 stock-6.12 10- 20- 50- -- --thread single --timeout 1200

# In one boot: what can differ from version to version, without what takes long: a
# self-test that fails, and the suite by breakpoints (make check-kernels has both).
check-kernel-stock-6.12:
	@tests/kernel/run.sh --seconds 2 stock-6.12 10- 20- 30- 35- 37- 39- 40- 41- 45- 50- 55- 57- 60- \
		71- 80- 84- 85- 90- -- --thread single --timeout 600

# The newest, without Kprobes, as long as unstable has it: the suite and its samples.
check-kernel-small-7.2:
	@tests/kernel/run.sh --seconds 2 small-7.2 10- 20- 30- 50- 55- 90- -- \
		--thread single --timeout 600 || \
		{ [ $$? = 77 ] && echo "skip small-7.2: Debian's unstable has another kernel by now"; }

## make check-kernel-arm64  conformance, rules, samples and a short torture on two arm64 kernels
# Without QEMU's race on self-modified code.  The cases that are not here: ftrace does not
# call us (35, 36); the command there is arm64-cli's affair, and not for all of these
# cases yet (46 to 49, 58, 66, 70 to 72).  Debian's at random addresses; trace programs on
# the other one, which is as old.
ARM64_CASES := 10- 12- 20- 21- 30- 37- 39- 40- 41- 50- 55- 57- 60- 65- 80- 82- 84- 85- 90-
ARM64_KERNEL_STAGES := kernel-stock-arm64 kernel-small-arm64
check-kernel-stock-arm64: ARM64_APPEND := --append kaslr
check-kernel-small-arm64: ARM64_MORE := 45-
.PHONY: check-kernel-arm64 $(ARM64_KERNEL_STAGES:%=check-%)
check-kernel-arm64:
	+@$(MAKE) --no-print-directory -j2 $(ARM64_KERNEL_STAGES:%=check-%)

$(ARM64_KERNEL_STAGES:%=check-%): check-kernel-%:
	@tests/kernel/run.sh --seconds 2 $* $(ARM64_CASES) $(ARM64_MORE) -- --thread single --timeout 1200 $(ARM64_APPEND)

## make check-kernel-riscv64  conformance, rules, samples and a short torture on two riscv64 kernels
# Without QEMU's race on self-modified code.  As on arm64; and memory is not watched by debug
# registers there (84).  In make check the small one has all that a rule wants; the rest of it,
# trace programs (45), and Debian's, which takes three times as long, are here and in make
# check-kernels.  By breakpoints alone (21) K-UNR-07 does not pass there: a batch takes more
# than a quarter of the time.
RISCV64_CASES := 20- 30- 37- 39- 40- 41- 50- 55- 60- 65- 85-
RISCV64_MORE := 10- 12- 80- 82- 90-
PORT_RUN = tests/kernel/run.sh --seconds 2 $(1) -- --thread single --timeout 900
.PHONY: check-kernel-riscv64 check-kernel-small-riscv64 check-kernel-stock-riscv64
check-kernel-small-riscv64:
	@$(call PORT_RUN,small-riscv64 $(RISCV64_CASES))

check-kernel-stock-riscv64:
	@$(call PORT_RUN,stock-riscv64 $(RISCV64_CASES) $(RISCV64_MORE))

check-kernel-riscv64: check-kernel-stock-riscv64
	@$(call PORT_RUN,small-riscv64 $(RISCV64_CASES) $(RISCV64_MORE) 45-)

## make check-kernel-i386  conformance, rules, samples and a short torture on two i386 kernels
# As on riscv64, but that memory is watched by debug registers.
I386_KERNEL_CASES := 12- 20- 30- 37- 39- 40- 41- 45- 50- 55- 57- 60- 65- 84- 85-
I386_KERNEL_MORE := 10- 21- 35- 80- 82- 90-
.PHONY: check-kernel-i386 check-kernel-small-i386
check-kernel-small-i386:
	@$(call PORT_RUN,small-i386 $(I386_KERNEL_CASES))

check-kernel-i386:
	@status=0; for kernel in stock-i386 small-i386; do \
		$(call PORT_RUN,$$kernel $(I386_KERNEL_CASES) $(I386_KERNEL_MORE)) || status=1; \
	done; exit $$status

## make check-kernel-mips  conformance, rules, samples and a short torture on three MIPS kernels
# As on riscv64; and there is one CPU, as QEMU's boards have with a processor of 64 bits that
# executes Debian's programs.
MIPS_KERNEL_CASES := 12- 20- 30- 37- 39- 40- 41- 50- 55- 60- 65- 85-
MIPS_KERNEL_MORE := 10- 45- 80- 82- 90-
.PHONY: check-kernel-mips check-kernel-small-mips64el check-kernel-stock-mips64el check-kernel-stock-mipsel
check-kernel-small-mips64el:
	@$(call PORT_RUN,small-mips64el $(MIPS_KERNEL_CASES))

check-kernel-stock-mips64el:
	@$(call PORT_RUN,stock-mips64el $(MIPS_KERNEL_CASES) $(MIPS_KERNEL_MORE))

check-kernel-stock-mipsel:
	@$(call PORT_RUN,stock-mipsel $(MIPS_KERNEL_CASES) $(MIPS_KERNEL_MORE))

check-kernel-mips: check-kernel-stock-mips64el check-kernel-stock-mipsel
	@$(call PORT_RUN,small-mips64el $(MIPS_KERNEL_CASES) $(MIPS_KERNEL_MORE))

## make check-kernel-armhf  conformance, rules, samples and a short torture on two arm kernels
# As on riscv64, but with a thread for each CPU: with one for both QEMU takes a second for each
# place that an arm kernel patches, since all CPUs wait for it, and Debian's does not come to the
# end of its start.  Text is written when nobody executes it there, so the race on self-modified
# code is none.
ARMHF_KERNEL_CASES := 12- 20- 30- 37- 39- 40- 41- 50- 55- 60- 65- 85-
ARMHF_KERNEL_MORE := 10- 21- 45- 80- 82- 90-
ARMHF_RUN = tests/kernel/run.sh --seconds 2 $(1) -- --thread multi --timeout 900
.PHONY: check-kernel-armhf check-kernel-small-armhf
check-kernel-small-armhf:
	@$(call ARMHF_RUN,small-armhf $(ARMHF_KERNEL_CASES))

check-kernel-armhf:
	@status=0; for kernel in stock-armhf small-armhf; do \
		$(call ARMHF_RUN,$$kernel $(ARMHF_KERNEL_CASES) $(ARMHF_KERNEL_MORE)) || status=1; \
	done; exit $$status

# 60 s on each of them, as part of check-torture-arm64, check-torture-i386, check-torture-riscv64
# and check-torture-mips.
PORT_TORTURE = tests/kernel/run.sh --seeds "1 2 3 4 5 6" --seconds 10 $(1) 90- -- --timeout 600 $(2)
.PHONY: torture-arm64-kernels torture-i386-kernels torture-riscv64-kernels torture-mips64el-kernels
torture-arm64-kernels torture-i386-kernels torture-riscv64-kernels torture-mips64el-kernels: torture-%-kernels:
	@status=0; for kernel in stock-$* small-$*; do \
		$(call PORT_TORTURE,$$kernel,--thread single) || status=1; \
	done; exit $$status

# On a busy host QEMU may be too late for what sets MIPS' timer, with or without probes
# (host/linux-kernel/mips/noprobe_lists.h).  So the clock counts instructions, 2 ns each.
.PHONY: torture-mipsel-kernels
torture-mipsel-kernels:
	@$(call PORT_TORTURE,stock-mipsel,--icount 1 --timeout 1800)

# As check-kernel-armhf runs them.
.PHONY: torture-armhf-kernels
torture-armhf-kernels:
	@status=0; for kernel in stock-armhf small-armhf; do \
		$(call PORT_TORTURE,$$kernel,--thread multi) || status=1; \
	done; exit $$status

# What may differ from kernel to kernel, on many: one boot each.
KERNELS ?= stock-5.10 rt-5.10 cloud-5.10 stock rt-6.1 cloud-6.1 stock-6.12 rt-6.12 cloud-6.12 \
	   stock-7.2 rt-7.2 cloud-7.2 small-5.10 small-6.12 small-7.2 bare-6.1 frames-6.1 bare-6.12 hard-6.12 cfi-6.12 \
	   stock-6.12+stuff stock-6.12+unret stock-6.12+srso
## make check-kernels  conformance, rules and torture on Debian's kernels (more than an hour)
## make kernels-docs   put the results into docs/kernel.md
.PHONY: check-kernels kernels-docs
check-kernels: $(B)/gen/insn_tables.h
	@status=0; tests/kernel/refused.sh $(B) || status=1; tests/kernel/known.sh $(B) || status=1; \
	for kernel in hard-6.12 cfi-6.12; do \
		tests/kernel/landing-pads.sh $(B) $$kernel || status=1; \
	done; \
	tools/kernels $(B) $(KERNELS) || status=1; \
	tools/check kernel-stock-6.12 kernel-small-7.2 kernel-stock-arm64 kernel-riscv64 \
		kernel-i386 kernel-armhf kernel-mips \
		riscv64-cli arm-cli i386-cli mips-cli mips32-cli || status=1; exit $$status

kernels-docs:
	@tools/kernels --docs $(B)

# 60 s of each torture on each kernel and for each way that QEMU runs two CPUs.
# thread=single: QEMU then has no race of its own on self-modified code.
# Not at ftrace sites with thread=multi, as entries of functions are on stock:
# QEMU may keep the breakpoint by which the kernel itself patches them, and then
# the kernel tries the instruction again for ever.
# threadirqs: each interrupt that has softirqs to run wakes a thread for them, at the
# level of what it interrupted; with jprobes, which leave by way of what was noted.
.PHONY: check-torture-kernel check-torture-debug
check-torture-kernel: $(B)/gen/insn_tables.h
	@status=0; \
	torture() { \
		echo "# $$1, QEMU thread=$$2 $$3 $$5"; \
		tests/kernel/run.sh --seeds "1 2 3 4 5 6" --seconds 10 --args "$$3" $$1 $$4 90- -- \
			--thread $$2 --append "$$5" || status=1; \
	}; \
	torture small multi "" "72- 84- 85-"; torture small single "" "72- 82- 84- 85- 87-"; \
	torture stock multi hooks=0 72-; torture stock single "" "72- 82- 84- 85- 87-"; \
	torture stock single mirrored_all=1 "" threadirqs; \
	exit $$status

# The test of trace programs in the kernel, and what else assembles some by hand: for
# a machine with no libraries.  A process's stack is shown by frame pointers, which Thumb has not.
KERNEL_TRACE_FLAGS = $(if $(filter arm,$(ARCH)),-marm) -Itests/kernel -Itrace/module -Itests/trace/host -Itrace/read $(TRACE_USER_FLAGS)
KERNEL_TRACE_PARTS := tests/kernel/trace_assemble.c \
	$(addprefix trace/vm/,check.c layout.c map.c ring.c stack.c) $(if $(filter mips,$(ARCH)),trace/shared/split64/halves.c)

$(B)/tests/kernel/trace: tests/kernel/trace.c tests/kernel/trace_machine.h
$(B)/bench/trace: bench/kernel/trace.c
$(B)/tests/kernel/trace $(B)/bench/trace: $(KERNEL_TRACE_PARTS) tests/kernel/trace.h \
		$(wildcard trace/vm/*.h trace/module/*.h)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) -fno-omit-frame-pointer $(KERNEL_TRACE_FLAGS) -static -pthread \
		$(filter %.c,$^) -o $@

.PHONY: kernel-trace
kernel-trace: $(B)/tests/kernel/trace $(B)/bench/trace

# Probes switched in hot code, at every kind of preemption.  How often:
TOGGLES ?= lazy=1000000 textual=200000
.PHONY: check-torture-toggle-kernel
check-torture-toggle-kernel: $(B)/gen/insn_tables.h
	@status=0; \
	toggle() { \
		echo "# $$*: $(TOGGLES)"; \
		tests/kernel/run.sh --toggles "$(TOGGLES)" $$1 80- -- --thread single \
			--timeout 3600 --append "$$2" || status=1; \
	}; \
	toggle small ""; toggle stock preempt=full; toggle stock preempt=none; \
	exit $$status

# All kernel tests on a kernel that watches itself: lockdep, KASAN and so on.
check-torture-debug: $(B)/gen/insn_tables.h
	@tests/kernel/run.sh --seeds "1 2" --seconds 10 debug
