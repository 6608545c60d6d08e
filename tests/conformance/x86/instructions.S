/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * instructions.S - one function per instruction.
 *
 * Owns: void x_NAME(struct x_state *s): loads the registers and flags from *s,
 * executes SETUP, then INSN, whose first instruction is the probed one, and
 * stores registers and flags back.  x_table lists them.
 * r12 holds s; rbx, rbp are free; x_word is for rip-relative operands.
 */
#ifdef __KERNEL__
#include <linux/linkage.h>
#include <asm/nospec-branch.h>
#include <linux/objtool.h>
#ifndef T_RET
#define T_RET RET
#endif
#else
#define T_RET ret
#define ANNOTATE_INTRA_FUNCTION_CALL
#endif

/* A call within a function; objtool wants to be told. */
.macro t_intra
	ANNOTATE_INTRA_FUNCTION_CALL
.endm

.macro X name, rule, setup, insn
	.text
	.p2align 4
	.type	x_\name, @function
x_\name:
	push	%rbp
	push	%rbx
	push	%r12
	sub	$64, %rsp
	mov	%rdi, %r12
	mov	0(%r12), %rax
	mov	8(%r12), %rbx
	mov	16(%r12), %rcx
	mov	24(%r12), %rdx
	mov	32(%r12), %rsi
	mov	48(%r12), %r8
	mov	56(%r12), %r9
	mov	64(%r12), %r10
	mov	72(%r12), %r11
	mov	%rsp, %rbp
	push	80(%r12)
	mov	40(%r12), %rdi
	popfq
	\setup
x_\name\()_at:
	\insn
	mov	%rax, 0(%r12)
	mov	%rbx, 8(%r12)
	mov	%rcx, 16(%r12)
	mov	%rdx, 24(%r12)
	mov	%rsi, 32(%r12)
	mov	%rdi, 40(%r12)
	mov	%r8, 48(%r12)
	mov	%r9, 56(%r12)
	mov	%r10, 64(%r12)
	mov	%r11, 72(%r12)
	pushfq
	pop	80(%r12)
	cld
	add	$64, %rsp
	pop	%r12
	pop	%rbx
	pop	%rbp
	T_RET
	.size	x_\name, . - x_\name
	.section .rodata, "a"
1:	.asciz	"\name"
2:	.asciz	"\rule"
	.data
	.quad	x_\name, x_\name\()_at, 1b, 2b
	.text
.endm

	.data
	.p2align 3
	.globl	x_word
x_word:	.quad	0x1122334455667788
	.p2align 3
	.globl	x_table
x_table:

