// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * coverage.c - of how many instructions could a probe be a jump?
 *
 * Owns: the count, instruction by instruction, over every function of ELF
 * files: probeable at all; optimized under the documentation's rules; optimized
 * by this engine, and in which way; what stays on the breakpoint, and why.  The
 * engine's own decoder and planner decide, one probe at a time; whether the
 * plan's target is free is judged for the file alone in an address space.
 *
 * The classifier's word is no proof: bench/coverage/sample.c really probes.
 *
 * Usage: coverage FILE...
 *    coverage --entries FILE          where functions start, from the file's start
 *    coverage --pick N SEED FILE IN   N random instructions of those functions
 *                                     that start where the file IN says
 */
#include "functions.h"
#include "arch.h"
#include "insn.h"
#include "jump.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIBRARY_BASE	0x7f5a12400000ul	/* a typical place */
#define HIGHEST		0x7ffffffff000ul
#define MODULES_START	0xffffffffc0000000ul	/* with KASLR built in */
#define MODULES_END	0xffffffffff000000ul
#define LOWEST		0x10000ul		/* mmap_min_addr */
#define REASONS_MAX	64
#define WAYS_MAX	256

struct counts {
	size_t instructions, refused, linux_rules, way_a, way_b, way_c;
	size_t undecodable;		/* functions not decoded to their end */
	struct { const char *text; size_t nr; } reasons[REASONS_MAX];
};

struct insn_at {
	unsigned int off;
	struct kp_insn insn;
};

static void count_reason(struct counts *counts, const char *text)
{
	size_t i;

	for (i = 0; i < REASONS_MAX && counts->reasons[i].text; i++)
		if (!strcmp(counts->reasons[i].text, text))
			break;
	if (i == REASONS_MAX)
		return;
	counts->reasons[i].text = text;
	counts->reasons[i].nr++;
}

/* ---- one function, decoded -------------------------------------------------- */

static struct insn_at *decoded;
static size_t decoded_nr, decoded_max;

/* All instructions; false when some byte is none. */
static bool decode(const uint8_t *bytes, size_t len, size_t avail)
{
	size_t off = 0;

	decoded_nr = 0;
	while (off < len) {
		if (decoded_nr == decoded_max) {
			decoded_max = decoded_max ? decoded_max * 2 : 1024;
			decoded = realloc(decoded,
					  decoded_max * sizeof(*decoded));
		}
		if (kp_insn_decode(&decoded[decoded_nr].insn, bytes + off,
				   avail - off, KP_INSN_64))
			return false;
		decoded[decoded_nr].off = (unsigned int)off;
		off += decoded[decoded_nr++].insn.length;
	}
	return true;
}

/* Bytes of padding behind the function that are no function's. */
static size_t padding(const uint8_t *bytes, size_t len, size_t room)
{
	struct kp_insn insn;
	size_t off = len;

	while (off < room && !kp_insn_decode(&insn, bytes + off, room - off,
					     KP_INSN_64) &&
	       (bytes[off] == 0xcc || bytes[off] == 0x90 ||
		(insn.map == KP_INSN_MAP_0F && insn.opcode == 0x1f)))
		off += insn.length;
	return off - len;
}

/* ---- the documentation's rules ------------------------------------------------ */

static bool has_indirect_jump(void)
{
	size_t i;

	for (i = 0; i < decoded_nr; i++)
		if (decoded[i].insn.flow == KP_INSN_FLOW_JMP_IND)
			return true;
	return false;
}

/* One byte for each of the function's: a jump or call of its own leads there. */
static uint8_t *led_to;

static void mark_targets(size_t len)
{
	static size_t max;
	size_t i;

	if (len > max)
		led_to = realloc(led_to, max = len * 2);
	memset(led_to, 0, len);
	for (i = 0; i < decoded_nr; i++) {
		int64_t to = decoded[i].off +
			     kp_insn_rel_target(&decoded[i].insn);

		if (kp_insn_is_rel_branch(&decoded[i].insn) && to >= 0 &&
		    (size_t)to < len)
			led_to[to] = 1;
	}
}

static bool jumped_into(unsigned int off)
{
	return led_to[off + 1] | led_to[off + 2] | led_to[off + 3] |
	       led_to[off + 4];
}

static bool documented(size_t i, size_t len, bool indirect)
{
	unsigned int off = decoded[i].off;
	size_t j;

	if (indirect || off + 5 > len || jumped_into(off))
		return false;
	for (j = i; j < decoded_nr && decoded[j].off < off + 5; j++)
		if (decoded[j].insn.flow != KP_INSN_FLOW_NONE &&
		    decoded[j].insn.flow != KP_INSN_FLOW_RET)
			return false;
	return true;
}

/* ---- ours -------------------------------------------------------------------- */

static bool is_free(const struct object *object, uintptr_t base, uintptr_t at)
{
	uintptr_t bias = object->fixed ? 0 : base;

	if (object->kernel)
		return at >= MODULES_START && at < MODULES_END;
	if (at < LOWEST || at > HIGHEST)
		return false;
	return at + KP_ARCH_HEAD_LEN <= object->start + bias ||
	       at >= object->end + bias + 4096;
}

/* Is there a place for the head?  The jump's free bits are tried at random. */
static bool placeable(const struct object *object, uintptr_t base,
		      const struct kp_arch_jump *jump)
{
	static uint64_t x = 88172645463325252ul;
	int i;

	for (i = 0; i < 128; i++) {
		uint32_t disp;

		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		disp = ((uint32_t)x & ~jump->mask) | jump->value;
		if (is_free(object, base,
			    jump->base + (uintptr_t)(intptr_t)(int32_t)disp))
			return true;
		if (!~jump->mask)
			return false;
	}
	return false;
}

