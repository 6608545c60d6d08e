/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * sound.c - what the command's check of shared objects says of files.
 *
 * Owns: one line for each that it refuses, of those that are named.
 */
#include "../../../cli/attach/sound.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct stat st;
	int i, fd;

	for (i = 1; i < argc; i++) {
		const Elf64_Ehdr *eh;
		const char *wrong;

		fd = open(argv[i], O_RDONLY);
		if (fd < 0 || fstat(fd, &st) || st.st_size < (off_t)sizeof(*eh))
			continue;
		eh = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd,
			  0);
		close(fd);
		if (eh == MAP_FAILED)
			continue;
		wrong = !memcmp(eh->e_ident, ELFMAG, SELFMAG) &&
			eh->e_machine == EM_X86_64 && eh->e_type == ET_DYN &&
			eh->e_ident[EI_CLASS] == ELFCLASS64
			? cli_sound(eh, (size_t)st.st_size) : NULL;
		if (wrong)
			printf("%s: %s\n", argv[i], wrong);
		munmap((void *)eh, (size_t)st.st_size);
	}
	return 0;
}
