/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * compare.c - the decoder beside LLVM's disassembler and objdump.
 *
 * Owns: running them, and what a difference is: length, validity, class, marks, the
 * pc-relative operand.  LLVM runs in this process, of its C interface the functions
 * below; objdump gets a file of code for each call.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "isa.h"

#define BASE (isa.base ? isa.base : 0x4000000000ull)	/* a page's start */
#ifndef SHOWN
#define SHOWN 40
#endif

void LLVMParseCommandLineOptions(int argc, const char *const *argv, const char *overview);
void *LLVMCreateDisasmCPUFeatures(const char *triple, const char *cpu, const char *features,
				  void *block, int tag, void *get_info, void *look_up);
size_t LLVMDisasmInstruction(void *context, uint8_t *bytes, uint64_t len, uint64_t pc,
			     char *text, size_t size);

static const char *const oracle_names[] = { "llvm", "objdump" };
static size_t shown;

static void *open_llvm(void)
{
	static void *llvm;
	size_t i;

	if (llvm)
		return llvm;
	for (i = 0; i < 3; i++)
		isa.llvm[i]();
	if (isa.no_aliases)
		LLVMParseCommandLineOptions(2, (const char *const []) { "oracle", isa.no_aliases },
					    NULL);
	llvm = LLVMCreateDisasmCPUFeatures(isa.triple, "", isa.features, NULL, 0, NULL, NULL);
	if (!llvm) {
		fprintf(stderr, "LLVM has no %s\n", isa.triple);
		exit(1);
	}
	return llvm;
}

static uint64_t operand_of(const struct decoded *decoded, const struct heard *heard,
			   enum oracle oracle)
{
	return heard->from_here || oracle == ORACLE_LLVM ? (uint64_t)decoded->offset :
							   decoded->operand;
}

/* @len: as the oracle has it, or 0. */
static bool agrees(const struct heard *heard, const struct decoded *decoded,
		   enum oracle oracle, size_t len)
{
	if (isa.lax && heard->class == isa.unallocated && isa.lax(decoded->class))
		return true;
	return heard->class == decoded->class && heard->mark == decoded->mark &&
	       (heard->class == isa.unallocated || len == decoded->len) &&
	       (!heard->relative || heard->operand == operand_of(decoded, heard, oracle));
}

/* 1: a difference that nothing excuses. */
static size_t check(enum oracle oracle, uint32_t word, uint64_t addr, size_t len,
		    const char *text, size_t excused[ORACLE_NR])
{
	struct decoded decoded;
	struct heard heard;

	isa_decode(&decoded, word, addr);
	hear(&heard, text);
	if (agrees(&heard, &decoded, oracle, len))
		return 0;
	if (decoded.unpredictable || oracle_excuse(oracle, word, heard.class)) {
		excused[oracle]++;
		return 0;
	}
	if (shown++ < SHOWN)
		printf("# %08x: %s says %.*s (%zu bytes, class %u, operand %#llx); we: %u bytes, class %u, operand %#llx\n",
		       word, oracle_names[oracle], text ? (int)strcspn(text, "\n") : 7,
		       text ? text : "nothing", len, heard.class,
		       (unsigned long long)heard.operand, decoded.len, decoded.class,
		       (unsigned long long)operand_of(&decoded, &heard, oracle));
	return 1;
}

static size_t compare_llvm(const uint32_t *words, size_t nr, size_t excused[ORACLE_NR])
{
	void *llvm = open_llvm();
	size_t i, wrong = 0;

	for (i = 0; i < nr; i++) {
		char text[256];
		uint32_t word = words[i];
		size_t len = LLVMDisasmInstruction(llvm, (uint8_t *)&word, 4, 0, text, sizeof(text));

		wrong += check(ORACLE_LLVM, word, 0, len, len ? text : NULL, excused);
	}
	return wrong;
}

/* The code, each unit as long as we say; behind its word there are zeros. */
static void write_code(FILE *file, const uint32_t *words, size_t nr)
{
	static const uint8_t zeros[8];
	size_t i;

	for (i = 0; i < nr; i++) {
		size_t len = isa_len(words[i]), first = len < 4 ? len : 4;

		fwrite(&words[i], 1, first, file);
		fwrite(zeros, 1, len - first, file);
	}
}

/*
 * A line of objdump's that begins with an address: 0x4000001000: bytes, a tab, and text.
 * Where it has other lengths than we, its addresses are not ours.
 */
static size_t read_listing(FILE *listing, const uint32_t *words, size_t nr, size_t *seen,
			   size_t excused[ORACLE_NR])
{
	uint64_t next = BASE;
	size_t wrong = 0;
	char line[512];

	while (fgets(line, sizeof(line), listing)) {
		char *end;
		uint64_t addr = strtoull(line, &end, 16);
		size_t len;

		if (*end != ':' || end == line)
			continue;
		if (*seen == nr || addr != next)
			break;
		len = isa_len(words[*seen]);
		next += len;
		end = strchr(end + 2, '\t');
		wrong += check(ORACLE_OBJDUMP, words[(*seen)++], addr, len, end, excused);
	}
	return wrong;
}

static size_t compare_objdump(const uint32_t *words, size_t nr, size_t excused[ORACLE_NR])
{
	char path[] = "/tmp/oracle-XXXXXX", command[256];
	int fd = mkstemp(path);
	FILE *code = fd < 0 ? NULL : fdopen(fd, "w");
	size_t seen = 0, wrong = 0;
	FILE *listing;

	if (code)
		write_code(code, words, nr);
	if (!code || fclose(code)) {
		perror(path);
		exit(1);
	}
	snprintf(command, sizeof(command), "%s -D -z -b binary --adjust-vma=%#llx %s", isa.objdump,
		 (unsigned long long)BASE, path);
	listing = popen(command, "r");
	if (listing)
		wrong = read_listing(listing, words, nr, &seen, excused);
	if (!listing || pclose(listing) || seen != nr) {
		printf("# objdump said something of %zu words, not of %zu\n", seen, nr);
		wrong++;
	}
	unlink(path);
	return wrong;
}

size_t oracle_compare(const uint32_t *words, size_t nr, size_t excused[ORACLE_NR])
{
	return compare_llvm(words, nr, excused) + compare_objdump(words, nr, excused);
}
