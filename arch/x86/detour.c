/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * detour.c - jumps in the place of instructions, and where they lead.
 *
 * Owns: the ways to put a jump, and the code of heads and hubs.
 *
 * Ways, for an instruction of L bytes (=: other bytes that stay, T: a byte that
 * traps, *: free):
 *
 *   whole   L >= 5   e9 * * * *           over this instruction only
 *   punned  L < 5    [2e ...] e9 [* ...] = = ...
 *                                          p < L prefixes; the displacement's
 *                                          high bytes are the bytes that follow
 *   spread           e9 * T * *           over the next instructions too; a
 *                                          trap at each of their starts
 *
 * Of the first two nobody can be in the middle, as it is one instruction.
 * Who is in the middle of the third, or comes there, traps.
 *
 * Displacement bytes that are fixed decide where the head must be.  Traps are
 * the same everywhere, so the heads of spread jumps can share a page, and most
 * punned jumps need one each.  Hence the order: punned, if only the highest
 * byte is fixed (but may_step_past); spread, with every trap at the last boundary; the other punned
 * ones; the other choices of traps.
 *
 * A head (detour_entry.S has the entry; the tag is where the entry expects it):
 *
 *    user mode                  kernel mode              32-bit code
 *    0  lea -136(%rsp),%rsp      0  push $0              0  push $0
 *    8  push $ss                 2  push $ss             2  push %ss
 *   10  push %rsp                4  push %rsp            3  push %esp
 *   11  pushfq                   5  pushfq               4  pushf
 *   12  push $cs                 6  push $cs             5  push %cs
 *   14  call entry               8  call entry           6  call entry
 *   19  jmp body                13  jmp body            11  jmp body
 *   24  .quad tag               24  .quad tag           16  .long tag
 *
 * The entry gives all of that stack back when it returns.
 */
#include "emit.h"
#include "insn/insn.h"
#include "jump.h"

#define JMP_LEN KP_X86_JMP_LEN
/* What rel32 tells apart, down and up; where addresses wrap, all that there is. */
#define DOWN (KP_X86_WORD == 4 ? UINTPTR_MAX : (uintptr_t)0x80000000)
#define UP (KP_X86_WORD == 4 ? UINTPTR_MAX : (uintptr_t)0x7fffffff)
#define CALL_LEN KP_X86_CALL_LEN
#define DISP_LEN 4
#define TAG_OFF (KP_X86_WORD == 4 ? 16 : 24)

static const uint8_t traps[] = KP_X86_TRAPS;
#define TRAPS_NR sizeof(traps)

/* The displacement's bytes [from, DISP_LEN) are what text holds there. */
static void fix_displacement(struct kp_arch_jump *out, unsigned int i,
			     uint8_t byte)
{
	out->mask |= (uint32_t)0xff << (8 * i);
	out->value |= (uint32_t)byte << (8 * i);
}

static void whole(struct kp_arch_jump *out, const struct kp_arch_probe *ap)
{
	*out = (struct kp_arch_jump){ .base = ap->addr + JMP_LEN,
				      .reach_down = DOWN, .reach_up = UP,
				      .len = JMP_LEN, .patched = JMP_LEN };
}

static bool is_call(const struct kp_arch_probe *ap)
{
	return ap->op == KP_X86_CALL || ap->op == KP_X86_CALL_REG ||
	       ap->op == KP_X86_CALL_MEM;
}

static bool never_falls_through(const struct kp_arch_probe *ap)
{
	return ap->op == KP_X86_JMP || ap->op == KP_X86_JMP_REG ||
	       ap->op == KP_X86_JMP_MEM || ap->op == KP_X86_RET;
}

static void punned(struct kp_arch_jump *out, const struct kp_arch_probe *ap,
		   const uint8_t *text, unsigned int prefixes)
{
	unsigned int disp_off = prefixes + 1;
	unsigned int i;

	*out = (struct kp_arch_jump){ .base = ap->addr + prefixes + JMP_LEN,
				      .reach_down = DOWN, .reach_up = UP,
				      .len = (uint8_t)(prefixes + JMP_LEN),
				      .patched = ap->len };
	for (i = ap->len - disp_off; i < DISP_LEN; i++)
		fix_displacement(out, i, text[disp_off + i]);
	/* One instruction more leads behind the jump. */
	out->along = ap->len == JMP_LEN - 1 && !prefixes && !is_call(ap) &&
		     !never_falls_through(ap);
}

static unsigned int punned_nr(const struct kp_arch_probe *ap, size_t avail)
{
	if (avail < JMP_LEN)
		return 0;
	return avail - JMP_LEN + 1 < ap->len ? avail - JMP_LEN + 1 : ap->len;
}

/*
 * Processes jump behind a lock prefix (a lock that a single thread can do
 * without), so that the second byte is one more place to land on.
 */
