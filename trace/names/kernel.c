// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * kernel.c - where a kernel's types are.
 *
 * Owns: the search: the file that the user names, else what the running kernel exports about
 * itself and its modules, else its file with debugging information.
 */
#include "btf.h"
#include "dwarf.h"
#include "section.h"
#include "vmlinux.h"

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

/* The section, copied: records have to be aligned. */
static char *of_elf(const char *file, size_t file_len, size_t *len)
{
	Elf_Data *data = NULL;
	char *bytes = NULL;
	Elf_Scn *scn;
	GElf_Shdr sh;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_memory((char *)file, file_len);
	scn = elf ? section_named(elf, NULL, ".BTF", &sh) : NULL;
	if (scn)
		data = elf_rawdata(scn, NULL);
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

static void add_modules(struct names *names)
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
			btf_add(names, bytes, len, bytes);
	}
	if (dir)
		closedir(dir);
}

/* ---- DWARF --------------------------------------------------------------------------- */

static int find_nothing(Dwfl_Module *mod, void **user, const char *name,
			Dwarf_Addr base, const char *file, const char *link,
			GElf_Word crc, char **found)
{
	(void)mod;
	(void)user;
	(void)name;
	(void)base;
	(void)file;
	(void)link;
	(void)crc;
	(void)found;
	return -1;
}

static struct names *of_dwarf(const char *path)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = find_nothing,
		.section_address = dwfl_offline_section_address,
	};
	Dwfl *dwfl = dwfl_begin(&callbacks);
	struct names *names = NULL;
	Dwarf_Addr bias;

	if (dwfl && dwfl_report_offline(dwfl, path, path, -1) &&
	    !dwfl_report_end(dwfl, NULL, NULL) &&
	    dwfl_nextcu(dwfl, NULL, &bias))
		names = names_of_dwfl(dwfl);
	if (names)
		names_own_dwarf(names);
	else
		dwfl_end(dwfl);
	return names;
}

/* ---- the search ----------------------------------------------------------------------- */

struct names *names_of_kernel(const char *file, bool modules, const char **why)
{
	static const char own[] = OWN_TYPES "/vmlinux";
	struct names *names = NULL;
	size_t len = 0;
	char *bytes;

	if (!file && !getenv("KPROBES_VMLINUX") &&
	    !access(own, R_OK))
		file = own;
	else if (!file)
		file = vmlinux_path();
	if (!file) {
		*why = "this kernel shows no types (CONFIG_DEBUG_INFO_BTF): install the linux-image-...-dbg package, or name its vmlinux in KPROBES_VMLINUX";
		return NULL;
	}
	bytes = types_in(AT_FDCWD, file, &len);
	if (bytes)
		names = btf_names(bytes, len, bytes);
	if (names && modules && file == own)
		add_modules(names);
	if (!names)
		names = of_dwarf(file);
	if (names)
		names->kernel = true;
	else
		*why = "the kernel's file cannot be read, or has no types that are understood (BTF, DWARF)";
	return names;
}
