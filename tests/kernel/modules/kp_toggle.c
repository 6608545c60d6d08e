// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * kp_toggle.c - probes are switched while the code runs that they are in.
 *
 * Owns: the toggles, and the tasks that run the code meanwhile: three threads,
 * and processes that come in through /proc/kp_toggle, sleep and take signals.
 *
 * Each call knows which hits it must have.  A spot's phase is odd while its
 * probe is being switched; a call that saw the same even phase before and after
 * must have had one hit when the probe was on and none when it was off, and no
 * call may have two.  Code of several shapes: an instruction that is longer than
 * a jump, a shorter one whose neighbours a jump covers, one
 * that calls which sleep return to, a branch; and a way into the middle of a jump.
 *
 * Functions of the kernel that signals and sleeping go through are switched as
 * well; of those only the text is checked.
 *
 * Loading the module runs the test .
 */
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/objtool.h>
#include <linux/proc_fs.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/wait.h>
#include <kprobes/control.h>
#include "room.h"
#include "rules.h"
#include "snapshot.h"
#include "toggle.h"

static long lazy = 20000;		/* switches that may leave the text alone */
module_param(lazy, long, 0400);
static long textual = 2000;		/* changes of text */
module_param(textual, long, 0400);

#ifndef TOGGLE_JUMPS
#define TOGGLE_JUMPS 1			/* probes become jumps */
#endif

#define THREADS	3
#define COPIES	8
#define COPY_LEN 128

/* ---- the code ------------------------------------------------------------- */

/*
 * COPIES times the same; each is called as fn(task, sleep) and gives task + 3,
 * where sleep(task) does, too.
 */
asm(".pushsection .text\n.balign 16\n" ROOM_BEFORE
    ".type toggle_code, %function\n"
    "toggle_code:\n"
    ".rept " __stringify(COPIES) "\n"
    TOGGLE_CODE
    ".endr\n"
    ".size toggle_code, . - toggle_code\n.popsection\n");
extern u8 toggle_code[];
/* Code that nobody calls by name. */
STACK_FRAME_NON_STANDARD(toggle_code);

struct task {
	int hits[2], posts[2];		/* of this call: the spot, the inner spot */
	unsigned long calls, interrupted;
};
typedef long (*sleep_fn)(struct task *task);

/* ---- the probes ----------------------------------------------------------- */

struct spot {
	struct kprobe kp;
	int inner;			/* its place in hits */
	unsigned int phase;		/* & 3: 0 off, 2 on, else neither */
};

enum { AT_WIDE, AT_SPREAD, AT_REST, AT_BRANCH, AT_INNER, SPOTS_EACH };
static const unsigned int spot_at[SPOTS_EACH] = {
	WIDE, SPREAD, REST_AT, BRANCH_AT, INNER
};
#define SPOTS	(COPIES * SPOTS_EACH)
#define OUTER	(COPIES * AT_INNER)	/* those before are no inner ones */
static struct spot spots[SPOTS];

/* The kernel's own; one call of each is on somebody's way all the time. */
static const char *const others[] = {
	"get_signal", "hrtimer_nanosleep", "do_nanosleep", "schedule",
	"schedule_timeout", "vfs_read", "ksys_read", "proc_reg_read",
	"dequeue_signal", "__send_signal_locked", "try_to_wake_up",
	"finish_wait",
};
static struct kprobe other[3 * ARRAY_SIZE(others)];
static unsigned int others_nr;

static atomic64_t wrong, doubled, lost, spurious, bad_post;
static unsigned long toggles, text_changes, failed;

static struct task *task_of(struct kprobe *kp, struct pt_regs *regs)
{
	bool rests = ((u8 *)kp->addr - toggle_code) % COPY_LEN == REST_AT;

	return (struct task *)TOGGLE_TASK(regs, rests);
}

static int on_pre(struct kprobe *kp, struct pt_regs *regs)
{
	task_of(kp, regs)->hits[container_of(kp, struct spot, kp)->inner]++;
	return 0;
}

static void on_post(struct kprobe *kp, struct pt_regs *regs, unsigned long flags)
{
	task_of(kp, regs)->posts[container_of(kp, struct spot, kp)->inner]++;
}

static int on_other(struct kprobe *kp, struct pt_regs *regs)
{
	return 0;
}

