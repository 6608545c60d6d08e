/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * callers.c - return probes on functions that act on who calls them.
 *
 * Either the probe is refused, or its calls count as missed, or the function does
 * what it does without one: each case tries, then asks.
 */
#include "jumps.h"

#include <dlfcn.h>
#include <link.h>
#include <setjmp.h>
#include <ucontext.h>

static struct kretprobe probe;
static volatile int returned;

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	(void)ri;
	(void)regs;
	returned++;
	return 0;
}

/* 0: it is on; else why not, with a reason. */
static int put(void *fn, const char *name)
{
	int err;

	probe = (struct kretprobe){ .kp.addr = fn, .kp.symbol_name = name,
				    .handler = on_return };
	returned = 0;
	err = register_kretprobe(&probe);
	NEED(!err || (err == -EINVAL && probe.kp.reason));
	kprobes_flush();
	return err;
}

static void take_away(int err)
{
	if (!err)
		unregister_kretprobe(&probe);
}

/* ---- the linker's ------------------------------------------------------------- */

static const char *library;
static char directory[4000];
static void *handle;

static void *from(const char *name)
{
	void *fn = dlsym(handle, name);

	NEED(fn);
	return fn;
}

static void load(void)
{
	char path[4096];
	ssize_t len = readlink("/proc/self/exe", directory,
			       sizeof(directory) - 64);

	NEED(len > 0);
	directory[len] = 0;
	*strrchr(directory, '/') = 0;
	snprintf(path, sizeof(path), "%s/%s", directory, library);
	handle = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
	if (!handle)
		puts(dlerror());
	NEED(handle);
}

/* What the linker says to each: a function, and whether it finds a library. */
struct answers {
	void *next, *next_kept;
	bool open, open_kept;
};

static bool opens(const char *how)
{
	void *found = ((void *(*)(const char *))from(how))("libasked.so");

	return found && !dlclose(found);
}

static struct answers answers(void)
{
	struct answers a = { 0 };

	a.next = ((void *(*)(const char *))from("asks_next"))("getpagesize");
	a.next_kept = ((void *(*)(const char *))
		       from("asks_next_kept"))("getpagesize");
	a.open = opens("asks_open");
	a.open_kept = opens("asks_open_kept");
	return a;
}

/* On each of the library's own, and on the linker's, through each of them. */
static void ask(void)
{
	static const char *const probed[] = {
		"asks_next", "asks_next_kept", "asks_open", "asks_open_kept",
		"dlsym", "dlvsym", "dlopen", "dlmopen", "dlclose", "dladdr",
		"dl_iterate_phdr", "dlerror",
	};
	struct answers plain, now;
	size_t i;
	int err;

	load();
	plain = answers();
	/* It is behind the C library's, as its RUNPATH is its own. */
	NEED(plain.next_kept != from("getpagesize") && plain.open_kept);
	for (i = 0; i < sizeof(probed) / sizeof(probed[0]); i++) {
		err = put(NULL, probed[i]);
		if (err)
			printf("# %s: %s\n", probed[i], probe.kp.reason);
		now = answers();
		NEED(now.next == plain.next && now.next_kept == plain.next_kept);
		NEED(now.open == plain.open && now.open_kept == plain.open_kept);
		/* What only calls the linker is not refused. */
		if (strstr(probed[i], "kept"))
			NEED(!err && returned && !probe.nmissed);
		take_away(err);
	}
}

/* Before the linker has looked for what it calls. */
static void tail_calls_count_as_missed(void)
{
	load();
	NEED(!put(NULL, "asks_next") && probe.kp.reason);
	((void *(*)(const char *))from("asks_next"))("getpagesize");
	NEED(!returned && probe.nmissed == 1);
	take_away(0);
	NEED(!put(NULL, "asks_open") && probe.kp.reason);
	opens("asks_open");
	NEED(!returned && probe.nmissed == 1);
	take_away(0);
	NEED(!put(NULL, "asks_next_kept"));
	take_away(0);
	NEED(!put(NULL, "asks_open_kept"));
	take_away(0);
}

/* ---- functions that return twice, or are entered in other ways ---------------------- */

static jmp_buf here;
static ucontext_t context;

static void twice(void)
{
	static const char *const probed[] = {
		"_setjmp", "setjmp", "__sigsetjmp", "getcontext", "swapcontext",
		"setcontext", "makecontext", "longjmp", "_longjmp",
		"siglongjmp", "vfork", "clone", "fork", "__fentry__", "_mcount",
		"mcount",
	};
	volatile int came;
	size_t i;
	int err, status;

	for (i = 0; i < sizeof(probed) / sizeof(probed[0]); i++) {
		pid_t pid;

		err = put(NULL, probed[i]);
		came = 0;
		if (!setjmp(here))
			longjmp(here, ++came);
		NEED(came == 1);
		came = 0;
		NEED(!getcontext(&context));
		if (came++ < 3)
			setcontext(&context);
		NEED(came == 4);
		pid = vfork();
		if (!pid)
			_exit(5);
		NEED(waitpid(pid, &status, 0) == pid &&
		     WEXITSTATUS(status) == 5);
		pid = fork();
		if (!pid)
			_exit(6);
		NEED(waitpid(pid, &status, 0) == pid &&
		     WEXITSTATUS(status) == 6);
		take_away(err);
	}
}

