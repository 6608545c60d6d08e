/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * targets.h - what the modules of rules have to know of x86.
 *
 * Owns: their functions in assembly, and how registers and traps are called.
 */
#ifndef KP_TEST_TARGETS_H
#define KP_TEST_TARGETS_H

#include <asm/asm.h>
#include <asm/nospec-branch.h>
#include "room.h"

/* All that is x86's alone. */
#define MACHINE_RULES()							\
	do {								\
		check_rules();						\
		context_rules();					\
		ftrace_rules();						\
		jump_rules();						\
		patched_rules();					\
		flag_rules();						\
	} while (0)

/* From a function's entry past an ftrace site. */
#define PAST_SITE 5

/* On the way of a trap, or where a task changes its stack. */
#define BLACKLISTED "do_int3", "asm_exc_int3", "exc_int3", "exc_page_fault", "__switch_to"

/* kp_victim.c: n + 1, from the second instruction on; n + VICTIM_SUM; n + 2. */
#define VICTIM_SUM 0x12345
#define VICTIM_SECOND 1
#define VICTIM_TARGETS							\
	".pushsection .text\n"						\
	ROOM_BEFORE							\
	".globl victim_work\n.type victim_work, @function\n"		\
	"victim_work:\n"						\
	"	nop\n"							\
	"	lea 1(%rdi), %rax\n"					\
	"	" ASM_RET						\
	".size victim_work, . - victim_work\n"				\
	".globl victim_other\n.type victim_other, @function\n"		\
	"victim_other:\n"						\
	"	lea 0x12345(%rdi), %rax\n"				\
	"	" ASM_RET						\
	".size victim_other, . - victim_other\n"			\
	".globl victim_marked\n.type victim_marked, @function\n"	\
	"victim_marked:\n"						\
	"	nop\n"							\
	"	" ASM_RET						\
	".size victim_marked, . - victim_marked\n"			\
	".popsection\n"							\
	".pushsection .init.text, \"ax\"\n"				\
	ROOM_BEFORE							\
	".globl victim_early\n.type victim_early, @function\n"		\
	"victim_early:\n"						\
	"	nop\n"							\
	"	lea 2(%rdi), %rax\n"					\
	"	" ASM_RET						\
	".size victim_early, . - victim_early\n"			\
	".popsection\n"

/* rules_list.c; and a function of the kernel's with no ftrace site. */
#define LIST_CORE "__put_user_4"
#define LIST_TARGETS							\
	".pushsection .text\n"						\
	".type list_target, @function\n"				\
	"list_target: lea 0x12345(%rdi), %rax\n"			\
	"list_inner: test %rax, %rax\n"					\
	"	nop\n"							\
	"	" ASM_RET						\
	".size list_target, . - list_target\n.popsection\n"

/* kp_beside.c: n + 3.  No ftrace site; three places for a jump. */
#define BESIDE_TARGETS							\
	".pushsection .text\n" ROOM_BEFORE ".globl beside_plain\n"	\
	".type beside_plain, @function\n"				\
	"beside_plain:\n"						\
	"	mov $1, %eax\n"						\
	"	mov $2, %edx\n"						\
	"beside_sum:\n"							\
	"	lea 0(%rdi,%rax), %rax\n"				\
	"	add %rdx, %rax\n"					\
	"	" ASM_RET						\
	".size beside_plain, . - beside_plain\n.popsection\n"

/* rules_fault.c: *p, or 7 when the access faults; n + 1. */
#define FAULT_TARGETS							\
	".pushsection .text\n.globl guarded\n.type guarded, @function\n" \
	"guarded:\n"							\
	"guarded_load: mov (%rdi), %rax\n"				\
	"	" ASM_RET						\
	"guarded_fix: mov $7, %eax\n"					\
	"	" ASM_RET						\
	".size guarded, . - guarded\n"					\
	".globl nothing\n.type nothing, @function\n"			\
	"nothing:\n"							\
	"nothing_nop: nop\n"						\
	"	lea 1(%rdi), %rax\n"					\
	"	" ASM_RET						\
	".size nothing, . - nothing\n.popsection\n"			\
	_ASM_EXTABLE(guarded_load, guarded_fix)
#define FAULT_TRAP 14
#define FAULT_TRAP_ODD 13	/* of an address that is none */
#define FAULT_TRAP_INVALID 6	/* of no instruction; 0: that is an oops */
/* As invalid as ud2, but objtool lets execution go on. */
#define FAULT_INVALID "lock; nop"
/* The load is not done; it has this for its result. */
static inline void fault_skip(struct pt_regs *regs, long result)
{
	regs->ax = result;
	regs->ip += 3;
}
#define ARGUMENT_OF(regs) ((regs)->di)

/*
 * rules_trace.c: calls trace_body.  An entry handler sees an ip one byte into the
 * function (K-HIT-10), for which the kernel's tables speak only in a longer instruction.
 */
#ifdef CONFIG_FRAME_POINTER
#define TRACE_BEGIN "	push %rbp\n	mov %rsp, %rbp\n"
#define TRACE_END "	pop %rbp\n"
#define TRACE_SHOWS_CALLER 0	/* at a function's entry there is no frame yet */
#else
#define TRACE_BEGIN "	sub $8, %rsp\n"
#define TRACE_END "	add $8, %rsp\n"
#define TRACE_SHOWS_CALLER 1
#endif
#define TRACE_INNER							\
	".pushsection .text\n.globl trace_inner\n"			\
	".type trace_inner, @function\n"				\
	"trace_inner:\n"						\
	TRACE_BEGIN							\
	"	call trace_body\n"					\
	TRACE_END							\
	"	" ASM_RET						\
	".size trace_inner, . - trace_inner\n.popsection\n"
/* Our frame, our return address, trace_inner's 8 bytes, and its own. */
#define TRACE_RETURN(frame) ((frame)[3])

/* What a kernel without stack_trace_save() would do. */
#define TRACE_IS_MINE 1
#ifndef CONFIG_STACKTRACE
#include <asm/unwind.h>
static __always_inline unsigned int trace_take(unsigned long *entries,
					       unsigned int max)
{
	struct unwind_state state;
	unsigned int nr = 0;

	for (unwind_start(&state, current, NULL, NULL); !unwind_done(&state);
	     unwind_next_frame(&state)) {
		entries[nr] = unwind_get_return_address(&state);
		if (!entries[nr] || ++nr == max)
			break;
	}
	return nr;
}
#endif

#endif
