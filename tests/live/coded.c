/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * coded.c - memory that is watched by probes on code: each kind of instruction beside
 * itself on other memory, exact counts, and what comes and goes while threads run.
 */
#include "live.h"
#include "forms.h"
#include "processor.h"

#include <kprobes/watch.h>

#define LEN 512

static char watched[LEN] __attribute__((aligned(64)));
static char other[LEN] __attribute__((aligned(64)));
static unsigned char told_of[LEN];		/* bytes */
static char before[LEN];
static long calls, wrong;

static void on_store(struct wprobe *wp, struct pt_regs *regs,
		     const struct kp_access *access)
{
	unsigned long at = access->addr - (unsigned long)watched, first = 0;
	unsigned int len = access->size < sizeof(first) ? access->size : sizeof(first);

	(void)wp;
	(void)regs;
	__atomic_fetch_add(&calls, 1, __ATOMIC_SEQ_CST);
	memcpy(&first, before + at, len);
	wrong += !access->written || access->before != first;
	first = 0;
	memcpy(&first, watched + at, len);
	wrong += access->after != first;
	memset(told_of + at, 1, access->size);
	memcpy(before + at, watched + at, access->size);
}

static void must(struct wprobe *wp)
{
	int err = register_wprobe(wp);

	if (err) {
		printf("# %d: %s\n", err, wp->kp.reason);
		_exit(2);
	}
}

/* ---- each kind of instruction ------------------------------------------------------------- */

/* Each form has something whose writes are not seen, FORM_UNSEEN of it; some have more. */

static bool is_told(const struct form *form, const struct wprobe *wp,
		    const char *was)
{
	unsigned int i;

	for (i = 0; i < LEN; i++)
		if (was[i] != watched[i] && !told_of[i])
			return wp->kp.nmissed;
	return !wrong && (calls || form_is_empty(form));
}

static void compare(const struct form *form, const struct wprobe *wp, unsigned int off,
		    unsigned int *seed)
{
	struct state shared, start, one, two;
	unsigned char *bytes = (unsigned char *)&start;
	char was[LEN];
	unsigned int i;

	for (i = 0; i < sizeof(start); i++)
		bytes[i] = (unsigned char)rand_r(seed);
	start.flags = (unsigned long)rand_r(seed) & FORM_FLAGS;
	for (i = 0; i < LEN; i++)
		watched[i] = other[i] = was[i] = before[i] = (char)rand_r(seed);
	memset(told_of, 0, sizeof(told_of));
	calls = wrong = 0;
	one = two = start;
	form_run(form, &shared, other + off, &one);
	form_run(form, &shared, watched + off, &two);
	if (memcmp(&one, &two, sizeof(one)) || memcmp(other, watched, LEN) ||
	    (wp->unseen == FORM_UNSEEN && !is_told(form, wp, was))) {
		printf("# %s at %u: told %ld, wrong %ld, unseen %lu, missed %lu\n",
		       form->text, off, calls, wrong, wp->unseen, wp->kp.nmissed);
		NEED(0);
	}
}

static void instructions(void)
{
	static const unsigned int offs[] = { 64, 65, 67, 124, 127, 240, 249, 255 };
	const struct form *form;
	unsigned int seed = 1, i, nr = 0, unseen = 0, missed = 0;

	for (form = __start_forms; form < __stop_forms; form++) {
		struct wprobe_code code = { .addr = (const void *)form->run };
		struct wprobe wp = { .kp.addr = (void *)watched, .len = LEN,
				     .type = KP_WATCH_WRITE, .handler = on_store,
				     .code = &code, .code_nr = 1 };

		if (!form_is_known(form))
			continue;
		must(&wp);
		unseen += wp.unseen - FORM_UNSEEN;
		for (i = 0; i < sizeof(offs) / sizeof(offs[0]); i++)
			if (!form_is_strict(form) || offs[i] % 16 == 0)
				compare(form, &wp, offs[i], &seed);
		unregister_wprobe(&wp);
		missed += wp.kp.nmissed != 0;
		nr++;
	}
	printf("# %u forms, %u instructions are not seen, %u missed\n", nr, unseen, missed);
	NEED(nr > FORMS_LEAST && unseen == FORMS_UNSEEN && missed == FORMS_MISSED);
}

/* ---- vector registers ----------------------------------------------------------------------- */

