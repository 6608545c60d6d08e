/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * load.c - probe modules: shared objects with a module_init.
 *
 * Owns: the loaded modules and their parameters.  KPROBES_LOAD in the
 * environment, "FILE.so [param=value…][;FILE2.so …]", loads modules when the
 * engine starts; at exit they are unloaded, the last one first.  A forked
 * child has the modules that its parent had, and ends them when it exits; one
 * that another thread was loading or unloading is not among them.
 *
 * Locks: a mutex of its own, held across module_init and module_exit; it is
 * taken before the registry lock.  A fork does not wait for it: in the child
 * it is free, unless the forking thread itself holds it.
 *
 * Memory is the engine's own: the program's allocator may be one that counts, and
 * ends the program with a failure for what it cannot find a pointer to.
 */
#include "modules/load.h"
#include "atomic.h"
#include "face.h"
#include "host.h"
#include "machine.h"
#include "thread.h"
#include "upcall.h"
#include "freestanding/format.h"
#include "freestanding/mutex.h"
#include "freestanding/parse.h"
#include "process/ids.h"
#include "threads/own_work.h"
#include "objects/dso.h"
#include "objects/objects.h"

#include <linux/moduleparam.h>
#include <sys/stat.h>

#include <kprobes/load.h>

#define PUBLIC __attribute__((visibility("default")))

/* struct kp_module of <linux/module.h>. */
struct description {
	unsigned int version;
	int (*init)(void);
	void (*exit)(void);
	const struct kp_param *params, *params_end;
};
#define VERSION 1

struct module {
	struct module *next;		/* newest first */
	char *path;			/* as named when it was loaded */
	long file;			/* what it is mapped from; or -1 */
	void *memory;			/* that it shares with a client; NULL: none */
	size_t memory_len;
	void *handle;
	const struct description *about;
	struct text *values;		/* of its parameters that are pointers */
	bool stays;			/* at exit: kp_process_stay */
};

struct text {
	struct text *next;
	char chars[];
};

struct failure {
	char *text;
	size_t len;
};

static int lock;			/* mutex.h's */
static uintptr_t holder;		/* its kp_user_self(), or 0; by lock */
static struct module *modules;		/* by lock; a fork finds it whole */

static uintptr_t self(void)
{
	return kp_user_self();
}

static void take(void)
{
	kp_user_fork_check();
	kp_mutex_lock(&lock);
	kp_store_relaxed(&holder, self());
}

static void put(void)
{
	kp_store_relaxed(&holder, 0);
	kp_mutex_unlock(&lock);
}

void kp_shim_load_fork(void)
{
	if (holder == self())
		return;
	holder = 0;
	lock = 0;
}

/* ---- errors ---------------------------------------------------------------- */

__attribute__((format(printf, 3, 4)))
static int fail(struct failure *failure, int err, const char *fmt, ...)
{
	va_list args;
	size_t len;

	if (!failure->text || !failure->len)
		return err;
	va_start(args, fmt);
	len = kp_shim_format(failure->text, failure->len - 1, fmt, &args, NULL);
	va_end(args);
	failure->text[len < failure->len ? len : failure->len - 1] = 0;
	return err;
}

/* ---- parameters ------------------------------------------------------------- */

static bool same_name(const char *a, const char *b)
{
	for (; *a && *b; a++, b++)
		if (*a != *b && !((*a == '-' || *a == '_') &&
				  (*b == '-' || *b == '_')))
			return false;
	return *a == *b;
}

static const struct kp_param *find_param(const struct description *about,
					 const char *name)
{
	const struct kp_param *p;

	for (p = about->params; p < about->params_end; p++)
		if (same_name(p->name, name))
			return p;
	return NULL;
}

