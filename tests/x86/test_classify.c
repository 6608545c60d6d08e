/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * test_classify.c - what may carry a probe, and how it is executed.
 *
 * Owns: one case for each refusal and each class, by rule.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "probe.h"

#define ADDR 0x7f0000001000ul
#define KERNEL 0
#define USER KP_ARCH_USER

static struct kp_arch_probe probe;

static int prepare(const uint8_t *bytes, size_t len, unsigned int flags,
		   const char **reason)
{
	*reason = NULL;
	return kp_arch_prepare(&probe, ADDR, bytes, len, flags, reason);
}

static void refused(int err, unsigned int flags, const uint8_t *bytes,
		    size_t len)
{
	const char *reason;

	assert_int_equal(prepare(bytes, len, flags, &reason), err);
	assert_non_null(reason);
	assert_true(strlen(reason) > 10);
}

static void accepted(enum kp_arch_class class, enum kp_x86_op op,
		     unsigned int flags, const uint8_t *bytes, size_t len)
{
	uint8_t image[KP_ARCH_SLOT_LEN];
	const char *reason;

	assert_int_equal(prepare(bytes, len, flags, &reason), 0);
	assert_int_equal(probe.class, class);
	assert_int_equal(probe.op, op);
	assert_int_equal(probe.addr, ADDR);
	assert_int_equal(
		kp_arch_emit_slot(&probe, ADDR + 0x1000, image, &reason), 0);
}

#define BYTES(...) (const uint8_t[]){ __VA_ARGS__ }, \
		   sizeof((const uint8_t[]){ __VA_ARGS__ })
#define REFUSED(err, flags, ...) refused(err, flags, BYTES(__VA_ARGS__))
#define REFUSED_ANYWHERE(err, ...)					\
	do {								\
		REFUSED(err, KERNEL, __VA_ARGS__);			\
		REFUSED(err, USER, __VA_ARGS__);			\
	} while (0)
#define EMULATED(op, flags, ...)					\
	accepted(KP_ARCH_EMULATE, op, flags, BYTES(__VA_ARGS__))
#define COPIED(flags, ...)						\
	accepted(KP_ARCH_COPY, KP_X86_COPY, flags, BYTES(__VA_ARGS__))
#define COPIED_ANYWHERE(...)						\
	do {								\
		COPIED(KERNEL, __VA_ARGS__);				\
		COPIED(USER, __VA_ARGS__);				\
	} while (0)

#define TEST(name) static void name(void **state)

TEST(K_XI_01_int3)
{
	struct kp_arch_decoded d;

	(void)state;
	REFUSED_ANYWHERE(-EINVAL, 0xcc);
	REFUSED_ANYWHERE(-EINVAL, 0x66, 0xcc);
	assert_int_equal(kp_arch_decode(&d, BYTES(0xcc), 0), 0);
	assert_true(d.breakpoint && d.len == 1);
	assert_int_equal(kp_arch_decode(&d, BYTES(0xc3), 0), 0);
	assert_false(d.breakpoint);
}

TEST(K_XI_02_other_traps)
{
	(void)state;
	REFUSED_ANYWHERE(-EILSEQ, 0xcd, 0x80);		/* int $0x80 */
	REFUSED_ANYWHERE(-EILSEQ, 0xf1);		/* int1 */
	REFUSED_ANYWHERE(-EILSEQ, 0x0f, 0xff, 0xc0);	/* ud0 */
	REFUSED_ANYWHERE(-EILSEQ, 0x0f, 0xb9, 0xc0);	/* ud1 */
	REFUSED_ANYWHERE(-EILSEQ, 0x0f, 0x0b);		/* ud2 */
	REFUSED_ANYWHERE(-EINVAL, 0xce);		/* into: not here */
}

TEST(K_XI_03_iret)
{
	(void)state;
	REFUSED_ANYWHERE(-EOPNOTSUPP, 0xcf);
	REFUSED_ANYWHERE(-EOPNOTSUPP, 0x48, 0xcf);
	REFUSED_ANYWHERE(-EOPNOTSUPP, 0x66, 0xcf);
}

