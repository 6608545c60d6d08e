/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * unaligned.c - stores of several words off their boundary, to memory that is watched by its
 * pages: a kernel makes them for the program, and is refused.
 *
 * Owns: such stores of both sets, on one page, on two, and beside what is watched; and those that
 * are the program's own fault.  In a kernel: qemu-user has nobody who makes them.
 */
#include "paged.h"

#include <setjmp.h>

void stores_arm(void *at), stores_thumb(void *at);
__asm__(".text; .syntax unified\n"
	".arm; .globl stores_arm; .type stores_arm, %function\n"
	"stores_arm: mov r2, #1; mov r3, #2; strd r2, r3, [r0]; stmib r0, {r2, r3}; stmdb r0, {r2, r3}; bx lr\n"
	".size stores_arm, . - stores_arm\n"
	".thumb; .globl stores_thumb; .type stores_thumb, %function; .thumb_func\n"
	"stores_thumb: movs r2, #1; movs r3, #2; strd r2, r3, [r0]; adds r1, r0, #4; stm r1!, {r2, r3}\n"
	"stmdb r0, {r2, r3}; bx lr\n"
	".size stores_thumb, . - stores_thumb\n"
	".arm\n");

static void (*const stores[])(void *) = { stores_arm, stores_thumb };

/* From 8 bytes before it on. */
static bool is_stored(const char *at)
{
	static const unsigned int words[] = { 1, 2, 1, 1, 2 };

	return !memcmp(at - 8, words, sizeof(words));
}

static void one_page(void)
{
	struct wprobe wp = watched(KP_WATCH_WRITE);
	unsigned int i, off;

	must(&wp);
	for (i = 0; i < 2; i++)
		for (off = 9; off < 12; off++) {
			memset(object, 0, LEN);
			told();
			stores[i](object + off);
			NEED(is_stored(object + off) && told() == 3 && !wp.kp.nmissed);
		}
	unregister_wprobe(&wp);
}

static void two_pages(void)
{
	struct wprobe wp;
	unsigned int i;

	take_memory();
	wp = of(memory + PAGE, 2 * PAGE, KP_WATCH_WRITE);
	must(&wp);
	for (i = 0; i < 2; i++) {
		memset(memory + 2 * PAGE - 16, 0, 32);
		told();
		stores[i](memory + 2 * PAGE - 3);
		NEED(is_stored(memory + 2 * PAGE - 3) && told() == 3 && !wp.kp.nmissed);
	}
	unregister_wprobe(&wp);
}

static sigjmp_buf back;

static void jump(int sig)
{
	siglongjmp(back, sig);
}

static void own_fault(void)
{
	struct wprobe wp = watched(KP_WATCH_WRITE);
	unsigned int i;
	int sig;

	must(&wp);
	signal(SIGSEGV, jump);
	for (i = 0; i < 2; i++) {
		sig = sigsetjmp(back, 1);
		if (!sig)
			stores[i](memory + 3 * PAGE + 17);
		NEED(sig == SIGSEGV);
	}
	NEED(!told());
	stores[0](object + 9);
	NEED(told() == 3);
	unregister_wprobe(&wp);
}

int main(void)
{
	child_case("K-WAT-30 off their boundary", one_page);
	child_case("K-WAT-30 off their boundary, on two pages", two_pages);
	child_case("K-WAT-34 off their boundary, the program's own", own_fault);
	return live_failed;
}
