// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * trace_later.c - objects that a traced process may open later.
 *
 * Owns: the files that a script's places name and that no process has mapped: they are looked
 * for, and read, before the jail closes; and the table of what the places are in (later.h), by
 * which the module in the process knows an object when it is opened, closed, and opened again.
 *
 * A name with a '/' is a file's, also with wildcards.  Any other name is looked for where the
 * process has its files: its folder, its program's, those of LD_LIBRARY_PATH and one folder
 * deeper; a name without wildcards also where its libraries are.
 *
 * No locks: the files are written once, before the reader begins.
 */
#include "elves.h"
#include "jail.h"
#include "native_elf.h"
#include "object.h"
#include "links.h"
#include "tracing.h"

#include <elf.h>
#include <fnmatch.h>
#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES_MAX 64			/* their images are read as a whole */
#define BYTES_MAX ((size_t)512 << 20)
#define APART (1ull << 40)		/* between the addresses that they get */

static struct elves_file files[FILES_MAX];
static unsigned int files_nr;
static size_t bytes;
static bool said_full;

/* ---- names ---------------------------------------------------------------------- */

static bool is_pattern(const char *text)
{
	return strpbrk(text, "*?[") != NULL;
}

static bool is_star(const char *text)
{
	return text[strspn(text, "*")] == 0;
}

void tracing_later_note(struct tracing *t, const struct trace_attach *attach)
{
	unsigned int i;

	if (attach->provider[0] != 'u' || !attach->target[0] || attach->watch)
		return;
	for (i = 0; i < t->later_nr; i++)
		if (!strcmp(t->later[i], attach->target))
			return;
	if (t->later_nr == TRACING_LATER || strlen(attach->target) >= PATH_MAX)
		return;
	t->later[t->later_nr] = strdup(attach->target);
	t->later_nr += t->later[t->later_nr] != NULL;
}

/* "libx", "libx.so" and "libx.so.1" name libx.so.1, as they do for what is loaded. */
static bool is_named(const char *file, const char *name)
{
	size_t len = strlen(name);

	if (is_pattern(name))
		return !fnmatch(name, file, 0);
	return !strncmp(file, name, len) &&
	       (!file[len] || file[len] == '.' ||
		(file[len] == '-' && file[len + 1] >= '0' && file[len + 1] <= '9'));
}

/* ---- files ---------------------------------------------------------------------- */

static bool is_object(const char *image, size_t len)
{
	const ElfW(Ehdr) *eh = (const void *)image;

	return len >= sizeof(*eh) && !memcmp(eh->e_ident, ELFMAG, SELFMAG) &&
	       eh->e_ident[EI_CLASS] == NATIVE_CLASS && eh->e_type == ET_DYN &&
	       eh->e_machine == OBJECT_MACHINE;
}

static char *read_all(int fd, size_t len)
{
	char *image = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);
	size_t at = 0;
	ssize_t got;

	if (image == MAP_FAILED)
		return NULL;
	while (at < len && (got = pread(fd, image + at, len - at, (off_t)at)) > 0)
		at += (size_t)got;
	if (at == len && is_object(image, len))
		return image;
	munmap(image, len);
	return NULL;
}

static void say_full(void)
{
	if (!said_full)
		cli_error("the script names more than %d files that may be opened later, or very large ones: of the others nothing is probed",
			  FILES_MAX);
	said_full = true;
}

/* What the file is called that a link led to; "": that is not known. */
static const char *led_to(int fd)
{
	static char path[PATH_MAX];
	char link[64];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, path, sizeof(path) - 1);
	path[len > 0 ? len : 0] = 0;
	return path;
}

static void take_fd(const struct view *view, int fd, const char *path)
{
	struct elves_file *file = &files[files_nr];
	struct stat st;
	unsigned int i;

	if (fstat(fd, &st) || st.st_size <= 0 || elves_is_mapped(view, st.st_ino, path) ||
	    elves_is_mapped(view, st.st_ino, led_to(fd)))
		return;
	for (i = 0; i < files_nr; i++)
		if (files[i].ino == st.st_ino && files[i].dev == st.st_dev)
			return;
	if (files_nr == FILES_MAX || (size_t)st.st_size > BYTES_MAX - bytes) {
		say_full();
		return;
	}
	file->image = read_all(fd, (size_t)st.st_size);
	file->path = file->image ? strdup(path) : NULL;
	if (!file->path)
		return;
	file->len = (size_t)st.st_size;
	file->ino = st.st_ino;
	file->dev = st.st_dev;
	file->base = KT_LATER_BASE + files_nr * APART;
	bytes += file->len;
	files_nr++;
}

/* As the process would open it; else as we do: a shell's names are meant. */
static void take_path(const struct view *view, const char *path)
{
	int fd = view_in_root(view, path);

	if (fd < 0)
		fd = view_open_file(path);
	if (fd < 0)
		return;
	take_fd(view, fd, path);
	close(fd);
}

