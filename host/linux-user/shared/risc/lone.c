/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * lone.c - instructions of the program's, executed one by one, where the processor does not
 * step by itself.
 *
 * Owns: the page with the copy, and the way from a conditional store that met a protected
 * page to the next one:
 *
 *	1. Nobody knows what was loaded for it: it fails, as any may.
 *	2. The code goes on to try again, instruction by instruction: branches are computed,
 *	   others executed as a copy.
 *	3. The load that reserves is a load that notes what it found (monitor.h).
 *	4. The conditional store compares and stores, at the alias, and is told: behind the walk,
 *	   since who is told may come to another one.
 *
 * Where it goes elsewhere instead, or too far, it goes on by itself.
 *
 * All of it is trap path.
 */
#include "host.h"
#include "lone.h"
#include "machine.h"
#include "watch/page_store.h"
#include "watch/page_table.h"

#define PAGE KP_ARCH_PAGE
#define AROUND 64u			/* instructions */
#define AROUND_LEN (AROUND * KP_ARCH_INSN_MAX)
#define COPY_AT 16u			/* behind zeros: nobody takes it for a branch's delay slot */

/* ---- the copy ------------------------------------------------------------------------- */

/* Who executes it is the thread that writes it: it comes there by a signal's return. */
KP_TRAP_PATH static bool write_copy(struct kp_lone *lone, const struct kp_lone_insn *insn,
				     const struct pt_regs *regs)
{
	lone->len = insn->len;
	lone->then = insn->then;
	if (!insn->len || sys3(SYS_mprotect, lone->code - COPY_AT, PAGE, PROT_READ | PROT_WRITE))
		return false;
	memcpy(lone->code, &insn->word, insn->len);
	memcpy(lone->code + insn->len, kp_set_bp_behind(regs), kp_set_bp_len(kp_regs_second(regs)));
	kp_text_written((uintptr_t)lone->code, KP_LONE_LEN);
	return !sys3(SYS_mprotect, lone->code - COPY_AT, PAGE, PROT_READ | PROT_EXEC);
}

KP_TRAP_PATH static bool make_page(struct kp_lone *lone)
{
	uint8_t *page = sys_mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1);

	lone->code = page ? page + COPY_AT : NULL;
	return page;
}

KP_TRAP_PATH static void drop_page(struct kp_lone *lone)
{
	sys3(SYS_munmap, lone->code - COPY_AT, PAGE, 0);
	lone->code = NULL;
}

/* Of as many bytes as it has. */
KP_TRAP_PATH static void decode(struct kp_lone_insn *insn, const uint8_t *bytes, bool second)
{
	unsigned int len = kp_lone_insn_len(bytes, second);
	uint32_t word = 0;

	insn->len = 0;
	if (len > sizeof(word))
		return;
	memcpy(&word, bytes, len);
	kp_lone_decode(insn, word, second);
}

KP_TRAP_PATH bool kp_is_patch(const uint8_t *bytes, size_t avail, bool second)
{
	struct kp_lone_insn insn;

	if (avail < KP_LONE_FIRST || avail < kp_lone_insn_len(bytes, second))
		return false;
	decode(&insn, bytes, second);
	return insn.len && insn.patch;
}

KP_TRAP_PATH bool kp_lone_is_walk(const uint8_t *bytes, bool second)
{
	struct kp_lone_insn insn;

	decode(&insn, bytes, second);
	return insn.len && insn.conditional;
}

