// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * trace.c - programs in kprobes_trace.ko do what they say.
 *
 * Owns: the tests, each named by an argument; each prints its lines.  The functions
 * that are probed do what this process makes them do: vfs_read of so many bytes, and
 * so on.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "trace.h"
#include "trace_machine.h"

static int zero, null;
static char buffer[4096];

static void read_zeros(size_t len)
{
	if (read(zero, buffer, len) != (ssize_t)len)
		die("read /dev/zero");
}

static u64 now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (u64)time.tv_sec * 1000000000 + (u64)time.tv_nsec;
}

static u64 value_of(const struct tracer *t, u32 number, u64 key)
{
	return kt_map_get(&t->vm, number, &key);
}

static void expect_value(const struct tracer *t, const char *name, u32 number, u64 key,
			 u64 wanted)
{
	u64 value = value_of(t, number, key);

	check(name, value == wanted, "%" PRIu64 ", not %" PRIu64, value, wanted);
}

/* ---- the kernel's symbols -------------------------------------------------------- */

static struct symbol {
	u64 at;
	char name[56];
} *symbols;
static size_t symbols_nr;

/* Of text, and one more; before anything is probed. */
static void read_symbols(void)
{
	FILE *file = fopen("/proc/kallsyms", "r");
	char line[512], type;
	struct symbol *symbol;

	symbols = calloc(300000, sizeof(*symbols));
	if (!file || !symbols)
		die("/proc/kallsyms");
	while (symbols_nr < 300000 && fgets(line, sizeof(line), file)) {
		symbol = &symbols[symbols_nr];
		if (sscanf(line, "%" SCNx64 " %c %55s", &symbol->at, &type, symbol->name) == 3 &&
		    (strchr("tTwW", type) || !strcmp(symbol->name, "linux_banner")))
			symbols_nr++;
	}
	fclose(file);
}

static u64 address_of(const char *name)
{
	size_t i;

	for (i = 0; i < symbols_nr; i++)
		if (!strcmp(symbols[i].name, name))
			return symbols[i].at;
	return 0;
}

/* What addr belongs to. */
static const char *symbol_of(u64 addr)
{
	const struct symbol *best = NULL;
	size_t i;

	for (i = 0; i < symbols_nr; i++)
		if (symbols[i].at <= addr && (!best || symbols[i].at > best->at))
			best = &symbols[i];
	return best ? best->name : "?";
}

/* ---- what is counted ----------------------------------------------------------- */

/* vfs_read(file, buf, count): @calls = count(); @sizes[count] = count(); and so on. */
static void counting(struct assembly *as)
{
	u32 calls = map(as, KT_MAP_COUNT, 0, 1), sizes = map(as, KT_MAP_COUNT, 8, 64);
	u32 sum = map(as, KT_MAP_SUM, 0, 1), hist = map(as, KT_MAP_HIST, 0, 1);
	u32 last = map(as, KT_MAP_VALUE, 8, 64);

	probe(as, KT_PROBE_ENTRY, "vfs_read");
	only_this_process(as);
	insn(as, KT_ARG, 1, 0, 0, 2);
	insn(as, KT_STS, 1, 0, KT_SIZE_8, 0);
	insn(as, KT_MAGG, 1, (u8)calls, 0, 0);
	insn(as, KT_MAGG, 1, (u8)sizes, 0, 0);
	insn(as, KT_MAGG, 1, (u8)sum, 0, 0);
	insn(as, KT_MAGG, 1, (u8)hist, 0, 0);
	insn(as, KT_MSET, 1, (u8)last, 0, 0);
	insn(as, KT_END, 0, 0, 0, 0);
}

static u64 in_bucket(const struct tracer *t, u32 number, u32 bucket)
{
	u64 nr = 0;
	u32 shard;
	u8 *value;

	for (shard = 0; shard < t->vm.program->shards; shard++) {
		value = kt_map_find(&t->vm, number, shard, NULL);
		nr += value ? ((u64 *)value)[bucket] : 0;
	}
	return nr;
}

static void test_count(void)
{
	struct assembly as;
	struct tracer t;
	int i;

	begin(&as);
	counting(&as);
	tracer_run(&t, &as);
	for (i = 0; i < 1000; i++)
		read_zeros(i % 4 ? 64 : 3);
	expect_value(&t, "count", 0, 0, 1000);
	expect_value(&t, "count by key", 1, 64, 750);
	expect_value(&t, "count by another key", 1, 3, 250);
	expect_value(&t, "no count of what did not happen", 1, 5, 0);
	expect_value(&t, "sum", 2, 0, 750 * 64 + 250 * 3);
	check("histogram", in_bucket(&t, 3, kt_hist_bucket(64, 0)) == 750 &&
	      in_bucket(&t, 3, kt_hist_bucket(3, 0)) == 250, "other counts");
	expect_value(&t, "value", 4, 64, 64);
	tracer_stop(&t);
	read_zeros(64);
	expect_value(&t, "nothing is counted after a stop", 0, 0, 1000);
	check("nothing was missed", !state_of(&t, 0)->missed, "%" PRIu64,
	      state_of(&t, 0)->missed);
	check("it starts again", !tracer_start(&t), "probes are refused");
	read_zeros(64);
	expect_value(&t, "and counts on", 0, 0, 1001);
	t.arena->stop = 1;
	read_zeros(64);
	expect_value(&t, "the reader's stop stops", 0, 0, 1001);
	tracer_close(&t);
}

