# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What the command's tests in a machine (guest.sh) have to know of riscv64.

arch=riscv64
returns="c.jr"
breakpoint="02 90"
# An instruction within target_work, which calls nobody.
within=22
registers="pc, ra, sp"
why_reads="no debug registers"
tests="objects processes symbols paged paged_life"
# Minutes, and arm64's show it.
[ -e full ] || few=yes tests="objects symbols paged paged_life"
live="objects processes symbols paged paged_life comes.so marked.so waits.so"
