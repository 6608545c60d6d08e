/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * wide.c - what a handler does to vector registers, mask registers, tiles and the
 * x87 stack does not reach the probed code, nor a return probe's the caller
 * (K-HIT-34, K-RET-34); nor what it does to errno.
 *
 * All of the processor's state that a program may use is filled with a pattern,
 * a function is called that changes none of it, and the state is read back.  What
 * there is of it depends on the machine: from x87 and SSE, by fxsave, to AMX.
 */
#include "jumps.h"

#include <cpuid.h>
#include <sys/syscall.h>

#define LEGACY_LEN	576
#define STATE_LEN	16384
#define WANTED		0xe7ul		/* x87, SSE, AVX, masks, ZMM */
#define TILE_CONFIG	17
#define TILE_DATA	18
#define TILES		(1ul << TILE_CONFIG | 1ul << TILE_DATA)
#define REQUEST_COMPONENT 0x1023	/* of arch_prctl */

struct state {
	uint8_t bytes[STATE_LEN];
} __attribute__((aligned(64)));

struct state pattern, before, after;
static struct state expected;		/* after, without a probe */
static struct state empty, full;
static unsigned long mask;
int legacy;				/* there is no xsave */

/* wide_call(): load pattern, call wide_target, save to after; as before. */
__asm__(".text\n"
	".macro move what, state\n"
	"	mov %ebx, %eax\n	xor %edx, %edx\n"
	"	cmpl $0, legacy(%rip)\n"
	"	jne 1f\n"
	"	x\\what\\()64 \\state\\()(%rip)\n"
	"	jmp 2f\n"
	"1:	fx\\what\\()64 \\state\\()(%rip)\n"
	"2:\n"
	".endm\n"
	".globl wide_target\n.type wide_target, @function\n"
	"wide_target:\n"
	"	mov $7, %eax\n"
	"	ret\n"
	".size wide_target, . - wide_target\n"
	".type wide_call, @function\n"
	"wide_call:\n"
	"	push %rbx\n"
	"	mov %rdi, %rbx\n"
	"	move save, before\n"
	"	move rstor, pattern\n"
	"	call wide_target\n"
	"	move save, after\n"
	"	move rstor, before\n"
	"	pop %rbx\n"
	"	ret\n"
	".size wide_call, . - wide_call\n");
void wide_call(unsigned long mask);
long wide_target(void);

/* ---- handlers ------------------------------------------------------------- */

static long handled;

static void load(const struct state *state)
{
	handled++;
	errno = EDOM;
	if (legacy)
		__asm__ volatile("fxrstor64 %0" :: "m"(*state));
	else
		__asm__ volatile("xrstor64 %0"
				 :: "m"(*state), "a"(mask), "d"(0ul));
}

static void wipe(void)
{
	static const unsigned int round_down = 0x3f80;

	load(&empty);
	__asm__ volatile("fld1\n	fldpi\n	ldmxcsr %0" :: "m"(round_down));
}

/* Inline: what a handler is seen to use depends on its own code. */
static inline __attribute__((always_inline)) void wipe_low(void)
{
	handled++;
	__asm__ volatile("pxor %%xmm0,%%xmm0; pxor %%xmm7,%%xmm7;"
			 "pxor %%xmm15,%%xmm15"
			 ::: "xmm0", "xmm7", "xmm15");
}

static int wipes_all(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	(void)ri;
	(void)regs;
	wipe();
	return 0;
}

static int pre_wipes(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	wipe();
	return 0;
}

/* Uses whatever there is. */
static int pre_fills(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	load(&full);
	return 0;
}

static long jprobe_wipes(void)
{
	wipe();
	jprobe_return();
	return 0;
}

static long jprobe_fills(void)
{
	load(&full);
	jprobe_return();
	return 0;
}

static void post_wipes(struct kprobe *p, struct pt_regs *regs,
		       unsigned long flags)
{
	(void)p;
	(void)regs;
	(void)flags;
	wipe();
}