TEST(K_XI_04_far_direct)
{
	(void)state;
	/* lcall, ljmp with an immediate: invalid in 64-bit mode */
	REFUSED_ANYWHERE(-EINVAL, 0x9a, 0, 0, 0, 0, 0, 0);
	REFUSED_ANYWHERE(-EINVAL, 0xea, 0, 0, 0, 0, 0, 0);
}

TEST(K_XI_05_far_indirect)
{
	(void)state;
	REFUSED_ANYWHERE(-EOPNOTSUPP, 0xff, 0x18);	/* lcall *(%rax) */
	REFUSED_ANYWHERE(-EOPNOTSUPP, 0xff, 0x28);	/* ljmp *(%rax) */
	REFUSED_ANYWHERE(-EOPNOTSUPP, 0x48, 0xff, 0x2b);
}

TEST(K_XI_06_indirect_through_memory)
{
	(void)state;
	EMULATED(KP_X86_CALL_MEM, KERNEL, 0xff, 0x10);	/* call *(%rax) */
	EMULATED(KP_X86_JMP_MEM, USER, 0xff, 0x24, 0xc5, 0, 0, 0, 0);
	EMULATED(KP_X86_JMP_MEM, USER, 0xff, 0x25, 0, 0, 0, 0);
	assert_int_equal(probe.value, ADDR + 6);
	/* call *%gs:(%rax), jmp *%fs:(%rax) */
	REFUSED_ANYWHERE(-EOPNOTSUPP, 0x65, 0xff, 0x10);
	REFUSED_ANYWHERE(-EOPNOTSUPP, 0x64, 0xff, 0x20);
}

TEST(K_XI_07_indirect_with_32_bit_address)
{
	(void)state;
	EMULATED(KP_X86_CALL_MEM, USER, 0x67, 0xff, 0x10);
	assert_int_equal(probe.address_size, 4);
}

TEST(K_XI_08_hypervisor_calls)
{
	static const uint8_t modrm[] = { 0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xd9 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(modrm); i++)
		REFUSED_ANYWHERE(-EOPNOTSUPP, 0x0f, 0x01, modrm[i]);
}

TEST(K_XI_09_mov_ss)
{
	(void)state;
	REFUSED_ANYWHERE(-EINVAL, 0x8e, 0xd0);		/* mov %eax,%ss */
	REFUSED_ANYWHERE(-EINVAL, 0x8e, 0x10);		/* mov (%rax),%ss */
	COPIED(USER, 0x8e, 0xd8);			/* mov %eax,%ds */
}

TEST(K_XI_10_pop_ss)
{
	(void)state;
	REFUSED_ANYWHERE(-EINVAL, 0x17);		/* not in 64-bit mode */
}

TEST(K_XI_11_forced_emulation)
{
	(void)state;
	REFUSED_ANYWHERE(-EINVAL, 0x0f, 0x0b, 'x', 'e', 'n', 0x0f, 0xa2);
	REFUSED_ANYWHERE(-EINVAL, 0x0f, 0x0b, 'k', 'v', 'm', 0x0f, 0xa2);
}

TEST(K_XI_12_longest_instruction)
{
	(void)state;
	COPIED_ANYWHERE(0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66,
			0x66, 0x66, 0x66, 0x66, 0x66, 0x90);
	assert_int_equal(probe.len, 15);
}

TEST(K_XI_13_undecodable)
{
	(void)state;
	REFUSED_ANYWHERE(-EINVAL, 0x06);		/* push %es */
	REFUSED_ANYWHERE(-EINVAL, 0xf0, 0x90);		/* lock nop */
	REFUSED_ANYWHERE(-EINVAL, 0x48);		/* cut off */
}

