/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * instructions.S - one function per instruction.
 *
 * Owns: void x_NAME(struct x_state *s): loads the registers and flags from *s,
 * executes SETUP, then INSN, whose first instruction is the probed one, and
 * stores registers and flags back.  x_table lists them.
 * ebp holds s; x_word is for operands at addresses.
 */
#include "functions.h"

.macro X name, rule, setup, insn
	.text
	.p2align 4
	.type	x_\name, @function
x_\name:
	push	%ebp
	push	%ebx
	push	%esi
	push	%edi
	arg	1, %ebp, 16
	sub	$64, %esp
	mov	0(%ebp), %eax
	mov	4(%ebp), %ebx
	mov	8(%ebp), %ecx
	mov	12(%ebp), %edx
	mov	16(%ebp), %esi
	mov	20(%ebp), %edi
	push	40(%ebp)
	popf
	\setup
x_\name\()_at:
	\insn
	mov	%eax, 0(%ebp)
	mov	%ebx, 4(%ebp)
	mov	%ecx, 8(%ebp)
	mov	%edx, 12(%ebp)
	mov	%esi, 16(%ebp)
	mov	%edi, 20(%ebp)
	pushf
	pop	40(%ebp)
	cld
	add	$64, %esp
	pop	%edi
	pop	%esi
	pop	%ebx
	pop	%ebp
	ret
	.size	x_\name, . - x_\name
	.section .rodata, "a"
1:	.asciz	"\name"
2:	.asciz	"\rule"
	.data
	.long	x_\name, x_\name\()_at, 1b, 2b
	.text
.endm

	.data
	.p2align 3
	.globl	x_word
x_word:	.long	0x11223344
	.p2align 3
	.globl	x_table
x_table:

