// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * kp_torture.c - probes come and go at random places of a busy kernel.
 *
 * Owns: three checks while the case's script makes the kernel busy:
 * - exact: threads call a function of ours that carries permanent probes;
 *   calls == hits + nmissed for each of them (K-INV-01); and whatever was hit
 *   meanwhile, in interrupts too, a thread's preemption count, and whether it has
 *   interrupts, is as before (K-JP-05).  Of all others' the scheduler minds it;
 * - safe: probes are registered, switched and unregistered, alone and in
 *   batches, at random instruction starts of hot functions and of all text,
 *   return probes and jprobes at the entries of hot functions;
 * - clean: afterwards the kernel's text is what it was, but for sites that the
 *   kernel itself patches (K-INV-05).
 *
 * The seed decides everything but the interleaving.  Loading the module runs
 * the torture.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/random.h>
#ifdef CONFIG_X86
#include <asm/nospec-branch.h>
#endif
#include <kprobes/control.h>
#include "room.h"
#include "rules.h"
#include "snapshot.h"

static ulong seed = 1;
module_param(seed, ulong, 0400);
static int seconds = 5;
module_param(seconds, int, 0400);
static int anywhere = 30;		/* percent of places in all text */
module_param(anywhere, int, 0400);
static bool hooks = true;		/* at ftrace sites, too */
module_param(hooks, bool, 0400);
static bool mirrored_all;		/* a jprobe at each hot entry, all the time */
module_param(mirrored_all, bool, 0400);
static bool verbose;			/* name each place before it is probed */
module_param(verbose, bool, 0400);

#define PROBES	64
#define BATCH	8
#define WORKERS	2

/* ---- exact --------------------------------------------------------------- */

/* long torture_target(long n): n + 3, over seven instructions. */
#ifdef CONFIG_ARM64
asm(".pushsection .text\n.globl torture_target\n"
    ".type torture_target, %function\n"
    "torture_target:\n"
    "torture_push: stp x29, x30, [sp, #-16]!\n"
    "	mov x29, sp\n"
    "torture_lea: add x0, x0, #3\n"
    "	cmp x0, #0\n"
    "torture_jz: b.eq 1f\n"
    "1:	ldp x29, x30, [sp], #16\n"
    "torture_ret: ret\n"
    ".size torture_target, . - torture_target\n.popsection\n");
#define INSN_ALIGNMENT 4
#define IDLE_HOOK 0x1f, 0x20, 0x03, 0xd5
#elif defined(CONFIG_ARM)
asm(".pushsection .text\n.globl torture_target\n"
    ".type torture_target, %function\n"
    "torture_target:\n"
    "torture_push: push {fp, lr}\n"
    "	mov fp, sp\n"
    "torture_lea: add r0, r0, #3\n"
    "	cmp r0, #0\n"
    "torture_jz: beq 1f\n"
    "1:	pop {fp, lr}\n"
    "torture_ret: bx lr\n"
    ".size torture_target, . - torture_target\n.popsection\n");
#define INSN_ALIGNMENT 4
#define IDLE_HOOK 0x00, 0x40, 0xbd, 0xe8
#elif defined(CONFIG_RISCV)
asm(".pushsection .text\n.globl torture_target\n"
    ".type torture_target, %function\n"
    "torture_target:\n"
    "	addi sp, sp, -16\n"
    "torture_push: sd s0, 8(sp)\n"
    "	mv s0, sp\n"
    "torture_lea: addi a0, a0, 3\n"
    "torture_jz: beqz a0, 1f\n"
    "1:	ld s0, 8(sp)\n"
    "	addi sp, sp, 16\n"
    "torture_ret: ret\n"
    ".size torture_target, . - torture_target\n.popsection\n");
#define INSN_ALIGNMENT 2
#define IDLE_HOOK 0x13, 0x00, 0x00, 0x00
#elif defined(CONFIG_MIPS)
#include "targets.h"
asm(".pushsection .text\n"
    ".set push\n.set noreorder\n"
    T_FUNCTION(torture_target)
    "	" T_ADDI " $29, $29, -32\n"
    "torture_push: " T_STORE " $16, 16($29)\n"
    "	move $16, $29\n"
    "torture_lea: " T_ADDI " $2, $4, 3\n"
    "torture_jz: beqz $2, 1f\n"
    "	nop\n"
    "1:	" T_LOAD " $16, 16($29)\n"
    "	" T_ADDI " $29, $29, 32\n"
    "torture_ret: jr $31\n"
    "	nop\n"
    ".set pop\n"
    T_SIZE(torture_target) ".popsection\n");
