// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The timeline of hits, as protoc and timeline.py read it; run where the sources are. */
#include "show.h"

#include <stdlib.h>
#include <unistd.h>

enum { F, F_BACK, G, G_BACK };

struct line {
	struct show show;
	uint32_t entry, back;		/* events */
	s64 sp;				/* of the next call */
	FILE *file;
	char name[32];
};

/* f and g are at 0x20000 and 0x30000, each with a probe at its entry and its return. */
static void begin(struct line *l)
{
	struct show *s = &l->show;
	uint32_t i;

	show_begin(s);
	s->build.head.probes_nr = s->script.probes_nr = 4;
	for (i = 0; i < 4; i++) {
		s->build.probes[i].addr = i < G ? 0x20000 : 0x30000;
		s->build.probes[i].kind = i & 1 ? KT_PROBE_RETURN : KT_PROBE_ENTRY;
		s->probes[i] = (struct trace_probe){
			.name = i & 1 ? "uretprobe:x" : "uprobe:x", .function = "_Zx",
			.returns = i & 1,
		};
	}
	l->sp = 0x7000000;
	l->entry = show_event(s, TRACE_MARK, NULL, TYPES(&show_string, &show_u64));
	l->back = show_event(s, TRACE_MARK, NULL, TYPES(&show_string, &show_int));
}

static void ready(struct line *l)
{
	int fd;

	show_ready(&l->show, TRACE_TEXT);
	strcpy(l->name, "/tmp/timeline-XXXXXX");
	fd = mkstemp(l->name);
	l->file = fdopen(fd, "w");
	assert_non_null(l->file);
	assert_true(trace_reader_timeline(l->show.reader, l->file));
}

static void emit(struct line *l, uint32_t event, u32 probe, u32 tid, const void *bytes,
		 u32 len)
{
	struct kt_record head = {
		.event = event, .nsecs = fake_nsecs++, .pid = 1, .tid = tid,
		.probe = probe,
	};

	assert_true(kt_ring_put(&l->show.build.vm, 0, &head, bytes, len));
}

static void hit(struct line *l, u32 probe, u32 tid)
{
	struct {
		char name[16];
		s64 value;
	} bytes = { "main", probe & 1 ? -1 : l->sp };

	if (tid > 1)
		snprintf(bytes.name, sizeof(bytes.name), "worker %u", tid);
	l->sp += probe & 1 ? 16 : -16;
	emit(l, probe & 1 ? l->back : l->entry, probe, tid, &bytes, 24);
}

/* By the first thread. */
static void hits(struct line *l, size_t nr, const u32 *probes)
{
	size_t i;

	for (i = 0; i < nr; i++)
		hit(l, probes[i], 1);
}
#define HITS(l, ...)							\
	hits(l, sizeof((const u32[]){ __VA_ARGS__ }) / sizeof(u32), (const u32[]){ __VA_ARGS__ })

static void shown_is(struct line *l, const char *filter, const char *wanted)
{
	char command[256], shown[4096];
	FILE *from;
	size_t len;

	trace_reader_drain(l->show.reader, true);
	fflush(l->file);
	snprintf(command, sizeof(command), "python3 tests/trace/timeline.py %s 2>&1 %s",
		 l->name, filter);
	from = popen(command, "r");
	assert_non_null(from);
	len = fread(shown, 1, sizeof(shown) - 1, from);
	shown[len] = 0;
	pclose(from);
	assert_string_equal(shown, wanted);
	show_is(&l->show, "");
	fclose(l->file);
	unlink(l->name);
	show_end(&l->show);
}

static void timeline_is(struct line *l, const char *wanted)
{
	shown_is(l, "", wanted);
}

static void calls(void **state)
{
	struct line l;

	(void)state;
	begin(&l);
	ready(&l);
	HITS(&l, F, G);
	hit(&l, G, 2);
	HITS(&l, G, G_BACK, G_BACK);
	hit(&l, G_BACK, 2);
	hit(&l, F_BACK, 1);
	hit(&l, F, 2);
	timeline_is(&l, "main:     u1_3000 = -1\n"
			"main:   u1_3000 = -1\n"
			"worker 2: u1_3000 = -1\n"
			"main: u1_2000 = -1\n"
			"u1_2000...\n");
}

