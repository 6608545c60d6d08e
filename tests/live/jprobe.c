// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * jprobe.c - jprobes on every kind of argument.
 *
 * Owns: what only a process can show: floating point, vectors of all widths,
 * structs by value, variable arguments, and what a handler does to its copies.
 * Each handler compares its arguments with what the caller passed, then spoils
 * them; the function must not notice.
 */
#include "jumps.h"

#include <dlfcn.h>
#include <immintrin.h>
#include <stdarg.h>

#define TARGET __attribute__((noinline, noclone, used))

static int entered, right;

static void arm(struct jprobe *jp, void *function, void *entry)
{
	int err;

	*jp = (struct jprobe){
		.kp.addr = (kprobe_opcode_t *)function,
		.entry = JPROBE_ENTRY(entry),
	};
	err = register_jprobe(jp);
	if (err)
		printf("not ok register_jprobe %d %s\n", err,
		       jp->kp.reason ? jp->kp.reason : "");
	else if (!jumps_settle(function))
		printf("not ok jprobe: not through what was wanted: %s\n",
		       jp->kp.reason ? jp->kp.reason : "");
	entered = right = 0;
}

#define HANDLED(ok) do { entered++; right += (ok); } while (0)
/* The handler ran nr times and saw the right arguments each time. */
#define SAW(nr) (entered == (nr) && right == (nr))

/* ---- integers, pointers, more than there are registers --------------------- */

static TARGET long integers(char a, unsigned short b, int c, long d, void *e,
			    unsigned char f, signed char g, short h, long i,
			    const char *j)
{
	__asm__ volatile("");
	return a + b + c + d + *(int *)e + f + g + h + i + j[0];
}

static TARGET long j_integers(char a, unsigned short b, int c, long d, void *e,
			      unsigned char f, signed char g, short h, long i,
			      const char *j)
{
	HANDLED(a == 'a' && b == 65535 && c == -3 && d == 1l << 40 &&
		*(int *)e == 77 && f == 255 && g == -128 && h == -300 &&
		i == -(1l << 41) && !strcmp(j, "tenth"));
	/* Registers and stack: all of it is a copy. */
	a = 0, b = 0, c = 0, d = 0, e = NULL, f = 0, g = 0, h = 0, i = 0, j = NULL;
	__asm__ volatile("" :: "r"(a), "r"(b), "r"(c), "r"(d), "r"(e), "m"(g),
			 "m"(h), "m"(i), "m"(j), "r"(f) : "memory");
	jprobe_return();
	HANDLED(0);			/* never */
	return 0;
}

static void test_integers(void)
{
	struct jprobe jp;
	int number = 77;
	long bare = integers('a', 65535, -3, 1l << 40, &number, 255, -128,
			     -300, -(1l << 41), "tenth");

	arm(&jp, integers, j_integers);
	EXPECT("K-JP-05 integers: the function is not touched",
	       integers('a', 65535, -3, 1l << 40, &number, 255, -128, -300,
			-(1l << 41), "tenth") == bare);
	EXPECT("K-JP-03 integers and pointers, in registers and on the stack",
	       SAW(1));
	unregister_jprobe(&jp);
	integers('a', 65535, -3, 1l << 40, &number, 255, -128, -300,
		 -(1l << 41), "tenth");
	EXPECT("K-UNR-02 unregistered", entered == 1);
}

/* ---- floating point ----------------------------------------------------------- */

static TARGET double floats(float a, double b, long double c, float d, double e,
			    double f, double g, double h, double i, double j)
{
	__asm__ volatile("");
	return (double)c + a * 2 + b * 3 + d + e + f + g + h + i * 5 + j * 7;
}

static TARGET double j_floats(float a, double b, long double c, float d,
			      double e, double f, double g, double h, double i,
			      double j)
{
	HANDLED(a == 0.5f && b == -1e300 && c == 1.25L && d == 4 && e == 5 &&
		f == 6 && g == 7 && h == 8 && i == 9.5 && j == 10.75);
	__asm__ volatile("xorps %%xmm0, %%xmm0; xorps %%xmm1, %%xmm1;"
			 "xorps %%xmm7, %%xmm7; fninit"
			 ::: "xmm0", "xmm1", "xmm7", "memory");
	jprobe_return();
	return 0;
}

