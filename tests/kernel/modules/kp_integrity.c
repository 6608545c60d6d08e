// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * kp_integrity.c - a large consumer, in the shape of a checker of the kernel's integrity.
 *
 * Owns: return probes on what changes a task's rights, on what loads, traces and executes, and
 * on what patches the kernel's text; a table of tasks, which their handlers keep; sums of the
 * kernel's text, which the handlers of text patching, a timer and a work item form again.
 *
 * It uses nothing but the documented API, so it is also built for the kernel's own Kprobes.
 *
 * lock: how handlers take their locks.
 *
 *   irq     interrupts off
 *   plain   interrupts as they are: a hit in an interrupt may meet the lock's own holder
 *   held    as irq, and the lock of the sums from the entry of a function that patches text
 *           to its return, while that waits for the other CPUs
 *
 * Only the first is right: docs/kernel.md says why.  The others show what becomes of it.
 *
 * Locks: tasks_lock[], then text_lock.
 */
#include <linux/cred.h>
#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

static char *lock = "irq";
module_param(lock, charp, 0400);
static ulong etext;
module_param(etext, ulong, 0400);

/* ---- the functions -------------------------------------------------------- */

/* P: they patch text.  The names of all versions and processors; some are nowhere. */
#define P "!"
static const char *const names[] = {
	/* execution */
	"security_bprm_check", "security_bprm_committing_creds", "security_bprm_committed_creds",
	"begin_new_exec", "setup_new_exec", "finalize_exec", "bprm_execve", "load_elf_binary",
	"cap_bprm_creds_from_file", "would_dump", "set_mm_exe_file",
	/* tracing */
	"ptrace_attach", "ptrace_may_access", "__ptrace_may_access", "__ptrace_link", "__ptrace_unlink",
	"security_ptrace_access_check", "security_ptrace_traceme", "ptrace_request", "arch_ptrace",
	"ptrace_notify", "access_process_vm",
	/* modules */
	"load_module", "do_init_module", "free_module", "module_finalize", "layout_and_allocate",
	"security_kernel_load_data", "security_kernel_read_file", "security_kernel_post_read_file",
	/* keys */
	"key_alloc", "key_create_or_update", "security_key_alloc", "key_task_permission", "key_reject_and_link",
	"request_key_and_link", "join_session_keyring", "install_session_keyring_to_cred",
	/* rights */
	"prepare_creds", "commit_creds", "abort_creds", "override_creds", "revert_creds",
	"prepare_kernel_cred", "copy_creds", "exit_creds", "__put_cred", "set_groups",
	"security_prepare_creds", "security_task_fix_setuid", "cap_task_fix_setuid", "create_user_ns",
	"__sys_setuid", "__sys_setresuid", "__sys_setgid", "__sys_setresgid", "ksys_unshare",
	"capable", "ns_capable", "has_capability_noaudit", "cap_capable", "security_capable", "cap_capset",
	/* a task's life */
	"wake_up_new_task", "do_exit", "do_group_exit", "release_task", "exit_mm_release", "acct_collect",
	/* filters and helpers */
	"__secure_computing", "seccomp_filter_release", "prctl_set_seccomp", "get_seccomp_filter",
	"call_usermodehelper_setup", "call_usermodehelper_exec", "call_usermodehelper_exec_async", "__request_module",
	/* paths, which are often gone */
	"may_open", "generic_permission", "security_file_open",
	/* text */
	P "text_poke", P "text_poke_bp", P "text_poke_bp_batch", P "text_poke_queue", P "text_poke_finish",
	P "arch_jump_label_transform", P "arch_jump_label_transform_queue", P "arch_jump_label_transform_apply",
	P "jump_label_update", P "__static_call_update", P "arch_static_call_transform",
	P "arch_ftrace_update_code", P "ftrace_modify_all_code", P "ftrace_make_call", P "ftrace_make_nop",
	P "ftrace_update_ftrace_func", P "aarch64_insn_patch_text_nosync", P "aarch64_insn_write",
	P "patch_text", P "patch_text_nosync", P "__patch_text_real", P "static_key_slow_inc", P "static_key_slow_dec",
	P "static_key_enable", P "static_key_disable",
};

