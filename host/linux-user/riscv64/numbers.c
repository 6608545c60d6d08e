/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * numbers.c - the system calls of riscv64 code, and which number they have.
 *
 * Owns: numbers.h's answers, and how handlers of the program return: by the kernel's own
 * code, in the vdso or beside it, whose system call is watched as others are.  Where that
 * is, a breakpoint of ours tells once (signal.S).
 *
 * Code is read from a function's start on, or a section's: where an instruction begins,
 * nothing else says.
 *
 * Locks: the registry lock, but for the last three.
 */
#include "insn/insn.h"
#include "numbers.h"
#include "text/stubs.h"

#define ECALL 0x00000073u
#define NUMBER_REG 17u			/* a7 */
#define RETURNING 0x08b00893u		/* li a7, 139 */
#define STUB_LEN 8

extern const char kp_user_ask_return[];
extern uintptr_t kp_user_kernel_return __attribute__((visibility("hidden")));
uintptr_t kp_user_kernel_return;	/* where handlers return to; always the same */

static uint32_t half_at(uintptr_t addr)
{
	return *(const uint16_t *)addr;
}

/* The word there, what is no part of its instruction being 0. */
static uint32_t word_at(uintptr_t addr)
{
	uint32_t half = half_at(addr);

	return kp_rv_length((uint16_t)half) == 2 ? half : half | half_at(addr + 2) << 16;
}

/* li a7, nr: of 4 bytes (addi a7, zero) or 2? */
static bool sets_number(uint32_t word, unsigned long *nr)
{
	if ((word & 0xfffff) == 0x893) {
		*nr = word >> 20;
		return *nr < 0x800;
	}
	if (word > 0xffff || (word & 0xff83) != 0x4881)
		return false;
	*nr = word >> 2 & 0x1f;
	return true;
}

/* May it change a7, other than by what sets_number knows, or go elsewhere? */
static bool spoils(const struct kp_rv_insn *insn)
{
	/* All that name a7 as what they write, do it there. */
	return insn->class != KP_RV_PLAIN || (insn->word >> 7 & 31) == NUMBER_REG;
}

bool kp_number_wanted(uintptr_t addr)
{
	return half_at(addr) == (ECALL & 0xffff) && !half_at(addr + 2);
}

/* ---- a stretch of code, read from its start on ------------------------------------------ */

struct stretch {
	uintptr_t start, end;		/* none: both are 0 */
	/* So far: where the number is set that holds now, or 0; and the last jump to anywhere. */
	uintptr_t at, set, astray;
	unsigned long nr;
	uint8_t *targets;		/* of branches: a bit for each half; or NULL */
};

/* Apart, since calls of both kinds lie mixed, and a section takes long to read. */
static struct stretch function, section;

static uintptr_t half_nr(const struct stretch *code, uintptr_t addr)
{
	return (addr - code->start) / 2;
}

/* Through a register, but for a return. */
static bool goes_astray(const struct kp_rv_insn *insn)
{
	return insn->class == KP_RV_JALR && insn->rd == KP_RV_ZERO && insn->rs1 != KP_RV_RA;
}

/* How long, and if that is not known, on with what is next. */
static unsigned int step_of(const struct kp_rv_insn *insn)
{
	return insn->len ? insn->len : 2;
}

static void note_targets(struct stretch *code)
{
	struct kp_rv_insn insn;
	uintptr_t at, to;

	for (at = code->start; at + 4 <= code->end; at += step_of(&insn)) {
		kp_rv_decode(&insn, word_at(at));
		if (insn.class != KP_RV_JAL && insn.class != KP_RV_BRANCH)
			continue;
		to = kp_rv_operand(&insn, at);
		if (to >= code->start && to < code->end)
			code->targets[half_nr(code, to) / 8] |= (uint8_t)(1u << half_nr(code, to) % 8);
	}
}

static void read_code(struct stretch *code, uintptr_t start, uintptr_t end)
{
	kp_host_free(code->targets);
	memset(code, 0, sizeof(*code));
	code->start = code->at = start;
	code->end = end;
	if (end > start)
		code->targets = kp_host_alloc((end - start) / 16 + 1);
	if (code->targets)
		note_targets(code);
}