#define INSN_ALIGNMENT 4
#define IDLE_HOOK 0x00, 0x00, 0x00, 0x00
#elif defined(CONFIG_X86_32)
asm(".pushsection .text\n.globl torture_target\n"
    ".type torture_target, @function\n"
    "torture_target:\n"
    "torture_push: push %ebp\n"
    "	mov %esp, %ebp\n"
    "torture_lea: lea 3(%eax), %eax\n"
    "	test %eax, %eax\n"
    "torture_jz: jz 1f\n"
    "1:	pop %ebp\n"
    "torture_ret: " ASM_RET
    ".size torture_target, . - torture_target\n.popsection\n");
#define INSN_ALIGNMENT 1
#define IDLE_HOOK 0x3e, 0x8d, 0x74, 0x26, 0x00
#else
#define INSN_ALIGNMENT 1
#define IDLE_HOOK 0x0f, 0x1f, 0x44, 0x00, 0x00
asm(".pushsection .text\n" ROOM_BEFORE ".globl torture_target\n"
    ".type torture_target, @function\n"
    "torture_target:\n"
    "torture_push: push %rbp\n"
    "	mov %rsp, %rbp\n"
    "torture_lea: lea 3(%rdi), %rax\n"
    "	test %rax, %rax\n"
    "torture_jz: jz 1f\n"
    "1:	pop %rbp\n"
    "torture_ret: " ASM_RET
    ".size torture_target, . - torture_target\n.popsection\n");
#endif
long torture_target(long n);
extern kprobe_opcode_t torture_push[], torture_lea[], torture_jz[];

struct counted {
	struct kprobe kp;
	atomic64_t pre, post;
};

static int counted_pre(struct kprobe *p, struct pt_regs *regs)
{
	atomic64_inc(&container_of(p, struct counted, kp)->pre);
	return 0;
}

static void counted_post(struct kprobe *p, struct pt_regs *regs,
			 unsigned long flags)
{
	atomic64_inc(&container_of(p, struct counted, kp)->post);
}

static struct counted exact[] = {
	{ .kp = { .addr = torture_push, .pre_handler = counted_pre } },
	{ .kp = { .addr = torture_lea, .pre_handler = counted_pre,
		  .post_handler = counted_post } },
	{ .kp = { .addr = torture_lea, .pre_handler = counted_pre } },
	{ .kp = { .addr = torture_jz, .pre_handler = counted_pre } },
};

static atomic64_t calls, wrong, target_mirrored;
static atomic_t left_over;

/* Leaves its call in the way of a handler that is abandoned. */
static long on_target(long n)
{
	atomic64_inc(&target_mirrored);
	jprobe_return();
	return n;
}

static struct jprobe target_mirror = {
	.entry = JPROBE_ENTRY(on_target), .kp.symbol_name = "torture_target",
};

/* What is left too much is said and taken back, so that the kernel lives. */
static void check_left_over(int count)
{
	int now = preempt_count();
	bool off = irqs_disabled();

	if (now == count && !off)
		return;
	if (off)
		local_irq_enable();
	__preempt_count_sub(now - count);
	if (atomic_inc_return(&left_over) <= 10)
		pr_warn("torture: preemption count %x, not %x, interrupts %s\n",
			now, count, off ? "off" : "on");
}

static int worker(void *unused)
{
	int count = preempt_count();
	long n = 0;

	while (!kthread_should_stop()) {
		int i;

		for (i = 0; i < 100; i++, n++) {
			if (torture_target(n) != n + 3)
				atomic64_inc(&wrong);
			check_left_over(count);
		}
		atomic64_add(100, &calls);
		/* Leave some of the CPU to those who come and go. */
		usleep_range(50, 200);
		check_left_over(count);
	}
	return 0;
}

/* ---- safe ---------------------------------------------------------------- */

