# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What the command is linked with on x86-64.

CLI_ARCH_LIBS := -lZydis