static bool has_optional_lock(const struct kp_arch_probe *ap)
{
	return ap->flags & KP_X86_USER && ap->insn[0] == 0xf0;
}

static bool is_landing_pad(const struct kp_arch_probe *ap)
{
	return ap->len == 4 && !memcmp(ap->insn, "\xf3\x0f\x1e", 3) &&
	       (ap->insn[3] & 0xfe) == 0xfa;
}

/* Breakpoints that fill the rest stay what they are. */
static bool is_filled(const struct kp_arch_probe *last, const uint8_t *text,
		      unsigned int off)
{
	if (!never_falls_through(last))
		return false;
	for (; off < JMP_LEN; off++)
		if (text[off] != kp_arch_bp[0])
			return false;
	return true;
}

/* The instruction at the offset under the jump; insns[0] is the probed one. */
static int take_inner(struct kp_arch_probe *insns, unsigned int nr,
		      unsigned int off, const uint8_t *text, size_t avail,
		      const char **reason)
{
	struct kp_arch_probe *ap = &insns[nr];
	unsigned int flags = insns[0].flags & KP_X86_USER ? KP_ARCH_USER : 0;

	if (kp_arch_prepare(ap, insns[0].addr + off, text + off, avail - off,
			    flags, reason)) {
		*reason = "an instruction under the jump cannot be copied";
		return -EOPNOTSUPP;
	}
	if (is_call(&insns[nr - 1]) && kp_x86_next(&insns[nr - 1]) == ap->addr) {
		*reason = "a call under the jump would return into it";
		return -EOPNOTSUPP;
	}
	if (is_landing_pad(ap)) {
		*reason = "an indirect branch may lead under the jump";
		return -EOPNOTSUPP;
	}
	return 0;
}

/* The boundary behind a lock prefix at the offset. */
static int take_lockless(struct kp_arch_jump *out, struct kp_arch_probe *insns,
			 unsigned int *nr, unsigned int off,
			 const uint8_t *text, size_t avail,
			 const char **reason)
{
	int err;

	if (!has_optional_lock(&insns[*nr - 1]) || off + 1 >= JMP_LEN)
		return 0;
	err = take_inner(insns, *nr, off + 1, text, avail, reason);
	if (err)
		return err;
	out->inner[out->inner_nr++] = (uint8_t)(off + 1);
	(*nr)++;
	return 0;
}

/*
 * All instructions that start under a jump of JMP_LEN bytes: their number, or
 * -errno.  Fixes the bytes that must not change.
 */
static int take_insns(struct kp_arch_jump *out, struct kp_arch_probe *insns,
		      const uint8_t *text, size_t avail, size_t extent,
		      const char **reason)
{
	unsigned int off = insns[0].len, nr = 1;
	int err = take_lockless(out, insns, &nr, 0, text, avail, reason);

	while (!err && off < JMP_LEN) {
		if (avail >= JMP_LEN && is_filled(&insns[nr - 1], text, off)) {
			for (; off < JMP_LEN; off++)
				fix_displacement(out, off - 1, text[off]);
			return (int)nr;
		}
		if (off >= avail || off >= extent) {
			*reason = "what follows is not known to be code";
			return -EOPNOTSUPP;
		}
		err = take_inner(insns, nr, off, text, avail, reason);
		if (err)
			break;
		out->inner[out->inner_nr++] = (uint8_t)off;
		nr++;
		err = take_lockless(out, insns, &nr, off, text, avail, reason);
		off += insns[nr - 1].addr + insns[nr - 1].len -
		       (insns[0].addr + off);
	}
	if (err)
		return err;
	if (off > extent) {
		*reason = "what follows is not known to be code";
		return -EOPNOTSUPP;
	}
	return (int)nr;
}

/* The nth choice of traps; the last boundary, which matters most, first. */
static void choose_traps(struct kp_arch_jump *out, unsigned int n)
{
	unsigned int i = out->inner_nr;

	while (i--) {
		out->inner_trap[i] = traps[n % TRAPS_NR];
		fix_displacement(out, out->inner[i] - 1u, out->inner_trap[i]);
		n /= TRAPS_NR;
	}
}

