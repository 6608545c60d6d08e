/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * lone_insn.c - what lone.c asks about riscv64's instructions.
 *
 * Owns: what lone.h asks of this processor.
 *
 * All of it is trap path.
 */
#include "emulate.h"
#include "insn.h"
#include "lone.h"
#include "machine.h"
#include "regs.h"

KP_TRAP_PATH unsigned int kp_lone_insn_len(const uint8_t first[KP_LONE_FIRST], bool second)
{
	uint16_t half;

	(void)second;
	memcpy(&half, first, sizeof(half));
	return kp_rv_length(half);
}

KP_TRAP_PATH void kp_lone_decode(struct kp_lone_insn *insn, uint32_t word, bool second)
{
	struct kp_rv_insn decoded;

	(void)second;
	kp_rv_decode(&decoded, word);
	*insn = (struct kp_lone_insn){
		.word = word,
		.len = decoded.len <= KP_ARCH_INSN_MAX ? decoded.len : 0,
		.copied = decoded.class == KP_RV_PLAIN,
		.conditional = decoded.class == KP_RV_STORE_CONDITIONAL,
		.patch = decoded.class == KP_RV_EXCEPTION || decoded.class == KP_RV_JAL,
	};
}

KP_TRAP_PATH bool kp_lone_compute(struct kp_lone_insn *insn, struct pt_regs *regs)
{
	struct kp_rv_insn decoded;

	kp_rv_decode(&decoded, insn->word);
	return !kp_rv_emulate(&decoded, regs->epc, kp_rv_regs(regs));
}
