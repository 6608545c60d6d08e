/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * symbols.c - names, bounds, and what stands at an address.
 *
 * Owns: the symbol duties.  A name is looked for in the main program first,
 * then in the others in load order; "libc:name", "libc.so:name" and
 * "libc.so.6:name" look in that object only.  Code that no symbol covers has
 * the bounds that its unwind information gives and is named object+0xoffset;
 * that name, and the object's alone, can be resolved where no symbol has it.
 * "0xADDRESS()" and "object+0xoffset()" mean what the indirect function there selects.
 *
 * Locks: the registry lock.
 */
#include "host.h"
#include "machine.h"
#include "process/maps.h"
#include "threads/held.h"
#include "text/intercept.h"
#include "objects/dso.h"
#include "objects/eh_frame.h"
#include "objects/elf.h"
#include "objects/engine.h"
#include "objects/objects.h"
#include "objects/runtime.h"

#include <elf.h>

static const char *program_name(void)
{
	static char path[256];
	long len;
	char *slash;

	if (!path[0]) {
		len = sys4(SYS_readlinkat, AT_FDCWD, kp_user_exe(), path,
			   sizeof(path) - 1);
		path[len > 0 ? len : 0] = 0;
	}
	slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static const char *module_name(const struct kp_object *object)
{
	return object->main ? program_name() : object->module;
}

static bool begins(const char *module, const char *name, size_t len)
{
	return module && !strncmp(module, name, len) &&
	       (!module[len] || module[len] == '.' ||
		(module[len] == '-' && module[len + 1] >= '0' &&
		 module[len + 1] <= '9'));
}

/* "libc" and "libc.so" name libc.so.6; "libc" names libc-2.31.so too. */
static bool names_module(const struct kp_object *object, const char *name,
			 size_t len)
{
	return begins(module_name(object), name, len) ||
	       begins(object->file, name, len);
}

/* An indirect function is its selected implementation. */
static uintptr_t value_of(const struct kp_symbol *sym)
{
	if (sym->type == STT_GNU_IFUNC)
		return kp_arch_code_at(((uintptr_t (*)(void))(sym->addr | sym->second))());
	return sym->addr;
}

/*
 * Among all objects, or the module's; the vdso only when it is asked for.  What the
 * engine exports comes last, wherever it was loaded.
 */
static struct kp_symbol *find(const char *module, size_t module_len,
			      const char *name, bool vdso)
{
	struct kp_symbol *own = NULL;
	struct kp_object *object;

	for (object = kp_user_object_first(); object; object = object->next) {
		struct kp_symbol *sym;

		if (object->vdso != vdso ||
		    (module && !names_module(object, module, module_len)))
			continue;
		sym = kp_user_elf_named(object, name);
		if (sym && !kp_user_in_engine(object, sym->addr))
			return sym;
		own = own ? own : sym;
	}
	return own;
}

/* The number in hexadecimal that is all of text, or false. */
static bool hex(const char *text, uintptr_t *value)
{
	size_t i;

	*value = 0;
	for (i = 0; text[i]; i++) {
		const char *digits = "0123456789abcdef";
		const char *digit = strchr(digits, text[i]);

		if (!digit || i >= 16)
			return false;
		*value = *value << 4 | (uintptr_t)(digit - digits);
	}
	return i;
}

/* Behind the object's name; NULL: it is not the object's. */
static const char *after_name(const struct kp_object *object, const char *name)
{
	const char *names[] = { module_name(object), object->file };
	size_t i, len;

	for (i = 0; i < 2; i++) {
		len = names[i] ? strlen(names[i]) : 0;
		if (len && !strncmp(names[i], name, len) &&
		    (!name[len] || name[len] == '+'))
			return name + len;
	}
	return NULL;
}

/* "object" or "object+0xoffset", counted as in the object's file. */
static int resolve_object(const char *name, uintptr_t *addr)
{
	struct kp_object *object;
	uintptr_t offset;

	for (object = kp_user_object_first(); object; object = object->next) {
		const char *rest = object->vdso ? NULL
						: after_name(object, name);

		if (!rest)
			continue;
		if (!*rest)
			offset = 0;
		else if (strncmp(rest, "+0x", 3) || !hex(rest + 3, &offset))
			continue;
		*addr = object->bias + offset;
		return 0;
	}
	return -ENOENT;
}

/*
 * As in a kernel the first one is taken (K-REG-06); but it is said.  The registry lock is held;
 * once for a name that is asked for again and again.
 */
static void say_several(const struct kp_symbol *sym)
{
	static char said[64];
	struct kp_object *object = kp_user_object_at(sym->addr);
	unsigned int nr = object && object->names ? kp_user_elf_alike(object, sym) : 1;

	size_t len = strlen(sym->name);

	if (nr < 2 || sym->type != STT_FUNC || !strncmp(said, sym->name, sizeof(said) - 1))
		return;
	memcpy(said, sym->name, len < sizeof(said) ? len + 1 : sizeof(said) - 1);
	kp_host_log(KP_LOG_WARN, "kprobes: %u functions of %s are called %s; by this name the one at +0x%lx is meant: name another as OBJECT+0xOFFSET",
		    nr, object->main ? "the program" : object->module, sym->name,
		    (unsigned long)(sym->addr - object->bias));
}

static int resolve_symbol(const char *module, size_t len, const char *name,
			  uintptr_t *addr)
{
	struct kp_symbol *sym = find(module, len, name, false);

	if (!sym)
		sym = find(module, len, name, true);
	if (!sym)
		return -ENOENT;
	say_several(sym);
	*addr = value_of(sym);
	return 0;
}

/*
 * "PLACE()": several indirect functions may have one name, in old versions or in a
 * second mapping of their library.  Only one that begins there is called.
 */
static int resolve_selected(const char *name, size_t len, uintptr_t *addr)
{
	struct kp_object *object;
	struct kp_symbol *sym;
	char place[320];
	uintptr_t at;

	if (len >= sizeof(place))
		return -ENOENT;
	memcpy(place, name, len);
	place[len] = 0;
	if ((strncmp(place, "0x", 2) || !hex(place + 2, &at)) && resolve_object(place, &at))
		return -ENOENT;
	object = kp_user_object_at(at);
	sym = object && !object->vdso ? kp_user_elf_indirect(object, at) : NULL;
	if (!sym)
		return -ENOENT;
	*addr = value_of(sym);
	return 0;
}

/* No symbol has a plus: then the object alone is looked at. */
static int resolve(const char *name, uintptr_t *addr)
{
	const char *colon = strchr(name, ':');
	size_t len = strlen(name);
	int err;

	if (len > 2 && !strcmp(name + len - 2, "()"))
		return resolve_selected(name, len - 2, addr);
	if (colon)
		return resolve_symbol(name, (size_t)(colon - name), colon + 1,
				      addr);
	err = strchr(name, '+') ? -ENOENT
				: resolve_symbol(NULL, 0, name, addr);
	return err ? resolve_object(name, addr) : 0;
}

uintptr_t kp_host_code_at(uintptr_t pointer)
{
	uintptr_t addr = kp_arch_code_at(pointer);
	struct kp_object *object;
	unsigned int flags = 0;

	if (addr == pointer)
		return addr;
	kp_user_dso_look();
	object = kp_user_object_at(addr);
	return object && !kp_user_set_at(object, addr, &flags) && flags ? addr : pointer;
}

int kp_host_resolve(const char *name, uintptr_t *addr)
{
	int err;

	kp_user_dso_look();
	err = resolve(name, addr);
	if (err && kp_user_object_files())
		err = resolve(name, addr);
	return err;
}

/* A label without a type is worth less than an unwind entry inside it. */
static struct kp_symbol *symbol_at(struct kp_object *object, uintptr_t addr,
				   uintptr_t *start, size_t *len)
{
	struct kp_symbol *sym = kp_user_elf_at(object, addr);
	bool frame = kp_user_unwind_bounds(object, addr, start, len);

	if (sym && (!frame || sym->type != STT_NOTYPE || sym->addr >= *start)) {
		*start = sym->addr;
		*len = sym->len;
		return sym;
	}
	if (!frame)
		*len = 0;
	return NULL;
}

int kp_host_bounds(uintptr_t addr, uintptr_t *start, size_t *len)
{
	struct kp_object *object;

	kp_user_dso_look();
	object = kp_user_object_at(addr);
	if (!object)
		return -ENOENT;
	symbol_at(object, addr, start, len);
	return *len ? 0 : -ENOENT;
}

bool kp_host_names(uintptr_t start, const char *name)
{
	struct kp_object *object = kp_user_object_at(start);

	return object && kp_user_elf_called(object, start, name);
}

static void copy_name(char *dst, size_t len, const char *src)
{
	if (!len)
		return;
	while (--len && *src)
		*dst++ = *src++;
	*dst = 0;
}

static void synthesize(char *dst, size_t len, const struct kp_object *object,
		       uintptr_t start)
{
	const char *module = module_name(object);
	size_t used = strlen(module);
	uintptr_t off = start - object->bias;
	int shift = 60;

	copy_name(dst, len, module);
	if (used + 20 > len)
		return;
	copy_name(dst + used, len - used, "+0x");
	used += 3;
	while (shift && !(off >> shift))
		shift -= 4;
	for (; shift >= 0; shift -= 4)
		dst[used++] = "0123456789abcdef"[(off >> shift) & 15];
	dst[used] = 0;
}

int kp_host_describe(uintptr_t addr, char *name, size_t name_len, char *owner,
		     size_t owner_len)
{
	struct kp_object *object = kp_user_object_at(addr);
	struct kp_symbol *sym;
	uintptr_t start;
	size_t len = 0;

	if (!object)
		return -ENOENT;
	sym = symbol_at(object, addr, &start, &len);
	if (!len)
		return -ENOENT;
	if (sym)
		copy_name(name, name_len, sym->name);
	else
		synthesize(name, name_len, object, start);
	copy_name(owner, owner_len, object->module);
	return 0;
}

/* ---- what stands there --------------------------------------------------- */

static void answer(struct kp_text_info *out, enum kp_text_kind kind,
		   const char *why)
{
	out->kind = kind;
	out->why = why;
}

static bool is_data(struct kp_object *object, uintptr_t addr)
{
	const struct kp_segment *segment = kp_user_segment_at(object, addr);
	struct kp_symbol *sym;

	if (!segment || !segment->exec)
		return true;
	sym = kp_user_elf_at(object, addr);
	return sym && sym->type == STT_OBJECT;
}

void kp_host_text_query(uintptr_t addr, size_t len, struct kp_text_info *out)
{
	struct kp_object *object;

	kp_user_dso_look();
	object = kp_user_object_at(addr);
	out->arch_flags = KP_ARCH_USER | kp_text_flags();
	if (kp_user_not_started())
		answer(out, KP_TEXT_RESERVED, kp_user_not_started());
	else if (kp_user_in_engine(object, addr))
		answer(out, KP_TEXT_ENGINE, "part of the engine");
	else if (object && addr >= object->handlers &&
		 addr < object->handlers_end)
		answer(out, KP_TEXT_ENGINE, "handlers of a probe module");
	else if (!object)
		answer(out, KP_TEXT_NONE, "not text of a loaded object");
	else if (object->vdso)
		answer(out, KP_TEXT_RESERVED, "the vdso belongs to the kernel");
	else if (is_data(object, addr))
		answer(out, KP_TEXT_NONE, "data, not text");
	else if (kp_user_intercept_overlaps(addr, len))
		answer(out, KP_TEXT_RESERVED,
		       "watched by the engine itself, to keep SIGTRAP open or to see objects come and go");
	else
		answer(out, KP_TEXT_OK, NULL);
	if (out->kind != KP_TEXT_OK)
		return;
	if (kp_user_runtime_small_stacks(object))
		out->arch_flags |= KP_ARCH_TRAP_ONLY;
	out->why = kp_user_set_at(object, addr, &out->arch_flags);
	if (out->why)
		out->kind = kp_user_is_data_at(object, addr) ? KP_TEXT_DATA : KP_TEXT_NONE;
}

struct code_query {
	uintptr_t addr;
	bool exec;
};

static bool find_exec(const struct kp_map *map, void *arg)
{
	struct code_query *q = arg;

	if (q->addr < map->start || q->addr >= map->end)
		return false;
	q->exec = map->exec;
	return true;
}

/* A debugger's breakpoint stands in the text; uprobes are the kernel's. */
bool kp_host_others(uintptr_t addr, size_t len)
{
	(void)addr;
	(void)len;
	return false;
}

/*
 * A debugger keeps what it has found in memory.  Uprobes keep what the file has, and put
 * that back.
 */
bool kp_host_jump_is_copied(void)
{
	return kp_user_traced();
}

bool kp_host_is_code(uintptr_t addr)
{
	struct code_query q = { addr, false };
	struct kp_object *object;

	kp_user_dso_look();
	object = kp_user_object_at(addr);
	if (object)
		return kp_user_segment_at(object, addr)->exec;
	/* Code made at run time. */
	kp_user_maps(find_exec, &q);
	return q.exec;
}
