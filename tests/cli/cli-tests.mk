# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Tests of the kprobes command, as a person would use it.

## make check-cli   the command on files and processes; what is installed
.PHONY: check-cli
check-cli: all
	@tests/cli/run
