/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * lone.c - instructions of the program's, executed one by one, on arm64.
 *
 * Owns: the page with the copy, and the way from a store-exclusive that met a protected
 * page to the next one:
 *
 *	1. Nobody knows what was loaded for it: it fails, as any may.
 *	2. The code goes on to try again, instruction by instruction: branches are computed,
 *	   others executed as a copy.
 *	3. The load-exclusive is a load that notes what it found (monitor.h).
 *	4. The store-exclusive compares and stores, at the alias, and is told.
 *
 * Where it goes elsewhere instead, or too far, it goes on by itself.
 *
 * All of it is trap path.
 */
#include "lone.h"
#include "emulate.h"
#include "operands.h"
#include "regs.h"

#define PAGE KP_ARCH_PAGE
#define AROUND 64			/* instructions */

/* ---- the copy ------------------------------------------------------------------------- */

/* Who executes it is the thread that writes it: it comes there by a signal's return. */
KP_TRAP_PATH static bool write_copy(struct kp_lone *lone, uint32_t word)
{
	if (sys3(SYS_mprotect, lone->code, PAGE, PROT_READ | PROT_WRITE))
		return false;
	lone->code[0] = word;
	memcpy(&lone->code[1], kp_arch_bp, KP_A64_LEN);
	kp_text_written((uintptr_t)lone->code, 2 * KP_A64_LEN);
	return !sys3(SYS_mprotect, lone->code, PAGE, PROT_READ | PROT_EXEC);
}

KP_TRAP_PATH static bool make_page(struct kp_lone *lone)
{
	lone->code = sys_mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1);
	return lone->code;
}

KP_TRAP_PATH static void drop_page(struct kp_lone *lone)
{
	sys3(SYS_munmap, lone->code, PAGE, 0);
	lone->code = NULL;
}

KP_TRAP_PATH static uint32_t word_of(const uint8_t *insn)
{
	uint32_t word;

	memcpy(&word, insn, sizeof(word));
	return word;
}

KP_TRAP_PATH bool kp_is_patch(const uint8_t *insn, size_t avail)
{
	struct kp_a64_insn decoded;

	if (avail < KP_A64_LEN)
		return false;
	kp_a64_decode(&decoded, word_of(insn));
	return decoded.class == KP_A64_EXCEPTION || decoded.class == KP_A64_B;
}

KP_TRAP_PATH bool kp_lone_is_walk(const uint8_t *insn)
{
	struct kp_a64_insn decoded;

	kp_a64_decode(&decoded, word_of(insn));
	return decoded.class == KP_A64_STORE_EXCLUSIVE;
}

KP_TRAP_PATH enum kp_step kp_lone_begin(struct kp_lone *lone, ucontext_t *uc,
					const uint8_t *insn)
{
	enum kp_step step = KP_STEP_NONE;
	struct pt_regs regs;

	lone->ip = lone->first = kp_uc_ip(uc);
	if (!make_page(lone))
		return KP_STEP_NONE;
	if (kp_lone_is_walk(insn)) {
		lone->left = AROUND;
		kp_uc_load(&regs, uc);
		step = kp_lone_goes_on(lone, &regs) ? KP_STEP_SHOWN : KP_STEP_DONE;
		kp_uc_store(uc, &regs);
	} else if (write_copy(lone, word_of(insn))) {
		kp_uc_set_ip(uc, (uintptr_t)lone->code);
		step = KP_STEP_SHOWN;
	}
	if (step != KP_STEP_SHOWN)
		drop_page(lone);
	return step;
}

KP_TRAP_PATH void kp_lone_end(struct kp_lone *lone, ucontext_t *uc, struct pt_regs *regs)
{
	if (!regs)
		kp_uc_set_ip(uc, lone->ip);
	else if (kp_lone_ends_at(lone, regs->pc))
		regs->pc = lone->ip + KP_A64_LEN;
	drop_page(lone);
}

/* ---- to the next store-exclusive --------------------------------------------------------- */

KP_TRAP_PATH static int read_memory(uintptr_t addr, void *dst, size_t len)
{
	/* Elsewhere it is the program's own, and is done by itself. */
	return kp_user_page_at(addr) ? kp_host_data_read(addr, dst, len) : -EFAULT;
}

static const struct kp_a64_exclusive_memory memory = {
	.read = read_memory, .swap_if = kp_user_page_swap_if,
};

/* The next instruction that must be executed; false: none, or none of this way. */
KP_TRAP_PATH static bool find_next(struct kp_lone *lone, struct pt_regs *regs, uint32_t *word)
{
	enum kp_a64_exclusive done;
	struct kp_a64_insn insn;

	while (lone->left && regs->pc - lone->first + AROUND * KP_A64_LEN <
				     2 * AROUND * KP_A64_LEN) {
		lone->left--;
		if (kp_host_text_read(word, regs->pc, sizeof(*word)))
			return false;
		done = kp_a64_do_exclusive(&lone->monitor, *word, regs, &memory);
		if (done == KP_A64_STORED)
			kp_user_page_swapped(regs);
		/* The first one that fails is where it began. */
		if (done == KP_A64_STORED ||
		    (done == KP_A64_FAILED && lone->left != AROUND - 1))
			return false;
		if (done != KP_A64_NOT_EXCLUSIVE)
			continue;
		kp_a64_decode(&insn, *word);
		if (insn.class == KP_A64_PLAIN || insn.class == KP_A64_BARRIER ||
		    insn.class == KP_A64_HINT)
			return true;
		if (insn.class == KP_A64_LITERAL ||
		    kp_a64_emulate(&insn, regs->pc, kp_a64_regs(regs), false, NULL))
			return false;
	}
	return false;
}

KP_TRAP_PATH bool kp_lone_goes_on(struct kp_lone *lone, struct pt_regs *regs)
{
	uint32_t word;

	if (!lone->left)
		return false;
	if (kp_lone_ends_at(lone, regs->pc))
		regs->pc = lone->ip + KP_A64_LEN;
	if (!find_next(lone, regs, &word) || !write_copy(lone, word))
		return false;
	lone->ip = regs->pc;
	regs->pc = (uintptr_t)lone->code;
	return true;
}
