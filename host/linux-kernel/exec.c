// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * exec.c - executable memory for slots, and their exception-table entries.
 *
 * Owns: the pool inside the module's own text, and the exception table that
 * this module shows to the kernel.  The pool holds slots, and return stubs,
 * which stack traces find only where a module's text is; and where jumps reach little
 * (KP_EXEC_FAR), those of what lies beside this module, its own trials above all.
 *
 * Slots whose instruction may fault and be fixed up lie in the pool: the
 * kernel looks for exception entries by module, and finds the clone of the
 * original's entry in our table, with the original's fixup.  A fault in the
 * copy is then handled like one in the original: resolved and retried, or
 * fixed up; it may sleep.  All other slots come from the kernel's module area.
 *
 * The table is always sorted, since every pool slot owns two entries at a
 * fixed place: in use they name the two copies, unused ones the slot's last
 * byte, where no instruction starts.  So a search needs no lock while an entry
 * changes: it only compares addresses within one slot's range.
 *
 * Locks: the registry lock.
 */
#include <linux/mm.h>
#include <linux/vmalloc.h>
#include "compat/extable.h"
#include "local.h"

#define POOL_LEN	(384 * 1024)
#define POOL_SLOTS	(POOL_LEN / KP_ARCH_SLOT_LEN)
/* Of it, for what is beside the module; the rest is for who can be nowhere else. */
#define POOL_BESIDE	(KP_EXEC_FAR ? POOL_LEN / 2 : 0)
#define OWN_ENTRIES_MAX	64

/* In the module's text; read-only and executable like the rest of it. */
asm(".pushsection .text.kp_pool, \"ax\"\n"
    ".balign 4096\n"
    "kp_exec_pool:\n"
    KP_ASM_NO_TARGET
    ".skip " __stringify(POOL_LEN) ", " __stringify(KP_ARCH_FILL) "\n"
    ".popsection");
extern char kp_exec_pool[];
_Static_assert(POOL_LEN == 384 * 1024, "kp_exec_pool is written out in asm");

static size_t pool_used;		/* handed out, from the bottom */
static size_t pool_top;			/* and from the top, of what is beside the module */
static unsigned int pool_regions;	/* not given back yet */

/* ---- the exception table ------------------------------------------------- */

static struct exception_table_entry table[2 * POOL_SLOTS + OWN_ENTRIES_MAX];
static struct exception_table_entry *pool_entries;
static struct exception_table_entry *original_table;
static unsigned int original_nr;

static void entry_set(struct exception_table_entry *entry, uintptr_t insn,
		      uintptr_t fixup, long how)
{
	kp_extable_set_fixup(entry, fixup);
	kp_extable_set_how(entry, how);
	/*
	 * Last: from here on the kernel's search finds the entry, and reads the rest of it
	 * then.  Who faults in the slot came there by way of a site that was published
	 * later still; who searches for another address only compares.
	 */
	smp_store_release(&entry->insn, kp_extable_word(&entry->insn, insn));
}

static void entries_clear(size_t slot)
{
	uintptr_t last = (uintptr_t)kp_exec_pool;

	/* Or objtool takes the sum for a target of an indirect branch. */
	OPTIMIZER_HIDE_VAR(last);
	last += (slot + 1) * KP_ARCH_SLOT_LEN - 1;
	entry_set(&pool_entries[2 * slot + 1], last, last, 0);
	entry_set(&pool_entries[2 * slot], last, last, 0);
}

/* This module's entries below the pool, the pool's, those above it. */
int kp_exec_start(void)
{
	struct module *mod = THIS_MODULE;
	unsigned int i, nr = 0;
	size_t slot;

	original_table = mod->extable;
	original_nr = mod->num_exentries;
	if (original_nr > OWN_ENTRIES_MAX)
		return -E2BIG;
	for (i = 0; i < original_nr; i++) {
		struct exception_table_entry *entry = &original_table[i];

		if (!pool_entries && kp_extable_insn(entry) > (uintptr_t)kp_exec_pool) {
			pool_entries = &table[nr];
			nr += 2 * POOL_SLOTS;
		}
		entry_set(&table[nr++], kp_extable_insn(entry), kp_extable_fixup(entry),
			  kp_extable_how(entry));
	}
	if (!pool_entries) {
		pool_entries = &table[nr];
		nr += 2 * POOL_SLOTS;
	}
	for (slot = 0; slot < POOL_SLOTS; slot++)
		entries_clear(slot);
	/*
	 * The longer table first: whoever looked in between would see a sorted prefix.
	 * Nobody does: only a fault in this module's text leads to its table, and it has
	 * executed nothing yet but this.
	 */
	smp_store_release(&mod->extable, table);
	smp_store_release(&mod->num_exentries, nr);
	return 0;
}

