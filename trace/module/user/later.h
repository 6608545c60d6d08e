/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * later.h - objects that a process opens, closes and opens again while it is traced.
 *
 * Owns: struct kt_later, which the reader writes behind the program: what a program's places
 * are in.  An address in [base, base + len) is a place of that object, wherever it is opened
 * later; base is where it was when the program was compiled, or, of an object that was not
 * there, an address that no process has.  Objects are known by their content
 * (kt_later_sum()), not by their names.
 */
#ifndef KT_LATER_H
#define KT_LATER_H

#include "kt_types.h"

#include <elf.h>
#include <link.h>

#define KT_LATER_MAX 128
#define KT_LATER_SEMAPHORES 512
#define KT_LATER_NAMES 2048
/* Where objects that are not there begin.  No process has such addresses. */
#define KT_LATER_BASE (1ull << 60)

struct kt_later_object {
	u64 base, len;
	u64 sum;
	u32 there;			/* it was there when the program was compiled */
	u32 pad;
};

struct kt_later {
	u32 objects_nr, semaphores_nr;
	struct kt_later_object objects[KT_LATER_MAX];
	u64 semaphores[KT_LATER_SEMAPHORES];	/* words of theirs that count who looks */
	/* Patterns of file names that the script's places have; each ends with a 0. */
	char names[KT_LATER_NAMES];
};

/* As much of an object's beginning says what it is. */
#define KT_LATER_HEAD 65536u
#define KT_LATER_FIRST 4096u		/* its headers are in that */

static inline u64 kt_later_add(u64 sum, const u8 *bytes, u64 len)
{
	u64 i;

	for (i = 0; i < len; i++)
		sum = (sum ^ bytes[i]) * 0x100000001b3ull;
	return sum;
}

static inline const ElfW(Phdr) *kt_later_headers(const u8 *head, u64 len)
{
	const ElfW(Ehdr) *eh = (const void *)head;

	if (len < sizeof(*eh) || memcmp(eh->e_ident, ELFMAG, SELFMAG) ||
	    eh->e_phentsize != sizeof(ElfW(Phdr)) || eh->e_phoff > len ||
	    eh->e_phnum > (len - eh->e_phoff) / sizeof(ElfW(Phdr)))
		return NULL;
	return (const void *)(head + eh->e_phoff);
}

/* How much of it is in the segment that it begins with; 0: it is no object. */
static inline u64 kt_later_len(const u8 *head, u64 len)
{
	const ElfW(Phdr) *ph = kt_later_headers(head, len);
	u32 i;

	for (i = 0; ph && i < ((const ElfW(Ehdr) *)head)->e_phnum; i++)
		if (ph[i].p_type == PT_LOAD && !ph[i].p_offset)
			return ph[i].p_filesz < KT_LATER_HEAD ? ph[i].p_filesz : KT_LATER_HEAD;
	return 0;
}

/*
 * What begins with these kt_later_len() bytes, in the file or in memory.  Code may hold
 * breakpoints, so where the segment has code, too, headers and notes alone count.
 */
static inline u64 kt_later_sum(const u8 *head, u64 len)
{
	const ElfW(Phdr) *ph = kt_later_headers(head, len);
	u32 i, nr = ph ? ((const ElfW(Ehdr) *)head)->e_phnum : 0;
	u64 sum = 0xcbf29ce484222325ull;

	if (!ph)
		return 0;
	/* Not the file's header: it has the place of sections, which strip(1) moves. */
	sum = kt_later_add(sum, (const void *)ph, nr * sizeof(*ph));
	for (i = 0; i < nr; i++) {
		if (ph[i].p_type == PT_LOAD && !ph[i].p_offset && !(ph[i].p_flags & (PF_X | PF_W)))
			sum = kt_later_add(sum, head + sizeof(ElfW(Ehdr)),
					   len - sizeof(ElfW(Ehdr)));
		if (ph[i].p_type == PT_NOTE && ph[i].p_offset < len &&
		    ph[i].p_filesz <= len - ph[i].p_offset)
			sum = kt_later_add(sum, head + ph[i].p_offset, ph[i].p_filesz);
	}
	return sum ? sum : 1;
}

#endif
