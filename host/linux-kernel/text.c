// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * text.c - reading, writing and judging kernel text.
 *
 * Owns: the writable aliases of text pages, which exist only inside a write.
 *
 * Text itself stays read-only and executable all the time: a second mapping of
 * the same pages is written; but where it can be written as it is (KP_TEXT_IN_PLACE).  A
 * breakpoint is one store, so other CPUs see the old or the new text; where the processor
 * wants more than that, they wait (alone.h).
 *
 * A module that a query found stays while the registry lock is held: its
 * unloading waits for that lock in our module notifier (modules.c), and one
 * whose notifier has already run is reported as leaving.
 *
 * Locks: text lock, then the kernel's own text_mutex where it was found, so
 * that our writes and the kernel's patching do not interleave; between them what alone.h
 * takes.
 */
#include <linux/bitfield.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <asm/extable.h>
#include "alone.h"
#include "compat/module_text.h"
#include "local.h"

/* Patches written through one mapping. */
#define CHUNK 64
/* Longer than any function, shorter than the gaps in core text. */
#define FUNCTION_MAX (64 * 1024)

/* ---- reading ------------------------------------------------------------- */

static uintptr_t lowest;		/* kp_lowest() */

/* Else each read that is none is a fault like any other. */
#ifndef kp_may_be_memory
#define kp_may_be_memory(addr) true
#endif

KP_TRAP_PATH static bool in_kernel_half(uintptr_t addr, size_t len)
{
	return addr >= lowest && addr + len >= addr && kp_may_be_memory(addr) &&
	       (!len || kp_may_be_memory(addr + len - 1));
}

KP_TRAP_PATH static int read_nofault(void *dst, uintptr_t addr, size_t len)
{
	if (!in_kernel_half(addr, len) ||
	    copy_from_kernel_nofault(dst, (void *)addr, len))
		return -EFAULT;
	return 0;
}

KP_TRAP_PATH int kp_host_text_read(void *dst, uintptr_t addr, size_t len)
{
	return read_nofault(dst, addr, len);
}

/*
 * What hits read and write are words of the stack: these without the kernel's
 * functions, which cost more than the rest of an emulated call.
 */
#ifdef __get_kernel_nofault
KP_TRAP_PATH static int read_word(unsigned long *dst, uintptr_t addr)
{
	unsigned long value;

	pagefault_disable();
	__get_kernel_nofault(&value, (unsigned long *)addr, unsigned long, failed);
	pagefault_enable();
	*dst = value;
	return 0;

failed:
	pagefault_enable();
	return -EFAULT;
}

KP_TRAP_PATH static int write_word(uintptr_t addr, const unsigned long *src)
{
	pagefault_disable();
	__put_kernel_nofault((unsigned long *)addr, src, unsigned long, failed);
	pagefault_enable();
	return 0;

failed:
	pagefault_enable();
	return -EFAULT;
}
#define HAVE_WORDS true
#else
#define HAVE_WORDS false
#define read_word(dst, addr) -EFAULT
#define write_word(addr, src) -EFAULT
#endif

/* Such memory is there. */
KP_TRAP_PATH static bool on_own_stack(uintptr_t addr, size_t len)
{
	uintptr_t off = addr - (uintptr_t)task_stack_page(get_current());

	return off < THREAD_SIZE && len <= THREAD_SIZE - off;
}

/* The stack of a jprobe's function. */
KP_TRAP_PATH static int read_many(void *dst, uintptr_t addr, size_t len)
{
	size_t words = len / sizeof(unsigned long);

	if (len % sizeof(unsigned long) || !on_own_stack(addr, len))
		return read_nofault(dst, addr, len);
	kp_copy_words(dst, addr, words);
	return 0;
}

KP_TRAP_PATH int kp_host_data_read(uintptr_t addr, void *dst, size_t len)
{
	if (HAVE_WORDS && len == sizeof(unsigned long) && in_kernel_half(addr, len))
		return read_word(dst, addr);
	return read_many(dst, addr, len);
}

/* Asked for vector registers only, which handlers here have none of. */
bool kp_host_constant(uintptr_t addr, size_t len)
{
	return false;
}

KP_TRAP_PATH int kp_host_data_write(uintptr_t addr, const void *src, size_t len)
{
	if (HAVE_WORDS && len == sizeof(unsigned long) && in_kernel_half(addr, len))
		return write_word(addr, src);
	if (!in_kernel_half(addr, len) || !kp_hidden.copy_to_nofault)
		return -EFAULT;
	return kp_kernel_copy_to_nofault((void *)addr, src, len) ? -EFAULT : 0;
}

int kp_host_str_read(char *dst, const char *src, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++) {
		if (read_nofault(dst + i, (uintptr_t)(src + i), 1))
			return -EFAULT;
		if (!dst[i])
			return 0;
	}
	return -E2BIG;
}

/* ---- writing ------------------------------------------------------------- */