/* 44(%ebp) to 107(%ebp): memory. */
X push_r,	K-XI-46, "", "push %ebx; pop %esi"
X push_imm8,	K-XI-46, "", "push $-5; pop %esi"
X push_imm32,	K-XI-46, "", "push $0x12345678; pop %esi"
X push_mem,	K-XI-46, "", "push 44(%ebp); pop %esi"
X push_sp,	K-XI-46, "", "push %esp; pop %esi; sub %esp, %esi"
X push_es,	K-XI-46, "", "push %es; pop %esi"
X pusha,		K-XI-46, "", "pusha; lea 32(%esp), %esp"
X popa,		K-XI-46, "pusha; incl (%esp)", "popa"
X pop_r,		K-XI-46, "push %esi", "pop %edi"
X pop_mem,	K-XI-46, "push %esi", "pop 48(%ebp)"
X enter,		K-XI-46, "", "enter $16, $0; leave"
X mov_rr,		K-XI-46, "", "mov %eax, %esi"
X mov_imm,	K-XI-46, "", "mov $0x12345678, %esi"
X mov_load,	K-XI-46, "", "mov 44(%ebp), %esi"
X mov_store,	K-XI-46, "", "mov %ecx, 52(%ebp)"
X mov_disp,	K-XI-46, "mov $8, %ecx", "mov 40(%ebp,%ecx,2), %esi"
X mov_moffs,	K-XI-46, "", "mov x_word, %eax"
X lea,		K-XI-46, "", "lea 5(%eax,%ecx,4), %esi"
X lea_abs,	K-XI-41, "", "lea x_word, %esi"
X mov_abs,	K-XI-41, "", "mov x_word, %esi"
X add_abs,	K-XI-41, "", "add x_word, %edi"
X cmp_abs_imm,	K-XI-41, "", "cmpl $5, x_word"
X add,		K-XI-46, "", "add %eax, %ecx"
X adc,		K-XI-46, "", "adc $7, %ecx"
X sub_mem,	K-XI-46, "", "sub %eax, 44(%ebp)"
X cmp,		K-XI-46, "", "cmp %eax, %ecx"
X test,		K-XI-46, "", "test $0xf0, %al"
X inc,		K-XI-46, "", "inc %edx"
X dec,		K-XI-46, "", "dec %edx"
X neg,		K-XI-46, "", "neg %edx"
X not,		K-XI-46, "", "not %edx"
X imul,		K-XI-46, "", "imul $77, %ecx, %esi"
X mul,		K-XI-46, "", "mul %ecx"
X div,		K-XI-46, "xor %edx, %edx; or $1, %ecx", "div %ecx"
X aad,		K-XI-46, "", "aad $10"
X aam,		K-XI-46, "", "aam $10"
X daa,		K-XI-46, "", "daa"
X aas,		K-XI-46, "", "aas"
X shl,		K-XI-46, "", "shl $3, %edx"
X sar_cl,		K-XI-46, "", "sar %cl, %edx"
X rol,		K-XI-46, "", "rol $9, %eax"
X bswap,		K-XI-46, "", "bswap %eax"
X xchg,		K-XI-46, "", "xchg %eax, %edx"
X cmov,		K-XI-46, "", "cmovc %eax, %esi"
X setcc,		K-XI-46, "", "setg %bl"
X movzx,		K-XI-46, "", "movzbl %al, %esi"
X movsx,		K-XI-46, "", "movswl %ax, %esi"
X cwde,		K-XI-46, "", "cwtl"
X cdq,		K-XI-46, "", "cltd"
X bt,		K-XI-46, "", "bt $5, %eax"
X bsf,		K-XI-46, "or $64, %eax", "bsf %eax, %esi"
X cmc,		K-XI-46, "", "cmc"
X std_cld,	K-XI-46, "", "std; cld"
X lahf,		K-XI-46, "", "lahf"
X sahf,		K-XI-46, "", "sahf"
X nop1,		K-XI-46, "", "nop"
X nop9,		K-XI-46, "", ".byte 0x66,0x0f,0x1f,0x84,0,0,0,0,0"
X endbr,		K-XI-46, "", "endbr32"
X pause,		K-XI-46, "", "pause"
X long15,		K-XI-12, "", ".byte 0x66,0x66,0x66,0x66,0x66,0x66,0x2e,0x0f,0x1f,0x84,0,0,0,0,0"
X lock_xadd,	K-XI-47, "", "lock xadd %eax, 44(%ebp)"
X lock_cmpxchg,	K-XI-47, "", "lock cmpxchg %ecx, 44(%ebp)"
X lock_cmpxchg8b,	K-XI-47, "", "lock cmpxchg8b 48(%ebp)"
X xchg_mem,	K-XI-47, "", "xchg %eax, 44(%ebp)"
X rep_movsb,	K-XI-45, "lea 44(%ebp), %esi; lea 76(%ebp), %edi; mov $24, %ecx", "rep movsb; sub %ebp, %esi; sub %ebp, %edi"
X rep_stosl,	K-XI-45, "lea 76(%ebp), %edi; mov $5, %ecx", "rep stosl; sub %ebp, %edi"
X movsb,		K-XI-45, "lea 44(%ebp), %esi; lea 76(%ebp), %edi", "movsb; sub %ebp, %esi; sub %ebp, %edi"
X repe_cmpsb,	K-XI-45, "lea 44(%ebp), %esi; lea 76(%ebp), %edi; mov $24, %ecx", "repe cmpsb; sub %ebp, %esi; sub %ebp, %edi"
X xlat,		K-XI-46, "lea 44(%ebp), %ebx; and $31, %eax", "xlat; sub %ebp, %ebx"
X jmp8,		K-XI-22, "", "jmp 7f; inc %esi; 7:"
X jmp32,		K-XI-22, "", ".byte 0xe9; .long 7f - 6f; 6: inc %esi; 7:"
X jo,		K-XI-23, "", "jo 7f; inc %esi; 7:"
X jno,		K-XI-23, "", "jno 7f; inc %esi; 7:"
X jc,		K-XI-23, "", "jc 7f; inc %esi; 7:"
X jnc,		K-XI-23, "", "jnc 7f; inc %esi; 7:"
X jz,		K-XI-23, "", "jz 7f; inc %esi; 7:"
X jnz,		K-XI-23, "", "jnz 7f; inc %esi; 7:"
X jbe,		K-XI-23, "", "jbe 7f; inc %esi; 7:"
X ja,		K-XI-23, "", "ja 7f; inc %esi; 7:"
X js,		K-XI-23, "", "js 7f; inc %esi; 7:"
X jns,		K-XI-23, "", "jns 7f; inc %esi; 7:"
X jp,		K-XI-23, "", "jp 7f; inc %esi; 7:"
X jnp,		K-XI-23, "", "jnp 7f; inc %esi; 7:"
X jl,		K-XI-23, "", "jl 7f; inc %esi; 7:"
X jge,		K-XI-23, "", "jge 7f; inc %esi; 7:"
X jle,		K-XI-23, "", "jle 7f; inc %esi; 7:"
X jg,		K-XI-23, "", "jg 7f; inc %esi; 7:"
X jle32,		K-XI-23, "", ".byte 0x0f, 0x8e; .long 7f - 6f; 6: inc %esi; 7:"
X jc32,		K-XI-23, "", ".byte 0x0f, 0x82; .long 7f - 6f; 6: inc %esi; 7:"
X loop,		K-XI-24, "mov $3, %ecx; jmp 8f; 7: inc %esi; 8:", "loop 7b"
X loope,		K-XI-24, "mov $3, %ecx; jmp 8f; 7: lea 1(%esi), %esi; 8:", "loope 7b"
X loopne,		K-XI-24, "mov $3, %ecx; jmp 8f; 7: lea 1(%esi), %esi; 8:", "loopne 7b"
X loop_cx,	K-XI-25, "mov $0x10002, %ecx", "addr16 loop 7f; inc %esi; 7:"
X jecxz0,		K-XI-26, "mov $0, %ecx", "jecxz 7f; inc %esi; 7:"
X jecxz1,		K-XI-26, "mov $1, %ecx", "jecxz 7f; inc %esi; 7:"
X jcxz,		K-XI-26, "mov $0x10000, %ecx", "jcxz 7f; inc %esi; 7:"
X call,		K-XI-20, "", "call 7f; jmp 8f; 7: mov (%esp), %esi; ret; 8:"
X call_pop,	K-XI-20, "", "call 7f; 7: pop %esi"
X call_prefix,	K-XI-21, "", ".byte 0x2e, 0xe8; .long 7f - 6f; 6: jmp 8f; 7: mov (%esp), %esi; ret; 8:"
X pushf,		K-XI-31, "", "pushf; pop %esi"
X popf,		"K-XI-32 K-XI-65", "pushf; xorl $0x8d5, (%esp)", "popf"
X ret,		"K-XI-27 K-XI-65", "push $7f", "ret; inc %edi; 7:"
X ret_imm,	"K-XI-28 K-XI-65", "push %eax; push %eax; push $7f; mov %esp, %edi", "ret $8; 7: sub %esp, %edi; test %edi, %edi"
X jmp_r,		"K-XI-33 K-XI-65", "mov $7f, %esi", "jmp *%esi; inc %edi; 7: endbr32"
X call_r,		K-XI-33, "mov $7f, %edi", "call *%edi; jmp 8f; 7: endbr32; mov (%esp), %esi; ret; 8:"
X call_mem,	K-XI-06, "movl $7f, 44(%ebp)", "call *44(%ebp); jmp 8f; 7: endbr32; mov (%esp), %esi; ret; 8:"
X jmp_mem,	K-XI-06, "movl $7f, 44(%ebp)", "jmp *44(%ebp); inc %edi; 7: endbr32"
X call_sp,	K-XI-06, "movl $7f, 8(%esp)", "call *8(%esp); jmp 8f; 7: endbr32; mov (%esp), %esi; ret; 8:"
X cpuid,		K-XI-46, "xor %eax, %eax; xor %ecx, %ecx", "cpuid"
/* What a kernel does not do. */
#ifndef CONFIG_X86_32
X movups,		K-XI-40, "movups 44(%ebp), %xmm3", "movups %xmm3, 60(%ebp)"
X paddb,		K-XI-40, "movups 44(%ebp), %xmm3", "paddb %xmm3, %xmm3; movups %xmm3, 60(%ebp)"
X sse_abs,	K-XI-41, "", "movd x_word, %xmm2; movups %xmm2, 60(%ebp)"
X vpsubsb,	K-XI-35, "vmovups 44(%ebp), %xmm0; vmovups 60(%ebp), %xmm1", "vpsubsb %xmm0, %xmm1, %xmm2; vmovups %xmm2, 60(%ebp)"
X vpinsrw,	K-XI-35, "vmovups 44(%ebp), %xmm0", "vpinsrw $1, %eax, %xmm0, %xmm1; vmovups %xmm1, 60(%ebp)"
X fld,		K-XI-46, "", "fldl 44(%ebp); fstpl 60(%ebp)"
X fld_abs,	K-XI-46, "", "flds x_word; fstps 60(%ebp)"
X int80,		K-XI-46, "mov $20, %eax", "int $0x80"
X call_gs,	"K-XI-06 K-XI-46", "mov $20, %eax", "call *%gs:16"
X jmp_gs,	"K-XI-06 K-XI-46", "mov $20, %eax; push $7f", "jmp *%gs:16; inc %edi; 7:"
#endif
	.data
	.long	0, 0, 0, 0

	.section .note.GNU-stack, "", @progbits
