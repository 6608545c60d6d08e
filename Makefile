# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Kprobes: build, run, check.  "make help" lists the targets.

B ?= build
CC ?= gcc
PYTHON ?= python3
WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Werror
CFLAGS ?= -O2 -g
CFLAGS += -std=gnu11 $(WARN)

CORE_SRCS := $(sort $(wildcard core/*.c))
INCLUDES := -Iport -Iinclude -Icore

.PHONY: all help clean
all:

# The decoder's tables, from the opcode map.
$(B)/gen/insn_tables.h: arch/x86/insn/gen_tables.py arch/x86/insn/opcodes.map
	@mkdir -p $(@D)
	@$(PYTHON) $^ > $@.new
	@mv $@.new $@

include $(sort $(wildcard arch/*/*.mk arch/*/*/*.mk host/*/*.mk tests/*/*.mk))

## make help        this list
help:
	@sed -n 's/^## //p' $(MAKEFILE_LIST)

## make clean       remove build/
clean:
	rm -rf $(B)