static void on_vectors(struct wprobe *wp, struct pt_regs *regs,
		       const struct kp_access *access)
{
	(void)wp;
	(void)regs;
	(void)access;
	calls++;
	spoil_vectors();
}

/* What was in two registers before a write there, added. */
long keeps(void *at, long value);
__asm__(".text; .globl keeps; .type keeps, %function\n"
	"keeps: " KEEPS "\n"
	".size keeps, . - keeps");

static void vectors(void)
{
	struct wprobe_code code = { .symbol_name = "keeps" };
	struct wprobe wp = { .kp.addr = (void *)watched, .len = LEN,
			     .type = KP_WATCH_WRITE, .handler = on_vectors,
			     .code = &code, .code_nr = 1 };
	long i;

	must(&wp);
	calls = 0;
	/* By the breakpoint, and by the jump that comes some time. */
	for (i = 1; i <= 100; i++) {
		NEED(keeps(watched + i, i) == 2 * i);
		usleep(5000);
	}
	NEED(calls == 100 && !wp.kp.nmissed);
	unregister_wprobe(&wp);
}

/* ---- threads --------------------------------------------------------------------------------- */

#define THREADS 4
#define OBJECTS 2500
#define ROUNDS 50000

static struct object {
	long head, count, tail;
} objects[THREADS][OBJECTS];

__attribute__((noinline)) static void work(struct object *object)
{
	object->head++;
	object->count += 2;
	__asm__ volatile("" ::: "memory");
	object->tail--;
}

static void *works(void *of)
{
	struct object *mine = of;
	int i, rounds = live_rounds(ROUNDS);

	for (i = 0; i < rounds; i++)
		work(&mine[i % OBJECTS]);
	return NULL;
}

struct counted {
	struct wprobe wp;		/* first */
	long nr;
};

static void on_count(struct wprobe *wp, struct pt_regs *regs,
		     const struct kp_access *access)
{
	(void)regs;
	(void)access;
	__atomic_fetch_add(&((struct counted *)(void *)wp)->nr, 1,
			   __ATOMIC_RELAXED);
}

static struct wprobe_code worker = { .addr = (const void *)work };

static struct counted count_of(long *word)
{
	return (struct counted){ .wp = {
		.kp.addr = (void *)word, .len = sizeof(long),
		.type = KP_WATCH_WRITE, .handler = on_count,
		.code = &worker, .code_nr = 1,
	} };
}

static volatile bool over;

/* One that comes and goes, on memory of all threads and of none. */
static void *disturbs(void *unused)
{
	struct counted mine;
	int i;

	(void)unused;
	for (i = 0; !over; i++) {
		struct object *object = &objects[i % THREADS][i % OBJECTS];

		mine = count_of(i % 2 ? &object->head : &object->count);
		NEED(!register_wprobe(&mine.wp));
		disable_wprobe(&mine.wp);
		NEED(!enable_wprobe(&mine.wp));
		unregister_wprobe(&mine.wp);
	}
	return NULL;
}

/* Every object has a probe: each write is told once. */
static void threads(void)
{
	static struct counted wps[THREADS][OBJECTS];
	struct wprobe *all[THREADS * OBJECTS];
	pthread_t ids[THREADS + 1];
	int t, i;

	for (t = 0; t < THREADS; t++)
		for (i = 0; i < OBJECTS; i++) {
			wps[t][i] = count_of(&objects[t][i].count);
			all[t * OBJECTS + i] = &wps[t][i].wp;
		}
	NEED(!register_wprobes(all, THREADS * OBJECTS));
	NEED(!wps[0][0].wp.unseen);
	pthread_create(&ids[THREADS], NULL, disturbs, NULL);
	for (t = 0; t < THREADS; t++)
		pthread_create(&ids[t], NULL, works, objects[t]);
	for (t = 0; t < THREADS; t++)
		pthread_join(ids[t], NULL);
	over = true;
	pthread_join(ids[THREADS], NULL);
	for (t = 0; t < THREADS; t++)
		for (i = 0; i < OBJECTS; i++) {
			NEED(wps[t][i].nr * 2 == objects[t][i].count);
			NEED(!wps[t][i].wp.kp.nmissed);
		}
	unregister_wprobes(all, THREADS * OBJECTS);
}

int main(void)
{
	child_case("K-WAT-37 each instruction", instructions);
	child_case("K-WAT-39 vector registers", vectors);
	child_case("K-WAT-39 threads", threads);
	return live_failed;
}
