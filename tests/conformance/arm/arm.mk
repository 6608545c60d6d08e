# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The functions that are probed name their data where it is.  What of the suite is not for arm
# yet: lacking.c says why.

LIVE_MACHINE_FLAGS := -marm -funwind-tables -mfpu=neon -Wl,-z,notext -D_FILE_OFFSET_BITS=64

CONF_NOT := tests/conformance/intact.c

# The same, all of it of Thumb.
$(B)/tests/thumb/conformance: $(wildcard tests/conformance/*.[ch] tests/conformance/arm/*.[chS]) $(B)/libkprobes.so \
		$(B)/tests/live/marked.so
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LIVE_FLAGS:-marm=-mthumb) $(CONF_SRCS) -o $@ -lkprobes -pthread -ldl
	@mkdir -p $(@D)/live
	@cp $(B)/tests/live/marked.so $(@D)/live
