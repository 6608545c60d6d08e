# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Tests of the reader: arenas that are written by hand, on the tests' machine.

READ_TESTS := $(patsubst tests/trace/read/%.c,%,$(wildcard tests/trace/read/test_*.c))
READ_TEST_FLAGS = -D_GNU_SOURCE $(TRACE_TEST_FLAGS) -Itests/trace/read
READ_TEST_OBJS := $(filter $(B)/trace/read/%,$(TRACE_READ_OBJS)) \
		 $(patsubst %.c,$(B)/trace-test/%.o,$(wildcard trace/vm/*.c) \
			tests/trace/build.c tests/trace/random.c)

$(B)/tests/trace/read/%: tests/trace/read/%.c tests/trace/read/show.c \
		tests/trace/read/show.h tests/trace/build.h tests/trace/timeline.py \
		tests/trace/timeline.proto $(READ_TEST_OBJS)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(SANITIZE_FLAGS) $(READ_TEST_FLAGS) $< tests/trace/read/show.c \
		$(READ_TEST_OBJS) -lcmocka -o $@

.PHONY: check-trace-read
check-trace-read: $(READ_TESTS:%=$(B)/tests/trace/read/%)
	@for t in $^; do tools/cmocka-lines $$t || exit 1; done

check-trace: check-trace-read

# tests/fuzz/fuzz.mk: with sanitizers.
.PHONY: fuzz-trace-read
fuzz-trace-read: $(B)/tests/trace/read/scribble
	@timeout 3000 $< $$(($(FUZZ_EACH) / 2)) $(FUZZ_SEED)

fuzz-inputs: fuzz-trace-read
check-sanitized: check-trace-read

# Scripts whose output bpftrace was asked for, once (tests/trace/recorded).
$(B)/tests/trace/read/run: tests/trace/read/run.c tests/trace/front/env.c \
		tests/trace/front/env.h $(TRACE_READ_OBJS) $(TRACE_FRONT_OBJS)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(SANITIZE_FLAGS) -D_GNU_SOURCE $(TRACE_USER_FLAGS) -Itests/trace/front \
		-Wno-missing-field-initializers $(filter %.c %.o,$^) -o $@

.PHONY: check-trace-recorded
check-trace-recorded: $(B)/tests/trace/read/run
	@$(PYTHON) tests/trace/recorded/compare $<

check-trace: check-trace-recorded