static void test_floats(void)
{
	struct jprobe jp;
	double bare = floats(0.5f, -1e300, 1.25L, 4, 5, 6, 7, 8, 9.5, 10.75);

	arm(&jp, floats, j_floats);
	EXPECT("K-JP-05 floating point: the function is not touched",
	       floats(0.5f, -1e300, 1.25L, 4, 5, 6, 7, 8, 9.5, 10.75) == bare);
	EXPECT("K-JP-03 floating point, long double and the stack", SAW(1));
	unregister_jprobe(&jp);
}

/* ---- vectors --------------------------------------------------------------------- */

static TARGET __m128 vectors(__m128 a, __m128d b, __m128i c, __m128 d, __m128 e,
			     __m128 f, __m128 g, __m128 h, __m128 onstack)
{
	__asm__ volatile("");
	return a + _mm_castpd_ps(b) + _mm_castsi128_ps(c) + d + e + f + g + h +
	       onstack;
}

static bool same(const void *a, const void *b, size_t len)
{
	return !memcmp(a, b, len);
}

static const __m128 quarter = { 0.25f, 1.25f, 2.25f, 3.25f };
static const __m128 eighth = { -0.125f, 8, 16, 32 };

static TARGET __m128 j_vectors(__m128 a, __m128d b, __m128i c, __m128 d,
			       __m128 e, __m128 f, __m128 g, __m128 h,
			       __m128 onstack)
{
	const __m128d pair = { 1, 2 };
	const __m128i bits = _mm_set1_epi32(3);

	HANDLED(same(&a, &quarter, 16) && same(&b, &pair, 16) &&
		same(&c, &bits, 16) && same(&d, &quarter, 16) &&
		same(&e, &eighth, 16) && same(&f, &quarter, 16) &&
		same(&g, &eighth, 16) && same(&h, &quarter, 16) &&
		same(&onstack, &eighth, 16));
	jprobe_return();
	return a;
}

static void test_vectors(void)
{
	const __m128d pair = { 1, 2 };
	const __m128i bits = _mm_set1_epi32(3);
	struct jprobe jp;
	__m128 bare = vectors(quarter, pair, bits, quarter, eighth, quarter,
			      eighth, quarter, eighth), probed;

	arm(&jp, vectors, j_vectors);
	probed = vectors(quarter, pair, bits, quarter, eighth, quarter, eighth,
			 quarter, eighth);
	EXPECT("K-JP-05 SSE: the function is not touched",
	       same(&bare, &probed, 16));
	EXPECT("K-JP-03 SSE vectors, and one on the stack", SAW(1));
	unregister_jprobe(&jp);
}

/* Upper halves, and an argument that the stack's copy must align to 32. */
#define AVX_TARGET TARGET __attribute__((target("avx")))
#define NINE_256 __m256 a, __m256 b, __m256 c, __m256 d, __m256 e, __m256 f, \
	__m256 g, __m256 h, __m256 onstack

static float sum_256;

static AVX_TARGET void vectors_256(NINE_256)
{
	__m256 sum = a + b * 2 + c + d + e + f + g + h * 3 + onstack * 4;
	int i;

	for (i = 0, sum_256 = 0; i < 8; i++)
		sum_256 += sum[i];
}

static AVX_TARGET void j_vectors_256(NINE_256)
{
	HANDLED(a[0] == 1 && a[7] == 8 && h[0] == 1 && h[7] == 8 && b[4] == 5 &&
		c[5] == 6 && d[6] == 7 && e[7] == 8 && f[3] == 4 && g[4] == 5 &&
		onstack[0] == 1 && onstack[7] == 8 &&
		!((uintptr_t)__builtin_frame_address(0) % 8));
	__asm__ volatile("vzeroall" ::: "xmm0", "xmm1", "xmm2", "xmm3");
	jprobe_return();
}

static __attribute__((target("avx"))) void call_256(void)
{
	__m256 v = { 1, 2, 3, 4, 5, 6, 7, 8 };

	vectors_256(v, v, v, v, v, v, v, v, v);
}

static void test_vectors_256(void)
{
	struct jprobe jp;
	float bare;

	if (!__builtin_cpu_supports("avx"))
		return;
	call_256();
	bare = sum_256;
	arm(&jp, vectors_256, j_vectors_256);
	call_256();
	EXPECT("K-JP-05 AVX: the function is not touched", sum_256 == bare);
	EXPECT("K-JP-03 AVX vectors: upper halves, alignment on the stack",
	       SAW(1));
	unregister_jprobe(&jp);
}

