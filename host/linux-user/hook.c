/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * hook.c - the host's own breakpoints and jumps.
 *
 * Owns: the few addresses where the host itself must know what the program
 * does: system calls that could block SIGTRAP (calls.c, mask.c), and the dynamic
 * linker's notice of a changed map (dso.c).  They are reserved: no probe may
 * be put there, and kp_host_text_read shows the bytes beneath.
 *
 * A jump replaces one instruction, so no thread can rest inside.  It is written,
 * and taken out, behind a breakpoint that is served until the jump is:
 * 1. the first byte becomes the breakpoint; all cores synchronise
 * 2. the others are written; all cores synchronise
 * 3. the first byte is written; all cores synchronise
 *
 * Readers are lock-free: addr is stored last.  An entry that is forgotten
 * keeps its slot as a tombstone, so that chains stay whole.
 * Locks: the registry lock to change, or before there are other threads.
 */
#include "user.h"

#define TABLE_NR 4096u			/* a power of two */
#define TOMBSTONE 1ul
#define BREAKPOINT 0xcc
#define JUMP 0xe9

static struct kp_hook table[TABLE_NR];
static size_t used;
static uintptr_t lowest = ~0ul, highest;
static bool started;
static const struct kp_hook *jumps[512];	/* append only, then jumps_nr */
static size_t jumps_nr;

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

/*
 * bytes[0..len) were read from text at addr: put back what jumps replace.  One
 * that was forgotten has another address by now.
 */
KP_TRAP_PATH void kp_user_hook_undo(uint8_t *bytes, uintptr_t addr, size_t len)
{
	/* Acquire: pairs with the release in remember_jump. */
	size_t nr = kp_load_acquire(&jumps_nr), i, j;

	for (i = 0; i < nr; i++) {
		uintptr_t at = kp_load_relaxed(&jumps[i]->addr);

		if (at <= TOMBSTONE || at >= addr + len ||
		    at + KP_HOOK_JUMP_LEN <= addr)
			continue;
		for (j = 0; j < KP_HOOK_JUMP_LEN; j++)
			if (at + j - addr < len)
				bytes[at + j - addr] = jumps[i]->bytes[j];
	}
}

static bool jump_overlaps(uintptr_t addr, size_t len)
{
	size_t i;

	for (i = 0; i < jumps_nr; i++)
		if (jumps[i]->addr > TOMBSTONE && jumps[i]->addr < addr + len &&
		    addr < jumps[i]->addr + jumps[i]->len)
			return true;
	return false;
}

bool kp_user_hook_overlaps(uintptr_t addr, size_t len)
{
	size_t i;

	if (jump_overlaps(addr, len))
		return true;
	/* A system call is two bytes. */
	if (kp_user_hook_find(addr - 1))
		return kp_user_hook_find(addr - 1)->kind == KP_HOOK_SYSCALL;
	for (i = 0; i < len; i++)
		if (kp_user_hook_find(addr + i))
			return true;
	return false;
}

/* Its place in the table may have been a forgotten one's, which is listed. */
static void remember_jump(const struct kp_hook *hook)
{
	size_t i;

	for (i = 0; i < jumps_nr; i++)
		if (jumps[i] == hook)
			return;
	jumps[jumps_nr] = hook;
	kp_store_release(&jumps_nr, jumps_nr + 1);
}

/* 0, -EEXIST, or -ENOSPC.  Not armed yet. */
int kp_user_hook_add(const struct kp_hook *hook)
{
	unsigned int i = slot_of(hook->addr);

	if (kp_user_hook_find(hook->addr))
		return -EEXIST;
	if (used >= TABLE_NR / 2 ||
	    (hook->kind == KP_HOOK_JUMP &&
	     jumps_nr == sizeof(jumps) / sizeof(jumps[0])))
		return -ENOSPC;
	while (table[i].addr > TOMBSTONE)
		i = (i + 1) & (TABLE_NR - 1);
	if (!table[i].addr)
		used++;
	table[i].original = hook->original;
	table[i].kind = hook->kind;
	table[i].len = hook->len;
	memcpy(table[i].bytes, hook->bytes, sizeof(hook->bytes));
	table[i].stub = hook->stub;
	if (hook->addr < lowest)
		lowest = hook->addr;
	if (hook->addr > highest)
		highest = hook->addr;
	kp_store_release(&table[i].addr, hook->addr);
	if (hook->kind == KP_HOOK_JUMP)
		remember_jump(&table[i]);
	return 0;
}

/* Step 2 and 3 for those that have step 1: with to, or what was there. */
static int finish_jumps(bool in)
{
	int err = 0, step;
	size_t i;

	for (step = 2; step <= 3; step++) {
		for (i = 0; i < jumps_nr; i++) {
			uintptr_t addr = jumps[i]->addr;
			uint8_t bytes[KP_HOOK_JUMP_LEN] = { JUMP };
			int32_t rel = (int32_t)(jumps[i]->stub - addr -
						KP_HOOK_JUMP_LEN);

			if (addr <= TOMBSTONE ||
			    *(const uint8_t *)addr != BREAKPOINT)
				continue;
			memcpy(bytes + 1, &rel, sizeof(rel));
			if (!in)
				memcpy(bytes, jumps[i]->bytes, sizeof(bytes));
			if (step == 2 ? kp_user_text_poke(addr + 1, bytes + 1,
							  sizeof(bytes) - 1)
				      : kp_user_text_poke(addr, bytes, 1))
				err = -EIO;
		}
		kp_host_sync_cores();
	}
	return err;
}

static bool is_in(const struct kp_hook *hook)
{
	uint8_t first = *(const uint8_t *)hook->addr;

	return first == BREAKPOINT ||
	       (hook->kind == KP_HOOK_JUMP && first == JUMP);
}

static int arm_all(void *unused)
{
	const uint8_t bp = BREAKPOINT;
	int err = 0;
	unsigned int i;

	(void)unused;
	for (i = 0; i < TABLE_NR; i++) {
		uintptr_t addr = table[i].addr;

		if (addr <= TOMBSTONE || is_in(&table[i]))
			continue;
		if (kp_user_text_poke(addr, &bp, 1))
			err = -EIO;
	}
	kp_host_sync_cores();
	return err ? err : finish_jumps(true);
}

/* Write the breakpoint, or jump, of every entry that has none; then synchronise. */
int kp_user_hook_arm(void)
{
	return started ? kp_user_write_call(arm_all, NULL) : 0;
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

static int disarm_all(void *unused)
{
	const uint8_t bp = BREAKPOINT;
	int err = 0, last;
	unsigned int i;

	(void)unused;
	for (i = 0; i < TABLE_NR; i++) {
		if (table[i].addr <= TOMBSTONE)
			continue;
		last = kp_user_text_poke(table[i].addr,
					 table[i].kind == KP_HOOK_JUMP ? &bp :
					 &table[i].original, 1);
		/* Else it is not mapped any more. */
		if (last && last != -EFAULT)
			err = -EIO;
	}
	kp_host_sync_cores();
	return finish_jumps(false) ? -EIO : err;
}

/*
 * Put all original bytes back.  The entries stay: a trap taken before finds
 * its hook and is served.  -EIO: not all could be; the breakpoints stay.
 */
int kp_user_hook_stop(void)
{
	int err;

	if (!started)
		return 0;
	started = false;
	err = kp_user_write_call(disarm_all, NULL);
	if (err)
		kp_user_hook_start();
	return err;
}

bool kp_user_hook_started(void)
{
	return started;
}
