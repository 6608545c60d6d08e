/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * test_second.c - what functions of RISC-V do to what their second argument points to, and what
 * they may leave behind.
 *
 * Owns: little functions in a text of their own, each with the answers.
 */
#define TEXT ((uintptr_t)0x7f001000)
#include "second_text.h"

#define RET 0x8082		/* c.jr ra */

/* One of 4 bytes, as halves. */
#define W(word) (uint16_t)(word), (uint16_t)((word) >> 16)

#define CODE(what, ...) ANSWER(uint16_t, TEXT, what, __VA_ARGS__)

static void test_bare(void **state)
{
	(void)state;
	patched_at = 0;
	CODE(BARE, RET);				/* c.jr ra */
	CODE(BARE, W(0x00008067));			/* ret */
	CODE(BARE, 0x4501, RET);			/* c.li a0, 0 */
	/* hits++: lui a5, 0x80120; ld a4, 16(a5); addi a4, a4, 1; sd a4, 16(a5) */
	CODE(BARE, W(0x801207b7), W(0x0107b703), W(0x00170713), W(0x00e7b823), RET);
	/*
	 * ... where it is told from here: auipc a4, 0x12; addi a4, a4, 0x120; c.ld a5, 0(a4);
	 * c.addi a5, 1; c.sd a5, 0(a4)
	 */
	CODE(BARE, W(0x00012717), W(0x12070713), 0x631c, 0x0785, 0xe31c, RET);
	/*
	 * ... made of numbers: c.lui a5, 0x12; c.slli a5, 0x10; lui a4, 0x34; c.add a5, a4;
	 * addi a5, a5, -16; sw a4, -4(a5)
	 */
	CODE(BARE, 0x67c9, 0x07c2, W(0x00034737), 0x97ba, W(0xff078793), W(0xfee7ae23), RET);
	/*
	 * c.li a5, -1; c.slli a5, 0x3f; c.srli a5, 0x10; c.andi a5, 16; c.mv a4, a5; c.sub a4,
	 * a5; c.xor a4, a5; c.or a4, a5; c.and a4, a5; c.addw a4, a5; c.subw a4, a5; c.addiw
	 * a4, 1; c.srai a4, 2; c.sw a0, 0(a4)
	 */
	CODE(BARE, 0x57fd, 0x17fe, 0x83c1, 0x8bc1, 0x873e, 0x8f1d, 0x8f3d, 0x8f5d, 0x8f7d, 0x9f3d,
	     0x9f1d, 0x2705, 0x8709, 0xc308, RET);
	/* atomically: auipc a5, 0x12; li a4, 1; amoadd.d zero, a4, (a5) */
	CODE(BARE, W(0x00012797), W(0x00100713), W(0x00e7b02f), RET);
	/*
	 * auipc a5, 0x12; 1: lr.d a4, (a5); addi a4, a4, 1; sc.d.rl a3, a4, (a5); bnez a3, 1b;
	 * fence rw, rw
	 */
	CODE(BARE, W(0x00012797), W(0x1007b72f), W(0x00170713), W(0x1ae7b6af), W(0xfe069ae3),
	     W(0x0330000f), RET);
	/* addi sp, sp, -16; sd a5, 8(sp); addi sp, sp, 16 */
	CODE(BARE, W(0xff010113), W(0x00f13423), W(0x01010113), RET);
	/*
	 * c.addi sp, -16; c.sdsp s0, 0(sp); c.sdsp ra, 8(sp); c.addi4spn s0, sp, 16; c.ldsp
	 * ra, 8(sp); c.ldsp s0, 0(sp); c.addi sp, 16
	 */
	CODE(BARE, 0x1141, 0xe022, 0xe406, 0x0800, 0x60a2, 0x6402, 0x0141, RET);
	/*
	 * c.addi sp, -16; c.sdsp ra, 8(sp); c.sdsp s0, 0(sp); c.li s0, 0; c.ldsp s0, 0(sp);
	 * c.ldsp ra, 8(sp); c.addi sp, 16
	 */
	CODE(BARE, 0x1141, 0xe406, 0xe022, 0x4401, 0x6402, 0x60a2, 0x0141, RET);
	/* c.addi16sp sp, -64; c.swsp a0, 4(sp); c.lwsp a5, 4(sp); c.addi16sp sp, 64 */
	CODE(BARE, 0x7139, 0xc22a, 0x4792, 0x6121, RET);
	/* addi sp, sp, -16; sd ra, 8(sp); ld ra, 8(sp); addi sp, sp, 16 */
	CODE(BARE, W(0xff010113), W(0x00113423), W(0x00813083), W(0x01010113), W(0x00008067));
	CODE(BARE, 0xa011, 0xffff, RET);		/* c.j 1f; .2byte 0xffff; 1: c.jr ra */
	CODE(BARE, W(0x00000363), 0xffff, RET);		/* beq zero, zero, 1f; .2byte 0xffff; 1: c.jr ra */
	/* c.beqz a0, 1f; c.bnez a5, 1f; blt a0, a5, 1f; c.li a0, 1; 1: c.jr ra */
	CODE(BARE, 0xc509, 0xe781, W(0x00f54363), 0x4505, RET);
	CODE(BARE, W(0x00a5f363), 0x0001, RET);		/* bgeu a1, a0, 1f; c.nop; 1: c.jr ra */
	CODE(BARE, W(0x0105e783), RET);			/* lwu a5, 16(a1) */
	CODE(BARE, 0x499c, RET);			/* c.lw a5, 16(a1) */
	CODE(BARE, 0x698c, RET);			/* c.ld a1, 16(a1) */
	CODE(BARE, W(0x1005a7af), RET);			/* lr.w a5, (a1) */
	/* mul a5, a4, a3; divw a5, a5, a4; fence rw, rw */
	CODE(BARE, W(0x02d707b3), W(0x02e7c7bb), W(0x0330000f), RET);
	/* to a number: auipc t1, 0; jalr zero, 10(t1); .2byte 0xffff */
	CODE(BARE, W(0x00000317), W(0x00a30067), 0xffff, RET);
	/* auipc t1, 0; jalr zero, 11(t1); .2byte 0xffff */
	CODE(BARE, W(0x00000317), W(0x00b30067), 0xffff, RET);
	/* by what it says, but not there: auipc a5, 0; beq a5, a4, 1f; c.nop; 1: c.jr ra */
	CODE(BARE, W(0x00000797), W(0x00e78363), 0x0001, RET);
}

