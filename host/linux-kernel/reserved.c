// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * reserved.c - text that other code patches, reads or owns.
 *
 * Owns: the sorted list of the core kernel's jump-label and static-call sites, of
 * its checks of indirect calls (kCFI) and of the tracer's entries, made once when the
 * engine starts (looking through the kernel's own table costs millions of instructions
 * a question).  A module's tables are short and are looked through when asked.
 *
 * A kernel whose table of names has only functions (KALLSYMS_ALL=n) does not say where
 * its tables of sites lie: then its own functions look through them, at each question.
 *
 * Not listed: alternatives, which are applied before anybody can register a
 * probe.  Lock prefixes are the exception, on a kernel that was started with
 * one CPU: they are patched when a second one comes.
 *
 * And what the kernel's own Kprobes has said of one function: of a part of another
 * (name.part.0) it looks up the whole one's name, on kernels before 6.2 among all
 * names, and who walks through a function asks for each instruction.
 *
 * The list needs no lock: written before the engine starts.  Modules are held as
 * text.c says.  Where the kernel's functions are asked, its lock of jump labels is taken
 * inside the registry lock.  said_lock is taken last.
 */
#include <linux/cpumask.h>
#include <linux/jump_label.h>
#include <linux/mutex.h>
#include <linux/sort.h>
#include <linux/static_call_types.h>
#include "local.h"

struct site {
	uintptr_t addr;
	unsigned int len;
	const char *why;
};

static struct site *sites;
static size_t sites_nr;
/* Each time: they are not in the list. */
static bool ask_jumps, ask_calls, ask_checks;
static bool lock_prefixes_change;
static uintptr_t tramps_start, tramps_end;

#define JUMP_LABEL "a jump label: the kernel patches these bytes"
#define STATIC_CALL "a static call: the kernel patches these bytes"
#define CHECK "a check of an indirect call (kCFI): when it fails, the kernel reads these bytes"
#define TRACER "the tracer's entry: the kernel patches it, and copies it"

/* What ftrace patches and makes trampolines of; without an end, one instruction. */
static const char *const tracer[][2] = { KP_TRACER_PARTS };

static bool overlaps(uintptr_t addr, size_t len, uintptr_t site, size_t site_len)
{
	return addr < site + site_len && site < addr + len;
}

/* ---- jump labels and static calls ---------------------------------------- */

static unsigned int jump_len(uintptr_t addr)
{
	uint8_t now[2] = { 0 };

	if (kp_host_text_read(now, addr, sizeof(now)))
		return KP_JUMP_LABEL_MAX;
	return kp_jump_label_len(now);
}

static void add_site(uintptr_t addr, unsigned int len, const char *why)
{
	if (kp_text_is_core(addr)) {
		sites[sites_nr].addr = addr;
		sites[sites_nr].len = len;
		sites[sites_nr].why = why;
		sites_nr++;
	}
}

static int by_addr(const void *a, const void *b)
{
	const struct site *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static void add_tracer(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tracer); i++) {
		uintptr_t start = kp_symbols_find(tracer[i][0]);
		uintptr_t end = tracer[i][1] ? kp_symbols_find(tracer[i][1]) :
					       start + KP_CALL_SITE_LEN;

		if (start && end > start)
			add_site(start, end - start, TRACER);
	}
}

static void list_jumps(struct jump_entry *jump, const struct jump_entry *end)
{
#ifdef CONFIG_JUMP_LABEL
	for (; jump < end; jump++)
		add_site(jump_entry_code(jump), jump_len(jump_entry_code(jump)),
			 JUMP_LABEL);
#endif
}

static uintptr_t check_of(const int32_t *trap)
{
	return (uintptr_t)trap + *trap - KP_CHECK_TRAP;
}

/* The table between these symbols; without it *ask is set, if can_ask. */
static int find_table(const char *start_name, const char *end_name,
		      bool can_ask, void **start, void **end, bool *ask)
{
	*start = (void *)kp_symbols_find(start_name);
	*end = (void *)kp_symbols_find(end_name);
	if (*start && *end)
		return 0;
	*start = *end = NULL;
	*ask = can_ask;
	if (can_ask)
		return 0;
	pr_err("kprobes: this kernel's symbol table lacks %s, and the function that looks through that table: what the kernel patches would not be known\n",
	       start_name);
	return -ENOENT;
}

