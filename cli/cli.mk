# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The kprobes command: build/kprobes.

# Where it is cross-compiled the libraries are Debian's, unpacked into the cache.  A processor's
# list says how Debian names it, and what shows its instructions as text: CLI_DEBIAN, CLI_TEXT_….
ifneq ($(CLI_DEBIAN),)
CLI_ARCH_LIBS = $(CLI_CROSS_LIBS) -l$(CLI_TEXT_LIB)
ifdef CROSS_COMPILE
CLI_CROSS_LIBS = -L$(CLI_CROSS)/lib -Wl,-rpath-link,$(CLI_CROSS)/lib
CLI_CROSS = $(eval CLI_CROSS := $$(shell tools/cross-packages.sh $(CLI_DEBIAN) command libdw1 \
	libdw-dev libelf1 libelf-dev zlib1g liblzma5 libbz2-1.0 $(CLI_TEXT_PACKAGES)))$(or \
	$(CLI_CROSS),$(error the command needs elfutils and $(CLI_TEXT) for $(CLI_DEBIAN), which could \
	not be fetched; "make user" builds the library alone))
CLI_ARCH_FLAGS = -I$(CLI_CROSS)/include
endif

# Where those libraries are, for who executes the command or brings them to a machine.
.PHONY: cross-libraries
cross-libraries:
	@echo $(CLI_CROSS)
endif

# What each holds: docs/architecture.md.
CLI_FOLDERS := beside terminal inspect symbols threads attach targets tracing commands
CLI_SRCS := $(sort $(wildcard $(CLI_FOLDERS:%=cli/%/*.c) cli/$(ARCH)/*.c $(CLI_SHARED:%=%/*.c) $(CLI_ARCH_FILES) trace/names/*.c trace/$(ARCH)/*.c $(TRACE_SHARED:%=%/*.c)))
CLI_OBJS := $(patsubst %.c,$(B)/%.o,$(CLI_SRCS)) $(B)/cli/engine/gopcln.o
CLI_FLAGS = -D_GNU_SOURCE -DKP_VERSION='"$(VERSION)"' -D_FILE_OFFSET_BITS=64 -Icli $(CLI_FOLDERS:%=-Icli/%) -Icli/$(ARCH) $(CLI_SHARED:%=-I%) -I$(USER_DIR) -I$(USER_ARCH_DIR) \
	     $(USER_PUBLIC) -Iport -Iarch/$(ARCH) -Iarch/$(ARCH)/insn -I$(B)/gen $(filter -I%,$(ARCH_FLAGS)) \
	     -Itrace/front -Itrace/read $(TRACE_USER_FLAGS) -Itrace/module \
	     -Wno-missing-field-initializers $(CLI_ARCH_FLAGS)
CLI_LIBS = -ldw -lelf $(CLI_ARCH_LIBS) -ldl
# The engine's decoder and verdicts are the command's.
CLI_ARCH := $(patsubst %.c,$(B)/user/%.o,$(ARCH_SRCS) $(CLI_ARCH_SRCS))

$(B)/cli/%.o: cli/%.c | $(ARCH_TABLES)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(SANITIZE_FLAGS) $(CLI_FLAGS) -MMD -MP -c $< -o $@

# The engine's, with the command's checks.
$(B)/cli/engine/gopcln.o: host/linux-user/objects/gopcln.c
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(SANITIZE_FLAGS) $(CLI_FLAGS) -MMD -MP -c $< -o $@

$(B)/kprobes: $(CLI_OBJS) $(CLI_ARCH) $(TRACE_FRONT_OBJS) $(TRACE_READ_OBJS)
	@$(CC) $(CFLAGS) $(SANITIZE_FLAGS) $^ $(CLI_LIBS) -o $@

-include $(CLI_OBJS:.o=.d)

## make command    build only build/kprobes
.PHONY: command
command: $(B)/kprobes

all: $(B)/kprobes
