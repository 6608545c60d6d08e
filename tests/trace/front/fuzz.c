/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * fuzz.c - scripts that are damaged at random.
 *
 * usage: fuzz NR SEED FILE...: each of NR scripts is one of the files' ("=== NAME"
 * begins one in a file of several), or two of them joined, with some bytes changed.
 * Whatever it is: it is refused at a place that exists, or its program passes
 * kt_check(), and can be run.
 */
#include "build.h"
#include "dump.h"
#include "env.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCRIPTS	2048
#define LEN_MAX	16384

static struct { char *text; size_t len; } scripts[SCRIPTS];
static unsigned int scripts_nr;
static u64 state;

static u32 below(u32 end)
{
	return end ? (u32)(random_next(&state) >> 32) % end : 0;
}

static void add_script(const char *text, size_t len)
{
	if (scripts_nr == SCRIPTS || !len || len > LEN_MAX / 4)
		return;
	scripts[scripts_nr].text = malloc(len);
	memcpy(scripts[scripts_nr].text, text, len);
	scripts[scripts_nr++].len = len;
}

static void read_scripts(const char *name)
{
	static char text[1 << 20];
	FILE *in = fopen(name, "r");
	char *at = text, *next;
	size_t len;

	if (!in)
		return;
	len = fread(text, 1, sizeof(text) - 1, in);
	fclose(in);
	text[len] = 0;
	while ((next = strstr(at, "=== "))) {
		add_script(at, (size_t)(next - at));
		at = strchr(next, '\n');
		if (!at)
			return;
	}
	add_script(at, strlen(at));
}

static const char *const words[] = {
	"@", "$x", "@x[", "]", "{", "}", "(", ")", "/", "++", "--", "+=", "->", ".",
	"..", "?", ":", "if", "else", "while", "unroll(3)", "for", "break", "return",
	"count()", "hist(", "lhist(pid,0,10,1)", "str(", "buf(", "printf(\"%d\",",
	"printf(\"%s\",", "print(", "kstack", "ustack", "comm", "pid", "arg0", "func",
	"args.task", "(struct task_struct *)", "(uint8)", "(char *)", "sizeof(", "1e19",
	"0xffffffffffffffff", "-1", "1", "\"a\"", "\"", "'", "/*", "*/", "//", "#if 0\n",
	"\n#define A A B\n", "\n#define B A\n", "A", "struct a { int x; };", "&&", "||",
	"!", "~", "<<", ">>", "$1", "$2", "$#", "interval:s:1", "kprobe:vfs_*", "BEGIN",
	",", ";", "ntop(", "delete(@x", "tid, ", "nsecs",
};

/* The script that is tried. */
static char script[LEN_MAX];
static size_t script_len;

static void insert(size_t at, const char *text, size_t len)
{
	if (script_len + len > LEN_MAX)
		return;
	memmove(script + at + len, script + at, script_len - at);
	memcpy(script + at, text, len);
	script_len += len;
}

static void cut(size_t at, size_t len)
{
	if (len > script_len - at)
		len = script_len - at;
	memmove(script + at, script + at + len, script_len - at - len);
	script_len -= len;
}

static void damage(void)
{
	size_t at = below((u32)script_len + 1);
	char piece[256];
	size_t len;
	u32 other;

	switch (below(8)) {
	case 0:
		if (at < script_len)
			script[at] = (char)below(256);
		break;
	case 1: case 2: case 3:
		other = below(sizeof(words) / sizeof(words[0]));
		insert(at, words[other], strlen(words[other]));
		break;
	case 4:
		cut(at, 1 + below(8));
		break;
	case 5:
		cut(at, 1 + below(100));
		break;
	case 6:
		len = script_len - at < sizeof(piece) ? script_len - at : sizeof(piece);
		len = below((u32)len + 1);
		memcpy(piece, script + at, len);
		insert(below((u32)script_len + 1), piece, len);
		break;
	default:
		other = below(scripts_nr);
		len = scripts[other].len;
		at = below((u32)len);
		len = below((u32)(len - at < 256 ? len - at : 256));
		insert(below((u32)script_len + 1), scripts[other].text + at, len);
	}
}

static void make_script(void)
{
	u32 one = below(scripts_nr), n = below(6);

	script_len = 0;
	insert(0, scripts[one].text, scripts[one].len);
	if (!below(4)) {
		one = below(scripts_nr);
		insert(script_len, scripts[one].text, scripts[one].len);
	}
	/* Only once a name in thirty: deep nesting. */
	if (!below(30))
		for (one = below(3000); one; one--)
			insert(script_len / 2, &"((-!{[~"[one % 7], 1);
	while (n--)
		damage();
}

static void wrong(const char *what, const char *more)
{
	fprintf(stderr, "%s: %s\n%.*s\n", what, more, (int)script_len, script);
	exit(1);
}

static void run(const struct trace_script *s)
{
	const struct kt_program *p = s->program;
	struct kt_vm *vm = calloc(1, sizeof(*vm));
	struct pt_regs regs = { .r = { FAKE_AT + 3000, FAKE_AT + 100, 3, 4 } };
	const char *what = kt_check(p, p->size, vm);
	struct kt_hit hit = { .regs = &regs };
	u32 i;

	if (what)
		wrong("kt_check", what);
	/* Large tables take time: only small ones are run. */
	if (vm->layout.size < 8u << 20) {
		kt_arena_begin(vm, calloc(1, vm->layout.size), 1000);
		for (i = 0; i < p->probes_nr && i < 8; i++) {
			hit.probe = i;
			hit.returns = vm->probes[i].kind == KT_PROBE_RETURN;
			kt_run(vm, vm->probes[i].first, &hit);
		}
		for (i = 0; i < s->blocks_nr && i < 8; i++) {
			struct kt_hit none = { .probe = p->probes_nr + i };

			kt_run(vm, s->blocks[i].first, &none);
		}
		free(vm->arena);
	}
	free(vm);
}

int main(int argc, char **argv)
{
	unsigned long nr = argc > 1 ? strtoul(argv[1], NULL, 0) : 1000, i, good = 0;
	struct trace_env env = test_env;
	struct trace_error error;
	struct trace_script *s;
	FILE *nowhere = fopen("/dev/null", "w");
	char *exact;
	int n;

	env.keys_max = 16;
	state = argc > 2 ? strtoul(argv[2], NULL, 0) : 1;
	for (n = 3; n < argc; n++)
		read_scripts(argv[n]);
	if (!scripts_nr || !nowhere) {
		fprintf(stderr, "there are no scripts to begin with\n");
		return 1;
	}
	for (i = 0; i < nr; i++) {
		make_script();
		/* Of its exact length: what is read behind it is seen. */
		exact = malloc(script_len ? script_len : 1);
		memcpy(exact, script, script_len);
		s = trace_compile(exact, script_len, &env, &error);
		if (s) {
			good++;
			dump_script(nowhere, s);
			run(s);
		} else {
			char *shown = trace_error_show(&error, "x", exact, script_len);

			if (!error.text[0] || !shown)
				wrong("an error without a text", "");
			free(shown);
		}
		trace_script_free(s);
		free(exact);
	}
	fclose(nowhere);
	printf("ok fuzz_front # %lu scripts, %lu of them good\n", nr, good);
	return 0;
}