/* Guarded by the text lock, or by the registry lock for slots. */
static DEFINE_MUTEX(alias_lock);
static struct page *pages[2 * CHUNK];

bool kp_text_is_core(uintptr_t addr)
{
	return addr >= kp_hidden.text_start && addr < kp_hidden.text_end;
}

static struct page *page_of(uintptr_t addr)
{
	if (kp_text_is_core(addr) || kp_is_direct(addr))
		return kp_core_page(addr);
	if (is_vmalloc_addr((void *)addr) ||
	    (addr >= KP_MODULES_LOW && addr < KP_MODULES_END))
		return vmalloc_to_page((void *)addr);
	return NULL;
}

/* pages[2i] and [2i+1] hold patch i; the second is the first if it fits. */
static int map_patch(const struct kp_text_patch *patch, size_t i)
{
	pages[2 * i] = page_of(patch->addr);
	pages[2 * i + 1] = page_of(patch->addr + patch->len - 1);
	return pages[2 * i] && pages[2 * i + 1] ? 0 : -EFAULT;
}

/*
 * QEMU's emulation with one thread a CPU: a CPU that translates code while
 * another writes it may keep the old code for ever, and then traps on a
 * breakpoint that is gone, or runs past one that is there.  Once all CPUs have
 * been interrupted their translations are known to QEMU, and writing the same
 * bytes again discards them.
 */
static bool write_twice;

struct chunk {
	uint8_t *alias;			/* two pages for each patch */
	const struct kp_text_patch *patches;
	size_t nr;
};

static void write_all(void *arg)
{
	const struct chunk *chunk = arg;
	size_t i;

	for (i = 0; i < chunk->nr; i++) {
		const struct kp_text_patch *patch = &chunk->patches[i];

		if (patch->err)
			continue;
		kp_store_text(KP_TEXT_IN_PLACE ? (uint8_t *)patch->addr :
				      chunk->alias + 2 * i * PAGE_SIZE +
				      offset_in_page(patch->addr),
			      patch->bytes, patch->len);
		kp_text_written(patch->addr, patch->len);
	}
}

static int write_chunk(struct kp_text_patch *patches, size_t nr)
{
	struct chunk chunk = { .patches = patches, .nr = nr };
	size_t i;
	int err = 0;

	for (i = 0; i < nr; i++) {
		patches[i].err = map_patch(&patches[i], i);
		if (patches[i].err) {
			err = err ? err : patches[i].err;
			/* Anything that can be mapped: it is not written. */
			pages[2 * i] = ZERO_PAGE(0);
			pages[2 * i + 1] = ZERO_PAGE(0);
		}
	}
	if (!KP_TEXT_IN_PLACE)
		chunk.alias = vmap(pages, 2 * nr, VM_MAP, PAGE_KERNEL);
	for (i = 0; i < nr && !chunk.alias && !KP_TEXT_IN_PLACE; i++)
		patches[i].err = err = -ENOMEM;
	kp_alone(write_all, &chunk);
	if (write_twice) {
		kp_host_sync_cores();
		kp_alone(write_all, &chunk);
	}
	if (chunk.alias)
		vunmap(chunk.alias);
	return err;
}

/* Text is written here as well as anywhere. */
int kp_host_patching(int (*fn)(void *arg), void *arg)
{
	return fn(arg);
}

int kp_host_text_write(struct kp_text_patch *patches, size_t nr)
{
	int err = 0, one;
	size_t i;

	/* What was stored before, is so before the bytes: pairs with whoever executes them. */
	kp_fence_release();
	mutex_lock(&alias_lock);
	kp_alone_begin();
	if (kp_hidden.text_mutex)
		mutex_lock(kp_hidden.text_mutex);
	for (i = 0; i < nr; i += CHUNK) {
		one = write_chunk(patches + i, min_t(size_t, CHUNK, nr - i));
		err = err ? err : one;
	}
	if (kp_hidden.text_mutex)
		mutex_unlock(kp_hidden.text_mutex);
	kp_alone_end();
	mutex_unlock(&alias_lock);
	return err;
}

void *kp_text_alias(uintptr_t addr, size_t len)
{
	uint8_t *alias = NULL;

	if (KP_TEXT_IN_PLACE)
		return page_of(addr) && page_of(addr + len - 1) ? (void *)addr : NULL;
	mutex_lock(&alias_lock);
	pages[0] = page_of(addr);
	pages[1] = page_of(addr + len - 1);
	if (pages[0] && pages[1])
		alias = vmap(pages, 2, VM_MAP, PAGE_KERNEL);
	mutex_unlock(&alias_lock);
	return alias ? alias + offset_in_page(addr) : NULL;
}

void kp_text_unalias(void *alias)
{
	if (!KP_TEXT_IN_PLACE)
		vunmap((void *)((uintptr_t)alias & PAGE_MASK));
}

/* Slots: nobody executes them, any length within two pages. */
int kp_text_alias_write(uintptr_t addr, const void *src, size_t len)
{
	void *alias = kp_text_alias(addr, len);

	if (!alias)
		return -ENOMEM;
	memcpy(alias, src, len);
	kp_text_written(addr, len);
	kp_text_unalias(alias);
	return 0;
}

