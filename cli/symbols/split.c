// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * split.c - debugging information in files of its own (-gsplit-dwarf).
 *
 * Owns: how libdw gets these files.  It opens them by the names that it reads in an object, and
 * has no callback for it; the jail has no files.  So its calls come here by open.c, and the
 * opener is asked, which gives .dwo files of the target only (view.c).  libdw compares the
 * number in the file with the object's.
 */
#include "split.h"

#include "jail.h"
#include "native_elf.h"
#include "open.h"

#include <elf.h>
#include <errno.h>
#include <gelf.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define VIEWS_MAX CLI_PROCESSES_MAX

static const struct view *views[VIEWS_MAX];
static unsigned int views_nr;

/* ---- files with several sections of a name ------------------------------------------ */

#define NAMES_MAX 64

struct merged {
	const char *name;
	size_t len;
	off_t at;
};

static bool is_wanted(const char *name)
{
	size_t len = name ? strlen(name) : 0;

	return len > 11 && !strncmp(name, ".debug_", 7) && !strcmp(name + len - 4, ".dwo");
}

/* The next one that is called name, or any that is wanted; NULL: there is none. */
static Elf_Data *next_of(Elf *elf, Elf_Scn **scn, const char *name, const char **found)
{
	size_t names;
	GElf_Shdr sh;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((*scn = elf_nextscn(elf, *scn))) {
		*found = gelf_getshdr(*scn, &sh) ? elf_strptr(elf, names, sh.sh_name) : NULL;
		if (!is_wanted(*found) || (name && strcmp(*found, name)))
			continue;
		if (sh.sh_flags & SHF_COMPRESSED && elf_compress(*scn, 0, 0) < 0)
			continue;
		return elf_rawdata(*scn, NULL);
	}
	return NULL;
}

/* How many different names; one twice: *twice. */
static unsigned int names_of(Elf *elf, struct merged *all, bool *twice)
{
	unsigned int nr = 0, i;
	Elf_Scn *scn = NULL;
	Elf_Data *data;
	const char *name;

	*twice = false;
	while ((data = next_of(elf, &scn, NULL, &name))) {
		for (i = 0; i < nr && strcmp(all[i].name, name);)
			i++;
		*twice |= i < nr;
		if (i == nr && nr < NAMES_MAX)
			all[nr++] = (struct merged){ .name = name };
	}
	return nr;
}

static bool put(int fd, const void *bytes, size_t len)
{
	const char *at = bytes;
	ssize_t done;

	for (; len; at += done, len -= (size_t)done) {
		done = write(fd, at, len);
		if (done <= 0)
			return false;
	}
	return true;
}

static bool put_all(int fd, Elf *elf, struct merged *one)
{
	Elf_Scn *scn = NULL;
	const char *name;
	Elf_Data *data;

	one->at = lseek(fd, 0, SEEK_CUR);
	while ((data = next_of(elf, &scn, one->name, &name))) {
		if (!put(fd, data->d_buf, data->d_size))
			return false;
		one->len += data->d_size;
	}
	return one->at >= 0;
}

/* Section 0, those with content, and last their names. */
static bool put_headers(int fd, struct merged *all, unsigned int nr, ElfW(Ehdr) *eh)
{
	ElfW(Shdr) sh[NAMES_MAX + 2] = { { 0 } };
	char names[NAMES_MAX * 40] = "";
	size_t at = 1;
	unsigned int i;

	for (i = 0; i < nr && at + strlen(all[i].name) + 16 < sizeof(names); i++) {
		sh[i + 1] = (ElfW(Shdr)){
			.sh_name = (uint32_t)at, .sh_type = SHT_PROGBITS, .sh_addralign = 1,
			.sh_offset = (size_t)all[i].at, .sh_size = all[i].len,
		};
		at += strlen(strcpy(names + at, all[i].name)) + 1;
	}
	sh[nr + 1] = (ElfW(Shdr)){
		.sh_name = (uint32_t)at, .sh_type = SHT_STRTAB, .sh_addralign = 1,
		.sh_offset = (size_t)lseek(fd, 0, SEEK_CUR),
	};
	at += strlen(strcpy(names + at, ".shstrtab")) + 1;
	sh[nr + 1].sh_size = at;
	if (!put(fd, names, at))
		return false;
	while (lseek(fd, 0, SEEK_CUR) % 8)
		if (!put(fd, "", 1))
			return false;
	eh->e_shoff = (size_t)lseek(fd, 0, SEEK_CUR);
	eh->e_shnum = (uint16_t)(nr + 2);
	eh->e_shstrndx = (uint16_t)(nr + 1);
	return put(fd, sh, (nr + 2) * sizeof(sh[0])) && !lseek(fd, 0, SEEK_SET) &&
	       put(fd, eh, sizeof(*eh)) && !lseek(fd, 0, SEEK_SET);
}

/*
 * Each unit of a type is a section of its own (-fdebug-types-section), and libdw reads one of
 * a name.  Units refer to each other by signatures, so they may stand behind one another.  The
 * descriptor, or another one in its place.
 */
static int merge(int fd)
{
	struct merged all[NAMES_MAX] = { { NULL } };
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	const void *head = elf ? elf_rawfile(elf, NULL) : NULL;
	unsigned int nr, i;
	ElfW(Ehdr) eh;
	bool twice;
	int other = -1;

	nr = head ? names_of(elf, all, &twice) : 0;
	if (nr && twice && gelf_getclass(elf) == NATIVE_CLASS)
		other = memfd_create("kprobes-split", MFD_CLOEXEC);
	if (other >= 0) {
		memcpy(&eh, head, sizeof(eh));
		eh.e_ehsize = sizeof(eh);
		eh.e_shentsize = sizeof(ElfW(Shdr));
		for (i = 0; i < nr && (i || put(other, &eh, sizeof(eh))); i++)
			if (!put_all(other, elf, &all[i]))
				break;
		if (i == nr && put_headers(other, all, nr, &eh)) {
			close(fd);
			fd = other;
		} else {
			close(other);
		}
	}
	if (elf)
		elf_end(elf);
	return fd;
}

/* ---- the call --------------------------------------------------------------------------- */

/* In the jail alone. */
static int ask_all(const char *path)
{
	unsigned int i;
	int fd = -ENOENT;

	if (!jail_inside())
		return -ENOSYS;
	for (i = 0; i < views_nr && fd < 0; i++)
		fd = jail_split(views[i], path);
	return fd >= 0 ? merge(fd) : fd;
}

void split_know(const struct view *view)
{
	unsigned int i;

	open_asks(ask_all);
	for (i = 0; i < views_nr; i++)
		if (views[i] == view)
			return;
	if (views_nr < VIEWS_MAX)
		views[views_nr++] = view;
}
