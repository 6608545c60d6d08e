# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# trace.so, the probe module that runs trace programs in a process.

TRACE_SO_SRCS := $(sort $(wildcard trace/vm/*.c trace/module/*.c trace/module/user/*.c $(patsubst %,%/*.c,$(filter trace/shared/split64,$(TRACE_SHARED)))))
TRACE_SO_OBJS := $(patsubst %.c,$(B)/trace-so/%.o,$(TRACE_SO_SRCS)) \
	$(patsubst %,$(B)/trace-so/engine/%.o,host/linux-user/freestanding/mem $(TRACE_SO_ENGINE))
TRACE_SO_FLAGS = -D_GNU_SOURCE -Itrace -Itrace/vm -Itrace/$(ARCH) -Itrace/module/user $(USER_PUBLIC) \
	-DKBUILD_MODNAME='"trace"' -fPIC -fvisibility=hidden \
	-fno-stack-protector -U_FORTIFY_SOURCE -fno-plt $(USER_MACHINE_FLAGS) \
	$(filter -m%,$(ARCH_FLAGS))

# One section holds all of it, whose bounds it tells the engine.
$(B)/trace-so/%.o: %.c
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(TRACE_SO_FLAGS) -MMD -MP -c $< -o $@
	@$(OBJCOPY) --rename-section .text=kt_text $@

# The C library's functions may be probed: those for memory are our own, and what the
# compiler calls (TRACE_SO_ENGINE).
$(B)/trace-so/engine/%.o: $(B)/user/%.o
	@mkdir -p $(@D)
	@$(OBJCOPY) --rename-section .text=kt_text \
		--rename-section .text.kp_trap=kt_text $< $@

# It goes into processes that have no C library, too: only the engine is asked (tools/structure).
$(B)/modules/trace.so: $(TRACE_SO_OBJS) $(B)/libkprobes.so
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) -shared -nostdlib -Wl,-z,now $(TRACE_SO_OBJS) -L$(B) -lkprobes -lgcc -o $@

-include $(TRACE_SO_OBJS:.o=.d)

all: $(B)/modules/trace.so
