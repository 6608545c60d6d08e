/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * test_chain.c - chains, and the stepped form that ends in a call.
 *
 * Owns: what execution cannot show well (tests/diff runs them): where branches
 * inside a chain go, what does not fit, and what an interrupted copy is taken
 * for.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "emit.h"
#include "insn/insn.h"
#include "jump.h"

#define ADDR 0x7f0000001000ul
#define NEAR (ADDR + 0x10000)
#define FAR (ADDR + (5ul << 32))
#define MAX (KP_ARCH_SLOT_LEN - 8)
#define STACK 0x8000ul
#define BYTES(...) (const uint8_t[]){ __VA_ARGS__ }, \
		   sizeof((const uint8_t[]){ __VA_ARGS__ })
#define TEST(name) static void name(void **state)

static struct kp_arch_probe insns[1 + KP_ARCH_INNER_MAX];
static unsigned int nr;
static uint8_t image[KP_ARCH_SLOT_LEN];
static size_t len;
static const char *reason;

/* Make probes of the instructions in bytes. */
static void take(unsigned int flags, const uint8_t *bytes, size_t bytes_len)
{
	size_t off;

	for (nr = 0, off = 0; off < bytes_len; off += insns[nr++].len) {
		assert_true(nr <= KP_ARCH_INNER_MAX);
		assert_int_equal(kp_arch_prepare(&insns[nr], ADDR + off,
						 bytes + off, bytes_len - off,
						 flags, &reason), 0);
	}
}

static int emit(uintptr_t at)
{
	memset(image, 0xcc, sizeof(image));
	reason = NULL;
	return kp_arch_emit_chain(insns, nr, at, image, MAX, &len, &reason);
}

/* The relative branch at that offset of a chain: its target. */
static uintptr_t target_at(uintptr_t at, uintptr_t off)
{
	struct kp_insn insn;

	assert_int_equal(kp_insn_decode(&insn, image + off, 15, KP_INSN_64), 0);
	assert_true(kp_insn_is_rel_branch(&insn));
	return at + off + (uintptr_t)kp_insn_rel_target(&insn);
}

static uintptr_t entry(uintptr_t at, unsigned int i)
{
	return kp_arch_chain_entry(insns, nr, at, i);
}

TEST(copies_follow_one_another)
{
	(void)state;
	/* push %rbp; mov %rsp,%rbp; push %rbx */
	take(KP_ARCH_USER, BYTES(0x55, 0x48, 0x89, 0xe5, 0x53));
	assert_int_equal(emit(NEAR), 0);
	assert_memory_equal(image, "\x55\x48\x89\xe5\x53", 5);
	assert_int_equal(len, 10);
	assert_int_equal(target_at(NEAR, 5), ADDR + 5);
	assert_int_equal(entry(NEAR, 0), NEAR);
	assert_int_equal(entry(NEAR, 1), NEAR + 1);
	assert_int_equal(entry(NEAR, 2), NEAR + 4);
	/* Out of a jump's reach it ends in another, with a gap before its word. */
	assert_int_equal(emit(FAR), 0);
	assert_int_equal(len, 5 + 6 + 5 + 8);
}

/* 1: nop; 2: dec %ecx; jnz 2b - the copy loops without a trap. */
TEST(a_branch_to_a_displaced_instruction_goes_to_its_copy)
{
	(void)state;
	take(KP_ARCH_USER, BYTES(0x90, 0xff, 0xc9, 0x75, 0xfc));
	assert_int_equal(emit(NEAR), 0);
	assert_int_equal(target_at(NEAR, 3), NEAR + 1);
	assert_int_equal(target_at(NEAR, 9), ADDR + 5);
	/* Far from the original, too: the sizes are found with that in mind. */
	assert_int_equal(emit(FAR), 0);
	assert_int_equal(target_at(FAR, 3), FAR + 1);
	assert_int_equal(entry(FAR, 2), FAR + 3);
}

/* 1: jmp 2f; nop; 2: nop */
TEST(forward_too)
{
	(void)state;
	take(KP_ARCH_USER, BYTES(0xeb, 0x01, 0x90, 0x90, 0x90));
	assert_int_equal(emit(FAR), 0);
	assert_int_equal(target_at(FAR, 0), entry(FAR, 2));
}