static const char *const hot[] = {
	"vfs_read", "vfs_write", "ksys_read", "new_sync_read", "__alloc_pages",
	"get_page_from_freelist", "free_unref_page", "kmem_cache_alloc",
	"kmem_cache_free", "kfree", "__kmalloc", "handle_mm_fault",
	"__handle_mm_fault", "filemap_map_pages", "do_wp_page", "copy_page_range",
	"unmap_page_range", "exit_mmap", "kernel_clone", "copy_process",
	"wake_up_new_task", "try_to_wake_up", "__schedule", "schedule",
	"pick_next_task_fair", "enqueue_task_fair", "dequeue_task_fair",
	"update_curr", "finish_task_switch.isra.0", "scheduler_tick",
	"hrtimer_interrupt", "tick_sched_timer", "__do_softirq",
	"run_timer_softirq", "rcu_core", "update_process_times", "do_exit",
	"begin_new_exec", "load_elf_binary", "link_path_walk.part.0",
	"path_openat", "do_filp_open", "dput", "lookup_fast", "seq_read_iter",
	"pipe_read", "pipe_write", "copy_page_to_iter", "_copy_to_iter",
	"copy_user_generic_string", "copy_user_enhanced_fast_string",
	"rep_movs_alternative", "clear_user_original", "strncpy_from_user",
	"_copy_from_user", "_copy_to_user", "__get_user_4", "__put_user_4",
	"memcpy_orig", "read_zero", "read_iter_zero", "write_null",
	"sysvec_apic_timer_interrupt", "irq_exit_rcu", "show_stat",
	"default_send_IPI_single_phys", "generic_exec_single",
	/* arm64's, riscv64's, MIPS' */
	"__arch_copy_to_user", "__arch_copy_from_user", "do_page_fault",
	"el0_svc_common.constprop.0", "invoke_syscall", "gic_handle_irq",
	"arch_timer_handler_virt", "clear_page",
	"fallback_scalar_usercopy", "__asm_copy_to_user", "__clear_user", "plic_handle_irq",
	"riscv_timer_interrupt", "handle_mm_fault",
	"c0_compare_interrupt", "plat_irq_dispatch", "do_IRQ", "__raw_copy_from_user",
	"__raw_copy_to_user", "clear_page", "copy_page", "r4k_flush_icache_range",
};

static u64 state;

static u32 next_random(void)
{
	/* splitmix64 */
	u64 z = state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return (z ^ (z >> 31)) >> 16;
}

static unsigned long text_start;
static unsigned long hot_at[ARRAY_SIZE(hot)];
static unsigned int hot_nr;

static unsigned long any_place(void)
{
	if (next_random() % 100 < anywhere || !hot_nr)
		return text_start + next_random() % (etext - text_start);
	return hot_at[next_random() % hot_nr] + next_random() % 300;
}

/* As it is while nobody traces. */
static bool is_hook(unsigned long addr)
{
	static const u8 nop[] = { IDLE_HOOK };

	return IS_ENABLED(CONFIG_DYNAMIC_FTRACE) &&
	       !memcmp((void *)addr, nop, sizeof(nop));
}

static unsigned long place(void)
{
	unsigned long addr;

	do
		addr = any_place() & ~(INSN_ALIGNMENT - 1ul);
	while (!hooks && is_hook(addr));
	return addr;
}

static struct counted probes[PROBES];
static bool registered[PROBES];
static unsigned long tried, accepted, batches, toggles;
static s64 reg_ns, unreg_ns;		/* spent in the two calls */

static void fill(struct counted *c)
{
	memset(&c->kp, 0, sizeof(c->kp));
	c->kp.addr = (kprobe_opcode_t *)place();
	c->kp.pre_handler = counted_pre;
	if (next_random() & 1)
		c->kp.post_handler = counted_post;
	if (verbose)
		pr_info("torture: %pS\n", c->kp.addr);
}

static void one(unsigned int i)
{
	ktime_t start = ktime_get();

	if (registered[i]) {
		unregister_kprobe(&probes[i].kp);
		registered[i] = false;
		unreg_ns += ktime_get() - start;
		return;
	}
	fill(&probes[i]);
	tried++;
	registered[i] = !register_kprobe(&probes[i].kp);
	accepted += registered[i];
	reg_ns += ktime_get() - start;
	if (verbose)
		pr_info("torture: %lld us for %pS: %s\n",
			ktime_to_us(ktime_get() - start), probes[i].kp.addr,
			registered[i] ? "registered" : probes[i].kp.reason);
}

/* All that are registered in the window are unregistered together. */
static void window(unsigned int first)
{
	struct kprobe *kps[BATCH];
	int i, nr = 0;

	for (i = 0; i < BATCH; i++) {
		if (!registered[first + i])
			continue;
		kps[nr++] = &probes[first + i].kp;
		registered[first + i] = false;
	}
	unregister_kprobes(kps, nr);
	batches++;
}