#define AVX512_TARGET TARGET __attribute__((target("avx512f")))

static long sum_512;

static AVX512_TARGET void vectors_512(__m512i a, __m512i b, __m512i c)
{
	sum_512 = a[0] + a[7] * 3 + b[6] * 5 + c[7] * 7;
}

static AVX512_TARGET void j_vectors_512(__m512i a, __m512i b, __m512i c)
{
	HANDLED(a[0] == 10 && a[7] == 17 && b[0] == 20 && b[6] == 26 &&
		c[3] == 33 && c[7] == 37);
	jprobe_return();
}

static __attribute__((target("avx512f"))) void call_512(void)
{
	vectors_512((__m512i){ 10, 11, 12, 13, 14, 15, 16, 17 },
		    (__m512i){ 20, 21, 22, 23, 24, 25, 26, 27 },
		    (__m512i){ 30, 31, 32, 33, 34, 35, 36, 37 });
}

static void test_vectors_512(void)
{
	struct jprobe jp;
	long bare;

	if (!__builtin_cpu_supports("avx512f"))
		return;
	call_512();
	bare = sum_512;
	arm(&jp, vectors_512, j_vectors_512);
	call_512();
	EXPECT("K-JP-05 AVX-512: the function is not touched", sum_512 == bare);
	EXPECT("K-JP-03 AVX-512 vectors", SAW(1));
	unregister_jprobe(&jp);
}

/* ---- structs by value, variable arguments ------------------------------------------ */

struct small { int a; double b; };
struct large { long words[12]; };

static TARGET struct large structs(struct small s, struct large l, int last)
{
	l.words[0] += s.a + (long)s.b + last;
	l.words[11] *= 2;
	return l;
}

static TARGET struct large j_structs(struct small s, struct large l, int last)
{
	HANDLED(s.a == 11 && s.b == 2.5 && l.words[0] == 100 &&
		l.words[11] == 111 && last == -4);
	memset(&l, 0xee, sizeof(l));
	__asm__ volatile("" :: "m"(l) : "memory");
	jprobe_return();
	return l;
}

static void test_structs(void)
{
	struct large l = { { 100, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 111 } }, got;
	struct small s = { 11, 2.5 };
	struct jprobe jp;

	arm(&jp, structs, j_structs);
	got = structs(s, l, -4);
	EXPECT("K-JP-05 structs: the function is not touched",
	       got.words[0] == 109 && got.words[11] == 222);
	EXPECT("K-JP-03 structs by value, result in memory", SAW(1));
	unregister_jprobe(&jp);
}

static TARGET int print(char *to, const char *format, ...)
{
	va_list args;
	int len;

	va_start(args, format);
	len = vsprintf(to, format, args);
	va_end(args);
	return len;
}

#define FORMAT "%d %s %.2f %ld %c %.1f %x %d %d"
static char seen[200];

static TARGET int j_print(char *to, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	/* Allowed here: the program is not inside the C library. */
	vsnprintf(seen, sizeof(seen), format, args);
	va_end(args);
	HANDLED(to && !strcmp(format, FORMAT));
	to[0] = '?';			/* memory is memory: this stays */
	jprobe_return();
	return 0;
}

static void test_variadic(void)
{
	char bare[200], probed[200];
	struct jprobe jp;
	int len;

	print(bare, FORMAT, 1, "two", 3.25, 4l, '5', 6.5, 0x77, 8, 9);
	arm(&jp, print, j_print);
	len = print(probed, FORMAT, 1, "two", 3.25, 4l, '5', 6.5, 0x77, 8, 9);
	EXPECT("K-JP-05 variable arguments: the function is not touched",
	       len == (int)strlen(bare) && !strcmp(bare, probed));
	EXPECT("K-JP-03 variable arguments", SAW(1) && !strcmp(seen, bare));
	unregister_jprobe(&jp);
}

/* ---- the stack's end, library functions, threads --------------------------------- */

/* Less stack above the return address than the copy would like. */
static TARGET void j_start(void *arg)
{
	HANDLED(arg == (void *)0x1234);
	jprobe_return();
}

static TARGET void near_the_end(void *arg)
{
	live_hits += arg == (void *)0x1234;
}

