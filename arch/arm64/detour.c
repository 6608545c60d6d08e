/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * detour.c - jumps in the place of instructions, and where they lead.
 *
 * Owns: the one way to put a jump, and the code of heads and hubs.
 *
 * A jump is a b, in the place of one instruction, by one aligned store: nobody can be in
 * its middle.  It reaches 128 MB.
 *
 * The processor executes the old or the new word without further ado only where both
 * are of a few kinds, b and brk among them; elsewhere it may do anything until all
 * cores have synchronized.  The core writes brk first and b later, and all cores are
 * synchronized after each: brk to b, and back, is one of the steps that need none.
 * The step from the original to brk, and back, it shares with every breakpoint.  A
 * processor that fetches the old word once more after the store takes the hit a moment
 * later; that it should not make up a third word is what the manual does not promise
 * and all processors do, as every kernel and debugger that sets breakpoints on running
 * text counts on it.
 *
 * No jump stands in the place of a landing pad: an indirect branch may lead there, on
 * which a brk is allowed and a b is a fault, unless the page is known not to be guarded.
 *
 * A head (detour_entry.S has the entry; the tag is where the entry expects it):
 *
 *    0  stp x29, x30, [sp, #-320]!
 *    4  bl entry
 *    8  ldp x29, x30, [sp], #320
 *   12  b body
 *   16  .quad tag
 *
 * A hub does the entry's first instruction, and so has a register to jump by:
 *
 *    0  stp x16, x17, [sp, #144]
 *    4  ldr x16, 1f
 *    8  br x16
 *   12  udf
 *   16  1: .quad to + 4
 */
#include "frame_asm.h"
#include "outofline.h"
#include "own_stack.h"

#define TAG_OFF		16
#define TO_OFF		16
#define ENTRY_OFF	4	/* of the call, in a head */
#define REST_OFF	8
#define BRANCH_OFF	12

_Static_assert(KP_A64_FRAME == FRAME_LEN, "frame_asm.h");

static bool is_landing_pad(const struct kp_arch_probe *ap)
{
	return ap->insn.flags & KP_A64_PAD && !(ap->flags & KP_ARCH_UNGUARDED);
}

int kp_arch_jump_way(struct kp_arch_jump *out, const struct kp_arch_probe *ap,
		     const uint8_t *text, size_t avail, size_t extent,
		     unsigned int n, const char **reason)
{
	(void)text;
	(void)avail;
	if (extent < KP_A64_LEN)
		*reason = "the instruction is not known to be code";
	else if (ap->flags & KP_ARCH_TRAP_ONLY)
		*reason = "there may be no room on the stack for what a jump calls (Go's stacks are small)";
	else if (ap->form == KP_A64_NO_BODY)
		*reason = "a call by the link register cannot be made from elsewhere";
	else if (is_landing_pad(ap))
		*reason = "an indirect branch may lead to it, which must not find a jump";
	else
		*reason = "no address for a detour is near enough";
	if (n || extent < KP_A64_LEN || ap->flags & KP_ARCH_TRAP_ONLY ||
	    ap->form == KP_A64_NO_BODY || is_landing_pad(ap))
		return -ENOENT;
	*out = (struct kp_arch_jump){
		.base = ap->addr, .reach_down = 1u << 27,
		.reach_up = (1u << 27) - KP_A64_LEN,
		.len = KP_A64_LEN, .patched = KP_A64_LEN,
	};
	return 0;
}

size_t kp_arch_padding(const uint8_t *bytes, size_t avail)
{
	size_t len;
	uint32_t word;

	for (len = 0; len + KP_A64_LEN <= avail; len += KP_A64_LEN) {
		memcpy(&word, bytes + len, sizeof(word));
		if (word != KP_A64_NOP && word)		/* udf #0 */
			break;
	}
	return len;
}

KP_TRAP_PATH void kp_arch_emit_jump(const struct kp_arch_jump *jump, uintptr_t target,
		       uint8_t *bytes)
{
	uint32_t word = kp_a64_b(jump->base, target);

	memcpy(bytes, &word, sizeof(word));
}

void kp_arch_emit_hub(uintptr_t hub, uintptr_t to, uint8_t *image)
{
	uint64_t second = to + KP_A64_LEN;
	const uint32_t words[] = {
		0xa9000000u | FRAME_X(16) / 8 << 15 | 17 << 10 | 31 << 5 | 16,
		kp_a64_ldr(16, TO_OFF - KP_A64_LEN),
		0xd61f0200u,				/* br x16 */
		0,
	};

	(void)hub;
	memcpy(image, words, sizeof(words));
	memcpy(image + TO_OFF, &second, sizeof(second));
}

int kp_arch_emit_head(const struct kp_arch_probe *ap, uintptr_t head,
		      uintptr_t entry, uintptr_t body, const void *tag,
		      uint8_t *image)
{
	uint64_t value = (uintptr_t)tag;
	const uint32_t words[] = {
		KP_A64_PUSH_FRAME, kp_a64_bl(head + ENTRY_OFF, entry),
		KP_A64_POP_FRAME, kp_a64_b(head + BRANCH_OFF, body),
	};

	(void)ap;
	if (!kp_a64_reaches(head + ENTRY_OFF, entry) ||
	    !kp_a64_reaches(head + BRANCH_OFF, body))
		return -ERANGE;
	memset(image, KP_ARCH_FILL, KP_ARCH_HEAD_LEN);
	memcpy(image, words, sizeof(words));
	memcpy(image + TAG_OFF, &value, sizeof(value));
	return 0;
}

/* Until the call returns nothing has happened; then only the jump is left. */
KP_TRAP_PATH void kp_arch_head_abort(const struct kp_arch_probe *ap,
				     struct pt_regs *regs, uintptr_t head,
				     uintptr_t body)
{
	unsigned int off = (unsigned int)(regs->pc - head);

	if (off >= REST_OFF) {
		if (off == REST_OFF)
			kp_a64_drop_frame(regs, &kp_own_stack);
		regs->pc = body;
		return;
	}
	if (off == ENTRY_OFF)
		regs->sp += KP_A64_FRAME;
	regs->pc = ap->addr;
}
