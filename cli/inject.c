// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * inject.c - calls in a borrowed thread.
 *
 * Owns: the signal frame that brings the thread back by itself, the mailbox
 * mapping, and the code in it:
 *
 *	call *%rbx		the injected function
 *	mov  %rax, %r12		its result, for us
 *	mov  $9, %eax		mmap of nothing: where we notice that it is over
 *	xor  %esi, %esi
 *	syscall
 *	mov  $15, %eax		nobody noticed: rt_sigreturn
 *	syscall
 *
 * Other system calls are made in the place of one that the thread is about to
 * make: the one it was taken at, or the return through the frame.  By the same
 * means it gets back into its own.
 *
 * Order: the frame, then the registers in one step, then the mask; at the end
 * the mask, the vectors, then the registers in one step, at the entry of the
 * return through the frame.  Between any two of them this command may be killed.
 */
#include "tracer.h"
#include "cli.h"

#include "attach_cli.h"

#include <cpuid.h>
#include <errno.h>
#include <linux/elf.h>
#include <linux/ptrace.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define CALL_MS 20000
#define LOCK_MS 50			/* for a lock that is soon free */
#define RESTARTBLOCK 516		/* the kernel's ERESTART_RESTARTBLOCK */
#define SIG_SETXID 33			/* the C library's own */
#define RED_ZONE 128
#define FRAME_LEN 1024u			/* more than the kernel's struct */
#define MAGIC1 0x46505853u		/* FP_XSTATE_MAGIC1 */
#define MAGIC2 0x46505845u
#define SW_OFFSET 464u
#define XSAVE_HEADER 512u
#define XSAVE_LEGACY_LEN 576u
#define MASK_OFFSET (8 + offsetof(ucontext_t, uc_sigmask))	/* in a frame */

static const uint8_t code[] = {
	0xff, 0xd3,				/* call *%rbx */
	0x49, 0x89, 0xc4,			/* mov %rax, %r12 */
	0xb8, 0x09, 0x00, 0x00, 0x00,		/* mov $9, %eax */
	0x31, 0xf6,				/* xor %esi, %esi */
	0x0f, 0x05,				/* syscall */
	0xb8, 0x0f, 0x00, 0x00, 0x00,		/* mov $15, %eax */
	0x0f, 0x05,				/* syscall */
};
#define OVER_OFFSET 14u			/* behind the first syscall */

const uint8_t *inject_code(size_t *len)
{
	*len = sizeof(code);
	return code;
}

/* ---- the way back -------------------------------------------------------------- */

/* The system call by which the one that it was taken from goes on. */
static unsigned long going_on(const struct injection *in)
{
	const struct thread *thread = &in->thread;

	/* Sigreturn forgets what restart_syscall would restart. */
	if (in->signalled)
		return (unsigned long)thread->call;
	if (thread->in_call && (long)thread->regs.rax == -RESTARTBLOCK)
		return SYS_restart_syscall;
	return (unsigned long)thread->regs.orig_rax;
}

/* The registers with which the thread takes up what it was at. */
static struct user_regs_struct resumed(const struct injection *in,
				       bool by_itself)
{
	struct user_regs_struct regs = in->thread.regs;

	if (in->thread.at_call) {
		regs.rip -= 2;
		regs.rax = by_itself ? (unsigned long)in->thread.call
				     : going_on(in);
	}
	regs.orig_rax = (unsigned long)-1;
	return regs;
}

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

/*
 * How much of the image a frame needs: up to the last component that is in use.
 * ptrace gives all that the processor has, with AMX 11 KB; a frame with more than
 * the thread may use would be taken for one without any vector registers but
 * xmm, and a thread's stack may be small.
 */
static size_t vectors_in_use(const uint8_t *image, size_t len,
			     uint64_t *features)
{
	unsigned int i, size, at, c, d;
	size_t end = XSAVE_LEGACY_LEN;

	if (len < end) {
		*features = 0;
		return len;
	}
	memcpy(features, image + XSAVE_HEADER, sizeof(*features));
	*features |= 3;				/* x87, SSE: always there */
	for (i = 2; i < 63; i++) {
		if (!(*features & 1ull << i))
			continue;
		__cpuid_count(13, i, size, at, c, d);
		if (at + size <= len && end < at + size)
			end = at + size;
	}
	return end;
}

