// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * trace.c - trace programs in a process: a probe module.
 *
 * Owns: a copy of the program, its probes, and the way from a hit to vm/run.c.
 * Program and arena come in memory that is shared with the reader (share.h): by
 * the parameter "memory", its address, when a running process is attached to; in a
 * new one by "fd", and then module_init waits for the reader.
 *
 * Invariant: after the program was proved nothing of the shared memory is read but
 * what vm/ reads of the arena, and the reader's mark.
 */
#define pr_fmt(fmt) "trace: " fmt

#include "../accesses.h"
#include "../codes.h"
#include "../filtered.h"
#include "arrivals.h"
#include "calls.h"
#include "kt_host.h"
#include "share.h"

#include <linux/futex.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <time.h>

#define BATCH 512			/* probes that are set in one go */
#define WAIT_MS 100
#define WAIT_MAX (600 * 1000 / WAIT_MS)
#define WAIT_ASKER (30 * 1000 / WAIT_MS)	/* who may be stopped, and forget it */

/* All of this module's code (user.mk). */
extern const char __start_kt_text[], __stop_kt_text[];

static unsigned long memory;
module_param(memory, ulong, 0);
MODULE_PARM_DESC(memory, "the shared memory's address");

static int fd = -1;
module_param(fd, int, 0);
MODULE_PARM_DESC(fd, "the shared memory's descriptor, in a new process");

static int asker;
module_param(asker, int, 0);
MODULE_PARM_DESC(asker, "whose descriptors from fd on lead to shared memory");

static int shares;
module_param(shares, int, 0);
MODULE_PARM_DESC(shares, "... so many; the first that nobody has yet is taken");

struct point {
	u32 number, first;		/* of the probe; of its instructions */
	u32 kind;			/* enum kt_probe_kind */
	u64 addr;			/* as the reader knows it */
	u64 moved;			/* where it is, minus that */
	u64 missed;			/* of that many the reader knows */
	struct kt_predicate asks;	/* stands before rp */
	/* All begin with their kprobe; of an entry's only that is used. */
	union {
		struct kretprobe rp;
		struct wprobe wp;
	};
};

/* Probes that come and go together. */
struct set {
	struct point *points;
	u32 nr;
	struct kretprobe **list;	/* room for all of them */
};

_Static_assert(offsetof(struct kt_share, left_path) - offsetof(struct kt_share, left) ==
	       offsetof(struct kp_process_left, path) &&
	       sizeof(((struct kt_share *)0)->left_path) ==
	       sizeof(((struct kp_process_left *)0)->path), "struct kp_process_left");
_Static_assert(offsetof(struct point, asks) + sizeof(struct kt_predicate) ==
	       offsetof(struct point, rp), "struct kt_predicate");

static struct kt_share *share;
static u64 share_len;
static struct kt_vm vm;
static void *program;			/* the copy */
static struct set initial;		/* of what was there when they were set */
static struct kt_codes codes;
static int owner;			/* the process that set them, no child of it */
static bool at_work;

/* ---- hits ------------------------------------------------------------------ */

static bool has_reader(void)
{
	return !(READ_ONCE(share->reader) & FUTEX_OWNER_DIED) &&
	       !READ_ONCE(((struct kt_arena *)vm.arena)->stop);
}

static int on_entry(struct kprobe *p, struct pt_regs *regs)
{
	const struct point *point = container_of(p, struct point, rp.kp);
	struct kt_hit hit = {
		.regs = regs, .addr = point->addr, .probe = point->number,
	};

	if (!has_reader())
		return 0;
	kt_serve(&vm, point->asks.plan, point->first, &hit);
	if (!hit.overridden)
		return 0;
	/* As if the function had returned that at once. */
	kt_machine_return(regs, hit.value);
	return 1;
}

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct point *point = container_of(get_kretprobe(ri),
						 struct point, rp);
	struct kt_hit hit = {
		.regs = regs, .addr = point->addr, .probe = point->number,
		.returns = true,
	};

	if (has_reader())
		kt_serve(&vm, point->asks.plan, point->first, &hit);
	return 0;
}

