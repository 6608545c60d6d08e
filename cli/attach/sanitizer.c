// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * sanitizer.c - programs whose sanitizer runtime must be loaded first.
 *
 * Owns: finding that runtime among the libraries that a program names.  AddressSanitizer's
 * refuses to run behind another library, and preloaded libraries come before named ones.
 */
#include "cli.h"
#include "native_elf.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define SEGMENTS_MAX 64
#define ENTRIES_MAX 512

struct program {
	int fd, nr;
	ElfW(Phdr) ph[SEGMENTS_MAX];
};

static bool get(const struct program *p, void *dst, size_t len, uint64_t at)
{
	return pread(p->fd, dst, len, (off_t)at) == (ssize_t)len;
}

static bool read_headers(struct program *p)
{
	ElfW(Ehdr) eh;

	if (!get(p, &eh, sizeof(eh), 0) || memcmp(eh.e_ident, ELFMAG, SELFMAG) ||
	    eh.e_ident[EI_CLASS] != NATIVE_CLASS ||
	    eh.e_phentsize != sizeof(p->ph[0]) || eh.e_phnum > SEGMENTS_MAX)
		return false;
	p->nr = eh.e_phnum;
	return get(p, p->ph, sizeof(p->ph[0]) * eh.e_phnum, eh.e_phoff);
}

/* Where in the file what is loaded at vaddr is; 0: nowhere. */
static uint64_t place_of(const struct program *p, uint64_t vaddr)
{
	int i;

	for (i = 0; i < p->nr; i++)
		if (p->ph[i].p_type == PT_LOAD &&
		    vaddr - p->ph[i].p_vaddr < p->ph[i].p_filesz)
			return vaddr - p->ph[i].p_vaddr + p->ph[i].p_offset;
	return 0;
}

static bool is_runtime(const char *name)
{
	static const char *const names[] = {
		"libasan.so", "libhwasan.so", "libtsan.so", "liblsan.so",
		"libclang_rt.asan", "libclang_rt.tsan", "libclang_rt.hwasan",
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(name, names[i], strlen(names[i])))
			return true;
	return false;
}

static bool find(const struct program *p, const ElfW(Phdr) *ph, char *name,
		 size_t room)
{
	uint64_t needed[ENTRIES_MAX], strings = 0;
	size_t i, nr = 0;
	ElfW(Dyn) dyn;

	for (i = 0; i < ENTRIES_MAX; i++) {
		if (!get(p, &dyn, sizeof(dyn), ph->p_offset + i * sizeof(dyn)) ||
		    dyn.d_tag == DT_NULL)
			break;
		if (dyn.d_tag == DT_STRTAB)
			strings = place_of(p, dyn.d_un.d_ptr);
		else if (dyn.d_tag == DT_NEEDED)
			needed[nr++] = dyn.d_un.d_val;
	}
	for (i = 0; strings && i < nr; i++) {
		ssize_t len = pread(p->fd, name, room - 1,
				    (off_t)(strings + needed[i]));

		name[len > 0 ? len : 0] = 0;
		if (len > 0 && strlen(name) < (size_t)len && is_runtime(name) &&
		    !strpbrk(name, ":/ "))
			return true;
	}
	return false;
}

/* The file name of the runtime that the program names; false: none. */
bool cli_sanitizer(const char *path, char *name, size_t room)
{
	struct program p = { .fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) };
	bool found = false;
	int i;

	if (p.fd < 0)
		return false;
	if (read_headers(&p))
		for (i = 0; i < p.nr && !found; i++)
			found = p.ph[i].p_type == PT_DYNAMIC &&
				find(&p, &p.ph[i], name, room);
	close(p.fd);
	return found;
}
