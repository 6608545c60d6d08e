/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * oracle.c - the decoder beside LLVM's disassembler and objdump.
 *
 * Owns: running them, and what a difference is: validity, class, landing pads, the
 * pc-relative operand.  LLVM runs in this process, of its C interface the three
 * functions below; objdump gets a file of words for each call.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mnemonic.h"
#include "insn.h"
#include "oracle.h"

#define BASE 0x4000000000ull	/* where objdump is told that the words are; a page's start */
#ifndef SHOWN
#define SHOWN 40
#endif

void LLVMInitializeAArch64TargetInfo(void);
void LLVMInitializeAArch64TargetMC(void);
void LLVMInitializeAArch64Disassembler(void);
void *LLVMCreateDisasmCPUFeatures(const char *triple, const char *cpu, const char *features,
				  void *block, int tag, void *get_info, void *look_up);
size_t LLVMDisasmInstruction(void *context, uint8_t *bytes, uint64_t len, uint64_t pc,
			     char *text, size_t size);

static const char *const oracle_names[] = { "llvm", "objdump" };
static size_t shown;

static void *open_llvm(void)
{
	static void *llvm;

	if (llvm)
		return llvm;
	LLVMInitializeAArch64TargetInfo();
	LLVMInitializeAArch64TargetMC();
	LLVMInitializeAArch64Disassembler();
	llvm = LLVMCreateDisasmCPUFeatures("aarch64-linux-gnu", "", "+all", NULL, 0, NULL, NULL);
	if (!llvm) {
		fprintf(stderr, "LLVM has no AArch64\n");
		exit(1);
	}
	return llvm;
}

static bool agrees(const struct heard *heard, const struct kp_a64_insn *insn,
		   enum oracle oracle, uint64_t addr)
{
	uint64_t operand;

	if (heard->class != insn->class || heard->pad != !!(insn->flags & KP_A64_PAD))
		return false;
	if (!heard->relative)
		return true;
	operand = oracle == ORACLE_LLVM ? (uint64_t)insn->offset : kp_a64_operand(insn, addr);
	return heard->operand == operand;
}

/* 1: a difference that nothing excuses. */
static size_t check(enum oracle oracle, uint32_t word, uint64_t addr, const char *text,
		    size_t excused[ORACLE_NR])
{
	struct kp_a64_insn insn;
	struct heard heard;

	kp_a64_decode(&insn, word);
	hear(&heard, text);
	if (agrees(&heard, &insn, oracle, addr))
		return 0;
	if (oracle_excuse(oracle, word, heard.class)) {
		excused[oracle]++;
		return 0;
	}
	if (shown++ < SHOWN)
		printf("# %08x: %s says %.*s (class %u, operand %#llx); we: class %u, operand %#llx\n",
		       word, oracle_names[oracle], text ? (int)strcspn(text, "\n") : 7,
		       text ? text : "nothing", heard.class,
		       (unsigned long long)heard.operand, insn.class,
		       (unsigned long long)(oracle == ORACLE_LLVM ? (uint64_t)insn.offset :
					    kp_a64_operand(&insn, addr)));
	return 1;
}

static size_t compare_llvm(const uint32_t *words, size_t nr, size_t excused[ORACLE_NR])
{
	void *llvm = open_llvm();
	size_t i, wrong = 0;

	for (i = 0; i < nr; i++) {
		char text[256];
		uint32_t word = words[i];

		wrong += check(ORACLE_LLVM, word, 0,
			       LLVMDisasmInstruction(llvm, (uint8_t *)&word, 4, 0, text,
						     sizeof(text)) ? text : NULL, excused);
	}
	return wrong;
}

static size_t compare_objdump(const uint32_t *words, size_t nr, size_t excused[ORACLE_NR])
{
	char path[] = "/tmp/a64-XXXXXX", command[256], line[512];
	int fd = mkstemp(path);
	size_t seen = 0, wrong = 0;
	FILE *listing;

	if (fd < 0 || write(fd, words, nr * 4) != (ssize_t)(nr * 4)) {
		perror(path);
		exit(1);
	}
	close(fd);
	snprintf(command, sizeof(command),
		 "aarch64-linux-gnu-objdump -D -z -b binary -m aarch64 --adjust-vma=%#llx %s",
		 BASE, path);
	listing = popen(command, "r");
	while (listing && fgets(line, sizeof(line), listing)) {
		char *end, *word_end;
		uint64_t addr = strtoull(line, &end, 16);
		uint32_t word;

		if (*end != ':' || end == line)
			continue;
		word = (uint32_t)strtoul(end + 1, &word_end, 16);
		if (addr != BASE + seen * 4 || word != words[seen])
			break;
		seen++;
		wrong += check(ORACLE_OBJDUMP, word, addr, word_end, excused);
	}
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
