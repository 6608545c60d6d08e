# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What the process host is made of on arm, and compiled with: itself of A32, whose pointers to
# code are addresses.

# Pages are not protected here yet: words/no_pages.c.
USER_NOT := $(addprefix host/linux-user/,pages.c page_store.c passage.c lines.c disturbed.c outs.c words/lone.c)
# Nothing of the C library with a number of floating point is wanted inline.
USER_MACHINE_FLAGS := -marm -funwind-tables -mgeneral-regs-only -D__NO_INLINE__ -D_FILE_OFFSET_BITS=64
USER_WORDS := host/linux-user/words
