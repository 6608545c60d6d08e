/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A decoder beside its oracles: what a processor's tests bring, and what they get.
 *
 * Both oracles, LLVM and objdump, write a line of assembly for each instruction, in the
 * same language.  A processor brings a struct isa and the functions of its first part.
 */
#ifndef KP_TEST_ORACLE_ISA_H
#define KP_TEST_ORACLE_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum oracle { ORACLE_LLVM, ORACLE_OBJDUMP, ORACLE_NR };

/* The mnemonics of a class, between spaces; one that ends in * is a prefix. */
struct isa_class {
	uint8_t class;
	const char *mnemonics;
};

/*
 * An oracle is wrong on the words that mask and value admit, and for which also holds, if
 * there is one: it says class, and should not.
 */
struct isa_excuse {
	enum oracle oracle;
	uint32_t mask, value;
	uint8_t class;
	bool (*also)(uint32_t word);
	const char *reason;
};

/* What the decoder under test says. */
struct decoded {
	unsigned int len;
	uint8_t class;
	bool mark;		/* of those with such a mark on them, if there are any */
	bool unpredictable;	/* refused for an operand, whatever an oracle makes of it */
	int64_t offset;		/* to the pc-relative operand */
	uint64_t operand;	/* ... at the address that it was decoded for */
};

/* What an oracle's line says. */
struct heard {
	uint8_t class;
	bool mark;
	bool relative;		/* has a pc-relative operand */
	bool from_here;		/* ... which is printed as an offset, by both */
	uint64_t operand;	/* ... the number that is printed */
};

struct isa {
	const char *name;		/* in the lines that are printed */
	uint16_t machine;		/* of ELF files */
	const char *triple, *features;	/* LLVM's */
	void (*llvm[3])(void);		/* its description, its code, its disassembler */
	const char *no_aliases;		/* an option of its command line's, or NULL */
	const char *objdump;		/* the command and its options, but address and file */
	uint32_t ones;			/* bits that random words have: others are few enough for all */
	uint8_t unallocated, plain;	/* classes: no instruction; in no list */
	bool (*lax)(uint8_t class);	/* of what may be no instruction to an oracle, or NULL */
	uint64_t base;			/* where objdump is told that the words are; 0: beyond 32 bits */
	/* Words that change what follows; then as many of what does nothing as it may be. */
	bool (*changes_next)(uint32_t word);
	uint32_t nop;
	const struct isa_class *classes;	/* the last one has no mnemonics */
	const struct isa_excuse *excuses;	/* the last one has no reason */
};

extern const struct isa isa;

/* Of a unit of code that begins with these bits: how long it is; without what follows it. */
unsigned int isa_len(uint32_t word);
uint32_t isa_cut(uint32_t word);

void isa_decode(struct decoded *decoded, uint32_t word, uint64_t addr);

/* The class, from the lists, and the operands, say what else? */
void isa_hear(struct heard *heard, const char *mnemonic, size_t len, const char *operands);

/* Row @i of the decoder's map; false: there are fewer. */
bool oracle_row(size_t i, uint32_t *mask, uint32_t *value);

/*
 * Compare the decoder with both oracles on @nr words; print the first differences.
 * Returns how many there are; adds what was excused to @excused.
 */
size_t oracle_compare(const uint32_t *words, size_t nr, size_t excused[ORACLE_NR]);

/* @text: mnemonic, white space, operands; NULL or what says that there is none. */
void hear(struct heard *heard, const char *text);

/* Is @name, of @len, in a list of mnemonics? */
bool lists(const char *list, const char *name, size_t len);

/* Is it written down why @oracle is wrong about @word, which it has as @class? */
bool oracle_excuse(enum oracle oracle, uint32_t word, uint8_t class);

/* A word of the list's row @row, its free bits as in @any; false: the list is shorter. */
bool oracle_excused_word(size_t row, uint32_t any, uint32_t *word);

/* How many rows have excused nothing so far; they are printed. */
size_t oracle_unused_excuses(void);

#endif