static void test_left_behind(void **state)
{
	(void)state;
	CODE(SPARES, W(0x00f52023), RET);		/* sw a5, 0(a0) */
	CODE(SPARES, 0xc11c, RET);			/* c.sw a5, 0(a0) */
	CODE(SPARES, 0xe51c, RET);			/* c.sd a5, 8(a0) */
	CODE(SPARES, W(0x00e527af), RET);		/* amoadd.w a5, a4, (a0) */
	CODE(SPARES, W(0x18e537af), RET);		/* sc.d a5, a4, (a0) */
	/* what a variable points to: lui a5, 0x80120; c.ld a5, 0(a5); c.sd a4, 0(a5) */
	CODE(SPARES, W(0x801207b7), 0x639c, 0xe398, RET);
	/* auipc a5, 0x12; amoswap.d a5, zero, (a5); c.sd a4, 0(a5) */
	CODE(SPARES, W(0x00012797), W(0x0807b7af), 0xe398, RET);
	/* auipc a5, 0x12; lr.d a5, (a5); c.sd a4, 0(a5) */
	CODE(SPARES, W(0x00012797), W(0x1007b7af), 0xe398, RET);
	/* with an index: lui a5, 0x80120; c.add a5, a0; c.sd a4, 0(a5) */
	CODE(SPARES, W(0x801207b7), 0x97aa, 0xe398, RET);
	/* lui a5, 0x80120; c.mv a5, a0; c.sd a4, 0(a5) */
	CODE(SPARES, W(0x801207b7), 0x87aa, 0xe398, RET);
	CODE(SPARES, W(0x00f1b023), RET);		/* sd a5, 0(gp) */
	CODE(SPARES, W(0x00f23023), RET);		/* sd a5, 0(tp) */
	CODE(SPARES, W(0x00f03023), RET);		/* sd a5, 0(zero) */
	CODE(SPARES, 0x0001, W(0x00f03023), RET);	/* c.nop; sd a5, 0(zero) */
	CODE(SPARES, 0x081c, 0xe398, RET);		/* c.addi4spn a5, sp, 16; c.sd a4, 0(a5) */
	CODE(SPARES, W(0x40f13023), RET);		/* sd a5, 1024(sp) */
	CODE(SPARES, 0xe23e, RET);			/* c.sdsp a5, 256(sp) */
	CODE(SPARES, W(0xfef13c23), RET);		/* sd a5, -8(sp) */
	CODE(SPARES, 0x812a, RET);			/* c.mv sp, a0 */
	CODE(SPARES, 0x912a, RET);			/* c.add sp, a0 */
	CODE(SPARES, W(0xff040113), RET);		/* addi sp, s0, -16 */
	CODE(SPARES, W(0xfc017113), RET);		/* andi sp, sp, -64 */
	CODE(SPARES, W(0x0101011b), RET);		/* addiw sp, sp, 16 */
	CODE(SPARES, 0x4101, RET);			/* c.li sp, 0 */
	CODE(SPARES, W(0x00012137), RET);		/* lui sp, 0x12 */
	CODE(SPARES, W(0x00012117), RET);		/* auipc sp, 0x12 */
	CODE(SPARES, 0x6102, RET);			/* c.ldsp sp, 0(sp) */
	CODE(SPARES, W(0x08f1312f), RET);		/* amoswap.d sp, a5, (sp) */
	CODE(SPARES, 0x822a, RET);			/* c.mv tp, a0 */
	CODE(SPARES, 0x01a1, RET);			/* c.addi gp, 8 */
	CODE(SPARES, W(0x00053203), RET);		/* ld tp, 0(a0) */
	/* auipc tp, 0; jalr zero, 10(tp); .2byte 0xffff */
	CODE(SPARES, W(0x00000217), W(0x00a20067), 0xffff, RET);
	/* known on one way only: c.beqz a0, 1f; lui a5, 0x80120; 1: c.sd a4, 0(a5) */
	CODE(SPARES, 0xc119, W(0x801207b7), 0xe398, RET);
}

