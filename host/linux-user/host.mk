# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The process host: build/libkprobes.so, build/libkprobes.a, kprobes.pc; and of the same
# sources build/kprobes.image, which the command puts into processes.

USER_DIR := host/linux-user
USER_ARCH_DIR := $(USER_DIR)/$(ARCH)
# From the ground up; docs/architecture.md says what they are.
USER_FLOORS := freestanding process log threads text objects returns signals \
	       watch traps modules start attach
# What a consumer needs to compile: pkg-config's --cflags.
USER_PUBLIC := -Iinclude -I$(USER_DIR)/include -Iarch/$(ARCH)/include

# make KP_IMAGE_THREADS=1 B=build/table: the linked library finds what threads have of their
# own as the image does, so that the tests of processes can be run on that.
USER_THREADS := $(if $(KP_IMAGE_THREADS),-DKP_THREAD_TABLE)

USER_FLAGS := -D_GNU_SOURCE $(USER_THREADS) $(INCLUDES) -I$(USER_DIR) -I$(USER_ARCH_DIR) $(USER_SHARED:%=-I%) \
	      $(USER_PUBLIC) -Iarch/$(ARCH) -Iarch/$(ARCH)/insn -I$(B)/gen -include $(USER_DIR)/export.h \
	      -fPIC -fvisibility=hidden -fno-stack-protector -U_FORTIFY_SOURCE \
	      $(USER_MACHINE_FLAGS) $(ARCH_FLAGS) $(SANITIZE_TRAPS) \
	      -fno-reorder-functions -fno-reorder-blocks-and-partition
USER_SRCS := $(sort $(CORE_SRCS) $(ARCH_SRCS) $(ARCH_NATIVE) $(ARCH_VECTORS) $(ARCH_STORES) $(ARCH_NONE) $(ARCH_ASM) $(ARCH_CALLING) \
	     $(filter-out %/offsets.c $(USER_NOT),$(wildcard \
		$(USER_FLOORS:%=$(USER_DIR)/%/*.c) $(USER_DIR)/linked/*.c $(addsuffix /*.c,$(USER_ARCH_DIR) $(USER_SHARED)) $(USER_ARCH_DIR)/*.S)))
USER_OBJS := $(patsubst %,$(B)/user/%.o,$(basename $(USER_SRCS)))

$(B)/user/%.o: %.c | $(ARCH_TABLES)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(USER_FLAGS) $(USER_FLAGS_$(*F)) -MMD -MP -c $< -o $@

# Numbers of C for the assembly.
$(B)/gen/kp_offsets.h: $(firstword $(wildcard $(USER_ARCH_DIR)/offsets.c $(USER_SHARED:%=%/offsets.c))) $(wildcard $(USER_DIR)/*.h $(USER_DIR)/threads/*.h port/*.h arch/$(ARCH)/*.h)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(USER_FLAGS) -S $< -o $@.s
	@{ echo '/* Made of $<. */'; \
		sed -n 's/.*"->\([A-Z_]*\) \([0-9]*\)".*/#define \1 \2/p' $@.s; } > $@.new
	@mv $@.new $@

$(B)/user/%.o: %.S | $(B)/gen/kp_offsets.h
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(USER_THREADS) $(INCLUDES) -I$(USER_DIR) -I$(USER_ARCH_DIR) -Iarch/$(ARCH) -I$(B)/gen -MMD -MP -c $< -o $@

# No loop may become a call to the function that it is in.
USER_FLAGS_mem := -fno-builtin -fno-tree-loop-distribute-patterns

# Never unloaded: threads may be on their way through it.
$(B)/libkprobes.so: $(USER_OBJS)
	@$(CC) $(CFLAGS) -shared -Wl,-soname,libkprobes.so -Wl,-z,nodelete \
		-Wl,-z,now -Wl,-z,noexecstack -Wl,-z,defs $^ -o $@

# One object: hidden names do not clash with the program's, and one section
# holds all text, so that the engine knows its own bounds (engine.c).
$(B)/user/kprobes.o: $(USER_OBJS)
	$(LD) -r $^ -o $@
	$(OBJCOPY) --localize-hidden $(foreach s,text text.kp_trap text.startup \
		text.exit text.unlikely text.hot,--rename-section .$(s)=kp_text) $@

$(B)/libkprobes.a: $(B)/user/kprobes.o
	@rm -f $@
	$(AR) rcs $@ $^

$(B)/kprobes.pc: $(USER_DIR)/kprobes.pc.in
	sed 's|@PREFIX@|$(or $(PREFIX),/usr/local)|; s|@VERSION@|$(VERSION)|' $< > $@

# The image: what a process has that did not load us.  It needs nothing: no library, no
# thread-local storage, no symbol; its relocations are relative (tools/structure).
IMAGE_SRCS := $(filter-out $(USER_DIR)/linked/%,$(USER_SRCS)) $(sort $(wildcard $(USER_DIR)/image/*.c))
IMAGE_OBJS := $(patsubst %,$(B)/image/%.o,$(basename $(IMAGE_SRCS)))
IMAGE_DEFINES := -DKP_IMAGE -DKP_THREAD_TABLE -I$(USER_DIR)/image

$(B)/image/%.o: %.c | $(ARCH_TABLES)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(IMAGE_DEFINES) $(USER_FLAGS) $(USER_FLAGS_$(*F)) -MMD -MP -c $< -o $@

$(B)/image/%.o: %.S | $(B)/gen/kp_offsets.h
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(IMAGE_DEFINES) $(INCLUDES) -I$(USER_DIR) -I$(USER_ARCH_DIR) -Iarch/$(ARCH) -I$(B)/gen -MMD -MP -c $< -o $@

$(B)/kprobes.image: $(IMAGE_OBJS)
	@$(CC) $(CFLAGS) -shared -nostdlib -Wl,-e,kp_image_entry -Wl,-soname,kprobes.image -Wl,-Bsymbolic \
		-Wl,-z,now -Wl,-z,noexecstack -Wl,--hash-style=sysv $^ -lgcc -o $@

.PHONY: image
image: $(B)/kprobes.image

-include $(USER_OBJS:.o=.d) $(IMAGE_OBJS:.o=.d)

all user: $(B)/libkprobes.so $(B)/libkprobes.a $(B)/kprobes.pc $(B)/kprobes.image
