/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * noprobe.c - code that an object excludes from probing.
 *
 * Owns: what a module declares as the code of its handlers, and reading two sections of a newly
 * loaded object into the blacklist:
 *   .kprobes.text  functions marked __kprobes
 *   __rseq_cs      restartable sequences: a trap inside one makes the kernel
 *                  restart it, for ever
 * The section table is not loaded, so it is read from the file.
 *
 * Locks: none held, as kp_core_blacklist_add takes the registry lock; to declare, that lock.
 */
#include "objects/noprobe.h"
#include "code.h"
#include "host.h"
#include "machine.h"
#include "upcall.h"
#include "freestanding/copy.h"
#include "text/intercept.h"
#include "objects/clock.h"
#include "objects/dso.h"
#include "objects/elf.h"
#include "objects/objects.h"

#include <elf.h>
#include <link.h>

#define NAMES_MAX (16ul << 20)		/* also of the sections' table */

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

static void read_section(struct kp_object *object, const struct kp_section *section)
{
	if (!strcmp(section->name, ".kprobes.text"))
		add_functions(object, section->start, section->len);
	else if (!strcmp(section->name, "__rseq_cs"))
		add_sequences(section->start, section->len);
}

/* What of the file is at [off, off+len), with a zero behind it; or NULL. */
static void *load(long fd, uint64_t off, size_t len)
{
	char *mem = len < NAMES_MAX ? kp_host_alloc(len + 1) : NULL;

	if (mem && !read_at(fd, mem, len, off)) {
		kp_host_free(mem);
		return NULL;
	}
	return mem;
}

static void read_sections(struct kp_object *object, long fd, kp_section_fn each)
{
	struct kp_section section;
	ElfW(Shdr) *table, *strings;
	char *names = NULL;
	ElfW(Ehdr) eh;
	size_t i;

	if (!read_at(fd, &eh, sizeof(eh), 0) ||
	    eh.e_shentsize != sizeof(*table) || eh.e_shstrndx >= eh.e_shnum)
		return;
	table = load(fd, eh.e_shoff, (size_t)eh.e_shnum * sizeof(*table));
	if (table) {
		strings = &table[eh.e_shstrndx];
		names = load(fd, strings->sh_offset, strings->sh_size);
	}
	for (i = 0; names && i < eh.e_shnum; i++) {
		if (table[i].sh_name >= table[eh.e_shstrndx].sh_size ||
		    !(table[i].sh_flags & SHF_ALLOC) || !table[i].sh_size)
			continue;
		section.name = names + table[i].sh_name;
		section.start = object->bias + table[i].sh_addr;
		section.len = table[i].sh_size;
		section.exec = table[i].sh_flags & SHF_EXECINSTR;
		each(object, &section);
	}
	kp_host_free(names);
	kp_host_free(table);
}

void kp_user_sections_each(struct kp_object *object, kp_section_fn each)
{
	long fd;

	if (object->vdso)
		return;
	fd = sys_open(object->path, O_RDONLY);
	if (fd < 0)
		return;
	if (kp_user_elf_same_file(object, fd))
		read_sections(object, fd, each);
	sys_close(fd);
}

void kp_user_sections_read(struct kp_object *object)
{
	kp_user_sections_each(object, read_section);
}

/* Without the breakpoints that we have put on a module's own system calls. */
static int read_original(uint8_t *dst, uintptr_t addr, size_t len)
{
	int err = kp_user_code_read(dst, addr, len);

	if (!err)
		kp_user_intercept_undo(dst, addr, len);
	return err;
}

int kp_user_handlers_declare(uintptr_t begin, uintptr_t end)
{
	struct kp_object *object;

	kp_user_dso_look();
	object = kp_user_object_at(begin);
	if (!object || end <= begin || end > object->end ||
	    !kp_arch_general_only(begin, end, read_original))
		return -EINVAL;
	object->handlers = begin;
	object->handlers_end = end;
	kp_user_clock_find();
	return 0;
}
