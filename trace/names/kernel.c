// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * kernel.c - where a kernel's types are.
 *
 * Owns: the search: the file that one names, else what the running kernel shows of
 * itself and its modules.
 */
#include "btf.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OWN_TYPES "/sys/kernel/btf"
#define FILE_MAX (1u << 30)

/* Files of sysfs say their size only by their end. */
static char *read_file(int fd, size_t *len)
{
	size_t room = 1u << 20;
	char *bytes = malloc(room), *more;
	ssize_t got = 0;

	for (*len = 0; bytes && *len < FILE_MAX; *len += (size_t)got) {
		if (*len == room) {
			room *= 2;
			more = realloc(bytes, room);
			if (!more)
				break;
			bytes = more;
		}
		got = read(fd, bytes + *len, room - *len);
		if (got <= 0)
			break;
	}
	if (got) {
		free(bytes);
		return NULL;
	}
	return bytes;
}

static Elf_Data *section_named(Elf *elf, const char *name)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *is = gelf_getshdr(scn, &sh) ?
				 elf_strptr(elf, names, sh.sh_name) : NULL;

		if (is && !strcmp(is, name))
			return elf_rawdata(scn, NULL);
	}
	return NULL;
}

/* The section, copied: records have to be aligned. */
static char *of_elf(const char *file, size_t file_len, size_t *len)
{
	Elf_Data *data;
	char *bytes = NULL;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_memory((char *)file, file_len);
	data = elf ? section_named(elf, ".BTF") : NULL;
	if (data && data->d_buf && data->d_size) {
		bytes = malloc(data->d_size);
		*len = data->d_size;
		if (bytes)
			memcpy(bytes, data->d_buf, data->d_size);
	}
	elf_end(elf);
	return bytes;
}

static char *types_in(int dir, const char *path, size_t *len)
{
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	char *bytes = fd >= 0 ? read_file(fd, len) : NULL, *section;

	if (fd >= 0)
		close(fd);
	if (bytes && *len >= SELFMAG && !memcmp(bytes, ELFMAG, SELFMAG)) {
		section = of_elf(bytes, *len, len);
		free(bytes);
		bytes = section;
	}
	return bytes;
}

static void read_modules(struct btf *btf)
{
	DIR *dir = opendir(OWN_TYPES);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		size_t len;
		char *bytes;

		if (entry->d_name[0] == '.' || !strcmp(entry->d_name, "vmlinux"))
			continue;
		bytes = types_in(dirfd(dir), entry->d_name, &len);
		if (bytes)
			btf_add(btf, bytes, len, bytes);
	}
	if (dir)
		closedir(dir);
}

static const struct btf_more of_modules = { .read = read_modules };

struct names *names_of_kernel(const char *file, bool modules, const char **why)
{
	struct names *names;
	size_t len = 0;
	char *bytes;

	bytes = types_in(AT_FDCWD, file ? file : OWN_TYPES "/vmlinux", &len);
	if (!bytes) {
		*why = file ? "it cannot be read, or has no BTF" :
			      "this kernel shows no types (CONFIG_DEBUG_INFO_BTF): name a vmlinux of it that has them in KPROBES_VMLINUX";
		return NULL;
	}
	names = btf_names(bytes, len, bytes, modules ? &of_modules : NULL);
	if (!names)
		*why = "the kernel's types are damaged, or of a format that is not known";
	return names;
}
