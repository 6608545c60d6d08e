# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# kprobes.ko and kprobes_trace.ko: make module KDIR=<kernel build directory>; for
# another processor with ARCH and CROSS_COMPILE.

KERNEL_HERE := host/linux-kernel/$(ARCH)
# What processors share: that have words for instructions; x86 in both modes.
KERNEL_SHARED := $(if $(filter arm64 riscv64 mips arm,$(ARCH)),$(wildcard host/linux-kernel/shared/risc/*.c)) \
	$(if $(filter x86 i386,$(ARCH)),$(wildcard host/linux-kernel/shared/x86/*.c)) \
	$(if $(filter i386,$(ARCH)),host/linux-kernel/shared/risc/rcu_word.c)
KERNEL_SRCS := $(sort $(CORE_SRCS) $(ARCH_SRCS) $(ARCH_NATIVE) $(ARCH_ASM) $(ARCH_NONE) $(ARCH_NO_VECTORS) \
	$(filter-out %/offsets.c,$(wildcard host/linux-kernel/*.c $(KERNEL_HERE)/*.[cS])) $(KERNEL_SHARED))
KERNEL_HDRS := $(wildcard port/*.h core/*.h arch/$(ARCH)/*.h $(if $(filter i386,$(ARCH)),arch/x86/*.h arch/x86/insn/*.h) arch/$(ARCH)/insn/*.h arch/none/*.h arch/shared/risc/*.h \
	host/linux-kernel/*.h host/linux-kernel/shared/x86/*.h $(KERNEL_HERE)/*.h host/linux-kernel/shared/risc/*.h host/linux-kernel/compat/*.h include/linux/*.h include/kprobes/*.h \
	host/linux-kernel/include/*/*.h trace/vm/*.h trace/module/*.h trace/shared/risc/*.h trace/$(ARCH)/*.h \
	trace/module/kernel/*.h trace/module/kernel/shared/risc/*.h trace/module/kernel/$(ARCH)/*.h $(KERNEL_HERE)/offsets.c)
# Those that have trace programs, and whose stacks are followed alike.
KERNEL_TRACE_x86 := shared/x86
KERNEL_TRACE_i386 := i386 shared/x86
KERNEL_TRACE_arm64 := shared/risc shared/frame_pointers
KERNEL_TRACE_riscv64 := shared/risc shared/frame_pointers
KERNEL_TRACE_arm := shared/risc shared/kernel_unwind
KERNEL_TRACE_mips := shared/risc shared/kernel_unwind
KERNEL_TRACE_SRCS = $(if $(KERNEL_TRACE_$(ARCH)),$(TRACE_VM_SRCS) \
	$(sort $(wildcard trace/module/*.c trace/module/kernel/*.c \
		$(patsubst %,trace/module/kernel/%/*.c,$(KERNEL_TRACE_$(ARCH))))) \
	$(if $(filter mips,$(ARCH)),trace/shared/split64/halves.c))

KDIR ?= /lib/modules/$(shell uname -r)/build
KERNEL_RELEASE = $(shell sed -n 's/.*UTS_RELEASE "\(.*\)".*/\1/p' $(KDIR)/include/generated/utsrelease.h)
MODULE_DIR = $(abspath $(B))/module/$(KERNEL_RELEASE)

# A kernel with type information wants it of its modules, too, where the program
# that makes it (package dwarves) is there; they load without.
NO_BTF = $(if $(shell command -v pahole),,CONFIG_DEBUG_INFO_BTF_MODULES=)

## make module KDIR=…  build/module/<release>/kprobes.ko, kprobes_trace.ko for that kernel
# Sources are linked, not copied, so that messages and debuggers name the real
# files; objects lie beside the links, so two kernels do not meet.  One build
# of a kernel's at a time.
.PHONY: module
module: $(ARCH_TABLES)
	@test -n "$(KERNEL_RELEASE)" || \
		{ echo "KDIR=$(KDIR) is not a kernel build directory" >&2; exit 1; }
	@mkdir -p $(MODULE_DIR)
	@cd $(MODULE_DIR) && for f in $(KERNEL_SRCS) $(KERNEL_TRACE_SRCS) $(KERNEL_HDRS); do \
		mkdir -p $$(dirname $$f) && ln -sfn $(CURDIR)/$$f $$f; done
	@mkdir -p $(MODULE_DIR)/gen
	@for table in $(ARCH_TABLES); do \
		cmp -s $$table $(MODULE_DIR)/gen/$${table##*/} || cp $$table $(MODULE_DIR)/gen/ || exit; done
	@ln -sfn $(CURDIR)/host/linux-kernel/Kbuild $(MODULE_DIR)/Kbuild
	+flock $(MODULE_DIR)/lock $(MAKE) -C $(KDIR) M=$(MODULE_DIR) W=1 $(NO_BTF) \
		$(if $(filter riscv64,$(ARCH)),ARCH=riscv) \
		KP_ARCH=$(ARCH) KP_FLAGS="$(filter -m% -Iarch/%,$(ARCH_FLAGS))" \
		KP_SRCS="$(KERNEL_SRCS)" KT_SRCS="$(KERNEL_TRACE_SRCS)" modules || \
		{ $(trimmed) >&2; exit 1; }

# What explains a symbol that is undefined.
trimmed = ! grep -qsx CONFIG_TRIM_UNUSED_KSYMS=y $(KDIR)/include/config/auto.conf || \
	echo "this kernel exports only what its own modules use (CONFIG_TRIM_UNUSED_KSYMS): build it without, or with what \"make exports\" prints in the file that CONFIG_UNUSED_KSYMS_WHITELIST names"

## make exports        print the symbols that a kernel with CONFIG_TRIM_UNUSED_KSYMS must also export
.PHONY: exports
exports:
	@sed '/^#/d' host/linux-kernel/exports
