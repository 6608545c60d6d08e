/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * packed.S - a program that unpacks another one and becomes it, as packers' do: PAYLOAD, each byte
 * turned over, goes to BASE, in memory of no file that can be written and executed, and begins
 * at START.  Without sections and symbols nobody knows what is where.
 */
	.globl	_start
	.type	_start, @function
_start:	mov	$9, %eax		/* mmap(BASE, 1 MB, rwx, fixed private anonymous) */
	mov	$BASE, %edi
	mov	$0x100000, %esi
	mov	$7, %edx
	mov	$0x32, %r10d
	mov	$-1, %r8
	xor	%r9d, %r9d
	syscall
	lea	begin(%rip), %rsi
	lea	end(%rip), %rcx
	sub	%rsi, %rcx
1:	lodsb
	not	%al
	stosb
	loop	1b
	mov	$START, %eax
	jmp	*%rax
	.size	_start, . - _start
	.section .rodata
begin:	.incbin	PAYLOAD
end:
	.section .note.GNU-stack, "", @progbits
