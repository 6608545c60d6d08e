# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Real programs under load, with probes on all their functions.

PROGRAMS ?= all

$(B)/tests/programs/all.so: tests/programs/all.c $(B)/libkprobes.so
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(USER_PUBLIC) -fPIC -shared \
		-DKBUILD_MODNAME='"all"' $< -o $@ -L$(B) -lkprobes

## make check-programs real servers, runtimes and a browser, probed under load
.PHONY: check-programs
check-programs: $(B)/tests/programs/all.so $(B)/kprobes
	@tools/deps.sh check programs
	@B=$(B) $(PYTHON) tests/programs/run $(PROGRAMS)

## make check-programs-docs the same, and put the table into docs/programs.md
.PHONY: check-programs-docs
check-programs-docs: check-programs
	@B=$(B) $(PYTHON) tests/programs/run --docs
