/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * test_register.c - registration: resolution, checks, effects, batches.
 *
 * Covers: core/register.c, core/examine.c, core/kinds.c, core/knobs.c, core/boundary.c
 */
#include "unit.h"

static int handler_nop(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	return 0;
}

static void expect_refused(struct kprobe *p, int err)
{
	uint8_t before[SIM_TEXT_LEN];

	memcpy(before, sim_text, sizeof(before));
	assert_int_equal(register_kprobe(p), err);
	assert_memory_equal(before, sim_text, sizeof(before));
	if (p) {
		assert_non_null(p->reason);
		assert_true(p->reason[0]);
	}
}

static void K_REG_01_both_given(void **state)
{
	struct kprobe p = { .addr = (void *)unit_f, .symbol_name = "f" };

	(void)state;
	expect_refused(&p, -EINVAL);
	assert_ptr_equal(p.addr, (void *)unit_f);
}

static void K_REG_02_neither_given(void **state)
{
	struct kprobe p = { 0 };

	(void)state;
	expect_refused(&p, -EINVAL);
}

static void K_REG_03_unknown_symbol(void **state)
{
	struct kprobe p = { .symbol_name = "nowhere" };

	(void)state;
	expect_refused(&p, -ENOENT);
	assert_null(p.addr);
}

static void K_REG_04_exact_match(void **state)
{
	struct kprobe plus = { .symbol_name = "f+3" };
	struct kprobe empty = { .symbol_name = "" };

	(void)state;
	expect_refused(&plus, -ENOENT);
	expect_refused(&empty, -ENOENT);
}

static void K_REG_07_offset_applies_to_both_forms(void **state)
{
	struct kprobe a = { .addr = (void *)unit_f, .offset = F_MOVE };
	struct kprobe b = { .symbol_name = "f", .offset = F_MOVE };

	(void)state;
	assert_int_equal(register_kprobe(&a), 0);
	assert_int_equal(register_kprobe(&b), 0);
	assert_ptr_equal(a.addr, (void *)(unit_f + F_MOVE));
	assert_ptr_equal(b.addr, a.addr);
	unregister_kprobe(&a);
	unregister_kprobe(&b);
}

static void K_REG_08_no_symbol(void **state)
{
	struct kprobe one = { .addr = (void *)1 };
	struct kprobe stack = { .addr = (void *)&one };

	(void)state;
	expect_refused(&one, -ENOENT);
	expect_refused(&stack, -ENOENT);
}

static void K_REG_09_data_symbol(void **state)
{
	struct kprobe p = { .symbol_name = "data" };

	(void)state;
	expect_refused(&p, -EINVAL);
	assert_ptr_equal(p.addr, sim_data);
}

static void K_REG_10_offset_into_the_next_function(void **state)
{
	struct kprobe p = { .symbol_name = "f", .offset = G_AT - F_AT };

	(void)state;
	assert_int_equal(register_kprobe(&p), 0);
	assert_ptr_equal(p.addr, (void *)unit_g);
	assert_true(p.flags & KPROBE_FLAG_ON_FUNC_ENTRY);
	unregister_kprobe(&p);
}

static void K_REG_11_negative_offset(void **state)
{
	struct kprobe p = { .symbol_name = "f", .offset = (unsigned int)-4 };

	(void)state;
	expect_refused(&p, -ENOENT);
}

static void K_REG_12_landing_pad(void **state)
{
	struct kprobe p = { .symbol_name = "f" };

	(void)state;
	assert_int_equal(register_kprobe(&p), 0);
	assert_ptr_equal(p.addr, (void *)(unit_f + F_ENTRY));
	assert_int_equal(p.offset, 0);
	unregister_kprobe(&p);
}

static void K_REG_13_entry_with_landing_pad(void **state)
{
	struct kprobe at4 = { .symbol_name = "f", .offset = 4 };
	struct kprobe at2 = { .symbol_name = "f", .offset = 2 };

	(void)state;
	assert_int_equal(register_kprobe(&at4), 0);
	assert_true(at4.flags & KPROBE_FLAG_ON_FUNC_ENTRY);
	expect_refused(&at2, -EILSEQ);
	unregister_kprobe(&at4);
}

static void K_REG_14_unreadable_symbol(void **state)
{
	struct kprobe p = { .symbol_name = "hole" };

	(void)state;
	sim_symbol("hole", SIM_UNMAPPED, 64);
	expect_refused(&p, -EINVAL);
}