/* Begins and ends that are lost. */
static void lost(void **state)
{
	struct line l;

	(void)state;
	begin(&l);
	ready(&l);
	HITS(&l, G_BACK, F, G, F_BACK, F_BACK, G, G_BACK);
	((struct kt_probe_state *)(l.show.build.vm.arena +
				   l.show.build.vm.layout.probes))[G].lost = 2;
	timeline_is(&l, "main:   u1_3000 = None\n"
			"main: u1_2000 = -1\n"
			"main: u1_3000 = -1\n"
			"losses: 2 events lost!\n");
}

/* By exceptions: where the next call is says that they are over. */
static void left(void **state)
{
	struct line l;

	(void)state;
	begin(&l);
	ready(&l);
	HITS(&l, F, G, G);
	l.sp += 32;
	HITS(&l, G, G_BACK);
	l.sp += 16;
	HITS(&l, F, F_BACK);
	timeline_is(&l, "main:     u1_3000 = None\n"
			"main:   u1_3000 = None\n"
			"main:   u1_3000 = -1\n"
			"main: u1_2000 = None\n"
			"main: u1_2000 = -1\n");
}

/* Two probes at an entry and two at a return are one slice. */
static void twice(void **state)
{
	struct line l;
	int i;

	(void)state;
	begin(&l);
	l.show.build.probes[G].addr = l.show.build.probes[G_BACK].addr = 0x20000;
	ready(&l);
	for (i = 0; i < 4; i++) {
		l.sp += i & 1 ? 16 : 0;
		hit(&l, i & 1 ? G : F, 1);
	}
	for (i = 0; i < 4; i++)
		hit(&l, i & 1 ? G_BACK : F_BACK, 1);
	timeline_is(&l, "main:   u1_2000 = -1\n"
			"main: u1_2000 = -1\n");
}

/* What is deeper is left out, and its end with it. */
static void too_deep(void **state)
{
	struct line l;
	int i;

	(void)state;
	begin(&l);
	ready(&l);
	for (i = 0; i < 1200; i++) {
		hit(&l, i < 600 ? F : F_BACK, 1);
		if (i % 20 == 0)
			trace_reader_drain(l.show.reader, false);
	}
	hit(&l, G, 1);
	shown_is(&l, "| grep -c 'main: *u1_2000 = -1\\|u1_3000\\.\\.\\.'", "513\n");
}

static void texts_and_numbers(void **state)
{
	struct { char text[16]; } text = { "a\xff \"b\"\n" };
	char key[16] = "k\n";
	uint32_t print, map, single;
	struct line l;

	(void)state;
	begin(&l);
	print = show_event(&l.show, TRACE_PRINTF, "<%s>\n", TYPES(&show_string));
	map = show_map(&l.show, "@n", KT_MAP_SUM, TYPES(&show_string), &show_int);
	single = show_map(&l.show, "@h", KT_MAP_HIST, NULL, &show_int);
	ready(&l);
	hit(&l, G, 1);
	emit(&l, print, F, 1, &text, 16);
	emit(&l, print, 4, 9, &text, 16);	/* a block's */
	show_add(&l.show, map, key, 7);
	show_add(&l.show, single, key, 7);
	trace_reader_drain(l.show.reader, true);
	show_add(&l.show, map, key, -10);
	timeline_is(&l, "main: <a\xef\xbf\xbd \"b\"\n>!\n"
			"script: <a\xef\xbf\xbd \"b\"\n>!\n"
			"@n[k\n] 7 -3\n"
			"u1_3000...\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls),
		cmocka_unit_test(lost),
		cmocka_unit_test(left),
		cmocka_unit_test(twice),
		cmocka_unit_test(too_deep),
		cmocka_unit_test(texts_and_numbers),
	};

	return cmocka_run_group_tests_name("trace_timeline", tests, NULL, NULL);
}
