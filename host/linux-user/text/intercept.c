/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * intercept.c - the host's own breakpoints and jumps.
 *
 * Owns: the few addresses where the host itself must know what the program
 * does: system calls that could block SIGTRAP (syscalls.c, mask.c), and the dynamic
 * linker's notice of a changed map (dso.c).  They are reserved: no probe may
 * be put there, and kp_host_text_read shows the bytes beneath.
 *
 * A jump replaces one instruction, so no thread can rest inside.  It is written,
 * and taken out, behind a breakpoint that is served until the jump is:
 * 1. its beginning becomes the breakpoint; all cores synchronise
 * 2. the rest is written; all cores synchronise
 * 3. the beginning is written; all cores synchronise
 *
 * Readers are lock-free: addr is stored last.  An entry that is forgotten
 * keeps its slot as a tombstone, so that chains stay whole.
 * Locks: the registry lock to change, or before there are other threads.
 */
#include "text/intercept.h"
#include "atomic.h"
#include "host.h"
#include "machine.h"
#include "freestanding/copy.h"
#include "process/writer.h"
#include "text/text.h"

#define TABLE_NR 4096u			/* a power of two */
#define TOMBSTONE 1ul

static struct kp_intercept table[TABLE_NR];
static size_t used;
static uintptr_t lowest = ~0ul, highest;
static bool started;
static const struct kp_intercept *jumps[512];	/* append only, then jumps_nr */
static size_t jumps_nr;

KP_TRAP_PATH static unsigned int slot_of(uintptr_t addr)
{
	return (unsigned int)((addr * 0x9e3779b97f4a7c15ul) >> 40) &
	       (TABLE_NR - 1);
}

KP_TRAP_PATH const struct kp_intercept *kp_user_intercept_find(uintptr_t addr)
{
	unsigned int i;

	if (addr < lowest || addr > highest)
		return NULL;
	for (i = slot_of(addr);; i = (i + 1) & (TABLE_NR - 1)) {
		/* Acquire: pairs with the release in kp_user_intercept_add. */
		uintptr_t at = kp_load_acquire(&table[i].addr);

		if (at == addr)
			return &table[i];
		if (!at)
			return NULL;
	}
}

KP_TRAP_PATH static bool is_bp(uintptr_t addr, bool second)
{
	return !memcmp((const void *)addr, kp_set_bp(second), kp_set_bp_len(second));
}

/* What is below breakpoints, of the text at addr. */
KP_TRAP_PATH static void undo_breakpoints(uint8_t *bytes, uintptr_t addr,
					  size_t len)
{
	const struct kp_intercept *intercept;
	uintptr_t at;
	size_t i;

	for (at = addr - addr % KP_ARCH_BP_LEN; at < addr + len;
	     at += KP_CODE_UNIT) {
		if (KP_ARCH_BP_LEN == 1 && bytes[at - addr] != kp_arch_bp[0])
			continue;
		intercept = kp_user_intercept_find(at);
		for (i = 0; intercept && i < kp_set_bp_len(intercept->second); i++)
			if (at + i - addr < len)
				bytes[at + i - addr] = intercept->original[i];
	}
}

/*
 * bytes[0..len) were read from text at addr: put back what ours replace.  One
 * that was forgotten has another address by now.
 */
