# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# make install, make uninstall, make dkms, make deb.
#
# What is installed is written down: uninstall removes what install of the same
# PREFIX and DESTDIR would put there, and nothing else.

VERSION := 0.1
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
MANDIR ?= $(PREFIX)/share/man
SAMPLEDIR ?= $(PREFIX)/share/kprobes/samples
PROBE_DIR ?= $(LIBDIR)/kprobes
INCLUDE_DIR := $(PREFIX)/include/kprobes
COMPLETION_DIR := $(PREFIX)/share/bash-completion/completions
INSTALL ?= install

# The public headers, SOURCE:PLACE, the place under $(INCLUDE_DIR).
headers_in = $(foreach f,$(wildcard $1/*/*.h),$(f):$(f:$1/%=%))
INSTALL_HEADERS := $(call headers_in,include) \
	$(call headers_in,host/linux-user/include) \
	$(call headers_in,arch/$(ARCH)/include)
MAN_PAGES := $(wildcard man/*.[137])

# Probe modules that can be loaded by name, without a compiler.
INSTALL_PROBES := $(patsubst samples/%.c,$(B)/modules/%.so,$(wildcard samples/*.c))
$(B)/modules/%.so: samples/%.c $(B)/libkprobes.so
	@mkdir -p $(@D)
	@$(CC) -O2 -g -Wall -std=gnu11 -fPIC -shared $(USER_PUBLIC) \
		-DKBUILD_MODNAME='"$*"' $< -L$(B) -lkprobes -o $@

# What kprobes trace loads into a process, and scripts for it.
INSTALL_PROBES += $(B)/modules/trace.so
INSTALL_SCRIPTS := $(wildcard samples/trace/*.bt)

# MODE:SOURCE:PLACE of every file.
INSTALL_FILES = 755:$(B)/kprobes:$(PREFIX)/bin/kprobes \
	755:$(B)/libkprobes.so:$(LIBDIR)/libkprobes.so \
	644:$(B)/libkprobes.a:$(LIBDIR)/libkprobes.a \
	644:$(B)/kprobes.image:$(LIBDIR)/kprobes.image \
	644:$(B)/installed/kprobes.pc:$(LIBDIR)/pkgconfig/kprobes.pc \
	644:cli/completion.bash:$(COMPLETION_DIR)/kprobes \
	$(foreach f,$(INSTALL_HEADERS),644:$(subst :,:$(INCLUDE_DIR)/,$f)) \
	$(foreach f,$(MAN_PAGES),644:$f:$(MANDIR)/man$(subst .,,$(suffix $f))/$(notdir $f)) \
	$(foreach f,$(INSTALL_PROBES),644:$f:$(PROBE_DIR)/$(notdir $f)) \
	$(foreach f,$(wildcard samples/*.c samples/Makefile),644:$f:$(SAMPLEDIR)/$(notdir $f)) \
	$(foreach f,$(INSTALL_SCRIPTS),644:$f:$(SAMPLEDIR)/trace/$(notdir $f))

# For programs of 32 bits, if it has been built: make boards.
INSTALL_FILES += $(if $(wildcard build/i386/kprobes-static),755:build/i386/kprobes-static:$(PREFIX)/bin/kprobes-i386)

## make install     PREFIX=/usr/local DESTDIR=: libraries, command, manual
.PHONY: install uninstall
install: all $(INSTALL_PROBES)
	@mkdir -p $(B)/installed
	@sed -e 's|@PREFIX@|$(PREFIX)|; s|^libdir=.*|libdir=$(LIBDIR)|' \
		-e 's|@VERSION@|$(VERSION)|' $(USER_DIR)/kprobes.pc.in \
		> $(B)/installed/kprobes.pc
	@set -e; for entry in $(INSTALL_FILES); do \
		mode=$${entry%%:*}; entry=$${entry#*:}; \
		$(INSTALL) -D -m $$mode $${entry%%:*} "$(DESTDIR)$${entry#*:}"; \
	done
	@echo "installed under $(DESTDIR)$(PREFIX)"

## make uninstall   remove the files that make install installed
uninstall:
	@for entry in $(INSTALL_FILES); do \
		rm -f "$(DESTDIR)$${entry##*:}"; done
	@rmdir "$(DESTDIR)$(INCLUDE_DIR)"/* "$(DESTDIR)$(INCLUDE_DIR)" \
		"$(DESTDIR)$(SAMPLEDIR)/trace" "$(DESTDIR)$(SAMPLEDIR)" "$(DESTDIR)$(PREFIX)/share/kprobes" \
		"$(DESTDIR)$(PROBE_DIR)" \
		2>/dev/null || true

# ---- the kernel module's sources, as DKMS wants them ---------------------------

DKMS_NAME := kprobes-$(VERSION)
DKMS_DIR = $(DESTDIR)/usr/src/$(DKMS_NAME)

## make dkms        DESTDIR=: the module's sources in /usr/src for DKMS
.PHONY: dkms
dkms: $(ARCH_TABLES)
	@set -e; for f in $(KERNEL_SRCS) $(KERNEL_TRACE_SRCS) $(KERNEL_HDRS) \
			host/linux-kernel/Kbuild consumer.mk; do \
		$(INSTALL) -D -m 644 $$f "$(DKMS_DIR)/$$f"; done
	@$(INSTALL) -D -m 644 $(ARCH_TABLES) "$(DKMS_DIR)/gen/$(notdir $(ARCH_TABLES))"
	@$(INSTALL) -m 755 tools/install/keep-symvers $(DKMS_DIR)/keep-symvers
	@sed 's|@VERSION@|$(VERSION)|' tools/install/dkms.conf.in \
		> $(DKMS_DIR)/dkms.conf
	@{ echo "# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause"; \
	   echo "# Made by make dkms."; \
	   echo 'KP_ARCH := $(ARCH)'; \
	   echo 'KP_FLAGS := $(filter -m%,$(ARCH_FLAGS))'; \
	   echo 'KP_SRCS := $(KERNEL_SRCS)'; \
	   echo 'KT_SRCS := $(KERNEL_TRACE_SRCS)'; \
	   echo 'include $$(src)/host/linux-kernel/Kbuild'; } > $(DKMS_DIR)/Kbuild
	@echo "DKMS tree in $(DKMS_DIR)"

# ---- Debian packages -------------------------------------------------------------

## make deb         build/*.deb: kprobes, kprobes-dkms
.PHONY: deb
deb:
	@tools/deps.sh deb
	@tools/install/deb $(B) $(VERSION)
