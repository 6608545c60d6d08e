// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * selftest.c - finding out what works on this machine, while the module is loaded.
 *
 * Owns: functions of the engine that are probed for a moment, and the reaction if their probes
 * are not hit on some path.  A probe of each type, with and without post_handler, is hit once on
 * each path:
 *
 *   breakpoint  ARCH/trap.c's; without it the module does not load
 *   short way   ARCH/short.c's; without it all take the long one
 *   jump        without it probes stay on the breakpoint
 *   tracer      without it probes at ftrace sites are refused
 *
 * A return probe or jprobe that fails on the breakpoint is refused from then on.  If it fails on
 * another path, that path is turned off.
 *
 * The first part runs before the host has breakpoints of its own (fault.c), which could not work
 * without it. A trap that nobody handles is an oops, here as at the first probe.
 *
 * No locks: nobody else can use the engine yet.
 */
#include <linux/kprobes.h>
#include <kprobes/control.h>
#include "local.h"

static bool selftest = true;
module_param(selftest, bool, 0400);
MODULE_PARM_DESC(selftest, "try each kind of probe before the module is loaded (1)");

/* What they are called with; they return one more. */
#define ARGUMENT 0x5a110000

/* Long enough for a jump, with no instruction that needs anything special. */
#define TRIAL(name)							\
	".balign 16\n"							\
	".type " name ", %function\n"					\
	name ":\n"							\
	KP_ASM_NO_TARGET						\
	KP_ASM_TRIAL							\
	".size " name ", . - " name "\n"
asm(".pushsection .text\n"
    TRIAL("kp_trial_trap")
    TRIAL("kp_trial_return")
    TRIAL("kp_trial_look")
    TRIAL("kp_trial_short")
    TRIAL("kp_trial_jump")
    ".popsection\n");
long kp_trial_trap(long n);
long kp_trial_return(long n);
long kp_trial_look(long n);
long kp_trial_short(long n);
long kp_trial_jump(long n);

enum trial { TRAP, RETURN, LOOK, SHORT, JUMP, TRACED };

static void *const functions[] = {
	[TRAP] = kp_trial_trap, [RETURN] = kp_trial_return,
	[LOOK] = kp_trial_look, [SHORT] = kp_trial_short,
	[JUMP] = kp_trial_jump, [TRACED] = kp_trial_traced,
};

/* Called by name: an indirect call's target would have a landing pad. */
static long call(enum trial trial)
{
	switch (trial) {
	case TRAP:
		return kp_trial_trap(ARGUMENT);
	case RETURN:
		return kp_trial_return(ARGUMENT);
	case LOOK:
		return kp_trial_look(ARGUMENT);
	case SHORT:
		return kp_trial_short(ARGUMENT);
	case JUMP:
		return kp_trial_jump(ARGUMENT);
	default:
		return kp_trial_traced(ARGUMENT);
	}
}

/* ---- hits ------------------------------------------------------------------ */

/* Of the trial that runs. */
static enum trial now;
static uintptr_t start;		/* of its function; none: 0 */
static size_t len;
static unsigned int hits, posts;
static bool strayed;		/* another way, or with other registers */

bool kp_selftest_probes(uintptr_t addr)
{
	return start && addr - start < len;
}

static bool on_its_way(const struct pt_regs *regs)
{
	bool trapped = now != JUMP && now != TRACED;

	return kp_in_trap() == trapped && (now != SHORT || kp_short_took(regs));
}

static int on_hit(struct kprobe *p, struct pt_regs *regs)
{
	hits++;
	strayed |= kp_first_argument(regs) != ARGUMENT || !on_its_way(regs);
	if (now == TRAP)
		kp_frames_learn(regs);
	return 0;
}

static void after_hit(struct kprobe *p, struct pt_regs *regs,
		      unsigned long flags)
{
	posts++;
	strayed |= kp_first_argument(regs) != ARGUMENT;
}

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	hits++;
	strayed |= regs_return_value(regs) != ARGUMENT + 1;
	return 0;
}

static long on_call(long n)
{
	hits++;
	strayed |= n != ARGUMENT;
	jprobe_return();
	return 0;
}

/* ---- one probe, one call ----------------------------------------------------- */

