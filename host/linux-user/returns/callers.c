/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * callers.c - functions that depend on their caller.
 *
 * Owns: the list of them.  dlsym(RTLD_NEXT) searches behind the object that contains its return
 * address, and dlopen uses that object's RUNPATH and namespace.  With a return probe that
 * address is a stub's, and the object is this library.
 *
 * Some are known by name, wherever they are.  In the C library and the dynamic linker, every
 * function that reads its return address counts (arch/x86/caller.c).  Elsewhere a function that
 * does so may be probed: it sees the stub, as documented.  But a function that ends in a jump to
 * one of the named functions lends it its own return address.
 *
 * Locks: the registry lock.
 */
#include "host.h"
#include "machine.h"
#include "objects/elf.h"
#include "objects/objects.h"

#include <elf.h>
#include <link.h>

static const char *const names[] = {
	"dlsym", "dlvsym", "dlopen", "dlmopen", "dl_iterate_phdr",
	"__libc_dlopen_mode", "__libc_dlsym", "vfork", "__vfork",
};
#define NR (sizeof(names) / sizeof(names[0]))

static bool minds_caller(const char *name)
{
	size_t i;

	for (i = 0; i < NR; i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/* ---- what an object asks the linker for ------------------------------------------ */

struct relocations {
	const ElfW(Rela) *all[2];	/* of the linkage table; the others */
	size_t nr[2];
	const ElfW(Sym) *symbols;
	const char *strings;
};

static void find_relocations(const struct kp_object *object,
			     struct relocations *out)
{
	const ElfW(Dyn) *dyn = (const void *)object->dynamic;

	memset(out, 0, sizeof(*out));
	for (; dyn && dyn->d_tag != DT_NULL; dyn++) {
		uintptr_t value = dyn->d_un.d_val;
		const void *at = kp_user_elf_dynamic(object, value);

		switch (dyn->d_tag) {
		case DT_JMPREL:
			out->all[0] = at;
			break;
		case DT_PLTRELSZ:
			out->nr[0] = value / sizeof(ElfW(Rela));
			break;
		case DT_RELA:
			out->all[1] = at;
			break;
		case DT_RELASZ:
			out->nr[1] = value / sizeof(ElfW(Rela));
			break;
		case DT_SYMTAB:
			out->symbols = at;
			break;
		case DT_STRTAB:
			out->strings = at;
			break;
		}
	}
	if (!out->symbols || !out->strings)
		memset(out, 0, sizeof(*out));
}

/*
 * The words in which it has the addresses of such functions.  All of them are looked
 * for at once: a browser's relocations are a million, and its functions as many.
 */
static void find_asked(struct kp_object *object)
{
	struct relocations r;
	size_t i, j;

	find_relocations(object, &r);
	object->asked_nr = 0;
	for (i = 0; i < 2; i++)
		for (j = 0; r.all[i] && j < r.nr[i]; j++) {
			const ElfW(Rela) *rel = &r.all[i][j];
			size_t sym = ELF64_R_SYM(rel->r_info);

			if (!sym || !minds_caller(r.strings +
						  r.symbols[sym].st_name))
				continue;
			if (object->asked_nr < KP_ASKED_MAX)
				object->asked[object->asked_nr] =
					rel->r_offset + object->bias;
			object->asked_nr++;
		}
}

/* With more than there is room for, each word may be one. */
static bool is_asked(const struct kp_object *object, uintptr_t word)
{
	size_t i;

	for (i = 0; i < object->asked_nr && i < KP_ASKED_MAX; i++)
		if (object->asked[i] == word)
			return true;
	return object->asked_nr > KP_ASKED_MAX;
}

static bool has_one(struct kp_object *object)
{
	size_t i;

	for (i = 0; i < NR; i++)
		if (kp_user_elf_named(object, names[i]))
			return true;
	return false;
}

/* addr may be behind a landing pad. */
static bool has_one_at(struct kp_object *object, uintptr_t addr)
{
	struct kp_symbol *sym;
	size_t i;

	if (!(object->callers & KP_CALLERS_FOLLOW))
		return false;
	for (i = 0; i < NR; i++) {
		sym = kp_user_elf_named(object, names[i]);
		if (sym && addr - sym->addr < sym->len)
			return true;
	}
	return false;
}

/* ---- the duties -------------------------------------------------------------------- */

/* The C library's own; a static program has more than that in it. */
static bool is_c_library(const struct kp_object *object)
{
	static const char *const files[] = {
		"libc.so", "libc-2.", "ld-linux", "ld-2.", "ld.so", "libdl.so",
		"libdl-2.", "libpthread.so", "libpthread-2.", "ld-musl",
	};
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (!strncmp(object->module, files[i], strlen(files[i])))
			return !object->main;
	return false;
}

/*
 * Older ones hand their caller on to hooks that hardly anybody sets; a return
 * probe there is worth more.
 */
static bool allocates(struct kp_object *object, uintptr_t addr)
{
	static const char *const family[] = {
		"malloc", "free", "calloc", "realloc", "memalign", "valloc",
		"pvalloc", "aligned_alloc", "posix_memalign",
	};
	size_t i;

	for (i = 0; i < sizeof(family) / sizeof(family[0]); i++) {
		struct kp_symbol *sym = kp_user_elf_named(object, family[i]);

		if (sym && addr - sym->addr < sym->len)
			return true;
	}
	return false;
}

static void look_at(struct kp_object *object)
{
	if (object->callers)
		return;
	object->callers = 0x80;
	find_asked(object);
	if (object->asked_nr || has_one(object))
		object->callers |= KP_CALLERS_FOLLOW;
	if (is_c_library(object))
		object->callers |= KP_CALLERS_READ;
}

unsigned int kp_host_callers(uintptr_t addr)
{
	struct kp_object *object = kp_user_object_at(addr);

	kp_host_assert_locked(KP_LOCK_REGISTRY);
	if (!object)
		return 0;
	look_at(object);
	if (object->callers & KP_CALLERS_READ && allocates(object, addr))
		return 0;
	return (object->callers & ~0x80u) |
	       (has_one_at(object, addr) ? KP_CALLERS_SELF : 0);
}

bool kp_host_minds_caller(uintptr_t to, uintptr_t word)
{
	struct kp_object *object = kp_user_object_at(word ? word : to);
	struct kp_symbol *sym;
	size_t i;

	if (!object)
		return false;
	look_at(object);
	if (word)
		return is_asked(object, word);
	for (i = 0; i < NR; i++) {
		sym = kp_user_elf_named(object, names[i]);
		if (sym && sym->addr == to)
			return true;
	}
	return false;
}
