/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * compat/module_text.h - where a module's text lies, and all that it has.
 *
 * Owns: the difference between kernels that keep a module in two layouts, each
 * with its text first, and those with an area for each kind of memory (since
 * 6.4).  Which it is, a macro of the newer headers tells.
 *
 * No locks; any context.
 */
#ifndef KP_COMPAT_MODULE_TEXT_H
#define KP_COMPAT_MODULE_TEXT_H

#include <linux/module.h>

struct kp_text_part {
	uintptr_t base;
	size_t len;			/* 0: there is none, or no more */
};

#ifdef mod_mem_type_is_text
#define KP_MODULE_TEXT(mod, part, area)					\
	((struct kp_text_part){ (uintptr_t)(mod)->mem[area].base,	\
				(mod)->mem[area].size })
#else
#define KP_MODULE_TEXT(mod, part, area)					\
	((struct kp_text_part){ (uintptr_t)(mod)->part.base,		\
				(mod)->part.text_size })
#endif

static inline struct kp_text_part kp_module_core(const struct module *mod)
{
	return KP_MODULE_TEXT(mod, core_layout, MOD_TEXT);
}

static inline struct kp_text_part kp_module_init(const struct module *mod)
{
	return KP_MODULE_TEXT(mod, init_layout, MOD_INIT_TEXT);
}

/* All memory of the module that goes once it has started, or else of what stays: part i. */
#ifdef mod_mem_type_is_text
#define KP_MODULE_PARTS MOD_MEM_NUM_TYPES
static inline bool kp_module_part(const struct module *mod, bool init, int i,
				  struct kp_text_part *part)
{
	if ((i == MOD_INIT_TEXT || i == MOD_INIT_DATA || i == MOD_INIT_RODATA) != init)
		return false;
	*part = (struct kp_text_part){ (uintptr_t)mod->mem[i].base, mod->mem[i].size };
	return part->len;
}
#else
#define KP_MODULE_PARTS 1
static inline bool kp_module_part(const struct module *mod, bool init, int i,
				  struct kp_text_part *part)
{
	*part = init ? (struct kp_text_part){ (uintptr_t)mod->init_layout.base,
					      mod->init_layout.size }
		     : (struct kp_text_part){ (uintptr_t)mod->core_layout.base,
					      mod->core_layout.size };
	return part->len;
}
#endif

static inline bool kp_text_part_has(struct kp_text_part part, uintptr_t addr)
{
	return addr - part.base < part.len;
}

#endif
