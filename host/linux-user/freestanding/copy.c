/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * copy.c - access to memory that may not be there.
 *
 * Owns: the duties that read and write the program's data, and the one range
 * of instructions whose faults are turned into an error.  Any context.
 */
#include "freestanding/copy.h"
#include "host.h"
#include "sys.h"

extern const char kp_user_copy_begin[], kp_user_copy_end[];
extern const char kp_user_copy_failed[];

/* Without a signal where it is not: a system call that reads, and does no more. */
KP_TRAP_PATH bool kp_user_readable(uintptr_t addr)
{
	return sys4(SYS_rt_sigprocmask, -1, addr & ~(sizeof(sys_sigset) - 1), 0,
		    sizeof(sys_sigset)) != -EFAULT;
}

/* A fault at *ip inside the copy: continue where it reports failure. */
KP_TRAP_PATH bool kp_user_copy_fixup(uintptr_t *ip)
{
	if (*ip < (uintptr_t)kp_user_copy_begin ||
	    *ip >= (uintptr_t)kp_user_copy_end)
		return false;
	*ip = (uintptr_t)kp_user_copy_failed;
	return true;
}

KP_TRAP_PATH bool kp_host_fixup(struct pt_regs *regs, int trapnr)
{
	uintptr_t ip = instruction_pointer(regs);

	(void)trapnr;
	if (!kp_user_copy_fixup(&ip))
		return false;
	instruction_pointer_set(regs, ip);
	return true;
}

KP_TRAP_PATH int kp_host_data_read(uintptr_t addr, void *dst, size_t len)
{
	return kp_user_copy(dst, (const void *)addr, len);
}

int kp_user_code_read(uint8_t *dst, uintptr_t addr, size_t len)
{
	return kp_host_data_read(addr, dst, len);
}

KP_TRAP_PATH int kp_host_data_write(uintptr_t addr, const void *src, size_t len)
{
	return kp_user_copy((void *)addr, src, len);
}

int kp_host_str_read(char *dst, const char *src, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++) {
		if (kp_user_copy(dst + i, src + i, 1))
			return -EFAULT;
		if (!dst[i])
			return 0;
	}
	return -E2BIG;
}