/* The text is going away: no fault can ask any more. */
void kp_exec_stop(void)
{
	/* In the reverse order of kp_exec_start, and for nobody, as there. */
	smp_store_release(&THIS_MODULE->num_exentries, original_nr);
	smp_store_release(&THIS_MODULE->extable, original_table);
}

int kp_host_slot_bind(uintptr_t slot, uintptr_t insn,
		      const unsigned int copies[2])
{
	const struct exception_table_entry *entry;
	uintptr_t off = slot - (uintptr_t)kp_exec_pool;
	struct exception_table_entry *clone;

	if (off >= POOL_LEN || !kp_hidden.search_extables)
		return 0;
	entry = kp_kernel_search_extables(insn);
	if (!entry)
		return 0;
	clone = &pool_entries[off / KP_ARCH_SLOT_LEN * 2];
	/* Upper entry first, so that the pair stays sorted. */
	entry_set(&clone[1], slot + max(copies[0], copies[1]),
		  kp_extable_fixup(entry), kp_extable_how(entry));
	entry_set(&clone[0], slot + min(copies[0], copies[1]),
		  kp_extable_fixup(entry), kp_extable_how(entry));
	return 0;
}

void kp_host_slot_unbind(uintptr_t slot)
{
	uintptr_t off = slot - (uintptr_t)kp_exec_pool;

	if (off < POOL_LEN)
		entries_clear(off / KP_ARCH_SLOT_LEN);
}

/* ---- memory -------------------------------------------------------------- */

static int pool_part(struct kp_exec *out, size_t off, size_t len)
{
	out->base = (uintptr_t)kp_exec_pool + off;
	out->len = len;
	pool_regions++;
	return 0;
}

static int from_pool(struct kp_exec *out, size_t len)
{
	if (len > POOL_LEN - pool_top - pool_used)
		return -ENOMEM;
	pool_used += len;
	return pool_part(out, pool_used - len, len);
}

/*
 * Where nothing is free that near.  What is below the module is nearer to its pool's
 * bottom, what is above it to the top: where little can be reached, only from one of them.
 */
static int from_pool_between(struct kp_exec *out, uintptr_t low, uintptr_t end, size_t len)
{
	uintptr_t pool = (uintptr_t)kp_exec_pool, bottom = pool + pool_used;

	if (pool_used + pool_top + len > POOL_BESIDE)
		return -ENOMEM;
	if (bottom >= low && bottom + len <= end)
		return from_pool(out, len);
	bottom = pool + POOL_LEN - pool_top - len;
	if (bottom < low || bottom + len > end)
		return -ENOMEM;
	pool_top += len;
	return pool_part(out, bottom - pool, len);
}

static void release(uintptr_t base, int nr)
{
	if (!KP_EXEC_ALWAYS) {
		kp_kernel_set_memory_nx(base, nr);
		kp_kernel_set_memory_rw(base, nr);
	}
	if (kp_hidden.module_memfree)
		kp_kernel_module_memfree((void *)base);
	else
		vfree((void *)base);
}

static bool has_module_area(void)
{
	return (kp_hidden.module_alloc || kp_hidden.vmalloc_range) &&
	       (KP_EXEC_ALWAYS ||
		(kp_hidden.set_memory_ro && kp_hidden.set_memory_rw &&
		 kp_hidden.set_memory_x && kp_hidden.set_memory_nx));
}

/* Filled with breakpoints, then read-only, then executable. */
static int seal(struct kp_exec *out, void *mem, size_t len)
{
	int nr = len >> PAGE_SHIFT;

	if (!mem)
		return -ENOMEM;
	memset(mem, KP_ARCH_FILL, len);
	if (KP_EXEC_ALWAYS) {
		kp_text_written((uintptr_t)mem, len);
	} else if (kp_kernel_set_memory_ro((uintptr_t)mem, nr) ||
		   kp_kernel_set_memory_x((uintptr_t)mem, nr)) {
		release((uintptr_t)mem, nr);
		return -ENOMEM;
	}
	out->base = (uintptr_t)mem;
	out->len = len;
	return 0;
}