static struct spot *spot_of(unsigned int copy, unsigned int kind)
{
	return &spots[kind == AT_INNER ? OUTER + copy :
					 copy * AT_INNER + kind];
}

/* The struct as before its first registration. */
static void fill(unsigned int copy, unsigned int kind)
{
	struct spot *spot = spot_of(copy, kind);

	memset(&spot->kp, 0, sizeof(spot->kp));
	spot->kp.addr = (void *)(toggle_code + copy * COPY_LEN + spot_at[kind]);
	spot->kp.pre_handler = on_pre;
	spot->kp.post_handler = copy % 2 ? on_post : NULL;
}

static void move(struct spot *spot)
{
	smp_store_release(&spot->phase, spot->phase + 1);
}

/* ---- calls ---------------------------------------------------------------- */

/* passes: the call executes the probed instruction; posts: and that is told. */
static void judge(const struct spot *spot, const struct task *task,
		  unsigned int before, bool passes, bool posts)
{
	int hits = task->hits[spot->inner];

	if (hits > 1)
		atomic64_inc(&doubled);
	/* Pairs with move(). */
	smp_rmb();
	if (READ_ONCE(spot->phase) != before || before & 1)
		return;
	if (passes && before & 2 && !hits)
		atomic64_inc(&lost);
	if ((!passes || !(before & 2)) && hits)
		atomic64_inc(&spurious);
	if (posts && task->posts[spot->inner] != hits)
		atomic64_inc(&bad_post);
}

/* One call of what starts at offset at, with the spots on its way. */
static void call(struct task *task, unsigned int copy, unsigned int at,
		 unsigned int kind, sleep_fn sleep)
{
	long (*fn)(struct task *, sleep_fn) =
		(void *)(toggle_code + copy * COPY_LEN + at);
	struct spot *outer = spot_of(copy, kind);
	struct spot *inner = spot_of(copy, AT_INNER);
	unsigned int before = smp_load_acquire(&outer->phase);
	unsigned int inner_before = smp_load_acquire(&inner->phase);

	memset(task->hits, 0, sizeof(task->hits));
	memset(task->posts, 0, sizeof(task->posts));
	barrier();
	if (fn(task, sleep) != (long)task + 3)
		atomic64_inc(&wrong);
	barrier();
	judge(outer, task, before, at != MIDDLE, copy % 2);
	if (kind == AT_SPREAD)
		judge(inner, task, inner_before, true, copy % 2);
	task->calls++;
}

static noinline long doze(struct task *task)
{
	usleep_range(50, 100);
	return (long)task + 3;
}

static noinline long stay(struct task *task)
{
	return (long)task + 3;
}

static int worker(void *arg)
{
	struct task *task = arg;
	unsigned int round = 0;

	while (!kthread_should_stop()) {
		unsigned int copy = round % COPIES;

		call(task, copy, WIDE, AT_WIDE, NULL);
		call(task, copy, SPREAD, AT_SPREAD, NULL);
		call(task, copy, MIDDLE, AT_SPREAD, NULL);
		call(task, copy, BRANCH, AT_BRANCH, NULL);
		call(task, copy, REST, AT_REST, round % 32 ? stay : doze);
		if (!(++round % 64))
			cond_resched();
	}
	return 0;
}

/* ---- processes ------------------------------------------------------------ */

static DECLARE_WAIT_QUEUE_HEAD(nothing);
static bool over;

static noinline long rest(struct task *task)
{
	if (wait_event_interruptible_timeout(nothing, READ_ONCE(over),
					     msecs_to_jiffies(20)) < 0)
		task->interrupted++;
	return (long)task + 3;
}

static atomic64_t sleeps, interrupted;

/* A process sleeps here, a signal wakes it. */
static ssize_t on_read(struct file *file, char __user *to, size_t len,
		       loff_t *pos)
{
	struct task task = { .calls = 0 };
	unsigned int copy = current->pid % COPIES;

	if (READ_ONCE(over))
		return 0;
	call(&task, copy, REST, AT_REST, rest);
	call(&task, copy, MIDDLE, AT_SPREAD, NULL);
	atomic64_inc(&sleeps);
	atomic64_add(task.interrupted, &interrupted);
	return task.interrupted ? -EINTR : 1;
}

static const struct proc_ops ops = { .proc_read = on_read };

/* ---- toggles -------------------------------------------------------------- */

