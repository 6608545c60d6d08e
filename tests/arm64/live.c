/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * live.c - the engine in an arm64 process.
 *
 * Owns: probes of each kind on functions of the program, as breakpoints and as jumps;
 * handlers that use vector registers, fault, or go on elsewhere; signed return
 * addresses; landing pads, which are jumped from only where no page is guarded; places
 * that are refused; and threads meanwhile.
 *
 * An arm64 program with libkprobes.so (run by qemu).
 */
#include <asm/hwcap.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <linux/kprobes.h>

#define USED static __attribute__((noinline, noclone))
#define THERE asm volatile("" : : : "memory")

USED long leaf(long a, double d)
{
	THERE;
	return a * 3 + (long)d;
}

USED long outer(long a)
{
	long result = leaf(a, 2.0) + 1;

	THERE;
	return result;
}

/* Its first instruction signs the return address, and is a landing pad. */
static __attribute__((noinline, noclone, target("branch-protection=standard"))) long guarded(long a)
{
	asm volatile("" : : : "memory", "x30");
	return a + 1;
}

USED unsigned long add_exclusive(unsigned long *p)
{
	unsigned long value;
	unsigned int failed;

	asm volatile("1:	ldxr	%0, [%2]\n"
		     "	add	%0, %0, #1\n"
		     "	stxr	%w1, %0, [%2]\n"
		     "	cbnz	%w1, 1b"
		     : "=&r"(value), "=&r"(failed) : "r"(p) : "memory");
	return value;
}

static int pres, posts, returns, entries, others;	/* atomic */
static volatile double sum;		/* handlers that need vector registers */
static volatile bool faulty;
static volatile int *volatile nowhere = (volatile int *)8;

static void count(int *nr)
{
	__atomic_fetch_add(nr, 1, __ATOMIC_RELAXED);
}

static int taken(int *nr)
{
	return __atomic_exchange_n(nr, 0, __ATOMIC_RELAXED);
}

static int pre(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	count(&pres);
	sum += (double)regs->regs[0] * 1.5;
	if (faulty)
		*nowhere = 1;
	return 0;
}

static int pre_other(struct kprobe *p, struct pt_regs *regs)
{
	(void)p, (void)regs;
	count(&others);
	return 0;
}

static void post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	(void)p, (void)regs, (void)flags;
	count(&posts);
}

static int returned(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	(void)ri;
	count(&returns);
	sum += (double)regs_return_value(regs);
	return 0;
}

static int instead(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	regs->regs[0] = 77;
	regs->pc = regs->regs[30];
	return 1;
}

static long entry(long a, double d)
{
	if (a == 5 && d == 2.0)
		count(&entries);
	jprobe_return();
	return 0;
}

static int failed;

static void report(const char *name, bool ok)
{
	printf("%sok arm64-live-%s\n", ok ? "" : "not ", name);
	failed |= !ok;
}

/* Is there a jump at fn now, or within half a minute? */
static bool jumps(const void *fn)
{
	int i;

	for (i = 0; i < 3000; i++) {
		if (*(const volatile uint32_t *)fn >> 26 == 5)
			return true;
		usleep(10000);
	}
	return false;
}

/* Is there a breakpoint, and is it said within half a minute why it is no jump? */
static bool stays(const void *fn, const struct kprobe *p)
{
	const char *const *reason = (const char *const *)&p->reason;
	int i;

	for (i = 0; i < 3000 && !__atomic_load_n(reason, __ATOMIC_RELAXED); i++)
		usleep(10000);
	return i < 3000 && *(const volatile uint32_t *)fn == 0xd42d6e00;
}

static struct kprobe first = { .pre_handler = pre }, second = { .pre_handler = pre_other };
static struct kprobe after = { .post_handler = post }, takes = { .pre_handler = instead };
static struct kretprobe ret = { .handler = returned, .maxactive = 64 };
static struct jprobe jumper = { .entry = entry };

