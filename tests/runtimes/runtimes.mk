# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Probes in Go, node, Java, LuaJIT and Rust programs: too large for make check.

$(B)/tests/runtimes/all.so: tests/runtimes/all.c $(B)/libkprobes.so
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(USER_PUBLIC) -fPIC -shared -DKBUILD_MODNAME='"all"' \
		$< -o $@ -L$(B) -lkprobes

# Installs them; a part of make torture.
.PHONY: check-torture-runtimes
check-torture-runtimes: all $(B)/tests/runtimes/all.so
	@tools/deps.sh runtimes
	@tests/runtimes/run $(B)
