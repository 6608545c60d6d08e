// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * trace_places.c - what stands at the script's places in a traced process.
 *
 * Owns: noticing that others change it.  The kernel's uprobes come and go without a word; a
 * jump of ours has to leave before the uprobe on it does.  The engine sees to that when a
 * client comes, so one comes as soon as the text has changed.
 *
 * The places are read out of the program in the shared memory, of which nothing is believed:
 * they say only what is read, and what is read is only compared.
 */
#include "attach_cli.h"
#include "program.h"
#include "thread.h"
#include "tracing.h"

#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define BEGIN_MS 1000		/* by then the engine has put its jumps */
#define EACH_MS 50		/* between two looks */
#define STAY_MS 150		/* the engine's patience with a client, and a half */
#define REST_MS 500		/* where the script has no place yet */
#define PLACES_MAX 1024u	/* IOV_MAX */
#define BREAKPOINT 0xcc		/* x86's; elsewhere the engine looks once in vain */
#define PLACE_LEN 8u		/* a landing pad, and what begins the text behind it */

struct tracing_places {
	long next, begun;	/* when to look; the first look */
	uint32_t nr;
	bool known;		/* was holds */
	struct iovec at[PLACES_MAX];
	uint8_t was[PLACES_MAX][PLACE_LEN];
};

/* Is it a place in the program's text? */
static bool is_code(const struct kt_probe *probe)
{
	return probe->addr && (probe->kind == KT_PROBE_ENTRY || probe->kind == KT_PROBE_RETURN);
}

static void take(struct tracing_places *places, const struct kt_share *share)
{
	uint64_t base = share->program, len = share->program_len;
	struct kt_program program;
	struct kt_probe probe;
	uint64_t at;
	uint32_t i;

	if (base > TRACING_MEMORY_MAX || len > TRACING_MEMORY_MAX - base || len < sizeof(program))
		return;
	memcpy(&program, (const char *)share + base, sizeof(program));
	for (i = 0; i < program.probes_nr && places->nr < PLACES_MAX; i++) {
		at = program.probes + (uint64_t)i * sizeof(probe);
		if (at > len - sizeof(probe))
			return;
		memcpy(&probe, (const char *)share + base + at, sizeof(probe));
		if (is_code(&probe))
			places->at[places->nr++] = (struct iovec){
				(void *)(uintptr_t)probe.addr, PLACE_LEN };
	}
}

/* In the beginning the engine replaces its breakpoints with jumps. */
static bool is_engines(const uint8_t *was, const uint8_t *now)
{
	while (*was == *now) {
		was++;
		now++;
	}
	return *was == BREAKPOINT;
}

static bool differ(const struct tracing_places *places, uint8_t (*now)[PLACE_LEN], size_t nr,
		   bool begins)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (memcmp(now[i], places->was[i], PLACE_LEN) &&
		    !(begins && is_engines(places->was[i], now[i])))
			return true;
	return false;
}

/* A place that cannot be read is not compared, nor are those behind it. */
static bool have_changed(struct tracing_places *places, pid_t pid, bool begins)
{
	uint8_t now[PLACES_MAX][PLACE_LEN];
	struct iovec to = { now, (size_t)places->nr * PLACE_LEN };
	ssize_t got = process_vm_readv(pid, &to, 1, places->at, places->nr, 0);
	bool changed;

	if (got <= 0)
		return false;
	got -= got % PLACE_LEN;
	changed = places->known &&
		  differ(places, now, (size_t)got / PLACE_LEN, begins);
	memcpy(places->was, now, (size_t)got);
	places->known = got == (ssize_t)to.iov_len;
	return changed;
}

/* The engine looks while it waits for somebody's request, once he does not hold it. */
static void come(pid_t pid)
{
	struct cli_target target;

	if (cli_process_open(&target, pid, CLI_LOOK))
		return;
	usleep(STAY_MS * 1000);
	cli_close(&target);
}

void tracing_look_at_places(struct tracing_process *p)
{
	struct tracing_places *places = p->places;
	long now = thread_now_ms();

	if (!places) {
		places = p->places = calloc(1, sizeof(*places));
		if (!places)
			return;
		places->begun = now;
	}
	if (now < places->next)
		return;
	places->next = now + EACH_MS;
	if (!places->nr)
		take(places, p->share);
	if (!places->nr)
		places->next = now + REST_MS;
	else if (have_changed(places, p->pid, now - places->begun < BEGIN_MS)) {
		/* From now on any change may be somebody's, also one of meanwhile. */
		places->begun = now - BEGIN_MS;
		come(p->pid);
	}
}

void tracing_forget_places(struct tracing_process *p)
{
	free(p->places);
	p->places = NULL;
}
