// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * intercept.c - breakpoints of the host itself, at the start of kernel functions.
 *
 * Owns: finding the place, the copy of the instruction there, and what happens
 * on a hit: the intercept's own function looks at the arguments and may change them
 * or leave the function; then the function goes on as always.
 *
 * They are no probes: they work while a probe's handler runs, when a probe
 * would be recursion, and they know no user.  Intercepted functions are on the
 * blacklist, so no probe's bytes meet a intercept's.
 *
 * An intercept is prepared once; then it may be armed and disarmed at will.
 *
 * Locks: the text lock while a breakpoint is written; arm and disarm of one
 * intercept exclude each other by their callers.
 */
#include <linux/ptrace.h>
#include "local.h"

static struct kp_intercept *intercepts;	/* lock-free readers */
static struct kp_exec exec;
static size_t used;			/* slots in exec */

static const struct kp_arch_mem host_mem = {
	.read = kp_host_data_read,
	.write = kp_host_data_write,
};

/* ---- trap path ----------------------------------------------------------- */

/* Behind the copy, where its slot is too far away for a jump back. */
KP_TRAP_PATH static bool stepped(struct pt_regs *regs)
{
	uintptr_t addr = kp_arch_trap_addr(regs);
	/* As below. */
	struct kp_intercept *intercept = kp_load_acquire(&intercepts);

	while (intercept && addr - intercept->slot >= KP_ARCH_SLOT_LEN)
		intercept = intercept->next;
	return intercept && kp_arch_step_finish(&intercept->arch, regs, intercept->slot);
}

KP_TRAP_PATH bool kp_intercept_on_trap(struct pt_regs *regs)
{
	uintptr_t addr = kp_arch_trap_addr(regs);
	/* Pairs with kp_intercept_prepare: whoever is in the list is complete. */
	struct kp_intercept *intercept = kp_load_acquire(&intercepts);

	/* Pairs with kp_intercept_arm, and with _disarm, after which it is nobody's. */
	while (intercept && !(intercept->addr == addr && kp_load_acquire(&intercept->armed)))
		intercept = intercept->next;
	if (!intercept)
		return stepped(regs);
	if (!intercept->on_hit(intercept, regs) &&
	    (intercept->arch.class != KP_ARCH_EMULATE ||
	     kp_arch_emulate(&intercept->arch, regs, &host_mem)))
		kp_arch_step_begin(&intercept->arch, regs, intercept->slot, false);
	return true;
}

/* ---- start, stop, arm, disarm -------------------------------------------- */

/* The first instruction that is neither a landing pad nor an ftrace site. */
static uintptr_t first_insn(uintptr_t start)
{
	uint8_t bytes[4];
	bool on_entry;
	uintptr_t addr;

	if (kp_host_text_read(bytes, start, sizeof(bytes)))
		return 0;
	addr = kp_arch_adjust_addr(bytes, sizeof(bytes), start, 0, &on_entry);
	if (kp_hidden.ftrace_location_range &&
	    kp_kernel_ftrace_location_range(addr, addr))
		addr += KP_FTRACE_LEN;
	return addr;
}

static int take_slot(uintptr_t *slot)
{
	int err;

	if (!exec.len) {
		err = kp_host_exec_alloc(&exec, kp_hidden.text_start, PAGE_SIZE,
					 false);
		if (err)
			return err;
	}
	if ((used + 1) * KP_ARCH_SLOT_LEN > exec.len)
		return -ENOMEM;
	*slot = exec.base + used++ * KP_ARCH_SLOT_LEN;
	return 0;
}

int kp_intercept_prepare(struct kp_intercept *intercept)
{
	uint8_t insn[KP_ARCH_INSN_MAX], image[KP_ARCH_SLOT_LEN] = { 0 };
	uintptr_t addr = kp_symbols_find(intercept->name);
	const char *reason;
	int err;

	addr = addr ? first_insn(addr) : 0;
	if (!addr || kp_reserved_why(addr, 1, NULL) ||
	    kp_host_text_read(insn, addr, sizeof(insn)))
		return -ENOENT;
	err = kp_arch_prepare(&intercept->arch, addr, insn, sizeof(insn), 0, &reason);
	if (!err)
		err = take_slot(&intercept->slot);
	if (!err)
		err = kp_arch_emit_slot(&intercept->arch, intercept->slot, image, &reason);
	if (!err)
		err = kp_host_exec_write(intercept->slot, image, sizeof(image));
	if (err)
		return err;
	memcpy(intercept->original, insn, sizeof(intercept->original));
	intercept->addr = addr;
	intercept->next = intercepts;
	/* Pairs with kp_intercept_on_trap: a hit reads addr, arch and slot. */
	kp_store_release(&intercepts, intercept);
	return 0;
}

static int write_text(uintptr_t addr, const uint8_t *bytes)
{
	struct kp_text_patch patch = { .addr = addr, .len = KP_ARCH_BP_LEN };
	int err;

	memcpy(patch.bytes, bytes, KP_ARCH_BP_LEN);
	kp_host_lock(KP_LOCK_TEXT);
	err = kp_host_text_write(&patch, 1);
	if (!err)
		kp_host_sync_cores();
	kp_host_unlock(KP_LOCK_TEXT);
	return err;
}

/* Somebody else's bytes stand there meanwhile: they are not ours to overwrite. */
static bool holds(const struct kp_intercept *intercept, const uint8_t *bytes)
{
	uint8_t now[KP_ARCH_BP_LEN];

	return !kp_host_text_read(now, intercept->addr, sizeof(now)) &&
	       !memcmp(now, bytes, sizeof(now));
}

int kp_intercept_arm(struct kp_intercept *intercept)
{
	int err;

	if (intercept->armed)
		return 0;
	if (!intercept->addr || !holds(intercept, intercept->original))
		return -ENOENT;
	/* Before the breakpoint can be hit: a trap that does not see it is nobody's. */
	kp_store_release(&intercept->armed, true);
	err = write_text(intercept->addr, kp_arch_bp);
	if (err)
		/* No breakpoint was written, so no trap can ask for it. */
		kp_store_release(&intercept->armed, false);
	return err;
}

/* One that cannot be written stays armed: its hits are still ours. */
int kp_intercept_disarm(struct kp_intercept *intercept)
{
	int err = 0;

	if (!intercept->armed)
		return 0;
	if (holds(intercept, kp_arch_bp))
		err = write_text(intercept->addr, intercept->original);
	/* A trap that was taken before finds no breakpoint, and is retried. */
	if (!err)
		kp_store_release(&intercept->armed, false);
	return err;
}

/* Without memory for the writes we stay, and so does the module's text. */
void kp_intercept_stop(void)
{
	struct kp_intercept *intercept;

	for (intercept = intercepts; intercept; intercept = intercept->next)
		while (kp_intercept_disarm(intercept)) {
			pr_warn("kprobes: unloading waits for memory\n");
			schedule_timeout_uninterruptible(HZ);
		}
	kp_host_wait_handlers();
	/* No trap is under way that reads the list, and none can come. */
	kp_store_release(&intercepts, NULL);
	if (!exec.len)
		return;
	while (kp_host_wait_tasks(exec.base, exec.len))
		pr_warn("kprobes: waiting for a task in an intercepted function\n");
	kp_host_exec_free(&exec);
}
