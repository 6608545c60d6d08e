// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * frame.c - signal frames on x86-64, and the code in the mailbox.
 *
 * Owns: struct rt_sigframe as the kernel reads it: the return address, a ucontext_t,
 * and apart from it what xsave has stored; and the code:
 *
 *	call *%rbx		the injected function
 *	mov  %rax, %r12		its result, for us
 *	mov  $9, %eax		mmap of nothing: where we notice that it is over
 *	xor  %esi, %esi
 *	syscall
 *	mov  $15, %eax		nobody noticed: rt_sigreturn
 *	syscall
 *
 * Behind it (TRACEE_AFTER_CLONE) a thread goes on that has made another one, without a change
 * of its flags, and the new one, whose stack has the argument and the function to begin with:
 *
 *	xchg %rax, %rcx
 *	jrcxz 1f
 *	jmp  *way_back		of the mailbox
 *  1:	fninit
 *	push $0x1f80		as in a new program
 *	ldmxcsr (%rsp)
 *	pop  %rax
 *	pop  %rdi
 *	pop  %rax
 *	call *%rax
 */
#include "frame.h"
#include "attach_cli.h"
#include "units.h"

#include <errno.h>
#include <linux/elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <ucontext.h>

#define FRAME_LEN 1024u			/* more than the kernel's struct */
#define MASK_OFFSET (8 + offsetof(ucontext_t, uc_sigmask))	/* in a frame */
/* From the return address on. */
#define FRAME_IP 176u
#define FRAME_CS 192u
#define USER_CS 0x33

/* From the end of that jump. */
#define WAY_BACK (KP_MAILBOX_CODE_LEN + (uint32_t)offsetof(struct kp_mailbox, way_back) - \
		  (TRACEE_AFTER_CLONE + 10))
#define BYTES(n) (uint8_t)(n), (uint8_t)((n) >> 8), (uint8_t)((n) >> 16), (uint8_t)((n) >> 24)

static const uint8_t code[] = {
	0xff, 0xd3,				/* call *%rbx */
	0x49, 0x89, 0xc4,			/* mov %rax, %r12 */
	0xb8, 0x09, 0x00, 0x00, 0x00,		/* mov $9, %eax */
	0x31, 0xf6,				/* xor %esi, %esi */
	0x0f, 0x05,				/* syscall */
	0xb8, 0x0f, 0x00, 0x00, 0x00,		/* mov $15, %eax */
	0x0f, 0x05,				/* syscall */
	0x48, 0x91,				/* xchg %rax, %rcx */
	0xe3, 0x06,				/* jrcxz */
	0xff, 0x25, BYTES(WAY_BACK),		/* jmp *way_back(%rip) */
	0xdb, 0xe3,				/* fninit */
	0x68, 0x80, 0x1f, 0x00, 0x00,		/* push $0x1f80 */
	0x0f, 0xae, 0x14, 0x24,			/* ldmxcsr (%rsp) */
	0x58,					/* pop %rax */
	0x5f,					/* pop %rdi */
	0x58,					/* pop %rax */
	0xff, 0xd0,				/* call *%rax */
};
#define OVER_OFFSET 14u			/* behind the first syscall */

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

static void fill_context(ucontext_t *uc, const struct user_regs_struct *regs,
			 uint64_t mask, uint64_t vectors)
{
	greg_t *g = uc->uc_mcontext.gregs;

	memset(uc, 0, sizeof(*uc));
	uc->uc_flags = 7;		/* xstate, ss */
	uc->uc_stack.ss_flags = 0x7ead;	/* invalid: stays as it is */
	g[REG_R8] = (greg_t)regs->r8;
	g[REG_R9] = (greg_t)regs->r9;
	g[REG_R10] = (greg_t)regs->r10;
	g[REG_R11] = (greg_t)regs->r11;
	g[REG_R12] = (greg_t)regs->r12;
	g[REG_R13] = (greg_t)regs->r13;
	g[REG_R14] = (greg_t)regs->r14;
	g[REG_R15] = (greg_t)regs->r15;
	g[REG_RDI] = (greg_t)regs->rdi;
	g[REG_RSI] = (greg_t)regs->rsi;
	g[REG_RBP] = (greg_t)regs->rbp;
	g[REG_RBX] = (greg_t)regs->rbx;
	g[REG_RDX] = (greg_t)regs->rdx;
	g[REG_RAX] = (greg_t)regs->rax;
	g[REG_RCX] = (greg_t)regs->rcx;
	g[REG_RSP] = (greg_t)regs->rsp;
	g[REG_RIP] = (greg_t)regs->rip;
	g[REG_EFL] = (greg_t)regs->eflags;
	g[REG_CSGSFS] = (greg_t)(regs->cs | regs->ss << 48);
	uc->uc_mcontext.fpregs = (fpregset_t)vectors;
	memcpy(&uc->uc_sigmask, &mask, sizeof(mask));
}

