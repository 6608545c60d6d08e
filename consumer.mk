# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# For the Kbuild of a module that uses Kprobes:
#
#     include $(KPROBES)/consumer.mk
#
# with KPROBES the path of this file's directory, given to make.  The module
# is then compiled with the documented <linux/kprobes.h>, whether or not the
# kernel has Kprobes of its own, and linked against kprobes.ko, which
# `make module KDIR=…` built for the same kernel (KPROBES_SYMVERS names its
# Module.symvers when it lies elsewhere).

KPROBES_SYMVERS ?= $(KPROBES)/build/module/$(KERNELRELEASE)/Module.symvers

# ccflags-y would put them after the kernel's own headers.
NOSTDINC_FLAGS += -I$(KPROBES)/host/linux-kernel/include -I$(KPROBES)/include
KBUILD_EXTRA_SYMBOLS += $(KPROBES_SYMVERS)

# Makefiles ask too; C code learns it from <linux/kprobes.h>, after the headers
# whose layout depends on it.
CONFIG_KPROBES := y
CONFIG_KRETPROBES := y