/* 88(%r12) to 215(%r12): memory. */
X push_r,	K-XI-46, "", "push %rbx; pop %r8"
X push_imm8,	K-XI-46, "", "push $-5; pop %r8"
X push_imm32,	K-XI-46, "", "push $0x12345678; pop %r8"
X push_mem,	K-XI-46, "", "push 88(%r12); pop %r8"
X push_sp,	K-XI-46, "", "push %rsp; pop %r8; sub %rsp, %r8"
X pop_r,	K-XI-46, "push %rsi", "pop %r9"
X pop_mem,	K-XI-46, "push %rsi", "pop 96(%r12)"
X leave,	K-XI-46, "push %rbp; mov %rsp, %rbp; sub $32, %rsp", "leave; mov %rsp, %r8; sub %rbp, %r8"
X enter,	K-XI-46, "", "enter $16, $0; leave"
X mov_rr,	K-XI-46, "", "mov %rax, %r8"
X mov_imm64,	K-XI-46, "", "movabs $0x123456789abcdef0, %r8"
X mov_load,	K-XI-46, "", "mov 88(%r12), %r8"
X mov_store,	K-XI-46, "", "mov %rcx, 104(%r12)"
X mov_disp,	K-XI-46, "mov $8, %ecx", "mov 80(%r12,%rcx,2), %r8"
X lea,		K-XI-46, "", "lea 5(%rax,%rcx,4), %r8"
X lea_rip,	K-XI-41, "", "lea x_word(%rip), %r8"
X mov_rip,	K-XI-41, "", "mov x_word(%rip), %r8"
X add_rip,	K-XI-41, "", "add x_word(%rip), %r9"
X cmp_rip_imm,	K-XI-41, "", "cmpq $5, x_word(%rip)"
X add,		K-XI-46, "", "add %rax, %rcx"
X adc,		K-XI-46, "", "adc $7, %rcx"
X sub_mem,	K-XI-46, "", "sub %rax, 88(%r12)"
X cmp,		K-XI-46, "", "cmp %rax, %rcx"
X test,		K-XI-46, "", "test $0xf0, %al"
X inc,		K-XI-46, "", "inc %rdx"
X neg,		K-XI-46, "", "neg %rdx"
X not,		K-XI-46, "", "not %rdx"
X imul,		K-XI-46, "", "imul $77, %rcx, %r8"
X mul,		K-XI-46, "", "mul %rcx"
X div,		K-XI-46, "xor %edx, %edx; or $1, %rcx", "div %rcx"
X shl,		K-XI-46, "", "shl $3, %rdx"
X sar_cl,	K-XI-46, "", "sar %cl, %rdx"
X rol,		K-XI-46, "", "rol $9, %rax"
X bswap,	K-XI-46, "", "bswap %rax"
X xchg,		K-XI-46, "", "xchg %rax, %rdx"
X cmov,		K-XI-46, "", "cmovc %rax, %r8"
X setcc,	K-XI-46, "", "setg %r8b"
X movzx,	K-XI-46, "", "movzbl %al, %r8d"
X movsx,	K-XI-46, "", "movslq %eax, %r8"
X cdqe,		K-XI-46, "", "cltq"
X cqo,		K-XI-46, "", "cqto"
X bt,		K-XI-46, "", "bt $5, %rax"
X bsf,		K-XI-46, "or $64, %rax", "bsf %rax, %r8"
X cmc,		K-XI-46, "", "cmc"
X std_cld,	K-XI-46, "", "std; cld"
X lahf,		K-XI-46, "", "lahf"
X sahf,		K-XI-46, "", "sahf"
X nop1,		K-XI-46, "", "nop"
X nop9,		K-XI-46, "", ".byte 0x66,0x0f,0x1f,0x84,0,0,0,0,0"
X endbr,	K-XI-46, "", "endbr64"
X pause,	K-XI-46, "", "pause"
X long15,	K-XI-12, "", ".byte 0x66,0x66,0x66,0x66,0x66,0x66,0x2e,0x0f,0x1f,0x84,0,0,0,0,0"
X lock_xadd,	K-XI-47, "", "lock xadd %rax, 88(%r12)"
X lock_cmpxchg,	K-XI-47, "", "lock cmpxchg %rcx, 88(%r12)"
X xchg_mem,	K-XI-47, "", "xchg %rax, 88(%r12)"
X rep_movsb,	K-XI-45, "lea 88(%r12), %rsi; lea 152(%r12), %rdi; mov $24, %ecx", "rep movsb; sub %r12, %rsi; sub %r12, %rdi"
X rep_stosq,	K-XI-45, "lea 152(%r12), %rdi; mov $5, %ecx", "rep stosq; sub %r12, %rdi"
X movsb,	K-XI-45, "lea 88(%r12), %rsi; lea 152(%r12), %rdi", "movsb; sub %r12, %rsi; sub %r12, %rdi"
X repe_cmpsb,	K-XI-45, "lea 88(%r12), %rsi; lea 152(%r12), %rdi; mov $24, %ecx", "repe cmpsb; sub %r12, %rsi; sub %r12, %rdi"
X xlat,		K-XI-46, "lea 88(%r12), %rbx; and $31, %eax", "xlat; sub %r12, %rbx"

