// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * sysctl.c - the optimization knob.
 *
 * Owns: /proc/sys/debug/kprobes-optimization as documented, mode 0644.  The
 * documentation also spells it debug.kprobes_optimization, so it is there under
 * both names.  On a kernel that has its own Kprobes both are called kp instead
 * of kprobes, as the directory in debugfs is.
 *
 * Locks: the core's.
 */
#include "compat/sysctl.h"
#include "local.h"

#ifdef CONFIG_SYSCTL

#ifdef CONFIG_KPROBES
#define NAME "kp"
#else
#define NAME "kprobes"
#endif

static void show(char *buffer, size_t *len, loff_t at)
{
	const char *text = kp_core_optimization() ? "1\n" : "0\n";

	*len = at < 2 ? min_t(size_t, *len, 2 - at) : 0;
	memcpy(buffer, text + min_t(loff_t, at, 2), *len);
}

/*
 * buffer is kernel memory.  A value comes in one write: what is written behind
 * the file's beginning is ignored, as in the kernel's own files of numbers, so
 * a newline that comes alone does no harm.
 */
static int handle(kp_ctl_entry table, int write, void *buffer,
		  size_t *len, loff_t *at)
{
	int err = 0;

	if (!write)
		show(buffer, len, *at);
	else if (!*at)
		err = kp_core_write_optimization(buffer, *len);
	if (!err)
		*at += *len;
	return err;
}

static struct ctl_table files[] = {
	{ .procname = NAME "-optimization", .mode = 0644,
	  .proc_handler = handle },
	{ .procname = NAME "_optimization", .mode = 0644,
	  .proc_handler = handle },
	KP_CTL_TABLE_END
};
static struct ctl_table_header *header;

/* Without the files the engine works all the same. */
void kp_sysctl_start(void)
{
	header = register_sysctl("debug", files);
	if (!header)
		pr_warn("kprobes: /proc/sys/debug cannot have our files\n");
}

void kp_sysctl_stop(void)
{
	if (header)
		unregister_sysctl_table(header);
}

#else

void kp_sysctl_start(void)
{
}

void kp_sysctl_stop(void)
{
}

#endif
