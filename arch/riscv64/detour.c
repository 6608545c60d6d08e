/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * detour.c - jumps in the place of instructions, and where they lead.
 *
 * Owns: the ways to put a jump, and the code of heads and hubs.
 *
 * A jump is a jal x0, which reaches 1 MB.  No register is free for auipc and jalr, which
 * would reach more; and what rests between the two instructions that these stood on would
 * go on with the second alone.
 *
 * Instructions are fetched in parcels of 2 bytes: an instruction of 4 may be put together of
 * two fetches, in lines or pages of their own.  So its halves never change both at once: the
 * core writes c.ebreak into the first, has all cores see it, writes the second, has all see
 * that, and then the first.  Each store is one of 2 bytes at its boundary, which all that
 * fetch instructions find whole (Ziccif, which every processor with Linux has); in whatever
 * order a core comes by the halves, it finds a breakpoint or all of the jump.
 *
 * On an instruction of 4 bytes a jump may lead anywhere.  On one of 2 it covers the beginning
 * of the next, where others may jump to, or rest: there its second half is an instruction
 * that traps, and whoever gets there goes on in the body.  These bits of a jal say where to,
 * by 64 KB and within them by 4 KB or less:
 *
 *   31    30 .. 21    20    19 .. 16 | 15 .. 12    11 .. 0
 *   [20]  [10:1]     [11]  [19:16]   | [15:12]     x0, jal
 *
 * so few addresses are left for each: see traps[].
 *
 * A head (detour_entry.S has the entry; the tag is at its boundary of 8):
 *
 *    0  c.addi16sp sp, -320
 *    2  c.sdsp ra, 8(sp)
 *    4  jal ra, entry
 *    8  c.ldsp ra, 8(sp)
 *   10  c.addi16sp sp, 320
 *   12  jal x0, body
 *   16  tag, at the next multiple of 8
 *
 * A hub does the entry's first instruction, and so has a register to jump by:
 *
 *    0  c.sdsp t1, 48(sp)
 *    2  auipc t1, 0
 *    6  ld t1, (to)
 *   10  c.jr t1
 *   12  to + 2, at the next multiple of 8
 */
#include "frame_asm.h"
#include "probe.h"
#include "jump.h"
#include "resume.h"
#include "own_stack.h"

#define CALL_OFF	4
#define REST_OFF	8
#define BRANCH_OFF	12
#define DATA_OFF	16	/* in a head */
#define TO_OFF		12	/* in a hub */
#define HUB_AUIPC_OFF	2

_Static_assert(KP_RV_FRAME == FRAME_LEN, "frame_asm.h");
_Static_assert(KP_RV_FRAME_RA == FRAME_X(1), "frame_asm.h");

/* The second half of a jump on 2 bytes, which whoever gets there executes. */
static const struct {
	uint16_t half;
	bool reserved;			/* traps where the machine was seen to */
} traps[] = {
	/*
	 * The farthest first, below an object, where there is most: what is near is for those
	 * to whom all else is too far.  This is reserved between loads and stores of bytes.
	 */
	{ 0x9000, true },		/*                -1024 to -964 KB */
	{ 0x9002, false },		/* c.ebreak:       -896 to -836 KB */
	{ 0x9004, true },		/*                 -768 to -708 KB */
	{ 0x9008, true },		/*                 -512 to -452 KB */
	{ 0x900c, true },		/*                 -256 to -196 KB */
	{ 0x0000, false },		/* c.unimp:         up to 60 KB */
	/* And this would be a load from the stack to x0. */
	{ 0x400e, true },		/*                  896 to 956 KB */
	{ 0x400a, true },		/*                  640 to 700 KB */
	{ 0x4006, true },		/*                  384 to 444 KB */
	{ 0x4002, true },		/*                  128 to 188 KB */
};
#define TRAPS_NR (sizeof(traps) / sizeof(traps[0]))

size_t kp_rv_reserved(uint16_t *halves, size_t max)
{
	size_t nr = 0, i;

	for (i = 0; i < TRAPS_NR && nr < max; i++)
		if (traps[i].reserved)
			halves[nr++] = traps[i].half;
	return nr;
}

/* The bits of a distance that the second half of a jal has. */
static uint32_t in_distance(uint32_t half)
{
	return (half >> 15 & 1) << 20 | (half >> 5 & 0x3ff) << 1 | (half >> 4 & 1) << 11 |
	       (half & 15) << 16;
}

/* Why there is no way at all; NULL: there may be. */
static const char *why_never(const struct kp_arch_probe *ap, size_t extent)
{
	if (extent < ap->len)
		return "the instruction is not known to be code";
	if (ap->flags & KP_ARCH_TRAP_ONLY)
		return "there may be no room on the stack for what a jump calls (Go's stacks are small)";
	if (ap->form == KP_RV_DO_NO_BODY)
		return "a call by its own link register cannot be made from elsewhere";
	if (extent < KP_RV_JAL_LEN)
		return "a jump would not end with the function";
	return NULL;
}

