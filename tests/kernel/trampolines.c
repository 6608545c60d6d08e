// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * trampolines.c - BPF programs at functions of the kernel, by its trampolines.
 *
 * usage: trampolines ROUNDS [FILE]
 *
 * Owns: in each round, a program that does nothing before vfs_read, one behind it, and
 * one that may answer in a function's place, at what vfs_read asks; each is put there,
 * called through read(2), and taken away.  FILE is told how often this process has called
 * vfs_read.  Exit status 0: each program was run for each call, and each call was right.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define READS	20

static const struct place {
	const char *function;
	enum bpf_attach_type type;
	const char *words;
} places[] = {
	{ "vfs_read", BPF_TRACE_FENTRY, "before" },
	{ "vfs_read", BPF_TRACE_FEXIT, "behind" },
	{ "security_file_permission", BPF_MODIFY_RETURN, "in the place of" },
};

static unsigned long read_nr;

static ssize_t counted_read(int file, void *to, size_t len)
{
	read_nr++;
	return read(file, to, len);
}

static long bpf(enum bpf_cmd cmd, union bpf_attr *attr)
{
	return syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

static int fail(const struct place *place, const char *what)
{
	fprintf(stderr, "trampolines: %s %s: %s: %s\n", place->words,
		place->function, what, strerror(errno));
	return 1;
}

/* ---- the kernel's types --------------------------------------------------- */

struct types_header {
	unsigned short magic;
	unsigned char version, flags;
	unsigned len, types, types_len, names, names_len;
};

struct type {
	unsigned name, info, size;
};

enum { INT = 1, ARRAY = 3, STRUCT, UNION, ENUM, FUNC = 12, PROTOTYPE, VAR,
       SECTION, TAG = 17, ENUM64 = 19 };

/* What stands behind a type, in bytes. */
static unsigned more(unsigned info)
{
	unsigned nr = info & 0xffffff;

	switch (info >> 24 & 0x7f) {
	case INT:
	case VAR:
	case TAG:
		return 4;
	case ARRAY:
		return 12;
	case ENUM:
	case PROTOTYPE:
		return 8 * nr;
	case STRUCT:
	case UNION:
	case SECTION:
	case ENUM64:
		return 12 * nr;
	}
	return 0;
}

static char *read_all(const char *path)
{
	size_t len = 0, max = 64 << 20;
	char *all = malloc(max);
	int file = open(path, O_RDONLY);
	ssize_t got = -1;

	while (all && file >= 0 &&
	       (got = counted_read(file, all + len, max - len)) > 0)
		len += got;
	close(file);
	return got ? NULL : all;
}

/* The number of a function's type; 0: there is none. */
static unsigned type_of(const char *types, const char *function)
{
	const struct types_header *head = (const void *)types;
	const char *names = types + head->len + head->names;
	const char *at = types + head->len + head->types;
	const char *end = at + head->types_len;
	unsigned id;

	for (id = 1; at < end; id++) {
		const struct type *type = (const void *)at;

		if ((type->info >> 24 & 0x7f) == FUNC &&
		    !strcmp(names + type->name, function))
			return id;
		at += sizeof(*type) + more(type->info);
	}
	return 0;
}

/* ---- programs ------------------------------------------------------------- */

static int load(const struct place *place, unsigned type, char *said, size_t said_len)
{
	/* r0 = 0; exit */
	static const struct bpf_insn code[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_TRACING;
	attr.expected_attach_type = place->type;
	attr.attach_btf_id = type;
	attr.insns = (unsigned long)code;
	attr.insn_cnt = sizeof(code) / sizeof(*code);
	attr.license = (unsigned long)"GPL";
	attr.log_buf = (unsigned long)said;
	attr.log_size = said_len;
	attr.log_level = 1;
	return bpf(BPF_PROG_LOAD, &attr);
}

static int put(int program)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.raw_tracepoint.prog_fd = program;
	return bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);
}

/* How often the kernel has run it, while it counts that. */
static unsigned long long runs(int program)
{
	struct bpf_prog_info info;
	union bpf_attr attr;

	memset(&info, 0, sizeof(info));
	memset(&attr, 0, sizeof(attr));
	attr.info.bpf_fd = program;
	attr.info.info_len = sizeof(info);
	attr.info.info = (unsigned long)&info;
	return bpf(BPF_OBJ_GET_INFO_BY_FD, &attr) ? 0 : info.run_cnt;
}

/* Zeros come, as many as asked for. */
static bool reads_well(void)
{
	int file = open("/dev/zero", O_RDONLY), i, k;
	bool well = file >= 0;

	for (i = 0; i < READS; i++) {
		char bytes[16];

		memset(bytes, 1, sizeof(bytes));
		well &= counted_read(file, bytes, sizeof(bytes)) == sizeof(bytes);
		for (k = 0; k < (int)sizeof(bytes); k++)
			well &= !bytes[k];
	}
	close(file);
	return well;
}

static int one(const struct place *place, const char *types)
{
	char said[2000] = "";
	unsigned type = type_of(types, place->function);
	int program, link, status = 0;
	unsigned long long nr;

	program = load(place, type, said, sizeof(said));
	if (program < 0) {
		fputs(said, stderr);
		return fail(place, "load");
	}
	link = put(program);
	if (link < 0) {
		status = fail(place, "put there");
	} else {
		if (!reads_well())
			status = fail(place, "read");
		nr = runs(program);
		errno = 0;
		if (nr < READS) {
			fprintf(stderr, "trampolines: run %llu times\n", nr);
			status = fail(place, "run");
		}
		close(link);
	}
	close(program);
	if (!reads_well())
		status = fail(place, "read without");
	return status;
}

static int tell(const char *path)
{
	FILE *file = fopen(path, "w");

	if (!file)
		return 1;
	fprintf(file, "%lu\n", read_nr);
	return fclose(file) != 0;
}

int main(int argc, char **argv)
{
	struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
	char *types = read_all("/sys/kernel/btf/vmlinux");
	int rounds = argc > 1 ? atoi(argv[1]) : 1, status = 0;
	size_t i;

	setrlimit(RLIMIT_MEMLOCK, &all);
	if (!types || *(unsigned short *)types != 0xeb9f) {
		fprintf(stderr, "trampolines: no types\n");
		return 2;
	}
	while (rounds-- > 0)
		for (i = 0; i < sizeof(places) / sizeof(*places); i++)
			status |= one(&places[i], types);
	if (argc > 2 && tell(argv[2]))
		status = 1;
	return status;
}
