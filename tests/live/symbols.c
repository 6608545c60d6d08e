/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * symbols.c - names, bounds and refusals of real objects: stripped and indirect
 * functions, aliases, modules, the vdso, the engine, code made at run time.
 */
#include "live.h"
#include "processor.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <math.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <time.h>

#ifndef SECOND_SET
#define SECOND_SET 0ul			/* a bit of a function's address that says it is of the second set */
#define STRIPPED_BOUNDS 1		/* code of libc's without a symbol has bounds, by its unwind tables */
#define VERSIONED "memcpy"		/* of libc's: there are two */
#endif

/* Where the function stands that the linker finds. */
static void *found(const char *name)
{
	return (void *)((unsigned long)dlsym(RTLD_DEFAULT, name) & ~SECOND_SET);
}

static int try_name(const char *name, struct kprobe *p)
{
	int err;

	*p = (struct kprobe){ .symbol_name = name, .pre_handler = live_pre };
	err = register_kprobe(p);
	if (err)
		printf("# %s: %d %s\n", name, err, p->reason ? p->reason : "");
	return err;
}

static int try_addr(const void *addr)
{
	struct kprobe p = { .addr = (kprobe_opcode_t *)(unsigned long)addr };
	int err = register_kprobe(&p);

	if (!err)
		unregister_kprobe(&p);
	else
		printf("# %p: %d %s\n", addr, err, p.reason ? p.reason : "");
	return err;
}

static void names(void)
{
	static const char *const good[] = {
		"malloc", "libc:malloc", "libc.so:malloc", "libc.so.6:malloc",
		"live_target", "symbols:live_target", "main",
	};
	struct kprobe p;
	size_t i;
	char what[64];

	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		snprintf(what, sizeof(what), "name %s", good[i]);
		EXPECT(what, !try_name(good[i], &p));
		unregister_kprobe(&p);
	}
	EXPECT("name libm:malloc", try_name("libm:malloc", &p) == -ENOENT);
	EXPECT("name lib:malloc", try_name("lib:malloc", &p) == -ENOENT);
	EXPECT("name libc:live_target",
	       try_name("libc:live_target", &p) == -ENOENT);
	EXPECT("name of an undefined symbol",
	       try_name("symbols:malloc", &p) == -ENOENT);
}

/* Alias names of one function find one address. */
static void aliases(void)
{
	static const char *const sets[][2] = {
		{ "libc:write", "libc:__write" },
		{ "libc:close", "libc:__close" },
		{ "libc:fork", "libc:__fork" },
		{ "libc:nanosleep", "libc:__nanosleep" },
	};
	struct kprobe a, b;
	size_t i;

	for (i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
		bool ok = !try_name(sets[i][0], &a) &&
			  !try_name(sets[i][1], &b) && a.addr == b.addr;

		EXPECT(sets[i][1], ok);
		unregister_kprobe(&a);
		unregister_kprobe(&b);
	}
	EXPECT("versions: the default one wins", !try_name("libc:" VERSIONED, &a) &&
	       a.addr == found(VERSIONED));
	unregister_kprobe(&a);
}

static volatile size_t length;

static void indirect_functions(void)
{
	static const char *const names_[] = {
		"strlen", "memcpy", "memset", "strchr", "strcmp", "memchr",
	};
	char text[64] = "0123456789";
	struct kprobe p;
	size_t i;
	long before;

	for (i = 0; i < sizeof(names_) / sizeof(names_[0]); i++) {
		void *real = found(names_[i]);
		int err = try_name(names_[i], &p);

		/* Selected, and nobody says where it ends. */
		if (!STRIPPED_BOUNDS && err)
			EXPECT(names_[i], err == -ENOENT && strstr(p.reason, "no known symbol"));
		else
			EXPECT(names_[i], !err && p.addr == real);
		unregister_kprobe(&p);
	}
	EXPECT("indirect strlen", !try_name("libc:strlen", &p));
	before = live_hits;
	length = ((size_t (*)(const char *))dlsym(RTLD_DEFAULT, "strlen"))(text);
	EXPECT("indirect strlen is hit", length == 10 &&
	       live_hits == before + 1);
	unregister_kprobe(&p);
}

/* Code without a symbol: every third instruction of a stripped function. */
static void stripped_code(void)
{
	struct kprobe p;
	int err;

	/* A landing inside the selected strlen is known by unwind data only. */
	err = try_name("libc:strlen", &p);
	EXPECT("stripped: an entry without a symbol", !err);
	EXPECT("stripped: counts as an entry",
	       p.flags & KPROBE_FLAG_ON_FUNC_ENTRY);
	unregister_kprobe(&p);
}

