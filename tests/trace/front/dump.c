/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * dump.c - a compiled script as text, for golden files.
 */
#include "dump.h"

#include "vm/vm.h"

#include <ctype.h>

static const char *const ops[KT_OPS] = {
	"end", "mov", "movi", "const", "add", "sub", "mul", "udiv", "sdiv", "umod",
	"smod", "and", "or", "xor", "shl", "shr", "sar", "eq", "ne", "ult", "ule",
	"slt", "sle", "addi", "andi", "shli", "shri", "sari", "eqi", "nei", "ext",
	"jmp", "jz", "jnz", "get", "arg", "reg", "load", "lds", "sts", "zero", "data",
	"copy", "str", "buf", "read", "comm", "same", "mget", "mhas", "mgetv", "mset",
	"msetv", "madd", "mdel", "magg", "stack", "emit", "override", "watch", "unwatch",
	"strlen", "index", "mnext", "frames", "cmp", "glob",
};

static const char *const gets[KT_GETS] = {
	"nsecs", "elapsed", "pid", "tid", "uid", "gid", "cpu", "curtask", "cgroup",
	"random", "probe", "addr", "ip", "sp", "retval", "returned",
};

static const char *const kinds[] = {
	"none", "int", "pointer", "bool", "string", "buffer", "ksym", "usym",
	"kstack", "ustack", "inet", "username", "probe", "func", "time", "enum", "mac", "errno",
	"syscall", "signal", "record",
	"tuple",
};

static const char *const events[] = {
	"printf", "print", "print_map", "print_key", "clear", "zero", "exit", "time",
	"join", "cat", "system", "errorf", "mark",
};

static const char *const maps[] = {
	"value", "count", "sum", "min", "max", "avg", "stats", "hist", "lhist", "series",
};

static void dump_text(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++)
		fprintf(out, isprint((unsigned char)*text) ? "%c" : "\\x%02x",
			(unsigned char)*text);
	fputc('"', out);
}

static void dump_type(FILE *out, const struct trace_type *t)
{
	uint32_t i;

	fprintf(out, "%s%s%u", t->sign ? "s" : "", kinds[t->kind], t->size);
	if (t->frames)
		fprintf(out, "/%u%s", t->frames, t->format);
	for (i = 0; i < t->fields_nr; i++) {
		fprintf(out, "%s%u:", i ? " " : "(", t->fields[i].offset);
		dump_type(out, &t->fields[i].type);
	}
	if (t->fields_nr)
		fputc(')', out);
}

static void dump_fields(FILE *out, const struct trace_field *fields, uint32_t nr)
{
	uint32_t i;

	for (i = 0; i < nr; i++) {
		fprintf(out, " %u:", fields[i].offset);
		dump_type(out, &fields[i].type);
	}
}

