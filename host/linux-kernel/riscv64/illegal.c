// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * illegal.c - do instructions trap that are none?
 *
 * Owns: trying those of which jumps can make use (arch/riscv64/detour.c).  The manual leaves
 * it to the processor what it does with encodings that are reserved: most take them for
 * illegal instructions.  Each is executed once, as an access that may fault: the kernel looks
 * an illegal instruction up in the table of exceptions, too.  Where one does anything else,
 * none is used.
 *
 * Written once, before the first probe.
 */
#include <asm/asm-extable.h>
#include "local.h"
#include "resume.h"

#define TRY_LEN 6			/* the instruction; c.li a0, 0; ret */
#define TRIES_MAX 16

bool kp_illegal_traps;

/*
 * long kp_illegal_try(const void *code, void *scratch): calls it, scratch being what s0 is,
 * in case that it is a load or a store; 1 when it has trapped.
 */
#define TRY(half)							\
	"1:	.hword " #half "\n"					\
	"	c.li a0, 0\n"						\
	"	ret\n"							\
	_ASM_EXTABLE(1b, kp_illegal_trapped)
asm(".pushsection .text\n"
    ".balign 4\n"
    ".type kp_illegal_tries, %function\n"
    "kp_illegal_tries:\n"
    TRY(0x9000) TRY(0x9004) TRY(0x9008) TRY(0x900c)
    TRY(0x400e) TRY(0x400a) TRY(0x4006) TRY(0x4002)
    "kp_illegal_trapped:\n"
    "	li a0, 1\n"
    "	ret\n"
    ".size kp_illegal_tries, . - kp_illegal_tries\n"
    ".type kp_illegal_try, %function\n"
    "kp_illegal_try:\n"
    "	addi sp, sp, -80\n"
    "	sd ra, 72(sp)\n"
    "	sd s0, 64(sp)\n"
    "	mv s0, a1\n"
    "	jalr a0\n"
    "	ld ra, 72(sp)\n"
    "	ld s0, 64(sp)\n"
    "	addi sp, sp, 80\n"
    "	ret\n"
    ".size kp_illegal_try, . - kp_illegal_try\n"
    ".popsection\n");
extern const u8 kp_illegal_tries[], kp_illegal_trapped[];
long kp_illegal_try(const void *code, void *scratch);

static bool traps(u16 half, const u8 *code)
{
	u64 scratch[32];

	return code < kp_illegal_trapped && !memcmp(code, &half, sizeof(half)) &&
	       kp_illegal_try(code, &scratch[16]) == 1;
}

void kp_illegal_start(void)
{
	u16 halves[TRIES_MAX];
	size_t nr = kp_rv_reserved(halves, TRIES_MAX), i = 0;

	while (i < nr && traps(halves[i], kp_illegal_tries + i * TRY_LEN))
		i++;
	kp_illegal_traps = i == nr;
}
