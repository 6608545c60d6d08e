/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * registration.c - K-REG: how a probe's address is found and checked, and what
 * a successful or failed registration leaves in the struct and in the text.
 */
#include "harness.h"

static void how_the_address_is_found(void)
{
	struct kprobe p = { .addr = T_AT(t_add, 0), .symbol_name = "t_add" };
	t_word before = t_text(t_add);
	char name[64];

	EXPECT_EQ("K-REG-01", "both addr and symbol_name", register_kprobe(&p),
		  -EINVAL);
	EXPECT("K-REG-01", "nothing is modified",
	       p.addr == T_AT(t_add, 0) && t_text(t_add) == before);
	p = (struct kprobe){ .pre_handler = t_pre };
	EXPECT_EQ("K-REG-02", "neither addr nor symbol_name",
		  register_kprobe(&p), -EINVAL);
	p = (struct kprobe){ .symbol_name = "t_no_such_symbol_anywhere" };
	EXPECT_EQ("K-REG-03", "unknown symbol", register_kprobe(&p), -ENOENT);
	EXPECT("K-REG-03", "addr stays NULL", !p.addr);
	p = (struct kprobe){ .symbol_name = "t_add+4" };
	EXPECT_EQ("K-REG-04", "name+offset is not a name", register_kprobe(&p),
		  -ENOENT);
	p = (struct kprobe){ .symbol_name = "" };
	EXPECT_EQ("K-REG-04", "the empty name", register_kprobe(&p), -ENOENT);

	snprintf(name, sizeof(name), "%s:t_add", t_module);
	p = (struct kprobe){ .symbol_name = name };
	EXPECT_EQ("K-REG-05", "module:symbol", t_register(&p), 0);
	EXPECT("K-REG-05", "finds the module's own", p.addr == T_AT(t_add, 0));
	unregister_kprobe(&p);
	p = (struct kprobe){ .symbol_name = "t_no_such_module:t_add" };
	EXPECT_EQ("K-REG-05", "unknown module", register_kprobe(&p), -ENOENT);
	snprintf(name, sizeof(name), "%s:t_no_such_symbol", t_module);
	p = (struct kprobe){ .symbol_name = name };
	EXPECT_EQ("K-REG-05", "unknown symbol in a module",
		  register_kprobe(&p), -ENOENT);
	if (t_foreign_module[0]) {
		snprintf(name, sizeof(name), "%s:t_add", t_foreign_module);
		p = (struct kprobe){ .symbol_name = name };
		EXPECT_EQ("K-REG-05", "the search is limited to the module",
			  register_kprobe(&p), -ENOENT);
	}
	p = (struct kprobe){ .symbol_name = t_foreign_symbol };
	EXPECT_EQ("K-REG-06", "a symbol outside the test", t_register(&p), 0);
	unregister_kprobe(&p);
}

static void offsets(void)
{
	struct kprobe p = { .symbol_name = "t_add", .offset = T_ADD_LEA };
	unsigned int to_next = (unsigned int)((char *)t_after - (char *)t_first);

	EXPECT_EQ("K-REG-07", "symbol + offset", t_register(&p), 0);
	EXPECT("K-REG-07", "gives the sum", p.addr == T_AT(t_add, T_ADD_LEA));
	EXPECT("K-REG-51", "symbol_name and offset stay",
	       !strcmp(p.symbol_name, "t_add") && p.offset == T_ADD_LEA);
	unregister_kprobe(&p);
	p = (struct kprobe){ .addr = T_AT(t_add, T_ADD_MOV),
			     .offset = T_ADD_LEA - T_ADD_MOV };
	EXPECT_EQ("K-REG-07", "addr + offset", t_register(&p), 0);
	EXPECT("K-REG-07", "gives the sum", p.addr == T_AT(t_add, T_ADD_LEA));
	unregister_kprobe(&p);

	p = (struct kprobe){ .symbol_name = "t_first", .offset = to_next,
			     .pre_handler = t_pre };
	EXPECT_EQ("K-REG-10", "an offset into the next function",
		  t_register(&p), 0);
	EXPECT("K-REG-10", "belongs to that one", p.addr == T_AT(t_after, 0));
	t_reset();
	EXPECT_EQ("K-REG-10", "runs", t_after(), 2);
	EXPECT_EQ("K-REG-10", "and hits", t_counts.pre, 1);
	unregister_kprobe(&p);
	p = (struct kprobe){ .symbol_name = "t_add",
			     .offset = (unsigned int)-4 };
	EXPECT("K-REG-11", "a negative offset fails", register_kprobe(&p) < 0);
}

