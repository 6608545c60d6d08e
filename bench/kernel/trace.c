// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * trace.c - what a hit costs that runs a trace program.
 *
 * Owns: the programs, each on kp_bench.c's bench_target.  Its argument is the file
 * that a row's name is written to when its program runs, which measures.
 *
 *   trace        nothing: the reader has said stop
 *   trace+never  a filter that never matches, then @ = count()
 *   trace+count  @ = count()
 *   trace+key    @[arg0] = count()
 *   trace+hist   @ = hist(arg0)
 *   trace+event  an event with the time and three arguments
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "trace.h"

static void none(struct assembly *as)
{
	(void)as;
}

static void count(struct assembly *as)
{
	insn(as, KT_MAGG, 0, (u8)map(as, KT_MAP_COUNT, 0, 1), 0, 0);
}

static void never(struct assembly *as)
{
	insn(as, KT_ARG, 0, 0, 0, 0);
	insn(as, KT_EQI, 0, 0, 0, -99);
	insn(as, KT_JZ, 0, 0, 0, 1);
	count(as);
}

static void key(struct assembly *as)
{
	as->head.scratch = 8;
	insn(as, KT_ARG, 0, 0, 0, 0);
	insn(as, KT_STS, 0, 0, KT_SIZE_8, 0);
	insn(as, KT_MAGG, 0, (u8)map(as, KT_MAP_COUNT, 8, 4096), 0, 0);
}

static void hist(struct assembly *as)
{
	insn(as, KT_ARG, 0, 0, 0, 0);
	insn(as, KT_MAGG, 0, (u8)map(as, KT_MAP_HIST, 0, 1), 0, 0);
}

static void event(struct assembly *as)
{
	s32 i;

	as->head.scratch = 24;
	as->head.ring = 1 << 20;
	as->head.events_nr = 1;
	for (i = 0; i < 3; i++) {
		insn(as, KT_ARG, 0, 0, 0, i);
		insn(as, KT_STS, 0, 0, KT_SIZE_8, 8 * i);
	}
	insn(as, KT_EMIT, 0, 0, 0, 24 << 16);
}

static const struct {
	const char *name;
	void (*write)(struct assembly *as);
} rows[] = {
	{ "trace", none },
	{ "trace+never", never },
	{ "trace+count", count },
	{ "trace+key", key },
	{ "trace+hist", hist },
	{ "trace+event", event },
};

static void measure(const char *name, const char *where)
{
	int file = open(where, O_WRONLY);

	/* Until the probe is a jump. */
	usleep(300000);
	if (file < 0 || write(file, name, strlen(name)) < 0)
		die(where);
	close(file);
}

int main(int argc, char **argv)
{
	struct assembly as;
	struct tracer t;
	size_t i;

	for (i = 0; argc > 1 && i < sizeof(rows) / sizeof(rows[0]); i++) {
		begin(&as);
		as.head.scratch = 0;
		probe(&as, KT_PROBE_ENTRY, "bench_target");
		rows[i].write(&as);
		insn(&as, KT_END, 0, 0, 0, 0);
		tracer_run(&t, &as);
		t.arena->stop = rows[i].write == none;
		measure(rows[i].name, argv[1]);
		tracer_close(&t);
	}
	return 0;
}
