/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * sim.c - the host contract on plain memory.
 *
 * Owns: the fake text arena, its symbols, and the scripted failures.  One
 * thread only; the locks count and check, they do not exclude.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "sim.h"
#include "task.h"

#define NAMES 64
#define WINDOWS 4096

struct sim_memory sim_memory __attribute__((aligned(4096)));
uint8_t sim_data[4096] __attribute__((aligned(4096)));
struct sim_counts sim_counts;
char sim_logs[4096];
char sim_last_log[256];
void (*sim_after_write)(void), (*sim_on_sync)(void);
struct kp_text_patch sim_written;
uintptr_t sim_thread;
unsigned long sim_threads_gone;
bool sim_coroutines, sim_stacks_copied;
const char *sim_return_refused, *sim_jprobe_refused;
uintptr_t sim_minds_caller;
bool sim_minds_callers;
bool sim_unwound;
bool sim_exec_far;
void (*sim_before_read)(void);

static size_t exec_used, exec_far_used;
/* By exec_alloc_in: real memory where it was asked for. */
static struct kp_exec windows[WINDOWS];
static size_t windows_nr;

static struct { char name[64]; uintptr_t start; size_t len; } symbols[NAMES];
static size_t symbols_nr;
static struct {
	uintptr_t start;
	size_t len;
	enum kp_text_kind kind;
	const char *why;
} regions[NAMES];
static size_t regions_nr;
static uintptr_t fixup_start;
static size_t fixup_len;
static const char *scripts[SIM_DUTIES];
static struct kp_context context;
static int lock_depth[2];

static size_t later_nr;			/* exec_write_later's */

void sim_reset(void)
{
	memset(sim_text, TOY_NOP, sizeof(sim_text));
	sim_watch_reset();
	memset(sim_data, 0, sizeof(sim_data));
	memset(&context, 0, sizeof(context));
	memset(scripts, 0, sizeof(scripts));
	sim_tracer_reset();
	later_nr = 0;
	symbols_nr = 0;
	regions_nr = 0;
	exec_used = 0;
	exec_far_used = SIM_FAR;
	while (windows_nr)
		kp_host_exec_free(&windows[windows_nr - 1]);
	sim_after_write = sim_on_sync = NULL;
	sim_thread = 1;
	sim_threads_gone = 0;
	sim_coroutines = sim_stacks_copied = false;
	sim_return_refused = sim_jprobe_refused = NULL;
	sim_minds_caller = 0;
	sim_minds_callers = false;
	sim_other = 0;
	sim_unwound = sim_exec_far = sim_alone = false;
	sim_before_read = NULL;
	fixup_len = 0;
	sim_counts = (struct sim_counts){ .allocs = sim_counts.allocs };
	sim_logs[0] = sim_last_log[0] = 0;
}

void sim_symbol(const char *name, uintptr_t start, size_t len)
{
	snprintf(symbols[symbols_nr].name, sizeof(symbols[0].name), "%s", name);
	symbols[symbols_nr].start = start;
	symbols[symbols_nr++].len = len;
}

uintptr_t sim_function(const char *name, size_t offset, const uint8_t *bytes,
		       size_t len)
{
	memcpy(sim_text + offset, bytes, len);
	sim_symbol(name, (uintptr_t)sim_text + offset, len);
	return (uintptr_t)sim_text + offset;
}

void sim_region(uintptr_t start, size_t len, enum kp_text_kind kind,
		const char *why)
{
	regions[regions_nr].start = start;
	regions[regions_nr].len = len;
	regions[regions_nr].kind = kind;
	regions[regions_nr++].why = why;
}

void sim_fixup(uintptr_t start, size_t len)
{
	fixup_start = start;
	fixup_len = len;
}

void sim_script(enum sim_duty duty, const char *letters)
{
	scripts[duty] = letters;
}

bool sim_fails(enum sim_duty duty)
{
	const char *at = scripts[duty];

	if (!at || !*at)
		return false;
	scripts[duty] = at + 1;
	return *at == 'f';
}

/* ---- memory, locks, messages ------------------------------------------- */

void *kp_host_alloc(size_t len)
{
	void *mem = sim_fails(SIM_ALLOC) ? NULL : calloc(1, len);

	sim_counts.allocs += mem != NULL;
	return mem;
}

void kp_host_free(void *mem)
{
	sim_counts.allocs -= mem != NULL;
	free(mem);
}