/*
 * Two functions under one description, as virtual machines' assembler has them:
 * the first is called and pushes; the label inside is jumped to; the last is
 * called.  And one that nobody called, as what begins a thread.
 */
int one_called(int x), one_last(int x);
void one_inside(void), one_begins(void);
__asm__(".text\n.p2align 4\n"
	".globl one_called, one_inside, one_last, one_begins\n"
	".type one_called, @function\n.type one_inside, @function\n"
	".type one_last, @function\n.type one_begins, @function\n"
	"one_called:\n"
	"	.cfi_startproc\n"
	"	push %rbx\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset rbx, -16\n"
	"	mov %edi, %ebx\n"
	"	nopl 0(%rax)\n"
	"	jmp one_inside\n"
	"	.size one_called, . - one_called\n"
	"one_inside:\n"
	"	lea 1(%rbx), %eax\n"
	"	nopl 0(%rax)\n"
	"	.cfi_remember_state\n"
	"	pop %rbx\n"
	"	.cfi_def_cfa_offset 8\n"
	"	ret\n"
	"	.size one_inside, . - one_inside\n"
	"one_last:\n"
	"	lea 2(%rdi), %eax\n"
	"	nopl 0(%rax)\n"
	"	ret\n"
	"	.cfi_restore_state\n"
	"	nop\n"
	"	.size one_last, . - one_last\n"
	"	.cfi_endproc\n"
	"one_begins:\n"
	"	.cfi_startproc\n"
	"	.cfi_undefined rip\n"
	"	xor %ebp, %ebp\n"
	"	nopl 0(%rax)\n"
	"	ud2\n"
	"	.cfi_endproc\n"
	"	.size one_begins, . - one_begins\n");

static void what_is_not_called(void)
{
	NEED(put((void *)one_inside, NULL) && put((void *)one_begins, NULL));
	NEED(put(NULL, "_start"));
	NEED(!put((void *)one_called, NULL));
	NEED(one_called(1) == 2 && one_last(1) == 3 && returned == 1);
	take_away(0);
	NEED(!put((void *)one_last, NULL));
	NEED(one_called(1) == 2 && one_last(1) == 3 && returned == 1);
	take_away(0);
}

/* ---- no more than that ------------------------------------------------------------------ */

static void others_are_not_refused(void)
{
	static const char *const probed[] = {
		"malloc", "free", "calloc", "realloc", "read", "write", "open",
		"close", "memcpy", "strlen", "qsort", "printf", "getenv",
		"pthread_create", "pthread_exit", "pthread_mutex_lock", "fork",
		"clone", "waitpid", "exit", "sigaction", "nanosleep", "strtod",
		"dladdr", "dlclose", "dlerror", "execve", "select", "poll",
	};
	size_t i;
	int err;

	for (i = 0; i < sizeof(probed) / sizeof(probed[0]); i++) {
		err = put(NULL, probed[i]);
		if (err)
			printf("# %s: %s\n", probed[i], probe.kp.reason);
		NEED(!err);
		take_away(err);
	}
}

static __attribute__((noinline, noclone)) void *reads_its_own(void)
{
	return __builtin_return_address(0);
}

/* A program's own function sees the stub, as the documentation says. */
static void the_programs_own(void)
{
	NEED(!put((void *)reads_its_own, NULL));
	NEED(is_kretprobe_trampoline((unsigned long)reads_its_own()));
	take_away(0);
}

static void with(const char *file)
{
	char name[100];

	library = file;
	snprintf(name, sizeof(name), "K-RET-05 tail calls of the linker, %s",
		 file);
	child_case(name, tail_calls_count_as_missed);
	snprintf(name, sizeof(name), "K-RET-05 who asks the linker, %s", file);
	child_case(name, ask);
}

int main(void)
{
	jumps_begin();
	with("asks-lazy.so");
	with("asks-now.so");
	with("asks-noplt.so");
	child_case("K-RET-05 functions that return twice", twice);
	child_case("K-RET-05 what is jumped to, or begins", what_is_not_called);
	child_case("K-RET-05 others of the C library are not refused",
		   others_are_not_refused);
	child_case("K-RET-43 nor is what a program does for itself",
		   the_programs_own);
	return live_failed;
}
