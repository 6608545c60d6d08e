// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * file.c - the file through which programs come in and results go out.
 *
 * Owns: KT_KERNEL_FILE (../kernel_api.h), a session for each open one, and what all
 * arenas take together.
 *
 * Invariant: an open file keeps the module.  A mapping keeps the file open, and the
 * arena's pages by themselves, so nothing of a session outlives its release.
 *
 * Locks: the session's; no user memory is touched under it.  Mapping takes none: it is
 * called with the lock that a fault needs, and setting probes takes many others.
 */
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include "../kernel_api.h"
#include "compat.h"
#include "kt_host.h"
#include "session.h"

static struct session *session_of(const struct file *file)
{
	const struct seq_file *m = file->private_data;

	return m->private;
}

/* Pages of all arenas. */
static atomic_long_t pages;

static bool take_pages(u64 size)
{
	long nr = PAGE_ALIGN(size) >> PAGE_SHIFT;

	if (atomic_long_add_return(nr, &pages) <= (long)totalram_pages() / 4)
		return true;
	atomic_long_sub(nr, &pages);
	return false;
}

static void put_pages(u64 size)
{
	atomic_long_sub(PAGE_ALIGN(size) >> PAGE_SHIFT, &pages);
}

/* ---- programs in ----------------------------------------------------------- */

static int make_arena(struct session *session)
{
	u64 size = session->vm.layout.size;
	void *arena;

	if (size > KT_KERNEL_ARENA_MAX || !take_pages(size))
		return -ENOMEM;
	arena = vmalloc_user(PAGE_ALIGN(size));
	if (!arena) {
		put_pages(size);
		return -ENOMEM;
	}
	kt_arena_begin(&session->vm, arena, ktime_get_mono_fast_ns());
	/* Pairs with trace_mmap(): what is mapped is whole. */
	smp_store_release(&session->arena, arena);
	return 0;
}

/* The program is the session's from now on, if this succeeds. */
static int load(struct session *session, const void *program, size_t len)
{
	int err;

	session->wrong = kt_check(program, len, &session->vm);
	if (session->wrong)
		return -EINVAL;
	kt_plans(&session->vm);
	/* What changes what the kernel does, not only shows it. */
	err = kt_probes_override(session) ?
		security_locked_down(LOCKDOWN_DEV_MEM) : 0;
	if (err)
		return err;
	err = kt_probes_make(session);
	if (err)
		return err;
	err = make_arena(session);
	if (err)
		kt_probes_free(session);
	return err;
}

static ssize_t trace_write(struct file *file, const char __user *from,
			   size_t len, loff_t *at)
{
	struct session *session = session_of(file);
	void *program;
	int err;

	if (len > KT_KERNEL_PROGRAM_MAX)
		return -E2BIG;
	program = vmemdup_user(from, len);
	if (IS_ERR(program))
		return PTR_ERR(program);
	mutex_lock(&session->lock);
	err = session->arena ? -EBUSY : load(session, program, len);
	mutex_unlock(&session->lock);
	if (!err)
		return len;
	kvfree(program);
	return err;
}

/* ---- results out ----------------------------------------------------------- */

static int trace_mmap(struct file *file, struct vm_area_struct *vma)
{
	/* Pairs with make_arena().  It goes when nobody can map it any more. */
	void *arena = smp_load_acquire(&session_of(file)->arena);

	if (!arena || !(vma->vm_flags & VM_SHARED) || vma->vm_pgoff)
		return -EINVAL;
	/* A child would keep the probes when the reader has ended. */
	kt_compat_vma_set(vma, VM_DONTCOPY);
	return remap_vmalloc_range(vma, arena, 0);
}

static long peek(const struct kt_kernel_peek __user *from)
{
	struct kt_kernel_peek wanted;
	long got;
	u64 left;
	u8 *bytes;
	u32 nr;

	if (copy_from_user(&wanted, from, sizeof(wanted)))
		return -EFAULT;
	if (wanted.len > KT_KERNEL_PEEK_MAX)
		return -EINVAL;
	bytes = kvmalloc(wanted.len, GFP_KERNEL);
	if (!bytes)
		return -ENOMEM;
	/* Up to the first page that cannot be read. */
	for (left = wanted.len, got = 0; left; left -= nr, got += nr) {
		nr = min_t(u64, left, PAGE_SIZE - offset_in_page(wanted.addr + got));
		if (kt_host_read_kernel(bytes + got, wanted.addr + got, nr))
			break;
	}
	if (wanted.len && (!got || wanted.to > ULONG_MAX ||
			   copy_to_user((void __user *)(unsigned long)wanted.to, bytes, got)))
		got = -EFAULT;
	kvfree(bytes);
	return got;
}