/* By arguments alone, for what the machine is needed for and for what it is not. */
static void test_filter(void)
{
	struct assembly as;
	struct tracer t;
	u32 i, more;

	for (more = 0; more < 2; more++) {
		begin(&as);
		map(&as, KT_MAP_COUNT, 8, 64);
		probe(&as, KT_PROBE_ENTRY, "vfs_read");
		insn(&as, KT_ARG, 1, 0, 0, 2);
		insn(&as, KT_NEI, 2, 1, 0, 3777);
		insn(&as, KT_JZ, 2, 0, 0, 2);
		insn(&as, KT_EQI, 2, 1, 0, 3779);
		insn(&as, KT_JZ, 2, 0, 0, 2 + more);
		if (more)
			insn(&as, KT_COMM, 0, 0, 0, 16);
		insn(&as, KT_STS, 1, 0, KT_SIZE_8, 0);
		insn(&as, KT_MAGG, 1, 0, 0, 0);
		insn(&as, KT_END, 0, 0, 0, 0);
		tracer_run(&t, &as);
		for (i = 0; i < 3000; i++)
			read_zeros(3776 + i % 6);
		expect_value(&t, "a filter lets one value through", 0, 3777, 500);
		expect_value(&t, "... and another", 0, 3779, 500);
		check("... and nothing else", !value_of(&t, 0, 3776) &&
		      !value_of(&t, 0, 3778) && !value_of(&t, 0, 3780), "others");
		check("... and misses none", !state_of(&t, 0)->missed, "%" PRIu64,
		      state_of(&t, 0)->missed);
		tracer_close(&t);
	}
}

/* ---- events -------------------------------------------------------------------- */

struct said {
	u64 count;
	char comm[16];
	char words[24];
};

/* vfs_write(file, buf, count): count, comm, str(buf). */
static void test_events(void)
{
	union {
		struct kt_record record;
		u8 bytes[KT_RECORD_MAX];
	} got;
	const struct said *said = (void *)got.record.bytes;
	u64 before = now(), after;
	struct assembly as;
	struct tracer t;
	char text[24], odd[120] = "";
	int i, nr = 0;

	begin(&as);
	as.head.ring = 65536;
	as.head.events_nr = 3;
	probe(&as, KT_PROBE_ENTRY, "vfs_write");
	only_this_process(&as);
	insn(&as, KT_ARG, 1, 0, 0, 2);
	insn(&as, KT_STS, 1, 0, KT_SIZE_8, 0);
	insn(&as, KT_COMM, 0, 0, 0, 8);
	insn(&as, KT_ARG, 2, 0, 0, 1);
	insn(&as, KT_MOVI, 3, 0, 0, 23);
	insn(&as, KT_STR, 2, 3, KT_USER, 24 << 16 | 24);
	insn(&as, KT_EMIT, 2, 0, 0, sizeof(struct said) << 16);
	insn(&as, KT_END, 0, 0, 0, 0);
	tracer_run(&t, &as);
	for (i = 0; i < 300; i++) {
		snprintf(text, sizeof(text), "the words %d", i);
		if (write(null, text, strlen(text) + 1) < 0)
			die("write /dev/null");
	}
	tracer_stop(&t);
	after = now();
	while (next_event(&t, &got.record)) {
		char wanted[24] = "";

		snprintf(wanted, sizeof(wanted), "the words %d",
			 atoi(said->words + 10));
		if (!*odd && (strcmp(wanted, said->words) ||
			      said->count != strlen(wanted) + 1 ||
			      strcmp(said->comm, "trace") || got.record.event != 2 ||
			      got.record.pid != (u32)getpid() || got.record.tid != got.record.pid ||
			      got.record.nsecs < before || got.record.nsecs > after ||
			      got.record.probe))
			snprintf(odd, sizeof(odd), "%d: %s %s %" PRIu64 " %u %u at %" PRIu64
				 " of %" PRIu64 " to %" PRIu64, nr, said->words, said->comm, said->count,
				 got.record.event, got.record.tid, got.record.nsecs, before, after);
		nr++;
	}
	check("an event for each call", nr == 300, "%d", nr);
	check("with what was asked for", !*odd, "%s", odd);
	check("none is lost", !state_of(&t, 0)->lost, "%" PRIu64, state_of(&t, 0)->lost);
	tracer_start(&t);
	for (i = 0; i < 2000; i++)
		if (write(null, "words", 6) < 0)
			die("write /dev/null");
	tracer_stop(&t);
	for (nr = 0; next_event(&t, &got.record);)
		nr++;
	check("what has no room is counted", nr && nr + (int)state_of(&t, 0)->lost == 2000,
	      "%d taken, %" PRIu64 " lost", nr, state_of(&t, 0)->lost);
	tracer_close(&t);
}

/* ---- returns and overrides ------------------------------------------------------- */

static void test_return(void)
{
	struct assembly as;
	struct tracer t;
	int i;

	begin(&as);
	map(&as, KT_MAP_COUNT, 8, 64);
	map(&as, KT_MAP_COUNT, 0, 1);
	probe(&as, KT_PROBE_RETURN, "vfs_read");
	only_this_process(&as);
	insn(&as, KT_GET, 1, 0, 0, KT_GET_RETVAL);
	insn(&as, KT_STS, 1, 0, KT_SIZE_8, 0);
	insn(&as, KT_MAGG, 1, 0, 0, 0);
	insn(&as, KT_END, 0, 0, 0, 0);
	probe(&as, KT_PROBE_ENTRY, "vfs_read");
	only_this_process(&as);
	insn(&as, KT_MAGG, 1, 1, 0, 0);
	insn(&as, KT_END, 0, 0, 0, 0);
	tracer_run(&t, &as);
	for (i = 0; i < 100; i++)
		read_zeros(77);
	for (i = 0; i < 10; i++)
		if (read(null, buffer, 77))
			die("read /dev/null");
	expect_value(&t, "return values", 0, 77, 100);
	expect_value(&t, "and of another file", 0, 0, 10);
	expect_value(&t, "an entry of the same function", 1, 0, 110);
	tracer_close(&t);
}

