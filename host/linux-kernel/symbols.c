// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * symbols.c - names and addresses.
 *
 * Owns: how the kernel's symbol table is reached, and struct kp_hidden, the
 * only place where functions come from that are not exported to modules.
 *
 * 1. sprint_symbol is exported and tells any address's symbol, offset and size.
 * 2. kallsyms_lookup_name comes from the same source file, so it stands a few
 *    symbols before or after sprint_symbol: walk there.
 * 3. It resolves all other names, once, when the module is loaded.
 *
 * No locks: kp_hidden is written before the engine starts.
 */
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include "local.h"

#define WALK_MAX 2000

struct kp_hidden kp_hidden;

static unsigned long lookup_name_at;
module_param_named(kallsyms_lookup_name, lookup_name_at, ulong, 0400);
MODULE_PARM_DESC(kallsyms_lookup_name, "its address, where it cannot be found");

struct found {
	char text[KSYM_SYMBOL_LEN];	/* cut at the offset: the name */
	unsigned long offset, size;
};

static bool symbol_at(unsigned long addr, struct found *out)
{
	char *plus;

	sprint_symbol(out->text, addr);
	plus = strrchr(out->text, '+');
	if (!plus || sscanf(plus, "+0x%lx/0x%lx", &out->offset, &out->size) != 2)
		return false;
	*plus = 0;
	return out->size > out->offset;
}

/* One direction: away from sprint_symbol until the name appears. */
static unsigned long walk(const char *name, bool up)
{
	unsigned long addr = (unsigned long)sprint_symbol;
	struct found found;
	int i;

	for (i = 0; i < WALK_MAX && symbol_at(addr, &found); i++) {
		addr -= found.offset;
		if (!strcmp(found.text, name))
			return addr;
		if (up)
			addr += found.size;
		else
			addr--;
	}
	return 0;
}

static unsigned long find_lookup_name(void)
{
	unsigned long addr = lookup_name_at;
	struct found found;

	if (!addr)
		addr = walk("kallsyms_lookup_name", true);
	if (!addr)
		addr = walk("kallsyms_lookup_name", false);
	if (!addr || !symbol_at(addr, &found) || found.offset ||
	    strcmp(found.text, "kallsyms_lookup_name"))
		return 0;
	return addr;
}

unsigned long kp_symbols_find(const char *name)
{
	return kp_hidden.lookup_name(name);
}

#define HIDDEN(member, name) { name, offsetof(struct kp_hidden, member) }

static const struct {
	const char *name;
	size_t offset;
} wanted[] = {
	HIDDEN(lookup_size_offset, "kallsyms_lookup_size_offset"),
	HIDDEN(module_alloc, "module_alloc"),
	HIDDEN(vmalloc_range, "__vmalloc_node_range"),
	HIDDEN(vmalloc_range, "__vmalloc_node_range_noprof"),	/* since 6.10 */
	HIDDEN(module_memfree, "module_memfree"),
	HIDDEN(set_memory_ro, "set_memory_ro"),
	HIDDEN(set_memory_rw, "set_memory_rw"),
	HIDDEN(set_memory_x, "set_memory_x"),
	HIDDEN(set_memory_nx, "set_memory_nx"),
	HIDDEN(module_address, "__module_address"),
	HIDDEN(search_extables, "search_exception_tables"),
	HIDDEN(find_bug, "find_bug"),
	HIDDEN(ftrace_location_range, "ftrace_location_range"),
	HIDDEN(free_filter, "ftrace_free_filter"),	/* not exported before 6.1 */
	HIDDEN(rcu_enter, "rcu_nmi_enter"),
	HIDDEN(rcu_exit, "rcu_nmi_exit"),
	HIDDEN(rcu_enter, "ct_nmi_enter"),	/* its name since 5.20 */
	HIDDEN(rcu_exit, "ct_nmi_exit"),
	HIDDEN(get_kprobe, "get_kprobe"),
	HIDDEN(within_kprobe_blacklist, "within_kprobe_blacklist"),
	HIDDEN(fixup_exception, "fixup_exception"),
	HIDDEN(show_value, "kallsyms_show_value"),
	HIDDEN(copy_to_nofault, "copy_to_kernel_nofault"),
	HIDDEN(unpoison_stack, "kasan_unpoison_task_stack_below"),
	HIDDEN(create_counter, "perf_event_create_kernel_counter"),
	HIDDEN(release_counter, "perf_event_release_kernel"),
	HIDDEN(text_mutex, "text_mutex"),
	HIDDEN(modules, "modules"),
	HIDDEN(module_mutex, "module_mutex"),
	HIDDEN(text_start, "_stext"),
	HIDDEN(text_end, "_etext"),
};

int kp_symbols_start(void)
{
	unsigned long at = find_lookup_name();
	size_t i;

	if (!at) {
		pr_err("kprobes: kallsyms_lookup_name was not found; pass its address as parameter kallsyms_lookup_name\n");
		return -ENOENT;
	}
	kp_hidden.lookup_name = (void *)at;
	for (i = 0; i < ARRAY_SIZE(wanted); i++) {
		at = kp_symbols_find(wanted[i].name);
		if (at)
			*(unsigned long *)((char *)&kp_hidden +
					   wanted[i].offset) = at;
	}
	if (!kp_hidden.text_start || !kp_hidden.text_end ||
	    !kp_hidden.lookup_size_offset || !kp_hidden.module_address) {
		pr_err("kprobes: this kernel's symbol table lacks _stext, _etext, kallsyms_lookup_size_offset or __module_address\n");
		return -ENOENT;
	}
	return 0;
}

/* ---- duties -------------------------------------------------------------- */

/* Core symbols win over modules' (K-REG-06); "module:symbol" limits it. */
int kp_host_resolve(const char *name, uintptr_t *addr)
{
	unsigned long found = name[0] ? kp_symbols_find(name) : 0;

	if (!found)
		return -ENOENT;
	*addr = found;
	return 0;
}

int kp_host_bounds(uintptr_t addr, uintptr_t *start, size_t *len)
{
	unsigned long size, offset;

	if (!kp_hidden.lookup_size_offset(addr, &size, &offset))
		return -ENOENT;
	*start = addr - offset;
	*len = size;
	return 0;
}

/* The text looks like "name" or "name [module]"; "0x..." when unknown. */
int kp_host_describe(uintptr_t addr, char *name, size_t name_len, char *owner,
		     size_t owner_len)
{
	char text[KSYM_SYMBOL_LEN];
	unsigned long size, offset;
	char *space, *end;

	if (!kp_hidden.lookup_size_offset(addr, &size, &offset))
		return -ENOENT;
	sprint_symbol_no_offset(text, addr);
	owner[0] = 0;
	space = strstr(text, " [");
	if (space) {
		*space = 0;
		end = strchr(space + 2, ']');
		if (end)
			*end = 0;
		strscpy(owner, space + 2, owner_len);
	}
	strscpy(name, text, name_len);
	return 0;
}

/* kallsyms has no quick way from an address to all its names. */
bool kp_host_names(uintptr_t start, const char *name)
{
	(void)start;
	(void)name;
	return false;
}
