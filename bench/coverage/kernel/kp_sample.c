// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * kp_sample.c - probes at listed instructions of the kernel, really executed.
 *
 * Owns: a counting probe at each offset from base that the file offsets lists.
 * /proc/kp_sample shows how many were asked for, refused, optimized, were hit,
 * and how often; then "stays REASON" for each that is not optimized, and the
 * offsets that were hit.  When the module goes, the log says how many bytes of
 * the text differ from what they were before.
 */
#include <linux/fs.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <kprobes/control.h>

static ulong base, length;
module_param(base, ulong, 0400);
module_param(length, ulong, 0400);
static char *offsets = "";
module_param(offsets, charp, 0400);

struct spot {
	struct kprobe probe;
	unsigned long offset;
	atomic_long_t hits;
	bool registered, optimized;
};

static struct spot *spots;
static size_t spots_nr, spots_max = 65536;
static char *before;

static int on_hit(struct kprobe *p, struct pt_regs *regs)
{
	struct spot *spot = container_of(p, struct spot, probe);

	atomic_long_inc(&spot->hits);
	return 0;
}

static void add(unsigned long offset)
{
	struct spot *spot = &spots[spots_nr];

	if (spots_nr == spots_max)
		return;
	spot->offset = offset;
	spot->probe.addr = (kprobe_opcode_t *)(base + offset);
	spot->probe.pre_handler = on_hit;
	spots_nr++;
}

static int read_offsets(void)
{
	struct file *file = filp_open(offsets, O_RDONLY, 0);
	char buffer[256], word[20];
	unsigned long offset;
	size_t len = 0;
	ssize_t got, i;
	loff_t at = 0;

	if (IS_ERR(file))
		return PTR_ERR(file);
	while ((got = kernel_read(file, buffer, sizeof(buffer), &at)) > 0)
		for (i = 0; i < got; i++) {
			if (buffer[i] != '\n' && len < sizeof(word) - 1) {
				word[len++] = buffer[i];
				continue;
			}
			word[len] = 0;
			len = 0;
			if (!kstrtoul(word, 16, &offset))
				add(offset);
		}
	filp_close(file, NULL);
	return got;
}

static char *read_text(void)
{
	char *copy = vmalloc(length);

	if (copy && copy_from_kernel_nofault(copy, (void *)base, length)) {
		vfree(copy);
		copy = NULL;
	}
	return copy;
}

/* Probes move past landing pads, so by address. */
static void see_line(void *arg, const char *line, size_t len)
{
	char word[20];
	unsigned long addr;
	size_t i;

	if (!strnstr(line, "[OPTIMIZED]", len) || len < 18)
		return;
	memcpy(word, line, 16);
	word[16] = 0;
	if (kstrtoul(word, 16, &addr))
		return;
	for (i = 0; i < spots_nr; i++)
		if ((unsigned long)spots[i].probe.addr == addr)
			spots[i].optimized = spots[i].registered;
}

static int show(struct seq_file *out, void *unused)
{
	size_t refused = 0, optimized = 0, hit = 0, i;
	unsigned long hits = 0;

	for (i = 0; i < spots_nr; i++) {
		struct spot *spot = &spots[i];

		refused += !spot->registered;
		optimized += spot->optimized;
		hits += atomic_long_read(&spot->hits);
		hit += atomic_long_read(&spot->hits) > 0;
		if (spot->registered && !spot->optimized)
			seq_printf(out, "stays %s\n", spot->probe.reason ?
				   spot->probe.reason : "no reason");
		if (atomic_long_read(&spot->hits))
			seq_printf(out, "hit %lx\n", spot->offset);
	}
	seq_printf(out, "totals %zu %zu %zu %zu %lu\n", spots_nr, refused,
		   optimized, hit, hits);
	return 0;
}

/* Bytes that changed, but for what the kernel patches itself. */
static unsigned long differences(const char *now)
{
	unsigned long nr = 0, i;

	for (i = 0; i < length; i++) {
		struct kprobe p = { .addr = (kprobe_opcode_t *)(base + i) };

		if (before[i] == now[i])
			continue;
		if (!register_kprobe(&p))
			unregister_kprobe(&p);
		else if (p.reason && strstr(p.reason, "patches"))
			continue;
		nr++;
	}
	return nr;
}

static int __init sample_start(void)
{
	size_t i;
	int err;

	spots = vzalloc(spots_max * sizeof(*spots));
	before = read_text();
	err = spots && before ? read_offsets() : -ENOMEM;
	if (!err && !proc_create_single("kp_sample", 0400, NULL, show))
		err = -ENOMEM;
	if (err) {
		vfree(spots);
		vfree(before);
		return err;
	}
	for (i = 0; i < spots_nr; i++)
		spots[i].registered = !register_kprobe(&spots[i].probe);
	kprobes_flush();
	kprobes_list(see_line, NULL);
	return 0;
}

static void __exit sample_stop(void)
{
	char *now;
	size_t i;

	remove_proc_entry("kp_sample", NULL);
	for (i = 0; i < spots_nr; i++)
		if (spots[i].registered)
			unregister_kprobe(&spots[i].probe);
	kprobes_flush();
	now = read_text();
	pr_info("KP-SAMPLE differ %ld\n", now ? (long)differences(now) : -1L);
	vfree(now);
	vfree(before);
	vfree(spots);
}

module_init(sample_start);
module_exit(sample_stop);
MODULE_LICENSE("Dual BSD/GPL");
