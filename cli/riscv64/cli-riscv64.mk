# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What the command is linked with on riscv64.  Where it is cross-compiled the libraries are
# of Debian's unstable, unpacked into the cache: Debian 12 has none for this processor.
# They are newer than the cross compiler's C library, and so linked statically (isoc23.c).

TRACE_SHARED := trace/shared/offset_operands
CLI_SHARED := cli/shared/risc cli/shared/rewound_calls cli/shared/by_frame
CLI_ARCH_LIBS := -lcapstone
ifdef CROSS_COMPILE
CLI_CROSS = $(eval CLI_CROSS := $$(shell tools/cross-packages.sh riscv64 command libdw-dev \
	libelf-dev zlib1g-dev libzstd-dev liblzma-dev libbz2-dev libcapstone-dev))$(or \
	$(CLI_CROSS),$(error the command needs elfutils and Capstone for riscv64, which could \
	not be fetched; "make user" builds the library alone))
CLI_ARCH_FLAGS = -I$(CLI_CROSS)/include
CLI_ARCH_LIBS = -L$(CLI_CROSS)/lib -lcapstone -lz -lzstd -llzma -lbz2
endif
