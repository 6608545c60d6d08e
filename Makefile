# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Kprobes: build, run, check.  "make help" lists the targets.

B ?= build
CC ?= gcc
PYTHON ?= python3
WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Werror
CFLAGS ?= -O2 -g
CFLAGS += -std=gnu11 $(WARN)

.PHONY: all help
all:

help:
	@sed -n 's/^## //p' $(MAKEFILE_LIST)

include $(wildcard */*/*.mk)
