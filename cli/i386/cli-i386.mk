# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What the command is linked with on i386.  Where it is cross-compiled the libraries
# are Debian's, unpacked into the cache.

CLI_WORDS := cli/x86-both cli/narrow
TRACE_WORDS := trace/x86-both
# System calls as places of a script: none yet.
CLI_ARCH_FILES := cli/words/trace_calls.c
CLI_ARCH_LIBS := -lZydis
ifdef CROSS_COMPILE
CLI_CROSS = $(eval CLI_CROSS := $$(shell tools/cross-packages.sh i386 command libdw1 \
	libdw-dev libelf1 libelf-dev zlib1g liblzma5 libbz2-1.0 libzydis4.0 libzydis-dev \
	libzycore1.4 libzycore-dev))$(or $(CLI_CROSS),$(error the command needs elfutils and \
	Zydis for i386, which could not be fetched; "make user" builds the library alone))
CLI_ARCH_FLAGS = -I$(CLI_CROSS)/include
CLI_ARCH_LIBS = -L$(CLI_CROSS)/lib -Wl,-rpath-link,$(CLI_CROSS)/lib -lZydis
endif

# Where those libraries are, for who executes the command.
.PHONY: cross-libraries
cross-libraries:
	@echo $(CLI_CROSS)
