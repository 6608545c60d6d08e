/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kt_machine.h - what a trace module does with registers on x86-64.
 *
 * Owns: where arguments are in struct pt_regs, how a lean handler gets one, and how a
 * function returns at once.  Trap path.
 */
#ifndef KT_MACHINE_H
#define KT_MACHINE_H

#define KT_MACHINE_REGS 21u		/* of struct pt_regs, in words */
#define KT_MACHINE_KERNEL (~0ull << __VIRTUAL_MASK_SHIFT)	/* where a kernel's memory begins */

/* number is a constant, and less than four. */
static inline u64 kt_machine_plain_arg(const struct pt_regs *regs, u32 number)
{
	switch (number) {
	case 0:
		return regs->di;
	case 1:
		return regs->si;
	case 2:
		return regs->dx;
	default:
		return regs->cx;
	}
}

/* As words. */
static inline u64 kt_machine_arg(const struct pt_regs *regs, u32 number)
{
	static const u8 places[KT_FROM_ARGS] = {
		offsetof(struct pt_regs, di) / 8, offsetof(struct pt_regs, si) / 8,
		offsetof(struct pt_regs, dx) / 8, offsetof(struct pt_regs, cx) / 8,
		offsetof(struct pt_regs, r8) / 8, offsetof(struct pt_regs, r9) / 8,
	};

	return ((const unsigned long *)regs)[places[number]];
}

/* Those behind the sixth stand above the return address.  Where; or 0: in a register. */
static inline u64 kt_machine_stack_arg(const struct pt_regs *regs, u32 number)
{
	return regs->sp + 8ull * (number - 5);
}

static inline u64 kt_machine_late_arg(const struct pt_regs *regs, u32 number)
{
	(void)regs;
	(void)number;
	return 0;
}

/*
 * A lean handler may read its registers only by rsi, where they came, and at places
 * that the instruction names; no compiler promises that.
 */
static inline u64 kt_machine_lean_arg(const struct pt_regs *regs, u32 number)
{
	u64 value;

	__asm__("mov %c[di](%[regs]), %[value]\n\t"
		"cmp $1, %[number]\n\t"
		"cmove %c[si](%[regs]), %[value]\n\t"
		"cmp $2, %[number]\n\t"
		"cmove %c[dx](%[regs]), %[value]\n\t"
		"cmp $3, %[number]\n\t"
		"cmove %c[cx](%[regs]), %[value]\n\t"
		"cmp $4, %[number]\n\t"
		"cmove %c[r8](%[regs]), %[value]\n\t"
		"cmp $5, %[number]\n\t"
		"cmove %c[r9](%[regs]), %[value]"
		: [value] "=&r"(value)
		: [regs] "S"(regs), [number] "r"(number),
		  [di] "i"(offsetof(struct pt_regs, di)),
		  [si] "i"(offsetof(struct pt_regs, si)),
		  [dx] "i"(offsetof(struct pt_regs, dx)),
		  [cx] "i"(offsetof(struct pt_regs, cx)),
		  [r8] "i"(offsetof(struct pt_regs, r8)),
		  [r9] "i"(offsetof(struct pt_regs, r9)), "m"(*regs)
		: "cc");
	return value;
}

/* What a watched access puts into KT_WATCH_REGS, in their order. */
static inline void kt_machine_note(struct pt_regs *regs, const u64 words[6])
{
	regs->di = words[0];
	regs->si = words[1];
	regs->dx = words[2];
	regs->cx = words[3];
	regs->r8 = words[4];
	regs->r9 = words[5];
}

/* What a function's first argument is taken to be. */
static inline void kt_machine_set_first(struct pt_regs *regs, u64 value)
{
	regs->di = value;
}

/* A handler's IP is behind the breakpoint. */
static inline u64 kt_machine_hit_addr(const struct pt_regs *regs)
{
	return regs->ip - 1;
}

/* A function has just begun: as if it had returned that at once. */
static inline void kt_machine_return(struct pt_regs *regs, u64 value)
{
	regs->ax = value;
	regs->ip = *(unsigned long *)regs->sp;
	regs->sp += sizeof(long);
}

#endif