static const char *const type_names[] = {
	[KP_PARAM_byte] = "a number from 0 to 255",
	[KP_PARAM_short] = "a 16-bit number",
	[KP_PARAM_ushort] = "a 16-bit number, not negative",
	[KP_PARAM_int] = "a 32-bit number",
	[KP_PARAM_uint] = "a 32-bit number, not negative",
	[KP_PARAM_hexint] = "a 32-bit number, not negative",
	[KP_PARAM_long] = "a 64-bit number",
	[KP_PARAM_ulong] = "a 64-bit number, not negative",
	[KP_PARAM_ullong] = "a 64-bit number, not negative",
	[KP_PARAM_bool] = "y or n",
	[KP_PARAM_invbool] = "y or n",
};

static bool is_signed(enum kp_param_type type)
{
	return type == KP_PARAM_short || type == KP_PARAM_int ||
	       type == KP_PARAM_long;
}

static bool set_number(const struct kp_param *p, const char *value)
{
	unsigned int bits = 8 * (unsigned int)p->len;
	bool minus = *value == '-';
	uint64_t n, top;		/* the first that is too large */

	value += minus || *value == '+';
	if (!kp_user_parse(&value, 0, &n) || *value)
		return false;
	top = is_signed(p->type) ? ((uint64_t)1 << (bits - 1)) + minus :
	      bits < 64 ? (uint64_t)1 << bits : 0;
	if ((top && n >= top) || (minus && !is_signed(p->type)))
		return false;
	n = minus ? -n : n;
	memcpy(p->value, &n, p->len);
	return true;
}

static bool set_bool(const struct kp_param *p, const char *value)
{
	bool on;

	if (!value || strchr("yY1tT", value[0]) || !strcmp(value, "on"))
		on = true;
	else if (value[0] && (strchr("nN0fF", value[0]) || !strcmp(value, "off")))
		on = false;
	else
		return false;
	on ^= p->type == KP_PARAM_invbool;
	memset(p->value, 0, p->len);
	memcpy(p->value, &on, sizeof(on));
	return true;
}

static char *copy_text(const char *text)
{
	size_t len = strlen(text) + 1;
	char *copy = kp_host_alloc(len);

	return copy ? memcpy(copy, text, len) : NULL;
}

/* The module may have passed the pointer on: it lives as long as the module. */
static int set_pointer(struct module *module, const struct kp_param *p,
		       const char *value, struct failure *failure)
{
	size_t len = strlen(value) + 1;
	struct text *text = kp_host_alloc(sizeof(*text) + len);
	char *chars;

	if (!text)
		return fail(failure, -ENOMEM, "out of memory");
	chars = memcpy(text->chars, value, len);
	text->next = module->values;
	module->values = text;
	memcpy(p->value, &chars, sizeof(chars));
	return 0;
}

static int set_param(struct module *module, const struct kp_param *p,
		     const char *name, const char *value,
		     struct failure *failure)
{
	if (!value && p->type != KP_PARAM_bool)
		return fail(failure, -EINVAL, "parameter %s needs a value: %s=VALUE",
			    name, name);
	if (p->type == KP_PARAM_charp)
		return set_pointer(module, p, value, failure);
	if (p->type == KP_PARAM_string) {
		if (strlen(value) >= p->len)
			return fail(failure, -ENOSPC,
				    "the value is too long for parameter %s, which takes %zu characters",
				    name, p->len - 1);
		memcpy(p->value, value, strlen(value) + 1);
		return 0;
	}
	if (p->type == KP_PARAM_bool || p->type == KP_PARAM_invbool
		    ? set_bool(p, value)
		    : set_number(p, value))
		return 0;
	return fail(failure, -EINVAL, "parameter %s must be %s, not \"%s\"",
		    name, type_names[p->type], value);
}

static void list_params(const struct description *about, char *dst, size_t len)
{
	const struct kp_param *p;
	size_t used = 0, i;

	for (p = about->params; p < about->params_end; p++) {
		if (used && used + 1 < len)
			dst[used++] = ' ';
		for (i = 0; p->name[i] && used + 1 < len; i++)
			dst[used++] = p->name[i];
	}
	dst[used] = 0;
}

