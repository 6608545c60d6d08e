/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * objects.c - which objects a program has loaded, without a dynamic linker of ours.
 *
 * Owns: the walk over the list that the program's dynamic linker keeps for debuggers
 * (r_debug): glibc's, with all of its name spaces, musl's and bionic's have the same form.
 * A program without one, or whose linker has yet to begin, is what the kernel has told it: itself,
 * its linker and the vdso.  Modules that the command has placed come last.
 *
 * The program may change its list at any time.  Each word of it is read as what may be gone,
 * and each object has to have the headers of one; nothing is called and no lock is taken.
 *
 * Locks: the registry lock.
 */
#include "face.h"
#include "image.h"
#include "machine.h"
#include "thread.h"
#include "freestanding/copy.h"
#include "process/maps.h"

#include <elf.h>
#include <link.h>

#define OBJECTS_MAX 65536		/* more is a list that leads back into itself */
#define SPACES_MAX 256
#define NAME_MAX_LEN 4096
#define SETTLE_US 20000l		/* how long a linker at work is waited for */

typedef int (*visit_fn)(struct dl_phdr_info *info, size_t size, void *arg);

/* The length of what dlpi_adds follows: nobody counts for us. */
#define INFO_LEN offsetof(struct dl_phdr_info, dlpi_adds)

static uintptr_t main_dynamic, main_bias;

static bool read_word(uintptr_t at, uintptr_t *word)
{
	return !kp_user_copy(word, (const void *)at, sizeof(*word));
}

static bool read_header(uintptr_t at, ElfW(Ehdr) *eh)
{
	return !kp_user_copy(eh, (const void *)at, sizeof(*eh)) &&
	       !memcmp(eh->e_ident, ELFMAG, SELFMAG) &&
	       eh->e_ident[EI_CLASS] == KP_ELF_CLASS &&
	       eh->e_phentsize == sizeof(ElfW(Phdr)) && eh->e_phnum;
}

static bool find_type(const struct dl_phdr_info *info, uint32_t type, ElfW(Phdr) *ph)
{
	unsigned int i;

	for (i = 0; i < info->dlpi_phnum; i++)
		if (!kp_user_copy(ph, info->dlpi_phdr + i, sizeof(*ph)) && ph->p_type == type)
			return true;
	return false;
}

/* Headers at that address, of an object with that bias and dynamic section (0: any)? */
static bool headers_at(struct dl_phdr_info *info, uintptr_t at, uintptr_t dynamic)
{
	ElfW(Ehdr) eh;
	ElfW(Phdr) ph;

	if (!read_header(at, &eh))
		return false;
	info->dlpi_phdr = (const ElfW(Phdr) *)(at + eh.e_phoff);
	info->dlpi_phnum = eh.e_phnum;
	return !dynamic || (find_type(info, PT_DYNAMIC, &ph) &&
			    info->dlpi_addr + ph.p_vaddr == dynamic);
}

static void read_name(char *name, uintptr_t at)
{
	size_t len = 0;

	while (len < NAME_MAX_LEN - 1 && !kp_user_copy(&name[len], (const char *)at + len, 1) &&
	       name[len])
		len++;
	name[len] = 0;
}

/* ---- the program itself, its linker and the vdso ----------------------------------------- */

static bool main_info(struct dl_phdr_info *info)
{
	ElfW(Phdr) ph;

	memset(info, 0, sizeof(*info));
	info->dlpi_name = "";
	info->dlpi_phdr = (const ElfW(Phdr) *)kp_face_auxv(AT_PHDR);
	info->dlpi_phnum = (ElfW(Half))kp_face_auxv(AT_PHNUM);
	if (!info->dlpi_phdr || kp_face_auxv(AT_PHENT) != sizeof(ph))
		return false;
	/* Without a PT_PHDR it is where it was linked for, unless headers are at its base. */
	if (find_type(info, PT_PHDR, &ph))
		info->dlpi_addr = (uintptr_t)info->dlpi_phdr - ph.p_vaddr;
	else if (find_type(info, PT_LOAD, &ph) && !ph.p_vaddr)
		info->dlpi_addr = (uintptr_t)info->dlpi_phdr & ~(uintptr_t)4095;
	main_bias = info->dlpi_addr;
	main_dynamic = find_type(info, PT_DYNAMIC, &ph) ? main_bias + ph.p_vaddr : 0;
	return true;
}

static bool vdso_info(struct dl_phdr_info *info)
{
	uintptr_t at = kp_face_auxv(AT_SYSINFO_EHDR);
	ElfW(Phdr) ph;

	memset(info, 0, sizeof(*info));
	info->dlpi_name = "linux-vdso.so.1";
	if (!at || !headers_at(info, at, 0))
		return false;
	if (find_type(info, PT_LOAD, &ph))
		info->dlpi_addr = at - ph.p_vaddr;
	return true;
}

/* The dynamic linker, by the name that its own list will have. */
static bool linker_info(struct dl_phdr_info *info, const struct dl_phdr_info *program, char *name)
{
	uintptr_t base = kp_face_auxv(AT_BASE);
	ElfW(Phdr) ph;

	memset(info, 0, sizeof(*info));
	info->dlpi_addr = base;
	info->dlpi_name = name;
	if (!base || !find_type(program, PT_INTERP, &ph) || !headers_at(info, base, 0))
		return false;
	read_name(name, program->dlpi_addr + ph.p_vaddr);
	return true;
}

/* ---- the linker's list ------------------------------------------------------------------ */