/* As the kernel writes it for a signal: what it is, in its unused bytes. */
static void mark_vectors(uint8_t *image, size_t len, uint64_t features)
{
	uint32_t head[2] = { MAGIC1, (uint32_t)len + 4 };
	uint32_t size = (uint32_t)len, end = MAGIC2;

	if (!features)				/* fxsave's */
		return;
	memset(image + SW_OFFSET, 0, 48);
	memcpy(image + SW_OFFSET, head, sizeof(head));
	memcpy(image + SW_OFFSET + 8, &features, sizeof(features));
	memcpy(image + SW_OFFSET + 16, &size, sizeof(size));
	memcpy(image + len, &end, sizeof(end));
}

/* A frame below top.  What a call's stack pointer is when it begins; 0: none. */
static uint64_t write_frame(const struct injection *in, uint64_t top)
{
	uint64_t features;
	size_t len = vectors_in_use(in->thread.vectors, in->thread.vectors_len,
				    &features);
	uint64_t vectors = (top - len - 16) & ~63ull;
	uint64_t frame = ((vectors - FRAME_LEN) & ~15ull) - 8;
	struct user_regs_struct regs = resumed(in, true);
	uint8_t image[FRAME_LEN + 8] = { 0 }, *saved;
	ucontext_t uc;
	int err;

	fill_context(&uc, &regs, in->mask, vectors);
	memcpy(image, &in->restorer, 8);
	/* The kernel's is the beginning of the C library's. */
	memcpy(image + 8, &uc, offsetof(ucontext_t, uc_sigmask) + 8);
	saved = calloc(1, len + 16);
	if (!saved)
		return 0;
	memcpy(saved, in->thread.vectors, len);
	mark_vectors(saved, len, features);
	err = remote_write(in->remote, vectors, saved, len + 4);
	free(saved);
	if (!err)
		err = remote_write(in->remote, frame, image, sizeof(image));
	return err ? 0 : frame;
}

/* The frame on its own stack; one for a call is written with each call. */
int inject_mask(struct injection *in, uint64_t mask)
{
	in->mask = mask;
	return remote_write(in->remote, in->frame + MASK_OFFSET, &mask,
			    sizeof(mask));
}

/* ---- running it ---------------------------------------------------------------- */

static uint64_t blocked_mask(void)
{
	uint64_t open = 0;
	static const int sync[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP,
				    SIGSYS };
	size_t i;

	for (i = 0; i < sizeof(sync) / sizeof(sync[0]); i++)
		open |= 1ull << (sync[i] - 1);
	return ~open;
}

static int set_mask(const struct injection *in, uint64_t mask)
{
	return ptrace(PTRACE_SETSIGMASK, in->thread.tid, sizeof(mask), &mask)
		       ? errno : 0;
}

/*
 * The program may have unmasked exceptions, or round its own way, or be in the
 * middle of MMX code.  Without the unit's state it is the call that runs so.
 */
static void usual_units(pid_t tid)
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

/* The registers first: from then on the thread gets its own units back. */
static int set_regs(struct injection *in, struct user_regs_struct *regs)
{
	/* Neither single step nor direction nor alignment checks. */
	regs->eflags &= ~0x40500ull;
	if (ptrace(PTRACE_SETREGS, in->thread.tid, 0, regs))
		return errno;
	usual_units(in->thread.tid);
	in->began = true;
	in->open = false;
	return set_mask(in, blocked_mask());
}

/*
 * The next stop.  setuid() signals all threads and waits for them, with a lock
 * held that the linker and the making of a thread need: in a call that takes
 * long the thread is opened for that signal, now and then.
 */
static int next_stop(struct injection *in, int signal, int *status)
{
	int err = 0, waited;

	if (ptrace(PTRACE_SYSCALL, in->thread.tid, 0, (long)signal))
		return errno;
	for (waited = 0; waited < CALL_MS; waited += LOCK_MS) {
		err = thread_wait(in->thread.tid, status, LOCK_MS);
		if (err != ETIMEDOUT)
			return err;
		if (!in->calling)
			continue;
		if (ptrace(PTRACE_INTERRUPT, in->thread.tid, 0, 0))
			return errno;
		err = thread_wait(in->thread.tid, status, CALL_MS);
		in->open = true;
		return err ? err : set_mask(in, blocked_mask() &
						~(1ull << (SIG_SETXID - 1)));
	}
	return err;
}

/* ---- a call that is late ------------------------------------------------------- */

