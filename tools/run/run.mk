# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# make run: the engine at work in a real program and in real kernels.

RUN_DIR = $(abspath $(B))/run

## make run         probe a Debian program under load, and kernels in QEMU
.PHONY: run run-process run-kernel
run:
	@tools/run/main.py --build $(B)

# What main.py asks for: the probe module, for a process and for KDIR's kernel.
run-process: $(B)/libkprobes.so $(B)/run/hotspots.so

$(B)/run/hotspots.so: samples/hotspots.c $(B)/libkprobes.so
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(USER_PUBLIC) -fPIC -shared $< -L$(B) -lkprobes -o $@

run-kernel: module
	@mkdir -p $(RUN_DIR)/$(KERNEL_RELEASE)
	@ln -sf $(CURDIR)/samples/hotspots.c $(RUN_DIR)/$(KERNEL_RELEASE)
	@printf 'obj-m := hotspots.o\ninclude $$(KPROBES)/consumer.mk\n' \
		> $(RUN_DIR)/$(KERNEL_RELEASE)/Kbuild
	@$(MAKE) -s -C $(KDIR) M=$(RUN_DIR)/$(KERNEL_RELEASE) KPROBES=$(CURDIR) \
		KPROBES_SYMVERS=$(MODULE_DIR)/Module.symvers modules
