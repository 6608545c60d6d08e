# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What the command is linked with on MIPS, of 64 bits: cli/cli.mk.

TRACE_WORDS := trace/offsets
CLI_WORDS := cli/words
CLI_ARCH_SRCS := arch/none/jump.c
CLI_DEBIAN := mips64el
CLI_TEXT := Capstone
CLI_TEXT_LIB := capstone
CLI_TEXT_PACKAGES := libcapstone4 libcapstone-dev
