/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * share.h - the memory that a traced process and who traces it have in common.
 *
 * Owns: struct kt_share, the first pages of a memfd; behind it lie the program and
 * the arena (vm/program.h), where the reader says.  In a new process the module
 * waits until the reader, which then knows the process's addresses, says GO; in one
 * that is attached to it has said so before.  A program that a traced process
 * executes takes one of those that nobody has yet.
 */
#ifndef KT_SHARE_H
#define KT_SHARE_H

#include "later.h"
#include "program.h"

#include <kprobes/process.h>

#define KT_SHARE_MAGIC 0x65726168736b74ull	/* "tkshare" */
#define KT_SHARE_LEN 8192u
#define KT_REFUSALS_MAX 24

enum kt_share_state {		/* a futex */
	KT_SHARE_NEW,
	KT_SHARE_TAKEN,		/* the module: it is its own from now on */
	KT_SHARE_WAITING,	/* the module: for what follows */
	KT_SHARE_GO,		/* the reader: program and arena are there */
	KT_SHARE_GIVEN_UP,	/* the reader: there is no program */
	KT_SHARE_ON,		/* the module: probes are set */
	KT_SHARE_FAILED,	/* the module: error says why */
	KT_SHARE_OFF,		/* the module: none is left */
};

/* Why a probe is not there. */
struct kt_refusal {
	u32 probe;
	s32 error;		/* an errno, positive */
	char reason[184];
};

struct kt_share {
	u64 magic;
	u32 state;
	/*
	 * A robust futex (futex(2)) of the reader's: when it is gone, however it
	 * ended, handlers do nothing.
	 */
	u32 reader;
	u64 len;			/* of all of it */
	u64 program, program_len;	/* offsets in it */
	u64 arena, arena_len;
	u64 unwind, unwind_len;		/* unwind.h; 0: none */
	u64 later, later_len;		/* later.h; 0: none */
	u32 pid;			/* the module: who it is, before it waits */
	u32 number;			/* the controller: who it is to the asker */
	u32 only_exec;			/* the reader: what is executed in its place, no child */
	s32 error;
	u32 set, refused;		/* probes */
	char text[128];			/* what is wrong, when it failed */
	u32 refusals_nr;
	struct kt_refusal refusals[KT_REFUSALS_MAX];
	/* With what programs begin that it executes (kp_process_follow); "": none. */
	char library[1024], load[1024];
	/* Threads ask here before they execute a program; and the name of the C library's linker. */
	struct kp_process_asker askers[KP_PROCESS_ASKERS];
	char linker[32];
	/* The module: struct kp_process_left, what was executed and cannot be followed. */
	u32 left;
	char left_path[252];
	/*
	 * The module, of objects that are opened later: the linker does not tell; how often each
	 * was opened; those that are none of them, but have one of their names; what had no room.
	 */
	u32 untold;
	u32 came[KT_LATER_MAX];
	u32 strangers, crowded;
	char stranger[160];
};

_Static_assert(sizeof(struct kt_share) <= KT_SHARE_LEN, "it is mapped whole");

#endif
