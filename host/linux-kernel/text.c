// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * text.c - reading kernel memory that may not be there.
 *
 * Owns: nothing but where the kernel's half of addresses begins.  alias.c writes text, and
 * query.c judges it.
 *
 * No locks.
 */
#include <linux/mm.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>
#include "local.h"

static uintptr_t lowest;		/* kp_lowest() */

/* Else each read that is none is a fault like any other. */
#ifndef kp_may_be_memory
#define kp_may_be_memory(addr) true
#endif

KP_TRAP_PATH static bool in_kernel_half(uintptr_t addr, size_t len)
{
	return addr >= lowest && addr + len >= addr && kp_may_be_memory(addr) &&
	       (!len || kp_may_be_memory(addr + len - 1));
}

KP_TRAP_PATH static int read_nofault(void *dst, uintptr_t addr, size_t len)
{
	if (!in_kernel_half(addr, len) ||
	    copy_from_kernel_nofault(dst, (void *)addr, len))
		return -EFAULT;
	return 0;
}

KP_TRAP_PATH int kp_host_text_read(void *dst, uintptr_t addr, size_t len)
{
	return read_nofault(dst, addr, len);
}

/*
 * What hits read and write are words of the stack: these without the kernel's
 * functions, which cost more than the rest of an emulated call.
 */
#ifdef __get_kernel_nofault
KP_TRAP_PATH static int read_word(unsigned long *dst, uintptr_t addr)
{
	unsigned long value;

	pagefault_disable();
	__get_kernel_nofault(&value, (unsigned long *)addr, unsigned long, failed);
	pagefault_enable();
	*dst = value;
	return 0;

failed:
	pagefault_enable();
	return -EFAULT;
}

KP_TRAP_PATH static int write_word(uintptr_t addr, const unsigned long *src)
{
	pagefault_disable();
	__put_kernel_nofault((unsigned long *)addr, src, unsigned long, failed);
	pagefault_enable();
	return 0;

failed:
	pagefault_enable();
	return -EFAULT;
}
#define HAVE_WORDS true
#else
#define HAVE_WORDS false
#define read_word(dst, addr) -EFAULT
#define write_word(addr, src) -EFAULT
#endif

/* Such memory is there. */
KP_TRAP_PATH static bool on_own_stack(uintptr_t addr, size_t len)
{
	uintptr_t off = addr - (uintptr_t)task_stack_page(get_current());

	return off < THREAD_SIZE && len <= THREAD_SIZE - off;
}

/* The stack of a jprobe's function. */
KP_TRAP_PATH static int read_many(void *dst, uintptr_t addr, size_t len)
{
	size_t words = len / sizeof(unsigned long);

	if (len % sizeof(unsigned long) || !on_own_stack(addr, len))
		return read_nofault(dst, addr, len);
	kp_copy_words(dst, addr, words);
	return 0;
}

KP_TRAP_PATH int kp_host_data_read(uintptr_t addr, void *dst, size_t len)
{
	if (HAVE_WORDS && len == sizeof(unsigned long) && in_kernel_half(addr, len))
		return read_word(dst, addr);
	return read_many(dst, addr, len);
}

/* Asked for vector registers only, which handlers here have none of. */
bool kp_host_constant(uintptr_t addr, size_t len)
{
	return false;
}

KP_TRAP_PATH int kp_host_data_write(uintptr_t addr, const void *src, size_t len)
{
	if (HAVE_WORDS && len == sizeof(unsigned long) && in_kernel_half(addr, len))
		return write_word(addr, src);
	if (!in_kernel_half(addr, len) || !kp_hidden.copy_to_nofault)
		return -EFAULT;
	return kp_kernel_copy_to_nofault((void *)addr, src, len) ? -EFAULT : 0;
}

int kp_host_str_read(char *dst, const char *src, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++) {
		if (read_nofault(dst + i, (uintptr_t)(src + i), 1))
			return -EFAULT;
		if (!dst[i])
			return 0;
	}
	return -E2BIG;
}

void kp_text_start(void)
{
	lowest = kp_lowest();
	kp_alias_start();
}
