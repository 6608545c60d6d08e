/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The decoder against Zydis over the executable sections of ELF files.
 *
 * usage: oracle_zydis [-e] FILE...
 *
 * Owns the walk: from instruction to instruction, one byte on where both
 * refuse; with -e from every byte offset, which reaches the middle of
 * instructions and so a good part of the opcode space.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compare.h"
#include "elf_file.h"

#define SHOWN 20

struct count {
	size_t insns, refused, wrong, sections;
	uint64_t knc, phantom;	/* known exceptions: see compare.c */
};

static void walk(struct count *count, struct oracle *oracle, const uint8_t *text, size_t size,
		 bool every)
{
	size_t at = 0, len;
	const char *field;

	while (at < size) {
		field = compare_at(oracle, text + at, size - at, &len);
		count->insns += len != 0;
		count->refused += len == 0;
		if (field && count->wrong++ < SHOWN)
			compare_explain(oracle, text + at, size - at, field);
		at += every || !len ? 1 : len;
	}
}

static void walk_section(struct count *count, struct oracle *oracle, const uint8_t *file,
			 size_t size, const struct elf_section *section, bool every)
{
	if (!section->exec || section->offset > size || section->size > size - section->offset)
		return;
	count->sections++;
	walk(count, oracle, file + section->offset, section->size, every);
}

static void walk_sections(struct count *count, const uint8_t *file, size_t size, bool every)
{
	struct elf_section section;
	struct oracle oracle;
	unsigned int i;

	oracle_open(&oracle, elf_mode(file, size));
	for (i = 0; elf_section(&section, file, i); i++)
		walk_section(count, &oracle, file, size, &section, every);
	count->knc = oracle.knc;
	count->phantom = oracle.phantom;
}

static int sweep(const char *path, bool every)
{
	const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	struct count count = { 0 };
	struct stat st;
	int fd = open(path, O_RDONLY);
	const uint8_t *file;

	if (fd < 0 || fstat(fd, &st)) {
		printf("not ok insn-zydis-%s cannot be opened\n", base);
		return 1;
	}
	file = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (file == MAP_FAILED || elf_mode(file, st.st_size) < 0) {
		printf("not ok insn-zydis-%s is not an ELF file of x86 with sections\n", base);
		return 1;
	}
	walk_sections(&count, file, st.st_size, every);
	munmap((void *)file, st.st_size);
	printf("%sok insn-zydis%s-%s %zu sections, %zu instructions, %zu refused by both, "
	       "%llu KNC, %llu phantom bases, %zu differences\n",
	       count.wrong || !count.insns ? "not " : "", every ? "-every-byte" : "", base,
	       count.sections, count.insns, count.refused,
	       (unsigned long long)count.knc, (unsigned long long)count.phantom, count.wrong);
	return count.wrong || !count.insns;
}

int main(int argc, char **argv)
{
	bool every = argc > 1 && !strcmp(argv[1], "-e");
	int i, failed = 0;

	for (i = 1 + every; i < argc; i++)
		failed |= sweep(argv[i], every);
	return failed;
}
