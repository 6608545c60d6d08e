/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * compat/extable.h - what an exception-table entry says.
 *
 * Owns: its two addresses, which stand there relative to themselves or, on MIPS and arm, as
 * they are; and the third field, how the fault is fixed up.  Since 5.16 it is a number, as
 * a macro tells; before, a function's address, relative to the field.  These two have none.
 *
 * No locks; any context.
 */
#ifndef KP_COMPAT_EXTABLE_H
#define KP_COMPAT_EXTABLE_H

#include <linux/extable.h>
#include <asm/extable.h>

#ifndef ARCH_HAS_RELATIVE_EXTABLE
#ifdef CONFIG_MIPS
#define kp_extable_goes_on nextinsn
#else
#define kp_extable_goes_on fixup
#endif
static inline unsigned long kp_extable_insn(const struct exception_table_entry *entry)
{
	return entry->insn;
}

static inline unsigned long kp_extable_fixup(const struct exception_table_entry *entry)
{
	return entry->kp_extable_goes_on;
}

#define kp_extable_word(field, addr) (addr)

static inline void kp_extable_set_fixup(struct exception_table_entry *entry, unsigned long fixup)
{
	WRITE_ONCE(entry->kp_extable_goes_on, fixup);
}
#else
static inline unsigned long kp_extable_insn(const struct exception_table_entry *entry)
{
	return (unsigned long)&entry->insn + entry->insn;
}

static inline unsigned long kp_extable_fixup(const struct exception_table_entry *entry)
{
	return (unsigned long)&entry->fixup + entry->fixup;
}

/* As it stands in this field. */
#define kp_extable_word(field, addr) ((int)((addr) - (unsigned long)(field)))

static inline void kp_extable_set_fixup(struct exception_table_entry *entry, unsigned long fixup)
{
	WRITE_ONCE(entry->fixup, kp_extable_word(&entry->fixup, fixup));
}
#endif

#ifndef ARCH_HAS_RELATIVE_EXTABLE
static inline long kp_extable_how(const struct exception_table_entry *entry)
{
	return 0;
}

static inline void kp_extable_set_how(struct exception_table_entry *entry, long how)
{
}
#elif defined(CONFIG_RISCV) || (defined(CONFIG_ARM64) && defined(EX_TYPE_NONE))
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
