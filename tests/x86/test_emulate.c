/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * test_emulate.c - emulated instructions on fake registers and memory.
 *
 * Owns: the corners that a native run cannot show: kernel mode, memory that
 * fails, an instruction pointer that a handler changed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "emit.h"
#include "jump.h"

#define ADDR 0x7f0000001000ul
#define STACK 0x7fff00000000ul

static struct kp_arch_probe probe;
static struct pt_regs regs, before;
static uint8_t memory[256];		/* at STACK */
static bool no_write;

static int mem_read(uintptr_t addr, void *dst, size_t len)
{
	if (addr < STACK || addr + len > STACK + sizeof(memory))
		return -EFAULT;
	memcpy(dst, memory + (addr - STACK), len);
	return 0;
}

static int mem_write(uintptr_t addr, const void *src, size_t len)
{
	if (no_write || addr < STACK || addr + len > STACK + sizeof(memory))
		return -EFAULT;
	memcpy(memory + (addr - STACK), src, len);
	return 0;
}

static const struct kp_arch_mem mem = { mem_read, mem_write };

static uint64_t word(uintptr_t addr)
{
	uint64_t value = 0;

	assert_int_equal(mem_read(addr, &value, sizeof(value)), 0);
	return value;
}

static void set_word(uintptr_t addr, uint64_t value)
{
	memcpy(memory + (addr - STACK), &value, sizeof(value));
}

static void given(const uint8_t *bytes, size_t len, unsigned int flags)
{
	const char *reason = "";

	assert_int_equal(kp_arch_prepare(&probe, ADDR, bytes, len, flags,
					 &reason), 0);
	assert_int_equal(probe.class, KP_ARCH_EMULATE);
	memset(memory, 0xa5, sizeof(memory));
	memset(&regs, 0x11, sizeof(regs));
	regs.flags = 0x202;
	regs.sp = STACK + 128;
	regs.ip = 0xbad;	/* what a handler left there: ignored */
	no_write = false;
}

#define GIVEN(flags, ...)						\
	given((const uint8_t[]){ __VA_ARGS__ },				\
	      sizeof((const uint8_t[]){ __VA_ARGS__ }), flags)

static void emulate(void)
{
	assert_int_equal(kp_arch_emulate(&probe, &regs, &mem), 0);
}

static void emulate_faults(void)
{
	before = regs;
	assert_int_equal(kp_arch_emulate(&probe, &regs, &mem), -EFAULT);
	assert_memory_equal(&before, &regs, sizeof(regs));
}

#define TEST(name) static void name(void **state)

TEST(K_XI_20_call)
{
	(void)state;
	GIVEN(0, 0xe8, 0x00, 0x01, 0x00, 0x00);
	emulate();
	assert_int_equal(regs.ip, ADDR + 5 + 0x100);
	assert_int_equal(regs.sp, STACK + 120);
	assert_int_equal(word(STACK + 120), ADDR + 5);
}

TEST(K_XI_21_prefixed_call)
{
	(void)state;
	GIVEN(0, 0x2e, 0xe8, 0x00, 0x01, 0x00, 0x00);
	emulate();
	assert_int_equal(regs.ip, ADDR + 6 + 0x100);
	assert_int_equal(word(STACK + 120), ADDR + 6);
}

TEST(K_XI_20_call_without_stack)
{
	(void)state;
	GIVEN(0, 0xe8, 0x00, 0x01, 0x00, 0x00);
	no_write = true;
	emulate_faults();
	GIVEN(0, 0xff, 0xd0);
	regs.ax = ADDR;
	regs.sp = STACK;
	emulate_faults();
}

/* The conditions, from their definition. */
static bool expect(unsigned int cc, unsigned int flags)
{
	bool cf = flags & 1, pf = flags & 4, zf = flags & 64, sf = flags & 128;
	bool of = flags & 2048;
	const bool base[] = { of, cf, zf, cf || zf, sf, pf, sf != of,
			      zf || sf != of };

	return base[cc / 2] != (cc & 1);
}

