# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What the command is linked with on arm64.  Where it is cross-compiled the libraries
# are Debian's, unpacked into the cache.

CLI_WORDS := cli/words
CLI_ARCH_FILES := cli/words/hidden/see_all.c
CLI_ARCH_LIBS := -lcapstone
ifdef CROSS_COMPILE
CLI_CROSS = $(eval CLI_CROSS := $$(shell tools/cross-packages.sh arm64 command libdw1 \
	libdw-dev libelf1 libelf-dev zlib1g liblzma5 libbz2-1.0 libcapstone4 \
	libcapstone-dev))$(or $(CLI_CROSS),$(error the command needs elfutils and Capstone \
	for arm64, which could not be fetched; "make user" builds the library alone))
CLI_ARCH_FLAGS = -I$(CLI_CROSS)/include
CLI_ARCH_LIBS = -L$(CLI_CROSS)/lib -Wl,-rpath-link,$(CLI_CROSS)/lib -lcapstone
endif
# What the engine's verdicts need besides.
CLI_ARCH_SRCS := arch/arm64/auth.c

# Where those libraries are, for who brings them to an arm64 machine.
.PHONY: cross-libraries
cross-libraries:
	@echo $(CLI_CROSS)
