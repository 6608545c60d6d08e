# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Unit tests: the core on host/sim and on a processor that does not exist (arch/toy).

SIM_FLAGS := $(INCLUDES) -Ihost/sim -Ihost/linux-user/include -Iarch/toy/include \
	     -Iarch/toy -Iarch/none -Itests/unit
SIM_SRCS := $(CORE_SRCS) $(TOY_SRCS) $(wildcard host/sim/*.c)
SIM_OBJS := $(SIM_SRCS:%.c=$(B)/sim/%.o)
UNIT_TESTS := $(patsubst tests/unit/%.c,%,$(wildcard tests/unit/test_*.c))
UNIT_HEADERS := $(wildcard tests/unit/*.h arch/toy/*.h)

$(SIM_OBJS): $(B)/sim/%.o: %.c
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(SANITIZE_FLAGS) $(SIM_FLAGS) -MMD -MP -c $< -o $@

$(B)/sim/libsim.a: $(SIM_OBJS)
	@rm -f $@
	@$(AR) rcs $@ $^

$(B)/tests/unit/%: tests/unit/%.c $(B)/sim/libsim.a $(UNIT_HEADERS)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(SANITIZE_FLAGS) $(SIM_FLAGS) $< $(B)/sim/libsim.a -lcmocka -o $@

-include $(SIM_OBJS:.o=.d)

# What stands in for a port's optional parts serves the contract, though no build has
# all of it.
NONE_OBJS := $(patsubst %.c,$(B)/none/%.o,$(wildcard arch/none/*.c))
$(NONE_OBJS): $(B)/none/%.o: %.c $(wildcard port/*.h arch/toy/*.h)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(SANITIZE_FLAGS) $(SIM_FLAGS) -c $< -o $@
	@echo "ok unit: $< compiles"

## make check-unit  unit tests on the simulated host
.PHONY: check-unit
check-unit: $(UNIT_TESTS:%=$(B)/tests/unit/%) $(NONE_OBJS)
	@for t in $(UNIT_TESTS:%=$(B)/tests/unit/%); do tools/cmocka-lines $$t || exit 1; done

# The same, compiled for another CPU: what passes there is freestanding and pure.
CROSS_ARCH ?= arm64
CROSS_CC ?= aarch64-linux-gnu-gcc
CROSS_RUN ?= qemu-aarch64-static -L /usr/aarch64-linux-gnu
CROSS_OBJS := $(SIM_SRCS:%.c=$(B)/$(CROSS_ARCH)/%.o)
# $(call cross-test,FLAGS,FILES): $@ from a test in cmocka's way.
cross-test = cmocka=$$(tools/cross-packages.sh $(CROSS_ARCH) cmocka libcmocka0 libcmocka-dev) && \
	$(CROSS_CC) $(CFLAGS) $(1) -I$$cmocka/include $< $(2) \
		-L$$cmocka/lib -lcmocka -Wl,-rpath,$$cmocka/lib -o $@

$(CROSS_OBJS): $(B)/$(CROSS_ARCH)/%.o: %.c
	@mkdir -p $(@D)
	@$(CROSS_CC) $(CFLAGS) $(SIM_FLAGS) -MMD -MP -c $< -o $@

$(B)/$(CROSS_ARCH)/tests/unit/%: tests/unit/%.c $(CROSS_OBJS) $(UNIT_HEADERS)
	@mkdir -p $(@D)
	@$(call cross-test,$(SIM_FLAGS),$(CROSS_OBJS))

-include $(CROSS_OBJS:.o=.d)

## make check-cross unit tests compiled for arm64, run by qemu
.PHONY: check-cross
check-cross: $(UNIT_TESTS:%=$(B)/$(CROSS_ARCH)/tests/unit/%)
	@for t in $^; do tools/cmocka-lines $(CROSS_RUN) $$t || exit 1; done
