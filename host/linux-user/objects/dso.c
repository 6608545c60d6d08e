/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * dso.c - the program and its shared objects.
 *
 * Owns: what is on the list of loaded objects (objects.c), and noticing that it changed.  The
 * dynamic linker calls an empty function of its own whenever its map changes, for
 * debuggers; the host puts a breakpoint there and continues in on_change()
 * instead, on the thread that loads or unloads, outside of any signal.
 *
 *   RT_DELETE      the registry lock is taken: nothing is patched while
 *                  objects are unmapped
 *   RT_CONSISTENT  the list is compared; lost objects are forgotten without
 *                  touching their text; the lock is dropped; the core is told
 *
 * Of namespaces that dlmopen() makes, dl_iterate_phdr() says nothing; since version 2.35
 * the C library links their maps (struct r_debug_extended).
 *
 * Lock order: the linker's locks, then the registry lock.  One of them is held
 * during the program's callbacks of dl_iterate_phdr, which may register probes.  So
 * that is not called under the registry lock as long as the notice is watched, by
 * which the list is always right; and where the linker itself comes to wait under
 * the registry lock, while it unloads, the lock is lent (lock.c).
 *
 * Locks: the registry lock guards the list.
 */
#include "objects/dso.h"
#include "atomic.h"
#include "face.h"
#include "host.h"
#include "machine.h"
#include "thread.h"
#include "upcall.h"
#include "freestanding/copy.h"
#include "freestanding/parse.h"
#include "process/ids.h"
#include "process/maps.h"
#include "process/thread_file.h"
#include "threads/lock.h"
#include "text/intercept.h"
#include "text/unprotect.h"
#include "objects/elf.h"
#include "objects/engine.h"
#include "objects/objects.h"
#include "objects/runtime_marks.h"

#include <elf.h>
#include <linux/futex.h>
#include <link.h>

/* How a mutex begins is the C library's binary interface; shorter words have another order. */
struct mutex {
	int lock;
	unsigned int count;
	int owner;
	int fourth, fifth;
};
#define KIND(mutex) (sizeof(long) == 8 ? (mutex).fifth : (mutex).fourth)
#define RECURSIVE 1

static struct kp_object *lost;		/* gone, the core not told yet */
static const struct kp_user_dso_steps *steps;	/* written before the first look */
static unsigned long long adds_seen, subs_seen;
static struct r_debug *debug;		/* NULL: there is none, or the linker has yet to begin */
static uintptr_t notice;		/* that function; 0: it is not watched */
static bool holding;			/* the lock, from RT_DELETE on */
static int holder;			/* the thread that does */
static bool complete;			/* a look was taken since it is watched */

static char *copy_string(const char *s)
{
	size_t len = strlen(s) + 1;
	char *copy = kp_host_alloc(len);

	if (copy)
		memcpy(copy, s, len);
	return copy;
}

static void add_segment(struct kp_object *object, const ElfW(Phdr) *ph)
{
	struct kp_segment *segment;
	uintptr_t start = object->bias + ph->p_vaddr;

	if (object->segments_nr == KP_SEGMENTS_MAX)
		return;
	segment = &object->segments[object->segments_nr++];
	segment->start = start;
	segment->end = start + ph->p_memsz;
	segment->exec = ph->p_flags & PF_X;
	segment->write = ph->p_flags & PF_W;
	if (!object->start || segment->start < object->start)
		object->start = segment->start;
	if (segment->end > object->end)
		object->end = segment->end;
}

static void read_headers(struct kp_object *object,
			 const struct dl_phdr_info *info)
{
	int i;

	object->bias = info->dlpi_addr;
	object->phdr = (uintptr_t)info->dlpi_phdr;
	object->phdr_nr = info->dlpi_phnum;
	for (i = 0; i < info->dlpi_phnum; i++) {
		ElfW(Phdr) header, *ph = &header;

		if (kp_user_copy(ph, &info->dlpi_phdr[i], sizeof(*ph)))
			break;
		switch (ph->p_type) {
		case PT_LOAD:
			add_segment(object, ph);
			break;
		case PT_DYNAMIC:
			object->dynamic = object->bias + ph->p_vaddr;
			break;
		case PT_GNU_EH_FRAME:
			object->eh_hdr = object->bias + ph->p_vaddr;
			break;
		}
	}
}