/* The pattern is of files that the process has, or we. */
static void take_all(const struct view *view, const char *pattern, const char *name)
{
	char root[64], path[PATH_MAX + 64];
	size_t len = (size_t)snprintf(root, sizeof(root), "/proc/%d/root", (int)view->pid), i;
	glob_t found;

	if (snprintf(path, sizeof(path), "%s%s", root, pattern) >= (int)sizeof(path))
		return;
	if (glob(path, 0, NULL, &found))
		return;
	for (i = 0; i < found.gl_pathc; i++)
		if (is_named(links_last_part(found.gl_pathv[i]), name))
			take_path(view, found.gl_pathv[i] + len);
	globfree(&found);
}

/* ---- folders --------------------------------------------------------------------- */

/* A folder's name is the target's, and no pattern of ours. */
static void take_folder(const struct view *view, const char *folder, const char *name, bool deeper)
{
	char pattern[2 * PATH_MAX];

	if (folder[0] != '/' || is_pattern(folder))
		return;
	snprintf(pattern, sizeof(pattern), "%s/%s%s", folder, name, is_pattern(name) ? "" : "*");
	take_all(view, pattern, name);
	snprintf(pattern, sizeof(pattern), "%s/*/%s%s", folder, name, is_pattern(name) ? "" : "*");
	if (deeper)
		take_all(view, pattern, name);
}

static void folder_of(char path[PATH_MAX])
{
	char *slash = strrchr(path, '/');

	if (slash)
		*slash = 0;
}

static bool link_of(const struct view *view, const char *what, char path[PATH_MAX])
{
	char link[64];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/%d/%s", (int)view->pid, what);
	len = readlink(link, path, PATH_MAX - 1);
	path[len > 0 ? len : 0] = 0;
	return len > 0;
}

/* LD_LIBRARY_PATH, as it was executed with. */
static void take_library_path(const struct view *view, const char *name)
{
	static const char wanted[] = "LD_LIBRARY_PATH=";
	char path[64], *text = NULL, *part, *rest;
	size_t room = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/environ", (int)view->pid);
	file = fopen(path, "re");
	while (file && getdelim(&text, &room, 0, file) > 0) {
		if (strncmp(text, wanted, sizeof(wanted) - 1))
			continue;
		rest = text + sizeof(wanted) - 1;
		while ((part = strsep(&rest, ":;")))
			take_folder(view, part, name, false);
		break;
	}
	free(text);
	if (file)
		fclose(file);
}

static void take_libraries(const struct view *view, const char *name)
{
	char folder[PATH_MAX], last[PATH_MAX] = "";
	size_t i;

	for (i = 0; i < view->remote.maps_nr; i++) {
		const char *path = view->remote.maps[i].path;

		if (path[0] != '/' || !strstr(path, ".so") || strlen(path) >= PATH_MAX)
			continue;
		strcpy(folder, path);
		folder_of(folder);
		if (strcmp(folder, last))
			take_folder(view, folder, name, false);
		strcpy(last, folder);
	}
	take_folder(view, "/usr/local/lib", name, false);
	take_folder(view, "/usr/lib", name, false);
}

static bool is_loaded(const struct view *view, const char *name)
{
	size_t i;

	for (i = 0; i < view->remote.maps_nr; i++)
		if (view->remote.maps[i].path[0] == '/' &&
		    is_named(links_last_part(view->remote.maps[i].path), name))
			return true;
	return false;
}

static void take_bare(const struct view *view, const char *name)
{
	char folder[PATH_MAX];

	if (is_star(name) || (!is_pattern(name) && is_loaded(view, name)))
		return;
	if (link_of(view, "cwd", folder))
		take_folder(view, folder, name, true);
	if (link_of(view, "exe", folder)) {
		folder_of(folder);
		take_folder(view, folder, name, true);
	}
	take_library_path(view, name);
	if (!is_pattern(name))
		take_libraries(view, name);
}

/* With a '/': from this command's folder on, as a shell has it, and from the target's. */
static void take_target(const struct view *view, const char *target)
{
	char folder[PATH_MAX], path[2 * PATH_MAX], whole[PATH_MAX];
	const char *name = links_last_part(target);

	if (target[0] == '/') {
		if (is_pattern(target))
			take_all(view, target, name);
		else
			take_path(view, realpath(target, whole) ? whole : target);
		return;
	}
	if (getcwd(folder, sizeof(folder))) {
		snprintf(path, sizeof(path), "%s/%s", folder, target);
		if (is_pattern(target))
			take_all(view, path, name);
		else if (realpath(path, whole))
			take_path(view, whole);
	}
	if (link_of(view, "cwd", folder)) {
		snprintf(path, sizeof(path), "%s/%s", folder, target);
		take_all(view, path, name);
	}
}

void tracing_later_find(const struct tracing *t, const struct view *views)
{
	unsigned int i, k;

	for (i = 0; i < t->processes_nr; i++)
		for (k = 0; k < t->later_nr; k++)
			if (strchr(t->later[k], '/'))
				take_target(&views[i], t->later[k]);
			else
				take_bare(&views[i], t->later[k]);
	elves_know(files, files_nr);
}

/* ---- the table ----------------------------------------------------------------------- */