static void override(struct assembly *as, const char *symbol)
{
	probe(as, KT_PROBE_ENTRY, symbol);
	only_this_process(as);
	insn(as, KT_MOVI, 1, 0, 0, 4242);
	insn(as, KT_OVERRIDE, 1, 0, 0, 0);
	insn(as, KT_END, 0, 0, 0, 0);
}

static void test_override(void)
{
	long parent = syscall(SYS_getppid), seen = 4242, watched = 0;
	struct assembly as;
	struct tracer t;
	int i;

	begin(&as);
	override(&as, SYSCALL_FUNCTION("getppid"));
	tracer_run(&t, &as);
	for (i = 0; i < 1000 && seen == 4242; i++)
		seen = syscall(SYS_getppid);
	check("override", seen == 4242, "%ld", seen);
	tracer_stop(&t);
	seen = syscall(SYS_getppid);
	check("override ends with the stop", seen == parent, "%ld", seen);
	tracer_close(&t);

	begin(&as);
	map(&as, KT_MAP_VALUE, 0, 1);
	override(&as, SYSCALL_FUNCTION("getppid"));
	probe(&as, KT_PROBE_RETURN, SYSCALL_FUNCTION("getppid"));
	only_this_process(&as);
	insn(&as, KT_GET, 1, 0, 0, KT_GET_RETVAL);
	insn(&as, KT_MSET, 1, 0, 0, 0);
	insn(&as, KT_END, 0, 0, 0, 0);
	tracer_run(&t, &as);
	for (i = 0; i < 100; i++) {
		seen = syscall(SYS_getppid);
		watched = (long)value_of(&t, 0, 0);
		if (seen != 4242 || (watched && watched != 4242))
			break;
	}
	check("override beside a return probe", i == 100, "%ld, seen %ld", seen, watched);
	tracer_close(&t);

	begin(&as);
	override(&as, SYSCALL_FUNCTION("getppid"));
	as.probes[0].offset = INSIDE;
	tracer_open(&t);
	tracer_load(&t, &as);
	tracer_map(&t);
	check("override is only for entries", tracer_start(&t) == 1 &&
	      state_of(&t, 0)->error, "it is not refused");
	tracer_close(&t);
}

/* ---- stacks ----------------------------------------------------------------------- */

static __attribute__((noinline)) long inner(void)
{
	long result;

	/* With a frame of its own. */
	asm volatile("" : : "r"(__builtin_frame_address(0)));
	SYSCALL3(result, SYS_read, zero, buffer, 33);
	return result;
}

static __attribute__((noinline)) long outer(void)
{
	long result = inner();

	asm volatile("" : "+r"(result));
	return result;
}

static void stacks(struct assembly *as)
{
	u32 kernel = map(as, KT_MAP_VALUE, 0, 1), user = map(as, KT_MAP_VALUE, 0, 1);

	as->head.stacks = 64;
	as->head.depth = 64;
	probe(as, KT_PROBE_ENTRY, "vfs_read");
	only_this_process(as);
	insn(as, KT_STACK, 1, 0, 0, 64);
	insn(as, KT_MSET, 1, (u8)kernel, 0, 0);
	insn(as, KT_STACK, 1, 0, KT_USER, 64);
	insn(as, KT_MSET, 1, (u8)user, 0, 0);
	insn(as, KT_END, 0, 0, 0, 0);
}

static bool has_symbol(const u64 *frames, u32 nr, u32 from, const char *prefix)
{
	u32 i;

	for (i = from; i < nr; i++)
		if (!strncmp(symbol_of(frames[i]), prefix, strlen(prefix)))
			return true;
	return false;
}

static void check_kernel_stack(const struct tracer *t, const char *when)
{
	u64 frames[KT_DEPTH_MAX];
	char said[1024] = "", test[128];
	const char *name;
	u32 nr = kt_stack_get(&t->vm, (u32)value_of(t, 0, 0), frames, KT_DEPTH_MAX), i;
	bool good = nr > 2, known = true;

	for (i = 0; i < nr; i++) {
		name = symbol_of(frames[i]);
		if (!i)
			good = good && !strcmp(name, "vfs_read");
		known = known && name[0] != '?' && !strstr(name, "kp_") &&
			!strstr(name, "kt_") && !strstr(name, "trampoline");
		strncat(said, " ", sizeof(said) - strlen(said) - 1);
		strncat(said, name, sizeof(said) - strlen(said) - 1);
	}
	snprintf(test, sizeof(test), "the kernel's stack%s: from the probe on", when);
	check(test, good, "%u frames:%s", nr, said);
	snprintf(test, sizeof(test), "the kernel's stack%s: functions of the kernel", when);
	check(test, known, "%s", said);
	snprintf(test, sizeof(test), "the kernel's stack%s: the system call's entry", when);
	check(test, nr && has_symbol(frames, nr, nr - 1, KERNEL_ENTRY), "%s", said);
	snprintf(test, sizeof(test), "the kernel's stack%s: a caller", when);
	check(test, has_symbol(frames, nr, 1, "ksys_read") ||
	      has_symbol(frames, nr, 1, SYSCALL_FUNCTION("read")), "%s", said);
}