static void where_it_may_not_be(void)
{
	struct kprobe p = { .addr = (kprobe_opcode_t *)1ul };
	long on_stack = 0;
	void *heap = t_alloc(64);

	EXPECT_EQ("K-REG-08", "addr 1", register_kprobe(&p), -ENOENT);
	p = (struct kprobe){ .addr = (kprobe_opcode_t *)&on_stack };
	EXPECT_EQ("K-REG-08", "the stack", register_kprobe(&p), -ENOENT);
	p = (struct kprobe){ .addr = heap };
	EXPECT_EQ("K-REG-08", "the heap", register_kprobe(&p), -ENOENT);
	t_free(heap);
	p = (struct kprobe){ .addr = (kprobe_opcode_t *)~0ul };
	EXPECT("K-REG-08", "the last address", register_kprobe(&p) < 0);
	p = (struct kprobe){ .addr = (kprobe_opcode_t *)t_data };
	EXPECT_EQ("K-REG-09", "data by address", register_kprobe(&p), -EINVAL);
	EXPECT("K-REG-15", "addr is set before the later checks",
	       p.addr == (kprobe_opcode_t *)t_data);
	p = (struct kprobe){ .symbol_name = "t_data" };
	EXPECT_EQ("K-REG-09", "data by name", register_kprobe(&p), -EINVAL);
	EXPECT("K-REG-15", "addr is set for a symbol too",
	       p.addr == (kprobe_opcode_t *)t_data);
	EXPECT_EQ("K-REG-16", "so the retry has both", register_kprobe(&p),
		  -EINVAL);
	p = (struct kprobe){ .addr = T_AT(t_add, 2) };
	EXPECT_EQ("K-REG-34", "inside an instruction", register_kprobe(&p),
		  -EILSEQ);
	p = (struct kprobe){ .symbol_name = "t_add", .offset = 5 };
	EXPECT_EQ("K-REG-34", "inside another", register_kprobe(&p), -EILSEQ);
	EXPECT("K-REG-15", "addr is set", p.addr == T_AT(t_add, 5));
	EXPECT_EQ("K-REG-45", "the function still works", t_add(2, 3), 5);
}

/* A constant: in a segment that is not executable, or not text. */
extern const long t_constant;
const long t_constant = 4711;

static void what_cannot_be_probed(void)
{
	struct kprobe p = { .addr = (kprobe_opcode_t *)(unsigned long)&t_constant };

	EXPECT_EQ("K-REG-23", "not text of anything", register_kprobe(&p),
		  -EINVAL);
	EXPECT("K-REG-23", "with a reason", p.reason && p.reason[0]);
	p = (struct kprobe){
		.addr = (kprobe_opcode_t *)0xffffffffff600000ul,
	};
	EXPECT("K-REG-28", "the vsyscall page", register_kprobe(&p) < 0);
	p = (struct kprobe){
		.addr = (kprobe_opcode_t *)0xffffffffff600400ul,
	};
	EXPECT("K-REG-28", "its second entry", register_kprobe(&p) < 0);
	p = (struct kprobe){ .addr = T_AT(t_undecodable, T_UNDECODABLE_NEXT) };
	/* Where all instructions are equally long, it is none of theirs. */
	EXPECT_EQ("K-REG-35", "behind what cannot be decoded",
		  register_kprobe(&p), T_LENGTHS_VARY ? -EILSEQ : 0);
	if (!T_LENGTHS_VARY)
		unregister_kprobe(&p);
	p = (struct kprobe){ .addr = T_AT(t_undecodable, 0) };
	EXPECT_EQ("K-REG-35", "but not before it", t_register(&p), 0);
	unregister_kprobe(&p);
	p = (struct kprobe){ .addr = T_AT(t_badop, T_REFUSED_AT) };
	EXPECT_EQ("K-REG-38", "an undecodable instruction itself",
		  register_kprobe(&p), -EINVAL);
	p = (struct kprobe){ .addr = T_AT(t_trap, T_TRAP_INT3) };
	EXPECT_EQ("K-REG-38", "a foreign breakpoint", register_kprobe(&p),
		  -EINVAL);
	EXPECT_EQ("K-REG-38", "stays as it is",
		  t_text(T_AT(t_trap, T_TRAP_INT3)), T_FOREIGN_BP);
	p = (struct kprobe){ .addr = T_AT(t_iretq, T_REFUSED_AT) };
	EXPECT_EQ("K-REG-39", "an instruction that has no copy",
		  register_kprobe(&p), -EOPNOTSUPP);
	EXPECT("K-REG-39", "with a reason", p.reason && p.reason[0]);
}

/* K-REG-61: an inlined function has one copy that can be probed, or none. */
static inline __attribute__((__always_inline__)) long inlined(long a)
{
	__asm__ volatile("");
	return a * 3;
}