static void test_second(void **state)
{
	(void)state;
	CODE(ANYTHING, W(0x00f58823), RET);		/* sb a5, 16(a1) */
	CODE(ANYTHING, 0xc99c, RET);			/* c.sw a5, 16(a1) */
	CODE(ANYTHING, 0xe99c, RET);			/* c.sd a5, 16(a1) */
	CODE(ANYTHING, W(0x18e5a7af), RET);		/* sc.w a5, a4, (a1) */
	CODE(ANYTHING, W(0x40e5b02f), RET);		/* amoor.d zero, a4, (a1) */
	CODE(ANYTHING, W(0x08b537af), RET);		/* amoswap.d a5, a1, (a0) */
	CODE(ANYTHING, W(0x18b537af), RET);		/* sc.d a5, a1, (a0) */
	CODE(ANYTHING, W(0x00a5b027), RET);		/* fsd fa0, 0(a1) */
	CODE(ANYTHING, 0xa188, RET);			/* c.fsd fa0, 0(a1) */
	CODE(ANYTHING, 0x87ae, RET);			/* c.mv a5, a1 */
	CODE(ANYTHING, 0x97ae, RET);			/* c.add a5, a1 */
	CODE(ANYTHING, 0x8f8d, RET);			/* c.sub a5, a1 */
	CODE(ANYTHING, 0x9fad, RET);			/* c.addw a5, a1 */
	CODE(ANYTHING, 0x0591, RET);			/* c.addi a1, 4 */
	CODE(ANYTHING, 0x2591, RET);			/* c.addiw a1, 4 */
	CODE(ANYTHING, 0x0586, RET);			/* c.slli a1, 1 */
	CODE(ANYTHING, 0x8185, RET);			/* c.srli a1, 1 */
	CODE(ANYTHING, 0x8985, RET);			/* c.andi a1, 1 */
	CODE(ANYTHING, W(0x00458793), RET);		/* addi a5, a1, 4 */
	CODE(ANYTHING, W(0x00a587b3), RET);		/* add a5, a1, a0 */
	CODE(ANYTHING, W(0x40b507bb), RET);		/* subw a5, a0, a1 */
	CODE(ANYTHING, W(0x00b53023), RET);		/* sd a1, 0(a0) */
	CODE(ANYTHING, 0xe10c, RET);			/* c.sd a1, 0(a0) */
	CODE(ANYTHING, 0xe42e, RET);			/* c.sdsp a1, 8(sp) */
	CODE(ANYTHING, 0xc42e, RET);			/* c.swsp a1, 8(sp) */
	CODE(ANYTHING, W(0xf2058553), RET);		/* fmv.d.x fa0, a1 */
	CODE(ANYTHING, W(0x14059073), RET);		/* csrw sscratch, a1 */
	/* of which another is made: c.mv a1, a0; c.sd a5, 16(a1) */
	CODE(SPARES, 0x85aa, 0xe99c, RET);
	CODE(BARE, W(0x801205b7), 0xe99c, RET);		/* lui a1, 0x80120; c.sd a5, 16(a1) */
	CODE(SPARES, 0x618c, 0xe99c, RET);		/* c.ld a1, 0(a1); c.sd a5, 16(a1) */
	/* on one way: c.beqz a0, 1f; c.mv a1, a0; 1: c.sd a5, 16(a1) */
	CODE(ANYTHING, 0xc111, 0x85aa, 0xe99c, RET);
	/* c.mv a1, a0; c.beqz a0, 1f; c.nop; 1: c.sd a5, 16(a1) */
	CODE(SPARES, 0x85aa, 0xc111, 0x0001, 0xe99c, RET);
	/* before the loop: 1: c.beqz a0, 2f; c.li a1, 0; c.j 1b; 2: c.sd a5, 16(a1) */
	CODE(ANYTHING, 0xc119, 0x4581, 0xbff5, 0xe99c, RET);
}

