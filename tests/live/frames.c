/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * frames.c - what unwinders report through hooked calls: the frames that they
 * report without return probes, and no others.
 *
 * Each case collects the trace at the innermost of five nested calls, without and
 * then with return probes on three of them, from the same call.
 */
#include "jumps.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <sys/mman.h>
#include <unwind.h>

#define TARGET __attribute__((noinline, noclone, used))
#define MAX 64
#define TEXT_LEN 32

typedef _Unwind_Reason_Code (*unwind_fn)(_Unwind_Trace_Fn, void *);

static unwind_fn unwind;		/* libgcc_s's, which is not linked */

/* What there asks for the address of a frame. */
#ifdef __ARM_EABI_UNWINDER__
#define GET "_Unwind_VRS_Get"
typedef _Unwind_VRS_Result (*get_fn)(struct _Unwind_Context *, _Unwind_VRS_RegClass, _uw,
				     _Unwind_VRS_DataRepresentation, void *);
#define get_ip(context) \
	({ _uw pc_ = 0; get(context, _UVRSC_CORE, 15, _UVRSD_UINT32, &pc_); pc_ & ~(_uw)1; })
#define _URC_NORMAL_STOP _URC_FAILURE
/* This program's tables name them, and it is not to be linked with what has them. */
__asm__(".hidden __aeabi_unwind_cpp_pr0\n.globl __aeabi_unwind_cpp_pr0\n__aeabi_unwind_cpp_pr0:\n"
	".hidden __aeabi_unwind_cpp_pr1\n.globl __aeabi_unwind_cpp_pr1\n__aeabi_unwind_cpp_pr1: .word 0");
#else
#define GET "_Unwind_GetIP"
typedef _Unwind_Ptr (*get_fn)(struct _Unwind_Context *);
#define get_ip(context) get(context)
#endif
static get_fn get;
static void *unwinder;

struct trace {
	void *at[MAX];
	int nr, size, result;
	bool direct;
};

static _Unwind_Reason_Code step(struct _Unwind_Context *context, void *arg)
{
	struct trace *trace = arg;

	trace->at[trace->nr++] = (void *)get_ip(context);
	return trace->nr == trace->size ? _URC_NORMAL_STOP : _URC_NO_REASON;
}

/* ---- the calls --------------------------------------------------------------- */

TARGET static int fifth(struct trace *trace)
{
	trace->nr = 0;
	if (trace->direct)
		trace->result = (int)unwind(step, trace);
	else
		trace->nr = backtrace(trace->at, trace->size);
	__asm__ volatile("" ::: "memory");
	return 5;
}

TARGET static int fourth(struct trace *trace)
{
	int below = fifth(trace);

	__asm__ volatile("" ::: "memory");
	return below + 4;
}

TARGET static int third(struct trace *trace)
{
	int below = fourth(trace);

	__asm__ volatile("" ::: "memory");
	return below + 3;
}

TARGET static int second(struct trace *trace)
{
	int below = third(trace);

	__asm__ volatile("" ::: "memory");
	return below + 2;
}

TARGET static int first(struct trace *trace)
{
	int below = second(trace);

	__asm__ volatile("" ::: "memory");
	return below + 1;
}

static volatile long returns;

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	(void)ri;
	(void)regs;
	__atomic_fetch_add(&returns, 1, __ATOMIC_RELAXED);
	return 0;
}

static struct kretprobe probes[3];
static kretprobe_handler_t handler = on_return;

static int probe(bool settle)
{
	int (*const fns[])(struct trace *) = { second, third, fifth };
	struct kretprobe *list[] = { &probes[0], &probes[1], &probes[2] };
	int i, err;

	for (i = 0; i < 3; i++)
		probes[i] = (struct kretprobe){
			.kp.addr = (kprobe_opcode_t *)(unsigned long)fns[i],
			.handler = handler,
		};
	err = register_kretprobes(list, 3);
	if (!err && settle)
		kprobes_flush();
	return err;
}

static void unprobe(void)
{
	struct kretprobe *list[] = { &probes[0], &probes[1], &probes[2] };

	unregister_kretprobes(list, 3);
}

static bool same(const struct trace *a, const struct trace *b)
{
	return a->nr == b->nr && a->result == b->result &&
	       !memcmp(a->at, b->at, (size_t)a->nr * sizeof(a->at[0]));
}

static void show(const char *what, const struct trace *trace)
{
	Dl_info info;
	int i;

	printf("# %s:", what);
	for (i = 0; i < trace->nr; i++)
		printf(" %p(%s)", trace->at[i],
		       dladdr(trace->at[i], &info) && info.dli_sname
			       ? info.dli_sname : "");
	printf(" result %d\n", trace->result);
}

