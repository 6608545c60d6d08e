# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What names in a script mean: a part of the command.

$(B)/trace/names/%.o: trace/names/%.c | $(B)/gen/syscalls_table.h
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(SANITIZE_FLAGS) $(CLI_FLAGS) -MMD -MP -c $< -o $@

# The processor's part, and what processors share of it.
$(patsubst %.c,$(B)/%.o,$(wildcard trace/$(ARCH)/*.c $(TRACE_SHARED:%=%/*.c))): $(B)/%.o: %.c
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(SANITIZE_FLAGS) $(CLI_FLAGS) -Itrace/names -MMD -MP -c $< -o $@

# System calls' parameters.
$(B)/gen/syscalls_table.h: trace/names/gen_syscalls.py trace/names/syscalls.map
	@mkdir -p $(@D)
	@$(PYTHON) $^ > $@.new
	@mv $@.new $@
