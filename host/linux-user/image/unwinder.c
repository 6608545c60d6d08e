/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * unwinder.c - the program's unwinder learns of the image's frames.
 *
 * Owns: the probes of the host's own on _Unwind_Find_FDE, by which libgcc's unwinder looks up
 * what describes a frame, wherever an object has it, as long as calls may be hooked.  It
 * looks in the objects that the program's C library knows, and the image is none of them: an
 * exception that is thrown through a return stub would end the program.  For an address in the
 * image the probe leads the call to describe().
 *
 * Where there may be another unwinder, return probes are refused.
 *
 * Locks: the registry lock; describe() runs as the program's code, with none.
 */
#include "face.h"
#include "host.h"
#include "machine.h"
#include "upcall.h"
#include "objects/elf.h"
#include "objects/objects.h"

#include <elf.h>
#include <link.h>
#include <linux/kprobes.h>

#define FIND "_Unwind_Find_FDE"
#define FINDERS_MAX 8

struct bases {				/* what the unwinder is told besides */
	void *text, *data, *function;
};

/* .eh_frame_hdr, as the linker makes it: 32 bits, from the header on. */
struct table {
	uint8_t version, frame_encoding, count_encoding, encoding;
	int32_t frame;
	uint32_t count;
	struct { int32_t start, entry; } entries[];
};
#define ENCODED { 1, 0x1b, 0x03, 0x3b }

static struct finder {
	struct kprobe probe;
	uintptr_t addr;			/* 0: none */
} finders[FINDERS_MAX];

/* ---- a call ------------------------------------------------------------------------------ */

static bool is_ours(uintptr_t pc)
{
	uintptr_t start, end;

	kp_face_text(&start, &end);
	return pc >= start && pc < end;
}

static const struct table *find_table(void)
{
	static const uint8_t encoded[4] = ENCODED;
	const struct table *table;
	uintptr_t start, end;
	const ElfW(Phdr) *ph;
	unsigned int i;

	kp_face_text(&start, &end);
	ph = (const void *)(start + ((const ElfW(Ehdr) *)start)->e_phoff);
	for (i = 0; i < ((const ElfW(Ehdr) *)start)->e_phnum; i++) {
		table = (const void *)(start + ph[i].p_vaddr);
		if (ph[i].p_type == PT_GNU_EH_FRAME && !memcmp(table, encoded, sizeof(encoded)))
			return table;
	}
	return NULL;
}

/* In the function's place, on its caller's stack. */
static const void *describe(uintptr_t pc, struct bases *bases)
{
	const struct table *table = find_table();
	uintptr_t from = (uintptr_t)table;
	uint32_t low = 0, high = table ? table->count : 0, i;

	while (low < high) {
		i = low + (high - low) / 2;
		if (from + (uintptr_t)(intptr_t)table->entries[i].start <= pc)
			low = i + 1;
		else
			high = i;
	}
	if (!low)
		return NULL;
	bases->text = bases->data = NULL;
	bases->function = (void *)(from + (uintptr_t)(intptr_t)table->entries[low - 1].start);
	return (const void *)(from + (uintptr_t)(intptr_t)table->entries[low - 1].entry);
}

KP_TRAP_PATH static int lead(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	if (!is_ours(regs_get_kernel_argument(regs, 0)))
		return 0;
	kp_regs_enter_host(regs, (uintptr_t)describe);
	return 1;
}

/* ---- watching ----------------------------------------------------------------------------- */

static bool is_static(void)
{
	return !kp_face_auxv(AT_BASE);
}

const char *kp_face_returns_refused(void)
{
	struct kp_object *object;

	for (object = kp_user_object_first(); object; object = object->next) {
		if (object->vdso)
			continue;
		if (object->main)
			kp_user_elf_index(object);
		if (object->main && is_static() && object->eh_hdr && !object->symbols_nr)
			return "the program is static and has no symbols: an unwinder in it cannot be found, and would not know the return probe when an exception is thrown";
		if (kp_user_elf_function(object, "_Unwind_RaiseException") && !kp_user_elf_function(object, FIND))
			return "the program's unwinder is not libgcc's: it would not know the return probe when an exception is thrown";
	}
	return NULL;
}

static void watch(uintptr_t addr)
{
	struct finder *finder, *empty = NULL;

	for (finder = finders; finder < finders + FINDERS_MAX; finder++) {
		if (finder->addr == addr)
			break;
		if (!finder->addr && !empty)
			empty = finder;
	}
	if (finder == finders + FINDERS_MAX)
		finder = empty;
	if (!finder)
		return;
	finder->addr = addr;
	finder->probe.pre_handler = lead;
	if (kp_core_own_register(&finder->probe, addr))
		kp_host_log(KP_LOG_WARN, "kprobes: " FIND " cannot be watched, so the program may end when an exception is thrown through a return probe: %s",
			    finder->probe.reason ? finder->probe.reason : "no reason is known");
}

void kp_face_unwinders(bool on)
{
	struct kp_object *object;
	struct finder *finder;
	uintptr_t addr;

	for (object = on ? kp_user_object_first() : NULL; object; object = object->next) {
		addr = kp_user_elf_function(object, FIND);
		if (addr)
			watch(addr);
	}
	for (finder = finders; !on && finder < finders + FINDERS_MAX; finder++)
		if (finder->addr) {
			kp_core_own_unregister(&finder->probe);
			finder->addr = 0;
		}
}

void kp_face_unwinder_gone(uintptr_t start, size_t len)
{
	struct finder *finder;

	for (finder = finders; finder < finders + FINDERS_MAX; finder++)
		if (finder->addr && finder->addr - start < len) {
			kp_core_own_unregister(&finder->probe);
			finder->addr = 0;
		}
}