/* A function at OTHER, called from TEXT; what of TEXT is there already. */
static void test_called(void **state)
{
	const uint16_t load[] = { 0x699c, RET }, store[] = { 0xe99c, RET };	/* c.ld, c.sd a5, 16(a1) */

	(void)state;
	/*
	 * c.addi sp, -16; c.sdsp ra, 8(sp); c.nop; jal ra, .+0xfa; c.ldsp ra, 8(sp); c.addi
	 * sp, 16
	 */
	CODE(ANYTHING, 0x1141, 0xe406, 0x0001, W(0x0fa000ef), 0x60a2, 0x0141, RET);
	memcpy(text + OTHER, load, sizeof(load));
	assert_int_equal(answer(TEXT), SPARES);
	memcpy(text + OTHER, store, sizeof(store));
	assert_int_equal(answer(TEXT), ANYTHING);
	/*
	 * as modules call: c.addi sp, -16; c.sdsp ra, 8(sp); auipc ra, 0; jalr ra, 0xfc(ra);
	 * c.ldsp ra, 8(sp); c.addi sp, 16
	 */
	CODE(ANYTHING, 0x1141, 0xe406, W(0x00000097), W(0x0fc080e7), 0x60a2, 0x0141, RET);
	memcpy(text + OTHER, load, sizeof(load));
	assert_int_equal(answer(TEXT), SPARES);
	patched_at = TEXT + 8;
	assert_int_equal(answer(TEXT), ANYTHING);
	patched_at = 0;
	memcpy(text + OTHER, store, sizeof(store));
	assert_int_equal(answer(TEXT), ANYTHING);
	CODE(ANYTHING, W(0x00000317), W(0x10030067));	/* auipc t1, 0; jalr zero, 0x100(t1) */
	memcpy(text + OTHER, load, sizeof(load));
	assert_int_equal(answer(TEXT), BARE);
}

