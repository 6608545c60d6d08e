/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * seccomp_filter.h - what does a seccomp filter say of a system call?
 *
 * Owns: the interpreter of filter programs, for the command, which looks at a
 * process's before it attaches, and for the library, which sees them installed.
 */
#ifndef KP_USER_SECCOMP_FILTER_H
#define KP_USER_SECCOMP_FILTER_H

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline bool kp_filter_load(const struct seccomp_data *data, uint32_t at, uint32_t *value)
{
	if (at > sizeof(*data) - 4 || (at & 3))
		return false;
	memcpy(value, (const char *)data + at, 4);
	return true;
}

static inline uint32_t kp_filter_compute(uint16_t op, uint32_t a, uint32_t b)
{
	switch (op) {
	case BPF_ADD:
		return a + b;
	case BPF_SUB:
		return a - b;
	case BPF_MUL:
		return a * b;
	case BPF_DIV:
		return b ? a / b : 0;
	case BPF_AND:
		return a & b;
	case BPF_OR:
		return a | b;
	case BPF_XOR:
		return a ^ b;
	case BPF_LSH:
		return b < 32 ? a << b : 0;
	case BPF_RSH:
		return b < 32 ? a >> b : 0;
	case BPF_NEG:
		return -a;
	}
	return a;
}

static inline bool kp_filter_holds(uint16_t op, uint32_t a, uint32_t b)
{
	switch (op) {
	case BPF_JEQ:
		return a == b;
	case BPF_JGT:
		return a > b;
	case BPF_JGE:
		return a >= b;
	case BPF_JSET:
		return a & b;
	}
	return false;
}

/* The filter's verdict; what cannot be understood kills. */
static inline uint32_t kp_filter_evaluate(const struct sock_filter *code, size_t nr,
			 const struct seccomp_data *data)
{
	uint32_t a = 0, x = 0, mem[16] = { 0 };
	size_t pc;

	for (pc = 0; pc < nr; pc++) {
		const struct sock_filter *i = &code[pc];
		uint32_t operand = BPF_SRC(i->code) == BPF_X ? x : i->k;

		switch (BPF_CLASS(i->code)) {
		case BPF_LD:
			if (BPF_MODE(i->code) == BPF_IMM)
				a = i->k;
			else if (BPF_MODE(i->code) == BPF_MEM)
				a = mem[i->k & 15];
			else if (BPF_MODE(i->code) == BPF_LEN)
				a = sizeof(*data);
			else if (!kp_filter_load(data, i->k, &a))
				return SECCOMP_RET_KILL_PROCESS;
			break;
		case BPF_LDX:
			x = BPF_MODE(i->code) == BPF_MEM ? mem[i->k & 15] :
			    BPF_MODE(i->code) == BPF_IMM ? i->k : sizeof(*data);
			break;
		case BPF_ST:
			mem[i->k & 15] = a;
			break;
		case BPF_STX:
			mem[i->k & 15] = x;
			break;
		case BPF_ALU:
			a = kp_filter_compute(BPF_OP(i->code), a, operand);
			break;
		case BPF_JMP:
			if (BPF_OP(i->code) == BPF_JA)
				pc += i->k;
			else
				pc += kp_filter_holds(BPF_OP(i->code), a, operand)
					      ? i->jt : i->jf;
			break;
		case BPF_RET:
			return BPF_RVAL(i->code) == BPF_A ? a : i->k;
		case BPF_MISC:
			if (BPF_MISCOP(i->code) == BPF_TAX)
				x = a;
			else
				a = x;
			break;
		}
	}
	return SECCOMP_RET_KILL_PROCESS;
}

static inline bool kp_filter_harms(uint32_t verdict)
{
	switch (verdict & SECCOMP_RET_ACTION_FULL) {
	case SECCOMP_RET_ALLOW:
	case SECCOMP_RET_LOG:
	case SECCOMP_RET_ERRNO:
	case SECCOMP_RET_TRACE:
		return false;
	}
	return true;
}

#endif