static int pre_wipes_low(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	wipe_low();
	return 0;
}

static int pre_counts(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	handled++;
	return 0;
}

static int wipes_low(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	(void)ri;
	(void)regs;
	wipe_low();
	return 0;
}

static int counts(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	(void)ri;
	(void)regs;
	handled++;
	return 0;
}

/* ---- the pattern ------------------------------------------------------------ */

static void fill(size_t at, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		pattern.bytes[at + i] = (uint8_t)(at * 7 + i * 13 + 1);
}

/* What of the processor's state may be used here. */
static void find_mask(void)
{
	unsigned int a, b, c, d, low, high;

	mask = 3;
	legacy = !__get_cpuid(1, &a, &b, &c, &d) || !(c & 1u << 27);
	if (legacy)
		return;
	__asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	mask = low & WANTED;
	if ((low & TILES) == TILES &&
	    !syscall(SYS_arch_prctl, REQUEST_COMPONENT, TILE_DATA))
		mask |= TILES;
}

/* Where a component is; its length, or 0. */
static size_t component(unsigned int i, size_t *at)
{
	unsigned int a, b, c, d;

	if (!(mask & 1ul << i))
		return 0;
	__cpuid_count(13, i, a, b, c, d);
	*at = b;
	return a;
}

/* All eight of a size: what is no legal shape would not be loaded. */
static void shape(struct state *state, uint8_t rows, uint8_t row_len)
{
	size_t at, len = component(TILE_CONFIG, &at);
	int i;

	if (!len)
		return;
	memset(state->bytes + at, 0, len);
	state->bytes[at] = 1;			/* the palette */
	for (i = 0; i < 8; i++) {
		state->bytes[at + 16 + 2 * i] = row_len;
		state->bytes[at + 48 + i] = rows;
	}
}

static bool prepare(void)
{
	unsigned int i;
	size_t at, len;

	find_mask();
	/* Three numbers on the x87 stack; the control words as they are. */
	__asm__ volatile("fld1\n	fldpi\n	fldl2e\n	fxsave64 %0\n"
			 "	fstp %%st(0)\n	fstp %%st(0)\n	fstp %%st(0)"
			 : "+m"(pattern));
	memset(pattern.bytes + 416, 0, LEGACY_LEN - 416);
	fill(160, 256);
	for (i = 2; i <= TILE_DATA; i++) {
		len = component(i, &at);
		if (len && at + len > STATE_LEN)
			return false;
		if (len)
			fill(at, len);
	}
	memcpy(pattern.bytes + 512, &mask, sizeof(mask));
	memcpy(empty.bytes, pattern.bytes, 32);
	full = pattern;
	for (i = 160; i < STATE_LEN; i++)
		if (i < 416 || i >= LEGACY_LEN)
			full.bytes[i] ^= 0x55;
	shape(&pattern, 16, 64);
	shape(&full, 7, 20);
	return true;
}

/* All but the header, and what is reserved or about the last instruction. */
static size_t difference(void)
{
	size_t i;

	for (i = 0; i < STATE_LEN; i++)
		if ((i < 8 || (i >= 24 && i < 28) || (i >= 32 && i < 416) ||
		     i >= LEGACY_LEN) && expected.bytes[i] != after.bytes[i])
			return i;
	return 0;
}

/* A hundred calls: where the state was not as expected, or 0. */
static size_t call_often(void)
{
	size_t at = 0;
	int i;

	handled = 0;
	for (i = 0; i < 100 && !at; i++) {
		memset(&after, 0, sizeof(after));
		wide_call(mask);
		at = difference();
	}
	if (at)
		printf("# offset %zu of the state\n", at);
	return at;
}

/* Only those components are in use, and what the others are then. */
static void use(unsigned long components)
{
	components &= mask;
	memcpy(pattern.bytes + 512, &components, sizeof(components));
	memset(&after, 0, sizeof(after));
	wide_call(mask);
	expected = after;
	printf("# components 0x%lx\n", components);
}