static void dump_insn(FILE *out, const struct kt_insn *i, uint32_t n)
{
	uint32_t lo = (uint32_t)i->imm & 0xffff, hi = (uint32_t)i->imm >> 16;

	fprintf(out, "%4u %-5s", n, ops[i->op]);
	switch (i->op) {
	case KT_END: break;
	case KT_MOV: fprintf(out, " r%u r%u", i->a, i->b); break;
	case KT_MOVI: case KT_CONST: case KT_ARG: case KT_REG:
		fprintf(out, " r%u %d", i->a, i->imm); break;
	case KT_ADDI ... KT_NEI:
		fprintf(out, " r%u r%u %d", i->a, i->b, i->imm); break;
	case KT_EXT: fprintf(out, " r%u r%u %u", i->a, i->b, i->c); break;
	case KT_JMP: fprintf(out, " %d", (int)n + 1 + i->imm); break;
	case KT_JZ: case KT_JNZ:
		fprintf(out, " r%u %d", i->a, (int)n + 1 + i->imm); break;
	case KT_GET: fprintf(out, " r%u %s", i->a, gets[i->imm]); break;
	case KT_LOAD:
		fprintf(out, " r%u r%u %+d %u", i->a, i->b, i->imm, i->c); break;
	case KT_LDS: case KT_STS:
		fprintf(out, " r%u S%d %u", i->a, i->imm, i->c); break;
	case KT_ZERO: fprintf(out, " S%u %u", lo, hi); break;
	case KT_DATA:
		fprintf(out, " S%u %u D%u", lo, hi, i->a | i->b << 8 | i->c << 16);
		break;
	case KT_COPY: fprintf(out, " S%u %u S%u", lo, hi, i->a | i->b << 8); break;
	case KT_STR: case KT_BUF:
		fprintf(out, " S%u %u r%u r%u %u", lo, hi, i->a, i->b, i->c); break;
	case KT_READ: fprintf(out, " S%u %u r%u %u", lo, hi, i->a, i->c); break;
	case KT_COMM: fprintf(out, " S%d", i->imm); break;
	case KT_SAME: case KT_CMP:
		fprintf(out, " r%u S%u S%u %u", i->a, lo, hi, i->b | i->c << 8); break;
	case KT_INDEX: case KT_GLOB:
		fprintf(out, " r%u S%u %u S%u %u", i->a, lo, 8u * i->b, hi, 8u * i->c); break;
	case KT_STRLEN: fprintf(out, " r%u S%u %u", i->a, lo, hi); break;
	case KT_FRAMES: fprintf(out, " r%u r%u", i->a, i->b); break;
	case KT_MNEXT: case KT_MGET ... KT_MAGG:
		fprintf(out, " r%u @%u S%u S%u", i->a, i->b, lo, hi); break;
	case KT_STACK: fprintf(out, " r%u %d %u", i->a, i->imm, i->c); break;
	case KT_EMIT: fprintf(out, " #%u S%u %u", i->a | i->b << 8, lo, hi); break;
	case KT_OVERRIDE: case KT_WATCH_OFF: fprintf(out, " r%u", i->a); break;
	case KT_WATCH_ON: fprintf(out, " r%u r%u", i->a, i->b); break;
	default: fprintf(out, " r%u r%u r%u", i->a, i->b, i->c); break;
	}
	fputc('\n', out);
}

static void dump_tables(FILE *out, const struct trace_script *s)
{
	uint32_t i;

	for (i = 0; i < s->maps_nr; i++) {
		const struct trace_map *m = &s->maps[i];

		fprintf(out, "map @%u %s%s %s ", i, m->hidden ? "hidden " : "",
			m->name, maps[m->kind]);
		dump_type(out, &m->value);
		if (m->step)
			fprintf(out, " %ld..%ld/%ld", (long)m->min, (long)m->max,
				(long)m->step);
		if (m->keys_nr)
			fputs(" keys", out);
		dump_fields(out, m->keys, m->keys_nr);
		fputc('\n', out);
	}
	for (i = 0; i < s->events_nr; i++) {
		const struct trace_event *e = &s->events[i];

		fprintf(out, "event #%u %s", i, events[e->kind]);
		if (e->format) {
			fputc(' ', out);
			dump_text(out, e->format);
		}
		if (e->kind >= TRACE_PRINT_MAP && e->kind <= TRACE_ZERO)
			fprintf(out, " @%u", e->map);
		dump_fields(out, e->fields, e->fields_nr);
		fputc('\n', out);
	}
}

void dump_script(FILE *out, const struct trace_script *s)
{
	static const char *const blocks[] = { "BEGIN", "END", "interval", "signal" };
	const struct kt_program *p = s->program;
	const struct kt_probe *probes = (const void *)((const char *)p + p->probes);
	const struct kt_insn *insns = (const void *)((const char *)p + p->insns);
	uint32_t i;

	for (i = 0; i < s->probes_nr; i++)
		fprintf(out, "probe %s%s%s at %u%s\n", s->probes[i].name,
			probes[i].kind == KT_PROBE_RETURN ? " returns" :
			probes[i].kind == KT_PROBE_EVENT ? " event" :
			probes[i].kind == KT_PROBE_SAMPLE ? " sample" : "",
			s->probes[i].kernel ? " kernel" : "", probes[i].first,
			s->probes[i].needed ? " needed" : "");
	for (i = 0; i < s->blocks_nr; i++) {
		fprintf(out, "block %s at %u", blocks[s->blocks[i].kind],
			s->blocks[i].first);
		if (s->blocks[i].nsecs)
			fprintf(out, " every %lu", (unsigned long)s->blocks[i].nsecs);
		fputc('\n', out);
	}
	dump_tables(out, s);
	fprintf(out, "scratch %u depth %u\n", p->scratch, p->depth);
	for (i = 0; i < p->insns_nr; i++)
		dump_insn(out, &insns[i], i);
}
