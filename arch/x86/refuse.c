/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * refuse.c - instructions that cannot carry a probe.
 *
 * Owns: the refusals, each with its errno and the reason in one sentence.
 * Invariant: an accepted instruction means the same when it is executed elsewhere or emulated,
 * and when a trap comes just before it.
 */
#include "classify.h"

struct refusal {
	int err;
	const char *reason;
};

/* Refused in both modes, by the kind of control transfer. */
static const struct refusal by_flow[] = {
	[KP_INSN_FLOW_FAR_JMP] = { -EOPNOTSUPP,
		"a far jump loads a code segment" },
	[KP_INSN_FLOW_FAR_CALL] = { -EOPNOTSUPP,
		"a far call loads a code segment" },
	[KP_INSN_FLOW_FAR_RET] = { -EOPNOTSUPP,
		"a far return loads a code segment" },
	[KP_INSN_FLOW_IRET] = { -EOPNOTSUPP,
		"iret leaves the context whose registers were saved" },
	[KP_INSN_FLOW_INT] = { -EILSEQ,
		"a software interrupt depends on its own address" },
	[KP_INSN_FLOW_TRAP] = { -EILSEQ,
		"the instruction is itself a trap" },
	[KP_INSN_FLOW_XBEGIN] = { -EOPNOTSUPP,
		"a transaction begun elsewhere cannot contain the original code" },
	[KP_INSN_FLOW_VIRT] = { -EOPNOTSUPP,
		"a hypervisor or enclave call looks at its own address" },
	[KP_INSN_FLOW_RSM] = { -EOPNOTSUPP,
		"rsm leaves the context whose registers were saved" },
};

/* Refused in kernel mode only: in user mode they fault, in the slot too. */
static const struct refusal by_flow_kernel[] = {
	[KP_INSN_FLOW_SYSCALL] = { -EOPNOTSUPP,
		"a system call from kernel mode" },
	[KP_INSN_FLOW_SYSRET] = { -EOPNOTSUPP,
		"the user's stack pointer is already loaded" },
	[KP_INSN_FLOW_HLT] = { -EOPNOTSUPP,
		"a trap before it would lose the wakeup it waits for" },
};

/* Kernel mode; 0xff in regs: whatever modrm.reg says. */
static const struct kernel_only {
	uint8_t map, opcode;
	uint8_t regs;		/* set of modrm.reg values */
	bool memory;		/* of a memory operand only */
	const char *reason;
} kernel_only[] = {
	{ KP_INSN_MAP_1BYTE, 0x8e, 1 << 5, false,	/* mov ..., %gs */
	  "loading gs moves the per-CPU base that a trap relies on" },
	{ KP_INSN_MAP_0F, 0xa9, 0xff, false,		/* pop %gs */
	  "loading gs moves the per-CPU base that a trap relies on" },
	{ KP_INSN_MAP_0F, 0xb5, 0xff, true,		/* lgs */
	  "loading gs moves the per-CPU base that a trap relies on" },
	{ KP_INSN_MAP_0F, 0x22, 1 << 0 | 1 << 3 | 1 << 4, false, /* mov %cr */
	  "changing cr0, cr3 or cr4 may take the copy's own page away" },
	{ KP_INSN_MAP_0F, 0x00, 1 << 3, false,		/* ltr */
	  "the next trap needs the task register" },
	{ KP_INSN_MAP_0F, 0x01, 1 << 2 | 1 << 3, true,	/* lgdt lidt */
	  "the next trap needs the descriptor tables" },
};

/* 0f 01 f8 swapgs; f3 0f ae /3 register form: wrgsbase */
static bool moves_gs(const struct kp_insn *insn)
{
	if (insn->map != KP_INSN_MAP_0F || insn->modrm < 0xc0)
		return false;
	if (insn->opcode == 0x01)
		return insn->modrm == 0xf8;
	return insn->opcode == 0xae && insn->prefixes & KP_INSN_PFX_F3 &&
	       kp_x86_modrm_reg(insn) == 3;
}

/* ud2 followed by a hypervisor's name: it emulates the next instruction. */
static bool is_forced_emulation(const struct kp_insn *insn,
				const uint8_t *bytes, size_t avail)
{
	if (insn->length != 2 || insn->opcode != 0x0b || avail < 5)
		return false;
	return !memcmp(bytes + 2, "xen", 3) || !memcmp(bytes + 2, "kvm", 3);
}

static int refuse_trap(const struct kp_insn *insn, const uint8_t *bytes,
		       size_t avail, const char **reason)
{
	if (insn->map == KP_INSN_MAP_1BYTE && insn->opcode == 0xcc) {
		*reason = "somebody else's breakpoint stands here";
		return -EINVAL;
	}
	if (is_forced_emulation(insn, bytes, avail)) {
		*reason = "a hypervisor interprets these bytes where they are";
		return -EINVAL;
	}
	*reason = by_flow[KP_INSN_FLOW_TRAP].reason;
	return by_flow[KP_INSN_FLOW_TRAP].err;
}

/*
 * sti delays interrupts by one instruction; emulated or copied it cannot.
 * What would be lost with that matters where the CPU then sleeps or leaves.
 */
