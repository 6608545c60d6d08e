/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * lone.c - instructions of the program's, executed one by one, on riscv64.
 *
 * Owns: the page with the copy, and the way from a store-conditional that met a protected
 * page to the next one:
 *
 *	1. Nobody knows what was loaded for it: it fails, as any may.
 *	2. The code goes on to try again, instruction by instruction: branches are computed,
 *	   others executed as a copy.
 *	3. The load-reserved is a load that notes what it found (monitor.h).
 *	4. The store-conditional compares and stores, at the alias, and is told.
 *
 * Where it goes elsewhere instead, or too far, it goes on by itself.
 *
 * All of it is trap path.
 */
#include "lone.h"
#include "emulate.h"
#include "regs.h"

#define PAGE KP_ARCH_PAGE
#define AROUND 64			/* instructions */

/* ---- the copy ------------------------------------------------------------------------- */

/* Who executes it is the thread that writes it: it comes there by a signal's return. */
KP_TRAP_PATH static bool write_copy(struct kp_lone *lone, const struct kp_rv_insn *insn)
{
	lone->len = insn->len;
	if (sys3(SYS_mprotect, lone->code, PAGE, PROT_READ | PROT_WRITE))
		return false;
	memcpy(lone->code, &insn->word, insn->len);
	memcpy(lone->code + insn->len, kp_arch_bp, KP_ARCH_BP_LEN);
	kp_text_written((uintptr_t)lone->code, KP_LONE_LEN);
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

KP_TRAP_PATH static void decode(struct kp_rv_insn *insn, const uint8_t *bytes)
{
	uint16_t half[2] = { 0, 0 };

	memcpy(&half[0], bytes, sizeof(half[0]));
	if (kp_rv_length(half[0]) == sizeof(half))
		memcpy(&half[1], bytes + 2, sizeof(half[1]));
	kp_rv_decode(insn, (uint32_t)half[1] << 16 | half[0]);
}

KP_TRAP_PATH bool kp_is_patch(const uint8_t *bytes, size_t avail)
{
	struct kp_rv_insn insn;

	if (avail < KP_ARCH_BP_LEN || (avail < 4 && (bytes[0] & 3) == 3))
		return false;
	decode(&insn, bytes);
	return insn.class == KP_RV_EXCEPTION || insn.class == KP_RV_JAL;
}

KP_TRAP_PATH bool kp_lone_is_walk(const uint8_t *bytes)
{
	struct kp_rv_insn insn;

	decode(&insn, bytes);
	return insn.class == KP_RV_STORE_CONDITIONAL;
}

KP_TRAP_PATH enum kp_step kp_lone_begin(struct kp_lone *lone, ucontext_t *uc,
					const uint8_t *bytes)
{
	enum kp_step step = KP_STEP_NONE;
	struct kp_rv_insn insn;
	struct pt_regs regs;

	lone->ip = lone->first = kp_uc_ip(uc);
	decode(&insn, bytes);
	if (!make_page(lone))
		return KP_STEP_NONE;
	if (kp_lone_is_walk(bytes)) {
		lone->left = AROUND;
		kp_uc_load(&regs, uc);
		step = kp_lone_goes_on(lone, &regs) ? KP_STEP_SHOWN : KP_STEP_DONE;
		kp_uc_store(uc, &regs);
	} else if (insn.len <= KP_ARCH_INSN_MAX && write_copy(lone, &insn)) {
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
	else if (kp_lone_ends_at(lone, regs->epc))
		regs->epc = lone->ip + lone->len;
	drop_page(lone);
}

/* ---- to the next store-conditional ------------------------------------------------------- */

KP_TRAP_PATH static int read_memory(uintptr_t addr, void *dst, size_t len)
{
	/* Elsewhere it is the program's own, and is done by itself. */
	return kp_user_page_at(addr) ? kp_host_data_read(addr, dst, len) : -EFAULT;
}

static const struct kp_rv_reserved_memory memory = {
	.read = read_memory, .swap_if = kp_user_page_swap_if,
};

/* The end of its page may be the text's. */
KP_TRAP_PATH static bool read_insn(struct kp_rv_insn *insn, uintptr_t at)
{
	uint8_t bytes[4] = { 0 };

	if (kp_host_text_read(bytes, at, 2) ||
	    ((bytes[0] & 3) == 3 && kp_host_text_read(bytes, at, 4)))
		return false;
	decode(insn, bytes);
	return insn->len && insn->len <= KP_ARCH_INSN_MAX;
}

/* The next instruction that must be executed; false: none, or none of this way. */
KP_TRAP_PATH static bool find_next(struct kp_lone *lone, struct pt_regs *regs,
				   struct kp_rv_insn *insn)
{
	enum kp_rv_conditional done;

	while (lone->left && regs->epc - lone->first + AROUND * 4 < 2 * AROUND * 4) {
		lone->left--;
		if (!read_insn(insn, regs->epc))
			return false;
		done = kp_rv_do_conditional(&lone->monitor, insn->word, regs, &memory);
		if (done == KP_RV_STORED)
			kp_user_page_swapped(regs);
		/* The first one that fails is where it began. */
		if (done == KP_RV_STORED ||
		    (done == KP_RV_FAILED && lone->left != AROUND - 1))
			return false;
		if (done != KP_RV_NOT_CONDITIONAL)
			continue;
		if (insn->class == KP_RV_PLAIN)
			return true;
		if (kp_rv_emulate(insn, regs->epc, kp_rv_regs(regs)))
			return false;
	}
	return false;
}

KP_TRAP_PATH bool kp_lone_goes_on(struct kp_lone *lone, struct pt_regs *regs)
{
	struct kp_rv_insn insn;

	if (!lone->left)
		return false;
	if (kp_lone_ends_at(lone, regs->epc))
		regs->epc = lone->ip + lone->len;
	if (!find_next(lone, regs, &insn) || !write_copy(lone, &insn))
		return false;
	lone->ip = regs->epc;
	regs->epc = (uintptr_t)lone->code;
	return true;
}
