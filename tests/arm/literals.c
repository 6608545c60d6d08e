/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * literals.c - memory that is watched by its pages in a program whose libraries have constants
 * that look like system calls: libm's -2^63 is such a one, 0xdf000000, behind the code that loads it.
 *
 * In a kernel: qemu-user cannot map a page twice.
 */
#include "paged.h"

#include <dlfcn.h>

static void watched_beside_libm(void)
{
	void *libm = dlopen("libm.so.6", RTLD_NOW);
	long long (*to_integer)(float) = libm ? (long long (*)(float))dlsym(libm, "llrintf") : NULL;
	struct wprobe wp = watched(KP_WATCH_WRITE);

	NEED(to_integer);
	must(&wp);
	set(object, 1);
	NEED(told() == 1 && to_integer(-3.0f) == -3);
	unregister_wprobe(&wp);
}

int main(void)
{
	child_case("memory is watched beside libm", watched_beside_libm);
	return live_failed;
}
