/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * torture.c - usage: torture [SECONDS [SEED]]
 *
 * Four threads work in probed code of libc and of this program and check every
 * result, while two others register and unregister probes at 1,000 random
 * instructions of that code, one by one and in batches, with and without post
 * handlers.  At the end each call of the dedicated targets was a hit or is
 * counted in nmissed, and the text is what it was, byte for byte.
 */
#include "text.h"

#include <dlfcn.h>
#include <time.h>

#include "code.h"

/* Where what a pointer to a function leads to begins. */
#ifndef CODE_START
#define CODE_START(fn) (fn)
#endif

#define WORKERS 4
#define CHANGERS 2
#define ADDRS 1000

static volatile int stop;
static long wrong, churned, refused;

/* ---- the work ------------------------------------------------------------- */

static __attribute__((noinline, noclone, used)) long mix(long a, long b)
{
	long x = a * 31 + b;
	int i;

	for (i = 0; i < 5; i++)
		x = (x << 3) ^ (x >> 5) ^ i;
	return x;
}

static __attribute__((noinline, noclone, used)) long fib(long n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static int compare_longs(const void *a, const void *b)
{
	long x = *(const long *)a, y = *(const long *)b;

	return x < y ? -1 : x > y;
}

static bool sorts(unsigned int seed)
{
	long v[40];
	int i;

	for (i = 0; i < 40; i++)
		v[i] = (long)(rand_r(&seed) % 1000);
	qsort(v, 40, sizeof(v[0]), compare_longs);
	for (i = 1; i < 40; i++)
		if (v[i - 1] > v[i])
			return false;
	return true;
}

static bool formats(long n)
{
	char text[64], copy[64], *mem;
	size_t len;

	len = (size_t)snprintf(text, sizeof(text), "%ld:%s:%08lx", n, "abc",
			       (unsigned long)n & 0xffffffff);
	if (strlen(text) != len || strtol(text, NULL, 10) != n)
		return false;
	mem = malloc(len + 1);
	memcpy(mem, text, len + 1);
	memset(copy, 0, sizeof(copy));
	strcpy(copy, mem);
	free(mem);
	return !strcmp(copy, text) && strchr(copy, ':') && !strstr(copy, "xyz") &&
	       memcmp(copy, text, len) == 0;
}

struct worker {
	long calls;
	int nr;
};

extern long counted(long a, long b);
__asm__(".text; .p2align 4; .globl counted; .type counted, %function\n"
	CODE_COUNTED ".size counted, . - counted");

static void *work(void *arg)
{
	struct worker *w = arg;
	long n = w->nr * 1000;
	long mix5 = 0;
	volatile long f = 10;

	while (!stop) {
		bool ok = counted(n, 7) == n + 14;
		long m = mix(5, 6);

		w->calls++;
		mix5 = mix5 ? mix5 : m;
		ok &= m == mix5 && fib(f) == 55;
		ok &= sorts((unsigned int)n) && formats(n);
		if (!ok)
			__atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
		n++;
	}
	return NULL;
}

/* ---- the addresses -------------------------------------------------------- */

static kprobe_opcode_t *addrs[200000];
static int addrs_nr;

static void add_function(void *fn, size_t size)
{
	const uint8_t *code = CODE_START(fn);
	size_t at = 0;

	while (at < size && addrs_nr < 200000) {
		size_t len = code_len(code + at, size - at);

		if (!len)
			return;
		addrs[addrs_nr++] = (kprobe_opcode_t *)(code + at);
		at += len;
	}
}

static void add_named(const char *name)
{
	void *fn = dlsym(RTLD_DEFAULT, name);
	ElfW(Sym) *sym = NULL;
	Dl_info info;

	if (fn && dladdr1(fn, &info, (void **)&sym, RTLD_DL_SYMENT) && sym &&
	    info.dli_saddr == fn)
		add_function(fn, sym->st_size);
}

static void collect(unsigned int seed)
{
	static const char *const list[] = {
		"malloc", "free", "realloc", "calloc", "qsort", "qsort_r",
		"snprintf", "vsnprintf", "strtol", "strcpy", "strcmp", "strlen",
		"memcpy", "memset", "strchr", "strstr", "rand_r", "memcmp",
		"__vsnprintf", "_IO_default_xsputn", "_IO_str_overflow",
		"__libc_malloc", "strtoul", "__overflow", "_IO_init",
		"_IO_str_init_static", "__strtol_internal", "pthread_self",
		"vfprintf", "_itoa_lower_digits", "__errno_location",
	};
	int i;

	for (i = 0; i < (int)(sizeof(list) / sizeof(list[0])); i++)
		add_named(list[i]);
	add_named("mix");
	add_named("fib");
	add_function((void *)(unsigned long)mix, 80);
	add_function((void *)(unsigned long)fib, 80);
	add_function((void *)(unsigned long)compare_longs, 20);
	for (i = addrs_nr - 1; i > 0; i--) {
		int j = rand_r(&seed) % (i + 1);
		kprobe_opcode_t *t = addrs[i];

		addrs[i] = addrs[j];
		addrs[j] = t;
	}
	printf("# %d instructions to choose from\n", addrs_nr);
	if (addrs_nr > ADDRS)
		addrs_nr = ADDRS;
}

/* ---- the churn ------------------------------------------------------------ */

static int pre_some(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	return 0;
}

static void post_some(struct kprobe *p, struct pt_regs *regs,
		      unsigned long flags)
{
	(void)p;
	(void)regs;
	(void)flags;
}

static void choose(struct kprobe *p, unsigned int *seed)
{
	*p = (struct kprobe){ .addr = addrs[rand_r(seed) % addrs_nr] };
	if (rand_r(seed) & 1)
		p->pre_handler = pre_some;
	if (rand_r(seed) & 1)
		p->post_handler = post_some;
}

/* A set of probes that come and go; the thread's own structs. */
#define SET 48

static void *change(void *arg)
{
	unsigned int seed = (unsigned int)(long)arg;
	struct kprobe set[SET], *list[SET];
	int i, nr;

	while (!stop) {
		nr = 0;
		for (i = 0; i < SET; i++) {
			choose(&set[nr], &seed);
			if (register_kprobe(&set[nr])) {
				__atomic_fetch_add(&refused, 1,
						   __ATOMIC_RELAXED);
				continue;
			}
			list[nr] = &set[nr];
			nr++;
			if (!(rand_r(&seed) % 8))
				disable_kprobe(&set[nr - 1]);
		}
		for (i = 0; i < nr; i++)
			if (!(rand_r(&seed) % 4))
				enable_kprobe(&set[i]);
		if (rand_r(&seed) & 1)
			unregister_kprobes(list, nr);
		else
			for (i = 0; i < nr; i++)
				unregister_kprobe(list[i]);
		__atomic_fetch_add(&churned, nr, __ATOMIC_RELAXED);
	}
	return NULL;
}

/* ---- the whole ------------------------------------------------------------ */

int main(int argc, char **argv)
{
	int seconds = argc > 1 ? atoi(argv[1]) : 5, i;
	unsigned int seed = argc > 2 ? (unsigned int)atoi(argv[2])
				     : (unsigned int)time(NULL);
	static const int offsets[] = CODE_COUNTED_AT;
	static struct kprobe steady[6];
	static struct worker workers[WORKERS];
	pthread_t threads[WORKERS + CHANGERS];
	long calls = 0, lost = 0;

	printf("# seed %u\n", seed);
	text_snapshot();
	collect(seed);
	EXPECT("torture: instructions found", addrs_nr == ADDRS);
	for (i = 0; i < WORKERS; i++) {
		workers[i].nr = i;
		pthread_create(&threads[i], NULL, work, &workers[i]);
	}
	for (i = 0; i < CHANGERS; i++)
		pthread_create(&threads[WORKERS + i], NULL, change,
			       (void *)(long)(seed + (unsigned int)i));
	sleep((unsigned int)seconds);
	stop = 1;
	for (i = 0; i < WORKERS + CHANGERS; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < WORKERS; i++)
		calls += workers[i].calls;
	printf("# %ld rounds of work, %ld probes came and went, %ld refused\n",
	       calls, churned, refused);
	EXPECT("torture: every result is right", !wrong);
	EXPECT("torture: probes came and went", churned >= SET);
	EXPECT("K-INV-05 torture: text restored byte for byte",
	       !text_changed());

	/* The same with exact counting. */
	stop = 0;
	for (i = 0; i < 6; i++) {
		steady[i] = (struct kprobe){
			.addr = (void *)((unsigned long)counted +
					 (unsigned long)offsets[i]),
			.pre_handler = live_pre,
			.post_handler = i & 1 ? live_post : NULL,
		};
		lost += register_kprobe(&steady[i]) != 0;
	}
	EXPECT("torture: steady probes", !lost);
	for (i = 0; i < WORKERS; i++) {
		workers[i].calls = 0;
		pthread_create(&threads[i], NULL, work, &workers[i]);
	}
	for (i = 0; i < CHANGERS; i++)
		pthread_create(&threads[WORKERS + i], NULL, change,
			       (void *)(long)(seed + 77 + (unsigned int)i));
	sleep((unsigned int)seconds);
	stop = 1;
	for (i = 0; i < WORKERS + CHANGERS; i++)
		pthread_join(threads[i], NULL);
	calls = 0;
	for (i = 0; i < WORKERS; i++)
		calls += workers[i].calls;
	lost = 6 * calls - live_hits;
	for (i = 0; i < 6; i++) {
		lost -= (long)steady[i].nmissed;
		unregister_kprobe(&steady[i]);
	}
	printf("# %ld calls, %ld hits, %ld probes in all, %ld refused\n", calls,
	       live_hits, churned, refused);
	EXPECT("torture: every result is right, with steady probes", !wrong);
	EXPECT("K-INV-01 torture: calls == hits + nmissed", !lost);
	EXPECT("K-INV-05 torture: text restored byte for byte, again",
	       !text_changed());
	return live_failed;
}
