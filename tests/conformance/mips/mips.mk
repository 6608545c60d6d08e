# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What of the suite is not for MIPS yet: lacking.c says why.

LIVE_MACHINE_FLAGS := -D_FILE_OFFSET_BITS=64 -fasynchronous-unwind-tables

CONF_NOT := $(addprefix tests/conformance/,intact.c optimize.c)
