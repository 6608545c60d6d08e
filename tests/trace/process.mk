# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# kprobes trace on processes.

TRACE_TARGETS := $(patsubst %,$(B)/tests/trace/%,work scribble calls made overrun typed)

$(TRACE_TARGETS): $(B)/tests/trace/%: tests/trace/process/%.c
	@mkdir -p $(@D)
	@$(CC) -O2 -g -fomit-frame-pointer -pthread $< -o $@

# Go's, stripped.
$(B)/tests/trace/deep: tests/trace/process/deep.go
	@mkdir -p $(@D)
	@GOCACHE=$(abspath $(B))/tests/go go build -ldflags '-s -w' -o $@ $<

.PHONY: check-trace-process
check-trace-process: all $(B)/tests/trace/names/show $(TRACE_TARGETS) $(B)/tests/trace/deep
	@$(PYTHON) tests/trace/process/trace.py $(B)
	@$(PYTHON) tests/trace/process/shown.py $(B)
	@$(PYTHON) tests/trace/process/targets.py $(B)
	@$(PYTHON) tests/trace/process/calls.py $(B)
	@$(PYTHON) tests/trace/process/order.py $(B)
	@$(PYTHON) tests/trace/process/typed.py $(B)
	@$(PYTHON) tests/trace/process/passed.py $(B)
	@$(PYTHON) tests/trace/process/acts.py $(B)
	@$(PYTHON) tests/trace/process/words.py $(B)
	@$(PYTHON) tests/trace/process/language.py $(B)
	@$(PYTHON) tests/trace/process/named.py $(B)
	@$(PYTHON) tests/trace/process/later.py $(B)
	@$(PYTHON) tests/trace/process/beside.py $(B)
	@$(PYTHON) tests/trace/process/units.py $(B)
	@$(PYTHON) tests/trace/process/drawn.py $(B)

check-trace: check-trace-process
