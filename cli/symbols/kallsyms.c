/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kallsyms.c - the functions and the code of the running kernel.
 *
 * Owns: reading /proc/kallsyms, /proc/kcore, and the files of kprobes.ko that show text without
 * probes and what can be probed.  A symbol extends to the next one, as in the kernel's own
 * answers.
 */
#include "cli.h"
#include "symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>


/* The module's index; modules come in runs. */
static int module_of(struct symbols *s, const char *owner)
{
	unsigned int i;

	for (i = s->modules_nr; i-- > 0;)
		if (!strcmp(s->modules[i].owner, owner))
			return (int)i;
	return symbols_add_module(s, NULL, owner, *owner ? owner : "kernel");
}

static bool is_text(char type)
{
	return strchr("tTwW", type);
}

/* Data is remembered for the bounds and dropped afterwards. */
#define DATA 255

/* "ADDRESS TYPE NAME", and of a module's "[MODULE]"; there are 200,000. */
static int take_line(struct symbols *s, char *line)
{
	char *at, *name, *owner, type;
	unsigned long addr = strtoul(line, &at, 16);
	int module;

	if (!addr || at[0] != ' ' || !at[1] || at[2] != ' ')
		return 0;
	type = at[1];
	name = at + 3;
	owner = name + strcspn(name, " \t\n");
	if (*owner)
		*owner++ = 0;
	owner += strspn(owner, " \t[");
	owner[strcspn(owner, "]\n")] = 0;
	module = module_of(s, owner);
	if (module < 0)
		return module;
	return symbols_add(s, name, addr, 0, module, !is_text(type) ? DATA :
			   type == 'T' ? 0 : type == 't' ? 2 : 1);
}

/* A module's last function ends with its page. */
static void end_open_ones(struct symbols *s)
{
	size_t i, kept = 0;

	for (i = 0; i < s->nr; i++) {
		struct symbol *sym = &s->all[i];

		if (!sym->size)
			sym->size = 4096 - (sym->addr & 4095);
		if (sym->rank == DATA)
			free(sym->name);
		else
			s->all[kept++] = *sym;
	}
	s->nr = kept;
}

static void open_core(struct symbols *s)
{
	s->memory = open("/proc/kcore", O_RDONLY | O_CLOEXEC);
	if (s->memory < 0)
		return;
	elf_version(EV_CURRENT);
	s->core = elf_begin(s->memory, ELF_C_READ, NULL);
}

static void open_files(struct symbols *s)
{
	const char *dir = cli_kernel_directory();
	char path[128];

	if (!dir)
		return;
	snprintf(path, sizeof(path), "%s/check", dir);
	s->check = open(path, O_RDWR | O_CLOEXEC);
	snprintf(path, sizeof(path), "%s/original", dir);
	s->original = open(path, O_RDONLY | O_CLOEXEC);
	snprintf(path, sizeof(path), "%s/memory", dir);
	s->now = open(path, O_RDONLY | O_CLOEXEC);
}

/* The same few texts come again and again. */
static const char *keep(const char *text)
{
	static char *kept[64];
	size_t i;

	for (i = 0; i < 63 && kept[i]; i++)
		if (!strcmp(kept[i], text))
			return kept[i];
	free(kept[i]);
	kept[i] = strdup(text);
	return kept[i] ? kept[i] : "refused";
}

const char *symbols_kernel_refuses(const struct symbols *s, uint64_t addr,
				   const char **way)
{
	char text[256];
	ssize_t len;
	char *at;

	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)addr);
	if (s->check < 0 || pwrite(s->check, text, strlen(text), 0) < 0)
		return NULL;
	len = pread(s->check, text, sizeof(text) - 1, 0);
	text[len > 0 ? len : 0] = 0;
	text[strcspn(text, "\n")] = 0;
	at = text + strcspn(text, " ");
	at += *at == ' ';
	if (text[0] && text[0] != '0')
		return keep(at);
	if (*at)
		*way = keep(at);
	return NULL;
}

/* Files of the module: a file position has no highest bit. */
static size_t read_file(int fd, uint64_t addr, char *dst, size_t len)
{
	size_t got = 0;
	ssize_t part;

	do {
		part = pread(fd, dst + got, len - got,
			     (off_t)((addr + got) & ~(1ull << 63)));
		got += part > 0 ? (size_t)part : 0;
	} while (part > 0 && got < len);
	return got;
}

size_t symbols_kernel_read(const struct symbols *s, uint64_t addr, void *dst,
			   size_t len, bool original)
{
	int fd = original ? s->original : s->now;
	size_t nr, i;

	if (fd >= 0)
		return read_file(fd, addr, dst, len);
	if (!s->core || elf_getphdrnum(s->core, &nr))
		return 0;
	for (i = 0; i < nr; i++) {
		GElf_Phdr ph;
		ssize_t got;

		if (!gelf_getphdr(s->core, i, &ph) || ph.p_type != PT_LOAD ||
		    addr - ph.p_vaddr >= ph.p_memsz)
			continue;
		got = pread(s->memory, dst, len,
			    (off_t)(ph.p_offset + (addr - ph.p_vaddr)));
		return got > 0 ? (size_t)got : 0;
	}
	return 0;
}

int symbols_open_kernel(struct symbols *s)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	char *line = NULL;
	size_t room = 0;
	int err = 0;

	memset(s, 0, sizeof(*s));
	s->kind = SYMBOLS_KERNEL;
	s->memory = s->check = s->original = s->now = -1;
	s->kernel_code = true;
	if (!file)
		return symbols_fail(s, -errno, "/proc/kallsyms: %s; the kernel needs CONFIG_KALLSYMS",
				    strerror(errno));
	while (!err && getline(&line, &room, file) > 0)
		err = take_line(s, line);
	free(line);
	fclose(file);
	if (err)
		return symbols_fail(s, err, "out of memory");
	symbols_finish(s);
	end_open_ones(s);
	if (!s->nr)
		return symbols_fail(s, -EPERM, "the kernel hides its addresses: run this as root, or lower the sysctl kernel.kptr_restrict");
	open_core(s);
	open_files(s);
	return 0;
}
