/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * test_control.c - single probes switched by the name that the list shows.
 *
 * Covers: core/control.c, core/examine.c, core/unpatched.c
 */
#include <stdio.h>

#include "unit.h"
#include "table.h"
#include <kprobes/control.h>

static int control(const char *line)
{
	return kp_core_control(line, strlen(line));
}

static bool armed(uintptr_t addr)
{
	return *(const uint8_t *)addr == TOY_BREAK;
}

static void names_of_one_place(void **state)
{
	struct kprobe p = { .symbol_name = "f" };
	char where[64];

	(void)state;
	assert_int_equal(register_kprobe(&p), 0);
	assert_int_equal(control("disable f\n"), 0);
	assert_true(kprobe_disabled(&p));
	assert_false(armed(unit_f + F_ENTRY));
	assert_int_equal(control("enable f+0x4"), 0);
	assert_false(kprobe_disabled(&p));
	assert_true(armed(unit_f + F_ENTRY));
	assert_int_equal(control("disable f+4"), 0);
	assert_true(kprobe_disabled(&p));
	snprintf(where, sizeof(where), "enable 0x%lx",
		 (unsigned long)unit_f + F_ENTRY);
	assert_int_equal(control(where), 0);
	assert_false(kprobe_disabled(&p));
	assert_int_equal(kprobes_switch("f", false), 0);
	assert_true(kprobe_disabled(&p));
	snprintf(where, sizeof(where), "enable 0x%lx",
		 (unsigned long)unit_f + F_ENTRY);
	assert_int_equal(control(where), 0);
	assert_true(armed(unit_f + F_ENTRY));
	unregister_kprobe(&p);
}

/* All probes of a place follow, those of others do not. */
static void all_of_a_place(void **state)
{
	struct kprobe a = { .symbol_name = "f", .offset = F_MOVE };
	struct kprobe b = { .symbol_name = "f", .offset = F_MOVE };
	struct kprobe other = { .symbol_name = "f", .offset = F_ADD };

	(void)state;
	assert_int_equal(register_kprobe(&a), 0);
	assert_int_equal(register_kprobe(&b), 0);
	assert_int_equal(register_kprobe(&other), 0);
	assert_int_equal(control("disable f+0x5"), 0);
	assert_true(kprobe_disabled(&a) && kprobe_disabled(&b));
	assert_false(kprobe_disabled(&other));
	assert_false(armed(unit_f + F_MOVE));
	assert_true(armed(unit_f + F_ADD));
	assert_int_equal(control("enable f+0x5"), 0);
	assert_false(kprobe_disabled(&a) || kprobe_disabled(&b));
	unregister_kprobe(&a);
	unregister_kprobe(&b);
	unregister_kprobe(&other);
}

static void nothing_there(void **state)
{
	struct kprobe p = { .symbol_name = "f", .offset = F_ADD };

	(void)state;
	assert_int_equal(control("disable f"), -ENOENT);
	assert_int_equal(register_kprobe(&p), 0);
	assert_int_equal(control("disable f"), -ENOENT);
	assert_int_equal(control("disable f+0x5"), -ENOENT);
	assert_int_equal(control("disable ff+0x7"), -ENOENT);
	assert_int_equal(control("disable g:f+0x7"), -ENOENT);
	assert_int_equal(control("disable 0x1"), -ENOENT);
	assert_false(kprobe_disabled(&p));
	unregister_kprobe(&p);
	assert_int_equal(control("disable f+0x7"), -ENOENT);
}

/* K-EN-06, K-EN-07 hold for places, too. */
static void K_EN_06_gone(void **state)
{
	struct kprobe p = { .symbol_name = "f" };
	char where[64];

	(void)state;
	assert_int_equal(register_kprobe(&p), 0);
	kp_core_on_text_gone(unit_f, 64);
	memcpy(sim_text + F_AT, unit_f_bytes, sizeof(unit_f_bytes));
	snprintf(where, sizeof(where), "enable 0x%lx",
		 (unsigned long)unit_f + F_ENTRY);
	assert_int_equal(control(where), -EINVAL);
	snprintf(where, sizeof(where), "disable 0x%lx",
		 (unsigned long)unit_f + F_ENTRY);
	assert_int_equal(control(where), 0);
	assert_int_equal(control("enable f"), -ENOENT);
	unregister_kprobe(&p);
}

static void K_EN_07_while_all_are_off(void **state)
{
	struct kprobe p = { .symbol_name = "f",
			    .flags = KPROBE_FLAG_DISABLED };

	(void)state;
	assert_int_equal(register_kprobe(&p), 0);
	assert_int_equal(kp_core_set_enabled(false), 0);
	assert_int_equal(control("enable f"), 0);
	assert_false(kprobe_disabled(&p));
	assert_false(armed(unit_f + F_ENTRY));
	assert_int_equal(kp_core_set_enabled(true), 0);
	assert_true(armed(unit_f + F_ENTRY));
	unregister_kprobe(&p);
}