/* 1: dec %ecx; jnz 1b - each round is a hit. */
TEST(a_branch_to_the_probed_instruction_is_a_hit)
{
	(void)state;
	take(KP_ARCH_USER, BYTES(0xff, 0xc9, 0x75, 0xfc, 0x90));
	assert_int_equal(emit(NEAR), 0);
	assert_int_equal(target_at(NEAR, 2), ADDR);
}

TEST(loops_keep_their_counter)
{
	(void)state;
	/* nop; addr32 loop 1f; nop; 1: nop */
	take(KP_ARCH_USER, BYTES(0x90, 0x67, 0xe2, 0x01, 0x90, 0x90));
	assert_int_equal(emit(NEAR), 0);
	assert_memory_equal(image + 1, "\x67\xe2\x02\xeb\x05", 5);
	assert_int_equal(target_at(NEAR, 6), entry(NEAR, 3));
	assert_int_equal(target_at(NEAR, 4), entry(NEAR, 2));
}

/* lock incl (%rdi), also without the prefix; nop */
TEST(overlapping_copies_are_not_both_executed)
{
	static const uint8_t bytes[] = { 0xf0, 0xff, 0x07, 0x90 };
	static const unsigned int at[] = { 0, 1, 3 };
	unsigned int i;

	(void)state;
	for (nr = 0; nr < 3; nr++)
		assert_int_equal(kp_arch_prepare(&insns[nr], ADDR + at[nr],
						 bytes + at[nr], 4 - at[nr],
						 KP_ARCH_USER, &reason), 0);
	for (i = 0; i < 2; i++) {
		uintptr_t where = i ? FAR : NEAR;

		assert_int_equal(emit(where), 0);
		assert_memory_equal(image, "\xf0\xff\x07\xe9\x02", 5);
		assert_int_equal(target_at(where, 3), entry(where, 2));
		assert_int_equal(entry(where, 1), where + 8);
		assert_memory_equal(image + 8, "\xff\x07\x90", 3);
	}
	/* The probed one alone, and its end. */
	nr = 2;
	assert_int_equal(emit(NEAR), 0);
	assert_int_equal(target_at(NEAR, 3), NEAR + 10);
	assert_int_equal(target_at(NEAR, 10), ADDR + 3);
}

TEST(what_has_no_copy_is_refused)
{
	(void)state;
	/* add 0x10(%rip),%rsp */
	take(KP_ARCH_USER, BYTES(0x90, 0x48, 0x03, 0x25, 0x10, 0, 0, 0));
	assert_int_equal(emit(NEAR), 0);
	assert_int_equal(emit(FAR), -ENOSPC);
	assert_non_null(reason);
	take(KP_ARCH_USER | KP_ARCH_HAS_FIXUP, BYTES(0x90, 0x8b, 0x07));
	assert_int_equal(emit(NEAR), -EOPNOTSUPP);
	assert_non_null(reason);
	nr = 0;
	assert_int_equal(emit(NEAR), -EOPNOTSUPP);
}

TEST(what_does_not_fit_is_refused_and_not_written)
{
	size_t max;

	(void)state;
	/* four times call *%rax, and a jz: far */
	take(KP_ARCH_USER, BYTES(0xff, 0xd0, 0xff, 0xd0, 0xff, 0xd0, 0xff,
				 0xd0, 0x74, 0x40));
	assert_int_equal(emit(FAR), -ENOSPC);
	assert_non_null(reason);
	take(KP_ARCH_USER, BYTES(0x55, 0x48, 0x89, 0xe5, 0x53));
	for (max = 0; max < 12; max++) {
		memset(image, 0x5a, sizeof(image));
		assert_int_equal(kp_arch_emit_chain(insns, nr, NEAR, image,
						    max, &len, &reason),
				 max < 10 ? -ENOSPC : 0);
		assert_int_equal(image[max], 0x5a);
	}
}

/* ---- interrupted ------------------------------------------------------------ */

static uint64_t top_of_stack;

static int mem_read(uintptr_t addr, void *dst, size_t n)
{
	(void)addr;
	memcpy(dst, &top_of_stack, n);
	return 0;
}

static const struct kp_arch_mem mem = { .read = mem_read };

