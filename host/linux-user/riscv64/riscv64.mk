# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What the process host is made of on riscv64.  There is no flag that keeps the compiler
# from registers for floating point; tests/shared/risc/general.sh looks whether it used any.

# It protects pages.
USER_NOT := host/linux-user/shared/risc/no_pages.c
# Traces of a handler come by our frames, which GCC describes by itself from 14 on.
USER_MACHINE_FLAGS := -fasynchronous-unwind-tables
USER_SHARED := host/linux-user/shared/risc host/linux-user/shared/kernel_return host/linux-user/shared/sections