static void plan(const struct object *object, uintptr_t addr,
		 const struct kp_arch_probe *ap, const uint8_t *bytes,
		 size_t avail, size_t extent, struct counts *counts)
{
	const char *reason = "no place for the jump's target", *last = NULL;
	struct kp_arch_jump jump;
	unsigned int n;

	for (n = 0; n < WAYS_MAX; n++) {
		if (kp_arch_jump_way(&jump, ap, bytes, avail, extent, n, &last))
			break;
		if (!placeable(object, LIBRARY_BASE, &jump))
			continue;
		if (jump.inner_nr)
			counts->way_c++;
		else if (jump.len > jump.patched)
			counts->way_b++;
		else
			counts->way_a++;
		return;
	}
	(void)addr;
	count_reason(counts, last ? last : reason);
}

static void count_function(const struct object *object,
			   const struct function *f, struct counts *counts)
{
	uintptr_t bias = object->fixed ? 0 : LIBRARY_BASE;
	size_t avail, i, extent;
	const uint8_t *bytes = object_bytes(object, f->addr, &avail);
	bool whole = decode(bytes, f->len, avail), indirect;

	counts->undecodable += !whole;
	indirect = !whole || has_indirect_jump();
	mark_targets(f->len);
	extent = f->len + padding(bytes, f->len, f->room);
	for (i = 0; i < decoded_nr; i++) {
		unsigned int off = decoded[i].off;
		struct kp_arch_probe ap;
		const char *reason;

		counts->instructions++;
		if (kp_arch_prepare(&ap, f->addr + bias + off, bytes + off,
				    avail - off, object->kernel ? 0 : KP_ARCH_USER,
				    &reason)) {
			counts->refused++;
			continue;
		}
		counts->linux_rules += documented(i, f->len, indirect);
		plan(object, f->addr + off, &ap, bytes + off, avail - off,
		     extent - off, counts);
	}
}

/* ---- output ------------------------------------------------------------------- */

static double percent(size_t part, size_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void print(const struct object *object, const struct counts *c)
{
	const char *slash = strrchr(object->path, '/');
	const char *name = slash ? slash + 1 : object->path;
	size_t probeable = c->instructions - c->refused;
	size_t ours = c->way_a + c->way_b + c->way_c, i;

	printf("coverage\t%s\t%s\t%zu\t%zu\t%.2f\t%.2f\t%.1f\t%.1f\t%.1f\n",
	       name, object->kernel ? "kernel" :
	       object->fixed  ? "fixed" :
				"pic", c->instructions,
	       c->refused, percent(c->linux_rules, probeable),
	       percent(ours, probeable), percent(c->way_a, probeable),
	       percent(c->way_b, probeable), percent(c->way_c, probeable));
	for (i = 0; i < REASONS_MAX && c->reasons[i].text; i++)
		printf("stays\t%s\t%zu\t%s\n", name, c->reasons[i].nr,
		       c->reasons[i].text);
	fflush(stdout);
}

static int count_object(const char *path)
{
	struct counts counts = { 0 };
	struct object object;
	size_t i;

	if (object_open(&object, path))
		return 1;
	for (i = 0; i < object.functions_nr; i++)
		count_function(&object, &object.functions[i], &counts);
	print(&object, &counts);
	return 0;
}

/* ---- samples ------------------------------------------------------------------ */

static int entries(const char *path)
{
	struct object object;
	size_t i;

	if (object_open(&object, path))
		return 1;
	for (i = 0; i < object.functions_nr; i++)
		printf("%lx\n", (unsigned long)(object.functions[i].addr -
					       object.start));
	return 0;
}

/* Keep the functions whose starts are listed, in order like they are. */
static int keep_listed(struct object *object, const char *path)
{
	FILE *in = fopen(path, "r");
	unsigned long off;
	size_t i = 0, nr = 0;

	if (!in) {
		perror(path);
		return -1;
	}
	while (fscanf(in, "%lx", &off) == 1) {
		while (i < object->functions_nr &&
		       object->functions[i].addr < object->start + off)
			i++;
		if (i < object->functions_nr &&
		    object->functions[i].addr == object->start + off)
			object->functions[nr++] = object->functions[i++];
	}
	fclose(in);
	object->functions_nr = nr;
	return 0;
}

/* Random instructions: a function's chance follows its length. */
static int pick(const char *path, size_t nr, unsigned int seed, const char *in)
{
	struct object object;
	size_t total = 0, i;

	if (object_open(&object, path) || keep_listed(&object, in))
		return 1;
	for (i = 0; i < object.functions_nr; i++)
		total += object.functions[i].len;
	srandom(seed);
	while (nr && total) {
		size_t at = ((size_t)random() << 31 ^ (size_t)random()) % total;
		size_t avail, j = 0;
		const uint8_t *bytes;

		nr--;
		for (i = 0; at >= object.functions[i].len; i++)
			at -= object.functions[i].len;
		bytes = object_bytes(&object, object.functions[i].addr, &avail);
		decode(bytes, object.functions[i].len, avail);
		while (j + 1 < decoded_nr && decoded[j + 1].off <= at)
			j++;
		if (decoded_nr)
			printf("%lx\n", (unsigned long)(object.functions[i].addr -
						       object.start +
						       decoded[j].off));
	}
	return 0;
}

int main(int argc, char **argv)
{
	int i, failed = 0;

	if (argc == 3 && !strcmp(argv[1], "--entries"))
		return entries(argv[2]);
	if (argc == 6 && !strcmp(argv[1], "--pick"))
		return pick(argv[4], strtoul(argv[2], NULL, 0),
			    (unsigned int)strtoul(argv[3], NULL, 0), argv[5]);
	for (i = 1; i < argc; i++)
		failed |= count_object(argv[i]);
	return failed;
}
