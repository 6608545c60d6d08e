/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * runtime_marks.c - by what code of a runtime is known.
 *
 * Owns: the table of runtimes; the marks that are found while an object's file is read, or when
 * it comes.  runtime.c asks for the others.
 */
#include "objects/runtime_marks.h"
#include "atomic.h"
#include "host.h"
#include "machine.h"
#include "marks.h"
#include "objects/objects.h"
#include "objects/runtime.h"

#define RETURNS_ADVICE "; a kprobe at each of its ret instructions sees the same"
#define VM_RETURNS(what) what " finds its frames by return addresses, so another one ends the program" RETURNS_ADVICE
#define NOT_C(what) what " does not take its arguments as C does: a kprobe sees the registers"

const struct kp_runtime kp_user_runtimes[KP_RUNTIMES] = {
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

/* A section of the object's file, while its symbols are read. */
void kp_user_runtime_section(struct kp_object *object, const char *name)
{
	size_t i, j, n = sizeof(kp_user_runtimes[0].sections) /
			 sizeof(kp_user_runtimes[0].sections[0]);

	for (i = 0; i < KP_RUNTIMES; i++)
		for (j = 0; j < n && kp_user_runtimes[i].sections[j]; j++)
			if (!strcmp(name, kp_user_runtimes[i].sections[j]))
				object->runtime = (uint8_t)(i + 1);
}

/*
 * Greenlets, Python's, share the thread's stack: who waits is copied to the heap.
 * Other libraries that do so are not known.
 */
static bool stacks_copied;		/* set once; any context reads */

void kp_user_runtime_loaded(const struct kp_object *object)
{
	if (!strncmp(object->module, "_greenlet.", 10))
		kp_store_relaxed(&stacks_copied, true);
}

KP_TRAP_PATH bool kp_host_stacks_copied(void)
{
	return kp_load_relaxed(&stacks_copied);
}
