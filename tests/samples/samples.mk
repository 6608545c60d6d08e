# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Probe modules in a process: ours, and Debian's samples unmodified.

## make check-samples   probe modules compiled for a process
.PHONY: check-samples
check-samples: $(B)/libkprobes.so
	@tests/samples/run $(abspath $(B))
