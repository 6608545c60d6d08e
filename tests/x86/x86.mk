# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The x86 port's tests: what is pure, on this machine and compiled for another CPU.

X86_FLAGS := $(INCLUDES) -Ihost/sim -Ihost/linux-user/include -Iarch/x86/include -Iarch/x86 \
	     -Iarch/x86/insn -I$(B)/gen -Itests/x86
X86_OBJS := $(X86_SRCS:%.c=$(B)/pure/%.o)
X86_TESTS := $(patsubst tests/x86/%.c,%,$(wildcard tests/x86/test_*.c))
X86_HEADERS := $(wildcard tests/x86/*.h)

$(X86_OBJS): $(B)/pure/%.o: %.c | $(B)/gen/insn_tables.h
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(SANITIZE_FLAGS) $(X86_FLAGS) -MMD -MP -c $< -o $@

$(B)/tests/x86/%: tests/x86/%.c $(X86_OBJS) $(X86_HEADERS)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(SANITIZE_FLAGS) $(X86_FLAGS) $< $(X86_OBJS) -lcmocka -o $@

-include $(X86_OBJS:.o=.d)

## make check-x86   the x86 port: decoder, classes, slots, jumps, code analysis
.PHONY: check-x86
check-unit: check-x86
check-x86: $(X86_TESTS:%=$(B)/tests/x86/%)
	@for t in $^; do tools/cmocka-lines $$t || exit 1; done

X86_CROSS_OBJS := $(X86_SRCS:%.c=$(B)/$(CROSS_ARCH)/pure/%.o)

$(X86_CROSS_OBJS): $(B)/$(CROSS_ARCH)/pure/%.o: %.c | $(B)/gen/insn_tables.h
	@mkdir -p $(@D)
	@$(CROSS_CC) $(CFLAGS) $(X86_FLAGS) -MMD -MP -c $< -o $@

$(B)/$(CROSS_ARCH)/tests/x86/%: tests/x86/%.c $(X86_CROSS_OBJS) $(X86_HEADERS)
	@mkdir -p $(@D)
	@$(call cross-test,$(X86_FLAGS),$(X86_CROSS_OBJS))

-include $(X86_CROSS_OBJS:.o=.d)

check-cross: $(X86_TESTS:%=$(B)/$(CROSS_ARCH)/tests/x86/%)
