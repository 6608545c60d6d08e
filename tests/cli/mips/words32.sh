# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What the command's tests in a machine (guest.sh) have to know of MIPS, of 32 bits: as of 64,
# but that no pages are protected there.

arch=mips32
returns="jr"
breakpoint="0d 00 00 00"
# An instruction within target_work, which calls nobody.
within=44
registers="v0, v1, a0"
size=4
jumps=no
watching=no watches=no
why_reads="no debug registers"
[ -e full ] || few=yes
tests="objects delayed,kernel"
live="objects comes.so marked.so waits.so delayed"
