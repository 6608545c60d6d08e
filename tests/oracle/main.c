/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The decoder beside its oracles, over words of several origins.
 *
 * usage: oracle random|rows|excuses COUNT SEED | halves | text|all FILE...
 *
 *   random   uniform words: (count, seed) fixes them
 *   rows     for each row of the map, COUNT words that it admits, and the same with
 *            one of its fixed bits the other way: the borders of the map
 *   halves   each instruction of two bytes
 *   excuses  for each row of what the oracles are excused for, COUNT words: each must
 *            be needed
 *   text     the executable sections of ELF files
 *   all      all words of files: a kernel's Image, text and data
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <fcntl.h>
#include <unistd.h>

#include "isa.h"
#include "random.h"

#define BATCH (1u << 20)	/* words an objdump */

#define CHANGED 4		/* instructions whose condition another one says, at most */

static uint32_t batch[BATCH + CHANGED];
static size_t batched, words, valid, wrong, excused[ORACLE_NR];

static void flush(void)
{
	if (batched)
		wrong += oracle_compare(batch, batched, excused);
	batched = 0;
}

static void add(uint32_t word)
{
	struct decoded decoded;
	int i;

	/* What has no length is no unit of code: whoever reads on stops there. */
	if (!isa_len(word))
		return;
	word = isa_cut(word);
	isa_decode(&decoded, word, 0);
	valid += decoded.class != isa.unallocated;
	words++;
	batch[batched++] = word;
	for (i = 0; i < CHANGED && isa.changes_next && isa.changes_next(word); i++)
		batch[batched++] = isa.nop;
	if (batched >= BATCH)
		flush();
}

static void add_random(uint64_t count, uint64_t state)
{
	size_t before = words;

	while (words - before < count)
		add((uint32_t)next_random(&state) | isa.ones);
}

static void add_rows(uint64_t count, uint64_t state)
{
	uint32_t mask, value;
	size_t i;
	uint64_t j;
	int bit;

	for (i = 0; oracle_row(i, &mask, &value); i++) {
		for (j = 0; j < count; j++) {
			uint32_t word = ((uint32_t)next_random(&state) & ~mask) | value;

			add(word);
			for (bit = 0; bit < 32; bit++)
				if (mask >> bit & 1)
					add(word ^ 1u << bit);
		}
	}
}

static void add_excused(uint64_t count, uint64_t state)
{
	size_t row;
	uint64_t i;
	uint32_t word;

	for (row = 0; oracle_excused_word(row, 0, &word); row++) {
		for (i = 0; i < count; i++) {
			oracle_excused_word(row, (uint32_t)next_random(&state), &word);
			add(word);
		}
	}
	flush();
	wrong += oracle_unused_excuses();
}

/* All that two bytes can be. */
static void add_halves(void)
{
	uint32_t half;

	for (half = 0; half < 0x10000; half++)
		if (isa_len(half) == 2)
			add(half);
}

/* A file, mapped for as long as this runs; NULL: it cannot be read. */
static const uint8_t *map_file(const char *path, size_t *len)
{
	int fd = open(path, O_RDONLY);
	struct stat st;
	void *file = MAP_FAILED;

	if (fd >= 0 && !fstat(fd, &st)) {
		*len = (size_t)st.st_size;
		file = mmap(NULL, *len, PROT_READ, MAP_PRIVATE, fd, 0);
	}
	if (fd >= 0)
		close(fd);
	return file == MAP_FAILED ? NULL : file;
}

static void add_words(const uint8_t *from, size_t len)
{
	uint32_t word;
	unsigned int unit;

	for (; len >= sizeof(word); len -= unit, from += unit) {
		memcpy(&word, from, sizeof(word));
		add(word);
		unit = isa_len(word) ? isa_len(word) : 2;
		if (unit > len)
			break;
	}
}

/* A section of a file's, of either class. */
static void add_section(const uint8_t *file, uint32_t type, uint64_t flags, uint64_t offset,
			uint64_t len)
{
	if (type == SHT_PROGBITS && (flags & SHF_EXECINSTR))
		add_words(file + offset, len);
}

static void add_text32(const uint8_t *file)
{
	const Elf32_Ehdr *head = (const void *)file;
	const Elf32_Shdr *sections = (const void *)(file + head->e_shoff);
	size_t i;

	for (i = 0; i < head->e_shnum; i++)
		add_section(file, sections[i].sh_type, sections[i].sh_flags,
			    sections[i].sh_offset, sections[i].sh_size);
}

static void add_text(const char *path)
{
	size_t i, len;
	const uint8_t *file = map_file(path, &len);
	const Elf64_Ehdr *head = (const void *)file;
	const Elf64_Shdr *sections;

	/* Up to the machine both classes are the same. */
	if (!file || len < sizeof(*head) || memcmp(head->e_ident, ELFMAG, SELFMAG) ||
	    head->e_machine != isa.machine)
		return;
	if (head->e_ident[EI_CLASS] == ELFCLASS32) {
		add_text32(file);
		return;
	}
	sections = (const void *)(file + head->e_shoff);
	for (i = 0; i < head->e_shnum; i++)
		add_section(file, sections[i].sh_type, sections[i].sh_flags,
			    sections[i].sh_offset, sections[i].sh_size);
}

static void add_file(const char *path)
{
	size_t len;
	const uint8_t *file = map_file(path, &len);

	if (file)
		add_words(file, len);
}

static int finish(const char *name)
{
	flush();
	printf("%sok %s-%s %zu words, %zu allocated, %zu excuses of llvm, %zu of objdump, %zu differences\n",
	       wrong || !words ? "not " : "", isa.name, name, words, valid, excused[ORACLE_LLVM],
	       excused[ORACLE_OBJDUMP], wrong);
	return wrong || !words;
}

int main(int argc, char **argv)
{
	uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 0) : 0;
	uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 0) : 1;
	int i, failed = 0;

	if (argc > 2 && !strcmp(argv[1], "random")) {
		add_random(count, seed);
		return finish("random");
	}
	if (argc > 1 && !strcmp(argv[1], "halves")) {
		add_halves();
		return finish("halves");
	}
	if (argc > 2 && !strcmp(argv[1], "rows")) {
		add_rows(count, seed);
		return finish("rows");
	}
	if (argc > 2 && !strcmp(argv[1], "excuses")) {
		add_excused(count, seed);
		return finish("excuses");
	}
	if (argc < 3 || (strcmp(argv[1], "text") && strcmp(argv[1], "all"))) {
		fprintf(stderr, "usage: oracle random|rows|excuses COUNT SEED | halves | text|all FILE...\n");
		return 2;
	}
	for (i = 2; i < argc; i++) {
		const char *base = strrchr(argv[i], '/');

		words = valid = wrong = excused[0] = excused[1] = 0;
		(argv[1][0] == 't' ? add_text : add_file)(argv[i]);
		failed |= finish(base ? base + 1 : argv[i]);
	}
	return failed;
}
