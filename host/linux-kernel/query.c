// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * query.c - what kernel text is, and whether a probe can be there.
 *
 * Owns: the order of the questions about a place, of which others answer most.
 *
 * A module that a query found stays while the registry lock is held: its
 * unloading waits for that lock in our module notifier (modules.c), and one
 * whose notifier has already run is reported as leaving.
 *
 * Locks: the registry lock is held.
 */
#include <linux/bitfield.h>
#include <linux/uaccess.h>
#include <asm/extable.h>
#include "compat/module_text.h"
#include "local.h"

/* Longer than any function, shorter than the gaps in core text. */
#define FUNCTION_MAX (64 * 1024)

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