static void serve_access(const struct point *point, struct pt_regs *regs)
{
	struct kt_hit hit = {
		.regs = regs, .addr = kt_machine_hit_addr(regs), .probe = point->number,
	};

	if (has_reader())
		kt_serve(&vm, point->asks.plan, point->first, &hit);
}

static void on_watch(struct wprobe *wp, struct pt_regs *regs,
		     const struct kp_access *access)
{
	kt_note_access(regs, access, (unsigned long)wp->kp.addr);
	serve_access(container_of(wp, struct point, wp), regs);
}

/* Of memory that the program has named itself: every such clause is told. */
static void on_object(struct wprobe *wp, struct pt_regs *regs,
		      const struct kp_access *access)
{
	u64 object = kt_objects_of(wp);
	u32 i;

	if (!object)
		return;
	kt_note_access(regs, access, object);
	for (i = 0; i < initial.nr; i++)
		if (initial.points[i].kind == KT_PROBE_WATCHED)
			serve_access(&initial.points[i], regs);
}

/* ---- probes ---------------------------------------------------------------- */

static int wrong(const char *text, int err)
{
	put_text(share->text, sizeof(share->text), text);
	share->error = -err;
	pr_err("%s\n", text);
	return err;
}

static struct point *point_of(struct kretprobe *rp)
{
	return container_of(rp, struct point, rp);
}

static void refused(struct point *point, int err)
{
	struct kt_probe_state *states = (void *)(vm.arena + vm.layout.probes);
	const char *reason = point->rp.kp.reason;
	struct kt_refusal *r;

	states[point->number].error = -err;
	share->refused++;
	if (share->refusals_nr < KT_REFUSALS_MAX) {
		r = &share->refusals[share->refusals_nr++];
		r->probe = point->number;
		r->error = -err;
		put_text(r->reason, sizeof(r->reason), reason ? reason : "");
	}
	point->kind = KT_PROBE_ELSEWHERE;
}

/* Is it one of a group, by a name whose address was not known before? */
static bool is_named(const struct kt_probe *p)
{
	return (p->kind == KT_PROBE_ENTRY || p->kind == KT_PROBE_RETURN) && p->watch &&
	       !p->addr && p->name != KT_NO_NAME;
}

/* As it was before it was tried. */
static void prepare(struct point *point)
{
	const struct kt_probe *p = &vm.probes[point->number];
	struct kretprobe *rp = &point->rp;

	memset(&point->rp, 0, sizeof(*point) - offsetof(struct point, rp));
	/* Where it is now; its handlers say where the reader knows it. */
	rp->kp.addr = (kprobe_opcode_t *)(unsigned long)(p->addr + point->moved);
	rp->kp.offset = p->offset;
	if (!p->addr && p->name != KT_NO_NAME)
		rp->kp.symbol_name = vm.names + p->name;
	if (point->kind == KT_PROBE_WATCH) {
		point->wp.handler = on_watch;
		point->wp.type = KT_WATCH_KIND(p->watch);
		point->wp.len = KT_WATCH_BYTES(p->watch);
		kt_codes_name(&codes, &point->wp);
	} else if (point->kind == KT_PROBE_RETURN) {
		rp->handler = on_return;
	} else {
		rp->kp.pre_handler = on_entry;
		kt_filter_set(&point->asks, &rp->kp);
	}
	/* Until it is known where it leads: switch_named(). */
	if (is_named(p))
		rp->kp.flags = KPROBE_FLAG_DISABLED;
}

/* All of one kind, or none.  A kretprobe begins with its kprobe. */
static int set_batch(struct kretprobe **batch, int nr, u32 kind)
{
	int i;

	for (i = 0; i < nr; i++)
		prepare(point_of(batch[i]));
	if (kind == KT_PROBE_WATCH)
		return register_wprobes((struct wprobe **)batch, nr);
	return kind == KT_PROBE_RETURN
		       ? register_kretprobes(batch, nr)
		       : register_kprobes((struct kprobe **)batch, nr);
}

