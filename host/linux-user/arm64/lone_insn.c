/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * lone_insn.c - what lone.c asks about arm64's instructions.
 *
 * Owns: what lone.h asks of this processor.
 *
 * All of it is trap path.
 */
#include "emulate.h"
#include "insn.h"
#include "lone.h"
#include "regs.h"

KP_TRAP_PATH unsigned int kp_lone_insn_len(const uint8_t first[KP_LONE_FIRST], bool second)
{
	(void)second;
	(void)first;
	return KP_A64_LEN;
}

KP_TRAP_PATH void kp_lone_decode(struct kp_lone_insn *insn, uint32_t word, bool second)
{
	struct kp_a64_insn decoded;

	(void)second;
	kp_a64_decode(&decoded, word);
	*insn = (struct kp_lone_insn){
		.word = word,
		.len = KP_A64_LEN,
		.copied = decoded.class == KP_A64_PLAIN || decoded.class == KP_A64_BARRIER ||
			  decoded.class == KP_A64_HINT,
		.conditional = decoded.class == KP_A64_STORE_EXCLUSIVE,
		.patch = decoded.class == KP_A64_EXCEPTION || decoded.class == KP_A64_B,
	};
}

/* What it would load is not asked for. */
KP_TRAP_PATH bool kp_lone_compute(struct kp_lone_insn *insn, struct pt_regs *regs)
{
	struct kp_a64_insn decoded;

	kp_a64_decode(&decoded, insn->word);
	return decoded.class != KP_A64_LITERAL &&
	       !kp_a64_emulate(&decoded, regs->pc, kp_a64_regs(regs), false, NULL);
}
