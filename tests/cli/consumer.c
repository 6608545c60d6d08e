/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * consumer.c - a program that uses the library as it is installed.
 *
 * Owns: one probe in itself, found in the list, switched by its name, counted.
 */
#include <linux/kprobes.h>
#include <kprobes/control.h>

#include <stdio.h>
#include <string.h>

static volatile int hits, listed;

__attribute__((noinline)) int victim(int x)
{
	__asm__ volatile("");
	return x + 1;
}

static int before(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	hits++;
	return 0;
}

static void emit(void *arg, const char *line, size_t len)
{
	(void)arg;
	(void)len;
	listed += strstr(line, "  k  victim+0x") != NULL;
}

int main(void)
{
	struct kprobe kp = { .symbol_name = "victim", .pre_handler = before };
	int err = register_kprobe(&kp);

	if (err) {
		printf("not registered: %d, %s\n", err, kp.reason);
		return 1;
	}
	victim(1);
	kprobes_list(emit, NULL);
	err = kprobes_switch("victim", false);
	victim(2);
	unregister_kprobe(&kp);
	victim(3);
	printf("%d hits, %d listed, %d\n", hits, listed, err);
	return hits != 1 || listed != 1 || err;
}
