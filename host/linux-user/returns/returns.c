/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * returns.c - the duties of return probes.
 *
 * Owns: memory for the trap path, the prepared stubs, and the functions whose return address
 * must not be replaced.
 */
#include "host.h"
#include "machine.h"
#include "objects/eh_frame.h"
#include "objects/objects.h"
#include "objects/runtime.h"

/* return.S */
extern const char kp_arch_return_stubs[]
	__attribute__((visibility("hidden")));
extern struct kp_node *kp_arch_return_nodes[]
	__attribute__((visibility("hidden")));
extern uintptr_t kp_arch_return_bodies[]
	__attribute__((visibility("hidden")));

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
