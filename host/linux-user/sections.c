/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * sections.c - code that an object's own sections say must not be probed.
 *
 * Owns: reading two sections of a newly loaded object into the blacklist:
 *   .kprobes.text  functions marked __kprobes
 *   __rseq_cs      restartable sequences: a trap inside one makes the kernel
 *                  restart it, for ever
 * The section table is not loaded, so it is read from the file.
 *
 * Locks: none held; kp_core_blacklist_add takes the registry lock.
 */
#include "user.h"

#include <elf.h>

/* The kernel's struct rseq_cs. */
struct sequence {
	uint32_t version, flags;
	uint64_t start, len, abort;
};

static void add_functions(struct kp_object *object, uintptr_t start, size_t len)
{
	size_t i;
	bool any = false;

	kp_host_lock(KP_LOCK_REGISTRY);
	kp_user_elf_index(object);
	kp_host_unlock(KP_LOCK_REGISTRY);
	for (i = 0; i < object->symbols_nr; i++) {
		const struct kp_symbol *sym = &object->symbols[i];

		if (sym->addr - start >= len || sym->type != STT_FUNC)
			continue;
		kp_core_blacklist_add(sym->addr, sym->len, sym->name);
		any = true;
	}
	if (!any)
		kp_core_blacklist_add(start, len, ".kprobes.text");
}

static void add_sequences(uintptr_t start, size_t len)
{
	const struct sequence *seq = (const void *)start;

	for (; len >= sizeof(*seq); seq++, len -= sizeof(*seq))
		kp_core_blacklist_add(seq->start, seq->len, "rseq");
}

static bool read_at(long fd, void *dst, size_t len, uint64_t off)
{
	return sys4(SYS_pread64, fd, dst, len, off) == (long)len;
}

static void read_section(struct kp_object *object, long fd,
			 const Elf64_Shdr *sh, uint64_t names)
{
	uintptr_t start = object->bias + sh->sh_addr;
	char name[16];

	if (!(sh->sh_flags & SHF_ALLOC) || !sh->sh_size ||
	    !read_at(fd, name, sizeof(name), names + sh->sh_name))
		return;
	if (!strncmp(name, ".kprobes.text", sizeof(name)))
		add_functions(object, start, sh->sh_size);
	else if (!strncmp(name, "__rseq_cs", sizeof(name)))
		add_sequences(start, sh->sh_size);
}

static void read_sections(struct kp_object *object, long fd)
{
	Elf64_Shdr *table, *strings;
	Elf64_Ehdr eh;
	size_t len, i;

	if (!read_at(fd, &eh, sizeof(eh), 0) ||
	    eh.e_shentsize != sizeof(*table) || eh.e_shstrndx >= eh.e_shnum)
		return;
	len = (size_t)eh.e_shnum * sizeof(*table);
	table = kp_host_alloc(len);
	if (!table)
		return;
	if (read_at(fd, table, len, eh.e_shoff)) {
		strings = &table[eh.e_shstrndx];
		for (i = 0; i < eh.e_shnum; i++)
			read_section(object, fd, &table[i], strings->sh_offset);
	}
	kp_host_free(table);
}

void kp_user_sections_read(struct kp_object *object)
{
	long fd;

	if (object->vdso)
		return;
	fd = sys_open(object->path, O_RDONLY);
	if (fd < 0)
		return;
	if (kp_user_elf_same_file(object, fd))
		read_sections(object, fd);
	sys_close(fd);
}
