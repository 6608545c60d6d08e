/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * along.c - a jump on 4 bytes, whose body executes the next instruction, too.
 *
 * That one stays in place: who jumps to it meets no trap and no hit; a probe on it
 * sees each time that it is reached, whichever way, and so does one behind it; and
 * a fault of it is its own.
 */
#include "jumps.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/ucontext.h>

/* (n + 1) * 2 + turns; each further turn begins at the second instruction. */
__asm__(".text\n"
	".globl along\n.type along, @function\n"
	"along:\n"
	"	.cfi_startproc\n"
	"	lea 1(%rdi), %rax\n"		/* 4 bytes */
	".globl along_next\n"
	"along_next:\n"
	"	lea (%rax,%rax,1), %rax\n"	/* 4 bytes */
	".globl along_behind\n"
	"along_behind:\n"
	"	lea (%rax,%rsi,1), %rax\n"
	"	sub $1, %edx\n"
	"	jg along_next\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size along, . - along\n"
	".globl along_load\n.type along_load, @function\n"
	"along_load:\n"
	"	.cfi_startproc\n"
	"	lea 4(%rdi), %rax\n"
	".globl along_loads\n"
	"along_loads:\n"
	"	mov (%rax), %eax\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size along_load, . - along_load\n");
long along(long n, long add, int turns);
long along_load(const void *at);
extern const char along_next[], along_behind[], along_loads[];

static volatile long firsts, nexts, behinds;

static int on_first(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	firsts++;
	return 0;
}

static int on_next(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	nexts++;
	return 0;
}

static int on_behind(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	behinds++;
	return 0;
}

static struct kprobe first = { .pre_handler = on_first };
static struct kprobe next = { .pre_handler = on_next };
static struct kprobe behind = { .pre_handler = on_behind };

static int put(struct kprobe *p, const void *at)
{
	int err;

	p->addr = (kprobe_opcode_t *)(unsigned long)at;
	err = register_kprobe(p);
	kprobes_flush();
	return err;
}

static void take(struct kprobe *p)
{
	unregister_kprobe(p);
	kprobes_flush();
}

/* A call of two turns: ((n + 1) * 2 + add) * 2 + add, and so many hits. */
static bool call(long at_first, long at_next, long at_behind)
{
	firsts = nexts = behinds = 0;
	return along(4, 3, 2) == ((4 + 1) * 2 + 3) * 2 + 3 &&
	       firsts == at_first && nexts == at_next && behinds == at_behind;
}

static sigjmp_buf back;
static const void *fault_ip;
static unsigned long fault_ax;

static void on_fault(int sig, siginfo_t *info, void *context)
{
	const greg_t *g = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)sig;
	(void)info;
	fault_ip = (const void *)g[REG_RIP];
	fault_ax = (unsigned long)g[REG_RAX];
	siglongjmp(back, 1);
}

static void faults(void)
{
	struct sigaction act = { .sa_sigaction = on_fault,
				 .sa_flags = SA_SIGINFO };
	int value[2] = { 5, 7 };

	sigaction(SIGSEGV, &act, NULL);
	EXPECT("the next instruction loads", !put(&first, (void *)along_load) &&
	       along_load(value) == 7);
	if (!sigsetjmp(back, 1))
		along_load((void *)8);
	EXPECT("its fault is at its place, behind the first one",
	       fault_ip == along_loads && fault_ax == 12);
	take(&first);
}

int main(void)
{
	jumps_begin();
	EXPECT("registered", !put(&first, (void *)along));
	EXPECT("through what is wanted", jumps_settle((void *)along));
	EXPECT("one hit a call, none for who jumps behind it", call(1, 0, 0));
	EXPECT("a probe behind the next instruction",
	       !put(&behind, along_behind) && call(1, 0, 2));
	EXPECT("one on the next instruction, reached both ways",
	       !put(&next, along_next) && call(1, 2, 2));
	take(&behind);
	EXPECT("and without the one behind", call(1, 2, 0));
	take(&next);
	EXPECT("gone, the first is as it was", jumps_settle((void *)along) &&
	       call(1, 0, 0));
	take(&first);
	EXPECT("none is left", call(0, 0, 0));
	faults();
	return live_failed;
}
