// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * rules_jumps.c - jumps beside what only a kernel has: K-OPT-08, 14, 15, and
 * K-BLK-05.
 *
 * Owns: a load with a fixup behind other instructions, a function that the kernel
 * patches while it has probes, and one of many instructions.
 */
#include <linux/jump_label.h>
#include <linux/module.h>
#include <linux/static_call.h>
#include <linux/uaccess.h>
#include <asm/asm.h>
#include <kprobes/control.h>
#include "rules.h"
#include "targets.h"

/* before: nop, then a load that may fault; its fixup returns 7. */
asm(".pushsection .text\n"
    ".globl before\n.type before, @function\n"
    "before:\n"
    "	nop\n"
    "before_load: mov (%" _ASM_ARG1 "), %" _ASM_AX "\n"
    "	" ASM_RET
    "before_fix: mov $7, %eax\n"
    "	" ASM_RET
    ".size before, . - before\n.popsection\n"
    _ASM_EXTABLE(before_load, before_fix));
long before(long *p);

static int pre_nr;

static int pre(struct kprobe *p, struct pt_regs *regs)
{
	pre_nr++;
	return 0;
}

static u8 byte_at(const void *addr)
{
	u8 byte = 0;

	copy_from_kernel_nofault(&byte, addr, 1);
	return byte;
}

/* No jump moves the load: what faults is the original, or nothing is. */
static void beside_a_fixup(void)
{
	struct kprobe p = { .addr = (void *)before, .pre_handler = pre };
	long good = 42;

	pre_nr = 0;
	expect_eq("K-OPT-08", "registered", register_kprobe(&p), 0);
	kprobes_flush();
	expect("K-OPT-08", "a jump that leaves the load, or a reason",
	       byte_at(p.addr) != 0xcc || p.reason);
	expect_eq("K-OPT-08", "a good load", before(&good), 42);
	expect_eq("K-OPT-08", "a bad one is fixed up", before(KERNEL_HOLE), 7);
	expect_eq("K-OPT-08", "hits", pre_nr, 2);
	unregister_kprobe(&p);
	kprobes_flush();
	expect_eq("K-OPT-08", "and without", before(KERNEL_HOLE), 7);
}

static DEFINE_STATIC_KEY_FALSE(turned);

static long plus_one(long a)
{
	return a + 1;
}

static long plus_two(long a)
{
	return a + 2;
}
DEFINE_STATIC_CALL(changes, plus_one);

static noinline __attribute__((noipa)) long patched(long a)
{
	if (static_branch_unlikely(&turned))
		a *= 3;
	a = static_call(changes)(a) ^ 1;
	if (static_branch_unlikely(&turned))
		a -= 8;
	return a;
}

#define PATCHED_LEN 64

/* The kernel patches the function, and back; all results are right. */
static bool all_ways(void)
{
	bool ok = patched(10) == 10;

	static_branch_enable(&turned);
	ok &= patched(10) == (31 ^ 1) - 8;
	static_call_update(changes, plus_two);
	ok &= patched(10) == (32 ^ 1) - 8;
	static_branch_disable(&turned);
	ok &= patched(10) == (12 ^ 1);
	static_call_update(changes, plus_one);
	return ok && patched(10) == 10;
}

static void beside_patched_sites(void)
{
	int offset, jumps = 0, probes = 0, bad = 0;

	expect("K-OPT-14", "the function without probes", all_ways());
	for (offset = 0; offset < PATCHED_LEN; offset++) {
		struct kprobe p = { .addr = (u8 *)patched + offset };

		if (register_kprobe(&p))
			continue;
		kprobes_flush();
		probes++;
		jumps += byte_at(p.addr) != 0xcc;
		bad += !all_ways();
		unregister_kprobe(&p);
		bad += !all_ways();
	}
	kprobes_flush();
	expect("K-OPT-14", "probes at every instruction that may have one",
	       probes > 2 && jumps > 0);
	expect_eq("K-OPT-14", "the kernel's patches and ours do not meet", bad,
		  0);
	expect("K-OPT-14", "the function afterwards", all_ways());
	pr_info("KP-TEST # %d jumps of %d probes\n", jumps, probes);
}

/* many: 64 times 4 bytes, or 3. */
asm(".pushsection .text\n"
    ".globl many\n.type many, @function\n"
    "many:\n"
    "	.rept 64\n"
    "	lea 1(%" _ASM_ARG1 "), %" _ASM_ARG1 "\n"
    "	.endr\n"
    "	mov %" _ASM_ARG1 ", %" _ASM_AX "\n"
    "	" ASM_RET
    ".size many, . - many\n.popsection\n");
long many(long a);

static int asked;

static int is_asked(struct kprobe *p, struct pt_regs *regs)
{
	if (ARGUMENT_OF(regs) - (unsigned long)many < 256)
		asked++;
	return 0;
}

/*
 * What the kernel's own Kprobes says of a function may cost a look at all names:
 * a jump's plan, which looks at each instruction, does not ask for each.
 */
static void beside_many(void)
{
	struct kprobe own = { .symbol_name = "within_kprobe_blacklist",
			      .pre_handler = is_asked };
	struct kprobe p = { .addr = (void *)many, .pre_handler = pre };

	if (register_kprobe(&own)) {
		skip("K-BLK-05", "a function of many instructions");
		return;
	}
	expect_eq("K-BLK-05", "a function of many instructions",
		  register_kprobe(&p), 0);
	kprobes_flush();
	expect("K-BLK-05", "has a jump", byte_at(p.addr) != 0xcc);
	expect("K-BLK-05", "the kernel is asked of it, and not of each",
	       asked > 0 && asked < 8);
	expect_eq("K-BLK-05", "it works", many(1), 65);
	unregister_kprobe(&p);
	unregister_kprobe(&own);
	pr_info("KP-TEST # the kernel's blacklist was asked %d times\n", asked);
}

static void entry_text(void)
{
	static const char *const names[] = {
		"asm_exc_page_fault",
#ifdef CONFIG_X86_64
		"entry_SYSCALL_64", "error_entry",
#else
		"entry_SYSENTER_32", "handle_exception",
#endif
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		expect_eq("K-OPT-15", names[i], try_at(where_is(names[i])),
			  -EINVAL);
}

void jump_rules(void)
{
	beside_a_fixup();
	beside_many();
	beside_patched_sites();
	entry_text();
}