static void switch_spot(struct spot *spot, bool on)
{
	move(spot);
	failed += (on ? enable_kprobe(&spot->kp) : disable_kprobe(&spot->kp)) != 0;
	move(spot);
	toggles++;
}

static void lazily(void)
{
	unsigned int i = 0;

	for (toggles = 0; toggles < lazy; i++) {
		struct spot *spot = &spots[i % OUTER];

		switch_spot(spot, false);
		/* Sometimes long enough for the worker to change the text. */
		if (!(i % 1024))
			msleep(30);
		switch_spot(spot, true);
		if (!(i % 256))
			cond_resched();
	}
}

/* How many of the outer spots and others are a jump or breakpoint now? */
static unsigned int changed(void)
{
	unsigned int i, nr = 0;
	kprobe_opcode_t now;

	for (i = 0; i < OUTER + others_nr; i++) {
		struct kprobe *kp = i < OUTER ? &spots[i].kp : &other[i - OUTER];

		nr += !copy_from_kernel_nofault(&now, kp->addr, sizeof(now)) &&
		      now != kp->opcode;
	}
	return nr;
}

static void move_outer(void)
{
	unsigned int i;

	for (i = 0; i < OUTER; i++)
		move(&spots[i]);
}

/* All of them registered, or unregistered, in one batch. */
static void all(bool on)
{
	struct kprobe *list[OUTER + ARRAY_SIZE(other)];
	unsigned int i;

	for (i = 0; i < OUTER; i++) {
		list[i] = &spots[i].kp;
		if (on)
			fill(i / AT_INNER, i % AT_INNER);
	}
	for (i = 0; i < others_nr; i++) {
		list[OUTER + i] = &other[i];
		if (on)
			other[i].flags = 0;
	}
	move_outer();
	if (on)
		failed += register_kprobes(list, OUTER + others_nr) != 0;
	else
		unregister_kprobes(list, OUTER + others_nr);
	move_outer();
	kprobes_flush();
}

/* Original text to jumps and back. */
static void by_registering(void)
{
	unsigned int before = changed();

	all(false);
	text_changes += before - changed();
	msleep(1);
	all(true);
	text_changes += changed();
}

/* The same by switching. */
static void by_switching(void)
{
	unsigned int before = changed(), i;

	for (i = 0; i < OUTER; i++)
		switch_spot(&spots[i], false);
	kprobes_flush();
	text_changes += before - changed();
	for (i = 0; i < OUTER; i++)
		switch_spot(&spots[i], true);
	kprobes_flush();
	text_changes += before - changed();
}

/* A probe under a jump: the jump becomes a breakpoint and a jump again. */
static void by_blocking(void)
{
	struct kprobe *list[COPIES];
	unsigned int copy;

	for (copy = 0; copy < COPIES; copy++) {
		fill(copy, AT_INNER);
		list[copy] = &spot_of(copy, AT_INNER)->kp;
		move(spot_of(copy, AT_INNER));
	}
	failed += register_kprobes(list, COPIES) != 0;
	for (copy = 0; copy < COPIES; copy++)
		move(spot_of(copy, AT_INNER));
	kprobes_flush();
	for (copy = 0; copy < COPIES; copy++)
		move(spot_of(copy, AT_INNER));
	unregister_kprobes(list, COPIES);
	for (copy = 0; copy < COPIES; copy++)
		move(spot_of(copy, AT_INNER));
	kprobes_flush();
	text_changes += 2 * COPIES;
}

/* Jumps to breakpoints and back, for all at once. */
static void by_knob(void)
{
	kprobes_set_optimization(false);
	kprobes_set_optimization(true);
	kprobes_flush();
	text_changes += 2 * OUTER;
}

static void textually(void)
{
	static void (*const ways[])(void) = {
		by_registering, by_switching, by_blocking, by_knob
	};
	unsigned int i;

	for (i = 0; text_changes < textual; i++) {
		ways[i % ARRAY_SIZE(ways)]();
		cond_resched();
	}
}

/* ---- all ------------------------------------------------------------------ */