/* One that is refused takes its batch with it: halves, until it is alone. */
static void set_some(struct kretprobe **batch, int nr, u32 kind)
{
	int err = set_batch(batch, nr, kind);

	if (!err)
		return;
	if (nr == 1) {
		refused(point_of(batch[0]), err);
		return;
	}
	set_some(batch, nr / 2, kind);
	set_some(batch + nr / 2, nr - nr / 2, kind);
}

/*
 * Those of one kind, at the list's begin.  Of several entry probes of one place the one
 * that was registered last runs first (K-HIT-15), and the script's first clause is to
 * run first: so these are registered from the last one on.
 */
static int collect(const struct set *set, u32 kind)
{
	bool backwards = kind == KT_PROBE_ENTRY;
	int nr = 0;
	u32 i;

	for (i = 0; i < set->nr; i++) {
		struct point *point = &set->points[backwards ? set->nr - 1 - i : i];

		if (point->kind == kind)
			set->list[nr++] = &point->rp;
	}
	return nr;
}

static void set_kind(const struct set *set, u32 kind)
{
	int nr = collect(set, kind), at, len;

	for (at = 0; at < nr; at += len) {
		len = nr - at < BATCH ? nr - at : BATCH;
		set_some(set->list + at, len, kind);
	}
}

/* Is there another of its group at its address, that is on or will be? */
static bool is_double(u32 nr)
{
	const struct point *points = initial.points;
	const struct kt_probe *p = &vm.probes[points[nr].number], *other;
	u32 i;

	for (i = 0; i < initial.nr; i++) {
		other = &vm.probes[points[i].number];
		if (i != nr && points[i].kind == points[nr].kind && other->watch == p->watch &&
		    points[i].rp.kp.addr == points[nr].rp.kp.addr &&
		    (!is_named(other) || i < nr))
			return true;
	}
	return false;
}

/*
 * memcpy and memmove may select one function, and its own name be in the pattern, too.
 * It is probed once then; the other probes of it stay off.
 */
static void switch_named(void)
{
	u32 i;

	for (i = 0; i < initial.nr; i++) {
		struct point *point = &initial.points[i];
		int err;

		if (point->kind == KT_PROBE_ELSEWHERE ||
		    !is_named(&vm.probes[point->number]) || is_double(i))
			continue;
		err = point->kind == KT_PROBE_RETURN ? enable_kretprobe(&point->rp) :
						       enable_kprobe(&point->rp.kp);
		if (err)
			wrong("a probe could not be switched on", err);
	}
}

/* Where it came to be: what its builtins say. */
static void note_places(void)
{
	struct kt_probe_state *states = (void *)(vm.arena + vm.layout.probes);
	struct point *points = initial.points;
	u32 i;

	for (i = 0; i < initial.nr; i++) {
		if (points[i].kind == KT_PROBE_ELSEWHERE)
			continue;
		points[i].addr = (unsigned long)points[i].rp.kp.addr;
		share->set++;
		if (points[i].kind == KT_PROBE_WATCH)
			states[points[i].number].unseen = points[i].wp.unseen;
	}
}

/* Those of other processes, and of the kernel, have no point here. */
static bool is_own(const struct kt_probe *probe)
{
	return probe->kind == KT_PROBE_ENTRY || probe->kind == KT_PROBE_RETURN ||
	       probe->kind == KT_PROBE_WATCH || probe->kind == KT_PROBE_WATCHED;
}

/* Those in [from, from + len), for one set; or what is there, if len is 0. */
static bool belongs(const struct kt_probe *probe, u64 from, u64 len)
{
	if (!is_own(probe))
		return false;
	if (!len)
		return !kt_later_awaits(probe->addr);
	return probe->addr - from < len &&
	       (probe->kind == KT_PROBE_ENTRY || probe->kind == KT_PROBE_RETURN);
}

