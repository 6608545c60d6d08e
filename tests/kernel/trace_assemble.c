// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * trace_assemble.c - programs for kprobes_trace.ko, assembled by hand.
 *
 * Owns: the layout of a program's parts, and the protocol of ../../trace/module/
 * kernel_api.h as a reader speaks it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "kt_host.h"
#include "trace.h"

u64 fake_nsecs;			/* map.c's clock, of programs that do not run here */

void die(const char *what)
{
	printf("not ok %s: %s\n", what, strerror(errno));
	exit(1);
}

void check(const char *name, bool good, const char *form, ...)
{
	va_list args;

	printf("%s %s\n", good ? "ok" : "not ok", name);
	if (!good) {
		printf("# ");
		va_start(args, form);
		vprintf(form, args);
		va_end(args);
		printf("\n");
	}
	fflush(stdout);
}

/* ---- assembling -------------------------------------------------------------- */

void begin(struct assembly *as)
{
	memset(as, 0, sizeof(*as));
	as->head.magic = KT_MAGIC;
	as->head.version = KT_VERSION;
	as->head.shards = 2;
	as->head.scratch = 256;
}

static void *grow(void *list, u32 nr, size_t each)
{
	/* A power of two at a time. */
	if (nr & (nr - 1))
		return list;
	list = realloc(list, (nr ? 2 * nr : 1) * each);
	if (!list)
		die("memory");
	return list;
}

static struct kt_probe *new_probe(struct assembly *as, u32 kind, const char *symbol)
{
	struct kt_program *head = &as->head;
	u32 len = (u32)strlen(symbol) + 1;
	struct kt_probe *added;

	as->probes = grow(as->probes, head->probes_nr, sizeof(*as->probes));
	as->names = realloc(as->names, head->names_len + len);
	if (!as->names)
		die("memory");
	memcpy(as->names + head->names_len, symbol, len);
	added = &as->probes[head->probes_nr++];
	*added = (struct kt_probe){ .kind = kind, .name = head->names_len };
	head->names_len += len;
	return added;
}

void probe(struct assembly *as, u32 kind, const char *symbol)
{
	new_probe(as, kind, symbol)->first = as->head.insns_nr;
}

void probe_too(struct assembly *as, u32 kind, const char *symbol)
{
	struct kt_probe *added = new_probe(as, kind, symbol);

	added->first = added[-1].first;
	added->nr = added[-1].nr;
}

void insn(struct assembly *as, u8 op, u8 a, u8 b, u8 c, s32 imm)
{
	struct kt_program *head = &as->head;

	as->insns = grow(as->insns, head->insns_nr, sizeof(*as->insns));
	as->insns[head->insns_nr++] = (struct kt_insn){ op, a, b, c, imm };
	if (head->probes_nr)
		as->probes[head->probes_nr - 1].nr++;
}

void only_this_process(struct assembly *as)
{
	insn(as, KT_GET, 0, 0, 0, KT_GET_PID);
	insn(as, KT_EQI, 0, 0, 0, getpid());
	insn(as, KT_JNZ, 0, 0, 0, 1);
	insn(as, KT_END, 0, 0, 0, 0);
}

u32 map(struct assembly *as, u32 kind, u32 key_len, u32 keys)
{
	struct kt_map *added = &as->maps[as->head.maps_nr];

	*added = (struct kt_map){
		.kind = kind,
		.key_len = key_len,
		.value_len = kind == KT_MAP_VALUE ? 8 : 0,
		.keys = keys,
	};
	return as->head.maps_nr++;
}

static u32 put(u8 **program, u32 *size, const void *bytes, u32 len)
{
	u32 at = *size;

	*size += (len + 7) & ~7u;
	*program = realloc(*program, *size);
	if (!*program)
		die("memory");
	memset(*program + at, 0, *size - at);
	if (len)
		memcpy(*program + at, bytes, len);
	return at;
}

void seal(void *program, u32 size)
{
	struct kt_program *head = program;

	head->size = size;
	head->sum = kt_sum((u8 *)program + KT_SUM_END, size - KT_SUM_END);
}

void *assemble(struct assembly *as, u32 *size)
{
	struct kt_program *head = &as->head;
	u8 *program = NULL;

	*size = 0;
	put(&program, size, head, sizeof(*head));
	head->probes = put(&program, size, as->probes,
			   head->probes_nr * (u32)sizeof(*as->probes));
	head->insns = put(&program, size, as->insns,
			  head->insns_nr * (u32)sizeof(*as->insns));
	head->maps = put(&program, size, as->maps,
			 head->maps_nr * (u32)sizeof(*as->maps));
	head->data = put(&program, size, NULL, 0);
	head->names = put(&program, size, as->names, head->names_len);
	memcpy(program, head, sizeof(*head));
	seal(program, *size);
	free(as->probes);
	free(as->insns);
	free(as->names);
	memset(as, 0, sizeof(*as));
	return program;
}

/* ---- a reader ---------------------------------------------------------------- */

void tracer_open(struct tracer *t)
{
	memset(t, 0, sizeof(*t));
	t->file = open(KT_KERNEL_FILE, O_RDWR | O_CLOEXEC);
	if (t->file < 0)
		die("open " KT_KERNEL_FILE);
}

void tracer_load(struct tracer *t, struct assembly *as)
{
	const char *wrong;
	char said[256];
	ssize_t len;

	t->program = assemble(as, &t->size);
	wrong = kt_check(t->program, t->size, &t->vm);
	if (wrong) {
		printf("not ok the program is right\n# %s\n", wrong);
		exit(1);
	}
	if (write(t->file, t->program, t->size) == (ssize_t)t->size)
		return;
	len = pread(t->file, said, sizeof(said) - 1, 0);
	said[len > 0 ? len : 0] = 0;
	printf("# %s", said);
	die("write of a program");
}

void tracer_map(struct tracer *t)
{
	t->arena = mmap(NULL, t->vm.layout.size, PROT_READ | PROT_WRITE,
			MAP_SHARED, t->file, 0);
	if (t->arena == MAP_FAILED)
		die("mmap of the arena");
	kt_arena_begin(&t->vm, t->arena, 0);
}

int tracer_start(struct tracer *t)
{
	int refused = ioctl(t->file, KT_KERNEL_START);

	if (refused < 0)
		die("KT_KERNEL_START");
	return refused;
}

void tracer_stop(struct tracer *t)
{
	if (ioctl(t->file, KT_KERNEL_STOP))
		die("KT_KERNEL_STOP");
}

void tracer_close(struct tracer *t)
{
	if (t->arena)
		munmap(t->arena, t->vm.layout.size);
	close(t->file);
	free(t->program);
}

void tracer_run(struct tracer *t, struct assembly *as)
{
	tracer_open(t);
	tracer_load(t, as);
	tracer_map(t);
	if (tracer_start(t)) {
		char said[512];
		ssize_t len = pread(t->file, said, sizeof(said) - 1, 0);

		said[len > 0 ? len : 0] = 0;
		printf("not ok no probe is refused\n# %s", said);
	}
}

struct kt_probe_state *state_of(const struct tracer *t, u32 number)
{
	struct kt_probe_state *states = (void *)(t->vm.arena + t->vm.layout.probes);

	return &states[number];
}

u32 next_event(struct tracer *t, struct kt_record *record)
{
	u64 skipped = 0;
	u32 shard, len;

	for (shard = 0; shard < t->vm.program->shards; shard++) {
		len = kt_ring_take(&t->vm, shard, record, &skipped);
		if (skipped)
			die("a ring makes no sense");
		if (len)
			return len;
	}
	return 0;
}
