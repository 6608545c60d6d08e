/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * open.c - modules, as the command has linked them for this process.
 *
 * Owns: the range of each one.  The command asks for a range (kp_face_room), relocates the
 * module for it, and gives a sealed copy, out of which each segment is mapped with its own
 * access (kp_face_place).  What is placed is what load.c opens next.  A range that no module
 * came to is given up when the next one is asked for.
 *
 * A module is an object like those of the program's linker: objects.c lists it.
 *
 * Locks: load.c's for all of it; the registry lock as well for the list.
 */
#include "face.h"
#include "host.h"
#include "image.h"
#include "machine.h"
#include "freestanding/heap.h"
#include "freestanding/parse.h"
#include "threads/own_work.h"
#include "objects/dso.h"

#define PARTS_MAX 16
#define PAGE 4096ul

struct words {
	uint64_t at, nr;		/* functions' addresses; of one function: itself, 1 */
};

struct module {
	struct kp_image_module is;	/* first */
	size_t len;
	uint64_t about;			/* its struct kp_module */
	struct words init, inits, finis, fini;
};

static struct module pending;		/* base 0: none */

/* ---- the command asks ------------------------------------------------------------------- */

static void give_up(void)
{
	if (pending.is.base)
		sys3(SYS_munmap, pending.is.base, pending.len, 0);
	pending.is.base = 0;
	pending.about = 0;
}

int kp_face_room(const char *words, uintptr_t *base)
{
	uint64_t len;

	give_up();
	if (!kp_user_parse(&words, 16, &len) || *words || !len || len > UINT32_MAX)
		return -EINVAL;
	pending.len = ((size_t)len + PAGE - 1) & ~(PAGE - 1);
	pending.is.base = (uintptr_t)kp_user_map_away(pending.len, PROT_NONE, MAP_NORESERVE);
	*base = pending.is.base;
	return pending.is.base ? 0 : -ENOMEM;
}

static bool take(const char **words, uint64_t *value)
{
	return kp_user_parse(words, 16, value);
}

static bool take_words(const char **words, struct words *out)
{
	return take(words, &out->at) && take(words, &out->nr);
}

/* One segment: where, how long, and its access. */
static int map_part(const char **words, long file)
{
	uint64_t from, len, prot;
	size_t whole;

	if (!take(words, &from) || !take(words, &len) || !take(words, &prot) ||
	    from % PAGE || from >= pending.len || len > pending.len - from)
		return -EINVAL;
	whole = ((size_t)len + PAGE - 1) & ~(PAGE - 1);
	return kp_image_map_file((void *)(pending.is.base + (uintptr_t)from), whole, (int)prot,
				 file, from);
}

int kp_face_place(const char *words, long file)
{
	uint64_t base, len;
	int err = 0;

	if (!pending.is.base || !take(&words, &base) || base != pending.is.base || !take(&words, &len) ||
	    !take(&words, &pending.about) || !take_words(&words, &pending.init) ||
	    !take_words(&words, &pending.inits) || !take_words(&words, &pending.finis) ||
	    !take_words(&words, &pending.fini))
		err = -EINVAL;
	while (!err && *words)
		err = map_part(&words, file);
	if (err)
		give_up();
	return err;
}

/* ---- load.c --------------------------------------------------------------------------------- */

static void call(const struct words *array, bool backwards)
{
	uintptr_t at = (uintptr_t)array->at, word;
	uint64_t i;

	for (i = 0; i < array->nr; i++) {
		word = ((uintptr_t *)at)[backwards ? array->nr - 1 - i : i];
		/* 0 and -1 stand for none. */
		if (word + 1 > 1)
			((void (*)(void))word)();
	}
}

static void call_one(const struct words *fn)
{
	if (fn->nr)
		((void (*)(void))(uintptr_t)fn->at)();
}

const char *kp_face_open(const char *path, long file, void **handle)
{
	size_t len = strlen(path) + 1;
	struct module *module;
	unsigned int own;

	(void)file;
	*handle = NULL;
	if (!pending.about)
		return "only the command can load modules into this process";
	module = kp_host_alloc(sizeof(*module));
	if (!module)
		return "out of memory";
	*module = pending;
	module->is.name = kp_host_alloc(len);
	if (!module->is.name) {
		kp_host_free(module);
		return "out of memory";
	}
	memcpy(module->is.name, path, len);
	pending.is.base = 0;
	pending.about = 0;
	kp_host_lock(KP_LOCK_REGISTRY);
	kp_image_module_came(&module->is);
	kp_host_unlock(KP_LOCK_REGISTRY);
	kp_user_dso_changed(0, 0);
	own = kp_user_own_pause();
	call_one(&module->init);
	call(&module->inits, false);
	kp_user_own_resume(own);
	*handle = module;
	return NULL;
}

/* There is no name but this one to ask for. */
void *kp_face_symbol(void *handle, const char *name)
{
	const struct module *module = handle;

	return strcmp(name, "kp_module") ? NULL : (void *)(uintptr_t)module->about;
}

void kp_face_close(void *handle)
{
	struct module *module = handle;
	unsigned int own = kp_user_own_pause();

	call(&module->finis, true);
	call_one(&module->fini);
	kp_user_own_resume(own);
	kp_host_lock(KP_LOCK_REGISTRY);
	kp_image_module_goes(&module->is);
	kp_host_unlock(KP_LOCK_REGISTRY);
	kp_user_dso_changed(module->is.base, module->len);
	kp_host_free(module->is.name);
	kp_host_free(module);
}
