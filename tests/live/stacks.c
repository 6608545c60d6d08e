/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * stacks.c - hits on stacks that are small: alternate ones, threads' and
 * coroutines'.  Nothing beyond the stack is written, what is probed is executed,
 * and a hit is either handled or counted as missed.  Each case runs in a child.
 */
#include "live.h"

#include <kprobes/control.h>
#include <linux/kernel.h>
#include <linux/uaccess.h>

#include <limits.h>
#include <setjmp.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <ucontext.h>

#define GUARD 65536
#define SMALL 8192

/* The program's data, then a stack that is small, then data. */
static unsigned char *below, *stack, *above;
static size_t stack_len;
static volatile int result;

static noinline int target(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x * 3 + 1;
}

static noinline int inner(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x * 5 + 1;
}

/* ---- handlers that need room -------------------------------------------------- */

static volatile long hits, inner_hits;
static volatile double number = 1.5;
static volatile int *volatile nowhere = (int *)8;

static int quiet(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	hits++;
	return 0;
}

static int talks(struct kprobe *p, struct pt_regs *regs)
{
	char text[512];

	hits++;
	snprintf(text, sizeof(text), "%s at %lx", "target", regs->ip);
	number = number * 1.25 + (double)text[0];
	(void)p;
	return 0;
}

static int hits_another(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	hits++;
	return inner(1) == 6 ? 0 : 1;
}

/* A signal on top of the handler; and one that the handler does not survive. */
static int faults(struct kprobe *p, struct pt_regs *regs)
{
	char byte;

	(void)p;
	(void)regs;
	hits++;
	return !kp_copy_nofault(&byte, (const void *)16, 1);
}

static int dies(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	return *nowhere;
}

static int count_inner(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	inner_hits++;
	return 0;
}

static struct kprobe outer_probe, inner_probe;

static void probe(kprobe_pre_handler_t pre)
{
	kprobes_set_optimization(live_jumps);
	outer_probe = (struct kprobe){ .pre_handler = pre,
		.addr = (kprobe_opcode_t *)(unsigned long)target };
	inner_probe = (struct kprobe){ .pre_handler = count_inner,
		.addr = (kprobe_opcode_t *)(unsigned long)inner };
	NEED(!register_kprobe(&outer_probe));
	NEED(!register_kprobe(&inner_probe));
	if (live_jumps) {
		kprobes_flush();
		NEED(*(volatile unsigned char *)outer_probe.addr != 0xcc);
	}
}

/* Every hit so far was handled or counted. */
static bool counted(long nr)
{
	if (outer_probe.pre_handler == dies) {
		enable_kprobe(&outer_probe);
		return true;
	}
	return hits + (long)outer_probe.nmissed == nr;
}

static bool all_handled(long nr)
{
	return outer_probe.pre_handler == dies ||
	       (hits == nr && !outer_probe.nmissed);
}

/* ---- a stack with data around it ------------------------------------------------ */