/* A spread jump, its traps not chosen yet: the number of choices, or 0. */
static unsigned int spread(struct kp_arch_jump *out,
			   const struct kp_arch_probe *ap, const uint8_t *text,
			   size_t avail, size_t extent, const char **reason)
{
	struct kp_arch_probe insns[1 + KP_ARCH_INNER_MAX] = { *ap };
	uint8_t image[KP_ARCH_SLOT_LEN];
	unsigned int i, choices = 1;
	size_t len;
	int nr;

	*out = (struct kp_arch_jump){ .base = ap->addr + JMP_LEN,
				      .reach_down = DOWN, .reach_up = UP,
				      .len = JMP_LEN, .patched = JMP_LEN };
	nr = take_insns(out, insns, text, avail, extent, reason);
	if (nr < 0)
		return 0;
	/* Would the copies fit a chain near by, where chains begin? */
	if (kp_arch_emit_chain(insns, (unsigned int)nr,
			       ap->addr & -(uintptr_t)KP_ARCH_SLOT_LEN, image,
			       KP_ARCH_SLOT_LEN - 8, &len, reason))
		return 0;
	/* Without a boundary it would be a punned jump once more. */
	if (!out->inner_nr)
		return 0;
	for (i = 0; i < out->inner_nr; i++)
		choices *= TRAPS_NR;
	return choices;
}

/* Does 64-bit mode look for an opcode behind that byte, whatever it is? */
static bool is_prefix(uint8_t byte)
{
	if (KP_X86_WORD == 4)
		return false;
	return (byte & 0xf0) == 0x40 || (byte & 0xfe) == 0x64 || (byte & 0xfe) == 0x66 ||
	       (byte & 0xfe) == 0xf2 || (byte & 0xe7) == 0x26;
}

/*
 * Somebody who puts a breakpoint on a jump, and executes the original instruction in its
 * place, steps past a punned one unnoticed.  See wish() for what helps otherwise.
 */
static bool may_step_past(const struct kp_arch_probe *ap)
{
	return ap->flags & KP_X86_USER && !is_prefix(ap->insn[0]);
}

/* All ways but whole, in the order of the head comment. */
static int short_way(struct kp_arch_jump *out, const struct kp_arch_probe *ap,
		     const uint8_t *text, size_t avail, size_t extent,
		     unsigned int n, const char **reason)
{
	/*
	 * Bytes that a punned jump only reads must be known code, too: others
	 * may change them.  It has no chain for who lands behind a lock prefix.
	 */
	size_t room = extent < avail ? extent : avail;
	unsigned int punned_ways =
		has_optional_lock(ap) ? 0 : punned_nr(ap, room);
	unsigned int roomy = ap->len == JMP_LEN - 1 && punned_ways && !may_step_past(ap);
	unsigned int choices, first;

	*reason = punned_ways || avail < JMP_LEN ?
		"no address for a detour suits the bytes there" :
		"what follows is not known to be code";
	if (n < roomy) {
		punned(out, ap, text, 0);
		return 0;
	}
	choices = spread(out, ap, text, avail, extent, reason);
	first = choices < TRAPS_NR ? choices : (unsigned int)TRAPS_NR;
	n -= roomy;
	if (n < first) {
		choose_traps(out, n);
		return 0;
	}
	n -= first;
	if (n < punned_ways - roomy) {
		punned(out, ap, text, n + roomy);
		return 0;
	}
	n = n - (punned_ways - roomy) + first;
	if (n >= choices)
		return -ENOENT;
	choose_traps(out, n);
	return 0;
}

static int way(struct kp_arch_jump *out, const struct kp_arch_probe *ap,
	       const uint8_t *text, size_t avail, size_t extent,
	       unsigned int n, const char **reason)
{
	if (extent < ap->len) {
		*reason = "the instruction is not known to be code";
		return -ENOENT;
	}
	if (ap->flags & KP_X86_TRAP_ONLY) {
		*reason = "there may be no room on the stack for what a jump calls (Go's stacks are small)";
		return -ENOENT;
	}
	if (ap->len < JMP_LEN || has_optional_lock(ap))
		return short_way(out, ap, text, avail, extent, n, reason);
	*reason = "no address for a detour is near enough";
	if (n)
		return -ENOENT;
	whole(out, ap);
	return 0;
}

/*
 * The kernel takes a uprobe out by putting the original first byte back.  Where that is a
 * prefix, an opcode that traps follows, if the displacement begins with one; best one with
 * which heads leave no gaps.
 */
static void wish(struct kp_arch_jump *out, const struct kp_arch_probe *ap)
{
	unsigned int i, best = 0, gap, least = ~0u;

	if (!(ap->flags & KP_X86_USER) || out->len != JMP_LEN || out->mask & 0xff ||
	    !is_prefix(ap->insn[0]))
		return;
	/* traps[0] would trap as a breakpoint. */
	for (i = 1; i < TRAPS_NR; i++) {
		gap = (out->base + traps[i]) % KP_ARCH_HEAD_LEN;
		if (gap < least) {
			least = gap;
			best = traps[i];
		}
	}
	out->wish = best;
	out->wish_mask = 0xff;
}

int kp_arch_jump_way(struct kp_arch_jump *out, const struct kp_arch_probe *ap,
		     const uint8_t *text, size_t avail, size_t extent,
		     unsigned int n, const char **reason)
{
	int err = way(out, ap, text, avail, extent, n, reason);

	if (!err)
		wish(out, ap);
	return err;
}

