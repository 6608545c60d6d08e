/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * text.c - writing live text.
 *
 * Owns: the file descriptor of /proc/self/mem.  The kernel writes through it
 * to a private copy of the page, whatever the page's protection; the page is
 * never without execute permission.  Where the kernel refuses that, or there
 * is no descriptor to be had, the page is made writable in addition for the
 * moment.
 *
 * Invariant: the descriptor is of this process, not of a parent's (fork.c).
 * When the program has closed it, it is opened again.
 * Locks: the text lock for kp_host_text_write.
 */
#include "user.h"

#define PAGE 4096ul

static struct kp_fd mem = { .fd = -1 };

void kp_user_text_init(void)
{
	/* Not /proc/self, which is empty once the first thread has ended. */
	kp_user_fd_keep(&mem, sys_open("/proc/thread-self/mem", O_RDWR));
}

/* The inherited descriptor leads to the parent's memory. */
void kp_user_text_fork(void)
{
	kp_user_fd_close(&mem);
	kp_user_text_init();
}

void kp_user_text_end(void)
{
	kp_user_fd_close(&mem);
}

static long open_mem(void)
{
	if (kp_user_fd(&mem) < 0)
		kp_user_text_init();
	return mem.fd;
}

struct protection {
	uintptr_t addr;
	int prot;
};

static bool find_protection(const struct kp_map *map, void *arg)
{
	struct protection *p = arg;

	if (p->addr < map->start || p->addr >= map->end)
		return false;
	p->prot = (map->read ? PROT_READ : 0) | (map->write ? PROT_WRITE : 0) |
		  (map->exec ? PROT_EXEC : 0);
	return true;
}

/* One page at most.  Execute permission stays on all the time. */
static int poke_unprotected(uintptr_t addr, const void *src, size_t len)
{
	uintptr_t page = addr & ~(PAGE - 1);
	struct protection p = { addr, -1 };
	int err;

	/* Without /proc: what text is mapped with. */
	if (kp_user_maps(find_protection, &p))
		p.prot = PROT_READ | PROT_EXEC;
	if (p.prot < 0)
		return -EFAULT;
	err = (int)sys3(SYS_mprotect, page, PAGE, p.prot | PROT_WRITE);
	if (err)
		return err;
	err = kp_user_copy((void *)addr, src, len);
	sys3(SYS_mprotect, page, PAGE, p.prot);
	return err;
}

static int poke_within_page(uintptr_t addr, const void *src, size_t len)
{
	static bool said;
	long fd = open_mem();
	int err;

	/* Why it could not be, matters not: the other way has its own errors. */
	if (fd >= 0 && sys4(SYS_pwrite64, fd, src, len, addr) == (long)len)
		return 0;
	err = poke_unprotected(addr, src, len);
	if (!err && !said) {
		said = true;
		kp_host_log(KP_LOG_INFO, "kprobes: /proc/self/mem does not take writes here; changing page protections instead");
	}
	return err;
}

/* Registry or text lock held, or before there are other threads. */
int kp_user_text_poke(uintptr_t addr, const void *src, size_t len)
{
	const char *bytes = src;

	while (len) {
		size_t part = PAGE - (addr & (PAGE - 1));
		int err;

		if (part > len)
			part = len;
		err = poke_within_page(addr, bytes, part);
		if (err)
			return err;
		addr += part;
		bytes += part;
		len -= part;
	}
	return 0;
}

/* How many patches from the first on ascend within one page. */
static size_t run_of(const struct kp_text_patch *p, size_t nr)
{
	uintptr_t page = p->addr & ~(PAGE - 1);
	size_t n = 1;

	if (p->addr + p->len > page + PAGE)
		return 1;
	while (n < nr && p[n].addr >= p[n - 1].addr + p[n - 1].len &&
	       p[n].addr + p[n].len <= page + PAGE)
		n++;
	return n;
}

/* Several patches in one page: the bytes between them are written as read. */
static int write_run(struct kp_text_patch *p, size_t nr)
{
	uint8_t bytes[PAGE];
	uintptr_t start = p[0].addr;
	size_t len = p[nr - 1].addr + p[nr - 1].len - start, i;

	if (kp_user_copy(bytes, (const void *)start, len))
		return -EFAULT;
	for (i = 0; i < nr; i++)
		memcpy(bytes + (p[i].addr - start), p[i].bytes, p[i].len);
	return kp_user_text_poke(start, bytes, len);
}

int kp_host_text_write(struct kp_text_patch *patches, size_t nr)
{
	int first = 0;
	size_t i, j, n;

	kp_host_assert_locked(KP_LOCK_TEXT);
	for (i = 0; i < nr; i += n) {
		int err;

		n = run_of(patches + i, nr - i);
		if (n > 1)
			err = write_run(patches + i, n);
		else
			err = kp_user_text_poke(patches[i].addr,
						patches[i].bytes,
						patches[i].len);
		for (j = i; j < i + n; j++)
			patches[j].err = err;
		first = first ? first : err;
	}
	return first;
}

/* ---- hooks: a process has no instructions that are made to call somebody --- */

int kp_host_hook(struct kp_hook_site *hooks, size_t nr, bool redirects)
{
	(void)hooks;
	(void)nr;
	(void)redirects;
	return -EOPNOTSUPP;
}

int kp_host_unhook(struct kp_hook_site *hooks, size_t nr, bool redirects)
{
	return kp_host_hook(hooks, nr, redirects);
}

void kp_host_hook_stop(void)
{
}

void kp_host_hook_undo(uint8_t *bytes, uintptr_t addr, size_t len)
{
	(void)bytes;
	(void)addr;
	(void)len;
}