static void K_REG_15_16_addr_set_after_failure(void **state)
{
	struct kprobe p = { .symbol_name = "f", .offset = 6 };

	(void)state;
	expect_refused(&p, -EILSEQ);
	assert_ptr_equal(p.addr, (void *)(unit_f + 6));
	p.offset = 0;
	expect_refused(&p, -EINVAL);
	p.addr = NULL;
	assert_int_equal(register_kprobe(&p), 0);
	unregister_kprobe(&p);
}

static void K_REG_17_offset_walks(void **state)
{
	struct kprobe p = { .addr = (void *)(unit_f + F_ENTRY), .offset = 1 };

	(void)state;
	assert_int_equal(register_kprobe(&p), 0);
	unregister_kprobe(&p);
	p.flags = 0;
	assert_int_equal(register_kprobe(&p), -EILSEQ);
	assert_ptr_equal(p.addr, (void *)(unit_f + F_MOVE + 1));
}

static void K_REG_20_registered_twice(void **state)
{
	struct kprobe p = { .addr = (void *)(unit_f + F_MOVE) };

	(void)state;
	assert_int_equal(register_kprobe(&p), 0);
	assert_int_equal(register_kprobe(&p), -EINVAL);
	assert_ptr_equal(p.addr, (void *)(unit_f + F_MOVE));
	assert_int_equal(sim_text[F_AT + F_MOVE], TOY_BREAK);
	unregister_kprobe(&p);
	assert_int_equal(sim_text[F_AT + F_MOVE], unit_f_bytes[F_MOVE]);
}

static void K_REG_21_22_flags_and_nmissed(void **state)
{
	struct kprobe p = { .symbol_name = "f", .flags = 0xffffffff,
			    .nmissed = 7 };

	(void)state;
	assert_int_equal(register_kprobe(&p), 0);
	assert_int_equal(p.flags, KPROBE_FLAG_DISABLED | KPROBE_FLAG_ON_FUNC_ENTRY);
	assert_int_equal(p.nmissed, 0);
	assert_int_equal(sim_text[F_AT + F_ENTRY], unit_f_bytes[F_ENTRY]);
	unregister_kprobe(&p);
}

static void K_REG_23_to_33_refused_text(void **state)
{
	struct kprobe p = { .symbol_name = "f", .offset = F_MOVE };

	(void)state;
	sim_region(unit_f + F_MOVE, 1, KP_TEXT_RESERVED, "a jump label");
	expect_refused(&p, -EINVAL);
	assert_string_equal(p.reason, "a jump label");
	p.addr = NULL;
	sim_region(unit_f + F_MOVE, 1, KP_TEXT_ENGINE, "the engine");
	expect_refused(&p, -EINVAL);
	p.addr = NULL;
	sim_region(unit_f + F_MOVE, 1, KP_TEXT_LEAVING, "unloading");
	expect_refused(&p, -ENOENT);
}

static void K_REG_24_K_BLK_02_blacklisted(void **state)
{
	struct kprobe p = { .symbol_name = "f", .offset = F_ADD };

	(void)state;
	assert_int_equal(kp_core_blacklist_add(unit_f, sizeof(unit_f_bytes), "f"), 0);
	expect_refused(&p, -EINVAL);
	kp_core_blacklist_remove(unit_f, 1);
	p.addr = NULL;
	assert_int_equal(register_kprobe(&p), 0);
	unregister_kprobe(&p);
}

static void K_BLK_05_suffixed_clones(void **state)
{
	struct kprobe p = { .symbol_name = "h.part.0" };

	(void)state;
	sim_function("h", 0x300, unit_f_bytes, sizeof(unit_f_bytes));
	sim_function("h.part.0", 0x400, unit_f_bytes, sizeof(unit_f_bytes));
	assert_int_equal(kp_core_blacklist_add((uintptr_t)sim_text + 0x300, sizeof(unit_f_bytes), "h"), 0);
	expect_refused(&p, -EINVAL);
}

static void K_REG_29_preamble(void **state)
{
	struct kprobe cfi = { .symbol_name = "__cfi_x" };
	struct kprobe pfx = { .symbol_name = "__pfx_x" };

	(void)state;
	sim_symbol("__cfi_x", (uintptr_t)sim_text + 0x500, 16);
	sim_symbol("__pfx_x", (uintptr_t)sim_text + 0x510, 16);
	expect_refused(&cfi, -EINVAL);
	expect_refused(&pfx, -EINVAL);
}

