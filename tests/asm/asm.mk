# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Bytes in, bytes out: slot images, detours; and guarded calls, run for real.

ASM_OBJS := $(ARCH_SRCS:%.c=$(B)/diff/%.o)
GUARD_OBJS := $(B)/diff/arch/x86/guard.o

$(GUARD_OBJS): arch/x86/guard.c | $(B)/gen/insn_tables.h
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(DIFF_FLAGS) -MMD -MP -c $< -o $@

ASM_IMAGES := slots detours
ASM_PROGRAMS := $(ASM_IMAGES:%=$(B)/tests/asm/%)

$(ASM_PROGRAMS): $(B)/tests/asm/%: tests/asm/%.c $(ASM_OBJS)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(DIFF_FLAGS) $^ -o $@

$(B)/tests/asm/guard: tests/asm/guard.c $(GUARD_OBJS) arch/x86/entry.S
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(DIFF_FLAGS) $^ -o $@

## make check-asm   slot images and detours against goldens; guarded calls
.PHONY: check-asm rebase-asm
check-asm: $(ASM_PROGRAMS) $(B)/tests/asm/guard
	@for t in $(ASM_IMAGES); do $(PYTHON) tests/asm/check.py \
		$(B)/tests/asm/$$t tests/asm/$$t.in tests/asm/$$t.out || exit 1; done
	@$(B)/tests/asm/guard

## make rebase-asm  accept the current images as goldens
rebase-asm: $(ASM_PROGRAMS)
	for t in $(ASM_IMAGES); do $(B)/tests/asm/$$t < tests/asm/$$t.in \
		> tests/asm/$$t.out || exit 1; done
