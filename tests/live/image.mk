# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Parts of the image that the command puts into processes, each alone in a program of its own.

IMAGE_TEST_FLAGS := $(IMAGE_DEFINES) $(filter-out -include %/export.h -fvisibility=hidden -m%,$(USER_FLAGS))
image-objects = $(foreach name,$(1),$(filter %/$(name).o,$(IMAGE_OBJS)))
IMAGE_TESTS := $(addprefix $(B)/tests/live/image/,texts listed listed-fixed listed-static listed-pie)

$(B)/tests/live/image/texts: tests/live/image/texts.c $(call image-objects,parse format mem)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(IMAGE_TEST_FLAGS) -fno-builtin $^ -o $@ -ldl

LISTED := tests/live/image/listed.c $(call image-objects,image/objects image/kernel)
$(B)/tests/live/image/listed $(B)/tests/live/image/listed-fixed: IMAGE_HOW = -DLOADS
$(B)/tests/live/image/listed-fixed: IMAGE_HOW += -no-pie
$(B)/tests/live/image/listed-static: IMAGE_HOW = -static
$(B)/tests/live/image/listed-pie: IMAGE_HOW = -static-pie
$(filter %/listed %/listed-fixed %/listed-static %/listed-pie,$(IMAGE_TESTS)): $(LISTED)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(IMAGE_TEST_FLAGS) $(IMAGE_HOW) $^ -o $@ -ldl

IMAGE_FORKS := $(addprefix $(B)/tests/live/image/,forks forks-static)
$(B)/tests/live/image/forks-static: IMAGE_HOW = -static
$(IMAGE_FORKS): tests/live/image/forks.c
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(IMAGE_HOW) $< -o $@

.PHONY: check-live-image
check-live-image: all $(IMAGE_TESTS) $(IMAGE_FORKS)
	@tests/live/run $(IMAGE_TESTS)
	@B=$(B) tests/live/image/forks.sh $(IMAGE_FORKS)

check-live: check-live-image
