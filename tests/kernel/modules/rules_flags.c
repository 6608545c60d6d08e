// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * rules_flags.c - handlers do not run with what the probed code has set, and it
 * finds that again (K-HIT-33, K-RET-34): AC, with which user memory is open, and
 * the direction.
 *
 * Owns: code that has both set, a function that is called and returns so, and
 * probes on it on a breakpoint, through a jump and through ftrace.
 */
#include <linux/module.h>
#include <asm/nospec-branch.h>
#include <kprobes/control.h>
#include "rules.h"

#define AC	X86_EFLAGS_AC
#define DF	X86_EFLAGS_DF

/* open_call(fn, flags, &after): fn() with those flags, too; its result. */
long open_call(long (*fn)(void), unsigned long flags, unsigned long *after);
long open_target(void);
extern const char open_inner[];
asm(".pushsection .text\n"
    ".type open_call, @function\n"
    "open_call:\n"
    "	push %rbx\n	push %rbp\n	push %r12\n"
    "	mov %rdi, %rbx\n	mov %rdx, %rbp\n"
    "	pushf\n	pop %r12\n"
    "	or %r12, %rsi\n"
    "	push %rsi\n	popf\n"
    "	" ANNOTATE_RETPOLINE_SAFE "\n"
    "	call *%rbx\n"
    "	pushf\n	pop (%rbp)\n"
    "	push %r12\n	popf\n"
    "	pop %r12\n	pop %rbp\n	pop %rbx\n"
    "	" ASM_RET
    ".size open_call, . - open_call\n"
    ".type open_target, @function\n"
    "open_target:\n"
    "	mov $20, %eax\n"
    "open_inner:\n"
    "	lea 22(%rax), %eax\n"
    "	" ASM_RET
    ".size open_target, . - open_target\n"
    ".popsection\n");

/* Where the kernel has ftrace, its entry is a site. */
static noinline long open_traced(void)
{
	asm volatile("");
	return 42;
}

static int seen;			/* handlers */
static unsigned long found, regs_had;	/* flags in them, and of them */

static void look(struct pt_regs *regs)
{
	unsigned long flags;

	asm volatile("pushf\n\tpop %0" : "=r"(flags) :: "memory");
	seen++;
	found |= flags & (AC | DF);
	regs_had &= regs->flags;
}

static int pre(struct kprobe *p, struct pt_regs *regs)
{
	look(regs);
	return 0;
}

static void post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	look(regs);
}

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	look(regs);
	return 0;
}

static void call(long (*fn)(void), unsigned long flags, int nr, const char *what)
{
	unsigned long after = 0;
	long result;

	seen = 0;
	found = 0;
	regs_had = flags;
	result = open_call(fn, flags, &after);
	if (result == 42 && seen == nr && !found && regs_had == flags &&
	    (after & (AC | DF)) == flags) {
		pr_info("KP-TEST ok K-HIT-33 flags: %s\n", what);
		return;
	}
	pr_info("KP-TEST not ok K-HIT-33 flags: %s: set %lx, after %lx, in handlers %lx, of regs %lx; %d handlers, result %ld\n",
		what, flags, after & (AC | DF), found, regs_had, seen, result);
}

static void at(const char *what, void *addr, bool jump)
{
	struct kprobe p = { .addr = addr, .pre_handler = pre };
	struct kprobe q = { .addr = addr, .pre_handler = pre,
			    .post_handler = post };
	char text[80];

	kprobes_set_optimization(jump);
	snprintf(text, sizeof(text), "%s, %s", what,
		 jump ? "through a jump" : "on the breakpoint");
	expect_eq("K-HIT-33", "registered", register_kprobe(&p), 0);
	kprobes_flush();
	call(open_target, AC, 1, text);
	call(open_target, AC | DF, 1, text);
	expect_eq("K-HIT-33", "registered", register_kprobe(&q), 0);
	kprobes_flush();
	call(open_target, AC, 3, text);
	call(open_target, DF, 3, text);
	unregister_kprobe(&q);
	unregister_kprobe(&p);
}

static void at_return(long (*fn)(void), const char *what, bool jump,
		      unsigned long flags)
{
	struct kretprobe rp = { .kp.addr = (void *)fn, .handler = on_return,
				.entry_handler = on_return };
	char text[80];

	kprobes_set_optimization(jump);
	snprintf(text, sizeof(text), "%s, %s", what,
		 jump ? "through a jump" : "on the breakpoint");
	expect_eq("K-RET-34", "registered", register_kretprobe(&rp), 0);
	kprobes_flush();
	call(fn, flags, 2, text);
	unregister_kretprobe(&rp);
}

void flag_rules(void)
{
	struct kprobe p = { .addr = (void *)open_traced, .pre_handler = pre };
	int jump;

	for (jump = 0; jump < 2; jump++) {
		at("a function's entry", (void *)open_target, jump);
		at("in a function", (void *)open_inner, jump);
		at_return(open_target, "a return probe", jump, AC);
		at_return(open_target, "a return probe", jump, AC | DF);
		/* ftrace itself is entered with the direction as it is. */
		at_return(open_traced, "a return probe at a traced function",
			  jump, AC);
	}
	expect_eq("K-HIT-33", "registered", register_kprobe(&p), 0);
	kprobes_flush();
	call(open_traced, AC, 1, "a traced function");
	unregister_kprobe(&p);
}
