// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * rules_reserved.c - text that must not be probed: K-REG-25 to 27, K-BLK; and
 * loads whose fixup looks at the text (K-FLT-08).
 *
 * Owns: one function with each kind of patched site.
 */
#include <linux/bitfield.h>
#include <linux/bug.h>
#include <linux/jump_label.h>
#include <linux/module.h>
#include <linux/static_call.h>
#include <asm/extable.h>
#include "rules.h"
#include "targets.h"

static DEFINE_STATIC_KEY_FALSE(some_key);

/* Where these are, of a kernel that has no names of data (guest.sh). */
static unsigned long jump_table_start, jump_table_stop, ex_table_start, ex_table_stop;
module_param(jump_table_start, ulong, 0400);
module_param(jump_table_stop, ulong, 0400);
module_param(ex_table_start, ulong, 0400);
module_param(ex_table_stop, ulong, 0400);

static void *core_table(const char *name, unsigned long known)
{
	return (void *)(known ? known : where_is(name));
}

static long called(long a)
{
	return a + 1;
}
DEFINE_STATIC_CALL(some_call, called);

/* Never true; keeps the WARN reachable for the compiler.  On arm that is a call, and BUG alone
 * is an instruction. */
static noinline __attribute__((noipa)) long patched(long a)
{
	if (IS_ENABLED(CONFIG_ARM))
		BUG_ON(a == 0x12345);
	else
		WARN_ON(a == 0x12345);
	if (static_branch_unlikely(&some_key))
		a *= 3;
	return static_call(some_call)(a) + 1;
}

static noinline __attribute__((noipa)) long marked(long a)
{
	return a ^ 5;
}
NOKPROBE_SYMBOL(marked);

static __kprobes noinline __attribute__((noipa)) long in_section(long a)
{
	return a ^ 6;
}

static noinline __attribute__((noipa)) long plain(long a)
{
	return a ^ 7;
}

static void refused(const char *rule, const char *what, unsigned long addr)
{
	expect_eq(rule, what, try_at(addr), -EINVAL);
}

static void jump_labels(void)
{
#ifdef CONFIG_JUMP_LABEL
	struct jump_entry *own = THIS_MODULE->jump_entries;
	struct jump_entry *core = core_table("__start___jump_table", jump_table_start);
	int i, bad = 0;

	if (!THIS_MODULE->num_jump_entries) {
		expect("K-REG-25", "the test has a jump label", false);
		return;
	}
	refused("K-REG-25", "a module's jump label", jump_entry_code(own));
	refused("K-REG-25", "its inner byte", jump_entry_code(own) + 1);
	for (i = 0; core && i < 50; i++)
		if (!jump_entry_is_init(&core[i]) &&
		    try_at(jump_entry_code(&core[i])) != -EINVAL)
			bad++;
	if (core)
		expect_eq("K-REG-25", "core jump labels", bad, 0);
	else
		skip("K-REG-25", "core jump labels, of which nothing is named");
#else
	skip("K-REG-25", "jump labels");
#endif
}

static void static_calls(void)
{
#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
	struct static_call_site *site = THIS_MODULE->static_call_sites;

	if (!THIS_MODULE->num_static_call_sites) {
		expect("K-REG-26", "the test has a static call", false);
		return;
	}
	refused("K-REG-26", "a static call",
		(unsigned long)&site->addr + site->addr);
	refused("K-REG-26", "its last byte",
		(unsigned long)&site->addr + site->addr + 4);
#else
	skip("K-REG-26", "static calls");
#endif
}

static void bugs(void)
{
#ifdef CONFIG_GENERIC_BUG
	struct bug_entry *bug = THIS_MODULE->bug_table;
#ifdef CONFIG_GENERIC_BUG_RELATIVE_POINTERS
	unsigned long at = (unsigned long)&bug->bug_addr_disp + bug->bug_addr_disp;
#else
	unsigned long at = bug->bug_addr;
#endif

	refused("K-REG-27", "a WARN instruction, or what is one where that is a call", at);
#else
	skip("K-REG-27", "the bug table");
#endif
}

/* The kernel's load_unaligned_zeropad, as it is inlined in many functions. */
static void decoding_fixups(void)
{
#ifdef EX_TYPE_ZEROPAD
	struct exception_table_entry *e =
		core_table("__start___ex_table", ex_table_start);
	struct exception_table_entry *end =
		core_table("__stop___ex_table", ex_table_stop);
	int nr = 0, bad = 0, err;

	for (; e < end && nr < 50; e++) {
		struct kprobe p = { .addr = (void *)&e->insn + e->insn };

		if (FIELD_GET(EX_DATA_TYPE_MASK, e->data) != EX_TYPE_ZEROPAD)
			continue;
		nr++;
		err = register_kprobe(&p);
		if (!err)
			unregister_kprobe(&p);
		if (err != -EINVAL || !p.reason ||
		    !strstr(p.reason, "decodes this instruction")) {
			pr_info("# %pS: %d, %s\n", p.addr, err, p.reason);
			bad++;
		}
	}
	if (!e) {
		skip("K-FLT-08", "where the kernel's table is, nothing says");
		return;
	}
	expect("K-FLT-08", "the kernel has loads that are decoded", nr > 0);
	expect_eq("K-FLT-08", "a load that is decoded when it faults", bad, 0);
#else
	skip("K-FLT-08", "fixups that decode");
#endif
}

/* The kernel makes trampolines of copies of it. */
static void tracer_entry(void)
{
#ifdef CONFIG_DYNAMIC_FTRACE
	static const char *const names[] = {
		"ftrace_caller", "ftrace_call", "ftrace_regs_caller", "ftrace_stub",
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		refused("K-REG-24", names[i], where_is(names[i]));
#else
	skip("K-REG-24", "the tracer's entry");
#endif
}

/* Past an ftrace site, if there is one. */
static unsigned long body(long (*fn)(long))
{
	return (unsigned long)fn + landing_pad((void *)fn) +
	       (IS_ENABLED(CONFIG_DYNAMIC_FTRACE) ? PAST_SITE : 0);
}

static void blacklist(void)
{
	static const char *const names[] = {
		BLACKLISTED, "notify_die", "copy_from_kernel_nofault",
		"kp_register_kprobe", "kp_core_on_trap",
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		struct kprobe p = { .symbol_name = names[i] };

		int err = register_kprobe(&p);

		/* Inlined where this kernel has no such function. */
		if (err == -ENOENT)
			skip("K-BLK-08", names[i]);
		else
			expect_eq("K-BLK-08", names[i], err, -EINVAL);
		if (!err)
			unregister_kprobe(&p);
	}
	expect_eq("K-BLK-07", "a plain function is accepted",
		  try_at(body(plain)), 0);
	refused("K-BLK-07", "NOKPROBE_SYMBOL", body(marked));
	refused("K-BLK-07", "__kprobes", body(in_section));
}

void reserved_rules(void)
{
	expect_eq("K-REG-45", "a refused site still works",
		  patched(1) + marked(1) + in_section(1) + plain(1),
		  3 + 4 + 7 + 6);
	jump_labels();
	static_calls();
	bugs();
	decoding_fixups();
	tracer_entry();
	blacklist();
	expect_eq("K-REG-45", "and so does it afterwards", patched(1), 3);
}
