/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * helpers.c - the kernel's helpers for processes (kuser), which stand at fixed addresses in a
 * page of the kernel's own.
 *
 * Owns: probes on them, which are refused; functions of both sets that call them, with a probe on
 * each instruction; and, with the argument "pages", what they write to a watched page.
 */
#include "paged.h"

#define HELPER_CMPXCHG64 0xffff0f60ul
#define HELPER_BARRIER 0xffff0fa0ul
#define HELPER_CMPXCHG 0xffff0fc0ul
#define HELPER_TLS 0xffff0fe0ul

/* Adds 1 to what stands at at, and answers its thread's pointer: each by a helper. */
void *helped_arm(int *at), *helped_thumb(int *at);
#define HELPED(name)								\
	".globl " name "; .type " name ", %function\n"			\
	name ": push {r4, lr}; mov r2, r0\n"					\
	"1: ldr r0, [r2]; add r1, r0, #1; movw r4, #0x0fc0; movt r4, #0xffff; blx r4\n" \
	"cmp r0, #0; bne 1b\n"							\
	"add r4, r4, #0x20; blx r4; pop {r4, pc}\n"				\
	".size " name ", . - " name "\n"
__asm__(".text; .syntax unified\n"
	".arm\n" HELPED("helped_arm")
	".thumb; .thumb_func\n" HELPED("helped_thumb")
	".p2align 2; .arm\n");

static const struct {
	const char *name;
	void *(*fn)(int *at);
	unsigned int len;
} helped[] = { { "helped_arm", helped_arm, 48 }, { "helped_thumb", helped_thumb, 32 } };
#define INSNS 12

static void refused(void)
{
	static const unsigned long helpers[] = {
		HELPER_CMPXCHG64, HELPER_BARRIER, HELPER_CMPXCHG, HELPER_CMPXCHG + 4, HELPER_TLS,
	};
	unsigned int i;

	for (i = 0; i < sizeof(helpers) / sizeof(helpers[0]); i++) {
		struct kprobe p = { .addr = (kprobe_opcode_t *)helpers[i], .pre_handler = live_pre };
		struct kretprobe rp = { .kp.addr = (kprobe_opcode_t *)helpers[i] };

		NEED(register_kprobe(&p) == -ENOENT && p.reason);
		NEED(register_kretprobe(&rp) == -ENOENT && rp.kp.reason);
		printf("# %#lx: %s\n", helpers[i], p.reason);
	}
}

#define ROUNDS 500
static int sum;

static void *call(void *arg)
{
	void *(*fn)(int *at) = *(void *(*const *)(int *at))arg;
	int i;

	for (i = 0; i < ROUNDS; i++)
		NEED(fn(&sum) == __builtin_thread_pointer());
	return NULL;
}

/* Probes on all of its instructions; how many there are. */
static unsigned int probe_all(struct kprobe *probes, const char *name, unsigned int len)
{
	unsigned int off, nr = 0;
	int err;

	for (off = 0; off < len && nr <= INSNS; off += 2) {
		probes[nr] = (struct kprobe){ .symbol_name = name, .offset = off, .pre_handler = live_pre };
		err = register_kprobe(&probes[nr]);
		if (!err)
			nr++;
		else if (err != -EILSEQ)
			printf("# %s+%u: %s\n", name, off, probes[nr].reason);
	}
	return nr;
}

static void goes_on(unsigned int which)
{
	static struct kprobe probes[INSNS + 1];
	pthread_t threads[2];
	unsigned int i, nr;

	live_hits = 0;
	nr = probe_all(probes, helped[which].name, helped[which].len);
	NEED(nr == INSNS);
	for (i = 0; i < 2; i++)
		NEED(!pthread_create(&threads[i], NULL, call, (void *)(unsigned long)&helped[which].fn));
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < nr; i++) {
		NEED(!probes[i].nmissed);
		unregister_kprobe(&probes[i]);
	}
	NEED(sum == 2 * ROUNDS && live_hits >= 2l * ROUNDS * INSNS);
	NEED(helped[which].fn(&sum) && sum == 2 * ROUNDS + 1);
}

static void arm(void)
{
	goes_on(0);
}

static void thumb(void)
{
	goes_on(1);
}

/* 0: it was as expected, and is the new value. */
static void watched_by_pages(void)
{
	int (*cmpxchg)(int old, int new, volatile void *at) = (int (*)(int, int, volatile void *))HELPER_CMPXCHG;
	int (*cmpxchg64)(const long long *old, const long long *new, volatile void *at) =
		(int (*)(const long long *, const long long *, volatile void *))HELPER_CMPXCHG64;
	const long long old = 5, new = 7ll << 32 | 6;
	struct wprobe wp = watched(KP_WATCH_WRITE);

	must(&wp);
	NEED(!cmpxchg(0, 5, object) && told() == 1 && last.before == 0 && last.after == 5);
	NEED(cmpxchg(0, 6, object) && *(volatile int *)(void *)object == 5);
	told();
	NEED(!cmpxchg64(&old, &new, object) && told() >= 1);
	NEED(*(volatile long long *)(void *)object == new && !wp.kp.nmissed);
	NEED(!cmpxchg(1, 2, object - 8) || *(volatile int *)(void *)(object - 8) == 0);
	NEED(!told());
	unregister_wprobe(&wp);
	NEED(!cmpxchg(6, 8, object) && *(volatile int *)(void *)object == 8 && !told());
}

int main(int argc, char **argv)
{
	child_case("the kernel's helpers are refused", refused);
	child_case("code of A32 that calls them, with a probe on each instruction", arm);
	child_case("code of T32 that calls them, with a probe on each instruction", thumb);
	if (argc > 1 && !strcmp(argv[1], "pages"))
		child_case("what they write to a watched page", watched_by_pages);
	return live_failed;
}
