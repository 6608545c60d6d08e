# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What the process host is made of on riscv64.  There is no flag that keeps the compiler
# from registers for floating point; tests/rv/general.sh looks whether it used any.

# Pages are not protected here yet: words/no_pages.c.
USER_NOT := $(addprefix host/linux-user/,pages.c page_store.c passage.c lines.c disturbed.c outs.c)
# Traces of a handler come by our frames, which GCC describes by itself from 14 on.
USER_MACHINE_FLAGS := -fasynchronous-unwind-tables
USER_WORDS := host/linux-user/words