static bool is_near(u64 addr, const void *function)
{
	return addr - (u64)(unsigned long)function < 64;
}

static void test_stacks(void)
{
	u64 frames[KT_DEPTH_MAX];
	struct tracer t, returns;
	struct assembly as;
	u32 nr;

	begin(&as);
	stacks(&as);
	tracer_run(&t, &as);
	if (outer() != 33)
		die("read");
	check_kernel_stack(&t, "");
	nr = kt_stack_get(&t.vm, (u32)value_of(&t, 1, 0), frames, KT_DEPTH_MAX);
	check("the process's stack", nr >= PROCESS_FRAMES && is_near(frames[0], inner) &&
	      (PROCESS_FRAMES == 1 || is_near(frames[1], outer)), "%u frames: %" PRIx64 " %" PRIx64 ", not %p %p", nr, frames[0],
	      frames[1], (void *)inner, (void *)outer);

	begin(&as);
	map(&as, KT_MAP_COUNT, 0, 1);
	probe(&as, KT_PROBE_RETURN, "vfs_read");
	insn(&as, KT_MAGG, 1, 0, 0, 0);
	insn(&as, KT_END, 0, 0, 0, 0);
	probe_too(&as, KT_PROBE_RETURN, SYSCALL_FUNCTION("read"));
	tracer_run(&returns, &as);
	if (outer() != 33)
		die("read");
	check_kernel_stack(&t, " among return probes");
	tracer_close(&returns);
	tracer_close(&t);
}

/* ---- what a program asks for ------------------------------------------------------- */

static bool near(u64 value, u64 wanted, u64 distance)
{
	return value - wanted <= distance || wanted - value <= distance;
}

/* @[number] = the builtin of that number; of 100 on registers, of 200 on arguments. */
static void test_builtins(void)
{
	u64 start = now(), entry = address_of("vfs_read"), kernel = KERNEL_MEMORY;
	struct assembly as;
	struct tracer t;
	s32 i;

	begin(&as);
	map(&as, KT_MAP_VALUE, 8, 256);
	probe(&as, KT_PROBE_ENTRY, "vfs_write");
	insn(&as, KT_END, 0, 0, 0, 0);
	probe(&as, KT_PROBE_ENTRY, "vfs_read");
	only_this_process(&as);
	for (i = 0; i < KT_GETS + REGS + 8; i++) {
		s32 reg = i - KT_GETS, arg = reg - REGS;

		insn(&as, KT_MOVI, 1, 0, 0, reg < 0 ? i : arg < 0 ? 100 + reg : 200 + arg);
		insn(&as, KT_STS, 1, 0, KT_SIZE_8, 0);
		insn(&as, reg < 0 ? KT_GET : arg < 0 ? KT_REG : KT_ARG, 1, 0, 0,
		     reg < 0 ? i : arg < 0 ? reg : arg);
		insn(&as, KT_MSET, 1, 0, 0, 0);
	}
	insn(&as, KT_END, 0, 0, 0, 0);
	tracer_run(&t, &as);
	read_zeros(55);
	tracer_stop(&t);
#define GOT(name) value_of(&t, 0, KT_GET_##name)
	check("nsecs", near(GOT(NSECS), start, 10000000000), "%" PRIu64, GOT(NSECS));
	check("elapsed", GOT(ELAPSED) < 10000000000, "%" PRIu64, GOT(ELAPSED));
	check("pid, tid", GOT(PID) == (u64)getpid() && GOT(TID) == GOT(PID), "%" PRIu64 ", %" PRIu64,
	      GOT(PID), GOT(TID));
	check("uid, gid", GOT(UID) == getuid() && GOT(GID) == getgid(), "%" PRIu64 ", %" PRIu64, GOT(UID),
	      GOT(GID));
	check("cpu", GOT(CPU) < (u64)sysconf(_SC_NPROCESSORS_ONLN), "%" PRIu64, GOT(CPU));
	check("curtask", GOT(CURTASK) > kernel, "%" PRIx64, GOT(CURTASK));
	/* Its number; behind that kernels of 32 bits say how often it was used. */
	check("cgroup", (u32)GOT(CGROUP) < 2, "%" PRIu64 ": not the root of all", GOT(CGROUP));
	check("rand", GOT(RANDOM) < 1ull << 32, "%" PRIx64, GOT(RANDOM));
	check("the probe's number", GOT(PROBE) == 1, "%" PRIu64, GOT(PROBE));
	check("its address", near(GOT(ADDR), entry, 8), "%" PRIx64 ", not %" PRIx64, GOT(ADDR), entry);
	check("ip is the same", GOT(IP) == GOT(ADDR), "%" PRIx64, GOT(IP));
	check("sp", GOT(SP) > kernel && GOT(SP) == value_of(&t, 0, 100 + REG_OF_SP), "%" PRIx64, GOT(SP));
	check("registers", value_of(&t, 0, 100 + REG_OF_ARG2) == 55 && value_of(&t, 0, 100 + REG_OF_ARG0) > kernel,
	      "%" PRIu64 ", %" PRIx64, value_of(&t, 0, 100 + REG_OF_ARG2), value_of(&t, 0, 100 + REG_OF_ARG0));
	check("arguments", value_of(&t, 0, 200) == value_of(&t, 0, 100 + REG_OF_ARG0) &&
	      value_of(&t, 0, 201) == (u64)(unsigned long)buffer &&
	      value_of(&t, 0, 202) == 55, "%" PRIx64 ", %" PRIx64 ", %" PRIu64, value_of(&t, 0, 200),
	      value_of(&t, 0, 201), value_of(&t, 0, 202));
	tracer_close(&t);
}

