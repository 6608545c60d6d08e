// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * rules_patched.c - what a jump must not cover or move: K-OPT-08, 14, K-HIT-35.
 *
 * Owns: functions in which the instruction behind the probed one is the
 * kernel's to patch, or is known to the kernel by its address.  Whatever the
 * engine does with the probe, those bytes stay, the function works, and each
 * call is one hit; where there can be no jump, the probe says why.
 */
#include <linux/jump_label.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/static_call.h>
#include <linux/uaccess.h>
#include <asm/asm.h>
#include <asm/nospec-branch.h>
#include <kprobes/control.h>
#include "rules.h"

DEFINE_STATIC_KEY_FALSE(patched_key);

static noinline __attribute__((noipa)) long plus_one(long a)
{
	return a + 1;
}
DEFINE_STATIC_CALL(patched_call, plus_one);

asm(".pushsection .text\n"
    /* a + 2, or a + 1 when the key is on */
    ".globl by_label\n.type by_label, @function\n"
    "by_label: lea 1(%rdi), %rax\n"
    "5:	.byte 0x0f, 0x1f, 0x44, 0, 0\n"
    "	inc %rax\n"
    "1:	" ASM_RET
    ".size by_label, . - by_label\n"
#ifdef CONFIG_JUMP_LABEL
    ".pushsection __jump_table, \"aw\"\n"
    "	.balign 8\n"
    "	.long 5b - ., 1b - .\n"
    "	.quad patched_key - .\n"
    ".popsection\n"
#endif
    /* a + 1 */
    ".globl by_call\n.type by_call, @function\n"
    "by_call: .byte 0x48, 0x8d, 0x7f, 0\n"
    "	.byte 0x48, 0x8d, 0x7f, 0\n"
    "	call " STATIC_CALL_TRAMP_STR(patched_call) "\n"
    "	" ASM_RET
    ".size by_call, . - by_call\n"
    /* *(long *)(a + 0x80), or 0 where there is none */
    ".globl by_fixup\n.type by_fixup, @function\n"
    "by_fixup: xor %eax, %eax\n"
    "	mov %rdi, %rcx\n"
    "6:	mov 0x80(%rdi), %rax\n"
    "2:	" ASM_RET
    ".size by_fixup, . - by_fixup\n"
    _ASM_EXTABLE(6b, 2b)
    /* fn(a) */
    ".globl by_return\n.type by_return, @function\n"
    "by_return: push %rbx\n"
    "	" ANNOTATE_RETPOLINE_SAFE "\n"
    "	call *%rsi\n"
    "	pop %rbx\n"
    "	" ASM_RET
    ".size by_return, . - by_return\n"
    ".popsection\n");
long by_label(long a);
long by_call(long a);
long by_fixup(long a);
long by_return(long a, long (*fn)(long));
/* No labels: each would be a symbol, where a function ends. */
#define label_at ((kprobe_opcode_t *)by_label + 4)
#define call_at ((kprobe_opcode_t *)by_call + 8)
#define fixup_before ((kprobe_opcode_t *)by_fixup + 2)
#define fixup_at ((kprobe_opcode_t *)by_fixup + 5)
#define return_at ((kprobe_opcode_t *)by_return + 1)

static int pre_nr;

static int pre(struct kprobe *p, struct pt_regs *regs)
{
	pre_nr++;
	return 0;
}

static struct kprobe probe;
static u8 behind[5];

static bool is_jump(const struct kprobe *p)
{
	u8 now;

	return !copy_from_kernel_nofault(&now, p->addr, 1) &&
	       now != p->opcode && now != 0xcc;
}

/* A probe at addr, as fast as it gets; the bytes at special are kept. */
static void begin(const char *what, void *addr, const void *special)
{
	probe = (struct kprobe){ .addr = addr, .pre_handler = pre };
	pre_nr = 0;
	memcpy(behind, special, sizeof(behind));
	expect_eq("K-OPT-02", what, register_kprobe(&probe), 0);
	kprobes_flush();
}

static void refused(const char *why)
{
	expect("K-OPT-14", "there is no jump", !is_jump(&probe));
	if (!probe.reason || !strstr(probe.reason, why))
		pr_info("# the reason is \"%s\"\n", probe.reason);
	expect("K-OPT-14", why, probe.reason && strstr(probe.reason, why));
}