static int list_core_sites(void)
{
	void *jumps = NULL, *jumps_end = NULL, *calls = NULL, *calls_end = NULL;
	void *traps = NULL, *traps_end = NULL;
	struct static_call_site *call;
	const int32_t *trap;
	int err = 0;

	if (IS_ENABLED(CONFIG_JUMP_LABEL))
		err = find_table("__start___jump_table", "__stop___jump_table",
				 kp_hidden.jump_label_in &&
				 kp_hidden.jump_label_lock &&
				 kp_hidden.jump_label_unlock,
				 &jumps, &jumps_end, &ask_jumps);
	if (!err && IS_ENABLED(CONFIG_HAVE_STATIC_CALL_INLINE))
		err = find_table("__start_static_call_sites",
				 "__stop_static_call_sites",
				 kp_hidden.static_call_in, &calls, &calls_end,
				 &ask_calls);
	if (!err && IS_ENABLED(CONFIG_ARCH_USES_CFI_TRAPS))
		err = find_table("__start___kcfi_traps", "__stop___kcfi_traps",
				 kp_hidden.is_cfi_trap, &traps, &traps_end,
				 &ask_checks);
	if (err)
		return err;
	sites = kp_host_alloc(((struct jump_entry *)jumps_end -
			       (struct jump_entry *)jumps +
			       ((struct static_call_site *)calls_end -
				(struct static_call_site *)calls) +
			       ((int32_t *)traps_end - (int32_t *)traps) +
			       ARRAY_SIZE(tracer)) * sizeof(*sites));
	if (!sites)
		return -ENOMEM;
	list_jumps(jumps, jumps_end);
	for (call = calls; call < (struct static_call_site *)calls_end; call++)
		add_site((uintptr_t)&call->addr + call->addr,
			 KP_CALL_SITE_LEN, STATIC_CALL);
	for (trap = traps; trap < (int32_t *)traps_end; trap++)
		add_site(check_of(trap), KP_CHECK_LEN, CHECK);
	add_tracer();
	sort(sites, sites_nr, sizeof(*sites), by_addr, NULL);
	return 0;
}

static bool is_core_jump(void *first, void *last)
{
	bool found;

	kp_kernel_jump_label_lock();
	found = kp_kernel_jump_label_in(first, last);
	kp_kernel_jump_label_unlock();
	return found;
}

static bool is_core_check(uintptr_t addr, size_t len)
{
	uintptr_t trap;

	for (trap = addr - (KP_CHECK_LEN - KP_CHECK_TRAP) + 1;
	     trap < addr + len + KP_CHECK_TRAP; trap++)
		if (kp_kernel_is_cfi_trap(trap))
			return true;
	return false;
}

/* What is not in the list, as the tables' places are not known. */
static const char *asked_site(uintptr_t addr, size_t len)
{
	void *first = (void *)addr, *last = (void *)(addr + len - 1);

	if (ask_jumps && is_core_jump(first, last))
		return JUMP_LABEL;
	if (ask_calls && kp_kernel_static_call_in(first, last))
		return STATIC_CALL;
	return ask_checks && is_core_check(addr, len) ? CHECK : NULL;
}

static const char *core_site(uintptr_t addr, size_t len)
{
	size_t low = 0, high = sites_nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (sites[mid].addr + sites[mid].len <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == sites_nr ||
	    !overlaps(addr, len, sites[low].addr, sites[low].len))
		return asked_site(addr, len);
	return sites[low].why;
}

static bool is_module_jump(uintptr_t addr, size_t len, struct module *mod)
{
#ifdef CONFIG_JUMP_LABEL
	unsigned int j;

	for (j = 0; j < mod->num_jump_entries; j++) {
		uintptr_t at = jump_entry_code(&mod->jump_entries[j]);

		if (overlaps(addr, len, at, KP_JUMP_LABEL_MAX) &&
		    overlaps(addr, len, at, jump_len(at)))
			return true;
	}
#endif
	return false;
}

static bool is_module_call(uintptr_t addr, size_t len, struct module *mod)
{
#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
	int c;

	for (c = 0; c < mod->num_static_call_sites; c++) {
		struct static_call_site *site = &mod->static_call_sites[c];

		if (overlaps(addr, len, (uintptr_t)&site->addr + site->addr,
			     KP_CALL_SITE_LEN))
			return true;
	}
#endif
	return false;
}

