/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * regions.c - reservations in real code, of any processor (regions.h).
 *
 * Owns: over all functions that ELF files name: whatever stands between a load that reserves
 * and the next store behind it that wants it is refused, both included; and in a function
 * that has no such store the loads alone are.  Prints how much of all is refused.
 *
 * usage: regions FILE...
 */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "regions.h"

static const uint8_t *file;
static size_t file_len;
static size_t functions, insns, pairs, refused, wrong;

/* Addresses are offsets in the file: code is where it is loaded, relative to itself. */
static int read_file(uint8_t *dst, uintptr_t addr, size_t len)
{
	if (addr > file_len || len > file_len - addr)
		return -EFAULT;
	memcpy(dst, file + addr, len);
	return 0;
}

static unsigned int decode_at(struct region_insn *insn, size_t at, size_t end)
{
	uint32_t word = 0;

	read_file((uint8_t *)&word, at, end - at < 4 ? end - at : 4);
	*insn = region_decode(word);
	return insn->len;
}

/* The store-conditional behind the load at @at, if the next of both is one; or 0. */
static size_t store_of(size_t at, size_t end)
{
	struct region_insn insn;
	unsigned int len = decode_at(&insn, at, end);

	for (at += len; at < end && len; at += len) {
		len = decode_at(&insn, at, end);
		if (insn.load)
			return 0;
		if (insn.store)
			return at;
	}
	return 0;
}

static bool has_store(size_t start, size_t end)
{
	struct region_insn insn;
	unsigned int len = 1;
	size_t at;

	for (at = start; at < end && len; at += len) {
		len = decode_at(&insn, at, end);
		if (insn.store)
			return true;
	}
	return false;
}

static void check_function(size_t start, size_t end, const char *name)
{
	bool stores = has_store(start, end);
	struct region_insn insn;
	size_t at, until = 0;
	unsigned int len = 1;

	functions++;
	for (at = start; at < end && len; at += len) {
		bool is, must;

		len = decode_at(&insn, at, end);
		is = region_is_reserved(start, end - start, at, read_file);
		if (insn.load && store_of(at, end)) {
			until = store_of(at, end);
			pairs++;
		}
		must = insn.load || (until && at <= until);
		insns++;
		refused += is;
		if (must ? is : stores || !is)
			continue;
		printf("# %s+%#zx is %srefused\n", name, at - start, is ? "" : "not ");
		wrong++;
	}
}

/* Where in the file the address is; 0: in none of its code. */
static size_t offset_of(const Elf64_Ehdr *head, uint64_t addr)
{
	const Elf64_Phdr *part = (const void *)(file + head->e_phoff);
	size_t i;

	for (i = 0; i < head->e_phnum; i++)
		if (part[i].p_type == PT_LOAD && (part[i].p_flags & PF_X) &&
		    addr - part[i].p_vaddr < part[i].p_filesz)
			return addr - part[i].p_vaddr + part[i].p_offset;
	return 0;
}

static void check_symbols(const Elf64_Ehdr *head, const Elf64_Shdr *section,
			  const Elf64_Shdr *names)
{
	const Elf64_Sym *symbol = (const void *)(file + section->sh_offset);
	size_t nr = section->sh_size / sizeof(*symbol);

	for (; nr--; symbol++) {
		size_t at = offset_of(head, symbol->st_value);

		if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_size && at)
			check_function(at, at + symbol->st_size,
				       (const char *)file + names->sh_offset + symbol->st_name);
	}
}

static void check_file(const char *path)
{
	int fd = open(path, O_RDONLY);
	const Elf64_Shdr *section;
	const Elf64_Ehdr *head;
	struct stat st;
	size_t i;

	if (fd < 0 || fstat(fd, &st))
		return;
	file_len = (size_t)st.st_size;
	file = mmap(NULL, file_len, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	head = (const void *)file;
	if (file == MAP_FAILED || file_len < sizeof(*head) ||
	    memcmp(head->e_ident, ELFMAG, SELFMAG) || head->e_machine != region_machine)
		return;
	section = (const void *)(file + head->e_shoff);
	for (i = 0; i < head->e_shnum; i++)
		if (section[i].sh_type == SHT_DYNSYM || section[i].sh_type == SHT_SYMTAB)
			check_symbols(head, &section[i], &section[section[i].sh_link]);
}

int main(int argc, char **argv)
{
	int i, failed = 0;

	for (i = 1; i < argc; i++) {
		const char *base = strrchr(argv[i], '/');

		functions = insns = pairs = refused = wrong = 0;
		check_file(argv[i]);
		printf("%sok %s-regions-%s %zu functions, %zu instructions, %zu pairs, %zu refused, %zu differences\n",
		       wrong || !functions ? "not " : "", region_name, base ? base + 1 : argv[i], functions, insns,
		       pairs, refused, wrong);
		failed |= wrong || !functions;
	}
	return failed;
}