static long trace_ioctl(struct file *file, unsigned int request,
			unsigned long arg)
{
	struct session *session = session_of(file);
	long err = 0;

	if (request == KT_KERNEL_PEEK)
		return peek((const void __user *)arg);
	mutex_lock(&session->lock);
	if (!session->arena)
		err = -ENODATA;
	else if (request == KT_KERNEL_START)
		err = kt_probes_start(session);
	else if (request == KT_KERNEL_STOP)
		kt_probes_stop(session);
	else if (request == KT_KERNEL_COUNT)
		kt_probes_count(session);
	else
		err = -ENOTTY;
	mutex_unlock(&session->lock);
	return err;
}

/* ---- refusals -------------------------------------------------------------- */

/* Position 0 is the program, 1 on are its probes. */
static void *refusal_at(struct session *session, loff_t *at)
{
	u64 nr = session->arena ? session->vm.program->probes_nr : 0;

	if (!*at && session->wrong)
		return session;
	if (!*at)
		++*at;
	for (; *at <= nr; ++*at)
		if (session->probes[*at - 1].err)
			return &session->probes[*at - 1];
	return NULL;
}

static void *refusal_start(struct seq_file *m, loff_t *at)
{
	struct session *session = m->private;

	mutex_lock(&session->lock);
	return refusal_at(session, at);
}

static void *refusal_next(struct seq_file *m, void *item, loff_t *at)
{
	++*at;
	return refusal_at(m->private, at);
}

static void refusal_stop(struct seq_file *m, void *item)
{
	struct session *session = m->private;

	mutex_unlock(&session->lock);
}

static int refusal_show(struct seq_file *m, void *item)
{
	struct session *session = m->private;
	struct probe *probe = item;

	if (item == session)
		seq_printf(m, "- %d %s\n", EINVAL, session->wrong);
	else
		seq_printf(m, "%u %d %s\n", probe->number, -probe->err,
			   probe->reason);
	return 0;
}

static const struct seq_operations refusals = {
	.start = refusal_start,
	.next = refusal_next,
	.stop = refusal_stop,
	.show = refusal_show,
};

/* ---- the file -------------------------------------------------------------- */

static int trace_open(struct inode *inode, struct file *file)
{
	struct session *session;
	int err;

	if (!capable(CAP_SYS_ADMIN) || !capable(CAP_SYS_RAWIO))
		return -EPERM;
	err = security_locked_down(LOCKDOWN_KCORE);
	if (err)
		return err;
	/* Pairs with trace_release(). */
	if (!try_module_get(THIS_MODULE))
		return -ENODEV;
	session = __seq_open_private(file, &refusals, sizeof(*session));
	if (!session) {
		module_put(THIS_MODULE);
		return -ENOMEM;
	}
	mutex_init(&session->lock);
	return 0;
}

/* The last descriptor and the last mapping are gone. */
static int trace_release(struct inode *inode, struct file *file)
{
	struct session *session = session_of(file);

	mutex_lock(&session->lock);
	if (session->arena) {
		kt_probes_stop(session);
		kt_probes_free(session);
		put_pages(session->vm.layout.size);
		kt_arena_end(&session->vm);
		vfree(session->arena);
		kvfree(session->vm.program);
	}
	mutex_unlock(&session->lock);
	seq_release_private(inode, file);
	/* Whoever removes the file waits until this has returned. */
	module_put(THIS_MODULE);
	return 0;
}

static const struct proc_ops trace_ops = {
	.proc_open = trace_open,
	.proc_read = seq_read,
	.proc_write = trace_write,
	.proc_lseek = seq_lseek,
	.proc_ioctl = trace_ioctl,
	.proc_mmap = trace_mmap,
	.proc_release = trace_release,
};

static struct proc_dir_entry *entry;

static int __init file_start(void)
{
	entry = proc_create("kprobes_trace", 0600, NULL, &trace_ops);
	return entry ? 0 : -ENOMEM;
}

static void __exit file_stop(void)
{
	proc_remove(entry);
}

module_init(file_start);
module_exit(file_stop);
MODULE_DESCRIPTION("Kprobes: trace programs");
MODULE_LICENSE("Dual BSD/GPL");
