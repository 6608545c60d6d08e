/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * emulate.c - instructions computed on the saved registers.
 *
 * Owns: kp_arch_emulate.  Invariants: everything is computed from ap->addr,
 * never from regs->ip (K-HIT-11); regs change only after the last memory
 * access has succeeded; a branch target that the processor would refuse is
 * not installed but answered with -EFAULT, so that the slot's real
 * instruction raises the processor's own exception.
 */
#include "probe.h"

/*
 * jcc, by the upper three bits of the condition; the lowest one inverts.  It
 * holds when any of these flags is set; LESS stands for SF != OF.
 */
#define LESS KP_X86_FLAG_FIXED		/* a bit that is no condition's */
static const uint16_t any_of[8] = {
	KP_X86_FLAG_OF, KP_X86_FLAG_CF, KP_X86_FLAG_ZF,
	KP_X86_FLAG_CF | KP_X86_FLAG_ZF, KP_X86_FLAG_SF, KP_X86_FLAG_PF,
	LESS, KP_X86_FLAG_ZF | LESS,
};

KP_TRAP_PATH static bool holds(unsigned int cond, unsigned long flags)
{
	/* SF is bit 7 and OF is bit 11; LESS is bit 1. */
	unsigned long less = (flags >> 6 ^ flags >> 10) & LESS;
	bool is = ((flags & ~LESS) | less) & any_of[cond >> 1 & 7];

	return is != (cond & 1);
}

/* The bits of an address that count: all, or half as many. */
KP_TRAP_PATH static uintptr_t address_mask(const struct kp_arch_probe *ap)
{
	return ap->address_size == KP_X86_WORD ? UINTPTR_MAX :
	       KP_X86_WORD == 8 ? UINT32_MAX : UINT16_MAX;
}

KP_TRAP_PATH static uintptr_t kept_above(const struct kp_arch_probe *ap)
{
	return KP_X86_WORD == 8 ? 0 : ~address_mask(ap);
}

KP_TRAP_PATH static void loop(const struct kp_arch_probe *ap,
			      struct pt_regs *regs)
{
	bool zf = regs->flags & KP_X86_FLAG_ZF;
	uintptr_t mask = address_mask(ap), count = regs->cx & mask;
	bool taken;

	if (ap->cond == 3) {		/* jcxz: a test only (K-XI-26) */
		taken = !count;
	} else {
		count = (count - 1) & mask;
		/* Of 4 bytes: zero-extended (K-XI-25); of 2: the upper half stays. */
		regs->cx = count | (regs->cx & kept_above(ap));
		taken = count && (ap->cond == 2 || ap->cond == zf);
	}
	regs->ip = taken ? ap->value : kp_x86_next(ap);
}

KP_TRAP_PATH static uintptr_t operand_addr(const struct kp_arch_probe *ap,
					   struct pt_regs *regs)
{
	uintptr_t addr = (uintptr_t)ap->value;

	if (ap->base != KP_X86_NO_REG)
		addr += *kp_x86_reg(regs, ap->base);
	if (ap->index != KP_X86_NO_REG)
		addr += (uintptr_t)*kp_x86_reg(regs, ap->index) << ap->scale;
	return addr & address_mask(ap);
}

/*
 * With AC set the processor refuses what lies off its boundary, in user mode.  The
 * slot's real instruction says so then.
 */
KP_TRAP_PATH static bool is_refused(const struct kp_arch_probe *ap,
				    const struct pt_regs *regs, uintptr_t addr,
				    unsigned int len)
{
	return __builtin_expect(regs->flags & KP_X86_FLAG_AC, 0) &&
	       ap->flags & KP_X86_USER && addr & (len - 1);
}

KP_TRAP_PATH static int branch(struct pt_regs *regs, uintptr_t target)
{
	if (!kp_x86_canonical(target))
		return -EFAULT;
	regs->ip = target;
	return 0;
}

KP_TRAP_PATH static int call(const struct kp_arch_probe *ap,
			     struct pt_regs *regs,
			     const struct kp_arch_mem *mem, uintptr_t target)
{
	uintptr_t ret = kp_x86_next(ap);

	if (!kp_x86_canonical(target) ||
	    is_refused(ap, regs, regs->sp, sizeof(ret)) ||
	    mem->write(regs->sp - KP_X86_WORD, &ret, sizeof(ret)))
		return -EFAULT;
	regs->sp -= KP_X86_WORD;
	regs->ip = target;
	return 0;
}

