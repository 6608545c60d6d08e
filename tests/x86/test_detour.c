/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * test_detour.c - jumps in the place of instructions, heads and hubs.
 *
 * Owns: one case for each way and each refusal; and, for random instructions,
 * that every way's jump leads where it should and traps where it must.
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
#define KERNEL 0
#define USER KP_ARCH_USER
#define BYTES(...) (const uint8_t[]){ __VA_ARGS__ }, \
		   sizeof((const uint8_t[]){ __VA_ARGS__ })
#define TEST(name) static void name(void **state)

static struct kp_arch_probe probe;
static struct kp_arch_jump jump;
static uint8_t text[32];
static size_t text_len;
static const char *reason;

static void prepare(unsigned int flags, const uint8_t *bytes, size_t len)
{
	assert_true(len <= sizeof(text));
	memcpy(text, bytes, len);
	text_len = len;
	assert_int_equal(kp_arch_prepare(&probe, ADDR, text, len, flags,
					 &reason), 0);
}

static int way(unsigned int n)
{
	reason = NULL;
	return kp_arch_jump_way(&jump, &probe, text, text_len, text_len, n,
				&reason);
}

static void no_way(unsigned int n)
{
	assert_int_equal(way(n), -ENOENT);
	assert_non_null(reason);
	assert_true(strlen(reason) > 10);
}

/* Some target that the jump admits. */
static uintptr_t some_target(uint32_t bits)
{
	uint32_t d = (bits & ~jump.mask) | jump.value;

	return jump.base + (uintptr_t)(int64_t)(int32_t)d;
}

/* The byte stops whoever executes it, whatever follows. */
static void assert_traps(uint8_t byte)
{
	uint8_t bytes[KP_INSN_MAX];
	struct kp_insn insn;

	memset(bytes, 0, sizeof(bytes));
	bytes[0] = byte;
	if (byte != 0xcc)
		assert_int_equal(kp_insn_decode(&insn, bytes, sizeof(bytes),
						KP_INSN_64), -EILSEQ);
}

static uint64_t random_state = 88172645463325252ull;

static uint32_t random_bits(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)(random_state >> 16);
}

/* What must hold for any jump, whichever way it was found. */
static void check_jump(uint32_t bits)
{
	uintptr_t target = some_target(bits);
	uint8_t bytes[KP_ARCH_JUMP_MAX];
	struct kp_insn insn;
	unsigned int i;

	assert_in_range(jump.len, 5, KP_ARCH_JUMP_MAX);
	assert_in_range(jump.patched, 1, jump.len);
	assert_true(text_len >= jump.len);
	assert_int_equal(jump.value & ~jump.mask, 0);
	kp_arch_emit_jump(&jump, target, bytes);
	assert_int_equal(kp_insn_decode(&insn, bytes, jump.len, KP_INSN_64),
			 0);
	assert_int_equal(insn.length, jump.len);
	assert_int_equal(insn.flow, KP_INSN_FLOW_JMP_REL);
	assert_int_equal(ADDR + (uintptr_t)kp_insn_rel_target(&insn), target);
	assert_memory_equal(bytes + jump.patched, text + jump.patched,
			    jump.len - jump.patched);
	for (i = 0; i < jump.inner_nr; i++) {
		assert_true(jump.inner[i] < jump.patched);
		assert_true(!i || jump.inner[i] > jump.inner[i - 1]);
		assert_int_equal(bytes[jump.inner[i]], jump.inner_trap[i]);
		assert_traps(jump.inner_trap[i]);
	}
}

/*
 * Every instruction start inside the patched bytes is an inner boundary; and so
 * is what lies behind a process's lock prefix.
 */
