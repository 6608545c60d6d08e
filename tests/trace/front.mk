# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Scripts, and the programs or errors that they become.

FRONT_TEST_FLAGS = -D_GNU_SOURCE -Itests/trace -Itests/trace/front -Itests/trace/host \
		   $(TRACE_USER_FLAGS) -Wno-missing-field-initializers
FRONT_TEST_SRCS := $(addprefix tests/trace/front/,env.c dump.c)
FRONT_TEST_VM := $(patsubst %.c,$(B)/trace-test/%.o,$(TRACE_VM_SRCS) tests/trace/build.c tests/trace/random.c)

$(B)/tests/trace/front/%: tests/trace/front/%.c $(FRONT_TEST_SRCS) tests/trace/front/env.h \
		tests/trace/front/dump.h $(TRACE_FRONT_OBJS) $(FRONT_TEST_VM)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(SANITIZE_FLAGS) $(FRONT_TEST_FLAGS) $< $(FRONT_TEST_SRCS) \
		$(TRACE_FRONT_OBJS) $(FRONT_TEST_VM) -o $@

# Debian's scripts, where they are installed.
FRONT_CORPUS = $(wildcard tests/trace/front/*.in samples/trace/*.bt /usr/sbin/*.bt)
.PHONY: fuzz-trace-front
fuzz-trace-front: $(B)/tests/trace/front/fuzz
	@timeout 3000 $< $(FUZZ_EACH) $(FUZZ_SEED) $(FRONT_CORPUS)

fuzz-inputs: fuzz-trace-front
