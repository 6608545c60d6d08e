/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * vet.c - whether the dynamic linker may be given this file.
 *
 * Owns: the checks that the linker does not make and for which the process would pay: on a pipe
 * it waits for ever with its lock held, and in a file that is shorter than its segments (a copy
 * that was interrupted) it meets SIGBUS.  What the linker refuses by itself is left to it.
 */
#include "vet.h"
#include "env.h"

#include <elf.h>
#include <link.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define SEGMENTS_MAX 256

/* Do all segments lie within the file's size? */
static bool whole(int fd, const ElfW(Ehdr) *eh, uint64_t size)
{
	ElfW(Phdr) ph;
	unsigned int i;

	if (eh->e_phentsize != sizeof(ph) || eh->e_phnum > SEGMENTS_MAX)
		return false;
	for (i = 0; i < eh->e_phnum; i++) {
		if (pread(fd, &ph, sizeof(ph),
			  (off_t)(eh->e_phoff + i * sizeof(ph))) != sizeof(ph))
			return false;
		if (ph.p_type != PT_LOAD && ph.p_type != PT_DYNAMIC)
			continue;
		if (ph.p_filesz > size || ph.p_offset > size - ph.p_filesz)
			return false;
	}
	return true;
}

static const char *vet(int fd)
{
	struct stat st;
	ElfW(Ehdr) eh;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return "not a regular file";
	if (pread(fd, &eh, sizeof(eh), 0) != sizeof(eh) ||
	    memcmp(eh.e_ident, ELFMAG, SELFMAG) ||
	    eh.e_ident[EI_CLASS] != KP_ELF_CLASS)
		return NULL;		/* the linker has words for it */
	if (!whole(fd, &eh, (uint64_t)st.st_size))
		return "the file is damaged, or not there as a whole";
	return NULL;
}

const char *kp_vet(const char *path)
{
	/* Without waiting for a pipe's other end. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	const char *wrong;

	if (fd < 0)
		return NULL;
	wrong = vet(fd);
	close(fd);
	return wrong;
}