static struct watched {
	struct kretprobe rp;		/* first: found by its kprobe */
	bool patches, registered;
	atomic_t entered, returned;
} watched[ARRAY_SIZE(names)];

/* ---- tasks ---------------------------------------------------------------- */

#define BUCKETS		64
#define TASKS		4096
static struct known {
	struct task_struct *task;
	int pid;
	unsigned int uid, euid;
	unsigned long seen;
} tasks[TASKS];
static spinlock_t tasks_lock[BUCKETS];
static atomic_t forgotten;

static bool plain, held;

static void take(spinlock_t *on, unsigned long *flags)
{
	if (plain)
		spin_lock(on);
	else
		spin_lock_irqsave(on, *flags);
}

static void leave(spinlock_t *on, unsigned long flags)
{
	if (plain)
		spin_unlock(on);
	else
		spin_unlock_irqrestore(on, flags);
}

static void see_task(void)
{
	struct known *known = &tasks[current->pid % TASKS];
	spinlock_t *on = &tasks_lock[current->pid % BUCKETS];
	unsigned long flags;

	take(on, &flags);
	if (known->task != current || known->pid != current->pid) {
		if (known->task)
			atomic_inc(&forgotten);
		*known = (struct known){ .task = current, .pid = current->pid };
	}
	known->uid = from_kuid(&init_user_ns, current_uid());
	known->euid = from_kuid(&init_user_ns, current_euid());
	known->seen++;
	leave(on, flags);
}

/* ---- text ----------------------------------------------------------------- */

#define BLOCK		4096
static unsigned long text, blocks, next_block;
static u64 *sums;
static spinlock_t text_lock;
static struct task_struct *text_owner;
static int text_depth;
static atomic_t summed, changed;

/* Under text_lock. */
static void sum_block(unsigned long block)
{
	const u64 *word = (const u64 *)(text + block * BLOCK);
	u64 sum = 0xcbf29ce484222325;
	int i;

	for (i = 0; i < BLOCK / sizeof(*word); i++)
		sum = (sum ^ READ_ONCE(word[i])) * 0x100000001b3;
	if (sums[block] && sums[block] != sum)
		atomic_inc(&changed);
	sums[block] = sum;
	atomic_inc(&summed);
}

static void sum_next(int nr)
{
	while (nr--) {
		sum_block(next_block);
		next_block = (next_block + 1) % blocks;
	}
}

/* A handler. */
static void sum_some(int nr)
{
	unsigned long flags;

	take(&text_lock, &flags);
	sum_next(nr);
	leave(&text_lock, flags);
}

static void sum_around(unsigned long addr)
{
	unsigned long flags;

	if (addr - text >= blocks * BLOCK)
		return;
	take(&text_lock, &flags);
	sum_block((addr - text) / BLOCK);
	leave(&text_lock, flags);
}

static void hold_text(void)
{
	if (READ_ONCE(text_owner) != current) {
		spin_lock(&text_lock);
		WRITE_ONCE(text_owner, current);
	}
	text_depth++;
}

static void release_text(void)
{
	if (READ_ONCE(text_owner) != current || --text_depth)
		return;
	WRITE_ONCE(text_owner, NULL);
	spin_unlock(&text_lock);
}

/* ---- handlers ------------------------------------------------------------- */

struct call {
	struct task_struct *task;
	unsigned int euid;
};

static struct watched *watched_of(struct kretprobe_instance *ri)
{
	return container_of(get_kretprobe(ri), struct watched, rp);
}

static int on_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct call *call = (struct call *)ri->data;
	struct watched *w = watched_of(ri);

	atomic_inc(&w->entered);
	*call = (struct call){ current, from_kuid(&init_user_ns, current_euid()) };
	see_task();
	if (held && w->patches)
		hold_text();
	else
		sum_some(1);
	return 0;
}

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct call *call = (struct call *)ri->data;
	struct watched *w = watched_of(ri);

	atomic_inc(&w->returned);
	if (call->task != current)
		pr_info("KP-TEST not ok K-RET-01 integrity: %s returns in the task that called it\n",
			w->rp.kp.symbol_name);
	see_task();
	if (held && w->patches)
		release_text();
	else
		sum_around((unsigned long)w->rp.kp.addr);
	return 0;
}