void kp_host_lock(enum kp_host_lock lock)
{
	if (lock_depth[lock]++)
		kp_host_broken("lock taken twice");
	if (lock == KP_LOCK_REGISTRY && lock_depth[KP_LOCK_TEXT])
		kp_host_broken("registry lock taken inside the text lock");
}

void kp_host_unlock(enum kp_host_lock lock)
{
	if (--lock_depth[lock])
		kp_host_broken("unlock without lock");
}

void kp_host_assert_locked(enum kp_host_lock lock)
{
	if (!lock_depth[lock])
		kp_host_broken("lock not held");
}

void kp_host_log(enum kp_host_level level, const char *fmt, ...)
{
	va_list args;

	(void)level;
	sim_counts.logs++;
	va_start(args, fmt);
	vsnprintf(sim_last_log, sizeof(sim_last_log), fmt, args);
	va_end(args);
	if (strlen(sim_logs) + strlen(sim_last_log) + 2 < sizeof(sim_logs))
		strcat(strcat(sim_logs, sim_last_log), "\n");
	if (getenv("SIM_LOG"))
		fprintf(stderr, "%s\n", sim_last_log);
}

void kp_host_broken(const char *what)
{
	sim_counts.broken++;
	fprintf(stderr, "broken invariant: %s\n", what);
	abort();
}

/* ---- text --------------------------------------------------------------- */

static bool inside(uintptr_t addr, size_t len, const void *base, size_t size)
{
	uintptr_t off = addr - (uintptr_t)base;

	return off < size && len <= size - off;
}

static bool is_text(uintptr_t addr, size_t len)
{
	return inside(addr, len, sim_text, sizeof(sim_text));
}

int kp_host_text_read(void *dst, uintptr_t addr, size_t len)
{
	void (*before)(void) = sim_before_read;

	sim_before_read = NULL;
	if (before)
		sim_elsewhere(before);
	if (!is_text(addr, len) && !inside(addr, len, sim_data, sizeof(sim_data)) &&
	    !inside(addr, len, sim_memory.exec, sizeof(sim_memory.exec)))
		return -EFAULT;
	memcpy(dst, (const void *)addr, len);
	return 0;
}

int kp_host_patching(int (*fn)(void *arg), void *arg)
{
	return fn(arg);
}

int kp_host_text_write(struct kp_text_patch *patches, size_t nr)
{
	int err = 0;
	size_t i;

	kp_host_assert_locked(KP_LOCK_TEXT);
	for (i = 0; i < nr; i++) {
		patches[i].err = 0;
		if (sim_fails(SIM_TEXT_WRITE) || !is_text(patches[i].addr, patches[i].len)) {
			patches[i].err = -EIO;
			err = err ? err : -EIO;
			continue;
		}
		memcpy((void *)patches[i].addr, patches[i].bytes, patches[i].len);
		sim_counts.writes++;
		sim_written = patches[i];
		if (sim_after_write)
			sim_after_write();
	}
	return err;
}

void kp_host_sync_cores(void)
{
	sim_counts.syncs++;
	if (sim_on_sync)
		sim_on_sync();
}

uintptr_t sim_other;
bool sim_copies_original;

bool kp_host_jump_is_copied(void)
{
	return !sim_copies_original;
}

bool kp_host_others(uintptr_t addr, size_t len)
{
	return sim_other && sim_other - addr < len;
}

void kp_host_text_query(uintptr_t addr, size_t len, struct kp_text_info *out)
{
	size_t i;

	out->kind = is_text(addr, len) ? KP_TEXT_OK : KP_TEXT_NONE;
	out->arch_flags = KP_ARCH_USER;
	if (addr + len > fixup_start && addr - fixup_start < fixup_len)
		out->arch_flags |= KP_ARCH_HAS_FIXUP;
	out->why = is_text(addr, len) ? NULL : "not executable text";
	for (i = 0; i < regions_nr; i++) {
		if (addr - regions[i].start < regions[i].len) {
			out->kind = regions[i].kind;
			out->why = regions[i].why;
		}
	}
}

/* Handlers are real functions of the test program; low numbers are garbage. */
bool kp_host_is_code(uintptr_t addr)
{
	return addr >= 0x10000 && !is_text(addr, 1) &&
	       !inside(addr, 1, sim_data, sizeof(sim_data));
}

