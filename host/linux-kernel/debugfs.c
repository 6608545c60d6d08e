// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * debugfs.c - the control files.
 *
 * Owns: <debugfs>/kprobes/{list,enabled,blacklist} as documented; on a kernel
 * that has its own Kprobes, the same files in a directory "kp".  Beside them
 * "control", ours, which switches single probes (kp_core_control).
 *
 * Locks: the core's.
 */
#include <linux/cred.h>
#include <linux/debugfs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include "local.h"

static struct dentry *directory;

/* May this reader see kernel addresses?  Then the file shows them. */
static bool may_see(const struct file *file)
{
	return kp_hidden.show_value ? kp_kernel_show_value(file->f_cred) :
				      capable(CAP_SYSLOG);
}

static void emit(void *arg, const char *line, size_t len)
{
	seq_write(arg, line, len);
}

static int list_show(struct seq_file *m, void *unused)
{
	kp_core_report_list(emit, m, may_see(m->file));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(list);

static int blacklist_show(struct seq_file *m, void *unused)
{
	kp_core_report_blacklist(emit, m, may_see(m->file));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(blacklist);

static ssize_t enabled_read(struct file *file, char __user *to, size_t len,
			    loff_t *at)
{
	const char *text = kp_core_enabled() ? "1\n" : "0\n";

	return simple_read_from_buffer(to, len, at, text, 2);
}

static ssize_t enabled_write(struct file *file, const char __user *from,
			     size_t len, loff_t *at)
{
	char text[4];			/* the beginning says it all */
	size_t nr = min(len, sizeof(text));
	int err = copy_from_user(text, from, nr) ? -EFAULT :
		  kp_core_write_enabled(text, nr);

	return err ? err : len;
}

static const struct file_operations enabled_fops = {
	.owner = THIS_MODULE,
	.read = enabled_read,
	.write = enabled_write,
	.llseek = default_llseek,
};

static ssize_t control_write(struct file *file, const char __user *from,
			     size_t len, loff_t *at)
{
	char *line;
	int err;

	if (len > KP_SYMBOL_MAX + 16)
		return -EINVAL;
	line = memdup_user_nul(from, len);
	if (IS_ERR(line))
		return PTR_ERR(line);
	err = kp_core_control(line, len);
	kfree(line);
	return err ? err : len;
}

static const struct file_operations control_fops = {
	.owner = THIS_MODULE,
	.write = control_write,
	.llseek = noop_llseek,
};

/* Without debugfs the engine works all the same. */
void kp_debugfs_start(void)
{
	directory = debugfs_create_dir(IS_ENABLED(CONFIG_KPROBES) ? "kp" :
				       "kprobes", NULL);
	debugfs_create_file("list", 0400, directory, NULL, &list_fops);
	debugfs_create_file("enabled", 0600, directory, NULL, &enabled_fops);
	debugfs_create_file("blacklist", 0400, directory, NULL,
			    &blacklist_fops);
	debugfs_create_file("control", 0200, directory, NULL, &control_fops);
	kp_examine_start(directory);
}

void kp_debugfs_stop(void)
{
	debugfs_remove(directory);
}
