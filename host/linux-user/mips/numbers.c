/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * numbers.c - the system calls of MIPS code, and which number they have.
 *
 * Owns: numbers.h's answers, and how handlers of the program return: by the kernel's own
 * code, in the vdso or beside it, whose system call is watched as others are.  Where that
 * is, a breakpoint of ours tells once (signal.S).
 *
 * The C library sets a call's number right before it: then it is known, unless a branch
 * leads to the call itself.
 *
 * Locks: the registry lock, but for the last two.
 */
#include "frame_at.h"
#include "insn/insn.h"
#include "numbers.h"
#include "regs.h"
#include "text/stubs.h"

#include <asm/unistd.h>

#define SYSCALL 0x0000000cu
#define SETS 0x2402u			/* addiu $2, $0, ...: in the upper half */
#define STUB_LEN 12

_Static_assert(KP_FRAME_UC_AT + offsetof(ucontext_t, uc_mcontext.used_math) == KP_USED_MATH,
	       "signal.S");

extern const char kp_user_ask_return[];
extern uintptr_t kp_user_kernel_return __attribute__((visibility("hidden")));
uintptr_t kp_user_kernel_return;	/* where handlers return to; always the same */

static uint32_t word_at(uintptr_t addr)
{
	return *(const uint32_t *)addr;
}

bool kp_number_wanted(uintptr_t addr)
{
	return word_at(addr) == SYSCALL;
}

/* ---- a stretch of code ---------------------------------------------------------------- */

struct stretch {
	uintptr_t start, end;		/* none: both are 0 */
	uint8_t *targets;		/* of branches: a bit for each word; or NULL */
};

/* Apart, since calls of both kinds lie mixed, and a section takes long to read. */
static struct stretch function, section;

/* j, jal and what compares, by their opcodes: all else is not looked at closely. */
static bool may_branch(uint32_t word)
{
	unsigned int opcode = word >> 26;

	return (opcode >= 1 && opcode <= 7) || (opcode >= 16 && opcode <= 30) || opcode >= 50;
}

static void note_targets(struct stretch *code)
{
	struct kp_mips_insn insn;
	uintptr_t at, to;

	for (at = code->start; at + 4 <= code->end; at += 4) {
		if (!may_branch(word_at(at)))
			continue;
		kp_mips_decode(&insn, word_at(at), KP_MIPS_HERE);
		if (insn.class < KP_MIPS_JUMP || insn.class > KP_MIPS_COMPACT ||
		    insn.class == KP_MIPS_JUMP_REG)
			continue;
		to = (uintptr_t)kp_mips_operand(&insn, at);
		if (to >= code->start && to < code->end)
			code->targets[(to - code->start) / 32] |=
				(uint8_t)(1u << (to - code->start) / 4 % 8);
	}
}

static void read_code(struct stretch *code, uintptr_t start, uintptr_t end)
{
	if (code->start == start && code->end == end)
		return;
	kp_host_free(code->targets);
	*code = (struct stretch){ .start = start, .end = end };
	if (end > start)
		code->targets = kp_host_alloc((end - start) / 32 + 1);
	if (code->targets)
		note_targets(code);
}

static bool is_target(const struct stretch *code, uintptr_t addr)
{
	uintptr_t at = addr - code->start;

	return !code->targets || code->targets[at / 32] >> at / 4 % 8 & 1;
}

static enum kp_number number_at(const struct stretch *code, uintptr_t call, unsigned long *nr)
{
	if (call == code->start || word_at(call - 4) >> 16 != SETS || is_target(code, call))
		return KP_NUMBER_ANY;
	*nr = (unsigned long)kp_call_alike(word_at(call - 4) & 0xffff);
#if _MIPS_SIM == _ABIO32
	/* It names another one. */
	if (*nr == __NR_syscall)
		return KP_NUMBER_ANY;
#endif
	return KP_NUMBER_KNOWN;
}

enum kp_number kp_number_of(uintptr_t start, uintptr_t end, uintptr_t call,
			    unsigned long *nr)
{
	read_code(&function, start, end);
	return number_at(&function, call, nr);
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

/* Of functions of C there may be no description for unwinders; where code is the file says. */
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
	return number_at(&section, call, nr);
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

/* syscall; j back; nop.  Where that does not lead there, a breakpoint takes its place. */
int kp_number_stub(uintptr_t call, uintptr_t *stub)
{
	struct kp_intercept back = { .kind = KP_INTERCEPT_BACK, .stub = call + KP_SYSCALL_LEN };
	const uint32_t syscall_word = SYSCALL;
	uint8_t bytes[STUB_LEN] = { 0 };
	int err = kp_user_stub_take_any(call, STUB_LEN, stub);

	if (err)
		return err;
	memcpy(bytes, &syscall_word, sizeof(syscall_word));
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

/* ---- the way back from the program's handlers --------------------------------------- */

/* Does that call stand there, behind what sets its number? */
static bool returns(uintptr_t at, unsigned long nr)
{
	return word_at(at) == (SETS << 16 | nr) && word_at(at + 4) == SYSCALL;
}

/* That of handlers that want no siginfo_t, where there is one: in the same page. */
static uintptr_t old_return(uintptr_t other)
{
#if _MIPS_SIM == _ABIO32
	uintptr_t page = other & ~(uintptr_t)(KP_ARCH_PAGE - 1), at;

	for (at = page; at + 8 <= page + KP_ARCH_PAGE; at += 4)
		if (returns(at, __NR_sigreturn))
			return at + 4;
#endif
	(void)other;
	return 0;
}

uintptr_t kp_number_more(unsigned int nth)
{
	uintptr_t at = kp_user_kernel_return;

	if (!at || !returns(at, __NR_rt_sigreturn) || nth > 1)
		return 0;
	return nth ? old_return(at) : at + 4;
}

void kp_user_lead_start(void)
{
	const uintptr_t at = (uintptr_t)kp_user_ask_return;
	struct kp_intercept back = {
		.addr = at, .kind = KP_INTERCEPT_BACK, .stub = at + KP_ARCH_BP_LEN,
	};

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