TEST(K_XI_14_waiting)
{
	(void)state;
	REFUSED(-EOPNOTSUPP, KERNEL, 0xf4);			/* hlt */
	REFUSED(-EOPNOTSUPP, KERNEL, 0x0f, 0x01, 0xc9);		/* mwait */
	REFUSED(-EOPNOTSUPP, KERNEL, 0x0f, 0x01, 0xfb);		/* mwaitx */
	REFUSED(-EOPNOTSUPP, KERNEL, 0xf2, 0x0f, 0xae, 0xf0);	/* umwait */
	REFUSED(-EOPNOTSUPP, KERNEL, 0x66, 0x0f, 0xae, 0xf0);	/* tpause */
	COPIED(USER, 0xf4);				/* faults there */
	COPIED(USER, 0xf2, 0x0f, 0xae, 0xf0);
}

TEST(sti_before_a_wait)
{
	(void)state;
	REFUSED(-EOPNOTSUPP, KERNEL, 0xfb, 0xf4);		/* sti; hlt */
	REFUSED(-EOPNOTSUPP, KERNEL, 0xfb, 0x0f, 0x01, 0xc9);
	EMULATED(KP_X86_STI, KERNEL, 0xfb, 0xc3);
	EMULATED(KP_X86_STI, KERNEL, 0xfb);
}

TEST(kernel_per_cpu_base)
{
	(void)state;
	REFUSED(-EOPNOTSUPP, KERNEL, 0x0f, 0x01, 0xf8);		/* swapgs */
	REFUSED(-EOPNOTSUPP, KERNEL, 0x8e, 0xe8);		/* mov %eax,%gs */
	REFUSED(-EOPNOTSUPP, KERNEL, 0x0f, 0xa9);		/* pop %gs */
	REFUSED(-EOPNOTSUPP, KERNEL, 0x0f, 0xb5, 0x00);		/* lgs */
	REFUSED(-EOPNOTSUPP, KERNEL, 0xf3, 0x0f, 0xae, 0xd8);	/* wrgsbase */
	COPIED(KERNEL, 0xf3, 0x0f, 0xae, 0xc8);			/* rdgsbase */
	COPIED(KERNEL, 0x8e, 0xe0);				/* mov %eax,%fs */
	COPIED(USER, 0x8e, 0xe8);
	COPIED(USER, 0xf3, 0x0f, 0xae, 0xd8);
}

TEST(kernel_tables)
{
	(void)state;
	REFUSED(-EOPNOTSUPP, KERNEL, 0x0f, 0x22, 0xc0);		/* mov cr0 */
	REFUSED(-EOPNOTSUPP, KERNEL, 0x0f, 0x22, 0xd8);		/* mov cr3 */
	REFUSED(-EOPNOTSUPP, KERNEL, 0x0f, 0x22, 0xe0);		/* mov cr4 */
	REFUSED(-EOPNOTSUPP, KERNEL, 0x0f, 0x00, 0xd8);		/* ltr */
	REFUSED(-EOPNOTSUPP, KERNEL, 0x0f, 0x01, 0x10);		/* lgdt */
	REFUSED(-EOPNOTSUPP, KERNEL, 0x0f, 0x01, 0x18);		/* lidt */
	COPIED(KERNEL, 0x0f, 0x22, 0xd0);			/* mov cr2 */
	COPIED(KERNEL, 0x0f, 0x20, 0xd8);			/* from cr3 */
	COPIED(KERNEL, 0x0f, 0x01, 0x00);			/* sgdt */
	COPIED(KERNEL, 0x0f, 0x01, 0xd0);			/* xgetbv */
	COPIED(KERNEL, 0x0f, 0x30);				/* wrmsr */
}

TEST(system_calls)
{
	(void)state;
	REFUSED(-EOPNOTSUPP, KERNEL, 0x0f, 0x05);		/* syscall */
	REFUSED(-EOPNOTSUPP, KERNEL, 0x0f, 0x34);		/* sysenter */
	REFUSED(-EOPNOTSUPP, KERNEL, 0x48, 0x0f, 0x07);		/* sysret */
	REFUSED(-EOPNOTSUPP, KERNEL, 0x0f, 0x35);		/* sysexit */
	REFUSED(-EOPNOTSUPP, USER, 0x0f, 0x34);
	accepted(KP_ARCH_COPY, KP_X86_SYSCALL, USER, BYTES(0x0f, 0x05));
}

