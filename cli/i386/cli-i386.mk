# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What the command is linked with on i386: cli/cli.mk.

CLI_WORDS := cli/x86-both cli/narrow
TRACE_WORDS := trace/x86-both
# System calls as places of a script: none yet.
CLI_ARCH_FILES := cli/words/trace_calls.c
CLI_DEBIAN := i386
CLI_TEXT := Zydis
CLI_TEXT_LIB := Zydis
CLI_TEXT_PACKAGES := libzydis4.0 libzydis-dev libzycore1.4 libzycore-dev
