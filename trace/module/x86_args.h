/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * x86_args.h - the arguments that x86-64 passes in registers.
 *
 * Owns: where in struct pt_regs they are, and how a lean handler gets one.
 */
#ifndef KT_X86_ARGS_H
#define KT_X86_ARGS_H

/* As words. */
static inline u64 kt_x86_arg(const struct pt_regs *regs, u32 number)
{
	static const u8 places[KT_FROM_ARGS] = {
		offsetof(struct pt_regs, di) / 8, offsetof(struct pt_regs, si) / 8,
		offsetof(struct pt_regs, dx) / 8, offsetof(struct pt_regs, cx) / 8,
		offsetof(struct pt_regs, r8) / 8, offsetof(struct pt_regs, r9) / 8,
	};

	return ((const unsigned long *)regs)[places[number]];
}

/*
 * A lean handler may read its registers only by rsi, where they came, and at places
 * that the instruction names; no compiler promises that.
 */
static inline u64 kt_x86_lean_arg(const struct pt_regs *regs, u32 number)
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

#endif
