#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Owns the look at an engine without a host: is all that is undefined in it the host's, what
# its env.h promises of strings, or what compilers call by themselves (on 32 bits for numbers
# of 64, too)?
#
# Usage: whole.sh NM OBJECT NAME [MORE]
# MORE: what this processor's host has to bring besides, an expression as grep -E has it.

set -eu

name=$3
known='kp_host_.*|mem(cpy|set|move|cmp)|str(len|cmp|ncmp|chr)|__c[lt]zdi2|__popcountsi2|__divdi3|__aeabi_.*|_gp_disp|_GLOBAL_OFFSET_TABLE_'
missing=$("$1" -u "$2" | awk '{ print $2 }' | grep -v -x -E "$known${4:+|$4}") ||
	{ echo "ok $name-whole the core and its architecture want nothing but a host"; exit; }
echo "not ok $name-whole"
echo "$missing" | sed 's/^/# undefined: /'
exit 1
