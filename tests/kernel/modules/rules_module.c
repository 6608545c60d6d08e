// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * rules_module.c - probes in a module that comes and goes: K-REG-31, 32, K-MOD.
 *
 * Owns: probes of all kinds on kp_victim's functions and one on its init code,
 * registered from a module notifier, and checks at each of the victim's states.
 * The case's script loads, uses and unloads the victim:
 *
 *   before "look"   nothing is done to it
 *   1st time        probed as soon as it comes; gone when it goes
 *   until "same"    it is at the address of the first time; then "step"
 *   with "churn"    probed each time it comes, until it goes, or fails to start
 */
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/vmalloc.h>
#include <kprobes/control.h>
#include "rules.h"

static int work_nr, post_nr, early_nr, return_nr, jprobe_nr, rounds;

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

static void count_post(struct kprobe *p, struct pt_regs *regs,
		       unsigned long flags)
{
	post_nr++;
}

static int count_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return_nr++;
	return 0;
}

static void count_jprobe(long n)
{
	jprobe_nr++;
	jprobe_return();
}

static struct kprobe work = { .symbol_name = "kp_victim:victim_work",
			      .pre_handler = count,
			      .post_handler = count_post };
static struct kprobe again = { .symbol_name = "kp_victim:victim_work",
			       .pre_handler = count };
static struct kprobe early = { .symbol_name = "kp_victim:victim_early",
			       .pre_handler = count };
static struct kretprobe returns = { .kp.symbol_name = "kp_victim:victim_work",
				    .handler = count_return };
static struct jprobe jumps = { .kp.symbol_name = "kp_victim:victim_other",
			       .entry = count_jprobe };
static unsigned long work_at, early_at, now_at;
static bool revived;

/* ---- the lists ------------------------------------------------------------- */

#define DIGITS (2 * (int)sizeof(long))	/* of an address */

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

struct search {
	char want[128];
	int at, nr;
};

static void look(void *arg, const char *line, size_t len)
{
	struct search *search = arg;

	search->nr++;
	if (!strncmp(line, search->want, strlen(search->want)))
		search->at = search->nr;
}

/* The number, from 1, of the line that begins with that; or 0. */
static int line_of(struct search *search)
{
	search->at = search->nr = 0;
	kprobes_list(look, search);
	return search->at;
}

static int gone_line(const struct kprobe *p, char letter, const char *tags)
{
	struct search search;

	snprintf(search.want, sizeof(search.want), "%0*lx  %c  0x%lx %s\n",
		 DIGITS, (long)p->addr, letter, (long)p->addr, tags);
	return line_of(&search);
}

static int live_line(const struct kprobe *p, const char *name, const char *tags)
{
	struct search search;

	snprintf(search.want, sizeof(search.want),
		 "%0*lx  k  %s+0x0  kp_victim %s\n", DIGITS, (long)p->addr, name, tags);
	return line_of(&search);
}

/* ---- the first time -------------------------------------------------------- */

/* As early as anybody can: the module is coming, the engine was told. */
static void marks(void)
{
	struct kprobe p = { .symbol_name = "kp_victim:victim_marked" };

	expect_eq("K-BLK-13", "a mark is honoured as soon as there is a module",
		  register_kprobe(&p), -EINVAL);
	expect("K-BLK-13", "the function was found", p.addr);
	expect_eq("K-BLK-06 K-MOD-10", "and is listed", marked_listed(), 1);
}

static void first_coming(void)
{
	expect_eq("K-REG-32", "init code of a module that is coming",
		  register_kprobe(&early), 0);
	expect_eq("K-MOD-08", "and its other code", register_kprobe(&work), 0);
	expect_eq("K-MOD-09", "a return probe", register_kretprobe(&returns), 0);
	expect_eq("K-MOD-09", "a jprobe", register_jprobe(&jumps), 0);
	kprobes_flush();
	expect("K-MOD-08", "they are there before the module runs, as jumps where there are any",
	       live_line(&early, "victim_early", JUMP_TAG) &&
	       live_line(&work, "victim_work", JUMP_TAG));
	if (early.reason || work.reason)
		pr_info("# at %px: %s; at %px: %s\n", early.addr, early.reason,
			work.addr, work.reason);
	early_at = (unsigned long)early.addr;
	work_at = (unsigned long)work.addr;
}

