# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What the command is linked with on x86-64.

# What 32-bit code has, too.
CLI_WORDS := cli/x86-both
TRACE_WORDS := trace/x86-both
CLI_ARCH_LIBS := -lZydis