/* The next "name=value" or "name" of *at, cut out of it; NULL at the end. */
static char *next_word(char **at)
{
	char *from = *at, *to, *word;
	bool quoted = false;

	while (*from == ' ' || *from == '\t')
		from++;
	if (!*from)
		return NULL;
	word = to = from;
	for (; *from && (quoted || (*from != ' ' && *from != '\t')); from++) {
		if (*from == '"')
			quoted = !quoted;
		else
			*to++ = *from;
	}
	*at = *from ? from + 1 : from;
	*to = 0;
	return word;
}

static int set_params(struct module *module, char *words,
		      struct failure *failure)
{
	const struct description *about = module->about;
	char *word, known[256];
	int err = 0;

	while (!err && (word = next_word(&words))) {
		char *value = strchr(word, '=');
		const struct kp_param *p;

		if (value)
			*value++ = 0;
		p = find_param(about, word);
		if (p) {
			err = set_param(module, p, word, value, failure);
			continue;
		}
		list_params(about, known, sizeof(known));
		err = fail(failure, -ENOENT, known[0]
			   ? "no parameter %s; there are: %s"
			   : "no parameter %s; the module has none%s",
			   word, known);
	}
	return err;
}

/* ---- modules ---------------------------------------------------------------- */

static struct module **find_module(const char *path)
{
	struct module **link = &modules;

	while (*link && strcmp((*link)->path, path))
		link = &(*link)->next;
	return link;
}

/* What its exit function has left, while its handlers can still be called. */
static void drop_probes(const struct module *module)
{
	uintptr_t start = 0, end = 0;
	struct kp_object *object;

	if (!module->about)
		return;
	kp_host_lock(KP_LOCK_REGISTRY);
	kp_user_dso_look();
	object = kp_user_object_at((uintptr_t)module->about);
	if (object) {
		start = object->start;
		end = object->end;
	}
	kp_host_unlock(KP_LOCK_REGISTRY);
	if (end)
		kp_core_on_owner_gone(module->path, start, end - start);
}

static void free_module(struct module *module)
{
	struct text *value;

	drop_probes(module);
	if (module->handle)
		kp_face_close(module->handle);
	if (module->memory)
		sys3(SYS_munmap, module->memory, module->memory_len, 0);
	while ((value = module->values)) {
		module->values = value->next;
		kp_host_free(value);
	}
	kp_host_free(module->path);
	kp_host_free(module);
}

/* All of the file, and its parameter "memory" says where. */
static int share_memory(struct module *module, int fd, struct failure *failure)
{
	const struct kp_param *p = find_param(module->about, "memory");
	struct stat st;
	void *at;

	if (!p || p->type != KP_PARAM_ulong)
		return fail(failure, -EINVAL, "the module shares no memory");
	if (sys_fstat(fd, &st) || st.st_size <= 0)
		return fail(failure, -EBADF, "the memory is none");
	at = sys_mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE,
		      MAP_SHARED, fd);
	if (!at)
		return fail(failure, -ENOMEM, "the memory cannot be mapped");
	module->memory = at;
	module->memory_len = (size_t)st.st_size;
	memcpy(p->value, &at, sizeof(at));
	return 0;
}

/* By the module that is being started, under the lock. */
static bool stay_wanted;

static int start_module(struct module *module, int shared, char *params,
			struct failure *failure)
{
	const char *refusal;
	unsigned int own;
	const char *wrong = kp_face_open(module->path, module->file, &module->handle);
	int err;

	if (wrong)
		return fail(failure, strlen(module->path) > KP_FACE_PATH_MAX ? -ENAMETOOLONG : -ENOEXEC,
			    "%s", wrong);
	module->about = kp_face_symbol(module->handle, "kp_module");
	if (!module->about || module->about->version != VERSION)
		return fail(failure, -ENOEXEC,
			    module->about
			    ? "built with the headers of another version; build it again"
			    : "not a probe module: it does not include <linux/module.h> of kprobes");
	err = set_params(module, params, failure);
	if (!err && shared >= 0)
		err = share_memory(module, shared, failure);
	if (err || !module->about->init)
		return err;
	kp_core_take_refusal();
	own = kp_user_own_pause();
	stay_wanted = false;
	err = module->about->init();
	module->stays = stay_wanted;
	kp_user_own_resume(own);
	refusal = kp_core_take_refusal();
	if (err > 0)
		return fail(failure, -EINVAL, "module_init returned %d, which is not an error number",
			    err);
	if (err)
		return fail(failure, err, "module_init failed with error %d%s%s",
			    err, refusal ? "; a probe was refused: " : "",
			    refusal ? refusal : "");
	return 0;
}

