/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * stubs.c - code of ours beside the program's.
 *
 * Owns: the pages that contain the stubs of watched system calls.  Their contents are collected,
 * and written a page at a time.
 *
 * Locks: the registry lock.
 */
#include "text/stubs.h"
#include "host.h"
#include "machine.h"

#define STUB_PAGE 4096

static struct kp_exec stubs;
static size_t used;
/* What is to be there, from image_from on. */
static uint8_t image[STUB_PAGE];
static size_t image_from;
static int failed;			/* since kp_user_stubs_write was last called */

bool kp_user_stub_reaches(uintptr_t from, uintptr_t to)
{
	return (from > to ? from - to : to - from) <= KP_ARCH_REACH;
}

static int write_out(void)
{
	uintptr_t at = stubs.base + image_from;
	size_t len = used - image_from;
	int err = len ? kp_host_exec_write(at, image + image_from, len) : 0;

	image_from = used;
	failed = failed ? failed : err;
	return err;
}

int kp_user_stubs_write(void)
{
	int err;

	write_out();
	err = failed;
	failed = 0;
	return err;
}

void kp_user_stub_fill(uintptr_t stub, const uint8_t *bytes, size_t len)
{
	memcpy(image + (stub - stubs.base), bytes, len);
}

static int new_page(uintptr_t near)
{
	int err = write_out();

	if (!err)
		err = kp_host_exec_alloc(&stubs, near, STUB_PAGE, false);
	if (!err)
		used = image_from = 0;
	return err;
}

static bool is_near(uintptr_t near)
{
	return kp_user_stub_reaches(stubs.base, near) &&
	       kp_user_stub_reaches(stubs.base + stubs.len, near);
}

/* A page for near that does not reach it serves what is around near, too. */
static uintptr_t made_for;

static int take(uintptr_t near, size_t len, bool any, uintptr_t *at)
{
	bool serves = is_near(near) || (any && kp_user_stub_reaches(made_for, near));
	int err;

	/* The rest of what was taken for the one before may be unwritten. */
	if (!stubs.len || used + len > sizeof(image) || !serves) {
		err = new_page(near);
		if (err)
			return err;
		made_for = near;
		if (!any && !is_near(near))
			return -ENOMEM;
	}
	*at = stubs.base + used;
	used += len;
	return 0;
}

int kp_user_stub_take(uintptr_t near, size_t len, uintptr_t *at)
{
	return take(near, len, false, at);
}

int kp_user_stub_take_any(uintptr_t near, size_t len, uintptr_t *at)
{
	return take(near, len, true, at);
}
