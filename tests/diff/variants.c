/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * variants.c - one trial in every way the engine may execute it.
 *
 * Owns: the native run, which is the reference, and the engine's part of a hit,
 * in miniature: prepare, emulate or enter a slot, finish or abort.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "variants.h"

static const struct variant variants[] = {
	{ "emulated", true, false, false },
	{ "near boosted", false, false, false },
	{ "near stepped", false, false, true },
	{ "far boosted", false, true, false },
	{ "far stepped", false, true, true },
};

const struct trial *trial;
struct kp_arch_probe probe;
struct outcome native;
static uint8_t native_data[DATA_LEN], native_stack[STACK_LEN];

static int mem_read(uintptr_t addr, void *dst, size_t len)
{
	if (!sandbox_owns(addr, len))
		return -EFAULT;
	memcpy(dst, (void *)addr, len);
	return 0;
}

static int mem_write(uintptr_t addr, const void *src, size_t len)
{
	if (!sandbox_owns(addr, len))
		return -EFAULT;
	memcpy((void *)addr, src, len);
	return 0;
}

const struct kp_arch_mem mem = { mem_read, mem_write };

void to_regs(const struct state *s, struct pt_regs *regs)
{
	unsigned int i;

	memset(regs, 0, sizeof(*regs));
	for (i = 0; i < 16; i++)
		*kp_x86_reg(regs, i) = s->gpr[i];
	regs->ip = s->ip;
	regs->flags = s->flags;
}

void from_regs(struct state *s, struct pt_regs *regs)
{
	unsigned int i;

	for (i = 0; i < 16; i++)
		s->gpr[i] = *kp_x86_reg(regs, i);
	s->ip = regs->ip;
	s->flags = regs->flags;
}

void reset_memory(const struct areas *a)
{
	memcpy((void *)a->data, trial->data, DATA_LEN);
	memcpy((void *)a->stack, trial->stack, STACK_LEN);
}

/* A trap or a fault at a branch's target: the instruction has completed. */
void settle(struct outcome *o, uintptr_t addr)
{
	if (o->sig == SIGTRAP && o->trapno == 3) {
		o->at.ip--;
		o->sig = 0;
	} else if (o->sig == SIGSEGV && o->trapno == 14 && o->err & 16 &&
		   o->at.ip != addr && o->at.ip == o->cr2) {
		o->sig = 0;
	}
}

static void run_native(const struct areas *a)
{
	uint8_t *at = (uint8_t *)a->code + INSN_OFF;
	unsigned int len = trial->insn.length;

	reset_memory(a);
	memcpy(at, trial->bytes, len);
	sandbox_run(&trial->before, &native, NULL);
	memset(at, 0xcc, len);
	settle(&native, trial->before.ip);
	memcpy(native_data, (void *)a->data, DATA_LEN);
	memcpy(native_stack, (void *)a->stack, STACK_LEN);
	if (native.sig)
		counts.faults++;
	if (native.sig == SIGILL)
		counts.invalid++;
}

static uintptr_t slot;

/* What the engine does with the signal that ended a slot's run. */
static const char *leave_slot(struct outcome *o, bool stepped)
{
	struct pt_regs regs;
	bool inside = o->at.ip - slot < KP_ARCH_SLOT_LEN;

	if (!inside) {
		settle(o, probe.addr);
		return NULL;
	}
	to_regs(&o->at, &regs);
	if (o->sig == SIGTRAP && o->trapno == 3) {
		if (!stepped || !kp_arch_step_finish(&probe, &regs, slot))
			return "the end of the slot";
		o->sig = 0;
	} else {
		kp_arch_step_abort(&probe, &regs, slot, &mem);
	}
	from_regs(&o->at, &regs);
	return NULL;
}

/* Stack bytes [lo, hi) may be anything. */
static void forgive_range(uint8_t *stack, const struct areas *a, uint64_t lo,
			  uint64_t hi)
{
	if (lo < a->stack)
		lo = a->stack;
	for (; lo < hi && lo < a->stack + STACK_LEN; lo++)
		stack[lo - a->stack] = native_stack[lo - a->stack];
}