/* Three places in each function: the boundaries from offset 8 on. */
static void find_others(void)
{
	unsigned int i, found, offset;

	for (i = 0; i < ARRAY_SIZE(others); i++)
		for (found = 0, offset = 8; found < 3 && offset < 80; offset++) {
			struct kprobe *kp = &other[others_nr];

			memset(kp, 0, sizeof(*kp));
			kp->addr = (void *)where_is(others[i]);
			if (!kp->addr)
				break;
			kp->addr = (void *)kp->addr + offset;
			kp->pre_handler = on_other;
			if (register_kprobe(kp))
				continue;
			unregister_kprobe(kp);
			others_nr++;
			found++;
		}
}

/* Of the outer spots. */
static unsigned int jumps_nr(void)
{
	unsigned int i, nr = 0;
	kprobe_opcode_t now;

	for (i = 0; i < OUTER; i++)
		nr += !copy_from_kernel_nofault(&now, spots[i].kp.addr, sizeof(now)) &&
		      now != spots[i].kp.opcode && !TOGGLE_IS_BREAKPOINT(now);
	return nr;
}

static void check_counts(const struct task *tasks)
{
	unsigned long missed = 0, calls = 0;
	unsigned int i;

	for (i = 0; i < THREADS; i++)
		calls += tasks[i].calls;
	for (i = 0; i < SPOTS; i++)
		missed += spots[i].kp.nmissed;
	expect_eq("K-HIT-34", "every result was right", atomic64_read(&wrong), 0);
	expect_eq("K-INV-01", "no hit was lost", atomic64_read(&lost), 0);
	expect_eq("K-INV-01", "no hit came twice", atomic64_read(&doubled), 0);
	expect_eq("K-INV-01", "no hit while switched off",
		  atomic64_read(&spurious), 0);
	expect_eq("K-INV-01", "a post for every pre", atomic64_read(&bad_post), 0);
	expect_eq("K-INV-01", "none was missed", missed, 0);
	expect_eq("K-OPT-02", "no switch failed", failed, 0);
	expect("K-INV-01", "there were calls", calls > 1000);
	expect("K-INV-01", "processes slept", atomic64_read(&sleeps) > 0);
	expect("K-INV-01", "signals woke them", atomic64_read(&interrupted) > 0);
	pr_info("toggle: %ld lazy switches, %lu changes of text, %lu calls, %lld sleeps, %lld interrupted, %u places in the kernel\n",
		lazy, text_changes, calls, (long long)atomic64_read(&sleeps),
		(long long)atomic64_read(&interrupted), others_nr);
}

static void toggle_all(void)
{
	struct task_struct *threads[THREADS];
	static struct task tasks[THREADS];
	struct proc_dir_entry *entry;
	unsigned int i;

	for (i = OUTER; i < SPOTS; i++)
		spots[i].inner = 1;
	entry = proc_create("kp_toggle", 0444, NULL, &ops);
	for (i = 0; i < THREADS; i++)
		threads[i] = kthread_run(worker, &tasks[i], "toggle/%u", i);
	all(true);
	expect_eq("K-OPT-40", "every spot has its jump, where there are any", jumps_nr(),
		  TOGGLE_JUMPS * OUTER);
	lazily();
	textually();
	kprobes_flush();
	expect_eq("K-OPT-54", "and has it in the end", jumps_nr(), TOGGLE_JUMPS * OUTER);
	all(false);
	for (i = 0; i < THREADS; i++)
		kthread_stop(threads[i]);
	WRITE_ONCE(over, true);
	wake_up_all(&nothing);
	proc_remove(entry);
	check_counts(tasks);
}

static int __init toggle_init(void)
{
	unsigned long start = where_is("_stext"), len = etext - start;
	void *before = snapshot(start, len), *after;
	u8 *own = snapshot((unsigned long)toggle_code, COPIES * COPY_LEN);

	find_others();
	toggle_all();
	after = snapshot(start, len);
	expect("K-INV-05", "the text could be read", before && after && own);
	if (before && after && own) {
		expect_eq("K-INV-05", "the kernel's text is as before",
			  differences(start, len, before, after), 0);
		expect_eq("K-INV-05", "the module's text is as before",
			  memcmp(own, toggle_code, COPIES * COPY_LEN), 0);
	}
	vfree(before);
	vfree(after);
	vfree(own);
	return 0;
}

static void __exit toggle_exit(void)
{
}

module_init(toggle_init);
module_exit(toggle_exit);
MODULE_DESCRIPTION("Kprobes tests: switching probes in hot code");
MODULE_LICENSE("Dual BSD/GPL");
