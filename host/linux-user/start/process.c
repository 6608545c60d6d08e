/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * process.c - what a probe module says of code, and what it gets of the engine.
 *
 * Owns: the calls of <kprobes/process.h> for that.  Those about code start the engine, if nobody
 * has.
 */
#include "face.h"
#include "host.h"
#include "signal_sets.h"
#include "sys.h"
#include "upcall.h"
#include "objects/noprobe.h"

#include <kprobes/process.h>

int kp_process_handlers(const void *begin, const void *end)
{
	int err = kp_process_start();

	if (err)
		return err;
	kp_host_lock(KP_LOCK_REGISTRY);
	err = kp_user_handlers_declare((uintptr_t)begin, (uintptr_t)end);
	kp_host_unlock(KP_LOCK_REGISTRY);
	return err;
}

void kp_process_nokprobe(const void *fn, const char *name)
{
	struct kp_text_info info;
	uintptr_t start_addr;
	size_t len;
	int err;

	if (kp_process_start())
		return;
	kp_host_lock(KP_LOCK_REGISTRY);
	err = kp_host_bounds((uintptr_t)fn, &start_addr, &len);
	kp_host_text_query((uintptr_t)fn, 1, &info);
	kp_host_unlock(KP_LOCK_REGISTRY);
	/* What is no text is skipped silently (K-BLK-03). */
	if (!err && info.kind != KP_TEXT_NONE)
		kp_core_blacklist_add(start_addr, len, name);
}

#define STACK_LEN (256ul * 1024)

int kp_process_thread(void (*fn)(void), unsigned long *thread)
{
	/* Open: what setuid() sends to all threads, and waits for. */
	sys_sigset most = ~(KP_SIG_OWN | SYS_SIG(32) | SYS_SIG(33)), before;
	uintptr_t who = 0;
	int err;

	/* The thread inherits the mask. */
	sys_sigprocmask(SIG_SETMASK, &most, &before);
	err = kp_face_thread(&who, STACK_LEN, fn, true);
	sys_sigprocmask(SIG_SETMASK, &before, NULL);
	*thread = who;
	return err;
}

void kp_process_thread_wait(unsigned long thread)
{
	kp_face_thread_wait(thread);
}

void *kp_process_map(int fd, unsigned long len)
{
	return sys_mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
}