/* ---- memory ------------------------------------------------------------------------ */

/* @[number] = what is read at an address, by an instruction; 0: cannot be read. */
static void load(struct assembly *as, u32 values, s32 number, u64 addr, u8 flags)
{
	insn(as, KT_MOVI, 3, 0, 0, (s32)(addr >> 32));
	insn(as, KT_SHLI, 3, 3, 0, 32);
	insn(as, KT_MOVI, 2, 0, 0, (s32)(addr & 0x7fffffff));
	insn(as, KT_OR, 2, 2, 3, 0);
	if (addr & 1u << 31) {
		insn(as, KT_MOVI, 4, 0, 0, 1);
		insn(as, KT_SHLI, 4, 4, 0, 31);
		insn(as, KT_OR, 2, 2, 4, 0);
	}
	insn(as, KT_MOVI, 1, 0, 0, number);
	insn(as, KT_STS, 1, 0, KT_SIZE_8, 0);
	insn(as, KT_LOAD, 1, 2, KT_SIZE_8 | flags, 0);
	insn(as, KT_MSET, 1, (u8)values, 0, 0);
	/* They may all fail; the string and the bytes are of no interest. */
	insn(as, KT_MOVI, 4, 0, 0, 100);
	insn(as, KT_STR, 2, 4, flags, 100 << 16 | 8);
	insn(as, KT_BUF, 2, 4, flags, 128 << 16 | 8);
	insn(as, KT_READ, 2, 0, flags, 16 << 16 | 8);
}

static u64 word = 0x1122334455667788;

/* What it says is known; text is where a kernel's table has no data. */
static u64 kernel_memory(void)
{
	u64 banner = address_of("linux_banner");

	return banner ? banner : address_of("vfs_write");
}

static bool is_kernel_memory(const void *got, const void *text)
{
	return !memcmp(got, address_of("linux_banner") ? "Linux ve" : text, 8) &&
	       memcmp(got, "\0\0\0\0\0\0\0", 8);
}

static int peek_at(const struct tracer *t, void *to)
{
	struct kt_kernel_peek peek = {
		.addr = kernel_memory(), .to = (u64)(unsigned long)to, .len = 64,
	};

	return ioctl(t->file, KT_KERNEL_PEEK, &peek);
}

static void loads(struct assembly *as)
{
	u64 here = (u64)(unsigned long)&word, banner = kernel_memory();
	u32 values = map(as, KT_MAP_VALUE, 8, 64);

	load(as, values, 1, here, KT_USER);
	load(as, values, 2, banner, 0);
	/* What is not there, or not the one's whose it should be. */
	load(as, values, 3, here, 0);
	load(as, values, 4, banner, KT_USER);
	load(as, values, 5, 0, KT_USER);
	load(as, values, 6, 0, 0);
	load(as, values, 7, 0xdead000000000000, 0);
	load(as, values, 8, 0xdead000000000000, KT_USER);
	load(as, values, 9, 0x00487ab000000000, 0);
	load(as, values, 10, 0x00487ab000000000, KT_USER);
	load(as, values, 11, 0xff00000000000000, 0);
	load(as, values, 12, 0ull - 4, 0);
	load(as, values, 13, 0ull - 4, KT_USER);
	load(as, values, 14, 0x7fffffffeffc, KT_USER);
	load(as, values, 15, 0xfffffffc, 0);
	load(as, values, 16, 0xfffffffc, KT_USER);
}

static void test_memory(void)
{
	struct assembly as;
	struct tracer t;
	u64 i, bad = 0;
	char peeked[64];

	begin(&as);
	probe(&as, KT_PROBE_ENTRY, "vfs_read");
	only_this_process(&as);
	loads(&as);
	insn(&as, KT_END, 0, 0, 0, 0);
	tracer_run(&t, &as);
	read_zeros(1);
	expect_value(&t, "a word of the process", 0, 1, word);
	if (peek_at(&t, peeked) != 64)
		die("KT_KERNEL_PEEK");
	check("a word of the kernel",
	      is_kernel_memory(&(u64){ value_of(&t, 0, 2) }, peeked), "%" PRIx64,
	      value_of(&t, 0, 2));
	for (i = 3; i <= 16; i++)
		bad += value_of(&t, 0, i) != 0;
	check("what cannot be read is 0", !bad, "%" PRIu64 " words are not", bad);
	check("none was missed", !state_of(&t, 0)->missed && !state_of(&t, 0)->cut, "%" PRIu64 ", %" PRIu64,
	      state_of(&t, 0)->missed, state_of(&t, 0)->cut);
	tracer_close(&t);
}

/* ---- what is refused ------------------------------------------------------------- */

static void refusals_of(const struct tracer *t, char *said, size_t room)
{
	ssize_t len = pread(t->file, said, room - 1, 0);

	said[len > 0 ? len : 0] = 0;
}