static void end(const void *special, int calls)
{
	expect_eq("K-OPT-14", "each call is a hit", pre_nr, calls);
	expect("K-OPT-14", "what is not ours is as it was",
	       !memcmp(behind, special, sizeof(behind)));
	unregister_kprobe(&probe);
	kprobes_flush();
}

/* The kernel patches right behind a probe, again and again. */
static void label(void)
{
#ifdef CONFIG_JUMP_LABEL
	int i, wrong = 0;

	begin("before a jump label", by_label, label_at);
	refused("must not be changed");
	for (i = 0; i < 10; i++) {
		static_branch_enable(&patched_key);
		wrong += by_label(i) != i + 1;
		static_branch_disable(&patched_key);
		wrong += by_label(i) != i + 2;
	}
	expect_eq("K-OPT-14", "the label is switched beside a probe", wrong, 0);
	end(label_at, 20);
#else
	skip("K-OPT-14", "jump labels");
#endif
}

static void call(void)
{
#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
	begin("before a static call", call_at - 4, call_at);
	refused("must not be changed");
	expect_eq("K-OPT-14", "the static call", by_call(5), 6);
	end(call_at, 1);
#else
	skip("K-OPT-14", "static calls");
#endif
}

static void fixup(void)
{
	long data[17] = { [16] = 77 };

	begin("before an instruction with a fixup", fixup_before, fixup_at);
	refused("must stay where it is");
	expect_eq("K-OPT-08", "it reads", by_fixup((long)data), 77);
	expect_eq("K-OPT-08", "its fixup works", by_fixup(-0x1000), 0);
	end(fixup_at, 2);
	/* Alone under the jump, its copy has a fixup as well. */
	begin("at an instruction with a fixup", fixup_at, fixup_at + 7);
	pr_info("# a fixup: %s\n", is_jump(&probe) ? "a jump" : probe.reason);
	expect_eq("K-OPT-08", "it reads", by_fixup((long)data), 77);
	expect_eq("K-OPT-08", "its fixup works", by_fixup(-0x1000), 0);
	end(fixup_at + 7, 2);
}

static void call_return(void)
{
	begin("before a call that returns near by", by_return, return_at);
	/* Refused, or no room for what is left. */
	expect("K-OPT-14", "a jump or a reason", is_jump(&probe) || probe.reason);
	expect_eq("K-OPT-14", "it is called", by_return(5, plus_one), 6);
	end(return_at, 1);
}

static int unwatched;

static int asks(struct kprobe *p, struct pt_regs *regs)
{
	pre_nr++;
	unwatched += !rcu_is_watching();
	return 0;
}

/* As fast as it gets, and not through ftrace. */
static bool try_idle(unsigned long addr, kprobe_pre_handler_t handler,
		     int *probed, int *blacklisted)
{
	probe = (struct kprobe){ .addr = (void *)addr, .pre_handler = handler };
	pre_nr = 0;
	if (register_kprobe(&probe)) {
		*blacklisted += is_blacklisted(&probe);
		return false;
	}
	++*probed;
	if (!kprobe_ftrace(&probe)) {
		kprobes_flush();
		schedule_timeout_uninterruptible(HZ / 20);
	}
	unregister_kprobe(&probe);
	if (pre_nr)
		pr_info("# idle: %pS: %d hits%s\n", probe.addr, pre_nr,
			probe.reason ? "" : ", a jump");
	kprobes_flush();
	return pre_nr && !probe.nmissed;
}

/* Where RCU does not watch. */
static void idle(void)
{
	static const char *const names[] = {
		"arch_cpu_idle", "default_idle", "mwait_idle", "acpi_idle_do_entry"
	};
	int i, nr = 0, probed = 0, blacklisted = 0;
	unsigned long offset;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		unsigned long start = where_is(names[i]);

		for (offset = 0; start && offset < 16; offset++)
			if (try_idle(start + offset, pre, &probed, &blacklisted))
				nr += try_idle(start + offset, asks, &probed,
					       &blacklisted);
	}
	expect_idle(nr, probed, blacklisted);
	expect_eq("K-HIT-35", "handlers in which RCU does not watch", unwatched, 0);
}

void patched_rules(void)
{
	label();
	call();
	fixup();
	call_return();
	idle();
}
