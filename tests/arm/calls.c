/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * calls.c - guarded calls, jprobes', those that keep floating point, calls that return to a
 * stub, and hits through jumps, executed for real.
 *
 * Owns: what they are called with and return; being abandoned in a fault, in an IT block, too,
 * after which the registers that a function keeps are what they were; and that the byte of
 * which unused slots are full traps in either set.
 *
 * An arm program (run by qemu).
 */
#include <setjmp.h>
#include <sys/mman.h>
#define CALLS_NAME "arm"
#include "calls.h"
#include "jump.h"
#include "return.h"

long spoil_and_fault_thumb(void *a, void *b, unsigned long c);
bool hooked_keeps(void *fn, uintptr_t stub);
bool hooked_keeps_thumb(void *fn, uintptr_t stub);
extern const char hooked_back[], hooked_back_thumb[];
void returns(void);
void returns_thumb(void);
void go_to(uintptr_t at);
bool kp_core_on_return(struct pt_regs *regs);
bool kp_core_on_return_abort(struct pt_regs *regs);
unsigned long kp_core_on_detour(struct pt_regs *regs, void *tag, const struct kp_arch_vectors *vectors);
unsigned long kp_core_on_detour_abort(struct pt_regs *regs);
void kp_core_on_post(struct pt_regs *regs, void *tag, const struct kp_arch_vectors *vectors);

extern uint32_t kp_arch_vectors_wide;

static sigjmp_buf out;

/* Each fault is that of a handler. */
static void on_fault(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	struct pt_regs regs;

	(void)sig;
	(void)info;
	memcpy(&regs, &uc->uc_mcontext.arm_r0, sizeof(struct kp_arm_regs));
	kp_arch_guard_abort(&guard, &regs);
	memcpy(&uc->uc_mcontext.arm_r0, &regs, sizeof(struct kp_arm_regs));
}

/* ---- jprobes --------------------------------------------------------------------------- */

/* As the probed function has it: the fifth and sixth stand on the stack. */
static void entry(long a, double x, long b, long c, long d, long e, char f)
{
	seen = x == 2.5 && a == 100 && b == 101 && c == 102 && d == 103 && e == 0x1111 && f == 'f';
	if (seen)
		kp_arch_jprobe_leave(&jprobe);
}

static bool jprobed(void)
{
	double floats[32] = { [0] = 2.5 };
	struct kp_arch_vectors image = { .image = floats };
	struct pt_regs regs = { .ARM_sp = (uintptr_t)stack };
	unsigned int i;

	for (i = 0; i < 4; i++)
		regs.uregs[i] = 100 + i;
	stack[0] = 0x1111;
	stack[1] = 'f';
	return jprobe_takes(&regs, &image, (void *)entry, 0);
}

/* ---- returns ---------------------------------------------------------------------------- */

static uint8_t *stubs;
static uintptr_t real;
static bool faults;
static int returned, aborted;

/* lr tells where it is. */
static bool is_stub(const struct pt_regs *regs)
{
	return regs->ARM_pc == (uintptr_t)stubs && regs->ARM_lr == regs->ARM_pc &&
	       regs->ARM_r0 == 0x51 && regs->ARM_ORIG_r0 == 0x51 && regs->uregs[11] == 0x1b0;
}

bool kp_core_on_return(struct pt_regs *regs)
{
	returned += is_stub(regs);
	if (faults) {
		kp_arch_guard_return(&guard, regs);
		regs->ARM_r0 = regs->uregs[7] = regs->ARM_sp = 0;
		*nowhere = 0;
	}
	kp_arch_return_to(regs, real);
	return false;
}

/* As before the handler. */
bool kp_core_on_return_abort(struct pt_regs *regs)
{
	aborted += regs->ARM_r0 == 0x51 && regs->uregs[7] == 0x170 && regs->ARM_sp;
	kp_arch_return_to(regs, real);
	return false;
}

