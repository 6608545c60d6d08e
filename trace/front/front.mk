# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The front: from a script to a program.  Part of the command.

TRACE_FRONT_SRCS := $(sort $(wildcard trace/front/*.c))
TRACE_FRONT_OBJS := $(TRACE_FRONT_SRCS:%.c=$(B)/%.o)
TRACE_FRONT_FLAGS = -D_GNU_SOURCE -Itrace/front $(TRACE_USER_FLAGS) \
		    -Wno-missing-field-initializers

$(B)/trace/front/%.o: trace/front/%.c
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(SANITIZE_FLAGS) $(TRACE_FRONT_FLAGS) -MMD -MP -c $< -o $@

-include $(TRACE_FRONT_OBJS:.o=.d)

all: $(TRACE_FRONT_OBJS)
