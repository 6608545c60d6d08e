# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What the command is linked with on i386: cli/cli.mk.

CLI_SHARED := cli/shared/x86 cli/shared/32bit cli/shared/by_frame
TRACE_SHARED := trace/shared/x86
# System calls as places of a script: none yet.
CLI_ARCH_FILES := cli/shared/risc/trace_calls.c
CLI_DEBIAN := i386
CLI_TEXT := Zydis
CLI_TEXT_LIB := Zydis
CLI_TEXT_PACKAGES := libzydis4.0 libzydis-dev libzycore1.4 libzycore-dev
