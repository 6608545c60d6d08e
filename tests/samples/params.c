// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* params.c - a module with a parameter of each type, and each format. */
#include <linux/atomic.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/uaccess.h>

static u8 b;
static short s;
static int i;
static uint u;
static long l;
static ulong ul;
static bool on, off = true;
static char *name = "";
static char text[8];

module_param(b, byte, 0);
module_param(s, short, 0);
module_param(i, int, 0);
module_param(u, uint, 0);
module_param(l, long, 0);
module_param(ul, ulong, 0);
module_param(on, bool, 0);
module_param_named(off, off, bool, 0);
module_param(name, charp, 0);
module_param_string(text, text, sizeof(text), 0);

static atomic_t counter = ATOMIC_INIT(0);
static DEFINE_SPINLOCK(lock);

int __init params_init(void);
int __init params_init(void)
{
	unsigned long flags;
	char copy[8], *mem = kmalloc(8, GFP_KERNEL);

	if (!mem || copy_from_kernel_nofault(copy, (void *)8, 8) != -EFAULT)
		return -EIO;
	kfree(mem);
	spin_lock_irqsave(&lock, flags);
	atomic_inc(&counter);
	spin_unlock_irqrestore(&lock, flags);
	if (atomic_read(&counter) != 1 || ktime_get() <= 0 || !current->mm ||
	    !IS_ENABLED(CONFIG_KPROBES) || IS_ENABLED(CONFIG_NOWHERE))
		return -EIO;
	pr_info("params: %u %d %d %u %ld %lu %d %d [%s] [%s]\n", b, s, i, u, l,
		ul, on, off, name, text);
	printk(KERN_INFO "format: [%5d][%-5d][%05u][%4d][%#x][%X][%.2s][%*s][%c][%%][%px][%d %ld %lld]\n",
	       42, 42, 42u, -1, 255, 255, "abc", 4, "c", 'x', (void *)0x1234,
	       1, 2l, 3ll);
	pr_info("symbol: %ps\n", (void *)params_init);
	pr_info("symbol: %pS\n", (void *)params_init);
	return 0;
}

static void __exit params_exit(void)
{
}

module_init(params_init);
module_exit(params_exit);
MODULE_LICENSE("Dual BSD/GPL");