TEST(K_XI_23_conditions)
{
	static const unsigned int bits[] = { 1, 4, 64, 128, 2048 };
	unsigned int cc, set, i, flags;

	(void)state;
	for (cc = 0; cc < 16; cc++)
		for (set = 0; set < 32; set++) {
			for (i = flags = 0; i < 5; i++)
				if (set & 1 << i)
					flags |= bits[i];
			GIVEN(0, (uint8_t)(0x70 + cc), 0x10);
			regs.flags = flags;
			emulate();
			assert_int_equal(regs.ip, ADDR + 2 +
					 (expect(cc, flags) ? 0x10 : 0));
			assert_int_equal(regs.flags, flags);
		}
}

TEST(K_XI_24_loop)
{
	(void)state;
	GIVEN(0, 0xe2, 0x10);
	regs.cx = 2;
	emulate();
	assert_int_equal(regs.cx, 1);
	assert_int_equal(regs.ip, ADDR + 0x12);
	emulate();
	assert_int_equal(regs.cx, 0);
	assert_int_equal(regs.ip, ADDR + 2);
	emulate();
	assert_int_equal(regs.cx, -1ul);
	assert_int_equal(regs.ip, ADDR + 0x12);
}

TEST(K_XI_24_loope_loopne)
{
	(void)state;
	GIVEN(0, 0xe1, 0x10);			/* loope */
	regs.cx = 5;
	emulate();
	assert_int_equal(regs.ip, ADDR + 2);
	regs.flags |= KP_X86_FLAG_ZF;
	emulate();
	assert_int_equal(regs.ip, ADDR + 0x12);
	GIVEN(0, 0xe0, 0x10);			/* loopne */
	regs.cx = 5;
	emulate();
	assert_int_equal(regs.ip, ADDR + 0x12);
	regs.cx = 1;
	emulate();
	assert_int_equal(regs.ip, ADDR + 2);
}

TEST(K_XI_25_loop_with_32_bit_counter)
{
	(void)state;
	GIVEN(0, 0x67, 0xe2, 0x10);
	regs.cx = 0xffffffff00000001ul;
	emulate();
	assert_int_equal(regs.cx, 0);
	assert_int_equal(regs.ip, ADDR + 3);
	regs.cx = 0xffffffff00000000ul;
	emulate();
	assert_int_equal(regs.cx, 0xffffffff);
	assert_int_equal(regs.ip, ADDR + 0x13);
}

TEST(K_XI_26_jcxz)
{
	(void)state;
	GIVEN(0, 0xe3, 0x10);
	regs.cx = 0x100000000;
	emulate();
	assert_int_equal(regs.ip, ADDR + 2);
	assert_int_equal(regs.cx, 0x100000000);
	GIVEN(0, 0x67, 0xe3, 0x10);
	regs.cx = 0x100000000;
	emulate();
	assert_int_equal(regs.ip, ADDR + 0x13);
	assert_int_equal(regs.cx, 0x100000000);
}

TEST(K_XI_27_ret)
{
	(void)state;
	GIVEN(0, 0xc3);
	set_word(regs.sp, 0x1234);
	emulate();
	assert_int_equal(regs.ip, 0x1234);
	assert_int_equal(regs.sp, STACK + 136);
}

TEST(K_XI_28_ret_imm)
{
	(void)state;
	GIVEN(0, 0xc2, 0x00, 0x80);
	set_word(regs.sp, 0x1234);
	emulate();
	assert_int_equal(regs.ip, 0x1234);
	assert_int_equal(regs.sp, STACK + 136 + 0x8000);
}

TEST(ret_to_no_address)
{
	(void)state;
	GIVEN(0, 0xc3);
	set_word(regs.sp, 0x800000000000);
	emulate_faults();
	set_word(regs.sp, 0xffff800000000000);
	emulate();
	GIVEN(0, 0xc3);
	regs.sp = STACK + sizeof(memory) - 4;
	emulate_faults();
}

TEST(K_XI_30_cli_sti)
{
	(void)state;
	GIVEN(0, 0xfa);
	regs.flags = 0xfff;
	emulate();
	assert_int_equal(regs.flags, 0xdff);
	assert_int_equal(regs.ip, ADDR + 1);
	GIVEN(0, 0xfb);
	regs.flags = 2;
	emulate();
	assert_int_equal(regs.flags, 0x202);
}

