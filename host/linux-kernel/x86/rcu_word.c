// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * rcu_word.c - where a kernel keeps that RCU watches this CPU.
 *
 * Owns: that word's place on kernels that show it to no module (before 5.18).  It
 * lies in a per-CPU struct whose layout no header has, and rcu_is_watching() says
 * where, by what it is compiled to:
 *
 *	48 c7 c0 imm32		mov $rcu_data, %rax
 *	65 48 03 05 disp32	add %gs:this_cpu_off(%rip), %rax
 *	8b 80 disp32		mov disp(%rax), %eax
 *	d1 e8			shr %eax
 *	83 e0 01		and $1, %eax
 *
 * Nothing else is taken for it: then the function is asked at each hit.  In interrupts
 * RCU watches, so in some of each CPU, between which the word has changed where the CPU
 * was idle, the bit is looked for.
 *
 * No locks: kp_rcu_at is written before the engine starts.
 */
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>
#include "local.h"

#ifdef KP_RCU_IS_FOUND

#define LOOKS 32
#define LOOK_INTO 32		/* bytes of the function: before it preemption goes off */

static DEFINE_PER_CPU(unsigned int, unknown);
unsigned int __percpu *kp_rcu_at = &unknown;

/* The code, and which bytes are as here. */
static const uint8_t code[] = {
	0x48, 0xc7, 0xc0, 0, 0, 0, 0,
	0x65, 0x48, 0x03, 0x05, 0, 0, 0, 0,
	0x8b, 0x80, 0, 0, 0, 0,
	0xd1, 0xe8, 0x83, 0xe0, 0x01,
};
static const uint8_t same[sizeof(code)] = {
	1, 1, 1, 0, 0, 0, 0,
	1, 1, 1, 1, 0, 0, 0, 0,
	1, 1, 0, 0, 0, 0,
	1, 1, 1, 1, 1,
};
#define STRUCT_AT 3
#define WORD_AT 17

static bool is_code(const uint8_t *text)
{
	size_t i;

	for (i = 0; i < sizeof(code); i++)
		if (same[i] && text[i] != code[i])
			return false;
	return true;
}

/* The word's address for per-CPU accesses, or 0. */
static uintptr_t find(uintptr_t function, uintptr_t data)
{
	uint8_t text[LOOK_INTO + sizeof(code)];
	int32_t in_text, offset;
	size_t i;

	if (!function || !data ||
	    kp_host_text_read(text, function, sizeof(text)))
		return 0;
	for (i = 0; i < LOOK_INTO; i++) {
		if (!is_code(text + i))
			continue;
		memcpy(&in_text, text + i + STRUCT_AT, sizeof(in_text));
		memcpy(&offset, text + i + WORD_AT, sizeof(offset));
		return (uintptr_t)in_text == data ? data + offset : 0;
	}
	return 0;
}

struct look {
	unsigned int __percpu *word;
	atomic_t without;
};

static void look(void *arg)
{
	struct look *l = arg;

	if (!(raw_cpu_read(*l->word) & KP_RCU_WATCHING))
		atomic_inc(&l->without);
}

void kp_rcu_start(void)
{
	uintptr_t at = find(kp_symbols_find("rcu_is_watching"),
			    kp_symbols_find("rcu_data"));
	struct look l = { .word = (unsigned int __percpu *)at };
	int i;

	for (i = 0; at && i < LOOKS; i++)
		on_each_cpu(look, &l, 1);
	if (at && !atomic_read(&l.without))
		kp_rcu_at = (unsigned int __percpu *)at;
	else
		pr_info("kprobes: a hit through a jump takes the long way: where this kernel notes that RCU watches is not known\n");
}

#else

void kp_rcu_start(void)
{
}

#endif
