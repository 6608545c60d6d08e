# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What the process host is made of on i386, and compiled with.

# One instruction is executed by a single step.
USER_NOT := $(addprefix host/linux-user/shared/risc/,no_pages.c lone.c)
# Compare-and-swap of 64 bits is the Pentium's.
USER_MACHINE_FLAGS := -march=i586 -mgeneral-regs-only -D_FILE_OFFSET_BITS=64
TRACE_SO_ENGINE := arch/i386/atomic64
USER_SHARED := host/linux-user/shared/x86 host/linux-user/shared/risc host/linux-user/shared/restorer
