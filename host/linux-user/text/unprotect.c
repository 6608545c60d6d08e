/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * unprotect.c - writing text by making it writable for a moment.
 *
 * Owns: whether this way is needed; the one range of pages that is writable because of us, and what the memory map said
 * about areas that were examined before.  This way is used if /proc/self/mem is not available,
 * as in a process that has changed its user.  There may be many thousand writes in a row, so
 *
 *   - the map is read once an area, not once a write.  Its answer is trusted
 *     as long as the kernel gives the same answer about whether it may be written to;
 *   - a range stays open for the next write into it.  The program's text is
 *     closed at the end of each call; memory of our own, at the latest when
 *     the registry lock is dropped.
 *
 * The kernel keeps account of pages that were writable once, and does not merge them again with
 * their neighbours. So a whole block is opened.
 *
 * Execute permission is never removed.
 * Locks: the registry lock, or before there are other threads.
 */
#include "text/unprotect.h"
#include "machine.h"
#include "freestanding/copy.h"
#include "process/maps.h"

#include <linux/futex.h>

#define PAGE 4096ul
#define BLOCK (64 * PAGE)
#define KNOWN_NR 8u

struct area {
	uintptr_t start, end;
	int prot;
};

/* What is executed is an emulator's copy. */
static enum { UNKNOWN, EXECUTED, STALE } found;

static struct area known[KNOWN_NR];	/* empty: nothing is */
static struct area writable;		/* because of us; with what it had */

static bool find_area(const struct kp_map *map, void *arg)
{
	struct area *area = arg;

	if (area->start < map->start || area->start >= map->end)
		return false;
	area->start = map->start;
	area->end = map->end;
	area->prot = (map->read ? PROT_READ : 0) |
		     (map->write ? PROT_WRITE : 0) |
		     /* The map shows what an emulator does with it. */
		     (map->exec || found == STALE ? PROT_EXEC : 0);
	return true;
}

/*
 * May addr be written to?  The kernel tries, by storing what stands there, and
 * nobody gets a signal.
 */
static bool is_writable(uintptr_t addr)
{
	static int own;
	int nothing = FUTEX_OP(FUTEX_OP_OR, 0, FUTEX_OP_CMP_LT, 0);

	return sys6(SYS_futex, (long)&own, FUTEX_WAKE_OP_PRIVATE, 0, 0,
		    (long)(addr & ~3ul), nothing) != -EFAULT;
}

static bool is_in(const struct area *area, uintptr_t addr)
{
	return addr >= area->start && addr < area->end;
}

/* Nothing is writable because of us.  What it is in; false: in nothing. */
static bool look(uintptr_t addr, struct area *out)
{
	static unsigned int next;
	unsigned int i;

	for (i = 0; i < KNOWN_NR; i++)
		if (is_in(&known[i], addr) &&
		    is_writable(addr) == !!(known[i].prot & PROT_WRITE)) {
			*out = known[i];
			return true;
		}
	*out = (struct area){ addr, 0, -1 };
	/* Without /proc: what text is mapped with. */
	if (kp_user_maps(find_area, out))
		*out = (struct area){ addr & ~(PAGE - 1),
				      (addr & ~(PAGE - 1)) + PAGE,
				      PROT_READ | PROT_EXEC };
	if (out->prot < 0)
		return false;
	for (i = 0; i < KNOWN_NR; i++)
		if (is_in(&known[i], addr))
			break;
	known[i < KNOWN_NR ? i : next++ % KNOWN_NR] = *out;
	return true;
}

/*
 * The block around it, as far as it is in the same area.  A small area is one: the
 * kernel's own, as the vdso, must not be split.
 */
static struct area block_around(uintptr_t first, uintptr_t last,
				const struct area *area)
{
	struct area block = { first & ~(BLOCK - 1), (last | (BLOCK - 1)) + 1,
			      area->prot };

	if (area->end - area->start <= BLOCK)
		return *area;
	if (block.start < area->start)
		block.start = area->start;
	if (block.end > area->end)
		block.end = area->end;
	return block;
}

/* Nothing is writable because of us any more. */
void kp_user_unprotect_close(void)
{
	if (writable.end)
		sys3(SYS_mprotect, writable.start, writable.end - writable.start,
		     writable.prot);
	writable = (struct area){ 0 };
}

/* Something was mapped, or protected in another way, where something else may have been known. */
void kp_user_unprotect_forget(void)
{
	kp_user_unprotect_close();
	memset(known, 0, sizeof(known));
}

/* [first, last] is writable until it is closed, or another range is opened. */
int kp_user_unprotect_open(uintptr_t first, uintptr_t last)
{
	struct area area;
	int err;

	if (is_in(&writable, first) && is_in(&writable, last))
		return 0;
	kp_user_unprotect_close();
	if (!look(first, &area))
		return -EFAULT;
	if (!is_in(&area, last))
		return -ERANGE;
	area = block_around(first, last, &area);
	err = (int)sys3(SYS_mprotect, area.start, area.end - area.start,
			area.prot | PROT_WRITE);
	if (!err)
		writable = area;
	return err;
}

/* Within one page.  What is as long as a breakpoint is one store. */
int kp_user_unprotect_poke(uintptr_t addr, const void *src, size_t len)
{
	_Alignas(8) uint8_t aligned[8];
	int err = kp_user_unprotect_open(addr, addr + len - 1);

	/* Copied by words only where both sides have them. */
	if (len <= sizeof(aligned))
		src = memcpy(aligned, src, len);
	if (!err)
		err = kp_user_copy((void *)addr, src, len);
	if (!err)
		kp_text_written(addr, len);
	return err;
}

/*
 * Is what is written through the memory's file executed?  An emulator that keeps translations may look
 * only at what the program itself writes.  Tried once, on a page of our own.
 */

bool kp_user_unprotect_spares(long fd)
{
	static const uint8_t before[] = KP_RETURN_CODE(1);
	static const uint8_t after[] = KP_RETURN_CODE(2);
	uint8_t *page;

	if (!KP_TRIES_WRITES || found)
		return found != STALE;
	page = sys_mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1);
	if (!page)
		return true;
	found = EXECUTED;
	memcpy(page, before, sizeof(before));
	kp_text_written((uintptr_t)page, sizeof(before));
	if (!sys3(SYS_mprotect, page, PAGE, PROT_READ | PROT_EXEC) &&
	    ((int (*)(void))(uintptr_t)page)() == 1 &&
	    sys4(SYS_pwrite64, fd, after, sizeof(after), page) ==
		    (long)sizeof(after) &&
	    ((int (*)(void))(uintptr_t)page)() != 2)
		found = STALE;
	sys3(SYS_munmap, page, PAGE, 0);
	return found != STALE;
}