static void check_boundaries(bool user)
{
	unsigned int off = 0, i = 0;
	struct kp_insn insn;

	for (; off < jump.patched && i <= jump.inner_nr; off += insn.length) {
		assert_int_equal(kp_insn_decode(&insn, text + off,
						text_len - off, KP_INSN_64), 0);
		if (off && insn.opcode == 0xcc)
			break;
		if (off)
			assert_int_equal(jump.inner[i++], off);
		if (user && text[off] == 0xf0 && off + 1 < jump.patched)
			assert_int_equal(jump.inner[i++], off + 1);
	}
	assert_int_equal(i, jump.inner_nr);
	for (; off < jump.patched; off++)	/* int3 behind a ret */
		assert_int_equal(jump.mask >> 8 * (off - 1) & 0xff, 0xff);
}

TEST(whole_instruction)
{
	(void)state;
	prepare(USER, BYTES(0x48, 0x8b, 0x05, 1, 2, 3, 4));
	assert_int_equal(way(0), 0);
	assert_int_equal(jump.len, 5);
	assert_int_equal(jump.patched, 5);
	assert_int_equal(jump.inner_nr, 0);
	assert_int_equal(jump.mask, 0);
	check_jump(0x12345678);
	check_jump(0x80000000);
	no_way(1);
	/* Five bytes exactly, and nothing known behind it. */
	prepare(KERNEL, BYTES(0xe8, 0, 1, 0, 0));
	assert_int_equal(way(0), 0);
	check_jump(0xffffffff);
}

/* What follows cannot be copied, so there are no others. */
TEST(punned_by_length)
{
	unsigned int p;

	(void)state;
	prepare(USER, BYTES(0x48, 0x8b, 0x47, 0x08, 0x06, 0x22, 0x33, 0x44,
			    0x55));
	for (p = 0; p < 4; p++) {
		assert_int_equal(way(p), 0);
		assert_int_equal(jump.len, 5 + p);
		assert_int_equal(jump.patched, 4);
		assert_int_equal(jump.inner_nr, 0);
		assert_int_equal(jump.base, ADDR + 5 + p);
		check_jump(0xdeadbeef * (p + 1));
	}
	no_way(4);
	assert_int_equal(way(3), 0);
	assert_int_equal(jump.mask, 0xffffffff);
	assert_int_equal(jump.value, 0x44332206);
	assert_int_equal(way(0), 0);
	assert_int_equal(jump.mask, 0xff000000);
	assert_int_equal(jump.value, 0x06000000);
	assert_int_equal(way(1), 0);
	assert_int_equal(jump.mask, 0xffff0000);
	assert_int_equal(jump.value, 0x22060000);
}

/* What follows is needed for a displacement, so it has to be readable. */
TEST(punned_as_far_as_the_text_goes)
{
	(void)state;
	prepare(USER, BYTES(0x48, 0x89, 0xe5, 0xcc, 0xcc, 0xcc));
	assert_int_equal(way(0), 0);
	assert_int_equal(way(1), 0);
	no_way(2);
	text_len = 4;
	no_way(0);
}

/* Those that let heads share a page come first. */
TEST(the_order_of_ways)
{
	unsigned int n;

	(void)state;
	/* mov 8(%rdi),%rax; mov %rsp,%rbp; ... */
	prepare(USER, BYTES(0x48, 0x8b, 0x47, 0x08, 0x48, 0x89, 0xe5, 0x90));
	for (n = 0; !way(n); n++)
		assert_int_equal(jump.inner_nr, n && n < 21);
	assert_int_equal(n, 4 + 20);
	/* mov %eax,%edx; push %rax; mov %esp,%ebp */
	prepare(USER, BYTES(0x89, 0xc2, 0x50, 0x89, 0xe5, 0x90, 0x90));
	for (n = 0; !way(n); n++) {
		if (n < 20)
			assert_int_equal(jump.inner_trap[0], 0xcc);
		assert_int_equal(jump.inner_nr, n == 20 || n == 21 ? 0 : 2);
	}
	assert_int_equal(n, 2 + 20 * 20);
}