static void test_followed(void **state)
{
	(void)state;
	CODE(ANYTHING, 0xc111, RET, 0xe99c, RET);	/* c.beqz a0, 1f; c.jr ra; 1: c.sd a5, 16(a1) */
	CODE(ANYTHING, 0xe111, RET, 0xe99c, RET);	/* c.bnez a0, 1f; c.jr ra; 1: c.sd a5, 16(a1) */
	CODE(ANYTHING, W(0x00f56363), RET, 0xe99c, RET);	/* bltu a0, a5, 1f; c.jr ra; 1: c.sd a5, 16(a1) */
	CODE(ANYTHING, 0xa011, RET, 0xe99c, RET);	/* c.j 1f; c.jr ra; 1: c.sd a5, 16(a1) */
	CODE(ANYTHING, W(0x0060006f), RET, 0xe99c, RET);	/* j 1f; c.jr ra; 1: c.sd a5, 16(a1) */
	CODE(ANYTHING, W(0x00f50363), 0xe99c, RET);	/* beq a0, a5, 1f; c.sd a5, 16(a1); 1: c.jr ra */
	CODE(ANYTHING, 0x9782, RET);			/* c.jalr a5 */
	CODE(ANYTHING, 0x8782);				/* c.jr a5 */
	CODE(ANYTHING, W(0x00408067));			/* jr 4(ra) */
	CODE(ANYTHING, W(0x000080e7));			/* jalr ra, 0(ra) */
	CODE(ANYTHING, W(0x000082e7));			/* jalr t0, 0(ra) */
	CODE(ANYTHING, W(0x004002ef), RET);		/* jal t0, 1f; 1: c.jr ra */
	CODE(ANYTHING, W(0x00000297), W(0x008282e7), RET);	/* auipc t0, 0; jalr t0, 8(t0) */
	/* a call, of what is behind: auipc t1, 0; jalr ra, 8(t1) */
	CODE(SPARES, W(0x00000317), W(0x008300e7), RET);
	CODE(ANYTHING, W(0x00000097), W(0x00808067), RET);	/* auipc ra, 0; jalr zero, 8(ra) */
	/* auipc t1, 0; c.nop; jalr zero, 10(t1) */
	CODE(ANYTHING, W(0x00000317), 0x0001, W(0x00a30067), RET);
	CODE(ANYTHING, W(0x00000317), W(0x00838067), RET);	/* auipc t1, 0; jalr zero, 8(t2) */
	CODE(ANYTHING, W(0x00000017), W(0x00800067), RET);	/* auipc zero, 0; jalr zero, 8(zero) */
	CODE(ANYTHING, W(0x00000097), RET);		/* auipc ra, 0 */
	/* between the two: c.beqz a0, 1f; auipc t1, 0; 1: jalr zero, 8(t1) */
	CODE(ANYTHING, 0xc119, W(0x00000317), W(0x00830067), RET);
	CODE(ANYTHING, W(0x00000073), RET);		/* ecall */
	CODE(ANYTHING, W(0x00100073), RET);		/* ebreak */
	CODE(ANYTHING, 0x9002, RET);			/* c.ebreak */
	CODE(ANYTHING, 0x0000, RET);			/* .2byte 0 */
	CODE(ANYTHING, W(0x10200073));			/* sret */
	CODE(ANYTHING, W(0x10500073), RET);		/* wfi */
	CODE(ANYTHING, W(0x0000100f), RET);		/* fence.i */
	CODE(ANYTHING, W(0x12000073), RET);		/* sfence.vma */
	CODE(ANYTHING, W(0x100027f3), RET);		/* csrr a5, sstatus */
	CODE(ANYTHING, W(0x10017073), RET);		/* csrci sstatus, 2 */
	CODE(ANYTHING, W(0xc01027f3), RET);		/* rdtime a5 */
	CODE(ANYTHING, W(0x00052507), RET);		/* flw fa0, 0(a0) */
	CODE(ANYTHING, W(0x00a53027), RET);		/* fsd fa0, 0(a0) */
	CODE(ANYTHING, 0x2108, RET);			/* c.fld fa0, 0(a0) */
	CODE(ANYTHING, 0x2502, RET);			/* c.fldsp fa0, 0(sp) */
	CODE(ANYTHING, 0xa02a, RET);			/* c.fsdsp fa0, 0(sp) */
	CODE(ANYTHING, W(0x02b57553), RET);		/* fadd.d fa0, fa0, fa1 */
	/* hlv.d a0, (a1): .4byte 0x6c05c573 */
	CODE(ANYTHING, W(0x6c05c573), RET);
	/* of vectors, not known: .4byte 0x0205f057 */
	CODE(ANYTHING, W(0x0205f057), RET);
	/* of 6 bytes: .2byte 0x001f, 0, 0 */
	CODE(ANYTHING, W(0x0000001f), 0x0000, RET);
	/* of 8: .2byte 0x003f, 0, 0, 0 */
	CODE(ANYTHING, W(0x0000003f), 0x0000, 0x0000, RET);
	/* c.lui ra, 0: .2byte 0x6081 */
	CODE(ANYTHING, 0x6081, RET);
	CODE(ANYTHING, 0x80be, RET);			/* c.mv ra, a5 */
	CODE(ANYTHING, 0x0089, RET);			/* c.addi ra, 2 */
	CODE(ANYTHING, W(0x00053083), RET);		/* ld ra, 0(a0) */
	CODE(ANYTHING, W(0x00812083), RET);		/* lw ra, 8(sp) */
	CODE(ANYTHING, 0x40a2, RET);			/* c.lwsp ra, 8(sp) */
	CODE(ANYTHING, W(0x10013083), RET);		/* ld ra, 256(sp) */
	CODE(ANYTHING, W(0xff813083), RET);		/* ld ra, -8(sp) */
	CODE(ANYTHING, W(0x100130af), RET);		/* lr.d ra, (sp) */
	CODE(ANYTHING, W(0x18f130af), RET);		/* sc.d ra, a5, (sp) */
	CODE(ANYTHING, W(0x08f130af), RET);		/* amoswap.d ra, a5, (sp) */
	CODE(ANYTHING, 0xe43e, 0x60a2, RET);		/* c.sdsp a5, 8(sp); c.ldsp ra, 8(sp) */
	CODE(ANYTHING, 0xc406, 0x60a2, RET);		/* c.swsp ra, 8(sp); c.ldsp ra, 8(sp) */
	CODE(ANYTHING, W(0x00f1302f), 0x6082, RET);	/* amoadd.d zero, a5, (sp); c.ldsp ra, 0(sp) */
	CODE(ANYTHING, 0xe43e, 0xa009, 0x60a2, RET);	/* c.sdsp a5, 8(sp); c.j 1f; 1: c.ldsp ra, 8(sp) */
	/* c.sdsp a5, 8(sp); c.beqz a0, 1f; c.nop; 1: c.ldsp ra, 8(sp) */
	CODE(ANYTHING, 0xe43e, 0xc111, 0x0001, 0x60a2, RET);
	/* c.beqz a0, 1f; c.nop; c.sdsp a5, 8(sp); 1: c.ldsp ra, 8(sp) */
	CODE(ANYTHING, 0xc119, 0x0001, 0xe43e, 0x60a2, RET);
	/* into nothing: c.nop */
	CODE(ANYTHING, 0x0001);
}

