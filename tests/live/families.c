/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * families.c - usage: families [plain|probed]
 *
 * A workload over libc's string, stdio and malloc families, with and without a
 * return probe on every function that libc exports for them.  Without an
 * argument: run both in children and compare their output.
 */
#include "jumps.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <wchar.h>

/* ---- the work ------------------------------------------------------------- */

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void strings(void)
{
	char a[100], b[100], *rest = NULL, *word;
	char *words[16];
	int nr = 0, i;

	strcpy(a, "the quick brown fox jumps over the lazy dog");
	snprintf(b, sizeof(b), "%s", a);
	for (word = strtok_r(b, " ", &rest); word;
	     word = strtok_r(NULL, " ", &rest))
		words[nr++] = strdup(word);
	qsort(words, (size_t)nr, sizeof(words[0]), by_text);
	for (i = 0; i < nr; i++) {
		printf("%s %zu %d\n", words[i], strlen(words[i]),
		       strcasecmp(words[i], "FOX") > 0);
		free(words[i]);
	}
	printf("%s|%s|%s\n", strstr(a, "fox"), strchr(a, 'q'), strrchr(a, 'o'));
	printf("%zu %zu %d %d\n", strspn(a, "eht "), strcspn(a, "q"),
	       memcmp(a, "the", 3), strncmp(a, "thf", 3) < 0);
	printf("%ld %lu %.3f\n", strtol("-17", NULL, 10),
	       strtoul("ff", NULL, 16), strtod("2.5e3", NULL));
	memmove(a + 2, a, 20);
	memset(a, 'x', 2);
	*(char *)mempcpy(b, a, 10) = 0;
	strcat(b, "!");
	*stpcpy(a, "end") = 0;
	printf("%s %s %p\n", a, b, memchr(a, 'z', 3));
}

static void wide(void)
{
	wchar_t text[64], *end;

	wcscpy(text, L"wide ");
	wcscat(text, L"strings");
	wmemset(text, L'W', 1);
	printf("%ls %zu %d %ld\n", text, wcslen(text),
	       wcscmp(text, L"Wide") > 0, wcstol(L"42x", &end, 10));
	swprintf(text, 64, L"%d-%ls", 7, L"seven");
	printf("%ls %ls\n", text, wcschr(text, L's'));
}

static void files(void)
{
	char *memory = NULL, line[80], word[20];
	size_t len = 0, room = 0;
	FILE *file = open_memstream(&memory, &len);
	FILE *back = tmpfile();
	char *text = NULL;
	int i, n;

	for (i = 0; i < 30; i++)
		fprintf(file, "%3d %-8s %08x %+.2e\n", i, "line", i * i,
			i / 3.0);
	fputs("last", file);
	fputc('\n', file);
	fclose(file);
	printf("%zu\n", len);
	fwrite(memory, 1, len, back);
	rewind(back);
	while (fgets(line, sizeof(line), back) && strncmp(line, " 10", 3))
		if (sscanf(line, "%d %19s", &n, word) == 2)
			printf("%d:%s ", n, word);
	printf("at %ld\n", ftell(back));
	while (getline(&text, &room, back) > 0)
		n++;
	printf("%d %d %d\n", n, feof(back), ferror(back));
	fseek(back, 5, SEEK_SET);
	ungetc('@', back);
	printf("%c%c\n", getc(back), fgetc(back));
	fclose(back);
	free(text);
	free(memory);
	puts("puts");
	putchar('c');
	putchar('\n');
	fflush(stdout);
}

static void memories(void)
{
	unsigned char *blocks[200];
	unsigned int seed = 5, sum = 0;
	void *aligned = NULL;
	int i, round;

	memset(blocks, 0, sizeof(blocks));
	for (round = 0; round < 10; round++)
		for (i = 0; i < 200; i++) {
			size_t len = (size_t)rand_r(&seed) % 3000 + 1;

			blocks[i] = round % 3 == 1 ? realloc(blocks[i], len)
				: (free(blocks[i]), round % 3 ? malloc(len)
							      : calloc(1, len));
			blocks[i][len - 1] = (unsigned char)i;
			sum += blocks[i][len - 1];
		}
	for (i = 0; i < 200; i++)
		free(blocks[i]);
	aligned = aligned_alloc(64, 640);
	printf("%u %d ", sum, (int)((uintptr_t)aligned % 64));
	free(aligned);
	printf("%d\n", posix_memalign(&aligned, 4096, 100));
	free(aligned);
}

static void work(void)
{
	int i;

	for (i = 0; i < 3; i++) {
		strings();
		wide();
		files();
		memories();
	}
}

/* ---- the functions --------------------------------------------------------- */

static const char *const families[] = {
	"str", "mem", "wcs", "wmem", "stp", "wcp", "index", "rindex", "bcopy",
	"bzero", "bcmp", "raw", "f", "put", "get", "unget", "print", "scan",
	"sprintf", "snprintf", "sscanf", "swprintf", "swscanf", "vf", "vs",
	"vprintf", "vscanf", "vw", "vasprintf", "asprintf", "vdprintf",
	"dprintf", "wprintf", "wscanf", "perror", "rewind", "set", "tmpfile",
	"open_", "malloc", "calloc", "realloc", "free", "aligned_alloc",
	"posix_memalign", "memalign", "valloc", "pvalloc", "__libc_m",
	"__libc_c", "__libc_r", "__libc_f", "_IO_", "__str", "__mem", "__stp",
	"__wcs", "__wmem", "__isoc99_", "__f", "__vf", "__printf",
};

