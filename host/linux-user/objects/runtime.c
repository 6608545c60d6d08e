/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * runtime.c - code that a runtime looks after.
 *
 * Owns: knowing such an object by its marks, and what must not be done to its
 * code.  Three things that C code allows may be the end of a program here:
 *
 *   stack    Go's functions, and C's with split stacks, run on stacks of some KB that lie in the heap
 *            without a guard page.  A function may use all but the last
 *            hundreds of bytes before it asks for more, some of these without
 *            asking; a jump's head and what it calls need thousands.  A trap
 *            needs none: the runtime gives each thread an alternate stack, and
 *            our handler runs there.
 *   returns  Runtimes that move objects or stacks, throw, or look for deadlocks
 *            find their way by return addresses: each is looked up in a table
 *            of their own.  Ours is in none, and they give up with a fatal
 *            error.  The C++ part of a virtual machine is called from its
 *            compiled code, whose frames are found in the same way.
 *   C        what takes its arguments elsewhere than C does has no use for a
 *            handler with the function's prototype.
 *
 * An object is known by any mark: the name of a section, a note, a symbol.
 * Sections survive stripping, notes are found in memory, symbols where the file
 * is no more.
 *
 * Locks: the registry lock.
 */
#include "objects/runtime.h"
#include "face.h"
#include "host.h"
#include "machine.h"
#include "freestanding/copy.h"
#include "objects/elf.h"
#include "objects/objects.h"

#include <elf.h>
#include <link.h>

#define NONE KP_RUNTIMES

/* Go's own note; the linker writes it into every program. */
static bool is_go_note(const ElfW(Nhdr) *note, const char *name)
{
	return note->n_type == 4 && note->n_namesz == 4 &&
	       !memcmp(name, "Go\0", 4);
}

static bool go_note_in(uintptr_t at, uintptr_t end)
{
	ElfW(Nhdr) note;
	char name[4];

	while (end - at >= sizeof(note) + sizeof(name)) {
		if (kp_user_copy(&note, (const void *)at, sizeof(note)) ||
		    kp_user_copy(name, (const void *)(at + sizeof(note)),
				 sizeof(name)))
			return false;
		if (is_go_note(&note, name))
			return true;
		at += sizeof(note) + ((note.n_namesz + 3ul) & ~3ul) +
		      ((note.n_descsz + 3ul) & ~3ul);
		if (at > end)
			return false;
	}
	return false;
}

static bool has_go_note(const struct kp_object *object)
{
	const ElfW(Phdr) *headers = (const void *)object->phdr;
	unsigned int i;

	for (i = 0; i < object->phdr_nr; i++) {
		uintptr_t start = object->bias + headers[i].p_vaddr;

		if (headers[i].p_type == PT_NOTE &&
		    go_note_in(start, start + headers[i].p_memsz))
			return true;
	}
	return false;
}

static bool has_symbol(struct kp_object *object, const struct kp_runtime *runtime)
{
	size_t i, n = sizeof(runtime->symbols) / sizeof(runtime->symbols[0]);

	for (i = 0; i < n && runtime->symbols[i]; i++)
		if (kp_user_elf_named(object, runtime->symbols[i]))
			return true;
	return false;
}

static bool has_name(const struct kp_object *object,
		     const struct kp_runtime *runtime)
{
	size_t i, n = sizeof(runtime->files) / sizeof(runtime->files[0]);

	for (i = 0; i < n && runtime->files[i]; i++)
		if (!strncmp(object->module, runtime->files[i],
			     strlen(runtime->files[i])))
			return true;
	return false;
}

static const struct kp_runtime *runtime_of(struct kp_object *object)
{
	size_t i;

	kp_host_assert_locked(KP_LOCK_REGISTRY);
	if (!object)
		return NULL;
	kp_user_elf_index(object);
	if (!object->runtime && has_go_note(object))
		object->runtime = KP_RUNTIME_GO;
	for (i = 0; i < KP_RUNTIMES && !object->runtime; i++)
		if (has_name(object, &kp_user_runtimes[i]) ||
		    has_symbol(object, &kp_user_runtimes[i]))
			object->runtime = (uint8_t)(i + 1);
	if (!object->runtime)
		object->runtime = NONE + 1;
	return object->runtime == NONE + 1 ? NULL
					   : &kp_user_runtimes[object->runtime - 1];
}

bool kp_user_runtime_small_stacks(struct kp_object *object)
{
	const struct kp_runtime *runtime = runtime_of(object);

	return runtime && runtime->small_stacks;
}

const char *kp_user_runtime_returns(struct kp_object *object)
{
	const struct kp_runtime *runtime = runtime_of(object);

	return runtime ? runtime->returns : kp_face_returns_refused();
}

const char *kp_user_runtime_jprobes(struct kp_object *object)
{
	const struct kp_runtime *runtime = runtime_of(object);

	return runtime ? runtime->jprobes : NULL;
}