/* ---- what the switches' files take ------------------------------------------ */

static int written(int (*write)(const char *text, size_t len), const char *text)
{
	return write(text, strlen(text));
}

static void K_KNB_20_to_22_enabled(void **state)
{
	static const char *const on[] = {
		"1", "1\n", "y", "Y", "yes", "t", "T", "true", "on", "ON", "oN",
		"1garbage", "10", "y\n2",
	};
	static const char *const off[] = {
		"0", "0\n", "n", "N", "no", "f", "F", "false", "of", "off", "OFF",
		"0x1", "nonsense",
	};
	static const char *const bad[] = {
		"", "\n", " 1", "2", "-1", "o", "O", "op", "x", "\xff", "+1", "\t0",
	};
	size_t i;

	(void)state;
	assert_true(kp_core_enabled());
	for (i = 0; i < sizeof(on) / sizeof(*on); i++) {
		assert_int_equal(written(kp_core_write_enabled, off[i % 13]), 0);
		assert_false(kp_core_enabled());
		assert_int_equal(written(kp_core_write_enabled, on[i]), 0);
		assert_true(kp_core_enabled());
	}
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(written(kp_core_write_enabled, bad[i]), -EINVAL);
		assert_true(kp_core_enabled());
	}
	assert_int_equal(kp_core_write_enabled("o\0n", 3), -EINVAL);
	assert_int_equal(kp_core_write_enabled("on", 1), -EINVAL);
	assert_int_equal(kp_core_write_enabled("\0", 1), -EINVAL);
}

static void K_KNB_51_to_53_optimization(void **state)
{
	static const char *const on[] = { "1", "1\n", "y", "Y\n", " 1 ", "\t1" };
	static const char *const off[] = { "0", "0\n", "n", "N\n", " 0 ", "n\r\n" };
	static const char *const bad[] = {
		"", " ", "\n", "2", "-1", "10", "01", "yes", "no", "x", "1 2", "+1",
		"0x1", "\xff", "1\n1",
	};
	bool was;
	size_t i;

	(void)state;
	for (i = 0; i < 6; i++) {
		assert_int_equal(written(kp_core_write_optimization, on[i]), 0);
		assert_true(kp_core_optimization());
		assert_int_equal(written(kp_core_write_optimization, off[i]), 0);
		assert_false(kp_core_optimization());
	}
	for (i = 0; i < 2 * sizeof(bad) / sizeof(*bad); i++) {
		was = i % 2;
		kp_core_set_optimization(was);
		assert_int_equal(written(kp_core_write_optimization, bad[i / 2]),
				 -EINVAL);
		assert_int_equal(kp_core_optimization(), was);
	}
	assert_int_equal(kp_core_write_optimization("\0", 1), -EINVAL);
	assert_int_equal(kp_core_write_optimization("1\0", 2), -EINVAL);
	assert_int_equal(kp_core_write_optimization("1x", 1), 0);
}

static int handler_result[2];

static int calls_control(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	handler_result[0] = control("disable f");
	handler_result[1] = kprobes_switch("f", false);
	return 0;
}

static void refused_in_a_handler(void **state)
{
	struct kprobe p = { .symbol_name = "f", .pre_handler = calls_control };
	struct pt_regs regs = { 0 };

	(void)state;
	assert_int_equal(register_kprobe(&p), 0);
	assert_true(unit_hit(unit_f + F_ENTRY, &regs));
	assert_int_equal(handler_result[0], -EDEADLK);
	assert_int_equal(handler_result[1], -EDEADLK);
	assert_false(kprobe_disabled(&p));
	unregister_kprobe(&p);
}