TEST(K_XI_31_pushf)
{
	(void)state;
	GIVEN(0, 0x9c);
	regs.flags = 0x3f7fd7;
	emulate();
	assert_int_equal(word(STACK + 120), 0x3c7fd7);	/* RF and VM clear */
	assert_int_equal(regs.sp, STACK + 120);
	GIVEN(0, 0x66, 0x9c);
	emulate();
	assert_int_equal(regs.sp, STACK + 126);
	assert_int_equal(word(STACK + 126) & 0xffffffff, 0xa5a50202);
	no_write = true;
	emulate_faults();
}

TEST(K_XI_32_popf)
{
	(void)state;
	GIVEN(0, 0x9d);
	set_word(regs.sp, -1ul);
	regs.flags = 0x10202;
	emulate();
	assert_int_equal(regs.flags, 0x247fd7);
	assert_int_equal(regs.sp, STACK + 136);
	set_word(regs.sp, 0);
	regs.flags = 0x3b0202;		/* VM VIF VIP stay, RF goes */
	emulate();
	assert_int_equal(regs.flags, 0x1a0002);
	GIVEN(0, 0x66, 0x9d);
	set_word(regs.sp, 0);
	regs.flags = 0x240fd7;		/* AC and ID stay */
	emulate();
	assert_int_equal(regs.flags, 0x240002);
	assert_int_equal(regs.sp, STACK + 130);
}

/* With AC set the slot's real instruction is to fault; a kernel does not care. */
TEST(K_FLT_08_off_the_boundary)
{
	static const uint8_t insns[][3] = {
		{ 0xc3 }, { 0xff, 0xd0 }, { 0xff, 0x20 }, { 0x9c },
	};
	size_t i;
	int user;

	(void)state;
	for (i = 0; i < sizeof(insns) / sizeof(insns[0]); i++)
		for (user = 0; user < 2; user++) {
			given(insns[i], sizeof(insns[i]),
			      user ? KP_ARCH_USER : 0);
			memset(memory, 0, sizeof(memory));
			regs.sp = regs.ax = STACK + 33;
			assert_int_equal(kp_arch_emulate(&probe, &regs, &mem),
					 0);
			regs.sp = regs.ax = STACK + 33;
			regs.flags |= KP_X86_FLAG_AC;
			assert_int_equal(kp_arch_emulate(&probe, &regs, &mem),
					 user ? -EFAULT : 0);
			regs.sp = regs.ax = STACK + 32;
			assert_int_equal(kp_arch_emulate(&probe, &regs, &mem),
					 0);
		}
}

TEST(K_XI_33_through_register)
{
	(void)state;
	GIVEN(0, 0x41, 0xff, 0xd7);		/* call *%r15 */
	regs.r15 = 0x4000;
	emulate();
	assert_int_equal(regs.ip, 0x4000);
	assert_int_equal(word(regs.sp), ADDR + 3);
	GIVEN(0, 0xff, 0xd4);			/* call *%rsp: the old value */
	emulate();
	assert_int_equal(regs.ip, STACK + 128);
}

TEST(K_XI_06_through_memory)
{
	(void)state;
	GIVEN(0, 0xff, 0x54, 0x88, 0xf0);	/* call *-16(%rax,%rcx,4) */
	regs.ax = STACK + 16;
	regs.cx = 8;
	set_word(STACK + 32, 0x5000);
	emulate();
	assert_int_equal(regs.ip, 0x5000);
	assert_int_equal(word(regs.sp), ADDR + 4);
	GIVEN(0, 0xff, 0x54, 0x24, 0x08);	/* call *8(%rsp) */
	set_word(STACK + 136, 0x6000);
	emulate();
	assert_int_equal(regs.ip, 0x6000);
	no_write = true;
	emulate_faults();
}

TEST(K_XI_07_32_bit_address)
{
	(void)state;
	/* jmp *-8(%eax): the address wraps at 4 GiB, below our memory */
	GIVEN(0, 0x67, 0xff, 0x60, 0xf8);
	regs.ax = STACK + 8;
	emulate_faults();
}