/* A kernel may have none. */
static void vdso_refused(char *vdso)
{
	struct kprobe p;
	int i;

	EXPECT("K-REG-28 the vdso's header", try_addr(vdso) < 0);
	EXPECT("K-REG-28 the vdso by name",
	       try_name(VDSO_NAME, &p) == -EINVAL);
	for (i = 0; i < 64; i++)
		if (try_addr(vdso + i * 64) == 0)
			break;
	EXPECT("K-REG-28 no address of the vdso", i == 64);
}

static void refused(void)
{
	char *vdso = (char *)getauxval(AT_SYSINFO_EHDR);
	unsigned char *jit = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct kprobe p;
	void *fn;

	memset(jit, 0x90, 4096);
	EXPECT("K-REG-08 code made at run time", try_addr(jit) == -ENOENT);
	munmap(jit, 4096);
	EXPECT("K-REG-08 unmapped", try_addr(jit) == -ENOENT);
	if (vdso)
		vdso_refused(vdso);
	fn = dlsym(RTLD_DEFAULT, "kp_register_kprobe");
	EXPECT("K-BLK-09 the engine by name",
	       try_name("kp_register_kprobe", &p) == -EINVAL);
	EXPECT("K-BLK-09 the engine by address", try_addr(fn) == -EINVAL);
	EXPECT("K-REG-09 read-only data", try_addr("text") < 0);
	EXPECT("K-REG-09 libc's data", try_name("libc:environ", &p) == -EINVAL);
	EXPECT("K-REG-08 a kernel address",
	       try_addr((void *)0xffffffff81000000ul) == -ENOENT);
	EXPECT("K-REG-08 not canonical",
	       sizeof(long) == 4 ||
	       try_addr((void *)(unsigned long)0x8000000000000000ull) == -ENOENT);
}

/* Many functions of libc under probes while the program uses them. */
static void broad(void)
{
	static const char *const list[] = {
		"malloc", "free", "calloc", "realloc", "printf", "vfprintf",
		"fflush", "fwrite", "write", "strtol", "snprintf", "getenv",
		"qsort", "clock_gettime", "pthread_mutex_lock",
		"pthread_mutex_unlock", "strlen", STRIPPED_BOUNDS ? "memcpy" : "memccpy", "memset", "strcmp",
		"pthread_create", "pthread_join", "mmap", "munmap", "open",
		"read", "close", "sigprocmask", "pthread_sigmask", "sigaction",
		"raise", "fork", "waitpid", "usleep", "nanosleep",
		"clock_nanosleep", "dlsym", "dlopen", "dlclose", "getpid",
		"__errno_location", "dl_iterate_phdr", "memmove", "memcmp",
	};
	enum { NR = sizeof(list) / sizeof(list[0]) };
	static struct kprobe probes[NR];
	struct kprobe *array[NR];
	pthread_t thread;
	long before = live_hits;
	int i, err, status;

	for (i = 0; i < NR; i++) {
		probes[i] = (struct kprobe){ .symbol_name = list[i],
					     .pre_handler = live_pre,
					     .post_handler = live_post };
		array[i] = &probes[i];
	}
	err = register_kprobes(array, NR);
	if (err)
		for (i = 0; i < NR; i++)
			if (probes[i].reason)
				printf("# %s: %s\n", list[i],
				       probes[i].reason);
	EXPECT("the engine's own callees are probed", !err);
	for (i = 0; i < 200; i++) {
		char *s = malloc(100);

		snprintf(s, 100, "%d %s", i, getenv("PATH"));
		s = realloc(s, 5000);
		memset(s, i, 5000);
		free(s);
	}
	pthread_create(&thread, NULL, (void *(*)(void *))(void *)usleep,
		       (void *)100);
	pthread_join(thread, NULL);
	if (!fork())
		_exit(3);
	wait(&status);
	EXPECT("fork under all of them", WEXITSTATUS(status) == 3);
	{
		struct kprobe p;

		EXPECT("register while all are probed",
		       !try_name("live_target", &p));
		EXPECT("and hit", live_target(1) == 2);
		unregister_kprobe(&p);
	}
	unregister_kprobes(array, NR);
	EXPECT("they were hit", live_hits > before + 1000);
}

int main(void)
{
	names();
	aliases();
	indirect_functions();
	stripped_code();
	refused();
	broad();
	return live_failed;
}
