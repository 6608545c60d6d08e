/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ftrace_trampoline.S - where an ftrace site calls that nobody but us is called from.
 *
 * Owns: the trampolines, one for each ftrace_ops of ours.  The kernel makes none in 32-bit
 * mode, but takes one that an ops brings along: a site that has no other user calls it, and
 * all sites with more share the kernel's entry (ftrace_entry.c).
 *
 * Registers are saved in a frame (frame_asm.h) below the call's return address, where the
 * site goes on, and after the core's call all are what it left there.  So a hit whose handler
 * is abandoned has nothing to restore but the stack pointer: it goes on in kp_ftrace_aborted.
 *
 * Where the core says that one handler is all, and leaves nothing behind, it is called here.
 */
#include <asm/ftrace.h>
#include "env_asm.h"
#include "child_asm.h"
#include "frame_asm.h"

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_REGS

	.section .text.kp_trap, "ax", @progbits

.macro function name
	.p2align 4
	.globl \name
	.hidden \name
	.type \name, @function
\name:
.endm
.macro end name
	.size \name, . - \name
.endm

/* The frame is at esp and ebx then. */
.macro enter
	push_machine
	push	FRAME_RA - FRAME_IP - 4(%esp)
	push_general
	mov	%esp, %ebx
	usual_flags
#ifdef CONFIG_FRAME_POINTER
	/* So the kernel's unwinder is told that here is a struct pt_regs. */
	mov	%esp, %ebp
	and	$0x7fffffff, %ebp
#endif
	mov	%esp, %eax
.endm

function kp_ftrace_trampoline
	enter
#if KP_DIRECT
	kp_direct_enter not_direct
	mov	$kp_contexts, %edi
#ifdef CONFIG_SMP
	add	PER_CPU_VAR(this_cpu_off), %edi
#endif
	mov	FRAME_IP(%ebx), %eax
	sub	$MCOUNT_INSN_SIZE, %eax
	mov	%edi, %edx
	mov	%ebx, %ecx
	call	kp_core_tracer_begin
	test	%eax, %eax
	jz	not_direct
	mov	CHILD_QUIET(%eax), %ecx
	mov	CHILD_KP(%eax), %eax
	mov	%ebx, %edx
	KP_CALL_REG(ecx)
	test	%eax, %eax
	jnz	taken
	movl	$(0), KP_CTX_CURRENT(%edi)
	mov	KP_CTX_RESUME(%edi), %eax
	mov	%eax, FRAME_IP(%ebx)
	movl	$(0), KP_CTX_FRAMED(%edi)
	movl	$(0), KP_CTX_SITE(%edi)
left:
	decl	PER_CPU_VAR(KP_PREEMPT_WORD)
	jnz	done
	call	kp_ftrace_preempted
	jmp	done

taken:
	mov	%edi, %eax
	mov	%ebx, %edx
	call	kp_core_tracer_taken
	jmp	left

not_direct:
	kp_direct_undo
	mov	%ebx, %eax
#endif
	call	kp_ftrace_call
done:
	mov	FRAME_FLAGS(%ebx), %eax
	mov	FRAME_IP(%ebx), %edx
	lea	FRAME_STACK(%ebx), %ecx
	cmp	%ecx, FRAME_SP(%ebx)
	jne	slow
	/* Others than these sahf loads; a function's entry leaves interrupts as they are. */
	test	$FRAME_UNUSUAL | FRAME_OF, %eax
	jnz	slow
	mov	%edx, FRAME_RA(%ebx)
	mov	%al, %ah
	sahf
	pop_general
	lea	FRAME_RA - FRAME_DS(%esp), %esp
	KP_RET

	/*
	 * Where to go on, eax and flags are written below the stack pointer that is to be.  A
	 * handler that has pushed words, which are in the frame then, may have pushed nine.
	 */
slow:
	mov	FRAME_SP(%ebx), %ecx
	mov	%edx, -4(%ecx)
	mov	FRAME_AX(%ebx), %edx
	mov	%edx, -8(%ecx)
	mov	%eax, -12(%ecx)
	mov	%ecx, %eax
	mov	%ebx, %esp
	.irp	reg, ebx, ecx, edx, esi, edi, ebp
	pop	%\reg
	.endr
	lea	-12(%eax), %esp
	popf
	pop	%eax
	KP_RET
end kp_ftrace_trampoline

function kp_ftrace_redirecting_trampoline
	enter
	call	kp_ftrace_redirecting_call
	jmp	done
end kp_ftrace_redirecting_trampoline

/* Not called: instead of a return from the core, with the stack as there. */
function kp_ftrace_aborted
	mov	%esp, %ebx
	mov	%esp, %eax
	call	kp_ftrace_abort
	jmp	done
end kp_ftrace_aborted

#endif

	.section .note.GNU-stack, "", @progbits