KP_TRAP_PATH static int through_memory(const struct kp_arch_probe *ap,
				       struct pt_regs *regs,
				       const struct kp_arch_mem *mem)
{
	uintptr_t addr = operand_addr(ap, regs), target, base = 0;

	if (ap->flags & KP_X86_GS && !kp_x86_gs_base(regs, &base, mem->read))
		return -EFAULT;
	addr += base;
	if (is_refused(ap, regs, addr, sizeof(target)) ||
	    mem->read(addr, &target, sizeof(target)))
		return -EFAULT;
	return ap->op == KP_X86_CALL_MEM ? call(ap, regs, mem, target) :
					   branch(regs, target);
}

KP_TRAP_PATH static int ret(const struct kp_arch_probe *ap,
			    struct pt_regs *regs,
			    const struct kp_arch_mem *mem)
{
	uintptr_t target;

	if (is_refused(ap, regs, regs->sp, sizeof(target)) ||
	    mem->read(regs->sp, &target, sizeof(target)) ||
	    branch(regs, target))
		return -EFAULT;
	regs->sp += KP_X86_WORD + ap->value;
	return 0;
}

KP_TRAP_PATH static int pushf(const struct kp_arch_probe *ap,
			      struct pt_regs *regs,
			      const struct kp_arch_mem *mem)
{
	/* The processor stores RF and VM as zero. */
	uint64_t flags = regs->flags & ~(KP_X86_FLAG_RF | KP_X86_FLAG_VM);
	uint8_t bytes[8];
	unsigned int i;

	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(flags >> (8 * i));
	if (is_refused(ap, regs, regs->sp, ap->size) ||
	    mem->write(regs->sp - ap->size, bytes, ap->size))
		return -EFAULT;
	regs->sp -= ap->size;
	regs->ip = kp_x86_next(ap);
	return 0;
}

/* Kernel mode only: in user mode popf is copied (classify.c says why). */
KP_TRAP_PATH static int popf(const struct kp_arch_probe *ap,
			     struct pt_regs *regs,
			     const struct kp_arch_mem *mem)
{
	/* CF PF AF ZF SF TF IF DF OF IOPL NT, and AC ID of the long form. */
	uint64_t settable = ap->size == 2 ? 0x7fd5 : 0x247fd5;
	uint8_t bytes[8] = { 0 };
	uint64_t flags = 0;
	unsigned int i;

	if (mem->read(regs->sp, bytes, ap->size))
		return -EFAULT;
	for (i = 0; i < ap->size; i++)
		flags |= (uint64_t)bytes[i] << (8 * i);
	regs->flags = (regs->flags & ~(settable | KP_X86_FLAG_RF)) |
		      (flags & settable) | KP_X86_FLAG_FIXED;
	regs->sp += ap->size;
	regs->ip = kp_x86_next(ap);
	return 0;
}

KP_TRAP_PATH int kp_arch_emulate(const struct kp_arch_probe *ap,
				 struct pt_regs *regs,
				 const struct kp_arch_mem *mem)
{
	switch (ap->op) {
	case KP_X86_JMP:
		regs->ip = ap->value;
		return 0;
	case KP_X86_JCC:
		regs->ip = holds(ap->cond, regs->flags) ? ap->value :
							  kp_x86_next(ap);
		return 0;
	case KP_X86_LOOP:
		loop(ap, regs);
		return 0;
	case KP_X86_CALL:
		return call(ap, regs, mem, (uintptr_t)ap->value);
	case KP_X86_JMP_REG:
		return branch(regs, *kp_x86_reg(regs, ap->reg));
	case KP_X86_CALL_REG:
		return call(ap, regs, mem, *kp_x86_reg(regs, ap->reg));
	case KP_X86_JMP_MEM:
	case KP_X86_CALL_MEM:
		return through_memory(ap, regs, mem);
	case KP_X86_RET:
		return ret(ap, regs, mem);
	case KP_X86_PUSHF:
		return pushf(ap, regs, mem);
	case KP_X86_POPF:
		return popf(ap, regs, mem);
	case KP_X86_CLI:
	case KP_X86_STI:
		if (ap->op == KP_X86_STI)
			regs->flags |= KP_X86_FLAG_IF;
		else
			regs->flags &= ~KP_X86_FLAG_IF;
		regs->ip = kp_x86_next(ap);
		return 0;
	}
	return -EFAULT;
}