TEST(other_contexts)
{
	(void)state;
	REFUSED_ANYWHERE(-EOPNOTSUPP, 0x0f, 0xaa);		/* rsm */
	REFUSED_ANYWHERE(-EOPNOTSUPP, 0xc7, 0xf8, 0, 0, 0, 0);	/* xbegin */
	COPIED_ANYWHERE(0xc6, 0xf8, 0x01);			/* xabort */
}

TEST(K_XI_29_far_return)
{
	(void)state;
	REFUSED_ANYWHERE(-EOPNOTSUPP, 0xcb);
	REFUSED_ANYWHERE(-EOPNOTSUPP, 0xca, 8, 0);
}

TEST(K_XI_36_branches_of_16_bits)
{
	(void)state;
	REFUSED_ANYWHERE(-EOPNOTSUPP, 0x66, 0xe9, 0, 0, 0, 0);
	REFUSED_ANYWHERE(-EOPNOTSUPP, 0x66, 0xe8, 0, 0, 0, 0);
	REFUSED_ANYWHERE(-EOPNOTSUPP, 0x66, 0x74, 0);
	REFUSED_ANYWHERE(-EOPNOTSUPP, 0x66, 0x0f, 0x84, 0, 0, 0, 0);
	REFUSED_ANYWHERE(-EOPNOTSUPP, 0x66, 0xc3);
	REFUSED_ANYWHERE(-EOPNOTSUPP, 0x66, 0xff, 0xe0);
	REFUSED_ANYWHERE(-EOPNOTSUPP, 0x66, 0xe2, 0);
	/* What the linker emits for thread-local data: REX.W decides. */
	EMULATED(KP_X86_CALL, USER, 0x66, 0x66, 0x48, 0xe8, 0, 0, 0, 0);
	assert_int_equal(probe.value, ADDR + 8);
}

TEST(K_XI_24_loops_with_repeat_prefix)
{
	(void)state;
	REFUSED_ANYWHERE(-EOPNOTSUPP, 0xf2, 0xe1, 0);
	REFUSED_ANYWHERE(-EOPNOTSUPP, 0xf3, 0xe0, 0);
	EMULATED(KP_X86_LOOP, USER, 0xf2, 0xe2, 0);
}

TEST(K_XI_22_emulated_branches)
{
	unsigned int cc;

	(void)state;
	for (cc = 0; cc < 16; cc++) {
		EMULATED(KP_X86_JCC, KERNEL, (uint8_t)(0x70 + cc), 4);
		assert_int_equal(probe.cond, cc);
		assert_int_equal(probe.value, ADDR + 6);
		EMULATED(KP_X86_JCC, USER, 0x0f, (uint8_t)(0x80 + cc), 0xfa,
			 0xff, 0xff, 0xff);
		assert_int_equal(probe.value, ADDR);
	}
	EMULATED(KP_X86_JMP, USER, 0xeb, 0x80);
	assert_int_equal(probe.value, ADDR + 2 - 128);
	EMULATED(KP_X86_CALL, KERNEL, 0xe8, 0, 1, 0, 0);
	assert_int_equal(probe.value, ADDR + 5 + 256);
	EMULATED(KP_X86_JMP_REG, KERNEL, 0x3e, 0x41, 0xff, 0xe3);
	assert_int_equal(probe.reg, 11);
	EMULATED(KP_X86_CALL_REG, KERNEL, 0xff, 0xd4);
	assert_int_equal(probe.reg, KP_X86_SP);
	EMULATED(KP_X86_RET, KERNEL, 0xc2, 0xff, 0xff);
	assert_int_equal(probe.value, 0xffff);
}

TEST(K_XI_30_to_32_flags)
{
	(void)state;
	EMULATED(KP_X86_CLI, KERNEL, 0xfa);
	EMULATED(KP_X86_PUSHF, KERNEL, 0x9c);
	EMULATED(KP_X86_POPF, KERNEL, 0x66, 0x9d);
	assert_int_equal(probe.size, 2);
	EMULATED(KP_X86_PUSHF, USER, 0x9c);
	assert_int_equal(probe.size, 8);
	COPIED(USER, 0x9d);
	COPIED(USER, 0xfa);
	COPIED(USER, 0xfb);
}

