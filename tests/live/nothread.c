/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * nothread.c - where no thread can be made, nothing is put off.
 *
 * The library finds this program's pthread_create.
 */
#include "live.h"

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

static unsigned char first_byte(void)
{
	return *(volatile unsigned char *)(unsigned long)live_target;
}

static void at_once(void)
{
	struct kprobe p = {
		.addr = (kprobe_opcode_t *)(unsigned long)live_target,
		.pre_handler = live_pre,
	};
	unsigned char original = first_byte();
	long before = live_hits;
	int i;

	kprobes_set_optimization(true);
	for (i = 0; i < 3; i++) {
		p.flags = 0;
		NEED(!register_kprobe(&p) && asked > i);
		NEED(first_byte() == 0xe9);
		NEED(live_target(1) == 2 && live_hits == before + i + 1);
		NEED(!disable_kprobe(&p) && first_byte() == original);
		NEED(!enable_kprobe(&p) && first_byte() == 0xe9);
		unregister_kprobe(&p);
		NEED(first_byte() == original);
	}
}

int main(void)
{
	child_case("without threads jumps are written at once", at_once);
	return live_failed;
}
