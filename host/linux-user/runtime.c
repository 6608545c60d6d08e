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
#include "user.h"
#include "marks.h"

#include <elf.h>
#include <link.h>

struct runtime {
	const char *sections[5];
	const char *symbols[8];
	const char *files[3];		/* how the object's name begins */
	bool small_stacks;
	const char *returns;		/* why no return probe; NULL: it may */
	const char *jprobes;
};

#define RETURNS_ADVICE "; a kprobe at each of its ret instructions sees the same"
#define VM_RETURNS(what) what " finds its frames by return addresses, so another one ends the program" RETURNS_ADVICE
#define NOT_C(what) what " does not take its arguments as C does: a kprobe sees the registers"

static const struct runtime runtimes[] = {
	[KP_RUNTIME_GO - 1] = {
		.sections = { KP_MARKS_GO_SECTIONS },
		.symbols = { KP_MARKS_GO_SYMBOLS },
		.files = { "libgo.so" },
		.small_stacks = true,
		.returns = VM_RETURNS("Go"),
		.jprobes = NOT_C("Go"),
	}, {
		.symbols = { "gHotSpotVMStructs", "j9port_init_library" },
		.files = { "libjvm.so", "libj9" },
		.returns = VM_RETURNS("the Java virtual machine"),
	}, {
		.sections = { ".svm_heap" },
		.symbols = { "graal_create_isolate", "__svm_version_info" },
		.returns = VM_RETURNS("compiled Java"),
		.jprobes = NOT_C("compiled Java"),
	}, {
		.symbols = { "_ZN2v82V810GetVersionEv", "Builtins_JSEntry",
			     "_ZN2v87Isolate10GetCurrentEv",
			     "v8dbg_type_JSObject__JS_OBJECT_TYPE",
			     "v8_Default_embedded_blob_code_" },
		.files = { "libv8", "libnode." },
		.returns = VM_RETURNS("V8"),
	}, {
		.sections = { "__managedcode" },
		.symbols = { "coreclr_initialize", "mono_jit_init",
			     "RhpNewFast" },
		.files = { "libcoreclr.so", "libclrjit.so", "libmono" },
		.returns = VM_RETURNS(".NET"),
	}, {
		.symbols = { "JSGlobalContextCreate" },
		.files = { "libjavascriptcoregtk", "libmozjs", "libxul.so" },
		.returns = VM_RETURNS("a JavaScript engine"),
	}, {
		.symbols = { "caml_start_program", "caml_startup",
			     "caml_frametable" },
		.returns = VM_RETURNS("OCaml"),
		.jprobes = NOT_C("OCaml"),
	}, {
		.symbols = { "stg_upd_frame_info", "hs_init", "StgReturn" },
		.files = { "libHS" },
		.returns = "Haskell's functions are jumped to, not called, and return by jumps",
		.jprobes = NOT_C("Haskell"),
	}, {
		.symbols = { "_kDartIsolateSnapshotInstructions",
			     "_kDartVmSnapshotInstructions" },
		.returns = VM_RETURNS("Dart"),
		.jprobes = NOT_C("Dart"),
	}, {
		.symbols = { KP_MARKS_SPLIT_SYMBOLS },
		.small_stacks = true,
		.returns = "this code was compiled with split stacks (-fsplit-stack): a return probe has no room on them" RETURNS_ADVICE,
		.jprobes = "this code was compiled with split stacks (-fsplit-stack): a handler has no room on them; use a kprobe",
	},
};
#define NR (sizeof(runtimes) / sizeof(runtimes[0]))
#define NONE NR

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

static bool has_symbol(struct kp_object *object, const struct runtime *runtime)
{
	size_t i, n = sizeof(runtime->symbols) / sizeof(runtime->symbols[0]);

	for (i = 0; i < n && runtime->symbols[i]; i++)
		if (kp_user_elf_named(object, runtime->symbols[i]))
			return true;
	return false;
}

static bool has_name(const struct kp_object *object,
		     const struct runtime *runtime)
{
	size_t i, n = sizeof(runtime->files) / sizeof(runtime->files[0]);

	for (i = 0; i < n && runtime->files[i]; i++)
		if (!strncmp(object->module, runtime->files[i],
			     strlen(runtime->files[i])))
			return true;
	return false;
}

/* A section of the object's file, while its symbols are read. */
void kp_user_runtime_section(struct kp_object *object, const char *name)
{
	size_t i, j, n = sizeof(runtimes[0].sections) /
			 sizeof(runtimes[0].sections[0]);

	for (i = 0; i < NR; i++)
		for (j = 0; j < n && runtimes[i].sections[j]; j++)
			if (!strcmp(name, runtimes[i].sections[j]))
				object->runtime = (uint8_t)(i + 1);
}

static const struct runtime *runtime_of(struct kp_object *object)
{
	size_t i;

	kp_host_assert_locked(KP_LOCK_REGISTRY);
	if (!object)
		return NULL;
	kp_user_elf_index(object);
	if (!object->runtime && has_go_note(object))
		object->runtime = KP_RUNTIME_GO;
	for (i = 0; i < NR && !object->runtime; i++)
		if (has_name(object, &runtimes[i]) ||
		    has_symbol(object, &runtimes[i]))
			object->runtime = (uint8_t)(i + 1);
	if (!object->runtime)
		object->runtime = NONE + 1;
	return object->runtime == NONE + 1 ? NULL
					   : &runtimes[object->runtime - 1];
}

bool kp_user_runtime_small_stacks(struct kp_object *object)
{
	const struct runtime *runtime = runtime_of(object);

	return runtime && runtime->small_stacks;
}

const char *kp_user_runtime_returns(struct kp_object *object)
{
	const struct runtime *runtime = runtime_of(object);

	return runtime ? runtime->returns : NULL;
}

const char *kp_user_runtime_jprobes(struct kp_object *object)
{
	const struct runtime *runtime = runtime_of(object);

	return runtime ? runtime->jprobes : NULL;
}
