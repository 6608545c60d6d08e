// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Seeded mutations of valid inputs for the places where the command reads what a
 * process or a file controls.  One worker at a time; where it dies the input is
 * known, and the next one goes on behind it.
 *
 * usage: fuzz TARGET COUNT SEED [FILE...]
 *        fuzz TARGET @INDEX SEED [FILE...]      that input alone, with its report
 *
 * Invariant: (target, seed, index, files) fixes an input.
 */
#include "fuzz.h"

#include "cli.h"

#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROOM (1u << 20)
#define SECONDS_EACH 20

static const struct fuzz_target *const targets[] = {
	&fuzz_endpoint, &fuzz_elf, &fuzz_gopcln, &fuzz_maps, &fuzz_memory,
	&fuzz_names, &fuzz_perfmap, &fuzz_text,
};

static int printed = -1;		/* standard output: a memory file */

struct progress {
	uint64_t index;			/* of the input that is tried */
	char wrong[200];		/* what was found wrong with it */
};


uint64_t fuzz_random(uint64_t *state)
{
	uint64_t z = *state += 0x9E3779B97F4A7C15ull;

	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
	z = (z ^ z >> 27) * 0x94D049BB133111EBull;
	return z ^ z >> 31;
}

int fuzz_file(const void *bytes, size_t len)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || write(fd, bytes, len) != (ssize_t)len)
		abort();
	return fd;
}

const char *fuzz_printed(size_t *len)
{
	static char text[4u << 20];
	ssize_t got;

	fflush(stdout);
	got = pread(printed, text, sizeof(text) - 1, 0);
	*len = got > 0 ? (size_t)got : 0;
	text[*len] = 0;
	if (ftruncate(printed, 0))
		abort();
	return text;
}

uint8_t *fuzz_image(const uint8_t *bytes, size_t len)
{
	uint8_t *image = calloc(1, FUZZ_IMAGE);
	Elf64_Ehdr eh;
	Elf64_Phdr ph;
	size_t i;

	if (!image)
		abort();
	memcpy(image, bytes, len < FUZZ_IMAGE ? len : FUZZ_IMAGE);
	if (len < sizeof(eh))
		return image;
	memcpy(&eh, bytes, sizeof(eh));
	for (i = 0; i < eh.e_phnum && i < 16; i++) {
		uint64_t at = eh.e_phoff + i * sizeof(ph);

		if (at > len || len - at < sizeof(ph))
			break;
		memcpy(&ph, bytes + at, sizeof(ph));
		if (ph.p_type == PT_LOAD && ph.p_vaddr < FUZZ_IMAGE &&
		    ph.p_filesz <= FUZZ_IMAGE - ph.p_vaddr &&
		    ph.p_offset < len && ph.p_filesz <= len - ph.p_offset)
			memcpy(image + ph.p_vaddr, bytes + ph.p_offset,
			       ph.p_filesz);
	}
	return image;
}

/* ---- inputs -------------------------------------------------------------------- */

static size_t read_sample(const char *path, uint8_t *bytes)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, bytes, ROOM / 2);

	if (got <= 0) {
		fprintf(stderr, "fuzz: %s cannot be read\n", path);
		exit(2);
	}
	close(fd);
	return (size_t)got;
}

static size_t at_random(uint64_t *random, size_t len)
{
	uint64_t r = fuzz_random(random);

	/* Headers decide most, but what they lead to has to be reached. */
	return len ? (r & 7 ? (r >> 8) % len : (r >> 8) % (len < 512 ? len : 512))
		   : 0;
}

static size_t mutate_once(uint8_t *bytes, size_t len, uint64_t *random)
{
	static const uint64_t edges[] = {
		0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0x80000000,
		0xffffffff, 0x7fffffffffffffff, 0x8000000000000000, ~0ull, 4096,
	};
	uint64_t r = fuzz_random(random), value = fuzz_random(random);
	size_t at = at_random(random, len), nr = 1u << (r >> 8 & 3);
	size_t part = 1 + (r >> 16) % 64;

	/* What moves all that follows: now and then. */
	switch (r >> 40 & 3 ? r & 3 : r & 7) {
	case 0: case 1:
		if (len)
			bytes[at] ^= (uint8_t)(1u << (value & 7));
		break;
	case 2:
		if (len)
			bytes[at] = (uint8_t)value;
		break;
	case 3: case 4:			/* a number of its own, or near one */
		value = edges[value % (sizeof(edges) / sizeof(edges[0]))];
		if (at + nr <= len)
			memcpy(bytes + at, &value, nr);
		break;
	case 5:				/* cut or leave out */
		if (value % 8 == 0)
			return at;
		part = part < len - at ? part : len - at;
		memmove(bytes + at, bytes + at + part, len - at - part);
		return len - part;
	case 6:				/* twice */
		if (len + part > ROOM || at + part > len)
			break;
		memmove(bytes + at + part, bytes + at, len - at);
		return len + part;
	default:			/* from elsewhere */
		nr = at_random(random, len);
		part = part < len - at ? part : len - at;
		part = part < len - nr ? part : len - nr;
		memmove(bytes + at, bytes + nr, part);
	}
	return len;
}