static void test_refused(void)
{
	struct kt_kernel_peek peek = { 0 };
	struct assembly as;
	struct tracer t;
	char said[4096];
	u32 size;
	void *program;

	tracer_open(&t);
	check("nothing starts without a program", ioctl(t.file, KT_KERNEL_START) < 0 &&
	      errno == ENODATA, "%s", strerror(errno));
	check("nothing is mapped without a program",
	      mmap(NULL, 4096, PROT_READ, MAP_SHARED, t.file, 0) == MAP_FAILED, "mapped");
	begin(&as);
	counting(&as);
	program = assemble(&as, &size);
	check("a part of a program is refused", write(t.file, program, size - 8) < 0 &&
	      errno == EINVAL, "%s", strerror(errno));
	refusals_of(&t, said, sizeof(said));
	check("and read() says why", !strncmp(said, "- 22 ", 5) && strchr(said, '\n'), "%s",
	      said);
	check("nothing is a program", write(t.file, program, 0) <= 0, "taken");
	check("a whole one is taken then", write(t.file, program, size) == (ssize_t)size, "%s",
	      strerror(errno));
	refusals_of(&t, said, sizeof(said));
	check("and read() says nothing", !said[0], "%s", said);
	check("a second one is refused", write(t.file, program, size) < 0 && errno == EBUSY,
	      "%s", strerror(errno));
	check("an unknown request is refused", ioctl(t.file, _IO('k', 0x8f)) < 0 &&
	      errno == ENOTTY, "%s", strerror(errno));
	check("the arena is not mapped as one's own",
	      mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, t.file, 0) == MAP_FAILED, "mapped");
	check("nor more than it is",
	      mmap(NULL, 1 << 30, PROT_READ, MAP_SHARED, t.file, 0) == MAP_FAILED, "mapped");
	check("START", !ioctl(t.file, KT_KERNEL_START), "%s", strerror(errno));
	check("a second START is refused", ioctl(t.file, KT_KERNEL_START) < 0 &&
	      errno == EBUSY, "%s", strerror(errno));
	check("COUNT", !ioctl(t.file, KT_KERNEL_COUNT), "%s", strerror(errno));
	tracer_close(&t);
	free(program);

	begin(&as);
	as.head.shards = KT_SHARDS_MAX;
	map(&as, KT_MAP_COUNT, 8, KT_KEYS_MAX);
	probe(&as, KT_PROBE_ENTRY, "vfs_read");
	insn(&as, KT_END, 0, 0, 0, 0);
	program = assemble(&as, &size);
	tracer_open(&t);
	check("an arena larger than the limit is refused", write(t.file, program, size) < 0 &&
	      errno == ENOMEM, "%s", strerror(errno));
	tracer_close(&t);
	free(program);

	/* Every other probe cannot be. */
	begin(&as);
	counting(&as);
	probe_too(&as, KT_PROBE_ENTRY, "there_is_no_such_function");
	probe_too(&as, KT_PROBE_RETURN, "vfs_write");
	probe_too(&as, KT_PROBE_RETURN, "copy_from_kernel_nofault");
	probe_too(&as, KT_PROBE_ENTRY, "vfs_write");
	probe_too(&as, KT_PROBE_RETURN, "vfs_read");
	as.probes[5].offset = 1;
	tracer_open(&t);
	tracer_load(&t, &as);
	tracer_map(&t);
	check("as many are refused as cannot be", tracer_start(&t) == 3, "not so many");
	check("each has its errno", !state_of(&t, 0)->error && state_of(&t, 1)->error == ENOENT &&
	      !state_of(&t, 2)->error && state_of(&t, 3)->error == EINVAL &&
	      !state_of(&t, 4)->error && state_of(&t, 5)->error, "%d %d %d %d %d %d",
	      state_of(&t, 0)->error, state_of(&t, 1)->error, state_of(&t, 2)->error,
	      state_of(&t, 3)->error, state_of(&t, 4)->error, state_of(&t, 5)->error);
	refusals_of(&t, said, sizeof(said));
	check("and a reason", strstr(said, "1 2 no such symbol\n3 22 ") && strstr(said, "\n5 "),
	      "%s", said);
	read_zeros(9);
	expect_value(&t, "the others are there", 1, 9, 1);
	tracer_close(&t);

	tracer_open(&t);
	peek.addr = (u64)(unsigned long)buffer;
	peek.to = peek.addr + 64;
	peek.len = 8;
	check("a process's memory is not the kernel's", ioctl(t.file, KT_KERNEL_PEEK, &peek) < 0 &&
	      errno == EFAULT, "%s", strerror(errno));
	peek.addr = 0xdead000000000000ull;
	check("what is nowhere is not read", ioctl(t.file, KT_KERNEL_PEEK, &peek) < 0 &&
	      errno == EFAULT, "%s", strerror(errno));
	peek.len = KT_KERNEL_PEEK_MAX + 1;
	check("not too much is read", ioctl(t.file, KT_KERNEL_PEEK, &peek) < 0 &&
	      errno == EINVAL, "%s", strerror(errno));
	tracer_close(&t);
}

static void test_peek(void)
{
	struct tracer t;

	tracer_open(&t);
	check("the kernel's memory is read", peek_at(&t, buffer) == 64 &&
	      is_kernel_memory(buffer, buffer), "%.14s", buffer);
	tracer_close(&t);
}

/* ---- damaged programs ------------------------------------------------------------- */

static u32 seed = 1;

static u32 any(u32 below)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 8) % below;
}

/* Does it do more than look?  Then it is not let loose on the machine. */
static bool acts(const void *program)
{
	const struct kt_program *head = program;
	const struct kt_insn *insns = (void *)((u8 *)program + head->insns);
	u32 i;

	for (i = 0; i < head->insns_nr; i++)
		if (insns[i].op == KT_OVERRIDE)
			return true;
	return false;
}

