/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * codes.h - the code that a program's watch probes look at: code:, kcode:.
 *
 * Owns: how that is read from the program.  Invariant: they stay as long as a watch
 * probe that was told of them.
 */
#ifndef KT_CODES_H
#define KT_CODES_H

#include "vm/program.h"
#include "vm/vm.h"
#include <kprobes/watch.h>
#include <linux/errno.h>
#include <linux/slab.h>

struct kt_codes {
	struct wprobe_code *list;	/* NULL: whoever writes is meant */
	u32 nr;
};

/* 0 or -ENOMEM. */
static inline int kt_codes_make(struct kt_codes *codes, const struct kt_vm *vm)
{
	u32 i, nr = 0;

	for (i = 0; i < vm->program->probes_nr; i++)
		nr += vm->probes[i].kind == KT_PROBE_CODE;
	codes->nr = 0;
	codes->list = nr ? kcalloc(nr, sizeof(*codes->list), GFP_KERNEL) : NULL;
	if (nr && !codes->list)
		return -ENOMEM;
	for (i = 0; i < vm->program->probes_nr; i++) {
		const struct kt_probe *probe = &vm->probes[i];
		struct wprobe_code *code;

		if (probe->kind != KT_PROBE_CODE)
			continue;
		code = &codes->list[codes->nr++];
		code->addr = (const void *)(unsigned long)probe->addr;
		if (!probe->addr)
			code->symbol_name = vm->names + probe->name;
	}
	return 0;
}

static inline void kt_codes_free(struct kt_codes *codes)
{
	kfree(codes->list);
	codes->list = NULL;
}

static inline void kt_codes_name(const struct kt_codes *codes, struct wprobe *wp)
{
	wp->code = codes->list;
	wp->code_nr = codes->nr;
}

#endif