static int make_set(struct set *set, u64 from, u64 len, u64 moved)
{
	u32 nr = 0, i;

	for (i = 0; i < vm.program->probes_nr; i++)
		nr += belongs(&vm.probes[i], from, len);
	set->points = kcalloc(nr + 1, sizeof(*set->points), GFP_KERNEL);
	set->list = kcalloc(nr + 1, sizeof(struct kretprobe *), GFP_KERNEL);
	set->nr = 0;
	if (!set->points || !set->list) {
		kfree(set->points);
		kfree(set->list);
		return -ENOMEM;
	}
	for (i = 0; i < vm.program->probes_nr; i++) {
		const struct kt_probe *probe = &vm.probes[i];

		if (belongs(probe, from, len))
			set->points[set->nr++] = (struct point){
				.number = i, .kind = probe->kind, .first = probe->first,
				.addr = probe->addr, .moved = moved,
				.asks.plan = kt_plan_of(&vm, probe->first),
			};
	}
	return 0;
}

/* All have one type: it is the memory's.  Before what names any. */
static void set_watched(void)
{
	int nr = collect(&initial, KT_PROBE_WATCHED), err;

	if (!nr)
		return;
	err = kt_objects_start(on_object, &codes,
			       KT_WATCH_KIND(vm.probes[point_of(initial.list[0])->number].watch));
	while (err && nr-- > 0)
		refused(point_of(initial.list[nr]), err);
}

static int set_all(void)
{
	if (kt_codes_make(&codes, &vm) || make_set(&initial, 0, 0, 0))
		return wrong("no memory for the probes", -ENOMEM);
	set_watched();
	set_kind(&initial, KT_PROBE_ENTRY);
	set_kind(&initial, KT_PROBE_RETURN);
	set_kind(&initial, KT_PROBE_WATCH);
	switch_named();
	note_places();
	return 0;
}

static void take_off(const struct set *set)
{
	unregister_kprobes((struct kprobe **)set->list, collect(set, KT_PROBE_ENTRY));
	unregister_kretprobes(set->list, collect(set, KT_PROBE_RETURN));
}

static void take_off_all(void)
{
	kt_objects_leave();
	take_off(&initial);
	unregister_wprobes((struct wprobe **)initial.list, collect(&initial, KT_PROBE_WATCH));
	kt_objects_stop();
	kt_codes_free(&codes);
}

static void note_missed_of(const struct set *set)
{
	struct kt_probe_state *states = (void *)(vm.arena + vm.layout.probes);
	struct point *points = set->points;
	u32 i;

	for (i = 0; i < set->nr; i++) {
		const struct kretprobe *rp = &points[i].rp;
		u64 missed = rp->kp.nmissed;

		if (points[i].kind == KT_PROBE_RETURN)
			missed += (u64)rp->nmissed;
		if (points[i].kind == KT_PROBE_ELSEWHERE)
			continue;
		if (points[i].kind == KT_PROBE_WATCHED)
			missed = kt_objects_missed();
		else if (kprobe_gone((struct kprobe *)&rp->kp) &&
			 !kt_later_knows(vm.probes[points[i].number].addr))
			__atomic_store_n(&states[points[i].number].gone, 1, __ATOMIC_RELAXED);
		__atomic_fetch_add(&states[points[i].number].missed,
				   missed - points[i].missed, __ATOMIC_RELAXED);
		points[i].missed = missed;
	}
}

/* What was missed since the last time. */
static void note_missed(void)
{
	note_missed_of(&initial);
	kt_later_each(note_missed_of);
}

/* ---- objects that are opened later --------------------------------------------- */

struct set *kt_later_set(u64 from, u64 len, u64 moved)
{
	struct set *set = kmalloc(sizeof(*set), GFP_KERNEL);

	if (set && make_set(set, from, len, moved)) {
		kfree(set);
		return NULL;
	}
	if (!set)
		return NULL;
	set_kind(set, KT_PROBE_ENTRY);
	set_kind(set, KT_PROBE_RETURN);
	return set;
}

void kt_later_unset(struct set *set)
{
	take_off(set);
	note_missed_of(set);
	kfree(set->points);
	kfree(set->list);
	kfree(set);
}

/* ---- the program ------------------------------------------------------------- */

static bool lies_in(u64 from, u64 len)
{
	return from >= KT_SHARE_LEN && from <= share_len &&
	       len <= share_len - from && from % 64 == 0;
}