static void try_program(const u8 *program, u32 size, int *taken)
{
	static struct tracer t = { .file = -1 };

	if (t.file < 0)
		tracer_open(&t);
	if (write(t.file, program, size) < 0)
		return;
	++*taken;
	if (!acts(program) && ioctl(t.file, KT_KERNEL_START) >= 0)
		read_zeros(64);
	close(t.file);
	t.file = -1;
}

static void test_damaged(int rounds)
{
	static u8 bytes[4096];
	struct assembly as;
	int i, k, taken = 0;
	u8 *program, *copy;
	u32 size, len;

	for (i = 0; i < rounds; i++) {
		len = any(sizeof(bytes));
		for (k = 0; k < (int)len; k++)
			bytes[k] = (u8)any(256);
		try_program(bytes, len, &taken);
	}
	check("random bytes are no program", !taken, "%d were taken", taken);

	begin(&as);
	as.head.ring = 65536;
	as.head.events_nr = 3;
	counting(&as);
	stacks(&as);
	probe(&as, KT_PROBE_RETURN, "vfs_read");
	only_this_process(&as);
	loads(&as);
	insn(&as, KT_EMIT, 2, 0, 0, 24 << 16);
	insn(&as, KT_END, 0, 0, 0, 0);
	program = assemble(&as, &size);
	copy = malloc(size);
	for (i = 0; i < rounds; i++) {
		memcpy(copy, program, size);
		for (k = 1 + (int)any(3); k; k--)
			copy[any(size)] ^= (u8)(1 << any(8));
		try_program(copy, size, &taken);
	}
	check("a damaged program is refused", !taken, "%d were taken", taken);
	for (i = 0; i < rounds; i++) {
		memcpy(copy, program, size);
		for (k = 1 + (int)any(4); k; k--)
			copy[any(size)] = (u8)any(any(2) ? 256 : 16);
		seal(copy, size);
		try_program(copy, size, &taken);
	}
	printf("# %d of %d changed programs were taken and run\n", taken, rounds);
	check("a changed one is refused or harms nobody", taken && taken < rounds, "%d", taken);
	free(program);
	free(copy);
}

/* ---- readers that come and go ------------------------------------------------------- */

static void hold(void)
{
	struct assembly as;
	struct tracer t;

	begin(&as);
	counting(&as);
	probe_too(&as, KT_PROBE_RETURN, "vfs_write");
	tracer_run(&t, &as);
	printf("holding\n");
	fflush(stdout);
	for (;;)
		pause();
}

static void test_two(void)
{
	struct tracer one, two;
	struct assembly as;
	int i;

	begin(&as);
	counting(&as);
	tracer_run(&one, &as);
	for (i = 0; i < 50; i++)
		read_zeros(8);
	begin(&as);
	counting(&as);
	tracer_run(&two, &as);
	for (i = 0; i < 50; i++)
		read_zeros(8);
	expect_value(&one, "the first of two readers", 0, 0, 100);
	expect_value(&two, "the second", 0, 0, 50);
	tracer_close(&one);
	read_zeros(8);
	expect_value(&two, "the second, when the first is gone", 0, 0, 51);
	tracer_close(&two);
}

/* The mapping is one's own: a child that lives on does not keep the probes. */
static void test_child(void)
{
	struct assembly as;
	struct tracer t;
	int pipes[2], status;
	pid_t child;
	char c;

	if (pipe(pipes))
		die("pipe");
	begin(&as);
	counting(&as);
	tracer_run(&t, &as);
	child = fork();
	if (!child) {
		close(t.file);
		close(pipes[1]);
		_exit(read(pipes[0], &c, 1) != 0 || mincore(t.arena, 4096, (u8 *)buffer) == 0);
	}
	tracer_close(&t);
	if (system("grep -q vfs_read $control/list") == 0)
		check("a child does not keep the probes", false, "they are in the list");
	close(pipes[1]);
	waitpid(child, &status, 0);
	check("a child does not get the mapping", WIFEXITED(status) && !WEXITSTATUS(status),
	      "status %x", status);
}

/* ---- all at once ---------------------------------------------------------------------- */

static volatile int end;
static u32 starts;			/* all tracers' */

static void *keep_reading(void *unused)
{
	char bytes[64];

	while (!end)
		if (read(zero, bytes, 1 + any(63)) < 0 || write(null, bytes, 8) < 0)
			break;
	return unused;
}

static void *keep_tracing(void *unused)
{
	struct assembly as;
	struct tracer t;
	int i;

	while (!end) {
		begin(&as);
		as.head.ring = 4096;
		as.head.events_nr = 1;
		counting(&as);
		probe_too(&as, KT_PROBE_RETURN, "vfs_write");
		stacks(&as);
		probe(&as, KT_PROBE_RETURN, "vfs_read");
		only_this_process(&as);
		insn(&as, KT_STACK, 1, 0, 0, 20);
		insn(&as, KT_EMIT, 0, 0, 0, 64 << 16);
		insn(&as, KT_END, 0, 0, 0, 0);
		tracer_run(&t, &as);
		for (i = 0; i < 5 && !end; i++) {
			usleep(1000 + any(5000));
			tracer_stop(&t);
			tracer_start(&t);
			__atomic_add_fetch(&starts, 1, __ATOMIC_RELAXED);
		}
		/* Whoever reads may write what he wants. */
		for (i = 0; i < 1000; i++)
			((u8 *)t.arena)[64 + any((u32)t.vm.layout.size - 64)] = (u8)any(256);
		tracer_close(&t);
	}
	return unused;
}