static long (*volatile out_of_line)(long a) = inlined;

static void inlined_elsewhere(void)
{
	struct kprobe p = { .addr = T_AT(out_of_line, 0),
			    .pre_handler = t_pre };

	EXPECT_EQ("K-REG-61", "the out-of-line copy is probed", t_register(&p),
		  0);
	t_reset();
	EXPECT("K-REG-61", "inlined copies are not hit",
	       inlined(4) == 12 && t_counts.pre == 0);
	EXPECT("K-REG-61", "it is",
	       out_of_line(5) == 15 && t_counts.pre == 1);
	unregister_kprobe(&p);
}

static void landing_pads(void)
{
	struct kprobe p = { .symbol_name = "t_landing", .pre_handler = t_pre };
	struct kprobe q = { .addr = T_AT(t_landing, 4), .pre_handler = t_pre };
	int i;

	EXPECT_EQ("K-REG-13", "offset 0", t_register(&p), 0);
	EXPECT("K-REG-13", "is the entry", p.flags & KPROBE_FLAG_ON_FUNC_ENTRY);
	EXPECT("K-REG-12", "addr is the start or behind the landing pad",
	       p.addr == T_AT(t_landing, 0) || p.addr == T_AT(t_landing, 4));
	EXPECT_EQ("K-REG-12", "the offset field stays", p.offset, 0);
	t_reset();
	EXPECT_EQ("K-HIT-34", "t_landing works", t_landing(4), 7);
	EXPECT_EQ("K-REG-12", "and is hit", t_counts.pre, 1);
	EXPECT_EQ("K-REG-13", "offset 4 can be probed", t_register(&q), 0);
	unregister_kprobe(&q);
	for (i = 1; i < 4; i++) {
		q = (struct kprobe){ .symbol_name = "t_landing",
				     .offset = (unsigned int)i };
		EXPECT_EQ("K-REG-13", "inside the landing pad",
			  register_kprobe(&q), -EILSEQ);
	}
	unregister_kprobe(&p);
}

static void success(void)
{
	struct kprobe p = { .symbol_name = "t_add", .pre_handler = t_pre,
			    .nmissed = 77, .flags = KPROBE_FLAG_GONE |
			    KPROBE_FLAG_OPTIMIZED | KPROBE_FLAG_FTRACE };
	struct kprobe inner;

	EXPECT_EQ("K-REG-52", "0 on success", t_register(&p), 0);
	EXPECT("K-REG-50", "addr", p.addr == T_AT(t_add, 0));
	EXPECT_EQ("K-REG-50", "opcode is the original byte", p.opcode, T_ADD_OPCODE);
	EXPECT_EQ("K-REG-22", "nmissed is zeroed", p.nmissed, 0);
	EXPECT_EQ("K-REG-21", "flags are masked", p.flags,
		  KPROBE_FLAG_ON_FUNC_ENTRY);
	EXPECT_EQ("K-REG-50", "a breakpoint stands there", t_text(t_add), T_BP);
	t_reset();
	EXPECT_EQ("K-HIT-34", "the function works", t_add(20, 22), 42);
	EXPECT_EQ("K-REG-59", "live on return", t_counts.pre, 1);

	EXPECT_EQ("K-REG-20", "registering twice", register_kprobe(&p),
		  -EINVAL);
	t_reset();
	t_add(1, 1);
	EXPECT_EQ("K-REG-20", "the registration keeps working", t_counts.pre,
		  1);
	EXPECT("K-REG-20", "its fields are untouched",
	       p.addr == T_AT(t_add, 0) && p.opcode == T_ADD_OPCODE);

	inner = (struct kprobe){ .addr = T_AT(t_add, T_ADD_LEA) };
	EXPECT_EQ("K-REG-36", "boundaries are judged without our breakpoint",
		  t_register(&inner), 0);
	unregister_kprobe(&inner);
	inner = (struct kprobe){ .addr = T_AT(t_add, 2) };
	EXPECT_EQ("K-REG-36", "and inside an instruction still is not one",
		  register_kprobe(&inner), -EILSEQ);
	unregister_kprobe(&p);
	EXPECT_EQ("K-UNR-11", "the byte is back", t_text(t_add), T_ADD_FIRST);
}

