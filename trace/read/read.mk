# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The reader of arenas, and the machine once more: blocks of a script run in it.

TRACE_READ_SRCS := $(sort $(wildcard trace/read/*.c))
TRACE_READ_FLAGS = -D_GNU_SOURCE -Itrace/read $(TRACE_USER_FLAGS)
TRACE_READ_OBJS := $(TRACE_READ_SRCS:%.c=$(B)/%.o) \
		   $(patsubst %.c,$(B)/trace/read-vm/%.o,$(wildcard trace/vm/*.c))

$(B)/trace/read/%.o: trace/read/%.c
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(SANITIZE_FLAGS) $(TRACE_READ_FLAGS) -MMD -MP -c $< -o $@

$(B)/trace/read-vm/%.o: %.c
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(SANITIZE_FLAGS) $(TRACE_READ_FLAGS) -MMD -MP -c $< -o $@

-include $(TRACE_READ_OBJS:.o=.d)

all: $(TRACE_READ_OBJS)
