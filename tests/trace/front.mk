# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Scripts, and the programs or errors that they become.

FRONT_TEST_FLAGS = -D_GNU_SOURCE -Itests/trace -Itests/trace/front -Itests/trace/host \
		   $(TRACE_USER_FLAGS) -Wno-missing-field-initializers
FRONT_TEST_SRCS := $(addprefix tests/trace/front/,env.c dump.c)
FRONT_TEST_OBJS := $(TRACE_FRONT_OBJS) $(filter $(B)/trace/read/%,$(TRACE_READ_OBJS)) \
		   $(patsubst %.c,$(B)/trace-test/%.o,\
		     $(TRACE_VM_SRCS) tests/trace/build.c tests/trace/random.c)

$(B)/tests/trace/front/%: tests/trace/front/%.c $(FRONT_TEST_SRCS) tests/trace/front/env.h \
		tests/trace/front/dump.h $(FRONT_TEST_OBJS)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(SANITIZE_FLAGS) $(FRONT_TEST_FLAGS) $< $(FRONT_TEST_SRCS) \
		$(FRONT_TEST_OBJS) -o $@

# tests/trace/front/golden.py --rebase writes them anew.
.PHONY: check-trace-front fuzz-trace-front
check-trace-front: $(B)/tests/trace/front/show
	@$(PYTHON) tests/trace/front/golden.py $<
	@$(PYTHON) tests/trace/front/language.py $<

check-trace: check-trace-front

# Debian's scripts, where they are installed.
FRONT_CORPUS = $(wildcard tests/trace/front/*.in samples/trace/*.bt /usr/sbin/*.bt)
fuzz-trace-front: $(B)/tests/trace/front/fuzz
	@timeout 3000 $< $(FUZZ_EACH) $(FUZZ_SEED) $(FRONT_CORPUS)

# tests/fuzz/fuzz.mk: with sanitizers.
fuzz-inputs: fuzz-trace-front
check-sanitized: check-trace-front
