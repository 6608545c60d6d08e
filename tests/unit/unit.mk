# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Unit tests: the core and the pure part of the architecture on host/sim.

SIM_FLAGS := $(INCLUDES) -Ihost/sim -Ihost/linux-user/include -Iarch/x86 \
	     -Iarch/x86/include -Iarch/x86/insn -I$(B)/gen -Itests/unit
SIM_SRCS := $(CORE_SRCS) $(ARCH_SRCS) $(wildcard host/sim/*.c)
SIM_OBJS := $(SIM_SRCS:%.c=$(B)/sim/%.o)
UNIT_TESTS := $(patsubst tests/unit/%.c,%,$(wildcard tests/unit/test_*.c))

$(SIM_OBJS): $(B)/sim/%.o: %.c | $(B)/gen/insn_tables.h
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(SIM_FLAGS) -MMD -c $< -o $@

$(B)/sim/libsim.a: $(SIM_OBJS)
	@rm -f $@
	@$(AR) rcs $@ $^

$(B)/tests/unit/%: tests/unit/%.c $(B)/sim/libsim.a tests/unit/unit.h
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(SIM_FLAGS) $< $(B)/sim/libsim.a -lcmocka -o $@

-include $(SIM_OBJS:.o=.d)

## make check-unit  unit tests on the simulated host
.PHONY: check-unit
check-unit: $(UNIT_TESTS:%=$(B)/tests/unit/%)
	@for t in $^; do tools/cmocka-lines $$t || exit 1; done
