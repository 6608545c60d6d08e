/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * init.c - start and end of the engine in a process.
 *
 * Owns: the order of both.  Start: on loading, before main; idempotent.  End:
 * at exit all text is restored, but handlers stay installed and memory mapped,
 * since other threads still run and may be on their way into a breakpoint.
 */
#include "user.h"
#include "shim.h"

#include <kprobes/process.h>

/* 0 before, 1 while, 2 after start; 3 after the end. */
static int state;


/* "SigBlk:\t<hex>" of a thread; false when the thread is gone. */
static bool blocks_trap(const char *dir_name)
{
	char path[64] = "/proc/self/task/", buf[2048];
	size_t at = strlen(path);
	char *p;
	long fd, len;

	while (*dir_name && at < 40)
		path[at++] = *dir_name++;
	memcpy(path + at, "/status", 8);
	fd = sys_open(path, O_RDONLY);
	if (fd < 0)
		return false;
	len = sys3(SYS_read, fd, buf, sizeof(buf) - 1);
	sys_close(fd);
	buf[len > 0 ? len : 0] = 0;
	for (p = buf; (p = strchr(p, '\n')); p++)
		if (!strncmp(p + 1, "SigBlk:\t", 8))
			/* Bit 4 is in the second digit from the right. */
			return strchr("13579bdf", p[9 + 14]) && p[9 + 14];
	return false;
}

/* Another thread with SIGTRAP blocked would be killed by a breakpoint. */
static bool any_thread_blocks(void)
{
	char buf[1024];
	long fd = sys_open("/proc/self/task", O_RDONLY | O_DIRECTORY);
	bool found = false;
	long len, at;

	if (fd < 0)
		return false;
	while ((len = sys3(SYS_getdents64, fd, buf, sizeof(buf))) > 0)
		for (at = 0; at < len;
		     at += *(unsigned short *)(void *)(buf + at + 16)) {
			const char *name = buf + at + 19;

			if (name[0] != '.' && blocks_trap(name))
				found = true;
		}
	sys_close(fd);
	return found;
}

/* mov $15, %rax; syscall: what signal handlers return through. */
static void blacklist_restorers(const struct kp_segment *segment)
{
	static const uint8_t restorer[] = {
		0x48, 0xc7, 0xc0, 0x0f, 0x00, 0x00, 0x00, 0x0f, 0x05,
	};
	uintptr_t at;

	for (at = segment->start; at + sizeof(restorer) <= segment->end; at++)
		if (*(const uint8_t *)at == 0x48 &&
		    !memcmp((const void *)at, restorer, sizeof(restorer)))
			kp_core_blacklist_add(at, sizeof(restorer),
					      "__restore_rt");
}

static void blacklist_start(void)
{
	struct kp_object *object;
	int i;

	for (object = kp_user_object_first(); object; object = object->next)
		for (i = 0; i < object->segments_nr; i++)
			if (object->segments[i].exec && !object->vdso)
				blacklist_restorers(&object->segments[i]);
}

static int start(void)
{
	int err;

	kp_user_log_init();
	kp_shim_log_init();
	kp_user_text_init();
	kp_user_quiesce_init();
	kp_user_fork_init();
	err = kp_user_trap_start();
	if (err)
		return err;
	kp_user_mask_start();
	if (any_thread_blocks()) {
		kp_host_log(KP_LOG_ERROR, "kprobes: a thread has SIGTRAP blocked and would be killed by a breakpoint; not starting");
		return -EBUSY;
	}
	err = kp_core_start();
	if (err)
		return err;
	kp_user_dso_init();
	blacklist_start();
	return 0;
}

int kp_process_start(void)
{
	static int result;
	int before = 0;

	if (__atomic_compare_exchange_n(&state, &before, 1, false,
					__ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
		result = start();
		kp_store_release(&state, 2);
		return result;
	}
	while (kp_load_acquire(&state) == 1)
		sys3(SYS_sched_yield, 0, 0, 0);
	return result;
}

__attribute__((constructor)) static void on_load(void)
{
	if (!kp_process_start())
		kp_shim_load_environment();
}

__attribute__((destructor)) static void on_exit_(void)
{
	int before = 2;

	/* A forked child that still shares nothing ends like its parent. */
	if (!__atomic_compare_exchange_n(&state, &before, 3, false,
					 __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE))
		return;
	kp_core_stop();
	kp_host_lock(KP_LOCK_REGISTRY);
	kp_user_hook_stop();
	kp_host_unlock(KP_LOCK_REGISTRY);
}

void kp_process_nokprobe(const void *fn, const char *name)
{
	uintptr_t start_addr;
	size_t len;
	int err;

	if (kp_process_start())
		return;
	kp_host_lock(KP_LOCK_REGISTRY);
	err = kp_host_bounds((uintptr_t)fn, &start_addr, &len);
	kp_host_unlock(KP_LOCK_REGISTRY);
	if (!err)
		kp_core_blacklist_add(start_addr, len, name);
}
