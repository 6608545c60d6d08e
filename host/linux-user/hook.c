/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * hook.c - the host's own breakpoints.
 *
 * Owns: the few addresses where the host itself must know what the program
 * does: system calls that could block SIGTRAP (mask.c), and the dynamic
 * linker's notice of a changed map (dso.c).  They are reserved: no probe may
 * be put there, and kp_host_text_read shows the bytes beneath.
 *
 * Readers are lock-free: addr is stored last.  An entry that is forgotten
 * keeps its slot as a tombstone, so that chains stay whole.
 * Locks: the registry lock to change, or before there are other threads.
 */
#include "user.h"

#define TABLE_NR 1024u			/* a power of two */
#define TOMBSTONE 1ul
#define BREAKPOINT 0xcc

static struct kp_hook table[TABLE_NR];
static size_t used;
static uintptr_t lowest = ~0ul, highest;
static bool started;

KP_TRAP_PATH static unsigned int slot_of(uintptr_t addr)
{
	return (unsigned int)((addr * 0x9e3779b97f4a7c15ul) >> 40) &
	       (TABLE_NR - 1);
}

KP_TRAP_PATH const struct kp_hook *kp_user_hook_find(uintptr_t addr)
{
	unsigned int i;

	if (addr < lowest || addr > highest)
		return NULL;
	for (i = slot_of(addr);; i = (i + 1) & (TABLE_NR - 1)) {
		/* Acquire: pairs with the release in kp_user_hook_add. */
		uintptr_t at = kp_load_acquire(&table[i].addr);

		if (at == addr)
			return &table[i];
		if (!at)
			return NULL;
	}
}

KP_TRAP_PATH uint8_t kp_user_hook_byte(uintptr_t addr)
{
	const struct kp_hook *hook = kp_user_hook_find(addr);

	return hook ? hook->original : BREAKPOINT;
}

bool kp_user_hook_overlaps(uintptr_t addr, size_t len)
{
	size_t i;

	/* A system call is two bytes. */
	if (kp_user_hook_find(addr - 1))
		return kp_user_hook_find(addr - 1)->kind == KP_HOOK_SYSCALL;
	for (i = 0; i < len; i++)
		if (kp_user_hook_find(addr + i))
			return true;
	return false;
}

/* 0, -EEXIST, or -ENOSPC.  Not armed yet. */
int kp_user_hook_add(const struct kp_hook *hook)
{
	unsigned int i = slot_of(hook->addr);

	if (kp_user_hook_find(hook->addr))
		return -EEXIST;
	if (used >= TABLE_NR / 2)
		return -ENOSPC;
	while (table[i].addr > TOMBSTONE)
		i = (i + 1) & (TABLE_NR - 1);
	if (!table[i].addr)
		used++;
	table[i].original = hook->original;
	table[i].kind = hook->kind;
	table[i].stub = hook->stub;
	if (hook->addr < lowest)
		lowest = hook->addr;
	if (hook->addr > highest)
		highest = hook->addr;
	kp_store_release(&table[i].addr, hook->addr);
	return 0;
}

/* Write the breakpoint of every entry that has none; then synchronise. */
int kp_user_hook_arm(void)
{
	const uint8_t bp = BREAKPOINT;
	int err = 0;
	unsigned int i;

	if (!started)
		return 0;
	for (i = 0; i < TABLE_NR; i++) {
		uintptr_t addr = table[i].addr;

		if (addr <= TOMBSTONE || *(const uint8_t *)addr == bp)
			continue;
		if (kp_user_text_poke(addr, &bp, 1))
			err = -EIO;
	}
	kp_host_sync_cores();
	return err;
}

/* With every thread known to have SIGTRAP open. */
int kp_user_hook_start(void)
{
	started = true;
	return kp_user_hook_arm();
}

/* Text in [start, start+len) is gone: forget without touching it. */
void kp_user_hook_forget(uintptr_t start, size_t len)
{
	unsigned int i;

	for (i = 0; i < TABLE_NR; i++)
		if (table[i].addr > TOMBSTONE && table[i].addr - start < len)
			kp_store_release(&table[i].addr, TOMBSTONE);
}

/*
 * Put all original bytes back.  The entries stay: a trap taken before finds
 * its hook and is served.  -EIO: not all could be; the breakpoints stay.
 */
int kp_user_hook_stop(void)
{
	int err = 0, last;
	unsigned int i;

	if (!started)
		return 0;
	started = false;
	for (i = 0; i < TABLE_NR; i++) {
		if (table[i].addr <= TOMBSTONE)
			continue;
		last = kp_user_text_poke(table[i].addr, &table[i].original, 1);
		/* Else it is not mapped any more. */
		if (last && last != -EFAULT)
			err = -EIO;
	}
	kp_host_sync_cores();
	if (err)
		kp_user_hook_start();
	return err;
}

bool kp_user_hook_started(void)
{
	return started;
}
