# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Tests in a live process.  Each prints "ok NAME" or "not ok NAME reason".

LIVE_FLAGS := $(USER_PUBLIC) -Itests/conformance -Itests/conformance/$(ARCH) -Itests/live/$(ARCH) \
	      -fno-inline $(LIVE_MACHINE_FLAGS) \
	      -L$(B) -Wl,-rpath,$(abspath $(B)) -rdynamic
CONF_SRCS := $(filter-out $(CONF_NOT),$(wildcard tests/conformance/*.c \
	tests/conformance/$(ARCH)/*.[cS]))
LIVE_H := $(wildcard tests/live/*.h tests/live/$(ARCH)/*.h)
LIVE_CXX := $(CROSS_COMPILE)g++
LIVE_TESTS := $(patsubst tests/live/%.c,$(B)/tests/live/%, \
	      $(wildcard tests/live/*.c))

$(B)/tests/live/marked.so: tests/live/fixture/marked.c $(B)/libkprobes.so
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LIVE_FLAGS) -fPIC -shared $< -o $@ -lkprobes

$(B)/tests/conformance: $(CONF_SRCS) tests/conformance/harness.h \
			$(B)/libkprobes.so $(B)/tests/live/marked.so
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LIVE_FLAGS) $(CONF_SRCS) -o $@ -lkprobes -pthread -ldl

# The same, the engine linked into a static program.
$(B)/tests/static/conformance: $(CONF_SRCS) tests/conformance/harness.h \
			       $(B)/libkprobes.a
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(LIVE_FLAGS) -static $(CONF_SRCS) -o $@ \
		$(B)/libkprobes.a -pthread 2>$@.log || { cat $@.log; false; }

$(B)/tests/live/%: tests/live/%.c $(LIVE_H) $(B)/libkprobes.so
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LIVE_FLAGS) $< -o $@ -lkprobes -pthread -ldl

$(B)/tests/live/toggles $(B)/tests/live/torture: tests/live/text.h
$(B)/tests/live/everywhere: tests/live/text.h tests/live/work.h

# They find instructions with the engine's own decoder, where that is needed.
LIVE_DECODER_x86 := $(B)/user/arch/x86/insn/insn.o
LIVE_DECODER_i386 := $(LIVE_DECODER_x86)
LIVE_DECODER_OF := $(if $(filter i386,$(ARCH)),x86,$(ARCH))
$(B)/tests/live/everywhere $(B)/tests/live/torture: $(B)/tests/live/%: \
		tests/live/%.c $(LIVE_H) tests/live/$(ARCH)/code.h $(B)/libkprobes.so \
		$(LIVE_DECODER_$(ARCH))
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LIVE_FLAGS) -Ihost/linux-user -Ihost/linux-user/$(ARCH) $(USER_SHARED:%=-I%) \
		-Iarch/$(LIVE_DECODER_OF)/insn -Itests/live/$(ARCH) $< \
		$(LIVE_DECODER_$(ARCH)) -o $@ -lkprobes -pthread -ldl

# Exceptions need C++.
$(B)/tests/live/throw.o: tests/live/throw.cc tests/live/live.mk
	@mkdir -p $(@D)
	$(LIVE_CXX) -O2 -g -Wall -Wextra -Werror -fno-inline \
		-fno-reorder-blocks-and-partition -c $< -o $@

$(B)/tests/live/optimized: tests/live/optimized.c $(B)/tests/live/throw.o \
		$(LIVE_H) tests/live/text.h $(B)/libkprobes.so \
		$(B)/tests/live/marked.so $(B)/user/arch/x86/insn/insn.o
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LIVE_FLAGS) -Ihost/linux-user -Ihost/linux-user/$(ARCH) $(USER_SHARED:%=-I%) -Iarch/x86/insn \
		-Wl,-rpath,$(abspath $(B)/tests/live) $< \
		$(B)/tests/live/throw.o $(B)/user/arch/x86/insn/insn.o -o $@ \
		-lkprobes -pthread -ldl -lstdc++

$(B)/tests/live/returns: tests/live/returns.c $(B)/tests/live/throw.o \
			 $(LIVE_H) $(B)/libkprobes.so
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LIVE_FLAGS) $< $(B)/tests/live/throw.o -o $@ \
		-lkprobes -pthread -ldl -lstdc++

# These count the engine's instances.
LIVE_INSIDE := $(INCLUDES) -Ihost/linux-user -Ihost/linux-user/x86 -Ihost/linux-user/shared/x86 -Iarch/x86 -Iarch/x86/insn \
	       -I$(B)/gen

$(B)/tests/live/mix_throw.o: tests/live/mix_throw.cc tests/live/live.mk
	@mkdir -p $(@D)
	$(LIVE_CXX) -O2 -g -Wall -Wextra -Werror -fno-inline -c $< -o $@

$(B)/tests/live/mix: tests/live/mix.c $(B)/tests/live/mix_throw.o \
		     $(LIVE_H) $(B)/libkprobes.so
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LIVE_FLAGS) $(LIVE_INSIDE) $< \
		$(B)/tests/live/mix_throw.o -o $@ -lkprobes -pthread -ldl \
		-lstdc++

$(B)/tests/live/threads: tests/live/threads.c $(LIVE_H) $(B)/libkprobes.so
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LIVE_FLAGS) $(LIVE_INSIDE) $< -o $@ -lkprobes \
		-pthread -ldl

# The table alone, with what it asks for made up.
$(B)/tests/live/table: tests/live/table.c $(LIVE_H) $(wildcard $(USER_DIR)/thread*.h) $(USER_DIR)/process/thread_table.c \
		       $(B)/libkprobes.so
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(USER_FLAGS) -Itests/live -DKP_THREAD_TABLE $< -o $@ -pthread

$(B)/tests/live/nested: tests/live/fixture/nested.c $(LIVE_H) \
			$(B)/libkprobes.so
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LIVE_FLAGS) -Itests/live $< -o $@ -lkprobes

# A program that knows nothing of probes, and a module that probes all of it.
$(B)/tests/live/thrower: tests/live/fixture/thrower.cc
	@mkdir -p $(@D)
	$(LIVE_CXX) -std=c++20 -O2 -g -Wall -Wextra -Werror -fno-inline $< -o $@ -pthread

$(B)/tests/live/every.so: tests/live/fixture/every.c $(B)/libkprobes.so
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(USER_PUBLIC) -fPIC -shared \
		-DKBUILD_MODNAME='"every"' $< -o $@ -L$(B) -lkprobes

$(B)/tests/live/waits.so: tests/live/fixture/waits.c $(B)/libkprobes.so
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(USER_PUBLIC) -fPIC -shared \
		-DKBUILD_MODNAME='"waits"' $< -o $@ -L$(B) -lkprobes

$(B)/tests/live/processes: $(B)/tests/live/waits.so

$(B)/tests/live/forgets.so: tests/live/fixture/forgets.c $(B)/libkprobes.so
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(USER_PUBLIC) -fPIC -shared \
		-DKBUILD_MODNAME='"forgets"' $< -o $@ -L$(B) -lkprobes

$(B)/tests/live/forgotten: $(B)/tests/live/forgets.so

# At multiples of a page it comes to where it was.
$(B)/tests/live/comes.so: tests/live/fixture/comes.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -fPIC -shared -Wl,-z,max-page-size=4096 $< -o $@

$(B)/tests/live/watched $(B)/tests/live/paged_life: $(B)/tests/live/marked.so
$(B)/tests/live/objects: $(B)/tests/live/comes.so $(B)/tests/live/marked.so
$(B)/tests/live/iterates: $(B)/tests/live/comes.so

# Stand-ins for code that a runtime looks after, each with one mark of it.
MARK_section := -DMARK_SECTION=.gopclntab
MARK_stripped := -DMARK_SECTION=.go.buildinfo -s
MARK_note := -DMARK_NOTE
MARK_symbol := -DMARK_SYMBOL=runtime.morestack
MARK_split := -DMARK_SYMBOL=__morestack
MARK_vm := -DMARK_SYMBOL=gHotSpotVMStructs
MARK_v8 := -DMARK_SYMBOL=_ZN2v82V810GetVersionEv
RUNTIMES := $(patsubst %,$(B)/tests/live/runtime-%.so,section stripped \
	    note symbol split vm v8 none) $(B)/tests/live/libjvm.so

$(filter-out %/libjvm.so,$(RUNTIMES)): $(B)/tests/live/runtime-%.so: \
		tests/live/fixture/runtime.c tests/live/live.mk
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -fPIC -shared $(MARK_$*) $< -o $@

$(B)/tests/live/libjvm.so: tests/live/fixture/runtime.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -fPIC -shared $< -o $@

$(B)/tests/live/runtimes: $(RUNTIMES)

# A library that asks the linker, bound in each way; and what only it finds.
ASKS_lazy := -Wl,-z,lazy
ASKS_now := -Wl,-z,now
ASKS_noplt := -fno-plt
ASKS := $(patsubst %,$(B)/tests/live/asks-%.so,lazy now noplt)

$(B)/tests/live/asked/libasked.so:
	@mkdir -p $(@D)
	echo 'int asked(void); int asked(void) { return 1; }' | \
		$(CC) $(CFLAGS) -fPIC -shared -x c - -o $@

$(ASKS): $(B)/tests/live/asks-%.so: tests/live/fixture/asks.c \
		$(B)/tests/live/asked/libasked.so
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -fPIC -shared $(ASKS_$*) $< -o $@ \
		-Wl,--enable-new-dtags,-rpath,$(abspath $(B)/tests/live/asked)

$(B)/tests/live/callers: $(ASKS)

# It is the library's own list.
$(B)/tests/live/listed: tests/live/listed.c $(LIVE_H) $(B)/libkprobes.so \
		$(B)/user/host/linux-user/process/threads.o
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(USER_PUBLIC) $(LIVE_INSIDE) $< \
		$(B)/user/host/linux-user/process/threads.o -o $@ -L$(B) \
		-Wl,-rpath,$(abspath $(B)) -lkprobes -pthread

# Loads the library by itself.
$(B)/tests/live/late: tests/live/late.c $(LIVE_H) $(B)/libkprobes.so
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(USER_PUBLIC) $< -o $@ -pthread -ldl

# What sanitized.sh loads.
$(B)/tests/live/hotspots.so: samples/hotspots.c $(B)/libkprobes.so
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(USER_PUBLIC) -fPIC -shared \
		-DKBUILD_MODNAME='"hotspots"' $< -o $@ -L$(B) -lkprobes

LIVE_FIXTURES := $(B)/tests/live/nested $(B)/tests/live/thrower \
		 $(B)/tests/live/every.so $(B)/tests/live/hotspots.so $(B)/kprobes

# These run through jumps, then through breakpoints.
LIVE_BOTH := returns calls frames left jprobe mix threads families coroutines along

# A part of make quick, and with more of make check-live.
.PHONY: check-live-rules
check-live-rules: $(B)/tests/conformance
	@KPROBES_STRICT=1 tests/live/run $<

## make check-live  conformance and live tests in a process
.PHONY: check-live
check-live: $(B)/tests/conformance $(B)/tests/static/conformance $(LIVE_TESTS) \
	    $(LIVE_FIXTURES)
	KPROBES_STRICT=1 tests/live/run $(filter-out $(LIVE_FIXTURES) check-%,$^)
	T_BREAKPOINTS=1 KPROBES_STRICT=1 tests/live/run $(B)/tests/conformance \
		$(addprefix $(B)/tests/live/,$(LIVE_BOTH))
	B=$(B) tests/live/backtrace.sh
	T_BREAKPOINTS=1 B=$(B) tests/live/backtrace.sh
	B=$(B) tests/live/valgrind.sh
	T_BREAKPOINTS=1 B=$(B) tests/live/valgrind.sh
	B=$(B) tests/live/every.sh
	B=$(B) tests/live/sanitized.sh

# The same processes, where the engine finds threads as the image does (thread_table.h).
TABLE_TESTS := tests/conformance $(addprefix tests/live/,pointers threads stacks coroutines \
	       processes left nothread)

## make check-table  processes whose threads are found by the table of kprobes.image
.PHONY: check-table
check-table: $(B)/tests/live/table
	tests/live/run $<
	+@$(MAKE) --no-print-directory KP_IMAGE_THREADS=1 B=$(B)/table \
		$(TABLE_TESTS:%=$(B)/table/%) >/dev/null
	T_THREAD_TABLE=1 KPROBES_STRICT=1 tests/live/run $(TABLE_TESTS:%=$(B)/table/%)

# Two phases of 60 s each: random instructions of libc and of the program, then
# the same beside probes whose every hit is counted.
.PHONY: check-torture-live
check-torture-live: $(B)/tests/live/torture
	KPROBES_STRICT=1 $< 60

# 60 s of all kinds of probes on code that recurses, throws and longjmps.
.PHONY: check-torture-mix
check-torture-mix: $(B)/tests/live/mix
	KPROBES_STRICT=1 $< 60

# 60 s of watch probes that come and go, beside threads, forks and system calls that
# touch what they watch; then the same by pages, with all kinds of writes.
.PHONY: check-torture-watch
check-torture-watch: $(B)/tests/live/watched $(B)/tests/live/stores
	KPROBES_STRICT=1 $(B)/tests/live/watched 60
	KPROBES_STRICT=1 $(B)/tests/live/stores 60

# A million toggles, 200,000 that change text.
.PHONY: check-torture-toggles
check-torture-toggles: $(B)/tests/live/toggles
	KPROBES_STRICT=1 $< 1000000 200000

# All functions of libc and sqlite, all instructions one at a time.
.PHONY: check-torture-everywhere
check-torture-everywhere: $(B)/tests/live/everywhere
	KPROBES_STRICT=1 $< 100000 1
