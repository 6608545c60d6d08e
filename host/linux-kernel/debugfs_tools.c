// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * debugfs_tools.c - control files for tools that show what can be probed.
 *
 * Owns: four files beside those of debugfs.c, all ours.
 *   check      an address is written, "0 way" or "ERRNO reason" is read: what
 *              register_kprobe would say
 *   refusal    why the last probe was refused; the next read says nothing
 *   original   the text without our probes: byte N is that at address N with
 *              the highest bit set, which file positions do not have
 *   memory     the same, as it is now
 * All but refusal tell what kernel memory holds, check a bit at a time, so they
 * need what /proc/kcore needs: uid 0 alone, as in a container, is not enough.
 *
 * Locks: check_lock guards a verdict between its write and its read.
 */
#include <linux/debugfs.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "local.h"

/* The most that one read gives: what looking at a function takes. */
#define CHUNK 4096
#define HIGHEST_BIT (1UL << (BITS_PER_LONG - 1))

struct verdict {
	size_t len;
	char text[256];
};
static DEFINE_MUTEX(check_lock);

static int memory_open(struct inode *inode, struct file *file)
{
	if (!capable(CAP_SYS_RAWIO))
		return -EPERM;
	return security_locked_down(LOCKDOWN_KCORE);
}

static int check_open(struct inode *inode, struct file *file)
{
	int err = memory_open(inode, file);

	if (err)
		return err;
	file->private_data = kzalloc(sizeof(struct verdict), GFP_KERNEL);
	return file->private_data ? 0 : -ENOMEM;
}

static int check_release(struct inode *inode, struct file *file)
{
	kfree(file->private_data);
	return 0;
}

static ssize_t check_write(struct file *file, const char __user *from,
			   size_t len, loff_t *at)
{
	struct verdict *verdict = file->private_data;
	const char *text;
	unsigned long addr;
	int err = kstrtoul_from_user(from, len, 0, &addr);

	if (err)
		return err;
	err = kp_core_check(addr, &text);
	if (!text)
		text = err ? "refused" : "";
	mutex_lock(&check_lock);
	verdict->len = scnprintf(verdict->text, sizeof(verdict->text),
				 "%d %s\n", err, text);
	mutex_unlock(&check_lock);
	return len;
}

static ssize_t check_read(struct file *file, char __user *to, size_t len,
			  loff_t *at)
{
	struct verdict *verdict = file->private_data;
	ssize_t got;

	mutex_lock(&check_lock);
	got = simple_read_from_buffer(to, len, at, verdict->text,
				      verdict->len);
	mutex_unlock(&check_lock);
	return got;
}

static const struct file_operations check_fops = {
	.owner = THIS_MODULE,
	.open = check_open,
	.release = check_release,
	.read = check_read,
	.write = check_write,
	.llseek = default_llseek,
};

static ssize_t refusal_read(struct file *file, char __user *to, size_t len,
			    loff_t *at)
{
	const char *reason = *at ? NULL : kp_core_take_refusal();

	return reason ? simple_read_from_buffer(to, len, at, reason,
						strlen(reason)) : 0;
}

static const struct file_operations refusal_fops = {
	.owner = THIS_MODULE,
	.read = refusal_read,
	.llseek = default_llseek,
};

typedef int (*reader)(void *dst, uintptr_t addr, size_t len);

/* As much of len as can be read, halving what cannot. */
static ssize_t text_read(char __user *to, size_t len, loff_t *at, reader read)
{
	unsigned long addr = (unsigned long)*at | HIGHEST_BIT;
	char *bytes;
	ssize_t got;

	if (len > CHUNK)
		len = CHUNK;
	if (len > -addr)
		len = -addr;
	bytes = kmalloc(CHUNK, GFP_KERNEL);
	if (!bytes)
		return -ENOMEM;
	while (len && read(bytes, addr, len))
		len /= 2;
	got = len && !copy_to_user(to, bytes, len) ? len : -EFAULT;
	kfree(bytes);
	if (got > 0)
		*at += got;
	return got;
}

static ssize_t original_read(struct file *file, char __user *to, size_t len,
			     loff_t *at)
{
	return text_read(to, len, at, kp_core_original);
}

static ssize_t memory_read(struct file *file, char __user *to, size_t len,
			   loff_t *at)
{
	return text_read(to, len, at, kp_host_text_read);
}

static const struct file_operations original_fops = {
	.owner = THIS_MODULE,
	.open = memory_open,
	.read = original_read,
	.llseek = default_llseek,
};

static const struct file_operations memory_fops = {
	.owner = THIS_MODULE,
	.open = memory_open,
	.read = memory_read,
	.llseek = default_llseek,
};

void kp_examine_start(struct dentry *directory)
{
	debugfs_create_file("check", 0600, directory, NULL, &check_fops);
	debugfs_create_file("refusal", 0400, directory, NULL, &refusal_fops);
	debugfs_create_file("original", 0400, directory, NULL, &original_fops);
	debugfs_create_file("memory", 0400, directory, NULL, &memory_fops);
}