/* Stopped anywhere in the slot: before or after, with nothing in between. */
TEST(K_FLT_08_abort_in_far_copy)
{
	/* add 0(%rip),%rax in user mode, far away */
	static const uint8_t bytes[] = { 0x48, 0x03, 0x05, 0, 0, 0, 0 };
	static const struct {
		unsigned int off, sp;
		bool saved, done;
	} at[] = {
		{ 0, 0, false, false },		/* lea -128(%rsp),%rsp */
		{ 5, 128, false, false },	/* push %rsi */
		{ 6, 136, false, false },	/* movabs */
		{ 16, 136, true, false },	/* add (%rsi),%rax */
		{ 19, 136, true, true },	/* pop %rsi */
		{ 20, 128, false, true },	/* lea 128(%rsp),%rsp */
		{ 28, 0, false, true },		/* the tail */
	};
	const uintptr_t slot = ADDR + (8ul << 30);
	unsigned int form;
	const char *reason;
	size_t i;

	(void)state;
	assert_int_equal(kp_arch_prepare(&probe, ADDR, bytes, sizeof(bytes),
					 KP_ARCH_USER, &reason), 0);
	for (form = 0; form < 2; form++)
		for (i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
			memset(&regs, 0, sizeof(regs));
			kp_arch_step_begin(&probe, &regs, slot, form);
			regs.ip += at[i].off;
			regs.sp = STACK + 200 - at[i].sp;
			regs.si = at[i].saved ? 0xbad : 0x900d;
			set_word(regs.sp, 0x900d);
			kp_arch_step_abort(&probe, &regs, slot, &mem);
			assert_int_equal(regs.ip, at[i].done ? ADDR + 7 : ADDR);
			assert_int_equal(regs.sp, STACK + 200);
			assert_int_equal(regs.si, 0x900d);
		}
}

TEST(K_XI_44_end_of_the_stepped_form)
{
	static const uint8_t bytes[] = { 0x0f, 0x05 };	/* syscall */
	const uintptr_t slot = ADDR + 0x1000;
	uint8_t image[KP_ARCH_SLOT_LEN];
	const char *reason;
	/* Behind the int3; and behind the lea and the call of the other tail. */
	const unsigned int tail = KP_X86_STEPPED + 12;
	unsigned int i, ends = 0;

	(void)state;
	assert_int_equal(kp_arch_prepare(&probe, ADDR, bytes, sizeof(bytes),
					 KP_ARCH_USER, &reason), 0);
	assert_int_equal(kp_arch_emit_slot(&probe, slot, image, &reason), 0);
	assert_int_equal(image[tail], 0xcc);
	assert_int_equal(kp_arch_emit_slot_post(&probe, slot, slot + 0x2000,
						image, &reason), 0);
	assert_int_equal(image[tail + 5], 0xe8);
	for (i = 0; i < KP_ARCH_SLOT_LEN; i++) {
		regs.ip = slot + i + 1;
		if (!kp_arch_step_finish(&probe, &regs, slot))
			continue;
		ends++;
		assert_true(i == tail || i + 1 == tail + 10);
		assert_int_equal(regs.ip, ADDR + 2);
	}
	assert_int_equal(ends, 2);
	/* Between the system call and the repair of rcx. */
	regs.ip = slot + 2;
	regs.cx = slot + 2;
	kp_arch_step_abort(&probe, &regs, slot, &mem);
	assert_int_equal(regs.ip, ADDR + 2);
	assert_int_equal(regs.cx, ADDR + 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(K_XI_20_call),
		cmocka_unit_test(K_XI_21_prefixed_call),
		cmocka_unit_test(K_XI_20_call_without_stack),
		cmocka_unit_test(K_XI_23_conditions),
		cmocka_unit_test(K_XI_24_loop),
		cmocka_unit_test(K_XI_24_loope_loopne),
		cmocka_unit_test(K_XI_25_loop_with_32_bit_counter),
		cmocka_unit_test(K_XI_26_jcxz),
		cmocka_unit_test(K_XI_27_ret),
		cmocka_unit_test(K_XI_28_ret_imm),
		cmocka_unit_test(ret_to_no_address),
		cmocka_unit_test(K_XI_30_cli_sti),
		cmocka_unit_test(K_XI_31_pushf),
		cmocka_unit_test(K_XI_32_popf),
		cmocka_unit_test(K_FLT_08_off_the_boundary),
		cmocka_unit_test(K_XI_33_through_register),
		cmocka_unit_test(K_XI_06_through_memory),
		cmocka_unit_test(K_XI_07_32_bit_address),
		cmocka_unit_test(K_FLT_08_abort_in_far_copy),
		cmocka_unit_test(K_XI_44_end_of_the_stepped_form),
	};

	return cmocka_run_group_tests_name("emulate", tests, NULL, NULL);
}
