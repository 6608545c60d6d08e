// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * elves.c - the ELF files of a view, for libdwfl.
 *
 * Owns: what libdwfl would open by itself: a process's objects and their separate debugging
 * information.  It would open them by names in the files, wherever those lead.  Here the jail
 * requests them from outside.  What cannot be opened is assembled from the process's memory.
 */
#include "elves.h"
#include "split.h"

#include "jail.h"
#include "native_elf.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define IMAGE_MAX (256u << 20)
#define HEADERS_MAX 128

/* libdwfl's callbacks know a module: a process's has its view, a file is one. */
static const struct view *viewed;

static const struct view *view_of(void **userdata)
{
	return *userdata ? *userdata : viewed;
}

/* ---- an object's image in memory -------------------------------------------- */

static bool read_at(const struct view *view, uint64_t addr, void *dst, size_t len)
{
	return pread(view->fd, dst, len, (off_t)addr) == (ssize_t)len;
}

static Elf *elf_of(char *image, size_t len)
{
	Elf *elf = image ? elf_memory(image, len) : NULL;

	if (!elf)
		free(image);
	return elf;			/* the image stays with it */
}

static Elf *whole_mapping(const struct view *view, const struct remote_map *map)
{
	size_t len = (size_t)(map->end - map->start);
	char *image = len <= IMAGE_MAX ? malloc(len) : NULL;

	if (image && !read_at(view, map->start, image, len)) {
		free(image);
		return NULL;
	}
	return elf_of(image, len);
}

/* How much of a file its segments are; 0: that is no object. */
static size_t image_len(const ElfW(Phdr) *ph, size_t nr, uint64_t *first)
{
	uint64_t len = 0;
	size_t i;

	*first = ~0ull;
	for (i = 0; i < nr; i++) {
		if (ph[i].p_type != PT_LOAD)
			continue;
		if (ph[i].p_offset > IMAGE_MAX || ph[i].p_filesz > IMAGE_MAX)
			return 0;
		if (ph[i].p_offset + ph[i].p_filesz > len)
			len = ph[i].p_offset + ph[i].p_filesz;
		if (ph[i].p_vaddr < *first)
			*first = ph[i].p_vaddr;
	}
	return len >= sizeof(ElfW(Ehdr)) && len <= IMAGE_MAX ? (size_t)len : 0;
}

static Elf *image_of(const struct view *view, uint64_t base)
{
	ElfW(Phdr) ph[HEADERS_MAX];
	ElfW(Ehdr) eh;
	uint64_t first;
	char *image;
	size_t len, i;

	if (!read_at(view, base, &eh, sizeof(eh)) ||
	    memcmp(eh.e_ident, ELFMAG, SELFMAG) ||
	    eh.e_ident[EI_CLASS] != NATIVE_CLASS ||
	    eh.e_phentsize != sizeof(ph[0]) || eh.e_phnum > HEADERS_MAX ||
	    !read_at(view, base + eh.e_phoff, ph, eh.e_phnum * sizeof(ph[0])))
		return NULL;
	len = image_len(ph, eh.e_phnum, &first);
	image = len ? calloc(1, len) : NULL;
	if (!image)
		return NULL;
	for (i = 0; i < eh.e_phnum; i++)
		if (ph[i].p_type == PT_LOAD)
			read_at(view, base - (first & ~4095ull) + ph[i].p_vaddr,
				image + ph[i].p_offset, ph[i].p_filesz);
	/* Sections are not loaded. */
	eh.e_shoff = 0;
	eh.e_shnum = eh.e_shstrndx = 0;
	memcpy(image, &eh, sizeof(eh));
	return elf_of(image, len);
}

/* ---- what may be opened later -------------------------------------------------- */

static const struct elves_file *known;
static unsigned int known_nr;

void elves_know(const struct elves_file *files, unsigned int nr)
{
	known = files;
	known_nr = nr;
}

static const struct elves_file *known_at(uint64_t start)
{
	unsigned int i;

	for (i = 0; i < known_nr; i++)
		if (known[i].base == start)
			return &known[i];
	return NULL;
}