static void garbage_is_refused(void **state)
{
	static const char *const lines[] = {
		"", "\n", "enable", "disable", "enable ", "disable \n",
		"toggle f", "enablef", "Enable f", " enable f", "enable  f",
		"enable f ", "enable f\n\n", "enable f\nenable f",
		"enable f\tg", "\xff\xfe", "1", "0",
	};
	static const char *const nowhere[] = {
		"enable f+", "enable f+0x", "enable f+0xg", "enable f+-1",
		"enable f+0x4z", "enable f+99999999999999999999999999",
		"enable 0x", "enable 0xfffffffffffffffffffffff", "enable :",
		"enable :f+", "enable f:", "enable +", "enable f++4",
	};
	struct kprobe p = { .symbol_name = "f",
			    .flags = KPROBE_FLAG_DISABLED };
	static char longest[2 * KP_SYMBOL_MAX];
	size_t i, len;

	(void)state;
	assert_int_equal(register_kprobe(&p), 0);
	for (i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		assert_int_equal(control(lines[i]), -EINVAL);
	for (i = 0; i < sizeof(nowhere) / sizeof(*nowhere); i++)
		assert_int_equal(control(nowhere[i]), -ENOENT);
	assert_int_equal(kp_core_control("enable f\0x", 10), -EINVAL);
	assert_int_equal(kp_core_control("enable \0f", 9), -EINVAL);
	assert_int_equal(kprobes_switch(NULL, true), -EINVAL);
	assert_int_equal(kprobes_switch("", true), -EINVAL);
	for (len = 8; len < sizeof(longest); len++) {
		memset(longest, 'f', len);
		memcpy(longest, "enable ", 7);
		assert_true(kp_core_control(longest, len) < 0 || len == 8);
		kprobes_switch("f", false);
	}
	assert_true(kprobe_disabled(&p));
	unregister_kprobe(&p);
}

/* Random bytes, most of them after a word that is understood. */
static void any_bytes(void **state)
{
	static const char alphabet[] = "f+0x48:enabledisable \n\0\xff";
	struct kprobe p = { .symbol_name = "f" };
	unsigned int seed = 7, i, j;

	(void)state;
	assert_int_equal(register_kprobe(&p), 0);
	for (i = 0; i < 100000; i++) {
		char line[40] = "disable ";
		size_t len;

		seed = seed * 1103515245 + 12345;
		len = (seed >> 16) % sizeof(line);
		for (j = (seed & 0x10000) ? 8 : 0; j < len; j++) {
			seed = seed * 1103515245 + 12345;
			line[j] = alphabet[(seed >> 16) % sizeof(alphabet)];
		}
		kp_core_control(line, len);
		assert_int_equal(armed(unit_f + F_ENTRY), !kprobe_disabled(&p));
	}
	unregister_kprobe(&p);
}

/* The same verdicts as a registration's, and nothing is left behind. */
static void check_is_what_register_says(void **state)
{
	uintptr_t at;

	(void)state;
	assert_int_equal(kp_core_blacklist_add(unit_g, 4, "part of g"), 0);
	/* The blacklist sorts itself when it is first asked. */
	kp_core_check(unit_f, (const char *[]){ NULL });
	for (at = unit_f - 8; at < unit_g + 16; at++) {
		struct kprobe p = { .addr = (kprobe_opcode_t *)at };
		const char *reason;
		size_t allocs = sim_counts.allocs;
		int err = kp_core_check(at, &reason);

		assert_int_equal(sim_counts.allocs, allocs);
		assert_int_equal(register_kprobe(&p), err);
		if (err)
			assert_ptr_equal(p.reason, reason);
		if (!err)
			assert_int_equal(kp_core_check((uintptr_t)p.addr,
						       &reason), 0);
		unregister_kprobe(&p);
	}
	assert_int_equal(kp_core_check(0, (const char *[]){ NULL }), -EINVAL);
}

static void original_is_without_probes(void **state)
{
	struct kprobe p = { .symbol_name = "f", .offset = F_ADD };
	uint8_t bytes[sizeof(unit_f_bytes)];

	(void)state;
	assert_int_equal(register_kprobe(&p), 0);
	assert_true(armed(unit_f + F_ADD));
	assert_int_equal(kp_core_original(bytes, unit_f, sizeof(bytes)), 0);
	assert_memory_equal(bytes, unit_f_bytes, sizeof(bytes));
	assert_int_equal(kp_core_original(bytes, 16, 4), -EFAULT);
	unregister_kprobe(&p);
}

static void under_a_breakpoint(void **state)
{
	struct kprobe p = { .symbol_name = "f", .offset = F_ADD };
	uint8_t insn[KP_ARCH_BP_LEN] = { 0 };

	(void)state;
	assert_int_equal(register_kprobe(&p), 0);
	assert_true(kp_core_under(unit_f + F_ADD, insn));
	assert_memory_equal(insn, unit_f_bytes + F_ADD, sizeof(insn));
	assert_false(kp_core_under(unit_f, insn));
	unregister_kprobe(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		UNIT(names_of_one_place),
		UNIT(all_of_a_place),
		UNIT(nothing_there),
		UNIT(K_EN_06_gone),
		UNIT(K_EN_07_while_all_are_off),
		UNIT(K_KNB_20_to_22_enabled),
		UNIT(K_KNB_51_to_53_optimization),
		UNIT(refused_in_a_handler),
		UNIT(garbage_is_refused),
		UNIT(any_bytes),
		UNIT(check_is_what_register_says),
		UNIT(original_is_without_probes),
		UNIT(under_a_breakpoint),
	};

	return cmocka_run_group_tests_name("control", tests, NULL, NULL);
}