static void K_REG_34_35_36_boundaries(void **state)
{
	struct kprobe first = { .symbol_name = "f" };
	struct kprobe later = { .symbol_name = "f", .offset = F_ADD };
	struct kprobe inside = { .symbol_name = "f", .offset = F_ADD + 1 };
	struct kprobe broken = { .symbol_name = "bad", .offset = 4 };
	static const uint8_t bad[] = { 0, TOY_NOP, TOY_NOP, TOY_NOP, TOY_RETURN };

	(void)state;
	assert_int_equal(register_kprobe(&first), 0);
	assert_int_equal(register_kprobe(&later), 0);
	expect_refused(&inside, -EILSEQ);
	sim_function("bad", 0x600, bad, sizeof(bad));
	expect_refused(&broken, -EILSEQ);
	unregister_kprobe(&first);
	unregister_kprobe(&later);
}

static void K_REG_38_foreign_breakpoint(void **state)
{
	static const uint8_t bytes[] = { TOY_BREAK, TOY_RETURN };
	struct kprobe p = { .symbol_name = "trap" };

	(void)state;
	sim_function("trap", 0x700, bytes, sizeof(bytes));
	assert_true(register_kprobe(&p) < 0);
	assert_non_null(p.reason);
}

static void K_REG_43_74_null(void **state)
{
	struct kprobe p = { .symbol_name = "f" };
	struct kprobe *batch[] = { &p, NULL };

	(void)state;
	assert_int_equal(register_kprobe(NULL), -EINVAL);
	unregister_kprobe(NULL);
	assert_int_equal(register_kprobes(batch, 2), -EINVAL);
	assert_int_equal(sim_text[F_AT + F_ENTRY], unit_f_bytes[F_ENTRY]);
	assert_int_equal(register_kprobes(NULL, 2), -EINVAL);
	unregister_kprobes(NULL, 2);
	assert_int_equal(enable_kprobe(NULL), -EINVAL);
	assert_int_equal(disable_kprobe(NULL), -EINVAL);
}

static void bad_struct_pointers(void **state)
{
	struct kprobe *garbage = (struct kprobe *)SIM_UNMAPPED;
	struct kprobe name = { .symbol_name = (const char *)SIM_UNMAPPED };
	struct kprobe pre = { .symbol_name = "f", .pre_handler = (void *)8 };
	struct kprobe post = { .symbol_name = "f", .post_handler = (void *)8 };
	struct kprobe fault = { .symbol_name = "f", .fault_handler = (void *)8 };

	(void)state;
	assert_int_equal(register_kprobe(garbage), -EINVAL);
	unregister_kprobe(garbage);
	assert_int_equal(disable_kprobe(garbage), -EINVAL);
	expect_refused(&name, -EINVAL);
	expect_refused(&pre, -EINVAL);
	expect_refused(&post, -EINVAL);
	expect_refused(&fault, -EINVAL);
}

static void K_REG_50_51_52_success(void **state)
{
	struct kprobe p = { .symbol_name = "f", .offset = F_MOVE };

	(void)state;
	assert_int_equal(register_kprobe(&p), 0);
	assert_int_equal(p.opcode, unit_f_bytes[F_MOVE]);
	assert_int_equal(p.flags, 0);
	assert_int_equal(sim_text[F_AT + F_MOVE], TOY_BREAK);
	assert_string_equal(p.symbol_name, "f");
	assert_int_equal(p.offset, F_MOVE);
	assert_null(p.reason);
	unregister_kprobe(&p);
}

static void K_REG_55_second_probe_reuses_the_copy(void **state)
{
	struct kprobe a = { .symbol_name = "f" }, b = { .symbol_name = "f" };

	(void)state;
	assert_int_equal(register_kprobe(&a), 0);
	sim_script(SIM_EXEC_WRITE, "f");
	assert_int_equal(register_kprobe(&b), 0);
	assert_ptr_equal(a.ainsn.insn, b.ainsn.insn);
	unregister_kprobe(&a);
	assert_int_equal(sim_text[F_AT + F_ENTRY], TOY_BREAK);
	unregister_kprobe(&b);
	assert_int_equal(sim_text[F_AT + F_ENTRY], unit_f_bytes[F_ENTRY]);
}

