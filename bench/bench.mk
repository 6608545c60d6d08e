# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Benchmarks: make bench

BENCH_DIR := bench/process
BENCH_FLAGS = $(USER_PUBLIC) -L$(B) -Wl,-rpath,$(abspath $(B))

# Their own engine, or none.
$(B)/bench/floor $(B)/bench/uprobe $(B)/bench/peer: $(B)/bench/%: $(BENCH_DIR)/%.c \
		$(BENCH_DIR)/targets.S $(BENCH_DIR)/bench.h
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(filter %.c %.S,$^) -no-pie -o $@

$(B)/bench/table $(B)/bench/count: $(BENCH_DIR)/arrangements.h
$(B)/bench/table $(B)/bench/count $(B)/bench/scale: $(B)/bench/%: \
		$(BENCH_DIR)/%.c $(BENCH_DIR)/targets.S $(BENCH_DIR)/bench.h \
		$(B)/libkprobes.so
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(BENCH_FLAGS) $(filter %.c %.S,$^) -o $@ -lkprobes -pthread

## make bench-i386  measure a hit in an i386 process
.PHONY: bench-i386
bench-i386: $(BENCH_DIR)/i386/targets.S
	+@$(I386_MAKE) build/i386/libkprobes.so >/dev/null
	@mkdir -p build/i386/bench
	@$(I386_CC) $(CFLAGS) -Iinclude -Ihost/linux-user/include -Iarch/i386/include -D_FILE_OFFSET_BITS=64 \
		$(BENCH_DIR)/table.c $< -o build/i386/bench/table -Lbuild/i386 -Wl,-rpath,$(abspath build/i386) -lkprobes
	@build/i386/bench/table

# What LTTng's headers make of its events.
$(B)/bench/lttng: $(BENCH_DIR)/lttng.c $(BENCH_DIR)/lttng_events.h \
		$(BENCH_DIR)/bench.h
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) -I$(BENCH_DIR) $< -o $@ -llttng-ust

# It loads the library itself, and needs many symbols.
$(B)/bench/start: $(BENCH_DIR)/start.c $(BENCH_DIR)/symbols.S \
		$(BENCH_DIR)/targets.S $(BENCH_DIR)/bench.h $(B)/libkprobes.so
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(USER_PUBLIC) $(filter %.c %.S,$^) -o $@ -ldl

# What bench/process/trace asks.
$(B)/bench/asked: $(BENCH_DIR)/asked.c
	@mkdir -p $(@D)
	@$(CC) -O2 -fomit-frame-pointer $< -o $@

# What bench/process/attach attaches to, and what it loads there.
$(B)/bench/busy: $(BENCH_DIR)/busy.c $(BENCH_DIR)/targets.S $(BENCH_DIR)/bench.h
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(filter %.c %.S,$^) -o $@ -pthread

$(B)/bench/many.so: $(BENCH_DIR)/many.c $(B)/libkprobes.so
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) -Wno-unused-parameter $(BENCH_FLAGS) -fPIC -shared \
		-DKBUILD_MODNAME='"many"' $< -o $@ -lkprobes

# It loads the library itself, where it measures without.
$(B)/bench/watch: $(BENCH_DIR)/watch.c $(BENCH_DIR)/bench.h $(B)/libkprobes.so
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(USER_PUBLIC) $< -o $@ -ldl

## make bench-watch measure a watch probe, hit and not hit
.PHONY: bench-watch
bench-watch: $(B)/bench/watch
	@$< $(abspath $(B))/libkprobes.so

BENCH_PROGRAMS := $(addprefix $(B)/bench/,floor table count uprobe peer lttng scale start \
		  busy many.so asked) $(B)/kprobes $(B)/modules/trace.so

## make bench       measure a hit, beside the alternatives (10 minutes)
.PHONY: bench bench-docs
bench: deps-bench $(BENCH_PROGRAMS) $(B)/gen/insn_tables.h
	@bench/run $(B)

## make bench-docs  the same, and put the tables into docs/overhead.md
bench-docs: deps-bench $(BENCH_PROGRAMS) $(B)/gen/insn_tables.h
	@bench/run $(B) --docs

# The kernels of the table of releases.
BENCH_KERNELS ?= stock-5.10 stock stock-6.12 stock-7.2
## make bench-kernels  instructions a hit on other kernels, into docs/overhead.md
.PHONY: bench-kernels
bench-kernels: $(B)/gen/insn_tables.h
	@tools/deps.sh vm
	@bench/kernel/releases $(BENCH_KERNELS)
	@bench/kernel/releases stock-arm64 small-arm64
	@bench/kernel/releases stock-i386 small-i386
	@bench/kernel/releases stock-armhf small-armhf
	@bench/kernel/releases stock-mips64el small-mips64el

.PHONY: deps-bench
deps-bench:
	@tools/deps.sh bench vm

# ---- coverage ----------------------------------------------------------------

COVERAGE_FLAGS = -D_GNU_SOURCE $(INCLUDES) -Ihost/linux-user -Ihost/linux-user/x86 -Ihost/linux-user/shared/x86 $(USER_PUBLIC) \
	-Iarch/x86 -Iarch/x86/insn -I$(B)/gen
# The engine's planner, without the engine.
COVERAGE_OBJS = $(patsubst %.c,$(B)/user/%.o,$(ARCH_SRCS) arch/x86/insn/insn.c)

$(B)/bench/coverage: bench/coverage/coverage.c bench/coverage/functions.c \
		bench/coverage/functions.h $(COVERAGE_OBJS)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(COVERAGE_FLAGS) $(filter %.c %.o,$^) -o $@ -lelf -ldw

$(B)/bench/sample.so: bench/coverage/sample.c $(B)/libkprobes.so
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(BENCH_FLAGS) -fPIC -shared $< -o $@ -lkprobes

$(B)/bench/cxx: bench/coverage/work/cxx.cc
	@mkdir -p $(@D)
	@g++ -O2 $< -o $@

## make coverage    count the instructions that can carry a jump, and prove it by running them
.PHONY: coverage
coverage: deps-bench $(B)/bench/coverage $(B)/bench/sample.so $(B)/bench/cxx
	@bench/coverage/run $(B)

# ---- budgets -----------------------------------------------------------------

# Instructions a hit: counted, so the same on every machine and in every run.
.PHONY: check-budget
check-budget: $(B)/bench/count $(B)/gen/insn_tables.h
	@bench/budget $(B)
