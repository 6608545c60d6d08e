/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * emit.h - a form: the instructions in a slot that stand for a probed one.
 *
 * Owns: struct kp_x86_out.  Emitting a form has two uses: writing the slot, and
 * finding out later what has happened so far when the IP stands in the middle
 * of it.  For the second, each instruction of the form is preceded by a mark.
 * Nothing about a running form is stored anywhere.
 */
#ifndef KP_X86_EMIT_H
#define KP_X86_EMIT_H

#include "probe.h"

/* The stepped form's offset in the slot; the boosted one is at 0. */
/* A form's room; the slot's last 8 bytes belong to the core. */
#define KP_X86_OWNER_LEN 8u		/* the core's, at a slot's end */
#define KP_X86_FORM_MAX	(KP_X86_STEPPED - KP_X86_OWNER_LEN)
/* lea -KP_X86_RED_ZONE(%rsp),%rsp; and back */
#define KP_X86_LEA_DOWN	0x48, 0x8d, 0x64, 0x24, 0x80
#define KP_X86_LEA_UP	0x48, 0x8d, 0xa4, 0x24, 0x80, 0, 0, 0
#define KP_X86_LEA_DOWN_LEN	5
#define KP_X86_LEA_UP_LEN	8
#define KP_X86_CALL_LEN	5
#define KP_X86_JMP_LEN	5

/* How to leave the form in front of an instruction. */
struct kp_x86_mark {
	uintptr_t ip;		/* continue at this original address */
	unsigned int sp;	/* after giving back that many bytes of stack */
	uint8_t saved;		/* and loading this register from the top */
	bool ip_in_cx;		/* and ip into rcx, as syscall does */
};

/* What ends a form, unless it is a branch that never comes there. */
enum kp_x86_tail {
	KP_X86_TAIL_JMP,	/* boosted: go on behind the original */
	KP_X86_TAIL_TRAP,	/* stepped: a breakpoint */
	KP_X86_TAIL_POST,	/* stepped: a call that need not return */
	KP_X86_TAIL_NONE,	/* in a chain: the next form */
};

struct kp_x86_out {
	uint8_t *image;
	uintptr_t addr;		/* that image[0] has or will have */
	unsigned int len, max;	/* written so far or too long; may be written */
	enum kp_x86_tail tail;
	uintptr_t post;		/* what the tail calls */
	uintptr_t to;		/* where a relative branch goes instead, or 0 */
	unsigned int ip_off;	/* where the IP stands, */
	struct kp_x86_mark at;	/* and the mark in force there */
};

/* outofline.c: is a copy at that address out of its operand's reach? */
bool kp_x86_is_far(const struct kp_arch_probe *ap, uintptr_t at);
/* outofline.c: 0, or -ENOSPC with *reason when there is no far form. */
int kp_x86_far_form_exists(const struct kp_arch_probe *ap,
			   const char **reason);
/* outofline.c: the form of any instruction, tail included. */
void kp_x86_form(struct kp_x86_out *out, const struct kp_arch_probe *ap,
		 bool far);
/* outofline.c: make regs look as the mark says. */
void kp_x86_leave(const struct kp_x86_mark *mark, struct pt_regs *regs,
		  const struct kp_arch_mem *mem);
/* fallback.c: the form of a branch that is normally emulated. */
void kp_x86_branch_form(struct kp_x86_out *out, const struct kp_arch_probe *ap,
			bool far);
/* fallback.c: push the operand that ap->value addresses; 15 bytes. */
void kp_x86_push_far(struct kp_x86_out *out, const struct kp_arch_probe *ap,
		     unsigned int below);

KP_TRAP_PATH static inline void kp_x86_mark(struct kp_x86_out *out,
					    uintptr_t ip, unsigned int sp,
					    uint8_t saved)
{
	if (out->len <= out->ip_off)
		out->at = (struct kp_x86_mark){ .ip = ip, .sp = sp,
						.saved = saved };
}

KP_TRAP_PATH static inline void kp_x86_byte(struct kp_x86_out *out,
					    unsigned int byte)
{
	if (out->len < out->max)
		out->image[out->len] = (uint8_t)byte;
	out->len++;
}

KP_TRAP_PATH static inline void kp_x86_bytes(struct kp_x86_out *out,
					     const uint8_t *src,
					     unsigned int len)
{
	while (len--)
		kp_x86_byte(out, *src++);
}