/*
 * Stack bytes that a form may use although the original does not: what lies
 * below the red zone, before and after, and for a call what its callee may
 * overwrite.
 */
static void forgive(uint8_t *stack, const struct areas *a)
{
	uint64_t sp = trial->before.gpr[4], end = native.at.gpr[4];

	forgive_range(stack, a, sp - 128 - 8, sp - 128);
	forgive_range(stack, a, end - 128 - 8, end - 128);
	/* A call that faults has written nothing: its own slot too. */
	if (probe.op == KP_X86_CALL_REG || probe.op == KP_X86_CALL_MEM)
		forgive_range(stack, a, sp - 24, native.sig ? sp : sp - 8);
	else if (probe.flags & KP_X86_PUSH_MEM && native.sig)
		forgive_range(stack, a, sp - 8, sp);
}

/*
 * What is pushed below the red zone and the word behind it is nobody's, where the
 * original has written nothing.
 */
void forget_pushes(const struct areas *a, size_t len)
{
	uintptr_t at = trial->before.gpr[4] - 128 - 8;

	for (; len; len--) {
		size_t off = --at - a->stack;

		if (off < STACK_LEN && native_stack[off] == trial->stack[off])
			*(uint8_t *)at = trial->stack[off];
	}
}

const char *compare_memory(const struct areas *a, bool in_slot)
{
	static uint8_t stack[STACK_LEN];

	memcpy(stack, (void *)a->stack, STACK_LEN);
	if (in_slot)
		forgive(stack, a);
	if (memcmp((void *)a->data, native_data, DATA_LEN))
		return "data";
	return memcmp(stack, native_stack, STACK_LEN) ? "stack" : NULL;
}

bool same_registers(const struct state *a, const struct state *b)
{
	return !memcmp(a->gpr, b->gpr, sizeof(a->gpr)) && a->ip == b->ip &&
	       !((a->flags ^ b->flags) & ~0x10100ul);
}

static struct state stepped_to;
static unsigned int steps;
static bool misstep;

/* Stopped anywhere in a slot, aborting gives the state before or after. */
static bool check_step(struct state *now)
{
	struct pt_regs regs;

	if (now->ip - slot >= KP_ARCH_SLOT_LEN)
		return true;
	steps++;
	counts.steps++;
	to_regs(now, &regs);
	kp_arch_step_abort(&probe, &regs, slot, &mem);
	memcpy(&stepped_to, now, sizeof(stepped_to));
	from_regs(&stepped_to, &regs);
	if (!same_registers(&stepped_to, &trial->before) &&
	    !same_registers(&stepped_to, &native.at))
		misstep = true;
	return !misstep && steps < 64;
}

/* Tracing would show in what pushf stores; a repeated instruction stops often. */
bool can_trace(void)
{
	return probe.op != KP_X86_PUSHF && probe.op != KP_X86_SYSCALL &&
	       !(trial->insn.flags & (KP_INSN_REP | KP_INSN_STRING)) &&
	       !(kp_insn_is_legacy(&trial->insn) && !trial->insn.map &&
		 trial->insn.opcode == 0x9d) && !native.sig;
}

static void run_slot(const struct areas *a, const struct variant *v,
		     struct outcome *got, const uint8_t *image)
{
	struct state before = trial->before;
	struct pt_regs regs;

	(void)a;
	to_regs(&before, &regs);
	kp_arch_step_begin(&probe, &regs, slot, v->stepped);
	before.ip = regs.ip;
	memcpy((void *)slot, image, KP_ARCH_SLOT_LEN);
	sandbox_run(&before, got, NULL);
}

static const char *trace_slot(const struct areas *a, const struct variant *v)
{
	static struct outcome o;
	struct state before = trial->before;
	struct pt_regs regs;

	reset_memory(a);
	to_regs(&before, &regs);
	kp_arch_step_begin(&probe, &regs, slot, v->stepped);
	before.ip = regs.ip;
	steps = 0;
	misstep = false;
	sandbox_run(&before, &o, check_step);
	if (!misstep)
		return NULL;
	o.at = stepped_to;
	compare_print(trial, v->name, "the state after an abort", &native, &o);
	return "abort";
}

