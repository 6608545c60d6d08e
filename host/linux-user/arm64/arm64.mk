# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What the process host is made of on arm64, and compiled with.

# It protects pages.
USER_NOT := host/linux-user/shared/risc/no_pages.c
USER_SHARED := host/linux-user/shared/risc host/linux-user/shared/restorer
USER_MACHINE_FLAGS := -mgeneral-regs-only