TEST(spread_over_small_ones)
{
	(void)state;
	/* push %rbp; mov %rsp,%rbp; push %rbx; nop */
	prepare(USER, BYTES(0x55, 0x48, 0x89, 0xe5, 0x53, 0x90));
	assert_int_equal(way(0), 0);
	assert_int_equal(jump.len, 5);
	assert_int_equal(jump.patched, 5);
	assert_int_equal(jump.inner_nr, 2);
	assert_int_equal(jump.inner[0], 1);
	assert_int_equal(jump.inner[1], 4);
	assert_int_equal(jump.mask, 0xff0000ff);
	assert_int_equal(jump.value, 0xcc0000cc);
	check_jump(0x00c0ffee);
	/* The distance is decided by the last boundary: that varies first. */
	assert_int_equal(way(1), 0);
	assert_int_equal(jump.inner_trap[0], 0xcc);
	assert_int_not_equal(jump.inner_trap[1], 0xcc);
}

TEST(spread_enumerates_each_choice_once)
{
	static uint8_t seen[0x10000 / 8];
	unsigned int n, ways = 0;

	(void)state;
	memset(seen, 0, sizeof(seen));
	prepare(USER, BYTES(0x55, 0x48, 0x89, 0xe5, 0x53, 0x90));
	for (n = 0; !way(n); n++) {
		unsigned int key = jump.inner_trap[0] << 8 | jump.inner_trap[1];

		if (!jump.inner_nr)		/* the punned one */
			continue;
		assert_false(seen[key / 8] & 1 << key % 8);
		seen[key / 8] |= (uint8_t)(1 << key % 8);
		check_jump(n * 0x01000193);
		ways++;
	}
	assert_int_equal(ways, 20 * 20);
	no_way(n);
	no_way(n + 1000);
}

TEST(spread_over_single_bytes)
{
	(void)state;
	prepare(KERNEL, BYTES(0x50, 0x51, 0x52, 0x53, 0x54));
	assert_int_equal(way(0), 0);
	assert_int_equal(jump.inner_nr, 4);
	assert_int_equal(jump.mask, 0xffffffff);
	assert_int_equal(jump.value, 0xcccccccc);
	check_jump(0);
}

/* Only where one instruction more leads behind the jump, and it comes next. */
TEST(the_next_instruction_goes_along)
{
	(void)state;
	prepare(USER, BYTES(0x48, 0x8d, 0x47, 0x01, 0x90, 0x90, 0x90, 0x90));
	assert_int_equal(way(0), 0);
	assert_int_equal(jump.inner_nr, 0);
	assert_true(jump.along);
	/* call *16(%rsp): what follows comes after the callee. */
	prepare(USER, BYTES(0xff, 0x54, 0x24, 0x10, 0x90, 0x90, 0x90, 0x90));
	assert_int_equal(way(0), 0);
	assert_false(jump.along);
	/* jmp *16(%rsp) */
	prepare(USER, BYTES(0xff, 0x64, 0x24, 0x10, 0x90, 0x90, 0x90, 0x90));
	assert_int_equal(way(0), 0);
	assert_false(jump.along);
	prepare(USER, BYTES(0x48, 0x89, 0xf8, 0x90, 0x90, 0x90, 0x90, 0x90));
	assert_int_equal(way(0), 0);
	assert_false(jump.along);
}

/* Nothing but the unchanged bytes of a punned jump needs to be code. */
static unsigned int inner_nr_of_way_0(size_t avail, size_t extent)
{
	assert_int_equal(kp_arch_jump_way(&jump, &probe, text, avail, extent, 0,
					  &reason), 0);
	return jump.inner_nr;
}

/* Nothing but the unchanged bytes of a punned jump needs to be code. */
TEST(spread_needs_known_code)
{
	(void)state;
	prepare(USER, BYTES(0x55, 0x48, 0x89, 0xe5, 0x53, 0x90));
	/* Nor does a punned jump read what is not. */
	assert_int_equal(kp_arch_jump_way(&jump, &probe, text, 6, 4, 0,
					  &reason), -ENOENT);
	assert_string_equal(reason, "what follows is not known to be code");
	assert_int_equal(inner_nr_of_way_0(6, 5), 2);
	/* The last one's end, too. */
	prepare(USER, BYTES(0x55, 0x48, 0x89, 0xe5, 0x48, 0x89, 0xe5, 0x90));
	assert_int_equal(inner_nr_of_way_0(8, 6), 0);
	assert_int_equal(inner_nr_of_way_0(8, 7), 2);
	assert_int_equal(kp_arch_jump_way(&jump, &probe, text, 8, 0, 0,
					  &reason), -ENOENT);
}

