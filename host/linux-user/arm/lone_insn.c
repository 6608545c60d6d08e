/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * lone_insn.c - what lone.c asks about arm's instructions, and writes off their boundary.
 *
 * Owns: what lone.h asks of this processor.
 *
 * A copy is of the program's set, in its IT block: the breakpoint behind it has no condition.
 *
 * All of it is trap path.
 */
#include "emulate.h"
#include "host.h"
#include "lone.h"
#include "machine.h"
#include "probe.h"
#include "watch.h"

KP_TRAP_PATH unsigned int kp_lone_insn_len(const uint8_t first[KP_LONE_FIRST], bool second)
{
	uint16_t half;

	memcpy(&half, first, sizeof(half));
	return second && !kp_arm_is_wide(half) ? 2 : 4;
}

/* The same anywhere. */
KP_TRAP_PATH static bool is_copied(const struct kp_arm_insn *insn)
{
	switch (insn->class) {
	case KP_ARM_PLAIN:
		return true;
	case KP_ARM_DATA:
	case KP_ARM_HIGH:
	case KP_ARM_LOAD:
	case KP_ARM_STORE:
	case KP_ARM_LOAD_LIST:
	case KP_ARM_STORE_LIST:
	case KP_ARM_COPRO:
	case KP_ARM_PRELOAD:
		return !insn->pc;
	default:
		return false;
	}
}

KP_TRAP_PATH void kp_lone_decode(struct kp_lone_insn *insn, uint32_t word, bool second)
{
	struct kp_arm_insn decoded;

	kp_arm_decode(&decoded, word, second);
	*insn = (struct kp_lone_insn){
		.word = word,
		.len = decoded.len,
		.copied = is_copied(&decoded),
		.conditional = decoded.class == KP_ARM_STORE_EXCLUSIVE,
		.patch = kp_arm_is_breakpoint(&decoded) || decoded.class == KP_ARM_B,
	};
}

/* What it would load is not asked for. */
KP_TRAP_PATH bool kp_lone_compute(struct kp_lone_insn *insn, struct pt_regs *regs)
{
	struct kp_arm_insn decoded;

	kp_arm_decode(&decoded, insn->word, kp_regs_second(regs));
	switch (decoded.class) {
	case KP_ARM_LOAD:
	case KP_ARM_STORE:
	case KP_ARM_LOAD_LIST:
	case KP_ARM_LITERAL:
	case KP_ARM_TABLE:
		return false;
	}
	return !kp_arm_emulate(&decoded, (uint32_t)regs->ARM_pc, kp_arm_regs(regs), NULL);
}

/*
 * The kernel makes stores of several words for the program, and is refused: its signal then
 * says that nothing is mapped there.
 */
KP_TRAP_PATH uintptr_t kp_uc_off_boundary(const siginfo_t *info, ucontext_t *uc, struct pt_regs *regs,
					  uintptr_t *last)
{
	uint8_t bytes[KP_ARCH_INSN_MAX];
	struct kp_arch_write write;
	uintptr_t addr;
	size_t len;

	if (info->si_signo != SIGSEGV || info->si_code != SEGV_MAPERR ||
	    kp_host_text_read(bytes, kp_uc_ip(uc), sizeof(bytes)) ||
	    kp_arch_write_of(&write, kp_uc_ip(uc), bytes, sizeof(bytes),
			     kp_uc_second(uc) ? KP_ARCH_SECOND_SET : 0) != KP_ARCH_WRITES_AT)
		return 0;
	len = kp_arch_write_at(&write, regs, &addr);
	*last = addr + len - 1;
	return len > 2 && addr % 4 ? addr : 0;
}
