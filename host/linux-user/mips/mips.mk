# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What the process host is made of on MIPS, and compiled with.  No flag keeps the compiler
# from registers for floating point; tests/shared/risc/general.sh looks whether it used any.

USER_MACHINE_FLAGS := -D_FILE_OFFSET_BITS=64 -fasynchronous-unwind-tables
USER_SHARED := host/linux-user/shared/risc host/linux-user/shared/kernel_return host/linux-user/shared/sections

# It protects pages, where it has 64 bits: what system calls write (outs.c) is known of these.
ifneq ($(findstring mips64,$(CROSS_COMPILE)),)
USER_NOT := host/linux-user/shared/risc/no_pages.c
else
USER_NOT := $(addprefix host/linux-user/,$(addprefix watch/,pages.c page_table.c page_alias.c page_store.c passage.c robust.c \
	    lines.c disturbed.c outs.c calls_all.c) signals/outs_table.c shared/risc/lone.c \
	    mips/lone_insn.c)
endif
