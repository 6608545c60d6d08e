# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# make static, make boards: the command as one static file, kprobes-static.

STATIC := $(B)/static
# The files inside it.
STATIC_PARTS = $(B)/kprobes.image $(B)/libkprobes.so $(INSTALL_PROBES)
STATIC_TEXT := $(if $(wildcard cli/onefile/$(ARCH)/*.c),$(ARCH),$(if $(filter i386,$(ARCH)),x86))
STATIC_SRCS := $(wildcard cli/onefile/*.c $(addsuffix /*.c,$(addprefix cli/onefile/,$(STATIC_TEXT))))
STATIC_NOT := $(B)/cli/beside/beside.o $(if $(STATIC_TEXT),$(B)/cli/shared/x86/insn_text.o)
STATIC_OBJS = $(filter-out $(STATIC_NOT),$(CLI_OBJS)) $(STATIC_SRCS:%.c=$(STATIC)/%.o) \
	      $(STATIC)/parts.o $(CLI_ARCH) $(TRACE_FRONT_OBJS) $(TRACE_READ_OBJS)
# A cross build uses Debian's archives, unpacked into the cache.
ifdef CROSS_COMPILE
STATIC_CROSS = $(eval STATIC_CROSS := $$(shell tools/cross-packages.sh $(or $(CLI_DEBIAN),$(ARCH)) static \
	libdw-dev libelf-dev zlib1g-dev liblzma-dev libbz2-dev libcapstone-dev \
	$(if $(filter riscv64,$(ARCH)),libzstd-dev)))$(or $(STATIC_CROSS),$(error the archives that the \
	command is made of could not be fetched))
STATIC_FLAGS = -I$(STATIC_CROSS)/include
STATIC_LIBS = -L$(STATIC_CROSS)/lib
endif
STATIC_LIBS += -ldw -lelf -lcapstone -llzma -lbz2 -lz $(if $(filter riscv64,$(ARCH)),-lzstd)
# The demangler, where there is a C++ compiler.
STATIC_CXX = $(filter /%,$(shell $(CC) -print-file-name=libsupc++.a))
STATIC_LIBS += $(if $(STATIC_CXX),-Wl$(comma)-u$(comma)__cxa_demangle $(STATIC_CXX) -lgcc_eh)
comma := ,
STATIC_STRIP = $(OBJCOPY:objcopy=strip)

# Capstone's names of the processors other than this one.
STATIC_CAPSTONE_x86 := X86
STATIC_CAPSTONE_i386 := X86
STATIC_CAPSTONE_arm64 := AArch64
STATIC_CAPSTONE_arm := ARM
STATIC_CAPSTONE_mips := Mips
STATIC_CAPSTONE_riscv64 := RISCV
STATIC_OTHERS := $(filter-out $(STATIC_CAPSTONE_$(ARCH)),AArch64 ARM BPF EVM M680X M68K MOS65XX Mips \
		 PPC RISCV SH Sparc SystemZ TMS320C64x TRICORE WASM X86 XCore)
STATIC_FLAGS += -DKP_OTHERS='$(patsubst %,OTHER(%),$(STATIC_OTHERS))'

$(STATIC)/%.o: %.c
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(CLI_FLAGS) $(STATIC_FLAGS) -MMD -MP -c $< -o $@

# Offsets from the table's begin: of a name, of the file's contents; and how long they are.
$(STATIC)/parts.s: $(B)/kprobes.image $(B)/libkprobes.so $(B)/modules/trace.so tools/install/static.mk
	@$(MAKE) --no-print-directory $(INSTALL_PROBES)
	@rm -rf $(STATIC)/parts
	@mkdir -p $(STATIC)/parts
	@{ echo '.section .rodata.cli_inside, "a"'; \
	   echo '.balign 16; .globl cli_inside; .hidden cli_inside; cli_inside:'; \
	   for part in $(STATIC_PARTS); do \
		name=$${part##*/}; \
		$(STATIC_STRIP) --strip-unneeded -R .comment $$part -o $(STATIC)/parts/$$name || exit 1; \
		echo ".long 1f - cli_inside, 2f - cli_inside, 3f - 2f"; \
		echo ".pushsection .rodata.cli_inside, 1; 1: .asciz \"$$name\"; .balign 16"; \
		echo "2: .incbin \"$(STATIC)/parts/$$name\"; 3: .popsection"; \
	   done; \
	   echo '.long 0, 0, 0'; \
	   echo '.section .note.GNU-stack, "", %progbits'; } > $@

$(STATIC)/parts.o: $(STATIC)/parts.s
	@$(CC) -c $< -o $@

$(B)/kprobes-static: $(STATIC_OBJS)
	@$(CC) $(CFLAGS) -static-pie -Wl,--no-warnings $^ $(STATIC_LIBS) -o $(STATIC)/kprobes-static
	@$(STATIC_STRIP) -R .comment $(STATIC)/kprobes-static -o $@

-include $(STATIC_SRCS:%.c=$(STATIC)/%.d)

## make static      the command as one file: build/kprobes-static
.PHONY: static
static:
	@$(if $(CROSS_COMPILE),:,tools/deps.sh static)
	@$(MAKE) --no-print-directory $(B)/kprobes-static
	@ls -l $(B)/kprobes-static

# The processors that Debian has the archives for, and its compilers' names.
BOARDS := arm64:aarch64-linux-gnu arm:arm-linux-gnueabihf i386:i686-linux-gnu \
	  riscv64:riscv64-linux-gnu mips:mips64el-linux-gnuabi64 mips:mipsel-linux-gnu
## make boards      make static for every processor: build/boards/
.PHONY: boards
boards: static
	@tools/deps.sh check
	@mkdir -p build/boards
	@cp $(B)/kprobes-static build/boards/kprobes-static-x86-64
	@set -e; for board in $(BOARDS); do \
		arch=$${board%%:*} triplet=$${board#*:}; name=$$arch; \
		[ $$arch != mips ] || name=$${triplet%%-*}; \
		$(MAKE) --no-print-directory -s B=build/$$name ARCH=$$arch CROSS_COMPILE=$$triplet- \
			build/$$name/kprobes-static; \
		cp build/$$name/kprobes-static build/boards/kprobes-static-$$name; \
	done
	@ls -l build/boards
