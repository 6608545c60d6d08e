// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * section.c - system calls in code that is read from its start on: a function's, or, where
 * unwinders are told of none, a section's.
 *
 * Owns: numbers.h's answers, but for the instructions themselves, and the stubs of calls.
 * Compilers need not describe functions of C for unwinders.  But the object's file says where
 * code is; what else it holds are no numbers.
 *
 * Locks: the registry lock.
 */
#include "host.h"
#include "machine.h"
#include "stretch.h"
#include "text/intercept.h"
#include "text/stubs.h"
#include "objects/noprobe.h"
#include "objects/objects.h"

#define NEAR 1024

/* Apart, since calls of both kinds lie mixed, and a section takes long to read. */
static struct kp_stretch function, section;

static void note_targets(struct kp_stretch *code)
{
	uintptr_t at, to, nth;
	unsigned int len;

	for (at = code->start; at + 4 <= code->end; at += len) {
		len = kp_stretch_step(at, &to);
		if (to < code->start || to >= code->end)
			continue;
		nth = (to - code->start) / KP_CODE_UNIT;
		code->targets[nth / 8] |= (uint8_t)(1u << nth % 8);
	}
}

static void read_code(struct kp_stretch *code, uintptr_t start, uintptr_t end)
{
	if (code->start == start && code->end == end)
		return;
	kp_host_free(code->targets);
	*code = (struct kp_stretch){ .start = start, .end = end, .at = start };
	if (end > start)
		code->targets = kp_host_alloc((end - start) / KP_CODE_UNIT / 8 + 1);
	if (code->targets)
		note_targets(code);
}

enum kp_number kp_number_of(uintptr_t start, uintptr_t end, uintptr_t call,
			    unsigned long *nr)
{
	read_code(&function, start, end);
	return kp_stretch_number(&function, call, end - start, nr);
}

/* The section that a call is looked for in. */
static uintptr_t wanted;
static struct kp_section found;
static bool any;			/* section of code, in the object */

static void look_at(struct kp_object *object, const struct kp_section *of)
{
	(void)object;
	any |= of->exec;
	if (of->exec && wanted - of->start < of->len)
		found = *of;
}

enum kp_number kp_number_outside(struct kp_object *object, uintptr_t begin,
				 uintptr_t call, unsigned long *nr)
{
	(void)begin;
	if (call - found.start >= found.len) {
		wanted = call;
		found.len = 0;
		any = false;
		kp_user_sections_each(object, look_at);
	}
	/* It has no data that looks like a call, and no list of sections in memory. */
	if (!found.len && object->vdso)
		return KP_NUMBER_ANY;
	if (!found.len)
		return any ? KP_NUMBER_DATA : KP_NUMBER_NO_CALL;
	read_code(&section, found.start, found.start + found.len);
	return kp_stretch_number(&section, call, NEAR, nr);
}

bool kp_number_spared(const struct kp_object *object, unsigned long nr)
{
	(void)object;
	(void)nr;
	return false;
}

void kp_number_end(void)
{
	read_code(&function, 0, 0);
	read_code(&section, 0, 0);
	found.len = 0;
}

/*
 * The call; a jump back.  Where that does not lead there, and no register is free for more, a
 * breakpoint takes its place.
 */
int kp_number_stub(uintptr_t call, uintptr_t *stub)
{
	struct kp_intercept back = { .kind = KP_INTERCEPT_BACK, .stub = call + KP_SYSCALL_LEN };
	uint8_t bytes[KP_SYSCALL_LEN + KP_INTERCEPT_JUMP_LEN] = { 0 };
	const uint32_t word = KP_CALL_WORD;
	int err = kp_user_stub_take_any(call, sizeof(bytes), stub);

	if (err)
		return err;
	memcpy(bytes, &word, sizeof(word));
	back.addr = *stub + KP_SYSCALL_LEN;
	if (kp_jump_leads(back.addr, back.stub)) {
		kp_intercept_jump(bytes + KP_SYSCALL_LEN, back.addr, back.stub);
	} else {
		memcpy(bytes + KP_SYSCALL_LEN, kp_arch_bp, KP_ARCH_BP_LEN);
		memcpy(back.original, kp_arch_bp, KP_ARCH_BP_LEN);
		err = kp_user_intercept_add(&back);
	}
	kp_user_stub_fill(*stub, bytes, sizeof(bytes));
	return err;
}
