# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What the command's tests in a machine (guest.sh) have to know of MIPS, of 64 bits.

arch=mips
returns="jr"
breakpoint="0d 00 00 00"
# An instruction within target_work, which calls nobody.
within=44
registers="v0, v1, a0"
jumps=no
why_reads="no debug registers"
[ -e full ] || few=yes
tests="objects delayed,kernel paged paged_life"
live="objects comes.so marked.so waits.so delayed paged paged_life"
