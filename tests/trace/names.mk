# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What names in a script mean (trace/names), asked of programs made for it.

NAMES_OBJS := $(patsubst %.c,$(B)/%.o,$(wildcard trace/names/*.c trace/$(ARCH)/*.c $(TRACE_SHARED:%=%/*.c)))

$(B)/tests/trace/names/show: tests/trace/names/show.c $(NAMES_OBJS) \
		$(B)/trace/front/arena.o \
		$(addprefix $(B)/cli/symbols/,dies.o section.o vmlinux.o)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(SANITIZE_FLAGS) $(CLI_FLAGS) -Itrace/names $^ \
		$(CLI_LIBS) -o $@

.PHONY: check-trace-names
check-trace-names: $(B)/tests/trace/names/show
	@$(PYTHON) tests/trace/names/names.py $(B)/tests/trace/names $(CC)

check-trace: check-trace-names