static size_t make_input(const struct fuzz_target *target, uint8_t *bytes,
			 uint64_t seed, uint64_t index, char **files, int nr)
{
	uint64_t random = seed * 0x1000003 + index, times, r;
	size_t len;

	fuzz_random(&random);
	r = fuzz_random(&random);
	if (target->sample)
		len = target->sample(bytes, ROOM / 2, &random);
	else
		len = read_sample(files[r % (uint64_t)nr], bytes);
	for (times = fuzz_random(&random) % 12; times; times--)
		len = mutate_once(bytes, len, &random);
	return len;
}

/* ---- the worker ---------------------------------------------------------------------- */

static void work(const struct fuzz_target *target, struct progress *progress,
		 uint64_t end, uint64_t seed, char **files, int nr, int report)
{
	uint8_t *bytes = malloc(ROOM);
	const char *wrong = NULL;
	size_t len;

	printed = memfd_create("printed", MFD_CLOEXEC);
	dup2(printed, STDOUT_FILENO);
	fcntl(STDOUT_FILENO, F_SETFL, O_APPEND);
	dup2(report, STDERR_FILENO);
	cli_output_begin();
	for (; progress->index < end && !wrong; progress->index++) {
		len = make_input(target, bytes, seed, progress->index, files,
				 nr);
		alarm(SECONDS_EACH);
		wrong = target->run(bytes, len);
		if (wrong) {
			snprintf(progress->wrong, sizeof(progress->wrong), "%s",
				 wrong);
			_exit(1);
		}
	}
	_exit(0);
}

/* Is the first frame of the report that is no runtime's in libdw or libelf? */
static bool in_library(int report)
{
	static char text[1u << 16];
	ssize_t got = pread(report, text, sizeof(text) - 1, 0);
	char *line, *rest = text;

	text[got > 0 ? got : 0] = 0;
	while ((line = strsep(&rest, "\n"))) {
		if (!strstr(line, "    #"))
			continue;
		if (strstr(line, "libdw") || strstr(line, "libelf"))
			return true;
		if (strstr(line, "cli/") || strstr(line, "core/") ||
		    strstr(line, "arch/") || strstr(line, "trace/"))
			return false;
	}
	return false;
}

static void show(int report)
{
	char text[3000];
	ssize_t got = pread(report, text, sizeof(text) - 1, 0);
	char *line, *rest = text;

	text[got > 0 ? got : 0] = 0;
	while ((line = strsep(&rest, "\n")))
		if (*line)
			fprintf(stderr, "# %s\n", line);
}

struct tally {
	uint64_t slow, library, wrong;
};

/* One worker, until it ends or dies. */
static void run_worker(const struct fuzz_target *target,
		       struct progress *progress, uint64_t end, uint64_t seed,
		       char **files, int nr, struct tally *tally)
{
	int status, report = memfd_create("report", MFD_CLOEXEC);
	pid_t worker;

	progress->wrong[0] = 0;
	fflush(stdout);
	worker = fork();
	if (!worker)
		work(target, progress, end, seed, files, nr, report);
	waitpid(worker, &status, 0);
	if (WIFEXITED(status) && !WEXITSTATUS(status)) {
		close(report);
		return;
	}
	if (target->jailed && WIFSIGNALED(status) &&
	    WTERMSIG(status) == SIGALRM) {
		tally->slow++;
	} else if (target->jailed && in_library(report)) {
		tally->library++;
	} else {
		tally->wrong++;
		fprintf(stderr, "# fuzz %s @%llu %llu: status %x %s\n",
			target->name, (unsigned long long)progress->index,
			(unsigned long long)seed, (unsigned int)status,
			progress->wrong);
		show(report);
	}
	close(report);
	progress->index++;
}

int main(int argc, char **argv)
{
	const struct fuzz_target *target = NULL;
	struct tally tally = { 0 };
	struct progress *progress;
	uint64_t end, seed, first = 0;
	size_t i;

	for (i = 0; argc > 3 && i < sizeof(targets) / sizeof(targets[0]); i++)
		if (!strcmp(argv[1], targets[i]->name))
			target = targets[i];
	if (!target) {
		fprintf(stderr, "usage: fuzz TARGET COUNT|@INDEX SEED [FILE...]\n");
		return 2;
	}
	if (!target->sample && argc < 5) {
		fprintf(stderr, "fuzz: %s begins with files: name some\n",
			target->name);
		return 2;
	}
	end = strtoull(argv[2], NULL, 0);
	seed = strtoull(argv[3], NULL, 0);
	if (argv[2][0] == '@') {
		first = strtoull(argv[2] + 1, NULL, 0);
		end = first + 1;
	}
	progress = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (progress == MAP_FAILED)
		return 2;
	for (progress->index = first; progress->index < end && tally.wrong < 5;)
		run_worker(target, progress, end, seed, argv + 4, argc - 4,
			   &tally);
	printf("%sok fuzz-%s seed %llu: %llu inputs, %llu too slow and %llu broken in libelf or libdw, %llu wrong\n",
	       tally.wrong ? "not " : "", target->name,
	       (unsigned long long)seed,
	       (unsigned long long)(progress->index - first),
	       (unsigned long long)tally.slow,
	       (unsigned long long)tally.library,
	       (unsigned long long)tally.wrong);
	return tally.wrong != 0;
}
