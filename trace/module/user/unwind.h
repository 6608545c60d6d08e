/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * unwind.h - how a stack is walked without frame pointers: tables.
 *
 * Owns: their format.  The reader makes them of .eh_frame when probes are set, for
 * the objects that the process has then; they lie in the shared memory.  A wrong
 * table makes a wrong trace, and can do no other harm: what it leads to is read
 * with care, and every index is checked.
 */
#ifndef KT_UNWIND_H
#define KT_UNWIND_H

#include "kt_types.h"

/* Where the frame of a function begins (CFA), from a place in it on. */
enum kt_cfa {
	KT_CFA_NONE,		/* not known: the walk ends */
	KT_CFA_UNTOLD,		/* no entry is about it: a frame pointer may lead on */
	KT_CFA_SP,		/* sp + offset */
	KT_CFA_BP,		/* bp + offset */
	KT_CFA_BP_AT,		/* the word at bp + offset */
	KT_CFA_PLT,		/* sp + 8, and 8 more behind byte 10 of 16 */
	KT_CFA_SIGNAL,		/* a signal's: all is in the frame above sp */
};

/* Where the return address is. */
enum kt_ra {
	KT_RA_BELOW,		/* the word below the CFA */
	KT_RA_LINK,		/* in its register */
	KT_RA_BESIDE,		/* the word behind bp's */
	KT_RA_ALONE,		/* where bp says, which itself was not saved */
};

struct kt_row {
	u32 pc;			/* from the object's begin on */
	s32 offset;
	u8 cfa;			/* enum kt_cfa */
	u8 ra;			/* enum kt_ra */
	s16 bp;			/* where it was saved, in words from CFA; 0: nowhere */
};

struct kt_object {
	u64 start, end;		/* its code, in the process */
	u32 first, nr;		/* of its rows, by pc */
};

/* Objects by address, then rows. */
struct kt_unwind {
	u32 objects_nr, rows_nr;
	struct kt_object objects[];
};

#endif