/* ---- executable memory --------------------------------------------------- */

int kp_host_exec_alloc(struct kp_exec *out, uintptr_t near, size_t len,
		       bool own)
{
	size_t *used = sim_exec_far ? &exec_far_used : &exec_used;
	size_t end = sim_exec_far ? sizeof(sim_memory.exec) : SIM_FAR;

	(void)near;
	(void)own;
	if (sim_fails(SIM_EXEC_ALLOC) || len > end - *used)
		return -ENOMEM;
	out->base = (uintptr_t)sim_memory.exec + *used;
	out->len = len;
	*used += len;
	return 0;
}

/* From the middle on, so that what lies at both ends is in nobody's way. */
int kp_host_exec_alloc_in(struct kp_exec *out, uintptr_t low, uintptr_t high,
			  size_t len)
{
	uintptr_t first = (low + 4095) & ~4095ul, at;
	void *mem;

	sim_counts.windows++;
	if (sim_fails(SIM_EXEC_ALLOC_IN) || windows_nr == WINDOWS ||
	    high - first < len - 1)
		return -ENOMEM;
	at = first + (high - first - (len - 1)) / 2;
	for (at &= ~4095ul; at <= high && high - at >= len - 1; at += 4096) {
		mem = mmap((void *)at, len, PROT_READ | PROT_WRITE, MAP_PRIVATE |
			   MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
		if (mem == MAP_FAILED)
			continue;
		*out = (struct kp_exec){ (uintptr_t)mem, len };
		if (at == out->base) {
			windows[windows_nr++] = *out;
			return 0;
		}
		munmap(mem, len);
	}
	return -ENOMEM;
}

/* What was written for later; as many as a test makes between two commits. */
static struct later {
	uintptr_t addr;
	size_t len;
	uint8_t bytes[KP_ARCH_SLOT_LEN];
} later[256];

static void forget_later(const struct kp_exec *exec)
{
	size_t i, kept = 0;

	for (i = 0; i < later_nr; i++)
		if (later[i].addr - exec->base >= exec->len)
			later[kept++] = later[i];
	later_nr = kept;
}

static bool window_free(const struct kp_exec *exec)
{
	size_t i;

	for (i = 0; i < windows_nr; i++) {
		if (windows[i].base != exec->base)
			continue;
		munmap((void *)windows[i].base, windows[i].len);
		windows[i] = windows[--windows_nr];
		return true;
	}
	return false;
}

void kp_host_exec_free(const struct kp_exec *exec)
{
	forget_later(exec);
	if (window_free(exec))
		return;
	memset((void *)exec->base, KP_ARCH_FILL, exec->len);
}

int kp_host_exec_drop(uintptr_t addr, size_t len)
{
	if (sim_fails(SIM_EXEC_DROP))
		return -EINVAL;
	memset((void *)addr, 0, len);
	return 0;
}

int kp_host_exec_write(uintptr_t addr, const void *src, size_t len)
{
	if (sim_fails(SIM_EXEC_WRITE))
		return -EIO;
	memcpy((void *)addr, src, len);
	return 0;
}

int kp_host_exec_write_later(uintptr_t addr, const void *src, size_t len)
{
	if (sim_fails(SIM_EXEC_WRITE))
		return -EIO;
	if (later_nr == sizeof(later) / sizeof(later[0]))
		kp_host_exec_commit();
	if (later_nr == sizeof(later) / sizeof(later[0]) ||
	    len > sizeof(later[0].bytes))
		return -EIO;
	later[later_nr].addr = addr;
	later[later_nr].len = len;
	memcpy(later[later_nr++].bytes, src, len);
	return 0;
}

int kp_host_exec_commit(void)
{
	size_t i;

	if (sim_fails(SIM_EXEC_COMMIT))
		return -EIO;
	for (i = 0; i < later_nr; i++)
		memcpy((void *)later[i].addr, later[i].bytes, later[i].len);
	later_nr = 0;
	return 0;
}

int kp_host_slot_bind(uintptr_t slot, uintptr_t insn,
		      const unsigned int copies[2])
{
	(void)slot;
	(void)insn;
	(void)copies;
	return sim_fails(SIM_BIND) ? -ENOMEM : 0;
}

void kp_host_slot_unbind(uintptr_t slot)
{
	(void)slot;
}

/* ---- readers -------------------------------------------------------------- */

struct kp_context *kp_host_enter(void)
{
	sim_counts.readers++;
	return sim_fails(SIM_ENTER) ? NULL : &context;
}

void kp_host_leave(struct kp_context *ctx)
{
	(void)ctx;
	sim_counts.readers--;
}

struct kp_context *kp_host_context(void)
{
	return &context;
}

bool kp_host_vectors_live(void)
{
	return true;
}

bool kp_host_vectors(const struct pt_regs *regs, struct kp_arch_vectors *out)
{
	(void)regs;
	(void)out;
	return false;
}

void kp_host_abandon(struct kp_context *ctx)
{
	(void)ctx;
}

struct kp_context *kp_host_enter_detour(struct kp_host_saved *saved)
{
	(void)saved;
	return kp_host_enter();
}

void kp_host_leave_detour(struct kp_context *ctx,
			  const struct kp_host_saved *saved)
{
	(void)saved;
	kp_host_leave(ctx);
}

void kp_host_direct_saved(struct kp_host_saved *saved)
{
	(void)saved;
}

bool kp_host_is_own_work(void)
{
	return false;
}

bool kp_host_unwound(const struct kp_context *ctx, uintptr_t sp)
{
	(void)ctx;
	(void)sp;
	return sim_unwound;
}

void kp_host_forget(struct kp_context *ctx)
{
	(void)ctx;
}

void sim_elsewhere(void (*fn)(void))
{
	struct kp_context here = context;

	memset(&context, 0, sizeof(context));
	fn();
	context = here;
}

void kp_host_wait_handlers(void)
{
	if (sim_counts.readers)
		kp_host_broken("waiting for a reader from inside one");
	sim_counts.waits++;
}

int kp_host_wait_tasks(uintptr_t base, size_t len)
{
	(void)base;
	(void)len;
	return 0;
}

/* ---- return probes --------------------------------------------------------- */

bool sim_alone;
uintptr_t sim_over;

int kp_host_alone(void (*fn)(void *arg), void *arg)
{
	if (!sim_alone)
		return -EOPNOTSUPP;
	fn(arg);
	return 0;
}

/* The frame is where the return address stands (arch/toy). */
bool kp_host_put_back(const struct kp_task *task, uintptr_t frame, uintptr_t stub,
		      uintptr_t real)
{
	uintptr_t *word = (uintptr_t *)frame;

	(void)task;
	if (*word != stub)
		return false;
	*word = real;
	return true;
}

bool kp_host_call_over(const struct kp_task *task, uintptr_t frame)
{
	(void)task;
	return frame == sim_over;
}

struct kp_context *kp_host_context_here(void)
{
	return &context;
}

struct kp_context *kp_host_context_lean(void)
{
	return &context;
}

/* Only what does not go that way is seen here. */
struct kp_context *kp_host_enter_lean(uintptr_t sp)
{
	(void)sp;
	return NULL;
}

void kp_host_leave_lean(struct kp_context *ctx)
{
	(void)ctx;
}

bool kp_host_task_known(const struct kp_context *ctx)
{
	(void)ctx;
	return true;
}

void kp_host_task_again(struct kp_task *out, uintptr_t sp)
{
	kp_host_task(out, sp);
}

/* Its stubs call nothing. */
void kp_host_task_stamp(struct kp_task *out, const struct kp_context *ctx,
			uintptr_t sp)
{
	(void)out;
	(void)ctx;
	(void)sp;
}

void kp_host_task(struct kp_task *out, uintptr_t sp)
{
	(void)sp;
	*out = (struct kp_task){ .task = (void *)sim_thread,
				 .bound = !sim_coroutines };
}

bool kp_host_task_gone(const struct kp_task *task)
{
	return sim_threads_gone >> (uintptr_t)task->task & 1;
}

bool kp_host_stacks_copied(void)
{
	return sim_stacks_copied;
}

/* The tests' stacks are in one array each. */
enum kp_stack kp_host_stack(uintptr_t a, uintptr_t b)
{
	(void)a;
	(void)b;
	return KP_STACK_UNKNOWN;
}

int kp_host_return_refused(uintptr_t addr, const char **why)
{
	(void)addr;
	*why = sim_return_refused;
	return *why ? -EINVAL : 0;
}

bool kp_host_minds_caller(uintptr_t to, uintptr_t word)
{
	(void)word;
	return sim_minds_caller && to == sim_minds_caller;
}

unsigned int kp_host_callers(uintptr_t addr)
{
	(void)addr;
	return (sim_minds_callers ? KP_CALLERS_READ : 0) |
	       (sim_minds_caller ? KP_CALLERS_FOLLOW : 0);
}

int kp_host_jprobe_refused(uintptr_t addr, const char **why)
{
	(void)addr;
	*why = sim_jprobe_refused;
	return *why ? -EOPNOTSUPP : 0;
}

bool sim_returns_hooked;

void kp_host_returns_hooked(bool on)
{
	sim_returns_hooked = on;
	sim_counts.returns_hooked += on;
}

bool kp_host_return_stubs(struct kp_stubs *out)
{
	(void)out;
	return false;
}

/* Only when scripted: 'a' allow. */
void *kp_host_alloc_now(size_t len)
{
	const char *at = scripts[SIM_ALLOC_NOW];

	if (!at || !*at || sim_fails(SIM_ALLOC_NOW))
		return NULL;
	sim_counts.allocs++;
	return calloc(1, len);
}

void kp_host_free_now(void *mem, size_t len)
{
	(void)len;
	kp_host_free(mem);
}

void kp_host_kick(void)
{
	sim_counts.kicks++;
}

unsigned int kp_host_cpus(void)
{
	return 2;
}

/* ---- work put off ----------------------------------------------------------- */

/* Without a script the host has no way; with one, 'a' allows. */
int kp_host_defer(unsigned int ms)
{
	const char *at = scripts[SIM_DEFER];

	(void)ms;
	if (!at || *at != 'a')
		return -ENOSYS;
	sim_counts.defers++;
	return 0;
}

void kp_host_defer_stop(void)
{
	sim_counts.defers = 0;
}

void sim_run_deferred(void)
{
	if (!sim_counts.defers)
		return;
	sim_counts.defers = 0;
	kp_core_on_deferred();
}

/* ---- data of the probed code ---------------------------------------------- */

int kp_host_data_read(uintptr_t addr, void *dst, size_t len)
{
	if (addr < 0x10000)
		return -EFAULT;
	memcpy(dst, (const void *)addr, len);
	return 0;
}

bool kp_host_constant(uintptr_t addr, size_t len)
{
	(void)addr;
	(void)len;
	return false;
}

int kp_host_data_write(uintptr_t addr, const void *src, size_t len)
{
	if (addr < 0x10000)
		return -EFAULT;
	memcpy((void *)addr, src, len);
	return 0;
}

int kp_host_str_read(char *dst, const char *src, size_t len)
{
	if ((uintptr_t)src < 0x10000)
		return -EFAULT;
	if (strlen(src) >= len)
		return -E2BIG;
	strcpy(dst, src);
	return 0;
}

bool kp_host_fixup(struct pt_regs *regs, int trapnr)
{
	(void)regs;
	(void)trapnr;
	return false;
}

/* ---- symbols --------------------------------------------------------------- */

uintptr_t kp_host_code_at(uintptr_t pointer)
{
	return pointer;
}

int kp_host_resolve(const char *name, uintptr_t *addr)
{
	size_t i;

	for (i = 0; i < symbols_nr; i++) {
		if (!strcmp(symbols[i].name, name)) {
			*addr = symbols[i].start;
			return 0;
		}
	}
	return -ENOENT;
}

int kp_host_bounds(uintptr_t addr, uintptr_t *start, size_t *len)
{
	size_t i;

	for (i = 0; i < symbols_nr; i++) {
		if (addr - symbols[i].start < symbols[i].len) {
			*start = symbols[i].start;
			*len = symbols[i].len;
			return 0;
		}
	}
	return -ENOENT;
}

int kp_host_describe(uintptr_t addr, char *name, size_t name_len, char *owner,
		     size_t owner_len)
{
	size_t i;

	(void)owner_len;
	for (i = 0; i < symbols_nr; i++) {
		if (addr - symbols[i].start < symbols[i].len) {
			snprintf(name, name_len, "%s", symbols[i].name);
			owner[0] = 0;
			return 0;
		}
	}
	return -ENOENT;
}

/* Any number of symbols may have the same start. */
bool kp_host_names(uintptr_t start, const char *name)
{
	size_t i;

	for (i = 0; i < symbols_nr; i++)
		if (symbols[i].start == start && !strcmp(symbols[i].name, name))
			return true;
	return false;
}