/* The far form needs a little stack of its own. */
static bool lacks_stack(const struct areas *a, const struct variant *v)
{
	return v->far && probe.flags & KP_X86_RIP_REL &&
	       trial->before.gpr[4] < a->stack + 256;
}

static const char *run_in_slot(const struct areas *a, const struct variant *v,
			       struct outcome *got, bool trace)
{
	static uint8_t image[KP_ARCH_SLOT_LEN];
	const char *reason = NULL;
	const char *what;

	slot = v->far ? far_slot + 256 : a->slot + 256;
	if (kp_arch_emit_slot(&probe, slot, image, &reason)) {
		if (!v->far || !reason)
			return "emit";
		counts.far_refused++;
		return NULL;
	}
	run_slot(a, v, got, image);
	counts.runs++;
	what = leave_slot(got, v->stepped);
	if (!what)
		what = compare_outcomes(trial, &native, got);
	if (!what)
		what = compare_memory(a, true);
	if (!what && trace && can_trace())
		what = trace_slot(a, v);
	memset((void *)slot, 0xcc, KP_ARCH_SLOT_LEN);
	return what;
}

static const char *run_variant(const struct areas *a, const struct variant *v,
			       struct outcome *got, bool trace)
{
	static const struct variant fallback = { .name = "fallback" };
	struct pt_regs regs;
	const char *what;

	reset_memory(a);
	if (lacks_stack(a, v))
		return NULL;
	if (!v->emulate)
		return run_in_slot(a, v, got, trace);
	if (probe.class != KP_ARCH_EMULATE)
		return NULL;
	to_regs(&trial->before, &regs);
	regs.ip = 0xdead;		/* whatever a handler left there */
	if (kp_arch_emulate(&probe, &regs, &mem)) {
		regs.ip = trial->before.ip;
		memset(got, 0, sizeof(*got));
		got->at = trial->before;
		from_regs(&got->at, &regs);
		if (!same_registers(&got->at, &trial->before))
			return "a register of a refused emulation";
		/* A needless refusal would hide behind the slot. */
		if (!native.sig)
			return "emulation, refused for no reason,";
		return run_in_slot(a, &fallback, got, false);
	}
	memset(got, 0, sizeof(*got));
	got->at = trial->before;
	memcpy(got->at.fp, native.at.fp, sizeof(got->at.fp));
	from_regs(&got->at, &regs);
	counts.runs++;
	what = compare_outcomes(trial, &native, got);
	return what ? what : compare_memory(a, false);
}

static bool agrees(const struct areas *a, const struct variant *v, bool trace)
{
	static struct outcome got;
	const char *what = run_variant(a, v, &got, trace);

	if (what && counts.failures++ < 4)
		compare_print(trial, v->name, what, &native, &got);
	return !what;
}

static int prepare(unsigned int flags)
{
	const char *reason = NULL;
	int err = kp_arch_prepare(&probe, trial->before.ip, trial->bytes,
				  trial->insn.length, flags, &reason);

	if (err && (!reason || !*reason)) {
		fprintf(stderr, "# %s: refused without a reason\n",
			trial->name);
		counts.failures++;
	}
	return err;
}

bool variants_agree(const struct trial *t, bool trace)
{
	static const struct variant kernel = { .name = "emulated in kernel mode",
					       .emulate = true };
	const struct areas *a = &areas[t->set];
	size_t i;

	trial = t;
	if (prepare(KP_ARCH_USER)) {
		counts.refused++;
		return true;
	}
	counts.trials++;
	run_native(a);
	for (i = 0; i < sizeof(variants) / sizeof(variants[0]); i++)
		if (!agrees(a, &variants[i], trace))
			return false;
	/* What differs in kernel mode is the emulation of popf, cli, sti. */
	if (!prepare(0) && !native.sig && !agrees(a, &kernel, false))
		return false;
	return prepare(KP_ARCH_USER) || detours_agree(a, trace);
}