static bool is_module_check(uintptr_t addr, size_t len, struct module *mod)
{
#ifdef CONFIG_ARCH_USES_CFI_TRAPS
	const int32_t *trap;

	for (trap = mod->kcfi_traps; trap < mod->kcfi_traps_end; trap++)
		if (overlaps(addr, len, check_of(trap), KP_CHECK_LEN))
			return true;
#endif
	return false;
}

static const char *module_site(uintptr_t addr, size_t len, struct module *mod)
{
	if (is_module_jump(addr, len, mod))
		return JUMP_LABEL;
	if (is_module_call(addr, len, mod))
		return STATIC_CALL;
	return is_module_check(addr, len, mod) ? CHECK : NULL;
}

/* ---- others -------------------------------------------------------------- */

/* A listed trap instruction is data to the kernel's BUG and WARN (K-REG-27). */
static bool is_bug(uintptr_t addr)
{
	uint8_t now[4];

	return !kp_host_text_read(now, addr, sizeof(now)) &&
	       kp_is_bug_insn(now) && kp_hidden.find_bug &&
	       kp_kernel_find_bug(addr);
}

static bool is_lock_prefix(uintptr_t addr)
{
	uint8_t now;

	return lock_prefixes_change && !kp_host_text_read(&now, addr, 1) &&
	       kp_is_lock_prefix(now);
}

/* Who else writes kernel text copies what stands there. */
bool kp_host_jump_is_copied(void)
{
	return true;
}

/* The kernel's own Kprobes: one of its jumps may reach that far. */
bool kp_host_others(uintptr_t addr, size_t len)
{
	uintptr_t at;
	bool found = false;

	if (!kp_hidden.get_kprobe)
		return false;
	preempt_disable();
	for (at = addr + KP_OTHERS_STEP - KP_OTHERS_LEN; at < addr + len && !found;
	     at += KP_OTHERS_STEP)
		found = kp_kernel_get_kprobe((void *)at);
	preempt_enable();
	return found;
}

/* The blacklist is of whole functions and sections. */
static struct {
	uintptr_t start, end;
	bool listed;
} said;
static DEFINE_MUTEX(said_lock);

static bool is_listed(uintptr_t addr)
{
	unsigned long size, offset;
	bool listed;

	if (!kp_kernel_lookup_size_offset(addr, &size, &offset))
		return kp_kernel_within_kprobe_blacklist(addr);
	mutex_lock(&said_lock);
	if (said.start != addr - offset || said.end != said.start + size) {
		said.start = addr - offset;
		said.end = said.start + size;
		said.listed = kp_kernel_within_kprobe_blacklist(addr);
	}
	listed = said.listed;
	mutex_unlock(&said_lock);
	return listed;
}

/* A module comes with entries of its own, and another may come to its place. */
void kp_reserved_forget(void)
{
	mutex_lock(&said_lock);
	said.end = 0;
	mutex_unlock(&said_lock);
}

const char *kp_reserved_blacklisted(uintptr_t addr)
{
	return kp_hidden.within_kprobe_blacklist && is_listed(addr) ?
	       "on the kernel's own Kprobes blacklist" : NULL;
}

const char *kp_reserved_why(uintptr_t addr, size_t len, struct module *mod)
{
	const char *why = mod ? module_site(addr, len, mod) :
				core_site(addr, len);

	if (why)
		return why;
	if (kp_ftrace_site(addr - KP_FTRACE_BEHIND, len + KP_FTRACE_BEHIND))
		return "an ftrace site: the kernel patches it, and cannot be asked to call us";
	if (addr >= tramps_start && addr < tramps_end)
		return "a static call's trampoline: the kernel patches it";
	if (is_bug(addr))
		return "a BUG or WARN instruction";
	if (is_lock_prefix(addr))
		return "a lock prefix: the kernel patches it when CPUs come up";
	why = kp_reserved_blacklisted(addr);
	if (why)
		return why;
	if (kp_host_others(addr, len))
		return "the kernel's own Kprobes has a probe here";
	return NULL;
}

int kp_reserved_start(void)
{
	const bool *uniproc = (bool *)kp_symbols_find("uniproc_patched");

	/* Where the kernel's word for it is not known, with one CPU it may be so. */
	lock_prefixes_change = num_possible_cpus() > 1 &&
			       (uniproc ? *uniproc : num_online_cpus() == 1);
	tramps_start = kp_symbols_find("__static_call_text_start");
	tramps_end = kp_symbols_find("__static_call_text_end");
	return list_core_sites();
}

void kp_reserved_stop(void)
{
	kp_host_free(sites);
	sites = NULL;
	sites_nr = 0;
}