static void toggle(unsigned int i)
{
	if (!registered[i])
		return;
	if (kprobe_disabled(&probes[i].kp))
		enable_kprobe(&probes[i].kp);
	else
		disable_kprobe(&probes[i].kp);
	toggles++;
}

/* ---- safe: return probes and jprobes ---------------------------------------- */

/* Their calls return soon: who sleeps in one keeps the engine loaded. */
static const char *const entered[] = {
	"__alloc_pages", "get_page_from_freelist", "free_unref_page",
	"kmem_cache_alloc", "kmem_cache_free", "kfree", "__kmalloc",
	"handle_mm_fault", "copy_page_range", "unmap_page_range", "exit_mmap",
	"copy_process", "wake_up_new_task", "try_to_wake_up",
	"enqueue_task_fair", "dequeue_task_fair", "update_curr",
	"scheduler_tick", "hrtimer_interrupt", "tick_sched_timer",
	"update_process_times", "rcu_core", "run_timer_softirq",
	"load_elf_binary", "path_openat", "do_filp_open", "dput", "lookup_fast",
	"seq_read_iter", "_copy_to_iter", "strncpy_from_user", "read_zero",
	"write_null", "show_stat",
};

#define OTHERS 12			/* of each kind */

static struct kretprobe returns[OTHERS];
static struct jprobe mirrors[OTHERS];
static bool returns_on[OTHERS], mirrors_on[OTHERS];
static unsigned long others, others_accepted;
static atomic64_t returned, mirrored;

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	atomic64_inc(&returned);
	return 0;
}

static int on_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	*(unsigned long *)ri->data = kernel_stack_pointer(regs);
	return 0;
}

static long mirror(long a, long b, long c)
{
	atomic64_inc(&mirrored);
	jprobe_return();
	return a + b + c;
}

static void switch_return(int i)
{
	if (returns_on[i]) {
		unregister_kretprobe(&returns[i]);
		returns_on[i] = false;
		return;
	}
	returns[i] = (struct kretprobe){
		.kp.symbol_name = entered[next_random() % ARRAY_SIZE(entered)],
		.handler = on_return, .entry_handler = i & 1 ? on_entry : NULL,
		.data_size = sizeof(long), .maxactive = i & 2 ? 4 : 0,
	};
	returns_on[i] = !register_kretprobe(&returns[i]);
	others_accepted += returns_on[i];
	others++;
}

static void switch_mirror(int i)
{
	if (mirrors_on[i]) {
		unregister_jprobe(&mirrors[i]);
		mirrors_on[i] = false;
		return;
	}
	mirrors[i] = (struct jprobe){
		.kp.symbol_name = entered[next_random() % ARRAY_SIZE(entered)],
		.entry = JPROBE_ENTRY(mirror),
	};
	mirrors_on[i] = !register_jprobe(&mirrors[i]);
	others_accepted += mirrors_on[i];
	others++;
}

static struct jprobe hot_mirrors[ARRAY_SIZE(entered)];
static struct jprobe *hot_mirrored[ARRAY_SIZE(entered)];
static int hot_mirrored_nr;

/* In one batch; so first, disabled, whether it is there and may have one. */
static void mirror_all(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(entered); i++) {
		struct jprobe *jp = &hot_mirrors[i];

		jp->kp.symbol_name = entered[i];
		jp->kp.flags = KPROBE_FLAG_DISABLED;
		jp->entry = JPROBE_ENTRY(mirror);
		if (register_jprobe(jp))
			continue;
		unregister_jprobe(jp);
		*jp = (struct jprobe){ .kp.symbol_name = entered[i],
				       .entry = JPROBE_ENTRY(mirror) };
		hot_mirrored[hot_mirrored_nr++] = jp;
	}
	expect("K-JP-21", "there are jprobes at most of the hot entries",
	       hot_mirrored_nr > ARRAY_SIZE(entered) / 2 &&
	       !register_jprobes(hot_mirrored, hot_mirrored_nr));
}

static void no_others(void)
{
	int i;

	for (i = 0; i < OTHERS; i++) {
		if (returns_on[i])
			switch_return(i);
		if (mirrors_on[i])
			switch_mirror(i);
	}
}

