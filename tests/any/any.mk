# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Programs of every kind: this C library, that one, none.

## make check-any    programs with this C library, that one and none, static and dynamic
.PHONY: check-any
check-any: all
	@tools/deps.sh check
	@$(MAKE) -s -C samples
	+@$(I386_MAKE) build/i386/kprobes-static
	@B=$(B) $(PYTHON) tests/any/run
	@B=$(B) KPROBES_WAY=image $(PYTHON) tests/any/run glibc
	@B=$(B) $(PYTHON) tests/any/started
	@B=$(B) $(PYTHON) tests/any/odd
	@B=$(B) $(PYTHON) tests/any/threads
	@$(MAKE) --no-print-directory -s $(B)/kprobes-static
	@B=$(B) $(PYTHON) tests/any/container
	@B=$(B) $(PYTHON) tests/any/idle
	@B=$(B) $(PYTHON) tests/any/forks
