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
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compare.h"

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

static void walk_sections(struct count *count, const uint8_t *file, size_t size, bool every)
{
	const Elf64_Ehdr *header = (const void *)file;
	const Elf64_Shdr *sections = (const void *)(file + header->e_shoff);
	struct oracle oracle;
	int i;

	oracle_open(&oracle, KP_INSN_64);
	for (i = 0; i < header->e_shnum; i++) {
		if (!(sections[i].sh_flags & SHF_EXECINSTR) || sections[i].sh_type == SHT_NOBITS)
			continue;
		if (sections[i].sh_offset + sections[i].sh_size > size)
			continue;
		count->sections++;
		walk(count, &oracle, file + sections[i].sh_offset, sections[i].sh_size, every);
	}
	count->knc = oracle.knc;
	count->phantom = oracle.phantom;
}

static bool is_elf64_x86(const uint8_t *file, size_t size)
{
	const Elf64_Ehdr *header = (const void *)file;

	return size > sizeof(*header) && !memcmp(file, ELFMAG, SELFMAG) &&
	       file[EI_CLASS] == ELFCLASS64 && header->e_machine == EM_X86_64 && header->e_shoff;
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
	if (file == MAP_FAILED || !is_elf64_x86(file, st.st_size)) {
		printf("not ok insn-zydis-%s is not an x86-64 ELF file with sections\n", base);
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