static void name_file(struct kp_object *object, const char *path)
{
	const char *slash = strrchr(path, '/');
	char *end;

	object->file_known = true;
	if (!slash || !strcmp(slash + 1, object->module))
		return;
	object->file = copy_string(slash + 1);
	/* " (deleted)" is not the file's. */
	end = object->file ? strchr(object->file, ' ') : NULL;
	if (end)
		*end = 0;
}

static bool find_file(const struct kp_map *map, void *more)
{
	struct kp_object *object;

	for (object = kp_user_object_first(); object; object = object->next) {
		if (object->file_known || object->main ||
		    object->start < map->start || object->start >= map->end)
			continue;
		name_file(object, map->name);
		*(bool *)more |= object->file != NULL;
	}
	return false;
}

/*
 * Files that are loaded by the name of a link to them, as libm.so.6 is where it
 * leads to libm-2.31.so: other tools know them by their own names.
 */
bool kp_user_object_files(void)
{
	struct kp_object *object = kp_user_object_first();
	bool more = false;

	while (object && (object->file_known || object->main))
		object = object->next;
	if (object)
		kp_user_maps(find_file, &more);
	for (; object; object = object->next)
		object->file_known = true;
	return more;
}

static void free_object(struct kp_object *object)
{
	kp_host_free(object->file);
	kp_user_elf_drop(object);
	kp_host_free((void *)(uintptr_t)object->path);
	kp_host_free(object);
}

static struct kp_object *new_object(const struct dl_phdr_info *info,
				    bool main)
{
	struct kp_object *object = kp_host_alloc(sizeof(*object));
	const char *path = info->dlpi_name ? info->dlpi_name : "";
	const char *slash;

	if (!object)
		return NULL;
	object->main = main;
	object->path = copy_string(main ? kp_user_exe() : path);
	if (!object->path) {
		kp_host_free(object);
		return NULL;
	}
	slash = strrchr(object->path, '/');
	object->module = main ? "" : slash ? slash + 1 : object->path;
	object->vdso = !strncmp(object->path, "linux-vdso", 10) ||
		       !strncmp(object->path, "linux-gate", 10);
	read_headers(object, info);
	kp_user_unprotect_forget();
	kp_user_runtime_loaded(object);
	return object;
}

static void scan(struct kp_object *object)
{
	int i;

	if (!steps || kp_user_is_engine(object))
		return;
	for (i = 0; i < object->segments_nr; i++)
		if (object->segments[i].exec)
			steps->code(object, object->segments[i].start,
				    object->segments[i].end - object->segments[i].start);
}

/* The same text for another purpose. */
void kp_user_dso_scan_again(void)
{
	struct kp_object *object;

	for (object = kp_user_object_first(); object; object = object->next)
		scan(object);
}

bool kp_user_dso_any(bool (*is)(uintptr_t start, size_t len))
{
	struct kp_object *object;
	int i;

	for (object = kp_user_object_first(); object; object = object->next)
		for (i = 0; !object->vdso && !kp_user_is_engine(object) &&
			    i < object->segments_nr; i++)
			if (object->segments[i].exec &&
			    is(object->segments[i].start,
			       object->segments[i].end - object->segments[i].start))
				return true;
	return false;
}

static bool is_it(const struct kp_object *object,
		  const struct dl_phdr_info *info)
{
	return object->bias == info->dlpi_addr &&
	       object->phdr == (uintptr_t)info->dlpi_phdr &&
	       (object->main ||
		!strcmp(object->path, info->dlpi_name ? info->dlpi_name : ""));
}

/* ---- other namespaces ----------------------------------------------------- */

/* As <link.h> has it since version 2.35 of the C library: dlmopen()'s. */
struct more_debug {
	struct r_debug base;
	struct more_debug *next;
};
#define VERSION_OF_MORE 2

static const struct more_debug *other_namespaces(void)
{
	return debug && debug->r_version >= VERSION_OF_MORE ?
		       ((const struct more_debug *)debug)->next : NULL;
}

/* Is one of them changing in this way?  The linker's lock is held. */
static bool any_is(int state)
{
	const struct more_debug *more;

	if (debug->r_state == (unsigned int)state)
		return true;
	for (more = other_namespaces(); more; more = more->next)
		if (more->base.r_state == (unsigned int)state)
			return true;
	return false;
}

