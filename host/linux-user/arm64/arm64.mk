# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What the process host is made of on arm64, and compiled with.

# It protects pages.
USER_NOT := host/linux-user/words/no_pages.c
USER_WORDS := host/linux-user/words
USER_MACHINE_FLAGS := -mgeneral-regs-only
