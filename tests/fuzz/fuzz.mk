# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Fuzzers of what a process or a file controls, and the tests with sanitizers.
#
# The command, the core and the architecture (on the simulated host) have
# AddressSanitizer and UBSan.  The library in a process runs in signal handlers and
# on stacks of its own, where no runtime of a sanitizer may be called: it has
# UBSan's checks, each a trap.

FUZZ_INPUTS := text maps memory endpoint elf gopcln names perfmap
FUZZ_SRCS := $(wildcard tests/fuzz/*.c)
# What a fuzzer has in place of it, or within it.
FUZZ_OWN := commands/main inspect/jail commands/list inspect/remote
FUZZ_OBJS := $(filter-out $(FUZZ_OWN:%=$(B)/cli/%.o),$(CLI_OBJS)) $(CLI_ARCH) \
	     $(TRACE_FRONT_OBJS) $(TRACE_READ_OBJS)
# How many inputs of each: make fuzz, and in make check.
FUZZ_EACH ?= 200000
FUZZ_SHORT ?= 1500
FUZZ_SEED ?= 1

$(B)/tests/fuzz/fuzz: $(FUZZ_SRCS) tests/fuzz/fuzz.h cli/commands/list.c cli/inspect/remote.c $(FUZZ_OBJS)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(SANITIZE_FLAGS) $(CLI_FLAGS) -Itests/fuzz $(FUZZ_SRCS) \
		$(FUZZ_OBJS) $(CLI_LIBS) -o $@

# Files to begin with: kinds of debugging information, linked and not.
FUZZ_ELVES := $(addprefix $(B)/tests/fuzz/,dwarf5 dwarf4 object.o compressed stripped lib.so)
FUZZ_SUBJECTS := $(addprefix $(B)/tests/fuzz/,subject5 subject4 subject-O0 subject-btf.o)
FUZZ_FILES := $(FUZZ_ELVES) $(FUZZ_SUBJECTS) $(B)/tests/fuzz/probes \
	      $(B)/tests/fuzz/go
$(B)/tests/fuzz/dwarf5: FUZZ_CC := -gdwarf-5 -O2
$(B)/tests/fuzz/dwarf4: FUZZ_CC := -gdwarf-4 -O2
$(B)/tests/fuzz/object.o: FUZZ_CC := -g -O2 -c
$(B)/tests/fuzz/compressed: FUZZ_CC := -g -gz -O2
$(B)/tests/fuzz/stripped: FUZZ_CC := -O2 -s
$(B)/tests/fuzz/lib.so: FUZZ_CC := -g -O2 -fPIC -shared
$(B)/tests/fuzz/subject5: FUZZ_CC := -gdwarf-5 -O2
$(B)/tests/fuzz/subject4: FUZZ_CC := -gdwarf-4 -O2
$(B)/tests/fuzz/subject-O0: FUZZ_CC := -g
$(B)/tests/fuzz/subject-btf.o: FUZZ_CC := -gbtf -O2 -c
$(B)/tests/fuzz/probes: FUZZ_CC := -O2
$(FUZZ_ELVES): tests/cli/inlined.c
$(FUZZ_SUBJECTS): tests/trace/names/subject.c
$(B)/tests/fuzz/probes: tests/trace/names/probes.c
$(B)/tests/fuzz/go: FUZZ_CC := -nostdlib -static-pie -s -DPIE -DGO=18
$(B)/tests/fuzz/go: tests/cli/gopclntab.S
$(FUZZ_FILES):
	@mkdir -p $(@D)
	@$(CC) $(FUZZ_CC) $< -o $@

.PHONY: fuzz-inputs fuzz-inputs-short check-sanitized
fuzz-inputs: $(B)/tests/fuzz/fuzz $(FUZZ_FILES)
	@status=0; for input in $(FUZZ_INPUTS); do \
		$< $$input $(FUZZ_EACH) $(FUZZ_SEED) $(FUZZ_FILES) || status=1; \
	done; exit $$status

fuzz-inputs-short: FUZZ_EACH := $(FUZZ_SHORT)
fuzz-inputs-short: fuzz-inputs

check-sanitized: check-unit $(B)/kprobes $(B)/libkprobes.so $(FUZZ_FILES)
	@B=$(B) tests/fuzz/sanitized.sh

ifndef SANITIZE
fuzz: fuzz-sanitized
.PHONY: fuzz-sanitized
fuzz-sanitized:
	+@$(MAKE) --no-print-directory SANITIZE=address,undefined fuzz-inputs
endif

## make check-fuzz  short fuzzing of hostile inputs; unit tests and file readers with sanitizers
.PHONY: check-fuzz
check-fuzz:
	+@$(MAKE) --no-print-directory SANITIZE=address,undefined \
		fuzz-inputs-short check-sanitized
