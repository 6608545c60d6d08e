// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * made.c - a process that makes code, and says so in /tmp/perf-PID.map, as runtimes do.
 *
 * Owns: nothing.  A line of input each: "work" calls what it has made, through code
 * without unwind entries, and that calls outer(); others change the file: "old", "new" and "both" add lines to it, "hostile" and
 * "link" make one, "chown" gives it away.  The end of input ends it, and its file.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))

/* push %rbp; mov %rsp,%rbp; mov $outer,%rax; call *%rax; pop %rbp; ret */
static const unsigned char text[] = {
	0x55, 0x48, 0x89, 0xe5, 0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0,
	0xff, 0xd0, 0x5d, 0xc3,
};
#define ADDRESS 6

static char name[64];
static unsigned long made;

long seen(long n);
long outer(long n);

NOINLINE long seen(long n)
{
	__asm__ volatile("" : : "r"(n) : "memory");
	return n;
}

static inline __attribute__((always_inline)) long within(long n)
{
	return seen(n + 1) + 1;
}

NOINLINE long outer(long n)
{
	return within(n) * 2;
}

static void say(bool old, bool new)
{
	FILE *file = fopen(name, "a");

	if (!file)
		exit(1);
	if (old)
		fprintf(file, "%lx %zx Made:~old /x.js:1\n", made, sizeof(text));
	if (new)
		fprintf(file, "%lx %zx Made:*work /x.js:12\n", made, sizeof(text));
	fclose(file);
}

static void hostile(void)
{
	FILE *file = fopen(name, "w");
	unsigned long i;

	if (!file)
		exit(1);
	fprintf(file, "%lx ffffffffffffffff over\nx\n \n1\n1 \n1 2\n-1 -1 x\n", made);
	fprintf(file, "%lx 0 nothing\n", made);
	for (i = 0; i < 300000; i++)
		fprintf(file, "%lx %lx around%lu\n", made - i % 1000, 8 + i, i);
	fprintf(file, "%lx %zx a\033[2Jb\n", made, sizeof(text));
	for (i = 0; i < 100000; i++)
		fputs("no end of a line ", file);
	fclose(file);
}

/* As a runtime's own assembler code: with a frame pointer, without unwind entries. */
__asm__(".text\n.type untold, @function\n"
	"untold: push %rbp\n mov %rsp, %rbp\n call *%rdi\n pop %rbp\n ret\n"
	".size untold, . - untold\n");
long untold(long (*fn)(long));

static bool is(const char *line, const char *word)
{
	return !strncmp(line, word, strlen(word));
}

static void change(const char *line)
{
	if (is(line, "old") || is(line, "both"))
		say(true, is(line, "both"));
	else if (is(line, "new"))
		say(false, true);
	else if (is(line, "hostile"))
		hostile();
	else if (is(line, "link") && symlink("/etc/passwd", name))
		exit(1);
	else if (is(line, "chown") && chown(name, 65534, 65534))
		exit(1);
}

int main(void)
{
	unsigned char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long (*fn)(long) = outer;
	char line[64];

	memcpy(code + 64, text, sizeof(text));
	memcpy(code + 64 + ADDRESS, &fn, sizeof(fn));
	made = (unsigned long)code + 64;
	snprintf(name, sizeof(name), "/tmp/perf-%d.map", (int)getpid());
	printf("ready\n");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		if (is(line, "work"))
			untold((long (*)(long))made);
		else
			change(line);
		printf("done\n");
		fflush(stdout);
	}
	unlink(name);
	return 0;
}