static bool returning(void)
{
	static void (*const functions[])(void) = { returns, returns_thumb };
	bool kept = true;
	int i;

	stubs = mmap((void *)(((uintptr_t)kp_arch_return_entry + (16ul << 20)) & -4096ul), 4096,
		     PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	kp_arch_emit_stub((uintptr_t)stubs, (uintptr_t)kp_arch_return_entry, stubs);
	__builtin___clear_cache((char *)stubs, (char *)stubs + KP_ARCH_STUB_LEN);
	for (i = 0; i < 4; i++) {
		faults = i >= 2;
		real = (uintptr_t)hooked_back;
		kept &= hooked_keeps((void *)functions[i & 1], (uintptr_t)stubs + KP_ARCH_STUB_RETURN);
		real = (uintptr_t)hooked_back_thumb;
		kept &= hooked_keeps_thumb((void *)functions[i & 1],
					   (uintptr_t)stubs + KP_ARCH_STUB_RETURN);
	}
	return kept && returned == 8 && aborted == 4;
}

/* ---- hits through jumps -------------------------------------------------------------------- */

static int detours;
static struct kp_arch_probe probed[2];	/* of A32 and T32; as sites, which they begin */
static bool elsewhere;

/* The registers are the caller's, and go on in the body, or as they say. */
unsigned long kp_core_on_detour(struct pt_regs *regs, void *tag, const struct kp_arch_vectors *vectors)
{
	const struct kp_arch_probe *ap = tag;

	detours += !vectors && regs->ARM_pc == ap->addr && regs->uregs[4] == 0x140 &&
		   regs->uregs[11] == 0x1b0 && !!(regs->ARM_cpsr & KP_ARM_CPSR_T) == ap->insn.thumb;
	if (!elsewhere)
		return 0;
	regs->ARM_pc = (uintptr_t)returns_thumb;
	return 1;
}

unsigned long kp_core_on_detour_abort(struct pt_regs *regs)
{
	(void)regs;
	return 0;
}

void kp_core_on_post(struct pt_regs *regs, void *tag, const struct kp_arch_vectors *vectors)
{
	(void)regs;
	(void)tag;
	(void)vectors;
}

/* A head of each set, called as a function: its body is one. */
static bool through_heads(void)
{
	uint8_t *head = stubs + 1024;
	bool kept = true;
	int i;

	for (i = 0; i < 4; i++) {
		struct kp_arch_probe *ap = &probed[i & 1];
		uintptr_t body = (uintptr_t)(i & 1 ? returns_thumb : returns) & ~(uintptr_t)1;

		elsewhere = i >= 2;
		/* A site begins with its address; what is kept of vectors is the byte at 4: class. */
		ap->addr = 0x1000;
		ap->class = 0;
		ap->insn.thumb = i & 1;
		kept &= !kp_arch_emit_head(ap, (uintptr_t)head, (uintptr_t)kp_arch_detour_entry, body, ap, head);
		__builtin___clear_cache((char *)head, (char *)head + KP_ARCH_HEAD_LEN);
		kept &= hooked_keeps((void *)((uintptr_t)head | (i & 1)), (uintptr_t)hooked_back);
		kept &= hooked_keeps_thumb((void *)((uintptr_t)head | (i & 1)), (uintptr_t)hooked_back_thumb);
	}
	return kept && detours == 8;
}

/* ---- what others execute while it is written ------------------------------------------------ */

/* The manual's list of those: of A32 b, of T32 both halves of a b without a condition, and bkpt. */
static bool is_hot_patchable(const struct kp_arch_jump *jump, const uint8_t *bytes, bool thumb)
{
	uint16_t halves[2];
	uint8_t inner = bytes[3];

	memcpy(halves, bytes, sizeof(halves));
	if (!thumb)
		return inner == 0xea;
	return (halves[0] & 0xf800) == 0xf000 && (halves[1] & 0xd000) == 0x9000 &&
	       (!jump->inner_nr || (inner == KP_ARCH_INNER_BP && bytes[2] == jump->inner_trap[0]));
}

/* Each way of a jump, near and far. */
static bool jumps_over(uint32_t word, bool thumb)
{
	const uint32_t text[2] = { word, 0xbf00bf00 };
	const char *reason;
	const unsigned int flags = thumb ? KP_ARCH_SECOND_SET | KP_ARCH_NO_BLOCK : 0;
	struct kp_arch_probe ap;
	struct kp_arch_jump jump;
	uint8_t bytes[KP_ARCH_JUMP_MAX];
	unsigned int ways = 0;
	uintptr_t to;

	if (kp_arch_prepare(&ap, 0x10000000, (const uint8_t *)text, sizeof(text), flags, &reason))
		return false;
	for (; !kp_arch_jump_way(&jump, &ap, (const uint8_t *)text, sizeof(text), 8, ways, &reason); ways++) {
		for (to = jump.base - jump.reach_down; to <= jump.base + jump.reach_up; to += 0x12346) {
			uintptr_t at = to - ((to - jump.base - jump.value) & jump.mask);

			if (at < jump.base - jump.reach_down)
				continue;
			kp_arch_emit_jump(&jump, at, bytes);
			if (!is_hot_patchable(&jump, bytes, thumb)) {
				printf("# a jump over %x to %lx: %02x%02x%02x%02x\n", word,
				       (unsigned long)at, bytes[0], bytes[1], bytes[2], bytes[3]);
				return false;
			}
		}
	}
	if (!ways)
		printf("# %x: %s\n", word, reason);
	return ways;
}

/* mov r0, r1; of T32 of 4 bytes, and of 2. */
static bool jumps_are_hot_patchable(void)
{
	return jumps_over(0xe1a00001, false) && jumps_over(0x0001ea4f, true) && jumps_over(0x4608, true);
}

/* ---- what is unused ---------------------------------------------------------------------- */

static void on_illegal(int sig)
{
	siglongjmp(out, sig);
}

static bool traps(uintptr_t at)
{
	if (!sigsetjmp(out, 1)) {
		go_to(at);
		return false;
	}
	return true;
}

static bool filling(void)
{
	uint8_t *at = stubs + 2048;

	signal(SIGILL, on_illegal);
	signal(SIGTRAP, on_illegal);
	memset(at, KP_ARCH_FILL, 64);
	__builtin___clear_cache((char *)at, (char *)at + 64);
	return traps((uintptr_t)at) && traps((uintptr_t)at | 1) && traps((uintptr_t)at | 3);
}

int main(void)
{
	kp_arch_vectors_wide = 1;
	say_guarded(on_fault);
	say("abandoned-thumb", guard_keeps(&guard, (void *)spoil_and_fault_thumb) &&
			       kp_arch_guard_aborted(&guard));
	say("jprobe", jprobed());
	say("returns", returning());
	say("detours", through_heads());
	say("jumps-hot-patchable", jumps_are_hot_patchable());
	say("filling", filling());
	return failed;
}