/* Where the C library and the linker keep what is the thread's. */
static void save_tls(struct injection *in)
{
	uint64_t pointer = in->thread.regs.fs_base;
	const struct remote_map *map = remote_map_at(in->remote, pointer);

	in->tls_len = 0;
	if (!map)
		return;
	in->tls_from = pointer - INJECT_TLS / 2;
	if (in->tls_from < map->start)
		in->tls_from = map->start;
	in->tls_len = INJECT_TLS / 2 + (size_t)(pointer - in->tls_from);
	if (in->tls_len > map->end - in->tls_from)
		in->tls_len = (size_t)(map->end - in->tls_from);
	if (remote_read(in->remote, in->tls_from, in->tls, in->tls_len))
		in->tls_len = 0;
}

/* What points to the mailbox's stack, which the call has been on, did not. */
static int restore_tls(const struct injection *in)
{
	uint64_t now[INJECT_TLS / 8], before;
	size_t i;
	int err = 0;

	if (!in->tls_len || remote_read(in->remote, in->tls_from, now,
					in->tls_len))
		return EFAULT;
	for (i = 0; i < in->tls_len / 8 && !err; i++) {
		memcpy(&before, in->tls + 8 * i, sizeof(before));
		if (now[i] - in->mailbox < KP_MAILBOX_LEN &&
		    before - in->mailbox >= KP_MAILBOX_LEN)
			err = remote_write(in->remote, in->tls_from + 8 * i,
					   &before, sizeof(before));
	}
	return err;
}

/* The owner that a mutex names, in the process's own numbers. */
static pid_t owner_of(const struct remote *remote, uint64_t mutex)
{
	int32_t owner = 0;

	remote_read(remote, mutex + 8, &owner, sizeof(owner));
	return owner;
}

/*
 * Does it wait for the first lock of the linker's, so that nothing has been done
 * yet?  They lie side by side: whether it has one of them already is seen.  One
 * without an owner is free again, or it is another lock that lies there, as
 * setuid()'s, for which a call waits in the midst of what it does.
 */
static bool waits_for_linker(struct injection *in,
			     const struct user_regs_struct *regs)
{
	const struct remote_map *map = remote_map_at(in->remote, regs->rdi);
	pid_t own = remote_inner_tid(in->remote->pid, in->thread.tid);
	int i;

	if ((long)regs->orig_rax != SYS_futex || (regs->rsi & 0x7f) != 0 ||
	    (long)regs->rax != -512 /* interrupted: ERESTARTSYS */ || !map ||
	    !map->write || !strstr(map->path, "/ld-"))
		return false;
	for (i = -2; i <= 2; i++)
		if (owner_of(in->remote, regs->rdi + (uint64_t)(40l * i)) == own)
			return false;
	in->holder = owner_of(in->remote, regs->rdi);
	return in->holder != 0;
}

/*
 * A stop in a call, now and then.  0; EDEADLK: it is late, and can be taken back;
 * ETIMEDOUT: it is so late that it is left to itself.
 */
static int look_late(struct injection *in)
{
	struct user_regs_struct regs;
	long now = thread_now_ms();

	if (!in->calling || !in->limit || now < in->limit)
		return 0;
	if (!ptrace(PTRACE_GETREGS, in->thread.tid, 0, &regs) &&
	    waits_for_linker(in, &regs) && !restore_tls(in))
		return EDEADLK;
	in->lost = now > in->limit + CALL_MS;
	return in->lost ? ETIMEDOUT : 0;
}

/* To the next system call's entry or end. */
static int step(struct injection *in, struct user_regs_struct *regs)
{
	int status, err, signal = 0;

	for (;;) {
		err = next_stop(in, signal, &status);
		if (err)
			return err;
		if (WSTOPSIG(status) == (SIGTRAP | 0x80))
			break;
		err = thread_is_event(status) ? look_late(in) : 0;
		if (err)
			return err;
		signal = status >> 16 ? 0 : WSTOPSIG(status);
		in->signalled |= signal != 0;
		/* The second: what is blocked now is queued again. */
		if (signal == SIG_SETXID && !in->open)
			set_mask(in, blocked_mask());
		if (signal == SIG_SETXID)
			in->open = false;
		cli_progress(0, 0);
	}
	return ptrace(PTRACE_GETREGS, in->thread.tid, 0, regs) ? errno : 0;
}

/*
 * The thread is before a system call: it executes this one in its place, and
 * would then go on through the frame.
 */
