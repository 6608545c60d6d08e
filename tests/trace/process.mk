# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# kprobes trace on processes.

$(B)/tests/trace/work: tests/trace/process/work.c
	@mkdir -p $(@D)
	@$(CC) -O2 -g -fomit-frame-pointer -pthread $< -o $@

.PHONY: check-trace-process
check-trace-process: all $(B)/tests/trace/work
	@$(PYTHON) tests/trace/process/trace.py $(B)

check-trace: check-trace-process