/* ---- from time to time ---------------------------------------------------- */

static void on_timer(struct timer_list *timer);
static DEFINE_TIMER(timer, on_timer);

static void on_timer(struct timer_list *unused)
{
	unsigned long flags;

	if (spin_trylock_irqsave(&text_lock, flags)) {
		sum_next(4);
		spin_unlock_irqrestore(&text_lock, flags);
	}
	mod_timer(&timer, jiffies + 1 + HZ / 50);
}

static void on_work(struct work_struct *work);
static DECLARE_DELAYED_WORK(work, on_work);

static void on_work(struct work_struct *unused)
{
	unsigned long i, flags;

	for (i = 0; i < blocks; i += 16) {
		spin_lock_irqsave(&text_lock, flags);
		sum_next(16);
		spin_unlock_irqrestore(&text_lock, flags);
		cond_resched();
	}
	schedule_delayed_work(&work, HZ / 4);
}

/* ---- starting and ending -------------------------------------------------- */

/* Also a failed registration tells. */
static unsigned long where_is(const char *name)
{
	struct kprobe p = { .symbol_name = name };

	if (!register_kprobe(&p))
		unregister_kprobe(&p);
	return (unsigned long)p.addr;
}

static void end_all(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(watched); i++)
		if (watched[i].registered)
			unregister_kretprobe(&watched[i].rp);
	timer_delete_sync(&timer);
	cancel_delayed_work_sync(&work);
	kvfree(sums);
}

static int __init integrity_init(void)
{
	int i, registered = 0;

	plain = !strcmp(lock, "plain");
	held = !strcmp(lock, "held");
	for (i = 0; i < BUCKETS; i++)
		spin_lock_init(&tasks_lock[i]);
	spin_lock_init(&text_lock);
	text = PAGE_ALIGN(where_is("_stext"));
	if (!etext || text >= etext)
		return -EINVAL;
	blocks = (etext - text) / BLOCK;
	sums = kvcalloc(blocks, sizeof(*sums), GFP_KERNEL);
	if (!sums)
		return -ENOMEM;
	for (i = 0; i < ARRAY_SIZE(watched); i++) {
		struct watched *w = &watched[i];

		w->patches = names[i][0] == *P;
		w->rp.kp.symbol_name = names[i] + w->patches;
		w->rp.entry_handler = on_entry;
		w->rp.handler = on_return;
		w->rp.data_size = sizeof(struct call);
		w->rp.maxactive = 40;
		w->registered = !register_kretprobe(&w->rp);
		registered += w->registered;
	}
	mod_timer(&timer, jiffies + 1);
	schedule_delayed_work(&work, 1);
	pr_info("integrity: # %d of %zu functions, %lu blocks of text, lock=%s\n", registered,
		ARRAY_SIZE(watched), blocks, lock);
	return 0;
}

static void __exit integrity_exit(void)
{
	int i, hit = 0;
	long entered = 0, returned = 0, missed = 0;

	end_all();
	for (i = 0; i < ARRAY_SIZE(watched); i++) {
		hit += atomic_read(&watched[i].entered) > 0;
		entered += atomic_read(&watched[i].entered);
		returned += atomic_read(&watched[i].returned);
		missed += watched[i].rp.nmissed;
	}
	pr_info("integrity: # %d functions hit: %ld calls, %ld returns, %ld missed; %d sums, %d differ\n",
		hit, entered, returned, missed, atomic_read(&summed), atomic_read(&changed));
	pr_info("KP-TEST %s K-RET-01 integrity: its functions are called and return\n",
		hit > 20 && returned && returned <= entered ? "ok" : "not ok");
}

module_init(integrity_init);
module_exit(integrity_exit);
MODULE_DESCRIPTION("Kprobes tests: a large consumer");
MODULE_LICENSE("Dual BSD/GPL");
