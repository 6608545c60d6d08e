# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Bytes in, bytes out: slot images; and guarded calls, run for real.

ASM_OBJS := $(ARCH_SRCS:%.c=$(B)/diff/%.o)
GUARD_OBJS := $(B)/diff/arch/x86/guard.o

$(GUARD_OBJS): arch/x86/guard.c | $(B)/gen/insn_tables.h
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(DIFF_FLAGS) -MMD -c $< -o $@

$(B)/tests/asm/slots: tests/asm/slots.c $(ASM_OBJS)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(DIFF_FLAGS) $^ -o $@

$(B)/tests/asm/guard: tests/asm/guard.c $(GUARD_OBJS) arch/x86/entry.S
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(DIFF_FLAGS) $^ -o $@

## make check-asm   slot images against the expected ones; guarded calls
.PHONY: check-asm rebase-asm
check-asm: $(B)/tests/asm/slots $(B)/tests/asm/guard
	@$(PYTHON) tests/asm/check.py $< tests/asm/slots.in tests/asm/slots.out
	@$(B)/tests/asm/guard

## make rebase-asm  accept the present slot images as the expected ones
rebase-asm: $(B)/tests/asm/slots
	$< < tests/asm/slots.in > tests/asm/slots.out
