/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * machine.h - the suite's i386: registers, and where instructions of targets.S are.
 *
 * Owns: what a rule test may know of the processor.
 */
#ifndef KP_CONFORMANCE_MACHINE_H
#define KP_CONFORMANCE_MACHINE_H

/* As long as a breakpoint; and the breakpoint. */
typedef unsigned char t_word;
#define T_BP 0xcc
#define T_JUMPS 1			/* may take a breakpoint's place */
#define T_POST_TRAPS 0			/* the end of a step does, in a process */
#define T_ADD_OPCODE T_ADD_FIRST	/* in struct kprobe */
#define T_ADD_FIRST 0x55		/* what t_add begins with */
#define T_ADD_SECOND 0x89
#define T_ADD_THIRD 0x8d
#define T_NOP 0x90
#define T_WIDE_SECOND 0x03
#define T_SUM_SECOND (T_IN_KERNEL ? 0x8d : 0x03)
#define T_FOREIGN_BP 0xcc		/* t_trap's */
#define T_OPCODE_LEN 1			/* of kprobe_opcode_t */
#define T_UNDECODABLE_NEXT 3
#define T_SKIP_LEN 1			/* of the instruction that is skipped */

/* What handlers see as instruction pointer at a probe. */
#define T_PRE_IP(addr) ((unsigned long)(addr) + 1)

/* The nth argument, from 0, at a function's entry. */
#define t_arg(regs, n) regs_get_kernel_argument(regs, n)
static inline void t_set_arg0(struct pt_regs *regs, unsigned long value)
{
#ifdef __KERNEL__
	regs->ax = value;
#else
	((unsigned long *)regs->sp)[1] = value;
#endif
}

/* The same where a function has them in registers: t_add, t_load. */
#define t_held(r, n) ((n) ? (r)->dx : (r)->ax)
#define t_set_held(r, value) ((r)->ax = (value))

static inline void t_set_result(struct pt_regs *regs, unsigned long value)
{
	regs->ax = value;
}

/* At a function's entry: return from it at once. */
static inline void t_return_now(struct pt_regs *regs, unsigned long value)
{
	regs->ax = value;
	regs->ip = *(unsigned long *)regs->sp;
	regs->sp += sizeof(long);
}

/* Of struct pt_regs. */
#define T_IP(r) ((r).ip)
#define T_SP(r) ((r).sp)
#define T_FP(r) ((r).bp)
#define T_RESULT(r) ((r).ax)
#define T_REGS_RETURNING(value) { .ax = (value), .dx = 1 }

/* How far a return moves the stack pointer. */
#define T_RETURN_POPS 4

/* What a trap's registers have besides the general ones. */
static inline bool t_like_trap(const struct pt_regs *regs,
			       const struct pt_regs *trap)
{
	return regs->orig_ax == -1ul && regs->cs == trap->cs &&
	       regs->ss == trap->ss;
}

/* Behind a breakpoint at its beginning t_wide's bytes are its own. */
#define t_wide_intact()							\
	(t_raw(T_AT(t_wide, 1)) == 5 && !t_raw(T_AT(t_wide, 2)) &&	\
	 !t_raw(T_AT(t_wide, 3)) && !t_raw(T_AT(t_wide, 4)))
/* Where t_wide puts its 5. */
#ifdef __KERNEL__
#define T_WIDE_FIVE(r) ((r).cx)
#else
#define T_WIDE_FIVE(r) ((r).ax)
#endif
#define T_JUMP_SPANS 1			/* more than the probed instruction */

/* The return address, at a function's entry. */
static inline unsigned long t_caller_of(struct pt_regs *regs)
{
	return *(unsigned long *)regs->sp;
}

#define T_CARRY 1ul
#define t_flags_of(regs) ((regs)->flags)
#define T_FLAGS_SHOWN 1		/* in struct pt_regs */

/* Arithmetic flags as two comparisons with regs leave them. */
#define t_clear_flags(x) __asm__ volatile("cmp %0, %0" : : "r"(x) : "cc")
#define t_set_flags(x) __asm__ volatile("cmp $0, %0; stc" : : "r"(x) : "cc")

/* What intact.c looks at: general registers; and it changes all. */
#define T_INTACT_GPRS 8
#define T_INTACT_RED 0
static inline void t_scribble(void)
{
	__asm__ volatile("mov $-1, %%eax\n	mov %%eax, %%ecx\n"
			 "	mov %%eax, %%edx\n	mov %%eax, %%ebx\n"
			 "	mov %%eax, %%esi\n	mov %%eax, %%edi\n"
			 "	add $1, %%eax"
			 ::: "eax", "ecx", "edx", "ebx", "esi", "edi", "cc", "memory");
}

/* A breakpoint of nobody's. */
#define t_own_breakpoint() __asm__ volatile("int3" ::: "memory")

/* Instructions that are refused stand there in their functions; see instructions.c. */
#define T_REFUSED_AT 1
/* Inside t_add's second instruction, and no instruction's beginning. */
#define T_ADD_INSIDE 2
#define T_SKIP_ADC 5
#define T_LANDING_MOV 4
#define T_WIDE_LEA 5
#define T_LONG_LEN 15
#define T_JUMP_RET 13