KP_TRAP_PATH void kp_arch_emit_jump(const struct kp_arch_jump *jump, uintptr_t target,
		       uint8_t *bytes)
{
	unsigned int prefixes = jump->len - JMP_LEN;
	uint32_t rel = (uint32_t)(target - jump->base);
	unsigned int i;

	memset(bytes, 0x2e, prefixes);		/* cs: means nothing here */
	bytes[prefixes] = 0xe9;			/* jmp target */
	for (i = 0; i < DISP_LEN; i++)
		bytes[prefixes + 1 + i] = (uint8_t)(rel >> (8 * i));
}

void kp_arch_emit_hub(uintptr_t hub, uintptr_t to, uint8_t *image)
{
	struct kp_x86_out out = { .image = image, .addr = hub,
				  .max = KP_ARCH_HUB_LEN };

	memset(image, kp_arch_bp[0], KP_ARCH_HUB_LEN);
	if (KP_X86_WORD == 4)
		kp_x86_jmp(&out, to);
	else
		kp_x86_jmp_far(&out, to);
}

/* What the entry finds on the stack, and the kernel has in its own frames. */
#define USER_CS		0x33
#define USER_SS		0x2b
#define KERNEL_CS	0x10
#define KERNEL_SS	0x18

/* Where a head's instructions end: the first, push ss, push sp, pushf, push cs. */
enum kind { KERNEL, USER, SHORT };
static const uint8_t behind[][5] = {
	[KERNEL] = { 2, 4, 5, 6, 8 },
	[USER] = { 8, 10, 11, 12, 14 },
	[SHORT] = { 2, 3, 4, 5, 6 },
};
#define CALL_OFF(kind) behind[kind][4]

KP_TRAP_PATH static enum kind kind_of(const struct kp_arch_probe *ap)
{
	if (KP_X86_WORD == 4)
		return SHORT;
	return ap->flags & KP_X86_USER ? USER : KERNEL;
}

static void push_frame(struct kp_x86_out *out, enum kind kind)
{
	switch (kind) {
	case SHORT:	/* push $0; push %ss; push %esp; pushf; push %cs */
		KP_X86_CODE(out, 0x6a, 0, 0x16, 0x54, 0x9c, 0x0e);
		break;
	case USER:	/* lea -136(%rsp),%rsp; push $ss; push %rsp; pushfq; push $cs */
		KP_X86_CODE(out, 0x48, 0x8d, 0xa4, 0x24, 0x78, 0xff, 0xff, 0xff,
			    0x6a, USER_SS, 0x54, 0x9c, 0x6a, USER_CS);
		break;
	case KERNEL:	/* push $0; push $ss; push %rsp; pushfq; push $cs */
		KP_X86_CODE(out, 0x6a, 0, 0x6a, KERNEL_SS, 0x54, 0x9c,
			    0x6a, KERNEL_CS);
		break;
	}
}

int kp_arch_emit_head(const struct kp_arch_probe *ap, uintptr_t head,
		      uintptr_t entry, uintptr_t body, const void *tag,
		      uint8_t *image)
{
	struct kp_x86_out out = { .image = image, .addr = head,
				  .max = KP_ARCH_HEAD_LEN };

	memset(image, kp_arch_bp[0], KP_ARCH_HEAD_LEN);
	push_frame(&out, kind_of(ap));
	if (!kp_x86_reaches(head + out.len + CALL_LEN, entry))
		return -ERANGE;
	kp_x86_byte(&out, 0xe8);			/* call entry */
	kp_x86_imm(&out, entry - (head + out.len + DISP_LEN), DISP_LEN);
	if (!kp_x86_reaches(head + out.len + JMP_LEN, body))
		return -ERANGE;
	kp_x86_jmp(&out, body);
	out.len = TAG_OFF;
	kp_x86_imm(&out, (uintptr_t)tag, KP_X86_WORD);
	return 0;
}

/* What the head has taken of the stack at that offset in it. */
KP_TRAP_PATH static unsigned int taken_at(enum kind kind, unsigned int off)
{
	unsigned int i, taken = 0;

	for (i = 0; i < 5 && off >= behind[kind][i]; i++)
		taken += i || kind != USER ? KP_X86_WORD : 8 + KP_X86_RED_ZONE;
	return taken;
}

/* Until the call returns nothing has happened; then only the jump is left. */
KP_TRAP_PATH void kp_arch_head_abort(const struct kp_arch_probe *ap,
				     struct pt_regs *regs, uintptr_t head,
				     uintptr_t body)
{
	unsigned int off = (unsigned int)(regs->ip - head);

	if (off > CALL_OFF(kind_of(ap))) {
		regs->ip = body;
		return;
	}
	regs->sp += taken_at(kind_of(ap), off);
	regs->ip = ap->addr;
}
