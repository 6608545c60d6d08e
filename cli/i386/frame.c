// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * frame.c - signal frames on i386, and the code in the mailbox.
 *
 * Owns: struct rt_sigframe as the kernel reads it: the return address, the handler's
 * arguments, a siginfo_t, a ucontext; and apart from it the units, first as fnsave stores
 * them, then as xsave does; the older frame, of handlers without SA_SIGINFO, as far as it
 * is found on stacks; and the code:
 *
 *	sub	$8, %esp
 *	push	%edi		the function's arguments
 *	push	%esi
 *	call	*%ebx		the injected function
 *	add	$16, %esp
 *	mov	%eax, %edi	its result, for us
 *	mov	$192, %eax	mmap2 of nothing: where we notice that it is over
 *	xor	%ecx, %ecx
 *	int	$0x80
 *	mov	$173, %eax	nobody noticed: rt_sigreturn
 *	int	$0x80
 *
 * Behind it (TRACEE_AFTER_CLONE) a thread goes on that has made another one, below whose frame
 * there is room, and the new one, whose stack has the argument and the function to begin with:
 *
 *	xchg	%eax, %ecx
 *	jecxz	2f
 *	call	1f
 *  1:	pop	%ecx
 *	jmp	*way_back - 1b(%ecx)	of the mailbox
 *  2:	fninit
 *	pop	%edx
 *	pop	%eax
 *	sub	$4, %esp
 *	push	%edx
 *	call	*%eax
 */
#include "frame.h"
#include "attach_cli.h"
#include "units.h"

#include <errno.h>
#include <linux/elf.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

#define NT_FXSAVE 0x46e62b7f		/* NT_PRXFPREG */
#define IMAGE_MAX 65536u
#define FNSAVE_LEN 108u
#define FNSAVE_ROOM 112u		/* and a status, and which kind follows */

/* From behind that call. */
#define WAY_BACK (KP_MAILBOX_CODE_LEN + (uint32_t)offsetof(struct kp_mailbox, way_back) - \
		  (TRACEE_AFTER_CLONE + 8))
#define BYTES(n) (uint8_t)(n), (uint8_t)((n) >> 8), (uint8_t)((n) >> 16), (uint8_t)((n) >> 24)

static const uint8_t code[] = {
	0x83, 0xec, 0x08,			/* sub $8, %esp */
	0x57,					/* push %edi */
	0x56,					/* push %esi */
	0xff, 0xd3,				/* call *%ebx */
	0x83, 0xc4, 0x10,			/* add $16, %esp */
	0x89, 0xc7,				/* mov %eax, %edi */
	0xb8, 0xc0, 0x00, 0x00, 0x00,		/* mov $192, %eax */
	0x31, 0xc9,				/* xor %ecx, %ecx */
	0xcd, 0x80,				/* int $0x80 */
	0xb8, 0xad, 0x00, 0x00, 0x00,		/* mov $173, %eax */
	0xcd, 0x80,				/* int $0x80 */
	0x91,					/* xchg %eax, %ecx */
	0xe3, 0x0c,				/* jecxz */
	0xe8, 0x00, 0x00, 0x00, 0x00,		/* call */
	0x59,					/* pop %ecx */
	0xff, 0xa1, BYTES(WAY_BACK),		/* jmp *...(%ecx) */
	0xdb, 0xe3,				/* fninit */
	0x5a,					/* pop %edx */
	0x58,					/* pop %eax */
	0x83, 0xec, 0x04,			/* sub $4, %esp */
	0x52,					/* push %edx */
	0xff, 0xd0,				/* call *%eax */
};
#define OVER_OFFSET 21u			/* behind the first int $0x80 */

struct context {
	uint32_t gs, fs, es, ds, di, si, bp, sp, bx, dx, cx, ax, trap, error, ip, cs,
		 flags, sp_at_signal, ss, units, old_mask, cr2;
};

struct frame {
	uint32_t restorer, signal, info_at, uc_at;
	uint8_t info[128];
	uint32_t uc_flags, link, stack[3];
	struct context regs;
	uint32_t mask[2], unused[2];
};

