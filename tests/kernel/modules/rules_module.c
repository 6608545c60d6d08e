// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * rules_module.c - probes in a module that comes and goes: K-REG-31, 32, K-MOD.
 *
 * Owns: a probe on kp_victim's function and one on its init code, registered
 * from a module notifier, and checks at each of the victim's states.  The
 * case's script loads, uses and unloads the victim.
 */
#include <linux/module.h>
#include <linux/notifier.h>
#include <kprobes/control.h>
#include "rules.h"

static int work_nr, early_nr, rounds;

static int count(struct kprobe *p, struct pt_regs *regs)
{
	if (p->offset)
		return 0;
	if (strstr(p->symbol_name, "early"))
		early_nr++;
	else
		work_nr++;
	return 0;
}

static struct kprobe work = { .symbol_name = "kp_victim:victim_work",
			      .pre_handler = count };
static struct kprobe again = { .symbol_name = "kp_victim:victim_work",
			       .pre_handler = count };
static struct kprobe early = { .symbol_name = "kp_victim:victim_early",
			       .pre_handler = count };
static unsigned long work_at, early_at;

static int marked_lines;

static void count_marked(void *arg, const char *line, size_t len)
{
	marked_lines += strstr(line, "\tvictim_marked") != NULL;
}

static int marked_listed(void)
{
	marked_lines = 0;
	kprobes_blacklist(count_marked, NULL);
	return marked_lines;
}

/* As early as anybody can: the module is coming, the engine was told. */
static void marks(void)
{
	struct kprobe p = { .symbol_name = "kp_victim:victim_marked" };

	expect_eq("K-BLK-13", "a mark is honoured as soon as there is a module",
		  register_kprobe(&p), -EINVAL);
	expect("K-BLK-13", "the function was found", p.addr);
	expect_eq("K-BLK-06", "and is listed", marked_listed(), 1);
}

static void coming(void)
{
	marks();
	rounds++;
	if (rounds > 1)
		return;
	expect_eq("K-REG-32", "init code of a module that is coming",
		  register_kprobe(&early), 0);
	expect_eq("K-MOD-08", "and its other code", register_kprobe(&work), 0);
	early_at = (unsigned long)early.addr;
	work_at = (unsigned long)work.addr;
}

static void live(void)
{
	if (rounds > 1)
		return;
	expect_eq("K-MOD-08", "init code was hit", early_nr, 1);
	expect("K-MOD-07", "its probe is gone", kprobe_gone(&early));
	expect("K-MOD-07", "the other one is not", !kprobe_gone(&work));
	expect_eq("K-REG-32", "init code of a live module", try_at(early_at),
		  -ENOENT);
}

static void going(void)
{
	expect_eq("K-BLK-06", "a module that goes is listed no more",
		  marked_listed(), 0);
	if (rounds > 1) {
		expect_eq("K-MOD-05", "a new probe at the old address hit",
			  work_nr, 5 + 4);
		return;
	}
	expect_eq("K-MOD-01", "hits before", work_nr, 5);
	expect("K-MOD-01", "the probe is gone", kprobe_gone(&work));
	expect_eq("K-REG-31", "a module that is going", try_at(work_at),
		  -ENOENT);
	expect_eq("K-MOD-03 K-EN-06", "enable of a gone probe", enable_kprobe(&work),
		  -EINVAL);
	expect_eq("K-MOD-03 K-EN-06", "disable of a gone probe", disable_kprobe(&work),
		  0);
}

static int on_victim(struct notifier_block *nb, unsigned long state, void *data)
{
	struct module *mod = data;

	if (strcmp(mod->name, "kp_victim"))
		return NOTIFY_DONE;
	if (state == MODULE_STATE_COMING)
		coming();
	else if (state == MODULE_STATE_LIVE)
		live();
	else if (state == MODULE_STATE_GOING)
		going();
	return NOTIFY_DONE;
}

static struct notifier_block notifier = {
	.notifier_call = on_victim,
	.priority = -1,
};

/* Written by the script: 1 after the victim was loaded a second time. */
static int set_step(const char *text, const struct kernel_param *param)
{
	work_nr = 5;
	expect("K-MOD-04", "reloading does not revive the probe",
	       kprobe_gone(&work));
	expect_eq("K-MOD-05", "a new probe at that place",
		  register_kprobe(&again), 0);
	return 0;
}
static const struct kernel_param_ops step_ops = { .set = set_step };
module_param_cb(step, &step_ops, NULL, 0200);

int module_rules_start(void)
{
	return register_module_notifier(&notifier);
}

void module_rules_stop(void)
{
	unregister_module_notifier(&notifier);
	unregister_kprobe(&early);
	unregister_kprobe(&work);
	expect("K-MOD-03", "a gone probe is unregistered", work.addr != NULL);
	unregister_kprobe(&again);
}