static void first_live(void)
{
	expect_eq("K-MOD-08", "init code was hit", early_nr, 1);
	expect("K-MOD-07", "its probe is gone",
	       kprobe_gone(&early) && gone_line(&early, 'k', "[GONE]"));
	expect("K-MOD-07", "the other ones are not",
	       !kprobe_gone(&work) && !kprobe_gone(&returns.kp) &&
	       !kprobe_gone(&jumps.kp));
	expect_eq("K-REG-32 K-MOD-08", "init code of a live module",
		  try_at(early_at), -ENOENT);
}

static void first_going(void)
{
	expect_eq("K-MOD-01", "hits before", work_nr, 5);
	expect("K-MOD-01", "of all kinds",
	       post_nr == 5 && return_nr == 5 && jprobe_nr == 1);
	expect("K-MOD-01", "the probe is gone", kprobe_gone(&work));
	expect("K-MOD-09", "all kinds are",
	       kprobe_gone(&returns.kp) && kprobe_gone(&jumps.kp));
	expect("K-MOD-02 K-KNB-06", "and listed so",
	       gone_line(&work, 'k', "[GONE]") &&
	       gone_line(&returns.kp, 'r', "[GONE]") &&
	       gone_line(&jumps.kp, 'j', "[GONE]"));
	expect_eq("K-REG-31", "a module that is going", try_at(work_at),
		  -ENOENT);
	expect_eq("K-MOD-03 K-EN-06", "enable of a gone probe", enable_kprobe(&work),
		  -EINVAL);
	expect_eq("K-MOD-03 K-EN-06", "disable of a gone probe", disable_kprobe(&work),
		  0);
	expect("K-MOD-03 K-MOD-09", "of the other kinds",
	       enable_kretprobe(&returns) == -EINVAL &&
	       enable_jprobe(&jumps) == -EINVAL &&
	       !disable_kretprobe(&returns) && !disable_jprobe(&jumps));
	expect("K-KNB-08", "disabled does not show",
	       gone_line(&work, 'k', "[GONE]"));
}

/* ---- it comes again --------------------------------------------------------- */

/* Written by the script while the victim is where it was, and live. */
static int set_step(const char *text, const struct kernel_param *param)
{
	char gone[32];

	snprintf(gone, sizeof(gone), "[GONE]%s", JUMP_TAG);
	expect("K-MOD-04", "reloading does not revive the probe",
	       kprobe_gone(&work) && now_at == work_at);
	expect_eq("K-MOD-04", "nor does enabling", enable_kprobe(&work), -EINVAL);
	/* What was init code, and what was unloaded, is not mapped now, or another's. */
	kprobes_set_enabled(false);
	kprobes_set_enabled(true);
	kprobes_set_optimization(false);
	kprobes_set_optimization(true);
	kprobes_flush();
	expect_eq("K-MOD-05", "a new probe at that place",
		  register_kprobe(&again), 0);
	expect_eq("K-MOD-05", "is where the old one was",
		  (long)again.addr, (long)work.addr);
	expect("K-MOD-05 K-KNB-10", "the old ones are listed next to it",
	       live_line(&again, "victim_work", JUMP_TAG) &&
	       gone_line(&work, 'k', gone) &&
	       gone_line(&work, 'k', gone) -
		       live_line(&again, "victim_work", JUMP_TAG) <= 2);
	kprobes_flush();
	work_nr = post_nr = return_nr = jprobe_nr = 0;
	return 0;
}
static const struct kernel_param_ops step_ops = { .set = set_step };
module_param_cb(step, &step_ops, NULL, 0200);

/* Written after the victim worked once more. */
static int set_revive(const char *text, const struct kernel_param *param)
{
	expect_eq("K-MOD-05", "the new probe is hit", work_nr, 4);
	expect("K-MOD-04 K-MOD-11", "and nothing of the old ones",
	       !post_nr && !return_nr && !jprobe_nr);
	unregister_kprobe(&work);
	expect("K-MOD-03", "a gone probe is unregistered", work.addr);
	expect("K-MOD-03", "the new one is not",
	       live_line(&again, "victim_work", JUMP_TAG));
	work.addr = NULL;
	work.flags = 0;
	expect_eq("K-MOD-06", "registered anew", register_kprobe(&work), 0);
	expect("K-MOD-06", "it lives", !kprobe_gone(&work));
	kprobes_flush();
	work_nr = post_nr = 0;
	revived = true;
	return 0;
}
static const struct kernel_param_ops revive_ops = { .set = set_revive };
module_param_cb(revive, &revive_ops, NULL, 0200);