/* Nobody else can write the copy, which is then proved. */
static int take_program(void)
{
	u64 at = READ_ONCE(share->program), len = READ_ONCE(share->program_len);
	u64 arena = READ_ONCE(share->arena);
	u64 arena_len = READ_ONCE(share->arena_len);
	const char *why;

	if (!lies_in(at, len) || !lies_in(arena, arena_len))
		return wrong("the shared memory is damaged", -EINVAL);
	program = kmalloc(len ? len : 1, GFP_KERNEL);
	if (!program)
		return wrong("no memory for the program", -ENOMEM);
	memcpy(program, (const char *)share + at, len);
	why = kt_check(program, len, &vm);
	if (why)
		return wrong(why, -EINVAL);
	if (vm.layout.size > arena_len)
		return wrong("the shared memory is too small", -EINVAL);
	kt_arena_begin(&vm, (u8 *)share + arena, 0);
	kt_plans(&vm);
	if (lies_in(READ_ONCE(share->later), READ_ONCE(share->later_len)) &&
	    share->later_len == sizeof(struct kt_later))
		kt_later_take(share, (const void *)((const char *)share + share->later));
	if (lies_in(READ_ONCE(share->unwind), READ_ONCE(share->unwind_len)))
		kt_process_tables((const char *)share + share->unwind,
				  share->unwind_len);
	return 0;
}

static void say(u32 state)
{
	__atomic_store_n(&share->state, state, __ATOMIC_RELEASE);
	kt_syscall(SYS_futex, (long)&share->state, FUTEX_WAKE, 1 << 30, 0);
}

/* What it executes is the asker's, too. */
static void follow(void)
{
	char library[sizeof(share->library)], load[sizeof(share->load)];
	char linker[sizeof(share->linker)];

	memcpy(library, share->library, sizeof(library));
	memcpy(load, share->load, sizeof(load));
	library[sizeof(library) - 1] = load[sizeof(load) - 1] = 0;
	if (library[0] && READ_ONCE(share->only_exec))
		kp_process_follow_exec(library, load, (void *)&share->left);
	else if (library[0])
		kp_process_follow(library, load);
	memcpy(linker, share->linker, sizeof(linker));
	linker[sizeof(linker) - 1] = 0;
	if (library[0] && linker[0])
		kp_process_follow_held(share->askers, &share->reader, linker);
}

/*
 * Memory is not watched to the very end: the kernel writes into what a process leaves
 * behind, as into a robust mutex, and must find it open.
 */
static bool watches(void)
{
	return collect(&initial, KT_PROBE_WATCH) || collect(&initial, KT_PROBE_WATCHED);
}

static int start(void)
{
	int err = take_program();

	if (!err)
		err = set_all();
	if (err)
		kfree(program);
	at_work = !err;
	if (!err) {
		if (!watches())
			kp_process_stay();
		follow();
		kt_later_start();
	}
	say(err ? KT_SHARE_FAILED : KT_SHARE_ON);
	return err;
}

/* ---- a new process ----------------------------------------------------------- */

/* The reader says go, or is gone. */
static bool wait_for_go(void)
{
	struct timespec ts = { 0, WAIT_MS * 1000000l };
	u32 state;
	int i;

	say(KT_SHARE_WAITING);
	for (i = 0; i < (asker ? WAIT_ASKER : WAIT_MAX); i++) {
		state = __atomic_load_n(&share->state, __ATOMIC_ACQUIRE);
		if (state != KT_SHARE_WAITING)
			return state == KT_SHARE_GO;
		if (READ_ONCE(share->reader) & FUTEX_OWNER_DIED)
			return false;
		kt_syscall(SYS_futex, (long)&share->state, FUTEX_WAIT, (long)state, (long)&ts);
	}
	return false;
}

