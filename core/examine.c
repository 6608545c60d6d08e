/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * examine.c - whether an address may have a probe.
 *
 * Owns: the checks of an address and their order (K-REG), for a registration and for tools
 * that show what can be probed (kp_core_check).  The latter make no site and no slot.
 *
 * Locks: the registry lock is held; kp_core_check takes it.
 */
#include "examine.h"
#include "blacklist.h"
#include "boundary.h"
#include "busy.h"
#include "refusal.h"
#include "unpatched.h"

#define BLACKLISTED "blacklisted: probing it could recurse into the engine"

/* Guarded by the registry lock. */
static char name[KP_SYMBOL_MAX], owner[KP_SYMBOL_MAX];

/* (symbol or addr) + offset (K-REG-01 to 07). */
int kp_examine_name(struct kprobe *p, uintptr_t *addr)
{
	uintptr_t base = kp_host_code_at((uintptr_t)p->addr);

	if (p->addr && p->symbol_name)
		return kp_refuse(p, -EINVAL, "both addr and symbol_name are given; a struct that was registered before needs addr = NULL");
	if (!p->addr && !p->symbol_name)
		return kp_refuse(p, -EINVAL, "neither addr nor symbol_name is given");
	if (p->symbol_name) {
		if (kp_host_str_read(name, p->symbol_name, sizeof(name)))
			return kp_refuse(p, -EINVAL, "symbol_name cannot be read");
		if (!name[0] || kp_host_resolve(name, &base))
			return kp_refuse(p, -ENOENT, "no such symbol");
	}
	*addr = base + p->offset;
	if (*addr < base)
		return kp_refuse(p, -EINVAL, "the offset leads beyond all addresses");
	return 0;
}

/* The same, inside a known symbol (K-REG-08 to 14). */
int kp_examine_locate(struct kprobe *p, uintptr_t *addr, uintptr_t *start,
		   size_t *len, bool *on_entry)
{
	uint8_t entry[4];
	int err = kp_examine_name(p, addr);

	if (err)
		return err;
	if (kp_host_bounds(*addr, start, len))
		return kp_refuse(p, -ENOENT, "the address belongs to no known symbol");
	if (kp_unpatched_read(entry, *start, sizeof(entry)))
		return kp_refuse(p, -EINVAL, "the symbol's first bytes cannot be read");
	*addr = kp_arch_adjust_addr(entry, sizeof(entry), *start,
				    *addr - *start, on_entry);
	return 0;
}

int kp_examine_entry(struct kprobe *p, uintptr_t *addr, bool *on_entry)
{
	uintptr_t start;
	size_t len;

	kp_host_assert_locked(KP_LOCK_REGISTRY);
	return kp_examine_locate(p, addr, &start, &len, on_entry);
}

/* Compiler preamble symbols are not code to probe (K-REG-29). */
static bool is_preamble(const char *symbol)
{
	return !strncmp(symbol, "__cfi_", 6) || !strncmp(symbol, "__pfx_", 6);
}

/* "x.part.0" is as unprobeable as a blacklisted "x" (K-BLK-05). */
static bool clone_blacklisted(char *symbol)
{
	char *dot = strchr(symbol, '.');
	uintptr_t base;

	if (!dot || dot == symbol)
		return false;
	*dot = 0;
	return !kp_host_resolve(symbol, &base) && kp_blacklisted(base);
}

int kp_examine_text(struct kprobe *p, uintptr_t addr,
		      struct kp_text_info *info)
{
	kp_host_text_query(addr, 1, info);
	switch (info->kind) {
	case KP_TEXT_OK:
	case KP_TEXT_TRACER:
		break;
	case KP_TEXT_INNER:
		return kp_refuse(p, -EILSEQ, info->why);
	case KP_TEXT_LEAVING:
		return kp_refuse(p, -ENOENT, info->why);
	default:
		return kp_refuse(p, -EINVAL, info->why);
	}
	if (kp_blacklisted(addr))
		return kp_refuse(p, -EINVAL, BLACKLISTED);
	if (kp_host_describe(addr, name, sizeof(name), owner, sizeof(owner)))
		return 0;
	if (is_preamble(name))
		return kp_refuse(p, -EINVAL, "compiler preamble, not code");
	if (clone_blacklisted(name))
		return kp_refuse(p, -EINVAL, BLACKLISTED);
	return 0;
}

/* Is it one of the function's instructions, and one that may trap there? */
int kp_examine_place(struct kprobe *p, uintptr_t addr, unsigned int text_flags, uintptr_t start,
		       size_t len)
{
	const char *reason;
	int err;

	if (kp_boundary_check(start, addr, text_flags))
		return kp_refuse(p, -EILSEQ, "not at an instruction boundary");
	err = kp_arch_refuse_around(start, len, addr, text_flags, kp_unpatched_read, &reason);
	return err ? kp_refuse(p, err, reason) : 0;
}

/* What a registration refuses a place for, short of preparing an instruction. */
static int examine(struct kprobe *p, uintptr_t *addr,
		     struct kp_text_info *info)
{
	uintptr_t start;
	bool on_entry;
	size_t len;
	int err;

	kp_host_assert_locked(KP_LOCK_REGISTRY);
	err = kp_examine_locate(p, addr, &start, &len, &on_entry);
	if (!err)
		err = kp_examine_text(p, *addr, info);
	return err ? err : kp_examine_place(p, *addr, info->arch_flags, start, len);
}

/* ---- for tools ----------------------------------------------------------------- */

static int prepare(uintptr_t addr, unsigned int arch_flags,
		   const char **reason)
{
	struct kp_arch_probe ap;
	uint8_t bytes[KP_EXAMINE_WINDOW];
	size_t avail = sizeof(bytes);

	avail = kp_unpatched_window(bytes, addr, avail);
	return kp_arch_prepare(&ap, addr, bytes, avail, arch_flags, reason);
}

int kp_core_check(uintptr_t addr, const char **reason)
{
	struct kprobe p = { .addr = (kprobe_opcode_t *)addr };
	struct kp_text_info info;
	int err;

	*reason = NULL;
	if (!addr)
		return -EINVAL;
	if (kp_in_handler())
		return -EDEADLK;
	kp_host_lock(KP_LOCK_REGISTRY);
	kp_boundary_reset();
	err = examine(&p, &addr, &info);
	*reason = p.reason;
	if (!err && info.kind == KP_TEXT_OK)
		err = prepare(addr, info.arch_flags, reason);
	else if (!err)
		*reason = "through the function tracer";
	kp_host_unlock(KP_LOCK_REGISTRY);
	return err;
}