#define AT_IP offsetof(struct frame, regs.ip)
#define AT_MASK offsetof(struct frame, mask)
#define OLD_AT_IP (8 + offsetof(struct context, ip))

_Static_assert(AT_IP == 220 && AT_MASK == 252, "struct rt_sigframe");

const uint8_t *frame_code(size_t *len)
{
	*len = sizeof(code);
	return code;
}

uint64_t frame_over(void)
{
	return OVER_OFFSET;
}

/* ---- writing one ---------------------------------------------------------------- */

static void fill(struct context *to, const struct user_regs_struct *regs, uint32_t units)
{
	*to = (struct context){
		.gs = (uint32_t)regs->xgs, .fs = (uint32_t)regs->xfs,
		.es = (uint32_t)regs->xes, .ds = (uint32_t)regs->xds,
		.di = (uint32_t)regs->edi, .si = (uint32_t)regs->esi,
		.bp = (uint32_t)regs->ebp, .sp = (uint32_t)regs->esp,
		.bx = (uint32_t)regs->ebx, .dx = (uint32_t)regs->edx,
		.cx = (uint32_t)regs->ecx, .ax = (uint32_t)regs->eax,
		.ip = (uint32_t)regs->eip, .cs = (uint32_t)regs->xcs,
		.flags = (uint32_t)regs->eflags, .sp_at_signal = (uint32_t)regs->esp,
		.ss = (uint32_t)regs->xss, .units = units,
	};
}

/* As fnsave has them, then the status once more, and whether more follows. */
static void begin_units(uint8_t *to, const struct thread *thread, bool more)
{
	uint16_t kind = more ? 0 : 0xffff;

	memcpy(to, (const uint8_t *)thread->vectors + IMAGE_MAX, FNSAVE_LEN);
	memcpy(to + FNSAVE_LEN, to + 4, 2);
	memcpy(to + FNSAVE_LEN + 2, &kind, sizeof(kind));
}

/* Where they stand, written; 0: that cannot be. */
static uint64_t write_units(const struct remote *remote, uint64_t top,
			    const struct thread *thread)
{
	bool more = thread->vectors_set != NT_PRFPREG;
	uint64_t features = 0, at;
	uint8_t *image;
	size_t len = 0;
	int err;

	if (more)
		len = units_in_use(thread->vectors, thread->vectors_len, &features);
	at = ((top - len - 16) & ~63ull) - FNSAVE_ROOM;
	image = calloc(1, FNSAVE_ROOM + len + 16);
	if (!image)
		return 0;
	begin_units(image, thread, more);
	memcpy(image + FNSAVE_ROOM, thread->vectors, len);
	units_mark(image + FNSAVE_ROOM, len, FNSAVE_ROOM, features);
	err = remote_write(remote, at, image, FNSAVE_ROOM + len + 4);
	free(image);
	return err ? 0 : at;
}

uint64_t frame_write(const struct remote *remote, uint64_t top,
		     const struct thread *thread, const struct tracee_regs *regs,
		     uint64_t mask, uint64_t restorer)
{
	uint64_t units = write_units(remote, top, thread);
	/* Behind the return address a boundary of 16. */
	uint64_t frame = ((units - sizeof(struct frame) - 4) & ~15ull) - 4;
	struct frame image = {
		.restorer = (uint32_t)restorer, .signal = SIGTRAP,
		.info_at = (uint32_t)frame + offsetof(struct frame, info),
		.uc_at = (uint32_t)frame + offsetof(struct frame, uc_flags),
		.uc_flags = 1,		/* xsave's image */
		.stack = { 0, 0x7ead },	/* invalid: stays as it is */
		.mask = { (uint32_t)mask, (uint32_t)(mask >> 32) },
	};

	if (!units)
		return 0;
	fill(&image.regs, &regs->user, (uint32_t)units);
	image.regs.old_mask = (uint32_t)mask;
	return remote_write(remote, frame, &image, sizeof(image)) ? 0 : frame;
}

uint64_t frame_return_sp(uint64_t frame)
{
	return frame + 4;
}

