/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * elf.h - the symbols of one object.
 *
 * Owns: the prototypes of elf.c.
 */
#ifndef KP_USER_ELF_H
#define KP_USER_ELF_H

#include "env.h"
#include "objects/objects.h"

/* An address that a dynamic section holds: some loaders relocate it, some do not. */
static inline const void *kp_user_elf_dynamic(const struct kp_object *object,
					      uintptr_t value)
{
	return (const void *)(value < object->start ? value + object->bias
						    : value);
}

void kp_user_elf_index(struct kp_object *object);
bool kp_user_elf_same_file(const struct kp_object *object, long fd);
void kp_user_elf_drop(struct kp_object *object);
struct kp_symbol *kp_user_elf_named(struct kp_object *object, const char *name);
/* Where an object's function of that name is; 0: it has none.  Not of the vdso. */
uintptr_t kp_user_elf_function(struct kp_object *object, const char *name);
/* How many of its functions have that name, with equal right; it was found by name. */
unsigned int kp_user_elf_alike(struct kp_object *object, const struct kp_symbol *of);
bool kp_user_elf_called(struct kp_object *object, uintptr_t addr,
			const char *name);
struct kp_symbol *kp_user_elf_indirect(struct kp_object *object, uintptr_t addr);
uintptr_t kp_user_elf_exported(const struct kp_object *object,
			       const char *name);
struct kp_symbol *kp_user_elf_at(struct kp_object *object, uintptr_t addr);
/* The last mark of what stands there in [from, addr], as $a; or NULL. */
const char *kp_user_elf_mark(struct kp_object *object, uintptr_t from, uintptr_t addr);

#endif
