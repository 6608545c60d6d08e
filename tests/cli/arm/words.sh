# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What the command's tests in a machine (guest.sh) have to know of arm.

arch=arm
returns=bx
breakpoint="01 de"
# An instruction within target_work, which calls nobody.
within=24
registers="r0 to r10"
size=4
other=target-a32
[ -e full ] || few=yes
tests="objects processes symbols paged paged_life unaligned helpers,pages literals"
live="objects processes symbols paged paged_life unaligned helpers literals comes.so marked.so waits.so"