static void K_REG_70_bad_count(void **state)
{
	struct kprobe *none[] = { NULL };

	(void)state;
	assert_int_equal(register_kprobes(NULL, 0), -EINVAL);
	assert_int_equal(register_kprobes(none, 0), -EINVAL);
	assert_int_equal(register_kprobes(none, -1), -EINVAL);
}

static void K_REG_71_72_rollback(void **state)
{
	struct kprobe a = { .symbol_name = "f" };
	struct kprobe b = { .symbol_name = "g" };
	struct kprobe bad = { .symbol_name = "f", .offset = 6 };
	struct kprobe later = { .symbol_name = "g" };
	struct kprobe *batch[] = { &a, &b, &bad, &later };

	(void)state;
	assert_int_equal(register_kprobes(batch, 4), -EILSEQ);
	assert_ptr_equal(a.addr, (void *)(unit_f + F_ENTRY));
	assert_int_equal(a.flags, KPROBE_FLAG_DISABLED | KPROBE_FLAG_ON_FUNC_ENTRY);
	assert_ptr_equal(bad.addr, (void *)(unit_f + 6));
	assert_null(later.addr);
	assert_int_equal(sim_text[F_AT + F_ENTRY], unit_f_bytes[F_ENTRY]);
	assert_int_equal(sim_text[G_AT], unit_g_bytes[0]);
}

static void K_REG_73_same_struct_twice(void **state)
{
	struct kprobe a = { .addr = (void *)(unit_f + F_MOVE) };
	struct kprobe *batch[] = { &a, &a };

	(void)state;
	assert_int_equal(register_kprobes(batch, 2), -EINVAL);
	assert_int_equal(sim_text[F_AT + F_MOVE], unit_f_bytes[F_MOVE]);
	assert_int_equal(disable_kprobe(&a), -EINVAL);
}

static void K_REG_80_81_82_reuse(void **state)
{
	struct kprobe p = { .addr = (void *)(unit_f + F_MOVE) };

	(void)state;
	assert_int_equal(register_kprobe(&p), 0);
	unregister_kprobe(&p);
	assert_ptr_equal(p.addr, (void *)(unit_f + F_MOVE));
	assert_true(p.flags & KPROBE_FLAG_DISABLED);
	assert_int_equal(register_kprobe(&p), 0);
	assert_int_equal(sim_text[F_AT + F_MOVE], unit_f_bytes[F_MOVE]);
	unregister_kprobe(&p);
	p.flags = 0;
	assert_int_equal(register_kprobe(&p), 0);
	assert_int_equal(sim_text[F_AT + F_MOVE], TOY_BREAK);
	unregister_kprobe(&p);
}

static void L12_one_sync_a_batch(void **state)
{
	struct kprobe probes[16], *batch[16];
	size_t syncs;
	int i;

	(void)state;
	for (i = 0; i < 16; i++) {
		char name[8] = { 'n', (char)('a' + i), 0 };

		sim_function(name, 0x1000 + 0x20 * (size_t)i, unit_f_bytes,
			     sizeof(unit_f_bytes));
		probes[i] = (struct kprobe){
			.addr = (void *)(sim_text + 0x1000 + 0x20 * i) };
		batch[i] = &probes[i];
	}
	syncs = sim_counts.syncs;
	assert_int_equal(register_kprobes(batch, 16), 0);
	assert_int_equal(sim_counts.syncs - syncs, 1);
	syncs = sim_counts.syncs;
	unregister_kprobes(batch, 16);
	assert_int_equal(sim_counts.syncs - syncs, 1);
}

static void K_UNR_04_05_06_not_registered(void **state)
{
	struct kprobe a = { .symbol_name = "f" };
	struct kprobe never = { .addr = (void *)unit_g };
	struct kprobe *batch[] = { &never, NULL, &a };

	(void)state;
	assert_int_equal(register_kprobe(&a), 0);
	unregister_kprobes(batch, 0);
	unregister_kprobes(batch, -3);
	assert_int_equal(sim_text[F_AT + F_ENTRY], TOY_BREAK);
	unregister_kprobes(batch, 3);
	assert_null(never.addr);
	assert_ptr_equal(a.addr, (void *)(unit_f + F_ENTRY));
	assert_int_equal(sim_text[F_AT + F_ENTRY], unit_f_bytes[F_ENTRY]);
	unregister_kprobe(&a);
	assert_null(a.addr);
}