static void *area_between(uintptr_t low, uintptr_t end, size_t len)
{
	return kp_kernel_vmalloc_range(len, PAGE_SIZE, low, end,
				       GFP_KERNEL | __GFP_NOWARN, PAGE_KERNEL,
				       VM_NO_GUARD, NUMA_NO_NODE,
				       __builtin_return_address(0));
}

static bool is_near(uintptr_t a, uintptr_t b)
{
	return (a > b ? a - b : b - a) < KP_EXEC_NEAR;
}

/* Anywhere near, where modules are not. */
static void *area_near(uintptr_t near, size_t len)
{
	uintptr_t low = max_t(uintptr_t, near - KP_EXEC_NEAR, KP_EXEC_LOW) & PAGE_MASK;
	uintptr_t end = min_t(uintptr_t, near + KP_EXEC_NEAR, KP_EXEC_END) & PAGE_MASK;

	return kp_hidden.vmalloc_range && low < end && end - low >= len ?
	       area_between(low, end, len) : NULL;
}

/* Kernels since 6.10 have no module_alloc. */
static int from_module_area(struct kp_exec *out, uintptr_t near, size_t len)
{
	void *mem, *nearer;

	len = PAGE_ALIGN(len);
	mem = kp_hidden.module_alloc ?
	      kp_kernel_module_alloc(len) :
	      area_between(KP_MODULES_LOW, KP_MODULES_END, len);
	if (mem && !is_near((uintptr_t)mem, near)) {
		nearer = area_near(near, len);
		if (!nearer && !from_pool_between(out, near - KP_EXEC_NEAR,
						  near + KP_EXEC_NEAR, len)) {
			release((uintptr_t)mem, len >> PAGE_SHIFT);
			return 0;
		}
		if (nearer || !KP_EXEC_FAR) {
			release((uintptr_t)mem, len >> PAGE_SHIFT);
			mem = nearer;
		}
	}
	return seal(out, mem, len);
}

int kp_host_exec_alloc(struct kp_exec *out, uintptr_t near, size_t len,
		       bool own)
{
	if (!own && KP_DIRECT_EXEC && !kp_direct_alloc(out, near, len))
		return 0;
	if (!own && has_module_area())
		return from_module_area(out, near, len);
	return from_pool(out, len);
}

/*
 * Only where the kernel expects executable memory to be (on x86 the modules' area), and where KASAN, which is told by the allocator, has its shadow.
 */
int kp_host_exec_alloc_in(struct kp_exec *out, uintptr_t low, uintptr_t high,
			  size_t len)
{
	uintptr_t end = high < KP_EXEC_END ? (high + 1) & PAGE_MASK : KP_EXEC_END;

	low = PAGE_ALIGN(max_t(uintptr_t, low, KP_EXEC_LOW));
	len = PAGE_ALIGN(len);
	if (low >= end || end - low < len || !has_module_area() ||
	    !kp_hidden.vmalloc_range ||
	    (IS_ENABLED(CONFIG_KASAN) && !IS_ENABLED(CONFIG_KASAN_VMALLOC)))
		return -ENOMEM;
	return seal(out, area_between(low, end, len), len) &&
	       from_pool_between(out, low, end, len) ? -ENOMEM : 0;
}

void kp_host_exec_free(const struct kp_exec *exec)
{
	if (KP_DIRECT_EXEC && kp_is_direct(exec->base)) {
		kp_direct_free(exec);
		return;
	}
	if (exec->base - (uintptr_t)kp_exec_pool >= POOL_LEN) {
		release(exec->base, exec->len >> PAGE_SHIFT);
		return;
	}
	if (exec->base + exec->len == (uintptr_t)kp_exec_pool + pool_used)
		pool_used -= exec->len;
	else if (exec->base == (uintptr_t)kp_exec_pool + POOL_LEN - pool_top)
		pool_top -= exec->len;
	if (!--pool_regions)
		pool_used = pool_top = 0;
}

/* It goes with the module. */
int kp_host_exec_drop(uintptr_t addr, size_t len)
{
	(void)addr;
	(void)len;
	return -EOPNOTSUPP;
}

int kp_host_exec_write_later(uintptr_t addr, const void *src, size_t len)
{
	return kp_text_alias_write(addr, src, len);
}

/* What was there before may still be what some core would execute. */
int kp_host_exec_commit(void)
{
	if (KP_EXEC_WANTS_SYNC)
		kp_host_sync_cores();
	return 0;
}

int kp_host_exec_write(uintptr_t addr, const void *src, size_t len)
{
	int err = kp_host_exec_write_later(addr, src, len);

	return err ? err : kp_host_exec_commit();
}