static void test_torture(int seconds)
{
	pthread_t threads[8];
	long i, nr = sysconf(_SC_NPROCESSORS_ONLN);

	nr = nr > 6 ? 6 : nr;
	for (i = 0; i < nr; i++)
		pthread_create(&threads[i], NULL, keep_reading, NULL);
	pthread_create(&threads[i++], NULL, keep_tracing, NULL);
	pthread_create(&threads[i++], NULL, keep_tracing, NULL);
	sleep((unsigned int)seconds);
	end = 1;
	while (i--)
		pthread_join(threads[i], NULL);
	printf("# %u starts\n", starts);
	check("started and stopped while it is hit", starts > 2, "%u starts", starts);
}

/* A million keys: a cap, and the rest is counted. */
static void test_full(void)
{
	struct kt_map_state *states;
	struct assembly as;
	struct tracer t;
	u64 found = 0;
	size_t i;

	begin(&as);
	map(&as, KT_MAP_COUNT, 8, 100);
	probe(&as, KT_PROBE_ENTRY, "vfs_read");
	only_this_process(&as);
	insn(&as, KT_ARG, 1, 0, 0, 2);
	insn(&as, KT_STS, 1, 0, KT_SIZE_8, 0);
	insn(&as, KT_MAGG, 1, 0, 0, 0);
	insn(&as, KT_END, 0, 0, 0, 0);
	tracer_run(&t, &as);
	for (i = 1; i <= 1000; i++)
		read_zeros(i);
	tracer_stop(&t);
	for (i = 1; i <= 1000; i++)
		found += value_of(&t, 0, i);
	states = (void *)(t.vm.arena + t.vm.layout.map_states);
	check("keys without room are counted", found >= 100 && found + states[0].full == 1000,
	      "%" PRIu64 " keys, %" PRIu64 " without room", found, states[0].full);
	tracer_close(&t);
}

/* ---- many ------------------------------------------------------------------------------ */

/* Names on the input, each a probe's; how long it takes.  All: for all processes. */
static void test_many(u32 kind, bool all)
{
	struct assembly as;
	struct tracer t;
	char name[256];
	int refused;
	u64 start;

	begin(&as);
	as.head.stacks = 1024;
	as.head.depth = 20;
	as.head.ring = 65536;
	as.head.events_nr = 1;
	map(&as, KT_MAP_COUNT, 0, 1);
	map(&as, KT_MAP_COUNT, 8, 1000);
	while (scanf("%255s", name) == 1) {
		if (as.head.probes_nr) {
			probe_too(&as, kind, name);
			continue;
		}
		probe(&as, kind, name);
		if (!all)
			only_this_process(&as);
		insn(&as, KT_MAGG, 1, 0, 0, 0);
		if (all) {
			insn(&as, KT_STACK, 1, 0, 0, 20);
			insn(&as, KT_STS, 1, 0, KT_SIZE_8, 0);
			insn(&as, KT_MAGG, 1, 1, 0, 0);
			insn(&as, KT_STACK, 1, 0, KT_USER, 20);
			insn(&as, KT_COMM, 0, 0, 0, 16);
			insn(&as, KT_ARG, 1, 0, 0, 0);
			insn(&as, KT_MOVI, 2, 0, 0, 64);
			insn(&as, KT_STR, 1, 2, 0, 64 << 16 | 32);
			insn(&as, KT_STR, 1, 2, KT_USER, 64 << 16 | 96);
			insn(&as, KT_EMIT, 0, 0, 0, 160 << 16);
		}
		insn(&as, KT_END, 0, 0, 0, 0);
	}
	tracer_open(&t);
	tracer_load(&t, &as);
	tracer_map(&t);
	start = now();
	refused = tracer_start(&t);
	printf("# %u probes, %d of them refused: set in %" PRIu64 " ms\n", t.vm.program->probes_nr,
	       refused, (now() - start) / 1000000);
	read_zeros(1);
	if (all)
		sleep(3);
	start = now();
	tracer_stop(&t);
	printf("# removed in %" PRIu64 " ms\n", (now() - start) / 1000000);
	if (all)
		printf("# %" PRIu64 " hits\n", value_of(&t, 0, 0));
	check("many probes", value_of(&t, 0, 0) > 0, "no hit");
	tracer_close(&t);
}

int main(int argc, char **argv)
{
	const char *test = argc > 1 ? argv[1] : "";
	int number = argc > 2 ? atoi(argv[2]) : 0;

	zero = open("/dev/zero", O_RDONLY);
	null = open("/dev/null", O_RDWR);
	if (zero < 0 || null < 0)
		die("open /dev/zero, /dev/null");
	read_symbols();
	if (!strcmp(test, "hold"))
		hold();
	else if (!strcmp(test, "damaged"))
		test_damaged(number);
	else if (!strcmp(test, "torture"))
		test_torture(number);
	else if (!strcmp(test, "many"))
		test_many(number & 1 ? KT_PROBE_RETURN : KT_PROBE_ENTRY, number & 2);
	else {
		test_count();
		test_full();
		test_filter();
		test_events();
		test_return();
		test_override();
		test_stacks();
		test_builtins();
		test_memory();
		test_refused();
		test_peek();
		test_two();
		test_child();
	}
	return 0;
}
