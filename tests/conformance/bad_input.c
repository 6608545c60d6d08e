/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* bad_input.c - what no caller should pass, and survives all the same. */
#include "harness.h"

static void bad_structs(void)
{
	struct kprobe p;

	EXPECT_EQ("K-REG-43", "NULL", register_kprobe(NULL), -EINVAL);
	EXPECT_EQ("K-REG-43", "disable NULL", disable_kprobe(NULL), -EINVAL);
	EXPECT_EQ("K-REG-43", "enable NULL", enable_kprobe(NULL), -EINVAL);
	unregister_kprobe(NULL);
	EXPECT_EQ("K-REG-43", "an address that is not mapped",
		  register_kprobe(t_bad_address), -EINVAL);
	unregister_kprobe(t_bad_address);
	EXPECT_EQ("K-REG-43", "disable such a one",
		  disable_kprobe(t_bad_address), -EINVAL);
	memset(&p, 0x5a, sizeof(p));
	EXPECT("BAD-INPUT", "garbage in every field", register_kprobe(&p) < 0);
	EXPECT_EQ("BAD-INPUT", "disable garbage", disable_kprobe(&p), -EINVAL);
	unregister_kprobe(&p);
	memset(&p, 0xff, sizeof(p));
	EXPECT("BAD-INPUT", "all ones", register_kprobe(&p) < 0);
	p = (struct kprobe){ .symbol_name = t_bad_address };
	EXPECT("BAD-INPUT", "symbol_name that is not mapped",
	       register_kprobe(&p) < 0);
}

/* Offsets far outside of the function. */
static void wild_offsets(void)
{
	static const unsigned int offsets[] = {
		0x7fffffff, 0x80000000, 0xfffffff0, 0xffffffff, 0x10000000,
	};
	unsigned int i, refused = 0;

	for (i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
		struct kprobe p = { .symbol_name = "t_add",
				    .offset = offsets[i] };

		if (register_kprobe(&p)) {
			refused++;
			continue;
		}
#ifdef __KERNEL__
		/* At random addresses one may have a function there, by chance. */
		refused += p.addr == T_AT(t_add, offsets[i]);
#endif
		unregister_kprobe(&p);
	}
	EXPECT_EQ("BAD-INPUT", "wild offsets", refused, 5);
}

/* Batches whose members are of the same kinds. */
static void bad_batches(void)
{
	struct kprobe good = { .symbol_name = "t_add", .pre_handler = t_pre };
	struct kprobe garbage;
	struct kprobe *list[] = { &good, &garbage };
	struct kprobe *unmapped[] = { &good, t_bad_address };

	memset(&garbage, 0x5a, sizeof(garbage));
	EXPECT("BAD-INPUT", "a batch with garbage",
	       register_kprobes(list, 2) < 0);
	EXPECT_EQ("BAD-INPUT", "is rolled back", t_text(t_add), T_ADD_FIRST);
	unregister_kprobes(list, 2);
	good = (struct kprobe){ .symbol_name = "t_add", .pre_handler = t_pre };
	EXPECT_EQ("BAD-INPUT", "a batch with an unmapped struct",
		  register_kprobes(unmapped, 2), -EINVAL);
	EXPECT_EQ("BAD-INPUT", "is rolled back", t_text(t_add), T_ADD_FIRST);
	unregister_kprobes(unmapped, 2);
	EXPECT_EQ("BAD-INPUT", "an array that is not mapped",
		  register_kprobes(t_bad_address, 2), -EINVAL);
	unregister_kprobes(t_bad_address, 2);
	unregister_kprobes(t_bad_address, 0x7fffffff);
	EXPECT_EQ("BAD-INPUT", "all is well", t_add(1, 2), 3);
}