static void churn(void)
{
	/* These are at functions' entries. */
	bool entries = hooks || !IS_ENABLED(CONFIG_DYNAMIC_FTRACE);
	unsigned long end;
	int i;

	if (mirrored_all)
		mirror_all();
	end = jiffies + seconds * HZ;
	while (time_before(jiffies, end)) {
		u32 what = next_random() % 100;

		if (what < 2)
			window(next_random() % (PROBES - BATCH));
		else if (what < 12)
			toggle(next_random() % PROBES);
		else if (what < 17 && entries)
			switch_return(next_random() % OTHERS);
		else if (what < 22 && entries)
			switch_mirror(next_random() % OTHERS);
		else
			one(next_random() % PROBES);
		cond_resched();
	}
	for (i = 0; i < PROBES; i += BATCH)
		window(i);
	no_others();
	if (mirrored_all)
		unregister_jprobes(hot_mirrored, hot_mirrored_nr);
	/* Jumps go a little later than probes. */
	kprobes_flush();
}

/* ---- all ----------------------------------------------------------------- */

static void check_exact(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(exact); i++) {
		struct counted *c = &exact[i];

		expect_eq("K-INV-01", "hits + nmissed == calls",
			  atomic64_read(&c->pre) + c->kp.nmissed,
			  atomic64_read(&calls));
		if (c->kp.post_handler)
			expect_eq("K-INV-01", "a post for every pre",
				  atomic64_read(&c->post),
				  atomic64_read(&c->pre));
	}
	expect_eq("K-INV-01", "jprobe hits + nmissed == calls",
		  atomic64_read(&target_mirrored) + target_mirror.kp.nmissed,
		  atomic64_read(&calls));
	expect("K-INV-01", "there were calls", atomic64_read(&calls) > 1000);
	expect_eq("K-JP-05", "no preemption count was lost, nor interrupts",
		  atomic_read(&left_over), 0);
	expect_eq("K-HIT-34", "every result was right",
		  atomic64_read(&wrong), 0);
}

static int prepare(void)
{
	int i;

	state = seed;
	text_start = where_is("_stext");
	for (i = 0; i < ARRAY_SIZE(hot); i++) {
		hot_at[hot_nr] = where_is(hot[i]);
		hot_nr += hot_at[hot_nr] != 0;
	}
	for (i = 0; i < ARRAY_SIZE(exact); i++)
		if (register_kprobe(&exact[i].kp))
			return -EINVAL;
	if (register_jprobe(&target_mirror))
		return -EINVAL;
	return text_start && etext > text_start ? 0 : -ENOENT;
}

static int __init torture_init(void)
{
	struct task_struct *workers[WORKERS];
	void *before = NULL, *after = NULL;
	int i, err = prepare();

	expect_eq("K-INV-07", "the torture is prepared", err, 0);
	if (err)
		return err;
	before = snapshot(text_start, etext - text_start);
	for (i = 0; i < WORKERS; i++)
		workers[i] = kthread_run(worker, NULL, "torture/%d", i);
	churn();
	for (i = 0; i < WORKERS; i++)
		kthread_stop(workers[i]);
	check_exact();
	after = snapshot(text_start, etext - text_start);
	expect("K-INV-05", "the text could be read", before && after);
	if (before && after)
		expect_eq("K-INV-05", "the kernel's text is as before",
			  differences(text_start, etext - text_start,
				      before, after), 0);
	for (i = 0; i < ARRAY_SIZE(exact); i++)
		unregister_kprobe(&exact[i].kp);
	unregister_jprobe(&target_mirror);
	pr_info("torture: seed %lu: %lu of %lu places accepted, %lu batches, %lu toggles, %lld calls, %lld ms registering, %lld ms unregistering\n",
		seed, accepted, tried, batches, toggles,
		(long long)atomic64_read(&calls), ktime_to_ms(reg_ns),
		ktime_to_ms(unreg_ns));
	pr_info("torture: # %lu of %lu return probes and jprobes accepted, %lld returns, %lld mirrored\n",
		others_accepted, others, (long long)atomic64_read(&returned),
		(long long)atomic64_read(&mirrored));
	expect("K-INV-07", "probes were registered",
	       accepted > 0 && (others_accepted > 0 || !others));
	vfree(before);
	vfree(after);
	return 0;
}

static void __exit torture_exit(void)
{
}

module_init(torture_init);
module_exit(torture_exit);
MODULE_DESCRIPTION("Kprobes tests: torture");
MODULE_LICENSE("Dual BSD/GPL");