uint64_t frame_write(const struct remote *remote, uint64_t top,
		     const struct thread *thread, const struct tracee_regs *regs,
		     uint64_t mask, uint64_t restorer)
{
	uint64_t features;
	size_t len = units_in_use(thread->vectors, thread->vectors_len, &features);
	uint64_t vectors = (top - len - 16) & ~63ull;
	uint64_t frame = ((vectors - FRAME_LEN) & ~15ull) - 8;
	uint8_t image[FRAME_LEN + 8] = { 0 }, *saved;
	ucontext_t uc;
	int err;

	fill_context(&uc, &regs->user, mask, vectors);
	memcpy(image, &restorer, 8);
	/* The kernel's is the beginning of the C library's. */
	memcpy(image + 8, &uc, offsetof(ucontext_t, uc_sigmask) + 8);
	saved = calloc(1, len + 16);
	if (!saved)
		return 0;
	memcpy(saved, thread->vectors, len);
	units_mark(saved, len, 0, features);
	err = remote_write(remote, vectors, saved, len + 4);
	free(saved);
	if (!err)
		err = remote_write(remote, frame, image, sizeof(image));
	return err ? 0 : frame;
}

uint64_t frame_return_sp(uint64_t frame)
{
	return frame + 8;
}

uint64_t frame_mask_at(uint64_t frame)
{
	return frame + MASK_OFFSET;
}

uint64_t frame_room(void)
{
	return units_room() + 3072;
}

/* ---- the units -------------------------------------------------------------------- */

/* As xsave has them; on processors without it, as fxsave has. */
int frame_save_vectors(struct thread *thread)
{
	struct iovec part = { .iov_len = 65536 };

	part.iov_base = thread->vectors = malloc(part.iov_len);
	if (!thread->vectors)
		return errno;
	thread->vectors_set = NT_X86_XSTATE;
	if (ptrace(PTRACE_GETREGSET, thread->tid, NT_X86_XSTATE, &part)) {
		thread->vectors_set = NT_PRFPREG;
		if (ptrace(PTRACE_GETREGSET, thread->tid, NT_PRFPREG, &part))
			return errno;
	}
	thread->vectors_len = part.iov_len;
	return 0;
}

/*
 * The program may have unmasked exceptions, or round its own way, or be in the
 * middle of MMX code.  Without the unit's state it is the call that runs so.
 */
void frame_usual_units(pid_t tid)
{
	struct user_fpregs_struct units;

	if (ptrace(PTRACE_GETFPREGS, tid, 0, &units))
		return;
	units.cwd = 0x37f;
	units.swd = 0;
	units.ftw = 0;			/* a bit for each register in use */
	units.mxcsr = 0x1f80;
	ptrace(PTRACE_SETFPREGS, tid, 0, &units);
}

/* ---- finding one ------------------------------------------------------------------- */

bool frame_has_ip(const struct remote *remote, uint64_t addr, uint64_t *from)
{
	uint64_t cs;

	return !remote_read(remote, addr - FRAME_IP, from, sizeof(*from)) &&
	       !remote_read(remote, addr + FRAME_CS - FRAME_IP, &cs,
			    sizeof(cs)) &&
	       (cs & 0xffff) == USER_CS && restorer_at(remote, *from);
}

bool frame_is_saved(const struct remote *remote, uint64_t addr)
{
	uint64_t words[2];

	return !remote_read(remote, addr + 8, words, sizeof(words)) &&
	       (words[0] & ~0x3f7fd5ull) == 2 && (words[1] & 0xffff) == USER_CS;
}
