# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What the command's tests (machine/guest.sh) have to know of i386.

arch=i386
returns="ret"
breakpoint="cc"
# An instruction within target_work, which calls nobody.
within=15
registers="ax bx cx"
alien=r15
size=4
# Debug registers watch reads, too.
reads=yes
# The rest is make check-i386's.
tests=
watching=no
live=
