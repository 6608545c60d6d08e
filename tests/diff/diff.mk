# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Differential execution of the architecture code; needs an x86-64 CPU.

DIFF_FLAGS := $(INCLUDES) -Ihost/linux-user -Ihost/linux-user/x86 -Ihost/linux-user/shared/x86 -Ihost/linux-user/include \
	      -Iarch/x86 -Iarch/x86/include -Iarch/x86/insn -I$(B)/gen \
	      -Itests/diff
DIFF_SRCS := $(ARCH_SRCS) $(wildcard tests/diff/*.c)
DIFF_OBJS := $(DIFF_SRCS:%.c=$(B)/diff/%.o)

$(DIFF_OBJS): $(B)/diff/%.o: %.c | $(B)/gen/insn_tables.h
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(DIFF_FLAGS) -MMD -MP -c $< -o $@

$(B)/diff/forms.inc: tests/diff/forms.py
	@mkdir -p $(@D)
	$(PYTHON) $< > $@.tmp && mv $@.tmp $@

$(B)/diff/forms.o: tests/diff/forms.S $(B)/diff/forms.inc
	$(CC) -Wa,-I,$(B)/diff -c $< -o $@

$(B)/tests/diff: $(DIFF_OBJS) $(B)/diff/forms.o
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $^ -o $@

-include $(DIFF_OBJS:.o=.d)

## make check-diff  compare instructions executed natively, emulated and out of line
.PHONY: check-diff diff-long
check-diff: $(B)/tests/diff
	$<

## make diff-long   the same with forty times as many states
diff-long: $(B)/tests/diff
	$< 40
