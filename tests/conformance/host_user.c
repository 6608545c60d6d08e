/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * host_user.c - what only a process has: rules whose case needs signals,
 * shared objects, the memory map or resource limits.  Not part of the suite in
 * a kernel, where tests/kernel has the counterparts.
 */
#define _GNU_SOURCE
#include "harness.h"
#include <kprobes/control.h>

#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

static void install(int sig, void (*fn)(int, siginfo_t *, void *),
		    struct sigaction *old)
{
	struct sigaction act = { .sa_sigaction = fn, .sa_flags = SA_SIGINFO };

	if (sigaction(sig, &act, old))
		abort();
}

/* ---- the memory map --------------------------------------------------------- */

/* Mappings that are writable and executable; *at: the permissions at addr. */
static int writable_and_executable(unsigned long addr, char *at)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long start, end;
	char perms[5], line[512];
	int nr = 0;

	while (maps && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx %4s", &start, &end, perms) != 3)
			continue;
		nr += perms[1] == 'w' && perms[2] == 'x';
		if (addr >= start && addr < end)
			strcpy(at, perms);
	}
	if (maps)
		fclose(maps);
	return nr;
}

static void memory_map(void)
{
	struct kprobe p = { .symbol_name = "t_add", .offset = T_ADD_LEA };
	char perms[5] = "";
	int before = writable_and_executable(0, perms);

	t_register(&p);
	EXPECT_EQ("K-XI-50", "no mapping is writable and executable",
		  writable_and_executable((unsigned long)p.ainsn.insn, perms),
		  before);
	EXPECT("K-XI-50", "the slot's is executable only",
	       perms[1] == '-' && perms[2] == 'x');
	unregister_kprobe(&p);
}

/* ---- what faults without a probe faults with one ------------------------------ */

static unsigned long fault_ip;
static int fault_signal;

static void skip_one_byte(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)info;
	fault_signal = sig;
	fault_ip = (unsigned long)t_uc_ip(uc);
	/* hlt and cli are one byte; and say so where it went wrong. */
	t_uc_ip(uc) += 1;
}

static void faults_alike(const char *rule, const char *what, void (*fn)(void))
{
	struct kprobe p = { .addr = T_AT(fn, T_REFUSED_AT), .pre_handler = t_pre,
			    .post_handler = t_post };
	struct sigaction old;

	install(SIGSEGV, skip_one_byte, &old);
	fault_ip = 0;
	fn();
	EXPECT(rule, what, fault_ip == (unsigned long)fn + 1 &&
	       fault_signal == SIGSEGV);
	EXPECT_EQ(rule, "a probe there", t_register(&p), 0);
	t_reset();
	fault_ip = 0;
	fn();
	EXPECT(rule, "the same fault at the same place",
	       fault_ip == (unsigned long)fn + 1 && fault_signal == SIGSEGV);
	EXPECT(rule, "after the pre handler, without a post handler",
	       t_counts.pre == 1 && !t_counts.post);
	unregister_kprobe(&p);
	sigaction(SIGSEGV, &old, NULL);
}

/* ---- the program's own fault handler in the middle of a step -------------------- */

static void *page;
static long page_size;

static void open_page(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)sig;
	(void)info;
	fault_ip = (unsigned long)t_uc_ip(uc);
	t_inner(1);
	mprotect(page, (size_t)page_size, PROT_READ | PROT_WRITE);
}

