/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * runtimes.c - probes in code that a runtime looks after.
 *
 * The objects are stand-ins: each has one of the marks that such code is known
 * by.  Its function runs on a stack like a goroutine's: little room, and
 * something else's data below.
 */
#include "jumps.h"

#include <dlfcn.h>
#include <sys/mman.h>

/* The function's stack, of which it needs 8 bytes; below, another's. */
#define ROOM 256
static unsigned char arena[128 << 10] __attribute__((aligned(4096)));
#define BOTTOM (sizeof(arena) - ROOM)

/* int on_stack(int (*fn)(int), int x, void *top): fn(x) */
int on_stack(int (*fn)(int), int x, void *top);
__asm__(".text\n.globl on_stack\n.type on_stack, @function\n"
	"on_stack: push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	mov %rdi, %rax\n"
	"	mov %esi, %edi\n"
	"	mov %rdx, %rsp\n"
	"	call *%rax\n"
	"	mov %rbp, %rsp\n"
	"	pop %rbp\n"
	"	ret\n"
	".size on_stack, . - on_stack\n");

static bool below_is_whole(void)
{
	size_t i;

	for (i = 0; i < BOTTOM; i++)
		if (arena[i] != 0xa5)
			return false;
	return true;
}

static volatile int pres, posts, returned, entered;

/* As much stack as a handler that formats text. */
static void use_stack(void)
{
	volatile char room[8192];
	size_t i;

	for (i = 0; i < sizeof(room); i += 64)
		room[i] = (char)i;
}

static int pre(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	use_stack();
	pres++;
	return 0;
}

static void post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	(void)p;
	(void)regs;
	(void)flags;
	use_stack();
	posts++;
}

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	(void)ri;
	(void)regs;
	returned++;
	return 0;
}

static int mirror(int x)
{
	(void)x;
	entered++;
	jprobe_return();
	return 0;
}

static int (*open_managed(const char *name))(int)
{
	void *handle = dlopen(live_beside(name), RTLD_NOW);

	NEED(handle);
	return (int (*)(int))dlsym(handle, "managed");
}

static struct kprobe probe, second;

/* At the entry, and at the second instruction, which has a post handler. */
static void put(int (*fn)(int))
{
	probe = (struct kprobe){ .addr = (void *)fn, .pre_handler = pre };
	second = (struct kprobe){ .addr = (void *)((char *)fn + 5),
				  .pre_handler = pre, .post_handler = post };
	NEED(!register_kprobe(&probe) && !register_kprobe(&second));
	kprobes_flush();
}

static void take_away(void)
{
	unregister_kprobe(&second);
	unregister_kprobe(&probe);
}

static bool jumps_at(const void *fn)
{
	return jumps_count(fn).jumps;
}

static void run(int (*fn)(int), int times)
{
	int i;

	memset(arena, 0xa5, BOTTOM);
	pres = posts = 0;
	for (i = 0; i < times; i++)
		NEED(on_stack(fn, i, arena + sizeof(arena) - 16) == i + 7);
	NEED(pres == 2 * times && posts == times);
}

static void alternate_stack(void)
{
	stack_t alternate = { .ss_size = 64 << 10 };

	alternate.ss_sp = mmap(NULL, alternate.ss_size, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	NEED(alternate.ss_sp != MAP_FAILED && !sigaltstack(&alternate, NULL));
}

static int refusal_of_return(int (*fn)(int))
{
	struct kretprobe rp = { .kp.addr = (void *)fn, .handler = on_return };
	int err = register_kretprobe(&rp);

	if (!err)
		unregister_kretprobe(&rp);
	else
		NEED(rp.kp.reason && *rp.kp.reason);
	return err;
}

static int refusal_of_jprobe(int (*fn)(int))
{
	struct jprobe jp = { .kp.addr = (void *)fn, .entry = (void *)mirror };
	int err = register_jprobe(&jp);

	if (!err)
		unregister_jprobe(&jp);
	else
		NEED(jp.kp.reason && *jp.kp.reason);
	return err;
}

static const char *object;

static void in_small_stacks(void)
{
	int (*fn)(int) = open_managed(object);

	alternate_stack();
	put(fn);
	NEED(!jumps_at((void *)fn) && !jumps_at((char *)fn + 5));
	NEED(probe.reason && strstr(probe.reason, "stack"));
	run(fn, 200);
	NEED(below_is_whole());
	/* Switched off and on, it is what it was. */
	NEED(!kprobes_set_optimization(false) && !kprobes_set_optimization(true));
	kprobes_flush();
	NEED(!jumps_at((void *)fn));
	run(fn, 10);
	NEED(below_is_whole());
	take_away();
	NEED(on_stack(fn, 1, arena + sizeof(arena) - 16) == 8);
	NEED(refusal_of_return(fn) == -EOPNOTSUPP);
	NEED(refusal_of_jprobe(fn) == -EOPNOTSUPP);
}

/* Who reads the reason compiles C: it is told of its stacks, not of Go. */
static void in_split_stacks(void)
{
	int (*fn)(int) = open_managed(object);
	struct kretprobe rp = { .kp.addr = (void *)fn, .handler = on_return };
	struct jprobe jp = { .kp.addr = (void *)fn, .entry = (void *)mirror };

	NEED(register_kretprobe(&rp) == -EOPNOTSUPP);
	NEED(strstr(rp.kp.reason, "split stacks") && !strstr(rp.kp.reason, "Go"));
	NEED(register_jprobe(&jp) == -EOPNOTSUPP);
	NEED(strstr(jp.kp.reason, "split stacks") && !strstr(jp.kp.reason, "Go"));
	in_small_stacks();
}

static void walks_returns(void)
{
	int (*fn)(int) = open_managed(object);

	put(fn);
	NEED(jumps_at((void *)fn));
	run(fn, 20);
	take_away();
	NEED(refusal_of_return(fn) == -EOPNOTSUPP);
	NEED(!fn(1 - 8) && !returned);
}

/* The same code without a mark; the test itself would notice. */
static void unmarked(void)
{
	int (*fn)(int) = open_managed(object);

	put(fn);
	NEED(jumps_at((void *)fn));
	run(fn, 20);
	NEED(!below_is_whole());
	take_away();
	NEED(!refusal_of_return(fn) && !refusal_of_jprobe(fn));
}

static void with(const char *file, const char *what, void (*fn)(void))
{
	char name[200];

	object = file;
	snprintf(name, sizeof(name), "K-OPT-04 K-RET-05 %s: %s", file, what);
	child_case(name, fn);
}

int main(void)
{
	jumps_begin();
	with("runtime-section.so", "a Go program's section", in_small_stacks);
	with("runtime-stripped.so", "and a stripped one's", in_small_stacks);
	with("runtime-note.so", "its note", in_small_stacks);
	with("runtime-symbol.so", "its symbols", in_small_stacks);
	with("runtime-split.so", "split stacks", in_split_stacks);
	with("runtime-vm.so", "a virtual machine", walks_returns);
	with("runtime-v8.so", "a JavaScript engine", walks_returns);
	with("libjvm.so", "its file's name", walks_returns);
	with("runtime-none.so", "no runtime", unmarked);
	return live_failed;
}
