# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The machine that executes trace programs: sources, for whoever hosts it.
# A host adds the folder of its kt_host.h, and of its kt_types.h.

TRACE_VM_SRCS := $(sort $(wildcard trace/vm/*.c))
TRACE_VM_FLAGS := -Itrace -Itrace/vm -Itrace/$(ARCH)
# kt_types.h of a process.
TRACE_USER_FLAGS = $(TRACE_VM_FLAGS) -Itrace/module/user $(USER_PUBLIC)
