#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Owns the look at an engine without a host: is all that is undefined in it the host's, what
# its env.h promises of strings, or what compilers call by themselves?
#
# Usage: whole.sh NM OBJECT

set -eu

missing=$("$1" -u "$2" | awk '{ print $2 }' | grep -v -x -E 'kp_host_.*|mem(cpy|set|move|cmp)|str(len|cmp|ncmp|chr)|__c[lt]zdi2') ||
	{ echo "ok rv64-whole the core and arch/riscv64 want nothing but a host"; exit; }
echo "not ok rv64-whole"
echo "$missing" | sed 's/^/# undefined: /'
exit 1