/* As dl_iterate_phdr() would tell of it; false: its headers are not where they should be. */
static bool describe(const struct link_map *map, struct dl_phdr_info *info)
{
	ElfW(Ehdr) eh;

	if (kp_host_data_read(map->l_addr, &eh, sizeof(eh)) ||
	    memcmp(eh.e_ident, ELFMAG, SELFMAG) || eh.e_phentsize != sizeof(ElfW(Phdr)))
		return false;
	memset(info, 0, sizeof(*info));
	info->dlpi_addr = map->l_addr;
	info->dlpi_name = map->l_name;
	info->dlpi_phdr = (const void *)(map->l_addr + eh.e_phoff);
	info->dlpi_phnum = eh.e_phnum;
	return true;
}

/* The linker's own dynamic section, as its first map has it; NULL: not known. */
static const ElfW(Dyn) *debug_linker(void)
{
	const struct link_map *map;

	for (map = debug->r_map; map; map = map->l_next)
		if (map->l_addr == debug->r_ldbase)
			return map->l_ld;
	return NULL;
}

struct visit {
	bool lock, first, changed;
	bool others;			/* of another namespace */
	bool adding;			/* which is changing: what is new is looked at then */
};

static int visit_object(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct visit *visit = arg;
	struct kp_object *object;

	if (visit->first && size > offsetof(struct dl_phdr_info, dlpi_subs)) {
		if (kp_user_object_first() && info->dlpi_adds == adds_seen &&
		    info->dlpi_subs == subs_seen)
			return 1;
		adds_seen = info->dlpi_adds;
		subs_seen = info->dlpi_subs;
	}
	visit->changed = true;
	for (object = kp_user_object_first(); object; object = object->next)
		if (is_it(object, info))
			break;
	if (!object && visit->adding)
		return 0;
	if (!object) {
		object = new_object(info, visit->first);
		/* A name means the program's own first: other namespaces come last. */
		if (object) {
			object->other = visit->others;
			object->fresh = true;
			kp_user_object_add(object);
		}
	}
	if (object)
		object->seen = true;
	visit->first = false;
	return 0;
}

/* The linker itself is in each namespace, by the same bytes: it is known already. */
static void visit_others(struct visit *visit)
{
	const struct more_debug *more;
	const struct link_map *map;
	struct dl_phdr_info info;

	visit->others = true;
	for (more = other_namespaces(); more; more = more->next) {
		visit->adding = more->base.r_state == RT_ADD;
		/* The numbers grow before its list does. */
		if (visit->adding)
			adds_seen = ~0ull;
		for (map = more->base.r_map; map; map = map->l_next)
			if (map->l_ld != debug_linker() && describe(map, &info))
				visit_object(&info, 0, visit);
	}
	visit->others = visit->adding = false;
}

/* Unlink what was not seen; its text is not there any more. */
static void drop_unseen(void)
{
	struct kp_object *object;

	while ((object = kp_user_object_take_unseen())) {
		object->next = lost;
		lost = object;
		kp_user_intercept_forget(object->start, object->end - object->start);
	}
}

/* Is our breakpoint there?  Another tool may have put its own in its place. */
static bool is_watched(void)
{
	const struct kp_intercept *ours =
		notice && kp_user_intercept_started() ?
			kp_user_intercept_find(kp_arch_code_at(notice)) : NULL;

	return ours && !memcmp((const void *)ours->addr, kp_set_bp(ours->second),
			       kp_set_bp_len(ours->second));
}

static bool looked;		/* since the registry lock was taken */

/* By whoever has just taken the registry lock. */
void kp_user_dso_locked(void)
{
	kp_store_relaxed(&looked, false);
}

/* In the linker's lock. */
static int visit_locked(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct visit *visit = arg;
	bool first;
	int ends;

	if (visit->first && visit->lock)
		kp_host_lock(KP_LOCK_REGISTRY);
	first = visit->first;
	ends = visit_object(info, size, arg);
	/* Here, where the linker's lock is held; unless nothing has changed. */
	if (first && !ends)
		visit_others(visit);
	return ends;
}

