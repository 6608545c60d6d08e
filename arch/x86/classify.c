/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * classify.c - how an instruction is executed elsewhere.
 *
 * Owns: the contents of struct kp_arch_probe.  Invariant: the legacy opcode maps are consulted
 * for legacy encodings only (K-XI-35).  Everything that the trap path needs is computed here, so
 * nothing is decoded there.
 */
#include "classify.h"
#include "insn/walk.h"

int kp_arch_decode(struct kp_arch_decoded *out, const uint8_t *bytes,
		   size_t avail, unsigned int text_flags)
{
	struct kp_insn_step step;
	int err = kp_insn_walk(&step, bytes, avail);

	(void)text_flags;
	if (err)
		return err;
	out->len = step.length;
	out->breakpoint = step.breakpoint;
	return 0;
}

#define PAD_LEN 4

/* Kernels put a nop of another form there where nobody branches to indirectly. */
static bool is_landing_pad(const uint8_t *bytes)
{
	static const uint8_t endbr[PAD_LEN] = KP_X86_LANDING_PAD;
	static const uint8_t sealed[][PAD_LEN] = {
		{ 0x66, 0x0f, 0x1f, 0x00 },	/* nopw (%rax) */
		{ 0x0f, 0x1f, 0x40, 0xd6 },	/* nopl -42(%rax): newer ones */
	};

	return !memcmp(bytes, endbr, PAD_LEN) ||
	       !memcmp(bytes, sealed[0], PAD_LEN) ||
	       !memcmp(bytes, sealed[1], PAD_LEN);
}

/*
 * Programs and IBT kernels start functions with a landing pad; other kernels do not,
 * and there an entry is an entry.  So the bytes decide (K-REG-12, K-REG-13).
 */
uintptr_t kp_arch_adjust_addr(const uint8_t *entry, size_t avail,
			      uintptr_t start, uintptr_t offset,
			      bool *on_entry)
{
	*on_entry = !offset;
	if (avail < PAD_LEN || !is_landing_pad(entry))
		return start + offset;
	*on_entry = !offset || offset == PAD_LEN;
	return start + (offset ? offset : PAD_LEN);
}

static uint8_t gpr_or_none(uint8_t gpr)
{
	return gpr == KP_INSN_NO_GPR ? KP_X86_NO_REG : gpr;
}

static void take_memory_operand(struct kp_arch_probe *ap,
				const struct kp_insn *insn)
{
	ap->base = gpr_or_none(insn->base_gpr);
	ap->index = gpr_or_none(insn->index_gpr);
	if (insn->flags & KP_INSN_HAS_SIB)
		ap->scale = insn->sib >> 6;
	if (!(insn->flags & KP_INSN_RIP_REL))
		ap->value = (uint64_t)insn->disp.value;
}

static void take_pc_relative(struct kp_arch_probe *ap,
			     const struct kp_insn *insn)
{
	ap->flags |= KP_X86_RIP_REL;
	ap->base = ap->index = KP_X86_NO_REG;
	ap->value = ap->addr + (uint64_t)kp_insn_rip_target(insn);
	if (ap->address_size == 4)
		ap->value = (uint32_t)ap->value;
}

/* Where the bit is that extends modrm.rm, and its value for "not extended". */
static void find_b_bit(struct kp_arch_probe *ap, const struct kp_insn *insn)
{
	ap->b_off = KP_X86_NO_REG;
	switch (insn->encoding) {
	case KP_INSN_LEGACY:
	case KP_INSN_3DNOW:
		if (insn->rex) {		/* 0100WRXB */
			ap->b_off = insn->prefix_len - 1;
			ap->b_clear = 1;
		}
		break;
	case KP_INSN_VEX3:			/* C4 RXBmmmmm, inverted */
	case KP_INSN_EVEX:			/* 62 RXBR'0mmm, inverted */
	case KP_INSN_XOP:			/* 8F RXBmmmmm, inverted */
		ap->b_off = insn->prefix_len + 1;
		ap->b_set = 1 << 5;
		break;
	}
}

static void plan_far_copy(struct kp_arch_probe *ap, const struct kp_insn *insn)
{
	static const uint8_t candidates[] = {
		KP_X86_SI, KP_X86_DI, KP_X86_BX,
	};
	unsigned int gprs = insn->gprs;
	unsigned int i;

	if (ap->op == KP_X86_CALL_MEM || ap->op == KP_X86_JMP_MEM)
		return;			/* fallback.c needs no scratch */
	find_b_bit(ap, insn);
	for (i = 0; i < sizeof(candidates); i++)
		if (!(gprs & 1u << candidates[i]))
			break;
	if (i == sizeof(candidates)) {
		ap->flags |= KP_X86_NEAR_ONLY;
		return;
	}
	ap->scratch = candidates[i];
	if (kp_insn_is_legacy(insn) && insn->map == KP_INSN_MAP_1BYTE &&
	    insn->opcode == 0xff && kp_x86_modrm_reg(insn) == 6 &&
	    (!(insn->prefixes & KP_INSN_PFX_66) || insn->rex & 8) &&
	    insn->segment != 0x64 && insn->segment != 0x65)
		ap->flags |= KP_X86_PUSH_MEM;
	else if (gprs & 1u << KP_X86_SP || insn->flags & KP_INSN_WRITES_SP)
		ap->flags |= KP_X86_NEAR_ONLY;
}