X jmp8,		K-XI-22, "", "jmp 7f; inc %r8; 7:"
X jmp32,	K-XI-22, "", ".byte 0xe9; .long 7f - 6f; 6: inc %r8; 7:"
X jo,		K-XI-23, "", "jo 7f; inc %r8; 7:"
X jno,		K-XI-23, "", "jno 7f; inc %r8; 7:"
X jc,		K-XI-23, "", "jc 7f; inc %r8; 7:"
X jnc,		K-XI-23, "", "jnc 7f; inc %r8; 7:"
X jz,		K-XI-23, "", "jz 7f; inc %r8; 7:"
X jnz,		K-XI-23, "", "jnz 7f; inc %r8; 7:"
X jbe,		K-XI-23, "", "jbe 7f; inc %r8; 7:"
X ja,		K-XI-23, "", "ja 7f; inc %r8; 7:"
X js,		K-XI-23, "", "js 7f; inc %r8; 7:"
X jns,		K-XI-23, "", "jns 7f; inc %r8; 7:"
X jp,		K-XI-23, "", "jp 7f; inc %r8; 7:"
X jnp,		K-XI-23, "", "jnp 7f; inc %r8; 7:"
X jl,		K-XI-23, "", "jl 7f; inc %r8; 7:"
X jge,		K-XI-23, "", "jge 7f; inc %r8; 7:"
X jle,		K-XI-23, "", "jle 7f; inc %r8; 7:"
X jg,		K-XI-23, "", "jg 7f; inc %r8; 7:"
X jle32,	K-XI-23, "", ".byte 0x0f, 0x8e; .long 7f - 6f; 6: inc %r8; 7:"
X jc32,		K-XI-23, "", ".byte 0x0f, 0x82; .long 7f - 6f; 6: inc %r8; 7:"
X loop,		K-XI-24, "mov $3, %ecx; jmp 8f; 7: inc %r8; 8:", "loop 7b"
X loope,	K-XI-24, "mov $3, %ecx; jmp 8f; 7: lea 1(%r8), %r8; 8:", "loope 7b"
X loopne,	K-XI-24, "mov $3, %ecx; jmp 8f; 7: lea 1(%r8), %r8; 8:", "loopne 7b"
X loop_ecx,	K-XI-25, "movabs $0x100000002, %rcx", "addr32 loop 7f; inc %r8; 7:"
X jrcxz0,	K-XI-26, "mov $0, %ecx", "jrcxz 7f; inc %r8; 7:"
X jrcxz1,	K-XI-26, "mov $1, %ecx", "jrcxz 7f; inc %r8; 7:"
X jecxz,	K-XI-26, "movabs $0x100000000, %rcx", "jecxz 7f; inc %r8; 7:"
X call,		K-XI-20, "", "t_intra; call 7f; jmp 8f; 7: mov (%rsp), %r8; ret; 8:"
X call_prefix,	K-XI-21, "", "t_intra; .byte 0x2e, 0xe8; .long 7f - 6f; 6: jmp 8f; 7: mov (%rsp), %r8; ret; 8:"
X pushf,	K-XI-31, "", "pushfq; pop %r8"
X popf,		"K-XI-32 K-XI-65", "pushfq; xorq $0x8d5, (%rsp)", "popfq"
X ret,		"K-XI-27 K-XI-65", "lea 7f(%rip), %r8; push %r8", "ret; inc %r9; 7:"
X ret_imm,	"K-XI-28 K-XI-65", "lea 7f(%rip), %r8; push %rax; push %rax; push %r8; mov %rsp, %r9", "ret $16; 7: sub %rsp, %r9; test %r9, %r9"
X jmp_r,	"K-XI-33 K-XI-65", "lea 7f(%rip), %r8", "jmp *%r8; inc %r9; 7: endbr64"
X jmp_r11,	K-XI-33, "lea 7f(%rip), %r11", "jmp *%r11; inc %r9; 7: endbr64"
X call_r,	K-XI-33, "lea 7f(%rip), %r9", "call *%r9; jmp 8f; 7: endbr64; mov (%rsp), %r8; ret; 8:"
X call_r10,	K-XI-33, "lea 7f(%rip), %r10", "call *%r10; jmp 8f; 7: endbr64; mov (%rsp), %r8; ret; 8:"
X call_mem,	K-XI-06, "lea 7f(%rip), %r9; mov %r9, 88(%r12)", "call *88(%r12); jmp 8f; 7: endbr64; mov (%rsp), %r8; ret; 8:"
X jmp_mem,	K-XI-06, "lea 7f(%rip), %r9; mov %r9, 88(%r12)", "jmp *88(%r12); inc %r9; 7: endbr64"
X call_sp,	K-XI-06, "lea 7f(%rip), %r9; mov %r9, 8(%rsp)", "call *8(%rsp); jmp 8f; 7: endbr64; mov (%rsp), %r8; ret; 8:"
#ifndef __KERNEL__
X movups,	K-XI-40, "movups 88(%r12), %xmm3", "movups %xmm3, 120(%r12)"
X paddb,	K-XI-40, "movups 88(%r12), %xmm3", "paddb %xmm3, %xmm3; movups %xmm3, 120(%r12)"
X sse_rip,	K-XI-41, "", "movq x_word(%rip), %xmm2; movups %xmm2, 120(%r12)"
X vpsubsb,	K-XI-35, "vmovups 88(%r12), %xmm0; vmovups 104(%r12), %xmm1", "vpsubsb %xmm0, %xmm1, %xmm2; vmovups %xmm2, 120(%r12)"
X vpinsrw,	K-XI-35, "vmovups 88(%r12), %xmm0", "vpinsrw $1, %eax, %xmm0, %xmm1; vmovups %xmm1, 120(%r12)"
X cpuid,	K-XI-46, "xor %eax, %eax; xor %ecx, %ecx", "cpuid"
X fld,		K-XI-46, "", "fldl 88(%r12); fstpl 120(%r12)"
X syscall,	K-XI-46, "mov $39, %eax", "syscall; xor %r11d, %r11d"
#endif
	.data
	.quad	0, 0, 0, 0

	.section .note.GNU-stack, "", @progbits