static void only_punned(unsigned int flags, const uint8_t *bytes, size_t len)
{
	unsigned int n;

	prepare(flags, bytes, len);
	for (n = 0; n < probe.len; n++) {
		assert_int_equal(way(n), 0);
		assert_int_equal(jump.inner_nr, 0);
	}
	no_way(probe.len);
}
#define ONLY_PUNNED(flags, ...) only_punned(flags, BYTES(__VA_ARGS__))

TEST(spread_refuses)
{
	(void)state;
	/* int3, ud2, undefined, cut off */
	ONLY_PUNNED(USER, 0x55, 0xcc, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90);
	ONLY_PUNNED(USER, 0x55, 0x0f, 0x0b, 0x90, 0x90, 0x90, 0x90, 0x90);
	ONLY_PUNNED(USER, 0x55, 0x06, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90);
	ONLY_PUNNED(USER, 0x55, 0x53, 0x48, 0x8b, 0x05, 0x00);
	/* call *%rax; xor %eax,%eax: it returns to the second */
	ONLY_PUNNED(USER, 0xff, 0xd0, 0x31, 0xc0, 0x90, 0x90, 0x90, 0x90);
	ONLY_PUNNED(USER, 0x55, 0xff, 0xd0, 0x31, 0xc0, 0x90, 0x90, 0x90);
	/* endbr64 in the middle */
	ONLY_PUNNED(USER, 0x90, 0xf3, 0x0f, 0x1e, 0xfa, 0x90, 0x90, 0x90);
	/* cli; hlt: no probe on a hlt */
	ONLY_PUNNED(KERNEL, 0xfa, 0xf4, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90);
}

TEST(spread_accepts)
{
	(void)state;
	/* A call whose return address is behind the jump. */
	prepare(USER, BYTES(0x55, 0x90, 0x90, 0xff, 0xd0, 0x31, 0xc0));
	assert_int_equal(inner_nr_of_way_0(7, 7), 3);
	prepare(KERNEL, BYTES(0x55, 0xf0, 0x83, 0x07, 0x01, 0x90));
	assert_int_equal(inner_nr_of_way_0(6, 6), 1);
	/* ret; nopl 0(%rax) */
	prepare(USER, BYTES(0xc3, 0x0f, 0x1f, 0x40, 0x00));
	assert_int_equal(inner_nr_of_way_0(5, 5), 1);
}

/* pop %rbp; ret; int3 ...: nobody comes there, and if, they trap as before. */
TEST(padding_with_int3_stays)
{
	unsigned int n;

	(void)state;
	prepare(USER, BYTES(0x5d, 0xc3, 0xcc, 0xcc, 0xcc, 0xcc));
	for (n = 0; !way(n); n++) {
		assert_int_equal(jump.inner_nr, n < 20);
		assert_int_equal(jump.mask, 0xffffffff);
		assert_int_equal(jump.value >> 8, 0xcccccc);
		check_jump(0);
	}
	assert_int_equal(n, 1 + 20);
	ONLY_PUNNED(USER, 0xc3, 0xcc, 0xcc, 0xcc, 0xcc);
}