static int replaced_call(struct injection *in, long number,
			 const uint64_t args[6], long *result)
{
	struct user_regs_struct regs = in->thread.regs;
	int err;

	regs.rip = in->restorer;
	regs.rsp = in->frame + 8;
	regs.orig_rax = (unsigned long)number;
	regs.rdi = args[0];
	regs.rsi = args[1];
	regs.rdx = args[2];
	regs.r10 = args[3];
	regs.r8 = args[4];
	regs.r9 = args[5];
	err = set_regs(in, &regs);
	if (!err)
		err = step(in, &regs);
	*result = (long)regs.rax;
	return err;
}

/* To the entry of the return through the frame.  No other call is made. */
static int to_return(struct injection *in)
{
	struct user_regs_struct regs = in->thread.regs;
	int err;

	regs.rip = in->restorer;
	regs.rsp = in->frame + 8;
	regs.orig_rax = (unsigned long)-1;
	err = set_regs(in, &regs);
	if (!err)
		err = step(in, &regs);
	if (!err && (long)regs.orig_rax != SYS_rt_sigreturn)
		err = EPROTO;
	return err;
}

/*
 * The call that is replaced is the one it was taken at, or the return through the
 * frame.  No function of the C library's is called: it may be probed.
 */
static int system_call(struct injection *in, long number,
		       const uint64_t args[6], long *result)
{
	bool before = in->thread.at_call && !in->thread.in_call && !in->began;
	int err = before ? 0 : to_return(in);

	*result = -EPROTO;
	return err ? err : replaced_call(in, number, args, result);
}

static int map_at(struct injection *in, uint64_t place)
{
	uint64_t args[6] = {
		place, KP_MAILBOX_LEN, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | 0x100000 /* NOREPLACE */,
		(uint64_t)-1, 0,
	};
	long result;
	int err;

	err = system_call(in, SYS_mmap, args, &result);
	if (err)
		return err;
	if (result != (long)place)
		return result < 0 ? (int)-result : EEXIST;
	in->mailbox = place;
	args[1] = KP_MAILBOX_CODE_LEN;
	args[2] = PROT_READ | PROT_EXEC;
	args[3] = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
	err = system_call(in, SYS_mmap, args, &result);
	if (err)
		return err;
	if (result != (long)place)
		return EACCES;
	return remote_write(in->remote, place, code, sizeof(code));
}

static void unmap(struct injection *in)
{
	uint64_t args[6] = { in->mailbox, KP_MAILBOX_LEN };
	long result;

	if (in->mailbox)
		system_call(in, SYS_munmap, args, &result);
	in->mailbox = 0;
}

/* ---- mailboxes of commands that were killed ------------------------------------ */

uint64_t inject_stale(const struct remote *remote, unsigned int from)
{
	unsigned int i;

	for (i = from; i < KP_MAILBOX_PLACES; i++)
		if (mailbox_is_ours(remote, KP_MAILBOX_PLACE(i)))
			return KP_MAILBOX_PLACE(i);
	return 0;
}

static bool inside(const struct remote *remote, uint64_t ip, uint64_t sp)
{
	uint64_t place;
	unsigned int i;

	for (i = 0; i < KP_MAILBOX_PLACES; i++) {
		place = KP_MAILBOX_PLACE(i);
		if ((ip - place < KP_MAILBOX_LEN ||
		     sp - place <= KP_MAILBOX_LEN) &&
		    mailbox_is_ours(remote, place))
			return true;
	}
	return false;
}

static bool rests_outside(void *arg, const struct thread *thread)
{
	return !inside(arg, thread->rest.pc, thread->rest.sp);
}

/* 0; EBUSY: one is on its way back; or an errno. */
static int look_left(void *arg)
{
	const struct injection *in = arg;
	struct threads threads = {
		.pid = in->remote->pid, .except = in->thread.tid,
		.may_rest = rests_outside, .arg = in->remote,
	};
	int i, err = threads_hold(&threads);

	if (err)
		return err;
	for (i = 0; i < threads.nr && !err; i++)
		if (threads.list[i].stopped &&
		    inside(in->remote, threads.list[i].regs.rip,
			   threads.list[i].regs.rsp))
			err = EBUSY;
	threads_release(&threads);
	return err;
}

/* A thread may still be on its way back from there. */
static int wait_left(struct injection *in)
{
	int tries, err = EBUSY;

	for (tries = 0; tries < 1000 && err == EBUSY; tries++) {
		if (tries)
			usleep(5000);
		err = thread_in_tracer(look_left, in);
	}
	return err;
}

