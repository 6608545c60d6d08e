#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Owns the look at the engine's code for riscv64 and MIPS: the compiler may use registers for floating
# point in any, and no flag forbids it.  They are kept around handlers alone
# (vectors_entry.S), so none may be used by what runs between the probed code and those.
#
# Usage: general.sh OBJDUMP LIBRARY NAME

set -eu

used=$("$1" -d --no-show-raw-insn "$2" | awk '
	/^[0-9a-f]+ <.*>:$/ { name = $2; sub(/^</, "", name); sub(/>:$/, "", name); next }
	# Around handlers, and the mode that they begin with; data of stubs is none.
	name != "kp_arch_keeping" && name !~ /^kp_user_enter_/ &&
	name != "kp_arch_return_stubs" && name != "kp_arch_save_image" && name != "kp_arch_load_image" && name != "kp_arch_jprobe_call" &&
	/[ \t,](f[tas][0-9]+|fcsr|\$f[0-9]+|c1_fcsr)([ ,]|$)/ { print name }' | sort -u)
[ -n "$used" ] || { echo "ok $3-general no code of the engine uses registers for floating point"; exit; }
echo "not ok $3-general"
echo "$used" | sed 's/^/# uses them: /'
exit 1