/* Instructions without operands of ours, spelled as a byte list. */
#define KP_X86_CODE(out, ...)						\
	kp_x86_bytes(out, (const uint8_t[]){ __VA_ARGS__ },		\
		     sizeof((const uint8_t[]){ __VA_ARGS__ }))

KP_TRAP_PATH static inline void kp_x86_imm(struct kp_x86_out *out,
					   uint64_t value, unsigned int len)
{
	while (len--) {
		kp_x86_byte(out, value & 0xff);
		value >>= 8;
	}
}

/* Is target within a rel32 of an instruction that ends at next? */
KP_TRAP_PATH static inline bool kp_x86_reaches(uint64_t next, uint64_t target)
{
	int64_t rel = (int64_t)(target - next);

	/* Of 32 bits all that there is. */
	return KP_X86_WORD == 4 || rel == (int32_t)rel;
}

/*
 * What lies between the offset and the next word's beginning.  A word that code
 * of ours reads begins there: with AC set, as the probed code may have it, any
 * other would be an alignment fault.
 */
KP_TRAP_PATH static inline unsigned int kp_x86_gap(const struct kp_x86_out *out,
						   unsigned int at)
{
	return (unsigned int)-(out->addr + at) & 7;
}

/* A word at the next word's beginning; breakpoints fill what is before it. */
KP_TRAP_PATH static inline void kp_x86_word(struct kp_x86_out *out,
					    uint64_t value)
{
	unsigned int gap = kp_x86_gap(out, out->len);

	while (gap--)
		kp_x86_byte(out, kp_arch_bp[0]);
	kp_x86_imm(out, value, 8);			/* .quad value */
}

/*
 * push $value; in 64-bit mode it stands behind the form, so many bytes behind this one
 * (kp_x86_pushed).
 */
KP_TRAP_PATH static inline void kp_x86_push(struct kp_x86_out *out,
					    uint64_t value, unsigned int between)
{
	if (KP_X86_WORD == 4) {
		kp_x86_byte(out, 0x68);			/* push $value */
		kp_x86_imm(out, value, 4);
		return;
	}
	KP_X86_CODE(out, 0xff, 0x35);			/* push 1f(%rip) */
	kp_x86_imm(out, between + kp_x86_gap(out, out->len + 4 + between), 4);
}

KP_TRAP_PATH static inline void kp_x86_pushed(struct kp_x86_out *out,
					      uint64_t value)
{
	if (KP_X86_WORD == 8)
		kp_x86_word(out, value);		/* 1: .quad value */
}

/* Wherever the target is. */
KP_TRAP_PATH static inline void kp_x86_jmp_far(struct kp_x86_out *out,
					       uint64_t target)
{
	KP_X86_CODE(out, 0xff, 0x25);			/* jmp *1f(%rip) */
	kp_x86_imm(out, kp_x86_gap(out, out->len + 4), 4);
	kp_x86_word(out, target);			/* 1: */
}

KP_TRAP_PATH static inline unsigned int
kp_x86_jmp_len(const struct kp_x86_out *out, unsigned int at, uint64_t target)
{
	return kp_x86_reaches(out->addr + at + 5, target) ? 5 :
	       6 + kp_x86_gap(out, at + 6) + 8;
}

/* Touches no register, no flag, no stack. */
KP_TRAP_PATH static inline void kp_x86_jmp(struct kp_x86_out *out,
					   uint64_t target)
{
	if (kp_x86_jmp_len(out, out->len, target) == 5) {
		uint64_t next = out->addr + out->len + 5;

		kp_x86_byte(out, 0xe9);			/* jmp target */
		kp_x86_imm(out, target - next, 4);
		return;
	}
	kp_x86_jmp_far(out, target);
}

/* The instruction's own bytes; an operand relative to rip keeps its address. */
KP_TRAP_PATH static inline void kp_x86_copy_near(struct kp_x86_out *out,
						 const struct kp_arch_probe *ap)
{
	unsigned int disp_off = ap->modrm_off + 1;
	uint64_t next = out->addr + out->len + ap->len;

	if (!(ap->flags & KP_X86_RIP_REL)) {
		kp_x86_bytes(out, ap->insn, ap->len);
		return;
	}
	kp_x86_bytes(out, ap->insn, disp_off);
	kp_x86_imm(out, ap->value - next, 4);
	kp_x86_bytes(out, ap->insn + disp_off + 4, ap->len - disp_off - 4u);
}

#endif
