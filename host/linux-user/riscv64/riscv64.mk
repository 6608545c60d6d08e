# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What the process host is made of on riscv64.  There is no flag that keeps the compiler
# from registers for floating point; tests/words/general.sh looks whether it used any.

# It protects pages.
USER_NOT := host/linux-user/words/no_pages.c
# Traces of a handler come by our frames, which GCC describes by itself from 14 on.
USER_MACHINE_FLAGS := -fasynchronous-unwind-tables
USER_WORDS := host/linux-user/words