static bool in_family(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(families) / sizeof(families[0]); i++)
		if (!strncmp(name, families[i], strlen(families[i])))
			return true;
	return false;
}

static long returns, refused, documented;

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	(void)ri;
	(void)regs;
	__atomic_fetch_add(&returns, 1, __ATOMIC_RELAXED);
	return 0;
}

#define ROOM 3000
static struct kretprobe probes[ROOM];
static int probes_nr;

/* What returns twice or switches contexts, and what is the kernel's. */
static bool is_documented(const char *reason)
{
	return reason && (strstr(reason, "may return a second time") ||
			  strstr(reason, "the vdso"));
}

static bool is_watched(const void *addr)
{
	int i;

	for (i = 0; i < probes_nr; i++)
		if ((void *)probes[i].kp.addr == addr)
			return true;
	return false;
}

static void watch(const char *name, void *addr)
{
	struct kretprobe *rp = &probes[probes_nr];

	if (!addr || probes_nr == ROOM || is_watched(addr))
		return;
	*rp = (struct kretprobe){ .kp.addr = addr, .handler = on_return };
	if (!register_kretprobe(rp)) {
		probes_nr++;
	} else if (is_documented(rp->kp.reason)) {
		documented++;
	} else {
		refused++;
		fprintf(stderr, "# %s: %s\n", name, rp->kp.reason);
	}
}

/* Every function in libc's dynamic symbols that is of a family. */
static void watch_families(void)
{
	struct link_map *map = NULL;
	struct stat st;
	const char *image;
	const ElfW(Ehdr) *ehdr;
	const ElfW(Shdr) *sec;
	Dl_info info;
	int fd, i;

	dladdr(dlsym(RTLD_DEFAULT, "gnu_get_libc_version"), &info);
	dladdr1(info.dli_saddr, &info, (void **)&map, RTLD_DL_LINKMAP);
	fd = open(map->l_name, O_RDONLY);
	fstat(fd, &st);
	image = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	ehdr = (const void *)image;
	sec = (const void *)(image + ehdr->e_shoff);
	for (i = 0; i < ehdr->e_shnum; i++) {
		const char *names = image + sec[sec[i].sh_link].sh_offset;
		const ElfW(Sym) *sym = (const void *)(image + sec[i].sh_offset);
		const ElfW(Sym) *end = sym + sec[i].sh_size / sizeof(*sym);

		if (sec[i].sh_type != SHT_DYNSYM)
			continue;
		for (; sym < end; sym++) {
			const char *name = names + sym->st_name;
			int type = ELF64_ST_TYPE(sym->st_info);

			if (!sym->st_shndx || !in_family(name))
				continue;
			/* Chosen at run time: what was chosen. */
			if (type == STT_GNU_IFUNC)
				watch(name, dlsym(RTLD_DEFAULT, name));
			else if (type == STT_FUNC)
				watch(name, (char *)map->l_addr + sym->st_value);
		}
	}
	kprobes_flush();
}

/*
 * Valgrind makes the stack larger where the program touches it, but not for the
 * frame of a signal whose handler has SA_ONSTACK, such as a breakpoint's.
 */
static void touch_stack(void)
{
	volatile char deep[256 << 10];
	size_t i;

	for (i = sizeof(deep); i >= 4096; i -= 4096)
		deep[i - 1] = 0;
}

/* ---- the comparison ------------------------------------------------------------ */

static char *output_of(bool probed, size_t *len)
{
	char *text = calloc(1, 1 << 20);
	int ends[2];
	ssize_t got;
	pid_t pid;
	int jumps;

	*len = 0;
	fflush(stdout);
	if (pipe(ends))
		return text;
	pid = fork();
	if (!pid) {
		dup2(ends[1], 1);
		if (probed)
			watch_families();
		work();
		jumps = jumps_count(NULL).jumps;
		if (probed)
			fprintf(stderr, "ok families: %d functions probed, %d through jumps, %ld refused as documented, %ld otherwise, %ld returns\n",
				probes_nr, jumps, documented, refused, returns);
		_exit(refused || (probed && !jumps != !jumps_wanted()) || (probed && (probes_nr < 400 || !returns)));
	}
	close(ends[1]);
	while ((got = read(ends[0], text + *len, (1 << 20) - *len)) > 0)
		*len += (size_t)got;
	close(ends[0]);
	waitpid(pid, (int *)(void *)(text + (1 << 20) - 8), 0);
	return text;
}

static int status_of(const char *text)
{
	return *(const int *)(const void *)(text + (1 << 20) - 8);
}

int main(int argc, char **argv)
{
	size_t plain_len, len;
	char *plain, *probed;

	jumps_begin();
	/* For Valgrind: one run in this process. */
	if (argc > 1) {
		touch_stack();
		if (!strcmp(argv[1], "probed"))
			watch_families();
		work();
		fprintf(stderr, "# %d functions probed, %d through jumps\n",
			probes_nr, jumps_count(NULL).jumps);
		return refused != 0;
	}
	plain = output_of(false, &plain_len);
	probed = output_of(true, &len);
	EXPECT("families: the workload prints", plain_len > 1000);
	EXPECT("families: every exported function of the families is probed",
	       !status_of(plain) && !status_of(probed));
	EXPECT("families: the output is the same", len == plain_len &&
	       !memcmp(plain, probed, len));
	return live_failed;
}
