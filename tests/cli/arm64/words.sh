# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What the command's tests in a machine (guest.sh) have to know of arm64.

arch=arm64
returns=ret
breakpoint=".. .. .. d4"
# An instruction within target_work, which calls nobody.
within=24
registers="x0 to x30"
[ -e full ] || rounds=1
tests="objects processes symbols paged paged_life"
live="objects processes symbols paged paged_life comes.so marked.so waits.so"
