# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Kprobes: build, run, check.  "make help" lists the targets.

# The processor that is built for: a folder in arch/.
ARCH ?= x86
ifeq ($(ARCH),x86)
B ?= build
else
B ?= build/$(ARCH)
endif
# make ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu-
ifdef CROSS_COMPILE
CC := $(CROSS_COMPILE)gcc
LD := $(CROSS_COMPILE)ld
AR := $(CROSS_COMPILE)ar
OBJCOPY := $(CROSS_COMPILE)objcopy
else
CC ?= gcc
OBJCOPY ?= objcopy
endif
# make SANITIZE=address,undefined TARGET: a checked build, in a folder of its own
# (tests/fuzz/fuzz.mk says what is checked).
ifdef SANITIZE
B := build/sanitize
SANITIZE_FLAGS := -fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer
SANITIZE_TRAPS := $(if $(findstring undefined,$(SANITIZE)),-fsanitize=undefined \
		  -fsanitize-undefined-trap-on-error)
export ASAN_OPTIONS := detect_leaks=0
export SANITIZE_FLAGS
endif
PYTHON ?= python3
WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Werror
CFLAGS ?= -O2 -g
CFLAGS += -std=gnu11 $(WARN)

CORE_SRCS := $(sort $(wildcard core/*.c))
INCLUDES := -Iport -Iinclude -Icore
# What compares a decoder with others, in the tests of several ports.
ORACLE_SRCS := $(addprefix tests/oracle/,main.c compare.c hear.c excuse.c row.c)

.PHONY: all help clean
all:

# What is built, then what tests and measures it.
include $(sort $(wildcard arch/*/*.mk)) $(wildcard host/*/$(ARCH)/*.mk cli/$(ARCH)/*.mk)
include $(sort $(wildcard host/*/*.mk trace/*/*.mk trace/*/*/*.mk)) cli/cli.mk
include $(wildcard tests/*/$(ARCH)/*.mk) $(sort $(wildcard tests/*/*.mk tools/*/*.mk bench/*.mk))

# The stages of make check; each is a target check-STAGE.  Groups run beside others, whose
# are no less long (tools/check); no two have stages that build or boot the same kernel's
# modules, or build for the same processor.
STAGES = [ structure unit cli trace live table fuzz cross protocol asm diff samples any \
	 + kernel-small kernel-stock kernel-suite-6.12 models budget \
	 + arm64 arm64-cli kernel-small-arm64 \
	 + insn + riscv64 + arm + i386 + mips ] \
	 conformance
# What stages that run beside each other would build at once.  Built beside the stages, with a
# low priority, they are waited for longer than this takes.
# Two at a time, since a third of each is done by one processor, or waits for the network.
CHECK_KERNELS := small stock stock-6.12 stock-arm64 small-arm64

# What is compiled for the tests, a module for each of many kernels above all, is the same
# from one clone to the next.
check check-%: export PATH := /usr/lib/ccache:$(PATH)

## make check       run all tests (installs what they need)
.PHONY: check check-structure check-conformance
check: deps
	+@$(MAKE) --no-print-directory -j$$(nproc) all
	+@$(ARM64_MAKE) -j$$(nproc) all
	@printf '%s\n' $(CHECK_KERNELS) | xargs -P 2 -n 1 sh -c \
		'tools/vm/kernel.sh "$$0" >/dev/null || [ $$? = 77 ] || exit 255'
	@tools/check $(STAGES)

# What a change is tried with while it is written: this processor, processes alone.
QUICK_STAGES := structure unit live-rules trace-vm trace-front trace-read trace-names

## make quick       run the quick tests: layers, units, conformance in a process (2 minutes at most)
.PHONY: quick
quick: export PATH := /usr/lib/ccache:$(PATH)
quick:
	@tools/deps.sh check
	+@$(MAKE) --no-print-directory -j$$(nproc) all
	@tools/check $(QUICK_STAGES)

check-structure: $(SIM_OBJS) $(X86_OBJS) all
	@tools/structure $(B)

check-conformance:
	@tools/conformance $(B)

# The stages of make torture.
TORTURE_STAGES := torture-protocol torture-live torture-mix torture-watch torture-toggles \
		  torture-everywhere torture-cli torture-kernel torture-toggle-kernel \
		  torture-debug torture-runtimes torture-arm torture-arm64 torture-i386 torture-riscv64 torture-mips

## make torture     run the long tests: processes, both kernels, a debug kernel
.PHONY: torture
torture: deps
	@tools/check $(TORTURE_STAGES)

## make deps        install the Debian packages that the tests need
.PHONY: deps
deps:
	@tools/deps.sh check vm arm64 riscv64 i386 armhf mips64el mipsel

## make help        list the targets
help:
	@sed -n 's/^## //p' $(MAKEFILE_LIST)

## make clean       remove build/
clean:
	rm -rf $(B)