KP_TRAP_PATH enum kp_step kp_lone_begin(struct kp_lone *lone, ucontext_t *uc,
					const uint8_t *bytes)
{
	const bool second = kp_uc_second(uc);
	enum kp_step step = KP_STEP_NONE;
	struct kp_lone_insn insn;
	struct pt_regs regs;

	lone->ip = lone->first = kp_uc_ip(uc);
	decode(&insn, bytes, second);
	kp_uc_load(&regs, uc);
	if (insn.delays) {
		if (!kp_lone_compute(&insn, &regs) || !insn.copied)
			return KP_STEP_NONE;
		kp_uc_store(uc, &regs);
	}
	if (!make_page(lone))
		return KP_STEP_NONE;
	if (insn.len && insn.conditional) {
		lone->left = AROUND;
		step = kp_lone_goes_on(lone, &regs) ? KP_STEP_SHOWN : KP_STEP_DONE;
		if (lone->stored)
			kp_user_page_swapped(&regs);
		kp_uc_store(uc, &regs);
	} else if (write_copy(lone, &insn, &regs)) {
		kp_uc_set_ip(uc, (uintptr_t)lone->code);
		step = KP_STEP_SHOWN;
	}
	if (step != KP_STEP_SHOWN)
		drop_page(lone);
	return step;
}

/* regs are behind the copy: then behind the instruction. */
KP_TRAP_PATH static void leave_copy(const struct kp_lone *lone, struct pt_regs *regs)
{
	if (kp_lone_ends_at(lone, instruction_pointer(regs)))
		instruction_pointer_set(regs, lone->then ? lone->then : lone->ip + lone->len);
}

KP_TRAP_PATH void kp_lone_end(struct kp_lone *lone, ucontext_t *uc, struct pt_regs *regs)
{
	if (!regs)
		kp_uc_set_ip(uc, lone->ip);
	else
		leave_copy(lone, regs);
	drop_page(lone);
}

/* ---- to the next conditional store ----------------------------------------------------- */

KP_TRAP_PATH static int read_memory(uintptr_t addr, void *dst, size_t len)
{
	/* Elsewhere it is the program's own, and is done by itself. */
	return kp_user_page_at(addr) ? kp_host_data_read(addr, dst, len) : -EFAULT;
}

static const struct kp_monitor_memory memory = {
	.read = read_memory, .swap_if = kp_user_page_swap_if,
};

/* The end of its page may be the text's. */
KP_TRAP_PATH static bool read_insn(struct kp_lone_insn *insn, uintptr_t at, bool second)
{
	uint8_t bytes[KP_ARCH_INSN_MAX];
	unsigned int len;

	if (kp_host_text_read(bytes, at, KP_LONE_FIRST))
		return false;
	len = kp_lone_insn_len(bytes, second);
	if (len > sizeof(bytes) || kp_host_text_read(bytes, at, len))
		return false;
	decode(insn, bytes, second);
	return insn->len;
}

/* The next instruction that must be executed; false: none, or none of this way. */
KP_TRAP_PATH static bool find_next(struct kp_lone *lone, struct pt_regs *regs,
				   struct kp_lone_insn *insn)
{
	enum kp_monitored done;

	while (lone->left &&
	       instruction_pointer(regs) - lone->first + AROUND_LEN < 2 * AROUND_LEN) {
		lone->left--;
		if (!read_insn(insn, instruction_pointer(regs), kp_regs_second(regs)))
			return false;
		done = kp_monitor_do(&lone->monitor, insn->word, regs, &memory);
		if (done == KP_MONITOR_STORED)
			lone->stored = true;
		/* The first one that fails is where it began. */
		if (done == KP_MONITOR_STORED ||
		    (done == KP_MONITOR_FAILED && lone->left != AROUND - 1))
			return false;
		if (done != KP_MONITOR_NONE)
			continue;
		if (insn->copied)
			return true;
		if (!kp_lone_compute(insn, regs))
			return false;
		if (insn->copied)
			return true;
	}
	return false;
}

KP_TRAP_PATH bool kp_lone_goes_on(struct kp_lone *lone, struct pt_regs *regs)
{
	struct kp_lone_insn insn;

	if (!lone->left)
		return false;
	leave_copy(lone, regs);
	if (!find_next(lone, regs, &insn) || !write_copy(lone, &insn, regs))
		return false;
	lone->ip = instruction_pointer(regs);
	instruction_pointer_set(regs, (uintptr_t)lone->code);
	return true;
}