bool elves_is_later(uint64_t start)
{
	return known_at(start) != NULL;
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The map's device is not stat(2)'s on each file system, and names may have dots. */
bool elves_is_mapped(const struct view *view, uint64_t ino, const char *path)
{
	size_t i;

	for (i = 0; i < view->remote.maps_nr; i++)
		if (view->remote.maps[i].ino == ino &&
		    !strcmp(last_part(view->remote.maps[i].path), last_part(path)))
			return true;
	return false;
}

/* ---- what libdwfl asks for -------------------------------------------------- */

static int find_elf(Dwfl_Module *mod, void **userdata, const char *name,
		    Dwarf_Addr base, char **file_name, Elf **elf)
{
	const struct view *view = view_of(userdata);
	const struct elves_file *later = known_at(base);
	const struct remote_map *map = remote_map_at(&view->remote, base);
	int fd = later ? -1 : name[0] == '/' ? jail_mapping(view, base) : -1;

	(void)mod;
	if (later)
		*elf = elf_memory(later->image, later->len);
	if (fd >= 0) {
		*file_name = strdup(name);
		return fd;
	}
	if (!later && map && view->fd >= 0)
		*elf = name[0] == '[' ? whole_mapping(view, map) :
			image_of(view, base);
	*file_name = NULL;
	return -1;
}

/* Of .gnu_debuglink: the one of zlib. */
static uint32_t crc_of(int fd)
{
	static uint32_t table[256];
	uint32_t crc = ~0u, i, bit;
	unsigned char bytes[65536];
	off_t at = 0;
	ssize_t got, k;

	for (i = 0; i < 256; i++) {
		table[i] = i;
		for (bit = 0; bit < 8; bit++)
			table[i] = table[i] >> 1 ^
				   (table[i] & 1 ? 0xedb88320u : 0);
	}
	while ((got = pread(fd, bytes, sizeof(bytes), at)) > 0) {
		for (k = 0; k < got; k++)
			crc = crc >> 8 ^ table[(crc ^ bytes[k]) & 0xff];
		at += got;
	}
	return ~crc;
}

static ssize_t build_id_of(int fd, uint8_t id[64])
{
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	const void *bits = NULL;
	ssize_t len = elf ? dwelf_elf_gnu_build_id(elf, &bits) : -1;

	if (len > 64)
		len = -1;
	if (len > 0)
		memcpy(id, bits, (size_t)len);
	if (elf)
		elf_end(elf);
	return len;
}

/* Is it of this very build?  A file that several share has no sum. */
static bool belongs(int fd, const uint8_t *id, int id_len, uint32_t crc)
{
	uint8_t found[64];

	if (id_len > 0 && build_id_of(fd, found) == id_len &&
	    !memcmp(found, id, (size_t)id_len))
		return true;
	return !crc || crc_of(fd) == crc;
}

static int find_debuginfo(Dwfl_Module *mod, void **userdata, const char *name,
			  Dwarf_Addr base, const char *file_name,
			  const char *link, GElf_Word crc, char **found)
{
	const struct view *view = view_of(userdata);
	const unsigned char *id = NULL;
	GElf_Addr where;
	int fd = -1, id_len = dwfl_module_build_id(mod, &id, &where);
	unsigned int place;

	(void)name;
	(void)file_name;
	if (id_len > 0 && !(link && strchr(link, '/')))
		fd = jail_build_id(view, id, (size_t)id_len);
	for (place = 0; fd < 0 && link && place < VIEW_PLACES; place++) {
		fd = jail_debuglink(view, base, link, place);
		if (fd >= 0 && !belongs(fd, id, id_len, crc)) {
			close(fd);
			fd = -1;
		}
	}
	if (fd < 0)
		return -1;
	*found = strdup(link ? link : "debug");
	return fd;
}

static int find_nothing(Dwfl_Module *mod, void **userdata, const char *name,
			Dwarf_Addr base, char **file_name, Elf **elf)
{
	(void)mod;
	(void)userdata;
	(void)name;
	(void)base;
	(void)file_name;
	(void)elf;
	return -1;
}

static const Dwfl_Callbacks file_callbacks = {
	.find_elf = find_nothing, .find_debuginfo = find_debuginfo,
	.section_address = dwfl_offline_section_address,
};
static const Dwfl_Callbacks process_callbacks = {
	.find_elf = find_elf, .find_debuginfo = find_debuginfo,
};

Dwfl *elves_begin(const struct view *view)
{
	viewed = view;
	split_know(view);
	return dwfl_begin(view->pid ? &process_callbacks : &file_callbacks);
}

/* ---- a process's objects ------------------------------------------------------ */

static bool same_file(const struct remote_map *a, const struct remote_map *b)
{
	return a->ino == b->ino && a->dev == b->dev &&
	       !strcmp(a->path, b->path);
}

static void report(Dwfl *dwfl, const struct view *view, const char *name,
		   uint64_t start, uint64_t end)
{
	Dwfl_Module *module = dwfl_report_module(dwfl, name, start, end);
	void **userdata;

	if (module && dwfl_module_info(module, &userdata, NULL, NULL, NULL, NULL,
				       NULL, NULL))
		*userdata = (void *)(uintptr_t)view;
}

/* How many bytes the segments take, from the first to the last; 0: there are none. */
static uint64_t span_of_loads(const ElfW(Phdr) *ph, size_t nr)
{
	uint64_t first = ~0ull, end = 0;
	size_t i;

	for (i = 0; i < nr; i++) {
		if (ph[i].p_type != PT_LOAD)
			continue;
		if (ph[i].p_vaddr < first)
			first = ph[i].p_vaddr & ~4095ull;
		if (ph[i].p_vaddr + ph[i].p_memsz > end)
			end = ph[i].p_vaddr + ph[i].p_memsz;
	}
	return end > first ? end - first : 0;
}

/* The same of the object that begins at base. */
static uint64_t span_of(const struct view *view, uint64_t base)
{
	ElfW(Phdr) ph[HEADERS_MAX];
	ElfW(Ehdr) eh;

	if (view->fd < 0 || !read_at(view, base, &eh, sizeof(eh)) ||
	    memcmp(eh.e_ident, ELFMAG, SELFMAG) ||
	    eh.e_ident[EI_CLASS] != NATIVE_CLASS ||
	    eh.e_phentsize != sizeof(ph[0]) || eh.e_phnum > HEADERS_MAX ||
	    !read_at(view, base + eh.e_phoff, ph, eh.e_phnum * sizeof(ph[0])))
		return 0;
	return span_of_loads(ph, eh.e_phnum);
}

/* A library that is loaded twice (dlmopen) may lie behind itself. */
static bool begins_again(const struct view *view, const struct remote_map *first,
			 const struct remote_map *map)
{
	uint64_t span;

	if (map->offset)
		return false;
	span = span_of(view, first->start);
	return span && map->start - first->start >= span;
}

/* The same of a file; at least a byte. */
static uint64_t span_in(const char *image, size_t len)
{
	const ElfW(Ehdr) *eh = (const void *)image;
	const ElfW(Phdr) *ph = (const void *)(image + eh->e_phoff);
	uint64_t span;

	if (eh->e_phoff > len || eh->e_phentsize != sizeof(*ph) ||
	    eh->e_phnum > (len - eh->e_phoff) / sizeof(*ph))
		return 1;
	span = span_of_loads(ph, eh->e_phnum);
	return span && span < 1ull << 32 ? span : 1;
}

void elves_report(Dwfl *dwfl, const struct view *view)
{
	const struct remote_map *maps = view->remote.maps, *first = NULL;
	size_t nr = view->remote.maps_nr, i;
	uint64_t end = 0;

	for (i = 0; i <= nr; i++) {
		bool file = i < nr && maps[i].path[0] == '/' && maps[i].ino;

		if (i < nr && !maps[i].ino && strcmp(maps[i].path, "[vdso]"))
			continue;	/* between an object's segments */
		if (first && file && same_file(first, &maps[i]) &&
		    !begins_again(view, first, &maps[i])) {
			end = maps[i].end;
			continue;
		}
		if (first)
			report(dwfl, view, first->path, first->start, end);
		first = file ? &maps[i] : NULL;
		end = file ? maps[i].end : 0;
		if (i < nr && !maps[i].ino)
			report(dwfl, view, "[vdso]", maps[i].start, maps[i].end);
	}
	for (i = 0; i < known_nr; i++)
		if (!elves_is_mapped(view, known[i].ino, known[i].path))
			report(dwfl, view, known[i].path, known[i].base,
			       known[i].base + span_in(known[i].image, known[i].len));
	dwfl_report_end(dwfl, NULL, NULL);
}