static uintptr_t find_debug(void)
{
	ElfW(Dyn) dyn;
	uintptr_t at, word;

	for (at = main_dynamic; at && !kp_user_copy(&dyn, (const void *)at, sizeof(dyn)) &&
			        dyn.d_tag != DT_NULL; at += sizeof(dyn)) {
		if (dyn.d_tag == DT_DEBUG)
			return dyn.d_un.d_ptr;
#ifdef __mips__
		if (dyn.d_tag == DT_MIPS_RLD_MAP_REL)
			return read_word(at + dyn.d_un.d_val, &word) ? word : 0;
		if (dyn.d_tag == DT_MIPS_RLD_MAP)
			return read_word(main_bias + dyn.d_un.d_ptr, &word) ? word : 0;
#endif
	}
	(void)word;
	return 0;
}

/* It is true while nobody is at work on it; who is may be stopped, and is not waited for long. */
static bool read_debug(uintptr_t at, struct r_debug *debug)
{
	long waited;

	for (waited = 0;; waited += 1000) {
		if (!at || kp_user_copy(debug, (const void *)at, sizeof(*debug)))
			return false;
		if (debug->r_state == RT_CONSISTENT || waited >= SETTLE_US)
			return true;
		sys_sleep_us(1000);
	}
}

struct base {
	uintptr_t dynamic;
	const char *name;
	uintptr_t start;		/* of the file's lowest mapping before it */
	char last[NAME_MAX_LEN];
	bool found;
};

static bool find_base(const struct kp_map *map, void *arg)
{
	struct base *base = arg;

	if (!map->name[0])
		return false;
	if (strcmp(base->last, map->name) && strlen(map->name) < sizeof(base->last)) {
		memcpy(base->last, map->name, strlen(map->name) + 1);
		base->start = map->start;
	}
	base->found = base->dynamic >= map->start && base->dynamic < map->end;
	return base->found;
}

/* Where its headers are: at its bias, unless it was linked for another address than 0. */
static bool find_headers(struct dl_phdr_info *info, uintptr_t dynamic)
{
	static struct base base;	/* registry lock */

	if (headers_at(info, info->dlpi_addr, dynamic))
		return true;
	base.dynamic = dynamic;
	base.start = 0;
	base.last[0] = 0;
	base.found = false;
	kp_user_maps(find_base, &base);
	return base.found && headers_at(info, base.start, dynamic);
}

/* Which of them the list has. */
struct listed {
	bool vdso, linker;
};

static int visit_list(uintptr_t at, visit_fn fn, void *arg, struct listed *listed)
{
	static char name[NAME_MAX_LEN];	/* registry lock */
	uintptr_t sysinfo = kp_face_auxv(AT_SYSINFO_EHDR), base = kp_face_auxv(AT_BASE);
	struct dl_phdr_info info;
	struct link_map map;
	unsigned int nr;
	int ret = 0;

	for (nr = 0; !ret && at && nr < OBJECTS_MAX; nr++, at = (uintptr_t)map.l_next) {
		if (kp_user_copy(&map, (const void *)at, offsetof(struct link_map, l_prev)))
			break;
		if (!map.l_ld || (uintptr_t)map.l_ld == main_dynamic)
			continue;
		memset(&info, 0, sizeof(info));
		info.dlpi_addr = map.l_addr;
		if (!find_headers(&info, (uintptr_t)map.l_ld))
			continue;
		read_name(name, (uintptr_t)map.l_name);
		info.dlpi_name = name;
		listed->vdso |= sysinfo && (uintptr_t)info.dlpi_phdr - sysinfo < 4096;
		listed->linker |= base && (uintptr_t)info.dlpi_phdr - base < 4096;
		ret = fn(&info, INFO_LEN, arg);
	}
	return ret;
}

/* Since glibc 2.35 each name space's leads to the next one's. */
struct spaces {
	struct r_debug debug;
	uintptr_t next;
};

static struct kp_image_module *modules;

void kp_image_module_came(struct kp_image_module *module)
{
	module->next = modules;
	modules = module;
}

void kp_image_module_goes(struct kp_image_module *module)
{
	struct kp_image_module **link = &modules;

	while (*link != module)
		link = &(*link)->next;
	*link = module->next;
}

int kp_face_objects(visit_fn fn, void *arg)
{
	const struct kp_image_module *module;
	static char name[NAME_MAX_LEN];	/* registry lock */
	struct listed listed = { false, false };
	struct dl_phdr_info info, program;
	struct r_debug debug;
	uintptr_t at, next;
	int ret = 0, nr;

	if (main_info(&program)) {
		info = program;
		ret = fn(&info, INFO_LEN, arg);
	}
	at = find_debug();
	for (nr = 0; !ret && nr < SPACES_MAX && read_debug(at, &debug); nr++) {
		ret = visit_list((uintptr_t)debug.r_map, fn, arg, &listed);
		if (debug.r_version < 2 || !read_word(at + offsetof(struct spaces, next), &next))
			break;
		at = next;
	}
	if (!ret && !listed.linker && linker_info(&info, &program, name))
		ret = fn(&info, INFO_LEN, arg);
	if (!ret && !listed.vdso && vdso_info(&info))
		ret = fn(&info, INFO_LEN, arg);
	for (module = modules; !ret && module; module = module->next) {
		info.dlpi_addr = module->base;
		info.dlpi_name = module->name;
		if (headers_at(&info, module->base, 0))
			ret = fn(&info, INFO_LEN, arg);
	}
	return ret;
}

bool kp_face_objects_lock(void)
{
	return false;
}