TEST(a_lock_prefix_may_be_jumped_over)
{
	unsigned int n;

	(void)state;
	/* lock cmpxchg %edx,8(%rdi) */
	prepare(USER, BYTES(0xf0, 0x0f, 0xb1, 0x57, 0x08, 0x90, 0x90));
	for (n = 0; !way(n); n++) {
		assert_int_equal(jump.inner_nr, 1);
		assert_int_equal(jump.inner[0], 1);
		assert_int_equal(jump.mask, 0xff);
		check_jump(random_bits());
	}
	assert_int_equal(n, 20);
	prepare(KERNEL, BYTES(0xf0, 0x0f, 0xb1, 0x57, 0x08, 0x90, 0x90));
	assert_int_equal(inner_nr_of_way_0(7, 7), 0);
	/* nop; lock addl $1,(%rdi) */
	prepare(USER, BYTES(0x90, 0xf0, 0x83, 0x07, 0x01, 0x90, 0x90, 0x90));
	assert_int_equal(inner_nr_of_way_0(8, 8), 2);
	assert_int_equal(jump.inner[0], 1);
	assert_int_equal(jump.inner[1], 2);
	/* Behind the jump it does not matter. */
	prepare(USER, BYTES(0x0f, 0x1f, 0x00, 0x90, 0xf0, 0xff, 0x07));
	assert_int_equal(inner_nr_of_way_0(7, 7), 2);
	assert_int_equal(jump.inner[1], 4);
}

TEST(every_way_of_random_text)
{
	unsigned int round, i, n, probed = 0, spread = 0;

	(void)state;
	for (round = 0; round < 20000; round++) {
		for (i = 0; i < sizeof(text); i++)
			text[i] = (uint8_t)random_bits();
		text_len = 8 + random_bits() % (sizeof(text) - 8);
		if (kp_arch_prepare(&probe, ADDR, text, text_len,
				    round % 2 ? USER : KERNEL, &reason))
			continue;
		probed++;
		for (n = 0; n < 30 && !way(n); n++) {
			struct kp_arch_jump again = jump;

			check_jump(random_bits());
			if (jump.inner_nr) {
				check_boundaries(round % 2);
				spread++;
			}
			assert_int_equal(way(n), 0);
			assert_memory_equal(&again, &jump, sizeof(jump));
		}
		if (way(n))
			assert_non_null(reason);
	}
	assert_true(probed > 5000);
	assert_true(spread > 5000);
}

/* ---- heads and hubs ---------------------------------------------------------- */

#define HEAD (ADDR + 0x100000)
#define ENTRY (HEAD + 0x2000)
#define BODY (HEAD - 0x3000)

static struct kp_insn decoded(const uint8_t *image, unsigned int off)
{
	struct kp_insn insn;

	assert_int_equal(kp_insn_decode(&insn, image + off, 15, KP_INSN_64),
			 0);
	return insn;
}

static void check_head(unsigned int flags, unsigned int call_off,
		       unsigned int jmp_off)
{
	const uint64_t tag = 0x1122334455667788;
	uint8_t image[KP_ARCH_HEAD_LEN + 15] = { 0 };
	struct kp_insn insn;
	uint64_t got = 0;
	unsigned int i;

	prepare(flags, BYTES(0x90));
	assert_int_equal(kp_arch_emit_head(&probe, HEAD, ENTRY, BODY,
					   (void *)(uintptr_t)tag, image), 0);
	insn = decoded(image, call_off);
	assert_int_equal(insn.flow, KP_INSN_FLOW_CALL_REL);
	assert_int_equal(HEAD + call_off + (uintptr_t)kp_insn_rel_target(&insn),
			 ENTRY);
	insn = decoded(image, jmp_off);
	assert_int_equal(insn.flow, KP_INSN_FLOW_JMP_REL);
	assert_int_equal(HEAD + jmp_off + (uintptr_t)kp_insn_rel_target(&insn),
			 BODY);
	for (i = 0; i < 8; i++)
		got |= (uint64_t)image[24 + i] << 8 * i;
	assert_int_equal(got, tag);
}