static void aborted(uintptr_t at, unsigned int off, unsigned int skipped,
		    uintptr_t ip)
{
	struct pt_regs regs;

	memset(&regs, 0, sizeof(regs));
	regs.ip = at + off;
	regs.sp = STACK - skipped;
	kp_arch_chain_abort(insns, nr, &regs, at, &mem);
	assert_int_equal(regs.ip, ip);
	assert_int_equal(regs.sp, STACK);
}

TEST(interrupted_between_copies)
{
	(void)state;
	take(KP_ARCH_USER, BYTES(0x55, 0x48, 0x89, 0xe5, 0x53));
	aborted(NEAR, 0, 0, ADDR);
	aborted(NEAR, 1, 0, ADDR + 1);
	aborted(NEAR, 4, 0, ADDR + 4);
	aborted(NEAR, 5, 0, ADDR + 5);
}

TEST(interrupted_behind_a_lock)
{
	(void)state;
	take(KP_ARCH_USER, BYTES(0xf0, 0xff, 0x07));
	assert_int_equal(kp_arch_prepare(&insns[1], ADDR + 1,
					 (const uint8_t *)"\xff\x07", 2,
					 KP_ARCH_USER, &reason), 0);
	nr = 2;
	aborted(NEAR, 0, 0, ADDR);
	aborted(NEAR, 3, 0, ADDR + 3);
	aborted(NEAR, 8, 0, ADDR + 1);
	aborted(NEAR, 10, 0, ADDR + 3);
}

/* nop; mov 0x10(%rip),%rsi out of reach */
TEST(interrupted_in_a_far_copy)
{
	static const struct {
		unsigned int off, skipped;
		bool done;
	} at[] = {
		{ 1, 0, false }, { 6, 128, false }, { 7, 136, false },
		{ 17, 136, false }, { 20, 136, true }, { 21, 128, true },
		{ 29, 0, true },
	};
	unsigned int i;

	(void)state;
	take(KP_ARCH_USER, BYTES(0x90, 0x48, 0x8b, 0x35, 0x10, 0, 0, 0));
	assert_int_equal(emit(FAR), 0);
	for (i = 0; i < sizeof(at) / sizeof(at[0]); i++)
		aborted(FAR, at[i].off, at[i].skipped,
			at[i].done ? ADDR + 8 : ADDR + 1);
}

/* syscall; syscall: rcx holds the copy's address until it is repaired. */
TEST(interrupted_behind_a_system_call)
{
	struct pt_regs regs;
	unsigned int off;

	(void)state;
	take(KP_ARCH_USER, BYTES(0x0f, 0x05, 0x0f, 0x05, 0x90));
	assert_int_equal(emit(NEAR), 0);
	for (off = 2; off <= 14; off += 12) {
		memset(&regs, 0, sizeof(regs));
		regs.ip = regs.cx = NEAR + off;
		kp_arch_chain_abort(insns, nr, &regs, NEAR, &mem);
		assert_int_equal(regs.ip, off == 2 ? ADDR + 2 : ADDR + 4);
		assert_int_equal(regs.cx, regs.ip);
	}
	memset(&regs, 0, sizeof(regs));
	regs.ip = NEAR + 12;
	regs.cx = 7;
	kp_arch_chain_abort(insns, nr, &regs, NEAR, &mem);
	assert_int_equal(regs.ip, ADDR + 2);
	assert_int_equal(regs.cx, 7);
}

/* ---- the stepped form's call ------------------------------------------------- */

