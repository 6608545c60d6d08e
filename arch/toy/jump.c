/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * jump.c - jumps in the place of instructions, and where they lead.
 *
 * Owns: the ways to put a jump, and the code of heads and hubs.
 *
 * Ways, for an instruction of L bytes (=: other bytes that stay, T: a byte that is no
 * instruction, *: free); J tells apart 24 bits, the highest byte last:
 *
 *   whole   L >= 4   J * * *      over this instruction only
 *   spread           J * T *      over the next ones, too: T where they begin
 *   punned  L < 4    J [*] = =    the bytes that follow are part of the distance
 *
 * A T as the highest byte leads to one piece of 64 KB; so there are some to choose from,
 * all of them below what is probed.
 *
 * A head, and a hub:
 *
 *    0  C entry                     0  G to
 *    4  J body
 *    8  the tag
 */
#include "probe.h"
#include "jump.h"

#define TAG_OFF 8

static const uint8_t traps[] = {
	0xe0, 0xd8, 0xd0, 0xc8, 0xc0, 0xb8, 0xb0, 0xa8, 0xa0, 0x98,
};
#define TRAPS_NR sizeof(traps)

static struct kp_arch_jump jump_over(const struct kp_arch_probe *ap,
				     unsigned int patched)
{
	return (struct kp_arch_jump){
		.base = ap->addr, .reach_down = 1u << 23,
		.reach_up = (1u << 23) - 1,
		.len = TOY_JUMP_LEN, .patched = (uint8_t)patched,
	};
}

/* The byte at that offset of the jump is given. */
static void fix(struct kp_arch_jump *out, unsigned int off, uint8_t byte)
{
	out->mask |= (uint32_t)0xff << 8 * (off - 1);
	out->value |= (uint32_t)byte << 8 * (off - 1);
}

static bool is_call(const struct kp_arch_probe *ap)
{
	return ap->insn[0] == TOY_CALL;
}

/* Where the instructions under the jump begin.  0, or -EOPNOTSUPP with *reason. */
static int find_inner(struct kp_arch_jump *out, const struct kp_arch_probe *ap,
		      const uint8_t *text, size_t avail, size_t extent,
		      const char **reason)
{
	struct kp_arch_probe inner;
	size_t off;

	for (off = ap->len; off < TOY_JUMP_LEN; off += inner.len) {
		if (off >= extent) {
			*reason = "what follows is not known to be code";
			return -EOPNOTSUPP;
		}
		if (kp_arch_prepare(&inner, ap->addr + off, text + off,
				    avail - off, ap->flags, reason) ||
		    is_call(&inner)) {
			*reason = "an instruction under the jump cannot be copied";
			return -EOPNOTSUPP;
		}
		if (inner.insn[0] == TOY_PAD) {
			*reason = "an indirect branch may lead under the jump";
			return -EOPNOTSUPP;
		}
		out->inner[out->inner_nr++] = (uint8_t)off;
	}
	if (off <= extent)
		return 0;
	*reason = "what follows is not known to be code";
	return -EOPNOTSUPP;
}

static void choose_trap(struct kp_arch_jump *out, uint8_t trap)
{
	unsigned int i;

	for (i = 0; i < out->inner_nr; i++) {
		out->inner_trap[i] = trap;
		fix(out, out->inner[i], trap);
	}
}

static void punned(struct kp_arch_jump *out, const struct kp_arch_probe *ap,
		   const uint8_t *text)
{
	unsigned int off;

	*out = jump_over(ap, ap->len);
	for (off = ap->len; off < TOY_JUMP_LEN; off++)
		fix(out, off, text[off]);
	out->along = kp_toy_form_ends(ap);
}

int kp_arch_jump_way(struct kp_arch_jump *out, const struct kp_arch_probe *ap,
		     const uint8_t *text, size_t avail, size_t extent,
		     unsigned int n, const char **reason)
{
	unsigned int spread_nr;

	*reason = "no address for a detour is near enough";
	if (extent < ap->len)
		*reason = "the instruction is not known to be code";
	else if (ap->flags & KP_ARCH_TRAP_ONLY)
		*reason = "there may be no room on the stack for what a jump calls";
	else if (is_call(ap))
		*reason = "a call cannot be made from elsewhere";
	if (extent < ap->len || ap->flags & KP_ARCH_TRAP_ONLY || is_call(ap))
		return -ENOENT;
	if (ap->len >= TOY_JUMP_LEN) {
		*out = jump_over(ap, TOY_JUMP_LEN);
		return n ? -ENOENT : 0;
	}
	*out = jump_over(ap, TOY_JUMP_LEN);
	spread_nr = find_inner(out, ap, text, avail, extent, reason) ?
			    0 : TRAPS_NR;
	if (n < spread_nr) {
		choose_trap(out, traps[n]);
		return 0;
	}
	if (n > spread_nr || extent < TOY_JUMP_LEN)
		return -ENOENT;
	punned(out, ap, text);
	return 0;
}

size_t kp_arch_padding(const uint8_t *bytes, size_t avail)
{
	struct kp_arch_decoded insn;
	size_t len = 0;

	while (len < avail && !kp_arch_decode(&insn, bytes + len, avail - len, 0) &&
	       (bytes[len] == TOY_NOP || bytes[len] == TOY_WIDE_NOP ||
		insn.breakpoint))
		len += insn.len;
	return len;
}

KP_TRAP_PATH void kp_arch_emit_jump(const struct kp_arch_jump *jump, uintptr_t target,
		       uint8_t *bytes)
{
	kp_toy_put_jump(bytes, TOY_JUMP, jump->base, target);
}

void kp_arch_emit_hub(uintptr_t hub, uintptr_t to, uint8_t *image)
{
	uint64_t address = to;

	(void)hub;
	image[0] = TOY_GO;
	memcpy(image + 1, &address, sizeof(address));
}

int kp_arch_emit_head(const struct kp_arch_probe *ap, uintptr_t head,
		      uintptr_t entry, uintptr_t body, const void *tag,
		      uint8_t *image)
{
	(void)ap;
	if (!kp_toy_reaches(head, entry) ||
	    !kp_toy_reaches(head + TOY_JUMP_LEN, body))
		return -ERANGE;
	kp_toy_put_jump(image, TOY_CALL, head, entry);
	kp_toy_put_jump(image + TOY_JUMP_LEN, TOY_JUMP, head + TOY_JUMP_LEN, body);
	memcpy(image + TAG_OFF, &tag, sizeof(tag));
	return 0;
}

/* The entry gives back what the call has pushed. */
KP_TRAP_PATH void kp_arch_head_abort(const struct kp_arch_probe *ap,
				     struct pt_regs *regs, uintptr_t head,
				     uintptr_t body)
{
	regs->pc = regs->pc - head < TOY_JUMP_LEN ? ap->addr : body;
}
