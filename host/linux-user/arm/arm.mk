# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What the process host is made of on arm, and compiled with: itself of A32, whose pointers to
# code are addresses.

# It protects pages.
USER_NOT := host/linux-user/shared/risc/no_pages.c
# Nothing of the C library with a number of floating point is wanted inline.
USER_MACHINE_FLAGS := -marm -funwind-tables -mgeneral-regs-only -D__NO_INLINE__ -D_FILE_OFFSET_BITS=64
TRACE_SO_ENGINE := host/linux-user/arm/abi
USER_SHARED := host/linux-user/shared/risc host/linux-user/shared/restorer
