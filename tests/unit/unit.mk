# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Unit tests: the core and the pure part of the architecture on host/sim.

SIM_FLAGS := $(INCLUDES) -Ihost/sim -Ihost/linux-user/include -Iarch/x86 \
	     -Iarch/x86/include -Iarch/x86/insn -I$(B)/gen -Itests/unit
SIM_SRCS := $(CORE_SRCS) $(ARCH_SRCS) $(wildcard host/sim/*.c)
SIM_OBJS := $(SIM_SRCS:%.c=$(B)/sim/%.o)
UNIT_TESTS := $(patsubst tests/unit/%.c,%,$(wildcard tests/unit/test_*.c))

$(SIM_OBJS): $(B)/sim/%.o: %.c | $(B)/gen/insn_tables.h
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(SANITIZE_FLAGS) $(SIM_FLAGS) -MMD -MP -c $< -o $@

$(B)/sim/libsim.a: $(SIM_OBJS)
	@rm -f $@
	@$(AR) rcs $@ $^

$(B)/tests/unit/%: tests/unit/%.c $(B)/sim/libsim.a tests/unit/unit.h tests/unit/unit_jumps.h
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(SANITIZE_FLAGS) $(SIM_FLAGS) $< $(B)/sim/libsim.a -lcmocka -o $@

-include $(SIM_OBJS:.o=.d)

# What stands in for a port's optional parts serves the contract, though no build has
# all of it.
NONE_OBJS := $(patsubst %.c,$(B)/sim/%.o,$(wildcard arch/none/*.c))
$(NONE_OBJS): $(B)/sim/%.o: %.c $(wildcard port/*.h) | $(B)/gen/insn_tables.h
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(SANITIZE_FLAGS) $(SIM_FLAGS) -c $< -o $@
	@echo "ok unit: $< compiles"

## make check-unit  unit tests on the simulated host
.PHONY: check-unit
check-unit: $(UNIT_TESTS:%=$(B)/tests/unit/%) $(NONE_OBJS)
	@for t in $(UNIT_TESTS:%=$(B)/tests/unit/%); do tools/cmocka-lines $$t || exit 1; done

# The same core, pure architecture code and tests, compiled for another CPU:
# what passes there is freestanding and pure.
CROSS_ARCH ?= arm64
CROSS_CC ?= aarch64-linux-gnu-gcc
CROSS_RUN ?= qemu-aarch64-static -L /usr/aarch64-linux-gnu
CROSS_OBJS := $(SIM_SRCS:%.c=$(B)/$(CROSS_ARCH)/%.o)

$(CROSS_OBJS): $(B)/$(CROSS_ARCH)/%.o: %.c | $(B)/gen/insn_tables.h
	@mkdir -p $(@D)
	@$(CROSS_CC) $(CFLAGS) $(SIM_FLAGS) -MMD -MP -c $< -o $@

$(B)/$(CROSS_ARCH)/tests/%: tests/unit/%.c $(CROSS_OBJS) tests/unit/unit.h tests/unit/unit_jumps.h
	@mkdir -p $(@D)
	@cmocka=$$(tools/cross-packages.sh $(CROSS_ARCH) cmocka libcmocka0 libcmocka-dev) && \
	$(CROSS_CC) $(CFLAGS) $(SIM_FLAGS) -I$$cmocka/include $< $(CROSS_OBJS) \
		-L$$cmocka/lib -lcmocka -Wl,-rpath,$$cmocka/lib -o $@

-include $(CROSS_OBJS:.o=.d)

## make check-cross unit tests compiled for arm64, run by qemu
.PHONY: check-cross
check-cross: $(UNIT_TESTS:%=$(B)/$(CROSS_ARCH)/tests/%)
	@for t in $^; do tools/cmocka-lines $(CROSS_RUN) $$t || exit 1; done