/*
 * All of them, within one hold of the linker's lock: until we are told of it, nothing else
 * keeps an object from being unmapped while its text is read.
 */
static int look_locked(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct visit *visit = arg;
	struct kp_object *object;

	(void)info;
	(void)size;
	kp_face_objects(visit_locked, visit);
	/* Before the old list changes. */
	for (object = kp_user_object_first(); visit->changed && object; object = object->next) {
		if (object->fresh)
			scan(object);
		object->fresh = false;
	}
	return 1;
}

/* lock: the registry lock is not held yet, and will be. */
static void refresh(bool lock)
{
	struct visit visit = { .first = true, .lock = lock };
	bool watched = is_watched();

	kp_face_objects(look_locked, &visit);
	kp_host_assert_locked(KP_LOCK_REGISTRY);
	complete = watched && !holding;
	kp_store_relaxed(&looked, true);
	if (!visit.changed)
		return;
	drop_unseen();
	kp_user_intercept_arm();
}

/*
 * One look serves as long as the registry lock is held: unloading waits for it
 * (on_change).
 */
void kp_user_dso_look(void)
{
	if (!kp_load_relaxed(&looked) && !(complete && is_watched()))
		refresh(false);
}

/* Symbols are read again when they are needed. */
void kp_user_dso_drop_symbols(void)
{
	struct kp_object *object;

	kp_host_lock(KP_LOCK_REGISTRY);
	for (object = kp_user_object_first(); object; object = object->next) {
		kp_user_elf_drop(object);
		object->indexed = false;
	}
	kp_host_unlock(KP_LOCK_REGISTRY);
}

/* A new object whose marks were not read yet, or NULL. */
static struct kp_object *take_unsettled(void)
{
	struct kp_object *object;

	kp_host_lock(KP_LOCK_REGISTRY);
	for (object = kp_user_object_first(); object && object->settled; object = object->next)
		;
	if (object)
		object->settled = true;
	kp_host_unlock(KP_LOCK_REGISTRY);
	return object;
}

static struct kp_object *take_lost(void)
{
	struct kp_object *object;

	kp_host_lock(KP_LOCK_REGISTRY);
	object = lost;
	if (object)
		lost = object->next;
	kp_host_unlock(KP_LOCK_REGISTRY);
	return object;
}

/* ---- who wants to know --------------------------------------------------- */

static kp_process_object_fn listener;	/* atomic; NULL: nobody */
static int telling;			/* atomic: threads that are within it, or about to */

/* No lock is held but the linker's, so the listener may register probes. */
static void tell(const struct kp_object *object, bool comes)
{
	const struct kp_process_object told = {
		.path = object->path, .bias = object->bias,
		.start = object->start, .end = object->end,
	};
	kp_process_object_fn fn;

	/* Before the listener is read: kp_process_objects() waits for who may have it. */
	__atomic_add_fetch(&telling, 1, __ATOMIC_SEQ_CST);
	fn = __atomic_load_n(&listener, __ATOMIC_SEQ_CST);
	if (fn && !object->vdso)
		fn(&told, comes);
	__atomic_sub_fetch(&telling, 1, __ATOMIC_SEQ_CST);
}

/* One that nobody was told of, or NULL. */
static struct kp_object *take_untold(void)
{
	struct kp_object *object;

	kp_host_lock(KP_LOCK_REGISTRY);
	for (object = kp_user_object_first(); object && object->told; object = object->next)
		;
	if (object)
		object->told = true;
	kp_host_unlock(KP_LOCK_REGISTRY);
	return object;
}

static void tell_come(void)
{
	struct kp_object *object;

	while ((object = take_untold()))
		tell(object, true);
}

int kp_process_objects(kp_process_object_fn fn)
{
	struct kp_object *object;
	bool watched;

	kp_host_lock(KP_LOCK_REGISTRY);
	watched = is_watched();
	for (object = kp_user_object_first(); fn && object; object = object->next)
		object->told = true;
	__atomic_store_n(&listener, fn, __ATOMIC_SEQ_CST);
	kp_host_unlock(KP_LOCK_REGISTRY);
	/* Pairs with tell(): who comes later has no listener. */
	while (!fn && __atomic_load_n(&telling, __ATOMIC_SEQ_CST))
		sys_sleep_us(1000);
	return watched || !fn ? 0 : -EBUSY;
}

