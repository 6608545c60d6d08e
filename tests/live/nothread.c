/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * nothread.c - where no thread can be made, nothing is put off.
 *
 * The library finds this program's pthread_create.
 */
#include "live.h"
#include "processor.h"

#include <kprobes/control.h>

static int asked;

int pthread_create(pthread_t *thread, const pthread_attr_t *attr,
		   void *(*fn)(void *arg), void *arg)
{
	(void)thread;
	(void)attr;
	(void)fn;
	(void)arg;
	asked++;
	return EAGAIN;
}

static kprobe_opcode_t first_word(void)
{
	return *(volatile kprobe_opcode_t *)(unsigned long)live_target;
}

static bool jumps(void)
{
	__asm__ volatile("" ::: "memory");
	return is_jump((void *)(unsigned long)live_target);
}

static void at_once(void)
{
	struct kprobe p = {
		.addr = (kprobe_opcode_t *)(unsigned long)live_target,
		.pre_handler = live_pre,
	};
	kprobe_opcode_t original = first_word();
	long before = live_hits;
	int i;

	kprobes_set_optimization(true);
	for (i = 0; i < 3; i++) {
		p.flags = 0;
		NEED(!register_kprobe(&p) && asked > i);
		NEED(jumps());
		NEED(live_target(1) == 2 && live_hits == before + i + 1);
		NEED(!disable_kprobe(&p) && first_word() == original);
		NEED(!enable_kprobe(&p) && jumps());
		unregister_kprobe(&p);
		NEED(first_word() == original);
	}
}

int main(void)
{
	child_case("without threads jumps are written at once", at_once);
	return live_failed;
}
