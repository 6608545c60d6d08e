/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * handler.c - what is known about handlers.
 *
 * Owns: the analysis of a handler's code, once for each handler.  It finds out:
 *
 *   - which vector registers it uses.  Saving them costs several times as much as the rest of
 *     a hit, and few handlers use any.  All are saved unless fewer are surely enough (L14);
 *   - whether it is lean: the architecture's entry can call it with hardly anything saved;
 *   - whether it only reads its struct pt_regs, or not even that.  Then a fault leaves nothing
 *     to undo there, and a trap needs no copy;
 *   - whether it leaves nothing else behind when it faults.
 *
 * Locks: the registry lock.
 */
#include "handler.h"
#include "unpatched.h"

#define CACHE_NR 64u

struct known {
	uintptr_t fn;
	enum kp_arch_keep keep;
	bool lean;
};

static struct known cache[CACHE_NR];

struct known_reader {
	uintptr_t fn;
	bool spares, bare;
};

static struct known_reader readers[CACHE_NR];

/* Handlers may be gone, and others in their place. */
void kp_handlers_forget(void)
{
	memset(cache, 0, sizeof(cache));
	memset(readers, 0, sizeof(readers));
}

/* Our own functions, which handlers may call, are built for that. */
static bool is_ours(uintptr_t addr)
{
	struct kp_text_info info;

	kp_host_text_query(addr, 1, &info);
	return info.kind == KP_TEXT_ENGINE;
}

static bool constant_word(uintptr_t addr, uintptr_t *word)
{
	return kp_host_constant(addr, sizeof(*word)) &&
	       !kp_host_data_read(addr, word, sizeof(*word));
}

/*
 * A jprobe's entry is called with the function's own vector registers, so those
 * have to be there as soon as it uses any.
 */
enum kp_arch_keep kp_handler_keep_entry(uintptr_t entry)
{
	if (!kp_host_vectors_live())
		return KP_ARCH_KEEP_NONE;
	return kp_arch_purity(entry, kp_unpatched_read, is_ours,
			      constant_word) == KP_ARCH_PURE_GPR ?
		       KP_ARCH_KEEP_NONE : KP_ARCH_KEEP_IMAGE;
}

static enum kp_arch_keep look(uintptr_t fn)
{
	if (is_ours(fn))
		return KP_ARCH_KEEP_NONE;
	switch (kp_arch_purity(fn, kp_unpatched_read, is_ours, NULL)) {
	case KP_ARCH_PURE_GPR:
		return KP_ARCH_KEEP_NONE;
	case KP_ARCH_PURE_FEW:
		return KP_ARCH_KEEP_FEW;
	case KP_ARCH_PURE_LOW:
		return KP_ARCH_KEEP_LOW;
	default:
		return KP_ARCH_KEEP_ALL;
	}
}

/* A branch that may be switched on, to code that has not been looked at. */
static bool is_patched(uintptr_t addr, size_t len)
{
	struct kp_text_info info;

	kp_host_text_query(addr, len, &info);
	return info.kind == KP_TEXT_RESERVED;
}

static const struct known *known_of(uintptr_t fn)
{
	struct known *known = &cache[fn / 16 % CACHE_NR];

	kp_host_assert_locked(KP_LOCK_REGISTRY);
	if (known->fn != fn) {
		known->lean = kp_arch_lean(fn, kp_unpatched_read, is_patched);
		known->keep = known->lean || !kp_host_vectors_live() ?
				      KP_ARCH_KEEP_NONE : look(fn);
		known->fn = fn;
	}
	return known;
}

enum kp_arch_keep kp_handler_keep(const void *handler)
{
	if (!handler || !kp_host_vectors_live())
		return KP_ARCH_KEEP_NONE;
	return known_of((uintptr_t)handler)->keep;
}

bool kp_handler_lean(const void *handler)
{
	return handler && known_of((uintptr_t)handler)->lean;
}

static const struct known_reader *reader_of(uintptr_t fn)
{
	struct known_reader *known = &readers[fn / 16 % CACHE_NR];

	if (known->fn != fn) {
		known->bare = kp_arch_leaves_nothing(fn, kp_unpatched_read, is_patched);
		known->spares = known->bare ||
				kp_arch_spares_second(fn, kp_unpatched_read,
						      is_patched);
		known->fn = fn;
	}
	return known;
}

bool kp_handler_spares(const void *handler)
{
	return !handler || reader_of((uintptr_t)handler)->spares;
}

bool kp_handler_bare(const void *handler)
{
	return handler && (known_of((uintptr_t)handler)->lean ||
			   reader_of((uintptr_t)handler)->bare);
}
