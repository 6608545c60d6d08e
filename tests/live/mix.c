/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * mix.c - usage: mix [SECONDS [SEED]]
 *
 * Eight threads recurse, throw and longjmp through three functions, and signals
 * interrupt them, while another thread registers, disables, enables and
 * unregisters probes of all kinds on the same functions.  Beside them each
 * function carries two of each kind for good.  At the end every call of each of
 * those is accounted for, and the engine holds as much memory as after the
 * first third.
 */
#include "jumps.h"
#include "memory.h"

#include <setjmp.h>
#include <sys/time.h>
#include <time.h>

#define TARGET __attribute__((noinline, noclone, used))
#define WORKERS 8
#define FUNCTIONS 3
#define EACH 2			/* of each kind on each function, for good */
#define CAP 64
#define ROOM 2000		/* calls at a time, once, before it begins */

int mix_throw(int depth);
int mix_caught(int depth);

static volatile int stop;
static long wrong, churned, refused, interrupted;
static long calls[FUNCTIONS];	/* atomic */

static void add(long *counter, long nr)
{
	__atomic_fetch_add(counter, nr, __ATOMIC_RELAXED);
}

/* ---- the work ------------------------------------------------------------- */

static __thread jmp_buf back;

TARGET static int mix_recurse(int depth)
{
	__asm__ volatile("" ::: "memory");
	if (depth <= 0)
		return 0;
	depth = mix_recurse(depth - 1);
	__asm__ volatile("" ::: "memory");
	return depth + 1;
}

/*
 * Comes back by longjmp when started with 0 or more, else returns from as many
 * calls; so does mix_throw with an exception.
 */
TARGET static int mix_jump(int depth)
{
	__asm__ volatile("" ::: "memory");
	if (depth == -1)
		return 1;
	if (!depth)
		longjmp(back, 1);
	depth = mix_jump(depth < 0 ? depth + 1 : depth - 1);
	__asm__ volatile("" ::: "memory");
	return depth + 1;
}

static bool jumps(int depth)
{
	if (setjmp(back))
		return true;
	mix_jump(depth);
	return false;
}

/* Each function, once as deep as depth and once without an unwinding. */
static bool one_round(int depth)
{
	int result[5] = {
		mix_recurse(depth) - depth, !jumps(depth), mix_jump(-1) - 1,
		mix_caught(depth) - depth - 1, mix_throw(-1) - 1,
	};
	int i;

	add(&calls[0], depth + 1);
	add(&calls[1], depth + 2);
	add(&calls[2], depth + 2);
	for (i = 0; i < 5; i++)
		if (result[i])
			printf("# depth %d: result %d is off by %d\n", depth,
			       i, result[i]);
	return !result[0] && !result[1] && !result[2] && !result[3] &&
	       !result[4];
}

/* All of these return. */
static bool returning_round(int depth)
{
	bool ok = mix_recurse(depth - 1) == depth - 1 &&
		  mix_jump(-depth) == depth && mix_throw(-depth) == depth;
	int f;

	for (f = 0; f < FUNCTIONS; f++)
		add(&calls[f], depth);
	return ok;
}

static void *work(void *arg)
{
	unsigned int seed = (unsigned int)(long)arg;

	while (!stop)
		if (!one_round(rand_r(&seed) % 12))
			add(&wrong, 1);
	return NULL;
}

static void on_alarm(int sig)
{
	(void)sig;
	if (mix_recurse(2) != 2)
		add(&wrong, 1);
	add(&calls[0], 3);
	add(&interrupted, 1);
}

/* ---- the probes that stay ---------------------------------------------------- */

static void *const function[FUNCTIONS] = {
	(void *)mix_recurse, (void *)mix_jump, (void *)mix_throw,
};
static const char *const function_name[FUNCTIONS] = {
	"recursion", "longjmp", "exceptions",
};

struct steady {
	struct kretprobe rp;		/* first: found by its kprobe */
	struct kprobe kp;
	struct jprobe jp;
	long returns, hits, jumps;	/* atomic */
};
static struct steady steady[FUNCTIONS][EACH];

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	(void)regs;
	add(&((struct steady *)(void *)ri->rp)->returns, 1);
	return 0;
}

static int on_hit(struct kprobe *p, struct pt_regs *regs)
{
	(void)regs;
	add((long *)(void *)((char *)p - offsetof(struct steady, kp) +
			     offsetof(struct steady, hits)), 1);
	return 0;
}

/* A jprobe's handler is not told whose it is. */
#define JUMP(f, i)							\
	static TARGET int jump_##f##_##i(int depth)			\
	{								\
		if (depth < -100000 || depth > 100000)			\
			add(&wrong, 1);					\
		add(&steady[f][i].jumps, 1);				\
		jprobe_return();					\
		return 0;						\
	}
