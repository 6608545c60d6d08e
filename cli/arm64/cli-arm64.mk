# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What the command is linked with on arm64: cli/cli.mk.

CLI_SHARED := cli/shared/risc cli/shared/rewound_calls cli/shared/by_frame
CLI_ARCH_FILES := cli/shared/hidden_register/see_all.c
# What the engine's verdicts need besides.
CLI_ARCH_SRCS := arch/arm64/auth.c
TRACE_SHARED := trace/shared/arm
CLI_DEBIAN := arm64
CLI_TEXT := Capstone
CLI_TEXT_LIB := capstone
CLI_TEXT_PACKAGES := libcapstone4 libcapstone-dev
