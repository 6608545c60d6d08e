/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * lone_insn.c - what lone.c asks about MIPS's instructions, and writes off their boundary.
 *
 * Owns: what lone.h asks of this processor.
 *
 * A branch is computed, and the word in its delay slot executed then, with the target known.
 *
 * All of it is trap path.
 */
#include "emulate.h"
#include "host.h"
#include "lone.h"
#include "machine.h"
#include "watch.h"
#include "watch/page_table.h"

#define NOP 0u

KP_TRAP_PATH unsigned int kp_lone_insn_len(const uint8_t first[KP_LONE_FIRST], bool second)
{
	(void)second;
	(void)first;
	return 4;
}

KP_TRAP_PATH void kp_lone_decode(struct kp_lone_insn *insn, uint32_t word, bool second)
{
	struct kp_mips_insn decoded;

	(void)second;
	kp_mips_decode(&decoded, word, KP_MIPS_HERE);
	*insn = (struct kp_lone_insn){
		.word = word,
		.len = 4,
		.copied = decoded.class == KP_MIPS_PLAIN,
		.conditional = decoded.class == KP_MIPS_STORE_CONDITIONAL,
		.patch = decoded.class == KP_MIPS_EXCEPTION,
		.delays = kp_mips_has_slot(&decoded),
	};
}

/* regs are as behind the branch; those that the slot's word finds, but for where they are. */
KP_TRAP_PATH static bool take_slot(struct kp_lone_insn *insn, struct pt_regs *regs, uintptr_t at)
{
	struct kp_lone_insn delayed;
	uint32_t word;

	if (kp_host_text_read(&word, at + 4, sizeof(word)))
		return false;
	if (word == NOP)
		return true;
	kp_lone_decode(&delayed, word, false);
	if (!delayed.copied)
		return false;
	*insn = delayed;
	insn->then = regs->cp0_epc;
	regs->cp0_epc = at;
	return true;
}

KP_TRAP_PATH bool kp_lone_compute(struct kp_lone_insn *insn, struct pt_regs *regs)
{
	struct pt_regs after = *regs;
	struct kp_mips_insn decoded;

	kp_mips_decode(&decoded, insn->word, KP_MIPS_HERE);
	/* What it would load is not asked for. */
	if (decoded.class == KP_MIPS_LOAD_RELATIVE ||
	    kp_mips_emulate(&decoded, regs->cp0_epc, &after, NULL))
		return false;
	if (insn->delays && !(decoded.flags & KP_MIPS_LIKELY && !kp_mips_is_taken(&decoded, regs)) &&
	    !take_slot(insn, &after, regs->cp0_epc))
		return false;
	*regs = after;
	return true;
}

/* Does it stand in a delay slot? */
KP_TRAP_PATH static bool is_delayed(uintptr_t at)
{
	struct kp_lone_insn before;
	uint32_t word;

	if (kp_host_text_read(&word, at - 4, sizeof(word)))
		return false;
	kp_lone_decode(&before, word, false);
	return before.delays;
}

/*
 * The kernel makes them for the program, and is refused: its signal then has no address, and
 * of one in a delay slot it forgets the branch.
 */
KP_TRAP_PATH uintptr_t kp_uc_off_boundary(const siginfo_t *info, ucontext_t *uc, struct pt_regs *regs,
					  uintptr_t *last)
{
	uint8_t bytes[KP_ARCH_INSN_MAX];
	struct kp_arch_write write;
	size_t avail = sizeof(bytes);
	uintptr_t addr;

	if (info->si_signo != SIGSEGV || info->si_code != SI_KERNEL)
		return 0;
	while (avail && kp_host_text_read(bytes, kp_uc_ip(uc), avail))
		avail -= 4;
	if (!avail ||
	    kp_arch_write_of(&write, kp_uc_ip(uc), bytes, avail, KP_ARCH_USER) != KP_ARCH_WRITES_AT)
		return 0;
	*last = kp_arch_write_at(&write, regs, &addr) - 1;
	*last += addr;
	if ((kp_user_page_known(addr) || kp_user_page_known(*last)) &&
	    is_delayed(kp_uc_ip(uc))) {
		kp_uc_set_ip(uc, kp_uc_ip(uc) - 4);
		regs->cp0_epc = kp_uc_ip(uc);
	}
	return addr;
}