/*
 * Is the trace with probes what it is without?  Both by the one call here: the
 * counter is volatile so that the compiler leaves it the one.
 */
static bool agrees(int size, bool direct)
{
	struct trace traces[2] = {
		{ .size = size, .direct = direct },
		{ .size = size, .direct = direct },
	};
	bool ok = true;
	volatile int i;

	returns = 0;
	for (i = 0; i < 2; i++) {
		if (i && probe(true))
			return false;
		ok &= first(&traces[i]) == 15;
	}
	unprobe();
	ok &= returns == 3 && same(&traces[0], &traces[1]) &&
	      traces[0].nr >= (size < 5 ? size : 5);
	if (!ok) {
		show("without", &traces[0]);
		show("with", &traces[1]);
	}
	return ok;
}

static void find_unwinder(void)
{
	unwinder = dlopen("libgcc_s.so.1", RTLD_NOW);
	NEED(unwinder);
	unwind = (unwind_fn)(unsigned long)dlsym(unwinder, "_Unwind_Backtrace");
	get = (get_fn)(unsigned long)dlsym(unwinder, GET);
	NEED(unwind && get);
}

/* ---- objects that come and go --------------------------------------------------- */

static bool loaded(void)
{
	void *handle = dlopen("libgcc_s.so.1", RTLD_NOW | RTLD_NOLOAD);

	if (handle)
		dlclose(handle);
	return handle;
}

/* The first backtrace() of the process loads what it calls. */
static void first_ever(void)
{
	struct trace traces[2] = { { .size = MAX }, { .size = MAX } };
	volatile int i;

	NEED(!loaded());
	NEED(!probe(true));
	for (i = 0; i < 2; i++) {
		NEED(first(&traces[i]) == 15);
		if (!i) {
			NEED(loaded());
			NEED(returns == 3);
			unprobe();
		}
	}
	NEED(traces[0].nr > 5 && same(&traces[0], &traces[1]));
}

static void comes_and_goes(void)
{
	struct trace traces[2] = {
		{ .size = MAX, .direct = true }, { .size = MAX, .direct = true },
	};
	volatile int i;

	NEED(!loaded());
	for (i = 0; i < 20; i++) {
		if (i == 1)
			NEED(!probe(true));
		find_unwinder();
		NEED(first(&traces[i > 0]) == 15);
		NEED(same(&traces[0], &traces[i > 0]));
		dlclose(unwinder);
		NEED(!loaded());
	}
	NEED(returns == 3 * 19);
	unprobe();
}

/* The child has the probes of its parent, and its own later. */
static void forks(void)
{
	int status;
	pid_t pid;

	NEED(!probe(true));
	pid = fork();
	unprobe();
	NEED(agrees(MAX, false));
	if (!pid)
		_exit(0);
	NEED(waitpid(pid, &status, 0) == pid && !status);
}

/* ---- what is seen of it ------------------------------------------------- */

static void text_comes_back(void)
{
	unsigned char before[TEXT_LEN], meanwhile[TEXT_LEN], after[TEXT_LEN];
	const void *at = (const void *)(unsigned long)unwind;

	kprobes_flush();
	memcpy(before, at, TEXT_LEN);
	NEED(!probe(true));
	memcpy(meanwhile, at, TEXT_LEN);
	unprobe();
	kprobes_flush();
	memcpy(after, at, TEXT_LEN);
	EXPECT("K-RET-44 the unwinder is watched as long as there are return probes",
	       memcmp(before, meanwhile, TEXT_LEN) &&
	       !memcmp(before, after, TEXT_LEN));
}

static void not_listed(void)
{
	char where[32];
	int err[2];

	/* Behind endbr64, if there is one. */
	snprintf(where, sizeof(where), "0x%lx", (unsigned long)unwind + 4);
	NEED(!probe(true));
	err[0] = kprobes_switch("_Unwind_Backtrace", false);
	err[1] = kprobes_switch(where, false);
	EXPECT("K-RET-44 the list has the user's probes alone",
	       jumps_count(NULL).probes == 3 && err[0] == -ENOENT &&
	       err[1] == -ENOENT);
	unprobe();
}

/* ---- a user's probes at the same place ------------------------------------------- */

static volatile long pres, posts;

static int on_pre(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	pres++;
	return 0;
}

static void on_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	(void)p;
	(void)regs;
	(void)flags;
	posts++;
}

static int on_entry_of_unwinder(struct kretprobe_instance *ri,
				struct pt_regs *regs)
{
	(void)ri;
	(void)regs;
	pres++;
	return 0;
}