uint64_t frame_mask_at(uint64_t frame)
{
	return frame + AT_MASK;
}

uint64_t frame_room(void)
{
	return units_room() + 3072;
}

/* ---- the units -------------------------------------------------------------------- */

/* As xsave has them, or fxsave; and behind that as fnsave does, which all processors know. */
int frame_save_vectors(struct thread *thread)
{
	static const int sets[] = { NT_X86_XSTATE, NT_FXSAVE, NT_PRFPREG };
	struct iovec part;
	unsigned int i;
	uint8_t *image;

	image = thread->vectors = calloc(1, IMAGE_MAX + FNSAVE_ROOM);
	if (!image)
		return errno;
	part.iov_base = image + IMAGE_MAX;
	part.iov_len = FNSAVE_LEN;
	if (ptrace(PTRACE_GETREGSET, thread->tid, NT_PRFPREG, &part))
		return errno;
	for (i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
		part.iov_base = image;
		part.iov_len = IMAGE_MAX;
		thread->vectors_set = sets[i];
		if (!ptrace(PTRACE_GETREGSET, thread->tid, sets[i], &part)) {
			thread->vectors_len = part.iov_len;
			return 0;
		}
	}
	return errno;
}

/*
 * The program may have unmasked exceptions, or round its own way, or be in the
 * middle of MMX code.  Without the unit's state it is the call that runs so.
 */
void frame_usual_units(pid_t tid)
{
	struct user_fpxregs_struct units;
	struct user_fpregs_struct old;

	if (!ptrace(PTRACE_GETFPXREGS, tid, 0, &units)) {
		units.cwd = 0x37f;
		units.swd = 0;
		units.twd = 0;		/* a bit for each register in use */
		units.mxcsr = 0x1f80;
		ptrace(PTRACE_SETFPXREGS, tid, 0, &units);
	} else if (!ptrace(PTRACE_GETFPREGS, tid, 0, &old)) {
		old.cwd = (long)0xffff037f;
		old.swd = (long)0xffff0000;
		old.twd = (long)0xffffffff;	/* two bits for each: empty */
		ptrace(PTRACE_SETFPREGS, tid, 0, &old);
	}
}

/* ---- finding one ------------------------------------------------------------------- */

/* A program's segment for code, on a 64-bit kernel or a 32-bit one. */
static bool is_code(uint32_t cs)
{
	return (cs & 0xffff) == 0x23 || (cs & 0xffff) == 0x73;
}

/*
 * Where a handler returns to that began its frame at addr, if there is one: by either call,
 * or into the library, which looks at the mask first; that says nothing about whose handler
 * it is.
 */
static bool returns_from(const struct remote *remote, uint64_t frame, uint64_t *from)
{
	static const uint8_t old[] = { 0x58, 0xb8, 0x77, 0x00, 0x00, 0x00, 0xcd, 0x80 };
	const struct remote_map *map;
	uint32_t restorer;
	uint8_t bytes[8];

	if (remote_read(remote, frame, &restorer, sizeof(restorer)) ||
	    remote_read(remote, restorer, bytes, sizeof(bytes)))
		return false;
	*from = restorer;
	if (restorer_at(remote, restorer) || !memcmp(bytes, old, sizeof(old)))
		return true;
	*from = 0;
	map = remote_map_at(remote, restorer);
	/* testl $..., ...(%esp) */
	return map && map->exec && strstr(map->path, "/libkprobes.so") && bytes[0] == 0xf7;
}

bool frame_has_ip(const struct remote *remote, uint64_t addr, uint64_t *from)
{
	uint32_t cs;

	*from = 0;
	return !remote_read(remote, addr + 4, &cs, sizeof(cs)) && is_code(cs) &&
	       (returns_from(remote, addr - AT_IP, from) ||
		returns_from(remote, addr - OLD_AT_IP, from));
}

bool frame_is_saved(const struct remote *remote, uint64_t addr)
{
	uint32_t words[2];

	return !remote_read(remote, addr + 4, words, sizeof(words)) &&
	       is_code(words[0]) && (words[1] & ~0x3f7fd5u) == 2;
}
