/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * forms.S - forms.py's instructions, assembled, with their names.
 *
 * Owns: the table diff_forms: { family, text, bytes, length }.
 */
	.macro form family, text:vararg
	.section .diff.bytes, "a"
.Lstart\@:
	\text
.Lend\@:
	.section .diff.strings, "a"
.Lname\@:
	.asciz "\text"
.Lfamily\@:
	.asciz "\family"
	.section .data.rel.ro
	.quad .Lfamily\@, .Lname\@, .Lstart\@, .Lend\@ - .Lstart\@
	.endm

	.section .data.rel.ro
	.balign 8
	.globl diff_forms, diff_forms_end
diff_forms:
	.include "forms.inc"
	.section .data.rel.ro
diff_forms_end:

	.section .note.GNU-stack, "", @progbits
