/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * returns.c - the duties of return probes.
 *
 * Owns: the identity of a thread, memory for the trap path, the prepared stubs, and the
 * functions whose return address must not be replaced.
 */
#include "user.h"
#include "machine.h"
#include "shim.h"
#include "task.h"

/* return.S */
extern const char kp_arch_return_stubs[]
	__attribute__((visibility("hidden")));
extern struct kp_node *kp_arch_return_nodes[]
	__attribute__((visibility("hidden")));
extern uintptr_t kp_arch_return_bodies[]
	__attribute__((visibility("hidden")));

/*
 * A thread is its task (shim.c, thread-local) and a serial number that it
 * draws when it is first asked for.  A thread that takes over the memory of
 * one that ended finds zeroes there and draws a new one.
 */
static unsigned long last_serial;

/*
 * The stack that the C library made the thread with: that ends with it.  The
 * library keeps what describes the thread at that stack's upper end, behind the
 * thread pointer, and in it where the stack is: two words, an address below
 * and the length up to a little above.  Where they stand differs from version
 * to version; nothing else looks like them.  The first thread has none, nor has
 * one that the program made by itself: their calls are not known to be over.
 */
#define DESCRIPTION_LEN 4096
#define PAGE 4096ul
#define STACK_LEAST 4096ul
#define STACK_MOST ((size_t)1 << (sizeof(size_t) == 8 ? 40 : 30))	/* nor is a pointer a length */

KP_TRAP_PATH static bool describes(uintptr_t start, size_t len, uintptr_t self)
{
	return start < self && len >= STACK_LEAST && len < STACK_MOST &&
	       start + len > self && start + len - self <= DESCRIPTION_LEN;
}

KP_TRAP_PATH bool kp_user_thread_stack(uintptr_t self, uintptr_t *start,
				       size_t *len)
{
	uintptr_t words[2], at, end, known = (self + KP_TCB_FIRST) / PAGE;

	for (at = self + KP_TCB_FIRST; at < self + KP_TCB_FIRST + DESCRIPTION_LEN;
	     at += sizeof(words[0])) {
		/* A thread that is beginning has blocked the signal of a fault. */
		end = (at + sizeof(words) - 1) / PAGE;
		if ((end != known && !kp_user_readable(end * PAGE)) ||
		    kp_user_copy(words, (const void *)at, sizeof(words)))
			return false;
		known = end;
		if (!describes(words[0], words[1], self))
			continue;
		*start = words[0];
		*len = words[1];
		return true;
	}
	return false;
}

/* With the thread's first call; a vfork child's is its parent's. */
KP_TRAP_PATH void kp_user_task_first(struct kp_shim_identity *own)
{
	own->stack_len = 0;
	kp_user_thread_stack((uintptr_t)__builtin_thread_pointer(), &own->stack,
			     &own->stack_len);
	own->serial = __atomic_add_fetch(&last_serial, 1, __ATOMIC_RELAXED);
}

/*
 * A stamp stands for a thread and the stretch of its stack in its room, all of
 * which is bound or none.  Zero as soon as either changes: it is stored before what
 * it stands for is looked at, so that a change in a signal's handler is not lost.
 */
static unsigned long last_stamp;

KP_TRAP_PATH void kp_user_task_know(void)
{
	const struct kp_shim_identity *own = kp_shim_identity();
	const struct kp_user_room *room = &kp_user_thread()->room;
	uintptr_t low, high;

	if (!own->tid || !room->context)
		return;
	kp_store_relaxed(&room->context->stamp,
			 __atomic_add_fetch(&last_stamp, 1, __ATOMIC_RELAXED));
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	low = room->from - own->stack;
	high = low + room->len;
	/* Within the thread's own, or behind it or before; not around it. */
	if ((low < own->stack_len) != (high < own->stack_len) || high < low)
		kp_user_task_forget();
}