/* n calls give what they gave, and every handler came each time. */
static bool calls(int n)
{
	int i;

	taken(&pres), taken(&posts), taken(&returns), taken(&entries), taken(&others);
	for (i = 0; i < n; i++)
		if (outer(5) != 18)
			return false;
	return true;
}

static void check_kinds(void)
{
	first.addr = second.addr = (void *)outer;
	after.addr = (void *)((char *)outer + 4);
	ret.kp.addr = jumper.kp.addr = (void *)leaf;
	report("register", !register_kprobe(&first) && !register_kprobe(&second) &&
	       !register_kprobe(&after) && !register_kretprobe(&ret) &&
	       !register_jprobe(&jumper));
	report("breakpoints", calls(50) && pres == 50 && others == 50 && posts == 50 &&
	       returns == 50 && entries == 50);
	report("optimized", jumps((void *)outer) && jumps((void *)leaf));
	report("jumps", calls(50) && pres == 50 && others == 50 && posts == 50 &&
	       returns == 50 && entries == 50);
	faulty = true;
	report("faults", calls(50) && pres == 1 && others == 50 && posts == 50);
	faulty = false;
	report("enabled", !enable_kprobe(&first) && jumps((void *)outer) && calls(50) &&
	       pres == 50);
	unregister_jprobe(&jumper);
	unregister_kretprobe(&ret);
	takes.addr = (void *)leaf;
	report("instead", !register_kprobe(&takes) && outer(5) == 78 && jumps((void *)leaf) &&
	       outer(5) == 78);
	unregister_kprobe(&takes);
	unregister_kprobe(&after);
	unregister_kprobe(&second);
	report("gone", outer(5) == 18);
}

static void check_refused(void)
{
	unsigned long word = 0;
	unsigned int off;
	bool ok = true;

	for (off = 0; off < 12; off += 4) {
		struct kprobe p = {
			.addr = (void *)((char *)add_exclusive + off), .pre_handler = pre_other,
		};

		ok &= register_kprobe(&p) == -EOPNOTSUPP && p.reason;
	}
	report("exclusives", ok && add_exclusive(&word) == 1);
}

static void check_guarded(void)
{
	struct kprobe p = { .addr = (void *)guarded, .pre_handler = pre_other };
	bool bti = getauxval(AT_HWCAP2) & HWCAP2_BTI, ok;

	ret = (struct kretprobe){ .kp.addr = (void *)guarded, .handler = returned };
	ok = !register_kprobe(&p) && !register_kretprobe(&ret);
	ok = ok && (bti ? stays((void *)guarded, &p) : jumps((void *)guarded));
	taken(&others), taken(&returns);
	ok = ok && guarded(1) == 2 && guarded(2) == 3 && others == 2 && returns == 2;
	report(bti ? "landing-pad" : "no-landing-pad", ok);
	unregister_kretprobe(&ret);
	unregister_kprobe(&p);
}

static bool stop;			/* atomic */
static int wrong;			/* atomic */

static void *call(void *unused)
{
	long i;

	(void)unused;
	for (i = 0; !__atomic_load_n(&stop, __ATOMIC_RELAXED); i++)
		if (outer(i) != i * 3 + 3)
			count(&wrong);
	return NULL;
}

static void check_threads(void)
{
	pthread_t threads[3];
	bool ok = true;
	int i;

	taken(&returns);
	for (i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, call, NULL);
	for (i = 0; i < 20; i++) {
		ret = (struct kretprobe){ .kp.addr = (void *)leaf, .handler = returned,
					  .maxactive = 64 };
		ok &= !register_kretprobe(&ret);
		/* One in four becomes a jump. */
		if (!(i % 4))
			ok &= jumps((void *)leaf);
		else
			usleep(1000);
		ok &= !disable_kprobe(&first) && !enable_kprobe(&first);
		unregister_kretprobe(&ret);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	report("threads", ok && !wrong && returns);
}

int main(void)
{
	check_kinds();
	check_refused();
	check_guarded();
	check_threads();
	unregister_kprobe(&first);
	return failed;
}
