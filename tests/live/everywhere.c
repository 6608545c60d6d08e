/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * everywhere.c - usage: everywhere [FUNCTIONS [STRIDE [SEED]]]
 *
 * A probe at each instruction of FUNCTIONS functions of libc and as many of
 * sqlite: at all of them at once; then one at a time at each STRIDEth of them.
 * Each time what can have a jump has it before the work is done, and the work's
 * result is compared with that of the run without probes.
 */
#include "text.h"

#include "work.h"

#include <dlfcn.h>
#include <stdint.h>
#include <time.h>

#include "insn.h"

struct function {
	const uint8_t *code;
	size_t len;
};

struct spot {
	struct kprobe probe;
	unsigned long hits;
	int err;
};

static struct spot *spots;
static size_t spots_nr;
static unsigned long expected;

/* ---- functions and their instructions -------------------------------------------- */

/* What .eh_frame_hdr lists: pairs of a function and its FDE, as distances. */
struct unwind_header {
	uint8_t version, frame_encoding, count_encoding, table_encoding;
	int32_t frame;
	uint32_t nr;
	int32_t table[][2];
};

struct object {
	const char *name;
	const struct unwind_header *header;
};

static int find_header(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct object *object = arg;
	int i;

	(void)size;
	if (!strstr(info->dlpi_name, object->name))
		return 0;
	for (i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
			object->header = (void *)(info->dlpi_addr +
						  info->dlpi_phdr[i].p_vaddr);
	return 1;
}

static struct function function_at(const struct unwind_header *header,
				   uint32_t i)
{
	const uint8_t *base = (const uint8_t *)header;
	const uint8_t *fde = base + header->table[i][1];
	uint32_t len;

	/* Length, distance to the CIE, start: then the function's length. */
	memcpy(&len, fde + 12, sizeof(len));
	return (struct function){ base + header->table[i][0], len };
}

static void add_instructions(struct function f)
{
	size_t at = 0;

	while (at < f.len) {
		struct kp_insn insn;

		if (kp_insn_decode(&insn, f.code + at, f.len - at, KP_INSN_64))
			return;
		/* A system call that the engine watches. */
		if (f.code[at] == 0xcc && f.len - at > 1 && f.code[at + 1] == 5)
			insn.length = 2;
		if (!(spots_nr & (spots_nr - 1)))
			spots = realloc(spots, (spots_nr ? spots_nr * 2 : 1) *
						       sizeof(*spots));
		memset(&spots[spots_nr], 0, sizeof(*spots));
		spots[spots_nr++].probe.addr =
			(kprobe_opcode_t *)(unsigned long)(f.code + at);
		at += insn.length;
	}
}

/* Evenly from the whole object; how many functions. */
static size_t add_object(const char *name, size_t wanted)
{
	struct object object = { name, NULL };
	size_t i, nr;

	dl_iterate_phdr(find_header, &object);
	/* pc-relative, all of 4 bytes: what every linker makes. */
	if (!object.header || object.header->count_encoding != 3 ||
	    object.header->table_encoding != 0x3b)
		return 0;
	nr = object.header->nr < wanted ? object.header->nr : wanted;
	for (i = 0; i < nr; i++)
		add_instructions(function_at(object.header,
			(uint32_t)(i * object.header->nr / nr)));
	return nr;
}

/* ---- probes ------------------------------------------------------------------------- */

static int on_hit(struct kprobe *p, struct pt_regs *regs)
{
	struct spot *spot = (struct spot *)p;

	(void)regs;
	__atomic_fetch_add(&spot->hits, 1, __ATOMIC_RELAXED);
	return 0;
}

/* Also after unregistering, which leaves it disabled. */
static void make(struct spot *spot)
{
	spot->probe = (struct kprobe){ .addr = spot->probe.addr,
				       .pre_handler = on_hit };
}

static bool put(struct spot *spot)
{
	make(spot);
	spot->err = register_kprobe(&spot->probe);
	return !spot->err;
}

/* A batch at a time; where one is refused, one by one. */
#define BATCH 1024

static size_t put_all(void)
{
	struct kprobe *list[BATCH];
	size_t i, j, nr, armed = 0;

	for (i = 0; i < spots_nr; i += nr) {
		nr = spots_nr - i < BATCH ? spots_nr - i : BATCH;
		for (j = 0; j < nr; j++) {
			make(&spots[i + j]);
			list[j] = &spots[i + j].probe;
		}
		if (!register_kprobes(list, (int)nr)) {
			armed += nr;
			continue;
		}
		for (j = 0; j < nr; j++)
			armed += put(&spots[i + j]);
	}
	return armed;
}

static void take_all(void)
{
	struct kprobe *list[BATCH];
	size_t i, nr = 0;

	for (i = 0; i < spots_nr; i++) {
		if (!spots[i].err)
			list[nr++] = &spots[i].probe;
		if (nr && (nr == BATCH || i + 1 == spots_nr)) {
			unregister_kprobes(list, (int)nr);
			nr = 0;
		}
	}
}

/* It is armed. */
static bool has_jump(const struct spot *spot)
{
	return *(volatile const uint8_t *)spot->probe.addr != 0xcc;
}

static bool works(void)
{
	return work() == expected;
}

/* Why there is no jump, or no probe: the texts and how often. */
static struct reason {
	const char *text;
	size_t nr;
} reasons[64];

static void count_reason(const struct kprobe *p)
{
	const char *text = p->reason ? p->reason : "no reason given";
	int i;

	for (i = 0; i < 63 && reasons[i].text; i++)
		if (!strcmp(reasons[i].text, text))
			break;
	reasons[i].text = text;
	reasons[i].nr++;
}

static void say_reasons(void)
{
	int i;

	for (i = 0; i < 64 && reasons[i].text; i++)
		printf("#   %zu %s\n", reasons[i].nr, reasons[i].text);
	memset(reasons, 0, sizeof(reasons));
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void say_place(const struct spot *spot)
{
	Dl_info info = { 0 };

	dladdr(spot->probe.addr, &info);
	printf("#   no boundary: %s+0x%lx, behind %s\n", info.dli_fname,
	       (unsigned long)spot->probe.addr - (unsigned long)info.dli_fbase,
	       info.dli_sname ? info.dli_sname : "nothing");
}

static void all_at_once(void)
{
	size_t i, armed, jumps = 0, hit = 0, strange = 0;
	double start = seconds(), ready;
	bool same;

	armed = put_all();
	kprobes_flush();
	ready = seconds();
	same = works() && works();
	printf("# all at once: %.1f s to put them there, %.3f s for the work\n",
	       ready - start, seconds() - ready);
	for (i = 0; i < spots_nr; i++) {
		struct spot *spot = &spots[i];

		hit += spot->hits > 0;
		if (spot->err && strstr(spot->probe.reason, "boundary")) {
			strange++;
			say_place(spot);
		}
		if (!spot->err && has_jump(spot))
			jumps++;
		else
			count_reason(&spot->probe);
	}
	take_all();
	printf("# %zu instructions, %zu probed, %zu with jumps, %zu executed\n",
	       spots_nr, armed, jumps, hit);
	say_reasons();
	EXPECT("everywhere: all at once, the same result", same);
	EXPECT("everywhere: instructions are where we say", !strange);
	EXPECT("everywhere: most have jumps at once", jumps > armed / 3);
	EXPECT("everywhere: the work executes some", hit > 1000);
	EXPECT("everywhere: all at once, text restored", !text_changed());
}

/* The work takes long: not for each probe that it will not hit. */
#define IDLE_STRIDE 32

static void one_at_a_time(size_t stride, size_t from)
{
	size_t i, armed = 0, jumps = 0, wrong = 0, hit = 0;
	double start = seconds();

	for (i = from; i < spots_nr; i += stride) {
		struct spot *spot = &spots[i];
		bool executed = spot->hits || i / stride % IDLE_STRIDE == 0;

		spot->hits = 0;
		if (!put(spot)) {
			count_reason(&spot->probe);
			continue;
		}
		kprobes_flush();
		armed++;
		if (has_jump(spot))
			jumps++;
		else
			count_reason(&spot->probe);
		if (executed && !works()) {
			if (!wrong++)
				printf("# wrong first at %p\n",
				       (void *)spot->probe.addr);
		}
		unregister_kprobe(&spot->probe);
		hit += spot->hits > 0;
	}
	printf("# one at a time: %zu probed, %zu with jumps, %zu executed, %.1f s\n",
	       armed, jumps, hit, seconds() - start);
	say_reasons();
	EXPECT("everywhere: the work executes some of these", hit > armed / 50);
	EXPECT("everywhere: one at a time, the same result", !wrong);
	EXPECT("everywhere: nearly all have jumps one at a time",
	       jumps > armed * 95 / 100);
	EXPECT("everywhere: one at a time, text restored", !text_changed());
}

int main(int argc, char **argv)
{
	size_t functions = argc > 1 ? (size_t)atol(argv[1]) : 300;
	size_t stride = argc > 2 ? (size_t)atol(argv[2]) : 101;
	unsigned int seed = argc > 3 ? (unsigned int)atol(argv[3])
				     : (unsigned int)time(NULL);
	size_t libc, sqlite;

	work_start();
	expected = work();
	EXPECT("everywhere: the work's result is always the same", works());
	libc = add_object("/libc.so", functions);
	sqlite = add_object("/libsqlite3", functions);
	printf("# %zu functions of libc, %zu of sqlite, seed %u\n", libc, sqlite,
	       seed);
	EXPECT("everywhere: functions found", libc && sqlite);
	text_snapshot();
	all_at_once();
	one_at_a_time(stride, seed % stride);
	return live_failed;
}