static void unmap_stale(struct injection *in)
{
	uint64_t own = in->mailbox, place;
	unsigned int i;
	long result;

	for (i = 0; i < KP_MAILBOX_PLACES; i++) {
		uint64_t args[6] = { KP_MAILBOX_PLACE(i), KP_MAILBOX_LEN };

		place = KP_MAILBOX_PLACE(i);
		if (place != own && inject_stale(in->remote, i) == place)
			system_call(in, SYS_munmap, args, &result);
	}
}

/*
 * The thread goes on in the system call it was taken from without executing its
 * instruction again: there may be a breakpoint by now, and after a return from its
 * handler the kernel has forgotten how much of the call's time is left.
 */
static bool at_its_call(struct injection *in, struct user_regs_struct *regs)
{
	*regs = resumed(in, false);
	if (!in->thread.at_call || to_return(in))
		return false;
	*regs = in->thread.regs;
	regs->orig_rax = going_on(in);
	regs->rax = (unsigned long)-ENOSYS;
	return true;
}

void inject_end(struct injection *in)
{
	struct thread *thread = &in->thread;
	struct iovec part = { thread->vectors, thread->vectors_len };
	int set = thread->vectors_set;
	struct user_regs_struct regs;
	bool at_call;

	/* It comes back by itself; the next command finishes what was begun. */
	if (in->lost)
		in->began = false;
	if (in->began) {
		unmap(in);
		at_call = at_its_call(in, &regs);
		set_mask(in, in->mask);
		ptrace(PTRACE_SETREGSET, thread->tid, set, &part);
		ptrace(PTRACE_SETREGS, thread->tid, 0, &regs);
		if (at_call)
			thread_go_on(thread);
	}
	in->began = false;
	thread_release(thread);
}

int inject_begin(struct injection *in)
{
	int i, status, err = 0;

	in->mask = in->thread.mask;
	in->restorer = restorer_find(in->remote);
	if (!in->restorer) {
		status = process_failed(
			in->remote->pid, CLI_FAILED,
			": its C library has no sigreturn where it was looked for; only glibc is known");
		thread_release(&in->thread);
		return status;
	}
	if (inject_stale(in->remote, 0))
		err = wait_left(in);
	if (!err) {
		in->frame = write_frame(in, in->thread.regs.rsp - RED_ZONE);
		err = in->frame ? 0 : EFAULT;
	}
	for (i = 0; i < KP_MAILBOX_PLACES && !err; i++) {
		err = map_at(in, KP_MAILBOX_PLACE((unsigned int)i));
		if (err != EEXIST)
			break;
		err = i + 1 < KP_MAILBOX_PLACES ? 0 : EEXIST;
	}
	if (!err) {
		unmap_stale(in);
		return CLI_OK;
	}
	process_wait_gone(in->remote->pid, err);
	status = process_failed(
		in->remote->pid, CLI_FAILED,
		": no memory could be mapped into it: %s%s", strerror(err),
		err == EEXIST ? "; its address space is taken, as by ThreadSanitizer's runtime: start it with \"kprobes load ... -- COMMAND\" instead"
			      : "");
	inject_end(in);
	return status;
}

int inject_call(struct injection *in, uint64_t fn, uint64_t a, uint64_t b,
		uint64_t *result)
{
	struct user_regs_struct regs = in->thread.regs;
	uint64_t frame = write_frame(in, in->mailbox + KP_MAILBOX_LEN);
	int err = frame ? 0 : EFAULT;

	regs.rip = in->mailbox;
	regs.rsp = frame + 8;
	regs.rbx = fn;
	regs.rdi = a;
	regs.rsi = b;
	regs.orig_rax = (unsigned long)-1;
	in->holder = 0;
	save_tls(in);
	if (!err)
		err = set_regs(in, &regs);
	in->calling = true;
	do {
		if (!err)
			err = step(in, &regs);
		/* The stop of a call that waits is seen as the call's end. */
		if (!err)
			err = look_late(in);
	} while (!err && regs.rip != in->mailbox + OVER_OFFSET);
	in->calling = false;
	/* At its entry; to its end. */
	if (!err)
		err = step(in, &regs);
	*result = regs.r12;
	/* Who called says what that means. */
	if (err == EDEADLK)
		return CLI_FAILED;
	process_wait_gone(in->remote->pid, err);
	return err ? process_failed(in->remote->pid, CLI_FAILED,
				    ": an injected call did not end: %s",
				    err == ETIMEDOUT
				    ? "it goes on by itself; try again later"
				    : strerror(err))
		   : CLI_OK;
}