/*
 * The core forgets the probes of lost objects and learns what new ones mark.
 * No lock is held; on the thread that loads or unloads, so that no object goes
 * meanwhile.
 */
static void settle(void)
{
	struct kp_object *object;

	while ((object = take_lost())) {
		kp_core_on_text_gone(object->start,
				     object->end - object->start);
		kp_core_on_owner_gone(object->module, object->start,
				      object->end - object->start);
		steps->gone(object->start, object->end - object->start);
		kp_core_blacklist_remove(object->start,
					 object->end - object->start);
		tell(object, false);
		free_object(object);
	}
	while ((object = take_unsettled()))
		steps->came(object);
	steps->settled();
	tell_come();
}

/* ---- the linker's notice ------------------------------------------------- */

static struct r_debug *find_debug(void)
{
	const struct kp_object *main = kp_user_object_first();
	const ElfW(Dyn) *dyn = (const void *)(main ? main->dynamic : 0);

	for (; dyn && dyn->d_tag != DT_NULL; dyn++) {
		if (dyn->d_tag == DT_DEBUG)
			return (struct r_debug *)dyn->d_un.d_ptr;
#ifdef __mips__
		/* What is read-only says where the linker has put it; of its own place, or not. */
		if (dyn->d_tag == DT_MIPS_RLD_MAP_REL)
			return *(struct r_debug **)((uintptr_t)dyn + dyn->d_un.d_val);
		if (dyn->d_tag == DT_MIPS_RLD_MAP)
			return *(struct r_debug **)dyn->d_un.d_ptr;
#endif
	}
	return NULL;
}

/* In place of the linker's empty function, on its caller's stack. */
static void on_change(void)
{
	bool deletes;

	if (!debug)
		debug = find_debug();
	if (!debug)
		return;
	deletes = any_is(RT_DELETE);
	if (debug->r_state == RT_CONSISTENT && !deletes) {
		/* Else others look under the registry lock, still. */
		bool in_order = !holding && complete;

		if (!holding && !in_order) {
			kp_host_lock(KP_LOCK_REGISTRY);
			in_order = complete;
			if (in_order)
				kp_host_unlock(KP_LOCK_REGISTRY);
		}
		refresh(in_order);
		holding = false;
		complete = is_watched();
		kp_host_unlock(KP_LOCK_REGISTRY);
		settle();
	} else if (deletes && !holding) {
		kp_host_lock(KP_LOCK_REGISTRY);
		/* Detached meanwhile: nobody would drop the lock. */
		holder = sys_gettid();
		complete = false;
		holding = kp_user_intercept_started();
		if (!holding)
			kp_host_unlock(KP_LOCK_REGISTRY);
	}
}

/*
 * Does the thread that unloads wait for a lock of the linker's that the calling
 * thread has?  The owner stands in the lock.  No lock is held.
 */
bool kp_user_dso_waits_for_us(void)
{
	char text[256];
	const char *rest = text;
	uint64_t call, at, op;
	int owner;

	if (!kp_load_relaxed(&holding) ||
	    !kp_user_thread_file(holder, "syscall", text, sizeof(text)))
		return false;
	return kp_user_parse(&rest, 10, &call) && call == SYS_futex &&
	       kp_user_parse(&rest, 16, &at) && kp_user_parse(&rest, 16, &op) &&
	       (op & FUTEX_CMD_MASK) == FUTEX_WAIT &&
	       !kp_host_data_read((uintptr_t)at + offsetof(struct mutex, owner), &owner,
				  sizeof(owner)) &&
	       owner == sys_gettid();
}

KP_TRAP_PATH void kp_user_dso_trap(ucontext_t *uc)
{
	kp_uc_enter_host(uc, (uintptr_t)on_change);
}

/*
 * In a forked child.  told: nobody was at work under the registry lock; else
 * another thread may have been unloading.
 */
void kp_user_dso_fork(bool told)
{
	complete &= told;
	/* Whoever else was telling is not here. */
	if (telling)
		__atomic_store_n(&telling, 0, __ATOMIC_RELAXED);
	if (!kp_user_lock_is_mine(KP_LOCK_REGISTRY))
		holding = false;
}