/* Each call is one hit; registered before the return probes, or after them. */
static void users_probe(bool before, bool post)
{
	struct kprobe user = {
		.addr = (kprobe_opcode_t *)(unsigned long)unwind,
		.pre_handler = on_pre, .post_handler = post ? on_post : NULL,
	};
	struct trace traces[2] = { { .size = MAX }, { .size = MAX } };
	volatile int i;

	pres = posts = 0;
	for (i = 0; i < 2; i++) {
		if (i && before)
			NEED(!register_kprobe(&user));
		if (i)
			NEED(!probe(true));
		if (i && !before)
			NEED(!register_kprobe(&user));
		kprobes_flush();
		NEED(first(&traces[i]) == 15);
	}
	if (before)
		unprobe();
	NEED(jumps_count(NULL).probes == (before ? 1 : 4));
	NEED(same(&traces[0], &traces[1]));
	NEED(pres == 1 && posts == post && !user.nmissed);
	/* It goes first, or the other does. */
	unregister_kprobe(&user);
	if (!before)
		unprobe();
	NEED(agrees(MAX, true) && pres == 1);
}

static void users_kprobe(void)
{
	int i;

	for (i = 0; i < 4; i++)
		users_probe(i & 1, i & 2);
}

static void users_kretprobe(void)
{
	struct kretprobe user = {
		.kp.addr = (kprobe_opcode_t *)(unsigned long)unwind,
		.entry_handler = on_entry_of_unwinder, .handler = on_return,
	};
	struct trace traces[2] = { { .size = MAX }, { .size = MAX } };
	volatile int i;

	pres = returns = 0;
	for (i = 0; i < 2; i++) {
		if (i)
			NEED(!probe(true) && !register_kretprobe(&user));
		kprobes_flush();
		NEED(first(&traces[i]) == 15);
	}
	NEED(same(&traces[0], &traces[1]));
	NEED(pres == 1 && returns == 4 && !user.nmissed);
	unregister_kretprobe(&user);
	unprobe();
}

/* ---- in handlers ----------------------------------------------------- */

static int on_return_trace(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct trace trace = { .size = MAX };

	trace.nr = backtrace(trace.at, trace.size);
	returns += trace.nr > 0;
	(void)ri;
	(void)regs;
	return 0;
}

static void in_a_handler(void)
{
	handler = on_return_trace;
	NEED(agrees(MAX, false));
}

/* ---- threads --------------------------------------------------------- */

#define ROUNDS 200

static volatile bool stop_now;
static long wrong, right;

static void *tracer(void *arg)
{
	struct trace plain = { .size = MAX, .direct = arg };
	struct trace now = plain;
	struct trace *to = &plain;

	for (;;) {
		if (first(to) != 15 || to->nr < 6 ||
		    (to != &plain && !same(&plain, &now))) {
			if (!__atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED)) {
				show("thread, at first", &plain);
				show("thread, now", &now);
			}
		}
		__atomic_fetch_add(&right, 1, __ATOMIC_RELAXED);
		to = &now;
		if (stop_now)
			return NULL;
	}
}

/*
 * No frame of a stub, ever: what a thread has called before a probe was there is
 * not hooked, and the unwinder is watched before anything is.
 */
static void threads(void)
{
	pthread_t ids[4];
	int i, bad = 0;

	returns = 0;
	for (i = 0; i < 4; i++)
		pthread_create(&ids[i], NULL, tracer, i % 2 ? &ids : NULL);
	while (__atomic_load_n(&right, __ATOMIC_RELAXED) < 100)
		usleep(100);
	for (i = 0; i < ROUNDS; i++) {
		bad += probe(i % 4 == 0) != 0;
		if (i % 2)
			usleep(300);
		unprobe();
	}
	stop_now = true;
	for (i = 0; i < 4; i++)
		pthread_join(ids[i], NULL);
	printf("# %ld traces, %ld returns\n", right, returns);
	EXPECT("K-RET-44 four threads trace while return probes come and go",
	       !bad && !wrong && returns);
}

int main(void)
{
	int size;
	bool ok = true;

	jumps_begin();
	child_case("K-RET-44 the first backtrace() of a process", first_ever);
	child_case("K-RET-44 an unwinder that is loaded and unloaded",
		   comes_and_goes);
	find_unwinder();
	EXPECT("K-RET-44 backtrace() shows the same frames", agrees(MAX, false));
	EXPECT("K-RET-44 _Unwind_Backtrace shows the same frames",
	       agrees(MAX, true));
	for (size = 1; size <= 4; size++)
		ok &= agrees(size, false) && agrees(size, true);
	EXPECT("K-RET-44 as many as are asked for", ok);
	text_comes_back();
	not_listed();
	child_case("K-RET-44 a user's probe on the unwinder", users_kprobe);
	child_case("K-RET-44 a user's return probe on it", users_kretprobe);
	child_case("K-RET-44 in a return handler", in_a_handler);
	child_case("K-RET-44 after fork", forks);
	threads();
	return live_failed;
}
