# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What the command is linked with on MIPS, of 64 bits and of 32: cli/cli.mk.

TRACE_SHARED := trace/shared/offset_operands trace/shared/split64
CLI_ARCH_SRCS := arch/none/jump.c
ifneq ($(findstring mips64,$(CROSS_COMPILE)),)
CLI_SHARED := cli/shared/risc cli/shared/by_frame
CLI_DEBIAN := mips64el
else
CLI_SHARED := cli/shared/risc cli/shared/32bit cli/shared/by_frame
CLI_DEBIAN := mipsel
endif
# Of the other byte order there are no libraries.
ifneq ($(filter-out %el-linux-gnu- %el-linux-gnuabi64-,$(CROSS_COMPILE)),)
CLI_DEBIAN :=
CLI_ARCH_FLAGS = $(error the command needs elfutils and Capstone, which Debian has for little-endian \
	MIPS alone; "make user" builds the library, and "make module" the module)
endif
CLI_TEXT := Capstone
CLI_TEXT_LIB := capstone
CLI_TEXT_PACKAGES := libcapstone4 libcapstone-dev
