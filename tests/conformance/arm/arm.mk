# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The functions that are probed name their data where it is.  What of the suite is not for arm
# yet: lacking.c says why.

LIVE_MACHINE_FLAGS := -marm -mfpu=neon -Wl,-z,notext -D_FILE_OFFSET_BITS=64

CONF_NOT := $(addprefix tests/conformance/,intact.c watch.c coding.c optimize.c)