static void make_stack(size_t len)
{
	below = mmap(NULL, 2 * GUARD + len, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	NEED(below != MAP_FAILED);
	stack = below + GUARD;
	above = stack + len;
	stack_len = len;
	memset(below, 0x5a, 2 * GUARD + len);
}

static bool intact(void)
{
	size_t i;

	for (i = 0; i < GUARD; i++)
		if (below[i] != 0x5a || above[i] != 0x5a)
			return false;
	return true;
}

static void use_alternate(size_t len)
{
	stack_t alt = { .ss_size = len };

	make_stack(len);
	alt.ss_sp = stack;
	NEED(!sigaltstack(&alt, NULL));
}

static void in_signal(int sig)
{
	(void)sig;
	result = target(7);
}

static void signals_there(void)
{
	struct sigaction act = { .sa_handler = in_signal,
				 .sa_flags = SA_ONSTACK };

	NEED(!sigaction(SIGUSR1, &act, NULL));
}

/* Enough for two signals' frames, whatever state they hold, and little more. */
static size_t small(void)
{
	size_t frame = getauxval(51);		/* AT_MINSIGSTKSZ */

	return frame < SMALL / 2 - 512 ? SMALL : 2 * frame + 1024;
}

static const kprobe_pre_handler_t handlers[] = { quiet, talks, hits_another,
						 faults, dies };

static void ordinary_with(kprobe_pre_handler_t pre)
{
	stack_t now;
	int i;

	use_alternate(small());
	probe(pre);
	for (i = 0; i < 10; i++)
		NEED(target(i) == i * 3 + 1 && counted(i + 1));
	/* There is always room for these. */
	NEED(all_handled(10) && intact());
	NEED(!sigaltstack(NULL, &now) && now.ss_sp == stack &&
	     now.ss_size == stack_len && !now.ss_flags);
}

static void in_handler_with(kprobe_pre_handler_t pre)
{
	int i;

	use_alternate(small());
	probe(pre);
	signals_there();
	for (i = 0; i < 10; i++) {
		result = 0;
		raise(SIGUSR1);
		NEED(result == 22 && intact() && counted(i + 1));
	}
	/* And in ordinary code again. */
	NEED(target(1) == 4 && counted(11) && intact());
}

static void each(void (*fn)(kprobe_pre_handler_t pre))
{
	size_t i;
	int status;

	for (i = 0; i < sizeof(handlers) / sizeof(handlers[0]); i++) {
		pid_t pid = fork();

		if (!pid) {
			fn(handlers[i]);
			_exit(0);
		}
		NEED(waitpid(pid, &status, 0) == pid);
		if (status)
			printf("# handler %zu: %s\n", i, status_text(status));
		NEED(!status);
	}
}

static void ordinary_code(void)
{
	each(ordinary_with);
}

static void small_alternate(void)
{
	each(in_handler_with);
}

static void roomy_with(kprobe_pre_handler_t pre)
{
	use_alternate(262144);
	probe(pre);
	signals_there();
	raise(SIGUSR1);
	NEED(result == 22 && all_handled(1) && intact());
}

static void large_alternate(void)
{
	each(roomy_with);
}

/* Set, made smaller, and taken away again: each time what is there counts. */
static void changing_alternate(void)
{
	stack_t alt;
	int i;

	probe(talks);
	signals_there();
	for (i = 0; i < 3; i++) {
		hits = 0;
		outer_probe.nmissed = 0;
		use_alternate(262144);
		raise(SIGUSR1);
		NEED(result == 22 && hits == 1 && intact());
		use_alternate(small());
		raise(SIGUSR1);
		NEED(result == 22 && counted(2) && intact());
		alt = (stack_t){ .ss_flags = SS_DISABLE };
		NEED(!sigaltstack(&alt, NULL));
		raise(SIGUSR1);
		NEED(result == 22 && counted(3) && intact());
	}
}

/* ---- a coroutine's stack -------------------------------------------------------- */

static ucontext_t main_context, side_context;

/* Down to where little is left, and a hit there. */
static noinline int deep(unsigned long left)
{
	volatile char here[256];
	int value;

	here[0] = 1;
	if ((unsigned long)here - (unsigned long)stack > left)
		value = deep(left);
	else
		value = target(7);
	return value + (here[0] - 1);
}

static unsigned long leave_free;

static void on_the_side(void)
{
	result = deep(leave_free);
}

static void run_coroutine(kprobe_pre_handler_t pre)
{
	int i;

	probe(pre);
	for (i = 0; i < 10; i++) {
		NEED(!getcontext(&side_context));
		side_context.uc_stack.ss_sp = stack;
		side_context.uc_stack.ss_size = stack_len;
		side_context.uc_link = &main_context;
		makecontext(&side_context, on_the_side, 0);
		result = 0;
		NEED(!swapcontext(&main_context, &side_context));
		NEED(result == 22 && counted(i + 1));
	}
	NEED(all_handled(10));
}

static void coroutine_with(kprobe_pre_handler_t pre)
{
	make_stack(65536);
	/* No alternate one: the page below it shows where the stack ends. */
	NEED(!mprotect(stack - 4096, 4096, PROT_NONE));
	/* A breakpoint's frame is the kernel's. */
	leave_free = live_jumps ? 2048 : getauxval(51) + 4096;
	run_coroutine(pre);
	NEED(!mprotect(stack - 4096, 4096, PROT_READ) && intact());
}

static void coroutine(void)
{
	each(coroutine_with);
}

/* The program's data lies right below its stack, and can be read and written. */
static void on_the_heap_with(kprobe_pre_handler_t pre)
{
	unsigned long frame = getauxval(51) ? getauxval(51) : 4096;

	make_stack(65536);
	leave_free = live_jumps ? 1536 : frame + 1024;
	run_coroutine(pre);
	NEED(intact());
}

static void on_the_heap(void)
{
	each(on_the_heap_with);
}

/* ---- threads ------------------------------------------------------------------------ */

static void *thread_hits(void *arg)
{
	long i;

	for (i = 0; i < 1000; i++)
		if (target((int)i) != i * 3 + 1)
			return NULL;
	return arg;
}

static void small_thread_with(kprobe_pre_handler_t pre)
{
	pthread_attr_t attr;
	pthread_t threads[4];
	size_t i;
	void *end;

	probe(pre);
	pthread_attr_init(&attr);
	NEED(!pthread_attr_setstacksize(&attr,
			(size_t)sysconf(_SC_THREAD_STACK_MIN)));
	for (i = 0; i < 4; i++)
		NEED(!pthread_create(&threads[i], &attr, thread_hits, threads));
	for (i = 0; i < 4; i++)
		NEED(!pthread_join(threads[i], &end) && end);
	NEED(pre != quiet || hits + (long)outer_probe.nmissed >= 1);
	NEED(!outer_probe.nmissed || pre == dies);
}

static void small_threads(void)
{
	each(small_thread_with);
}

/* ---- leaving a handler that runs on the engine's stack --------------------------------- */

static sigjmp_buf out;

static void leaves(int sig)
{
	(void)sig;
	siglongjmp(out, 1);
}

static int interrupted(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	hits++;
	raise(SIGUSR2);
	return 0;
}

static void left_from_side(void)
{
	if (!sigsetjmp(out, 1))
		deep(2048);
	result = 22;
}

static void handler_left(void)
{
	int i;

	if (!live_jumps)
		return;			/* a trap's is not interrupted */
	make_stack(65536);
	NEED(!mprotect(stack - 4096, 4096, PROT_NONE));
	probe(interrupted);
	signal(SIGUSR2, leaves);
	for (i = 0; i < 10; i++) {
		NEED(!getcontext(&side_context));
		side_context.uc_stack.ss_sp = stack;
		side_context.uc_stack.ss_size = stack_len;
		side_context.uc_link = &main_context;
		makecontext(&side_context, left_from_side, 0);
		result = 0;
		NEED(!swapcontext(&main_context, &side_context));
		NEED(result == 22 && hits == i + 1);
	}
	alarm(LIVE_PATIENCE);			/* it would wait for ever */
	unregister_kprobe(&outer_probe);
	NEED(target(7) == 22 && hits == 10);
}

/* ---- returns -------------------------------------------------------------------------------- */

static volatile long returns;

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	(void)ri;
	returns += regs_return_value(regs) == 22;
	number = number * 1.5;
	return 0;
}

