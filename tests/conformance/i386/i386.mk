# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The functions that are probed name their data where it is.

LIVE_MACHINE_FLAGS := -Wl,-z,notext -D_FILE_OFFSET_BITS=64
