/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * targets.h - what the modules of rules have to know of riscv64.
 *
 * Owns: their functions in assembly, and how registers and traps are called.
 */
#ifndef KP_TEST_TARGETS_H
#define KP_TEST_TARGETS_H

#include <asm/asm-extable.h>
#include <asm/csr.h>

/* Of instructions of 2 bytes. */
#define MACHINE_RULES() covered_rules()

/* From a function's entry past an ftrace site, which is its second instruction. */
#define PAST_SITE 8

/* On the way of a trap, or where a task changes its stack. */
#define BLACKLISTED "handle_exception", "ret_from_exception", "do_trap_break", "__switch_to"

/* kp_victim.c: n + 1, from the second instruction on; n + VICTIM_SUM; n + 2. */
#define VICTIM_SUM 0x123
#define VICTIM_SECOND 4
#define VICTIM_TARGETS							\
	".pushsection .text\n"						\
	".option push\n.option norvc\n"					\
	".globl victim_work\n.type victim_work, %function\n"		\
	"victim_work:\n"						\
	"	nop\n"							\
	"	addi a0, a0, 1\n"					\
	"	ret\n"							\
	".size victim_work, . - victim_work\n"				\
	".globl victim_other\n.type victim_other, %function\n"		\
	"victim_other:\n"						\
	"	addi a0, a0, 0x123\n"					\
	"	ret\n"							\
	".size victim_other, . - victim_other\n"			\
	".globl victim_marked\n.type victim_marked, %function\n"	\
	"victim_marked:\n"						\
	"	nop\n"							\
	"	ret\n"							\
	".size victim_marked, . - victim_marked\n"			\
	".popsection\n"							\
	".pushsection .init.text, \"ax\"\n"				\
	".globl victim_early\n.type victim_early, %function\n"		\
	"victim_early:\n"						\
	"	nop\n"							\
	"	addi a0, a0, 2\n"					\
	"	ret\n"							\
	".size victim_early, . - victim_early\n"			\
	".option pop\n"							\
	".popsection\n"

/* rules_list.c; and a function of the kernel's. */
#define LIST_CORE "single_open"
#define LIST_TARGETS							\
	".pushsection .text\n"						\
	".option push\n.option norvc\n"					\
	".type list_target, %function\n"				\
	"list_target: addi a0, a0, 0x123\n"				\
	"list_inner: mv a1, a0\n"					\
	"	nop\n"							\
	"	ret\n"							\
	".option pop\n"							\
	".size list_target, . - list_target\n.popsection\n"

/* kp_beside.c: n + 3.  No ftrace site. */
#define BESIDE_TARGETS							\
	".pushsection .text\n.globl beside_plain\n"			\
	".type beside_plain, %function\n"				\
	"beside_plain:\n"						\
	"	li a1, 1\n"						\
	"	li a2, 2\n"						\
	"beside_sum:\n"							\
	"	add a0, a0, a1\n"					\
	"	add a0, a0, a2\n"					\
	"	ret\n"							\
	".size beside_plain, . - beside_plain\n.popsection\n"

/* rules_fault.c: *p, or 7 when the access faults; n + 1. */
#define FAULT_TARGETS							\
	".pushsection .text\n.globl guarded\n.type guarded, %function\n" \
	"guarded:\n"							\
	"guarded_load: ld a0, 0(a0)\n"					\
	"	ret\n"							\
	"guarded_fix: li a0, 7\n"					\
	"	ret\n"							\
	".size guarded, . - guarded\n"					\
	".globl nothing\n.type nothing, %function\n"			\
	"nothing:\n"							\
	"nothing_nop: nop\n"						\
	"	addi a0, a0, 1\n"					\
	"	ret\n"							\
	".size nothing, . - nothing\n.popsection\n"			\
	_ASM_EXTABLE(guarded_load, guarded_fix)
#define FAULT_TRAP EXC_STORE_PAGE_FAULT
#define FAULT_TRAP_ODD EXC_STORE_PAGE_FAULT
#define FAULT_TRAP_INVALID 2
#define FAULT_INVALID "unimp"
/* The load is not done; it has this for its result. */
static inline void fault_skip(struct pt_regs *regs, long result)
{
	u16 first = *(u16 *)regs->epc;

	regs->a0 = result;
	regs->epc += (first & 3) == 3 ? 4 : 2;
}
#define ARGUMENT_OF(regs) ((regs)->a0)

/* rules_trace.c: calls trace_body.  An assembler's mark stands in front of it, not there. */
#define TRACE_INNER							\
	".pushsection .text\n"						\
	"	nop\n"							\
	".globl trace_inner\n"						\
	".type trace_inner, %function\n"				\
	"trace_inner:\n"						\
	"	addi sp, sp, -16\n"					\
	"	sd s0, 0(sp)\n"						\
	"	sd ra, 8(sp)\n"						\
	"	addi s0, sp, 16\n"					\
	"	call trace_body\n"					\
	"	ld s0, 0(sp)\n"						\
	"	ld ra, 8(sp)\n"						\
	"	addi sp, sp, 16\n"					\
	"	ret\n"							\
	".size trace_inner, . - trace_inner\n.popsection\n"
/*
 * Where the kernel keeps the return address of a function is not known beforehand, so
 * nobody prints one from there.  And without stack_trace_save() there are no traces but
 * those that are printed.
 */
#define TRACE_IS_MINE 0
/* At its entry the caller's address stands in a register: no unwinder looks there. */
#define TRACE_SHOWS_CALLER 0

#endif
