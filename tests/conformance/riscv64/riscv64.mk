# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What of the suite is not for riscv64 yet: lacking.c says why.

# GCC describes functions for unwinders by itself from 14 on.
LIVE_MACHINE_FLAGS := -fasynchronous-unwind-tables

CONF_NOT := tests/conformance/intact.c