static void several_and_none(void)
{
	struct kprobe plain = { .symbol_name = "t_add" };
	struct kprobe many[40];
	int i, ok = 0;

	EXPECT_EQ("K-REG-44", "no handlers at all", t_register(&plain), 0);
	EXPECT_EQ("K-REG-44", "armed", t_text(t_add), T_BP);
	EXPECT_EQ("K-REG-44", "and stepped", t_add(3, 4), 7);
	memset(many, 0, sizeof(many));
	for (i = 0; i < 40; i++) {
		many[i].addr = T_AT(t_add, 0);
		many[i].pre_handler = t_pre;
		ok += !register_kprobe(&many[i]);
	}
	EXPECT_EQ("K-REG-54", "many probes at one address", ok, 40);
	t_reset();
	EXPECT_EQ("K-REG-54", "the function works", t_add(3, 4), 7);
	EXPECT_EQ("K-REG-54", "all are called", t_counts.pre, 40);
	for (i = 0; i < 40; i++)
		unregister_kprobe(&many[i]);
	unregister_kprobe(&plain);
	EXPECT_EQ("K-INV-05", "the text is restored", t_text(t_add), T_ADD_FIRST);
}

static void disabled_from_the_start(void)
{
	struct kprobe p = { .symbol_name = "t_add", .pre_handler = t_pre,
			    .flags = KPROBE_FLAG_DISABLED };
	struct kprobe q = { .symbol_name = "t_add", .pre_handler = t_pre };

	EXPECT_EQ("K-REG-53", "registers", t_register(&p), 0);
	EXPECT_EQ("K-REG-53", "the text is untouched", t_text(t_add), T_ADD_FIRST);
	t_reset();
	t_add(1, 2);
	EXPECT_EQ("K-REG-53", "no handler runs", t_counts.pre, 0);
	EXPECT_EQ("K-REG-56", "an enabled one beside it", t_register(&q), 0);
	t_add(1, 2);
	EXPECT("K-REG-56", "is armed and alone called",
	       t_counts.pre == 1 && t_counts.who == &q);
	EXPECT_EQ("K-REG-53", "enable", enable_kprobe(&p), 0);
	t_reset();
	t_add(1, 2);
	EXPECT_EQ("K-REG-53", "then both run", t_counts.pre, 2);
	unregister_kprobe(&q);
	unregister_kprobe(&p);
	p = (struct kprobe){ .symbol_name = "t_add", .flags = 0xffffffff };
	EXPECT_EQ("K-REG-21", "all flags set", t_register(&p), 0);
	EXPECT_EQ("K-REG-21", "registers disabled", p.flags,
		  KPROBE_FLAG_DISABLED | KPROBE_FLAG_ON_FUNC_ENTRY);
	unregister_kprobe(&p);
}

static void reuse(void)
{
	struct kprobe p = { .addr = T_AT(t_add, T_ADD_MOV), .pre_handler = t_pre };

	EXPECT_EQ("K-REG-80", "register", t_register(&p), 0);
	unregister_kprobe(&p);
	EXPECT("K-REG-80", "addr stays", p.addr == T_AT(t_add, T_ADD_MOV));
	EXPECT("K-REG-80", "DISABLED stays", p.flags & KPROBE_FLAG_DISABLED);
	EXPECT_EQ("K-REG-82", "reuse without clearing flags", t_register(&p),
		  0);
	t_reset();
	t_add(1, 1);
	EXPECT_EQ("K-REG-82", "is registered disabled", t_counts.pre, 0);
	unregister_kprobe(&p);
	p.flags = 0;
	EXPECT_EQ("K-REG-81", "with flags cleared", t_register(&p), 0);
	t_add(1, 1);
	EXPECT_EQ("K-REG-81", "it works again", t_counts.pre, 1);
	unregister_kprobe(&p);
	p = (struct kprobe){ .symbol_name = "t_add", .offset = T_ADD_MOV };
	EXPECT_EQ("K-REG-81", "by symbol", t_register(&p), 0);
	unregister_kprobe(&p);
	p.addr = NULL;
	p.flags = 0;
	EXPECT_EQ("K-REG-81", "addr = NULL, flags = 0, register",
		  t_register(&p), 0);
	unregister_kprobe(&p);
	p = (struct kprobe){ .addr = T_AT(t_add, 0), .offset = T_ADD_MOV };
	EXPECT_EQ("K-REG-17", "addr with an offset", t_register(&p), 0);
	unregister_kprobe(&p);
	p.flags = 0;
	p.offset = T_ADD_LEA - T_ADD_MOV;
	EXPECT_EQ("K-REG-17", "registered again", t_register(&p), 0);
	EXPECT("K-REG-17", "adds the offset again", p.addr == T_AT(t_add, T_ADD_LEA));
	unregister_kprobe(&p);
}

void t_registration(void)
{
	how_the_address_is_found();
	offsets();
	where_it_may_not_be();
	what_cannot_be_probed();
	inlined_elsewhere();
	landing_pads();
	success();
	several_and_none();
	disabled_from_the_start();
	reuse();
}