KP_TRAP_PATH bool kp_host_task_gone(const struct kp_task *task)
{
	struct kp_shim_identity now;

	if (task->task == kp_shim_identity())
		return task->id != kp_shim_identity()->serial;
	/* Its memory goes, or is given to a thread with another number. */
	if (kp_user_copy(&now, task->task, sizeof(now)) ||
	    now.serial != task->id)
		return true;
	return now.tid && kp_user_thread_over(now.tid);
}

/* A thread may have many stacks, and nothing records where they end. */
KP_TRAP_PATH enum kp_stack kp_host_stack(uintptr_t a, uintptr_t b)
{
	(void)a;
	(void)b;
	return KP_STACK_UNKNOWN;
}

/* Return twice, or save the return address for later. */
static const char *const twice[] = {
	"setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp", "vfork", "__vfork",
	"__libc_vfork", "getcontext", "swapcontext", "__getcontext",
	"__swapcontext", "savectx", "_dl_runtime_resolve",
	"_dl_runtime_resolve_fxsave", "_dl_runtime_resolve_xsave",
	"_dl_runtime_resolve_xsavec", "_dl_runtime_profile",
	"_start", "_dl_start_user", "__start_context", "_mcount", "mcount", "__fentry__",
};

/* What a compiler moved away from the rest of its function. */
#define JUMPED_TO "it is jumped to, not called: no return address stands there"

/* Of this function, whatever it is part of; NULL: nothing is known. */
static const char *unfit(struct kp_object *object, uintptr_t addr)
{
	static char name[KP_SYMBOL_MAX], owner[KP_SYMBOL_MAX];
	size_t i;

	if (kp_has_shadow_stack())
		return "this process has a shadow stack, which forbids other return addresses";
	if (object && !kp_user_unwind_is_called(object, addr))
		return JUMPED_TO;
	if (kp_host_describe(addr, name, sizeof(name), owner, sizeof(owner)))
		return NULL;
	if (strstr(name, ".cold"))
		return JUMPED_TO;
	for (i = 0; i < sizeof(twice) / sizeof(twice[0]); i++)
		if (!strcmp(name, twice[i]))
			return "the function may return a second time, or not to its caller";
	return NULL;
}

int kp_host_return_refused(uintptr_t addr, const char **why)
{
	struct kp_object *object = kp_user_object_at(addr);

	*why = unfit(object, addr);
	if (*why)
		return -EINVAL;
	*why = kp_user_runtime_returns(object);
	return *why ? -EOPNOTSUPP : 0;
}

int kp_host_jprobe_refused(uintptr_t addr, const char **why)
{
	*why = kp_user_runtime_jprobes(kp_user_object_at(addr));
	return *why ? -EOPNOTSUPP : 0;
}

bool kp_host_return_stubs(struct kp_stubs *out)
{
	if (!KP_RETURN_STUBS || !kp_stubs_unwind())
		return false;
	out->base = (uintptr_t)kp_arch_return_stubs;
	out->nr = KP_RETURN_STUBS;
	out->nodes = kp_arch_return_nodes;
	out->bodies = KP_CALLING_STUBS ? kp_arch_return_bodies : NULL;
	return true;
}

KP_TRAP_PATH void *kp_host_alloc_now(size_t len)
{
	return sys_mmap(NULL, len, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1);
}

KP_TRAP_PATH void kp_host_free_now(void *mem, size_t len)
{
	sys3(SYS_munmap, mem, len, 0);
}

/* kp_host_alloc_now serves. */
KP_TRAP_PATH void kp_host_kick(void)
{
}

/* "0-7\n": the last number. */
unsigned int kp_host_cpus(void)
{
	char buf[256];
	unsigned int last = 0;
	long fd = sys_open("/sys/devices/system/cpu/possible", O_RDONLY);
	long len = fd < 0 ? 0 : sys3(SYS_read, fd, buf, sizeof(buf)), i;

	if (fd >= 0)
		sys_close(fd);
	for (i = 0; i < len; i++)
		if (buf[i] >= '0' && buf[i] <= '9')
			last = (i && buf[i - 1] >= '0' && buf[i - 1] <= '9'
				? last * 10 : 0) + (unsigned int)(buf[i] - '0');
	return last + 1;
}