static void check_post(unsigned int flags, unsigned int call_off)
{
	const uintptr_t slot = NEAR, post = NEAR + 0x4000;
	unsigned int off = KP_X86_STEPPED + 3 + call_off;
	struct pt_regs regs = { 0 };

	take(flags, BYTES(0x48, 0x89, 0xe5));
	assert_int_equal(kp_arch_emit_slot_post(insns, slot, post, image,
						&reason), 0);
	assert_memory_equal(image + KP_X86_STEPPED, "\x48\x89\xe5", 3);
	assert_int_equal(image[off], 0xe8);
	assert_int_equal(target_at(slot, off), post);
	/* Where it may return to: on to the next instruction. */
	assert_int_equal(image[off + 5], 0xe9);
	assert_int_equal(target_at(slot, off + 5), ADDR + 3);
	assert_int_equal(image[off + 10], 0xcc);
	regs.ip = slot + off + 5;
	regs.sp = STACK;
	kp_arch_step_abort(insns, &regs, slot, &mem);
	assert_int_equal(regs.ip, ADDR + 3);
	assert_int_equal(regs.sp, STACK);
	regs.ip = slot + off + 5;
	assert_true(kp_arch_step_finish(insns, &regs, slot));
	assert_int_equal(regs.ip, ADDR + 3);
	/* Stopped before the call, the instruction is done. */
	regs.ip = slot + off;
	regs.sp = STACK - (call_off ? 128 : 0);
	kp_arch_step_abort(insns, &regs, slot, &mem);
	assert_int_equal(regs.ip, ADDR + 3);
	assert_int_equal(regs.sp, STACK);
	regs.ip = slot + KP_X86_STEPPED + 3;
	kp_arch_step_abort(insns, &regs, slot, &mem);
	assert_int_equal(regs.ip, ADDR + 3);
	assert_int_equal(regs.sp, STACK);
}

TEST(K_XI_44_stepped_to_a_call)
{
	(void)state;
	check_post(0, 0);
	check_post(KP_ARCH_USER, 5);
}

TEST(out_of_the_entrys_reach_it_traps)
{
	uint8_t trapping[KP_ARCH_SLOT_LEN];

	(void)state;
	take(KP_ARCH_USER, BYTES(0x48, 0x89, 0xe5));
	assert_int_equal(kp_arch_emit_slot(insns, NEAR, trapping, &reason), 0);
	assert_int_equal(kp_arch_emit_slot_post(insns, NEAR, FAR, image,
						&reason), 0);
	assert_memory_equal(image, trapping, sizeof(image));
}

/* So it does where the stack must not be used, however near the entry is. */
TEST(without_room_on_the_stack_it_traps)
{
	uint8_t trapping[KP_ARCH_SLOT_LEN];

	(void)state;
	take(KP_ARCH_USER, BYTES(0x48, 0x89, 0xe5));
	assert_int_equal(kp_arch_emit_slot(insns, NEAR, trapping, &reason), 0);
	take(KP_ARCH_USER | KP_ARCH_TRAP_ONLY, BYTES(0x48, 0x89, 0xe5));
	assert_int_equal(kp_arch_emit_slot_post(insns, NEAR, NEAR + 0x4000,
						image, &reason), 0);
	assert_memory_equal(image, trapping, sizeof(image));
}

/* The longest copies leave room for it. */
TEST(the_call_fits_behind_the_longest_copy)
{
	(void)state;
	/* cs cs cs movq $1,0x10(%rip), out of reach */
	take(KP_ARCH_USER, BYTES(0x2e, 0x2e, 0x2e, 0x2e, 0x48, 0xc7, 0x05, 0x10,
				 0, 0, 0, 1, 0, 0, 0));
	assert_int_equal(insns[0].len, 15);
	assert_int_equal(kp_arch_emit_slot_post(insns, FAR, FAR + 0x1000, image,
						&reason), 0);
	assert_int_equal(target_at(FAR, KP_X86_STEPPED + 15 + 21 + 5),
			 FAR + 0x1000);
}

#define ROW(test) cmocka_unit_test(test)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ROW(copies_follow_one_another),
		ROW(a_branch_to_a_displaced_instruction_goes_to_its_copy),
		ROW(forward_too),
		ROW(a_branch_to_the_probed_instruction_is_a_hit),
		ROW(loops_keep_their_counter),
		ROW(overlapping_copies_are_not_both_executed),
		ROW(what_has_no_copy_is_refused),
		ROW(what_does_not_fit_is_refused_and_not_written),
		ROW(interrupted_between_copies),
		ROW(interrupted_behind_a_lock),
		ROW(interrupted_in_a_far_copy),
		ROW(interrupted_behind_a_system_call),
		ROW(K_XI_44_stepped_to_a_call),
		ROW(without_room_on_the_stack_it_traps),
		ROW(out_of_the_entrys_reach_it_traps),
		ROW(the_call_fits_behind_the_longest_copy),
	};

	return cmocka_run_group_tests_name("chain", tests, NULL, NULL);
}
