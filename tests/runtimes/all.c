// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * all.c - a probe module: kprobes, and return probes where they are accepted, on
 * the functions of one loaded object.
 *
 *   object=TEXT   the first whose path contains it; by default the program
 *   kprobes=0     no kprobes; returns=1: return probes, too
 *   step=N        every Nth function only
 *   skip=TEXT     not those whose names contain it
 *
 * Says how many were accepted, refused and hit.
 */
#define _GNU_SOURCE
#include <linux/init.h>
#include <linux/kprobes.h>
#include <linux/module.h>

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static char object[200], skip[200];
module_param_string(object, object, sizeof(object), 0444);
module_param_string(skip, skip, sizeof(skip), 0444);
static int kprobes = 1, returns, step = 1;
module_param(kprobes, int, 0444);
module_param(returns, int, 0444);
module_param(step, int, 0444);

#define BATCH 256
static struct kprobe *kps;
static struct kretprobe *rps;
static int room, kps_nr, rps_nr, refused, rps_refused;
static long hits, back;			/* atomic */

static int on_hit(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	__atomic_fetch_add(&hits, 1, __ATOMIC_RELAXED);
	return 0;
}

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	(void)ri;
	(void)regs;
	__atomic_fetch_add(&back, 1, __ATOMIC_RELAXED);
	return 0;
}

struct found {
	char path[4096];
	unsigned long base;
};

static int find(struct dl_phdr_info *info, size_t len, void *arg)
{
	struct found *found = arg;

	(void)len;
	if (object[0] && !strstr(info->dlpi_name, object))
		return 0;
	strncpy(found->path, info->dlpi_name[0] ? info->dlpi_name
						: "/proc/self/exe", 4095);
	found->base = info->dlpi_addr;
	return 1;
}

static int by_address(const void *a, const void *b)
{
	unsigned long x = *(void *const *)a > *(void *const *)b;

	return x ? 1 : *(void *const *)a < *(void *const *)b ? -1 : 0;
}

/* The functions' addresses, each once; the static table, else the dynamic one. */
static void **functions(const char *image, unsigned long base, int *nr)
{
	const Elf64_Ehdr *ehdr = (const void *)image;
	const Elf64_Shdr *sec = (const void *)(image + ehdr->e_shoff), *table;
	const Elf64_Sym *sym, *end;
	const char *names;
	void **all;
	int i, n = 0, kept = 0;

	table = NULL;
	for (i = 0; i < ehdr->e_shnum; i++)
		if (sec[i].sh_type == SHT_SYMTAB ||
		    (sec[i].sh_type == SHT_DYNSYM && !table))
			table = &sec[i];
	if (!table)
		return NULL;
	names = image + sec[table->sh_link].sh_offset;
	sym = (const void *)(image + table->sh_offset);
	end = sym + table->sh_size / sizeof(*sym);
	all = malloc((size_t)(end - sym + 1) * sizeof(*all));
	for (; all && sym < end; sym++)
		if (sym->st_shndx && sym->st_size &&
		    ELF64_ST_TYPE(sym->st_info) == STT_FUNC &&
		    (!skip[0] || !strstr(names + sym->st_name, skip)))
			all[n++] = (void *)(base + sym->st_value);
	if (!all)
		return NULL;
	qsort(all, (size_t)n, sizeof(*all), by_address);
	for (i = 0; i < n; i++)
		if (!kept || all[i] != all[kept - 1])
			all[kept++] = all[i];
	*nr = kept;
	return all;
}

/* A batch fails as a whole: then one by one. */
static void put_kprobes(void **all, int nr)
{
	struct kprobe *batch[BATCH];
	int i;

	for (i = 0; i < nr; i++) {
		kps[kps_nr + i] = (struct kprobe){ .addr = all[i],
						   .pre_handler = on_hit };
		batch[i] = &kps[kps_nr + i];
	}
	if (nr && !register_kprobes(batch, nr)) {
		kps_nr += nr;
		return;
	}
	for (i = 0; i < nr; i++) {
		kps[kps_nr] = (struct kprobe){ .addr = all[i],
					       .pre_handler = on_hit };
		if (register_kprobe(&kps[kps_nr]))
			refused++;
		else
			kps_nr++;
	}
}

static void put_returns(void **all, int nr)
{
	struct kretprobe *batch[BATCH];
	int i;

	for (i = 0; i < nr; i++) {
		rps[rps_nr + i] = (struct kretprobe){ .kp.addr = all[i],
						      .handler = on_return };
		batch[i] = &rps[rps_nr + i];
	}
	if (nr && !register_kretprobes(batch, nr)) {
		rps_nr += nr;
		return;
	}
	for (i = 0; i < nr; i++) {
		rps[rps_nr] = (struct kretprobe){ .kp.addr = all[i],
						  .handler = on_return };
		if (register_kretprobe(&rps[rps_nr]))
			rps_refused++;
		else
			rps_nr++;
	}
}

static void put_all(void **all, int nr)
{
	int i, n;

	for (i = 0, n = 0; i < nr; i += step)
		all[n++] = all[i];
	for (i = 0; i < n; i += BATCH) {
		int part = n - i < BATCH ? n - i : BATCH;

		if (kprobes)
			put_kprobes(all + i, part);
		if (returns)
			put_returns(all + i, part);
	}
}

static int __init start(void)
{
	struct found found = { .path = "" };
	struct stat st;
	char *image;
	void **all;
	int fd, nr = 0;

	if (!dl_iterate_phdr(find, &found))
		return -ENOENT;
	fd = open(found.path, O_RDONLY);
	if (fd < 0 || fstat(fd, &st))
		return -ENOENT;
	image = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (image == MAP_FAILED)
		return -ENOMEM;
	all = functions(image, found.base, &nr);
	munmap(image, (size_t)st.st_size);
	room = nr + BATCH;
	kps = calloc((size_t)room, sizeof(*kps));
	rps = calloc((size_t)room, sizeof(*rps));
	if (!all || !kps || !rps)
		return -ENOMEM;
	put_all(all, nr);
	free(all);
	pr_info("on %d functions: %d refused; returns of %d: %d refused\n",
		kps_nr, refused, rps_nr, rps_refused);
	return kps_nr + rps_nr || returns ? 0 : -ENOENT;
}

static void take_kprobes(void)
{
	struct kprobe *batch[BATCH];
	int i, j;

	for (i = 0; i < kps_nr; i += j) {
		for (j = 0; j < BATCH && i + j < kps_nr; j++)
			batch[j] = &kps[i + j];
		unregister_kprobes(batch, j);
	}
}

static void __exit stop(void)
{
	struct kretprobe *batch[BATCH];
	long missed = 0;
	int i, j;

	for (i = 0; i < rps_nr; i += j) {
		for (j = 0; j < BATCH && i + j < rps_nr; j++)
			batch[j] = &rps[i + j];
		unregister_kretprobes(batch, j);
	}
	take_kprobes();
	for (i = 0; i < rps_nr; i++)
		missed += rps[i].nmissed;
	pr_info("%ld hits, %ld returns, %ld missed\n", hits, back, missed);
}

module_init(start);
module_exit(stop);
MODULE_LICENSE("GPL");
