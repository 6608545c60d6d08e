# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What the command is linked with on x86-64.

# What 32-bit code has, too.
CLI_SHARED := cli/shared/x86
TRACE_SHARED := trace/shared/x86
CLI_ARCH_LIBS := -lZydis
