/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Seeded random bytes against Zydis, in both modes, one process a core.
 *
 * usage: fuzz_zydis COUNT SEED [WORKERS]
 *
 * Invariant: (count, seed, workers) fixes every byte string tried, whatever
 * the machine.  A third of the strings is uniform, the rest is built from the
 * shapes of x86 encodings so that deep rows of the map are reached.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compare.h"

#define BYTES 24
#define MAX_WORKERS 16
#ifndef SHOWN
#define SHOWN 60	/* differences printed by a worker */
#endif

struct tally {
	uint64_t tried, valid, wrong;
	uint64_t knc, phantom;	/* known exceptions: see compare.c */
};

static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9E3779B97F4A7C15ull;

	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
	z = (z ^ z >> 27) * 0x94D049BB133111EBull;
	return z ^ z >> 31;
}

static size_t put_prefixes(uint8_t *bytes, uint64_t r)
{
	static const uint8_t set[16] = { 0x66, 0xF2, 0xF3, 0x66, 0x67, 0xF0, 0x2E, 0x36,
					 0x3E, 0x26, 0x64, 0x65, 0x48, 0x41, 0x4F, 0x44 };
	size_t i, nr = (r & 3) == 3 ? (r >> 2 & 3) : (r & 3) == 2;

	for (i = 0; i < nr; i++)
		bytes[i] = set[r >> (4 + 4 * i) & 15];
	return nr;
}

/* Most bits of the payload as a compiler would set them; each may differ. */
static void put_evex(uint8_t *bytes, uint64_t r)
{
	bytes[0] = 0x62;
	bytes[1] = (uint8_t)((r & 0xF0) | (r >> 8 & 7));
	bytes[2] = (uint8_t)((r >> 16 & 0x83) | 0x04 | ((r >> 24 & 1) ? 0x78 : (r >> 32 & 0x78)));
	bytes[3] = (uint8_t)((r >> 40 & 0x60) | ((r >> 48 & 1) ? 0x08 : (r >> 52 & 0x9F)));
	if (!(r >> 60 & 3))
		bytes[1] |= 0xF0;
}

static void put_vex3(uint8_t *bytes, uint64_t r)
{
	bytes[0] = r & 7 ? 0xC4 : 0x8F;
	bytes[1] = (uint8_t)((r >> 8 & 0xE0) | (bytes[0] == 0xC4 ? 1 + (r >> 16) % 3 : 8 + (r >> 16) % 3));
	bytes[2] = (uint8_t)((r >> 24 & 0x87) | ((r >> 32 & 1) ? 0x78 : (r >> 40 & 0x78)));
}

static void put_shape(uint8_t *bytes, uint64_t *state)
{
	uint64_t r = next_random(state);
	size_t at = r & 1 ? put_prefixes(bytes, next_random(state)) : 0;

	switch (r >> 8 & 15) {
	case 0: case 1: case 2: case 3: case 4:
		put_evex(bytes + at, next_random(state));
		break;
	case 5: case 6: case 7:
		put_vex3(bytes + at, next_random(state));
		break;
	case 8:
		bytes[at] = 0xC5;
		if (r >> 16 & 1)
			bytes[at + 1] |= 0x78;
		break;
	case 9: case 10:
		bytes[at] = 0x0F;
		break;
	case 11: case 12:
		bytes[at] = 0x0F;
		bytes[at + 1] = 0x38;
		break;
	case 13:
		bytes[at] = 0x0F;
		bytes[at + 1] = 0x3A;
		break;
	case 14:
		bytes[at] = 0x0F;
		bytes[at + 1] = r >> 16 & 1 ? 0x0F : 0x01;
		break;
	default:
		break;
	}
}

static void make_bytes(uint8_t *bytes, uint64_t *state)
{
	uint64_t r[3] = { next_random(state), next_random(state), next_random(state) };
	size_t i;

	for (i = 0; i < BYTES; i++)
		bytes[i] = (uint8_t)(r[i / 8] >> (i % 8 * 8));
	if (next_random(state) % 3)
		put_shape(bytes, state);
}

static void work(struct tally *tally, uint64_t count, uint64_t seed)
{
	struct oracle oracles[2];
	uint64_t state = seed;
	uint8_t bytes[BYTES];
	const char *field;
	size_t len;

	oracle_open(&oracles[0], KP_INSN_64);
	oracle_open(&oracles[1], KP_INSN_32);
	for (; tally->tried < count; tally->tried++) {
		struct oracle *oracle = &oracles[tally->tried % 2];

		make_bytes(bytes, &state);
		field = compare_at(oracle, bytes, BYTES, &len);
		tally->valid += len != 0;
		if (field && tally->wrong++ < SHOWN)
			compare_explain(oracle, bytes, BYTES, field);
	}
	tally->knc = oracles[0].knc + oracles[1].knc;
	tally->phantom = oracles[0].phantom + oracles[1].phantom;
	fflush(stdout);
}

static int run_workers(struct tally *tallies, int workers, uint64_t count, uint64_t seed)
{
	int i, status, failed = 0;

	fflush(stdout);
	for (i = 0; i < workers; i++) {
		if (fork() == 0) {
			work(&tallies[i], count / workers, seed + 0x1000003ull * i);
			_exit(0);
		}
	}
	for (i = 0; i < workers; i++)
		failed |= wait(&status) < 0 || status != 0;
	return failed;
}

int main(int argc, char **argv)
{
	uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 0) : 1000000;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	int i, failed, workers = argc > 3 ? atoi(argv[3]) : (int)sysconf(_SC_NPROCESSORS_ONLN);
	struct tally sum = { 0 }, *tallies;

	if (workers < 1 || workers > MAX_WORKERS)
		workers = 1;
	setvbuf(stdout, NULL, _IOLBF, 0);
	tallies = mmap(NULL, sizeof(*tallies) * MAX_WORKERS, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (tallies == MAP_FAILED)
		return 1;
	failed = run_workers(tallies, workers, count, seed);
	for (i = 0; i < workers; i++) {
		sum.tried += tallies[i].tried;
		sum.valid += tallies[i].valid;
		sum.wrong += tallies[i].wrong;
		sum.knc += tallies[i].knc;
		sum.phantom += tallies[i].phantom;
	}
	failed |= sum.wrong != 0;
	printf("%sok insn-fuzz-zydis seed %llu: %llu strings, %llu valid to Zydis, "
	       "%llu KNC, %llu phantom bases, %llu differences\n",
	       failed ? "not " : "", (unsigned long long)seed, (unsigned long long)sum.tried,
	       (unsigned long long)sum.valid, (unsigned long long)sum.knc,
	       (unsigned long long)sum.phantom, (unsigned long long)sum.wrong);
	return failed;
}
