# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The i386 port's tests: instructions at their place, emulated and in slots, on this processor,
# which executes 32-bit code.  The decoder's are with x86-64's (tests/insn).

I386_CC ?= i686-linux-gnu-gcc
I386_BIN := $(B)/tests/i386
I386_FLAGS := -D_GNU_SOURCE -Itests/i386 -Itests/oracle -Ihost/sim $(INCLUDES) -Ihost/linux-user/include \
	      -Iarch/i386/include -Iarch/i386 -Iarch/x86 -Iarch/x86/insn -Iarch/none -I$(B)/gen
I386_DEPS := $(I386_SRCS) $(wildcard port/*.h arch/i386/*.h arch/x86/*.h arch/x86/insn/*.h tests/i386/*.h) \
	     $(B)/gen/insn_tables.h
# A program of its own at an address that no sum of the sandbox's is (sandbox.h).
I386_APART := -static -no-pie -Wl,-Ttext-segment=0x48000000

$(I386_BIN)/diff: tests/i386/diff.c tests/i386/sandbox.c $(I386_DEPS)
	@mkdir -p $(@D)
	@$(I386_CC) $(CFLAGS) $(I386_FLAGS) $(I386_APART) $(filter tests/%.c,$^) $(I386_SRCS) -o $@

## make check-i386-port  the i386 port: emulation and slots beside real execution
.PHONY: check-i386-port fuzz-i386
check-insn: check-i386-port
check-i386-port: $(I386_BIN)/diff
	@$< random 20000 $(INSN_SEED)
	@$< library $(INSN_LIBC_32) 40 $(INSN_SEED)

fuzz: fuzz-i386
fuzz-i386: $(I386_BIN)/diff
	@$< random 500000 $(INSN_SEED)
	@for file in $(INSN_FILES_32); do $< library $$file 1 $(INSN_SEED) || exit; done