static void K_UNR_07_one_grace_period(void **state)
{
	struct kprobe a = { .symbol_name = "f" }, b = { .symbol_name = "g" };
	struct kprobe *batch[] = { &a, &b };
	size_t waits;

	(void)state;
	assert_int_equal(register_kprobes(batch, 2), 0);
	waits = sim_counts.waits;
	unregister_kprobes(batch, 2);
	assert_int_equal(sim_counts.waits - waits, 1);
}

static void K_UNR_08_09_scribbled_struct(void **state)
{
	struct kprobe p = { .symbol_name = "f" };

	(void)state;
	assert_int_equal(register_kprobe(&p), 0);
	p.symbol_name = "other";
	p.addr = (void *)unit_g;
	unregister_kprobe(&p);
	assert_null(p.addr);
	assert_int_equal(sim_text[F_AT + F_ENTRY], unit_f_bytes[F_ENTRY]);
}

static void K_EN_01_to_04(void **state)
{
	struct kprobe p = { .symbol_name = "f" }, q = { .symbol_name = "f" };

	(void)state;
	assert_int_equal(disable_kprobe(&p), -EINVAL);
	assert_int_equal(enable_kprobe(&p), -EINVAL);
	assert_int_equal(register_kprobe(&p), 0);
	assert_int_equal(register_kprobe(&q), 0);
	assert_int_equal(disable_kprobe(&p), 0);
	assert_int_equal(disable_kprobe(&p), 0);
	assert_true(kprobe_disabled(&p));
	assert_false(kprobe_disabled(&q));
	assert_int_equal(sim_text[F_AT + F_ENTRY], TOY_BREAK);
	assert_int_equal(disable_kprobe(&q), 0);
	assert_int_equal(sim_text[F_AT + F_ENTRY], unit_f_bytes[F_ENTRY]);
	assert_int_equal(enable_kprobe(&p), 0);
	assert_int_equal(enable_kprobe(&p), 0);
	assert_int_equal(sim_text[F_AT + F_ENTRY], TOY_BREAK);
	unregister_kprobe(&p);
	unregister_kprobe(&q);
}

static void K_EN_07_08_global_knob(void **state)
{
	struct kprobe p = { .symbol_name = "f" };
	struct kprobe off = { .symbol_name = "g", .flags = KPROBE_FLAG_DISABLED };

	(void)state;
	assert_int_equal(kp_core_set_enabled(false), 0);
	assert_int_equal(register_kprobe(&p), 0);
	assert_int_equal(register_kprobe(&off), 0);
	assert_int_equal(sim_text[F_AT + F_ENTRY], unit_f_bytes[F_ENTRY]);
	assert_int_equal(disable_kprobe(&p), 0);
	assert_int_equal(enable_kprobe(&p), 0);
	assert_int_equal(sim_text[F_AT + F_ENTRY], unit_f_bytes[F_ENTRY]);
	assert_int_equal(kp_core_set_enabled(true), 0);
	assert_int_equal(sim_text[F_AT + F_ENTRY], TOY_BREAK);
	assert_int_equal(sim_text[G_AT], unit_g_bytes[0]);
	assert_int_equal(kp_core_set_enabled(false), 0);
	assert_int_equal(sim_text[F_AT + F_ENTRY], unit_f_bytes[F_ENTRY]);
	assert_false(kprobe_disabled(&p));
	unregister_kprobe(&p);
	unregister_kprobe(&off);
	assert_int_equal(kp_core_set_enabled(true), 0);
}

static void K_EN_06_K_MOD_01_05_gone(void **state)
{
	struct kprobe old = { .symbol_name = "f" }, new = { .symbol_name = "f" };

	(void)state;
	assert_int_equal(register_kprobe(&old), 0);
	memcpy(sim_text + F_AT, unit_f_bytes, sizeof(unit_f_bytes));
	kp_core_on_text_gone(unit_f, 64);
	assert_true(kprobe_gone(&old));
	assert_int_equal(enable_kprobe(&old), -EINVAL);
	assert_int_equal(disable_kprobe(&old), 0);
	assert_int_equal(register_kprobe(&new), 0);
	assert_int_equal(sim_text[F_AT + F_ENTRY], TOY_BREAK);
	unregister_kprobe(&old);
	assert_int_equal(sim_text[F_AT + F_ENTRY], TOY_BREAK);
	unregister_kprobe(&new);
	old.addr = NULL;
	old.flags = 0;
	assert_int_equal(register_kprobe(&old), 0);
	unregister_kprobe(&old);
}

