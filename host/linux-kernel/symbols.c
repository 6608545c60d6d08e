// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * symbols.c - names and addresses.
 *
 * Owns: how the kernel's symbol table is reached, and filling struct kp_hidden with what is
 * found there (hidden.c).
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
#include "compat/module_text.h"
#include "local.h"

#define WALK_MAX 2000

static unsigned long lookup_name_at;
module_param_named(kallsyms_lookup_name, lookup_name_at, ulong, 0400);
MODULE_PARM_DESC(kallsyms_lookup_name, "its address, where it cannot be found");

struct symbol {
	char text[KSYM_SYMBOL_LEN];	/* cut at the offset: the name */
	unsigned long offset, size;
};

static bool symbol_at(unsigned long addr, struct symbol *out)
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
	struct symbol found;
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
	struct symbol found;

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
	return kp_kernel_lookup_name(name);
}

#define HIDDEN(member, name) { name, offsetof(struct kp_hidden, member), NULL }
#define FUNCTION(member, name)						\
	{ name, offsetof(struct kp_hidden, member), kp_kernel_##member }

static const struct {
	const char *name;
	size_t offset;
	void *jump;			/* to it; NULL: it is data */
} wanted[] = {
	FUNCTION(lookup_size_offset, "kallsyms_lookup_size_offset"),
	FUNCTION(module_alloc, "module_alloc"),
	FUNCTION(vmalloc_range, "__vmalloc_node_range"),
	FUNCTION(vmalloc_range, "__vmalloc_node_range_noprof"),	/* since 6.10 */
	FUNCTION(module_memfree, "module_memfree"),
	FUNCTION(set_memory_ro, "set_memory_ro"),
	FUNCTION(set_memory_rw, "set_memory_rw"),
	FUNCTION(set_memory_x, "set_memory_x"),
	FUNCTION(set_memory_nx, "set_memory_nx"),
	FUNCTION(module_address, "__module_address"),
	FUNCTION(search_extables, "search_exception_tables"),
	FUNCTION(find_bug, "find_bug"),
	FUNCTION(ftrace_location_range, "ftrace_location_range"),
	FUNCTION(free_filter, "ftrace_free_filter"),	/* not exported before 6.1 */
	FUNCTION(rcu_enter, "rcu_nmi_enter"),
	FUNCTION(rcu_exit, "rcu_nmi_exit"),
	FUNCTION(rcu_enter, "ct_nmi_enter"),	/* its name since 5.20 */
	FUNCTION(rcu_exit, "ct_nmi_exit"),
	FUNCTION(get_kprobe, "get_kprobe"),
	FUNCTION(within_kprobe_blacklist, "within_kprobe_blacklist"),
	FUNCTION(fixup_exception, "fixup_exception"),
	FUNCTION(show_value, "kallsyms_show_value"),
	FUNCTION(copy_to_nofault, "copy_to_kernel_nofault"),
	FUNCTION(unpoison_stack, "kasan_unpoison_task_stack_below"),
	FUNCTION(create_counter, "perf_event_create_kernel_counter"),
	FUNCTION(release_counter, "perf_event_release_kernel"),
	FUNCTION(jump_label_in, "jump_label_text_reserved"),
	FUNCTION(jump_label_lock, "jump_label_lock"),
	FUNCTION(jump_label_unlock, "jump_label_unlock"),
	FUNCTION(static_call_in, "static_call_text_reserved"),
	FUNCTION(is_cfi_trap, "is_cfi_trap"),
	KP_MACHINE_WANTED
	HIDDEN(text_mutex, "text_mutex"),
	HIDDEN(text_start, "_stext"),
	HIDDEN(text_end, "_etext"),
};

static int keep(uintptr_t *member, void *jump, uintptr_t at)
{
	*member = at;
	return jump ? kp_text_write_jump((uintptr_t)jump, at) : 0;
}

int kp_symbols_start(void)
{
	unsigned long at = find_lookup_name();
	size_t i;
	int err;

	if (!at) {
		pr_err("kprobes: kallsyms_lookup_name was not found; pass its address as parameter kallsyms_lookup_name\n");
		return -ENOENT;
	}
	err = keep(&kp_hidden.lookup_name, kp_kernel_lookup_name, at);
	for (i = 0; i < ARRAY_SIZE(wanted) && !err; i++) {
		at = kp_symbols_find(wanted[i].name);
		if (at)
			err = keep((void *)&kp_hidden + wanted[i].offset,
				   wanted[i].jump, at);
	}
	kp_host_sync_cores();
	if (err)
		return err;
	if (!kp_hidden.text_start || !kp_hidden.text_end ||
	    !kp_hidden.lookup_size_offset || !kp_hidden.module_address) {
		pr_err("kprobes: this kernel's symbol table lacks _stext, _etext, kallsyms_lookup_size_offset or __module_address\n");
		return -ENOENT;
	}
	return 0;
}

/* ---- duties -------------------------------------------------------------- */

/* Core symbols win over modules' (K-REG-06); "module:symbol" limits it. */
uintptr_t kp_host_code_at(uintptr_t pointer)
{
	return pointer;
}

int kp_host_resolve(const char *name, uintptr_t *addr)
{
	unsigned long found = name[0] ? kp_symbols_find(name) : 0;

	if (!found)
		return -ENOENT;
	*addr = found;
	return 0;
}

/*
 * What an assembler marks kinds of code with begins so.  Kernels of some versions take it
 * for a function, in a module, at its start or within (riscv64's, 6.1).
 */
static bool is_mark(const char *name)
{
	return name[0] == '$';
}

static bool is_marked(uintptr_t addr)
{
	char text[KSYM_SYMBOL_LEN];

	if (!IS_ENABLED(CONFIG_RISCV) || kp_text_is_core(addr))
		return false;
	sprint_symbol_no_offset(text, addr);
	return is_mark(text);
}

/* The module's symbol that addr belongs to, without marks; false: there is none. */
static bool unmarked(uintptr_t addr, uintptr_t *start, uintptr_t *end, char *name, size_t len)
{
	struct mod_kallsyms *symbols;
	struct module *mod;
	unsigned int i;

	*start = 0;
	preempt_disable();
	mod = kp_kernel_module_address(addr);
	symbols = mod ? rcu_dereference_sched(mod->kallsyms) : NULL;
	for (i = 1; symbols && i < symbols->num_symtab; i++) {
		const char *other = symbols->strtab + symbols->symtab[i].st_name;
		uintptr_t at = symbols->symtab[i].st_value;

		if (!*other || *other == '.' || is_mark(other))
			continue;
		if (at > addr && at < *end)
			*end = at;
		if (at <= addr && at > *start) {
			*start = at;
			strscpy(name, other, len);
		}
	}
	preempt_enable();
	return *start;
}

/* Of the module's text that addr is in. */
static uintptr_t module_end(uintptr_t addr)
{
	struct kp_text_part text = { 0 };
	struct module *mod;

	preempt_disable();
	mod = kp_kernel_module_address(addr);
	if (mod)
		text = kp_text_part_has(kp_module_core(mod), addr) ? kp_module_core(mod) :
								     kp_module_init(mod);
	preempt_enable();
	return text.base + text.len;
}

int kp_host_bounds(uintptr_t addr, uintptr_t *start, size_t *len)
{
	char name[KSYM_SYMBOL_LEN];
	unsigned long size, offset;
	uintptr_t end;

	if (!kp_kernel_lookup_size_offset(addr, &size, &offset))
		return -ENOENT;
	*start = addr - offset;
	*len = size;
	end = addr - offset + size;
	/* Marks within: up to the next that is none. */
	if (is_marked(addr) || is_marked(end)) {
		end = module_end(addr);
		if (unmarked(addr, start, &end, name, sizeof(name)))
			*len = end - *start;
	}
	return 0;
}

/* The text looks like "name" or "name [module]"; "0x..." when unknown. */
int kp_host_describe(uintptr_t addr, char *name, size_t name_len, char *owner,
		     size_t owner_len)
{
	uintptr_t start, next = ~0ul;
	char text[KSYM_SYMBOL_LEN];
	unsigned long size, offset;
	char *space, *end;

	if (!kp_kernel_lookup_size_offset(addr, &size, &offset))
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
	if (!kp_text_is_core(addr) && is_mark(name))
		unmarked(addr, &start, &next, name, name_len);
	return 0;
}

/* kallsyms has no quick way from an address to all its names. */
bool kp_host_names(uintptr_t start, const char *name)
{
	(void)start;
	(void)name;
	return false;
}
