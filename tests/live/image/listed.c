/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * listed.c - objects that the image finds without a dynamic linker (image/objects.c).
 *
 * They are those that dl_iterate_phdr lists: in programs that are linked in each way, and while
 * objects come and go.  Lists that are damaged end the walk, and do no harm.
 */
#include "attach.h"
#include "face.h"
#include "image.h"
#include "machine.h"
#include "freestanding/copy.h"
#include "process/maps.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/uio.h>
#include <unistd.h>

#define MOST 64

/* ---- in the host's place ------------------------------------------------------------------ */

int kp_user_copy(void *dst, const void *src, size_t len)
{
	struct iovec to = { dst, len }, from = { (void *)(uintptr_t)src, len };

	return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)len ? 0 : -EFAULT;
}

int kp_user_maps(kp_map_fn fn, void *arg)
{
	FILE *file = fopen("/proc/self/maps", "re");
	char line[4400], name[4200];
	struct kp_map map = { 0 };
	unsigned long from, to;

	while (file && fgets(line, sizeof(line), file)) {
		name[0] = 0;
		if (sscanf(line, "%lx-%lx %*s %*s %*s %*s %4199[^\n]", &from, &to, name) < 2)
			continue;
		map.start = from;
		map.end = to;
		map.name = name;
		if (fn(&map, arg))
			break;
	}
	if (file)
		fclose(file);
	return 0;
}

/* ---- lists ------------------------------------------------------------------------------------ */

struct list {
	int nr;
	struct { uintptr_t addr, phdr; unsigned int phdr_nr; char name[256]; } of[MOST];
};

static int note(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct list *list = arg;

	(void)size;
	if (list->nr == MOST)
		return 1;
	list->of[list->nr].addr = info->dlpi_addr;
	list->of[list->nr].phdr = (uintptr_t)info->dlpi_phdr;
	list->of[list->nr].phdr_nr = info->dlpi_phnum;
	snprintf(list->of[list->nr++].name, sizeof(list->of[0].name), "%s",
		 info->dlpi_name ? info->dlpi_name : "");
	return 0;
}

static int find(const struct list *list, uintptr_t phdr)
{
	int i;

	for (i = 0; i < list->nr; i++)
		if (list->of[i].phdr == phdr)
			return i;
	return -1;
}

/* Theirs are among ours, the program first, and none of ours is there twice. */
static const char *differs(const struct list *ours, const struct list *theirs)
{
	uintptr_t vdso = getauxval(AT_SYSINFO_EHDR);
	static char why[400];
	int i, at;

	for (i = 0; i < theirs->nr; i++) {
		at = find(ours, theirs->of[i].phdr);
		if (at < 0 || (i == 0) != (at == 0) || ours->of[at].addr != theirs->of[i].addr ||
		    ours->of[at].phdr_nr != theirs->of[i].phdr_nr ||
		    (vdso != (theirs->of[i].phdr & ~4095ul) &&
		     strcmp(ours->of[at].name, theirs->of[i].name))) {
			snprintf(why, sizeof(why), "\"%s\" is %s", theirs->of[i].name,
				 at < 0 ? "not found" : "another");
			return why;
		}
	}
	for (i = 0; i < ours->nr; i++)
		if (find(ours, ours->of[i].phdr) != i)
			return "one is there twice";
	return NULL;
}

static const char *look(int more)
{
	static struct list ours, theirs;

	ours.nr = theirs.nr = 0;
	dl_iterate_phdr(note, &theirs);
	kp_face_objects(note, &ours);
	/* The vdso, which not each C library lists. */
	if (ours.nr < theirs.nr + more || ours.nr > theirs.nr + more + 1) {
		static char why[64];

		snprintf(why, sizeof(why), "%d, not %d", ours.nr, theirs.nr);
		return why;
	}
	return differs(&ours, &theirs);
}

static void say(const char *name, const char *wrong)
{
	printf(wrong ? "not ok %s: %s\n" : "ok %s\n", name, wrong);
}

/* ---- what comes and goes ------------------------------------------------------------------------ */

#ifdef LOADS
static void test_loaded(void)
{
	void *handle = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);

	say("an object that is loaded later is listed", handle ? look(0) : "dlopen");
	if (handle)
		dlclose(handle);
	say("and no more once it is unloaded", look(0));
}

static void test_damaged(void)
{
	struct link_map *first = _r_debug.r_map, *next = first->l_next, *last = first;
	static struct list ours;

	first->l_next = (struct link_map *)16;
	ours.nr = 0;
	kp_face_objects(note, &ours);
	first->l_next = next;
	say("a list that leads to nothing ends there", ours.nr ? NULL : "nothing is listed");
	while (last->l_next)
		last = last->l_next;
	last->l_next = first;
	ours.nr = 0;
	kp_face_objects(note, &ours);
	last->l_next = NULL;
	say("a list that leads back ends, too", ours.nr == MOST ? NULL : "it ended early");
	_r_debug.r_state = RT_ADD;
	say("a linker that is at work for ever is not waited for", look(0));
	_r_debug.r_state = RT_CONSISTENT;
}

/* dl_iterate_phdr says nothing of them; nor can a C library before 2.35.  They stay. */
static void test_spaces(void)
{
	static struct list ours;
	void *handle = dlmopen(LM_ID_NEWLM, "libm.so.6", RTLD_NOW | RTLD_LOCAL);
	int i, nr = 0;

	if (!handle || _r_debug.r_version < 2)
		return;
	kp_face_objects(note, &ours);
	for (i = 0; i < ours.nr; i++)
		nr += strstr(ours.of[i].name, "/libm.so.6") != NULL;
	say("objects in name spaces of their own are listed", nr ? NULL : "not found");
}
#endif

int main(void)
{
	static struct kp_mailbox mailbox;
	FILE *file = fopen("/proc/self/auxv", "re");
	unsigned long pair[2];
	int i = 0;

	while (file && i < KP_MAILBOX_AUXV && fread(pair, sizeof(pair), 1, file) == 1) {
		mailbox.auxv[i][0] = pair[0];
		mailbox.auxv[i++][1] = pair[1];
	}
	kp_image_know(&mailbox);
	say("the objects are those that the C library lists", look(0));
#ifdef LOADS
	test_loaded();
	test_damaged();
	test_spaces();
#endif
	return 0;
}
