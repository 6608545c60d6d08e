/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * shim.c - the functions behind the shim headers.
 *
 * Owns: printk, the clock, the current task and careful copies for probe
 * modules.  All of them serve handlers, which may have interrupted any code of
 * the program: no C library, no lock that is waited for, no allocation.
 */
#include "modules/shim.h"
#include "context.h"
#include "machine.h"
#include "signal_sets.h"
#include "task.h"
#include "freestanding/copy.h"
#include "freestanding/format.h"
#include "log/log_ring.h"
#include "threads/identity.h"
#include "threads/lock.h"
#include "objects/clock.h"
#include "objects/elf.h"
#include "objects/objects.h"


#define PUBLIC __attribute__((visibility("default")))

int kp_printk(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
int64_t kp_ktime_get(void);
void kp_msleep(unsigned int ms);
int kp_copy_nofault(void *dst, const void *src, size_t len);

/* ---- messages -------------------------------------------------------------- */

/* Without the level; one line.  The length, as in the kernel. */
KP_TRAP_PATH PUBLIC int kp_printk(const char *fmt, ...)
{
	char line[1024];
	size_t len;
	va_list args;

	if (fmt[0] == '\001' && fmt[1])
		fmt += 2;
	va_start(args, fmt);
	len = kp_shim_format(line, sizeof(line) - 1, fmt, &args, kp_shim_symbol);
	va_end(args);
	if (len > sizeof(line) - 1)
		len = sizeof(line) - 1;
	if (!len || line[len - 1] != '\n')
		line[len++] = '\n';
	kp_user_say(line, len);
	return (int)len;
}

/* ---- symbols --------------------------------------------------------------- */

/*
 * Looking a symbol up takes the registry lock, and for the first symbol of an
 * object memory; a handler does neither.
 */
KP_TRAP_PATH static void copy_name(char *dst, const char *src)
{
	size_t room = KP_SHIM_SYMBOL_MAX;

	while (--room && *src)
		*dst++ = *src++;
	*dst = 0;
}

KP_TRAP_PATH static int symbol_locked(struct kp_shim_symbol *out,
				      uintptr_t addr, bool handler)
{
	struct kp_object *object = kp_user_object_at(addr);
	struct kp_symbol *sym;

	if (!object || (handler && !object->indexed))
		return -EAGAIN;
	sym = kp_user_elf_at(object, addr);
	if (!sym)
		return -ENOENT;
	out->offset = (sym->second ? kp_arch_code_at(addr) : addr) - sym->addr;
	out->len = sym->len;
	copy_name(out->name, sym->name);
	copy_name(out->object, object->module);
	return 0;
}

KP_TRAP_PATH static int symbol_in_handler(struct kp_shim_symbol *out,
					  uintptr_t addr)
{
	/* The program's signal handler may not return, and the lock be held. */
	sys_sigset most = ~KP_SIG_OWN, before;
	int err = -EAGAIN;

	sys_sigprocmask(SIG_BLOCK, &most, &before);
	if (kp_user_trylock(KP_LOCK_REGISTRY)) {
		err = symbol_locked(out, addr, true);
		kp_user_unlock(KP_LOCK_REGISTRY);
	}
	sys_sigprocmask(SIG_SETMASK, &before, NULL);
	return err;
}

KP_TRAP_PATH int kp_shim_symbol(struct kp_shim_symbol *out, uintptr_t addr)
{
	struct kp_context *ctx = kp_host_context();
	int err;

	if (ctx && ctx->site)
		return symbol_in_handler(out, addr);
	kp_host_lock(KP_LOCK_REGISTRY);
	err = symbol_locked(out, addr, false);
	kp_host_unlock(KP_LOCK_REGISTRY);
	return err;
}

/* ---- time, tasks, memory ---------------------------------------------------- */

KP_TRAP_PATH PUBLIC int64_t kp_ktime_get(void)
{
	return kp_user_clock();
}

PUBLIC void kp_msleep(unsigned int ms)
{
	sys_sleep_us(ms * 1000l);
}

/* <linux/slab.h> */
void *kp_alloc(size_t size);
void kp_free(const void *mem);

PUBLIC void *kp_alloc(size_t size)
{
	return kp_host_alloc(size);
}

PUBLIC void kp_free(const void *mem)
{
	kp_host_free((void *)(uintptr_t)mem);
}

KP_TRAP_PATH PUBLIC int kp_copy_nofault(void *dst, const void *src, size_t len)
{
	return kp_user_copy(dst, src, len);
}

void *kp_current(void);
KP_TRAP_PATH PUBLIC void *kp_current(void)
{
	return kp_shim_current();
}
