/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * elf_file.h - sections of an ELF file, of 32-bit or of 64-bit code.
 *
 * Owns: what the two classes have in common.
 */
#ifndef KP_TESTS_INSN_ELF_FILE_H
#define KP_TESTS_INSN_ELF_FILE_H

#include <elf.h>
#include <string.h>

#include "insn.h"

struct elf_section {
	bool exec;		/* and in the file */
	size_t offset, size;
};

/* enum kp_insn_mode of its code; -1: it is no such file. */
static inline int elf_mode(const uint8_t *file, size_t size)
{
	const Elf64_Ehdr *header = (const void *)file;
	const Elf32_Ehdr *header32 = (const void *)file;

	if (size <= sizeof(*header) || memcmp(file, ELFMAG, SELFMAG))
		return -1;
	if (file[EI_CLASS] == ELFCLASS64)
		return header->e_machine == EM_X86_64 && header->e_shoff ? KP_INSN_64 : -1;
	return header32->e_machine == EM_386 && header32->e_shoff ? KP_INSN_32 : -1;
}

#define ELF_SECTION(out, file, nr, bits) __extension__ ({				\
	const Elf##bits##_Ehdr *header_ = (const void *)(file);				\
	const Elf##bits##_Shdr *section_ =						\
		(const Elf##bits##_Shdr *)(const void *)((file) + header_->e_shoff) + (nr); \
	bool there_ = (nr) < header_->e_shnum;						\
											\
	if (there_)									\
		*(out) = (struct elf_section){						\
			(section_->sh_flags & SHF_EXECINSTR) && section_->sh_type != SHT_NOBITS, \
			section_->sh_offset, section_->sh_size };			\
	there_;										\
})

/* Section nr of a file that has a mode; false: there are no more. */
static inline bool elf_section(struct elf_section *out, const uint8_t *file, unsigned int nr)
{
	if (file[EI_CLASS] == ELFCLASS64)
		return ELF_SECTION(out, file, nr, 64);
	return ELF_SECTION(out, file, nr, 32);
}

#endif