/* Who asked may be gone, and its number another's, who has other files. */
static int open_share(int number)
{
	static const char wanted[] = "/memfd:kprobes-trace";
	char path[64] = "/proc/", name[sizeof(wanted)];
	int opened;

	add_number(path, (u32)asker);
	put_text(path + strlen(path), sizeof("/fd/"), "/fd/");
	add_number(path, (u32)number);
	if (kt_syscall(SYS_readlinkat, AT_FDCWD, (long)path, (long)name, sizeof(name)) !=
		    (long)sizeof(name) ||
	    memcmp(name, wanted, sizeof(wanted) - 1))
		return -1;
	opened = (int)kt_syscall(SYS_openat, AT_FDCWD, (long)path, O_RDWR | O_CLOEXEC, 0);
	if (opened >= 0 && call_length(opened) >= (long)KT_SHARE_LEN)
		return opened;
	if (opened >= 0)
		call_close(opened);
	return -1;
}

/* Of several that are shared with others the first that is free. */
static bool take_free(int number)
{
	u32 is_new = KT_SHARE_NEW;
	struct kt_share *one;

	fd = open_share(number);
	if (fd < 0)
		return false;
	one = kp_process_map(fd, KT_SHARE_LEN);
	if (one && one->magic == KT_SHARE_MAGIC &&
	    __atomic_compare_exchange_n(&one->state, &is_new, KT_SHARE_TAKEN,
					false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
		one->pid = (u32)call_getpid();
		call_unmap(one, KT_SHARE_LEN);
		return true;
	}
	if (one)
		call_unmap(one, KT_SHARE_LEN);
	call_close(fd);
	return false;
}

static bool take_one(void)
{
	int first = fd, i;

	for (i = 0; i < shares; i++)
		if (take_free(first + i))
			return true;
	return false;
}

/* First its beginning; all of it, when the reader knows how much that is. */
static int map_all(void)
{
	bool goes;
	long len;

	share = kp_process_map(fd, KT_SHARE_LEN);
	goes = share && wait_for_go();
	if (share)
		call_unmap(share, KT_SHARE_LEN);
	share = NULL;
	len = goes ? call_length(fd) : 0;
	if (len > 0) {
		share_len = (u64)len;
		share = kp_process_map(fd, share_len);
	}
	call_close(fd);
	return share ? 0 : -ECANCELED;
}

static int begin(void)
{
	int err;

	if (memory) {
		share = (struct kt_share *)memory;
		share_len = READ_ONCE(share->len);
	} else if (fd >= 0) {
		/* One that is executed goes on without, if nobody waits for it. */
		if (asker && !take_one())
			return 0;
		err = map_all();
		if (err)
			return asker ? 0 : err;
	} else {
		pr_err("\"kprobes trace\" loads this module\n");
		return -EINVAL;
	}
	owner = call_getpid();
	kt_process_start();
	kt_process_outer = share->number;
	kt_process_inner = kt_process_outer ? (u32)owner : 0;
	if (KT_CALLS_SPARE_VECTORS &&
	    kp_process_handlers(__start_kt_text, __stop_kt_text))
		pr_warn("its code is not what it should be: hits will be slow\n");
	err = start();
	if (err && !memory)
		call_unmap(share, share_len);
	return err;
}

/* None of it is the program's. */
static int __init trace_init(void)
{
	int err;

	kp_process_own_work(true);
	err = begin();
	kp_process_own_work(false);
	return err;
}

/*
 * The process ends: hits are still served, to its last instruction, but nobody will be
 * there to tell what they have missed.
 */
__attribute__((destructor)) static void at_exit(void)
{
	if (!at_work)
		return;
	kp_process_own_work(true);
	note_missed();
	kp_process_own_work(false);
}

static void end(void)
{
	at_work = false;
	kp_process_follow(NULL, NULL);
	kt_later_stop();
	take_off_all();
	note_missed();
	if (call_getpid() == owner)
		say(KT_SHARE_OFF);
	kfree(initial.list);
	kfree(initial.points);
	kfree(program);
	if (!memory)
		call_unmap(share, share_len);
}

static void __exit trace_exit(void)
{
	if (!share)
		return;
	kp_process_own_work(true);
	end();
	kp_process_own_work(false);
}

module_init(trace_init);
module_exit(trace_exit);
MODULE_DESCRIPTION("Runs trace programs");
MODULE_LICENSE("Dual BSD/GPL");