/* ---- callbacks of dl_iterate_phdr ------------------------------------------ */

static const struct mutex *called_back;	/* the lock that is held there; or NULL */

/* Pages that the linker has, as they are in a callback. */
struct linker_data {
	const char *at;
	size_t len;
	char *copy;
};

static int copy_data(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct linker_data *data = arg;

	(void)info;
	(void)size;
	memcpy(data->copy, data->at, data->len);
	return 1;
}

/* A lock that was held there once more than now. */
static const struct mutex *find_dropped(const struct linker_data *data)
{
	struct mutex then, now;
	size_t at;

	for (at = 0; at + sizeof(now) <= data->len; at += sizeof(long)) {
		memcpy(&then, data->copy + at, sizeof(then));
		memcpy(&now, data->at + at, sizeof(now));
		if (KIND(then) == RECURSIVE && KIND(now) == RECURSIVE &&
		    then.lock && then.owner && then.count == now.count + 1 &&
		    (now.count || !now.owner))
			return (const void *)(data->at + at);
	}
	return NULL;
}

static void find_called_back(void)
{
	const struct kp_object *object = notice && kp_face_objects_lock() ?
		kp_user_object_at(notice) : NULL;
	int i;

	for (i = 0; object && i < object->segments_nr && !called_back; i++) {
		const struct kp_segment *segment = &object->segments[i];
		struct linker_data data = {
			.at = (const char *)segment->start,
			.len = segment->end - segment->start,
		};

		if (!segment->write)
			continue;
		data.copy = kp_host_alloc(data.len);
		if (!data.copy)
			return;
		kp_face_objects(copy_data, &data);
		called_back = find_dropped(&data);
		kp_host_free(data.copy);
	}
}

/* Is the calling thread in one?  Then it must not make a thread. */
bool kp_user_dso_calls_back(void)
{
	return called_back && kp_load_relaxed(&called_back->lock) &&
	       kp_load_relaxed(&called_back->owner) == kp_user_gettid();
}

/* Of a linker that has yet to begin, and says so itself only then. */
static uintptr_t find_notice(void)
{
	uintptr_t base = kp_face_auxv(AT_BASE);
	struct kp_object *object = base ? kp_user_object_at(base) : NULL;

	return object ? kp_user_elf_exported(object, "_dl_debug_state") : 0;
}

static void watch_linker(void)
{
	struct kp_intercept intercept = { .kind = KP_INTERCEPT_LINKER };

	if (notice)
		return;
	debug = find_debug();
	notice = debug && debug->r_brk ? debug->r_brk : find_notice();
	if (!notice)
		return;
	intercept.addr = kp_arch_code_at(notice);
	intercept.second = intercept.addr != notice;
	/* Another tool is there already: unloading will go unnoticed. */
	if (kp_host_data_read(intercept.addr, intercept.original, KP_ARCH_BP_LEN) ||
	    !memcmp(intercept.original, kp_set_bp(intercept.second), kp_set_bp_len(intercept.second)) ||
	    kp_user_intercept_add(&intercept)) {
		kp_host_log(KP_LOG_INFO, "kprobes: the dynamic linker's notice cannot be watched; do not unload probed objects");
		return;
	}
	kp_user_intercept_arm();
}

/*
 * The notice is watched by now: one more look, and none under the registry lock is
 * needed any more.
 */
void kp_user_dso_watched(void)
{
	if (!is_watched())
		return;
	refresh(true);
	kp_host_unlock(KP_LOCK_REGISTRY);
	settle();
}

/* By whoever loads objects in the linker's place: one has come, or that one goes. */
void kp_user_dso_changed(uintptr_t gone, size_t len)
{
	kp_host_lock(KP_LOCK_REGISTRY);
	/* Nothing is patched while it goes. */
	if (len)
		sys3(SYS_munmap, gone, len, 0);
	refresh(false);
	kp_host_unlock(KP_LOCK_REGISTRY);
	settle();
}

void kp_user_dso_init(const struct kp_user_dso_steps *own)
{
	steps = own;
	kp_host_lock(KP_LOCK_REGISTRY);
	refresh(false);
	watch_linker();
	find_called_back();
	kp_host_unlock(KP_LOCK_REGISTRY);
	settle();
}
