// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * fault.c - how a fault in a slot or a handler reaches the core.
 *
 * Owns: two breakpoints of the host itself, at the start of fixup_exception
 * and of page_fault_oops.  Every fault in kernel mode that the kernel could
 * not resolve comes through the first, before any exception table is
 * consulted; one that the kernel refuses to fix (user memory touched without
 * permission) goes straight to the second.  Both get the faulting registers as
 * their first argument.  When the core has dealt with the fault, the function
 * is left at once, as if it had done its work; else it runs as always, on
 * registers that now name the original instruction.
 *
 * They are no probes: a fault happens while a probe's handler runs, when a
 * probe would be recursion.
 *
 * Without these symbols, or with something else at their start: the kernel's
 * die notifiers would be all there is, which are not asked about page faults;
 * then a faulting handler is an oops, and copies rely on their cloned
 * exception entries.
 *
 * Locks: the text lock while a breakpoint is written.
 */
#include <linux/ptrace.h>
#include <asm/traps.h>
#include "local.h"

struct hook {
	const char *name;
	bool fixes;			/* first: returns 1 for "resolved" */
	uintptr_t addr;			/* 0: not in use; trap path readers */
	uintptr_t slot;
	struct kp_arch_probe arch;
	uint8_t original;
};

static struct hook hooks[] = {
	{ .name = "fixup_exception", .fixes = true },
	{ .name = "page_fault_oops" },
};
static struct kp_exec exec;

/* The fault that kp_core_on_fault is being asked about, for kp_host_fixup. */
struct asked {
	struct pt_regs *regs;
	unsigned long error_code, address;
};
static DEFINE_PER_CPU(struct asked, asked);
/* These registers are being fixed up for us: the hook lets them through. */
static DEFINE_PER_CPU(struct pt_regs *, passing);

static const struct kp_arch_mem host_mem = {
	.read = kp_host_data_read,
	.write = kp_host_data_write,
};

/* ---- trap path ----------------------------------------------------------- */

/* Leave the hooked function: nothing has been pushed yet. */
KP_TRAP_PATH static void leave_function(struct pt_regs *regs)
{
	regs->ax = 1;
	regs->ip = *(unsigned long *)regs->sp;
	regs->sp += sizeof(long);
}

/* The arguments: registers, trap number, error code, address; or without it. */
KP_TRAP_PATH static bool resolved(const struct hook *hook, struct pt_regs *regs)
{
	struct pt_regs *faulting = (struct pt_regs *)regs->di;
	struct asked *now = this_cpu_ptr(&asked);
	struct asked outer = *now;
	bool done;

	if (user_mode(faulting) || this_cpu_read(passing) == faulting)
		return false;
	now->regs = hook->fixes ? faulting : NULL;
	now->error_code = regs->dx;
	now->address = regs->cx;
	done = kp_core_on_fault(faulting, hook->fixes ? regs->si : X86_TRAP_PF);
	*now = outer;
	return done;
}

KP_TRAP_PATH bool kp_fault_on_trap(struct pt_regs *regs)
{
	uintptr_t addr = kp_arch_trap_addr(regs);
	struct hook *hook;

	for (hook = hooks; hook < hooks + ARRAY_SIZE(hooks); hook++) {
		/* Pairs with arm: slot and arch are complete. */
		if (!addr || kp_load_acquire(&hook->addr) != addr)
			continue;
		if (resolved(hook, regs))
			leave_function(regs);
		else if (hook->arch.class != KP_ARCH_EMULATE ||
			 kp_arch_emulate(&hook->arch, regs, &host_mem))
			kp_arch_step_begin(&hook->arch, regs, hook->slot, false);
		return true;
	}
	return false;
}

/* Let the kernel apply the exception table to a fault in handler code. */
KP_TRAP_PATH bool kp_host_fixup(struct pt_regs *regs, int trapnr)
{
	struct pt_regs *outer = this_cpu_read(passing);
	struct asked *now = this_cpu_ptr(&asked);
	int fixed;

	if (now->regs != regs)
		return false;
	this_cpu_write(passing, regs);
	fixed = kp_hidden.fixup_exception(regs, trapnr, now->error_code,
					  now->address);
	this_cpu_write(passing, outer);
	return fixed;
}

/* ---- start and stop ------------------------------------------------------ */

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
	    kp_hidden.ftrace_location_range(addr, addr))
		addr += 5;
	return addr;
}

static int write_byte(uintptr_t addr, uint8_t byte)
{
	struct kp_text_patch patch = { .addr = addr, .len = 1, .bytes = { byte } };
	int err;

	kp_host_lock(KP_LOCK_TEXT);
	err = kp_host_text_write(&patch, 1);
	if (!err)
		kp_host_sync_cores();
	kp_host_unlock(KP_LOCK_TEXT);
	return err;
}

static int arm(struct hook *hook, size_t index)
{
	uint8_t insn[KP_ARCH_INSN_MAX], image[KP_ARCH_SLOT_LEN] = { 0 };
	uintptr_t addr = kp_symbols_find(hook->name);
	const char *reason;
	int err;

	addr = addr ? first_insn(addr) : 0;
	if (!addr || kp_reserved_why(addr, 1, NULL) ||
	    kp_host_text_read(insn, addr, sizeof(insn)))
		return -ENOENT;
	hook->slot = exec.base + index * KP_ARCH_SLOT_LEN;
	err = kp_arch_prepare(&hook->arch, addr, insn, sizeof(insn), 0, &reason);
	if (!err)
		err = kp_arch_emit_slot(&hook->arch, hook->slot, image, &reason);
	if (!err)
		err = kp_host_exec_write(hook->slot, image, sizeof(image));
	if (err)
		return err;
	hook->original = insn[0];
	kp_store_release(&hook->addr, addr);
	err = write_byte(addr, kp_arch_bp[0]);
	if (err)
		kp_store_release(&hook->addr, 0);
	return err;
}

void kp_fault_start(void)
{
	size_t i;

	if (kp_host_exec_alloc(&exec, kp_hidden.text_start, PAGE_SIZE, false)) {
		pr_warn("kprobes: no memory to catch faults: a faulting handler will be an oops\n");
		return;
	}
	for (i = 0; i < ARRAY_SIZE(hooks); i++)
		if (arm(&hooks[i], i))
			pr_warn("kprobes: %s cannot be hooked: some faults in handlers will be an oops\n",
				hooks[i].name);
}

void kp_fault_stop(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(hooks); i++)
		if (hooks[i].addr)
			write_byte(hooks[i].addr, hooks[i].original);
	kp_host_wait_handlers();
	for (i = 0; i < ARRAY_SIZE(hooks); i++)
		kp_store_release(&hooks[i].addr, 0);
	if (!exec.len)
		return;
	while (kp_host_wait_tasks(exec.base, exec.len))
		pr_warn("kprobes: waiting for a task in the fault path\n");
	kp_host_exec_free(&exec);
}