KP_TRAP_PATH void kp_user_intercept_undo(uint8_t *bytes, uintptr_t addr, size_t len)
{
	/* Acquire: pairs with the release in remember_jump. */
	size_t nr = kp_load_acquire(&jumps_nr), i, j;

	undo_breakpoints(bytes, addr, len);
	for (i = 0; i < nr; i++) {
		uintptr_t at = kp_load_relaxed(&jumps[i]->addr);

		if (at <= TOMBSTONE || at >= addr + len ||
		    at + KP_INTERCEPT_JUMP_LEN <= addr)
			continue;
		for (j = 0; j < KP_INTERCEPT_JUMP_LEN; j++)
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

bool kp_user_intercept_overlaps(uintptr_t addr, size_t len)
{
	size_t i;

	if (jump_overlaps(addr, len))
		return true;
	for (i = 1; i < KP_SYSCALL_LEN; i++)
		if (kp_user_intercept_find(addr - i))
			return kp_user_intercept_find(addr - i)->kind == KP_INTERCEPT_SYSCALL;
	for (i = 0; i < len; i++)
		if (kp_user_intercept_find(addr + i))
			return true;
	return false;
}

/* Its place in the table may have been a forgotten one's, which is listed. */
static void remember_jump(const struct kp_intercept *intercept)
{
	size_t i;

	for (i = 0; i < jumps_nr; i++)
		if (jumps[i] == intercept)
			return;
	jumps[jumps_nr] = intercept;
	kp_store_release(&jumps_nr, jumps_nr + 1);
}

/* 0, -EEXIST, or -ENOSPC.  Not armed yet. */
int kp_user_intercept_add(const struct kp_intercept *intercept)
{
	unsigned int i = slot_of(intercept->addr);

	if (kp_user_intercept_find(intercept->addr))
		return -EEXIST;
	if (used >= TABLE_NR / 2 ||
	    (intercept->kind == KP_INTERCEPT_JUMP &&
	     jumps_nr == sizeof(jumps) / sizeof(jumps[0])))
		return -ENOSPC;
	while (table[i].addr > TOMBSTONE)
		i = (i + 1) & (TABLE_NR - 1);
	if (!table[i].addr)
		used++;
	memcpy(table[i].original, intercept->original, KP_ARCH_BP_LEN);
	table[i].kind = intercept->kind;
	table[i].second = intercept->second;
	table[i].len = intercept->len;
	memcpy(table[i].bytes, intercept->bytes, sizeof(intercept->bytes));
	table[i].stub = intercept->stub;
	if (intercept->addr < lowest)
		lowest = intercept->addr;
	if (intercept->addr > highest)
		highest = intercept->addr;
	kp_store_release(&table[i].addr, intercept->addr);
	if (intercept->kind == KP_INTERCEPT_JUMP)
		remember_jump(&table[i]);
	return 0;
}

static int poke_rest(uintptr_t addr, const uint8_t *bytes)
{
	size_t at = KP_ARCH_BP_LEN;

	return at == KP_INTERCEPT_JUMP_LEN ? 0 :
	       kp_user_text_poke(addr + at, bytes + at, KP_INTERCEPT_JUMP_LEN - at);
}

/* Step 2 and 3 for those that have step 1: with to, or what was there. */
static int finish_jumps(bool in)
{
	int err = 0, step;
	size_t i;

	for (step = 2; step <= 3; step++) {
		for (i = 0; i < jumps_nr; i++) {
			uintptr_t addr = jumps[i]->addr;
			uint8_t bytes[KP_INTERCEPT_JUMP_LEN];

			if (addr <= TOMBSTONE || !is_bp(addr, false))
				continue;
			kp_intercept_jump(bytes, addr, jumps[i]->stub);
			if (!in)
				memcpy(bytes, jumps[i]->bytes, sizeof(bytes));
			if (step == 2 ? poke_rest(addr, bytes)
				      : kp_user_text_poke(addr, bytes,
							  KP_ARCH_BP_LEN))
				err = -EIO;
		}
		kp_host_sync_cores();
	}
	return err;
}

static bool is_in(const struct kp_intercept *intercept)
{
	return is_bp(intercept->addr, intercept->second) ||
	       (intercept->kind == KP_INTERCEPT_JUMP &&
		kp_intercept_is_jump((const uint8_t *)intercept->addr));
}

static int arm_all(void *unused)
{
	int err = 0;
	unsigned int i;

	(void)unused;
	for (i = 0; i < TABLE_NR; i++) {
		uintptr_t addr = table[i].addr;

		if (addr <= TOMBSTONE || is_in(&table[i]))
			continue;
		if (kp_user_text_poke(addr, kp_set_bp(table[i].second), kp_set_bp_len(table[i].second)))
			err = -EIO;
	}
	kp_host_sync_cores();
	return err ? err : finish_jumps(true);
}

/* Write the breakpoint, or jump, of every entry that has none; then synchronise. */
int kp_user_intercept_arm(void)
{
	return started ? kp_user_write_call(arm_all, NULL) : 0;
}

/* With every thread known to have SIGTRAP open. */
int kp_user_intercept_start(void)
{
	started = true;
	return kp_user_intercept_arm();
}

/* Text in [start, start+len) is gone: forget without touching it. */
void kp_user_intercept_forget(uintptr_t start, size_t len)
{
	unsigned int i;

	for (i = 0; i < TABLE_NR; i++)
		if (table[i].addr > TOMBSTONE && table[i].addr - start < len)
			kp_store_release(&table[i].addr, TOMBSTONE);
}

static int disarm_all(void *unused)
{
	int err = 0, last;
	unsigned int i;

	(void)unused;
	for (i = 0; i < TABLE_NR; i++) {
		if (table[i].addr <= TOMBSTONE)
			continue;
		last = kp_user_text_poke(table[i].addr,
					 table[i].kind == KP_INTERCEPT_JUMP ? kp_arch_bp :
					 table[i].original, kp_set_bp_len(table[i].second));
		/* Else it is not mapped any more. */
		if (last && last != -EFAULT)
			err = -EIO;
	}
	kp_host_sync_cores();
	return finish_jumps(false) ? -EIO : err;
}

/*
 * Put all original bytes back.  The entries stay: a trap taken before finds
 * its intercept and is served.  -EIO: not all could be; the breakpoints stay.
 */
int kp_user_intercept_stop(void)
{
	int err;

	if (!started)
		return 0;
	started = false;
	err = kp_user_write_call(disarm_all, NULL);
	if (err)
		kp_user_intercept_start();
	return err;
}

bool kp_user_intercept_started(void)
{
	return started;
}

/* The host's own breakpoints and jumps do not show. */
KP_TRAP_PATH int kp_host_text_read(void *dst, uintptr_t addr, size_t len)
{
	if (kp_user_copy(dst, (const void *)addr, len))
		return -EFAULT;
	kp_user_intercept_undo(dst, addr, len);
	return 0;
}