static void repaired_by_the_program(bool with_post)
{
	struct kprobe p = { .symbol_name = "t_load", .pre_handler = t_pre,
			    .post_handler = with_post ? t_post : NULL };
	struct kprobe inner = { .symbol_name = "t_inner" };
	struct sigaction old;

	page_size = sysconf(_SC_PAGESIZE);
	page = mmap(NULL, (size_t)page_size, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	*(long *)page = 31337;
	mprotect(page, (size_t)page_size, PROT_NONE);
	install(SIGSEGV, open_page, &old);
	t_register(&p);
	t_register(&inner);
	t_reset();
	EXPECT_EQ("K-HIT-24", "the program's handler repairs the fault",
		  t_load(page), 31337);
	EXPECT("K-FLT-08", "it saw the original address",
	       fault_ip == T_CODE(t_load));
	EXPECT("K-HIT-24", "pre ran for each execution, post for the one that ended",
	       t_counts.pre == 2 && t_counts.post == (with_post ? 1 : 0) &&
	       !p.nmissed);
	EXPECT_EQ("K-REE-12", "a probe hit meanwhile is not missed",
		  inner.nmissed, 0);
	unregister_kprobe(&inner);
	unregister_kprobe(&p);
	sigaction(SIGSEGV, &old, NULL);
	munmap(page, (size_t)page_size);
}

static void the_mask(void)
{
	struct kprobe p = { .symbol_name = "t_add", .pre_handler = t_pre,
			    .post_handler = t_post };
	sigset_t mine, now;

	sigemptyset(&mine);
	sigaddset(&mine, SIGUSR2);
	sigaddset(&mine, SIGTERM);
	sigprocmask(SIG_SETMASK, &mine, NULL);
	t_register(&p);
	t_add(1, 2);
	sigprocmask(SIG_SETMASK, NULL, &now);
	EXPECT("K-XI-43 K-HIT-33", "the signal mask is as before the hit",
	       sigismember(&now, SIGUSR2) == 1 &&
	       sigismember(&now, SIGTERM) == 1 &&
	       sigismember(&now, SIGALRM) == 0 &&
	       sigismember(&now, SIGUSR1) == 0);
	unregister_kprobe(&p);
	sigemptyset(&mine);
	sigprocmask(SIG_SETMASK, &mine, NULL);
}

/* ---- shared objects that come and go ------------------------------------------- */

static void unloaded(void)
{
	void *lib = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
	struct kprobe p = { .symbol_name = "libm:cbrt", .pre_handler = t_pre };
	double (*volatile cbrt_of)(double);

	if (!lib) {
		SKIP("K-REG-60", "libm.so.6 is not there");
		return;
	}
	*(void **)(void *)&cbrt_of = dlsym(lib, "cbrt");
	EXPECT_EQ("K-REG-60", "a probe in a shared object", t_register(&p), 0);
	t_reset();
	cbrt_of(8);
	EXPECT_EQ("K-REG-60", "is hit", t_counts.pre, 1);
	dlclose(lib);
	EXPECT("K-REG-60", "does not keep it loaded",
	       !dlopen("libm.so.6", RTLD_NOW | RTLD_NOLOAD));
	EXPECT("K-EN-06", "the probe is gone", kprobe_gone(&p));
	EXPECT_EQ("K-EN-06", "enable a gone probe", enable_kprobe(&p), -EINVAL);
	EXPECT_EQ("K-EN-06", "disable a gone probe", disable_kprobe(&p), 0);
	unregister_kprobe(&p);
	EXPECT("K-UNR-03", "unregister a gone probe", p.addr);
	EXPECT_EQ("K-EN-06", "and then it is not registered",
		  disable_kprobe(&p), -EINVAL);
}

static int lines;

static void count_marked(void *arg, const char *line, size_t len)
{
	(void)arg;
	(void)len;
	lines += strstr(line, "\tso_marked\n") != NULL;
}

static int listed(void)
{
	lines = 0;
	kprobes_blacklist(count_marked, NULL);
	return lines;
}

static int try(void *addr)
{
	struct kprobe p = { .addr = addr };
	int err = register_kprobe(&p);

	if (!err)
		unregister_kprobe(&p);
	return err;
}

/* build/tests/live/marked.so */
static void *load_marked(void)
{
	char path[512];
	long len = readlink("/proc/self/exe", path, sizeof(path) - 32);
	char *slash;

	path[len > 0 ? len : 0] = 0;
	slash = strrchr(path, '/');
	if (!slash)
		return NULL;
	strcpy(slash, "/live/marked.so");
	return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static void marks_come_and_go(void)
{
	int i, refused = 0, accepted = 0, placed = 0, stale = 0;

	EXPECT_EQ("K-BLK-06", "not listed before it is loaded", listed(), 0);
	for (i = 0; i < 20; i++) {
		void *lib = load_marked();

		if (!lib)
			break;
		refused += try(dlsym(lib, "so_marked")) == -EINVAL;
		placed += try(dlsym(lib, "so_placed")) == -EINVAL;
		accepted += try(dlsym(lib, "so_plain")) == 0;
		if (i == 0)
			EXPECT_EQ("K-BLK-06", "listed while it is loaded",
				  listed(), 1);
		dlclose(lib);
		stale += listed();
	}
	EXPECT_EQ("K-BLK-13", "whenever loaded, a mark is honoured", refused,
		  20);
	EXPECT_EQ("K-BLK-13 K-BLK-01", "so is __kprobes", placed, 20);
	EXPECT_EQ("K-BLK-13", "and nothing else is refused", accepted, 20);
	EXPECT_EQ("K-BLK-06", "not listed after it is unloaded", stale, 0);
}

/* ---- without memory -------------------------------------------------------------- */

static void hit_add(void *arg)
{
	*(long *)arg = t_add(1, 2);
}

static void no_memory(void)
{
	struct kprobe p = { .symbol_name = "t_add", .pre_handler = t_pre,
			    .post_handler = t_post };
	struct rlimit old, none = { 0, 0 };
	long result = 0;

	t_register(&p);
	t_reset();
	getrlimit(RLIMIT_AS, &old);
	none.rlim_max = old.rlim_max;
	setrlimit(RLIMIT_AS, &none);
	hit_add(&result);
	setrlimit(RLIMIT_AS, &old);
	EXPECT("K-API-18", "a hit when no memory can be had",
	       result == 3 && t_counts.pre == 1 && t_counts.post == 1 &&
	       !p.nmissed);
	unregister_kprobe(&p);
}

/* ---- 32-bit addresses --------------------------------------------------------------- */

#ifdef MAP_32BIT
#define LOW MAP_32BIT
#else
#define LOW 0
#endif

static void short_addresses(void)
{
	struct kprobe p = { .addr = T_AT(t_jump_67, 1), .pre_handler = t_pre,
			    .post_handler = t_post };
	long *low = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE |
			 MAP_ANONYMOUS | LOW, -1, 0);

	if (low == MAP_FAILED) {
		SKIP("K-XI-07", "no memory below 4 GiB");
		return;
	}
	*low = (long)t_after;
	low = (long *)((uintptr_t)((uintptr_t)low | 1ull << 40));
	EXPECT_EQ("K-XI-07", "without a probe", t_jump_67(low), 2);
	t_register(&p);
	t_reset();
	EXPECT_EQ("K-XI-07", "with one", t_jump_67(low), 2);
	EXPECT("K-XI-07", "which is hit", t_counts.pre == 1 &&
	       t_counts.post == 1 &&
	       T_IP(t_counts.post_regs) == T_CODE(t_after));
	unregister_kprobe(&p);
	munmap((void *)((unsigned long)low & 0xffffffff), 4096);
}

/* ---- bad addresses ------------------------------------------------------------------ */

static int accepted_in(unsigned long start, unsigned long len)
{
	unsigned long at;
	int accepted = 0;

	for (at = start; at < start + len; at++) {
		struct kprobe p = { .addr = (kprobe_opcode_t *)at };

		if (!register_kprobe(&p)) {
			accepted++;
			unregister_kprobe(&p);
		}
	}
	return accepted;
}

static void bad_addresses(void)
{
	struct kprobe p = { .symbol_name = "t_add", .offset = T_ADD_LEA };
	unsigned long vdso = getauxval(AT_SYSINFO_EHDR);
	char *hole = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);
	unsigned char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE |
				   PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(hole, 8192);
	EXPECT_EQ("BAD-INPUT", "unmapped memory",
		  accepted_in((unsigned long)hole, 64), 0);
	memset(code, 0x90, 4096);
	EXPECT_EQ("BAD-INPUT", "executable memory of no object",
		  accepted_in((unsigned long)code, 64), 0);
	munmap(code, 4096);
	if (vdso)
		EXPECT_EQ("BAD-INPUT", "the vdso", accepted_in(vdso, 8192), 0);
	t_register(&p);
	EXPECT_EQ("BAD-INPUT", "every byte of a page of slots",
		  accepted_in((unsigned long)p.ainsn.insn & ~4095ul, 4096), 0);
	unregister_kprobe(&p);
	EXPECT_EQ("BAD-INPUT", "a page of the engine",
		  accepted_in((unsigned long)t_engine() & ~4095ul, 4096), 0);
	EXPECT_EQ("K-REG-45", "the functions work", t_add(1, 2), 3);
}

void t_host(void)
{
	/* A static program has no interpreter, and no objects come and go. */
	bool objects = getauxval(AT_BASE) != 0;

	memory_map();
	if (T_PRIVILEGED_FAULTS) {
		faults_alike("K-XI-14", "hlt faults", t_hlt);
		faults_alike("K-XI-30", "cli faults", t_cli);
	}
	repaired_by_the_program(false);
	repaired_by_the_program(true);
	the_mask();
	if (objects) {
		unloaded();
		marks_come_and_go();
	}
	no_memory();
	if (T_SHORT_ADDRESSES)
		short_addresses();
	bad_addresses();
}