/* NULL, or what is wrong; posts_nr: of them there should be. */
static const char *try_call(unsigned int posts_nr)
{
	long result;

	hits = posts = 0;
	strayed = false;
	kprobes_flush();
	result = call(now);
	if (!hits)
		return "no hit arrives";
	if (hits != 1 || posts != posts_nr || strayed)
		return "a hit arrives in another way than it should";
	return result == ARGUMENT + 1 ? NULL : "the probed function goes wrong";
}

/* Who has switched ftrace off may switch it on again: then nothing is known. */
static const char *refusal(const struct kprobe *p, int err)
{
	if (now == TRACED && err == -EBUSY)
		return NULL;
	return p->reason ? p->reason : "the probe is refused";
}

static const char *try_kprobe(bool post)
{
	struct kprobe p = { .addr = functions[now], .pre_handler = on_hit,
			    .post_handler = post ? after_hit : NULL };
	const char *why;
	int err = register_kprobe(&p);

	if (err)
		return refusal(&p, err);
	why = try_call(post);
	unregister_kprobe(&p);
	return why;
}

static const char *try_kretprobe(void)
{
	struct kretprobe rp = { .kp.addr = functions[now],
				.handler = on_return };
	const char *why;
	int err = register_kretprobe(&rp);

	if (err)
		return refusal(&rp.kp, err);
	why = try_call(0);
	unregister_kretprobe(&rp);
	return why;
}

static const char *try_jprobe(void)
{
	struct jprobe jp = { .kp.addr = functions[now], .entry = on_call };
	const char *why;
	int err = register_jprobe(&jp);

	if (err)
		return refusal(&jp.kp, err);
	why = try_call(0);
	unregister_jprobe(&jp);
	return why;
}

/* ---- a way ------------------------------------------------------------------- */

static const char *returns_off, *jprobes_off;	/* why; NULL: they work */

static void begin(enum trial trial)
{
	now = trial;
	if (kp_host_bounds((uintptr_t)functions[trial], &start, &len))
		start = 0;
}

/* Nothing of the trial is left in its text. */
static void end(void)
{
	kprobes_flush();
	start = 0;
}

static const char *try_kprobes(enum trial trial)
{
	const char *why;

	begin(trial);
	why = try_kprobe(false);
	why = why ? why : try_kprobe(true);
	end();
	return why;
}

/* All types that there are. */
static const char *try_way(enum trial trial)
{
	const char *why = try_kprobes(trial);

	begin(trial);
	if (!why && !returns_off)
		why = try_kretprobe();
	if (!why && !jprobes_off)
		why = try_jprobe();
	end();
	return why;
}

static void say(const char *what, const char *why)
{
	if (why)
		pr_warn("kprobes: self-test: %s: %s\n", what, why);
}

int kp_selftest_start(void)
{
	const char *why;

	if (!selftest)
		return 0;
	why = try_kprobes(TRAP);
	say("breakpoints do not work here, the module is not loaded", why);
	if (why)
		return -EIO;
	say("to unload may take long", kp_frames_learnt() ? NULL : "a trap leaves another frame than it should");
	begin(RETURN);
	why = try_kretprobe();
	end();
	returns_off = why;
	say("return probes are refused", why);
	begin(LOOK);
	why = try_jprobe();
	end();
	jprobes_off = why;
	say("jprobes are refused", why);
	return 0;
}

void kp_selftest_short(void)
{
	const char *why;

	if (!selftest || !kp_short_usable())
		return;
	why = try_way(SHORT);
	say("breakpoints take the long way", why);
	if (why)
		kp_short_stop();
}

void kp_selftest_jumps(void)
{
	const char *why;

	if (!selftest || !KP_ARCH_JUMPS)
		return;
	why = try_way(JUMP);
	say("jumps are off", why);
	if (why)
		kp_core_set_optimization(false);
}

void kp_selftest_tracer(void)
{
	const char *why;

	if (!selftest || !kp_ftrace_usable())
		return;
	why = try_way(TRACED);
	say("probes at ftrace sites are refused", why);
	if (why)
		kp_ftrace_forgo();
}

const char *kp_selftest_returns_off(void)
{
	return returns_off;
}

const char *kp_selftest_jprobes_off(void)
{
	return jprobes_off;
}
