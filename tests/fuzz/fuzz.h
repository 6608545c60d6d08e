/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * fuzz.h - what the fuzzers of the command's hostile inputs share.
 *
 * Owns: struct fuzz_target and the random numbers.
 */
#ifndef KP_TESTS_FUZZ_H
#define KP_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fuzz_target {
	const char *name;
	/* A valid input, to begin with; NULL: the files that are named are. */
	size_t (*sample)(uint8_t *bytes, size_t room, uint64_t *random);
	/* NULL, or what is wrong.  A crash is wrong in any case. */
	const char *(*run)(const uint8_t *bytes, size_t len);
	/* A crash in a library that the jail keeps harmless is only counted. */
	bool jailed;
};

extern const struct fuzz_target fuzz_endpoint, fuzz_elf, fuzz_gopcln,
	fuzz_maps, fuzz_memory, fuzz_perfmap, fuzz_names, fuzz_text;

uint64_t fuzz_random(uint64_t *state);
/* A memory file that holds this. */
int fuzz_file(const void *bytes, size_t len);
/* An object's memory as a loader would fill it; to be freed. */
#define FUZZ_IMAGE (1u << 18)
uint8_t *fuzz_image(const uint8_t *bytes, size_t len);
/* What was printed since the last call is here, NUL-terminated. */
const char *fuzz_printed(size_t *len);
/* What is wrong with what was printed; NULL: nothing. */
const char *fuzz_check_printed(bool json);

#endif