static void return_probe(void)
{
	static struct kretprobe rp = { .handler = on_return, .maxactive = 4,
				       .kp.symbol_name = "target" };
	int i;

	rp.kp.symbol_name = NULL;
	rp.kp.addr = (kprobe_opcode_t *)(unsigned long)target;
	kprobes_set_optimization(live_jumps);
	NEED(!register_kretprobe(&rp));
	kprobes_flush();
	use_alternate(small());
	signals_there();
	for (i = 0; i < 10; i++) {
		result = 0;
		raise(SIGUSR1);
		NEED(result == 22 && intact());
	}
	NEED(returns + rp.nmissed + (long)rp.kp.nmissed >= 10);
	NEED(target(7) == 22 && intact());
}

static const struct live_case cases[] = {
	{ "small_alternate_stack_ordinary_code", ordinary_code },
	{ "small_alternate_stack_in_handler", small_alternate },
	{ "large_alternate_stack", large_alternate },
	{ "alternate_stack_changes", changing_alternate },
	{ "coroutine_near_its_stack's_end", coroutine },
	{ "coroutine_with_data_below_its_stack", on_the_heap },
	{ "smallest_threads", small_threads },
	{ "handler_left_from_small_stack", handler_left },
	{ "return_probe_on_small_stacks", return_probe },
};

int main(void)
{
	live_both(cases, sizeof(cases) / sizeof(cases[0]));
	return live_failed;
}
