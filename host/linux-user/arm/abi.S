/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * abi.S - what compiled code names, and nobody calls.
 *
 * Owns: the functions of the processor's binary interface that a C library has.
 */
	.section .text.kp_trap, "ax", %progbits
	.arm

/*
 * Tables for unwinders name these, so that a program is linked with them; who unwinds goes by
 * the number in the table.  The library wants no more than the C library.
 */
	.irp	n, 0, 1, 2
	.globl	__aeabi_unwind_cpp_pr\n
	.hidden	__aeabi_unwind_cpp_pr\n
	.type	__aeabi_unwind_cpp_pr\n, %function
__aeabi_unwind_cpp_pr\n:
	.endr
	udf	#0

/* What divides by 0 would call it, in the compiler's library. */
	.globl	raise
	.hidden	raise
	.type	raise, %function
raise:
	udf	#0

	.section .note.GNU-stack, "", %progbits
