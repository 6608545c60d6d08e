/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * unwind.c - what an unwinder sees from a handler.
 *
 * Owns: a walk by the C runtime's unwinder from the upcall of a hit through a jump, and
 * of a step's end: it must come to the probed instruction, as if that had been
 * interrupted, and to the function's caller.  From a return it ends in the entry.
 *
 * An arm64 program (run by qemu).
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unwind.h>

#include "jump.h"
#include "outofline.h"
#include "return.h"
#include "upcall.h"
#include "vectors.h"

#define NEAR ((uint8_t *)0x5000000ul)
#define PAGE 4096

static struct {
	uintptr_t addr;
	uint8_t keep;
	uint8_t others[31];
	uintptr_t step;
} site = { .keep = KP_ARCH_KEEP_ALL };

static struct kp_arch_probe probe;
static uintptr_t caller, seen[16];
static unsigned int seen_nr;
static bool in_probed, in_caller, in_entry;

/* Its second instruction is the probed one; x30 is the return address all the time. */
long probed(long a);
asm("	.text\n"
    "	.type probed, %function\n"
    "probed:\n"
    "	.cfi_startproc\n"
    "	nop\n"
    "	add x0, x0, #1\n"
    "	ret\n"
    "	.cfi_endproc\n"
    "	.size probed, . - probed\n");

static _Unwind_Reason_Code note(struct _Unwind_Context *context, void *arg)
{
	int before;
	uintptr_t ip = _Unwind_GetIPInfo(context, &before);

	(void)arg;
	if (seen_nr < 16)
		seen[seen_nr++] = ip;
	in_entry |= kp_arch_in_detour_entry(ip) ||
		    ip - (uintptr_t)kp_arch_return_entry < 0x200;
	in_probed |= before && ip == site.addr;
	in_caller |= in_probed && ip == caller;
	return _URC_NO_REASON;
}

static void walk(void)
{
	seen_nr = 0;
	in_probed = in_caller = in_entry = false;
	_Unwind_Backtrace(note, NULL);
}

static bool detour_seen, post_seen, return_seen;

unsigned long kp_core_on_detour(struct pt_regs *regs, void *tag,
				const struct kp_arch_vectors *vectors)
{
	(void)tag, (void)vectors;
	walk();
	detour_seen = in_entry && in_caller;
	kp_arch_step_begin(&probe, regs, (uintptr_t)NEAR, true);
	return 1;
}

void kp_core_on_post(struct pt_regs *regs, void *tag, const struct kp_arch_vectors *vectors)
{
	(void)tag, (void)vectors;
	walk();
	post_seen = in_entry && in_caller && regs->pc == site.addr + 4;
}

bool kp_core_on_return(struct pt_regs *regs)
{
	walk();
	return_seen = in_entry && seen_nr < 5;
	kp_arch_return_to(regs, caller);
	return false;
}

unsigned long kp_core_on_detour_abort(struct pt_regs *regs)
{
	(void)regs;
	return 0;
}

bool kp_core_on_return_abort(struct pt_regs *regs)
{
	(void)regs;
	return false;
}

long kp_core_on_pre(struct kp_context *ctx, struct kp_child *child, struct pt_regs *regs)
{
	(void)ctx, (void)child, (void)regs;
	return 0;
}

/* call(a): probed(a), or by way of a stub; the address behind the call is caller. */
__attribute__((noinline)) static long call(long a, uintptr_t through)
{
	register long x0 asm("x0") = a;
	uintptr_t back;

	asm volatile("adr %1, 1f\n\t"
		     "str %1, %2\n\t"
		     "mov x30, %1\n\t"
		     "cbz %3, 2f\n\t"
		     "mov x30, %3\n"
		     "2:	b probed\n"
		     "1:"
		     : "+r"(x0), "=&r"(back), "=m"(caller) : "r"(through)
		     : "x30", "memory");
	return x0;
}

static int report(const char *name, bool ok)
{
	printf("%sok arm64-unwind-%s\n", ok ? "" : "not ", name);
	return !ok;
}

int main(void)
{
	uintptr_t page;
	struct kp_arch_jump jump;
	const char *reason;
	uint8_t bytes[4];
	int failed = 0;
	long value;

	site.addr = (uintptr_t)probed + 4;
	page = site.addr & -(uintptr_t)PAGE;
	if (mmap(NEAR, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != NEAR ||
	    mprotect((void *)page, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC) ||
	    kp_arch_prepare(&probe, site.addr, (const uint8_t *)site.addr, 4, KP_ARCH_USER,
			    &reason) ||
	    kp_arch_emit_slot_post(&probe, (uintptr_t)NEAR, (uintptr_t)kp_arch_post_entry, NEAR,
				   &reason) ||
	    kp_arch_jump_way(&jump, &probe, NULL, 0, 4, 0, &reason) ||
	    kp_arch_emit_head(&probe, (uintptr_t)NEAR + 256, (uintptr_t)kp_arch_detour_entry,
			      (uintptr_t)NEAR, &site, NEAR + 256))
		return 1;
	memcpy(NEAR + KP_ARCH_SLOT_LEN - 8, &(uintptr_t){ (uintptr_t)&site }, 8);
	site.step = (uintptr_t)NEAR + probe.stepped + KP_A64_STEP_OFF;
	kp_arch_emit_jump(&jump, (uintptr_t)NEAR + 256, bytes);
	memcpy((void *)site.addr, bytes, 4);
	kp_arch_emit_stub((uintptr_t)NEAR + 512, (uintptr_t)kp_arch_return_entry, NEAR + 512);
	__builtin___clear_cache((char *)NEAR, (char *)NEAR + PAGE);
	__builtin___clear_cache((char *)page, (char *)page + 2 * PAGE);
	kp_arch_vectors_start();
	value = call(1, 0);
	failed |= report("jump", detour_seen && value == 2);
	failed |= report("step", post_seen);
	value = call(2, (uintptr_t)NEAR + 512 + KP_ARCH_STUB_RETURN);
	failed |= report("return", return_seen && value == 3);
	return failed;
}
