# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What the command is linked with on arm.  Where it is cross-compiled the libraries
# are Debian's, unpacked into the cache.

CLI_WORDS := cli/words cli/narrow
CLI_ARCH_FILES := cli/words/hidden/see_all.c
CLI_ARCH_LIBS := -lcapstone
ifdef CROSS_COMPILE
CLI_CROSS = $(eval CLI_CROSS := $$(shell tools/cross-packages.sh armhf command libdw1 \
	libdw-dev libelf1 libelf-dev zlib1g liblzma5 libbz2-1.0 libcapstone4 \
	libcapstone-dev))$(or $(CLI_CROSS),$(error the command needs elfutils and Capstone \
	for armhf, which could not be fetched; "make user" builds the library alone))
CLI_ARCH_FLAGS = -I$(CLI_CROSS)/include
CLI_ARCH_LIBS = -L$(CLI_CROSS)/lib -Wl,-rpath-link,$(CLI_CROSS)/lib -lcapstone
endif

# Where those libraries are, for who brings them to an arm machine.
.PHONY: cross-libraries
cross-libraries:
	@echo $(CLI_CROSS)
