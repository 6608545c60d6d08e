/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * shim.c - the functions behind the shim headers.
 *
 * Owns: printk, the clock, the current task and careful copies for probe
 * modules.  All of them serve handlers, which may have interrupted any code of
 * the program: no C library, no lock that is waited for, no allocation.
 */
#include "user.h"
#include "shim.h"
#include "task.h"

#include <linux/prctl.h>

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

static char address_space;		/* what every task's mm points at */

/* A vfork child writes into its parent's, which then sets it again. */
KP_TRAP_PATH static void identify(void)
{
	struct kp_shim_identity *own = &kp_user_thread()->own;

	kp_user_task_forget();
	own->tgid = kp_user_filtered() ? kp_user_memory_pid() : sys_getpid();
	own->mm = &address_space;
	/* A thread that works with another one's pointer, to attach, has that one's memory. */
	own->pid = kp_user_in_vfork_child() ? kp_user_gettid() : kp_user_pointer_owner();
	if (!own->serial)
		kp_user_task_first(own);
	own->tid = kp_user_in_vfork_child() ? 0 : own->pid;
}

KP_TRAP_PATH struct kp_shim_identity *kp_shim_identity(void)
{
	struct kp_shim_identity *own = &kp_user_thread()->own;

	if (__builtin_expect(!own->tid, 0))
		identify();
	return own;
}

void kp_shim_fork(void)
{
	if (kp_user_thread()->own.tid)
		identify();
}

void *kp_current(void);
static char known_name[16];		/* of who has installed a filter first */

/* A name may change at any time, so it is read at every use. */
KP_TRAP_PATH static struct kp_shim_identity *current_task(void)
{
	struct kp_shim_identity *task = kp_shim_identity();

	/* A filter may kill for it: then it is what it was, here or in another. */
	if (!kp_user_filtered())
		sys3(SYS_prctl, PR_GET_NAME, task->comm, 0);
	else if (!task->comm[0])
		memcpy(task->comm, known_name, sizeof(known_name));
	return task;
}

KP_TRAP_PATH void kp_process_name(char name[16])
{
	struct kp_shim_identity *task = kp_shim_identity();
	uint64_t now = kp_ticks();

	if (now - task->named > KP_TICKS_10MS) {
		current_task();
		task->named = now;
	}
	memcpy(name, task->comm, sizeof(task->comm));
}

KP_TRAP_PATH unsigned long long kp_process_ids(void)
{
	const struct kp_shim_identity *task = kp_shim_identity();

	return (unsigned long long)(unsigned int)task->tgid << 32 |
	       (unsigned int)task->pid;
}

KP_TRAP_PATH PUBLIC void *kp_current(void)
{
	return current_task();
}

KP_TRAP_PATH void kp_shim_know_name(void)
{
	struct kp_shim_identity *task = current_task();

	if (!known_name[0])
		memcpy(known_name, task->comm, sizeof(known_name));
}