static bool needs_shadow(const uint8_t *next, size_t avail)
{
	struct kp_insn insn;

	if (kp_insn_decode(&insn, next, avail, KP_X86_MODE))
		return false;
	return insn.flow == KP_INSN_FLOW_HLT ||
	       insn.flow == KP_INSN_FLOW_SYSRET ||
	       insn.flow == KP_INSN_FLOW_IRET;
}

static int refuse_kernel(const struct kp_insn *insn, const uint8_t *bytes,
			 size_t avail, const char **reason)
{
	size_t i;

	if (insn->flow < sizeof(by_flow_kernel) / sizeof(by_flow_kernel[0]) &&
	    by_flow_kernel[insn->flow].err) {
		*reason = by_flow_kernel[insn->flow].reason;
		return by_flow_kernel[insn->flow].err;
	}
	if (!kp_insn_is_legacy(insn))
		return 0;
	if (moves_gs(insn)) {
		*reason = "it moves the per-CPU base that a trap relies on";
		return -EOPNOTSUPP;
	}
	if (insn->map == KP_INSN_MAP_1BYTE && insn->opcode == 0xfb &&
	    needs_shadow(bytes + insn->length, avail - insn->length)) {
		*reason = "interrupts must stay off until the next instruction";
		return -EOPNOTSUPP;
	}
	for (i = 0; i < sizeof(kernel_only) / sizeof(kernel_only[0]); i++) {
		const struct kernel_only *k = &kernel_only[i];

		if (insn->map != k->map || insn->opcode != k->opcode ||
		    (k->memory && !(insn->flags & KP_INSN_HAS_MEM)))
			continue;
		if (k->regs == 0xff || k->regs & 1 << kp_x86_modrm_reg(insn)) {
			*reason = k->reason;
			return -EOPNOTSUPP;
		}
	}
	return 0;
}

static bool is_near_branch(const struct kp_insn *insn)
{
	return insn->flow >= KP_INSN_FLOW_JMP_REL &&
	       insn->flow <= KP_INSN_FLOW_RET;
}

/* Of 32-bit programs it is the thread's, and names its own beginning: call *%gs:16. */
static bool is_in_known_segment(const struct kp_insn *insn, unsigned int text_flags)
{
	return KP_X86_MODE == KP_INSN_32 && text_flags & KP_ARCH_USER && insn->segment == 0x65;
}

static int refuse_branch(const struct kp_insn *insn, unsigned int text_flags,
			 const char **reason)
{
	if (insn->prefixes & KP_INSN_PFX_66 && !(insn->rex & 8)) {
		*reason = KP_X86_MODE == KP_INSN_64 ?
			  "processors disagree about a 16-bit branch in 64-bit mode" :
			  "a 16-bit branch leads into the first 64 KB";
		return -EOPNOTSUPP;
	}
	if (insn->flow == KP_INSN_FLOW_LOOP && insn->opcode <= 0xe1 &&
	    insn->prefixes & (KP_INSN_PFX_F2 | KP_INSN_PFX_F3)) {
		/* Undocumented; some take the condition from the prefix. */
		*reason = "processors disagree about loope and loopne with a "
			  "repeat prefix";
		return -EOPNOTSUPP;
	}
	if (insn->flags & KP_INSN_HAS_MEM &&
	    (insn->segment == 0x64 || insn->segment == 0x65) &&
	    !is_in_known_segment(insn, text_flags)) {
		*reason = "the branch target lies in a segment whose base is "
			  "unknown";
		return -EOPNOTSUPP;
	}
	return 0;
}

/* int $0x80 in 32-bit mode, whose kernel does not look at where it stands. */
static bool is_system_call(const struct kp_insn *insn)
{
	return KP_X86_MODE == KP_INSN_32 && insn->flow == KP_INSN_FLOW_INT &&
	       (insn->imm.value & 0xff) == 0x80;
}

int kp_x86_refuse(const struct kp_insn *insn, const uint8_t *bytes,
		  size_t avail, unsigned int text_flags, const char **reason)
{
	if (insn->flow == KP_INSN_FLOW_TRAP)
		return refuse_trap(insn, bytes, avail, reason);
	if (is_system_call(insn) && text_flags & KP_ARCH_USER)
		return 0;
	if (insn->flow < sizeof(by_flow) / sizeof(by_flow[0]) &&
	    by_flow[insn->flow].err) {
		*reason = by_flow[insn->flow].reason;
		return by_flow[insn->flow].err;
	}
	if (insn->flags & KP_INSN_WRITES_SS) {
		*reason = "loading ss suppresses the trap that would follow";
		return -EINVAL;
	}
	if (is_near_branch(insn))
		return refuse_branch(insn, text_flags, reason);
	if (!(text_flags & KP_ARCH_USER))
		return refuse_kernel(insn, bytes, avail, reason);
	if (insn->flow == KP_INSN_FLOW_SYSCALL &&
	    (insn->opcode == 0x34 || KP_X86_MODE == KP_INSN_32)) {
		*reason = "it returns to an address of the system's choice";
		return -EOPNOTSUPP;
	}
	return 0;
}