static unsigned int module_at(const struct symbols *s, uint64_t addr)
{
	Dwfl_Module *dwfl = addr ? dwfl_addrmodule(s->dwfl, addr) : NULL;
	unsigned int i;

	for (i = 0; dwfl && i < s->modules_nr; i++)
		if (s->modules[i].dwfl == dwfl)
			break;
	return dwfl ? i : s->modules_nr;
}

/* What the object begins with, as its file has it. */
static uint64_t sum_of(const struct symbol_module *m)
{
	GElf_Addr bias;
	size_t len = 0;
	uint64_t head;
	Elf *elf = dwfl_module_getelf(m->dwfl, &bias);
	const char *image = elf ? elf_rawfile(elf, &len) : NULL;

	head = image ? kt_later_len((const void *)image, len < KT_LATER_FIRST ? len : KT_LATER_FIRST) : 0;
	return head && head <= len ? kt_later_sum((const void *)image, head) : 0;
}

static bool add_object(struct kt_later *later, const struct symbol_module *m)
{
	struct kt_later_object *object = &later->objects[later->objects_nr];
	Dwarf_Addr start, end;
	uint32_t i;

	if (m->vdso || m->engine || (!m->owner[0] && !m->later) ||
	    !dwfl_module_info(m->dwfl, NULL, &start, &end, NULL, NULL, NULL, NULL))
		return true;
	for (i = 0; i < later->objects_nr; i++)
		if (later->objects[i].base == start)
			return true;
	if (later->objects_nr == KT_LATER_MAX)
		return false;
	object->base = start;
	object->len = end - start;
	object->sum = sum_of(m);
	object->there = !m->later;
	later->objects_nr += object->sum != 0;
	return true;
}

static void add_name(struct kt_later *later, size_t *at, const char *name, const char *rest)
{
	size_t len = strlen(name) + strlen(rest) + 1;

	if (is_star(name) || *at + len + 1 > KT_LATER_NAMES)
		return;
	sprintf(later->names + *at, "%s%s", name, rest);
	*at += len;
}

void tracing_later_table(struct tracing *t, const struct symbols *s,
			 const struct trace_script *script, uint32_t process)
{
	struct kt_later *later = &t->mail->of[process].later;
	const struct kt_program *program = script->program;
	const struct kt_probe *probes = (const void *)((const char *)program + program->probes);
	bool all = true;
	uint32_t i;
	size_t at = 0;

	later->objects_nr = 0;
	for (i = 0; i < script->probes_nr; i++) {
		unsigned int module = s->modules_nr;

		if (!script->probes[i].kernel && script->probes[i].process == process)
			module = module_at(s, probes[i].addr);
		if (module < s->modules_nr)
			all &= add_object(later, &s->modules[module]);
	}
	/* What is counted of a usdt probe is noted where it is found: take_usdt(). */
	for (i = 0; i < t->later_nr; i++) {
		add_name(later, &at, links_last_part(t->later[i]), "");
		if (!is_pattern(t->later[i]))
			add_name(later, &at, links_last_part(t->later[i]), ".*");
	}
	if (!all)
		cli_error("the script's places are in more than %d objects: what of the others is opened again is not probed",
			  KT_LATER_MAX);
}

/* ---- what came of it -------------------------------------------------------------------- */

/* Files of the same contents are one for who looks at what is opened. */
static bool has_come(const struct kt_later *later, const struct kt_share *share, uint32_t of)
{
	uint32_t i;

	for (i = 0; i < later->objects_nr; i++)
		if (later->objects[i].sum == later->objects[of].sum &&
		    (later->objects[i].there || share->came[i]))
			return true;
	return false;
}

void tracing_later_say(const struct tracing *t, const struct symbols *s, uint32_t process)
{
	const struct kt_later *later = &t->mail->of[process].later;
	const struct kt_share *share = t->processes[process].share;
	uint32_t i, strangers = share->strangers, crowded = share->crowded;
	char path[sizeof(share->stranger)], *safe;
	unsigned int module;
	bool any = false;

	for (i = 0; i < later->objects_nr; i++) {
		any |= !later->objects[i].there;
		module = module_at(s, later->objects[i].base);
		if (!has_come(later, share, i) && !share->untold &&
		    module < s->modules_nr)
			cli_error("%s was not opened while it was traced: nothing in it was called",
				  s->modules[module].label);
	}
	if (any && share->untold)
		cli_error("process %d does not tell when it opens objects: what it has opened since was not probed",
			  (int)t->processes[process].pid);
	if (crowded)
		cli_error("%u objects were opened when more than %d were open already, or memory was short: their calls were not seen",
			  crowded, KT_LATER_MAX);
	if (!strangers)
		return;
	memcpy(path, share->stranger, sizeof(path));
	path[sizeof(path) - 1] = 0;
	safe = cli_escaped(path);
	cli_error("%u object%s with a name as in the script %s opened from a file that was not there when tracing began, or has changed (%s): nothing in %s was probed, and calls were not seen",
		  strangers, strangers == 1 ? "" : "s", strangers == 1 ? "was" : "were",
		  safe ? safe : "?", strangers == 1 ? "it" : "them");
	free(safe);
}
