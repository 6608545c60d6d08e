# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The decoder's tests: against Zydis, against objdump, goldens.

INSN_FLAGS := -Iinclude -Ihost/sim -Ihost/linux-user/include -Iarch/x86/include \
	      -Iarch/x86/insn -I$(B)/gen -Itests/insn
INSN_SRCS := arch/x86/insn/insn.c
INSN_DEPS := $(INSN_SRCS) arch/x86/insn/insn.h $(B)/gen/insn_tables.h tests/insn/compare.h tests/insn/elf_file.h
INSN_BIN := $(B)/tests/insn

# Real code to compare over; VMLINUX adds a kernel image.
INSN_LIBC := $(firstword $(wildcard /lib/x86_64-linux-gnu/libc.so.6 /lib64/libc.so.6))
INSN_FILES := $(INSN_LIBC) $(wildcard $(shell $(CC) -print-file-name=libstdc++.so.6) \
	      $(shell $(CC) -print-prog-name=cc1)) $(VMLINUX)
# 32-bit code: the cross compiler's libraries.
INSN_LIBC_32 := /usr/i686-linux-gnu/lib/libc.so.6
INSN_FILES_32 := $(addprefix /usr/i686-linux-gnu/lib/,libc.so.6 libstdc++.so.6 libasan.so.8)
INSN_SEED ?= 1
INSN_COUNT ?= 3000000
FUZZ_COUNT ?= 50000000

$(INSN_BIN)/oracle_zydis $(INSN_BIN)/fuzz_zydis $(INSN_BIN)/grid_zydis: $(INSN_BIN)/%: tests/insn/%.c tests/insn/compare.c $(INSN_DEPS)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(INSN_FLAGS) $< tests/insn/compare.c $(INSN_SRCS) -lZydis -o $@

$(INSN_BIN)/written_zydis: tests/insn/written_zydis.c arch/x86/written.c arch/x86/written.h port/watch.h $(INSN_DEPS)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(INCLUDES) $(INSN_FLAGS) -Iarch/x86 $< arch/x86/written.c $(INSN_SRCS) -lZydis -o $@

$(INSN_BIN)/oracle_objdump $(INSN_BIN)/golden: $(INSN_BIN)/%: tests/insn/%.c $(INSN_DEPS)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(INSN_FLAGS) $< $(INSN_SRCS) -o $@

## make check-insn  the decoder against goldens, Zydis and objdump (VMLINUX=file adds a kernel)
.PHONY: check-insn
check-insn: $(addprefix $(INSN_BIN)/,golden oracle_zydis oracle_objdump grid_zydis fuzz_zydis written_zydis)
	@$(INSN_BIN)/golden tests/insn/golden/*.in
	@$(INSN_BIN)/oracle_zydis $(INSN_FILES) $(INSN_FILES_32)
	@$(INSN_BIN)/oracle_zydis -e $(INSN_LIBC) $(INSN_LIBC_32)
	@$(INSN_BIN)/oracle_objdump $(INSN_FILES) $(INSN_FILES_32)
	@$(INSN_BIN)/grid_zydis
	@$(INSN_BIN)/fuzz_zydis $(INSN_COUNT) $(INSN_SEED)
	@$(INSN_BIN)/written_zydis $(INSN_COUNT) $(INSN_SEED)

## make fuzz        fuzz the decoder (FUZZ_COUNT), the endpoint, and readers of hostile inputs (FUZZ_EACH)
.PHONY: fuzz
fuzz: $(INSN_BIN)/fuzz_zydis $(INSN_BIN)/written_zydis
	@$< $$((2 * $(FUZZ_COUNT))) $(INSN_SEED)
	@$(INSN_BIN)/written_zydis $(FUZZ_COUNT) $(INSN_SEED)

## make rebase-insn accept the decoder's current output as goldens
.PHONY: rebase-insn
rebase-insn: $(INSN_BIN)/golden
	@$< --rebase tests/insn/golden/*.in
