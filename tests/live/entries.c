/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * entries.c - a probe at the entry of each function that libc exports, all at once.
 *
 * Owns: how many of them are jumps, how many stay on the breakpoint and why, and that what
 * the program does meanwhile is what it does without: docs/optimization.md has the figures.
 */
#include "live.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include <kprobes/control.h>

#define ENTRIES_MAX 4096
#define REASONS_MAX 16

static struct kprobe probes[ENTRIES_MAX];
static struct kprobe *armed[ENTRIES_MAX];
static size_t probes_nr, armed_nr, jumps;
static struct { const char *reason; size_t nr; } reasons[REASONS_MAX];

static int pre(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	return 0;
}

static int by_address(const void *a, const void *b)
{
	const struct kprobe *p = a, *q = b;

	return p->addr < q->addr ? -1 : p->addr > q->addr;
}

static void take(unsigned long at)
{
	if (probes_nr < ENTRIES_MAX)
		probes[probes_nr++] = (struct kprobe){
			.addr = (kprobe_opcode_t *)at, .pre_handler = pre,
		};
}

/* Symbols that are functions, each address once. */
static int look(struct dl_phdr_info *info, size_t len, void *arg)
{
	const ElfW(Dyn) *dyn = NULL;
	const ElfW(Sym) *symbols = NULL, *symbol;
	const char *names = NULL;
	size_t i, n;

	(void)len;
	(void)arg;
	if (!strstr(info->dlpi_name, "libc.so"))
		return 0;
	for (i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			dyn = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	for (; dyn && dyn->d_tag; dyn++) {
		unsigned long at = dyn->d_un.d_ptr;

		/* Some linkers have moved them, others not. */
		if (at < info->dlpi_addr)
			at += info->dlpi_addr;
		if (dyn->d_tag == DT_SYMTAB)
			symbols = (const void *)at;
		if (dyn->d_tag == DT_STRTAB)
			names = (const void *)at;
	}
	/* The strings follow the symbols. */
	for (symbol = symbols; (const char *)symbol < names; symbol++)
		if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx)
			take(info->dlpi_addr + symbol->st_value);
	qsort(probes, probes_nr, sizeof(probes[0]), by_address);
	for (i = n = 0; i < probes_nr; i++)
		if (!n || probes[n - 1].addr != probes[i].addr)
			probes[n++] = probes[i];
	probes_nr = n;
	return 1;
}

static void because(const char *reason)
{
	size_t i;

	for (i = 0; i < REASONS_MAX && reasons[i].reason && strcmp(reasons[i].reason, reason); i++)
		;
	if (i < REASONS_MAX) {
		reasons[i].reason = reason;
		reasons[i].nr++;
	}
}

static void count_jump(void *arg, const char *line, size_t len)
{
	(void)arg;
	(void)len;
	jumps += strstr(line, "[OPTIMIZED]") != NULL;
}

static unsigned long work(void)
{
	char text[64], *copy;
	unsigned long sum = 0, i;

	for (i = 0; i < 200; i++) {
		snprintf(text, sizeof(text), "%lu %08lx %s", i, i * 2654435761ul, "end");
		copy = strdup(text);
		sum = sum * 31 + strlen(copy) + (unsigned long)strtol(copy, NULL, 10);
		free(copy);
	}
	return sum;
}

int main(void)
{
	unsigned long before = work(), meanwhile;
	size_t i;
	int err;

	dl_iterate_phdr(look, NULL);
	for (i = 0; i < probes_nr; i++) {
		err = register_kprobe(&probes[i]);
		if (err)
			because(probes[i].reason ? probes[i].reason : "refused");
		else
			armed[armed_nr++] = &probes[i];
	}
	kprobes_flush();
	kprobes_list(count_jump, NULL);
	meanwhile = work();
	for (i = 0; i < armed_nr; i++)
		if (armed[i]->reason)
			because(armed[i]->reason);
	unregister_kprobes(armed, (int)armed_nr);
	kprobes_flush();
	printf("# %zu entries, %zu probed, %zu jumps\n", probes_nr, armed_nr, jumps);
	for (i = 0; i < REASONS_MAX && reasons[i].reason; i++)
		printf("# %zu: %s\n", reasons[i].nr, reasons[i].reason);
	printf("%sok entries work is the same with all of them probed\n",
	       before == meanwhile && before == work() ? "" : "not ");
	return before != meanwhile;
}