static void call_exit(const struct module *module)
{
	unsigned int own = kp_user_own_pause();

	if (module->about->exit)
		module->about->exit();
	kp_user_own_resume(own);
}

static int load_locked(const char *path, int fd, int shared, char *params,
		       struct failure *failure)
{
	struct module *module;
	int err;

	if (*find_module(path))
		return fail(failure, -EEXIST, "loaded already");
	module = kp_host_alloc(sizeof(*module));
	if (module)
		module->path = copy_text(path);
	if (!module || !module->path) {
		kp_host_free(module);
		return fail(failure, -ENOMEM, "out of memory");
	}
	module->file = fd;
	err = start_module(module, shared, params, failure);
	if (err) {
		free_module(module);
		return err;
	}
	module->next = modules;
	/* Release: a fork finds it with its next. */
	kp_store_release(&modules, module);
	return 0;
}

void kp_process_stay(void)
{
	stay_wanted = true;
}

bool kp_shim_unload(bool unmap)
{
	/* A module's init or exit function ends the process. */
	bool held = kp_load_relaxed(&holder) == self();
	struct module **link = &modules, *module;

	if (!held)
		take();
	while ((module = *link)) {
		if (!unmap && module->stays) {
			link = &module->next;
			continue;
		}
		*link = module->next;
		call_exit(module);
		/* Else the process ends, and others may be in it. */
		if (unmap)
			free_module(module);
	}
	if (!held)
		put();
	return modules;
}

void kp_shim_modules(void (*emit)(void *arg, const char *path), void *arg)
{
	struct module *module;

	take();
	for (module = modules; module; module = module->next)
		emit(arg, module->path);
	put();
}

PUBLIC int kp_load(const char *spec, char *error, size_t len)
{
	return kp_shim_load(spec, -1, -1, error, len);
}

static int load_spec(char *spec, int fd, int shared, struct failure *failure)
{
	char *path = next_word(&spec);
	int err;

	if (!path)
		return fail(failure, -EINVAL, "no file is named");
	take();
	err = load_locked(path, fd, shared, spec, failure);
	put();
	return err;
}

int kp_shim_load(const char *spec, int fd, int shared, char *error, size_t len)
{
	struct failure failure = { error, len };
	char *copy = copy_text(spec);
	int err = copy ? load_spec(copy, fd, shared, &failure) :
		  fail(&failure, -ENOMEM, "out of memory");

	/* They are mapped. */
	sys_close(fd);
	sys_close(shared);
	kp_host_free(copy);
	return err;
}

PUBLIC int kp_unload(const char *path)
{
	struct module **link, *module;

	take();
	link = find_module(path);
	module = *link;
	if (module) {
		*link = module->next;
		call_exit(module);
		free_module(module);
	}
	put();
	return module ? 0 : -ENOENT;
}

/* The first errno. */
int kp_shim_load_all(const char *all)
{
	char *copy = all ? copy_text(all) : NULL, *spec, *next;
	char error[512];
	int first = all && !copy ? -ENOMEM : 0, err;

	for (spec = copy; spec; spec = next) {
		next = strchr(spec, ';');
		if (next)
			*next++ = 0;
		if (!spec[strspn(spec, " \t")])
			continue;
		error[0] = 0;
		err = kp_load(spec, error, sizeof(error));
		if (!err)
			continue;
		first = first ? first : err;
		spec += strspn(spec, " \t");
		spec[strcspn(spec, " \t")] = 0;
		kp_host_log(KP_LOG_ERROR, "kprobes: %s: %s", spec, error);
	}
	kp_host_free(copy);
	return first;
}