static void bad_return_probes(void)
{
	struct kretprobe garbage;

	EXPECT_EQ("BAD-INPUT", "a NULL return probe",
		  register_kretprobe(NULL), -EINVAL);
	unregister_kretprobe(NULL);
	EXPECT_EQ("BAD-INPUT", "one that is not mapped",
		  register_kretprobe(t_bad_address), -EINVAL);
	unregister_kretprobe(t_bad_address);
	EXPECT_EQ("BAD-INPUT", "an array of them that is not mapped",
		  register_kretprobes(t_bad_address, 2), -EINVAL);
	unregister_kretprobes(t_bad_address, 2);
	memset(&garbage, 0x5a, sizeof(garbage));
	EXPECT("BAD-INPUT", "garbage", register_kretprobe(&garbage) < 0);
	EXPECT_EQ("BAD-INPUT", "disable garbage", disable_kretprobe(&garbage),
		  -EINVAL);
	unregister_kretprobe(&garbage);
	EXPECT("BAD-INPUT", "unregistered, it only loses addr",
	       !garbage.kp.addr && garbage.maxactive == 0x5a5a5a5a);
}

static void bad_handlers(void)
{
	struct kprobe p = { .symbol_name = "t_add" };

	p.pre_handler = (kprobe_pre_handler_t)(unsigned long)t_data;
	EXPECT_EQ("BAD-INPUT", "pre_handler in data", register_kprobe(&p),
		  -EINVAL);
	p = (struct kprobe){ .symbol_name = "t_add" };
	p.post_handler = (kprobe_post_handler_t)8ul;
	EXPECT_EQ("BAD-INPUT", "post_handler not mapped", register_kprobe(&p),
		  -EINVAL);
	p = (struct kprobe){ .symbol_name = "t_add" };
	p.fault_handler = (kprobe_fault_handler_t)(unsigned long)&p;
	if (!T_STACK_IS_CODE)
		EXPECT_EQ("BAD-INPUT", "fault_handler on the stack",
			  register_kprobe(&p), -EINVAL);
	EXPECT_EQ("K-REG-45", "the text is untouched", t_text(t_add), T_ADD_FIRST);
}

static void long_names(void)
{
	unsigned long len = 100000;
	char *name = t_alloc(len);
	struct kprobe p = { .symbol_name = name };

	memset(name, 'x', len - 1);
	EXPECT("BAD-INPUT", "a name of 99,999 characters",
	       register_kprobe(&p) < 0);
	name[5] = ':';
	p.addr = NULL;
	EXPECT("BAD-INPUT", "with a colon", register_kprobe(&p) < 0);
	p = (struct kprobe){ .symbol_name = ":" };
	EXPECT("BAD-INPUT", "only a colon", register_kprobe(&p) < 0);
	p = (struct kprobe){ .symbol_name = ":t_add" };
	EXPECT("BAD-INPUT", "no module before the colon",
	       register_kprobe(&p) < 0);
	t_free(name);
}

/* Another probe's bytes, its slot, and the engine's. */
static void other_probes(void)
{
	struct kprobe p = { .symbol_name = "t_add", .offset = T_ADD_LEA };
	struct kprobe q = { .addr = T_AT(t_add, T_ADD_LEA + T_INSIDE) };

	t_register(&p);
	EXPECT_EQ("BAD-INPUT", "inside another probe's instruction",
		  register_kprobe(&q), -EILSEQ);
	if (p.ainsn.insn) {
		q = (struct kprobe){ .addr = p.ainsn.insn };
		EXPECT("BAD-INPUT", "another probe's slot",
		       register_kprobe(&q) < 0);
	}
	unregister_kprobe(&p);
	EXPECT_EQ("K-INV-05", "restored", t_text(p.addr), T_ADD_THIRD);
}

static void random_structs(void)
{
	unsigned long i, refused = 0;
	unsigned long long seed = 88172645463325252ul;
	int round;

	for (round = 0; round < 2000; round++) {
		struct kprobe p;
		unsigned char *bytes = (unsigned char *)&p;

		for (i = 0; i < sizeof(p); i++) {
			seed ^= seed << 13;
			seed ^= seed >> 7;
			seed ^= seed << 17;
			bytes[i] = (unsigned char)seed;
		}
		if (round & 1)
			p.addr = NULL;
		else
			p.symbol_name = NULL;
		refused += register_kprobe(&p) < 0;
		unregister_kprobe(&p);
	}
	EXPECT_EQ("BAD-INPUT", "2,000 random structs are refused", refused,
		  2000);
	EXPECT_EQ("K-REG-45", "the targets work", t_add(1, 2), 3);
}

void t_bad_input(void)
{
	bad_structs();
	wild_offsets();
	bad_batches();
	bad_return_probes();
	bad_handlers();
	long_names();
	other_probes();
	random_structs();
}
