# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Other processors than the one that the tests happen to run on: the module and
# the process host in virtual machines with QEMU's models of them.
#
#   qemu64   AMD, SSE3: no xsave, so fxsave, and signal frames without more
#   EPYC     AMD, AVX2, xgetbv(1), but no xsavec, which QEMU leaves out.  Without SMAP:
#            before 9.1 QEMU takes an iretq of a program for an access of the kernel's
#   Haswell  Intel, AVX2: xsave, but neither xsavec nor xgetbv(1)
#   Nehalem  Intel, SSE4.2: no xsave
# On all of them what depends on the state to keep, on the first two the module's
# conformance suite; check-models-suite has that of processes there, which takes
# long where each breakpoint is emulated.
MODELS_WHOLE ?= qemu64 EPYC,-smap
MODELS_SHORT ?= Haswell Nehalem

MODELS_WITH := libkprobes.so tests/live/marked.so tests/conformance \
	       $(addprefix tests/live/,jprobe wide flags) \
	       tests/models/victim tests/models/counter.so

$(B)/tests/models/victim: tests/cli/process/victim.c
	@mkdir -p $(@D)
	@$(CC) -O2 -g -Wall -std=gnu11 -I$(USER_DIR) -I$(USER_ARCH_DIR) -fPIE -pie -rdynamic -pthread \
		$< -o $@

$(B)/tests/models/counter.so: tests/cli/process/counter.c $(B)/libkprobes.so
	@mkdir -p $(@D)
	@$(CC) -O2 -g -Wall -std=gnu11 $(USER_PUBLIC) -fPIC -shared $< -o $@ \
		-L$(B) -lkprobes

## make check-models   module and processes on other processors (QEMU's models)
.PHONY: check-models
check-models: $(B)/gen/insn_tables.h $(B)/kprobes $(addprefix $(B)/,$(MODELS_WITH))
	@status=0; \
	tests/kernel/run.sh --models "$(MODELS_WHOLE)" --with "$(MODELS_WITH)" small \
		20- models/p10- -- --timeout 400 || status=1; \
	tests/kernel/run.sh --models "$(MODELS_SHORT)" --with "$(MODELS_WITH)" small \
		models/p10- -- --timeout 400 || status=1; \
	exit $$status

.PHONY: check-models-suite
check-models-suite: $(B)/gen/insn_tables.h $(B)/kprobes $(addprefix $(B)/,$(MODELS_WITH))
	@tests/kernel/run.sh --models "$(MODELS_WHOLE)" --with "$(MODELS_WITH)" small \
		models/p20- -- --timeout 1800