static enum kp_x86_op op_of_branch(const struct kp_insn *insn)
{
	bool memory = insn->flags & KP_INSN_HAS_MEM;

	switch (insn->flow) {
	case KP_INSN_FLOW_JMP_REL:
		return KP_X86_JMP;
	case KP_INSN_FLOW_JCC_REL:
		return KP_X86_JCC;
	case KP_INSN_FLOW_LOOP:
		return KP_X86_LOOP;
	case KP_INSN_FLOW_CALL_REL:
		return KP_X86_CALL;
	case KP_INSN_FLOW_JMP_IND:
		return memory ? KP_X86_JMP_MEM : KP_X86_JMP_REG;
	case KP_INSN_FLOW_CALL_IND:
		return memory ? KP_X86_CALL_MEM : KP_X86_CALL_REG;
	case KP_INSN_FLOW_RET:
		return KP_X86_RET;
	case KP_INSN_FLOW_SYSCALL:
		return KP_X86_SYSCALL;
	}
	return KP_X86_COPY;
}

/*
 * In user mode popf is copied: returning from a signal handler restores fewer
 * flags than popf loads (ID and NT stay behind).  cli and sti fault there.
 */
static enum kp_x86_op op_of_flags(const struct kp_insn *insn, bool user)
{
	if (!kp_insn_is_legacy(insn) || insn->map != KP_INSN_MAP_1BYTE)
		return KP_X86_COPY;
	switch (insn->opcode) {
	case 0x9c:
		return KP_X86_PUSHF;
	case 0x9d:
		return user ? KP_X86_COPY : KP_X86_POPF;
	case 0xfa:
		return user ? KP_X86_COPY : KP_X86_CLI;
	case 0xfb:
		return user ? KP_X86_COPY : KP_X86_STI;
	}
	return KP_X86_COPY;
}

static void take_operands(struct kp_arch_probe *ap, const struct kp_insn *insn)
{
	bool word = insn->prefixes & KP_INSN_PFX_66 && !(insn->rex & 8);

	ap->address_size = insn->address_size;
	ap->size = word ? 2 : KP_X86_WORD;
	ap->modrm_off = insn->modrm_offset;
	if (insn->flags & KP_INSN_HAS_MEM)
		take_memory_operand(ap, insn);
	if ((ap->op == KP_X86_CALL_MEM || ap->op == KP_X86_JMP_MEM) && insn->segment == 0x65)
		ap->flags |= KP_X86_GS;
	if (insn->flags & KP_INSN_RIP_REL) {
		take_pc_relative(ap, insn);
		plan_far_copy(ap, insn);
	}
	switch (ap->op) {
	case KP_X86_JCC:
		ap->cond = insn->opcode & 0xf;
		break;
	case KP_X86_LOOP:
		ap->cond = insn->opcode & 3;
		break;
	case KP_X86_JMP_REG:
	case KP_X86_CALL_REG:
		ap->reg = insn->rm_gpr;
		break;
	case KP_X86_RET:
		ap->value = insn->imm.size ? insn->imm.value & 0xffff : 0;
		break;
	}
	if (kp_insn_is_rel_branch(insn))
		ap->value = ap->addr + (uint64_t)kp_insn_rel_target(insn);
}

int kp_arch_prepare(struct kp_arch_probe *ap, uintptr_t addr,
		    const uint8_t *insn, size_t avail, unsigned int text_flags,
		    const char **reason)
{
	bool user = text_flags & KP_ARCH_USER;
	struct kp_insn decoded;
	int err;

	if (kp_insn_decode(&decoded, insn, avail, KP_X86_MODE)) {
		*reason = "not a valid instruction";
		return -EINVAL;
	}
	err = kp_x86_refuse(&decoded, insn, avail, text_flags, reason);
	if (err)
		return err;
	*ap = (struct kp_arch_probe){ .addr = addr, .len = decoded.length };
	ap->stepped = KP_X86_STEPPED;
	memcpy(ap->insn, insn, decoded.length);
	if (user)
		ap->flags |= KP_X86_USER;
	if (text_flags & KP_ARCH_HAS_FIXUP)
		ap->flags |= KP_X86_FIXUP;
	if (text_flags & KP_ARCH_TRAP_ONLY)
		ap->flags |= KP_X86_TRAP_ONLY;
	ap->op = op_of_branch(&decoded);
	if (ap->op == KP_X86_COPY)
		ap->op = op_of_flags(&decoded, user);
	ap->class = ap->op <= KP_X86_SYSCALL ? KP_ARCH_COPY : KP_ARCH_EMULATE;
	take_operands(ap, &decoded);
	return 0;
}
