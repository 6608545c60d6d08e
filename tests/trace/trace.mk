# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Tests of kprobes trace: the machine that executes programs.

TRACE_TESTS := $(patsubst tests/trace/%.c,%,$(wildcard tests/trace/test_*.c))
TRACE_TEST_FLAGS := -Itests/trace -Itests/trace/host $(TRACE_USER_FLAGS) -pthread
TRACE_TEST_SRCS := $(TRACE_VM_SRCS) tests/trace/build.c tests/trace/random.c
TRACE_TEST_OBJS := $(TRACE_TEST_SRCS:%.c=$(B)/trace-test/%.o)

$(TRACE_TEST_OBJS): $(B)/trace-test/%.o: %.c
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(SANITIZE_FLAGS) $(TRACE_TEST_FLAGS) -mgeneral-regs-only -MMD -MP -c $< -o $@

$(B)/tests/trace/%: tests/trace/%.c $(TRACE_TEST_OBJS) tests/trace/build.h tests/trace/host/kt_host.h
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(SANITIZE_FLAGS) $(TRACE_TEST_FLAGS) $< $(TRACE_TEST_OBJS) -lcmocka -o $@

-include $(TRACE_TEST_OBJS:.o=.d)

## make check-trace kprobes trace: machine, language, names, output, targets
.PHONY: check-trace check-trace-vm fuzz-trace
check-trace: check-trace-vm
check-trace-vm: $(TRACE_TESTS:%=$(B)/tests/trace/%)
	@for t in $^; do tools/cmocka-lines $$t || exit 1; done

# On another CPU too: tests/unit/unit.mk runs all that check-cross needs.
CROSS_TRACE := $(TRACE_TESTS:%=$(B)/trace-cross/%)
$(CROSS_TRACE): $(B)/trace-cross/%: tests/trace/%.c $(TRACE_TEST_SRCS) \
		$(wildcard trace/vm/*.h tests/trace/*.h tests/trace/host/*.h)
	@mkdir -p $(@D)
	@cmocka=$$(tools/cross-packages.sh $(CROSS_ARCH) cmocka libcmocka0 libcmocka-dev) && \
	$(CROSS_CC) $(CFLAGS) $(TRACE_TEST_FLAGS) -I$$cmocka/include $< $(TRACE_TEST_SRCS) \
		-L$$cmocka/lib -lcmocka -Wl,-rpath,$$cmocka/lib -o $@

check-cross: $(CROSS_TRACE)

# Random programs are quicker to try than files are.
fuzz-trace: $(B)/tests/trace/fuzz
	@$< $$(($(FUZZ_EACH) * 5)) $(FUZZ_SEED)

# tests/fuzz/fuzz.mk: with sanitizers.
fuzz-inputs: fuzz-trace
check-sanitized: check-trace-vm

## make bench-trace measure trace programs without a probe, in nanoseconds
.PHONY: bench-trace
bench-trace: $(B)/tests/trace/speed
	@$<