TEST(K_XI_35_vector_encodings_first)
{
	(void)state;
	/* vpsubsb %xmm2,%xmm1,%xmm0: opcode byte E8 */
	COPIED_ANYWHERE(0xc5, 0xf1, 0xe8, 0xc2);
	/* vcmpps: C2 */
	COPIED_ANYWHERE(0xc5, 0xf0, 0xc2, 0xc2, 0x01);
	/* vaesdec..., opcode 9d: vfnmadd132ss %xmm2,%xmm1,%xmm0 */
	COPIED_ANYWHERE(0xc4, 0xe2, 0x71, 0x9d, 0xc2);
	/* vpsubb %zmm2,%zmm1,%zmm0: F8; vpmaddwd: F5; vpsubd: FA */
	COPIED_ANYWHERE(0x62, 0xf1, 0x75, 0x48, 0xfa, 0xc2);
}

TEST(K_XI_46_plain_instructions)
{
	(void)state;
	COPIED_ANYWHERE(0x55);				/* push %rbp */
	COPIED_ANYWHERE(0x5c);				/* pop %rsp */
	COPIED_ANYWHERE(0xc9);				/* leave */
	COPIED_ANYWHERE(0xf3, 0x0f, 0x1e, 0xfa);	/* endbr64 */
	COPIED_ANYWHERE(0x0f, 0x31);			/* rdtsc */
	COPIED_ANYWHERE(0xf0, 0x48, 0xff, 0x00);	/* lock incq (%rax) */
	COPIED_ANYWHERE(0xf3, 0xa4);			/* rep movsb */
}

