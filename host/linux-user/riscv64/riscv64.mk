# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What the process host is made of on riscv64.  All hits are signals, whose frames have
# the floating-point registers: code of ours may use them.

# Pages are not protected here yet: words/no_pages.c.
USER_NOT := $(addprefix host/linux-user/,pages.c page_store.c passage.c lines.c disturbed.c outs.c)
USER_WORDS := host/linux-user/words