static void idle_site_follows_changed_text(void **state)
{
	struct kprobe p = { .symbol_name = "f", .offset = F_MOVE };
	static const uint8_t other[] = { TOY_move(6, 0) };

	(void)state;
	assert_int_equal(register_kprobe(&p), 0);
	unregister_kprobe(&p);
	memcpy(sim_text + F_AT + F_MOVE, other, sizeof(other));
	p.addr = NULL;
	p.flags = 0;
	assert_int_equal(register_kprobe(&p), 0);
	unregister_kprobe(&p);
	assert_memory_equal(sim_text + F_AT + F_MOVE, other, sizeof(other));
	memcpy(sim_text + F_AT, unit_f_bytes, sizeof(unit_f_bytes));
}

static void foreign_overwrite_is_left_alone(void **state)
{
	struct kprobe p = { .symbol_name = "f", .offset = F_MOVE };

	(void)state;
	assert_int_equal(register_kprobe(&p), 0);
	sim_text[F_AT + F_MOVE] = TOY_NOP;
	unregister_kprobe(&p);
	assert_int_equal(sim_text[F_AT + F_MOVE], TOY_NOP);
	memcpy(sim_text + F_AT, unit_f_bytes, sizeof(unit_f_bytes));
}

static void slots_are_not_leaked(void **state)
{
	size_t allocs = 0;
	int i;

	(void)state;
	for (i = 0; i < 1000; i++) {
		struct kprobe p = { .symbol_name = "f", .pre_handler = handler_nop };

		assert_int_equal(register_kprobe(&p), 0);
		unregister_kprobe(&p);
		if (i == 0)
			allocs = sim_counts.allocs;
	}
	assert_int_equal(sim_counts.allocs, allocs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		UNIT(K_REG_01_both_given),
		UNIT(K_REG_02_neither_given),
		UNIT(K_REG_03_unknown_symbol),
		UNIT(K_REG_04_exact_match),
		UNIT(K_REG_07_offset_applies_to_both_forms),
		UNIT(K_REG_08_no_symbol),
		UNIT(K_REG_09_data_symbol),
		UNIT(K_REG_10_offset_into_the_next_function),
		UNIT(K_REG_11_negative_offset),
		UNIT(K_REG_12_landing_pad),
		UNIT(K_REG_13_entry_with_landing_pad),
		UNIT(K_REG_14_unreadable_symbol),
		UNIT(K_REG_15_16_addr_set_after_failure),
		UNIT(K_REG_17_offset_walks),
		UNIT(K_REG_20_registered_twice),
		UNIT(K_REG_21_22_flags_and_nmissed),
		UNIT(K_REG_23_to_33_refused_text),
		UNIT(K_REG_24_K_BLK_02_blacklisted),
		UNIT(K_BLK_05_suffixed_clones),
		UNIT(K_REG_29_preamble),
		UNIT(K_REG_34_35_36_boundaries),
		UNIT(K_REG_38_foreign_breakpoint),
		UNIT(K_REG_43_74_null),
		UNIT(bad_struct_pointers),
		UNIT(K_REG_50_51_52_success),
		UNIT(K_REG_55_second_probe_reuses_the_copy),
		UNIT(K_REG_70_bad_count),
		UNIT(K_REG_71_72_rollback),
		UNIT(K_REG_73_same_struct_twice),
		UNIT(K_REG_80_81_82_reuse),
		UNIT(L12_one_sync_a_batch),
		UNIT(K_UNR_04_05_06_not_registered),
		UNIT(K_UNR_07_one_grace_period),
		UNIT(K_UNR_08_09_scribbled_struct),
		UNIT(K_EN_01_to_04),
		UNIT(K_EN_07_08_global_knob),
		UNIT(K_EN_06_K_MOD_01_05_gone),
		UNIT(idle_site_follows_changed_text),
		UNIT(foreign_overwrite_is_left_alone),
		UNIT(slots_are_not_leaked),
	};

	return cmocka_run_group_tests_name("register", tests, NULL, NULL);
}
