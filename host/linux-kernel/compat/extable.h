/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * compat/extable.h - what an exception-table entry says besides two addresses.
 *
 * Owns: the third field, how the fault is fixed up.  Since 5.16 it is a number, as a
 * macro tells; before, a function's address, relative to the field.
 *
 * No locks; any context.
 */
#ifndef KP_COMPAT_EXTABLE_H
#define KP_COMPAT_EXTABLE_H

#include <linux/extable.h>
#include <asm/extable.h>

#if defined(CONFIG_RISCV) || (defined(CONFIG_ARM64) && defined(EX_TYPE_NONE))
/* Two short numbers there. */
static inline long kp_extable_how(const struct exception_table_entry *entry)
{
	return (u16)entry->type | (long)entry->data << 16;
}

static inline void kp_extable_set_how(struct exception_table_entry *entry,
				      long how)
{
	WRITE_ONCE(entry->type, (short)how);
	WRITE_ONCE(entry->data, (short)(how >> 16));
}
#elif defined(EX_TYPE_NONE)
static inline long kp_extable_how(const struct exception_table_entry *entry)
{
	return entry->data;
}

static inline void kp_extable_set_how(struct exception_table_entry *entry,
				      long how)
{
	WRITE_ONCE(entry->data, (int)how);
}
#else
static inline long kp_extable_how(const struct exception_table_entry *entry)
{
	return (long)&entry->handler + entry->handler;
}

static inline void kp_extable_set_how(struct exception_table_entry *entry,
				      long how)
{
	WRITE_ONCE(entry->handler, (int)(how - (long)&entry->handler));
}
#endif

#endif