/* A way for the nth trap at the boundary that may be used; false: there are no more. */
static bool trap_way(struct kp_arch_jump *out, const struct kp_arch_probe *ap, unsigned int n)
{
	size_t i;

	for (i = 0; i < TRAPS_NR; i++)
		if ((!traps[i].reserved || ap->flags & KP_ARCH_RESERVED_TRAPS) && !n--)
			break;
	if (i == TRAPS_NR)
		return false;
	out->mask = in_distance(0xffff);
	out->value = in_distance(traps[i].half);
	out->inner_nr = 1;
	out->inner[0] = ap->len;
	out->inner_trap[0] = (uint8_t)traps[i].half;
	return true;
}

int kp_arch_jump_way(struct kp_arch_jump *out, const struct kp_arch_probe *ap,
		     const uint8_t *text, size_t avail, size_t extent,
		     unsigned int n, const char **reason)
{
	const char *never = why_never(ap, extent);

	(void)text;
	(void)avail;
	*reason = never ? never : "no address for a detour is near enough";
	*out = (struct kp_arch_jump){
		.base = ap->addr, .reach_down = 1u << 20, .reach_up = (1u << 20) - 2,
		.mask = 1, .len = KP_RV_JAL_LEN, .patched = KP_RV_JAL_LEN,
	};
	if (never || (ap->len == KP_RV_JAL_LEN ? n != 0 : !trap_way(out, ap, n)))
		return -ENOENT;
	return 0;
}

size_t kp_arch_padding(const uint8_t *bytes, size_t avail)
{
	size_t len;
	uint32_t word = 0;

	for (len = 0; len + 2 <= avail; len += 2) {
		memcpy(&word, bytes + len, 2);
		if (word && word != 0x0001)		/* c.unimp, c.nop */
			break;
	}
	return len;
}

KP_TRAP_PATH void kp_arch_emit_jump(const struct kp_arch_jump *jump, uintptr_t target,
		       uint8_t *bytes)
{
	uint32_t word = kp_rv_jump(jump->base, target);

	memcpy(bytes, &word, sizeof(word));
}

/* The next multiple of 8 from at + off on, as seen from at. */
static unsigned int data_off(uintptr_t at, unsigned int off)
{
	return (unsigned int)(((at + off + 7) & ~(uintptr_t)7) - at);
}

static uint8_t *put(uint8_t *image, uint32_t word, unsigned int len)
{
	memcpy(image, &word, len);
	return image + len;
}

void kp_arch_emit_hub(uintptr_t hub, uintptr_t to, uint8_t *image)
{
	uint64_t second = to + 2;
	unsigned int at = data_off(hub, TO_OFF);
	uint8_t *next = image;

	memset(image, KP_ARCH_FILL, KP_ARCH_HUB_LEN);
	next = put(next, 0xf81au, 2);				/* c.sdsp t1, 48(sp) */
	next = put(next, kp_rv_auipc(6, 0), 4);
	/* ld t1, off(t1) */
	next = put(next, 0x00033303u | (at - HUB_AUIPC_OFF) << 20, 4);
	put(next, 0x8302u, 2);					/* c.jr t1 */
	memcpy(image + at, &second, sizeof(second));
}

int kp_arch_emit_head(const struct kp_arch_probe *ap, uintptr_t head,
		      uintptr_t entry, uintptr_t body, const void *tag,
		      uint8_t *image)
{
	uint64_t value = (uintptr_t)tag;
	uint8_t *next = image;

	if (!kp_rv_reaches(head + CALL_OFF, entry) ||
	    !kp_rv_reaches(head + BRANCH_OFF, body) || !kp_rv_body_reaches(ap, body))
		return -ERANGE;
	memset(image, KP_ARCH_FILL, KP_ARCH_HEAD_LEN);
	next = put(next, KP_RV_PUSH_FRAME, KP_RV_FRAME_CODE_LEN);
	next = put(next, kp_rv_jump(head + CALL_OFF, entry) | KP_RV_RA << 7, 4);
	next = put(next, KP_RV_POP_FRAME, KP_RV_FRAME_CODE_LEN);
	put(next, kp_rv_jump(head + BRANCH_OFF, body), 4);
	memcpy(image + data_off(head, DATA_OFF), &value, sizeof(value));
	return 0;
}

/* Until the call returns nothing has happened; then only the jump is left. */
KP_TRAP_PATH void kp_arch_head_abort(const struct kp_arch_probe *ap,
				     struct pt_regs *regs, uintptr_t head,
				     uintptr_t body)
{
	unsigned int off = (unsigned int)(regs->epc - head);

	if (off == REST_OFF)
		kp_rv_drop_frame(regs, &kp_own_stack);
	else if (off && off < BRANCH_OFF)
		regs->sp += KP_RV_FRAME;
	regs->epc = off >= REST_OFF ? body : ap->addr;
}