/* Does anything lead to behind from, and no farther than to? */
static bool branched_into(const struct stretch *code, uintptr_t from, uintptr_t to)
{
	for (from += 2; from <= to; from += 2)
		if (code->targets[half_nr(code, from) / 8] >> half_nr(code, from) % 8 & 1)
			return true;
	return false;
}

/* near: so close may a jump to anywhere not stand; it may be that of the same function. */
static enum kp_number number_at(struct stretch *code, uintptr_t call, uintptr_t near,
				unsigned long *nr)
{
	struct kp_rv_insn insn;

	for (; code->at < call; code->at += step_of(&insn)) {
		kp_rv_decode(&insn, word_at(code->at));
		if (goes_astray(&insn))
			code->astray = code->at;
		if (sets_number(insn.word, &code->nr))
			code->set = code->at;
		else if (spoils(&insn))
			code->set = 0;
	}
	if (code->at != call || !code->set || !code->targets ||
	    (code->astray && call - code->astray < near) || branched_into(code, code->set, call))
		return KP_NUMBER_ANY;
	*nr = code->nr;
	return KP_NUMBER_KNOWN;
}

/*
 * Not within another instruction: the second half, 0, begins none, and ends none of 4
 * bytes whose first half is that of a call.
 */
enum kp_number kp_number_of(uintptr_t start, uintptr_t end, uintptr_t call,
			    unsigned long *nr)
{
	if (function.start != start || function.end != end || function.at > call)
		read_code(&function, start, end);
	return number_at(&function, call, end - start, nr);
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

/*
 * Compilers describe no functions of C for unwinders before GCC 14.  But where code is the
 * object's file says; what it holds besides are no numbers.
 */
#define NEAR 1024

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
	if (section.start != found.start || section.end != found.start + found.len ||
	    section.at > call)
		read_code(&section, found.start, found.start + found.len);
	return number_at(&section, call, NEAR, nr);
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
 * ecall; jal back.  Where that does not reach, and no register is free for more, a
 * breakpoint takes its place.
 */
int kp_number_stub(uintptr_t call, uintptr_t *stub)
{
	struct kp_intercept back = { .kind = KP_INTERCEPT_BACK, .stub = call + KP_SYSCALL_LEN };
	uint8_t bytes[STUB_LEN] = { ECALL };
	int err = kp_user_stub_take_any(call, STUB_LEN, stub);

	if (err)
		return err;
	back.addr = *stub + KP_SYSCALL_LEN;
	if (kp_user_stub_reaches(back.addr, back.stub)) {
		kp_intercept_jump(bytes + KP_SYSCALL_LEN, back.addr, back.stub);
	} else {
		memcpy(bytes + KP_SYSCALL_LEN, kp_arch_bp, KP_ARCH_BP_LEN);
		memcpy(back.original, kp_arch_bp, KP_ARCH_BP_LEN);
		err = kp_user_intercept_add(&back);
	}
	kp_user_stub_fill(*stub, bytes, sizeof(bytes));
	return err;
}

/* ---- the way back from the program's handlers --------------------------------------- */

/* Elsewhere than in these words nothing is known of it. */
uintptr_t kp_number_more(unsigned int nth)
{
	uintptr_t at = kp_user_kernel_return;

	return !nth && at && word_at(at) == RETURNING && word_at(at + 4) == ECALL ? at + 4 : 0;
}

void kp_user_lead_start(void)
{
	const uintptr_t at = (uintptr_t)kp_user_ask_return;
	struct kp_intercept back = {
		.addr = at, .kind = KP_INTERCEPT_BACK, .stub = at + KP_ARCH_BP_LEN,
	};

	kp_user_reserved_start();
	if (kp_user_kernel_return)
		return;
	memcpy(back.original, kp_arch_bp, KP_ARCH_BP_LEN);
	if (!kp_user_intercept_add(&back))
		((void (*)(void))at)();
}

KP_TRAP_PATH void kp_user_lead_return(struct sys_sigaction *act)
{
	(void)act;
}

KP_TRAP_PATH void kp_user_hide_return(struct sys_sigaction *act)
{
	(void)act;
}