TEST(K_REG_12_13_landing_pad)
{
	static const uint8_t pad[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	static const uint8_t sealed[] = { 0x66, 0x0f, 0x1f, 0x00 };
	static const uint8_t resealed[] = { 0x0f, 0x1f, 0x40, 0xd6 };
	static const uint8_t nop[] = { 0x0f, 0x1f, 0x40, 0x00 };
	static const uint8_t plain[] = { 0x55, 0x48, 0x89, 0xe5 };
	bool entry;

	(void)state;
	assert_int_equal(kp_arch_adjust_addr(sealed, 4, ADDR, 0, &entry),
			 ADDR + 4);
	assert_int_equal(kp_arch_adjust_addr(resealed, 4, ADDR, 0, &entry),
			 ADDR + 4);
	assert_int_equal(kp_arch_adjust_addr(nop, 4, ADDR, 0, &entry), ADDR);
	assert_int_equal(kp_arch_adjust_addr(pad, 4, ADDR, 0, &entry), ADDR + 4);
	assert_true(entry);
	assert_int_equal(kp_arch_adjust_addr(pad, 4, ADDR, 4, &entry), ADDR + 4);
	assert_true(entry);
	assert_int_equal(kp_arch_adjust_addr(pad, 4, ADDR, 1, &entry), ADDR + 1);
	assert_false(entry);
	assert_int_equal(kp_arch_adjust_addr(pad, 3, ADDR, 0, &entry), ADDR);
	assert_true(entry);
	assert_int_equal(kp_arch_adjust_addr(plain, 4, ADDR, 0, &entry), ADDR);
	assert_true(entry);
	assert_int_equal(kp_arch_adjust_addr(plain, 4, ADDR, 4, &entry),
			 ADDR + 4);
	assert_false(entry);
}

TEST(K_REG_41_out_of_reach)
{
	uint8_t image[KP_ARCH_SLOT_LEN];
	const char *reason = NULL;

	(void)state;
	/* mov 0(%rip),%rsp */
	COPIED(USER, 0x48, 0x8b, 0x25, 0, 0, 0, 0);
	assert_int_equal(kp_arch_emit_slot(&probe, ADDR + (5ul << 30), image,
					   &reason), -ENOSPC);
	assert_non_null(reason);
	/* mov 0(%rip),%rax under an exception-table entry */
	COPIED(USER | KP_ARCH_HAS_FIXUP, 0x48, 0x8b, 0x05, 0, 0, 0, 0);
	reason = NULL;
	assert_int_equal(kp_arch_emit_slot(&probe, ADDR + (5ul << 30), image,
					   &reason), -ENOSPC);
	assert_non_null(reason);
	/* The same where the far form's push has no room. */
	COPIED(USER | KP_ARCH_TRAP_ONLY, 0x48, 0x8b, 0x05, 0, 0, 0, 0);
	reason = NULL;
	assert_int_equal(kp_arch_emit_slot(&probe, ADDR + (5ul << 30), image,
					   &reason), -ENOSPC);
	assert_non_null(reason);
	assert_int_equal(kp_arch_emit_slot(&probe, ADDR + 0x1000, image,
					   &reason), 0);
	COPIED(USER, 0x48, 0x8b, 0x05, 0, 0, 0, 0);
	assert_int_equal(kp_arch_emit_slot(&probe, ADDR + (5ul << 30), image,
					   &reason), 0);
}

/* What stands before ADDR, where a trap is reported. */
static uint8_t before[2];
static size_t readable;

static int read_before(void *dst, uintptr_t addr, size_t len)
{
	if (ADDR - addr > readable)
		return -EFAULT;
	memcpy(dst, before + sizeof(before) - (ADDR - addr), len);
	return 0;
}

static bool stands(uint8_t first, uint8_t second, bool starts)
{
	const struct pt_regs regs = { .ip = ADDR };

	before[0] = first;
	before[1] = second;
	return kp_arch_breakpoint_stands(&regs, starts, read_before);
}

static void K_HIT_25_26_forms_of_int3(void **state)
{
	(void)state;
	readable = 2;
	assert_true(stands(0x90, 0xcc, false) && stands(0xcd, 0xcc, true));
	assert_true(stands(0xcd, 0x03, false));
	/* An instruction that begins with 03, whose breakpoint has gone. */
	assert_false(stands(0xcd, 0x03, true));
	assert_false(stands(0xcd, 0x80, false) || stands(0x90, 0x03, false));
	readable = 1;
	assert_false(stands(0xcd, 0x03, false));
	readable = 0;
	assert_true(stands(0x90, 0x90, false));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(K_XI_01_int3),
		cmocka_unit_test(K_XI_02_other_traps),
		cmocka_unit_test(K_XI_03_iret),
		cmocka_unit_test(K_XI_04_far_direct),
		cmocka_unit_test(K_XI_05_far_indirect),
		cmocka_unit_test(K_XI_06_indirect_through_memory),
		cmocka_unit_test(K_XI_07_indirect_with_32_bit_address),
		cmocka_unit_test(K_XI_08_hypervisor_calls),
		cmocka_unit_test(K_XI_09_mov_ss),
		cmocka_unit_test(K_XI_10_pop_ss),
		cmocka_unit_test(K_XI_11_forced_emulation),
		cmocka_unit_test(K_XI_12_longest_instruction),
		cmocka_unit_test(K_XI_13_undecodable),
		cmocka_unit_test(K_XI_14_waiting),
		cmocka_unit_test(sti_before_a_wait),
		cmocka_unit_test(kernel_per_cpu_base),
		cmocka_unit_test(kernel_tables),
		cmocka_unit_test(system_calls),
		cmocka_unit_test(other_contexts),
		cmocka_unit_test(K_XI_29_far_return),
		cmocka_unit_test(K_XI_36_branches_of_16_bits),
		cmocka_unit_test(K_XI_24_loops_with_repeat_prefix),
		cmocka_unit_test(K_XI_22_emulated_branches),
		cmocka_unit_test(K_XI_30_to_32_flags),
		cmocka_unit_test(K_XI_35_vector_encodings_first),
		cmocka_unit_test(K_XI_46_plain_instructions),
		cmocka_unit_test(K_REG_12_13_landing_pad),
		cmocka_unit_test(K_REG_41_out_of_reach),
		cmocka_unit_test(K_HIT_25_26_forms_of_int3),
	};

	return cmocka_run_group_tests_name("classify", tests, NULL, NULL);
}