static void test_end_of_stack(void)
{
	static char stack[8 * 4096] __attribute__((aligned(4096)));
	struct jprobe jp;
	long before = live_hits;
	char *page = stack + 4 * 4096;

	arm(&jp, near_the_end, j_start);
	NEED(!syscall(10 /* mprotect */, page, 4096, 0));
	/* Called with its return address in the last word but two. */
	__asm__ volatile("mov %%rsp, %%rbx; mov %0, %%rsp; call *%1;"
			 "mov %%rbx, %%rsp"
			 :: "r"(page - 16), "r"(near_the_end), "D"(0x1234)
			 : "rbx", "rax", "rcx", "rdx", "rsi", "r8", "r9", "r10",
			   "r11", "memory", "cc");
	NEED(live_hits == before + 1 && SAW(1));
	unregister_jprobe(&jp);
}

static long handled_by_threads;

static TARGET void j_thread(long a, double b)
{
	if (b == (double)a)
		__atomic_fetch_add(&handled_by_threads, 1, __ATOMIC_RELAXED);
	jprobe_return();
}

static TARGET void thread_target(long a, double b)
{
	__asm__ volatile("" :: "r"(a), "x"(b));
}

static void *many(void *arg)
{
	long i, base = (long)arg;

	for (i = 0; i < 2000; i++)
		thread_target(base + i, (double)(base + i));
	return NULL;
}

static void test_threads(void)
{
	pthread_t threads[4];
	struct jprobe jp;
	long i;

	arm(&jp, thread_target, j_thread);
	for (i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, many, (void *)(i * 100000));
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	EXPECT("K-JP-03 four threads, each its own arguments",
	       handled_by_threads == 8000);
	unregister_jprobe(&jp);
}

static TARGET long j_strtol(const char *text, char **end, int base)
{
	HANDLED(!strcmp(text, "7fff") && !*end && base == 16);
	jprobe_return();
	return 0;
}

static void test_library(void)
{
	struct jprobe jp = { .kp.symbol_name = "libc:strtol",
			     .entry = JPROBE_ENTRY(j_strtol) };
	char *end = NULL;

	entered = right = 0;
	NEED(!register_jprobe(&jp));
	NEED(strtol("7fff", &end, 16) == 0x7fff && SAW(1) && !*end);
	unregister_jprobe(&jp);
}

/* strlen is chosen at run time; what is chosen has no symbol in libc.so. */
static TARGET size_t j_strlen(const char *text)
{
	HANDLED(!strcmp(text, "eleven long"));
	jprobe_return();
	return 0;
}

static void test_stripped(void)
{
	char *chosen = dlsym(RTLD_DEFAULT, "strlen");
	size_t (*length)(const char *) = (size_t (*)(const char *))chosen;
	struct jprobe jp = { .kp.addr = (kprobe_opcode_t *)chosen,
			     .entry = j_strlen };
	struct jprobe known = { .kp.symbol_name = "integers", .entry = chosen };
	struct jprobe inside = { .kp.symbol_name = "integers",
				 .entry = chosen + 5 };
	size_t got;

	entered = right = 0;
	NEED(!register_jprobe(&jp));
	got = length("eleven long");
	unregister_jprobe(&jp);
	NEED(got == 11 && SAW(1));
	/* Unwind information says where functions begin. */
	NEED(!register_jprobe(&known));
	unregister_jprobe(&known);
	NEED(register_jprobe(&inside) == -EINVAL);
}

/* A handler may call functions that call jprobe_return. */
static TARGET void deeper(int depth)
{
	char space[100];

	__asm__ volatile("" :: "r"(space) : "memory");
	if (!depth)
		jprobe_return();
	else
		deeper(depth - 1);
	__asm__ volatile("" ::: "memory");
}

static TARGET void j_deep(long a, double b)
{
	HANDLED(a == 5 && b == 6);
	deeper(20);
	HANDLED(0);			/* never */
}

static void test_deep(void)
{
	struct jprobe jp;

	arm(&jp, thread_target, j_deep);
	thread_target(5, 6);
	EXPECT("K-JP-04 jprobe_return from deep inside", SAW(1));
	unregister_jprobe(&jp);
}

int main(void)
{
	jumps_begin();
	test_integers();
	test_floats();
	test_vectors();
	test_vectors_256();
	test_vectors_512();
	test_structs();
	test_variadic();
	child_case("K-JP-06 a stack that ends before the copy does",
		   test_end_of_stack);
	test_threads();
	child_case("K-JP-03 a function of the C library", test_library);
	child_case("K-JP-08 functions without symbols", test_stripped);
	test_deep();
	return live_failed;
}