static void last_going(void)
{
	expect("K-MOD-06", "both were hit", work_nr == 2 * 3 && post_nr == 3);
	expect("K-MOD-01", "all are gone",
	       kprobe_gone(&work) && kprobe_gone(&again));
	revived = false;
}

/* Where is it this time? */
static int get_same(char *text, const struct kernel_param *param)
{
	return sprintf(text, "%d\n", now_at == work_at);
}
static const struct kernel_param_ops same_ops = { .get = get_same };
module_param_cb(same, &same_ops, NULL, 0400);

/* Written by the script: addresses of modules that went may be given out again. */
static int set_free(const char *text, const struct kernel_param *param)
{
	vm_unmap_aliases();
	return 0;
}
static const struct kernel_param_ops free_ops = { .set = set_free };
module_param_cb(free, &free_ops, NULL, 0200);

/* ---- again and again --------------------------------------------------------- */

static bool churn;
module_param(churn, bool, 0600);

static struct kprobe churned[2] = {
	{ .symbol_name = "kp_victim:victim_work", .pre_handler = count },
	{ .symbol_name = "kp_victim:victim_early", .pre_handler = count },
};
static int churn_errs, churn_rounds, churn_lives;

static void churn_coming(void)
{
	int i;

	for (i = 0; i < 2; i++) {
		unregister_kprobe(&churned[i]);
		churned[i].addr = NULL;
		churned[i].flags = 0;
		churn_errs += register_kprobe(&churned[i]) != 0;
	}
	if (!churn_rounds++)
		work_nr = early_nr = 0;
	if (churn_rounds % 2)
		kprobes_flush();
}

static void churn_going(void)
{
	churn_errs += !kprobe_gone(&churned[0]) || !kprobe_gone(&churned[1]);
}

/* ---- states -------------------------------------------------------------------- */

static void coming(void)
{
	struct kprobe p = { .symbol_name = "kp_victim:victim_work",
			    .flags = KPROBE_FLAG_DISABLED };

	if (churn) {
		churn_coming();
		return;
	}
	marks();
	if (!rounds++)
		first_coming();
	if (!register_kprobe(&p))
		unregister_kprobe(&p);
	now_at = (unsigned long)p.addr;
}

static void going(void)
{
	if (churn) {
		churn_going();
		return;
	}
	expect_eq("K-BLK-06 K-MOD-10", "a module that goes is listed no more",
		  marked_listed(), 0);
	if (rounds == 1)
		first_going();
	else if (revived)
		last_going();
}

static bool look_at_it;
module_param_named(look, look_at_it, bool, 0200);

static int on_victim(struct notifier_block *nb, unsigned long state, void *data)
{
	struct module *mod = data;

	if (strcmp(mod->name, "kp_victim") || !look_at_it)
		return NOTIFY_DONE;
	if (state == MODULE_STATE_COMING)
		coming();
	else if (state == MODULE_STATE_LIVE && churn)
		churn_lives++;
	else if (state == MODULE_STATE_LIVE && rounds == 1)
		first_live();
	else if (state == MODULE_STATE_GOING)
		going();
	return NOTIFY_DONE;
}

static struct notifier_block notifier = {
	.notifier_call = on_victim,
	.priority = -1,
};

int module_rules_start(void)
{
	return register_module_notifier(&notifier);
}

void module_rules_stop(void)
{
	unregister_module_notifier(&notifier);
	if (churn_rounds) {
		expect_eq("K-MOD-01", "modules come and go while the knob turns",
			  churn_errs, 0);
		expect_eq("K-MOD-01", "no hit was lost", work_nr,
			  3 * churn_lives);
		expect("K-MOD-07", "some failed to start",
		       churn_lives && churn_lives < churn_rounds);
		expect_eq("K-MOD-08", "nor one of init code", early_nr,
			  churn_rounds);
	}
	unregister_kprobes((struct kprobe *[]){ &early, &work, &again,
						&churned[0], &churned[1] }, 5);
	unregister_kretprobe(&returns);
	unregister_jprobe(&jumps);
	if (rounds)
		expect("K-MOD-03", "gone probes are unregistered", work.addr);
}