bool kp_text_written_twice(void)
{
	return write_twice;
}

/* ---- judging ------------------------------------------------------------- */

static void refuse(struct kp_text_info *out, enum kp_text_kind kind,
		   const char *why)
{
	out->kind = kind;
	out->why = why;
}

/* The module whose text contains addr; NULL when none or no text. */
static struct module *module_of_text(uintptr_t addr)
{
	struct module *mod;

	preempt_disable();
	mod = kp_kernel_module_address(addr);
	preempt_enable();
	if (mod && !kp_text_part_has(kp_module_core(mod), addr) &&
	    !kp_text_part_has(kp_module_init(mod), addr))
		mod = NULL;
	return mod;
}

static void query_module(uintptr_t addr, const struct module *mod,
			 struct kp_text_info *out)
{
	if (!mod)
		refuse(out, KP_TEXT_NONE, "not kernel or module text");
	else if (mod == THIS_MODULE && !kp_selftest_probes(addr))
		refuse(out, KP_TEXT_ENGINE, "the engine itself");
	else if (mod->state != MODULE_STATE_LIVE &&
		 mod->state != MODULE_STATE_COMING)
		refuse(out, KP_TEXT_LEAVING, "its module is being unloaded");
	else if (kp_text_part_has(kp_module_init(mod), addr) &&
		 mod->state != MODULE_STATE_COMING)
		refuse(out, KP_TEXT_LEAVING, "its module's init section is over");
}

/*
 * Core text has gaps of up to 2 MiB that belong to the symbol before them; a
 * walk from that symbol's start would take seconds.
 */
static bool in_gap(uintptr_t addr)
{
	unsigned long size, offset;
	uint8_t now[16];

	if (kp_kernel_lookup_size_offset(addr, &size, &offset) &&
	    offset > FUNCTION_MAX)
		return true;
	return !kp_host_text_read(now, addr, sizeof(now)) && kp_is_gap(now);
}

/* An ftrace site: its first byte can be probed, through ftrace. */
static void query_traced(uintptr_t addr, uintptr_t site, struct kp_text_info *out)
{
	const char *why = kp_reserved_blacklisted(addr);

	if (why)
		refuse(out, KP_TEXT_RESERVED, why);
	else if (addr == site)
		out->kind = KP_TEXT_TRACER;
	else
		refuse(out, KP_TEXT_INNER, "inside an ftrace site");
}

/* The fixup does not only continue elsewhere: it decodes what faulted. */
static bool fixup_decodes(const struct exception_table_entry *entry)
{
#ifdef EX_TYPE_ZEROPAD	/* x86's */
	return FIELD_GET(EX_DATA_TYPE_MASK, entry->data) == EX_TYPE_ZEROPAD;
#else
	return false;
#endif
}

static void query_fixup(uintptr_t addr, struct kp_text_info *out)
{
	const struct exception_table_entry *entry;

	/* Cannot tell: then it has one. */
	if (!kp_hidden.search_extables) {
		out->arch_flags |= KP_ARCH_HAS_FIXUP;
		return;
	}
	entry = kp_kernel_search_extables(addr);
	if (!entry)
		return;
	out->arch_flags |= KP_ARCH_HAS_FIXUP;
	/* load_unaligned_zeropad: it would find our breakpoint, and oops. */
	if (fixup_decodes(entry))
		refuse(out, KP_TEXT_RESERVED,
		       "the kernel decodes this instruction when it faults");
}

void kp_host_text_query(uintptr_t addr, size_t len, struct kp_text_info *out)
{
	struct module *mod = NULL;
	uintptr_t site;
	const char *why;

	out->kind = KP_TEXT_OK;
	out->arch_flags = KP_TEXT_FLAGS;
	out->why = NULL;
	if (!kp_text_is_core(addr)) {
		mod = module_of_text(addr);
		query_module(addr, mod, out);
		if (out->kind != KP_TEXT_OK)
			return;
	} else if (in_gap(addr) && !kp_reserved_why(addr, len, NULL)) {
		/* Jump labels in a row, none of which jumps, look like it where padding is nops. */
		refuse(out, KP_TEXT_NONE, "padding between functions");
		return;
	}
	site = kp_ftrace_usable() ? kp_ftrace_site(addr, len) : 0;
	if (site && site <= addr) {
		query_traced(addr, site, out);
		return;
	}
	why = kp_reserved_why(addr, len, mod);
	if (why)
		refuse(out, kp_ftrace_site(addr, len) ? KP_TEXT_TRACED :
							KP_TEXT_RESERVED, why);
	query_fixup(addr, out);
}

bool kp_host_is_code(uintptr_t addr)
{
	return kp_text_is_core(addr) || module_of_text(addr);
}

void kp_text_start(void)
{
	lowest = kp_lowest();
	write_twice = kp_writes_twice();
}