static void with(const char *name, kretprobe_handler_t handler)
{
	struct kretprobe rp = { .kp.addr = (void *)wide_target,
				.handler = handler };
	char text[120];
	size_t at;

	snprintf(text, sizeof(text), "K-RET-34 register, %s", name);
	EXPECT(text, !handler || !register_kretprobe(&rp));
	at = call_often();
	snprintf(text, sizeof(text), "K-RET-34 vectors, masks, x87: %s", name);
	EXPECT(text, !at && handled == (handler ? 100 : 0));
	if (handler)
		unregister_kretprobe(&rp);
}

/* The same for a kprobe. */
static void probed(const char *name, kprobe_pre_handler_t pre,
		   kprobe_post_handler_t post, bool jump)
{
	struct kprobe p = { .addr = (void *)wide_target, .pre_handler = pre,
			    .post_handler = post };
	int err, wanted = 100 * ((pre != NULL) + (post != NULL));
	char text[120];
	size_t at;

	kprobes_set_optimization(jump);
	snprintf(text, sizeof(text), "K-HIT-34 vectors, masks, x87, errno: %s, %s",
		 name, jump ? "through a jump" : "on the breakpoint");
	err = register_kprobe(&p);
	kprobes_flush();
	EXPECT("K-HIT-34 it is one or the other", !err &&
	       jumps_count((void *)wide_target).jumps == jump);
	errno = 0;
	at = call_often();
	EXPECT(text, !at && !errno && handled == wanted);
	unregister_kprobe(&p);
	kprobes_flush();
}

static void entered(const char *name, void *entry, bool jump)
{
	struct jprobe jp = { .kp.addr = (void *)wide_target, .entry = entry };
	char text[120];
	size_t at;
	int err;

	kprobes_set_optimization(jump);
	snprintf(text, sizeof(text), "K-JP-05 vectors, masks, x87, errno: %s, %s",
		 name, jump ? "through a jump" : "on the breakpoint");
	err = register_jprobe(&jp);
	kprobes_flush();
	errno = 0;
	at = call_often();
	EXPECT(text, !err && !at && !errno && handled == 100);
	unregister_jprobe(&jp);
	kprobes_flush();
}

int main(void)
{
	static const unsigned long in_use[] = {
		~0ul, ~1ul, 0, 2, 3, 6, 7, 0x46, 0x82, 0xa2, 0x22, 0x23,
		~TILES, TILES, TILES | 7, 1ul << TILE_CONFIG,
	};
	unsigned int i;
	int jump;

	EXPECT("K-RET-34 the processor's state can be looked at", prepare());
	use(~0ul);
	EXPECT("K-RET-34 the pattern is seen", !memcmp(pattern.bytes + 160,
						       after.bytes + 160, 256));
	with("no handler", NULL);
	with("a handler that uses general registers", counts);
	with("a handler that changes xmm registers", wipes_low);
	with("a handler that changes all", wipes_all);
	for (jump = 0; jump < 2; jump++) {
		probed("a pre handler that uses general registers", pre_counts,
		       NULL, jump);
		probed("one that changes xmm registers", pre_wipes_low, NULL,
		       jump);
		probed("one that changes all", pre_wipes, NULL, jump);
		probed("a post handler that changes all", NULL, post_wipes,
		       jump);
		probed("one that uses all", pre_fills, NULL, jump);
		probed("both", pre_wipes, post_wipes, jump);
		entered("a jprobe that changes all", jprobe_wipes, jump);
		entered("a jprobe that uses all", jprobe_fills, jump);
	}
	for (i = 0; i < sizeof(in_use) / sizeof(in_use[0]); i++) {
		use(in_use[i]);
		with("a handler that changes all", wipes_all);
		probed("one that changes xmm registers", pre_wipes_low, NULL,
		       true);
		probed("one that uses all", pre_fills, NULL, true);
		probed("both", pre_wipes, post_wipes, true);
		entered("a jprobe that uses all", jprobe_fills, true);
	}
	return live_failed;
}
