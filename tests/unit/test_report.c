/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * test_report.c - the documented text formats, blacklist lookup, scale.
 *
 * Covers: core/report.c, core/blacklist.c, core/table.c, core/unload.c, core/gone.c
 */
#include <stdio.h>

#include "unit.h"
#include "blacklist.h"
#include "table.h"

static char out[4096];

static void emit(void *arg, const char *line, size_t len)
{
	(void)arg;
	strncat(out, line, len);
}

static void K_KNB_01_to_10_list(void **state)
{
	struct kprobe a = { .symbol_name = "f" };
	struct kprobe b = { .symbol_name = "f", .flags = KPROBE_FLAG_DISABLED };
	char expected[256];

	(void)state;
	assert_int_equal(register_kprobe(&a), 0);
	assert_int_equal(register_kprobe(&b), 0);
	out[0] = 0;
	kp_core_report_list(emit, NULL, true);
	snprintf(expected, sizeof(expected),
		 "%016lx  k  f+0x4    [DISABLED]\n%016lx  k  f+0x4    \n",
		 (unsigned long)(unit_f + 4), (unsigned long)(unit_f + 4));
	assert_string_equal(out, expected);
	out[0] = 0;
	kp_core_report_list(emit, NULL, false);
	assert_true(!strncmp(out, "0000000000000000  k  f+0x4", 26));
	unregister_kprobe(&a);
	unregister_kprobe(&b);
}

static void K_KNB_06_K_MOD_02_gone(void **state)
{
	struct kprobe p = { .symbol_name = "f" };
	char expected[256];

	(void)state;
	assert_int_equal(register_kprobe(&p), 0);
	kp_core_on_text_gone(unit_f, 64);
	memcpy(sim_text + F_AT, unit_f_bytes, sizeof(unit_f_bytes));
	out[0] = 0;
	kp_core_report_list(emit, NULL, true);
	snprintf(expected, sizeof(expected), "%016lx  k  0x%lx [GONE]\n",
		 (unsigned long)(unit_f + 4), (unsigned long)(unit_f + 4));
	assert_string_equal(out, expected);
	unregister_kprobe(&p);
	out[0] = 0;
	kp_core_report_list(emit, NULL, true);
	assert_string_equal(out, "");
}

/* A gone probe is listed with the newer ones of its address, with their form. */
static void K_KNB_08_10_K_MOD_05_gone_beside_new(void **state)
{
	struct kprobe old = { .symbol_name = "f" };
	struct kprobe new = { .symbol_name = "f" };
	char gone[64], jump[64];

	(void)state;
	assert_int_equal(register_kprobe(&old), 0);
	kp_core_on_text_gone(unit_f, 64);
	memcpy(sim_text + F_AT, unit_f_bytes, sizeof(unit_f_bytes));
	assert_int_equal(disable_kprobe(&old), 0);
	assert_int_equal(kp_core_set_optimization(true), 0);
	assert_int_equal(register_kprobe(&new), 0);
	out[0] = 0;
	kp_core_report_list(emit, NULL, true);
	snprintf(jump, sizeof(jump), "%016lx  k  f+0x4    [OPTIMIZED]\n",
		 (unsigned long)(unit_f + 4));
	snprintf(gone, sizeof(gone), "%016lx  k  0x%lx [GONE][OPTIMIZED]\n",
		 (unsigned long)(unit_f + 4), (unsigned long)(unit_f + 4));
	assert_true(strstr(out, jump) == out);
	assert_string_equal(out + strlen(jump), gone);
	kp_core_set_optimization(false);
	out[0] = 0;
	kp_core_report_list(emit, NULL, true);
	assert_true(!strstr(out, "[OPTIMIZED]") && strstr(out, "[GONE]\n"));
	unregister_kprobe(&new);
	unregister_kprobe(&old);
}

static void K_KNB_40_41_blacklist(void **state)
{
	(void)state;
	assert_int_equal(kp_core_blacklist_add(0x2000, 0x10, "second"), 0);
	assert_int_equal(kp_core_blacklist_add(0x1000, 0x80, "first"), 0);
	out[0] = 0;
	kp_core_report_blacklist(emit, NULL, true);
	assert_string_equal(out,
			    "0x0000000000002000-0x0000000000002010\tsecond\n"
			    "0x0000000000001000-0x0000000000001080\tfirst\n");
}

/* Nested and neighbouring ranges against a plain scan. */
static void K_BLK_02_lookup(void **state)
{
	struct { uintptr_t start; size_t len; } r[200];
	unsigned int seed = 1;
	uintptr_t addr;
	size_t i;

	(void)state;
	for (i = 0; i < 200; i++) {
		seed = seed * 1103515245 + 12345;
		r[i].start = 0x10000 + (seed >> 8) % 2000;
		r[i].len = 1 + (seed >> 20) % 40;
		assert_int_equal(kp_core_blacklist_add(r[i].start, r[i].len, "r"), 0);
	}
	for (addr = 0x10000 - 2; addr < 0x10000 + 2050; addr++) {
		bool inside = false, found;

		for (i = 0; i < 200; i++)
			inside |= addr - r[i].start < r[i].len;
		kp_host_lock(KP_LOCK_REGISTRY);
		found = kp_blacklisted(addr);
		kp_host_unlock(KP_LOCK_REGISTRY);
		assert_int_equal(found, inside);
	}
}

/* More sites than the first table holds; every one is found while it grows. */
static void table_grows(void **state)
{
	static struct kprobe probes[1500];
	static struct kprobe *batch[1500];
	struct pt_regs regs;
	size_t i;

	(void)state;
	sim_symbol("nops", (uintptr_t)sim_text + 0x1000, 0x1000);
	for (i = 0; i < 1500; i++) {
		probes[i] = (struct kprobe){ .addr = sim_text + 0x1000 + i };
		batch[i] = &probes[i];
	}
	assert_int_equal(register_kprobes(batch, 1500), 0);
	for (i = 0; i < 1500; i++) {
		assert_true(unit_hit((uintptr_t)sim_text + 0x1000 + i, &regs));
		assert_int_equal(kp_core_original_ip(regs.pc),
				 (uintptr_t)sim_text + 0x1000 + i);
	}
	unregister_kprobes(batch, 1500);
	for (i = 0; i < 1500; i++)
		assert_int_equal(sim_text[0x1000 + i], TOY_NOP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		UNIT(K_KNB_01_to_10_list),
		UNIT(K_KNB_06_K_MOD_02_gone),
		UNIT(K_KNB_08_10_K_MOD_05_gone_beside_new),
		UNIT(K_KNB_40_41_blacklist),
		UNIT(K_BLK_02_lookup),
		UNIT(table_grows),
	};

	return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