TEST(heads)
{
	static const uint8_t user[] = {
		0x48, 0x8d, 0xa4, 0x24, 0x78, 0xff, 0xff, 0xff,
		0x6a, 0x2b, 0x54, 0x9c, 0x6a, 0x33,
	};
	static const uint8_t kernel[] = {
		0x6a, 0, 0x6a, 0x18, 0x54, 0x9c, 0x6a, 0x10,
	};
	uint8_t image[KP_ARCH_HEAD_LEN];

	(void)state;
	check_head(KERNEL, 8, 13);
	assert_int_equal(kp_arch_emit_head(&probe, HEAD, ENTRY, BODY, NULL,
					   image), 0);
	assert_memory_equal(image, kernel, sizeof(kernel));
	check_head(USER, 14, 19);
	assert_int_equal(kp_arch_emit_head(&probe, HEAD, ENTRY, BODY, NULL,
					   image), 0);
	assert_memory_equal(image, user, sizeof(user));
	assert_int_equal(kp_arch_emit_head(&probe, HEAD, HEAD + (3ul << 30),
					   BODY, NULL, image), -ERANGE);
	assert_int_equal(kp_arch_emit_head(&probe, HEAD, ENTRY,
					   HEAD - (3ul << 30), NULL, image),
			 -ERANGE);
	assert_int_equal(kp_arch_emit_head(&probe, HEAD,
					   HEAD + 19 + 0x7fffffff,
					   HEAD + 24 - 0x80000000ul, NULL,
					   image), 0);
}

TEST(interrupted_in_a_head)
{
	static const struct {
		unsigned int flags, off, skipped;
		bool done;
	} at[] = {
		{ KERNEL, 0, 0, false }, { KERNEL, 2, 8, false },
		{ KERNEL, 4, 16, false }, { KERNEL, 5, 24, false },
		{ KERNEL, 6, 32, false }, { KERNEL, 8, 40, false },
		{ KERNEL, 13, 0, true },
		{ USER, 0, 0, false }, { USER, 8, 136, false },
		{ USER, 10, 144, false }, { USER, 11, 152, false },
		{ USER, 12, 160, false }, { USER, 14, 168, false },
		{ USER, 19, 0, true },
	};
	struct pt_regs regs;
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
		prepare(at[i].flags, BYTES(0x90));
		memset(&regs, 0, sizeof(regs));
		regs.ip = HEAD + at[i].off;
		regs.sp = 0x5000 - at[i].skipped;
		kp_arch_head_abort(&probe, &regs, HEAD, BODY);
		assert_int_equal(regs.sp, 0x5000);
		assert_int_equal(regs.ip, at[i].done ? BODY : ADDR);
	}
}

TEST(no_jump_where_the_stack_has_no_room)
{
	(void)state;
	prepare(USER | KP_ARCH_TRAP_ONLY, BYTES(0xb8, 7, 0, 0, 0, 0x90, 0x90));
	no_way(0);
	assert_non_null(strstr(reason, "room on the stack"));
	no_way(1);
	prepare(USER | KP_ARCH_TRAP_ONLY, BYTES(0x90, 0xb8, 7, 0, 0, 0, 0x90));
	no_way(0);
	prepare(USER, BYTES(0xb8, 7, 0, 0, 0, 0x90, 0x90));
	assert_int_equal(way(0), 0);
}

TEST(hubs)
{
	static const uint8_t expected[KP_ARCH_HUB_LEN] = {
		0xff, 0x25, 2, 0, 0, 0, 0xcc, 0xcc,	/* jmp *2(%rip) */
		0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11,
		0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc,
	};
	uint8_t image[KP_ARCH_HUB_LEN];

	(void)state;
	kp_arch_emit_hub(HEAD, (uintptr_t)0x1122334455667788, image);
	assert_memory_equal(image, expected, sizeof(image));
}

#define ROW(test) cmocka_unit_test(test)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ROW(whole_instruction),
		ROW(punned_by_length),
		ROW(punned_as_far_as_the_text_goes),
		ROW(the_order_of_ways),
		ROW(spread_over_small_ones),
		ROW(spread_enumerates_each_choice_once),
		ROW(spread_over_single_bytes),
		ROW(the_next_instruction_goes_along),
		ROW(spread_needs_known_code),
		ROW(spread_refuses),
		ROW(spread_accepts),
		ROW(padding_with_int3_stays),
		ROW(a_lock_prefix_may_be_jumped_over),
		ROW(every_way_of_random_text),
		ROW(heads),
		ROW(interrupted_in_a_head),
		ROW(no_jump_where_the_stack_has_no_room),
		ROW(hubs),
	};

	return cmocka_run_group_tests_name("detour", tests, NULL, NULL);
}
