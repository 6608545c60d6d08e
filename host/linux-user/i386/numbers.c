/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * numbers.c - the system calls of i386 code, and which number they have.
 *
 * Owns: numbers.h's answers.  A call is made by
 * int $0x80, or by call *%gs:16, which leads to the kernel's own code in the vdso, as a plain
 * call does that stands there; what it is made of is not looked at.  A watched one goes on in
 * int $0x80 wherever it stood.
 *
 * Locks: the registry lock, but for kp_is_entry and kp_call_len.
 */
#include "face.h"
#include "machine.h"
#include "numbers.h"
#include "text/stubs.h"
#include "objects/objects.h"
#include "insn/insn.h"

#include <sys/auxv.h>

#define VDSO_LEN 0x4000u		/* more than it has */
#define ENTRY_LEN 16u			/* of the entry, up to its last way into the kernel */
#define INNER_LEN 5
#define STUB_LEN 7
#define STRAIGHT 32			/* bytes of it that are looked at */
#define CALLS_MAX 1024u			/* more than there are */
#define EAX 1u				/* kp_insn.gprs */

static const uint8_t by_gs[KP_CALL_BY_GS_LEN] = { 0x65, 0xff, 0x15, 0x10, 0, 0, 0 };

/* Asked before there is an intercept. */
static uintptr_t vdso, entry;		/* the kernel's code for any call; 0: there is none */

static bool in_vdso(uintptr_t addr)
{
	static bool known;

	if (!known) {
		vdso = kp_face_auxv(AT_SYSINFO_EHDR);
		entry = kp_face_auxv(AT_SYSINFO);
	}
	known = true;
	return vdso && addr - vdso < VDSO_LEN;
}

KP_TRAP_PATH bool kp_is_entry(uintptr_t ip)
{
	return entry && ip - entry < ENTRY_LEN;
}

/* call entry, in the vdso? */
static bool is_inner(uintptr_t addr)
{
	int32_t distance;

	if (!in_vdso(addr) || !entry || *(const uint8_t *)addr != 0xe8)
		return false;
	memcpy(&distance, (const void *)(addr + 1), sizeof(distance));
	return addr + INNER_LEN + (uintptr_t)distance == entry;
}

static bool is_by_gs(uintptr_t addr)
{
	return !memcmp((const void *)addr, by_gs, sizeof(by_gs));
}

bool kp_number_wanted(uintptr_t addr)
{
	const uint8_t *at = (const uint8_t *)addr;

	if (at[0] == 0xcd ? at[1] != 0x80 : at[0] != by_gs[0] || at[1] != by_gs[1] || !is_by_gs(addr))
		return is_inner(addr);
	return !in_vdso(addr);
}

/* Behind its first byte, in whose place a breakpoint may be, nothing changes. */
KP_TRAP_PATH uintptr_t kp_call_len(uintptr_t call)
{
	const uint8_t *rest = (const uint8_t *)call + 1;

	if (vdso && call - vdso < VDSO_LEN)
		return INNER_LEN;
	return *rest == 0x80 ? KP_SYSCALL_LEN : KP_CALL_BY_GS_LEN;
}

/* mov $nr, %eax? */
static bool sets_number(const struct kp_insn *insn, unsigned long *nr)
{
	if (!kp_insn_is_legacy(insn) || insn->map != KP_INSN_MAP_1BYTE || insn->opcode != 0xb8 ||
	    insn->operand_size != 4)
		return false;
	*nr = (unsigned long)kp_call_alike((long)insn->imm.value);
	return true;
}

/* May it change eax, or go elsewhere for good? */
static bool spoils(const struct kp_insn *insn)
{
	return insn->gprs & EAX || (insn->flow != KP_INSN_FLOW_NONE &&
				    insn->flow != KP_INSN_FLOW_JCC_REL);
}

/*
 * Where straight code to the call sets the number; 0: it does not, or it is no instruction.
 * *passed: it is in the middle of one.
 */
static uintptr_t number_set(uintptr_t start, uintptr_t call, unsigned long *nr, bool *is_insn,
			    bool *passed)
{
	struct kp_insn insn;
	uintptr_t at, set = 0;

	for (at = start; at < call; at += insn.length) {
		if (kp_insn_decode(&insn, (const uint8_t *)at, call + KP_SYSCALL_LEN - at, KP_INSN_32))
			return 0;
		if (sets_number(&insn, nr))
			set = at;
		else if (spoils(&insn))
			set = 0;
	}
	*is_insn = at == call;
	*passed = at > call;
	return *is_insn ? set : 0;
}

/* Does anything of the function lead behind set and up to the call, or who knows where? */
static bool branched_into(uintptr_t start, uintptr_t end, uintptr_t set, uintptr_t call)
{
	struct kp_insn insn;
	uintptr_t at, to;

	for (at = start; at < end; at += insn.length) {
		if (kp_insn_decode(&insn, (const uint8_t *)at, end - at, KP_INSN_32) ||
		    insn.flow == KP_INSN_FLOW_JMP_IND)
			return true;
		to = at + (uintptr_t)kp_insn_rel_target(&insn);
		if (kp_insn_is_rel_branch(&insn) && to > set && to <= call)
			return true;
	}
	return false;
}

enum kp_number kp_number_of(uintptr_t start, uintptr_t end, uintptr_t call,
			    unsigned long *nr)
{
	bool is_insn = false, passed = false;
	uintptr_t set = number_set(start, call, nr, &is_insn, &passed);

	/* All before it is known, and it is in the middle of an instruction. */
	if (!is_insn && !is_by_gs(call) && !is_inner(call))
		return passed ? KP_NUMBER_DATA : KP_NUMBER_NO_CALL;
	return set && !branched_into(start, end, set, call) ? KP_NUMBER_KNOWN : KP_NUMBER_ANY;
}

/*
 * Seven bytes are no accident; two are none where what sets a number that there may be
 * stands a little before them, in straight code.
 */
enum kp_number kp_number_outside(struct kp_object *object, uintptr_t begin,
				 uintptr_t call, unsigned long *nr)
{
	uintptr_t at = call - 5;
	bool is_insn, passed;

	(void)object;
	for (; at >= begin && at < call && call - at < STRAIGHT; at--) {
		is_insn = false;
		if (*(const uint8_t *)at == 0xb8 && number_set(at, call, nr, &is_insn, &passed) == at &&
		    (is_by_gs(call) || *nr < CALLS_MAX))
			return KP_NUMBER_KNOWN;
	}
	return is_by_gs(call) || is_inner(call) ? KP_NUMBER_ANY : KP_NUMBER_NO_CALL;
}

bool kp_number_spared(const struct kp_object *object, unsigned long nr)
{
	(void)object;
	(void)nr;
	return false;
}

void kp_number_end(void)
{
}

/* int $0x80; jmp back */
int kp_number_stub(uintptr_t call, uintptr_t *stub)
{
	uint8_t bytes[STUB_LEN] = { 0xcd, 0x80 };
	uintptr_t next = call + kp_call_len(call);
	int err = kp_user_stub_take_any(call, STUB_LEN, stub);

	if (err)
		return err;
	kp_intercept_jump(bytes + KP_SYSCALL_LEN, *stub + KP_SYSCALL_LEN, next);
	kp_user_stub_fill(*stub, bytes, sizeof(bytes));
	return 0;
}

uintptr_t kp_number_more(unsigned int nth)
{
	(void)nth;
	return 0;
}
