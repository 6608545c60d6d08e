/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * trace_machine.h - what trace.c has to know of the processor.
 *
 * Owns: where the kernel's memory begins, names of the kernel's functions, registers' numbers, and a system call with no
 * function around it.
 */
#ifndef KP_KERNEL_TRACE_MACHINE_H
#define KP_KERNEL_TRACE_MACHINE_H

#ifdef __LP64__
#define KERNEL_MEMORY (1ull << 63)
#endif

/* Where the first argument's register has the result, and all others stay. */
#define SYSCALL3_BY(insn, number_reg, first, second, third, result, number, a, b, c) do { \
	register long nr __asm__(number_reg) = (number);		\
	register long arg0 __asm__(first) = (long)(a);			\
	register long arg1 __asm__(second) = (long)(b);			\
	register long arg2 __asm__(third) = (long)(c);			\
	__asm__ volatile(insn : "+r"(arg0) : "r"(nr), "r"(arg1), "r"(arg2) : "memory"); \
	(result) = arg0;						\
} while (0)

#ifdef __aarch64__

#define SYSCALL_FUNCTION(name) "__arm64_sys_" name
#define KERNEL_ENTRY "el0t_64_sync"	/* where a stack of the kernel's ends */
#define INSIDE 4			/* of a function, where an instruction is */
enum { REGS = 34, REG_OF_ARG0 = 0, REG_OF_ARG2 = 2, REG_OF_SP = 31 };

#define SYSCALL3(result, number, a, b, c) \
	SYSCALL3_BY("svc #0", "x8", "x0", "x1", "x2", result, number, a, b, c)

#elif defined(__riscv)

#define SYSCALL_FUNCTION(name) "sys_" name
#define KERNEL_ENTRY "ret_from_syscall"
#define INSIDE 4
enum { REGS = 32, REG_OF_ARG0 = 10, REG_OF_ARG2 = 12, REG_OF_SP = 2 };

#define SYSCALL3(result, number, a, b, c) \
	SYSCALL3_BY("ecall", "a7", "a0", "a1", "a2", result, number, a, b, c)

#elif defined(__arm__)

#define KERNEL_MEMORY 0xbf000000ull
#define SYSCALL_FUNCTION(name) "sys_" name
#define KERNEL_ENTRY "ret_fast_syscall"
#define INSIDE 4
enum { REGS = 17, REG_OF_ARG0 = 0, REG_OF_ARG2 = 2, REG_OF_SP = 13 };

#define SYSCALL3(result, number, a, b, c) \
	SYSCALL3_BY("svc #0", "r7", "r0", "r1", "r2", result, number, a, b, c)

#elif defined(__mips__)

#define SYSCALL_FUNCTION(name) "sys_" name
#define KERNEL_ENTRY "syscall_common"
#define INSIDE 4
#define PROCESS_FRAMES 1		/* where it entered the kernel */
#if _MIPS_SIM == _ABIO32
#define KERNEL_MEMORY (1ull << 31)
enum { REGS = 46, REG_OF_ARG0 = 12, REG_OF_ARG2 = 14, REG_OF_SP = 37 };
#else
enum { REGS = 38, REG_OF_ARG0 = 4, REG_OF_ARG2 = 6, REG_OF_SP = 29 };
#endif

#define SYSCALL3(result, number, a, b, c) do {				\
	register long v0 __asm__("$2") = (number);			\
	register long a0 __asm__("$4") = (long)(a);			\
	register long a1 __asm__("$5") = (long)(b);			\
	register long a2 __asm__("$6") = (long)(c);			\
	register long a3 __asm__("$7");					\
	__asm__ volatile("syscall" : "+r"(v0), "=r"(a3) : "r"(a0), "r"(a1), "r"(a2) \
		: "$1", "$3", "$8", "$9", "$10", "$11", "$12", "$13", "$14", "$15", "$24", \
		  "$25", "hi", "lo", "memory");				\
	(result) = a3 ? -v0 : v0;					\
} while (0)

#elif defined(__i386__)

#define KERNEL_MEMORY 0xc0000000ull
#define SYSCALL_FUNCTION(name) "__ia32_sys_" name
#define KERNEL_ENTRY "restore_all_switch_stack"	/* of entry_INT80_32 */
#define INSIDE 1
enum { REGS = 17, REG_OF_ARG0 = 6, REG_OF_ARG2 = 1, REG_OF_SP = 15 };

#define SYSCALL3(result, number, a, b, c)				\
	__asm__ volatile("int $0x80" : "=a"(result)			\
		     : "0"(number), "b"(a), "c"(b), "d"(c) : "memory")

#else

#define SYSCALL_FUNCTION(name) "__x64_sys_" name
#define KERNEL_ENTRY "entry_SYSCALL_64"
#define INSIDE 1
enum { REGS = 21, REG_OF_ARG0 = 14, REG_OF_ARG2 = 12, REG_OF_SP = 19 };

#define SYSCALL3(result, number, a, b, c)				\
	__asm__ volatile("syscall" : "=a"(result)			\
		     : "0"(number), "D"(a), "S"(b), "d"(c)		\
		     : "rcx", "r11", "memory")

#endif

/* Of a process, at least. */
#ifndef PROCESS_FRAMES
#define PROCESS_FRAMES 3
#endif
#endif