JUMP(0, 0) JUMP(0, 1) JUMP(1, 0) JUMP(1, 1) JUMP(2, 0) JUMP(2, 1)

static void *const jump[FUNCTIONS][EACH] = {
	{ (void *)jump_0_0, (void *)jump_0_1 },
	{ (void *)jump_1_0, (void *)jump_1_1 },
	{ (void *)jump_2_0, (void *)jump_2_1 },
};

/* The second return probe of a function has a cap. */
static int register_steady(int f, int i)
{
	struct steady *s = &steady[f][i];

	s->rp.kp.addr = function[f];
	s->rp.handler = on_return;
	s->rp.maxactive = i ? CAP : 0;
	s->rp.data_size = i ? 24 : 0;
	s->kp.addr = function[f];
	s->kp.pre_handler = on_hit;
	s->kp.post_handler = i ? live_post : NULL;
	s->jp.kp.addr = function[f];
	s->jp.entry = jump[f][i];
	return register_kprobe(&s->kp) || register_kretprobe(&s->rp) ||
	       register_jprobe(&s->jp);
}

/* ---- the probes that come and go --------------------------------------------- */

#define SET 8

static int declines(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	(void)ri;
	return regs->sp >> 6 & 1;
}

static int nothing(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	(void)ri;
	(void)regs;
	return 0;
}

static TARGET int jump_away(int depth)
{
	(void)depth;
	jprobe_return();
	return 0;
}

static struct kretprobe rps[SET], *rp_list[SET];
static struct kprobe kps[SET], *kp_list[SET];
static struct jprobe jps[SET], *jp_list[SET];

static void choose(unsigned int *seed)
{
	int i;

	for (i = 0; i < SET; i++) {
		void *fn = function[rand_r(seed) % FUNCTIONS];
		int how = rand_r(seed);

		rps[i] = (struct kretprobe){
			.kp.addr = fn, .handler = how & 1 ? nothing : NULL,
			.entry_handler = how & 2 ? declines : NULL,
			.maxactive = how & 4 ? 0 : how / 8 % 30,
			.data_size = (size_t)(how / 256 % 100),
		};
		kps[i] = (struct kprobe){ .addr = fn, .pre_handler = live_pre };
		if (how & 1)
			kps[i].post_handler = live_post;
		jps[i] = (struct jprobe){ .kp.addr = fn,
					  .entry = (void *)jump_away };
		if (how & 2)
			jps[i].kp.flags = KPROBE_FLAG_DISABLED;
		rp_list[i] = &rps[i];
		kp_list[i] = &kps[i];
		jp_list[i] = &jps[i];
	}
}

static void one_by_one(int nr)
{
	int i;

	for (i = 0; i < nr; i++) {
		unregister_kretprobe(&rps[i]);
		unregister_kprobe(&kps[i]);
		unregister_jprobe(&jps[i]);
	}
}

static void all_at_once(int nr)
{
	unregister_jprobes(jp_list, nr);
	unregister_kretprobes(rp_list, nr);
	unregister_kprobes(kp_list, nr);
}

static void switch_some(int nr, unsigned int *seed)
{
	int i;

	for (i = 0; i < 3 * nr; i++) {
		int which = rand_r(seed) % nr, how = rand_r(seed);

		if (how & 1)
			disable_kretprobe(&rps[which]);
		else
			enable_kretprobe(&rps[which]);
		if (how & 2)
			disable_kprobe(&kps[which]);
		else
			enable_kprobe(&kps[which]);
		if (how & 4)
			disable_jprobe(&jps[which]);
		else
			enable_jprobe(&jps[which]);
	}
}

static void *change(void *arg)
{
	unsigned int seed = (unsigned int)(long)arg;

	while (!stop) {
		int nr = 1 + rand_r(&seed) % SET;

		choose(&seed);
		if (register_kretprobes(rp_list, nr) ||
		    register_kprobes(kp_list, nr) ||
		    register_jprobes(jp_list, nr))
			add(&refused, 1);
		switch_some(nr, &seed);
		if (rand_r(&seed) & 1)
			one_by_one(nr);
		else
			all_at_once(nr);
		add(&churned, 3 * nr);
	}
	return NULL;
}

/* ---- memory -------------------------------------------------------------------- */

static struct memory measure(void)
{
	struct memory m = memory_now();
	int f, i;

	for (f = 0; f < FUNCTIONS; f++)
		for (i = 0; i < EACH; i++)
			m.instances += instances_of(&steady[f][i].rp);
	return m;
}

/* ---- the end ----------------------------------------------------------------------- */

/*
 * An instance of an unwound call is taken back when its pool runs dry.  All
 * threads are gone; run the pools dry: more calls at a time than instances, all
 * of which return.
 */