/* Flags that the program may set, besides those that it has; and the period of timers. */
#define T_FLAG_BITS 0x1, 0x4, 0x10, 0x40, 0x80, 0x800, 0x400
#define T_FLAG_BITS_NR 7
#define T_FLAGS_BASE 0x202
#define T_FLAGS_OF_INTERRUPTS 1		/* among them */
#define T_SWITCHES_STACK "__switch_to"	/* a kernel's function */
/* A kernel's: assembly, so no ftrace site stands at its entry. */
#define T_FOREIGN_SYMBOL "__put_user_4"
#define T_ASYNC_US 300

#define T_POKE_ARGS long *p
#define T_BY_REGISTER __attribute__((regparm(2)))

#define T_STEPS_ITSELF 1		/* a program can have itself single-stepped */
#define T_PRIVILEGED_FAULTS 1		/* in a process, and may be probed */
#define T_WATCH_REGISTERS 1		/* debug registers tell of accesses */
#define T_WATCHED_IN_TRAPS 1		/* what handlers of breakpoints access */
#define T_ADD_LEA_NAME "t_add+0x3"
#define T_PADS_STEPPED 1	/* over, at a function's entry */
#define T_STRUCTS_ON_STACK 1	/* by value: all of it, not its address */
#define T_STACK_IS_CODE 0	/* it may be executed */
#define T_ACCESS_FAULT 14		/* what fault handlers are told */
#define T_READ_ONLY_HANGS 0
#define T_STORE_FAULT T_ACCESS_FAULT
#define T_LENGTHS_VARY 1		/* of instructions */

/* Of a signal's handler: the instruction pointer; and on past a breakpoint. */
#define t_uc_ip(uc) ((uc)->uc_mcontext.gregs[REG_EIP])
/* It is past it. */
#define t_uc_pass_breakpoint(uc) ((void)(uc))

/* In a process: are there instructions with a VEX prefix? */
#define T_HAS_AVX() (__builtin_cpu_supports("avx") != 0)

/* Instructions with an operand at an address of half a word: of 64 KB that are not there. */
#define T_SHORT_ADDRESSES 0

static inline unsigned long t_ticks(void)
{
	return (unsigned long)__builtin_ia32_rdtsc();
}

static inline void t_relax(void)
{
	__builtin_ia32_pause();
}

/* Instructions that are refused, and with which errno; 0: any. */
void t_ud2(void), t_intn(void), t_lret(void), t_farjmp(void), t_farcall(void);
void t_movss(void), t_vmcall(void), t_xen(void), t_kvm(void), t_mwait(void);
void t_cli(void);
void t_sysenter(void), t_branch_16(void), t_branch_fs(void);
long t_jump_67(long *fn);		/* there is none */
#define T_REFUSED(R)							\
	R(-EINVAL, "K-XI-11", "forced emulation, Xen's", t_xen)		\
	R(-EINVAL, "K-XI-11", "forced emulation, KVM's", t_kvm)		\
	R(0, "K-XI-01", "int3", t_int3)					\
	R(0, "K-XI-02", "ud2", t_ud2)					\
	R(0, "K-XI-02", "int n", t_intn)				\
	R(0, "K-XI-03", "iret", t_iretq)				\
	R(-EOPNOTSUPP, "K-XI-03", "sysenter", t_sysenter)		\
	R(-EOPNOTSUPP, "K-XI-07", "a branch of 16 bits", t_branch_16)	\
	R(-EOPNOTSUPP, "K-XI-06", "a call through fs", t_branch_fs)	\
	R(0, "K-XI-05", "far jump through memory", t_farjmp)		\
	R(0, "K-XI-05", "far call through memory", t_farcall)		\
	R(0, "K-XI-08", "vmcall", t_vmcall)				\
	R(0, "K-XI-09", "mov to ss", t_movss)				\
	R(0, "K-XI-13", "an opcode that does not exist", t_badop)	\
	R(0, "K-XI-29", "far return", t_lret)
#define T_REFUSED_IN_KERNEL(R)						\
	R(0, "K-XI-14", "hlt", t_hlt)					\
	R(0, "K-XI-14", "mwait", t_mwait)

/* instructions.S has more than so many. */
#define T_INSTRUCTIONS 80

/* Flags: those of arithmetic, how a number becomes any of them, and all that count. */
#define T_FLAGS_ANY 0x8d5ul
#define T_FLAGS_SPREAD 0x35b
#define T_FLAGS_COMPARED 0xcd5ul
static inline unsigned long t_flags_now(void)
{
	unsigned long flags;

	__asm__ volatile("pushf; pop %0" : "=r"(flags));
	return flags;
}

#define T_ADD_PUSH 0
#define T_ADD_MOV 1
#define T_ADD_LEA 3
#ifdef __KERNEL__
#define T_ADD_POP 10
#define T_ADD_RET 11
#else
#define T_ADD_POP 7
#define T_ADD_RET 8
#endif
#define T_LOAD_RET 2
#define T_POKE_RET 6
#define T_JUMP_JZ 6
#define T_JUMP_MOV 8
#define T_CALLS_MOV 1
#define T_RELATIVE_LOAD 1
#define T_CALLS_CALL 6
#define T_FLAGS_NOP 5
#define T_FILL_STOS 14
#define T_TRAP_INT3 2
#define T_STEP_ADD 14
#define T_STEP_NOP 21
#ifdef __KERNEL__
#define T_SUM_ADD 3
#else
#define T_SUM_ADD 2
#endif
#define T_CALLED_NOP 2
#define T_INDIRECT_JMP 5
#define T_SHORT_RET 2
#define T_DEEP_NOP 3

#endif