/* What a module's function begins with, for ftrace. */
static void test_patched(void **state)
{
	(void)state;
	/* c.nop; c.nop; c.nop; c.nop; c.li a0, 0 */
	CODE(BARE, 0x0001, 0x0001, 0x0001, 0x0001, 0x4501, RET);
	CODE(BARE, W(0x00000013), W(0x00000013), 0x4501, RET);	/* nop; nop; c.li a0, 0 */
	CODE(BARE, W(0x00fff297), W(0x00000013), 0x4501, RET);	/* auipc t0, 0xfff; nop; c.li a0, 0 */
	/* auipc t0, 0; jalr t0, 8(t0); c.li a0, 0 */
	CODE(ANYTHING, W(0x00000297), W(0x008282e7), 0x4501, RET);
	patched_at = TEXT + 2;
	CODE(ANYTHING, W(0x00000013), RET);		/* nop */
	CODE(ANYTHING, 0x0001, 0x0001, RET);		/* c.nop; c.nop */
	patched_at = TEXT + 4;
	CODE(ANYTHING, W(0x00fff297), W(0x00000013), RET);	/* auipc t0, 0xfff; nop */
	CODE(BARE, 0xa021, 0x0001, W(0x00000013), RET);	/* c.j 1f; c.nop; nop; 1: c.jr ra */
	CODE(ANYTHING, 0xa011, 0x0001, RET);		/* c.j 1f; c.nop; 1: c.jr ra */
	patched_at = TEXT + LEN - 2;
	CODE(BARE, RET);				/* c.jr ra */
	patched_at = 0;
}

/* c.nop, wherever it is. */
static int read_nothing(uint8_t *dst, uintptr_t addr, size_t len)
{
	(void)addr;
	memset(dst, 0, len);
	dst[0] = 1;
	return 0;
}

/* More than can be counted: branches, instructions. */
static void test_too_many(void **state)
{
	const uint16_t ret = RET, branch = 0xc119;	/* c.beqz a0, 6 bytes on */
	size_t i;

	(void)state;
	for (i = 0; i < LEN - 8; i += 2)
		memcpy(text + i, &branch, sizeof(branch));
	for (; i < LEN; i += 2)
		memcpy(text + i, &ret, sizeof(ret));
	assert_int_equal(answer(TEXT), ANYTHING);
	assert_false(kp_arch_spares_second(TEXT, read_nothing, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bare),
		cmocka_unit_test(test_left_behind),
		cmocka_unit_test(test_second),
		cmocka_unit_test(test_called),
		cmocka_unit_test(test_followed),
		cmocka_unit_test(test_patched),
		cmocka_unit_test(test_too_many),
	};

	return cmocka_run_group_tests_name("rv_second", tests, NULL, NULL);
}