static void take_back(void)
{
	int depth = 0, f, i;

	for (f = 0; f < FUNCTIONS; f++)
		for (i = 0; i < EACH; i++)
			if (instances_of(&steady[f][i].rp) > depth)
				depth = (int)instances_of(&steady[f][i].rp);
	if (!returning_round(depth + 10))
		add(&wrong, 1);
}

static long lost_returns(int f, int i, long *unreturned)
{
	struct steady *s = &steady[f][i];

	*unreturned += s->rp.nstale;
	return calls[f] - s->returns - s->rp.nmissed -
	       (long)s->rp.kp.nmissed - s->rp.nstale;
}

static void check_function(int f)
{
	long unreturned = 0, missed = 0, lost, lost_hits = 0, lost_jumps = 0;
	char name[200];
	int i;

	lost = 0;
	for (i = 0; i < EACH; i++) {
		struct steady *s = &steady[f][i];

		lost += labs(lost_returns(f, i, &unreturned));
		missed += s->rp.nmissed + (long)s->rp.kp.nmissed;
		lost_hits += labs(calls[f] - s->hits - (long)s->kp.nmissed);
		lost_jumps += labs(calls[f] - s->jumps - (long)s->jp.kp.nmissed);
	}
	snprintf(name, sizeof(name),
		 "mix, %s: returns + missed + unreturned == calls (%ld + %ld + %ld == %d * %ld, off by %ld)",
		 function_name[f], steady[f][0].returns + steady[f][1].returns,
		 missed, unreturned, EACH, calls[f], lost);
	EXPECT(name, !lost);
	snprintf(name, sizeof(name),
		 "mix, %s: jprobe hits + nmissed == calls (%ld + %ld)",
		 function_name[f], steady[f][0].jumps,
		 (long)steady[f][0].jp.kp.nmissed);
	EXPECT(name, !lost_jumps);
	snprintf(name, sizeof(name),
		 "mix, %s: kprobe hits + nmissed == calls (%ld + %ld)",
		 function_name[f], steady[f][0].hits,
		 (long)steady[f][0].kp.nmissed);
	EXPECT(name, !lost_hits);
}

static void sleep_ms(long ms)
{
	struct timespec left = { ms / 1000, ms % 1000 * 1000000 };

	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

static int looks, jumps_seen;

/* And look, now and then, whether a function's probes are a jump. */
static void let_work(long ms)
{
	for (; ms > 0; ms -= 100) {
		sleep_ms(100);
		looks++;
		jumps_seen += jumps_count(function[looks % FUNCTIONS]).jumps != 0;
	}
}

int main(int argc, char **argv)
{
	int seconds = argc > 1 ? atoi(argv[1]) : 3, i, bad = 0;
	long seed = argc > 2 ? atol(argv[2]) : (long)time(NULL);
	struct itimerval often = { { 0, 2000 }, { 0, 2000 } }, never = { 0 };
	struct sigaction action = { .sa_handler = on_alarm,
				    .sa_flags = SA_RESTART };
	pthread_t threads[WORKERS + 1];
	struct memory then, now;

	printf("# seed %ld\n", seed);
	jumps_begin();
	for (i = 0; i < FUNCTIONS * EACH; i++)
		bad += register_steady(i / EACH, i % EACH) != 0;
	EXPECT("mix: six return probes, six jprobes, six kprobes", !bad);
	for (i = 0; i < FUNCTIONS; i++)
		bad += !jumps_settle(function[i]);
	EXPECT("mix: all through jumps, or none", !bad);
	EXPECT("mix: the pools find their size", returning_round(ROOM));
	sigaction(SIGALRM, &action, NULL);
	for (i = 0; i < WORKERS; i++)
		pthread_create(&threads[i], NULL, work, (void *)(seed + i));
	pthread_create(&threads[i], NULL, change, (void *)(seed + i));
	setitimer(ITIMER_REAL, &often, NULL);
	let_work(seconds * 1000L / 3);
	then = measure();
	let_work(seconds * 2000L / 3);
	now = measure();
	stop = 1;
	for (i = 0; i <= WORKERS; i++)
		pthread_join(threads[i], NULL);
	setitimer(ITIMER_REAL, &never, NULL);
	take_back();
	printf("# %ld signals, %ld probes came and went; a jump in %d of %d looks\n",
	       interrupted, churned, jumps_seen, looks);
	EXPECT("mix: jumps stay jumps beside probes that come and go",
	       jumps_wanted() ? jumps_seen > looks / 2 : !jumps_seen);
	EXPECT("mix: every result is right", !wrong && !refused);
	EXPECT("mix: probes came and went", churned > 5);
	for (i = 0; i < FUNCTIONS; i++)
		check_function(i);
	expect_stable("mix", &then, &now, 1024);
	return live_failed;
}
