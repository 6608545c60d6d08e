/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * forms.h - instructions that write memory, each in a function of its own, on MIPS of 64 bits.
 *
 * Owns: the list of them.  At $5 they write; $8 to $13 and $f0 to $f3 are those of a struct
 * state.  "// strict": it wants memory on its boundary.
 */
#ifndef KP_LIVE_FORMS_H
#define KP_LIVE_FORMS_H

#include "../form.h"

struct state {
	unsigned long x[6], flags, unused;
	unsigned char v[4][16];
	unsigned long di;
};

_Static_assert(offsetof(struct state, v) == 64 && offsetof(struct state, di) == 128, "forms");

#define FORM_NAMED(text, name)						\
	__asm__("	.pushsection .text; .set push; .set noreorder; .set noat\n" \
		"	.globl " name "\n	.type " name ", @function\n" \
		"	.p2align 3\n"					\
		name ":\n"						\
		"1:	move $2, $4\n"					\
		"	ldc1 $f0, 64($2); ldc1 $f1, 80($2); ldc1 $f2, 96($2); ldc1 $f3, 112($2)\n" \
		"	ld $8, 0($2); ld $9, 8($2); ld $10, 16($2); ld $11, 24($2); ld $12, 32($2); ld $13, 40($2)\n" \
		"	" text "\n"					\
		"	sd $8, 0($2); sd $9, 8($2); sd $10, 16($2); sd $11, 24($2); sd $12, 32($2); sd $13, 40($2)\n" \
		"	sdc1 $f0, 64($2); sdc1 $f1, 80($2); sdc1 $f2, 96($2); sdc1 $f3, 112($2)\n" \
		"	jr $31; sd $5, 128($2)\n"			\
		"	.size " name ", . - " name "\n"			\
		"	.set pop; .pushsection .rodata\n"		\
		"2:	.asciz \"" text "\"\n"				\
		"	.popsection\n"					\
		"	.pushsection forms, \"aw\"; .p2align 3; .quad 1b, 2b; .popsection\n" \
		"	.popsection\n")

/* Off their boundary the kernel makes them. */
FORM("sb $8, 0($5)"); FORM("sh $8, 0($5)"); FORM("sw $8, 0($5)"); FORM("sd $8, 0($5)");
FORM("sb $0, 7($5)"); FORM("sd $0, 16($5)"); FORM("sd $9, -3($5)"); FORM("sw $10, 5($5)"); FORM("sh $11, -1($5)");
FORM("swl $8, 0($5)"); FORM("swr $8, 0($5)"); FORM("sdl $8, 0($5)"); FORM("sdr $8, 0($5)");
FORM("swl $9, 3($5); swr $9, 0($5)"); FORM("sdl $9, 7($5); sdr $9, 0($5)"); FORM("sdl $10, 0($5); sdr $10, 7($5)");
FORM("swc1 $f0, 0($5)"); FORM("sdc1 $f1, 0($5)"); FORM("swc1 $f2, -4($5)"); FORM("sdc1 $f3, 8($5)");
FORM("li $8, 8; swxc1 $f0, $8($5) # strict"); FORM("li $8, 8; sdxc1 $f1, $8($5) # strict");

/* In delay slots. */
FORM("b 3f; sw $8, 0($5); break; 3:"); FORM("move $14, $31; bal 3f; sd $31, 0($5); 3: move $31, $14");
FORM("beq $8, $8, 3f; sdl $9, 0($5); break; 3:"); FORM("beq $8, $9, 3f; sd $9, 0($5); 3:");
FORM("bltz $8, 3f; sb $8, 3($5); 3:"); FORM("bnel $0, $2, 3f; sh $8, 0($5); break; 3:");
FORM("c.f.s $f0, $f0; nop; bc1f 3f; sdc1 $f0, 0($5); break; 3:");

FORM("3: ll $8, 0($5); addu $8, $8, $9; sc $8, 0($5); beqz $8, 3b; nop # strict");
FORM("3: lld $8, 0($5); daddu $8, $8, $9; scd $8, 0($5); beqz $8, 3b; nop # strict");
FORM("3: ll $8, 0($5); move $10, $9; sc $10, 0($5); beqzl $10, 3b; nop # strict");
FORM("3: lld $8, 8($5); b 4f; xor $10, $8, $9; break; 4: scd $10, 8($5); beqz $10, 3b; li $11, 5 # strict");
FORM("3: ll $8, 0($5); li $11, 5; beq $8, $11, 4f; move $10, $9; sc $10, 0($5); beqz $10, 3b; nop; 4: # strict");

#define FORM_FLAGS 0ul			/* there are none */
#define FORM_MARK "#"

#include "../forms_words.h"

#endif
